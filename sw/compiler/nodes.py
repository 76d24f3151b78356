"""The nodes of a tile's program, as `firmware/runtime/supervisor.S` reads them.

A node is a run of words. Every node begins with the handler and the address of its successor; the
addresses of the jobs of the workers that it starts lie before it, worker k's at offset -4 - 4k.
"""

from enum import IntEnum


class Offset(IntEnum):
    """Byte offsets of the words of a node. Which of them there are depends on its handler."""

    NEXT_OP = 0  #: handler of the next node
    NEXT = 4  #: address of the next node
    SEND = 8  #: op_exchange: the send table, or 0
    RECEIVE = 12  #: op_exchange: the receive table, or 0
    ADDRESS = 8  #: op_set: where to store
    VALUE = 12  #: op_set: what to store
    OTHER_OP = 8  #: op_repeat, op_if, op_call: handler of the other successor
    OTHER = 12  #: op_repeat, op_if, op_call: address of the other successor
    COUNT = 16  #: op_repeat: how often it is still to be reached; op_set sets it
    PREDICATE = 16  #: op_if: address of the word that decides
    RETURN = 16  #: op_call: address of the function's last node


SIZES = {
    "op_next": 8, "op_host": 8, "op_halt": 8, "op_run": 8, "op_sync": 8, "op_exchange": 16,
    "op_set": 16, "op_repeat": 20, "op_if": 20, "op_call": 20,
}  # fmt: skip
"""Bytes of a node by its handler, without the workers' jobs before it."""
