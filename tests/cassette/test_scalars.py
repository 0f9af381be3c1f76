"""How one value is written: which style, which indicators, which escapes."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from recorder.cassette._scalars import body_scalar, is_block_of, request_body_scalar, text_scalar


@dataclass(frozen=True)
class Case:
    id: str
    value: bytes
    written: str
    ascii: bool = False


def ids(case: Case) -> str:
    return case.id


BODIES = [
    # literal blocks: `+` keeps the final line ends, `-` says that there is none
    Case("one event", b"data: a\n\n", "|+\n  data: a\n"),
    Case("no final line end", b"data: a", "|-\n  data: a"),
    Case("one final line end", b"a\n", "|+\n  a"),
    Case("empty lines carry no blanks", b"a\n\n\n\nb\n", "|+\n  a\n\n\n\n  b"),
    Case("blanks at the end of a line stay", b"data: \n  \n", "|+\n  data: \n    "),
    Case("tabs inside", b"a\tb\t\n", "|+\n  a\tb\t"),
    Case("beyond ASCII", "é漢🙂\n".encode(), "|+\n  é漢🙂"),
    Case("all of ASCII that is printed", bytes(range(0x21, 0x7F)), "|-\n  " + "".join(map(chr, range(0x21, 0x7F)))),
    Case("what looks like YAML", b"---\n# x\n- a: &b\n...\n", "|+\n  ---\n  # x\n  - a: &b\n  ..."),
    # a first line that starts with a blank, a tab or a line end needs the indentation said
    Case("leading blank", b" a\n", "|2+\n   a"),
    Case("leading tab", b"\ta", "|2-\n  \ta"),
    Case("leading line end", b"\na\n", "|2+\n\n  a"),
    Case("only a line end", b"\n", "|2+\n"),
    Case("only line ends", b"\n\n\n", "|2+\n\n\n"),
    Case("only blanks", b"  ", "|2-\n    "),
    # double quotes: one line for each line of the stream
    Case("CR LF", b"data: a\r\n\r\nb", '"data: a\\r\\n\\\n  \\r\\n\\\n  b"'),
    Case("CR", b"a\rb\r", '"a\\r\\\n  b\\r"'),
    Case("CR, then CR LF", b"\r\r\n", '"\\r\\\n  \\r\\n"'),
    Case("LF, then CR", b"a\n\rb", '"a\\n\\\n  \\r\\\n  b"'),
    Case("quotes and backslashes", b'"\\n"\r\n', '"\\"\\\\n\\"\\r\\n"'),
    Case("blank after a line end", b"\r\n a", '"\\r\\n\\\n  \\ a"'),
    Case("blanks after a line end", b"\r\n   a", '"\\r\\n\\\n  \\   a"'),
    Case("tab after a line end", b"\r\n\ta", '"\\r\\n\\\n  \\ta"'),
    Case("blanks at both ends", b" a\r ", '" a\\r\\\n  \\ "'),
    Case("NUL and escape", b"\x00\x1b\n", '"\\x00\\x1b\\n"'),
    Case("DEL", b"\x7f", '"\\x7f"'),
    Case("NEL", "a\x85b\n".encode(), '"a\\x85b\\n"'),
    Case("C1", "\x80\x9f".encode(), '"\\x80\\x9f"'),
    Case("line and paragraph separator", "a\u2028b\u2029".encode(), '"a\\u2028b\\u2029"'),
    Case("byte order mark", b"\xef\xbb\xbfdata: a\n\n", '"\\ufeffdata: a\\n\\\n  \\n"'),
    Case("noncharacters loaders refuse", "\ufffe\uffff".encode(), '"\\ufffe\\uffff"'),
    Case(
        "its neighbours stand raw",
        "\u2027\u202a\ufefe\uff00\ufffd\xa0".encode(),
        "|-\n  \u2027\u202a\ufefe\uff00\ufffd\xa0",
    ),
    Case("raw beside an escape", "é\r\n".encode(), '"é\\r\\n"'),
    Case("its neighbours beside an escape", "\x85\xa0~".encode(), '"\\x85\xa0~"'),
    # base64: what is not UTF-8
    Case("a lone byte", b"\xff", "!!binary |\n  /w=="),
    Case("half a character", "é".encode()[:1], "!!binary |\n  ww=="),
    Case("a surrogate in UTF-8", b"\xed\xa0\x80", "!!binary |\n  7aCA"),
    Case("76 characters a line", b"\xff" * 58, f"!!binary |\n  {'/' * 76}\n  /w=="),
    # nothing
    Case("empty", b"", "''"),
    # ASCII only
    Case("ascii: clean text stays", b"data: a\n", "|+\n  data: a", ascii=True),
    Case("ascii: escapes", "é漢🙂\n\n".encode(), '"\\xe9\\u6f22\\U0001f642\\n\\\n  \\n"', ascii=True),
    Case("ascii: a written backslash", "\\xe9é".encode(), '"\\\\xe9\\xe9"', ascii=True),
]


@pytest.mark.parametrize("case", BODIES, ids=ids)
def test_body(case: Case) -> None:
    """A body is a literal block when its text allows it, else double-quoted, else base64."""
    assert body_scalar(case.value, 2, ascii=case.ascii).decode() == case.written


@pytest.mark.parametrize(
    ("block", "body", "is_one"),
    [
        ("|+\n  a\n\n  b\n", "a\n\nb\n", True),
        ("|-\n  a\n", "a", True),
        ("|2+\n   a\n", " a\n", True),
        ("|+\n  \u00e9\n", "\u00e9\n", True),
        ("|-\n  a\n", "a\n", False),  # another indicator would be written
        ("|+\n  a\x85b\n", "a\x85b\n", False),  # it would be quoted
        ("|+\n  a\n  \n  b\n", "a\n\nb\n", False),  # an empty line would have no blanks
        ("|+\n   a\n   b\n", " a\n b\n", False),  # where the first line starts would be said
    ],
)
def test_a_block_that_would_be_written_so(block: str, body: str, is_one: bool) -> None:
    """Told without writing it."""
    data = b"string: " + block.encode() + b"after: |\n"
    stop = data.index(b"after")
    assert is_block_of(body.encode(), data, len(b"string: "), stop, 2, ascii=False) is is_one
    assert (body_scalar(body.encode(), 2) + b"\n" == block.encode()) is is_one


def test_a_block_that_would_be_written_otherwise() -> None:
    """In ASCII alone, or in base64."""
    assert not is_block_of("\u00e9\n".encode(), "|+\n  \u00e9\n".encode(), 0, 8, 2, ascii=True)
    assert not is_block_of(b"\xff\n", b"|+\n  \xff\n", 0, 7, 2, ascii=False)


REQUEST_BODIES = [
    Case("one line", b'{"a": "it\'s"}', "'{\"a\": \"it''s\"}'"),
    Case("one line beyond ASCII", "{é🙂}".encode(), "'{é🙂}'"),
    Case("blanks and tabs", b" \t ", "' \t '"),
    Case("several lines", b'{\n "a": 1\n}', '|-\n  {\n   "a": 1\n  }'),
    Case("a control character", b"a\x01", '"a\\x01"'),
    Case("empty", b"", "''"),
    Case("what resolves to a number", b"12345678", "'12345678'"),
    Case("not UTF-8", b"\xff", "!!binary |\n  /w=="),
    Case("ascii", "{é}".encode(), '"{\\xe9}"', ascii=True),
]


@pytest.mark.parametrize("case", REQUEST_BODIES, ids=ids)
def test_request_body(case: Case) -> None:
    """A request body of one printable line stays on the line of its key, always in quotes."""
    assert request_body_scalar(case.value, 2, ascii=case.ascii).decode() == case.written


def test_no_request_body() -> None:
    """No body is null; an empty body is not."""
    assert request_body_scalar(None, 2) == b"null"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("text/event-stream", "text/event-stream"),
        ("text/event-stream; charset=utf-8", "text/event-stream; charset=utf-8"),
        ("Bearer x#y", "Bearer x#y"),
        ("/v1/chat", "/v1/chat"),
        ("", "''"),
        ("no", "'no'"),
        ("Yes", "'Yes'"),
        ("y", "'y'"),
        ("null", "'null'"),
        ("NULL", "'NULL'"),
        ("true", "'true'"),
        ("12345678", "'12345678'"),
        ("1:30", "'1:30'"),
        ("2026-11-30", "'2026-11-30'"),
        ("1e5", "'1e5'"),
        (".5", "'.5'"),
        ("~", "'~'"),
        ("=", "'='"),
        ("<<", "'<<'"),
        ("*/*", "'*/*'"),
        ("a, b", "'a, b'"),
        ("a: b", "'a: b'"),
        ("a:b", "'a:b'"),
        ("a?b", "'a?b'"),
        ("a #b", "'a #b'"),
        ("[a]", "'[a]'"),
        ("a ", "'a '"),
        (" a", "' a'"),
        ("it's", "it's"),
        ("'it", "'''it'"),
        ('"a"', "'\"a\"'"),
        ("é", "'é'"),
        ("a\nb", '"a\\nb"'),
        ("a\tb\r", '"a\\tb\\r"'),
        ("\\\x00", '"\\\\\\x00"'),
        ("\u2028\ufeff", '"\\u2028\\ufeff"'),
        ("🙂", "'🙂'"),
    ],
)
def test_short_text(text: str, written: str) -> None:
    """A short text is plain only when every YAML 1.1 reader takes it for that text, in a flow list too."""
    assert text_scalar(text) == written


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("https://a.example/v1?x=1&y=[2]", "'https://a.example/v1?x=1&y=[2]'"),
        ("https://a.example:8080/v1?x=1,2#top", "https://a.example:8080/v1?x=1,2#top"),
        ("https://a.example/ #x", "'https://a.example/ #x'"),
        ("https:", "'https:'"),
    ],
)
def test_text_outside_a_flow_list(text: str, written: str) -> None:
    """An address needs no quotes where no flow list is around it."""
    assert text_scalar(text, flow=False) == written


def test_short_text_in_ascii() -> None:
    """Beyond ASCII everything is escaped, as short as it can be."""
    assert text_scalar("é漢🙂", ascii=True) == '"\\xe9\\u6f22\\U0001f642"'


@pytest.mark.parametrize("word", ["y", "n", "yes", "no", "on", "off", "true", "false", "null"])
def test_words_of_yaml(word: str) -> None:
    """What YAML 1.1 readers take for a truth value or null is quoted, however it is spelled; a longer word is not."""
    for spelled in (word, word.title(), word.upper()):
        assert text_scalar(spelled) == f"'{spelled}'"
    assert text_scalar(f"{word}x") == f"{word}x"


def test_lone_surrogate() -> None:
    """Half a surrogate pair has no place in a YAML file; the error says what to do and not what the text was."""
    with pytest.raises(ValueError, match=r"^a text holds a lone surrogate; decode header bytes as Latin-1$"):
        text_scalar("secret \udc80")
