"""Puts the output items of one response together: messages, reasoning, function and custom tool calls.

Rule: an event's place is its `output_index`, else its `item_id`, else (servers that send neither) the item that goes
on. What is said twice, in pieces and then whole, must be the same both times: a difference means that a piece was lost
on the way. What was only sent whole is taken whole. Nothing is repaired.

It does not know when a response is complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeGuard

from recorder.contracts._arguments import are_whole, can_be_run
from recorder.contracts._assembly import Pieces
from recorder.contracts._dialect_run import Room
from recorder.contracts._typed_events import is_index
from recorder.contracts._verdict import Choice, ToolCall
from recorder.errors import FaultCode

TEXT, REFUSAL, REASONING, SUMMARY, ARGUMENTS, INPUT = "text", "refusal", "reasoning", "summary", "arguments", "input"
CONTENT_PART, SUMMARY_PART, REASONING_PART = "content part", "summary part", "reasoning part"

_ITEM_OF = {TEXT: "message", REFUSAL: "message", ARGUMENTS: "function_call", INPUT: "custom_tool_call"}
_IMPLIED = {TEXT: "message", REFUSAL: "message", REASONING: "reasoning", SUMMARY: "reasoning"}
_CALL_TEXT = {"function_call": ARGUMENTS, "custom_tool_call": INPUT}
_PART_SLOTS = {
    "output_text": (TEXT, "text"),
    "text": (TEXT, "text"),
    "refusal": (REFUSAL, "refusal"),
    "reasoning_text": (REASONING, "text"),
    "summary_text": (SUMMARY, "text"),
}
_COMPARED = frozenset({TEXT, REFUSAL, ARGUMENTS, INPUT})  # some servers tell reasoning whole in other words


class Item:
    """One output item in pieces.

    Attributes:
        announced: whether an event brought the item itself; False for one that only its text shows.
        texts: pieces by slot and position.
        parts: the parts that were announced.
        closed: the texts that have been said whole.
    """

    __slots__ = ("announced", "call_id", "closed", "done", "id", "name", "parts", "status", "texts", "type")

    def __init__(self, type_: str, announced: bool) -> None:
        self.type = type_
        self.announced = announced
        self.id: str | None = None
        self.call_id: str | None = None
        self.name = ""
        self.status: Any = None
        self.done = False
        self.parts: set[tuple[str, int]] = set()
        self.texts: dict[tuple[str, int], Pieces] = {}
        self.closed: set[tuple[str, int]] = set()

    def text(self, slot: str) -> str | None:
        """All text of a slot by position, None when none came."""
        found = sorted(position for kind, position in self.texts if kind == slot)
        return "".join(str(self.texts[slot, each]) for each in found) if found else None

    def call(self) -> ToolCall:
        """The tool call this item is, as far as it came."""
        arguments = self.text(_CALL_TEXT[self.type]) or ""
        id_, is_custom = self.call_id or self.id, self.type == "custom_tool_call"
        whole = self.done and self.status != "incomplete" if is_custom else are_whole(arguments, self.done)
        return ToolCall(id_, self.name, arguments, whole, "custom" if is_custom else "function")

    def can_be_run(self) -> bool:
        """Whether a function call's arguments are JSON, or there are none at all."""
        return self.type != "function_call" or can_be_run(self.text(ARGUMENTS) or "")


