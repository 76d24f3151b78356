/* The k greatest of each row, the greatest first; of equal ones, the first. */
#include "openipu/vertices.h"

typedef int32_t __attribute__((may_alias)) word;
typedef int16_t __attribute__((may_alias)) half;

#define LEAST (-0x7fffffff - 1)

/* `keys` holds the greatest so far as whole numbers in their order, and `index` where they are.
 * As keys, zeros are equal and NaNs, whose magnitude is above INFINITY, less than all else. */
#define TOP_K(NAME, TYPE, MAGNITUDE, INFINITY)                                       \
    void NAME(const struct NAME##_vertex *v)                                         \
    {                                                                                \
        const TYPE *in = (const TYPE *)v->x;                                         \
        TYPE *out = (TYPE *)v->y;                                                    \
        int32_t *index = v->index, *keys = v->keys;                                  \
        const uint32_t columns = v->columns, k = v->k;                               \
        const int32_t flip = v->smallest ? -1 : 0;                                   \
        for (const TYPE *end = in + v->x_length; in != end; in += columns) {         \
            uint32_t count = 0;                                                      \
            int32_t limit = LEAST; /* of `keys`, when there are k */                 \
            for (uint32_t j = 0; j < columns; j++) {                                 \
                int32_t magnitude = in[j] & MAGNITUDE, sign = (in[j] >> 31) ^ flip;  \
                int32_t key = magnitude > INFINITY ? LEAST : (magnitude ^ sign) - sign; \
                if (key <= limit && count == k)                                      \
                    continue;                                                        \
                count += count != k;                                                 \
                uint32_t place = count - 1;                                          \
                for (; place && keys[place - 1] < key; place--) {                    \
                    keys[place] = keys[place - 1];                                   \
                    index[place] = index[place - 1];                                 \
                }                                                                    \
                keys[place] = key;                                                   \
                index[place] = (int32_t)j;                                           \
                limit = keys[count - 1];                                             \
            }                                                                        \
            for (uint32_t i = 0; i < k; i++)                                         \
                *out++ = in[index[i]];                                               \
            index += k;                                                              \
        }                                                                            \
    }

TOP_K(top_k_f32, word, 0x7fffffff, 0x7f800000)
TOP_K(top_k_f16, half, 0x7fff, 0x7c00)
