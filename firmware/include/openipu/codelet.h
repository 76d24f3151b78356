// For codelets in assembly. A codelet gets its vertex in a0 and may change t0-t6, a0-a7, ft0-ft11,
// fa0-fa7; it returns with ret. `lw t0, NAME.FIELD(a0)` loads a field of a NAME_vertex.

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
