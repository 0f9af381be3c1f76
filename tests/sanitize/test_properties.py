"""What holds for any cassette: clean afterwards, a fixed point, the framing as before, whatever the chunking."""

from __future__ import annotations

import json
from itertools import pairwise

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recorder.cassette import Cassette, Chunk, Headers, Interaction, Request, Response
from recorder.sanitize import Sanitizer
from recorder.sse import EventStreamParser

SECRET = "sk-Pl4nted-314159"
FRAGMENTS = [
    SECRET, SECRET[:7], SECRET[7:], "jane.doe@example.com", "jane.doe@", "example.com", "203.0.113.7", ".7", "secret",
    "-REDACTED-", "secret-REDACTED-0001", "email-REDACTED-0007", "\\u0073k-Pl4nted", "%73k-Pl4nted-314159", "%", "\\",
    "c2stUGw0bnRlZC0zMTQxNTk=", "c2stUGw0", "bnRlZC0zMTQxNTk", "736b2d506c346e7465642d333134313539", "736b2d",
    '{"password":"hunter2x"}', '{"user_id":"12345678"}', '{"a":"', '"}', "{", "[", "]", '"', '\\"', ":", ",", "=", "&",
    "password=hunter2x&a=b", "org-AbCdEfGh1JkLmNoPqRsTuVwX", "/home/jdoe/x", "Bearer q7Rt2LmZx09KpWv1", " ", "\n", "\r",
    "\r\n", "data: ", "data:", "event: x", "id: 7", ": ping", "\n\n", "\u00e9", "\u4f60\u597d", "\U0001f680", "\x00",
    "\u2028", "\ufeff", "+1 415-555-0132", "true", "null", "-1.5e3", "index", "content", "delta", "x", "1", "\udcff",
]  # fmt: skip

texts = st.lists(st.sampled_from(FRAGMENTS), max_size=12).map("".join)


def chat(pieces: list[str], index: int) -> bytes:
    chunks = [json.dumps({"choices": [{"index": index % 2, "delta": {"content": piece}}]}) for piece in pieces]
    return "".join(f"data: {chunk}\n\n" for chunk in chunks).encode()


def tool(pieces: list[str]) -> bytes:
    inner = json.dumps({"to": "".join(pieces)})
    chunks = [{"delta": {"partial_json": inner[at : at + 5]}, "index": 1} for at in range(0, len(inner), 5)]
    return "".join(f"event: e\r\ndata: {json.dumps(chunk)}\r\n\r\n" for chunk in chunks).encode()


fragments = st.lists(st.sampled_from(FRAGMENTS), max_size=8)
bodies = st.one_of(
    texts.map(lambda text: text.encode("utf-8", "surrogateescape")),
    st.binary(max_size=60),
    st.builds(
        chat, fragments.map(lambda parts: [p.encode("utf-8", "replace").decode() for p in parts]), st.integers(0, 1)
    ),
    st.builds(tool, fragments),
    st.lists(st.builds(chat, fragments, st.integers(0, 1)) | st.builds(tool, fragments), max_size=3).map(b"".join),
)


def cassette(request: bytes, response: bytes, cuts: list[int] | None = None) -> Cassette:
    asked = Request("POST", "https://api.example.com/v1", Headers(), request)
    chunks = None
    if cuts is not None:
        ends = sorted({min(cut, len(response)) for cut in cuts} | {len(response)} - {0})
        chunks = tuple(Chunk(0.0, end - start) for start, end in pairwise([0, *[end for end in ends if end]]))
    return Cassette(
        (Interaction(asked, Response(200, Headers({"content-type": "text/event-stream"}), response, chunks)),)
    )


EXAMPLES = settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))


def kinds(body: bytes) -> list[tuple[str, bool]]:
    """Of each event its name, and whether its data is JSON."""
    found = []
    for event in EventStreamParser(max_line=None, max_event=None).feed(body):
        try:
            json.loads(event.data)
            found.append((event.type, True))
        except ValueError:
            found.append((event.type, False))
    return found


@EXAMPLES
@given(bodies, bodies)
def test_what_was_sanitized_is_clean(request: bytes, response: bytes) -> None:
    """The scan, which is other code, agrees; and there is nothing left to do."""
    sanitizer = Sanitizer.default([SECRET])
    clean = sanitizer.apply(cassette(request, response))
    assert sanitizer.scan(clean) == ()
    cleaned = sanitizer.clean(clean)
    assert (cleaned.cassette, dict(cleaned.counts)) == (clean, {})


@EXAMPLES
@given(bodies)
def test_the_scan_refuses_what_would_be_replaced(response: bytes) -> None:
    """And passes nothing else: a body the scan is content with is stored as it is."""
    sanitizer = Sanitizer.default([SECRET])
    dirty = cassette(b"{}", response)
    if sanitizer.scan(dirty) == ():
        assert sanitizer.apply(dirty) == dirty


@EXAMPLES
@given(bodies)
def test_events_stay_events(response: bytes) -> None:
    """As many as before, of the same names, and what was JSON still is."""
    sanitizer = Sanitizer.default([SECRET])
    after = sanitizer.apply(cassette(b"{}", response)).interactions[0].response.body
    before = kinds(response)
    assert [
        was_json for (_, was_json), (_, is_json) in zip(before, kinds(after), strict=True) if was_json > is_json
    ] == []


@EXAMPLES
@given(bodies, st.lists(st.integers(1, 400), max_size=8))
def test_the_chunking_has_no_influence(response: bytes, cuts: list[int]) -> None:
    """The stored body is the same, its chunks sum to it, and none is added."""
    sanitizer = Sanitizer.default([SECRET])
    dirty = cassette(b"{}", response, cuts)
    (clean,) = sanitizer.apply(dirty).interactions
    assert clean.response.body == sanitizer.apply(cassette(b"{}", response)).interactions[0].response.body
    assert clean.response.chunks is not None
    assert sum(chunk.size for chunk in clean.response.chunks) == len(clean.response.body)
    assert len(clean.response.chunks) <= len(dirty.interactions[0].response.chunks or ())


@EXAMPLES
@given(bodies, bodies)
def test_shape_moves_no_byte(request: bytes, response: bytes) -> None:
    """With `text="shape"` what is not replaced by a stand-in keeps its length; twice is as good as once."""
    sanitizer = Sanitizer.default(text="shape")
    clean = sanitizer.apply(cassette(request, response))
    assert sanitizer.apply(clean) == clean
    if b"-REDACTED-" not in clean.interactions[0].response.body:
        assert len(clean.interactions[0].response.body) == len(response)
    assert [residue for residue in sanitizer.scan(clean) if residue.rule != "text-shape"] == []


@EXAMPLES
@given(bodies, bodies, st.sampled_from([SECRET, "1111", "xxxx", "12345678", "-----"]))
def test_shape_moves_no_byte_for_a_known_value(request: bytes, response: bytes, secret: str) -> None:
    """Also where the value itself is a shape, or of symbols; twice is as good as once."""
    sanitizer = Sanitizer.default([secret], text="shape")
    clean = sanitizer.apply(cassette(request, response))
    assert sanitizer.apply(clean) == clean
    after = clean.interactions[0].response.body
    if b"-REDACTED-" not in after:
        assert len(after) == len(response)
    assert SECRET.encode() not in after or secret != SECRET
