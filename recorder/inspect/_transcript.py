"""One interaction as what can be compared: heads, runs of like events, the verdict, usage, times.

Rule: like events in a row (the same name and shape) are one run with a number. Not known here: what to do about it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from recorder.cassette import Headers, Interaction, Response
from recorder.contracts import Accepted, Verdict, detected, read
from recorder.inspect._facts import events_of, is_event_stream
from recorder.inspect._shape import Shape, shape_of_event, shape_of_text
from recorder.sse import EventStreamParser


@dataclass(frozen=True, slots=True)
class Run:
    """Events in a row with one name and shape.

    Attributes:
        name: the event's type.
        first: the number of the first of them, from 1.
        count: how many.
    """

    name: str
    shape: Shape
    first: int
    count: int

    @property
    def token(self) -> tuple[str, Shape]:
        """What makes two runs alike."""
        return self.name, self.shape


@dataclass(frozen=True, slots=True, repr=False)
class Transcript:
    """What an interaction was, apart from bytes.

    Attributes:
        runs: the events; none where the body is no event stream.
        body_shape: of a body that is none.
        dialect, code, finish, state, usage: by the contract that is detected; `state` is a generation's.
        texts: what was said, by name: a choice's text, a call's arguments.
        notes: what may differ between two recordings of the same: sizes, comments, times.
    """

    method: str
    uri: str
    request_headers: Headers
    request_shape: Shape
    request_text: str
    status: int
    headers: Headers
    runs: tuple[Run, ...]
    body_shape: Shape
    dialect: str | None
    code: str | None
    finish: str | None
    state: str | None
    usage: Any
    texts: dict[str, str]
    end: str | None
    notes: dict[str, str]


def transcript(interaction: Interaction) -> Transcript:
    """The transcript of an interaction."""
    request, response = interaction.request, interaction.response
    stream = is_event_stream(response)
    body_text = "" if stream else response.body.decode("utf-8", "replace")
    request_text = (request.body or b"").decode("utf-8", "replace")
    contract = detected(response.body) if stream else None
    verdict = read([response.body], contract) if contract else None
    said = None if verdict is None else verdict if isinstance(verdict, Accepted) else verdict.partial
    return Transcript(
        method=request.method,
        uri=request.uri,
        request_headers=request.headers,
        request_shape=shape_of_text(request_text) if request_text else (),
        request_text=request_text,
        status=response.status,
        headers=response.headers,
        runs=_runs(response),
        body_shape=shape_of_text(body_text) if body_text else (),
        dialect=contract.name if contract else None,
        code=str(verdict.code) if verdict else None,
        finish=said.finish if said else None,
        state=getattr(said, "state", None),
        usage=said.usage if said else None,
        texts=_texts(verdict, body_text, response),
        end=str(response.end.kind) if response.end else None,
        notes=_notes(response),
    )


def _runs(response: Response) -> tuple[Run, ...]:
    runs, number = [], 1
    tokens = ((event.type, shape_of_event(event)) for event in events_of(response))
    for (name, shape), group in groupby(tokens):
        count = sum(1 for _ in group)
        runs.append(Run(name, shape, number, count))
        number += count
    return tuple(runs)


def _texts(verdict: Verdict | None, body_text: str, response: Response) -> dict[str, str]:
    """What was said; where no contract tells, the data of each event, or the body."""
    if not is_event_stream(response):
        return {"body": body_text}
    said = None if verdict is None else verdict if isinstance(verdict, Accepted) else verdict.partial
    texts: dict[str, str] = {}
    for choice in said.choices if said else ():
        texts[f"choice {choice.index}"] = choice.text
        texts |= {f"choice {choice.index} {name}": text for name, text in _others(choice) if text}
        for number, call in enumerate(choice.tool_calls, 1):
            texts[f"choice {choice.index} call {number}"] = f"{call.name}({call.arguments})"
    if not any(texts.values()):
        texts |= {f"event {number}": event.data for number, event in enumerate(events_of(response), 1)}
    return texts


def _others(choice: Any) -> Iterable[tuple[str, str | None]]:
    return ("refusal", choice.refusal), ("reasoning", choice.reasoning)


def _notes(response: Response) -> dict[str, str]:
    comments: list[str] = []
    if is_event_stream(response):
        EventStreamParser(max_line=None, max_event=None, on_comment=comments.append).feed(response.body)
    head_s = response.recording.head_s if response.recording else None
    chunks = response.chunks
    known = chunks is not None
    return {
        "bytes": str(len(response.body)),
        "line ends": _line_ends(response.body),
        "comments": str(len(comments)),
        "chunks": str(len(chunks)) if chunks is not None else "unknown",
        "head after": "unknown" if head_s is None else f"{head_s:.3f} s",
        "first chunk after": f"{chunks[0].delay_s:.3f} s" if chunks else "unknown",
        "last chunk after": f"{sum(chunk.delay_s for chunk in chunks or ()):.3f} s" if known else "unknown",
    }


def _line_ends(body: bytes) -> str:
    pairs = body.count(b"\r\n")
    found = {"CR LF": pairs, "LF": body.count(b"\n") - pairs, "CR": body.count(b"\r") - pairs}
    return " and ".join(name for name, count in found.items() if count) or "none"
