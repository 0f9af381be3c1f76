"""A bad file is an error that says where, what is wrong and what would be right, and nothing of what is in the file."""

from __future__ import annotations

import gzip
import pickle
import re
import subprocess
import sys
from dataclasses import dataclass

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recorder.cassette import _yaml, parse_cassette
from recorder.cassette._parse import parse
from recorder.cassette._yaml import C_LOADER, PYTHON_LOADER
from recorder.errors import CassetteError

GOOD = """\
version: 1
interactions:
- request:
    method: POST
    uri: https://api.example.com/v1
    body: SECRET
    headers:
      accept: [text/event-stream]
  response:
    status: {code: 200, message: OK}
    headers:
      content-type: [text/event-stream]
    body:
      string: |+
        data: SECRET

    recorder:
      format: 1
      sha256: 'b00f55bd2b92ef7ed527ffeb95140f92fdb044ddaac836d3acd5fc80b3657f69'
      chunks: [[0, 14]]
      end: {kind: complete, after_ms: 3}
"""
BODY = "    body:\n      string: |+\n        data: SECRET\n"

CONVERT = "`recorder convert IN -o OUT` reads it"
EMPTY = "the file is empty; a cassette has `version: 1` and `interactions:`"
SINGLE = "a single text; a cassette has `version: 1` and `interactions:` at the top level"
BODY_TEXT = "the request body is not a text; write it in quotes, as a block or as !!binary"
TAG = "a YAML tag other than !!binary; cassettes hold plain values only"
ALIAS = "a YAML anchor or alias; cassettes have none: write the value out"
BASE64 = "the request body is not valid base64; RFC 4648 with padding is"
DEEP = "nesting deeper than 100 levels; a cassette has about six"
NO_CHARACTER = "an escape that is no character (half a surrogate pair?); write the character itself"
CONTROL = "a control character stands raw; write it as an escape inside double quotes"
SEPARATOR = "a raw NEL, U+2028 or U+2029 breaks a YAML line; write it as an escape inside double quotes"
START = "a character that cannot start a value (a tab?); indent with blanks, quote the text"
COLON = "a colon where none can stand; quote the text that holds it"
CONFLICT = "a merge conflict; take one side, or record again"
YEARS = "1000000000000 milliseconds, which is 31 years"
KINDS = "complete, eof, incomplete, reset, timeout, client_closed"


@dataclass(frozen=True)
class Bad:
    id: str
    text: str | bytes
    line: int
    problem: str


def instead(old: str, new: str) -> str:
    """The good file with a change in one place."""
    assert old in GOOD
    return GOOD.replace(old, new, 1)


