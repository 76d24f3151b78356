// The supervisor walks the tile's program: a graph of nodes that the compiler wrote into memory.
//
// s0 points to a node, and to its handler the code below has been jumped to. A node names the
// handler and the address of the node after it, so that going on takes three instructions and loops
// and branches are only pointers. program.h has the offsets of what is in a node.
//
// Alone on the tile, the supervisor issues every fourth cycle: each instruction between a barrier's
// release and the workers' start counts. What can be loaded before the barrier therefore is.
//
// s1 is worker_main, from start-up on.

#include "openipu/isa.h"
#include "openipu/program.h"

    .section .text.supervisor, "ax", @progbits

    .macro  handler name
    .globl  \name
    .type   \name, @function
\name:
    .endm

    // Go on with the node after this one.
    .macro  next
    lw      t2, NODE_NEXT_OP(s0)
    lw      s0, NODE_NEXT(s0)
    jr      t2
    .endm

    // Handlers NAME_SLOTS to NAME_1: start so many workers, each on the job whose address is in the
    // word so far before the node. Workers in odd slots come first: every fourth of six cycles, the
    // supervisor issues in even ones as long as those are free.
    .altmacro                       // so that %count is the symbol's value
    .macro  start_handler name, count, worker
    handler \name\()_\count
    lw      a0, (-4 * \count)(s0)
    xstart  \worker, s1, a0
    .endm
    .macro  start_handlers name
    .set    count, SLOTS
    .rept   SLOTS
    .if     2 * count > SLOTS + 1
    .set    worker, 2 * count - 1 - SLOTS - SLOTS % 2
    .else
    .set    worker, 2 * count - 2
    .endif
    start_handler \name, %count, %worker
    .set    count, count - 1
    .endr
    .endm

// Run workers, and wait for them; nobody else takes notice.
    start_handlers op_run
    lw      t2, NODE_NEXT_OP(s0)
    lw      s0, NODE_NEXT(s0)
    xwait
    jr      t2

// Run workers, then meet the barrier, then exchange.
    start_handlers op_exchange
handler op_exchange_0
    lw      a0, NODE_SEND(s0)
    lw      a1, NODE_RECEIVE(s0)
    lw      t2, NODE_NEXT_OP(s0)
    lw      s0, NODE_NEXT(s0)
    xarm    a0, a1
    xwait
    xsync   ZONE_CHIP
    jr      t2

// Run workers, then meet the barrier; this tile has nothing to exchange.
    start_handlers op_sync
    lw      t2, NODE_NEXT_OP(s0)
    lw      s0, NODE_NEXT(s0)
    xwait
    xsync   ZONE_CHIP
    jr      t2

handler op_sync_0
    lw      t2, NODE_NEXT_OP(s0)
    lw      s0, NODE_NEXT(s0)
    xsync   ZONE_CHIP
    jr      t2

// Rest until the host lets the chip go on.
handler op_host
    xsync   ZONE_HOST
// Go on; also the end of a function, whose successor op_call has filled in.
handler op_next
    next

// Store a word: a loop's count.
handler op_set
    lw      a0, NODE_ADDRESS(s0)
    lw      a1, NODE_VALUE(s0)
    sw      a1, 0(a0)
    next

// The end of a counted loop: go to the next node unless this was the last time.
handler op_repeat
    lw      a0, NODE_COUNT(s0)
    addi    a0, a0, -1
    sw      a0, NODE_COUNT(s0)
    beqz    a0, other
    next

// Go to the next node if the word is not zero, otherwise to the other one.
handler op_if
    lw      a0, NODE_PREDICATE(s0)
    lw      a0, 0(a0)
    beqz    a0, other
    next

other:
    lw      t2, NODE_OTHER_OP(s0)
    lw      s0, NODE_OTHER(s0)
    jr      t2

// Go to a function, which ends by going to the other node.
handler op_call
    lw      a0, NODE_RETURN(s0)
    lw      a1, NODE_OTHER_OP(s0)
    lw      a2, NODE_OTHER(s0)
    sw      a1, NODE_NEXT_OP(a0)
    sw      a2, NODE_NEXT(a0)
    next

// End.
handler op_halt
    xend
