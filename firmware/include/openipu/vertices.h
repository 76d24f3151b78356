// Made by `python -m openipu.sw.compiler.headers`; change that, not this.

#pragma once

#ifdef __ASSEMBLER__
.set absolute.x, 0
.set absolute.x_length, 4
.set absolute.y, 8
.set absolute.y_length, 12
.set absolute_f16.x, 0
.set absolute_f16.x_length, 4
.set absolute_f16.y, 8
.set absolute_f16.y_length, 12
.set absolute_f16.level, 16
.set absolute_f32.x, 0
.set absolute_f32.x_length, 4
.set absolute_f32.y, 8
.set absolute_f32.y_length, 12
.set absolute_f32.level, 16
.set add.a, 0
.set add.a_length, 4
.set add.b, 8
.set add.b_length, 12
.set add.y, 16
.set add.y_length, 20
.set add_constant_f16.a, 0
.set add_constant_f16.a_length, 4
.set add_constant_f16.b, 8
.set add_constant_f16.b_length, 12
.set add_constant_f16.y, 16
.set add_constant_f16.y_length, 20
.set add_constant_f16.level, 24
.set add_constant_f32.a, 0
.set add_constant_f32.a_length, 4
.set add_constant_f32.b, 8
.set add_constant_f32.b_length, 12
.set add_constant_f32.y, 16
.set add_constant_f32.y_length, 20
.set add_constant_f32.level, 24
.set add_f16.a, 0
.set add_f16.a_length, 4
.set add_f16.b, 8
.set add_f16.b_length, 12
.set add_f16.y, 16
.set add_f16.y_length, 20
.set add_f16.level, 24
.set add_f32.a, 0
.set add_f32.a_length, 4
.set add_f32.b, 8
.set add_f32.b_length, 12
.set add_f32.y, 16
.set add_f32.y_length, 20
.set add_f32.level, 24
.set add_periodic_f16.a, 0
.set add_periodic_f16.a_length, 4
.set add_periodic_f16.b, 8
.set add_periodic_f16.b_length, 12
.set add_periodic_f16.y, 16
.set add_periodic_f16.y_length, 20
.set add_periodic_f16.level, 24
.set add_periodic_f16.b_level, 28
.set add_periodic_f16.b_again, 32
.set add_periodic_f32.a, 0
.set add_periodic_f32.a_length, 4
.set add_periodic_f32.b, 8
.set add_periodic_f32.b_length, 12
.set add_periodic_f32.y, 16
.set add_periodic_f32.y_length, 20
.set add_periodic_f32.level, 24
.set add_periodic_f32.b_level, 28
.set add_periodic_f32.b_again, 32
.set arg_max.x, 0
.set arg_max.x_length, 4
.set arg_max.y, 8
.set arg_max.y_length, 12
.set arg_max.count, 16
.set arg_max.step, 20
.set arg_max.stride, 24
.set arg_max_f16.x, 0
.set arg_max_f16.x_length, 4
.set arg_max_f16.y, 8
.set arg_max_f16.y_length, 12
.set arg_max_f16.columns, 16
.set arg_max_f16.level, 20
.set arg_max_f16.words, 24
.set arg_max_f16.rows, 28
.set arg_max_f32.x, 0
.set arg_max_f32.x_length, 4
.set arg_max_f32.y, 8
.set arg_max_f32.y_length, 12
.set arg_max_f32.columns, 16
.set arg_max_f32.level, 20
.set arg_max_f32.words, 24
.set arg_max_f32.rows, 28
.set bernoulli_f16.state, 0
.set bernoulli_f16.state_length, 4
.set bernoulli_f16.y, 8
.set bernoulli_f16.y_length, 12
.set bernoulli_f16.probability, 16
.set bernoulli_f16.level, 20
.set bernoulli_f32.state, 0
.set bernoulli_f32.state_length, 4
.set bernoulli_f32.y, 8
.set bernoulli_f32.y_length, 12
.set bernoulli_f32.probability, 16
.set bernoulli_f32.level, 20
.set bernoulli_plain.state, 0
.set bernoulli_plain.state_length, 4
.set bernoulli_plain.y, 8
.set bernoulli_plain.y_length, 12
.set bernoulli_plain.probability, 16
.set copy_halves.source, 0
.set copy_halves.source_length, 4
.set copy_halves.destination, 8
.set copy_halves.destination_length, 12
.set copy_nest_halves.source, 0
.set copy_nest_halves.source_length, 4
.set copy_nest_halves.destination, 8
.set copy_nest_halves.destination_length, 12
.set copy_nest_halves.count, 16
.set copy_nest_halves.rows, 20
.set copy_nest_halves.planes, 24
.set copy_nest_halves.source_step, 28
.set copy_nest_halves.source_row, 32
.set copy_nest_halves.source_plane, 36
.set copy_nest_halves.destination_step, 40
.set copy_nest_halves.destination_row, 44
.set copy_nest_halves.destination_plane, 48
.set copy_nest_pairs.source, 0
.set copy_nest_pairs.source_length, 4
.set copy_nest_pairs.destination, 8
.set copy_nest_pairs.destination_length, 12
.set copy_nest_pairs.count, 16
.set copy_nest_pairs.rows, 20
.set copy_nest_pairs.planes, 24
.set copy_nest_pairs.source_step, 28
.set copy_nest_pairs.source_row, 32
.set copy_nest_pairs.source_plane, 36
.set copy_nest_pairs.destination_step, 40
.set copy_nest_pairs.destination_row, 44
.set copy_nest_pairs.destination_plane, 48
.set copy_nest_words.source, 0
.set copy_nest_words.source_length, 4
.set copy_nest_words.destination, 8
.set copy_nest_words.destination_length, 12
.set copy_nest_words.count, 16
.set copy_nest_words.rows, 20
.set copy_nest_words.planes, 24
.set copy_nest_words.source_step, 28
.set copy_nest_words.source_row, 32
.set copy_nest_words.source_plane, 36
.set copy_nest_words.destination_step, 40
.set copy_nest_words.destination_row, 44
.set copy_nest_words.destination_plane, 48
.set copy_words.source, 0
.set copy_words.source_length, 4
.set copy_words.destination, 8
.set copy_words.destination_length, 12
.set depthwise_9_f16.x, 0
.set depthwise_9_f16.x_length, 4
.set depthwise_9_f16.w, 8
.set depthwise_9_f16.w_length, 12
.set depthwise_9_f16.bias, 16
.set depthwise_9_f16.bias_length, 20
.set depthwise_9_f16.y, 24
.set depthwise_9_f16.y_length, 28
.set depthwise_9_f16.rows, 32
.set depthwise_9_f16.columns, 36
.set depthwise_9_f16.row_step, 40
.set depthwise_9_f16.column_step, 44
.set depthwise_9_f16.kernel_rows, 48
.set depthwise_9_f16.kernel_columns, 52
.set depthwise_9_f16.kernel_row_step, 56
.set depthwise_9_f16.kernel_column_step, 60
.set depthwise_9_f16.w_level, 64
.set depthwise_9_f16.w_again, 68
.set depthwise_9_f16.y_level, 72
.set depthwise_9_f16.along, 76
.set depthwise_9_f16.down, 80
.set depthwise_9_f16.next, 84
.set depthwise_9_f16.row_bytes, 88
.set depthwise_9_f16.x_bytes, 92
.set depthwise_9_f32.x, 0
.set depthwise_9_f32.x_length, 4
.set depthwise_9_f32.w, 8
.set depthwise_9_f32.w_length, 12
.set depthwise_9_f32.bias, 16
.set depthwise_9_f32.bias_length, 20
.set depthwise_9_f32.y, 24
.set depthwise_9_f32.y_length, 28
.set depthwise_9_f32.rows, 32
.set depthwise_9_f32.columns, 36
.set depthwise_9_f32.row_step, 40
.set depthwise_9_f32.column_step, 44
.set depthwise_9_f32.kernel_rows, 48
.set depthwise_9_f32.kernel_columns, 52
.set depthwise_9_f32.kernel_row_step, 56
.set depthwise_9_f32.kernel_column_step, 60
.set depthwise_9_f32.w_level, 64
.set depthwise_9_f32.w_again, 68
.set depthwise_9_f32.y_level, 72
.set depthwise_9_f32.along, 76
.set depthwise_9_f32.down, 80
.set depthwise_9_f32.next, 84
.set depthwise_9_f32.row_bytes, 88
.set depthwise_9_f32.x_bytes, 92
.set depthwise_f16.x, 0
.set depthwise_f16.x_length, 4
.set depthwise_f16.w, 8
.set depthwise_f16.w_length, 12
.set depthwise_f16.bias, 16
.set depthwise_f16.bias_length, 20
.set depthwise_f16.y, 24
.set depthwise_f16.y_length, 28
.set depthwise_f16.rows, 32
.set depthwise_f16.columns, 36
.set depthwise_f16.row_step, 40
.set depthwise_f16.column_step, 44
.set depthwise_f16.kernel_rows, 48
.set depthwise_f16.kernel_columns, 52
.set depthwise_f16.kernel_row_step, 56
.set depthwise_f16.kernel_column_step, 60
.set depthwise_f16.w_level, 64
.set depthwise_f16.w_again, 68
.set depthwise_f16.y_level, 72
.set depthwise_f16.along, 76
.set depthwise_f16.down, 80
.set depthwise_f16.next, 84
.set depthwise_f16.row_bytes, 88
.set depthwise_f16.x_bytes, 92
.set depthwise_f32.x, 0
.set depthwise_f32.x_length, 4
.set depthwise_f32.w, 8
.set depthwise_f32.w_length, 12
.set depthwise_f32.bias, 16
.set depthwise_f32.bias_length, 20
.set depthwise_f32.y, 24
.set depthwise_f32.y_length, 28
.set depthwise_f32.rows, 32
.set depthwise_f32.columns, 36
.set depthwise_f32.row_step, 40
.set depthwise_f32.column_step, 44
.set depthwise_f32.kernel_rows, 48
.set depthwise_f32.kernel_columns, 52
.set depthwise_f32.kernel_row_step, 56
.set depthwise_f32.kernel_column_step, 60
.set depthwise_f32.w_level, 64
.set depthwise_f32.w_again, 68
.set depthwise_f32.y_level, 72
.set depthwise_f32.along, 76
.set depthwise_f32.down, 80
.set depthwise_f32.next, 84
.set depthwise_f32.row_bytes, 88
.set depthwise_f32.x_bytes, 92
.set exponent.x, 0
.set exponent.x_length, 4
.set exponent.y, 8
.set exponent.y_length, 12
.set exponent_f16.x, 0
.set exponent_f16.x_length, 4
.set exponent_f16.y, 8
.set exponent_f16.y_length, 12
.set exponent_f16.level, 16
.set fill.y, 0
.set fill.y_length, 4
.set fill.value, 8
.set fill_f16.y, 0
.set fill_f16.y_length, 4
.set fill_f16.value, 8
.set fill_f16.level, 12
.set fill_f32.y, 0
.set fill_f32.y_length, 4
.set fill_f32.value, 8
.set fill_f32.level, 12
.set gather_f16.table, 0
.set gather_f16.table_length, 4
.set gather_f16.index, 8
.set gather_f16.index_length, 12
.set gather_f16.y, 16
.set gather_f16.y_length, 20
.set gather_f16.rows, 24
.set gather_f16.columns, 28
.set gather_f32.table, 0
.set gather_f32.table_length, 4
.set gather_f32.index, 8
.set gather_f32.index_length, 12
.set gather_f32.y, 16
.set gather_f32.y_length, 20
.set gather_f32.rows, 24
.set gather_f32.columns, 28
.set gather_i32.table, 0
.set gather_i32.table_length, 4
.set gather_i32.index, 8
.set gather_i32.index_length, 12
.set gather_i32.y, 16
.set gather_i32.y_length, 20
.set gather_i32.rows, 24
.set gather_i32.columns, 28
.set gather_words_f16.table, 0
.set gather_words_f16.table_length, 4
.set gather_words_f16.index, 8
.set gather_words_f16.index_length, 12
.set gather_words_f16.y, 16
.set gather_words_f16.y_length, 20
.set gather_words_f16.rows, 24
.set gather_words_f16.columns, 28
.set gather_words_f16.row, 32
.set gather_words_f16.again, 36
.set gather_words_f32.table, 0
.set gather_words_f32.table_length, 4
.set gather_words_f32.index, 8
.set gather_words_f32.index_length, 12
.set gather_words_f32.y, 16
.set gather_words_f32.y_length, 20
.set gather_words_f32.rows, 24
.set gather_words_f32.columns, 28
.set gather_words_f32.row, 32
.set gather_words_f32.again, 36
.set gather_words_i32.table, 0
.set gather_words_i32.table_length, 4
.set gather_words_i32.index, 8
.set gather_words_i32.index_length, 12
.set gather_words_i32.y, 16
.set gather_words_i32.y_length, 20
.set gather_words_i32.rows, 24
.set gather_words_i32.columns, 28
.set gather_words_i32.row, 32
.set gather_words_i32.again, 36
.set gru_cell.gates, 0
.set gru_cell.gates_length, 4
.set gru_cell.h, 8
.set gru_cell.h_length, 12
.set gru_cell.y, 16
.set gru_cell.y_length, 20
.set gru_cell.gates_level, 24
.set gru_cell.level, 28
.set hyperbolic_tangent.x, 0
.set hyperbolic_tangent.x_length, 4
.set hyperbolic_tangent.y, 8
.set hyperbolic_tangent.y_length, 12
.set hyperbolic_tangent_f16.x, 0
.set hyperbolic_tangent_f16.x_length, 4
.set hyperbolic_tangent_f16.y, 8
.set hyperbolic_tangent_f16.y_length, 12
.set hyperbolic_tangent_f16.level, 16
.set identity.x, 0
.set identity.x_length, 4
.set identity.y, 8
.set identity.y_length, 12
.set identity_f16.x, 0
.set identity_f16.x_length, 4
.set identity_f16.y, 8
.set identity_f16.y_length, 12
.set identity_f16.level, 16
.set identity_f32.x, 0
.set identity_f32.x_length, 4
.set identity_f32.y, 8
.set identity_f32.y_length, 12
.set identity_f32.level, 16
.set inverse_square_root_f16.x, 0
.set inverse_square_root_f16.x_length, 4
.set inverse_square_root_f16.y, 8
.set inverse_square_root_f16.y_length, 12
.set inverse_square_root_f16.level, 16
.set invert.x, 0
.set invert.x_length, 4
.set invert.y, 8
.set invert.y_length, 12
.set invert_f16.x, 0
.set invert_f16.x_length, 4
.set invert_f16.y, 8
.set invert_f16.y_length, 12
.set invert_f16.level, 16
.set logarithm_f16.x, 0
.set logarithm_f16.x_length, 4
.set logarithm_f16.y, 8
.set logarithm_f16.y_length, 12
.set logarithm_f16.level, 16
.set logistic.x, 0
.set logistic.x_length, 4
.set logistic.y, 8
.set logistic.y_length, 12
.set logistic_f16.x, 0
.set logistic_f16.x_length, 4
.set logistic_f16.y, 8
.set logistic_f16.y_length, 12
.set logistic_f16.level, 16
.set lstm_cell.gates, 0
.set lstm_cell.gates_length, 4
.set lstm_cell.c, 8
.set lstm_cell.c_length, 12
.set lstm_cell.state, 16
.set lstm_cell.state_length, 20
.set lstm_cell.gates_level, 24
.set lstm_cell.level, 28
.set lstm_cell.both, 32
.set lstm_cell.next, 36
.set matmul_nn.x, 0
.set matmul_nn.x_length, 4
.set matmul_nn.w, 8
.set matmul_nn.w_length, 12
.set matmul_nn.bias, 16
.set matmul_nn.bias_length, 20
.set matmul_nn.y, 24
.set matmul_nn.y_length, 28
.set matmul_nn.rows, 32
.set matmul_nn.depth, 36
.set matmul_nn.step, 40
.set matmul_nt.x, 0
.set matmul_nt.x_length, 4
.set matmul_nt.w, 8
.set matmul_nt.w_length, 12
.set matmul_nt.bias, 16
.set matmul_nt.bias_length, 20
.set matmul_nt.y, 24
.set matmul_nt.y_length, 28
.set matmul_nt.rows, 32
.set matmul_nt.depth, 36
.set matrix_f16.x, 0
.set matrix_f16.x_length, 4
.set matrix_f16.even, 8
.set matrix_f16.even_length, 12
.set matrix_f16.odd, 16
.set matrix_f16.odd_length, 20
.set matrix_f16.bias, 24
.set matrix_f16.bias_length, 28
.set matrix_f16.sums, 32
.set matrix_f16.sums_length, 36
.set matrix_f16.y, 40
.set matrix_f16.y_length, 44
.set matrix_f16.rows, 48
.set matrix_f16.rows_length, 52
.set matrix_f16.segments, 56
.set matrix_f16.segments_length, 60
.set matrix_f16.segments_bytes, 64
.set matrix_f16.blocks, 68
.set matrix_f16.dot, 72
.set matrix_f16.y_step, 76
.set matrix_f16.y_level, 80
.set matrix_f16_f32.x, 0
.set matrix_f16_f32.x_length, 4
.set matrix_f16_f32.even, 8
.set matrix_f16_f32.even_length, 12
.set matrix_f16_f32.odd, 16
.set matrix_f16_f32.odd_length, 20
.set matrix_f16_f32.bias, 24
.set matrix_f16_f32.bias_length, 28
.set matrix_f16_f32.sums, 32
.set matrix_f16_f32.sums_length, 36
.set matrix_f16_f32.y, 40
.set matrix_f16_f32.y_length, 44
.set matrix_f16_f32.rows, 48
.set matrix_f16_f32.rows_length, 52
.set matrix_f16_f32.segments, 56
.set matrix_f16_f32.segments_length, 60
.set matrix_f16_f32.segments_bytes, 64
.set matrix_f16_f32.blocks, 68
.set matrix_f16_f32.dot, 72
.set matrix_f16_f32.y_step, 76
.set matrix_f16_f32.y_level, 80
.set matrix_f32.x, 0
.set matrix_f32.x_length, 4
.set matrix_f32.even, 8
.set matrix_f32.even_length, 12
.set matrix_f32.odd, 16
.set matrix_f32.odd_length, 20
.set matrix_f32.bias, 24
.set matrix_f32.bias_length, 28
.set matrix_f32.sums, 32
.set matrix_f32.sums_length, 36
.set matrix_f32.y, 40
.set matrix_f32.y_length, 44
.set matrix_f32.rows, 48
.set matrix_f32.rows_length, 52
.set matrix_f32.segments, 56
.set matrix_f32.segments_length, 60
.set matrix_f32.segments_bytes, 64
.set matrix_f32.blocks, 68
.set matrix_f32.dot, 72
.set matrix_f32.y_step, 76
.set matrix_f32.y_level, 80
.set matvec_f16.x, 0
.set matvec_f16.x_length, 4
.set matvec_f16.even, 8
.set matvec_f16.even_length, 12
.set matvec_f16.odd, 16
.set matvec_f16.odd_length, 20
.set matvec_f16.bias, 24
.set matvec_f16.bias_length, 28
.set matvec_f16.sums, 32
.set matvec_f16.sums_length, 36
.set matvec_f16.y, 40
.set matvec_f16.y_length, 44
.set matvec_f16.work, 48
.set matvec_f16.work_length, 52
.set matvec_f16.parts, 56
.set matvec_f16.groups, 60
.set matvec_f16.outputs, 64
.set matvec_f16.parts_level, 68
.set matvec_f16.again_level, 72
.set matvec_f16.block_level, 76
.set matvec_f16_f32.x, 0
.set matvec_f16_f32.x_length, 4
.set matvec_f16_f32.even, 8
.set matvec_f16_f32.even_length, 12
.set matvec_f16_f32.odd, 16
.set matvec_f16_f32.odd_length, 20
.set matvec_f16_f32.bias, 24
.set matvec_f16_f32.bias_length, 28
.set matvec_f16_f32.sums, 32
.set matvec_f16_f32.sums_length, 36
.set matvec_f16_f32.y, 40
.set matvec_f16_f32.y_length, 44
.set matvec_f16_f32.work, 48
.set matvec_f16_f32.work_length, 52
.set matvec_f16_f32.parts, 56
.set matvec_f16_f32.groups, 60
.set matvec_f16_f32.outputs, 64
.set matvec_f16_f32.parts_level, 68
.set matvec_f16_f32.again_level, 72
.set matvec_f16_f32.block_level, 76
.set max_columns_f16.x, 0
.set max_columns_f16.x_length, 4
.set max_columns_f16.y, 8
.set max_columns_f16.y_length, 12
.set max_columns_f16.count, 16
.set max_columns_f16.stride, 20
.set max_columns_f16.level, 24
.set max_columns_f16.next, 28
.set max_columns_f16.words, 32
.set max_columns_f16.y_level, 36
.set max_columns_f32.x, 0
.set max_columns_f32.x_length, 4
.set max_columns_f32.y, 8
.set max_columns_f32.y_length, 12
.set max_columns_f32.count, 16
.set max_columns_f32.stride, 20
.set max_columns_f32.level, 24
.set max_columns_f32.next, 28
.set max_columns_f32.words, 32
.set max_columns_f32.y_level, 36
.set max_rows_f16.x, 0
.set max_rows_f16.x_length, 4
.set max_rows_f16.y, 8
.set max_rows_f16.y_length, 12
.set max_rows_f16.level, 16
.set max_rows_f16.words, 20
.set max_rows_f16.y_bytes, 24
.set max_rows_f16.mask, 28
.set max_rows_f16.mask_high, 32
.set max_rows_f32.x, 0
.set max_rows_f32.x_length, 4
.set max_rows_f32.y, 8
.set max_rows_f32.y_length, 12
.set max_rows_f32.level, 16
.set max_rows_f32.words, 20
.set max_rows_f32.y_bytes, 24
.set max_rows_f32.mask, 28
.set max_rows_f32.mask_high, 32
.set maximum.a, 0
.set maximum.a_length, 4
.set maximum.b, 8
.set maximum.b_length, 12
.set maximum.y, 16
.set maximum.y_length, 20
.set maximum_constant_f16.a, 0
.set maximum_constant_f16.a_length, 4
.set maximum_constant_f16.b, 8
.set maximum_constant_f16.b_length, 12
.set maximum_constant_f16.y, 16
.set maximum_constant_f16.y_length, 20
.set maximum_constant_f16.level, 24
.set maximum_constant_f32.a, 0
.set maximum_constant_f32.a_length, 4
.set maximum_constant_f32.b, 8
.set maximum_constant_f32.b_length, 12
.set maximum_constant_f32.y, 16
.set maximum_constant_f32.y_length, 20
.set maximum_constant_f32.level, 24
.set maximum_f16.a, 0
.set maximum_f16.a_length, 4
.set maximum_f16.b, 8
.set maximum_f16.b_length, 12
.set maximum_f16.y, 16
.set maximum_f16.y_length, 20
.set maximum_f16.level, 24
.set maximum_f32.a, 0
.set maximum_f32.a_length, 4
.set maximum_f32.b, 8
.set maximum_f32.b_length, 12
.set maximum_f32.y, 16
.set maximum_f32.y_length, 20
.set maximum_f32.level, 24
.set maximum_periodic_f16.a, 0
.set maximum_periodic_f16.a_length, 4
.set maximum_periodic_f16.b, 8
.set maximum_periodic_f16.b_length, 12
.set maximum_periodic_f16.y, 16
.set maximum_periodic_f16.y_length, 20
.set maximum_periodic_f16.level, 24
.set maximum_periodic_f16.b_level, 28
.set maximum_periodic_f16.b_again, 32
.set maximum_periodic_f32.a, 0
.set maximum_periodic_f32.a_length, 4
.set maximum_periodic_f32.b, 8
.set maximum_periodic_f32.b_length, 12
.set maximum_periodic_f32.y, 16
.set maximum_periodic_f32.y_length, 20
.set maximum_periodic_f32.level, 24
.set maximum_periodic_f32.b_level, 28
.set maximum_periodic_f32.b_again, 32
.set min_columns_f16.x, 0
.set min_columns_f16.x_length, 4
.set min_columns_f16.y, 8
.set min_columns_f16.y_length, 12
.set min_columns_f16.count, 16
.set min_columns_f16.stride, 20
.set min_columns_f16.level, 24
.set min_columns_f16.next, 28
.set min_columns_f16.words, 32
.set min_columns_f16.y_level, 36
.set min_columns_f32.x, 0
.set min_columns_f32.x_length, 4
.set min_columns_f32.y, 8
.set min_columns_f32.y_length, 12
.set min_columns_f32.count, 16
.set min_columns_f32.stride, 20
.set min_columns_f32.level, 24
.set min_columns_f32.next, 28
.set min_columns_f32.words, 32
.set min_columns_f32.y_level, 36
.set min_rows_f16.x, 0
.set min_rows_f16.x_length, 4
.set min_rows_f16.y, 8
.set min_rows_f16.y_length, 12
.set min_rows_f16.level, 16
.set min_rows_f16.words, 20
.set min_rows_f16.y_bytes, 24
.set min_rows_f16.mask, 28
.set min_rows_f16.mask_high, 32
.set min_rows_f32.x, 0
.set min_rows_f32.x_length, 4
.set min_rows_f32.y, 8
.set min_rows_f32.y_length, 12
.set min_rows_f32.level, 16
.set min_rows_f32.words, 20
.set min_rows_f32.y_bytes, 24
.set min_rows_f32.mask, 28
.set min_rows_f32.mask_high, 32
.set minimum.a, 0
.set minimum.a_length, 4
.set minimum.b, 8
.set minimum.b_length, 12
.set minimum.y, 16
.set minimum.y_length, 20
.set minimum_constant_f16.a, 0
.set minimum_constant_f16.a_length, 4
.set minimum_constant_f16.b, 8
.set minimum_constant_f16.b_length, 12
.set minimum_constant_f16.y, 16
.set minimum_constant_f16.y_length, 20
.set minimum_constant_f16.level, 24
.set minimum_constant_f32.a, 0
.set minimum_constant_f32.a_length, 4
.set minimum_constant_f32.b, 8
.set minimum_constant_f32.b_length, 12
.set minimum_constant_f32.y, 16
.set minimum_constant_f32.y_length, 20
.set minimum_constant_f32.level, 24
.set minimum_f16.a, 0
.set minimum_f16.a_length, 4
.set minimum_f16.b, 8
.set minimum_f16.b_length, 12
.set minimum_f16.y, 16
.set minimum_f16.y_length, 20
.set minimum_f16.level, 24
.set minimum_f32.a, 0
.set minimum_f32.a_length, 4
.set minimum_f32.b, 8
.set minimum_f32.b_length, 12
.set minimum_f32.y, 16
.set minimum_f32.y_length, 20
.set minimum_f32.level, 24
.set minimum_periodic_f16.a, 0
.set minimum_periodic_f16.a_length, 4
.set minimum_periodic_f16.b, 8
.set minimum_periodic_f16.b_length, 12
.set minimum_periodic_f16.y, 16
.set minimum_periodic_f16.y_length, 20
.set minimum_periodic_f16.level, 24
.set minimum_periodic_f16.b_level, 28
.set minimum_periodic_f16.b_again, 32
.set minimum_periodic_f32.a, 0
.set minimum_periodic_f32.a_length, 4
.set minimum_periodic_f32.b, 8
.set minimum_periodic_f32.b_length, 12
.set minimum_periodic_f32.y, 16
.set minimum_periodic_f32.y_length, 20
.set minimum_periodic_f32.level, 24
.set minimum_periodic_f32.b_level, 28
.set minimum_periodic_f32.b_again, 32
.set multiply.a, 0
.set multiply.a_length, 4
.set multiply.b, 8
.set multiply.b_length, 12
.set multiply.y, 16
.set multiply.y_length, 20
.set multiply_constant_f16.a, 0
.set multiply_constant_f16.a_length, 4
.set multiply_constant_f16.b, 8
.set multiply_constant_f16.b_length, 12
.set multiply_constant_f16.y, 16
.set multiply_constant_f16.y_length, 20
.set multiply_constant_f16.level, 24
.set multiply_constant_f32.a, 0
.set multiply_constant_f32.a_length, 4
.set multiply_constant_f32.b, 8
.set multiply_constant_f32.b_length, 12
.set multiply_constant_f32.y, 16
.set multiply_constant_f32.y_length, 20
.set multiply_constant_f32.level, 24
.set multiply_f16.a, 0
.set multiply_f16.a_length, 4
.set multiply_f16.b, 8
.set multiply_f16.b_length, 12
.set multiply_f16.y, 16
.set multiply_f16.y_length, 20
.set multiply_f16.level, 24
.set multiply_f32.a, 0
.set multiply_f32.a_length, 4
.set multiply_f32.b, 8
.set multiply_f32.b_length, 12
.set multiply_f32.y, 16
.set multiply_f32.y_length, 20
.set multiply_f32.level, 24
.set multiply_periodic_f16.a, 0
.set multiply_periodic_f16.a_length, 4
.set multiply_periodic_f16.b, 8
.set multiply_periodic_f16.b_length, 12
.set multiply_periodic_f16.y, 16
.set multiply_periodic_f16.y_length, 20
.set multiply_periodic_f16.level, 24
.set multiply_periodic_f16.b_level, 28
.set multiply_periodic_f16.b_again, 32
.set multiply_periodic_f32.a, 0
.set multiply_periodic_f32.a_length, 4
.set multiply_periodic_f32.b, 8
.set multiply_periodic_f32.b_length, 12
.set multiply_periodic_f32.y, 16
.set multiply_periodic_f32.y_length, 20
.set multiply_periodic_f32.level, 24
.set multiply_periodic_f32.b_level, 28
.set multiply_periodic_f32.b_again, 32
.set narrow.x, 0
.set narrow.x_length, 4
.set narrow.y, 8
.set narrow.y_length, 12
.set narrow.level, 16
.set narrow.x_level, 20
.set narrow.pairs, 24
.set narrow.odd, 28
.set negate.x, 0
.set negate.x_length, 4
.set negate.y, 8
.set negate.y_length, 12
.set negate_f16.x, 0
.set negate_f16.x_length, 4
.set negate_f16.y, 8
.set negate_f16.y_length, 12
.set negate_f16.level, 16
.set negate_f32.x, 0
.set negate_f32.x_length, 4
.set negate_f32.y, 8
.set negate_f32.y_length, 12
.set negate_f32.level, 16
.set normal_f16.state, 0
.set normal_f16.state_length, 4
.set normal_f16.y, 8
.set normal_f16.y_length, 12
.set normal_f16.level, 16
.set normal_f32.state, 0
.set normal_f32.state_length, 4
.set normal_f32.y, 8
.set normal_f32.y_length, 12
.set normal_f32.level, 16
.set normal_plain.state, 0
.set normal_plain.state_length, 4
.set normal_plain.y, 8
.set normal_plain.y_length, 12
.set normalise.x, 0
.set normalise.x_length, 4
.set normalise.y, 8
.set normalise.y_length, 12
.set normalise.columns, 16
.set normalise.share, 20
.set normalise.epsilon, 24
.set normalise_f16.x, 0
.set normalise_f16.x_length, 4
.set normalise_f16.y, 8
.set normalise_f16.y_length, 12
.set normalise_f16.columns, 16
.set normalise_f16.share, 20
.set normalise_f16.epsilon, 24
.set normalise_f16.level, 28
.set normalise_f16.passes, 32
.set normalise_f16.passes_high, 36
.set normalise_f16.rows_level, 40
.set normalise_f16.y_level, 44
.set normalise_f16.rows, 48
.set normalise_f16.words, 52
.set normalise_f32.x, 0
.set normalise_f32.x_length, 4
.set normalise_f32.y, 8
.set normalise_f32.y_length, 12
.set normalise_f32.columns, 16
.set normalise_f32.share, 20
.set normalise_f32.epsilon, 24
.set normalise_f32.level, 28
.set normalise_f32.passes, 32
.set normalise_f32.passes_high, 36
.set normalise_f32.rows_level, 40
.set normalise_f32.y_level, 44
.set normalise_f32.rows, 48
.set normalise_f32.words, 52
.set pool_max_f16.x, 0
.set pool_max_f16.x_length, 4
.set pool_max_f16.y, 8
.set pool_max_f16.y_length, 12
.set pool_max_f16.runs, 16
.set pool_max_f16.runs_length, 20
.set pool_max_f16.words, 24
.set pool_max_f32.x, 0
.set pool_max_f32.x_length, 4
.set pool_max_f32.y, 8
.set pool_max_f32.y_length, 12
.set pool_max_f32.runs, 16
.set pool_max_f32.runs_length, 20
.set pool_max_f32.words, 24
.set pool_max_plain.x, 0
.set pool_max_plain.x_length, 4
.set pool_max_plain.y, 8
.set pool_max_plain.y_length, 12
.set pool_max_plain.runs, 16
.set pool_max_plain.runs_length, 20
.set pool_max_plain.words, 24
.set pool_mean_f16.x, 0
.set pool_mean_f16.x_length, 4
.set pool_mean_f16.y, 8
.set pool_mean_f16.y_length, 12
.set pool_mean_f16.runs, 16
.set pool_mean_f16.runs_length, 20
.set pool_mean_f16.words, 24
.set pool_mean_f32.x, 0
.set pool_mean_f32.x_length, 4
.set pool_mean_f32.y, 8
.set pool_mean_f32.y_length, 12
.set pool_mean_f32.runs, 16
.set pool_mean_f32.runs_length, 20
.set pool_mean_f32.words, 24
.set pool_mean_plain.x, 0
.set pool_mean_plain.x_length, 4
.set pool_mean_plain.y, 8
.set pool_mean_plain.y_length, 12
.set pool_mean_plain.runs, 16
.set pool_mean_plain.runs_length, 20
.set pool_mean_plain.words, 24
.set reduce_max.x, 0
.set reduce_max.x_length, 4
.set reduce_max.y, 8
.set reduce_max.y_length, 12
.set reduce_max.count, 16
.set reduce_max.step, 20
.set reduce_max.stride, 24
.set reduce_min.x, 0
.set reduce_min.x_length, 4
.set reduce_min.y, 8
.set reduce_min.y_length, 12
.set reduce_min.count, 16
.set reduce_min.step, 20
.set reduce_min.stride, 24
.set reduce_sum.x, 0
.set reduce_sum.x_length, 4
.set reduce_sum.y, 8
.set reduce_sum.y_length, 12
.set reduce_sum.count, 16
.set reduce_sum.step, 20
.set reduce_sum.stride, 24
.set relu.x, 0
.set relu.x_length, 4
.set relu.y, 8
.set relu.y_length, 12
.set relu_f16.x, 0
.set relu_f16.x_length, 4
.set relu_f16.y, 8
.set relu_f16.y_length, 12
.set relu_f16.level, 16
.set relu_f32.x, 0
.set relu_f32.x_length, 4
.set relu_f32.y, 8
.set relu_f32.y_length, 12
.set relu_f32.level, 16
.set scaled_add_f16.a, 0
.set scaled_add_f16.a_length, 4
.set scaled_add_f16.b, 8
.set scaled_add_f16.b_length, 12
.set scaled_add_f16.y, 16
.set scaled_add_f16.y_length, 20
.set scaled_add_f16.factor, 24
.set scaled_add_f16.level, 28
.set scaled_add_f32.a, 0
.set scaled_add_f32.a_length, 4
.set scaled_add_f32.b, 8
.set scaled_add_f32.b_length, 12
.set scaled_add_f32.y, 16
.set scaled_add_f32.y_length, 20
.set scaled_add_f32.factor, 24
.set scaled_add_f32.level, 28
.set softmax.x, 0
.set softmax.x_length, 4
.set softmax.y, 8
.set softmax.y_length, 12
.set softmax.columns, 16
.set softmax_f16.x, 0
.set softmax_f16.x_length, 4
.set softmax_f16.y, 8
.set softmax_f16.y_length, 12
.set softmax_f16.columns, 16
.set softmax_f16.level, 20
.set softmax_f16.passes, 24
.set softmax_f16.passes_high, 28
.set softmax_f16.rows_level, 32
.set softmax_f16.y_level, 36
.set softmax_f16.rows, 40
.set softmax_f16.words, 44
.set square_root_f16.x, 0
.set square_root_f16.x_length, 4
.set square_root_f16.y, 8
.set square_root_f16.y_length, 12
.set square_root_f16.level, 16
.set subtract.a, 0
.set subtract.a_length, 4
.set subtract.b, 8
.set subtract.b_length, 12
.set subtract.y, 16
.set subtract.y_length, 20
.set subtract_constant_f16.a, 0
.set subtract_constant_f16.a_length, 4
.set subtract_constant_f16.b, 8
.set subtract_constant_f16.b_length, 12
.set subtract_constant_f16.y, 16
.set subtract_constant_f16.y_length, 20
.set subtract_constant_f16.level, 24
.set subtract_constant_f32.a, 0
.set subtract_constant_f32.a_length, 4
.set subtract_constant_f32.b, 8
.set subtract_constant_f32.b_length, 12
.set subtract_constant_f32.y, 16
.set subtract_constant_f32.y_length, 20
.set subtract_constant_f32.level, 24
.set subtract_f16.a, 0
.set subtract_f16.a_length, 4
.set subtract_f16.b, 8
.set subtract_f16.b_length, 12
.set subtract_f16.y, 16
.set subtract_f16.y_length, 20
.set subtract_f16.level, 24
.set subtract_f32.a, 0
.set subtract_f32.a_length, 4
.set subtract_f32.b, 8
.set subtract_f32.b_length, 12
.set subtract_f32.y, 16
.set subtract_f32.y_length, 20
.set subtract_f32.level, 24
.set subtract_periodic_f16.a, 0
.set subtract_periodic_f16.a_length, 4
.set subtract_periodic_f16.b, 8
.set subtract_periodic_f16.b_length, 12
.set subtract_periodic_f16.y, 16
.set subtract_periodic_f16.y_length, 20
.set subtract_periodic_f16.level, 24
.set subtract_periodic_f16.b_level, 28
.set subtract_periodic_f16.b_again, 32
.set subtract_periodic_f32.a, 0
.set subtract_periodic_f32.a_length, 4
.set subtract_periodic_f32.b, 8
.set subtract_periodic_f32.b_length, 12
.set subtract_periodic_f32.y, 16
.set subtract_periodic_f32.y_length, 20
.set subtract_periodic_f32.level, 24
.set subtract_periodic_f32.b_level, 28
.set subtract_periodic_f32.b_again, 32
.set sum_columns_f16.x, 0
.set sum_columns_f16.x_length, 4
.set sum_columns_f16.y, 8
.set sum_columns_f16.y_length, 12
.set sum_columns_f16.count, 16
.set sum_columns_f16.stride, 20
.set sum_columns_f16.factor, 24
.set sum_columns_f16.level, 28
.set sum_columns_f16.next, 32
.set sum_columns_f16.words, 36
.set sum_columns_f16.y_level, 40
.set sum_columns_f16_f32.x, 0
.set sum_columns_f16_f32.x_length, 4
.set sum_columns_f16_f32.y, 8
.set sum_columns_f16_f32.y_length, 12
.set sum_columns_f16_f32.count, 16
.set sum_columns_f16_f32.stride, 20
.set sum_columns_f16_f32.factor, 24
.set sum_columns_f16_f32.level, 28
.set sum_columns_f16_f32.next, 32
.set sum_columns_f16_f32.words, 36
.set sum_columns_f16_f32.y_level, 40
.set sum_columns_f32.x, 0
.set sum_columns_f32.x_length, 4
.set sum_columns_f32.y, 8
.set sum_columns_f32.y_length, 12
.set sum_columns_f32.count, 16
.set sum_columns_f32.stride, 20
.set sum_columns_f32.factor, 24
.set sum_columns_f32.level, 28
.set sum_columns_f32.next, 32
.set sum_columns_f32.words, 36
.set sum_columns_f32.y_level, 40
.set sum_halves.x, 0
.set sum_halves.x_length, 4
.set sum_halves.other, 8
.set sum_halves.other_length, 12
.set sum_halves.y, 16
.set sum_halves.y_length, 20
.set sum_halves.level, 24
.set sum_rows_f16.x, 0
.set sum_rows_f16.x_length, 4
.set sum_rows_f16.y, 8
.set sum_rows_f16.y_length, 12
.set sum_rows_f16.factor, 16
.set sum_rows_f16.level, 20
.set sum_rows_f16.words, 24
.set sum_rows_f16.y_bytes, 28
.set sum_rows_f16.mask, 32
.set sum_rows_f16.mask_high, 36
.set sum_rows_f16_f32.x, 0
.set sum_rows_f16_f32.x_length, 4
.set sum_rows_f16_f32.y, 8
.set sum_rows_f16_f32.y_length, 12
.set sum_rows_f16_f32.factor, 16
.set sum_rows_f16_f32.level, 20
.set sum_rows_f16_f32.words, 24
.set sum_rows_f16_f32.y_bytes, 28
.set sum_rows_f16_f32.mask, 32
.set sum_rows_f16_f32.mask_high, 36
.set sum_rows_f32.x, 0
.set sum_rows_f32.x_length, 4
.set sum_rows_f32.y, 8
.set sum_rows_f32.y_length, 12
.set sum_rows_f32.factor, 16
.set sum_rows_f32.level, 20
.set sum_rows_f32.words, 24
.set sum_rows_f32.y_bytes, 28
.set sum_rows_f32.mask, 32
.set sum_rows_f32.mask_high, 36
.set sum_rows_f32_f16.x, 0
.set sum_rows_f32_f16.x_length, 4
.set sum_rows_f32_f16.y, 8
.set sum_rows_f32_f16.y_length, 12
.set sum_rows_f32_f16.factor, 16
.set sum_rows_f32_f16.level, 20
.set sum_rows_f32_f16.words, 24
.set sum_rows_f32_f16.y_bytes, 28
.set sum_rows_f32_f16.mask, 32
.set sum_rows_f32_f16.mask_high, 36
.set top_k_f16.x, 0
.set top_k_f16.x_length, 4
.set top_k_f16.y, 8
.set top_k_f16.y_length, 12
.set top_k_f16.index, 16
.set top_k_f16.index_length, 20
.set top_k_f16.keys, 24
.set top_k_f16.keys_length, 28
.set top_k_f16.columns, 32
.set top_k_f16.k, 36
.set top_k_f16.smallest, 40
.set top_k_f32.x, 0
.set top_k_f32.x_length, 4
.set top_k_f32.y, 8
.set top_k_f32.y_length, 12
.set top_k_f32.index, 16
.set top_k_f32.index_length, 20
.set top_k_f32.keys, 24
.set top_k_f32.keys_length, 28
.set top_k_f32.columns, 32
.set top_k_f32.k, 36
.set top_k_f32.smallest, 40
.set top_k_words_f16.x, 0
.set top_k_words_f16.x_length, 4
.set top_k_words_f16.y, 8
.set top_k_words_f16.y_length, 12
.set top_k_words_f16.index, 16
.set top_k_words_f16.index_length, 20
.set top_k_words_f16.keys, 24
.set top_k_words_f16.keys_length, 28
.set top_k_words_f16.columns, 32
.set top_k_words_f16.k, 36
.set top_k_words_f16.smallest, 40
.set top_k_words_f16.level, 44
.set top_k_words_f16.words, 48
.set top_k_words_f16.row_bytes, 52
.set top_k_words_f16.rows, 56
.set top_k_words_f16.flip, 60
.set top_k_words_f32.x, 0
.set top_k_words_f32.x_length, 4
.set top_k_words_f32.y, 8
.set top_k_words_f32.y_length, 12
.set top_k_words_f32.index, 16
.set top_k_words_f32.index_length, 20
.set top_k_words_f32.keys, 24
.set top_k_words_f32.keys_length, 28
.set top_k_words_f32.columns, 32
.set top_k_words_f32.k, 36
.set top_k_words_f32.smallest, 40
.set top_k_words_f32.level, 44
.set top_k_words_f32.words, 48
.set top_k_words_f32.row_bytes, 52
.set top_k_words_f32.rows, 56
.set top_k_words_f32.flip, 60
.set transpose.x, 0
.set transpose.x_length, 4
.set transpose.y, 8
.set transpose.y_length, 12
.set transpose.rows, 16
.set transpose.columns, 20
.set transpose.step, 24
.set transpose_halves.x, 0
.set transpose_halves.x_length, 4
.set transpose_halves.y, 8
.set transpose_halves.y_length, 12
.set transpose_halves.rows, 16
.set transpose_halves.columns, 20
.set transpose_halves.step, 24
.set uniform_f16.state, 0
.set uniform_f16.state_length, 4
.set uniform_f16.y, 8
.set uniform_f16.y_length, 12
.set uniform_f16.level, 16
.set uniform_f32.state, 0
.set uniform_f32.state_length, 4
.set uniform_f32.y, 8
.set uniform_f32.y_length, 12
.set uniform_f32.level, 16
.set uniform_plain.state, 0
.set uniform_plain.state_length, 4
.set uniform_plain.y, 8
.set uniform_plain.y_length, 12
.set widen.x, 0
.set widen.x_length, 4
.set widen.y, 8
.set widen.y_length, 12
.set widen.level, 16
.set widen.y_level, 20
.set widen.pairs, 24
.set widen.odd, 28
#else
#include <stdint.h>

