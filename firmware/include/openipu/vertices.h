// Made by `python -m openipu.sw.compiler.headers`; change that, not this.

#pragma once

#include <stdint.h>

struct copy_words_vertex {
    const uint32_t *source;
    uint32_t source_length;
    uint32_t *destination;
    uint32_t destination_length;
};
void copy_words(const struct copy_words_vertex *v);
