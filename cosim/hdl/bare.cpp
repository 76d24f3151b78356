// The yardstick of cosim/bench.py: the model in a bare C++ loop, without VPI and Python.
//
// usage: bare PC THREAD CYCLES
// Boots the chip through its host port and prints how many cycles it simulates in a second. The
// memories come from the file OPENIPU_MEMORY.

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "Vtop.h"
#include "verilated.h"

double sc_time_stamp() { return 0; }

namespace {

void cycle(Vtop& top) {
    top.clk = 0;
    top.eval();
    top.clk = 1;
    top.eval();
}

void write_register(Vtop& top, uint32_t address, uint64_t data) {
    top.s_axi_awaddr = address;
    top.s_axi_awsize = 3;
    top.s_axi_awburst = 1;
    top.s_axi_wdata = data;
    top.s_axi_wstrb = 0xff;
    top.s_axi_wlast = 1;
    top.s_axi_bready = 1;
    top.s_axi_awvalid = top.s_axi_wvalid = 1;
    bool answered = false;
    while (top.s_axi_awvalid || top.s_axi_wvalid || !answered) {
        top.clk = 0;
        top.eval();
        const bool address_taken = top.s_axi_awready, data_taken = top.s_axi_wready;
        answered = answered || top.s_axi_bvalid;
        top.clk = 1;
        top.eval();
        if (address_taken) top.s_axi_awvalid = 0;
        if (data_taken) top.s_axi_wvalid = 0;
    }
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 4) return 2;
    const uint64_t pc = std::strtoull(argv[1], nullptr, 0);
    const uint64_t thread = std::strtoull(argv[2], nullptr, 0);
    const long cycles = std::atol(argv[3]);
    const std::unique_ptr<Vtop> top{new Vtop};
    top->rst = 1;
    for (int i = 0; i < 8; ++i) cycle(*top);
    top->rst = 0;
    cycle(*top);
    write_register(*top, 0x20, thread << 32 | pc);  // BOOT
    write_register(*top, 0x10, 1);                  // CONTROL: run

    const auto start = std::chrono::steady_clock::now();
    for (long i = 0; i < cycles; ++i) cycle(*top);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    std::printf("%.1f\n", static_cast<double>(cycles) / took.count());
    top->final();
    return 0;
}