struct absolute_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void absolute(const struct absolute_vertex *v);

struct absolute_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void absolute_f16(const struct absolute_f16_vertex *v);

struct absolute_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void absolute_f32(const struct absolute_f32_vertex *v);

struct add_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void add(const struct add_vertex *v);

struct add_constant_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void add_constant_f16(const struct add_constant_f16_vertex *v);

struct add_constant_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void add_constant_f32(const struct add_constant_f32_vertex *v);

struct add_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void add_f16(const struct add_f16_vertex *v);

struct add_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void add_f32(const struct add_f32_vertex *v);

struct add_periodic_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void add_periodic_f16(const struct add_periodic_f16_vertex *v);

struct add_periodic_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void add_periodic_f32(const struct add_periodic_f32_vertex *v);

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

struct arg_max_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    int32_t *y;
    uint32_t y_length;
    uint32_t columns;
    uint32_t level;
    uint32_t words;
    uint32_t rows;
};
void arg_max_f16(const struct arg_max_f16_vertex *v);

struct arg_max_f32_vertex {
    const float *x;
    uint32_t x_length;
    int32_t *y;
    uint32_t y_length;
    uint32_t columns;
    uint32_t level;
    uint32_t words;
    uint32_t rows;
};
void arg_max_f32(const struct arg_max_f32_vertex *v);

