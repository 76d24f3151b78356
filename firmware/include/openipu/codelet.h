// For codelets in assembly. A codelet gets its vertex in a0, may change all registers but sp,
// s0 and s1, and returns with ret. `lw t0, NAME.FIELD(a0)` loads a field of a NAME_vertex.

#pragma once

#include "openipu/isa.h"
#include "openipu/vertices.h"

    // The code of a codelet follows, up to `end`.
    .macro codelet name
    .section .text.\name, "ax", @progbits
    .globl \name
    .type \name, @function
    .p2align 2
\name:
    .endm

    .macro end name
    .size \name, . - \name
    .endm

    // A word into both halves of a pair of f registers, by way of t5.
    .macro both register, bits
    li      t5, \bits
    fmv.w.x \register, t5
    s2splat \register, \register
    .endm
