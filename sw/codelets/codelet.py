"""Codelets: the kernels that vertices run, each with its fields, twin, cost and C source.

A codelet is declared once, here in Python. From its fields the C struct of its vertices is
generated into `firmware/include/openipu/vertices.h` (`openipu.sw.compiler.headers`): for each
vector field and table a pointer `NAME` and a `uint32_t NAME_length` (elements), in order, then the
scalars and derived words, 4 bytes each. For the assembler, the same header has the offset of each.
"""

import importlib
import pkgutil
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

DTYPES: dict[str, str] = {
    "float32": "float",
    "float16": "_Float16",
    "int32": "int32_t",
    "uint32": "uint32_t",
}
"""Element types of variables and fields, with their C types."""

SCALAR_DTYPES: dict[str, tuple[str, str]] = {
    "u32": ("uint32", "uint32_t"),
    "i32": ("int32", "int32_t"),
    "f32": ("float32", "float"),
}
"""Types of scalars, with their NumPy and C types."""

_IDENTIFIER = re.compile(r"[a-z][a-z0-9_]*")


class Kind(Enum):
    """How a codelet uses a field."""

    INPUT = "Input"  #: only read
    OUTPUT = "Output"  #: every element written, none read before
    INOUT = "InOut"  #: read and written, or written in part

    @property
    def reads(self) -> bool:
        """Whether the codelet reads the field."""
        return self is not Kind.OUTPUT

    @property
    def writes(self) -> bool:
        """Whether the codelet writes the field."""
        return self is not Kind.INPUT


Input, Output, InOut = Kind.INPUT, Kind.OUTPUT, Kind.INOUT


@dataclass(frozen=True)
class Field:
    """A vector field: a contiguous run of elements in the tile's memory.

    It begins at a multiple of its elements' size. One that is `streamed` is read or written in
    words of 64 bits: it begins at a multiple of 8 bytes, and one that is written also ends at a
    multiple or with its region, since its last word is written whole. `apart_from` names streamed
    fields from which an instruction takes words at the same time: they get banks of their own.
    """

    name: str
    kind: Kind
    dtype: str = "float32"
    streamed: bool = field(default=False, kw_only=True)
    apart_from: tuple[str, ...] = field(default=(), kw_only=True)

    def __post_init__(self) -> None:
        _check_identifier("Field", self.name)
        if not isinstance(self.kind, Kind):
            raise TypeError(f"Field kind must be Input, Output or InOut, not {self.kind!r}")
        if self.dtype not in DTYPES:
            raise ValueError(f"Field dtype must be one of {', '.join(DTYPES)}, not {self.dtype!r}")


@dataclass(frozen=True)
class Table:
    """Words of each vertex, any number of them, that lie with its struct; the struct has where."""

    name: str

    def __post_init__(self) -> None:
        _check_identifier("Table", self.name)

    def convert(self, value: ArrayLike) -> NDArray[np.uint32]:
        """Return words as an array (n,); ValueError for what doesn't fit into words."""
        words = np.asarray(value)
        kind = words.dtype.kind
        if words.ndim != 1 or (words.size and kind not in "iu"):
            raise ValueError(f"table {self.name} must be a row of whole numbers, not {value!r}")
        if words.size and not 0 <= words.min() <= words.max() < 1 << 32:
            raise ValueError(
                f"table {self.name} must have numbers from 0 to {(1 << 32) - 1}, not {value!r}"
            )
        return words.astype(np.uint32)


@dataclass(frozen=True)
class Scalar:
    """A constant of each vertex, stored in its struct: "u32", "i32" or "f32"."""

    name: str
    dtype: str = "u32"

    def __post_init__(self) -> None:
        _check_identifier("Scalar", self.name)
        if self.dtype not in SCALAR_DTYPES:
            raise ValueError(
                f"Scalar dtype must be one of {', '.join(SCALAR_DTYPES)}, not {self.dtype!r}"
            )

    def convert(self, value: Any) -> np.generic:
        """Return a value as NumPy's scalar of this type.

        Raises TypeError for what is no number, ValueError for what doesn't fit.
        """
        number: type[np.generic] = np.dtype(SCALAR_DTYPES[self.dtype][0]).type
        if not isinstance(value, int | float | np.number):
            raise TypeError(f"scalar {self.name} must be a number, not {value!r}")
        if self.dtype != "f32":
            limits = np.iinfo(SCALAR_DTYPES[self.dtype][0])
            if value != int(value) or not limits.min <= value <= limits.max:
                raise ValueError(
                    f"scalar {self.name} must be a whole number from {limits.min} to {limits.max}, "
                    f"not {value!r}"
                )
            value = int(value)
        result: np.generic = np.dtype(number).type(value)
        return result


