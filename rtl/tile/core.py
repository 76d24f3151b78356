"""The tile's processor: fetch, decode, execute, memory, write-back."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.config import WORD_BYTES, TileConfig
from openipu.rtl.isa import Class, File, SystemOp, ThreadOp, Unit, Zone
from openipu.rtl.layouts import Events, TraceRecord, TrapRecord
from openipu.rtl.tile.alu import ALU, Branch
from openipu.rtl.tile.csr import CSRFile
from openipu.rtl.tile.decode import Decoded, Decoder
from openipu.rtl.tile.divide import Divider
from openipu.rtl.tile.fpu import FPU
from openipu.rtl.tile.load_store import LoadStore
from openipu.rtl.tile.multiply import Multiplier
from openipu.rtl.tile.registers import RegisterFile
from openipu.rtl.tile.threads import Threads
from openipu.rtl.tile.traps import Traps

A0 = 10  # where xstart puts a worker's argument
DYNAMIC = 7  # the rounding mode that stands for frm
LAST_ROUNDING_MODE = 4


class Core(wiring.Component):
    """Barrel processor with stages f, d, x, m, w, as docs/developer/machine.md describes it.

    Parameters
    ----------
    config : TileConfig
        Size of the tile.

    Members
    -------
    tile_id, run, freeze, boot_pc, boot_thread, sync_release : In
        As the tile's ports.
    fetch_*, load_*, store_*
        Ports to `SRAM`, which see.
    arm : Out(1), arm_send, arm_receive : Out(32), exchange_busy : In(1)
        The exchange port.
    exchange_trap, exchange_cause, exchange_cycle, exchange_value : In
        Its traps.
    contexts, waiting, zone, halted, pcs : Out
        See `Threads`.
    trap : Out(TrapRecord)
        The first trap to the host.
    events : Out(Events)
        But for sent, received and exchange.
    trace : Out(TraceRecord)
        The instruction in stage w.
    """

    def __init__(self, config: TileConfig) -> None:
        self.config = config
        addr = Out(ceil_log2(config.memory_words))
        super().__init__(
            {
                "tile_id": In(12),
                "run": In(1),
                "freeze": In(1),
                "boot_pc": In(32),
                "boot_thread": In(4),
                "sync_release": In(1),
                "fetch_en": Out(1),
                "fetch_addr": addr,
                "fetch_ok": In(1),
                "fetch_data": In(64),
                "load_en": Out(1),
                "load_addr": addr,
                "load_ok": In(1),
                "load_data": In(64),
                "store_en": Out(1),
                "store_addr": addr,
                "store_data": Out(64),
                "store_strobe": Out(WORD_BYTES),
                "store_ok": In(1),
                "arm": Out(1),
                "arm_send": Out(32),
                "arm_receive": Out(32),
                "exchange_busy": In(1),
                "exchange_trap": In(1),
                "exchange_cause": In(32),
                "exchange_cycle": In(32),
                "exchange_value": In(32),
                "contexts": Out(config.contexts),
                "waiting": Out(1),
                "zone": Out(2),
                "halted": Out(1),
                "pcs": Out(data.ArrayLayout(32, config.contexts)),
                "trap": Out(TrapRecord),
                "events": Out(Events),
                "trace": Out(TraceRecord),
            }
        )

    def elaborate(self, platform):
        """Build the stages in order; each returns what the next needs as stage-named signals."""
        m = Module()
        config = self.config
        thread_bits = ceil_log2(config.contexts)
        m.submodules.threads = threads = Threads(config)
        m.submodules.decoder = decoder = Decoder()
        m.submodules.x_registers = x_file = RegisterFile(config, reads=2, zero=True)
        m.submodules.f_registers = f_file = RegisterFile(config, reads=3, zero=False)
        m.submodules.alu = alu = ALU()
        m.submodules.branch = branch = Branch()
        m.submodules.multiplier = multiplier = Multiplier()
        m.submodules.divider = divider = Divider(config)
        m.submodules.load_store = load_store = LoadStore(config)
        m.submodules.csrs = csrs = CSRFile(config)
        m.submodules.fpu = fpu = FPU()
        m.submodules.traps = traps = Traps(config)

        for name in ("run", "freeze", "boot_pc", "boot_thread", "sync_release", "exchange_busy"):
            m.d.comb += getattr(threads, name).eq(getattr(self, name))
        m.d.comb += [
            self.contexts.eq(threads.running),
            self.waiting.eq(threads.waiting),
            self.zone.eq(threads.zone),
            self.halted.eq(threads.halted),
            self.pcs.eq(threads.pcs),
            self.trap.eq(traps.record),
            traps.run.eq(self.run),
            csrs.run.eq(self.run),
            csrs.tile_id.eq(self.tile_id),
            divider.run.eq(self.run),
        ]

        # f: choose the thread, ask for the word
        f_outside = Signal()
        m.d.comb += [
            f_outside.eq(threads.f_pc[:31] >= config.memory_bytes),
            self.fetch_en.eq(threads.f_valid & ~f_outside),
            self.fetch_addr.eq(threads.f_pc[3:31]),
            self.events.idle.eq(
                self.run & ~self.freeze & ~threads.f_valid & threads.running.any()
            ),
            self.events.replay_fetch.eq(self.fetch_en & ~self.fetch_ok),
        ]
        d_valid, d_outside = Signal(), Signal()
        d_thread, d_pc = Signal(thread_bits), Signal(32)
        m.d.sync += [
            d_valid.eq(threads.f_valid & (f_outside | self.fetch_ok)),
            d_outside.eq(f_outside),
            d_thread.eq(threads.f_thread),
            d_pc.eq(threads.f_pc),
        ]

        # d: decode, ask for the registers
        d_word = Signal(32)
        m.d.comb += [d_word.eq(self.fetch_data.word_select(d_pc[2], 32)), decoder.word.eq(d_word)]
        for file in (x_file, f_file):
            m.d.comb += file.d_thread.eq(d_thread)
            for index, low in enumerate((15, 20, 27)[: file.reads]):
                m.d.comb += file.d_numbers[index].eq(d_word[low : low + 5])
        x_valid, x_outside = Signal(), Signal()
        x_thread, x_pc, x_word = Signal(thread_bits), Signal(32), Signal(32)
        x = Signal(Decoded, name="x_decoded")
        m.d.sync += [
            x_valid.eq(d_valid & self.run),
            x_outside.eq(d_outside),
            x_thread.eq(d_thread),
            x_pc.eq(d_pc),
            x_word.eq(d_word),
            x.eq(decoder.decoded),
        ]

        # x: operands, and every unit's first stage
        x_a, x_b, x_data = Signal(32), Signal(32), Signal(32)
        x_supervisor = x_thread == config.supervisor
        x_rm = Signal(3)
        m.d.comb += [
            x_a.eq(x_file.x_values[0]),
            x_b.eq(Mux(x.has_immediate, x.immediate, x_file.x_values[1])),
            x_data.eq(Mux(x.rs2_file == File.F, f_file.x_values[1], x_file.x_values[1])),
            x_rm.eq(Mux(x_word[12:15] == DYNAMIC, csrs.x_frm, x_word[12:15])),
            alu.op.eq(x.op),
            alu.a.eq(x_a),
            alu.b.eq(x_b),
            alu.pc.eq(x_pc),
            branch.op.eq(x.op),
            branch.a.eq(x_a),
            branch.b.eq(x_file.x_values[1]),
            branch.pc.eq(x_pc),
            branch.immediate.eq(x.immediate),
            multiplier.x_op.eq(x.op),
            multiplier.x_a.eq(x_a),
            multiplier.x_b.eq(x_file.x_values[1]),
            divider.x_op.eq(x.op),
            divider.x_thread.eq(x_thread),
            divider.x_a.eq(x_a),
            divider.x_b.eq(x_file.x_values[1]),
            load_store.x_op.eq(x.op),
            load_store.x_base.eq(x_a),
            load_store.x_offset.eq(x.immediate),
            load_store.x_data.eq(x_data),
            csrs.x_op.eq(x.op),
            csrs.x_thread.eq(x_thread),
            csrs.x_number.eq(x_word[20:32]),
            csrs.x_source.eq(x_word[15:20]),
            csrs.x_value.eq(x_a),
            fpu.x_op.eq(x.op),
            fpu.x_rm.eq(x_rm),
            fpu.x_a.eq(f_file.x_values[0]),
            fpu.x_b.eq(f_file.x_values[1]),
            fpu.x_c.eq(f_file.x_values[2]),
            fpu.x_i.eq(x_a),
        ]

        # x: traps
        is_thread_op = x.unit == Unit.THREAD
        x_start, x_end, x_wait = Signal(), Signal(), Signal()
        x_sync, x_arm, x_mret = Signal(), Signal(), Signal()
        for signal, op in (
            (x_start, ThreadOp.START), (x_end, ThreadOp.END), (x_wait, ThreadOp.WAIT),
            (x_sync, ThreadOp.SYNC), (x_arm, ThreadOp.ARM),
        ):  # fmt: skip
            m.d.comb += signal.eq(is_thread_op & (x.op == op.value))
        m.d.comb += [
            x_mret.eq((x.unit == Unit.SYSTEM) & (x.op == SystemOp.MRET.value)),
            csrs.x_access.eq(x.unit == Unit.CSR),
            traps.x_valid.eq(x_valid),
            traps.x_outside.eq(x_outside),
            traps.x_unit.eq(x.unit),
            traps.x_op.eq(x.op),
            traps.x_code.eq(x.rd),
            traps.x_illegal.eq(
                (csrs.x_access & csrs.x_illegal)
                | (x.rounds & (x_rm > LAST_ROUNDING_MODE))
                | ((x_start | x_wait | x_sync | x_arm) & ~x_supervisor)
                | (x_start & (x.rd >= config.slots))
                | (x_sync & (x.rd > Zone.HOST.value))
            ),
            traps.x_misaligned_target.eq(
                (x.unit == Unit.BRANCH) & branch.taken & branch.target[1]
            ),
            traps.x_misaligned.eq(load_store.x_misaligned),
            traps.x_address_outside.eq(load_store.x_outside),
            traps.x_thread.eq(x_thread),
            traps.x_pc.eq(x_pc),
            traps.x_word.eq(x_word),
            traps.x_target.eq(branch.target),
            traps.x_address.eq(load_store.x_address),
            traps.x_a.eq(x_a),
            traps.x_vector.eq(csrs.x_vector),
            traps.exchange_trap.eq(self.exchange_trap),
            traps.exchange_cause.eq(self.exchange_cause),
            traps.exchange_cycle.eq(self.exchange_cycle),
            traps.exchange_value.eq(self.exchange_value),
        ]

        # x: what must come again
        x_sane = Signal()  # an instruction that does not trap
        x_replay_bank, x_replay_divide, x_replay_wait = Signal(), Signal(), Signal()
        x_retire, x_worker_runs = Signal(), Signal()
        m.d.comb += [
            x_sane.eq(x_valid & ~traps.x_trap),
            self.load_en.eq(x_sane & (x.unit == Unit.LOAD)),
            self.load_addr.eq(load_store.x_word),
            self.store_en.eq(x_sane & (x.unit == Unit.STORE)),
            self.store_addr.eq(load_store.x_word),
            self.store_data.eq(load_store.x_store_data),
            self.store_strobe.eq(load_store.x_store_strobe),
            divider.x_request.eq(x_sane & (x.unit == Unit.DIVIDE)),
            x_worker_runs.eq(threads.running.bit_select(x.rd[:thread_bits], 1)),
            x_replay_bank.eq(
                (self.load_en & ~self.load_ok) | (self.store_en & ~self.store_ok)
            ),
            x_replay_divide.eq(divider.x_request & ~divider.x_ready),
            x_replay_wait.eq(
                x_sane & ((x_wait & threads.workers_busy) | (x_start & x_worker_runs))
            ),
            x_retire.eq(x_sane & ~(x_replay_bank | x_replay_divide | x_replay_wait)),
            self.events.replay_bank.eq(x_replay_bank),
            self.events.replay_divide.eq(x_replay_divide),
            self.events.replay_wait.eq(x_replay_wait),
        ]

        # x: the thread goes on
        x_next_pc = Signal(32)
        m.d.comb += [
            x_next_pc.eq(x_pc + 4),
            threads.x_thread.eq(x_thread),
            threads.x_next_pc.eq(x_next_pc),
            threads.x_advance.eq(x_retire | traps.x_to_thread),
            threads.x_stop.eq((x_retire & x_end) | traps.x_to_host),
            threads.x_sync.eq(x_retire & x_sync),
            threads.x_zone.eq(x.rd),
            csrs.x_retire.eq(x_retire),
            csrs.x_trap.eq(traps.x_to_thread),
            csrs.x_mret.eq(x_retire & x_mret),
            csrs.x_pc.eq(x_pc),
            csrs.x_cause.eq(traps.x_cause),
            csrs.x_trap_value.eq(traps.x_value),
            self.arm.eq(x_retire & x_arm),
            self.arm_send.eq(x_a),
            self.arm_receive.eq(x_file.x_values[1]),
        ]
        with m.If(traps.x_to_thread):
            m.d.comb += x_next_pc.eq(csrs.x_vector)
        with m.Elif(x_mret):
            m.d.comb += x_next_pc.eq(csrs.x_return)
        with m.Elif((x.unit == Unit.BRANCH) & branch.taken):
            m.d.comb += x_next_pc.eq(branch.target)
        for name, kind in (
            ("integer", Class.INTEGER), ("branch", Class.BRANCH), ("memory", Class.MEMORY),
            ("muldiv", Class.MULDIV), ("float", Class.FLOAT), ("system", Class.SYSTEM),
        ):  # fmt: skip
            m.d.comb += self.events[name].eq(x_retire & (x.counted_as == kind))
        m.d.comb += self.events.sync.eq(threads.waiting)

        # m: results that were ready in x wait; loads arrive
        x_result = Signal(32)
        m.d.comb += x_result.eq(alu.result)
        with m.Switch(x.unit):
            with m.Case(Unit.BRANCH):
                m.d.comb += x_result.eq(x_pc + 4)
            with m.Case(Unit.DIVIDE):
                m.d.comb += x_result.eq(divider.x_result)
            with m.Case(Unit.CSR):
                m.d.comb += x_result.eq(csrs.x_read)
            with m.Case(Unit.THREAD):  # xstart's argument
                m.d.comb += x_result.eq(x_file.x_values[1])
        m_retire, m_start, m_thread = Signal(), Signal(), Signal(thread_bits)
        m_unit, m_op, m_low = Signal(Unit), Signal(5), Signal(3)
        m_file, m_rd, m_result, m_entry = Signal(File), Signal(5), Signal(32), Signal(32)
        m.d.sync += [
            m_retire.eq(x_retire),
            m_start.eq(x_retire & x_start),
            m_thread.eq(x_thread),
            m_unit.eq(x.unit),
            m_op.eq(x.op),
            m_low.eq(load_store.x_address[:3]),
            m_file.eq(x.rd_file),
            m_rd.eq(x.rd),
            m_result.eq(x_result),
            m_entry.eq(x_a),
        ]
        m.d.comb += [
            load_store.m_op.eq(m_op),
            load_store.m_low.eq(m_low),
            load_store.m_word.eq(self.load_data),
        ]

        # w: write back
        w_retire, w_start, w_thread = Signal(), Signal(), Signal(thread_bits)
        w_unit, w_file, w_rd = Signal(Unit), Signal(File), Signal(5)
        w_result, w_value, w_entry = Signal(32), Signal(32), Signal(32)
        m.d.sync += [
            w_retire.eq(m_retire & self.run),
            w_start.eq(m_start & self.run),
            w_thread.eq(m_thread),
            w_unit.eq(m_unit),
            w_file.eq(m_file),
            w_rd.eq(m_rd),
            w_result.eq(Mux(m_unit == Unit.LOAD, load_store.m_value, m_result)),
            w_entry.eq(m_entry),
        ]
        m.d.comb += w_value.eq(w_result)
        with m.Switch(w_unit):
            with m.Case(Unit.MULTIPLY):
                m.d.comb += w_value.eq(multiplier.w_result)
            with m.Case(Unit.FPU):
                m.d.comb += w_value.eq(fpu.w_result)
        m.d.comb += [
            x_file.w_en.eq((w_retire & (w_file == File.X)) | w_start),
            x_file.w_thread.eq(Mux(w_start, w_rd, w_thread)),
            x_file.w_number.eq(Mux(w_start, A0, w_rd)),
            x_file.w_value.eq(w_value),
            f_file.w_en.eq(w_retire & (w_file == File.F)),
            f_file.w_thread.eq(w_thread),
            f_file.w_number.eq(w_rd),
            f_file.w_value.eq(w_value),
            csrs.w_flags_en.eq(w_retire & (w_unit == Unit.FPU)),
            csrs.w_thread.eq(w_thread),
            csrs.w_flags.eq(fpu.w_flags),
            threads.w_start.eq(w_start),
            threads.w_start_worker.eq(w_rd),
            threads.w_start_pc.eq(w_entry),
        ]
        if config.trace:
            self._trace(m, load_store, x_pc, x.unit, w_retire, w_thread, w_file, w_rd, w_value)
        return m

    def _trace(self, m, load_store, x_pc, x_unit, w_retire, w_thread, w_file, w_rd, w_value):
        """Carry pc and access to stage w, and report what retires."""
        memory, address, data = Signal(2), Signal(32), Signal(32)
        with m.If(x_unit == Unit.LOAD):
            m.d.comb += memory.eq(1)
        with m.Elif(x_unit == Unit.STORE):
            m.d.comb += [memory.eq(2), data.eq(load_store.x_stored)]
        with m.If(memory != 0):
            m.d.comb += address.eq(load_store.x_address)
        for name, signal in (("pc", x_pc), ("memory", memory), ("address", address),
                             ("data", data)):  # fmt: skip
            in_m = Signal.like(signal, name=f"m_{name}")
            in_w = Signal.like(signal, name=f"w_{name}")
            m.d.sync += [in_m.eq(signal), in_w.eq(in_m)]
            m.d.comb += self.trace[name].eq(in_w)
        writes = Signal()
        m.d.comb += [
            writes.eq((w_file == File.F) | ((w_file == File.X) & (w_rd != 0))),
            self.trace.valid.eq(w_retire),
            self.trace.thread.eq(w_thread),
        ]
        with m.If(writes):
            m.d.comb += [
                self.trace.rd_file.eq(w_file),
                self.trace.rd.eq(w_rd),
                self.trace.value.eq(w_value),
            ]
