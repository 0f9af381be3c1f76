"""The shared vectors: streams and what a conforming parser makes of them, from a folder of the reader's choice.

Collected only when the environment variable RECORDER_VECTORS names the folder (see conftest.py); the behaviours
themselves are in test_cases.py and test_limits.py.
"""

from __future__ import annotations

import base64
import json
import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.sse import EventStreamParser

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(os.environ["RECORDER_VECTORS"]) / "sse_vectors.json").read_text(encoding="utf-8")
)
LONG = 3000  # from this size on, two parts at some places only

# What a vector calls a fault, and what we call it.
CODES = {"utf8": ("InvalidUTF8", "invalid_utf8")}

each_vector = pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])


def check(vector: dict[str, Any], outcome: Any) -> None:
    """Hold an outcome to everything the vector says."""
    assert outcome.events == tuple((one["event"], one["data"], one["id"]) for one in vector["expect"])
    wrong = vector.get("expect_error")
    assert outcome.fault == ((*CODES[wrong["kind"]], wrong["offset"]) if wrong else None)
    if "comments" in vector and outcome.comments is not None:
        assert outcome.comments == tuple(vector["comments"])
    if vector["final_last_event_id"] is not None:
        assert outcome.last_event_id == vector["final_last_event_id"]
    assert outcome.reconnection_time == vector["final_retry"]


def stream_of(vector: dict[str, Any]) -> bytes:
    return base64.b64decode(vector["wire_b64"])


@each_vector
def test_vector_whole_and_bytewise(sse: Any, vector: dict[str, Any]) -> None:
    """As one chunk and byte by byte, with the shortcuts and without, listening or not, and by iter_events."""
    stream, utf8 = stream_of(vector), vector["utf8_policy"]
    for chunks in ([stream], [stream[at : at + 1] for at in range(len(stream))]):
        outcome = sse.run(chunks, utf8=utf8)
        check(vector, outcome)
        check(vector, sse.run(chunks, utf8=utf8, listen=False))
        check(vector, sse.run(chunks, utf8=utf8, exact=True))
        assert sse.iterate(chunks, utf8=utf8) == (outcome.events, outcome.fault)


@each_vector
def test_vector_at_every_cut(sse: Any, vector: dict[str, Any]) -> None:
    """In two parts at every place; of a long stream at each of the first and last 200 and at 100 between."""
    stream, utf8 = stream_of(vector), vector["utf8_policy"]
    cuts = set(range(1, len(stream)))
    if len(stream) > LONG:
        cuts = {cut for cut in cuts if cut < 200 or cut > len(stream) - 200 or cut % (len(stream) // 100) == 0}
    for cut in cuts:
        check(vector, sse.run([stream[:cut], stream[cut:]], utf8=utf8, listen=cut % 2 == 0))


@given(vector=st.sampled_from([one for one in VECTORS if len(one["wire_b64"]) < 2 * LONG]), data=st.data())
@settings(max_examples=250, deadline=None)
def test_vector_in_any_partition(sse: Any, vector: dict[str, Any], data: st.DataObject) -> None:
    """In any number of parts, empty ones included."""
    stream, utf8 = stream_of(vector), vector["utf8_policy"]
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=10)))
    chunks = [stream[start:end] for start, end in pairwise([0, *cuts, len(stream)])]
    for listen in (False, True):
        check(vector, sse.run(chunks, utf8=utf8, listen=listen))


def test_every_vector_is_there() -> None:
    """The folder is the one meant: its vectors have names of their own, some faults, some comments."""
    assert len({vector["id"] for vector in VECTORS}) == len(VECTORS) > 100
    assert [vector["id"] for vector in VECTORS if "expect_error" in vector]
    assert [vector["id"] for vector in VECTORS if vector.get("comments")]


def test_all_vectors_by_one_process_without_leftovers() -> None:
    """Parsers made one after another do not see each other."""
    for vector in VECTORS:
        parser = EventStreamParser()
        assert (parser.last_event_id, parser.reconnection_time, parser.offset) == ("", None, 0)
        if "expect_error" not in vector:
            parser.feed(stream_of(vector))
