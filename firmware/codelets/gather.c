/* y (index_length, columns) = rows of the table, element by element. A negative index counts from
 * the end; a row that isn't there is zeros. */
#include "openipu/vertices.h"

typedef uint32_t __attribute__((may_alias)) word;
typedef uint16_t __attribute__((may_alias)) half;

#define GATHER(NAME, TYPE)                                                  \
    void NAME(const struct NAME##_vertex *v)                                \
    {                                                                       \
        TYPE *restrict out = (TYPE *)v->y;                                  \
        const int32_t *index = v->index, *end = index + v->index_length;    \
        const uint32_t rows = v->rows, columns = v->columns;                \
        for (; index != end; index++) {                                     \
            uint32_t row = (uint32_t)*index;                                \
            row += row >> 31 ? rows : 0;                                    \
            const TYPE *restrict in = (const TYPE *)v->table + row * columns; \
            TYPE *end4 = out + (columns & ~3u), *row_end = out + columns;   \
            if (row >= rows) {                                              \
                while (out != row_end)                                      \
                    *out++ = 0;                                             \
                continue;                                                   \
            }                                                               \
            for (; out != end4; out += 4, in += 4) {                        \
                TYPE a = in[0], b = in[1], c = in[2], d = in[3];            \
                out[0] = a, out[1] = b, out[2] = c, out[3] = d;             \
            }                                                               \
            while (out != row_end)                                          \
                *out++ = *in++;                                             \
        }                                                                   \
    }

GATHER(gather_f16, half)
GATHER(gather_f32, word)
GATHER(gather_i32, word)
