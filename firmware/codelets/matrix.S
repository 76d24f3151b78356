// Products of matrices by the matrix unit: y = bias + x . w, for rows of x that lie anywhere in
// memory, as a matrix product has them, or a convolution.
//
// All workers run one vertex together. Outputs are computed AMP_OUTPUTS at a time, a *block*; for
// each block, the inputs of a row are taken in *segments* of as much as there are weights for. For
// each segment of each block the workers share the loading of its weights, then each multiplies its
// rows with them: the sums so far come in by in1 (from bias, then from sums) and leave by out (to
// sums, then to y).
//
// .segments has for each worker, for each segment, SEGMENT words, and .rows for each worker ROWS
// words, in which it finds its *runs*: rows that follow each other at a distance, as one stream can
// read them. What a segment takes besides its steps is what keeps this from the matrix unit's peak,
// so all that can be is in tables and registers; also gp and tp, which have no other use here.

#include "openipu/codelet.h"

#if AMP_OUTPUTS

    // Words of a segment
    .equ    SEGMENT_OFFSET, 0       // of its first word in a row, in bytes
    .equ    SEGMENT_LEVELS, 4       // of the stream of a row: two, then the step to the next row
    .equ    SEGMENT_GROUPS, 16
    .equ    SEGMENT_STEPS, 20       // of the matrix unit, for a row
    .equ    SEGMENT_PAIRS, 24       // of words of weights, in bytes of even ones
    .equ    LOAD_LEVEL, 28          // of the stream of what this worker loads of them
    .equ    LOAD_OFFSET, 32         // of the first, in bytes
    .equ    LOAD_POINTER, 36        // where it goes to
    .equ    SEGMENT_BYTES, 40

    // Words for a worker
    .equ    ROWS_FIRST, 0
    .equ    ROWS_COUNT, 4
    .equ    ROWS_RUNS, 8            // where its runs are, in bytes from .rows
    .equ    ROWS_END, 12            // where they end
    .equ    ROWS_LOG, 4

    // Words of a run
    .equ    RUN_OFFSET, 0           // of its first row in x, in bytes
    .equ    RUN_ROWS, 4
    .equ    RUN_BYTES, 8

    .equ    SUMS, AMP_OUTPUTS / 2   // words that the sums of a row take
    .equ    SUMS_BYTES, AMP_OUTPUTS * 4
#if AMP_OUTPUTS == 4
    .equ    LOG_SUMS, 1
#elif AMP_OUTPUTS == 8
    .equ    LOG_SUMS, 2
#elif AMP_OUTPUTS == 16
    .equ    LOG_SUMS, 3
#else
    .equ    LOG_SUMS, 4
#endif

    // Multiply the rows of all runs; x is the address of the segment in the row at offset 0.
    .macro  multiply op
    mv      t0, s6
