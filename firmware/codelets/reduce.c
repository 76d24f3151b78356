/* Results of `count` elements each: result j takes x[j * step + k * stride] in ascending k. */
#include "openipu/vertices.h"

#define REDUCE(NAME, START, EXPRESSION)                                  \
    void NAME(const struct NAME##_vertex *v)                             \
    {                                                                    \
        const float *first = v->x;                                       \
        float *out = v->y;                                               \
        for (uint32_t j = v->y_length; j; j--, first += v->step) {       \
            const float *in = first;                                     \
            float total = (START);                                       \
            for (uint32_t k = v->count; k; k--, in += v->stride) {       \
                float x = *in;                                           \
                total = (EXPRESSION);                                    \
            }                                                            \
            *out++ = total;                                              \
        }                                                                \
    }

REDUCE(reduce_sum, 0.0f, total + x)
REDUCE(reduce_max, -__builtin_inff(), __builtin_fmaxf(total, x))
REDUCE(reduce_min, __builtin_inff(), __builtin_fminf(total, x))

/* The first k whose element is greater than -infinity and all before it; a NaN never is. Without a
 * branch on the elements, which is no slower and takes a time that doesn't depend on them. */
void arg_max(const struct arg_max_vertex *v)
{
    const float *first = v->x;
    int32_t *out = v->y;
    for (uint32_t j = v->y_length; j; j--, first += v->step) {
        const float *in = first;
        float best = -__builtin_inff();
        uint32_t at = 0;
        for (uint32_t k = 0; k < v->count; k++, in += v->stride) {
            uint32_t better = best < *in;
            __asm__("" : "+r"(better)); /* else the compiler makes a branch of it */
            at += (k - at) * better;
            best = __builtin_fmaxf(best, *in);
        }
        *out++ = (int32_t)at;
    }
}
