/* y = (a - b)**2 * weight of f32, an element at a time. */
#include <stdint.h>

struct squared_error_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    float weight;
};

void squared_error_f32(const struct squared_error_f32_vertex *v)
{
    const float *restrict a = v->a, *restrict b = v->b;
    float *restrict y = v->y;
    const uint32_t length = v->y_length;
    const float weight = v->weight;
    for (uint32_t i = 0; i < length; i++) {
        float d = a[i] - b[i];
        y[i] = d * d * weight;
    }
}