struct bernoulli_f16_vertex {
    uint32_t *state;
    uint32_t state_length;
    _Float16 *y;
    uint32_t y_length;
    float probability;
    uint32_t level;
};
void bernoulli_f16(const struct bernoulli_f16_vertex *v);

struct bernoulli_f32_vertex {
    uint32_t *state;
    uint32_t state_length;
    float *y;
    uint32_t y_length;
    float probability;
    uint32_t level;
};
void bernoulli_f32(const struct bernoulli_f32_vertex *v);

struct bernoulli_plain_vertex {
    uint32_t *state;
    uint32_t state_length;
    float *y;
    uint32_t y_length;
    float probability;
};
void bernoulli_plain(const struct bernoulli_plain_vertex *v);

struct copy_halves_vertex {
    const _Float16 *source;
    uint32_t source_length;
    _Float16 *destination;
    uint32_t destination_length;
};
void copy_halves(const struct copy_halves_vertex *v);

struct copy_nest_halves_vertex {
    const _Float16 *source;
    uint32_t source_length;
    _Float16 *destination;
    uint32_t destination_length;
    uint32_t count;
    uint32_t rows;
    uint32_t planes;
    int32_t source_step;
    int32_t source_row;
    int32_t source_plane;
    int32_t destination_step;
    int32_t destination_row;
    int32_t destination_plane;
};
void copy_nest_halves(const struct copy_nest_halves_vertex *v);

