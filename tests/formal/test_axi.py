"""Proofs about the AXI port: no answer is lost, bursts have their beats, nobody waits for ever."""

import pytest
from amaranth.hdl import Assert, Assume, Cat, Cover, Signal

from openipu.cosim.formal import prove
from openipu.rtl.host.axi import AxiSubordinate

pytestmark = pytest.mark.formal
READS = 16  # reads under way, at most
ROWS = READS - 1  # rows of the queue's memory; its oldest answer is in a register


def _count(proof, up, down):
    """Return a counter that begins with 0."""
    count = Signal(9)
    proof.m.d.sync += count.eq(count + up - down)
    return count


def _stays(proof, valid, ready, *values):
    """Assert that what is valid stays as it is until it is taken."""
    m, now = proof.m, Cat(values)
    waited, before = Signal(), Signal.like(now)
    m.d.sync += [waited.eq(valid & ~ready), before.eq(now)]
    with m.If(waited):
        m.d.comb += [Assert(valid), Assert(now == before)]


def test_reads():
    def reads(proof):
        m, dut, axi = proof.m, proof.dut, proof.dut.axi
        request, answer = Signal(), Signal()
        m.d.comb += [
            request.eq(dut.request.valid & ~dut.request.write),
            answer.eq(dut.response.valid & ~dut.response.write),
        ]
        taken = axi.rvalid & axi.rready
        unanswered = _count(proof, request, answer)
        answers, given = Signal(8), Signal(8)
        m.d.sync += [answers.eq(answers + answer), given.eq(given + taken)]
        m.d.comb += [
            Assume(~answer | (unanswered != 0)),
            Assume(dut.response.data == answers),  # so that an answer can be told from others
            Assert(~answer | proof.inner("answers.w_rdy")),
            Assert(~axi.rvalid | (axi.rdata == given)),
            Cover(axi.rvalid & (unanswered == 3)),
        ]
        _stays(proof, axi.rvalid, axi.rready, axi.rdata, axi.rresp, axi.rlast, axi.rid)

        # Each burst has its beats.
        beats = Signal(9)
        with m.If(axi.arvalid & axi.arready):
            m.d.comb += Assert((beats == 0) & ~request)
            m.d.sync += beats.eq(axi.arlen + 1)
        with m.Elif(request):
            m.d.sync += beats.eq(beats - 1)
        m.d.comb += [
            Assert(~request | ((beats != 0) & (dut.request.last == (beats == 1)))),
            Cover(request & (beats == 2)),
        ]

        # The registers behind it.
        level, consume = proof.inner("answers.inner_level"), proof.inner("answers.consume")
        produce, under_way = proof.inner("answers.produce"), proof.inner("under_way")
        active, left = proof.inner("read.active"), proof.inner("read.left")
        full = consume + level
        m.d.comb += [
            Assert((consume < ROWS) & (produce < ROWS) & (level <= ROWS)),
            Assert(produce == full - (full >= ROWS) * ROWS),
            Assert(axi.rvalid | (level == 0) | proof.history(answer, 1).any()),
            Assert(under_way == unanswered + level + axi.rvalid),
            Assert(under_way <= READS),
            Assert(answers == (given + level + axi.rvalid)[:8]),
            Assert(active == (beats != 0)),
            Assert(~active | (left == beats - 1)),
        ]
        for row in range(ROWS):
            age = Signal(range(2 * ROWS), name=f"age_{row}")
            m.d.comb += age.eq(row - consume + (row < consume) * ROWS)
            data = proof.inner(f"answers.storage.row_{row}")[:64]
            m.d.comb += Assert((age >= level) | (data == (given + axi.rvalid + age)[:8]))

    prove(AxiSubordinate(), reads, depth=3, reach=8)


def test_writes():
    def writes(proof):
        m, dut, axi = proof.m, proof.dut, proof.dut.axi
        request, answer = Signal(), Signal()
        m.d.comb += [
            request.eq(dut.request.valid & dut.request.write),
            answer.eq(dut.response.valid & dut.response.write),
        ]
        unanswered = _count(proof, request, answer)
        beats, open_burst = Signal(9), Signal()  # beats not requested; not answered to the manager
        with m.If(axi.awvalid & axi.awready):
            m.d.comb += Assert(~open_burst)
            m.d.sync += [beats.eq(axi.awlen + 1), open_burst.eq(1)]
        with m.Elif(request):
            m.d.sync += beats.eq(beats - 1)
        with m.If(axi.bvalid & axi.bready):
            m.d.sync += open_burst.eq(0)
        final = (beats == 0) & (unanswered == 1)
        m.d.comb += [
            Assume(~answer | (unanswered != 0)),
            Assume(~answer | (dut.response.last == final)),
            Assert(request == (axi.wvalid & axi.wready)),
            Assert(~request | ((beats != 0) & (dut.request.last == (beats == 1)))),
            Assert(~axi.bvalid | (open_burst & (beats == 0) & (unanswered == 0))),
            Assert(axi.awready == ~open_burst),
            Cover(axi.bvalid & axi.bready & (axi.bid == 5)),
            Cover(request & (beats == 2)),
        ]
        _stays(proof, axi.bvalid, axi.bready, axi.bresp, axi.bid)

        # The registers behind it.
        active, left = proof.inner("write.active"), proof.inner("write.left")
        m.d.comb += [
            Assert(active == (beats != 0)),
            Assert(~active | (left == beats - 1)),
            Assert(open_burst == (active | (unanswered != 0) | axi.bvalid)),
            Assert(unanswered <= 256),
            Assert(unanswered + beats <= 256),
        ]

    prove(AxiSubordinate(), writes, depth=3, reach=8)


def test_neither_reads_nor_writes_wait_for_more_than_one_of_the_others():
    def turns(proof):
        m, dut, axi = proof.m, proof.dut, proof.dut.axi
        write, read = Signal(), Signal()
        m.d.comb += [
            write.eq(proof.inner("write.active") & axi.wvalid & ~axi.wready),
            read.eq(
                proof.inner("read.active")
                & (proof.inner("under_way") != READS)
                & ~(dut.request.valid & ~dut.request.write)
            ),
            Cover(write),
            Cover(read),
        ]
        for waits in (write, read):
            m.d.comb += Assert(~(waits & proof.history(waits, 1).any()))

    prove(AxiSubordinate(), turns, depth=4)
