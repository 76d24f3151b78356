/* random.S for a tile without random instructions and SIMD. */
#include "openipu/math.h"
#include "openipu/vertices.h"

struct generator {
    uint64_t s0, s1;
};

static inline uint64_t rotated(uint64_t x, int by) { return x << by | x >> (64 - by); }

/* xoroshiro128aox, as the instruction xrand has it. */
static inline uint64_t next(struct generator *g)
{
    const uint64_t differ = g->s0 ^ g->s1, both = rotated(g->s0 & g->s1, 1);
    g->s0 = rotated(g->s0, 55) ^ differ ^ differ << 14;
    g->s1 = rotated(differ, 36);
    return differ ^ (both | rotated(both, 1));
}

static inline struct generator seeded(uint32_t *state)
{
    struct generator g = {(uint64_t)state[1] << 32 | state[0], (uint64_t)state[3] << 32 | state[2]};
    for (int half = 0; half < 2; half++) {
        const uint64_t number = next(&g);
        state[2 * half] = (uint32_t)number, state[2 * half + 1] = (uint32_t)(number >> 32);
    }
    return g;
}

static inline float from_one_to_two(uint32_t random)
{
    return float_of((random & 0x7fffff) | 0x3f800000);
}

void uniform_plain(const struct uniform_plain_vertex *v)
{
    struct generator g = seeded(v->state);
    uint64_t number = 0;
    for (uint32_t i = 0; i < v->y_length; i++) {
        number = i % 2 ? number >> 32 : next(&g);
        v->y[i] = from_one_to_two((uint32_t)number) - 1.0f;
    }
}

void bernoulli_plain(const struct bernoulli_plain_vertex *v)
{
    struct generator g = seeded(v->state);
    const float limit = v->probability + 1.0f;
    uint64_t number = 0;
    for (uint32_t i = 0; i < v->y_length; i++) {
        number = i % 2 ? number >> 32 : next(&g);
        v->y[i] = from_one_to_two((uint32_t)number) < limit ? 1.0f : 0.0f;
    }
}

void normal_plain(const struct normal_plain_vertex *v)
{
    struct generator g = seeded(v->state);
    for (uint32_t i = 0; i < v->y_length; i += 2) {
        float low = 0.0f, high = 0.0f;
        for (int k = 0; k < 12; k++) {
            const uint64_t number = next(&g);
            low += from_one_to_two((uint32_t)number);
            high += from_one_to_two((uint32_t)(number >> 32));
        }
        v->y[i] = low - 18.0f;
        if (i + 1 < v->y_length)
            v->y[i + 1] = high - 18.0f;
    }
}
