/* y (columns, rows) = x (rows, columns) transposed, x's rows lying `step` elements apart. */
#include "openipu/vertices.h"

void transpose(const struct transpose_vertex *v)
{
    float *out = v->y;
    for (uint32_t column = 0; column < v->columns; column++) {
        const float *in = v->x + column;
        for (uint32_t row = v->rows; row; row--, in += v->step)
            *out++ = *in;
    }
}
