#include "check.h"
// Single-precision arithmetic and its flags.
.globl _start
_start:
    li a0, 0x40490fdb       // pi
    fmv.w.x f1, a0
    li a0, 0x3f800000
    fmv.w.x f2, a0
    fadd.s f3, f1, f2
    fmv.x.w a1, f3
    CHECK(1, a1, 0x408487ee)
    fsflags a1, zero
    CHECK(2, a1, 1)
    fadd.s f3, f1, f2, rtz
    fmv.x.w a1, f3
    CHECK(3, a1, 0x408487ed)
    fmadd.s f3, f1, f1, f2
    fmv.x.w a1, f3
    CHECK(4, a1, 0x412de9e7)
    fsflags zero
    fsub.s f4, f1, f1
    frflags a1
    CHECK(5, a1, 0)
    li a0, 0x7f800001
    fmv.w.x f5, a0
    feq.s a1, f5, f1
    CHECK(6, a1, 0)
    fsflags a1, zero
    CHECK(7, a1, 16)
    fcvt.w.s a1, f1, rup
    CHECK(8, a1, 4)
    fclass.s a1, f5
    CHECK(9, a1, 256)
    la a0, number
    flw f6, 0(a0)
    fmul.s f6, f6, f6
    fsw f6, 4(a0)
    lw a1, 4(a0)
    CHECK(10, a1, 0x40c80000)
    FINISH
.data
number: .float 2.5
    .word 0