class Items:
    """All output items of a response, by output index."""

    def __init__(self, room: Room) -> None:
        self._room = room
        self._items: dict[int, Item] = {}
        self._by_id: dict[str, Item] = {}
        self._last: Item | None = None
        self._next = 0
        self._ids_kept: bool | None = None

    def __iter__(self) -> Iterator[Item]:
        return (self._items[index] for index in sorted(self._items))

    # Items.

    def add(self, record: dict[str, Any]) -> FaultCode | None:
        """`output_item.added`: an item begins."""
        index, snapshot = record.get("output_index"), record.get("item")
        if not _is_place(index) or not _is_item(snapshot):
            return FaultCode.INVALID_CHUNK
        if index in self._items:
            return FaultCode.INVALID_SEQUENCE
        item = self._begin(index, snapshot)
        if isinstance(item, FaultCode):
            return item
        said = _said(snapshot)
        return FaultCode.INVALID_CHUNK if said is None else self._begin_with(item, 0, said)

    def _begin_with(self, item: Item, position: int, said: dict[str, str]) -> FaultCode | None:
        """Take what an item or a part is announced with for its first piece, as the provider's own clients do."""
        for slot, text in said.items():
            begins = text and _fits(item, slot) and (slot, position) not in item.texts
            code = self._append(item, (slot, position), text) if begins else None
            if code is not None:
                return code
        return None

    def finish(self, record: dict[str, Any]) -> FaultCode | None:
        """`output_item.done`: an item is whole. One that was never announced came whole at once."""
        index, snapshot = record.get("output_index"), record.get("item")
        if not _is_place(index) or not _is_item(snapshot):
            return FaultCode.INVALID_CHUNK
        item: Item | FaultCode | None = self._items.get(index) if index is not None else self._unplaced(snapshot)
        if item is None:
            item = self._begin(index, snapshot)
        if isinstance(item, FaultCode):
            return item
        if item.done or item.type != snapshot["type"]:
            return FaultCode.INVALID_SEQUENCE
        item.done, item.status = True, snapshot.get("status")
        return self._take_whole(item, snapshot)

    def _unplaced(self, snapshot: dict[str, Any]) -> Item | None:
        """The item that a whole one without an index is: by its id, else the one that goes on."""
        id_ = snapshot.get("id")
        known = self._by_id.get(id_) if isinstance(id_, str) else None
        return known if known is not None or self._last is None or self._last.done else self._last

    def _begin(self, index: int | None, snapshot: dict[str, Any]) -> Item | FaultCode:
        named = [snapshot.get(each) for each in ("id", "call_id", "name")]
        if not all(isinstance(each, str | None) for each in named):
            return FaultCode.INVALID_CHUNK
        item = self._put(index, Item(snapshot["type"], announced=True))
        item.id, item.call_id = named[0], named[1]
        item.name = named[2] or ""
        if item.id is not None:
            self._by_id.setdefault(item.id, item)
        return self._room.take("".join(each for each in (item.type, *named) if each)) or item

    def _put(self, index: int | None, item: Item) -> Item:
        index = self._next if index is None else index
        self._next = max(self._next, index + 1)
        self._items[index] = self._last = item
        return item

    # Where an event belongs.

    def _place(self, record: dict[str, Any], slot: str) -> Item | FaultCode:
        """The item an event is about."""
        index, id_ = record.get("output_index"), record.get("item_id")
        if not _is_place(index) or not isinstance(id_, str | None):
            return FaultCode.INVALID_CHUNK
        if index is not None:
            item = self._items.get(index)
            item = item if item is None or self._is_id_of(item, id_) else None
        elif id_:
            item = self._by_id.get(id_)
        else:
            item = self._last if self._last is not None and _fits(self._last, slot) else self._implied(slot)
        if item is None or item.done or not _fits(item, slot):
            return FaultCode.INVALID_SEQUENCE
        return item

    def _implied(self, slot: str) -> Item | None:
        """A new item for a text that names none, from a server that announces none."""
        if slot not in _IMPLIED or (self._last is not None and self._last.announced):
            return None
        return self._put(None, Item(_IMPLIED[slot], announced=False))

    def _is_id_of(self, item: Item, id_: str | None) -> bool:
        """Whether an event with this id can be about the item at its output index.

        GitHub Copilot gives an item another id in every event; then the output index alone names it. A stream does one
        or the other, and another item's id is never right.
        """
        if not id_ or item.id is None:
            return True
        kept = id_ == item.id
        if not kept and id_ in self._by_id:
            return False
        if self._ids_kept is None:
            self._ids_kept = kept
        return kept == self._ids_kept

    # Parts and texts.

    def part(self, record: dict[str, Any], slot: str, begins: bool) -> FaultCode | None:
        """`content_part.added` and its like: a part begins or ends."""
        position, part = _position(record, slot), record.get("part")
        if position is None or not isinstance(part, dict | None):
            return FaultCode.INVALID_CHUNK
        item = self._place(record, slot)
        if isinstance(item, FaultCode):
            return item
        if not begins:
            return None
        if (slot, position) in item.parts:
            return FaultCode.INVALID_SEQUENCE
        item.parts.add((slot, position))
        said = _said({"type": "message", "content": [part]}) if _is_item(part) else {}
        return FaultCode.INVALID_CHUNK if said is None else self._begin_with(item, position, said)

    def text(self, record: dict[str, Any], slot: str, member: str) -> FaultCode | None:
        """A delta of a text, or (`member` is not "delta") the whole of it."""
        position = _position(record, slot)
        if position is None:
            return FaultCode.INVALID_CHUNK
        item = self._place(record, slot)
        if isinstance(item, FaultCode):
            return item
        mark, text = (slot, position), record.get(member)
        if mark in item.closed:
            return FaultCode.INVALID_SEQUENCE
        is_whole = member != "delta"
        if not isinstance(text, str) and not (is_whole and text is None):
            return FaultCode.INVALID_CONTENT if slot == TEXT else FaultCode.INVALID_DELTA
        if not is_whole:
            return self._append(item, mark, text)
        item.closed.add(mark)
        known = item.texts.get(mark)
        if known is None:
            return self._append(item, mark, text)
        return FaultCode.INVALID_SEQUENCE if text is not None and slot in _COMPARED and text != str(known) else None

    def _append(self, item: Item, mark: tuple[str, int], text: str | None) -> FaultCode | None:
        if text is None:
            return None
        pieces = item.texts.get(mark)
        if pieces is None:
            pieces = item.texts[mark] = Pieces()
        return self._room.append(pieces, text, FaultCode.INVALID_DELTA)

    # What is said whole.

    def _take_whole(self, item: Item, snapshot: dict[str, Any]) -> FaultCode | None:
        """Hold an item's whole against its pieces, or take it where there were none."""
        whole = _said(snapshot)
        if whole is None:
            return FaultCode.INVALID_CHUNK
        for slot, text in whole.items():
            known = item.text(slot)
            if known is None:
                code = self._append(item, (slot, 0), text)
                if code is not None:
                    return code
            elif text and slot in _COMPARED and text != known:
                return FaultCode.INVALID_SEQUENCE
        return None

    def end(self, output: Any) -> FaultCode | None:
        """The terminal event's account of all items: held against theirs, or taken where there were none.

        An empty account says nothing (some servers keep it empty). One with more calls than came, or with another text,
        says that something was lost.
        """
        if output is None:
            return None
        if not isinstance(output, list) or not all(map(_is_item, output)):
            return FaultCode.INVALID_CHUNK
        if not self._items:
            codes = (self.finish({"output_index": index, "item": item}) for index, item in enumerate(output))
            return next((code for code in codes if code is not None), None)
        wholes = [_said(each) or {} for each in output]
        if sum(each["type"] in _CALL_TEXT for each in output) > sum(each.type in _CALL_TEXT for each in self):
            return FaultCode.INVALID_SEQUENCE
        for slot in (TEXT, REFUSAL):
            text = "".join(whole.get(slot, "") for whole in wholes)
            if text and text != self._joined(slot):
                return FaultCode.INVALID_SEQUENCE
        return None

    # The answer.

    def choice(self, finish: str | None) -> Choice:
        """The answer as it stands: the text of all messages joined, the calls in order."""
        return Choice(
            index=0,
            text=self._joined(TEXT) or "",
            finish=finish,
            tool_calls=tuple(each.call() for each in self if each.type in _CALL_TEXT),
            refusal=self._joined(REFUSAL),
            reasoning=self._joined(REASONING, SUMMARY),
        )

    def _joined(self, *slots: str) -> str | None:
        found = [text for each in self for slot in slots if (text := each.text(slot)) is not None]
        return "".join(found) if found else None


