"""The facts of a cassette as plain values: shapes, counts, heads and times, and on request the events and the bytes."""

from __future__ import annotations

import base64
from bisect import bisect_left
from collections.abc import Mapping
from itertools import accumulate, pairwise
from typing import Any

from recorder.cassette import Cassette, Headers, Interaction, Response
from recorder.contracts import detect
from recorder.plans import event_ends
from recorder.sse import Event, EventStreamParser


def events_of(response: Response) -> list[Event]:
    """The dispatched events of a body; none when it is no event stream."""
    if not is_event_stream(response):
        return []
    return EventStreamParser(max_line=None, max_event=None).feed(response.body)


def is_event_stream(response: Response) -> bool:
    """Whether the head says so, or does not say anything that can be told."""
    kind = response.headers.first("content-type").partition(";")[0].strip().lower()
    return kind == "text/event-stream" or "/" not in kind


def dialect_of(response: Response) -> str | None:
    """The name of the contract that fits, None when none is recognised."""
    return detect(response.headers, response.body[:65536])


def arrivals(response: Response) -> list[float]:
    """When each chunk arrived, in seconds since the head; empty when that is not known."""
    return list(accumulate(chunk.delay_s for chunk in response.chunks or ()))


def describe(cassette: Cassette, *, events: bool = False, chunk_bytes: bool = False) -> list[dict[str, Any]]:
    """The facts of each interaction as plain values, without content unless asked for.

    Args:
        events: with `event_list`: type, data, the offset after it, and the second it was complete.
        chunk_bytes: with `request_base64` and `chunk_list`: offset, size, second, base64.
    """
    found = []
    for each in cassette.interactions:
        facts = facts_of(each)
        if events:
            facts["event_list"] = event_list(each.response)
        if chunk_bytes:
            facts["request_base64"] = _base64(each.request.body)
            chunks = chunk_list(each.response)
            facts["chunk_list"] = [{"base64": _base64(chunk.pop("bytes")), **chunk} for chunk in chunks]
        found.append(facts)
    return found


def facts_of(interaction: Interaction) -> dict[str, Any]:
    """The facts of one interaction."""
    request, response, recording = interaction.request, interaction.response, interaction.response.recording
    end = response.end
    return {
        "method": request.method,
        "uri": request.uri,
        "request_headers": _plain(request.headers),
        "request_bytes": None if request.body is None else len(request.body),
        "status": response.status,
        "reason": response.reason,
        "content_type": response.headers.first("content-type"),
        "headers": _plain(response.headers),
        "head_seconds": _rounded(recording.head_s if recording else None),
        "bytes": len(response.body),
        "events": len(events_of(response)),
        "dialect": dialect_of(response),
        "chunks": None if response.chunks is None else len(response.chunks),
        "seconds": None if response.chunks is None else round(sum(chunk.delay_s for chunk in response.chunks), 3),
        "end": None if end is None else str(end.kind),
        "end_after_seconds": _rounded(None if end is None else end.after_s),
        "terminal_seen": None if end is None else end.terminal_seen,
        "recorded": recording.recorded if recording else None,
        "client": dict(recording.client) if recording else {},
        "tool": recording.tool if recording else None,
        "wire": dict(recording.wire) if recording else {},
        "outcome": dict(recording.outcome) if recording else {},
        "imported": dict(recording.imported) if recording else {},
        "extra": dict(recording.extra) if recording else {},
    }


def event_list(response: Response) -> list[dict[str, Any]]:
    """Each event: `type`, `data`, `offset` of its first byte, and `at_seconds`, when its last byte had come."""
    if not is_event_stream(response):
        return []
    ends, times = event_ends(response.body), arrivals(response)
    chunk_ends = list(accumulate(chunk.size for chunk in response.chunks or ()))
    return [
        {
            "type": event.type,
            "data": event.data,
            "offset": start,
            "at_seconds": _rounded(times[bisect_left(chunk_ends, end)] if times else None),
        }
        for event, start, end in zip(events_of(response), (0, *ends), ends, strict=False)
    ]


def chunk_list(response: Response) -> list[dict[str, Any]]:
    """Each chunk: `offset`, `size`, `at_seconds`, `bytes`; where chunks are not known, each line without a time."""
    if response.chunks is None:
        parts = [line for line in response.body.splitlines(keepends=True) if line]
        times: list[float | None] = [None] * len(parts)
    else:
        ends = [0, *accumulate(chunk.size for chunk in response.chunks)]
        parts = [response.body[start:end] for start, end in pairwise(ends)]
        times = [_rounded(each) for each in arrivals(response)]
    starts = [0, *accumulate(map(len, parts))]
    return [
        {"offset": start, "size": len(part), "at_seconds": at, "bytes": part}
        for start, part, at in zip(starts, parts, times, strict=False)
    ]


def _plain(headers: Headers) -> Mapping[str, list[str]]:
    return {name: list(values) for name, values in headers.items()}


def _rounded(seconds: float | None) -> float | None:
    return None if seconds is None else round(seconds, 3)


def _base64(data: bytes | None) -> str | None:
    return None if data is None else base64.b64encode(data).decode("ascii")
