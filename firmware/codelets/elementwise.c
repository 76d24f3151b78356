/* One result for each element. */
#include "openipu/math.h"
#include "openipu/vertices.h"

#define UNARY(NAME, EXPRESSION)                                       \
    void NAME(const struct NAME##_vertex *v)                          \
    {                                                                 \
        const float *restrict in = v->x;                              \
        float *restrict out = v->y;                                   \
        for (const float *end = in + v->x_length; in != end; in++) {  \
            float x = *in;                                            \
            *out++ = (EXPRESSION);                                    \
        }                                                             \
    }

UNARY(identity, x)
UNARY(relu, x < 0.0f ? 0.0f : x)
UNARY(negate, -x)
UNARY(absolute, __builtin_fabsf(x))
UNARY(exponent, exponential(x))
UNARY(invert, reciprocal(x))
UNARY(logistic, sigmoid(x))
UNARY(hyperbolic_tangent, tangent(x))

/* b repeats for every b_length elements of a. */
#define BINARY(NAME, EXPRESSION)                                        \
    void NAME(const struct NAME##_vertex *v)                            \
    {                                                                   \
        const float *restrict first = v->a, *restrict last = v->a + v->a_length; \
        const float *const b_end = v->b + v->b_length;                  \
        float *restrict out = v->y;                                     \
        if (v->b_length == 1) {                                         \
            const float b = *v->b;                                      \
            while (first != last) {                                     \
                float a = *first++;                                     \
                *out++ = (EXPRESSION);                                  \
            }                                                           \
            return;                                                     \
        }                                                               \
        while (first != last) {                                         \
            for (const float *restrict second = v->b; second != b_end; second++) { \
                float a = *first++, b = *second;                        \
                *out++ = (EXPRESSION);                                  \
            }                                                           \
        }                                                               \
    }

BINARY(add, a + b)
BINARY(subtract, a - b)
BINARY(multiply, a * b)
BINARY(maximum, __builtin_fmaxf(a, b))
BINARY(minimum, __builtin_fminf(a, b))

void fill(const struct fill_vertex *v)
{
    float *out = v->y;
    for (uint32_t i = v->y_length; i; i--)
        *out++ = v->value;
}
