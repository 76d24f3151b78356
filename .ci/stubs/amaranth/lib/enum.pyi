# What type checkers need to know of amaranth.lib.enum, which has no annotations: that its classes
# are enumerations, and that their definitions take a shape. At run time Amaranth's own is used.
# (What is ignored below: a stub's enumeration is expected to have members.)
import enum
from typing import Any

class EnumType(enum.EnumMeta):
    def __new__(
        metacls,
        name: str,
        bases: tuple[type, ...],
        namespace: Any,
        shape: Any = ...,
        view_class: Any = ...,
        **kwargs: Any,
    ) -> Any: ...

class Enum(enum.Enum, metaclass=EnumType): ...  # type: ignore[misc]
class IntEnum(enum.IntEnum, metaclass=EnumType): ...  # type: ignore[misc]
class Flag(enum.Flag, metaclass=EnumType): ...  # type: ignore[misc]
class IntFlag(enum.IntFlag, metaclass=EnumType): ...  # type: ignore[misc]
