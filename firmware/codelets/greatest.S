// Where the greatest elements of each row are, by streams. A scan of a row's words has each lane keep
// its greatest in f0 and, as a number in f2, the word where that was first. NaNs are passed over.

#include "openipu/codelet.h"

    .macro  pair low, high, low_bits, high_bits
    li      t5, \low_bits
    fmv.w.x \low, t5
    li      t5, \high_bits
    fmv.w.x \high, t5
    .endm

    // Constants for a type of elements: -infinity, infinity, 1, a word's lanes, the lanes' numbers.
    .macro  constants_f32
    both    f8, 0xff800000
    both    f10, 0x3f800000
    both    f12, 0x80000000
    both    f14, 0x7f800000
    both    f16, 0x40000000
    both    f18, 0
    pair    f20, f21, 0, 0x3f800000
    .endm

    .macro  constants_f16
    both    f8, 0xfc00fc00
    both    f10, 0x3c003c00
    both    f12, 0x80000000
    both    f14, 0x7c007c00
    both    f16, 0x40800000
    both    f18, 0
    pair    f20, f21, 0, 0x3f800000
    pair    f22, f23, 0x40000000, 0x40400000
    .endm

    // Both streams give the t3 words of a row. `none` is f2 where a lane has nothing above -infinity.
    .macro  scan lt, max, add, none
    xvor    f0, f8, f8
    xvor    f2, \none, \none
    xvor    f4, f18, f18            // the number of the word
    xrpt    t3, 4
    \lt     f6, f0, in0
    xvsel   f2, f6, f4, f2
    \max    f0, f0, in1
    \add    f4, f4, f10
    .endm

    // t4 = the least of the numbers in f2, found as the greatest of the negated; infinity gives one
    // below 0.
    .macro  least
    xvxor   f2, f2, f12
    s2greatest f2, f2
    fcvt.w.s t4, f2
    neg     t4, t4
    .endm

    // t4 = where the greatest of a row is.
    .macro  place_f32 none
    scan    s2lt, s2max, s2add, \none
    s2greatest f4, f0
    s2splat f4, f4
    s2eq    f4, f0, f4
    xvsel   f2, f4, f2, f14
    s2madd  f2, f2, f16, f20
    least
    .endm

    .macro  place_f16 none
    scan    h4lt, h4max, h4add, \none
    h4greatest f4, f0
    h4splat f4, f4
    h4eq    f4, f0, f4
    xvsel   f2, f4, f2, f14
    s2widenl f4, f2
    s2widenh f6, f2
    s2madd  f4, f4, f16, f20
    s2madd  f6, f6, f16, f22
    s2min   f2, f4, f6
    least
    .endm

    .macro  arg_max short
    codelet arg_max_\short
    lw      t0, arg_max_\short\().x(a0)
    lw      t1, arg_max_\short\().y(a0)
    lw      t2, arg_max_\short\().level(a0)
    lw      t3, arg_max_\short\().words(a0)
    lw      a1, arg_max_\short\().rows(a0)
    xstream 0, t0, t2
    xstream 1, t0, t2
    constants_\short
    beqz    a1, 2f
1:  place_\short f18
    sw      t4, 0(t1)
    addi    t1, t1, 4
    addi    a1, a1, -1
    bnez    a1, 1b
2:  ret
    end     arg_max_\short
    .endm

    arg_max f32
    arg_max f16

    // A row is copied to `keys`, negated if the least are wanted, where it is scanned k times. What
    // was found becomes a NaN there. When a scan finds nothing, -infinities and NaNs are left: they
    // become 1 and 0, and the scans go on.
    .macro  top_k short, load, store, bytes, shift, least, one
    codelet top_k_words_\short
    lw      a1, top_k_words_\short\().rows(a0)
    beqz    a1, 10f
    lw      t0, top_k_words_\short\().x(a0)
    lw      t1, top_k_words_\short\().y(a0)
    lw      a2, top_k_words_\short\().index(a0)
    lw      a3, top_k_words_\short\().keys(a0)
    lw      t2, top_k_words_\short\().level(a0)
    lw      t3, top_k_words_\short\().words(a0)
    lw      a4, top_k_words_\short\().row_bytes(a0)
    lw      a5, top_k_words_\short\().k(a0)
    lw      a6, top_k_words_\short\().flip(a0)
    constants_\short
    li      a7, 0x7fff7fff          // a NaN, and two of f16
    slli    t4, t3, 3
    add     t4, t4, a3
    sw      a7, -8(t4)              // what the row leaves of its last word stays so
    sw      a7, -4(t4)
    add     s2, a3, a4              // where the keys end
    addi    s3, s2, -3 * \bytes     // from here on there are fewer than four
1:  mv      t4, a3
    bgeu    t4, s3, 3f
2:  \load   t5, 0(t0)
    \load   t6, \bytes(t0)
    \load   s4, 2 * \bytes(t0)
    \load   s5, 3 * \bytes(t0)
    xor     t5, t5, a6
    xor     t6, t6, a6
    xor     s4, s4, a6
    xor     s5, s5, a6
    \store  t5, 0(t4)
    \store  t6, \bytes(t4)
    \store  s4, 2 * \bytes(t4)
    \store  s5, 3 * \bytes(t4)
    addi    t0, t0, 4 * \bytes
    addi    t4, t4, 4 * \bytes
    bltu    t4, s3, 2b
3:  beq     t4, s2, 4f
    \load   t5, 0(t0)
    xor     t5, t5, a6
    \store  t5, 0(t4)
    addi    t0, t0, \bytes
    addi    t4, t4, \bytes
    j       3b
4:  sub     s4, t0, a4              // x's row
    mv      s5, a5
5:  xstream 0, a3, t2
    xstream 1, a3, t2
    place_\short f14
    bltz    t4, 6f
    sw      t4, 0(a2)
    slli    t4, t4, \shift
    add     t5, t4, s4
    add     t4, t4, a3
    \load   t5, 0(t5)
    \store  a7, 0(t4)
    \store  t5, 0(t1)
    addi    a2, a2, 4
    addi    t1, t1, \bytes
    addi    s5, s5, -1
    bnez    s5, 5b
    addi    a1, a1, -1
    bnez    a1, 1b
    ret
6:  li      s6, \least
    slli    s7, s6, 33 - 8 * \bytes // infinity, at the top of the register
    mv      t4, a3
    mv      t5, s4
7:  \load   t6, 0(t4)
    li      s8, \one
    beq     t6, s6, 8f
    \load   t6, 0(t5)
    slli    t6, t6, 33 - 8 * \bytes
    bgeu    s7, t6, 9f
    li      s8, 0
8:  \store  s8, 0(t4)
9:  addi    t4, t4, \bytes
    addi    t5, t5, \bytes
    bne     t4, s2, 7b
    j       5b
10: ret
    end     top_k_words_\short
    .endm

    top_k   f32, lw, sw, 4, 2, 0xff800000, 0x3f800000
    top_k   f16, lhu, sh, 2, 1, 0xfc00, 0x3c00
