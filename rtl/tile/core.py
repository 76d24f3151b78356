"""The tile's processor: fetch, decode, execute, memory, write-back."""

from types import SimpleNamespace

from amaranth.hdl import Cat, Const, Module, Mux, Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out
from amaranth.utils import ceil_log2

from openipu.rtl.amp.amp import AMP
from openipu.rtl.config import WORD_BYTES, TileConfig
from openipu.rtl.isa import (
    OP_BITS,
    Cause,
    Class,
    File,
    RandomOp,
    SimdOp,
    StreamOp,
    SystemOp,
    ThreadOp,
    Unit,
    Zone,
)
from openipu.rtl.layouts import Events, TraceRecord, TrapRecord
from openipu.rtl.simd.random import Random
from openipu.rtl.simd.simd import SIMD
from openipu.rtl.simd.simd import STAGES as SIMD_STAGES
from openipu.rtl.tile.alu import ALU, Branch
from openipu.rtl.tile.csr import CSRFile
from openipu.rtl.tile.decode import SOURCES, Decoded, Decoder
from openipu.rtl.tile.divide import Divider
from openipu.rtl.tile.fdivide import FloatDivider
from openipu.rtl.tile.fpu import FPU
from openipu.rtl.tile.load_store import LoadStore
from openipu.rtl.tile.loops import Loops
from openipu.rtl.tile.meeting import Meeting
from openipu.rtl.tile.multiply import Multiplier
from openipu.rtl.tile.registers import PairFile, RegisterFile
from openipu.rtl.tile.streams import INPUTS, OUT, STREAMS, Streams
from openipu.rtl.tile.threads import Threads
from openipu.rtl.tile.traps import Traps

