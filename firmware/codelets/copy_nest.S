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

    // All rows, each with the body of so many instructions a7 times, then t2 single elements.
    .macro  copy_rows body, length, load, store, bytes
1:  mv      s4, t5
2:  xrpt    a7, \length
    \body   \load, \store, \bytes
    xrpt    t2, 4
    copy_element \load, \store
    add     t0, t0, t6
    add     t1, t1, a1
    addi    s4, s4, -1
    bnez    s4, 2b
    add     t0, t0, a3
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
    addi    a5, t3, -\bytes
    addi    a6, t4, -\bytes
    srli    a7, t2, 2
    bnez    a6, 4f
    andi    t2, t2, 3
    beqz    a5, 5f
3:  copy_rows copy_gather, 13, \load, \store, \bytes
4:  beqz    a5, 6f
    li      a7, 0                   // neither is contiguous: all one by one
    j       3b
5:  copy_rows copy_run, 10, \load, \store, \bytes
6:  andi    t2, t2, 3
    copy_rows copy_scatter, 13, \load, \store, \bytes
    end     \name
    .endm

    copy_nest copy_nest_words, lw, sw, 4
    copy_nest copy_nest_halves, lhu, sh, 2
    copy_nest copy_nest_pairs, lw, sw, 4