1:  lw      t1, RUN_OFFSET(t0)
    lw      t2, RUN_ROWS(t0)
    addi    t0, t0, RUN_BYTES
    add     t1, t1, a5
    xstream 0, t1, a6
    or      t1, t2, t4              // level 2: the rows
    xlevels 0, a7, t1
    mul     t2, t2, t5
    xrpt    t2, 1
    \op     out, in0, in1
    bne     t0, s7, 1b
    .endm

    // `first` multiplies into sums, `last` into y, of which a row of a block has `words` words;
    // `out` takes what is left of the last row.
    .macro  matrix name, first, last, out, words
    codelet \name
    csrr    t0, mhartid
    lw      t1, \name\().rows(a0)
    andi    t0, t0, 15              // the worker
    slli    t2, t0, ROWS_LOG
    add     t2, t2, t1
    lw      t3, ROWS_FIRST(t2)
    lw      t4, ROWS_COUNT(t2)
    lw      s6, ROWS_RUNS(t2)
    lw      s7, ROWS_END(t2)
    add     s6, s6, t1
    add     s7, s7, t1
    lw      s2, \name\().segments(a0)
    lw      t1, \name\().segments_bytes(a0)
    mul     t0, t0, t1
    add     s2, s2, t0
    add     s4, s2, t1
    lw      a1, \name\().even(a0)
    lw      a2, \name\().odd(a0)
    sub     a2, a2, a1              // the way from even to odd
    lw      s8, \name\().bias(a0)
    lw      s9, \name\().y(a0)
    lw      t1, \name\().y_step(a0)
    mul     t1, t1, t3
    add     s9, s9, t1              // this worker's first row of the block
    lw      s10, \name\().sums(a0)
    slli    t1, t3, LOG_SUMS + 3
    add     s10, s10, t1
    lw      s11, \name\().y_level(a0)
    or      s11, s11, t4            // level 1 of y: the rows
    lw      a3, \name\().blocks(a0)
    lw      a0, \name\().x(a0)
    li      tp, SUMS
    li      s5, 1 << 16 | SUMS      // level 0 of sums and bias
    lui     a4, 0x10
    or      a4, a4, t4              // level 1 of sums: row after row
    // The matrix unit takes the sums of one row more than there are: of the first once more.
    slli    gp, t4, LOG_SUMS
    neg     gp, gp
    addi    gp, gp, 1
    slli    gp, gp, 16
    ori     gp, gp, 2               // level 2 of sums: back, after the last

2:  mv      s3, s2
    mv      t6, s8                  // where the sums so far are
3:  lw      t0, LOAD_LEVEL(s3)
    lw      t1, LOAD_OFFSET(s3)
    lw      t2, LOAD_POINTER(s3)
    lw      t3, SEGMENT_GROUPS(s3)
    lw      t4, SEGMENT_PAIRS(s3)
    lhu     t5, LOAD_LEVEL(s3)
    add     t1, t1, a1
    add     a1, a1, t4
    add     t4, t1, a2
    xmeet                           // nobody needs the weights before
    xampset t3, t2
    xstream 0, t1, t0
    xstream 1, t4, t0
    xrpt    t5, 1
    xampload in0, in1
    lw      t0, SEGMENT_OFFSET(s3)
    lw      a6, SEGMENT_LEVELS(s3)
    lw      a7, SEGMENT_LEVELS + 4(s3)
    lw      t4, SEGMENT_LEVELS + 8(s3)
    lw      t5, SEGMENT_STEPS(s3)
    add     a5, a0, t0
    addi    s3, s3, SEGMENT_BYTES
    xmeet                           // all weights are there
    beq     s6, s7, 7f
    xstream 1, t6, s5
    bne     t6, s8, 5f
    li      t1, (-SUMS << 16) + 1
    add     t1, t1, a4
    xlevels 1, t1, zero             // bias is the same for all rows
    xrpt    tp, 1
    xampin  in1
    mv      t6, s10                 // where the sums so far will be
    beq     s3, s4, 8f
    // Into sums
4:  xstream 2, s10, s5
    xlevels 2, a4, zero
    multiply \first
    xrpt    tp, 1
    xampout out
    j       3b
5:  xlevels 1, a4, gp
    xrpt    tp, 1
    xampin  in1
    bne     s3, s4, 4b
    j       8f
7:  bne     s3, s4, 3b
    j       9f
    // Into y
8:  li      t1, 1 << 16 | \words
    xstream 2, s9, t1
    xlevels 2, s11, zero
    multiply \last
    li      t1, \words
    xrpt    t1, 1
    \out    out
9:  addi    s8, s8, SUMS_BYTES
    addi    s9, s9, \words * 8
    addi    a3, a3, -1
    bnez    a3, 2b
    ret
    end     \name
    .endm

    matrix  matrix_f16, xamphp, xamphpn, xampoutn, AMP_OUTPUTS / 4
    matrix  matrix_f16_f32, xamphp, xamphp, xampout, SUMS
    matrix  matrix_f32, xampsp, xampsp, xampout, SUMS

#endif
