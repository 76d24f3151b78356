"""Operands for tests of floating-point units: corners, and random ones that meet."""

import numpy as np

from openipu.rtl.floating.format import Format


def corners(form: Format):
    """Return the patterns at which something changes, of both signs."""
    point, top = form.fraction_bits, form.max_exponent
    fractions = [0, 1, 1 << point - 1, (1 << point - 1) + 1, (1 << point) - 2, (1 << point) - 1]
    exponents = [0, 1, 2, form.bias - point - 1, form.bias - 1, form.bias, form.bias + 1,
                 form.bias + point, top - 2, top - 1, top]  # fmt: skip
    magnitudes = [exponent << point | fraction for exponent in exponents for fraction in fractions]
    return np.array([*magnitudes, *(1 << form.width - 1 | x for x in magnitudes)], np.uint64)


def random_operands(rng, form: Format, count: int, columns: int = 3):
    """Return uint64 patterns (columns, count).

    Some are near the first column, so that sums cancel; some near one, so that a product is near
    the third; some are subnormal; some are corners.
    """
    size, width, point = (columns, count), form.width, form.fraction_bits
    any_bits = rng.integers(0, 1 << width, size, dtype=np.uint64)
    near = any_bits[0] ^ any_bits >> rng.integers(form.exponent_bits - 3, width, size, np.uint64)
    near ^= rng.integers(0, 2, size, np.uint64) << np.uint64(width - 1)
    sign, fraction = np.uint64(1 << width - 1), np.uint64((1 << point) - 1)
    least = np.uint64(form.bias - 2)
    centred = any_bits & (sign | fraction)
    centred |= (least + rng.integers(0, 5, size, np.uint64)) << np.uint64(point)
    small = any_bits & (sign | fraction | np.uint64(3 << point))
    kind = rng.random(size)
    kind = np.where(rng.random(count) < 0.2, 0.65, kind)  # all of a vector near one
    return np.select(
        [kind < 0.3, kind < 0.6, kind < 0.75, kind < 0.85],
        [any_bits, near, centred, small],
        rng.choice(corners(form), size),
    )


def words_of(patterns, form: Format):
    """Return patterns (..., n) as 64-bit words (..., n * width / 64), the first in the low bits."""
    lanes = np.ascontiguousarray(patterns.astype(f"u{form.width // 8}"))
    return lanes.view(np.uint64)
