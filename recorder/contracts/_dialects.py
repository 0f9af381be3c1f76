"""What each contract goes by, for the documents: framing, end, usage, errors, source, and what it cannot know.

Rule: one entry for each contract there is; a test holds the entries to `names()`, the examples in the tests to what the
entries say, and the table in the documents to this one. Where a rule is a constant of a contract, the entry is made
from it.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import NamedTuple

from recorder.contracts import _cohere, _generation, _messages, _responses
from recorder.contracts._chat_text import DONE


class Dialect(NamedTuple):
    """What a contract goes by.

    Attributes:
        framing: how events are told apart.
        terminal: what ends the stream.
        usage: where it is told.
        errors: how the provider reports an error inside the stream.
        unknowable: what a truthful reader cannot know of such a stream.
        source: where the rule is from.
    """

    framing: str
    terminal: str
    usage: str
    errors: str
    unknowable: str
    source: str


def _code(*words: str) -> str:
    return ", ".join(f"`{word}`" for word in words)


_DONE = f"`data: {DONE}` after a finish"
_OPENAI_ERRORS = "an `error` member, or an event named `error`"
_NO_NUMBERS = "whether a chunk in the middle was lost: chunks have no numbers, and the text is never sent whole"
_OPENAI = "OpenAI API reference"

_TABLE = {
    "chat": Dialect(
        "unnamed events, JSON",
        f"{_DONE} of every choice; `chat/finish`: also the end of the stream after it",
        "on any chunk; the last one counts",
        _OPENAI_ERRORS,
        _NO_NUMBERS,
        f"{_OPENAI}, Chat completions",
    ),
    "chat_text": Dialect(
        "unnamed events, JSON",
        f"{_DONE} of `stop`",
        "on any chunk; the last one counts",
        "an `error` member",
        _NO_NUMBERS,
        f"{_OPENAI}, Chat completions; three published readers",
    ),
    "completions": Dialect(
        "unnamed events, JSON",
        f"{_DONE} of every choice",
        "on any chunk; the last one counts",
        _OPENAI_ERRORS,
        _NO_NUMBERS,
        f"{_OPENAI}, Completions (legacy)",
    ),
    "responses": Dialect(
        "events with a name, a `type` in their JSON, or both",
        f"{_code(*_responses.TERMINAL, _responses.FAILED)}",
        "in the terminal event",
        f"{_code(_responses.FAILED)}, or an event `error`",
        "whether a delta was lost where a server sends neither `sequence_number` nor whole texts; anything of a "
        "response resumed in its middle",
        f"{_OPENAI}, Responses, streaming events",
    ),
    "messages": Dialect(
        "events with a name, a `type` in their JSON, or both",
        f"{_code(_messages.TERMINAL)} after a `message_delta` with the stop reason",
        "in `message_start`, and over it the last `message_delta`",
        "an event `error`",
        "whether a delta inside a block was lost: events have no numbers, and a block is never sent whole",
        "Anthropic documentation, Streaming messages",
    ),
    "gemini": Dialect(
        "unnamed events, JSON",
        "the end of the stream after a `finishReason` of every candidate, or after a `blockReason`",
        "`usageMetadata` on any chunk; the last one counts",
        "an `error` member",
        "whether more was to come after a finish reason: nothing tells a stream cut there from a whole one",
        "Gemini API reference, streamGenerateContent with alt=sse",
    ),
    "cohere": Dialect(
        "events with a name, a `type` in their JSON, or both",
        f"{_code(_cohere.TERMINAL)}; the `{DONE}` after it is not waited for",
        f"in {_code(_cohere.TERMINAL)}",
        "a finish of `ERROR`, or an event `error`",
        "whether a delta inside a block was lost: events have no numbers, and a block is never sent whole",
        "Cohere API reference, Chat (v2), streaming",
    ),
    "generation": Dialect(
        "named or unnamed events, JSON",
        f"a terminal state ({_code(*sorted(_generation.TERMINAL_STATES))}), or an event `done` or `error`",
        "none",
        "an event `error`: a failed job is accepted, and says so",
        "what became of the job where the stream ends first: ask for it",
        "a published reader of generation events",
    ),
    "jsonrpc": Dialect(
        "events without a name or named `message`, JSON-RPC 2.0",
        "the response to the request; in an A2A stream the one that is `final`, a message, or a task that is over",
        "none",
        "a response with `error`, or an event named `error`",
        "whether a server that closes first means to go on when asked again with the last event ID; what notifications "
        "were lost",
        "JSON-RPC 2.0; Model Context Protocol, Streamable HTTP; A2A specification 0.3 and 1.0",
    ),
}

DIALECTS = MappingProxyType(_TABLE)
"""Every contract by name, with what it goes by."""

_HEADS = (
    "contract",
    "framing",
    "over with",
    "usage",
    "errors in the stream",
    "what a truthful reader cannot know",
    "source",
)


def dialect_table() -> str:
    """The table for the documents, in Markdown: one row a contract."""
    rows = (f"| `{name}` | {' | '.join(each)} |" for name, each in DIALECTS.items())
    return "\n".join((f"| {' | '.join(_HEADS)} |", "|---" * len(_HEADS) + "|", *rows))