NOT_A_CASSETTE = [
    Bad("empty", "", 1, EMPTY),
    Bad("only blanks", " \n\n", 1, EMPTY),
    Bad("only a comment", "# SECRET\n", 1, EMPTY),
    Bad("a text", "SECRET", 1, SINGLE),
    Bad("null", "~\n", 1, SINGLE),
    Bad("gzip", gzip.compress(GOOD.encode()), 1, f"a gzip file; {CONVERT}"),
    Bad("UTF-16", GOOD.encode("utf-16"), 1, "UTF-16; a cassette is a UTF-8 file"),
    Bad("Latin-1", instead("SECRET", "\xe9").encode("latin-1"), 6, "not UTF-8; a cassette is a UTF-8 file"),
    Bad(
        "a surrogate in UTF-8",
        GOOD.encode().replace(b"SECRET", b"\xed\xa0\x80"),
        6,
        "not UTF-8; a cassette is a UTF-8 file",
    ),
    Bad("raw stream", "data: SECRET\n\n", 1, f"a raw event stream, without the request and the head; {CONVERT}"),
    *(
        Bad(
            f"raw stream that begins with {start}",
            f"{start} SECRET\n\n",
            1,
            f"a raw event stream, without the request and the head; {CONVERT}",
        )
        for start in ("event:", "id:", "retry:", ":")
    ),
    Bad("UTF-16, big end first", b"\xfe\xff" + GOOD.encode("utf-16-be"), 1, "UTF-16; a cassette is a UTF-8 file"),
    Bad("raw HTTP", "HTTP/1.1 200 OK\r\n", 1, f"raw HTTP messages; {CONVERT}"),
    Bad("httprr", "httprr trace v1\n", 1, f"raw HTTP messages; {CONVERT}"),
    Bad(
        "vcrpy before 1.0",
        "- request: {}\n  response: {}\n",
        1,
        f"a list at the top level, as of vcrpy before 1.0; {CONVERT}",
    ),
    Bad(
        "a list of nock",
        "- {scope: SECRET, path: /, status: 200}",
        1,
        f"a list at the top level, as of nock; {CONVERT}",
    ),
    Bad(
        "another list",
        "- SECRET\n",
        1,
        "a list at the top level; a cassette has `version: 1` and `interactions:` there",
    ),
    Bad(
        "langchain-tests",
        "requests: []\nresponses: []\n",
        1,
        f"separate lists of requests and responses, as of langchain-tests; {CONVERT}",
    ),
    Bad("Ruby VCR", "---\nhttp_interactions: []\n", 2, f"a Ruby VCR cassette; {CONVERT}"),
    Bad("httpmock", "when: {}\nthen: {}\n", 1, f"an httpmock recording; {CONVERT}"),
    Bad("HAR", '{"log": {}}', 1, f"an HTTP archive (HAR); {CONVERT}"),
    Bad("Braintrust", '{"entries": [], "meta": {}}', 1, f"a Braintrust cassette; {CONVERT}"),
    Bad("Azure test proxy", '{"Entries": []}', 1, f"a recording of the Azure test proxy; {CONVERT}"),
    Bad("WireMock", "request: {}\nresponse: {}\n", 1, f"a single request and response, as of WireMock; {CONVERT}"),
    *(
        Bad(
            f"half a mark: {written}",
            written,
            1,
            "no `interactions:` at the top level; a cassette has it, and `version: 1`",
        )
        for written in (
            *("requests: []", "responses: []", "when: {}", "then: {}", "request: {}", "response: {}"),
            *('{"entries": []}', '{"meta": {}}', "{}"),
        )
    ),
    *(
        Bad(
            f"another list: {written}",
            written,
            1,
            "a list at the top level; a cassette has `version: 1` and `interactions:` there",
        )
        for written in (
            "[]",
            "- {request: {}}",
            "- {response: {}}",
            "- {path: /, status: 200}",
            "- {scope: x, path: /}",
        )
    ),
    Bad("go-vcr", "version: 2\ninteractions: []\n", 1, f"a version other than 1, as of go-vcr; {CONVERT}"),
    Bad(
        "no interactions", "version: 1\n", 1, "no `interactions:` at the top level; a cassette has it, and `version: 1`"
    ),
    Bad(
        "two documents",
        GOOD + "---\nSECRET: 1\n",
        22,
        f"a second YAML document, as of httpmock; a cassette is one, {CONVERT}",
    ),
]

