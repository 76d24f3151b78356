// Depthwise convolution by streams: a word has a pixel's value of some channels, and each channel is
// multiplied with its own weights.
//
// in0 has the pixels of the windows of a row of results one after another; in1 the weights again and
// again; out the results.

#include "openipu/codelet.h"

    .macro  depthwise name, op, taps
    codelet \name
    lw      t0, \name\().x(a0)
    lw      t1, \name\().w(a0)
    lw      t2, \name\().bias(a0)
    lw      t3, \name\().y(a0)
    lw      t4, \name\().w_level(a0)
    lw      t5, \name\().w_again(a0)
    lw      t6, \name\().y_level(a0)
    lw      a1, \name\().along(a0)
    lw      a2, \name\().down(a0)
    lw      a3, \name\().next(a0)
    lw      a4, \name\().row_bytes(a0)
    lw      a5, \name\().x_bytes(a0)
    lw      a6, \name\().columns(a0)
    li      a7, 1
    add     a5, a5, t0              // where the rows end
    xstream 1, t2, a7
    xvor    f2, in1, in1            // where sums start
    xstream 1, t1, t4
    xlevels 1, t5, zero
    xstream 2, t3, t6
    .if     \taps == 0
    lhu     a7, \name\().w_level(a0)
    addi    a7, a7, -2              // taps besides the first and the last
    .endif
1:  xstream 0, t0, a1
    xlevels 0, a2, a3
    add     t0, t0, a4
    .if     \taps
    xrpt    a6, \taps
    \op     f0, in0, in1, f2
    .rept   \taps - 2
    \op     f0, in0, in1, f0
    .endr
    \op     out, in0, in1, f0
    .else
    mv      t1, a6
2:  \op     f0, in0, in1, f2
    xrpt    a7, 1
    \op     f0, in0, in1, f0
    \op     out, in0, in1, f0
    addi    t1, t1, -1
    bnez    t1, 2b
    .endif
    bne     t0, a5, 1b
    ret
    end     \name
    .endm

    depthwise depthwise_f16, h4madd, 0
    depthwise depthwise_f32, s2madd, 0
    depthwise depthwise_9_f16, h4madd, 9
    depthwise depthwise_9_f32, s2madd, 9
