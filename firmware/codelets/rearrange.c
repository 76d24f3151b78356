/* y (columns, rows) = x (rows, columns) transposed, x's rows lying `step` elements apart. */
#include "openipu/vertices.h"

#define TRANSPOSE(NAME, TYPE)                                                \
    void NAME(const struct NAME##_vertex *v)                                 \
    {                                                                        \
        TYPE *out = (TYPE *)v->y;                                            \
        const uint32_t rows = v->rows, columns = v->columns, step = v->step; \
        for (uint32_t column = 0; column < columns; column++) {              \
            const TYPE *in = (const TYPE *)v->x + column;                    \
            for (uint32_t row = rows; row; row--, in += step)                \
                *out++ = *in;                                                \
        }                                                                    \
    }

typedef uint16_t __attribute__((may_alias)) half;

TRANSPOSE(transpose, float)
TRANSPOSE(transpose_halves, half)
