"""Draw docs/machine.svg, the picture in the README: `python docs/picture.py`."""

from math import cos, pi, sin
from pathlib import Path

INK, SOFT, PAPER, PANEL = "#1f2937", "#6b7280", "#ffffff", "#f3f4f6"
COMPUTE, ACTIVE = "#4f7cac", "#2f5680"
SYNC, EXCHANGE, MEMORY = "#c98a1b", "#4c9159", "#8672a8"
FONT = "font-family='Helvetica, Arial, sans-serif'"


def box(x: float, y: float, w: float, h: float, fill: str, stroke: str = "none") -> str:
    """Return a rounded rectangle."""
    place = f"x='{x}' y='{y}' width='{w}' height='{h}'"
    return f"<rect {place} rx='5' fill='{fill}' stroke='{stroke}'/>"


def text(x: float, y: float, words: str, size: int = 13, colour: str = INK, **more: str) -> str:
    """Return a line of text, centred on x unless `anchor` says otherwise."""
    anchor, weight = more.get("anchor", "middle"), more.get("weight", "normal")
    return (
        f"<text x='{x}' y='{y}' font-size='{size}' fill='{colour}' text-anchor='{anchor}' "
        f"font-weight='{weight}' {FONT}>{words}</text>"
    )


def line(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 2) -> str:
    """Return a line with an arrow's head at its end."""
    return (
        f"<line x1='{x1}' y1='{y1}' x2='{x2}' y2='{y2}' stroke='{colour}' stroke-width='{width}' "
        f"marker-end='url(#head-{colour[1:]})'/>"
    )


def chip(x: float, y: float) -> list[str]:
    """Return the chip: tiles between the sync tree and the exchange fabric."""
    parts = [box(x, y, 430, 262, PANEL, "#d1d5db")]
    parts += [text(x + 14, y + 22, "chip", 15, anchor="start", weight="bold")]
    parts += [text(x + 56, y + 22, "1 to 2048 tiles, nothing shared", 12, SOFT, anchor="start")]
    parts += [box(x + 14, y + 36, 402, 28, SYNC)]
    parts += [text(x + 215, y + 55, "sync: a barrier of all tiles", 13, PAPER)]
    for i, name in enumerate(("tile 0", "tile 1", "tile 2", "tile N-1")):
        left = x + 14 + i * 104
        parts += [line(left + 30, y + 92, left + 30, y + 68, SYNC)]
        parts += [line(left + 60, y + 66, left + 60, y + 90, SYNC)]
        parts += [box(left, y + 94, 90, 74, PAPER, INK)]
        parts += [text(left + 45, y + 114, name, 13, weight="bold")]
        parts += [box(left + 9, y + 122, 72, 16, COMPUTE)]
        parts += [text(left + 45, y + 134, "threads", 10, PAPER)]
        parts += [box(left + 9, y + 143, 72, 16, MEMORY)]
        parts += [text(left + 45, y + 155, "own SRAM", 10, PAPER)]
        parts += [line(left + 30, y + 170, left + 30, y + 194, EXCHANGE)]
        parts += [line(left + 60, y + 196, left + 60, y + 172, EXCHANGE)]
    parts += [text(x + 319, y + 134, "···", 16, SOFT)]
    parts += [box(x + 14, y + 198, 402, 50, EXCHANGE)]
    rules = "exchange: a tile drives one bus and listens to any"
    parts += [text(x + 215, y + 219, rules, 13, PAPER)]
    parts += [text(x + 215, y + 237, "no queues, no arbiters: the compiler has decided", 12, PAPER)]
    return parts


