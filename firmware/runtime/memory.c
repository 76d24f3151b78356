// What the compiler takes for granted, for codelets whose C code makes it use them.

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t bytes) {
    char *t = to;
    const char *f = from;
    for (size_t i = 0; i < bytes; i++)
        t[i] = f[i];
    return to;
}

void *memset(void *to, int value, size_t bytes) {
    char *t = to;
    for (size_t i = 0; i < bytes; i++)
        t[i] = (char)value;
    return to;
}
