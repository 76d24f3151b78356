// One result for each element, by streams: an instruction takes a word of each operand and gives a
// word. The last word is computed whole.
//
// .level describes level 0 of streams of contiguous words; its low half is their number.

#include "openipu/codelet.h"

    // Addresses of a, b and y, the level of their streams, and how many words they are.
    .macro  operands name
    lw      t0, \name\().a(a0)
    lw      t1, \name\().b(a0)
    lw      t2, \name\().y(a0)
    lw      t3, \name\().level(a0)
    lhu     t4, \name\().level(a0)
    .endm

    // y = op(a, b)
    .macro  binary name, op
    codelet \name
    operands \name
    xstream 0, t0, t3
    xstream 1, t1, t3
    xstream 2, t2, t3
    xrpt    t4, 1
    \op     out, in0, in1
    ret
    end     \name
    .endm

    // The same with the words of b again and again.
    .macro  periodic name, op
    codelet \name
    operands \name
    lw      t5, \name\().b_level(a0)
    lw      t6, \name\().b_again(a0)
    xstream 0, t0, t3
    xstream 1, t1, t5
    xlevels 1, t6, zero
    xstream 2, t2, t3
    xrpt    t4, 1
    \op     out, in0, in1
    ret
    end     \name
    .endm

    // The same with one element b.
    .macro  constant name, op, splat
    codelet \name
    operands \name
    li      t5, 1
    xstream 0, t0, t3
    xstream 1, t1, t5
    xstream 2, t2, t3
    xvor    f0, in1, in1
    \splat  f0, f0
    xrpt    t4, 1
    \op     out, in0, f0
    ret
    end     \name
    .endm

    .macro  each name, h4, s2
    binary   \name\()_f16, \h4
    periodic \name\()_periodic_f16, \h4
    constant \name\()_constant_f16, \h4, h4splat
    binary   \name\()_f32, \s2
    periodic \name\()_periodic_f32, \s2
    constant \name\()_constant_f32, \s2, s2splat
    .endm

    each    add, h4add, s2add
    each    subtract, h4sub, s2sub
    each    multiply, h4mul, s2mul
    each    maximum, h4max, s2max
    each    minimum, h4min, s2min

    // y = op(x), with f0 as another operand where `op` has one: the f32 or two f16 in `bits`, twice.
    .macro  unary name, bits, op:vararg
    codelet \name
    lw      t0, \name\().x(a0)
    lw      t1, \name\().y(a0)
    lw      t2, \name\().level(a0)
    lhu     t3, \name\().level(a0)
    .ifnc   \bits, none
    lui     t4, \bits >> 12
    .if     \bits & 0xfff
    addi    t4, t4, \bits & 0xfff
    .endif
    fmv.w.x f0, t4
    s2splat f0, f0
    .endif
    xstream 0, t0, t2
    xstream 2, t1, t2
    xrpt    t3, 1
    \op
    ret
    end     \name
    .endm

    unary   identity_f16, none, xvor out, in0, in0
    unary   identity_f32, none, xvor out, in0, in0
    unary   relu_f16, 0, h4max out, in0, f0
    unary   relu_f32, 0, s2max out, in0, f0
    unary   negate_f16, 0x80008000, xvxor out, in0, f0
    unary   negate_f32, 0x80000000, xvxor out, in0, f0
    unary   absolute_f16, 0x80008000, xvandn out, in0, f0
    unary   absolute_f32, 0x80000000, xvandn out, in0, f0
    unary   exponent_f16, none, h4exp out, in0
    unary   logarithm_f16, none, h4log out, in0
    unary   hyperbolic_tangent_f16, none, h4tanh out, in0
    unary   logistic_f16, none, h4sigmoid out, in0
    unary   invert_f16, none, h4recip out, in0
    unary   inverse_square_root_f16, none, h4rsqrt out, in0
    unary   square_root_f16, none, h4sqrt out, in0

    // y = a * factor + b, rounded once; the factor is f32 in the vertex.
    .macro  scaled_add name, op, splat, narrow:vararg
    codelet \name
    operands \name
    flw     f0, \name\().factor(a0)
    xstream 0, t0, t3
    xstream 1, t1, t3
    xstream 2, t2, t3
    \narrow
    \splat  f0, f0
    xrpt    t4, 1
    \op     out, in0, f0, in1
    ret
    end     \name
    .endm

    scaled_add scaled_add_f16, h4madd, h4splat, h4narrow f0, f0, f0
    scaled_add scaled_add_f32, s2madd, s2splat

    // y = x as f32
    codelet widen
    lw      t0, widen.x(a0)
    lw      t1, widen.y(a0)
    lw      t2, widen.level(a0)
    lw      t3, widen.y_level(a0)
    lw      t4, widen.pairs(a0)
    lw      t5, widen.odd(a0)
    xstream 0, t0, t2
    xstream 1, t0, t2
    xstream 2, t1, t3
    xrpt    t4, 2                   // both streams are of x
    s2widenl out, in0
    s2widenh out, in1
    xrpt    t5, 1
    s2widenl out, in0
    ret
    end     widen

    // y = x as f16
    codelet narrow
    lw      t0, narrow.x(a0)
    lw      t1, narrow.y(a0)
    lw      t2, narrow.x_level(a0)
    lw      t3, narrow.level(a0)
    lw      t4, narrow.pairs(a0)
    lw      t5, narrow.odd(a0)
    xstream 0, t0, t2
    xstream 2, t1, t3
    xrpt    t4, 2
    xvor    f0, in0, in0
    h4narrow out, f0, in0
    xrpt    t5, 1
    h4narrow out, in0, f0
    ret
    end     narrow

    // y = the value, which is f32 in the vertex
    .macro  fill name, splat, narrow:vararg
    codelet \name
    lw      t0, \name\().y(a0)
    lw      t1, \name\().level(a0)
    lhu     t2, \name\().level(a0)
    flw     f0, \name\().value(a0)
    xstream 2, t0, t1
    \narrow
    \splat  f0, f0
    xrpt    t2, 1
    xvor    out, f0, f0
    ret
    end     \name
    .endm

    fill    fill_f16, h4splat, h4narrow f0, f0, f0
    fill    fill_f32, s2splat
