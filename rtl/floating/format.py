"""Binary formats of IEEE 754-2019, and the fields of their patterns."""

from amaranth.hdl import Cat, Const, Value
from amaranth.lib import data


class Format(data.StructLayout):
    """An interchange format: the shape of signals that are seen as `Float`.

    Parameters
    ----------
    exponent_bits, fraction_bits : int
        Widths of the fields.
    """

    def __init__(self, exponent_bits: int, fraction_bits: int) -> None:
        self.exponent_bits = exponent_bits
        self.fraction_bits = fraction_bits
        self.precision = fraction_bits + 1
        self.bias = (1 << exponent_bits - 1) - 1
        self.max_exponent = (1 << exponent_bits) - 1
        """The exponent field of infinities and NaNs."""
        super().__init__({"fraction": fraction_bits, "exponent": exponent_bits, "sign": 1})

    def __call__(self, target) -> "Float":
        """Return a view of a value of this width."""
        return Float(self, target)

    @property
    def width(self) -> int:
        """Bits of a pattern."""
        return 1 + self.exponent_bits + self.fraction_bits

    def constant(self, *, sign: int = 0, exponent: int = 0, fraction: int = 0) -> Const:
        """Return a pattern from its fields."""
        return Const(
            (sign << self.exponent_bits | exponent) << self.fraction_bits | fraction, self.width
        )

    @property
    def one(self) -> Const:
        """The number 1."""
        return self.constant(exponent=self.bias)

    @property
    def infinity(self) -> Const:
        """Positive infinity."""
        return self.constant(exponent=self.max_exponent)

    @property
    def nan(self) -> Const:
        """The canonical NaN."""
        return self.constant(exponent=self.max_exponent, fraction=1 << self.fraction_bits - 1)


class Float(data.View):
    """A pattern of a `Format`: `fraction`, `exponent`, `sign` and what follows from them."""

    @property
    def magnitude(self) -> Value:
        """All but the sign: in the order of the absolute values."""
        return self.as_value()[:-1]

    @property
    def scale(self) -> Value:
        """The biased exponent of the significand's top bit: 1 for subnormal numbers too."""
        return Cat(self.exponent[0] | (self.exponent == 0), self.exponent[1:])

    @property
    def significand(self) -> Value:
        """The fraction and the implicit bit above it."""
        return Cat(self.fraction, self.exponent.any())

    @property
    def is_zero(self) -> Value:
        """Whether this is +0 or -0."""
        return self.magnitude == 0

    @property
    def is_infinite(self) -> Value:
        """Whether this is an infinity."""
        return self.exponent.all() & (self.fraction == 0)

    @property
    def is_nan(self) -> Value:
        """Whether this is a NaN."""
        return self.exponent.all() & self.fraction.any()

    @property
    def is_signalling(self) -> Value:
        """Whether this is a signalling NaN."""
        return self.is_nan & ~self.fraction[-1]


F16 = Format(5, 10)
F32 = Format(8, 23)
