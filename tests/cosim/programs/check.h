// Frame of the self-checking programs: numbered checks, a result in tohost, a signature.
// Public suites look like this: a failed check's number is reported as number * 2 + 1.

#define CHECK(number, register, expected) \
    li gp, number;                        \
    li t6, expected;                      \
    bne register, t6, fail

#define FINISH                  \
    li gp, 0;                   \
    j done;                     \
    fail : done : slli gp, gp, 1; \
    ori gp, gp, 1;              \
    1 : la t6, tohost;          \
    sw gp, 0(t6);               \
    sw zero, 4(t6);             \
    j 1b;                       \
    .pushsection .tohost, "aw"; \
    .align 6;                   \
    .globl tohost;              \
    tohost : .dword 0;          \
    .popsection

#define SIGNATURE(words)         \
    .pushsection .data;          \
    .align 4;                    \
    .globl begin_signature;      \
    begin_signature : .fill words, 4, 0xdeadbeef; \
    .globl end_signature;        \
    end_signature : .popsection
