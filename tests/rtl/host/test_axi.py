import random
from collections import deque

import pytest
from amaranth.sim import Simulator

from openipu.rtl.host.axi import AxiSubordinate, BurstType, Resp

DEPTH = 4096
BAD = 0x8000  # the memory behind the port answers SLVERR from here on, DECERR from twice that on


def resp_of(address):
    return Resp.DECERR if address >= 2 * BAD else Resp.SLVERR if address >= BAD else Resp.OKAY


def addresses(address, length, size, burst):
    """Yield the beats' addresses, as the AXI specification defines them (A3.4.1)."""
    bytes_ = 1 << size
    aligned = address // bytes_ * bytes_
    lower = aligned // (bytes_ * length) * (bytes_ * length)
    for n in range(length):
        if burst == BurstType.FIXED or n == 0:
            yield address
        elif burst == BurstType.INCR:
            yield aligned + n * bytes_
        else:
            yield lower + (aligned - lower + n * bytes_) % (bytes_ * length)


class Bench:
    """A manager and a memory with a fixed latency around the port."""

    def __init__(self, latency, rng, eager):
        self.dut = AxiSubordinate()
        self.latency = latency
        self.rng = rng
        self.eager = eager
        self.words = {}
        self.requests = 0

    def run(self, *benches):
        simulator = Simulator(self.dut)
        simulator.add_clock(1e-6)
        simulator.add_testbench(self.memory, background=True)
        for bench in benches:
            simulator.add_testbench(bench)
        simulator.run()

    async def memory(self, ctx):
        line = deque([{}] * self.latency)
        async for _, _, request in ctx.tick().sample(self.dut.request):
            answer = {}
            if request.valid:
                self.requests += 1
                resp = resp_of(request.address)
                word = request.address // 8
                answer = {
                    "valid": 1, "write": request.write, "last": request.last, "id": request.id,
                    "resp": resp, "data": 0 if request.write else self.words.get(word, 0),
                }  # fmt: skip
                if request.write and resp == Resp.OKAY:
                    old = self.words.get(word, 0)
                    for byte in range(8):
                        if request.strobe >> byte & 1:
                            mask = 0xFF << 8 * byte
                            old = old & ~mask | request.data & mask
                    self.words[word] = old
            line.append(answer)
            ctx.set(self.dut.response, line.popleft())

    async def pause(self, ctx):
        if not self.eager:
            for _ in range(self.rng.choice([0, 0, 1, 3])):
                await ctx.tick()

    async def send(self, ctx, channel, **fields):
        await self.pause(ctx)
        axi = self.dut.axi
        for name, value in fields.items():
            ctx.set(getattr(axi, channel + name), value)
        ctx.set(getattr(axi, f"{channel}valid"), 1)
        ready = False
        while not ready:
            _, _, ready = await ctx.tick().sample(getattr(axi, f"{channel}ready"))
        ctx.set(getattr(axi, f"{channel}valid"), 0)

    async def receive(self, ctx, channel, *names):
        await self.pause(ctx)
        axi = self.dut.axi
        ctx.set(getattr(axi, f"{channel}ready"), 1)
        valid = False
        while not valid:
            signals = [getattr(axi, channel + name) for name in names]
            _, _, valid, *values = await ctx.tick().sample(
                getattr(axi, f"{channel}valid"), *signals
            )
        ctx.set(getattr(axi, f"{channel}ready"), 0)
        return values


def random_burst(rng):
    burst = rng.choice(list(BurstType))
    size = rng.choice([0, 1, 2, 3, 3, 3])
    if burst == BurstType.WRAP:
        length = rng.choice([2, 4, 8, 16])
        address = rng.randrange(512) >> size << size
    elif burst == BurstType.FIXED:
        length = rng.randrange(1, 17)
        address = rng.randrange(512)
    else:
        length = rng.choice([1, 1, 2, rng.randrange(1, 40)])
        address = rng.randrange(512)
    address += rng.choice([0, 0, 0, 0, BAD, 2 * BAD, BAD - 64])
    return address, length, size, burst


