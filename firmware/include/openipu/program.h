// Made by `python -m openipu.sw.compiler.headers`; change that, not this.

#pragma once

#define NODE_NEXT_OP 0
#define NODE_NEXT 4
#define NODE_SEND 8
#define NODE_RECEIVE 12
#define NODE_ADDRESS 8
#define NODE_VALUE 12
#define NODE_OTHER_OP 8
#define NODE_OTHER 12
#define NODE_COUNT 16
#define NODE_PREDICATE 16
#define NODE_RETURN 16
