// Elements from `source` to `destination` in three nested loops. Steps are in bytes: those of rows
// and planes from the end of one to the start of the next.

#include "openipu/codelet.h"

    // From t0 to t1, with steps t3 and t4: one element, or four where a side or both are contiguous.
    .macro  copy_element load, store
    \load   a5, 0(t0)
    add     t0, t0, t3
    \store  a5, 0(t1)
    add     t1, t1, t4
    .endm

    .macro  copy_run load, store, bytes
    \load   a5, 0(t0)
    \load   a6, \bytes(t0)
    \load   s2, 2 * \bytes(t0)
    \load   s3, 3 * \bytes(t0)
    addi    t0, t0, 4 * \bytes
    \store  a5, 0(t1)
    \store  a6, \bytes(t1)
    \store  s2, 2 * \bytes(t1)
    \store  s3, 3 * \bytes(t1)
    addi    t1, t1, 4 * \bytes
    .endm

    .macro  copy_gather load, store, bytes
    .irp    register, a5, a6, s2, s3
    \load   \register, 0(t0)
    add     t0, t0, t3
    .endr
    \store  a5, 0(t1)
    \store  a6, \bytes(t1)
    \store  s2, 2 * \bytes(t1)
    \store  s3, 3 * \bytes(t1)
    addi    t1, t1, 4 * \bytes
    .endm

    .macro  copy_scatter load, store, bytes
    \load   a5, 0(t0)
    \load   a6, \bytes(t0)
    \load   s2, 2 * \bytes(t0)
    \load   s3, 3 * \bytes(t0)
    addi    t0, t0, 4 * \bytes
    .irp    register, a5, a6, s2, s3
    \store  \register, 0(t1)
    add     t1, t1, t4
    .endr
    .endm

    // A row: the body of so many instructions a7 times, then t2 single elements; on to the next.
    .macro  copy_row body, length, load, store, bytes
    xrpt    a7, \length
    \body   \load, \store, \bytes
    xrpt    t2, 4
    copy_element \load, \store
    add     t0, t0, t6
    add     t1, t1, a1
    .endm

    // All rows with one body.
    .macro  copy_rows body, length, load, store, bytes
1:  mv      s4, t5
2:  copy_row \body, \length, \load, \store, \bytes
    addi    s4, s4, -1
    bnez    s4, 2b
    add     t0, t0, a3
    add     t1, t1, a4
    addi    a2, a2, -1
    bnez    a2, 1b
    ret
    .endm

    // Four elements that lie together, to the same place in each of four rows.
    .macro  copy_column load, store, bytes, place
    \load   a5, 0(t0)
    \load   a6, \bytes(t0)
    \load   s2, 2 * \bytes(t0)
    \load   s3, 3 * \bytes(t0)
    add     t0, t0, t3
    \store  a5, \place(t1)
    \store  a6, \place(s5)
    \store  s2, \place(s6)
    \store  s3, \place(s7)
    .endm

    .macro  copy_on bytes
    .irp    register, t1, s5, s6, s7
    addi    \register, \register, \bytes
    .endr
    .endm

    // All rows, four at a time, where each begins an element behind another in the source.
    .macro  copy_blocks load, store, bytes
    slli    s8, a7, 2
    add     s8, s8, t2              // how many elements a row has,
    mul     s8, s8, t4
    add     s8, s8, a1              // how far rows are apart in the destination,
    addi    s9, t6, 3 * \bytes      // and from behind a row in the source to the fourth after it
1:  addi    s4, t5, -4
    bltz    s4, 3f
2:  add     s5, t1, s8
    add     s6, s5, s8
    add     s7, s6, s8
    xrpt    a7, 40
    .irp    column, 0, 1, 2, 3
    copy_column \load, \store, \bytes, \column*\bytes
    .endr
    copy_on 4*\bytes
    xrpt    t2, 13
    copy_column \load, \store, \bytes, 0
    copy_on \bytes
    add     t0, t0, s9
    add     t1, s7, a1
    addi    s4, s4, -4
    bgez    s4, 2b
3:  addi    s4, s4, 4
    beqz    s4, 5f
4:  copy_row copy_gather, 13, \load, \store, \bytes
    addi    s4, s4, -1
    bnez    s4, 4b
5:  add     t0, t0, a3
    add     t1, t1, a4
    addi    a2, a2, -1
    bnez    a2, 1b
    ret
    .endm

    .macro  copy_nest name, load, store, bytes
    codelet \name
    lw      t0, \name\().source(a0)
    lw      t1, \name\().destination(a0)
    lw      t2, \name\().count(a0)
    lw      t3, \name\().source_step(a0)
    lw      t4, \name\().destination_step(a0)
    lw      t5, \name\().rows(a0)
    lw      t6, \name\().source_row(a0)
    lw      a1, \name\().destination_row(a0)
    lw      a2, \name\().planes(a0)
    lw      a3, \name\().source_plane(a0)
    lw      a4, \name\().destination_plane(a0)
    li      s4, \bytes
    mul     a5, t2, t3
    add     a5, a5, t6              // how far rows are apart in the source
    srli    a7, t2, 2
    bne     t4, s4, 4f
    andi    t2, t2, 3
    beq     t3, s4, 5f
    beq     a5, s4, 6f
3:  copy_rows copy_gather, 13, \load, \store, \bytes
4:  beq     t3, s4, 7f
    li      a7, 0                   // neither is contiguous: all one by one
    j       3b
5:  copy_rows copy_run, 10, \load, \store, \bytes
6:  copy_blocks \load, \store, \bytes
7:  andi    t2, t2, 3
    copy_rows copy_scatter, 13, \load, \store, \bytes
    end     \name
    .endm

    copy_nest copy_nest_words, lw, sw, 4
    copy_nest copy_nest_halves, lhu, sh, 2
    copy_nest copy_nest_pairs, lw, sw, 4