@pytest.mark.parametrize("latency", [1, 5, 8])
@pytest.mark.parametrize("eager", [False, True])
def test_random_bursts_match_a_memory(latency, eager):
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    rng = random.Random(seed)
    b = Bench(latency, rng, eager)
    finished = []

    async def bench(ctx):
        memory = {}
        for _ in range(60):
            address, length, size, burst = random_burst(rng)
            fields = {
                "addr": address, "len": length - 1, "size": size, "burst": burst,
                "id": rng.getrandbits(8),
            }  # fmt: skip
            beats = list(addresses(address, length, size, burst))
            if rng.random() < 0.5:
                await b.send(ctx, "aw", **fields)
                worst = 0
                for n, beat in enumerate(beats):
                    data, strobe = rng.getrandbits(64), rng.choice([255, rng.getrandbits(8)])
                    resp = resp_of(beat)
                    worst = max(worst, resp.value)
                    for byte in range(8):
                        if strobe >> byte & 1 and resp == Resp.OKAY:
                            memory[beat // 8 * 8 + byte] = data >> 8 * byte & 255
                    await b.send(ctx, "w", data=data, strb=strobe, last=n == length - 1)
                id_, resp = await b.receive(ctx, "b", "id", "resp")
                assert (id_, resp.value) == (fields["id"], worst), (seed, fields)
            else:
                await b.send(ctx, "ar", **fields)
                for n, beat in enumerate(beats):
                    id_, data, resp, last = await b.receive(ctx, "r", "id", "data", "resp", "last")
                    assert id_ == fields["id"] and last == (n == length - 1), (seed, fields, n)
                    assert resp == resp_of(beat), (seed, fields, n)
                    if resp == Resp.OKAY:
                        base = beat // 8 * 8
                        word = [memory.get(base + i, 0) for i in range(8)]
                        assert data == int.from_bytes(bytes(word), "little"), (seed, fields, n)
        finished.append(True)

    b.run(bench)
    assert finished


def test_reads_and_writes_go_on_at_the_same_time():
    seed = random.randrange(1 << 32)
    print(f"seed {seed}")
    b = Bench(6, random.Random(seed), eager=False)
    b.words = {i: i * 3 for i in range(1024)}
    finished = []

    async def address_reads(ctx):
        for i in range(10):
            await b.send(ctx, "ar", addr=64 * i, len=7, size=3, burst=BurstType.INCR, id=i)

    async def reads(ctx):
        for i in range(80):
            id_, data = await b.receive(ctx, "r", "id", "data")
            assert (id_, data) == (i // 8, i * 3), seed
        finished.append("reads")

    async def address_writes(ctx):
        for i in range(10):
            await b.send(ctx, "aw", addr=4096 + 64 * i, len=7, size=3, burst=BurstType.INCR, id=i)

    async def writes(ctx):
        for i in range(80):
            await b.send(ctx, "w", data=i, strb=255, last=i % 8 == 7)

    async def answers(ctx):
        for i in range(10):
            assert (await b.receive(ctx, "b", "id"))[0] == i
        finished.append("writes")

    b.run(address_reads, reads, address_writes, writes, answers)
    assert sorted(finished) == ["reads", "writes"]
    assert [b.words[512 + i] for i in range(80)] == list(range(80))
    assert b.requests == 160


def test_longest_burst_takes_a_cycle_a_beat():
    b = Bench(8, random.Random(0), eager=True)
    b.words = {i: i for i in range(256)}
    cycles = {}

    async def bench(ctx):
        axi = b.dut.axi
        await b.send(ctx, "ar", addr=0, len=255, size=3, burst=BurstType.INCR, id=1)
        ctx.set(axi.rready, 1)
        got = []
        for cycle in range(400):
            _, _, valid, data, last = await ctx.tick().sample(axi.rvalid, axi.rdata, axi.rlast)
            if valid:
                got.append(data)
            if valid and last:
                cycles["read"] = cycle
                break
        assert got == list(range(256))
        await b.send(ctx, "aw", addr=0, len=255, size=3, burst=BurstType.INCR, id=1)
        ctx.set(axi.wvalid, 1)
        ctx.set(axi.wstrb, 255)
        ctx.set(axi.bready, 1)
        for cycle in range(400):
            _, _, valid = await ctx.tick().sample(axi.bvalid)
            if valid:
                cycles["write"] = cycle
                break

    b.run(bench)
    assert cycles["read"] < 256 + 16
    assert cycles["write"] < 256 + 16


def test_reads_stop_while_the_manager_does_not_take_them():
    b = Bench(4, random.Random(0), eager=True)
    b.words = {i: i for i in range(256)}
    finished = []

    async def bench(ctx):
        await b.send(ctx, "ar", addr=0, len=255, size=3, burst=BurstType.INCR, id=1)
        await ctx.tick().repeat(100)
        assert b.requests == 16
        for i in range(256):
            assert (await b.receive(ctx, "r", "data"))[0] == i
        finished.append(True)

    b.run(bench)
    assert finished