@dataclass(frozen=True)
class Derived:
    """A word of each vertex's struct that follows from the others, so that no kernel computes it.

    `value` is called with the length of every vector field and every scalar (int or float), by
    name, and returns what fits into a `uint32_t`. The NumPy twin doesn't get it.
    """

    name: str
    value: Callable[..., int]

    def __post_init__(self) -> None:
        _check_identifier("Derived", self.name)


@dataclass(frozen=True)
class Codelet:
    """A kernel.

    Attributes
    ----------
    name : str
        Also of the C function, `void NAME(const struct NAME_vertex *v)`.
    fields : tuple of Field, Table, Scalar or Derived
        In the order of the C struct: vector fields, tables, scalars, derived words.
    source : str
        The C or assembler file: an absolute path, or one under `firmware/codelets/`.
    reference : callable
        The NumPy twin, called with every field by name (1-d arrays, views of tile memory), every
        table (1-d array of uint32) and every scalar (NumPy scalar). It writes the outputs in place,
        with the same operations in the same order as the firmware.
    cycles : callable
        The estimated cost of one vertex in *issues*: instructions that the worker issues, which
        takes the tile `slots` cycles each while the worker has its slot. Called with the length of
        every vector field under the field's name, every table and every scalar (int or float).
    team : bool
        All workers of the tile run each vertex together, each its part of the work by its number
        (mhartid's low four bits); they wait for each other with xmeet.
    """

    name: str
    fields: tuple[Field | Table | Scalar | Derived, ...]
    source: str
    reference: Callable[..., None]
    cycles: Callable[..., int]
    team: bool = False

    def __post_init__(self) -> None:
        _check_identifier("Codelet", self.name)
        names = [item.name for item in self.fields]
        if len(set(names)) != len(names):
            raise ValueError(f"codelet {self.name}: fields must have distinct names, not {names!r}")
        kinds = [(Field, Table, Scalar, Derived).index(type(item)) for item in self.fields]
        if kinds != sorted(kinds):
            raise ValueError(
                f"codelet {self.name}: vector fields must come before tables, those before "
                f"scalars, and those before derived words"
            )
        streamed = {item.name for item in self.vectors if item.streamed}
        for item in self.vectors:
            if not {item.name, *item.apart_from} <= streamed and item.apart_from:
                raise ValueError(
                    f"codelet {self.name}: {item.name} and what it is apart from must be streamed "
                    f"fields, not {', '.join(item.apart_from)}"
                )

    @property
    def vectors(self) -> tuple[Field, ...]:
        """The vector fields, in order."""
        return tuple(item for item in self.fields if isinstance(item, Field))

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables, in order."""
        return tuple(item for item in self.fields if isinstance(item, Table))

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """The scalars, in order."""
        return tuple(item for item in self.fields if isinstance(item, Scalar))

    @property
    def derived(self) -> tuple[Derived, ...]:
        """The derived words, in order."""
        return tuple(item for item in self.fields if isinstance(item, Derived))

    @property
    def struct_bytes(self) -> int:
        """Size of a vertex's struct, without the words of its tables."""
        pointers = len(self.vectors) + len(self.tables)
        return 8 * pointers + 4 * (len(self.scalars) + len(self.derived))

    def issues(
        self,
        lengths: Mapping[str, int],
        scalars: Mapping[str, Any],
        tables: Mapping[str, NDArray[np.uint32]] | None = None,
    ) -> int:
        """Return the estimated cost of a vertex in issues, at least 1."""
        numbers = {name: np.asarray(value).item() for name, value in scalars.items()}
        return max(1, int(self.cycles(**lengths, **(tables or {}), **numbers)))


_registry: dict[str, Codelet] = {}


def register(codelet: Codelet) -> Codelet:
    """Add a codelet to those that programs are linked with; return it.

    ValueError if another one has its name.
    """
    if _registry.setdefault(codelet.name, codelet) is not codelet:
        raise ValueError(f"codelet {codelet.name!r} is already registered")
    return codelet


def lookup(name: str) -> Codelet:
    """Return the codelet of that name; ValueError names those there are."""
    try:
        return all_codelets()[name]
    except KeyError:
        known = ", ".join(sorted(_registry))
        raise ValueError(f"codelet must be one of {known}, not {name!r}") from None


def all_codelets() -> dict[str, Codelet]:
    """Return every codelet of this package and every one registered since, by name, sorted."""
    package = importlib.import_module("openipu.sw.codelets")
    for module in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        importlib.import_module(module.name)
    return dict(sorted(_registry.items()))


def _check_identifier(what: str, name: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{what} name must be a str, not {name!r}")
    if not _IDENTIFIER.fullmatch(name):
        raise ValueError(f"{what} name must be a lower-case identifier, not {name!r}")
