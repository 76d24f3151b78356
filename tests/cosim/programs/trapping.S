#include "check.h"
.globl _start
_start:
    li a0, 3
    .globl culprit
    .type culprit, @function
culprit:
    lw a1, 0(a0)
    FINISH
