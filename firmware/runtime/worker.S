// A worker runs the vertices on its list: pairs of a codelet's address and a vertex's, then 0.

#include "openipu/isa.h"

    .section .text.worker, "ax", @progbits
    .globl worker_main
    .type worker_main, @function
worker_main:
    mv      s0, a0
    lw      t0, 0(s0)
1:  lw      a0, 4(s0)
    addi    s0, s0, 8
    jalr    t0
    lw      t0, 0(s0)
    bnez    t0, 1b
    xend
    .size worker_main, . - worker_main
