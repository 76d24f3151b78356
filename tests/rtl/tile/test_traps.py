import pytest
from amaranth.sim import Simulator

from openipu.rtl.config import TileConfig
from openipu.rtl.isa import Cause, SystemOp, ThreadOp, Unit
from openipu.rtl.layouts import EXCHANGE_THREAD
from openipu.rtl.tile.traps import Traps


def simulate(bench):
    dut = Traps(TileConfig())

    async def process(ctx):
        ctx.set(dut.run, 1)
        for name, value in (
            ("x_thread", 3), ("x_pc", 0x40), ("x_word", 0x77), ("x_target", 0x42),
            ("x_address", 0x9001), ("x_a", 0x55),
        ):  # fmt: skip
            ctx.set(getattr(dut, name), value)
        await bench(ctx, dut)

    simulator = Simulator(dut)
    simulator.add_clock(1e-6)
    simulator.add_testbench(process)
    simulator.run()


# From the highest priority down; each row alone, and with all the later ones of its unit.
FAULTS = [
    ({"x_outside": 1}, Cause.FETCH_OUTSIDE, 0x40),
    ({"x_unit": Unit.ILLEGAL}, Cause.ILLEGAL, 0x77),
    ({"x_unit": Unit.CSR, "x_illegal": 1}, Cause.ILLEGAL, 0x77),
    ({"x_unit": Unit.SYSTEM, "x_op": SystemOp.EBREAK.value}, Cause.BREAKPOINT, 0x40),
    ({"x_unit": Unit.SYSTEM, "x_op": SystemOp.ECALL.value}, Cause.ECALL, 0),
    ({"x_unit": Unit.THREAD, "x_op": ThreadOp.TRAP.value, "x_code": 9},
     Cause.EXPLICIT | 9 << 8, 0x55),
    ({"x_unit": Unit.BRANCH, "x_misaligned_target": 1}, Cause.FETCH_MISALIGNED, 0x42),
    ({"x_unit": Unit.LOAD, "x_misaligned": 1, "x_address_outside": 1},
     Cause.LOAD_MISALIGNED, 0x9001),
    ({"x_unit": Unit.LOAD, "x_address_outside": 1}, Cause.LOAD_OUTSIDE, 0x9001),
    ({"x_unit": Unit.STORE, "x_misaligned": 1, "x_address_outside": 1},
     Cause.STORE_MISALIGNED, 0x9001),
    ({"x_unit": Unit.STORE, "x_address_outside": 1}, Cause.STORE_OUTSIDE, 0x9001),
]  # fmt: skip


@pytest.mark.parametrize(("fault", "cause", "value"), FAULTS)
@pytest.mark.parametrize("vector", [0, 0x200])
def test_cause_value_and_destination(fault, cause, value, vector):
    async def bench(ctx, dut):
        ctx.set(dut.x_unit, Unit.ALU)
        ctx.set(dut.x_valid, 1)
        ctx.set(dut.x_vector, vector)
        assert not ctx.get(dut.x_trap)
        for name, given in fault.items():
            ctx.set(getattr(dut, name), given)
        assert ctx.get(dut.x_trap)
        assert (ctx.get(dut.x_cause), ctx.get(dut.x_value)) == (cause, value)
        home = vector != 0 and cause & 0xFF != Cause.EXPLICIT
        assert ctx.get(dut.x_to_thread) == home
        assert ctx.get(dut.x_to_host) == (not home)
        await ctx.tick()
        record = ctx.get(dut.record)
        assert record.valid == (not home)
        if not home:
            assert (record.thread, record.cause, record.pc, record.value) == (3, cause, 64, value)
        ctx.set(dut.x_valid, 0)
        assert not ctx.get(dut.x_trap)

    simulate(bench)


def test_the_first_record_stays_until_the_chip_is_stopped():
    async def bench(ctx, dut):
        for name, value in (("trap", 1), ("cause", Cause.SILENT_BUS), ("cycle", 12), ("value", 5)):
            ctx.set(getattr(dut, f"exchange_{name}"), value)
        await ctx.tick()
        ctx.set(dut.exchange_trap, 0)
        ctx.set(dut.x_unit, Unit.ILLEGAL)
        ctx.set(dut.x_valid, 1)
        await ctx.tick()
        record = ctx.get(dut.record)
        assert (record.thread, record.cause, record.pc, record.value) == (
            EXCHANGE_THREAD, Cause.SILENT_BUS, 12, 5,
        )  # fmt: skip
        ctx.set(dut.run, 0)
        await ctx.tick()
        assert not ctx.get(dut.record).valid

    simulate(bench)
