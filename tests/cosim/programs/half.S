#include "check.h"
// Loads, stores, moves and conversions of f16.
.globl _start
_start:
    la a0, numbers
    fsflags zero
    flh f1, 0(a0)
    fmv.x.w a1, f1
    CHECK(1, a1, 0xffffc100)
    fcvt.s.h f2, f1
    fmv.x.w a1, f2
    CHECK(2, a1, 0xc0200000)    // -2.5
    fmv.x.h a1, f1
    CHECK(3, a1, 0xffffc100)
    li a1, 0x12343c00
    fmv.h.x f3, a1
    fmv.x.w a1, f3
    CHECK(4, a1, 0xffff3c00)
    fsh f3, 4(a0)
    lw a1, 4(a0)
    CHECK(5, a1, 0x77773c00)
    li a1, 0x3c00               // an f16 without ones above it is a NaN
    fmv.w.x f3, a1
    fcvt.s.h f4, f3
    fmv.x.w a1, f4
    CHECK(6, a1, 0x7fc00000)
    fsflags a1, zero
    CHECK(7, a1, 0)
    flw f5, 8(a0)
    fcvt.h.s f6, f5             // 65520: halfway between 65504 and what is infinite
    fmv.x.w a1, f6
    CHECK(8, a1, 0xffff7c00)
    fsflags a1, zero
    CHECK(9, a1, 5)
    fcvt.h.s f6, f5, rtz
    fmv.x.h a1, f6
    CHECK(10, a1, 0x7bff)
    fsflags a1, zero
    CHECK(11, a1, 1)
    flw f5, 12(a0)
    fcvt.h.s f6, f5, rup        // less than the least f16
    fmv.x.h a1, f6
    CHECK(12, a1, 1)
    fsflags a1, zero
    CHECK(13, a1, 3)
    FINISH
.data
    .align 3
numbers: .half 0xc100, 0
    .word 0x77777777
    .float 65520.0
    .word 0x32000000
