#include "openipu/vertices.h"

void copy_words(const struct copy_words_vertex *v) {
    const uint32_t *from = v->source;
    uint32_t *to = v->destination;
    const uint32_t *end = from + v->source_length;
    for (const uint32_t *end4 = from + (v->source_length & ~3u); from != end4; from += 4, to += 4) {
        uint32_t a = from[0], b = from[1], c = from[2], d = from[3];
        to[0] = a, to[1] = b, to[2] = c, to[3] = d;
    }
    for (; from != end; from++, to++)
        *to = *from;
}
