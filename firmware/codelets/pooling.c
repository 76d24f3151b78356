/* pooling.S for a tile without SIMD. */
#include "openipu/vertices.h"

static inline uint32_t count_of(uint32_t level) { return level & 0xffff; }
static inline int32_t step_of(uint32_t level) { return (int32_t)level >> 16; }

#define POOL(NAME, FIRST, NEXT, LAST)                                               \
    void NAME(const struct NAME##_vertex *v)                                        \
    {                                                                               \
        const uint32_t *end = v->runs + v->runs_length;                             \
        const uint32_t channels = 2 * v->words;                                     \
        for (const uint32_t *run = v->runs; run != end; run += 8) {                 \
            const float factor = __builtin_bit_cast(float, run[7]);                 \
            (void)factor;                                                           \
            for (uint32_t c = 0; c < channels; c++) {                               \
                const float *in = v->x + run[0] / 4 + c;                            \
                float *out = v->y + run[6] / 4 + c;                                 \
                for (uint32_t pixel = run[5]; pixel; pixel--, out += channels) {    \
                    float x = *in, total = (FIRST);                                 \
                    uint32_t column = count_of(run[1]);                              \
                    for (uint32_t left = run[4]; left; left--) {                    \
                        if (--column)                                               \
                            in += 2 * step_of(run[1]);                              \
                        else {                                                      \
                            column = count_of(run[1]);                              \
                            in += 2 * step_of(run[2]);                              \
                        }                                                           \
                        x = *in;                                                    \
                        total = (NEXT);                                             \
                    }                                                               \
                    in += 2 * step_of(run[3]);                                      \
                    *out = (LAST);                                                  \
                }                                                                   \
            }                                                                       \
        }                                                                           \
    }

POOL(pool_max_plain, __builtin_fmaxf(x, x), __builtin_fmaxf(total, x), total)
POOL(pool_mean_plain, x, total + x, total * factor)
