/* y (columns, rows) = x (rows, columns) transposed, x's rows lying `step` elements apart. By blocks of
 * 4 x 4, so that an element takes little more than its load and its store. */
#include "openipu/vertices.h"

#define WHOLE "clang loop unroll(full)"
#define PLAIN "clang loop unroll(disable)"

#define TRANSPOSE(NAME, TYPE)                                                      \
    void NAME(const struct NAME##_vertex *v)                                       \
    {                                                                              \
        TYPE *out = (TYPE *)v->y;                                                  \
        const TYPE *first = (const TYPE *)v->x;                                    \
        const uint32_t rows = v->rows, step = v->step;                             \
        uint32_t columns = v->columns;                                             \
        for (; columns >= 4; columns -= 4, first += 4, out += 3 * rows) {          \
            const TYPE *in = first;                                                \
            TYPE *b = out + rows, *c = b + rows, *d = c + rows;                    \
            uint32_t left = rows;                                                  \
            for (; left >= 4; left -= 4, out += 4, b += 4, c += 4, d += 4) {       \
                _Pragma(WHOLE)                                                     \
                for (uint32_t i = 0; i < 4; i++, in += step)                       \
                    out[i] = in[0], b[i] = in[1], c[i] = in[2], d[i] = in[3];      \
            }                                                                      \
            _Pragma(PLAIN)                                                         \
            for (; left; left--, in += step)                                       \
                *out++ = in[0], *b++ = in[1], *c++ = in[2], *d++ = in[3];          \
        }                                                                          \
        for (; columns; columns--, first++) {                                      \
            const TYPE *in = first;                                                \
            _Pragma(PLAIN)                                                         \
            for (uint32_t left = rows; left; left--, in += step)                   \
                *out++ = *in;                                                      \
        }                                                                          \
    }

typedef uint16_t __attribute__((may_alias)) half;
typedef uint32_t __attribute__((may_alias)) word;

TRANSPOSE(transpose, word)
TRANSPOSE(transpose_halves, half)
