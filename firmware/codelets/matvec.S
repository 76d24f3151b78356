// Product of a matrix and a vector by the matrix unit: y = bias + w . x, two words of w a cycle.
//
// The vector is what the matrix unit has as weights, and the matrix streams through: xamppair takes
// a word of an even row and one of an odd row. A row is cut into parts, each with two outputs of the
// matrix unit for itself, so that there is room for a long vector; the parts' sums are added
// afterwards. What outputs that leaves get the same again, for the next rows. What is done with all
// outputs at once is a *block*.
//
// All workers run one vertex together; .work has WORK words for each.

#include "openipu/codelet.h"

#if AMP_OUTPUTS

    .equ    PAIRS, AMP_OUTPUTS / 2

    // Words for a worker
    .equ    WORK_X, 0               // offset of the first word of x that it loads, in bytes
    .equ    WORK_LEVEL, 4           // of the stream of those: groups
    .equ    WORK_LOADS, 8
    .equ    WORK_POINTER, 12        // where they go to
    .equ    WORK_ROWS, 16           // offset of its first block in even and odd rows, in bytes
    .equ    WORK_BLOCKS, 20
    .equ    WORK_SUMS, 24           // offset of its first sums, in bytes
    .equ    WORK_WORDS, 28          // how many words of sums it makes
    .equ    WORK_LOG, 5

    .altmacro

    .macro  pair_of number
    xamppair \number, in0, in1
    .endm
    .macro  take number
    xampout f\number
    .endm
    .macro  add_to a, b
    s2add   f\a, f\a, f\b
    .endm
    .macro  add_out a, b
    s2add   out, f\a, f\b
    .endm

    // Add to each sum the one `step` parts further.
    .macro  add_parts operation, step
    .set    number, 0
    .rept   PAIRS / (2 * \step)
    \operation %number, %(number + 2 * \step)
    .set    number, number + 4 * \step
    .endr
    .endm

    // Multiply t2 blocks of rows in `parts` parts, with groups in t0; changes the f registers.
    .irp    parts, 1, 2, 4, 8, 16
    .if     \parts <= PAIRS
    .section .text.matvec_\parts, "ax", @progbits
matvec_\parts:
    .set    number, 0
    .rept   PAIRS
    xrpt    t0, 1
    pair_of %number
    .set    number, number + 2
    .endr
    xampturn
    .set    number, 0
    .rept   PAIRS
    .if     \parts == 1
    xampout out
    .else
    take    %number
    .endif
    .set    number, number + 2
    .endr
    .irp    step, 1, 2, 4, 8
    .if     2 * \step < \parts
    add_parts add_to, \step
    .elseif 2 * \step == \parts
    add_parts add_out, \step
    .endif
    .endr
    addi    t2, t2, -1
    bnez    t2, matvec_\parts
    ret
    .endif
    .endr

    // y has two elements a word of sums, or is half as long.
    .macro  matvec name, log
    codelet \name
    mv      s2, ra
    csrr    t0, mhartid
    lw      t1, \name\().work(a0)
    andi    t0, t0, 15              // the worker
    slli    t0, t0, WORK_LOG
    add     a1, t1, t0
    lw      t1, WORK_X(a1)
    lw      t2, \name\().x(a0)
    lw      t3, \name\().parts_level(a0)
    lw      t4, \name\().again_level(a0)
    lw      t5, WORK_LEVEL(a1)
    lw      t0, \name\().groups(a0)
    lw      t6, WORK_POINTER(a1)
    lw      a2, WORK_LOADS(a1)
    add     t1, t1, t2
    xmeet                           // nobody needs the weights before
    xampset t0, t6
    xstream 0, t1, t3
    xlevels 0, t4, t5
    xrpt    a2, 1
    xampload in0, in0
    lw      t1, WORK_ROWS(a1)
    lw      t2, WORK_BLOCKS(a1)
    lw      t3, \name\().even(a0)
    lw      t4, \name\().odd(a0)
    lw      t5, \name\().block_level(a0)
    lw      a2, \name\().parts(a0)
    lw      a5, \name\().sums(a0)
    lw      a6, WORK_SUMS(a1)
    lw      a7, WORK_WORDS(a1)
    add     t3, t3, t1
    add     t4, t4, t1
    lui     a3, 0x10
    or      a4, a3, t2              // level 1 of rows: block after block
    or      a3, a3, a7              // level 0 of sums
    add     a5, a5, a6
    xmeet                           // all weights are there
    beqz    t2, 9f
    xstream 0, t3, t5
    xlevels 0, a4, zero
    xstream 1, t4, t5
    xlevels 1, a4, zero
    xstream 2, a5, a3
    .irp    count, 1, 2, 4, 8, 16
    .if     \count <= PAIRS
    li      t1, \count
    bne     a2, t1, 8f
    jal     matvec_\count
8:
    .endif
    .endr
    lw      t1, \name\().bias(a0)
    lw      t2, \name\().y(a0)
    add     t1, t1, a6
    srli    a6, a6, \log
    add     t2, t2, a6
    xstream 0, a5, a3
    xstream 1, t1, a3
    xstream 2, t2, a3
    srli    a7, a7, \log
    .if     \log
    xrpt    a7, 3
    s2add   f0, in0, in1
    s2add   f2, in0, in1
    h4narrow out, f0, f2
    .else
    xrpt    a7, 1
    s2add   out, in0, in1
    .endif
9:  jr      s2
    end     \name
    .endm

    matvec  matvec_f16, 1
    matvec  matvec_f16_f32, 0

#endif
