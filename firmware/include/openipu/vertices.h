// Made by `python -m openipu.sw.compiler.headers`; change that, not this.

#pragma once

#include <stdint.h>

struct absolute_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void absolute(const struct absolute_vertex *v);

struct add_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void add(const struct add_vertex *v);

struct arg_max_vertex {
    const float *x;
    uint32_t x_length;
    int32_t *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t step;
    uint32_t stride;
};
void arg_max(const struct arg_max_vertex *v);

struct copy_words_vertex {
    const uint32_t *source;
    uint32_t source_length;
    uint32_t *destination;
    uint32_t destination_length;
};
void copy_words(const struct copy_words_vertex *v);

struct exponent_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void exponent(const struct exponent_vertex *v);

struct fill_vertex {
    float *y;
    uint32_t y_length;
    float value;
};
void fill(const struct fill_vertex *v);

struct hyperbolic_tangent_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void hyperbolic_tangent(const struct hyperbolic_tangent_vertex *v);

struct identity_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void identity(const struct identity_vertex *v);

struct invert_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void invert(const struct invert_vertex *v);

struct logistic_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void logistic(const struct logistic_vertex *v);

struct matmul_nn_vertex {
    const float *x;
    uint32_t x_length;
    const float *w;
    uint32_t w_length;
    const float *bias;
    uint32_t bias_length;
    float *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t depth;
    uint32_t step;
};
void matmul_nn(const struct matmul_nn_vertex *v);

struct matmul_nt_vertex {
    const float *x;
    uint32_t x_length;
    const float *w;
    uint32_t w_length;
    const float *bias;
    uint32_t bias_length;
    float *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t depth;
};
void matmul_nt(const struct matmul_nt_vertex *v);

struct maximum_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void maximum(const struct maximum_vertex *v);

struct minimum_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void minimum(const struct minimum_vertex *v);

struct multiply_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void multiply(const struct multiply_vertex *v);

struct negate_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void negate(const struct negate_vertex *v);

struct reduce_max_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t step;
    uint32_t stride;
};
void reduce_max(const struct reduce_max_vertex *v);

struct reduce_min_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t step;
    uint32_t stride;
};
void reduce_min(const struct reduce_min_vertex *v);

struct reduce_sum_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t step;
    uint32_t stride;
};
void reduce_sum(const struct reduce_sum_vertex *v);

struct relu_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void relu(const struct relu_vertex *v);

struct softmax_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t columns;
};
void softmax(const struct softmax_vertex *v);

struct subtract_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void subtract(const struct subtract_vertex *v);

struct transpose_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t step;
};
void transpose(const struct transpose_vertex *v);