struct copy_nest_pairs_vertex {
    const _Float16 *source;
    uint32_t source_length;
    _Float16 *destination;
    uint32_t destination_length;
    uint32_t count;
    uint32_t rows;
    uint32_t planes;
    int32_t source_step;
    int32_t source_row;
    int32_t source_plane;
    int32_t destination_step;
    int32_t destination_row;
    int32_t destination_plane;
};
void copy_nest_pairs(const struct copy_nest_pairs_vertex *v);

struct copy_nest_words_vertex {
    const uint32_t *source;
    uint32_t source_length;
    uint32_t *destination;
    uint32_t destination_length;
    uint32_t count;
    uint32_t rows;
    uint32_t planes;
    int32_t source_step;
    int32_t source_row;
    int32_t source_plane;
    int32_t destination_step;
    int32_t destination_row;
    int32_t destination_plane;
};
void copy_nest_words(const struct copy_nest_words_vertex *v);

struct copy_words_vertex {
    const uint32_t *source;
    uint32_t source_length;
    uint32_t *destination;
    uint32_t destination_length;
};
void copy_words(const struct copy_words_vertex *v);

struct depthwise_9_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    const _Float16 *w;
    uint32_t w_length;
    const _Float16 *bias;
    uint32_t bias_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t row_step;
    uint32_t column_step;
    uint32_t kernel_rows;
    uint32_t kernel_columns;
    uint32_t kernel_row_step;
    uint32_t kernel_column_step;
    uint32_t w_level;
    uint32_t w_again;
    uint32_t y_level;
    uint32_t along;
    uint32_t down;
    uint32_t next;
    uint32_t row_bytes;
    uint32_t x_bytes;
};
void depthwise_9_f16(const struct depthwise_9_f16_vertex *v);

