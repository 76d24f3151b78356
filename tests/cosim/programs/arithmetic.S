#include "check.h"
// Integers, jumps and memory; the results also make up the signature.
.globl _start
.type _start, @function
_start:
    la s0, begin_signature
    li a0, 20
    li a1, -6
    add a2, a0, a1
    CHECK(1, a2, 14)
    sw a2, 0(s0)
    mul a2, a0, a1
    CHECK(2, a2, -120)
    sw a2, 4(s0)
    mulhu a2, a1, a1
    CHECK(3, a2, 0xfffffff4)
    sw a2, 8(s0)
    div a2, a0, a1
    CHECK(4, a2, -3)
    rem a2, a0, a1
    CHECK(5, a2, 2)
    div a2, a0, zero
    CHECK(6, a2, -1)
    li a0, 0x80000000
    li a1, -1
    div a2, a0, a1
    CHECK(7, a2, 0x80000000)
    sb a1, 13(s0)
    lw a2, 12(s0)
    CHECK(8, a2, 0xdeadffef)
    lh a2, 12(s0)
    CHECK(9, a2, -17)
    lbu a2, 13(s0)
    CHECK(10, a2, 255)
    jal ra, function
    CHECK(11, a2, 77)
    li a0, 10
    li a2, 0
loop:
    add a2, a2, a0
    addi a0, a0, -1
    bnez a0, loop
    CHECK(12, a2, 55)
    la a0, zeros
    lw a2, 96(a0)
    CHECK(13, a2, 0)
    la a0, _start
    auipc a1, 0
    xor a2, a0, a1
    srli a2, a2, 16
    CHECK(14, a2, 0)
    FINISH
function:
    li a2, 77
    ret
SIGNATURE(4)
.bss
zeros: .space 100
