// Each channel's greatest element, or mean, in windows; the channels of a pixel lie together.
//
// A *run* is pixels of y next to each other whose windows are of one size, 8 words of `runs`: where
// its first window begins in x, levels 0 to 2 of the stream through its windows (columns, rows,
// pixels), how many elements a window has but one, pixels, where the run begins in y, and what means
// are multiplied by. The words of a pixel, of so many channels each, are done one after the other.

#include "openipu/codelet.h"

#define RUN_BYTES 32

    // Goes through the runs, from label 1 on; then a1 is where the windows begin, a2 to a4 are the
    // levels, a5 is elements but one, a6 pixels, t4 the place in y, t5 the level there, t6 words.
    .macro  begin name
    codelet \name
    lw      t0, \name\().x(a0)
    lw      t1, \name\().y(a0)
    lw      t2, \name\().runs(a0)
    lw      a7, \name\().runs_length(a0)
    lw      t3, \name\().words(a0)
    slli    a7, a7, 2
    add     a7, a7, t2
    beq     t2, a7, 9f
1:  lw      a1, 0(t2)
    lw      a2, 4(t2)
    lw      a3, 8(t2)
    lw      a4, 12(t2)
    lw      a5, 16(t2)
    lw      a6, 20(t2)
    lw      t4, 24(t2)
    flw     f10, 28(t2)
    add     a1, a1, t0
    add     t4, t4, t1
    slli    t5, t3, 16
    or      t5, t5, a6
    mv      t6, t3
    .endm

    // Opens the streams of the next word of the pixels.
    .macro  word
    xstream 0, a1, a2
    xlevels 0, a3, a4
    xstream 2, t4, t5
    addi    a1, a1, 8
    addi    t4, t4, 8
    addi    t6, t6, -1
    .endm

    .macro  finish name
8:  addi    t2, t2, RUN_BYTES
    bne     t2, a7, 1b
9:  ret
    end     \name
    .endm

    // The greatest of `count` elements, if windows have so many; the last one gives the result.
    .macro  greatest count, op
    li      a0, \count - 1
    bne     a5, a0, 7f
2:  word
    xrpt    a6, \count
    \op     f0, in0, in0            // a NaN gets canonical
    .rept   \count - 2
    \op     f0, f0, in0
    .endr
    \op     out, f0, in0
    bnez    t6, 2b
    j       8f
7:
    .endm

    .macro  pool_max name, op
    begin   \name
    greatest 4, \op
    greatest 9, \op
    greatest 6, \op
2:  word
    mv      a0, a6
3:  \op     f0, in0, in0
    addi    a0, a0, -1
    xrpt    a5, 1
    \op     f0, f0, in0
    xvor    out, f0, f0
    bnez    a0, 3b
    bnez    t6, 2b
    finish  \name
    .endm

    pool_max pool_max_f16, h4max
    pool_max pool_max_f32, s2max

    begin   pool_mean_f32
    s2splat f10, f10
2:  word
    mv      a0, a6
3:  xvor    f0, in0, in0
    addi    a0, a0, -1
    xrpt    a5, 1
    s2add   f0, f0, in0
    s2mul   out, f0, f10
    bnez    a0, 3b
    bnez    t6, 2b
    finish  pool_mean_f32

    begin   pool_mean_f16           // sums are f32; both streams are of x
    s2splat f10, f10
2:  xstream 1, a1, a2
    xlevels 1, a3, a4
    word
    mv      a0, a6
3:  s2widenl f0, in0
    s2widenh f2, in1
    addi    a0, a0, -1
    xrpt    a5, 4
    s2widenl f4, in0
    s2widenh f6, in1
    s2add   f0, f0, f4
    s2add   f2, f2, f6
    s2mul   f0, f0, f10
    s2mul   f2, f2, f10
    h4narrow out, f0, f2
    bnez    a0, 3b
    bnez    t6, 2b
    finish  pool_mean_f16