struct depthwise_9_f32_vertex {
    const float *x;
    uint32_t x_length;
    const float *w;
    uint32_t w_length;
    const float *bias;
    uint32_t bias_length;
    float *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t row_step;
    uint32_t column_step;
    uint32_t kernel_rows;
    uint32_t kernel_columns;
    uint32_t kernel_row_step;
    uint32_t kernel_column_step;
    uint32_t w_level;
    uint32_t w_again;
    uint32_t y_level;
    uint32_t along;
    uint32_t down;
    uint32_t next;
    uint32_t row_bytes;
    uint32_t x_bytes;
};
void depthwise_9_f32(const struct depthwise_9_f32_vertex *v);

struct depthwise_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    const _Float16 *w;
    uint32_t w_length;
    const _Float16 *bias;
    uint32_t bias_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t row_step;
    uint32_t column_step;
    uint32_t kernel_rows;
    uint32_t kernel_columns;
    uint32_t kernel_row_step;
    uint32_t kernel_column_step;
    uint32_t w_level;
    uint32_t w_again;
    uint32_t y_level;
    uint32_t along;
    uint32_t down;
    uint32_t next;
    uint32_t row_bytes;
    uint32_t x_bytes;
};
void depthwise_f16(const struct depthwise_f16_vertex *v);

