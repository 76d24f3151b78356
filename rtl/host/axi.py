"""The AXI4 subordinate: bursts from the host become single requests of 64 bits."""

from amaranth.hdl import Cat, Module, Mux, Signal, unsigned
from amaranth.lib import data, enum, fifo, wiring
from amaranth.lib.wiring import In, Out

_READS = 16  # reads under way or waiting for the host to take them


class Resp(enum.Enum, shape=2):
    """AXI response codes."""

    OKAY = 0
    SLVERR = 2  #: the address has a window, but the access isn't possible
    DECERR = 3  #: the address has no window


class BurstType(enum.Enum, shape=2):
    """AXI burst types."""

    FIXED = 0
    INCR = 1
    WRAP = 2


def _channel(prefix: str, flow, signals: dict) -> dict:
    """Return the members of a channel that goes to the subordinate (Out) or from it (In)."""
    back = In if flow is Out else Out
    members = {f"{prefix}{name}": flow(shape) for name, shape in signals.items()}
    return members | {f"{prefix}valid": flow(1), f"{prefix}ready": back(1)}


_ADDRESS = {"id": 8, "addr": 32, "len": 8, "size": 3, "burst": BurstType}

AXI4 = wiring.Signature(
    _channel("aw", Out, _ADDRESS)
    | _channel("w", Out, {"data": 64, "strb": 8, "last": 1})
    | _channel("b", In, {"id": 8, "resp": Resp})
    | _channel("ar", Out, _ADDRESS)
    | _channel("r", In, {"id": 8, "data": 64, "resp": Resp, "last": 1})
)
"""AXI4 as its manager sees it: 32-bit addresses, 64-bit data, 8-bit ids. Locks, caches, protection,
quality of service and regions don't exist; a manager may tie theirs to anything."""


class BusRequest(data.Struct):
    """One beat of a burst."""

    valid: unsigned(1)
    write: unsigned(1)
    address: unsigned(32)
    data: unsigned(64)
    strobe: unsigned(8)
    last: unsigned(1)
    """The burst's last beat."""
    id: unsigned(8)
    """Comes back with the response."""


class BusResponse(data.Struct):
    """The answer to a beat, a fixed number of cycles later."""

    valid: unsigned(1)
    write: unsigned(1)
    data: unsigned(64)
    resp: Resp
    last: unsigned(1)
    id: unsigned(8)


class Burst(wiring.Component):
    """Counts out the addresses of a burst's beats.

    Members
    -------
    start : In(1), with id, addr, len, size, burst as in AXI
        Begin; only while not `active`.
    step : In(1)
        The beat is done.
    active : Out(1), address, last, the_id : Out
        There is a beat, at this byte address.
    """

    start: In(1)
    id: In(8)
    addr: In(32)
    len: In(8)
    size: In(3)
    burst: In(BurstType)
    step: In(1)
    active: Out(1)
    address: Out(32)
    last: Out(1)
    the_id: Out(8)

    def elaborate(self, platform):
        """All beats after the first are aligned to their size."""
        m = Module()
        left = Signal(8)
        kind = Signal(BurstType)
        beat = Signal(4, init=1)  # bytes
        within = Signal(32)  # address bits inside a beat, inside a wrapping burst
        wrap = Signal(32)
        with m.If(self.start):
            size = self.size[:2]
            m.d.sync += [
                self.active.eq(1),
                self.address.eq(self.addr),
                self.the_id.eq(self.id),
                left.eq(self.len),
                kind.eq(self.burst),
                beat.eq(1 << size),
                wrap.eq(self.len << size),
            ]
        following = Signal(32)
        m.d.comb += [
            self.last.eq(left == 0),
            within.eq(beat - 1),
            following.eq((self.address & ~within) + beat),
        ]
        with m.If(self.step):
            m.d.sync += [left.eq(left - 1), self.active.eq(~self.last)]
            with m.Switch(kind):
                with m.Case(BurstType.INCR):
                    m.d.sync += self.address.eq(following)
                with m.Case(BurstType.WRAP):
                    inside = wrap | within
                    m.d.sync += self.address.eq(
                        (self.address & ~inside) | (following & inside)
                    )
        return m


class AxiSubordinate(wiring.Component):
    """Turns AXI4 bursts into requests, one a cycle, and their responses into AXI's.

    Reads and writes are independent and take turns when both want the cycle. A write's beats are
    answered once, with the worst of their responses. One write burst is under way at a time; reads
    follow each other without a pause as long as the manager takes the data.

    Members
    -------
    axi : In(AXI4)
        The manager.
    request : Out(BusRequest)
        One beat; always taken.
    response : In(BusResponse)
        Answers to all requests, in their order.
    """

    axi: In(AXI4)
    request: Out(BusRequest)
    response: In(BusResponse)

    def elaborate(self, platform):
        """Reads ask for a cycle only while the read queue has room for their answer."""
        m = Module()
        axi, request, response = self.axi, self.request, self.response
        m.submodules.write = write = Burst()
        m.submodules.read = read = Burst()
        m.submodules.answers = answers = fifo.SyncFIFOBuffered(width=64 + 2 + 1 + 8, depth=_READS)
        for burst, prefix in ((write, "aw"), (read, "ar")):
            for name in _ADDRESS:
                m.d.comb += getattr(burst, name).eq(getattr(axi, prefix + name))

        # Whose cycle it is.
        wants_write = Signal()
        wants_read = Signal()
        turn = Signal()
        under_way = Signal(range(_READS + 1))
        m.d.comb += [
            wants_write.eq(write.active & axi.wvalid),
            wants_read.eq(read.active & (under_way != _READS)),
            write.step.eq(wants_write & (turn | ~wants_read)),
            read.step.eq(wants_read & ~write.step),
            axi.wready.eq(write.active & (turn | ~wants_read)),
        ]
        with m.If(wants_read & wants_write):
            m.d.sync += turn.eq(~turn)
        taken = axi.rvalid & axi.rready
        m.d.sync += under_way.eq(under_way + read.step - taken)
        m.d.comb += [
            request.valid.eq(write.step | read.step),
            request.write.eq(write.step),
            request.address.eq(Mux(write.step, write.address, read.address)),
            request.data.eq(axi.wdata),
            request.strobe.eq(axi.wstrb),
            request.last.eq(Mux(write.step, write.last, read.last)),
            request.id.eq(Mux(write.step, write.the_id, read.the_id)),
        ]

        # Writes: an address is taken when the burst before has been answered.
        answered = Signal(init=1)
        m.d.comb += [
            axi.awready.eq(answered),
            write.start.eq(axi.awvalid & answered),
        ]
        with m.If(write.start):
            m.d.sync += [answered.eq(0), axi.bresp.eq(Resp.OKAY)]
        with m.If(response.valid & response.write):
            m.d.sync += [axi.bvalid.eq(response.last), axi.bid.eq(response.id)]
            with m.If(response.resp.as_value() > axi.bresp.as_value()):
                m.d.sync += axi.bresp.eq(response.resp)
        with m.If(axi.bvalid & axi.bready):
            m.d.sync += [axi.bvalid.eq(0), answered.eq(1)]

        # Reads.
        m.d.comb += [
            axi.arready.eq(~read.active),
            read.start.eq(axi.arvalid & ~read.active),
            answers.w_en.eq(response.valid & ~response.write),
            answers.w_data.eq(Cat(response.data, response.resp, response.last, response.id)),
            axi.rvalid.eq(answers.r_rdy),
            answers.r_en.eq(axi.rready),
            Cat(axi.rdata, axi.rresp, axi.rlast, axi.rid).eq(answers.r_data),
        ]
        return m
