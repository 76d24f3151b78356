// The cells of recurrent networks by SIMD: from the sums before the gates to the next state.
//
// in0 has the four gates' words of four units, one after another; in1 the state before; .level
// describes level 0 of a stream of a word for each four units.

#include "openipu/codelet.h"

    // c = sigmoid(f) * c + sigmoid(i) * tanh(g); h = sigmoid(o) * tanh(c); gates i, f, g, o
    codelet lstm_cell
    lw      t0, lstm_cell.gates(a0)
    lw      t1, lstm_cell.c(a0)
    lw      t2, lstm_cell.state(a0)
    lw      t3, lstm_cell.gates_level(a0)
    lw      t4, lstm_cell.level(a0)
    lw      t5, lstm_cell.both(a0)
    lw      t6, lstm_cell.next(a0)
    lhu     a1, lstm_cell.level(a0)
    xstream 0, t0, t3
    xstream 1, t1, t4
    xstream 2, t2, t5               // a word of c, one of h
    xlevels 2, t6, zero
    xrpt    a1, 9
    h4sigmoid f0, in0
    h4sigmoid f2, in0
    h4tanh  f4, in0
    h4sigmoid f6, in0
    h4mul   f0, f0, f4
    h4madd  f2, f2, in1, f0
    xvor    out, f2, f2
    h4tanh  f2, f2
    h4mul   out, f6, f2
    ret
    end     lstm_cell

    // n = tanh(x + sigmoid(r) * y); h = n + sigmoid(z) * (h - n); gates z, r, x, y
    codelet gru_cell
    lw      t0, gru_cell.gates(a0)
    lw      t1, gru_cell.h(a0)
    lw      t2, gru_cell.y(a0)
    lw      t3, gru_cell.gates_level(a0)
    lw      t4, gru_cell.level(a0)
    lhu     t5, gru_cell.level(a0)
    xstream 0, t0, t3
    xstream 1, t1, t4
    xstream 2, t2, t4
    xrpt    t5, 7
    h4sigmoid f0, in0
    h4sigmoid f2, in0
    xvor    f4, in0, in0
    h4madd  f4, f2, in0, f4
    h4tanh  f4, f4
    h4sub   f6, in1, f4
    h4madd  out, f0, f6, f4
    ret
    end     gru_cell