def tile(x: float, y: float) -> list[str]:
    """Return one tile from inside: the barrel of issue slots, its units, its memory."""
    parts = [box(x, y, 380, 262, PANEL, "#d1d5db")]
    parts += [text(x + 14, y + 22, "tile", 15, anchor="start", weight="bold")]
    about = "one instruction a cycle, RV32IMF + Xipu"
    parts += [text(x + 50, y + 22, about, 12, SOFT, anchor="start")]
    cx, cy, r = x + 88, y + 108, 62
    for i in range(6):
        a, b = (i - 2) * pi / 3, (i - 1) * pi / 3
        ends = [f"{cx + r * cos(t):.1f} {cy + r * sin(t):.1f}" for t in (a, b)]
        parts += [
            f"<path d='M {cx} {cy} L {ends[0]} A {r} {r} 0 0 1 {ends[1]} Z' "
            f"fill='{COMPUTE if i else ACTIVE}' stroke='{PANEL}' stroke-width='3'/>"
        ]
        mid = (a + b) / 2
        at = round(cx + 41 * cos(mid), 1), round(cy + 41 * sin(mid) + 5, 1)
        parts += [text(*at, f"w{i}", 14, PAPER)]
    parts += [f"<circle cx='{cx}' cy='{cy}' r='13' fill='{PANEL}'/>"]
    parts += [text(cx, y + 188, "a worker owns a slot, the", 11, SOFT)]
    parts += [text(cx, y + 203, "supervisor takes free ones", 11, SOFT)]
    does_what = ("fetch", "decode, read", "execute, or replay", "memory, FPU", "write")
    for i, (stage, does) in enumerate(zip("fdxmw", does_what, strict=True)):
        top = y + 38 + i * 33
        parts += [box(x + 190, top, 26, 26, ACTIVE), text(x + 203, top + 18, stage, 14, PAPER)]
        parts += [text(x + 226, top + 18, does, 12, anchor="start")]
        if i:
            parts += [line(x + 203, top - 7, x + 203, top - 1, INK, 1.2)]
    parts += [line(x + 156, cy - 44, x + 186, cy - 56, INK, 1.5)]
    for i in range(8):
        parts += [box(x + 14 + i * 44.5, y + 216, 40, 32, MEMORY)]
        parts += [text(x + 34 + i * 44.5, y + 237, f"bank {i}", 10, PAPER)]
    return parts


def timeline(x: float, y: float) -> list[str]:
    """Return supersteps over time: compute, barrier, exchange, and again."""
    parts = [text(x, y + 14, "supersteps", 15, anchor="start", weight="bold")]
    about = "after each, every variable written is compared with the golden reference"
    parts += [text(x + 106, y + 14, about, 12, SOFT, anchor="start")]
    work = ((150, 110, 168, 130), (96, 140, 84, 124))
    for row in range(4):
        top, left = y + 28 + row * 22, x + 50
        parts += [text(x, top + 13, f"tile {row}", 12, anchor="start")]
        for step, widest in ((0, 168), (1, 140)):
            w = work[step][row]
            parts += [box(left, top, w, 17, COMPUTE)]
            parts += [box(left + w + 2, top, widest - w + 20, 17, SYNC)]
            parts += [box(left + widest + 24, top, 92, 17, EXCHANGE)]
            left += widest + 120
        parts += [box(left, top, 230, 17, COMPUTE)]
    captions = ((134, 228, 288), (408, 488, 548), (707,))
    for lefts in captions:
        for left, words in zip(lefts, ("compute", "sync", "exchange"), strict=False):
            parts += [text(x + left, y + 130, words, 12, SOFT)]
    return parts


def picture() -> str:
    """Return the whole drawing."""
    heads = "".join(
        f"<marker id='head-{c[1:]}' viewBox='0 0 8 8' refX='7' refY='4' markerWidth='5' "
        f"markerHeight='5' orient='auto'><path d='M0 0L8 4L0 8z' fill='{c}'/></marker>"
        for c in (INK, SOFT, SYNC, EXCHANGE)
    )
    parts = [box(0, 0, 1040, 470, PAPER)]
    parts += [box(20, 66, 128, 118, PANEL, "#d1d5db"), text(84, 88, "host", 15, weight="bold")]
    parts += [text(84, 112, "Python: graph,", 12), text(84, 129, "compiler, engine,", 12)]
    parts += [text(84, 146, "golden reference", 12)]
    parts += [line(150, 125, 183, 125, INK), text(167, 117, "AXI4", 11, SOFT)]
    parts += chip(188, 20) + tile(640, 20)
    parts += [line(606, 150, 636, 150, SOFT, 1)]
    parts += timeline(110, 316)
    return (
        "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 1040 470' role='img' "
        "aria-label='An openipu chip, one tile of it, and supersteps over time'>\n"
        f"<defs>{heads}</defs>\n" + "\n".join(parts) + "\n</svg>\n"
    )


if __name__ == "__main__":
    (Path(__file__).parent / "machine.svg").write_text(picture())
