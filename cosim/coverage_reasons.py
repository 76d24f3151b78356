"""Why parts of a tile stay uncovered by lock-step programs.

From a regular expression, for the module in the tile and the point in it as
`cosim.coverage.Point.name` has them, to the reason. The first that matches counts.
"""

_ADDRESS = (
    "An address's bits that programs don't reach: instructions are aligned, and the tile's 64 KiB "
    "begin at 0"
)
_CLOCK = "The simulator doesn't evaluate the clock's falling edge, at which nothing happens"
_CONSTANT = "Constant: zeros below, beside or above what a wider format or a shifter is given"
_ERROR = (
    "Mistakes in exchange tables, which end a program: tests/rtl/tile/test_exchange_port.py"
)
_HOST = (
    "The host's port: programs are put into the memory beside it, and no register is read while "
    "they run: tests/rtl/tile/test_host.py"
)
_LONG = "Upper bits of counters: programs are too short"
_NOT_RANDOM = "Numbers that are too rare among this run's operands: vectors in tests/rtl have them"
_ONE_TILE = "There is one tile, whose number is 0"
_ROWS = "Tables have a power of two of rows, one more than there are contexts"
_START = (
    "Programs start at 0 in the supervisor; in the other contexts: tests/rtl/tile/test_core.py, "
    "tests/cosim/test_instructions.py"
)
_STOP = (
    "Traps to the host, which end a program: tests/rtl/tile/test_traps.py, "
    "tests/cosim/test_instructions.py::test_xtrap_goes_to_the_host"
)
_TABLES = "Random exchange tables are short, and so are their gaps, counts and steps"
_UNIT = "The unit does less than its parts can: SIMD rounds to nearest and has less operations"
_WORDS = "Whole words only are written: all strobes are always set once they are"
_WANTED = "The units aren't simulated in cycles in which they aren't enabled"
_ZERO = "Always 0: the flag belongs to other operations; bits of registers that have none"
_ZONE = "Zone HOST, in which a program would wait for the host: tests/cosim/test_session.py"

_VECTOR = r"(m|w|x|d)?_?(trace|d|x|port)"  # structs that have a pc
_TRAPPED = r"(trap|record|trapped|x_to_host|freeze|explicit|stopped)"
_HOST_PORT = r"(host|request|response|host_\w+)"

REASONS: dict[str, str] = {
    r".*:clk:1->0": _CLOCK,
    r"core\.(simd|amp\.datapath).*:enable:1->0": _WANTED,
    r".*:tile_id\[.*|core\.random:first_seed\[.*|(exchange)?:select\[.*": _ONE_TILE,
    r"exchange.*:source(_[01])?\[.*": _ONE_TILE,
    r".*(:3'h7: case|:(storage|accumulators|partials|results)\[7\]\[).*": _ROWS,
    r".*:(written|active|is_held)\[7\]:.*|core\.csrs:fflags\[3[5-9]\]:.*": _ROWS,
    r"core\.loops:3'h6: case.*": "Only workers are started, not the supervisor",
    r"(core|core\.threads)?:boot_(pc|thread)(\[.*|:.*)": _START,
    r"core\.threads:if .* begin (if|else), \d+": _START,
    rf"(core|core\.traps|core\.threads|exchange|host)?:{_TRAPPED}(\[.*|:.*)": _STOP,
    r"core\.traps:(end else )?if .*|core\.decoder:25'b000010100000.*": _STOP,
    r"core:if .* begin if, \d+": (
        "A pushed word that meets the exchange in its bank, which ends a program"
    ),
    r"core\.streams:end else if \(1'h1\) begin else.*": "A branch whose condition is constant",
    r"(core|core\.traps|exchange)?:(exchange|trap)_(cause|value|cycle)(\[.*|:.*)": _ERROR,
    r"exchange:half:.*": "The bus has 64 bits: there are no halves of words",
    r"exchange.*:(late|early|lag)(\[.*|:.*)|exchange.*if .*": _ERROR,
    r"(.*:cycle|core\.csrs:mcycle|core\.csrs.*:(next|value|write__data))\[\d+\]:.*": _LONG,
    r"host:(counter_\w+|exchange_cycle)\[.*": _LONG,
    r"(host|memory.*)?:(zone|sync_zone)\[1\].*|core(\.threads)?:zone\[1\].*|host:zone.*": _ZONE,
    r"(core|core\.threads|host)?:pcs\[.*": _ADDRESS,
    r"core.*:(pc|f_pc|x_pc|x_next_pc|x_first|x_vector|x_return|x_stream_address)\[.*": _ADDRESS,
    r"core.*:x_addresses__\d\[.*|(core|memory)?:fetch_addr\[.*|memory:fetch_asked\[.*": _ADDRESS,
    rf"(core.*)?:{_VECTOR}\[.*|core\.loops.*:(next|value|write__data)\[.*": _ADDRESS,
    r"core\.csrs\.(mepc|mtvec):.*": _ADDRESS,
    r"core\.csrs\.(mcause|mscratch|mtval):storage\[6\].*": _NOT_RANDOM,
    r"core.*:x_cause\[.*": "Causes have 6 bits of 32",
    r".*:\w*flags\[[1-3]\]:.*": _ZERO,
    r"(core)?:events\[.*": "Events of the exchange, which the core has no part in",
    r"memory:host_\w+.*": _HOST,
    rf"(host)?:({_HOST_PORT}|register|mine|asked|memory)(\[.*|:.*)|host:.* case, \d+": _HOST,
    r"host:(end else )?if .*": _HOST,
    r".*:receive_strobe\[.*": _WORDS,
    r"exchange.*|(memory)?:table_(addr|ok|asked)(\[.*|:.*)": _TABLES,
    r"memory:(send|pop_[01])_asked\[.*": "The bank that was asked: threads' data are in the last",
    r"memory.*": (
        "Banks that few programs reach, and the host's and the exchange's ways into them: "
        "tests/rtl/tile/test_memory.py, tests/formal/test_memory.py"
    ),
    r"core\.simd.*:(x_\w*op|op|rm|x_rm|m_rm|to_infinity)(\[.*|:.*)": _UNIT,
    r"core\.simd\.multiply_add_\w+\.fma_\d:(6'h0[456]: case|product_flip).*": _UNIT,
    r"core\.amp\.datapath\.results.*:(nearest|random|reached)(\[.*|:.*)": _UNIT,
    r"core\.amp\.control:x_taken\[.*": "Two pairs of results are taken at most",
    r"core\.amp\.control(\.contexts)?:.*": (
        "Rows have few groups, or end before all partials are given or many groups are done"
    ),
    r"core\.amp\.datapath\.lane_\d+:partial(s\[\d\])?\[.*": (
        "Partials of upper outputs that are never given in that context"
    ),
    r"core\.amp\.datapath\.(dot|lane)_\d+\.(add|sum_\d).*:(limit|count|window\w*|assign .*).*": (
        _NOT_RANDOM
    ),
    r"core\.amp\.datapath\.\w+\.add\.zeros:.*|core\.simd\.sums\.\w+:(limit|end else if).*": (
        _NOT_RANDOM
    ),
    r"core\.amp\.datapath.*:(m_)?factors__\d\[.*|core\.amp\.datapath.*:port\[.*": _CONSTANT,
    r"core\.amp\.datapath\.dot_\d+(\.sum_\d.*)?:.*": _CONSTANT,
    r"core\.(simd|fpu|fdivider)\.?.*\[\d+\]:.*": _CONSTANT,
}