SHAPES = [
    Bad(
        "interactions: nothing",
        "version: 1\ninteractions:\n",
        2,
        "interactions is not a list; write `- item` lines or [item, item]",
    ),
    Bad(
        "interactions: mapping",
        "interactions: {}\n",
        1,
        "interactions is not a list; write `- item` lines or [item, item]",
    ),
    Bad(
        "interaction: text",
        "interactions:\n- SECRET\n",
        2,
        "an interaction is not a mapping; write `name: value` lines",
    ),
    Bad("version: list", instead("version: 1", "version: [1]"), 1, "version is not a single value; write one text"),
    Bad("no request", "interactions:\n- response: {}\n", 2, "an interaction has no `request`; it must have one"),
    Bad("no response", "interactions:\n- request: {}\n", 2, "an interaction has no `response`; it must have one"),
    Bad("no method", instead("    method: POST\n", ""), 4, "request has no `method`; it must have one"),
    Bad("no uri", instead("    uri: https://api.example.com/v1\n", ""), 4, "request has no `uri`; it must have one"),
    Bad("no body", instead("    body: SECRET\n", ""), 4, "request has no `body`; it must have one"),
    Bad(
        "request: text",
        "interactions:\n- {request: SECRET, response: {}}\n",
        2,
        "request is not a mapping; write `name: value` lines",
    ),
    Bad("method: number", instead("method: POST", "method: 1"), 4, "method is not a text; write it in quotes"),
    Bad("uri: nothing", instead("https://api.example.com/v1", ""), 5, "uri is not a text; write it in quotes"),
    Bad(
        "response: text",
        GOOD.partition("  response:")[0] + "  response: SECRET\n",
        9,
        "response is not a mapping; write `name: value` lines",
    ),
    Bad(
        "no headers of the response",
        instead("    headers:\n      content-type: [text/event-stream]\n", ""),
        10,
        "response has no `headers`; it must have one",
    ),
    Bad("no body of the response", instead(BODY, ""), 10, "response has no `body`; it must have one"),
    Bad(
        "status message: list",
        instead("message: OK", "message: [SECRET]"),
        10,
        "status message is not a single value; write one text",
    ),
    Bad("body: number", instead("body: SECRET", "body: 12345678"), 6, BODY_TEXT),
    Bad("body: word", instead("body: SECRET", "body: no"), 6, BODY_TEXT),
    Bad("body: date", instead("body: SECRET", "body: 2026-11-30"), 6, BODY_TEXT),
    Bad("body: mapping", instead("body: SECRET", "body: {string: SECRET}"), 6, BODY_TEXT),
    Bad(
        "another member of request",
        instead("    uri:", "    SECRET: 1\n    uri:"),
        5,
        "request has a member vcrpy does not know; method, uri, body, headers are all",
    ),
    Bad(
        "pydantic-ai request",
        instead("    body: SECRET", "    parsed_body: {a: SECRET}"),
        6,
        f"`parsed_body` instead of `body`, as of pydantic-ai's own serializer; {CONVERT}",
    ),
    Bad(
        "pydantic-ai response",
        instead(BODY, "    parsed_body: SECRET\n"),
        13,
        f"`parsed_body` instead of `body`, as of pydantic-ai's own serializer; {CONVERT}",
    ),
    Bad(
        "vcrpy's first httpx recordings",
        instead(BODY, "    content: SECRET\n"),
        13,
        f"`content` instead of `body: {{string: ...}}`, as of vcrpy's first httpx recordings; {CONVERT}",
    ),
    Bad("no string", instead("string: |+", "base64_string: |+"), 14, "response body has no `string`; it must have one"),
    Bad(
        "response body: nothing",
        instead(BODY, "    body: null\n"),
        13,
        "response body is not a mapping; write `name: value` lines",
    ),
    Bad(
        "string: nothing",
        instead("|+\n        data: SECRET\n", "null"),
        14,
        "the response body is not a text; write it in quotes, as a block or as !!binary",
    ),
    Bad(
        "status: text",
        instead("{code: 200, message: OK}", "200 OK"),
        10,
        "status is not a mapping; write `name: value` lines",
    ),
    Bad("no status code", instead("code: 200, ", ""), 10, "status has no `code`; it must have one"),
    Bad("status code: text", instead("code: 200", "code: '200'"), 10, "status code is not a whole number 100-999"),
    Bad("status code: 42", instead("code: 200", "code: 42"), 10, "status code is not a whole number 100-999"),
    Bad("status code: 1000", instead("code: 200", "code: 1000"), 10, "status code is not a whole number 100-999"),
    Bad("status code: octal", instead("code: 200", "code: 0310"), 10, "status code is not a whole number 100-999"),
    Bad(
        "no headers",
        instead("    headers:\n      accept: [text/event-stream]\n", ""),
        4,
        "request has no `headers`; it must have one",
    ),
    Bad(
        "headers: list",
        instead("\n      accept: [text/event-stream]", " [SECRET]"),
        7,
        "headers is not a mapping; write `name: value` lines",
    ),
    Bad(
        "header: mapping",
        instead("[text/event-stream]", "{SECRET: 1}"),
        8,
        "a header is a mapping; write a list of texts",
    ),
    Bad(
        "header: nested list",
        instead("[text/event-stream]", "[[SECRET]]"),
        8,
        "a header value is not a single value; write one text",
    ),
]

