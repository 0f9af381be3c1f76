"""The storable model: values that compare, hash, pickle, and show nothing of what they hold."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from recorder.cassette import Cassette, Chunk, EndKind, Headers, Interaction, Recording, Request, Response, StreamEnd


def test_header_names_ignore_case() -> None:
    """A header is found by any spelling of its name, and keeps the first one."""
    headers = Headers([("Set-Cookie", "a"), ("set-cookie", ["b", "c"])])
    assert headers["SET-COOKIE"] == ("a", "b", "c")
    assert list(headers) == ["Set-Cookie"]
    assert "set-Cookie" in headers
    assert 1 not in headers
    assert len(headers) == 1
    assert headers.first("set-cookie") == "a"
    assert headers.first("x") == ""
    assert headers.first("x", "y") == "y"


def test_header_without_a_value_is_not_there() -> None:
    """No value, no header; an empty value is one."""
    assert Headers({"a": [], "b": ""}) == Headers({"b": ""})


def test_headers_compare_and_hash() -> None:
    """The order of different names does not matter, that of one name's values does."""
    assert Headers({"a": "1", "B": "2"}) == Headers({"b": "2", "A": "1"})
    assert hash(Headers({"a": "1", "B": "2"})) == hash(Headers({"b": "2", "A": "1"}))
    assert Headers({"a": ["1", "2"]}) != Headers({"a": ["2", "1"]})
    assert Headers({"a": "1"}) != {"a": ("1",)}


@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))])
def test_values_travel(whole_cassette: Cassette, duplicate: object) -> None:
    """A cassette can be copied and sent to another process."""
    assert duplicate(whole_cassette) == whole_cassette  # type: ignore[operator]


def test_values_do_not_change(whole_cassette: Cassette) -> None:
    """What is stored is frozen, and a list of interactions becomes a tuple."""
    with pytest.raises(FrozenInstanceError):
        whole_cassette.interactions[0].response.status = 500  # type: ignore[misc]
    assert Cassette(list(whole_cassette.interactions)) == whole_cassette  # type: ignore[arg-type]


def test_how_a_file_looked_is_not_compared(whole_cassette: Cassette) -> None:
    """Comments and form of a file make no other cassette."""
    assert replace(whole_cassette, preamble="", ascii=True, not_kept=("x",)) == whole_cassette


def test_repr_shows_nothing() -> None:
    """Shapes and counts are shown; bodies, header values, queries, comments and unknown facts are not."""
    cassette = Cassette(
        (
            Interaction(
                Request(
                    "POST", "https://user:SECRET@a.example:1/v1?key=SECRET#SECRET", Headers({"k": "SECRET"}), b"SECRET"
                ),
                Response(
                    200,
                    Headers({"k": "SECRET"}),
                    b"SECRET",
                    (Chunk(0.5, 6),),
                    StreamEnd(EndKind.RESET),
                    "SECRET",
                    Recording(extra={"x": "SECRET"}),
                ),
            ),
        ),
        "# SECRET\n",
        not_kept=("SECRET",),
    )
    assert repr(cassette) == (
        "Cassette(interactions=(Interaction(request=<Request POST https://a.example/v1 6 bytes>, "
        "response=<Response 200 6 bytes, 1 chunks, end reset>),), ascii=False)"
    )
    assert repr(cassette.interactions[0].request.headers) == "Headers(k)"
    assert "SECRET" not in repr(cassette.interactions[0].response.recording)
    assert repr(Request("GET", "http://[SECRET")) == "<Request GET (not a URI) no body>"
    assert repr(Request("GET", "/v1?key=SECRET", {}, b"")) == "<Request GET :///v1 0 bytes>"
    assert repr(Headers({"a": "SECRET", "B": ["SECRET"]})) == "Headers(a, B)"
    assert repr(Response(204)) == "<Response 204 0 bytes, unknown chunks, unknown end>"


@pytest.mark.parametrize("chunks", [(Chunk(0, 1),), (Chunk(0, 2), Chunk(0, 1)), ()])
def test_chunks_sum_to_the_body(chunks: tuple[Chunk, ...]) -> None:
    """A chunk list that does not fit the body cannot be."""
    with pytest.raises(ValueError, match=r"chunk sizes sum to \d, the body has 2 bytes: they must be equal"):
        Response(200, body=b"ab", chunks=chunks)


@pytest.mark.parametrize("chunk", [Chunk(-0.001, 2), Chunk(float("nan"), 2), Chunk(float("inf"), 2)])
def test_delays_are_times(chunk: Chunk) -> None:
    """A delay is a finite time that is not negative."""
    with pytest.raises(ValueError, match=r"^a chunk has at least 1 byte and a finite delay of at least 0 s$"):
        Response(200, body=b"ab", chunks=(chunk,))


def test_chunks_are_not_empty() -> None:
    """An empty chunk is none."""
    with pytest.raises(ValueError, match="at least 1 byte"):
        Response(200, body=b"ab", chunks=(Chunk(0, 2), Chunk(0, 0)))


@pytest.mark.parametrize("time", [-1.0, float("nan"), float("inf")])
def test_other_times(time: float) -> None:
    """The same holds of the end and of the head."""
    with pytest.raises(ValueError, match=r"^a body ends a finite time of at least 0 s after its last chunk$"):
        StreamEnd(EndKind.EOF, time)
    with pytest.raises(ValueError, match=r"^a head arrives a finite time of at least 0 s after the request$"):
        Recording(time)


def test_from_body() -> None:
    """A body alone is enough to try things: an event stream that answered a POST."""
    interaction = Interaction.from_body(b"data: a\n\n")
    assert interaction.response.status == 200
    assert interaction.response.headers["content-type"] == ("text/event-stream",)
    assert interaction.response.body == b"data: a\n\n"
    assert interaction.response.chunks is None
    assert interaction.request.method == "POST"


def test_plain_values_are_taken() -> None:
    """A mapping or pairs for headers, a list of chunks, the word for an end: as people write them."""
    request = Request("GET", "https://api.example.com/", {"Accept": "text/event-stream"})  # type: ignore[arg-type]
    assert request.headers["accept"] == ("text/event-stream",)
    response = Response(
        200,
        [("Content-Type", "text/event-stream")],  # type: ignore[arg-type]
        b"abc",
        chunks=[Chunk(0.0, 1), Chunk(0.5, 2)],  # type: ignore[arg-type]
        end=StreamEnd("reset"),  # type: ignore[arg-type]
    )
    assert response.headers == Headers({"content-type": "text/event-stream"})
    assert response.chunks == (Chunk(0.0, 1), Chunk(0.5, 2))
    assert response.end == StreamEnd(EndKind.RESET)
    with pytest.raises(ValueError, match="'gone' is not a valid EndKind"):
        StreamEnd("gone")  # type: ignore[arg-type]


def test_a_header_that_is_repeated_very_often() -> None:
    """Each repetition costs the same; from a hostile file this would else take minutes."""
    headers = Headers([("a", str(number)) for number in range(200_000)])
    assert len(headers["A"]) == 200_000
    assert headers["a"][:2] == ("0", "1")
    assert headers["a"][-1] == "199999"
