"""Boundary classes: every offset of hand-made streams with its class, and what holds for any bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder import gallery, load_cassette
from recorder.plans import Boundary, boundary_classes
from recorder.sse import EventStreamParser

# One letter for each class, so that a stream and its labels can be written one below the other.
LETTERS = {
    "^": Boundary.START,
    "$": Boundary.END,
    "m": Boundary.BYTE_ORDER_MARK,
    "M": Boundary.AFTER_BYTE_ORDER_MARK,
    "1": Boundary.CODE_POINT_1_OF_2,
    "2": Boundary.CODE_POINT_1_OF_3,
    "3": Boundary.CODE_POINT_2_OF_3,
    "4": Boundary.CODE_POINT_1_OF_4,
    "5": Boundary.CODE_POINT_2_OF_4,
    "6": Boundary.CODE_POINT_3_OF_4,
    "!": Boundary.BROKEN_CODE_POINT,
    "r": Boundary.CR_LF,
    "b": Boundary.BLANK_LINE,
    "|": Boundary.BETWEEN_EVENTS,
    "-": Boundary.BETWEEN_LINES,
    "c": Boundary.COMMENT,
    "f": Boundary.FIELD_NAME,
    "<": Boundary.BEFORE_COLON,
    ">": Boundary.AFTER_COLON,
    "v": Boundary.VALUE_START,
    "e": Boundary.LINE_END,
    "t": Boundary.TERMINAL_MARKER,
    "p": Boundary.JSON_SURROGATE_PAIR,
    "x": Boundary.JSON_ESCAPE,
    "s": Boundary.JSON_STRING,
    "n": Boundary.JSON_NUMBER,
    "l": Boundary.JSON_LITERAL,
    "j": Boundary.JSON_BETWEEN,
    "w": Boundary.FIELD_VALUE,
}


def test_every_class_has_a_letter_and_a_readable_name() -> None:
    """The names are what reports print."""
    assert set(LETTERS.values()) == set(Boundary)
    assert Boundary.CODE_POINT_1_OF_3 == "inside a code point, 1 of 3"
    assert Boundary.CR_LF == "between CR and LF"
    assert Boundary.JSON_SURROGATE_PAIR == "inside a surrogate pair"


@pytest.mark.parametrize(
    ("body", "labels"),
    [
        (b"", "^"),
        (b"a", "^$"),
        (b"\n", "^$"),
        # a field, its blank line, the next event
        (b"data: 1\n\ndata: 2\n\n", "^fff<>veb|fff<>veb$"),
        (b"data:12\n\n", "^fff<>web$"),
        (b"data\n\n", "^fffeb$"),
        (b"a:1\n\n", "^<>eb$"),
        (b"data:\n\n", "^fff<>b$"),
        (b"data: \n\n", "^fff<>vb$"),
        (b"event: ab\ndata: c\n\n", "^ffff<>vwe-fff<>veb$"),
        # CR LF, CR alone, blank lines
        (b"a:1\r\n\r\n", "^<>erbr$"),
        (b"a:1\r\r", "^<>eb$"),
        (b"a:1\n\n\n\na:1\n\n", "^<>eb|||<>eb$"),
        (b"\r\n\r\na:1", "^r|r|<>$"),
        # comments
        (b": hi\n\n", "^cccc" + "b$"),
        (b":\ndata:1\n\n", "^c-fff<>eb$"),
        ("é: hi\n:é\n\n".encode(), "^1<>vwe-c1cb$"),
        # the byte order mark
        (b"\xef\xbb\xbf", "^mm$"),
        (b"\xef\xbb\xbfa:1", "^mmM<>$"),
        (b"\xef\xbb\xbf: hi\n", "^mmMcccc$"),
        # code points, whole and broken
        ("a:é你😀".encode(), "^<>1w23w456$"),
        (b"a:\xe4\xbd\xe4\xbd\xa0\xf0\x9f\x98x\xffx\xf0\x9fx", "^<>!w23w!!wwww!w$"),
        (b"a:\xed\xa0\x80\xc0\x80", "^<>wwww$"),
        # the terminal marker
        (b"data: [DONE]\n\n", "^fff<>vttttteb$"),
        (b"data:[DONE]\n\n", "^fff<>ttttteb$"),
        (b"id: [DONE]\n\n", "^f<>vwwwwweb$"),
        # JSON: names, strings, numbers, literals, what is between them
        (b'data: {"a":12,"b":-1.5e3}\n\n', "^fff<>vjssjjnjjssjjnnnnnjeb$"),
        (b"data: [true,null, 0]\n\n", "^fff<>vjllljjllljjjjeb$"),
        (b'data: "ab"\n\n', "^fff<>vsss" + "eb$"),
        (b'data: {"a"\ndata: :1}\n\n', "^fff<>vjsse-fff<>vjjeb$"),
        (b"data: 12\n\n", "^fff<>vweb$"),
        (b"data:  {1\ndata:2}\n\n", "^fff<>vjje-fff<>jeb$"),
        (b"data\ndata:[]\n\n", "^fffe-fff<>jeb$"),
        (b"id: {}\n\n", "^f<>vweb$"),
        # escapes, and the two of a surrogate pair
        (rb'data: ["\n\\\u00e9x"]' + b"\n\n", "^fff<>vjsxsxsxxxxxssjeb$"),
        (rb'data: ["\ud83d\ude00"]' + b"\n\n", "^fff<>vjsxxxxxpxxxxxsjeb$"),
        (rb'data: ["\ud83d \ude00"]' + b"\n\n", "^fff<>vjsxxxxxssxxxxxsjeb$"),
        (rb'data: ["\\ud83d\ude00"]' + b"\n\n", "^fff<>vjsxssssssxxxxxsjeb$"),
        # JSON that breaks off
        (b'data: {"ab\n\n', "^fff<>vjsseb$"),
        (rb'data: {"a\u00' + b"\n\n", "^fff<>vjssxsseb$"),
        (rb'data: {"a' + b"\\\n\n", "^fff<>vjsseb$"),
    ],
)
def test_labels(body: bytes, labels: str) -> None:
    """Offset by offset, from 0 to the length."""
    found = boundary_classes(body)
    names = {name: letter for letter, name in LETTERS.items()}
    assert "".join(names[found.at(offset)] for offset in range(len(body) + 1)) == labels


def test_the_mapping() -> None:
    """From each class that is there to its offsets, in the order of the classes."""
    found = boundary_classes(b'data: {"a":12}\n\n')
    assert dict(found) == {
        Boundary.START: (0,),
        Boundary.END: (16,),
        Boundary.BLANK_LINE: (15,),
        Boundary.FIELD_NAME: (1, 2, 3),
        Boundary.BEFORE_COLON: (4,),
        Boundary.AFTER_COLON: (5,),
        Boundary.VALUE_START: (6,),
        Boundary.LINE_END: (14,),
        Boundary.JSON_STRING: (8, 9),
        Boundary.JSON_NUMBER: (12,),
        Boundary.JSON_BETWEEN: (7, 10, 11, 13),
    }
    assert list(found) == [name for name in Boundary if name in found]
    assert found.firsts == (1, 4, 5, 6, 7, 8, 12, 14, 15)
    assert Boundary.COMMENT not in found
    assert len(found) == 11
    with pytest.raises(KeyError):
        found[Boundary.COMMENT]
    for offset in (-1, 17):
        with pytest.raises(IndexError):
            found.at(offset)


def test_nothing_of_the_stream_is_shown() -> None:
    """Its repr has counts."""
    assert repr(boundary_classes(b"data: PLANTED\n\n")) == "<Boundaries of 16 offsets, 9 classes>"


@settings(deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                *(b"data: ", b"data:", b"{", b'"', b"\\u", b"d83d", b"\\", b"12", b"true", b":", b"}", b",", b"[DONE]"),
                *(b"\n", b"\r\n", b"\r", b"\n\n", b"x", b"\xef\xbb\xbf", b"\xe4", b"\xbd", b"\xa0", b"\xf0\x9f"),
            ]
        ),
        max_size=25,
    ).map(b"".join)
)
def test_every_offset_has_one_class(body: bytes) -> None:
    """Whatever the bytes; and what is said of line ends and code points is true."""
    found = boundary_classes(body)
    offsets = sorted(offset for each in found.values() for offset in each)
    assert offsets == list(range(len(body) + 1))
    for offset in range(1, len(body)):
        label = found.at(offset)
        assert (label is Boundary.CR_LF) == (body[offset - 1 : offset + 1] == b"\r\n")
        if label.startswith("inside a code point, "):
            assert body[offset] & 0xC0 == 0x80
        if label is Boundary.BETWEEN_EVENTS:
            assert EventStreamParser().feed(body[:offset] + b"data\n\n")[-1].data == ""
    assert set(found.firsts) == {found[name][0] for name in found} - {0, len(body)}


def test_the_shipped_streams_have_the_classes_they_should() -> None:
    """A stream in five languages has nearly all of them."""
    for name, lacks in (
        ("chat-lf", {"inside the byte order mark", "after the byte order mark", "between CR and LF"}),
        ("chat-crlf", {"inside the byte order mark", "after the byte order mark"}),
    ):
        body = load_cassette(gallery()[name]).interactions[0].response.body
        missing = {str(each) for each in Boundary if each not in boundary_classes(body)}
        assert lacks <= missing
        assert missing <= lacks | {
            "inside a code point that lacks its end",
            "between lines of an event",
            "inside a field value",
            "inside a code point, 1 of 2",
            "inside a surrogate pair",
        }
