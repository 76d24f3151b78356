// Functions of rows of whole words that go through each row three times, by streams: in0 reads a row,
// again, and again, then the next row.

#include "openipu/codelet.h"

    // y = (x - mean) * factor for each row, where factor = 1 / sqrt(variance + epsilon). In f32.
    .macro  begin name
    codelet \name
    lw      t0, \name\().x(a0)
    lw      t1, \name\().y(a0)
    lw      t2, \name\().level(a0)
    lw      t3, \name\().passes(a0)
    lw      t4, \name\().rows_level(a0)
    lw      t5, \name\().y_level(a0)
    lw      a1, \name\().rows(a0)
    lw      a2, \name\().words(a0)
    xstream 0, t0, t2
    xlevels 0, t3, t4
    xstream 2, t1, t5
    .endm

    .macro  statistics name
    flw     f20, \name\().share(a0)         // 1 / the row's length
    flw     f22, \name\().epsilon(a0)
    li      t0, 0x3f800000
    fmv.w.x f24, t0
    fmv.w.x f26, zero
    s2splat f26, f26
    beqz    a1, 2f
    .endm

    // f6: the mean, twice, from the sum in f0
    .macro  mean
    fmul.s  f0, f0, f20
    s2splat f6, f0
    xvor    f4, f26, f26
    .endm

    // f8: the factor, twice, from the squares in f4
    .macro  factor
    s2sum   f0, f4, f26
    fmadd.s f0, f0, f20, f22
    fsqrt.s f0, f0
    fdiv.s  f0, f24, f0
    s2splat f8, f0
    .endm

    .macro  again name
    addi    a1, a1, -1
    bnez    a1, 1b
2:  ret
    end     \name
    .endm

    begin   normalise_f32
    statistics normalise_f32
1:  xvor    f0, f26, f26
    xrpt    a2, 1
    s2add   f0, f0, in0
    s2sum   f0, f0, f26
    mean
    xrpt    a2, 2
    s2sub   f2, in0, f6
    s2madd  f4, f2, f2, f4
    factor
    xrpt    a2, 2
    s2sub   f2, in0, f6
    s2mul   out, f2, f8
    again   normalise_f32

    begin   normalise_f16
    lw      t3, normalise_f16.passes_high(a0)
    xstream 1, t0, t2               // the same words, for their high halves
    xlevels 1, t3, t4
    statistics normalise_f16
1:  fmv.w.x f0, zero
    xrpt    a2, 1
    h4sum   f0, in0, f0
    mean
    xrpt    a2, 6
    s2widenl f2, in0
    s2sub   f2, f2, f6
    s2madd  f4, f2, f2, f4
    s2widenh f2, in1
    s2sub   f2, f2, f6
    s2madd  f4, f2, f2, f4
    factor
    xrpt    a2, 7
    s2widenl f2, in0
    s2sub   f2, f2, f6
    s2mul   f2, f2, f8
    s2widenh f4, in1
    s2sub   f4, f4, f6
    s2mul   f4, f4, f8
    h4narrow out, f2, f4
    again   normalise_f16

    // y = e**(x - max x) / sum for each row; the sum is f32.
    begin   softmax_f16
    li      t0, 0x3f800000
    fmv.w.x f24, t0
    li      t0, 0xfc00fc00
    fmv.w.x f26, t0
    s2splat f26, f26
    beqz    a1, 2f
1:  xvor    f0, f26, f26
    xrpt    a2, 1
    h4max   f0, f0, in0
    h4greatest f0, f0
    h4splat f6, f0
    fmv.w.x f0, zero
    xrpt    a2, 3
    h4sub   f2, in0, f6
    h4exp   f2, f2
    h4sum   f0, f2, f0
    fdiv.s  f0, f24, f0
    h4narrow f8, f0, f0
    h4splat f8, f8
    xrpt    a2, 3
    h4sub   f2, in0, f6
    h4exp   f2, f2
    h4mul   out, f2, f8
    again   softmax_f16