UNSAFE = [
    Bad("python object", instead("body: SECRET", "body: !!python/object/apply:os.system [SECRET]"), 6, TAG),
    Bad("python name", instead("body: SECRET", "body: !!python/name:os.SECRET ''"), 6, TAG),
    Bad("python text", instead("body: SECRET", "body: !!python/unicode SECRET"), 6, TAG),
    Bad("another tag", instead("body: SECRET", "body: !SECRET x"), 6, TAG),
    Bad("set", instead("body: SECRET", "body: !!set {SECRET}"), 6, TAG),
    Bad("a tag of our own reading", instead("body: SECRET", "body: !body 0"), 6, TAG),
    Bad(
        "python key",
        instead("accept:", "? !!python/name:os.SECRET ''\n      :"),
        8,
        "a key that is not a text; cassettes have text keys only",
    ),
    Bad(
        "another class than istr as a key",
        instead("accept:", "? !!python/object/apply:os.system [SECRET]\n      :"),
        8,
        "a key that is not a text; cassettes have text keys only",
    ),
    Bad(
        "list as a key",
        instead("accept:", "? [SECRET]\n      :"),
        8,
        "a key that is not a text; cassettes have text keys only",
    ),
    Bad("alias", instead("body: SECRET", "body: &a SECRET").replace("[text/event-stream]", "[*a]", 1), 6, ALIAS),
    Bad(
        "alias of a key",
        instead("method:", "&a method:").replace("uri:", "*a :"),
        4,
        ALIAS,
    ),
    Bad(
        "anchor given twice",
        instead("body: SECRET", "body: &a SECRET").replace("[text/event-stream]", "[&a x]", 1),
        8,
        ALIAS,
    ),
    Bad("alias of nothing", instead("body: SECRET", "body: *SECRET"), 6, ALIAS),
    Bad(
        "alias bomb",
        "interactions: &a [x, x]\nb: &b ["
        + "*a, " * 9
        + "*a]\nc: &c ["
        + "*b, " * 9
        + "*b]\nd: ["
        + "*c, " * 9
        + "*c]\n",
        1,
        ALIAS,
    ),
    Bad("alias of itself", "interactions: &a [*a]\n", 1, ALIAS),
    Bad(
        "merge key",
        instead("    uri:", "    <<: {a: 1}\n    uri:"),
        5,
        "a YAML merge key; cassettes have none: write the members out",
    ),
    Bad(
        "key given twice",
        instead("    uri:", "    method: SECRET\n    uri:"),
        5,
        "the key of line 4 is given again; keep one of them",
    ),
    Bad(
        "header given twice",
        instead("accept:", "accept: [SECRET]\n      accept:"),
        9,
        "the key of line 8 is given again; keep one of them",
    ),
    Bad("nested 150 deep", "interactions: " + "[" * 150 + "]" * 150 + "\n", 1, DEEP),
    Bad("nested 10,000 deep", "interactions: " + "[" * 10_000, 1, DEEP),
    Bad("base64 with another character", instead("body: SECRET", "body: !!binary SECRET*"), 6, BASE64),
    Bad("base64 with one that could be left out", instead("body: SECRET", "body: !!binary QU*JD"), 6, BASE64),
    Bad("base64 without padding", instead("body: SECRET", "body: !!binary SECRE"), 6, BASE64),
    Bad("base64 beyond ASCII", instead("body: SECRET", "body: !!binary \xe9"), 6, BASE64),
]

