#include "check.h"
// Divide and square root, all rounding modes and flags.
.globl _start
_start:
    li a0, 0x3f800000
    fmv.w.x f1, a0
    li a0, 0x40400000
    fmv.w.x f2, a0
    fsflags zero
    fdiv.s f3, f1, f2       // 1 / 3 lies above 0x3eaaaaaa
    fmv.x.w a1, f3
    CHECK(1, a1, 0x3eaaaaab)
    fdiv.s f3, f1, f2, rtz
    fmv.x.w a1, f3
    CHECK(2, a1, 0x3eaaaaaa)
    fsrmi 2                 // down
    fdiv.s f3, f1, f2
    fmv.x.w a1, f3
    CHECK(3, a1, 0x3eaaaaaa)
    fdiv.s f3, f1, f2, rup
    fmv.x.w a1, f3
    CHECK(4, a1, 0x3eaaaaab)
    fsrmi 0
    fsflags a1, zero
    CHECK(5, a1, 1)
    fmv.w.x f4, zero
    fdiv.s f3, f1, f4
    fmv.x.w a1, f3
    CHECK(6, a1, 0x7f800000)
    fsflags a1, zero
    CHECK(7, a1, 8)
    fdiv.s f3, f4, f4
    fmv.x.w a1, f3
    CHECK(8, a1, 0x7fc00000)
    fsflags a1, zero
    CHECK(9, a1, 16)
    li a0, 0x00800000       // the least normal number, by 3
    fmv.w.x f5, a0
    fdiv.s f3, f5, f2
    fmv.x.w a1, f3
    CHECK(10, a1, 0x002aaaab)
    fsflags a1, zero
    CHECK(11, a1, 3)
    li a0, 0x40800000
    fmv.w.x f6, a0
    fsqrt.s f3, f6
    fmv.x.w a1, f3
    CHECK(12, a1, 0x40000000)
    fsflags a1, zero
    CHECK(13, a1, 0)
    fsqrt.s f3, f2, rup
    fmv.x.w a1, f3
    CHECK(14, a1, 0x3fddb3d8)
    fsqrt.s f3, f2, rdn
    fmv.x.w a1, f3
    CHECK(15, a1, 0x3fddb3d7)
    fsflags a1, zero
    CHECK(16, a1, 1)
    fneg.s f3, f1
    fsqrt.s f3, f3
    fsflags a1, zero
    CHECK(17, a1, 16)
    FINISH
