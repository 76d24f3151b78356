// Results of several elements each, by streams: sums, which are f32 until they are stored, and
// extremes.
//
// f10 is the word to start with, f6 a sum's factor, f8 the sign bits of a word.

#include "openipu/codelet.h"

    // Take a word into f0.
    .macro  take_sum_f16 word
    h4sum   f0, \word, f0
    .endm
    .macro  take_sum_f32 word
    s2add   f0, f0, \word
    .endm
    .macro  take_max_f16 word
    h4max   f0, f0, \word
    .endm
    .macro  take_max_f32 word
    s2max   f0, f0, \word
    .endm
    .macro  take_min_f16 word
    h4min   f0, f0, \word
    .endm
    .macro  take_min_f32 word
    s2min   f0, f0, \word
    .endm

    // What the words were taken into, as one element in f0.
    .macro  join_sum_f16
    fmul.s  f0, f0, f6
    .endm
    .macro  join_sum_f32
    s2sum   f0, f0, f10
    fmul.s  f0, f0, f6
    .endm
    .macro  join_max_f16
    h4greatest f0, f0
    .endm
    .macro  join_max_f32
    s2greatest f0, f0
    .endm
    .macro  join_min_f16            // the least is the greatest of the negated
    xvxor   f0, f0, f8
    h4greatest f0, f0
    xvxor   f0, f0, f8
    .endm
    .macro  join_min_f32
    xvxor   f0, f0, f8
    s2greatest f0, f0
    xvxor   f0, f0, f8
    .endm

    // What they need.
    .macro  prepare_sum name
    both    f10, 0
    flw     f6, \name\().factor(a0)
    .endm
    .macro  prepare_sums name
    prepare_sum \name
    s2splat f6, f6
    .endm
    .macro  prepare_max_f16 name
    both    f10, 0xfc00fc00
    .endm
    .macro  prepare_max_f32 name
    both    f10, 0xff800000
    .endm
    .macro  prepare_min_f16 name
    both    f10, 0x7c007c00
    both    f8, 0x80008000
    .endm
    .macro  prepare_min_f32 name
    both    f10, 0x7f800000
    both    f8, 0x80000000
    .endm

    .macro  store_sum_f16
    fcvt.h.s f0, f0
    fsh     f0, 0(t1)
    .endm
    .macro  store_f16
    fsh     f0, 0(t1)
    .endm
    .macro  store_f32
    fsw     f0, 0(t1)
    .endm

    // y[j] of row j of x, of whole words; or of one row, of whose last word not all counts.
    .macro  rows name, prepare, take, join, store, size
    codelet \name
    lw      t0, \name\().x(a0)
    lw      t1, \name\().y(a0)
    lw      t2, \name\().level(a0)
    lw      t3, \name\().words(a0)
    lw      t4, \name\().y_bytes(a0)
    lw      a1, \name\().mask(a0)
    \prepare \name
    xstream 0, t0, t2
    add     t4, t4, t1              // where y ends
    bnez    a1, 2f
    beq     t1, t4, 3f
1:  xvor    f0, f10, f10
    xrpt    t3, 1
    \take   in0
    \join
    \store
    addi    t1, t1, \size
    bne     t1, t4, 1b
    ret
2:  xvor    f0, f10, f10
    xrpt    t3, 1
    \take   in0
    flw     f2, \name\().mask(a0)
    flw     f3, \name\().mask_high(a0)
    xvsel   f2, f2, in0, f10
    \take   f2
    \join
    \store
3:  ret
    end     \name
    .endm

    rows    sum_rows_f16, prepare_sum, take_sum_f16, join_sum_f16, store_sum_f16, 2
    rows    sum_rows_f16_f32, prepare_sum, take_sum_f16, join_sum_f16, store_f32, 4
    rows    sum_rows_f32, prepare_sum, take_sum_f32, join_sum_f32, store_f32, 4
    rows    sum_rows_f32_f16, prepare_sum, take_sum_f32, join_sum_f32, store_sum_f16, 2
    rows    max_rows_f16, prepare_max_f16, take_max_f16, join_max_f16, store_f16, 2
    rows    max_rows_f32, prepare_max_f32, take_max_f32, join_max_f32, store_f32, 4
    rows    min_rows_f16, prepare_min_f16, take_min_f16, join_min_f16, store_f16, 2
    rows    min_rows_f32, prepare_min_f32, take_min_f32, join_min_f32, store_f32, 4

    // y of the columns of x, a word of columns after another; .next leads to the top of the next.
    .macro  begin_columns name, prepare
    codelet \name
    lw      t0, \name\().x(a0)
    lw      t1, \name\().y(a0)
    lw      t2, \name\().level(a0)
    lw      t3, \name\().next(a0)
    lw      t4, \name\().y_level(a0)
    \prepare \name
    xstream 0, t0, t2
    xlevels 0, t3, zero
    xstream 2, t1, t4
    lw      t4, \name\().words(a0)
    lw      t5, \name\().count(a0)
    beqz    t4, 2f
    .endm
    .macro  end_columns name
    addi    t4, t4, -1
    bnez    t4, 1b
2:  ret
    end     \name
    .endm

    .macro  columns name, prepare, take, last:vararg
    begin_columns \name, \prepare
1:  xvor    f0, f10, f10
    xrpt    t5, 1
    \take   in0
    \last
    end_columns \name
    .endm

    columns sum_columns_f32, prepare_sums, take_sum_f32, s2mul out, f0, f6
    columns max_columns_f16, prepare_max_f16, take_max_f16, xvor out, f0, f0
    columns max_columns_f32, prepare_max_f32, take_max_f32, xvor out, f0, f0
    columns min_columns_f16, prepare_min_f16, take_min_f16, xvor out, f0, f0
    columns min_columns_f32, prepare_min_f32, take_min_f32, xvor out, f0, f0

    .macro  half_columns name
    begin_columns \name, prepare_sums
    xstream 1, t0, t2
    xlevels 1, t3, zero
1:  xvor    f0, f10, f10
    xvor    f2, f10, f10
    xrpt    t5, 4                   // both streams are of x
    s2widenl f4, in0
    s2add   f0, f0, f4
    s2widenh f4, in1
    s2add   f2, f2, f4
    .endm

    half_columns sum_columns_f16
    s2mul   f0, f0, f6
    s2mul   f2, f2, f6
    h4narrow out, f0, f2
    end_columns sum_columns_f16

    half_columns sum_columns_f16_f32
    s2mul   out, f0, f6
    s2mul   out, f2, f6
    end_columns sum_columns_f16_f32

#if AMP_OUTPUTS
    // y = the sum of x and of other, two words at a time, by the matrix unit with weights of 1.
    // All workers write the same weights, so they need not wait for each other.
    codelet sum_halves
    lw      t0, sum_halves.x(a0)
    lw      t1, sum_halves.other(a0)
    lw      t2, sum_halves.level(a0)
    lhu     t3, sum_halves.level(a0)
    lw      t4, sum_halves.y(a0)
    xstream 0, t0, t2
    xstream 1, t1, t2
    li      t5, 1
    xampset t5, zero
    both    f0, 0x3c003c00
    xampload f0, f0
    xrpt    t3, 1
    xamppair 0, in0, in1
    xampturn
    xampout f0
    fmv.w.x f2, zero
    s2sum   f0, f0, f2
    fsw     f0, 0(t4)
    ret
    end     sum_halves
#endif
