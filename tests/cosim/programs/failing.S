#include "check.h"
.globl _start
_start:
    li a0, 1
    CHECK(1, a0, 1)
    CHECK(23, a0, 2)
    FINISH
