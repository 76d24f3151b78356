/* y = (x - mean) / sqrt(variance + epsilon), for each row of `columns` elements. */
#include "openipu/vertices.h"

void normalise(const struct normalise_vertex *v)
{
    const uint32_t columns = v->columns;
    const float share = v->share;
    const float *x = v->x, *end = v->x + v->x_length;
    for (float *y = v->y; x != end; x += columns, y += columns) {
        float sum = 0.0f, squares = 0.0f;
        for (uint32_t j = 0; j < columns; j++)
            sum = sum + x[j];
        const float mean = sum * share;
        for (uint32_t j = 0; j < columns; j++) {
            float d = x[j] - mean;
            squares = __builtin_fmaf(d, d, squares);
        }
        const float factor = 1.0f / __builtin_sqrtf(__builtin_fmaf(squares, share, v->epsilon));
        for (uint32_t j = 0; j < columns; j++)
            y[j] = (x[j] - mean) * factor;
    }
}
