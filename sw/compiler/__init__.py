"""The compiler: graphs and programs in, executables out."""

from openipu.sw.compiler.compile import compile
from openipu.sw.compiler.errors import BankError, CompileError, Item, OutOfMemoryError
from openipu.sw.compiler.executable import Estimate, Executable
from openipu.sw.compiler.layout import Region

__all__ = [
    "BankError",
    "CompileError",
    "Estimate",
    "Executable",
    "Item",
    "OutOfMemoryError",
    "Region",
    "compile",
]
