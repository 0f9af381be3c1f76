"""Puts the content blocks of one Anthropic message together: text, thinking, tool use.

Rule: blocks are numbered from 0 without a gap, since the number is the block's place in the finished message; a delta
goes to a block that is open and of its kind. What is joined is what arrived, cut arguments included.

It does not know when a message is complete.
"""

from __future__ import annotations

from typing import Any

from recorder.contracts._arguments import are_whole, can_be_run, json_text
from recorder.contracts._assembly import Pieces
from recorder.contracts._chat_steps import has_lone_surrogate
from recorder.contracts._dialect_run import Room
from recorder.contracts._typed_events import is_index
from recorder.contracts._verdict import Choice, ToolCall
from recorder.errors import FaultCode

TOOL_USE = "tool_use"

_DELTAS = {  # kind of delta -> what it brings, which blocks take it, the fault when what it brings is no text
    "text_delta": ("text", frozenset({"text"}), FaultCode.INVALID_CONTENT),
    "thinking_delta": ("thinking", frozenset({"thinking"}), FaultCode.INVALID_DELTA),
    "input_json_delta": ("partial_json", None, FaultCode.INVALID_DELTA),
}
_PASSED_OVER = frozenset({"signature_delta", "citations_delta"})
_IMPLIED = {"text_delta": "text", "thinking_delta": "thinking"}


def is_unknown_delta(record: dict[str, Any]) -> bool:
    """Whether a `content_block_delta` is of a kind nobody here knows; one without a kind is not."""
    delta = record.get("delta")
    kind = delta.get("type") if isinstance(delta, dict) else None
    return isinstance(kind, str) and kind not in _DELTAS and kind not in _PASSED_OVER


class Block:
    """One content block in pieces.

    Attributes:
        implied: whether only its deltas show it, from a server that starts no block.
        input: what a tool's arguments are as long as no piece of them came: "{}" from Anthropic.
    """

    __slots__ = ("id", "implied", "input", "name", "open", "pieces", "type")

    def __init__(self, type_: str, implied: bool) -> None:
        self.type = type_
        self.implied = implied
        self.open = True
        self.id: str | None = None
        self.name = ""
        self.input = ""
        self.pieces = Pieces()

    def arguments(self) -> str:
        """The tool's input as JSON text: its pieces, or what the block was started with once it is closed."""
        return str(self.pieces) or ("" if self.open else self.input)

    def call(self) -> ToolCall:
        """The tool call this block is, as far as it came."""
        arguments = self.arguments()
        return ToolCall(self.id, self.name, arguments, are_whole(arguments, ended=not self.open))


class Blocks:
    """All content blocks of a message."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._blocks: list[Block] = []

    def start(self, record: dict[str, Any]) -> FaultCode | None:
        """`content_block_start`."""
        index, start = record.get("index"), record.get("content_block")
        if not is_index(index) or not isinstance(start, dict) or not isinstance(start.get("type"), str):
            return FaultCode.INVALID_CHUNK
        if index != len(self._blocks) or any(each.implied for each in self._blocks[-1:]):
            return FaultCode.INVALID_SEQUENCE
        id_, name = start.get("id"), start.get("name")
        if not isinstance(id_, str | None) or not isinstance(name, str | None):
            return FaultCode.INVALID_CHUNK
        block = Block(start["type"], implied=False)
        block.id, block.name, block.input = id_, name or "", _input(start.get("input"))
        self._blocks.append(block)
        taken = self._room.take("".join((block.type, id_ or "", block.name, block.input)))
        return taken or self._begin(block, start)

    def _begin(self, block: Block, start: dict[str, Any]) -> FaultCode | None:
        """The text a block is started with: none from Anthropic, the first piece from some other servers."""
        if block.type not in ("text", "thinking"):
            return None
        fault = FaultCode.INVALID_CONTENT if block.type == "text" else FaultCode.INVALID_DELTA
        return self._room.append(block.pieces, start.get(block.type), fault)

    def delta(self, record: dict[str, Any]) -> FaultCode | None:
        """`content_block_delta`."""
        index, delta = record.get("index"), record.get("delta")
        if not is_index(index):
            return FaultCode.INVALID_CHUNK
        if not isinstance(delta, dict) or not isinstance(delta.get("type"), str):
            return FaultCode.INVALID_DELTA
        kind = delta["type"]
        block = self._blocks[index] if index < len(self._blocks) else self._implied(index, kind)
        if block is None or not block.open:
            return FaultCode.INVALID_SEQUENCE
        if kind not in _DELTAS:
            return None
        member, blocks, fault = _DELTAS[kind]
        if not (_takes_input(block) if blocks is None else block.type in blocks):
            return FaultCode.INVALID_SEQUENCE
        text = delta.get(member)
        return self._room.append(block.pieces, text, fault) if text is not None else fault

    def _implied(self, index: int, kind: str) -> Block | None:
        """A new block for a delta that nothing started: the next one, and only where no block is ever started."""
        if kind not in _IMPLIED or index != len(self._blocks) or any(not each.implied for each in self._blocks[-1:]):
            return None
        self._blocks.append(Block(_IMPLIED[kind], implied=True))
        return self._blocks[-1]

    def stop(self, record: dict[str, Any]) -> FaultCode | None:
        """`content_block_stop`."""
        index = record.get("index")
        if not is_index(index):
            return FaultCode.INVALID_CHUNK
        block = self._blocks[index] if index < len(self._blocks) else None
        if block is None or not block.open or block.implied:
            return FaultCode.INVALID_SEQUENCE
        block.open = False
        return None

    def are_closed(self) -> bool:
        """Whether every block that was started was stopped."""
        return not any(block.open and not block.implied for block in self._blocks)

    def can_be_run(self) -> bool:
        """Whether every tool call has arguments that are JSON."""
        return all(can_be_run(block.arguments()) for block in self._blocks if block.type == TOOL_USE)

    def has_half_left(self) -> bool:
        """Whether text ends up with half a surrogate pair in it."""
        return any(has_lone_surrogate(str(each.pieces)) for each in self._blocks if each.type in ("text", "thinking"))

    def choice(self, finish: str | None) -> Choice:
        """The answer as it stands: the text blocks joined, thinking apart, the client's tool calls in order."""
        thinking = [str(each.pieces) for each in self._blocks if each.type == "thinking"]
        return Choice(
            index=0,
            text="".join(str(each.pieces) for each in self._blocks if each.type == "text"),
            finish=finish,
            tool_calls=tuple(each.call() for each in self._blocks if each.type == TOOL_USE),
            reasoning="".join(thinking) if thinking else None,
        )


def _takes_input(block: Block) -> bool:
    """`tool_use`, and the provider's own: `server_tool_use`, `mcp_tool_use`."""
    return block.type.endswith(TOOL_USE)


def _input(value: Any) -> str:
    """The input a block is started with as JSON text; "" for none, and for what is no object."""
    return json_text(value) if isinstance(value, dict) else ""