A0 = 10  # where xstart puts a worker's argument
DYNAMIC = 7  # the rounding mode that stands for frm
LAST_ROUNDING_MODE = 4
ACCESS_LOAD, ACCESS_STORE = 1, 2  # `TraceRecord.memory`
_UNITS = {
    ThreadOp: Unit.THREAD, StreamOp: Unit.STREAM, RandomOp: Unit.RANDOM, SimdOp: Unit.SIMD,
}  # fmt: skip


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
    fetch_*, load_*, pop_*, store_*, push_*
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
                "pop_0_en": Out(1),
                "pop_0_addr": addr,
                "pop_0_ok": In(1),
                "pop_0_data": In(64),
                "pop_1_en": Out(1),
                "pop_1_addr": addr,
                "pop_1_ok": In(1),
                "pop_1_data": In(64),
                "store_en": Out(1),
                "store_addr": addr,
                "store_data": Out(64),
                "store_strobe": Out(WORD_BYTES),
                "store_ok": In(1),
                "push_en": Out(1),
                "push_addr": addr,
                "push_data": Out(64),
                "push_ok": In(1),
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
        """Build the parts, then the stages between their registers."""
        m = Module()
        parts = SimpleNamespace(
            threads=Threads(self.config),
            decoder=Decoder(self.config),
            x_file=RegisterFile(self.config, reads=2),
            f_file=PairFile(self.config, reads=3),
            streams=Streams(self.config),
            loops=Loops(self.config),
            alu=ALU(),
            branch=Branch(),
            multiplier=Multiplier(),
            divider=Divider(self.config),
            meeting=Meeting(self.config),
            fdivider=FloatDivider(self.config),
            load_store=LoadStore(self.config),
            csrs=CSRFile(self.config),
            fpu=FPU(),
            traps=Traps(self.config),
        )
        if self.config.simd:
            parts.simd = SIMD()
            parts.random = Random(self.config)
        if self.config.amp_outputs:
            parts.amp = AMP(self.config)
        for name, part in vars(parts).items():
            m.submodules[name] = part
        threads = parts.threads
        for name in ("run", "freeze", "boot_pc", "boot_thread", "sync_release", "exchange_busy"):
            m.d.comb += getattr(threads, name).eq(getattr(self, name))
        m.d.comb += [
            self.contexts.eq(threads.running),
            self.waiting.eq(threads.waiting),
            self.zone.eq(threads.zone),
            self.halted.eq(threads.halted & ~parts.traps.record.valid),
            self.pcs.eq(threads.pcs),
            self.trap.eq(parts.traps.record),
            parts.traps.run.eq(self.run),
            parts.csrs.run.eq(self.run),
            parts.csrs.tile_id.eq(self.tile_id),
            parts.divider.run.eq(self.run),
            parts.meeting.run.eq(self.run),
            parts.meeting.running.eq(threads.running[: self.config.slots]),
            parts.fdivider.run.eq(self.run),
            parts.streams.run.eq(self.run),
            parts.loops.run.eq(self.run),
        ]
        stages = _stages(self.config)
        d, x, m_, w = (Signal(layout, name=name) for name, layout in stages.items())
        self._fetch(m, parts, d)
        self._decode(m, parts, d, x)
        x_operands = self._operands(m, parts, x)
        self._trap(m, parts, x, x_operands)
        x_retire, x_push = self._retire(m, parts, x)
        self._go_on(m, parts, x, x_operands, x_retire)
        self._memory(m, parts, x, x_operands, x_retire, x_push, m_)
        w_value = self._write_back(m, parts, m_, w)
        if self.config.trace:
            self._trace(m, w, w_value)
        return m

    def _fetch(self, m, parts, d):
        """Stage f: the chosen thread asks for its word; a refusal is a bubble."""
        threads = parts.threads
        f_outside = Signal()
        m.d.comb += [
            f_outside.eq(threads.f_pc[:31] >= self.config.memory_bytes),
            self.fetch_en.eq(threads.f_valid & ~f_outside),
            self.fetch_addr.eq(threads.f_pc[3:31]),
            self.events.idle.eq(
                self.run & ~self.freeze & ~threads.f_valid & threads.running.any()
            ),
            self.events.replay_fetch.eq(self.fetch_en & ~self.fetch_ok),
        ]
        m.d.sync += [
            d.valid.eq(threads.f_valid & (f_outside | self.fetch_ok)),
            d.outside.eq(f_outside),
            d.thread.eq(threads.f_thread),
            d.pc.eq(threads.f_pc),
        ]

    def _decode(self, m, parts, d, x):
        """Stage d: decode the word, ask for its registers and for the words of its streams."""
        d_word = Signal(32)
        m.d.comb += [
            d_word.eq(self.fetch_data.word_select(d.pc[2], 32)),
            parts.decoder.word.eq(d_word),
        ]
        for file in (parts.x_file, parts.f_file):
            m.d.comb += file.d_thread.eq(d.thread)
            for index, low in enumerate((15, 20, 27)[: file.reads]):  # rs1, rs2, rs3
                m.d.comb += file.d_numbers[index].eq(d_word[low : low + 5])
        m.d.sync += [
            x.valid.eq(d.valid & self.run),
            x.outside.eq(d.outside),
            x.thread.eq(d.thread),
            x.pc.eq(d.pc),
            x.word.eq(d_word),
            x.decoded.eq(parts.decoder.decoded),
        ]
        streams, pops = parts.streams, parts.decoder.decoded.pops
        m.d.comb += [streams.d_thread.eq(d.thread), streams.x_thread.eq(x.thread)]
        for number in range(INPUTS):
            en, ok = getattr(self, f"pop_{number}_en"), getattr(self, f"pop_{number}_ok")
            m.d.comb += [
                en.eq(d.valid & ~d.outside & pops[number].any() & streams.d_there[number]),
                getattr(self, f"pop_{number}_addr").eq(streams.d_addresses[number]),
            ]
            m.d.sync += x.refused[number].eq(en & ~ok)

    def _operands(self, m, parts, x):
        """Stage x: give every unit its operands; return those that others want too."""
        x_file, f_file, load_store, csrs = (
            parts.x_file, parts.f_file, parts.load_store, parts.csrs,
        )  # fmt: skip
        decoded = x.decoded
        x_a = Signal(32)
        x_b = Signal(32)
        x_rm = Signal(3)
        x_crowded = Signal()
        x_rs2 = x_file.x_values[1]
        m.d.comb += [
            x_a.eq(x_file.x_values[0]),
            x_b.eq(Mux(decoded.has_immediate, decoded.immediate, x_rs2)),
            x_rm.eq(Mux(x.word[12:15] == DYNAMIC, csrs.x_frm, x.word[12:15])),
            parts.alu.b.eq(x_b),
            parts.alu.pc.eq(x.pc),
            parts.branch.b.eq(x_rs2),
            parts.branch.pc.eq(x.pc),
            parts.branch.immediate.eq(decoded.immediate),
            parts.meeting.x_thread.eq(x.thread),
            x_crowded.eq(parts.threads.running[: self.config.slots].all()),
            parts.fdivider.x_rm.eq(x_rm),
            parts.fdivider.x_a.eq(f_file.x_values[0]),
            parts.fdivider.x_b.eq(f_file.x_values[1]),
            load_store.x_base.eq(x_a),
            load_store.x_offset.eq(decoded.immediate),
            load_store.x_data.eq(Mux(decoded.rs2_file == File.F, f_file.x_values[1], x_rs2)),
            csrs.x_thread.eq(x.thread),
            csrs.x_access.eq(decoded.unit == Unit.CSR),
            csrs.x_number.eq(x.word[20:32]),
            csrs.x_source.eq(x.word[15:20]),
            csrs.x_value.eq(x_a),
            parts.fpu.x_rm.eq(x_rm),
            parts.fpu.x_a.eq(f_file.x_values[0]),
            parts.fpu.x_b.eq(f_file.x_values[1]),
            parts.fpu.x_c.eq(f_file.x_values[2]),
            parts.fpu.x_i.eq(x_a),
            parts.loops.x_thread.eq(x.thread),
            parts.loops.x_pc.eq(x.pc),
            parts.loops.x_count.eq(x_a),
            parts.loops.x_length.eq(x.word[20:32]),
            parts.streams.x_number.eq(decoded.rd),
            parts.streams.x_a.eq(x_a),
            parts.streams.x_b.eq(x_rs2),
        ]
        for unit in (parts.alu, parts.branch):
            m.d.comb += [unit.op.eq(decoded.op), unit.a.eq(x_a)]
        for unit in (parts.multiplier, parts.divider):
            m.d.comb += [unit.x_a.eq(x_a), unit.x_b.eq(x_rs2)]
        for unit in (parts.divider, parts.fdivider):
            m.d.comb += [unit.x_thread.eq(x.thread), unit.x_crowded.eq(x_crowded)]
        for unit in (
            parts.multiplier, parts.divider, parts.fdivider, load_store, csrs, parts.fpu,
        ):  # fmt: skip
            m.d.comb += unit.x_op.eq(decoded.op)
        x_wide = self._wide_operands(m, parts, x)
        if self.config.simd:
            self._simd_operands(m, parts, x, x_wide, Cat(x_a, x_rs2))
        if self.config.amp_outputs:
            m.d.comb += [
                parts.amp.run.eq(self.run),
                parts.amp.x_thread.eq(x.thread),
                parts.amp.x_op.eq(decoded.op),
                parts.amp.x_a.eq(x_wide[0]),
                parts.amp.x_b.eq(x_wide[1]),
                parts.amp.x_set.eq(x_a),
                parts.amp.x_set_pointer.eq(x_rs2),
                parts.amp.x_output.eq(decoded.rd),
            ]
        return SimpleNamespace(a=x_a, rs2=x_rs2, rm=x_rm)

    def _wide_operands(self, m, parts, x):
        """Stage x: 64-bit sources, from streams or registers (one alone is the low half)."""
        streams, f_file, pops = parts.streams, parts.f_file, x.decoded.pops
        x_words = Mux(streams.x_held, streams.x_held_word, self.pop_0_data), self.pop_1_data
        m.d.comb += streams.x_word.eq(self.pop_0_data)
        values = []
        for index, name in enumerate(SOURCES):
            value = Signal(64, name=f"x_wide_{name}")
            m.d.comb += value.eq(f_file.x_values[index])
            with m.If(pops[0][index]):
                m.d.comb += value.eq(x_words[0])
            with m.Elif(pops[1][index]):
                m.d.comb += value.eq(x_words[1])
            with m.Elif(x.decoded.pairs[index]):
                m.d.comb += value.eq(f_file.x_pairs[index])
            values.append(value)
        return values

    def _simd_operands(self, m, parts, x, x_wide, x_seed):
        """Stage x: operands of the SIMD unit and of the random numbers."""
        simd, random, decoded = parts.simd, parts.random, x.decoded
        m.d.comb += [
            simd.x_op.eq(decoded.op),
            simd.x_a.eq(x_wide[0]),
            simd.x_b.eq(x_wide[1]),
            simd.x_c.eq(x_wide[2]),
            simd.x_random.eq(random.x_random),
            random.run.eq(self.run),
            random.tile_id.eq(self.tile_id),
            random.x_thread.eq(x.thread),
            random.x_seed_half.eq(decoded.rd),
            random.x_seed_value.eq(x_seed),
        ]

    def _trap(self, m, parts, x, x_operands):
        """Stage x: what the table can't know to be illegal, and where the rest is found out."""
        traps, branch, load_store = parts.traps, parts.branch, parts.load_store
        decoded = x.decoded
        only_supervisor = Signal()
        m.d.comb += [
            only_supervisor.eq(
                _is(x, ThreadOp.START) | _is(x, ThreadOp.WAIT)
                | _is(x, ThreadOp.SYNC) | _is(x, ThreadOp.ARM)
            ),
            traps.x_illegal.eq(
                (parts.csrs.x_access & parts.csrs.x_illegal)
                | (decoded.rounds & (x_operands.rm > LAST_ROUNDING_MODE))
                | (only_supervisor & (x.thread != self.config.supervisor))
                | (_is(x, ThreadOp.MEET) & (x.thread == self.config.supervisor))
                | (_is(x, ThreadOp.START) & (decoded.rd >= self.config.slots))
                | (_is(x, ThreadOp.SYNC) & (decoded.rd > Zone.HOST.value))
                | (_is(x, StreamOp.OPEN) & (decoded.rd >= STREAMS))
                | (_is(x, StreamOp.LEVELS) & (decoded.rd >= STREAMS))
                | (_is(x, RandomOp.SEED) & (decoded.rd > 1))
                | self._of_amp(parts, x, "x_illegal")
            ),
            traps.x_overrun.eq(self._of_amp(parts, x, "x_overrun")),
            traps.x_in_loop.eq(parts.loops.x_inside),
            traps.x_bad_length.eq(parts.loops.x_bad_length),
            traps.x_length.eq(x.word[20:32]),
            traps.x_valid.eq(x.valid),
            traps.x_outside.eq(x.outside),
            traps.x_unit.eq(decoded.unit),
            traps.x_op.eq(decoded.op),
            traps.x_code.eq(decoded.rd),
            traps.x_misaligned_target.eq(
                (decoded.unit == Unit.BRANCH) & branch.taken & branch.target[1]
            ),
            traps.x_misaligned.eq(load_store.x_misaligned),
            traps.x_address_outside.eq(load_store.x_outside),
            traps.x_thread.eq(x.thread),
            traps.x_pc.eq(x.pc),
            traps.x_word.eq(x.word),
            traps.x_target.eq(branch.target),
            traps.x_address.eq(load_store.x_address),
            traps.x_a.eq(x_operands.a),
            traps.x_vector.eq(parts.csrs.x_vector),
        ]  # fmt: skip
        for name in ("trap", "cause", "cycle", "value"):
            m.d.comb += getattr(traps, f"exchange_{name}").eq(getattr(self, f"exchange_{name}"))
        with m.If(self.push_en & ~self.push_ok):
            m.d.comb += [
                traps.exchange_trap.eq(1),
                traps.exchange_cause.eq(Cause.STREAM_CLASH),
                traps.exchange_value.eq(self.push_addr << 3),
            ]

    def _of_amp(self, parts, x, name):
        """What the matrix unit says of its instruction in stage x; 0 for others."""
        if not self.config.amp_outputs:
            return Const(0, 1)
        return (x.decoded.unit == Unit.AMP) & getattr(parts.amp, name)

    def _use_streams(self, m, parts, x):
        """Stage x: what is wrong with the streams that are used; return which of them move on."""
        streams, traps = parts.streams, parts.traps
        x_uses = Signal(STREAMS)
        x_moves = Signal(STREAMS)
        x_reads = Signal(len(SOURCES))
        x_takes = Signal(len(SOURCES))
        x_gives = Signal()
        m.d.comb += [x_reads.eq(-1), x_takes.eq(-1), x_gives.eq(1)]
        if self.config.amp_outputs:  # not every instruction of the matrix unit does what it can
            amp = parts.amp
            with m.If(x.decoded.unit == Unit.AMP):
                m.d.comb += [
                    x_reads.eq(Cat(amp.x_takes_a | amp.x_multiplies, amp.x_takes_b)),
                    x_takes.eq(Cat(amp.x_takes_a, amp.x_takes_b)),
                    x_gives.eq(amp.x_gives),
                ]
        x_pushes = x.decoded.pushes & x_gives
        m.d.comb += [
            x_uses.eq(Cat(*((pops & x_reads).any() for pops in x.decoded.pops), x_pushes)),
            x_moves.eq(Cat(*((pops & x_takes).any() for pops in x.decoded.pops), x_pushes)),
        ]
        for number in reversed(range(STREAMS)):  # the last assignment holds
            with m.If(x_uses[number] & streams.x_outside[number]):
                m.d.comb += [
                    traps.x_stream_outside.eq(1),
                    traps.x_stream.eq(number),
                    traps.x_stream_address.eq(streams.x_addresses[number]),
                ]
        for number in reversed(range(STREAMS)):
            with m.If(x_uses[number] & streams.x_finished[number]):
                m.d.comb += [traps.x_stream_finished.eq(1), traps.x_stream.eq(number)]
        return x_moves

    def _retire(self, m, parts, x):
        """Stage x: ask for what the instruction needs; return whether it is over, and pushes."""
        threads, load_store = parts.threads, parts.load_store
        divider, fdivider = parts.divider, parts.fdivider
        meeting = parts.meeting
        unit = x.decoded.unit
        x_sane = Signal()
        x_retire = Signal()
        x_worker_runs = Signal()
        x_replay_bank = Signal()
        x_replay_divide = Signal()
        x_replay_wait = Signal()
        x_replay_fdivide = Signal()
        x_refused = Signal()
        streams = parts.streams
        x_moves = self._use_streams(m, parts, x)
        m.d.comb += [
            x_refused.eq(x.refused.any()),
            streams.x_hold.eq(
                x_sane & x_refused & x.decoded.pops[0].any() & ~x.refused[0] & ~streams.x_held
            ),
            streams.x_over.eq(x.valid & ~(x_sane & x_refused)),
            x_sane.eq(x.valid & ~parts.traps.x_trap),
            self.load_en.eq(x_sane & (unit == Unit.LOAD)),
            self.load_addr.eq(load_store.x_word),
            self.store_en.eq(x_sane & (unit == Unit.STORE)),
            self.store_addr.eq(load_store.x_word),
            self.store_data.eq(load_store.x_store_data),
            self.store_strobe.eq(load_store.x_store_strobe),
            divider.x_request.eq(x_sane & (unit == Unit.DIVIDE)),
            meeting.x_meet.eq(x_sane & _is(x, ThreadOp.MEET)),
            fdivider.x_request.eq(x_sane & (unit == Unit.FDIVIDE)),
            x_worker_runs.eq(threads.running.bit_select(x.decoded.rd[: len(x.thread)], 1)),
            x_replay_bank.eq(
                (self.load_en & ~self.load_ok)
                | (self.store_en & ~self.store_ok)
                | (x_sane & x_refused)
            ),
            x_replay_divide.eq(divider.x_request & ~divider.x_ready),
            x_replay_fdivide.eq(fdivider.x_request & ~fdivider.x_ready),
            x_replay_wait.eq(
                x_sane
                & (
                    (_is(x, ThreadOp.WAIT) & threads.workers_busy)
                    | (_is(x, ThreadOp.START) & x_worker_runs)
                    | (meeting.x_meet & ~meeting.x_over)
                )
            ),
            x_retire.eq(
                x_sane & ~(x_replay_bank | x_replay_divide | x_replay_fdivide | x_replay_wait)
            ),
            self.events.replay_bank.eq(x_replay_bank),
            self.events.replay_divide.eq(x_replay_divide),
            self.events.replay_fdivide.eq(x_replay_fdivide),
            self.events.replay_wait.eq(x_replay_wait),
        ]
        for kind in Class:
            m.d.comb += self.events[kind.name.lower()].eq(
                x_retire & (x.decoded.counted_as == kind)
            )
        m.d.comb += [
            streams.x_open.eq(x_retire & _is(x, StreamOp.OPEN)),
            streams.x_levels.eq(x_retire & _is(x, StreamOp.LEVELS)),
        ]
        for number in range(STREAMS):
            m.d.comb += streams.x_move[number].eq(x_retire & x_moves[number])
        if self.config.simd:
            x_simd = Signal()
            busy = Signal(SIMD_STAGES - 1)
            m.d.sync += busy.eq(Cat(x_simd, busy[:-1]))
            m.d.comb += [
                x_simd.eq(x_retire & (unit == Unit.SIMD)),
                parts.simd.enable.eq(x_simd | busy.any()),
                parts.random.x_advance.eq(
                    x_retire & (_is(x, RandomOp.NEXT) | _is(x, SimdOp.NARROW_RANDOM))
                ),
                parts.random.x_seed_en.eq(x_retire & _is(x, RandomOp.SEED)),
            ]
        if self.config.amp_outputs:
            m.d.comb += parts.amp.x_en.eq(x_retire & (unit == Unit.AMP))
        return x_retire, x_moves[OUT]

    def _go_on(self, m, parts, x, x_operands, x_retire):
        """Stage x: what becomes of the thread, and of the barrier and the exchange."""
        threads, csrs, traps, loops = parts.threads, parts.csrs, parts.traps, parts.loops
        x_mret = Signal()
        x_next_pc = Signal(32)
        x_repeat = _is(x, StreamOp.REPEAT)
        m.d.comb += [
            x_mret.eq((x.decoded.unit == Unit.SYSTEM) & (x.decoded.op == SystemOp.MRET.value)),
            x_next_pc.eq(x.pc + 4),
            threads.x_thread.eq(x.thread),
            threads.x_next_pc.eq(x_next_pc),
            threads.x_advance.eq(x_retire | traps.x_to_thread),
            threads.x_stop.eq((x_retire & _is(x, ThreadOp.END)) | traps.x_to_host),
            threads.x_sync.eq(x_retire & _is(x, ThreadOp.SYNC)),
            threads.x_zone.eq(x.decoded.rd),
            csrs.x_retire.eq(x_retire),
            csrs.x_trap.eq(traps.x_to_thread),
            csrs.x_mret.eq(x_retire & x_mret),
            csrs.x_pc.eq(x.pc),
            csrs.x_cause.eq(traps.x_cause),
            csrs.x_trap_value.eq(traps.x_value),
            self.arm.eq(x_retire & _is(x, ThreadOp.ARM)),
            self.arm_send.eq(x_operands.a),
            self.arm_receive.eq(x_operands.rs2),
            self.events.sync.eq(threads.waiting),
            loops.x_repeat.eq(x_retire & x_repeat),
            loops.x_retire.eq(x_retire),
        ]
        with m.If(traps.x_to_thread):
            m.d.comb += x_next_pc.eq(csrs.x_vector)
        with m.Elif(x_mret):
            m.d.comb += x_next_pc.eq(csrs.x_return)
        with m.Elif((x.decoded.unit == Unit.BRANCH) & parts.branch.taken):
            m.d.comb += x_next_pc.eq(parts.branch.target)
        with m.Elif(x_repeat & (x_operands.a == 0)):
            m.d.comb += x_next_pc.eq(x.pc + 4 + (loops.x_length << 2))
        with m.Elif(loops.x_again):
            m.d.comb += x_next_pc.eq(loops.x_first)

    def _memory(self, m, parts, x, x_operands, x_retire, x_push, m_):
        """Registers after stage x: results that are ready, and what the later stages must know."""
        load_store, decoded = parts.load_store, x.decoded
        x_result = Signal(64)
        x_access = Signal(2)
        x_address = Signal(32)
        m.d.comb += [x_result.eq(parts.alu.result), x_address.eq(load_store.x_address)]
        with m.Switch(decoded.unit):
            with m.Case(Unit.BRANCH):
                m.d.comb += x_result.eq(x.pc + 4)
            with m.Case(Unit.DIVIDE):
                m.d.comb += x_result.eq(parts.divider.x_result)
            with m.Case(Unit.FDIVIDE):
                m.d.comb += x_result.eq(parts.fdivider.x_result)
            with m.Case(Unit.CSR):
                m.d.comb += x_result.eq(parts.csrs.x_read)
            with m.Case(Unit.THREAD):  # xstart's argument
                m.d.comb += x_result.eq(x_operands.rs2)
            with m.Case(Unit.LOAD):
                m.d.comb += x_access.eq(ACCESS_LOAD)
            with m.Case(Unit.STORE):
                m.d.comb += x_access.eq(ACCESS_STORE)
            if self.config.simd:
                with m.Case(Unit.RANDOM):
                    m.d.comb += x_result.eq(parts.random.x_random)
        with m.If(x_push):
            m.d.comb += [x_access.eq(ACCESS_STORE), x_address.eq(parts.streams.x_addresses[OUT])]
        m.d.sync += [
            m_.retire.eq(x_retire & self.run),
            m_.start.eq(x_retire & _is(x, ThreadOp.START) & self.run),
            m_.thread.eq(x.thread),
            m_.unit.eq(decoded.unit),
            m_.op.eq(decoded.op),
            m_.file.eq(decoded.rd_file),
            m_.rd.eq(decoded.rd),
            m_.result.eq(x_result),
            m_.flags.eq(parts.fdivider.x_flags),
            m_.entry.eq(x_operands.a),
            m_.address.eq(x_address),
            m_.push.eq(x_retire & x_push & self.run),
        ]
        if self.config.trace:
            m.d.sync += [m_.pc.eq(x.pc), m_.access.eq(x_access), m_.data.eq(load_store.x_stored)]

    def _write_back(self, m, parts, m_, w):
        """Stages m and w: loads arrive, results reach the registers; return the written value."""
        load_store, threads, csrs = parts.load_store, parts.threads, parts.csrs
        m.d.comb += [
            load_store.m_op.eq(m_.op),
            load_store.m_low.eq(m_.address[:3]),
            load_store.m_word.eq(self.load_data),
        ]
        m.d.sync += w.eq(m_)
        with m.If(m_.unit == Unit.LOAD):
            m.d.sync += w.result.eq(load_store.m_value)
        w_value = Signal(64)
        m.d.comb += w_value.eq(w.result)
        with m.Switch(w.unit):
            with m.Case(Unit.MULTIPLY):
                m.d.comb += w_value.eq(parts.multiplier.w_result)
            with m.Case(Unit.FPU):
                m.d.comb += w_value.eq(parts.fpu.w_result)
            if self.config.simd:
                with m.Case(Unit.SIMD):
                    m.d.comb += w_value.eq(parts.simd.w_result)
            if self.config.amp_outputs:
                with m.Case(Unit.AMP):
                    m.d.comb += w_value.eq(parts.amp.w_result)
        m.d.comb += [
            parts.x_file.w_en.eq((w.retire & (w.file == File.X)) | w.start),
            parts.x_file.w_thread.eq(Mux(w.start, w.rd, w.thread)),
            parts.x_file.w_number.eq(Mux(w.start, A0, w.rd)),
            parts.f_file.w_en.eq(
                w.retire & ((w.file == File.F) | ((w.file == File.PAIR) & ~w.rd[0]))
            ),
            parts.f_file.w_pair.eq(w.file == File.PAIR),
            parts.f_file.w_thread.eq(w.thread),
            parts.f_file.w_number.eq(w.rd),
            csrs.w_flags_en.eq(w.retire & ((w.unit == Unit.FPU) | (w.unit == Unit.FDIVIDE))),
            csrs.w_thread.eq(w.thread),
            csrs.w_flags.eq(Mux(w.unit == Unit.FPU, parts.fpu.w_flags, w.flags)),
            threads.w_start.eq(w.start),
            threads.w_start_worker.eq(w.rd),
            threads.w_start_pc.eq(w.entry),
            parts.loops.w_start.eq(w.start),
            parts.loops.w_start_worker.eq(w.rd),
            self.push_en.eq(w.push),
            self.push_addr.eq(w.address[3:]),
            self.push_data.eq(w_value),
        ]
        for file in (parts.x_file, parts.f_file):
            m.d.comb += file.w_value.eq(w_value)
        return w_value

    def _trace(self, m, w, w_value):
        """Report what retires."""
        trace = self.trace
        m.d.comb += [
            trace.valid.eq(w.retire),
            trace.thread.eq(w.thread),
            trace.pc.eq(w.pc),
            trace.memory.eq(w.access),
        ]
        with m.If((w.file == File.F) | ((w.file == File.X) & (w.rd != 0))):
            m.d.comb += [
                trace.rd_file.eq(w.file), trace.rd.eq(w.rd), trace.value.eq(w_value[:32]),
            ]  # fmt: skip
        with m.Elif((w.file == File.PAIR) & ~w.rd[0]):
            m.d.comb += [trace.rd_file.eq(w.file), trace.rd.eq(w.rd), trace.value.eq(w_value)]
        with m.If(w.access != 0):
            m.d.comb += trace.address.eq(w.address)
        with m.If(w.access == ACCESS_STORE):
            m.d.comb += trace.data.eq(Mux(w.push, w_value, w.data))


def _is(x, op):
    """Whether the instruction in stage x has a certain operation of a unit in `_UNITS`."""
    return (x.decoded.unit == _UNITS[type(op)]) & (x.decoded.op == op.value)


def _stages(config):
    """Return the layouts of the registers in front of stages d, x, m and w."""
    thread = ceil_log2(config.contexts)
    after_x = {
        "retire": 1, "start": 1, "push": 1, "thread": thread, "unit": Unit, "op": OP_BITS,
        "file": File, "rd": 5, "result": 64, "flags": 5, "entry": 32, "address": 32,
    }  # fmt: skip
    if config.trace:
        after_x |= {"pc": 32, "access": 2, "data": 32}
    fetched = {"valid": 1, "outside": 1, "thread": thread, "pc": 32}
    return {
        "d": data.StructLayout(fetched),
        "x": data.StructLayout(fetched | {"word": 32, "decoded": Decoded, "refused": INPUTS}),
        "m": data.StructLayout(after_x),
        "w": data.StructLayout(after_x),
    }
