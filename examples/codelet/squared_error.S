// y = (a - b)**2 * weight of f16, four elements a word, by streams.

#include "openipu/codelet.h"

    // The vertex: where fields are, as vertices.h has it for codelets of openipu's own.
    .set    squared_error_f16.a, 0          // a_length is at 4
    .set    squared_error_f16.b, 8
    .set    squared_error_f16.y, 16
    .set    squared_error_f16.weight, 24
    .set    squared_error_f16.level, 28

    codelet squared_error_f16               // the vertex is in a0
    lw      t0, squared_error_f16.a(a0)
    lw      t1, squared_error_f16.b(a0)
    lw      t2, squared_error_f16.y(a0)
    lw      t3, squared_error_f16.level(a0)
    lhu     t4, squared_error_f16.level(a0) // its low half: the words
    flw     f0, squared_error_f16.weight(a0)
    xstream 0, t0, t3                       // in0 reads a
    xstream 1, t1, t3                       // in1 reads b
    xstream 2, t2, t3                       // out writes y
    h4narrow f0, f0, f0                     // the weight as f16,
    h4splat f0, f0                          // four times
    xrpt    t4, 3                           // the next 3 instructions, for every word
    h4sub   f2, in0, in1
    h4mul   f2, f2, f2
    h4mul   out, f2, f0
    ret
    end     squared_error_f16