NOT_YAML = [
    Bad("control character", instead("data: SECRET", "data: \x1b SECRET"), 15, CONTROL),
    Bad("NUL", instead("data: SECRET", "data: \0SECRET"), 15, CONTROL),
    Bad("U+FFFE", instead("data: SECRET", "data: \ufffeSECRET"), 15, CONTROL),
    Bad("U+2028 in a block", instead("data: SECRET", "data: \u2028 SECRET"), 15, SEPARATOR),
    Bad("tab as indentation", instead("    method", "\tmethod"), 4, START),
    Bad("reserved character", instead("body: SECRET", "body: @SECRET"), 6, START),
    Bad("colon", instead("body: SECRET", "body: a: SECRET"), 6, COLON),
    Bad(
        "quotes that never close",
        instead("body: SECRET", 'body: "SECRET'),
        22,
        "a quoted text that is never closed; close the quotes",
    ),
    Bad(
        "quotes that close too late",
        instead("body: SECRET", "body: 'SECRET"),
        19,
        "not YAML; check indentation, quotes and brackets here and from line 4 on",
    ),
    Bad(
        "bracket that never closes",
        instead("[text/event-stream]", "[SECRET"),
        9,
        "not YAML; check indentation, quotes and brackets here and from line 8 on",
    ),
    Bad(
        "brackets that do not match",
        instead("[text/event-stream]", "[SECRET}"),
        8,
        "not YAML; check indentation, quotes and brackets here",
    ),
    Bad(
        "backslash in double quotes",
        instead("body: SECRET", 'body: "\\q SECRET"'),
        6,
        "an unknown backslash escape in double quotes; write two backslashes",
    ),
    Bad("half a surrogate pair", instead("body: SECRET", 'body: "\\ud83d SECRET"'), 6, NO_CHARACTER),
    Bad("beyond Unicode", instead("body: SECRET", 'body: "\\U00110000 SECRET"'), 6, NO_CHARACTER),
    Bad("far beyond Unicode", instead("body: SECRET", 'body: "\\UFFFFFFFF SECRET"'), 6, NO_CHARACTER),
    Bad("half a surrogate pair in a header", instead("[text/event-stream]", '["\\ud83d SECRET"]'), 8, NO_CHARACTER),
    Bad(
        "neither key nor value",
        instead("body: SECRET", "SECRET"),
        7,
        "neither a key nor part of a value; check indentation and quotes",
    ),
]

