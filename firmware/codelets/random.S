// Random numbers. A vertex seeds the thread's generator with its state; the first two numbers are the
// state that it has the next time.

#include "openipu/codelet.h"

    // Then f2 is a mask of significands, f4 ones, t3 how many words the output stream takes.
    .macro  begin name, mask, one
    codelet \name
    lw      t0, \name\().state(a0)
    lw      t1, \name\().y(a0)
    lw      t2, \name\().level(a0)
    lhu     t3, \name\().level(a0)
    lw      a1, 0(t0)
    lw      a2, 4(t0)
    lw      a3, 8(t0)
    lw      a4, 12(t0)
    xseed   0, a1, a2
    xseed   1, a3, a4
    xrand   f0
    fsw     f0, 0(t0)
    fsw     f1, 4(t0)
    xrand   f0
    fsw     f0, 8(t0)
    fsw     f1, 12(t0)
    xstream 2, t1, t2
    both    f2, \mask
    both    f4, \one
    .endm

#define F32 0x007fffff, 0x3f800000
#define F16 0x03ff03ff, 0x3c003c00

    .macro  from_one_to_two vd
    xrand   \vd
    xvsel   \vd, f2, \vd, f4
    .endm

    begin   uniform_f32, F32
    xrpt    t3, 3
    from_one_to_two f0
    s2sub   out, f0, f4
    ret
    end     uniform_f32

    begin   uniform_f16, F16
    xrpt    t3, 3
    from_one_to_two f0
    h4sub   out, f0, f4
    ret
    end     uniform_f16

    // 1 with a probability, else 0
    begin   bernoulli_f32, F32
    flw     f6, bernoulli_f32.probability(a0)
    fadd.s  f6, f6, f4
    s2splat f6, f6
    xrpt    t3, 4
    from_one_to_two f0
    s2lt    f0, f0, f6
    xvand   out, f0, f4
    ret
    end     bernoulli_f32

    begin   bernoulli_f16, F32
    flw     f6, bernoulli_f16.probability(a0)
    fadd.s  f6, f6, f4
    s2splat f6, f6
    xrpt    t3, 9
    from_one_to_two f0
    s2lt    f0, f0, f6
    xvand   f0, f0, f4
    from_one_to_two f8
    s2lt    f8, f8, f6
    xvand   f8, f8, f4
    h4narrow out, f0, f8
    ret
    end     bernoulli_f16

    .macro  sum_of_12 vd
    from_one_to_two \vd
    .rept   11
    from_one_to_two f0
    s2add   \vd, \vd, f0
    .endr
    .endm

    // The sum of 12 numbers in [0, 1), less 6
    begin   normal_f32, F32
    both    f6, 0x41900000          // 18.0
    xrpt    t3, 36
    sum_of_12 f8
    s2sub   out, f8, f6
    ret
    end     normal_f32

    begin   normal_f16, F32
    both    f6, 0x41900000
    beqz    t3, 2f
1:  sum_of_12 f8
    sum_of_12 f10
    addi    t3, t3, -1
    s2sub   f8, f8, f6
    s2sub   f10, f10, f6
    h4narrow out, f8, f10
    bnez    t3, 1b
2:  ret
    end     normal_f16
