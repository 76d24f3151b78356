#include "openipu/vertices.h"

typedef uint32_t __attribute__((may_alias)) word;
typedef uint16_t __attribute__((may_alias)) half;

/* By words where source and destination lie alike in their words. */
void copy_halves(const struct copy_halves_vertex *v) {
    const half *from = (const half *)v->source, *end = from + v->source_length;
    half *to = (half *)v->destination;
    if ((((uintptr_t)from ^ (uintptr_t)to) & 2) == 0) {
        if (from != end && (uintptr_t)from & 2)
            *to++ = *from++;
        for (; end - from >= 4; from += 4, to += 4) {
            word a = ((const word *)from)[0], b = ((const word *)from)[1];
            ((word *)to)[0] = a, ((word *)to)[1] = b;
        }
    }
    for (; from != end; from++, to++)
        *to = *from;
}
