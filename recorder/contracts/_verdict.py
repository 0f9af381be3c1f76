"""What a contract says of a stream: `Accepted` with what was said, or `Rejected` with a code and a place.

Rule: a verdict may be printed, logged, pickled and compared without showing a piece of the stream. `repr` and pickles
carry codes, counts and the finishes this package itself knows; the content is reachable by attribute in the process
that read it, and nowhere else. Equality is over everything that must not depend on the chunking.

It does not know any dialect.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, Literal, NamedTuple, NoReturn, Self

from recorder.contracts._body import BodyKind
from recorder.errors import ConfigurationError, FaultCode, RejectedStream

KNOWN_FINISHES = frozenset(
    {
        *("stop", "length", "tool_calls", "function_call", "content_filter", "eos"),
        *("succeeded", "completed", "failed", "cancelled", "canceled"),
        *("max_output_tokens", "max_tool_calls", "incomplete"),
        *("end_turn", "max_tokens", "stop_sequence", "tool_use", "pause_turn", "refusal"),
        *("model_context_window_exceeded", "rejected", "input-required", "auth-required"),
        *("STOP", "MAX_TOKENS", "SAFETY", "RECITATION", "LANGUAGE", "OTHER", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII"),
        *("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "IMAGE_SAFETY"),
        *("COMPLETE", "STOP_SEQUENCE", "TOOL_CALL", "TIMEOUT"),
    }
)
"""The words a provider may end with that are ours to repeat; any other is stream content and is not shown."""


class Facts(NamedTuple):
    """What may be told of an accepted stream without telling what it said; this much survives pickling.

    `digest` tells two contents apart without carrying either: verdicts that come back from a worker process still
    differ when their texts did.
    """

    choices: int
    tool_calls: int
    output: int
    """Code points of all text, arguments included."""
    usage: bool
    digest: str


class _Value:
    """Equality and copying for verdicts and their parts; the representation is written by each class.

    The comparison is spelled out here, not generated, so that no test framework takes the values for plain records
    and prints their fields when two of them differ.
    """

    __slots__ = ()

    def _compared(self) -> tuple[Any, ...]:
        # What is compared is a dataclass: every class below this one.
        return tuple(getattr(self, each.name) for each in fields(self) if each.compare)  # type: ignore[arg-type]

    def __eq__(self, other: object) -> bool:
        if other.__class__ is not self.__class__:
            return NotImplemented
        return self._compared() == other._compared()

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ToolCall(_Value):
    """One tool or function call, put together from its pieces and never repaired.

    Attributes:
        id: the provider's id, None when none was sent (a legacy `function_call` has none).
        name: the function's name.
        arguments: the text as it arrived, whole or cut.
        arguments_complete: whether `arguments` is a whole JSON text; for a custom tool, whether its input ended.
        type: "function", "custom", "function_call" (legacy), or what the provider said.
    """

    id: str | None
    name: str
    arguments: str
    arguments_complete: bool
    type: str = "function"

    def __hash__(self) -> int:
        return hash((self.id, self.name, self.arguments))

    def __repr__(self) -> str:
        return f"ToolCall(arguments={len(self.arguments)} characters, arguments_complete={self.arguments_complete})"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Audio(_Value):
    """Spoken output: the transcript, and the base64 text of the sound as it was sent, pieces joined."""

    id: str | None
    transcript: str
    data: str

    def __hash__(self) -> int:
        return hash((self.id, self.transcript, self.data))

    def __repr__(self) -> str:
        return f"Audio(transcript={len(self.transcript)} characters, data={len(self.data)} characters)"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Choice(_Value):
    """One of the n answers of a chat stream.

    Attributes:
        index: the provider's index.
        text: the content, pieces joined.
        finish: the finish as sent, None when none was.
        tool_calls: in the order they began; a legacy function call is the last of them.
        refusal, reasoning: their text, None when there was none.
        audio: spoken output, None when none arrived.
    """

    index: int
    text: str
    finish: str | None
    tool_calls: tuple[ToolCall, ...] = ()
    refusal: str | None = None
    reasoning: str | None = None
    audio: Audio | None = None

    def __hash__(self) -> int:
        return hash((self.index, self.text, self.finish))

    def __repr__(self) -> str:
        return (
            f"Choice(index={self.index}, text={len(self.text)} characters, finish={_shown(self.finish)}, "
            f"tool_calls={len(self.tool_calls)})"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Partial(_Value):
    """What had arrived when a stream was rejected: evidence, not an answer. Nothing of it survives pickling.

    `state` and `progress` are a generation's; the rest is a chat's.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    choices: tuple[Choice, ...] = ()
    finish: str | None = None
    usage: Any = None
    state: str | None = None
    progress: float | None = None

    def __hash__(self) -> int:
        return hash((self.text, self.finish))

    def __repr__(self) -> str:
        return f"Partial(text={len(self.text)} characters, tool_calls={len(self.tool_calls)})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), ()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Accepted(_Value):
    """The stream was complete by its contract.

    Attributes:
        text: the answer's text, the first choice's; None for a dialect without text, and after unpickling.
        tool_calls: the first choice's calls.
        choices: every choice, by index.
        finish: the first choice's finish as sent.
        usage: the provider's metadata as last sent, unvalidated; None when it never came, which is not zero.
        events: events delivered, the terminal one included; comments are not events.
        last_event_id: the last event ID at the terminal event.
        bytes_read: bytes up to and with the one that completed the terminal event; 0 when a run was driven by hand.
        later_bytes: bytes after it that had arrived in the same chunk, unread. It depends on the chunking, so it
            takes no part in comparisons.
        carried: after unpickling, what was known of the content; None in the process that read it.
        unknown: events of a type the contract does not know; they were passed over.
    """

    ok: ClassVar[Literal[True]] = True
    code: ClassVar[Literal["accepted"]] = "accepted"

    text: str | None = None
    tool_calls: tuple[ToolCall, ...] = ()
    choices: tuple[Choice, ...] = ()
    finish: str | None = None
    usage: Any = None
    events: int = 0
    last_event_id: str = ""
    bytes_read: int = 0
    later_bytes: int = field(default=0, compare=False)
    carried: Facts | None = None
    unknown: int = 0

    @property
    def facts(self) -> Facts:
        """Counts and a digest of the content, the same before and after pickling."""
        return self.carried if self.carried is not None else Facts(*self._counts(), _digest(self._compared()))

    def _counts(self) -> tuple[int, int, int, bool]:
        calls = [call for each in self.choices for call in each.tool_calls]
        output = sum(len(each.text) for each in self.choices) + sum(len(call.arguments) for call in calls)
        return len(self.choices), len(calls), output, self.usage is not None

    def raise_for_rejection(self) -> Self:
        """This verdict: there is nothing to raise."""
        return self

    def explain(self) -> str:
        """What this verdict means, in a sentence or two; no stream content."""
        from recorder.contracts._explain import explain

        return explain(self.code)

    def _told(self) -> dict[str, Any]:
        """What is shown and pickled: nothing the stream said but the words we know."""
        return {
            "finish": self.finish if self.finish in KNOWN_FINISHES else None,
            "events": self.events,
            "bytes_read": self.bytes_read,
            "later_bytes": self.later_bytes,
            "carried": self.facts,
            "unknown": self.unknown,
        }

    def __hash__(self) -> int:
        return hash((self.code, self.finish, self.events, self.bytes_read))

    def __repr__(self) -> str:
        choices, calls, output, usage = self._counts() if self.carried is None else self.carried[:4]
        return (
            f"Accepted(finish={_shown(self.finish)}, events={self.events}, bytes_read={self.bytes_read}, "
            f"choices={choices}, tool_calls={calls}, output={output} characters, "
            f"usage={'seen' if usage else 'unknown'})"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from recorder.contracts._html import accepted_html

        return {"text/plain": repr(self), "text/html": accepted_html(self, _shown(self.finish))}

    def __reduce__(self) -> tuple[Any, ...]:
        return _revive, (type(self), self._told())


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GenerationAccepted(Accepted):
    """A generation reached its end, well or badly: a failed job is a true answer, not a broken stream.

    Attributes:
        state: the job's state as sent with the terminal event, None when that event had none.
        succeeded: whether the state is one of success; never true for the event `error`.
        outputs: as sent, in a terminal state only; None for the event `error`.
        error: as sent.
        progress: as sent; a null or absent progress is None, not 0.
        job_id: the id the contract was made with.
    """

    state: str | None = None
    succeeded: bool = False
    outputs: Any = None
    error: Any = None
    progress: float | None = None
    job_id: str | None = None

    def _told(self) -> dict[str, Any]:
        state = self.state if self.state in KNOWN_FINISHES else None
        return {**Accepted._told(self), "state": state, "succeeded": self.succeeded}

    def __hash__(self) -> int:
        return hash((self.code, self.state, self.events, self.bytes_read))

    def __repr__(self) -> str:
        return (
            f"GenerationAccepted(state={_shown(self.state)}, succeeded={self.succeeded}, events={self.events}, "
            f"bytes_read={self.bytes_read})"
        )


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Rejected(_Value):
    """The stream was not complete, or not what its contract promises.

    Attributes:
        code: why.
        at_event: the number of the rejected event, from 1; None for a fault of the byte stream, the transport or EOF.
        offset: the byte that decided, from 0: the first bad byte, or the one that dispatched the rejected event; at
            EOF or a transport failure the number of bytes there were. None when a run was driven by hand.
        events: events delivered, the rejected one included.
        bytes_read: bytes up to and with the one that decided; 0 when a run was driven by hand.
        unknown: events of a type the contract does not know; they were passed over.
        partial: what had arrived. Outside comparison, `repr` and pickles, as are the following.
        cause: the exception the source raised, if that is what happened.
        contract: the name of the contract that judged.
        job_id: (generation) the id the contract was made with: what to ask the provider about.
        body: when there was not a single event: what the first bytes look like.
    """

    ok: ClassVar[Literal[False]] = False
    text: ClassVar[None] = None

    code: FaultCode
    at_event: int | None = None
    offset: int | None = None
    events: int = 0
    bytes_read: int = 0
    unknown: int = 0
    partial: Partial = field(default=Partial(), compare=False)
    cause: Exception | None = field(default=None, compare=False)
    contract: str = field(default="", compare=False)
    job_id: str | None = field(default=None, compare=False)
    body: BodyKind | None = field(default=None, compare=False)

    def raise_for_rejection(self) -> NoReturn:
        """Raise this verdict as an exception.

        Raises:
            RejectedStream: always, with `.code`; nothing is chained to it and it carries no stream content.
        """
        error = RejectedStream(self.code, str(self.cause) if isinstance(self.cause, ConfigurationError) else "")
        try:
            raise error from None
        finally:
            error.__context__ = None  # also where the caller is handling another exception just now

    def explain(self) -> str:
        """What this verdict means and what to do, in a few sentences; no stream content."""
        from recorder.contracts._explain import explain_rejection

        return explain_rejection(self)

    def __hash__(self) -> int:
        return hash((self.code, self.at_event, self.offset, self.events, self.bytes_read))

    def __repr__(self) -> str:
        return (
            f"Rejected(code={self.code.value!r}, at_event={self.at_event}, offset={self.offset}, "
            f"events={self.events}, bytes_read={self.bytes_read})"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from recorder.contracts._html import rejected_html

        return {"text/plain": repr(self), "text/html": rejected_html(self)}

    def __reduce__(self) -> tuple[Any, ...]:
        kept = ("code", "at_event", "offset", "events", "bytes_read", "unknown", "contract", "body")
        return _revive, (type(self), {name: getattr(self, name) for name in kept})


Verdict = Accepted | Rejected


def _revive(cls: type[Any], told: dict[str, Any]) -> Any:
    return cls(**told)


def _shown(word: str | None) -> str:
    return repr(word) if word is None or word in KNOWN_FINISHES else "(not shown)"


def _digest(content: tuple[Any, ...]) -> str:
    """A fingerprint of what a verdict holds; usage nested deeper than the caller's stack has room for is left out."""
    try:
        text = json.dumps(content, sort_keys=True, default=_Value._compared)
    except RecursionError:
        text = json.dumps([each for each in content if not isinstance(each, dict | list)], default=_Value._compared)
    return hashlib.sha256(text.encode()).hexdigest()
