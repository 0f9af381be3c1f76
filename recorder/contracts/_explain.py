"""One sentence and the remedy for every fault code, and for "accepted".

Rule: the table has exactly the codes there are; a test holds it to `FaultCode`, and the table in the documents to it.
An explanation tells of codes and of what to do, never of a stream.
"""

from __future__ import annotations

import difflib
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

from recorder.contracts._body import BodyKind
from recorder.errors import ConfigurationError, FaultCode

if TYPE_CHECKING:
    from recorder.contracts._verdict import Rejected


class Explanation(NamedTuple):
    """What a code says, and what to do about it."""

    meaning: str
    remedy: str


_TABLE = {
    "accepted": (
        "The stream was complete by its contract.",
        "Use the result; check the finish where an answer cut short matters.",
    ),
    FaultCode.INVALID_CONFIGURATION: (
        "The key, the model or another setting was refused before any request was made.",
        "Correct the setting; nothing was sent.",
    ),
    FaultCode.INVALID_PROMPT: (
        "The prompt was blank or too long, so no request was made.",
        "Shorten or supply the prompt; nothing was sent.",
    ),
    FaultCode.HTTP_ERROR: (
        "The response has a status the reader does not accept.",
        "Look at the status: it is an answer about the request, and there is no stream to read.",
    ),
    FaultCode.REDIRECT_REFUSED: (
        "The response is a redirect, and a request with a credential is not repeated elsewhere.",
        "Use the address the provider documents as the base URL.",
    ),
    FaultCode.UNEXPECTED_CONTENT_TYPE: (
        "The response is not text/event-stream: an HTML page, a JSON error or a plain answer came instead.",
        "Ask for a stream in the request, and check what sits between you and the provider.",
    ),
    FaultCode.MISSING_BODY: (
        "The response has no body.",
        "Check the request; there is nothing to read.",
    ),
    FaultCode.REQUEST_TIMEOUT: (
        "No response head came before the deadline.",
        "Whether the provider is working on it is not known; decide about a retry with that in mind.",
    ),
    FaultCode.STREAM_TIMEOUT: (
        "The stream stalled: the deadline or the idle read timeout was over before the terminal event.",
        "Treat what arrived as incomplete; use both timeouts, as a heartbeat keeps an idle one satisfied for ever.",
    ),
    FaultCode.TRANSPORT_FAILED: (
        "The connection failed before a response head came.",
        "Check the network and the address; whether the request arrived is not known.",
    ),
    FaultCode.STREAM_READ_FAILED: (
        "Reading the body failed before the terminal event.",
        "Treat what arrived as incomplete; the verdict's cause has the library's exception.",
    ),
    FaultCode.CANCELLED: (
        "The caller cancelled before the stream was complete.",
        "Treat what arrived as incomplete; cancelling says nothing about upstream work or charges.",
    ),
    FaultCode.BYTE_LIMIT: (
        "The body is longer than the reader allows.",
        "Raise max_bytes if streams this long are expected.",
    ),
    FaultCode.INVALID_UTF8: (
        "The stream has bytes that are not UTF-8, or ends inside a character.",
        "Look for a proxy that re-encodes or cuts the body; an event stream is always UTF-8.",
    ),
    FaultCode.LINE_LIMIT: (
        "One line is longer than the reader allows.",
        "Raise max_line if lines this long are expected.",
    ),
    FaultCode.EVENT_SIZE_LIMIT: (
        "The joined data of one event is longer than the reader allows.",
        "Raise max_event if events this large are expected.",
    ),
    FaultCode.EVENT_NAME_LIMIT: (
        "An event name is longer than the reader allows.",
        "Raise max_event_name if names this long are expected.",
    ),
    FaultCode.EVENT_COUNT_LIMIT: (
        "The stream has more events than the reader allows.",
        "Raise max_events if streams this long are expected.",
    ),
    FaultCode.UNEXPECTED_EVENT_TYPE: (
        "An event has a name the contract does not know.",
        "Check that the contract is the dialect of this route; recorder.contracts.detect names it.",
    ),
    FaultCode.INVALID_JSON: (
        "A complete event holds something that is not JSON, or is nested too deep.",
        "Keep the recording and report it to whoever sends it; no part of the event can be trusted.",
    ),
    FaultCode.INVALID_CHUNK: (
        "An event holds JSON that is not the object this dialect promises.",
        "Check that the contract is the dialect of this route; recorder.contracts.detect names it.",
    ),
    FaultCode.INVALID_SEQUENCE: (
        "Events came in an order the dialect does not allow.",
        "Look for a proxy that drops or reorders events; the result cannot be trusted.",
    ),
    FaultCode.UPSTREAM_ERROR: (
        "The provider reported an error inside the stream, after a successful status.",
        "Treat what arrived as incomplete and handle it like a failed request.",
    ),
    FaultCode.INVALID_CHOICES: (
        "A chunk's choices are not a list.",
        "Check that the contract is the dialect of this route.",
    ),
    FaultCode.UNSUPPORTED_CHOICES: (
        "A chunk has more choices than the contract reads, or one with another index.",
        "Ask for n=1, or use the chat contract.",
    ),
    FaultCode.INVALID_USAGE: (
        "A chunk's usage is neither null nor an object.",
        "Report it to whoever sends it; usage is metadata of the provider, not a bill.",
    ),
    FaultCode.CHOICE_AFTER_FINISH: (
        "A choice went on after its finish.",
        "Look for two answers mixed into one stream; the text cannot be trusted.",
    ),
    FaultCode.INVALID_DELTA: (
        "A delta, or a part of one, has not the shape the dialect promises.",
        "Check that the contract is the dialect of this route.",
    ),
    FaultCode.UNSUPPORTED_DELTA: (
        "A delta brings tool calls, a refusal or audio, which a text contract does not read.",
        "Use the chat contract, or do not ask for tools and audio.",
    ),
    FaultCode.INVALID_CONTENT: (
        "Content is not text, or the text ends with half a character.",
        "Report it to whoever sends it; an emoji cut in two and never completed is the usual cause.",
    ),
    FaultCode.INVALID_TOOL_ARGUMENTS: (
        "The finish says tool calls, but their arguments are not JSON.",
        "Do not run the call and do not repair it; ask again.",
    ),
    FaultCode.OUTPUT_LIMIT: (
        "The accumulated text is longer than the reader allows.",
        "Raise max_output, or ask for fewer tokens.",
    ),
    FaultCode.UNACCEPTED_FINISH: (
        "The answer ended in a way the contract does not accept, such as by length.",
        "Use the chat contract to receive such answers with their finish.",
    ),
    FaultCode.MISSING_FINISH: (
        "The terminal marker came without a finish.",
        "Treat the answer as incomplete: something before the marker was lost, or never sent.",
    ),
    FaultCode.EMPTY_OUTPUT: (
        "The stream was complete but has no text, and this contract demands some.",
        "Check the prompt and the token limit, or use a contract that allows an empty answer.",
    ),
    FaultCode.MISSING_TERMINAL: (
        "The stream ended without its terminal event, or inside it.",
        "Treat what arrived as incomplete, however whole it looks.",
    ),
}

