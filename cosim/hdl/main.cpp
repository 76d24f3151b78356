// The simulator's main loop: hosts cocotb through VPI and makes the clock in C++.
//
// Time is counted in half clock periods (1 step): the clock rises at odd times and falls at even
// ones. A half period in which no callback is due costs one evaluation and a few comparisons, so
// that a test that waits for an event, not for cycles, runs at the speed of a bare C++ loop.
// Within one time step the order is that of an event-driven simulator: timers; the clock's edge,
// at which callbacks still see the registers' old values; the evaluation; what it changed; writes
// and further evaluations; read-only.
//
// A model without clock (OPENIPU_CLOCK undefined) is evaluated when a callback is due.

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>

#include "Vtop.h"
#include "verilated.h"
#include "verilated_vpi.h"

#if VM_TRACE_FST
#include "verilated_fst_c.h"
#endif
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

extern "C" void vlog_startup_routines_bootstrap(void);

namespace {

constexpr vluint64_t kNever = ~0ULL;
vluint64_t now = 0;

// Calls value-change callbacks until they change nothing more; they may write signals.
bool settle() {
    const bool called = VerilatedVpi::callValueCbs();
    if (called) {
        while (VerilatedVpi::callValueCbs()) {
        }
    }
    return called;
}

#ifdef OPENIPU_CLOCK
void tick(Vtop& top) {
    ++now;
    top.OPENIPU_CLOCK = now & 1;
}
#endif

}  // namespace

double sc_time_stamp() { return static_cast<double>(now); }

int main(int argc, char** argv) {
    Verilated::commandArgs(argc, argv);
    Verilated::fatalOnVpiError(false);
    const std::unique_ptr<Vtop> top{new Vtop{""}};

#if VM_TRACE_FST
    std::unique_ptr<VerilatedFstC> waves;
    if (const char* const arg = Verilated::commandArgsPlusMatch("waves="); *arg) {
        Verilated::traceEverOn(true);
        waves.reset(new VerilatedFstC);
        top->trace(waves.get(), 99);
        waves->open(std::strchr(arg, '=') + 1);
    }
#endif

#if VM_TRACE_FST
    const bool watched = waves != nullptr;
#else
    const bool watched = false;
#endif

    vlog_startup_routines_bootstrap();
    VerilatedVpi::callCbs(cbStartOfSimulation);
    settle();

    while (!Verilated::gotFinish()) {
        do {
            do {
                top->eval_step();
                VerilatedVpi::clearEvalNeeded();
                VerilatedVpi::doInertialPuts();
                settle();
            } while (VerilatedVpi::evalNeeded());
            VerilatedVpi::callCbs(cbReadWriteSynch);
            VerilatedVpi::doInertialPuts();
            settle();
        } while (VerilatedVpi::evalNeeded());
        top->eval_end_step();
        VerilatedVpi::callCbs(cbReadOnlySynch);
#if VM_TRACE_FST
        if (waves) waves->dump(now);
#endif

        const vluint64_t deadline = VerilatedVpi::cbNextDeadline();
#ifdef OPENIPU_CLOCK
        tick(*top);
        // Until a callback is due only the design moves: this loop is the whole cost of a cycle.
        const bool only_design = !watched && !VerilatedVpi::hasCbs(cbNextSimTime);
        bool called = false;
        while (only_design && now < deadline && !settle()) {
            top->eval_step();
            called = settle();
            if (called || Verilated::gotFinish()) break;
            tick(*top);
        }
        if (called) continue;  // in the same time step, with what the callbacks wrote
#else
        if (deadline == kNever) break;
        now = deadline;
#endif
        VerilatedVpi::callCbs(cbNextSimTime);
        if (deadline <= now) VerilatedVpi::callTimedCbs();
        settle();
    }

    top->final();
    VerilatedVpi::callCbs(cbEndOfSimulation);
#if VM_TRACE_FST
    if (waves) waves->close();
#endif
#if VM_COVERAGE
    VerilatedCov::write();
#endif
    return Verilated::threadContextp()->errorCount() > 0;
}
