.globl _start
_start:
    .word 0x0000000b        // xend