FACTS = [
    Bad(
        "recorder: list",
        GOOD.partition("    recorder:")[0] + "    recorder: []\n",
        17,
        "recorder is not a mapping; write `name: value` lines",
    ),
    Bad("no format", instead("      format: 1\n", ""), 18, "recorder has no `format`; it must have one"),
    Bad(
        "format: list", instead("format: 1", "format: [1]"), 18, "recorder.format is not a single value; write one text"
    ),
    Bad(
        "a newer format",
        instead("format: 1", "format: 2"),
        18,
        "recorder.format is not 1; a newer sse-recorder wrote this, upgrade it",
    ),
    Bad("no digest", instead("sha256:", "sha_256:"), 18, "recorder has no `sha256`; it must have one"),
    Bad(
        "digest: number",
        re.sub("sha256: .*", "sha256: 12345678", GOOD),
        19,
        "sha256 is not a text; write it in quotes",
    ),
    Bad(
        "chunks: text", instead("[[0, 14]]", "SECRET"), 20, "chunks is not a list; write `- item` lines or [item, item]"
    ),
    Bad(
        "chunk: text",
        instead("[[0, 14]]", "[SECRET]"),
        20,
        "a chunk is not a list; write `- item` lines or [item, item]",
    ),
    Bad(
        "chunk of three",
        instead("[[0, 14]]", "[[0, 14, 1]]"),
        20,
        "a chunk of 3 numbers; [milliseconds, bytes] is right",
    ),
    Bad("negative delay", instead("[[0, 14]]", "[[-1, 14]]"), 20, "the delay of a chunk is not a whole number from 0"),
    Bad(
        "delay with a fraction",
        instead("[[0, 14]]", "[[0.5, 14]]"),
        20,
        "the delay of a chunk is not a whole number from 0",
    ),
    Bad(
        "empty chunk",
        instead("[[0, 14]]", "[[0, 14],\n        [0, 0]]"),
        21,
        "the size of a chunk is not a whole number from 1",
    ),
    Bad(
        "another kind of end",
        instead("kind: complete", "kind: SECRET"),
        21,
        f"end.kind is none of {KINDS}; write one of them",
    ),
    Bad("end without a kind", instead("kind: complete, ", ""), 21, "end has no `kind`; it must have one"),
    Bad("kind: list", instead("kind: complete", "kind: []"), 21, "end.kind is not a single value; write one text"),
    Bad(
        "end: text",
        instead("{kind: complete, after_ms: 3}", "complete"),
        21,
        "end is not a mapping; write `name: value` lines",
    ),
    *[
        Bad(
            f"{what}: more than 31 years ({len(digits)} digits)",
            instead(old, new + digits),
            line,
            f"{what} is more than {YEARS}",
        )
        for what, old, new, line in (
            ("the delay of a chunk", "[[0", "[[", 20),
            ("end.after_ms", "after_ms: 3", "after_ms: ", 21),
            ("head_ms", "format: 1", "format: 1\n      head_ms: ", 19),
        )
        for digits in ("1000000000001", "9" * 400)
    ],
    Bad("a merge conflict", instead("    status:", "<<<<<<< HEAD\n    status:"), 10, CONFLICT),
    Bad("the end of one", instead("    status:", ">>>>>>> SECRET\n    status:"), 10, CONFLICT),
    Bad("negative end", instead("after_ms: 3", "after_ms: -3"), 21, "end.after_ms is not a whole number from 0"),
    *[
        Bad(
            f"terminal_seen: {written}",
            instead("3}", f"3, terminal_seen: {written}}}"),
            21,
            "end.terminal_seen is neither true nor false; write one of them",
        )
        for written in ("maybe", "'true'", "yes")
    ],
    Bad("head_ms: text", GOOD + "      head_ms: SECRET\n", 22, "head_ms is not a whole number from 0"),
    Bad("wire: number", GOOD + "      wire: {http: 1.1}\n", 22, "a value of wire is not a text; write it in quotes"),
    Bad(
        "recorded: bare date",
        GOOD + "      recorded: 2026-11-30T12:00:00Z\n",
        22,
        "recorded is not a text; write it in quotes",
    ),
    Bad("tool: number", GOOD + "      tool: 1.0\n", 22, "tool is not a text; write it in quotes"),
    *[
        Bad(f"{member}: {written}", f"{GOOD}      {member}: {written}\n", 22, problem)
        for member, written, problem in (
            ("sanitizer", "SECRET", "sanitizer is not a mapping; write `name: value` lines"),
            ("sanitizer", "{rules: !!binary S*}", "sanitizer is not valid base64; RFC 4648 with padding is"),
            ("imported", "SECRET", "imported is not a mapping; write `name: value` lines"),
            ("imported", "{format: 1}", "imported.format is not a text; write it in quotes"),
            ("imported", "{body: 1}", "imported.body is not a text; write it in quotes"),
            ("imported", "{unknown: SECRET}", "imported.unknown is not a list; write `- item` lines or [item, item]"),
            ("imported", "{unknown: [1]}", "a value of imported.unknown is not a text; write it in quotes"),
            ("imported", "{more: !!binary S*}", "imported is not valid base64; RFC 4648 with padding is"),
            ("later", "[!!binary S*]", "recorder is not valid base64; RFC 4648 with padding is"),
        )
    ],
]