struct depthwise_f32_vertex {
    const float *x;
    uint32_t x_length;
    const float *w;
    uint32_t w_length;
    const float *bias;
    uint32_t bias_length;
    float *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t row_step;
    uint32_t column_step;
    uint32_t kernel_rows;
    uint32_t kernel_columns;
    uint32_t kernel_row_step;
    uint32_t kernel_column_step;
    uint32_t w_level;
    uint32_t w_again;
    uint32_t y_level;
    uint32_t along;
    uint32_t down;
    uint32_t next;
    uint32_t row_bytes;
    uint32_t x_bytes;
};
void depthwise_f32(const struct depthwise_f32_vertex *v);

struct exponent_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void exponent(const struct exponent_vertex *v);

struct exponent_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void exponent_f16(const struct exponent_f16_vertex *v);

struct fill_vertex {
    float *y;
    uint32_t y_length;
    float value;
};
void fill(const struct fill_vertex *v);

struct fill_f16_vertex {
    _Float16 *y;
    uint32_t y_length;
    float value;
    uint32_t level;
};
void fill_f16(const struct fill_f16_vertex *v);

struct fill_f32_vertex {
    float *y;
    uint32_t y_length;
    float value;
    uint32_t level;
};
void fill_f32(const struct fill_f32_vertex *v);

struct gather_f16_vertex {
    const _Float16 *table;
    uint32_t table_length;
    const int32_t *index;
    uint32_t index_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
};
void gather_f16(const struct gather_f16_vertex *v);

struct gather_f32_vertex {
    const float *table;
    uint32_t table_length;
    const int32_t *index;
    uint32_t index_length;
    float *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
};
void gather_f32(const struct gather_f32_vertex *v);

