// A worker runs a job: a vertex, whose codelet's address is in the word before it. A list of
// vertices is a job too, with run_list as its codelet: the vertices' addresses, then 0.

#include "openipu/isa.h"

    .section .text.worker, "ax", @progbits
    .globl worker_main
    .type worker_main, @function
worker_main:
    lw      t0, -4(a0)
    jalr    t0
    xend
    .size worker_main, . - worker_main

    .globl run_list
    .type run_list, @function
run_list:
    mv      s0, a0
    mv      s1, ra
    lw      a0, 0(s0)
1:  lw      t0, -4(a0)
    addi    s0, s0, 4
    jalr    t0
    lw      a0, 0(s0)
    bnez    a0, 1b
    jr      s1
    .size run_list, . - run_list