ALL = [*NOT_A_CASSETTE, *SHAPES, *UNSAFE, *NOT_YAML, *FACTS]


def refusal(text: str | bytes, loader: object) -> CassetteError:
    data = text.encode() if isinstance(text, str) else text
    with pytest.raises(CassetteError) as caught:
        parse(data, "dir/chat.yaml", 1_000_000, loader=loader)
    return caught.value


def test_the_good_file() -> None:
    """What the bad ones are made from loads."""
    (interaction,) = parse_cassette(GOOD).interactions
    assert interaction.response.body == b"data: SECRET\n\n"


@pytest.mark.parametrize("loader", [C_LOADER, PYTHON_LOADER], ids=["libyaml", "python"])
@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.id)
def test_bad_file(bad: Bad, loader: object) -> None:
    """The message is the path, the line, what is wrong and what would be right; under both loaders of PyYAML."""
    error = refusal(bad.text, loader)
    assert str(error) == f"dir/chat.yaml:{bad.line}: {bad.problem}"


@pytest.mark.parametrize("bad", ALL, ids=lambda bad: bad.id)
def test_bad_file_is_not_quoted(bad: Bad) -> None:
    """Nothing of the file is in the error, nor in an exception behind it, nor in its pickle."""
    error = refusal(bad.text, C_LOADER)
    assert error.__cause__ is None
    assert error.__context__ is None
    assert "SECRET" not in f"{error!r} {error.args} {vars(error)}"
    assert b"SECRET" not in pickle.dumps(error)


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? ", "a:\n"])
def test_deep_nesting_does_not_crash(opening: str) -> None:
    """A million levels end in an error, and not in the interpreter's; in a process of its own, in case they do."""
    program = f"""
from recorder.cassette import _yaml, parse_cassette
from recorder.errors import CassetteError
if {opening!r} == "a:\\n":
    text = "".join(" " * level + "a:\\n" for level in range(2_000))
else:
    text = "interactions:\\n  " + {opening!r} * 1_000_000
try:
    parse_cassette(text)
except CassetteError as error:
    print(str(error).partition(": ")[2])
"""
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert ran.stdout in (f"{DEEP}\n", "no `interactions:` at the top level; a cassette has it, and `version: 1`\n")


@pytest.mark.skipif(C_LOADER is None, reason="PyYAML without libyaml")
@pytest.mark.parametrize("written", ["    body: |\n\tSECRET", "\t\tbody: SECRET"])
def test_tabs_in_libyaml(written: str) -> None:
    """libyaml tells a tab in front of a value from other characters there; it is said so."""
    line = 6 + written.count("\n")
    told = f"dir/chat.yaml:{line}: a tab used as indentation; indent with blanks"
    assert str(refusal(instead("    body: SECRET", written), C_LOADER)) == told


def test_recursion_in_the_python_loader() -> None:
    """PyYAML's own loader runs out of stack; that is an error of the file too."""
    assert str(refusal("interactions:\n" + "- " * 10_000 + "x\n", PYTHON_LOADER)).endswith(DEEP)