struct gather_i32_vertex {
    const int32_t *table;
    uint32_t table_length;
    const int32_t *index;
    uint32_t index_length;
    int32_t *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
};
void gather_i32(const struct gather_i32_vertex *v);

struct gather_words_f16_vertex {
    const _Float16 *table;
    uint32_t table_length;
    const int32_t *index;
    uint32_t index_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t row;
    uint32_t again;
};
void gather_words_f16(const struct gather_words_f16_vertex *v);

struct gather_words_f32_vertex {
    const float *table;
    uint32_t table_length;
    const int32_t *index;
    uint32_t index_length;
    float *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t row;
    uint32_t again;
};
void gather_words_f32(const struct gather_words_f32_vertex *v);

struct gather_words_i32_vertex {
    const int32_t *table;
    uint32_t table_length;
    const int32_t *index;
    uint32_t index_length;
    int32_t *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t row;
    uint32_t again;
};
void gather_words_i32(const struct gather_words_i32_vertex *v);

struct gru_cell_vertex {
    const _Float16 *gates;
    uint32_t gates_length;
    const _Float16 *h;
    uint32_t h_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t gates_level;
    uint32_t level;
};
void gru_cell(const struct gru_cell_vertex *v);

struct hyperbolic_tangent_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void hyperbolic_tangent(const struct hyperbolic_tangent_vertex *v);

struct hyperbolic_tangent_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void hyperbolic_tangent_f16(const struct hyperbolic_tangent_f16_vertex *v);

struct identity_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void identity(const struct identity_vertex *v);

struct identity_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void identity_f16(const struct identity_f16_vertex *v);

struct identity_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void identity_f32(const struct identity_f32_vertex *v);

struct inverse_square_root_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void inverse_square_root_f16(const struct inverse_square_root_f16_vertex *v);

struct invert_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void invert(const struct invert_vertex *v);

struct invert_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void invert_f16(const struct invert_f16_vertex *v);

struct logarithm_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void logarithm_f16(const struct logarithm_f16_vertex *v);

struct logistic_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void logistic(const struct logistic_vertex *v);

struct logistic_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void logistic_f16(const struct logistic_f16_vertex *v);

struct lstm_cell_vertex {
    const _Float16 *gates;
    uint32_t gates_length;
    const _Float16 *c;
    uint32_t c_length;
    _Float16 *state;
    uint32_t state_length;
    uint32_t gates_level;
    uint32_t level;
    uint32_t both;
    uint32_t next;
};
void lstm_cell(const struct lstm_cell_vertex *v);

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

struct matrix_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    const _Float16 *even;
    uint32_t even_length;
    const _Float16 *odd;
    uint32_t odd_length;
    const float *bias;
    uint32_t bias_length;
    float *sums;
    uint32_t sums_length;
    _Float16 *y;
    uint32_t y_length;
    const uint32_t *rows;
    uint32_t rows_length;
    const uint32_t *segments;
    uint32_t segments_length;
    uint32_t segments_bytes;
    uint32_t blocks;
    uint32_t dot;
    uint32_t y_step;
    uint32_t y_level;
};
void matrix_f16(const struct matrix_f16_vertex *v);

struct matrix_f16_f32_vertex {
    const _Float16 *x;
    uint32_t x_length;
    const _Float16 *even;
    uint32_t even_length;
    const _Float16 *odd;
    uint32_t odd_length;
    const float *bias;
    uint32_t bias_length;
    float *sums;
    uint32_t sums_length;
    float *y;
    uint32_t y_length;
    const uint32_t *rows;
    uint32_t rows_length;
    const uint32_t *segments;
    uint32_t segments_length;
    uint32_t segments_bytes;
    uint32_t blocks;
    uint32_t dot;
    uint32_t y_step;
    uint32_t y_level;
};
void matrix_f16_f32(const struct matrix_f16_f32_vertex *v);

struct matrix_f32_vertex {
    const float *x;
    uint32_t x_length;
    const float *even;
    uint32_t even_length;
    const float *odd;
    uint32_t odd_length;
    const float *bias;
    uint32_t bias_length;
    float *sums;
    uint32_t sums_length;
    float *y;
    uint32_t y_length;
    const uint32_t *rows;
    uint32_t rows_length;
    const uint32_t *segments;
    uint32_t segments_length;
    uint32_t segments_bytes;
    uint32_t blocks;
    uint32_t dot;
    uint32_t y_step;
    uint32_t y_level;
};
void matrix_f32(const struct matrix_f32_vertex *v);

struct matvec_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    const _Float16 *even;
    uint32_t even_length;
    const _Float16 *odd;
    uint32_t odd_length;
    const float *bias;
    uint32_t bias_length;
    float *sums;
    uint32_t sums_length;
    _Float16 *y;
    uint32_t y_length;
    const uint32_t *work;
    uint32_t work_length;
    uint32_t parts;
    uint32_t groups;
    uint32_t outputs;
    uint32_t parts_level;
    uint32_t again_level;
    uint32_t block_level;
};
void matvec_f16(const struct matvec_f16_vertex *v);

struct matvec_f16_f32_vertex {
    const _Float16 *x;
    uint32_t x_length;
    const _Float16 *even;
    uint32_t even_length;
    const _Float16 *odd;
    uint32_t odd_length;
    const float *bias;
    uint32_t bias_length;
    float *sums;
    uint32_t sums_length;
    float *y;
    uint32_t y_length;
    const uint32_t *work;
    uint32_t work_length;
    uint32_t parts;
    uint32_t groups;
    uint32_t outputs;
    uint32_t parts_level;
    uint32_t again_level;
    uint32_t block_level;
};
void matvec_f16_f32(const struct matvec_f16_f32_vertex *v);

struct max_columns_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t stride;
    uint32_t level;
    uint32_t next;
    uint32_t words;
    uint32_t y_level;
};
void max_columns_f16(const struct max_columns_f16_vertex *v);

struct max_columns_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t stride;
    uint32_t level;
    uint32_t next;
    uint32_t words;
    uint32_t y_level;
};
void max_columns_f32(const struct max_columns_f32_vertex *v);

struct max_rows_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t words;
    uint32_t y_bytes;
    uint32_t mask;
    uint32_t mask_high;
};
void max_rows_f16(const struct max_rows_f16_vertex *v);

struct max_rows_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t words;
    uint32_t y_bytes;
    uint32_t mask;
    uint32_t mask_high;
};
void max_rows_f32(const struct max_rows_f32_vertex *v);

struct maximum_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void maximum(const struct maximum_vertex *v);

struct maximum_constant_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void maximum_constant_f16(const struct maximum_constant_f16_vertex *v);

struct maximum_constant_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void maximum_constant_f32(const struct maximum_constant_f32_vertex *v);

struct maximum_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void maximum_f16(const struct maximum_f16_vertex *v);

struct maximum_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void maximum_f32(const struct maximum_f32_vertex *v);

struct maximum_periodic_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void maximum_periodic_f16(const struct maximum_periodic_f16_vertex *v);

struct maximum_periodic_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void maximum_periodic_f32(const struct maximum_periodic_f32_vertex *v);

struct min_columns_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t stride;
    uint32_t level;
    uint32_t next;
    uint32_t words;
    uint32_t y_level;
};
void min_columns_f16(const struct min_columns_f16_vertex *v);

struct min_columns_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t stride;
    uint32_t level;
    uint32_t next;
    uint32_t words;
    uint32_t y_level;
};
void min_columns_f32(const struct min_columns_f32_vertex *v);

struct min_rows_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t words;
    uint32_t y_bytes;
    uint32_t mask;
    uint32_t mask_high;
};
void min_rows_f16(const struct min_rows_f16_vertex *v);

struct min_rows_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t words;
    uint32_t y_bytes;
    uint32_t mask;
    uint32_t mask_high;
};
void min_rows_f32(const struct min_rows_f32_vertex *v);

struct minimum_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void minimum(const struct minimum_vertex *v);

struct minimum_constant_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void minimum_constant_f16(const struct minimum_constant_f16_vertex *v);

struct minimum_constant_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void minimum_constant_f32(const struct minimum_constant_f32_vertex *v);

struct minimum_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void minimum_f16(const struct minimum_f16_vertex *v);

struct minimum_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void minimum_f32(const struct minimum_f32_vertex *v);

struct minimum_periodic_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void minimum_periodic_f16(const struct minimum_periodic_f16_vertex *v);

struct minimum_periodic_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void minimum_periodic_f32(const struct minimum_periodic_f32_vertex *v);

struct multiply_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void multiply(const struct multiply_vertex *v);

struct multiply_constant_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void multiply_constant_f16(const struct multiply_constant_f16_vertex *v);

struct multiply_constant_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void multiply_constant_f32(const struct multiply_constant_f32_vertex *v);

struct multiply_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void multiply_f16(const struct multiply_f16_vertex *v);

struct multiply_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void multiply_f32(const struct multiply_f32_vertex *v);

struct multiply_periodic_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void multiply_periodic_f16(const struct multiply_periodic_f16_vertex *v);

