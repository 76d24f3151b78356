#include "check.h"
// What the environments of public suites do first: park other harts, try CSRs that may not exist
// with a handler that skips the rest, set the handler, go to the test by mret; then traps.
.globl _start
_start:
    csrr a0, mhartid
park:
    bnez a0, park
    la t0, 1f
    csrw mtvec, t0
    li a1, 1
    csrwi 0x180, 0          // satp
    li a1, 0
    .align 2
1:  CHECK(1, a1, 1)         // it was skipped
    la t0, 1f
    csrw mtvec, t0
    li t0, -1
    csrw 0x3b0, t0          // pmpaddr0
    li t0, 31
    csrw 0x3a0, t0          // pmpcfg0
    .align 2
1:  csrr a1, mcause
    CHECK(2, a1, 2)
    csrr a1, mtval
    CHECK(3, a1, 0x3b029073)
    la t0, 1f
    csrw mtvec, t0
    csrwi 0x302, 0          // medeleg
    csrwi 0x303, 0
    .align 2
1:  csrwi mie, 0
    csrwi mip, 0
    la t0, handler
    csrw mtvec, t0
    csrwi mstatus, 0
    la t0, test
    csrw mepc, t0
    mret
test:
    csrr a1, misa
    CHECK(4, a1, 0x40801120)
    li a7, 93
    ecall
    CHECK(5, s1, 11)
    CHECK(6, a7, 94)
    ebreak
    CHECK(7, s1, 3)
    .word 0
    CHECK(8, s1, 2)
    CHECK(9, s2, 0)
    la a0, tohost
    lw a1, 2(a0)
    CHECK(10, s1, 4)
    addi a0, a0, 2
    xor a1, a0, s2
    CHECK(11, a1, 0)
    li a0, 0x40000000
    sw a0, 0(a0)
    CHECK(12, s1, 7)
    CHECK(13, s2, 0x40000000)
    csrwi mscratch, 9
    csrrsi a1, mscratch, 6
    CHECK(14, a1, 9)
    csrrci a1, mscratch, 1
    CHECK(15, a1, 15)
    csrr a1, mscratch
    CHECK(16, a1, 14)
    csrr a2, minstret
    csrr a3, minstret
    sub a1, a3, a2
    CHECK(17, a1, 1)
    csrr a2, mcycle
    csrr a3, mcycle
    sltu a1, a2, a3
    CHECK(18, a1, 1)
    csrsi mstatus, 8        // MIE goes to MPIE and back
    ecall
    CHECK(19, s3, 0x80007880)
    csrr a1, mstatus
    CHECK(20, a1, 0x80007888)
    FINISH
    .align 2
handler:
    csrr s1, mcause
    csrr s2, mtval
    csrr s3, mstatus
    csrr t0, mepc
    addi t0, t0, 4
    csrw mepc, t0
    addi a7, a7, 1
    mret
