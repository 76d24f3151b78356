// y (index_length, columns) = rows of the table; each row is whole words. A negative index counts
// from the end; a row that isn't there is zeros.

#include "openipu/codelet.h"

    .macro  gather name
    codelet \name
    lw      t0, \name\().table(a0)
    lw      t1, \name\().index(a0)
    lw      t2, \name\().index_length(a0)
    lw      t3, \name\().y(a0)
    lw      t4, \name\().rows(a0)
    lw      t5, \name\().row(a0)
    lhu     t6, \name\().row(a0)
    lw      a1, \name\().again(a0)
    beqz    t2, 5f
    xstream 2, t3, t5
    xlevels 2, a1, zero
    slli    a1, t6, 3               // bytes of a row
    slli    t2, t2, 2
    add     t2, t2, t1              // where the indices end
1:  lw      a2, 0(t1)
    addi    t1, t1, 4
    bgeu    a2, t4, 3f
2:  mul     a2, a2, a1
    add     a2, a2, t0
    xstream 0, a2, t5
    xrpt    t6, 1
    xvor    out, in0, in0
    bne     t1, t2, 1b
    ret
3:  bgez    a2, 4f
    add     a2, a2, t4
    bltu    a2, t4, 2b
4:  fmv.w.x f0, zero
    fmv.w.x f1, zero
    xrpt    t6, 1
    xvor    out, f0, f0
    bne     t1, t2, 1b
5:  ret
    end     \name
    .endm

    gather  gather_words_f16
    gather  gather_words_f32
    gather  gather_words_i32