def _fits(item: Item, slot: str) -> bool:
    return _ITEM_OF.get(slot, item.type) == item.type


def _is_place(index: Any) -> TypeGuard[int | None]:
    return index is None or is_index(index)


def _is_item(snapshot: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(snapshot, dict) and isinstance(snapshot.get("type"), str)


def _position(record: dict[str, Any], slot: str) -> int | None:
    """Which of an item's parts an event is about; the first where it does not say, None where it says nonsense."""
    position = record.get("summary_index" if slot in (SUMMARY, SUMMARY_PART) else "content_index")
    if position is None:
        return 0
    return position if is_index(position) else None


def _said(snapshot: dict[str, Any]) -> dict[str, str] | None:
    """The texts of an item sent whole, by slot; None when it has not the shape of one."""
    type_ = snapshot["type"]
    if type_ in _CALL_TEXT:
        text = snapshot.get(_CALL_TEXT[type_])
        if text is None:
            return {}
        return {_CALL_TEXT[type_]: text} if isinstance(text, str) else None
    texts: dict[str, str] = {}
    for name in ("content", "summary") if type_ in ("message", "reasoning") else ():
        parts = snapshot.get(name)
        if not isinstance(parts, list | None) or not all(map(_is_item, parts or ())):
            return None
        for part in parts or ():
            slot, member = _PART_SLOTS.get(part["type"], (None, ""))
            if slot is None:
                continue
            text = part.get(member)
            if not isinstance(text, str):
                return None
            texts[slot] = texts.get(slot, "") + text
    return texts
