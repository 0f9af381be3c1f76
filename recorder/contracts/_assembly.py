"""Puts the pieces of one choice of a chat stream together: text, refusal, reasoning, audio, tool calls.

Rule: what arrives is joined and nothing else: cut arguments stay cut, and are marked so. A shape the dialect does not
have is a fault code; members it may have but nobody needs for an answer (`logprobs`, content filters) are passed over.

It does not know when a stream is complete.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from recorder.contracts._chat_steps import has_lone_surrogate, joined
from recorder.contracts._json import NOT_JSON, decode
from recorder.contracts._verdict import Audio, Choice, ToolCall
from recorder.errors import FaultCode

FINISHES = frozenset({"stop", "length", "tool_calls", "function_call", "content_filter"})
_FINISHES_OF_CALLS = frozenset({"tool_calls", "function_call"})
_ENDED_BY_ITSELF = _FINISHES_OF_CALLS | {"stop"}
_ARGUMENTS_DEPTH = 64
MAX_CALLS = 1024
"""Calls of one choice; an empty call costs a stream three bytes and us half a kilobyte."""


class Pieces:
    """A text in pieces; None as long as no piece came."""

    __slots__ = ("pieces",)

    def __init__(self) -> None:
        self.pieces: list[str] = []

    def __str__(self) -> str:
        text = "".join(self.pieces)
        return joined(text) if has_lone_surrogate(text) else text

    def or_none(self) -> str | None:
        return str(self) if self.pieces else None


class CallInProgress:
    """One tool or function call in pieces."""

    __slots__ = ("arguments", "id", "index", "name", "type")

    def __init__(self, index: int | None, type_: str) -> None:
        self.index = index
        self.type = type_
        self.id: str | None = None
        self.name = ""
        self.arguments = Pieces()

    def add(self, id_: str | None, name: str | None, arguments: str | None) -> tuple[str, ...]:
        """Take a piece; gives the texts the call grew by."""
        new_id = id_ if id_ != self.id else ""
        self.id = id_ or self.id
        name = name if name != self.name else ""  # some servers repeat the whole name with each piece
        self.name += name or ""
        if arguments:
            self.arguments.pieces.append(arguments)
        return new_id or "", name or "", arguments or ""

    def finished(self, finish: str | None) -> ToolCall:
        arguments = str(self.arguments)
        return ToolCall(self.id, self.name, arguments, self._is_complete(arguments, finish), self.type)

    def can_be_run(self) -> bool:
        """Whether the arguments are JSON, or there are none at all: some servers send none for a call without any."""
        arguments = str(self.arguments)
        return self.type == "custom" or not arguments or _arguments(arguments) is not NOT_JSON

    def _is_complete(self, arguments: str, finish: str | None) -> bool:
        """An object or array ends by itself; a number could have gone on, so only the finish can tell."""
        if self.type == "custom":
            return finish in _ENDED_BY_ITSELF
        value = _arguments(arguments)
        return isinstance(value, dict | list) or (value is not NOT_JSON and finish in _ENDED_BY_ITSELF)


def _arguments(text: str) -> Any:
    return NOT_JSON if has_lone_surrogate(text) else decode(text, _ARGUMENTS_DEPTH)


class ChoiceInProgress:
    """One choice in pieces. `grown` is how much longer it became with the last delta, by `measure`."""

    __slots__ = (
        "audio",
        "calls",
        "content",
        "finish",
        "function_call",
        "grown",
        "index",
        "measure",
        "reasoning",
        "refusal",
    )

    def __init__(self, index: int, measure: Callable[[str], int]) -> None:
        self.index = index
        self.measure = measure
        self.grown = 0
        self.finish: str | None = None
        self.content = Pieces()
        self.refusal = Pieces()
        self.reasoning = Pieces()
        self.audio: dict[str, Any] | None = None
        self.calls: list[CallInProgress] = []
        self.function_call: CallInProgress | None = None

    def add(self, choice: dict[str, Any]) -> FaultCode | None:
        """Take what one chunk says of this choice, its finish excepted."""
        self.grown = 0
        delta = choice.get("delta")
        if delta is None:
            elsewhere = choice.get("message") or choice.get("text")
            return FaultCode.INVALID_DELTA if elsewhere else None  # text of another dialect must not get lost unseen
        if not isinstance(delta, dict):
            return FaultCode.INVALID_DELTA
        return (
            self._add_text(delta, "content", self.content, FaultCode.INVALID_CONTENT)
            or self._add_text(delta, "refusal", self.refusal, FaultCode.INVALID_DELTA)
            or self._add_reasoning(delta)
            or self._add_audio(delta.get("audio"))
            or self._add_calls(delta.get("tool_calls"))
            or self._add_function_call(delta.get("function_call"))
        )

    def _add_text(self, delta: dict[str, Any], name: str, to: Pieces, fault: FaultCode) -> FaultCode | None:
        text = delta.get(name)
        if text is None:
            return None
        if not isinstance(text, str):
            return fault
        if text:
            to.pieces.append(text)
            self.grown += self.measure(text)
        return None

    def _add_reasoning(self, delta: dict[str, Any]) -> FaultCode | None:
        """`reasoning_content` (DeepSeek and others) or `reasoning` (OpenRouter, Groq); some send the text in both."""
        for name in ("reasoning_content", "reasoning"):
            text = delta.get(name)
            if isinstance(text, str):
                return self._add_text(delta, name, self.reasoning, FaultCode.INVALID_DELTA)
        return None

    def _add_audio(self, audio: Any) -> FaultCode | None:
        if audio is None:
            return None
        if not isinstance(audio, dict):
            return FaultCode.INVALID_DELTA
        if self.audio is None:
            self.audio = {"id": None, "transcript": Pieces(), "data": Pieces()}
        id_ = audio.get("id")
        self.audio["id"] = id_ if isinstance(id_, str) else self.audio["id"]
        return self._add_text(audio, "transcript", self.audio["transcript"], FaultCode.INVALID_DELTA) or self._add_text(
            audio, "data", self.audio["data"], FaultCode.INVALID_DELTA
        )

    def _add_calls(self, pieces: Any) -> FaultCode | None:
        if pieces is None:
            return None
        if not isinstance(pieces, list):
            return FaultCode.INVALID_DELTA
        for piece in pieces:
            read = _call_piece(piece)
            if read is None:
                return FaultCode.INVALID_DELTA
            index, type_, id_, name, arguments = read
            call = self._call_of(index, id_, name)
            if call is None:
                if len(self.calls) == MAX_CALLS:
                    return FaultCode.OUTPUT_LIMIT
                call = CallInProgress(index, type_)
                self.calls.append(call)
            self._grow(call.add(id_, name, arguments))
        return None

    def _call_of(self, index: int | None, id_: str | None, name: str | None) -> CallInProgress | None:
        """The call a piece goes on with, None when it begins one.

        By index; without one, the last call. A piece with a name and another id begins a call whatever its index
        says: some servers number all parallel calls 0, and some send a new id with every piece, but without a name.
        """
        same = [each for each in self.calls if each.index == index] if index is not None else self.calls
        if not same:
            return None
        last = same[-1]
        another = name and (id_ is not None and last.id is not None and id_ != last.id)
        nameless_again = index is None and name and not id_ and last.name
        return None if another or nameless_again else last

    def _add_function_call(self, piece: Any) -> FaultCode | None:
        if piece is None or piece == {}:
            return None
        read = _call_piece({"function": piece})
        if read is None:
            return FaultCode.INVALID_DELTA
        if self.function_call is None:
            self.function_call = CallInProgress(None, "function_call")
        self._grow(self.function_call.add(None, read[3], read[4]))
        return None

    def _grow(self, pieces: Iterable[str]) -> None:
        self.grown += sum(map(self.measure, pieces))

    def reopens(self, choice: dict[str, Any]) -> bool:
        """Whether a finish of "tool_calls" was only one call's: another call begins and will need a finish again.

        Some servers (Together) end each of several parallel calls with a finish of its own.
        """
        delta = choice.get("delta")
        if self.finish != "tool_calls" or not isinstance(delta, dict):
            return False
        others = (value for name, value in delta.items() if name not in ("role", "tool_calls"))
        pieces = delta.get("tool_calls")
        if any(others) or not isinstance(pieces, list) or not pieces:
            return False
        first = _call_piece(pieces[0])
        if first is None or not first[3] or self._call_of(first[0], first[2], first[3]) is not None:
            return False
        self.finish = None
        return True

    def end(self, finish: str) -> FaultCode | None:
        """Take the finish."""
        if finish not in FINISHES:
            return FaultCode.UNACCEPTED_FINISH
        self.finish = finish
        if finish in _FINISHES_OF_CALLS and not all(call.can_be_run() for call in self._all_calls()):
            return FaultCode.INVALID_TOOL_ARGUMENTS
        return None

    def _all_calls(self) -> list[CallInProgress]:
        return self.calls + ([self.function_call] if self.function_call is not None else [])

    def has_half_left(self) -> bool:
        """Whether text ends up with half a surrogate pair in it."""
        return any(has_lone_surrogate(str(each)) for each in (self.content, self.refusal, self.reasoning))

    def choice(self) -> Choice:
        """The choice as it stands."""
        audio = self.audio
        return Choice(
            index=self.index,
            text=str(self.content),
            finish=self.finish,
            tool_calls=tuple(call.finished(self.finish) for call in self._all_calls()),
            refusal=self.refusal.or_none(),
            reasoning=self.reasoning.or_none(),
            audio=Audio(audio["id"], str(audio["transcript"]), str(audio["data"])) if audio is not None else None,
        )


_CallPiece = tuple[int | None, str, str | None, str | None, str | None]


def _call_piece(piece: Any) -> _CallPiece | None:
    """Index, type, id, name and arguments of a piece of a call; None when it has not the shape of one.

    Only a call's first piece need say its type; the member that is there, `function` or `custom`, is the one that
    counts, and of two the one the type names.
    """
    if not isinstance(piece, dict):
        return None
    index, id_, custom, body = piece.get("index"), piece.get("id"), piece.get("custom"), piece.get("function")
    is_custom = custom is not None and (body is None or piece.get("type") == "custom")
    type_ = piece.get("type") or ("custom" if is_custom else "function")
    body = custom if is_custom else body
    body = {} if body is None else body
    if not isinstance(body, dict) or not (index is None or (type(index) is int and index >= 0)):
        return None
    name, arguments = body.get("name"), body.get("input" if is_custom else "arguments")
    texts = (type_, id_, name, arguments)
    if not all(each is None or isinstance(each, str) for each in texts):
        return None
    return index, type_, id_, name, arguments
