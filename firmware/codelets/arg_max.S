// Where the greatest element of each row of whole words is, by streams, which are both of x.
//
// Each lane keeps its greatest in f0 and, as a number in f2, the word where that was first.

#include "openipu/codelet.h"

    .macro  pair low, high, low_bits, high_bits
    li      t4, \low_bits
    fmv.w.x \low, t4
    li      t4, \high_bits
    fmv.w.x \high, t4
    .endm

    .macro  begin name, least, one, infinity, lanes
    codelet \name
    lw      t0, \name\().x(a0)
    lw      t1, \name\().y(a0)
    lw      t2, \name\().level(a0)
    lw      t3, \name\().words(a0)
    lw      a1, \name\().rows(a0)
    xstream 0, t0, t2
    xstream 1, t0, t2
    both    f8, \least
    both    f10, \one
    both    f12, 0x80000000
    both    f14, \infinity
    both    f16, \lanes
    both    f18, 0
    pair    f20, f21, 0, 0x3f800000 // the numbers of lanes 0 and 1
    .endm

    .macro  row lt, max, add
1:  xvor    f0, f8, f8
    xvor    f2, f18, f18
    xvor    f4, f18, f18            // the number of the word
    xrpt    t3, 4
    \lt     f6, f0, in0
    xvsel   f2, f6, f4, f2
    \max    f0, f0, in1
    \add    f4, f4, f10
    .endm

    // y of a row: the least number in f2, found as the greatest of the negated.
    .macro  result name
    xvxor   f2, f2, f12
    s2greatest f2, f2
    fcvt.w.s t4, f2
    neg     t4, t4
    sw      t4, 0(t1)
    addi    t1, t1, 4
    addi    a1, a1, -1
    bnez    a1, 1b
2:  ret
    end     \name
    .endm

    begin   arg_max_f32, 0xff800000, 0x3f800000, 0x7f800000, 0x40000000
    beqz    a1, 2f
    row     s2lt, s2max, s2add
    s2greatest f4, f0
    s2splat f4, f4
    s2eq    f4, f0, f4
    xvsel   f2, f4, f2, f14
    s2madd  f2, f2, f16, f20
    result  arg_max_f32

    begin   arg_max_f16, 0xfc00fc00, 0x3c003c00, 0x7c007c00, 0x40800000
    pair    f22, f23, 0x40000000, 0x40400000 // and of 2 and 3
    beqz    a1, 2f
    row     h4lt, h4max, h4add
    h4greatest f4, f0
    h4splat f4, f4
    h4eq    f4, f0, f4
    xvsel   f2, f4, f2, f14
    s2widenl f4, f2
    s2widenh f6, f2
    s2madd  f4, f4, f16, f20
    s2madd  f6, f6, f16, f22
    s2min   f2, f4, f6
    result  arg_max_f16
