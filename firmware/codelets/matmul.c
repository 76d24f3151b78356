/* Matrix products in blocks of at most 4 x 4 sums that stay in registers. Each sum starts from its
 * column's bias and adds its products in ascending k, each rounded once (fused multiply-add). */
#include "openipu/vertices.h"

#define BLOCK 4
#define INLINE static inline __attribute__((always_inline))

struct problem {
    const float *x, *w, *bias;
    float *y;
    uint32_t depth, columns, step; /* step: elements of w from a k to the next, if w is (k, columns) */
    _Bool transposed;              /* w is (columns, k); known when this is compiled */
};

INLINE void block(const struct problem *p, uint32_t row, uint32_t column, const uint32_t rows,
                  const uint32_t columns)
{
    const uint32_t depth = p->depth;
    float sum[BLOCK][BLOCK];
    const float *x[BLOCK], *w[BLOCK];
    for (uint32_t r = 0; r < rows; r++)
        x[r] = p->x + (row + r) * depth;
    for (uint32_t c = 0; c < columns; c++) {
        w[c] = p->transposed ? p->w + (column + c) * depth : p->w + column + c;
        for (uint32_t r = 0; r < rows; r++)
            sum[r][c] = p->bias[column + c];
    }
    for (const float *end = x[0] + depth; x[0] != end;) {
        float left[BLOCK], right[BLOCK];
        for (uint32_t r = 0; r < rows; r++)
            left[r] = *x[r]++;
        for (uint32_t c = 0; c < columns; c++)
            right[c] = p->transposed ? *w[c]++ : w[0][c];
        if (!p->transposed)
            w[0] += p->step;
        for (uint32_t r = 0; r < rows; r++)
            for (uint32_t c = 0; c < columns; c++)
                sum[r][c] = __builtin_fmaf(left[r], right[c], sum[r][c]);
    }
    for (uint32_t r = 0; r < rows; r++)
        for (uint32_t c = 0; c < columns; c++)
            p->y[(row + r) * p->columns + column + c] = sum[r][c];
}

INLINE void band(const struct problem *p, uint32_t row, const uint32_t rows)
{
    uint32_t column = 0;
    for (; column + BLOCK <= p->columns; column += BLOCK)
        block(p, row, column, rows, BLOCK);
    for (; column < p->columns; column++)
        block(p, row, column, rows, 1);
}

INLINE void product(const struct problem *p, uint32_t rows)
{
    uint32_t row = 0;
    for (; row + BLOCK <= rows; row += BLOCK)
        band(p, row, BLOCK);
    switch (rows - row) {
    case 3: band(p, row, 3); break;
    case 2: band(p, row, 2); break;
    case 1: band(p, row, 1); break;
    }
}

/* y (rows, columns) = x (rows, depth) . w (columns, depth) transposed + bias (columns) */
void matmul_nt(const struct matmul_nt_vertex *v)
{
    struct problem p = {v->x, v->w, v->bias, v->y, v->depth, v->bias_length, 0, 1};
    product(&p, v->rows);
}

/* y (rows, columns) = x (rows, depth) . w (depth, step)[:, :columns] + bias (columns) */
void matmul_nn(const struct matmul_nn_vertex *v)
{
    struct problem p = {v->x, v->w, v->bias, v->y, v->depth, v->bias_length, v->step, 0};
    product(&p, v->rows);
}
