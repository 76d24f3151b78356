/* One result for each element. */
#include "openipu/math.h"
#include "openipu/vertices.h"

/* 0 for what is less than 0, else x, NaNs too; by a mask, which is shorter than a branch. */
static inline float rectified(float x)
{
    uint32_t keep = (uint32_t)(x < 0.0f) - 1;
    __asm__("" : "+r"(keep)); /* or the compiler sees the branch in it */
    return float_of(bits_of(x) & keep);
}

#define UNARY(NAME, UNROLL, EXPRESSION)                     \
    void NAME(const struct NAME##_vertex *v)                \
    {                                                       \
        const float *restrict in = v->x;                    \
        float *restrict out = v->y;                         \
        const uint32_t length = v->x_length;                \
        _Pragma(UNROLL)                                     \
        for (uint32_t i = 0; i < length; i++) {             \
            float x = in[i];                                \
            out[i] = (EXPRESSION);                          \
        }                                                   \
    }

#define FOUR "clang loop unroll_count(4)"
#define ONE "clang loop unroll(disable)"

UNARY(identity, FOUR, x)
UNARY(relu, FOUR, rectified(x))
UNARY(negate, FOUR, -x)
UNARY(absolute, FOUR, __builtin_fabsf(x))
UNARY(exponent, ONE, exponential(x))
UNARY(invert, ONE, 1.0f / x)
UNARY(logistic, ONE, sigmoid(x))
UNARY(hyperbolic_tangent, ONE, tangent(x))

/* b repeats for every b_length elements of a. */
#define BINARY(NAME, EXPRESSION)                                                   \
    void NAME(const struct NAME##_vertex *v)                                       \
    {                                                                              \
        const float *restrict first = v->a, *restrict second = v->b;               \
        float *restrict out = v->y;                                                \
        const uint32_t length = v->a_length, period = v->b_length;                 \
        if (period == 1) {                                                         \
            const float b = *second;                                               \
            _Pragma(FOUR)                                                          \
            for (uint32_t i = 0; i < length; i++) {                                \
                float a = first[i];                                                \
                out[i] = (EXPRESSION);                                             \
            }                                                                      \
            return;                                                                \
        }                                                                          \
        for (const float *end = first + length; first != end;) {                   \
            _Pragma(FOUR)                                                          \
            for (uint32_t i = 0; i < period; i++) {                                \
                float a = first[i], b = second[i];                                 \
                out[i] = (EXPRESSION);                                             \
            }                                                                      \
            first += period;                                                       \
            out += period;                                                         \
        }                                                                          \
    }

BINARY(add, a + b)
BINARY(subtract, a - b)
BINARY(multiply, a * b)
BINARY(maximum, __builtin_fmaxf(a, b))
BINARY(minimum, __builtin_fminf(a, b))

void fill(const struct fill_vertex *v)
{
    float *out = v->y;
    const uint32_t length = v->y_length;
    const float value = v->value;
    _Pragma(FOUR)
    for (uint32_t i = 0; i < length; i++)
        out[i] = value;
}