EXPLANATIONS = MappingProxyType({str(code): Explanation(*both) for code, both in _TABLE.items()})
"""Every code with its explanation."""

_BODIES = {
    BodyKind.HTML: "The body looks like an HTML page: a login page or a proxy answered, not the provider.",
    BodyKind.JSON: "The body looks like one JSON document, an error or an answer that was not streamed, whatever its "
    "content type says.",
    BodyKind.NDJSON: "The body looks like newline-delimited JSON, which is another kind of stream.",
    BodyKind.AWS_EVENTSTREAM: "The body looks like the binary AWS event stream, which is another kind of stream.",
    BodyKind.GZIP: "The body looks like gzip: its content coding was not undone before it was read.",
    BodyKind.EMPTY: "The body is empty.",
}

_ASK_FOR_THE_JOB = "The job may still be running or done: ask for it with a GET{of}; never start a new generation."


def explain(code: FaultCode | str) -> str:
    """What a verdict's code means, in one sentence, and what to do about it, in another.

    Args:
        code: a fault code, as such or as its text, or "accepted".

    Raises:
        ValueError: there is no such code; the message names the nearest.
    """
    found = EXPLANATIONS.get(str(code))
    if found is None:
        near = difflib.get_close_matches(str(code), EXPLANATIONS, n=1)
        raise ValueError(f"code={code!r} is no verdict's code" + (f"; did you mean {near[0]!r}?" if near else ""))
    return f"{found.meaning} {found.remedy}"


def explain_rejection(verdict: Rejected) -> str:
    """The code's explanation, and what this rejection alone knows: what came instead, which job to ask for."""
    if isinstance(verdict.cause, ConfigurationError):  # ours: it says what to change, and holds no secret
        return f"No request was made: {verdict.cause}."
    sentences = [explain(verdict.code)]
    if verdict.body in _BODIES:
        sentences.append(_BODIES[verdict.body])
    if verdict.contract == "generation":
        sentences.append(_ASK_FOR_THE_JOB.format(of="" if verdict.job_id is None else f" of {verdict.job_id}"))
    return " ".join(sentences)


def explanation_table() -> str:
    """The table for the documents, in Markdown: one row a code."""
    rows = (f"| `{code}` | {each.meaning} | {each.remedy} |" for code, each in EXPLANATIONS.items())
    return "\n".join(("| code | what it says | what to do |", "|---|---|---|", *rows))
