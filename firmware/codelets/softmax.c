/* y = e**(x - max x) / sum, for each row of `columns` elements. */
#include "openipu/math.h"
#include "openipu/vertices.h"

void softmax(const struct softmax_vertex *v)
{
    const uint32_t columns = v->columns;
    const float *x = v->x, *end = v->x + v->x_length;
    for (float *y = v->y; x != end; x += columns, y += columns) {
        float top = -__builtin_inff(), sum = 0.0f;
        for (uint32_t j = 0; j < columns; j++)
            top = __builtin_fmaxf(top, x[j]);
        for (uint32_t j = 0; j < columns; j++) {
            y[j] = exponential(x[j] - top);
            sum = sum + y[j];
        }
        const float factor = 1.0f / sum;
        for (uint32_t j = 0; j < columns; j++)
            y[j] = y[j] * factor;
    }
}