struct multiply_periodic_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void multiply_periodic_f32(const struct multiply_periodic_f32_vertex *v);

struct narrow_vertex {
    const float *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t x_level;
    uint32_t pairs;
    uint32_t odd;
};
void narrow(const struct narrow_vertex *v);

struct negate_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
};
void negate(const struct negate_vertex *v);

struct negate_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void negate_f16(const struct negate_f16_vertex *v);

struct negate_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void negate_f32(const struct negate_f32_vertex *v);

struct normal_f16_vertex {
    uint32_t *state;
    uint32_t state_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void normal_f16(const struct normal_f16_vertex *v);

struct normal_f32_vertex {
    uint32_t *state;
    uint32_t state_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void normal_f32(const struct normal_f32_vertex *v);

struct normal_plain_vertex {
    uint32_t *state;
    uint32_t state_length;
    float *y;
    uint32_t y_length;
};
void normal_plain(const struct normal_plain_vertex *v);

struct normalise_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t columns;
    float share;
    float epsilon;
};
void normalise(const struct normalise_vertex *v);

struct normalise_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t columns;
    float share;
    float epsilon;
    uint32_t level;
    uint32_t passes;
    uint32_t passes_high;
    uint32_t rows_level;
    uint32_t y_level;
    uint32_t rows;
    uint32_t words;
};
void normalise_f16(const struct normalise_f16_vertex *v);

struct normalise_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t columns;
    float share;
    float epsilon;
    uint32_t level;
    uint32_t passes;
    uint32_t passes_high;
    uint32_t rows_level;
    uint32_t y_level;
    uint32_t rows;
    uint32_t words;
};
void normalise_f32(const struct normalise_f32_vertex *v);

struct pool_max_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    const uint32_t *runs;
    uint32_t runs_length;
    uint32_t words;
};
void pool_max_f16(const struct pool_max_f16_vertex *v);

struct pool_max_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    const uint32_t *runs;
    uint32_t runs_length;
    uint32_t words;
};
void pool_max_f32(const struct pool_max_f32_vertex *v);

struct pool_max_plain_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    const uint32_t *runs;
    uint32_t runs_length;
    uint32_t words;
};
void pool_max_plain(const struct pool_max_plain_vertex *v);

struct pool_mean_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    const uint32_t *runs;
    uint32_t runs_length;
    uint32_t words;
};
void pool_mean_f16(const struct pool_mean_f16_vertex *v);

struct pool_mean_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    const uint32_t *runs;
    uint32_t runs_length;
    uint32_t words;
};
void pool_mean_f32(const struct pool_mean_f32_vertex *v);

struct pool_mean_plain_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    const uint32_t *runs;
    uint32_t runs_length;
    uint32_t words;
};
void pool_mean_plain(const struct pool_mean_plain_vertex *v);

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

struct relu_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void relu_f16(const struct relu_f16_vertex *v);

struct relu_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void relu_f32(const struct relu_f32_vertex *v);

struct scaled_add_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    float factor;
    uint32_t level;
};
void scaled_add_f16(const struct scaled_add_f16_vertex *v);

struct scaled_add_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    float factor;
    uint32_t level;
};
void scaled_add_f32(const struct scaled_add_f32_vertex *v);

struct softmax_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t columns;
};
void softmax(const struct softmax_vertex *v);

struct softmax_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t columns;
    uint32_t level;
    uint32_t passes;
    uint32_t passes_high;
    uint32_t rows_level;
    uint32_t y_level;
    uint32_t rows;
    uint32_t words;
};
void softmax_f16(const struct softmax_f16_vertex *v);

struct square_root_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void square_root_f16(const struct square_root_f16_vertex *v);

struct subtract_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
};
void subtract(const struct subtract_vertex *v);

struct subtract_constant_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void subtract_constant_f16(const struct subtract_constant_f16_vertex *v);

struct subtract_constant_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void subtract_constant_f32(const struct subtract_constant_f32_vertex *v);

struct subtract_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void subtract_f16(const struct subtract_f16_vertex *v);

struct subtract_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void subtract_f32(const struct subtract_f32_vertex *v);

struct subtract_periodic_f16_vertex {
    const _Float16 *a;
    uint32_t a_length;
    const _Float16 *b;
    uint32_t b_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void subtract_periodic_f16(const struct subtract_periodic_f16_vertex *v);

struct subtract_periodic_f32_vertex {
    const float *a;
    uint32_t a_length;
    const float *b;
    uint32_t b_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t b_level;
    uint32_t b_again;
};
void subtract_periodic_f32(const struct subtract_periodic_f32_vertex *v);

struct sum_columns_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t stride;
    float factor;
    uint32_t level;
    uint32_t next;
    uint32_t words;
    uint32_t y_level;
};
void sum_columns_f16(const struct sum_columns_f16_vertex *v);

struct sum_columns_f16_f32_vertex {
    const _Float16 *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t stride;
    float factor;
    uint32_t level;
    uint32_t next;
    uint32_t words;
    uint32_t y_level;
};
void sum_columns_f16_f32(const struct sum_columns_f16_f32_vertex *v);

struct sum_columns_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t count;
    uint32_t stride;
    float factor;
    uint32_t level;
    uint32_t next;
    uint32_t words;
    uint32_t y_level;
};
void sum_columns_f32(const struct sum_columns_f32_vertex *v);

struct sum_halves_vertex {
    const _Float16 *x;
    uint32_t x_length;
    const _Float16 *other;
    uint32_t other_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void sum_halves(const struct sum_halves_vertex *v);

struct sum_rows_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    float factor;
    uint32_t level;
    uint32_t words;
    uint32_t y_bytes;
    uint32_t mask;
    uint32_t mask_high;
};
void sum_rows_f16(const struct sum_rows_f16_vertex *v);

struct sum_rows_f16_f32_vertex {
    const _Float16 *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    float factor;
    uint32_t level;
    uint32_t words;
    uint32_t y_bytes;
    uint32_t mask;
    uint32_t mask_high;
};
void sum_rows_f16_f32(const struct sum_rows_f16_f32_vertex *v);

struct sum_rows_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    float factor;
    uint32_t level;
    uint32_t words;
    uint32_t y_bytes;
    uint32_t mask;
    uint32_t mask_high;
};
void sum_rows_f32(const struct sum_rows_f32_vertex *v);

struct sum_rows_f32_f16_vertex {
    const float *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    float factor;
    uint32_t level;
    uint32_t words;
    uint32_t y_bytes;
    uint32_t mask;
    uint32_t mask_high;
};
void sum_rows_f32_f16(const struct sum_rows_f32_f16_vertex *v);

struct top_k_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    int32_t *index;
    uint32_t index_length;
    int32_t *keys;
    uint32_t keys_length;
    uint32_t columns;
    uint32_t k;
    uint32_t smallest;
};
void top_k_f16(const struct top_k_f16_vertex *v);

struct top_k_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    int32_t *index;
    uint32_t index_length;
    int32_t *keys;
    uint32_t keys_length;
    uint32_t columns;
    uint32_t k;
    uint32_t smallest;
};
void top_k_f32(const struct top_k_f32_vertex *v);

struct top_k_words_f16_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    int32_t *index;
    uint32_t index_length;
    _Float16 *keys;
    uint32_t keys_length;
    uint32_t columns;
    uint32_t k;
    uint32_t smallest;
    uint32_t level;
    uint32_t words;
    uint32_t row_bytes;
    uint32_t rows;
    uint32_t flip;
};
void top_k_words_f16(const struct top_k_words_f16_vertex *v);

struct top_k_words_f32_vertex {
    const float *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    int32_t *index;
    uint32_t index_length;
    float *keys;
    uint32_t keys_length;
    uint32_t columns;
    uint32_t k;
    uint32_t smallest;
    uint32_t level;
    uint32_t words;
    uint32_t row_bytes;
    uint32_t rows;
    uint32_t flip;
};
void top_k_words_f32(const struct top_k_words_f32_vertex *v);

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

struct transpose_halves_vertex {
    const _Float16 *x;
    uint32_t x_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t rows;
    uint32_t columns;
    uint32_t step;
};
void transpose_halves(const struct transpose_halves_vertex *v);

struct uniform_f16_vertex {
    uint32_t *state;
    uint32_t state_length;
    _Float16 *y;
    uint32_t y_length;
    uint32_t level;
};
void uniform_f16(const struct uniform_f16_vertex *v);

struct uniform_f32_vertex {
    uint32_t *state;
    uint32_t state_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
};
void uniform_f32(const struct uniform_f32_vertex *v);

struct uniform_plain_vertex {
    uint32_t *state;
    uint32_t state_length;
    float *y;
    uint32_t y_length;
};
void uniform_plain(const struct uniform_plain_vertex *v);

struct widen_vertex {
    const _Float16 *x;
    uint32_t x_length;
    float *y;
    uint32_t y_length;
    uint32_t level;
    uint32_t y_level;
    uint32_t pairs;
    uint32_t odd;
};
void widen(const struct widen_vertex *v);
#endif
