// Start-up, on the supervisor: gives every worker its stack, then enters the program.
// The supervisor itself is assembly without a stack.

#include "openipu/isa.h"
#include "openipu/program.h"

    .altmacro                       // so that %count is the symbol's value
    .macro  set_up worker
    addi    a1, a1, STACK_BYTES     // the top of this worker's stack
    xstart  \worker, a0, a1
    .endm

    .section .text.start, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    la      s1, worker_main         // stays there: where workers start
    la      a0, worker_setup
    la      a1, __stacks
    .set    worker, 0
    .rept   SLOTS
    set_up  %worker
    .set    worker, worker + 1
    .endr
    xwait
    la      s0, __program
    lw      t2, NODE_NEXT_OP(s0)
    lw      s0, NODE_NEXT(s0)
    jr      t2
    .size _start, . - _start

// Registers of a worker keep their values from one start to the next.
    .type worker_setup, @function
worker_setup:
    mv      sp, a0
    fscsr   zero
    xend
    .size worker_setup, . - worker_setup