def test_guard_for_old_libyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where libyaml has no limit of its own, nesting is counted before a tree is made of it."""
    monkeypatch.setattr(_yaml, "_UNGUARDED", True)
    deep = "interactions:\n- " + "[" * 2_000 + "]" * 2_000 + "\n"
    assert str(refusal(deep, C_LOADER)) == f"dir/chat.yaml:2: {DEEP}"
    assert str(refusal("interactions:\n" + "- " * 1_500 + "x\n", C_LOADER)).endswith(DEEP)
    shallow = instead("accept: [text/event-stream]", "accept: [" + "x, " * 50 + "'" + "[" * 2_000 + "']")
    assert parse(shallow.encode(), "dir/chat.yaml", 100_000, loader=C_LOADER).cassette.interactions
    assert str(refusal(shallow + "  : [", C_LOADER)).startswith("dir/chat.yaml:22: ")


def guarded(text: str) -> str | None:
    """What the guard says of a text, None when it lets it pass."""
    try:
        _yaml._refuse_deep(text.encode(), "x")
    except CassetteError as error:
        return str(error)
    return None


MANY = "[" + "[], {a: []}, " * 500 + "[]]"


@pytest.mark.skipif(C_LOADER is None, reason="PyYAML without libyaml")
def test_what_the_guard_for_old_libyaml_counts() -> None:
    """100 levels pass and 101 do not, the top level one of them; what is closed is no level any more."""
    for opening, closing in (("[", "]"), ("{a: ", "}")):
        assert guarded(f"a: {opening * 99}0{closing * 99}\nb: {MANY}\n") is None
        assert guarded(f"\na: {opening * 100}0{closing * 100}\nb: {MANY}\n") == f"x:2: {DEEP}"
    assert guarded(f"a:\n  {'- ' * 99}0\nb: {MANY}\n") is None
    assert guarded(f"a:\n  {'- ' * 100}0\nb: {MANY}\n") == f"x:2: {DEEP}"
    assert guarded(f"a: {'[' * 99}{']' * 99}\nb: {MANY}\nc: [") is None  # composing tells what is wrong


@pytest.mark.skipif(C_LOADER is None, reason="PyYAML without libyaml")
@pytest.mark.parametrize("deep", [
    "{0}[", "{0}{{a: ", "{0}- ", "{0}? ", "-\n{1}", "?\n{1}", "a:\n{1}",
])  # fmt: skip
def test_every_way_to_nest_is_looked_at(deep: str) -> None:
    """Whatever nests 1,000 deep has 1,000 of the marks that open a level."""
    text = ""
    for level in range(1000):
        text += deep.format("", " " * (level + 1))
    assert str(guarded(text)).endswith(DEEP)


PATCHES = [
    *(
        b"",
        b"\n",
        b"\t",
        b" ",
        b"#",
        b"'",
        b'"',
        b"|",
        b">",
        b"|9+",
        b"[",
        b"]",
        b"{",
        b"}",
        b": ",
        b"? ",
        b"- ",
        b"\r",
    ),
    *(
        b"&a ",
        b"*a",
        b"!!set ",
        b"!!str ",
        b"!!map ",
        b"!<%ff> ",
        b"<<: ",
        b"---\n",
        b"...\n",
        b"%TAG ! x\n---\n",
        b"\0",
    ),
    *(b"\xff", b"\xef\xbb\xbf", b"\xc2\x85", b"\xe2\x80\xa8", b'"\\UFFFFFFFF"', b"!!python/object/new:multidict.istr "),
]


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_any_damage(data: st.DataObject) -> None:
    """Whatever stands in the file, it loads or is refused as a bad file, under both loaders, and is not quoted."""
    text = GOOD.encode()
    for _ in range(data.draw(st.integers(1, 3))):
        at, size = data.draw(st.integers(0, len(text))), data.draw(st.sampled_from([0, 1, 4, 30]))
        text = text[:at] + data.draw(st.sampled_from(PATCHES)) + text[at + size :]
    for loader in (C_LOADER, PYTHON_LOADER):
        try:
            said = repr(parse(text, "chat.yaml", 100_000, loader=loader))
        except CassetteError as error:
            said = str(error)
            refused = re.fullmatch(r"chat\.yaml:\d+: [^\n]+", said) is not None
        else:
            refused = False
        assert refused or said.startswith("Parsed(")
        assert "SECR" not in said
