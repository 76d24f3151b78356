"""What a user can get wrong: everything that the command line reports without a traceback."""

from openipu.cosim.build import BuildError
from openipu.cosim.elf import ElfError
from openipu.cosim.errors import SimulationError
from openipu.sw.compiler.errors import CompileError
from openipu.sw.frontends.onnx import ModelError
from openipu.sw.graph import GraphError
from openipu.sw.ops.builder import OpError


class UsageError(Exception):
    """What was asked for doesn't make sense; the message says which rule it breaks."""


USER_ERRORS: tuple[type[Exception], ...] = (
    UsageError, ModelError, OpError, GraphError, CompileError, BuildError, SimulationError,
    ElfError, OSError,
)  # fmt: skip
"""Exceptions whose message is meant for the user; OSError is of files."""
