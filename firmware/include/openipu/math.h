/* f32 functions of codelets, in operations that NumPy twins repeat bit for bit
 * (sw/codelets/arithmetic.py). */
#pragma once

#include <stdint.h>

static inline uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
static inline float float_of(uint32_t x) { return __builtin_bit_cast(float, x); }

#define SIGN_BIT 0x80000000u
#define INFINITY_BITS 0x7f800000u
#define NAN_BITS 0x7fc00000u

/* x * 2**n, rounded once if |x| is from 0.25 to 4; n from -252 to 254. */
static inline float scale(float x, int32_t n)
{
    int32_t half = n >> 1;
    x *= float_of((uint32_t)(half + 127) << 23);
    return x * float_of((uint32_t)(n - half + 127) << 23);
}

/* e**x within 2 units in the last place. */
static inline float exponential(float x)
{
    if (!(x <= 88.8f)) /* the overflow itself comes from `scale` */
        return x > 88.8f ? float_of(INFINITY_BITS) : float_of(NAN_BITS);
    if (x < -104.0f)
        return 0.0f;
    float n = (x * 0x1.715476p+0f + 0x1.8p23f) - 0x1.8p23f; /* nearest whole x / ln 2 */
    float r = __builtin_fmaf(n, -0x1.62e4p-1f, x);
    r = __builtin_fmaf(n, -0x1.7f7d1cp-20f, r);
    float p = 0x1.6d4592p-10f; /* (e**r - 1 - r) / r**2 for |r| <= 0.348 */
    p = __builtin_fmaf(p, r, 0x1.120d78p-7f);
    p = __builtin_fmaf(p, r, 0x1.5554e8p-5f);
    p = __builtin_fmaf(p, r, 0x1.5554dap-3f);
    p = __builtin_fmaf(p, r, 0.5f);
    p = __builtin_fmaf(p, r * r, r) + 1.0f;
    return scale(p, (int32_t)n);
}

/* 1 / (1 + e**-x) */
static inline float sigmoid(float x) { return 1.0f / (1.0f + exponential(-x)); }

/* Hyperbolic tangent: a polynomial near 0, where 1 - 2 / (e**2a + 1) would cancel. */
static inline float tangent(float x)
{
    float a = float_of(bits_of(x) & ~SIGN_BIT);
    if (a < 0.5625f) {
        float z = x * x, p = -0x1.9b49fap-8f; /* (tanh(x) / x - 1) / z for z <= 0.36 */
        p = __builtin_fmaf(p, z, 0x1.59f5bap-6f);
        p = __builtin_fmaf(p, z, -0x1.b95812p-5f);
        p = __builtin_fmaf(p, z, 0x1.110eeap-3f);
        p = __builtin_fmaf(p, z, -0x1.555554p-2f);
        return __builtin_fmaf(x * z, p, x);
    }
    float t = 1.0f - 2.0f / (exponential(a + a) + 1.0f);
    return x < 0.0f ? -t : t;
}
