"""What can go wrong in a simulation, in the user's words."""

from openipu.rtl.isa import CAUSE_TEXT, Cause

_AXI_RESPONSES = {2: "SLVERR (the chip runs, or there is nothing)", 3: "DECERR (no window)"}


class SimulationError(Exception):
    """A simulation can't go on, or was asked for what it can't do."""


class SimulatorDiedError(SimulationError):
    """The simulator process has ended by itself.

    Attributes
    ----------
    code : int or None
        Its exit code, negative for a signal.
    log : str
        The end of what it printed.
    """

    def __init__(self, code: int | None, log: str) -> None:
        self.code = code
        self.log = log
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        super().__init__(f"the simulator ended by itself ({how}); it printed:\n{log}")


class HostPortError(SimulationError):
    """The simulated host port refused an access (`address`, AXI `response`)."""

    def __init__(self, access: str, address: int, response: int) -> None:
        self.address = address
        self.response = response
        super().__init__(
            f"host port: {access} at {address:#010x} got "
            f"{_AXI_RESPONSES.get(response, f'response {response}')}"
        )


class CycleLimitError(SimulationError):
    """The chip has not come to rest within the limit (`max_cycles`); `places` says who is where."""

    def __init__(self, max_cycles: int, places: str) -> None:
        self.max_cycles = max_cycles
        self.places = places
        super().__init__(f"no rest within the limit of {max_cycles} cycles:\n{places}")


class TrapError(SimulationError):
    """A tile has trapped.

    Attributes
    ----------
    tile : int
    thread : int or None
        The context; None for the exchange or the chip.
    pc : int
        The instruction's address; for the exchange, the cycle since the barrier's release.
    cause : Cause
    code : int
        An explicit trap's code.
    value : int
        Address, instruction word or operand, as `isa.Cause` says.
    """

    def __init__(
        self, *, tile: int, thread: int | None, pc: int, cause: Cause, code: int, value: int,
        detail: str = "",
    ) -> None:  # fmt: skip
        self.tile = tile
        self.thread = thread
        self.pc = pc
        self.cause = cause
        self.code = code
        self.value = value
        what = CAUSE_TEXT[cause] + (f" (code {code})" if cause is Cause.EXPLICIT else "")
        if cause is Cause.ZONE_MISMATCH:
            message = what
        elif thread is None:
            message = f"tile {tile}, exchange cycle {pc}: {what}, value {value:#x}"
        else:
            message = f"tile {tile}, thread {thread}, pc {pc:#x}: {what}, value {value:#x}"
        super().__init__(f"{message}\n{detail}" if detail else message)
