"""vcrpy's file and the variants of it that are out there, each as small as it gets."""

from __future__ import annotations

import gzip
from base64 import b64encode
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recorder.cassette import Headers, dump_cassette, import_recording, parse_cassette
from recorder.errors import CassetteError, CassetteWarning

STREAM = b"data: {}\n\ndata: [DONE]\n\n"
PLAIN = b"""\
# A licence.
interactions:
- request:
    body: '{"stream":true}'
    headers:
      Accept: ['*/*']
    method: POST
    uri: https://api.example.com/v1/chat
  response:
    body:
      string: "data: {}\\n\\ndata: [DONE]\\n\\n"
    headers:
      Content-Type: [text/event-stream]
      Transfer-Encoding: [chunked]
      Content-Encoding: [gzip]
    status: {code: 200, message: OK}
version: 1
"""


def test_a_file_of_vcrpy(check: Any) -> None:
    """The header that lies about the body is left out and noted; the wire's framing is kept as a fact."""
    converted = check("a.yaml", PLAIN, format="vcrpy", body=STREAM, unknown=("coding", "chunks", "end"))
    response = converted.cassette.interactions[0].response
    assert response.headers == Headers({"content-type": "text/event-stream"})
    assert response.recording.wire == {"framing": "chunked"}
    assert converted.cassette.preamble == "# A licence.\n"


def test_a_file_of_ours_stays_what_it_is(whole_file: str, written: Callable[[str, bytes], Path]) -> None:
    """It tells everything, so nothing is added."""
    converted = import_recording(written("ours.yaml", whole_file.encode()))
    assert converted.unknowns == ()
    assert dump_cassette(converted.cassette) == whole_file


def test_a_file_of_ours_that_was_edited(whole_file: str, written: Callable[[str, bytes], Path]) -> None:
    """The edit is told, and is not what was recorded: its chunks are not known."""
    path = written("ours.yaml", whole_file.replace("data: [DONE]", "data: [ENDE]").encode())
    with pytest.warns(CassetteWarning, match=r"ours\.yaml:26: the body is not the recorded one"):
        converted = import_recording(path)
    assert converted.unknowns == ("chunks",)


def test_what_was_imported_is_in_the_file(written: Callable[[str, bytes], Path]) -> None:
    """Written, read and written again, the note stays."""
    text = dump_cassette(import_recording(written("a.yaml", PLAIN)).cassette)
    assert "\n      imported: {format: vcrpy, unknown: [coding, chunks, end]}\n" in text
    assert dump_cassette(parse_cassette(text)) == text


def test_json_of_vcrpy(check: Any) -> None:
    """vcrpy's other serializer."""
    data = b"""{"version": 1, "interactions": [{"request": {"method": "POST", "uri": "https://api.example.com/v1/chat",
        "body": "{\\"stream\\":true}", "headers": {}}, "response": {"status": {"code": 200, "message": "OK"},
        "headers": {"Content-Type": ["text/event-stream"]},
        "body": {"string": "data: {}\\n\\ndata: [DONE]\\n\\n"}}}]}"""
    check("a.json", data, format="vcrpy", body=STREAM)


@pytest.mark.parametrize("name", ["a.yaml.gz", "called-otherwise"])
def test_in_gzip(check: Any, name: str) -> None:
    """The bytes tell, not the name; several members are one file."""
    data = gzip.compress(PLAIN[:100]) + gzip.compress(PLAIN[100:])
    check(name, data, format="vcrpy", body=STREAM, unknown=("coding", "chunks", "end"))


def test_parsed_bodies(check: Any) -> None:
    """Of pydantic-ai's serializer: the JSON text of the request is ours, the stream is as it was."""
    data = b"""\
interactions:
- request:
    headers: {content-type: [application/json]}
    method: POST
    parsed_body: {stream: true, n: 2, x: \xe6\xbc\xa2}
    uri: https://api.example.com/v1/chat
  response:
    body:
      string: |+
        data: {}

        data: [DONE]

    headers: {content-type: [text/event-stream]}
    status: {code: 200, message: OK}
version: 1
"""
    asked = '{"stream":true,"n":2,"x":"漢"}'.encode()
    unknown = ("request_text", "chunks", "end")
    check("a.yaml", data, format="vcrpy", body=STREAM, asked=asked, unknown=unknown)


def test_the_first_recordings_of_httpx(check: Any) -> None:
    """`content` and `status_code` instead of `body` and `status`; headers are single texts."""
    data = b"""\
interactions:
- request:
    body: '{"stream":true}'
    headers: {accept: '*/*'}
    method: POST
    uri: https://api.example.com/v1/chat
  response:
    content: "data: {}\\n\\ndata: [DONE]\\n\\n"
    headers: {content-type: text/event-stream, content-encoding: gzip}
    http_version: HTTP/1.1
    status_code: 200
version: 1
"""
    check("a.yaml", data, format="vcrpy", body=STREAM, status=(200, ""), unknown=("coding", "chunks", "end"))


def test_tags_of_python_texts(check: Any) -> None:
    """aiohttp's header names, and texts and tuples of Python 2, are texts and lists; nothing is run."""
    data = b"""\
interactions:
- request:
    body: !!python/unicode '{"stream":true}'
    headers:
      ? !!python/object/apply:multidict._multidict.istr
      - Accept
      : - text/event-stream
    method: !!python/str POST
    parsed_body: !!python/unicode '{"stream":true}'
    uri: https://api.example.com/v1/chat
  response:
    body: {string: "data: {}\\n\\ndata: [DONE]\\n\\n"}
    headers:
      ? !!python/object/new:multidict._multidict.istr
        args: [Content-Type]
      : !!python/tuple [text/event-stream]
    status: {code: 200, message: OK}
version: 1
"""
    converted = check(
        "a.yaml",
        data,
        format="vcrpy",
        body=STREAM,
        unknown=("request_text", "chunks", "end"),
        content_type="text/event-stream",
    )
    assert converted.cassette.interactions[0].request.headers == Headers({"accept": "text/event-stream"})


def test_lists_of_requests_and_responses(check: Any) -> None:
    """Of langchain-tests: every header is blanked out, so the content type is told from the body."""
    data = b"""\
requests:
- body: !!binary eyJzdHJlYW0iOnRydWV9
  headers: {Content-Type: ['**REDACTED**']}
  method: POST
  uri: https://api.example.com/v1/chat
responses:
- body: {string: "data: {}\\n\\ndata: [DONE]\\n\\n"}
  headers: {Content-Type: ['**REDACTED**'], Date: ['**REDACTED**']}
  status: {code: 200, message: OK}
"""
    check("a.yaml.gz", gzip.compress(data), format="vcrpy", body=STREAM, unknown=("headers", "chunks", "end"))


@pytest.mark.parametrize(
    ("body", "content", "unknown"),
    [
        (b'{string: "data: 1\\n\\n"}', b"data: 1\n\n", ()),
        (b"{base64_string: ZGF0YTogMQoK}", b"data: 1\n\n", ()),
        (b"{string: '', base64_string: ZGF0YTogMQoK}", b"data: 1\n\n", ()),
        (b'"data: 1\\n\\n"', b"data: 1\n\n", ()),
        (b"{}", b"", ("body",)),
        (b"null", b"", ("body",)),
    ],
)
def test_the_bodies_of_lists(check: Any, body: bytes, content: bytes, unknown: tuple[str, ...]) -> None:
    """A text, in base64 or not, in a mapping or not; or it was lost, and the response is kept without it."""
    data = b"""\
requests:
- {body: null, headers: {x: [true, false, 7, 1.5], y: null}, method: GET, uri: 'https://api.example.com/v1/chat'}
responses:
- {body: BODY, headers: {Content-Type: text/event-stream}, status: {code: 200}}
""".replace(b"BODY", body)
    converted = check(
        "a.yaml",
        data,
        format="vcrpy",
        body=content,
        asked=None,
        request=("GET", "https://api.example.com/v1/chat"),
        status=(200, ""),
        unknown=(*unknown, "chunks", "end"),
    )
    sent = converted.cassette.interactions[0].request.headers
    assert sent == Headers([("x", "true"), ("x", "false"), ("x", "7"), ("x", "1.5"), ("y", "")])


def test_a_blanked_out_type_of_json(check: Any) -> None:
    """Told from the body, too."""
    data = b"""\
requests:
- {body: null, headers: {}, method: POST, uri: 'https://api.example.com/v1/chat'}
responses:
- {body: {string: '{"a":1}'}, headers: {Content-Type: ['**REDACTED**']}, status: {code: 200, message: OK}}
"""
    unknown = ("headers", "chunks", "end")
    check("a.yaml", data, format="vcrpy", body=b'{"a":1}', asked=None, content_type="application/json", unknown=unknown)


def test_a_content_length_is_kept_as_a_fact_of_the_wire(check: Any) -> None:
    """The header itself is not stored."""
    data = PLAIN.replace(
        b"      Transfer-Encoding: [chunked]\n      Content-Encoding: [gzip]", b"      Content-Length: ['24']"
    )
    response = check("a.yaml", data, format="vcrpy", body=STREAM).cassette.interactions[0].response
    assert response.headers == Headers({"content-type": "text/event-stream"})
    assert response.recording.wire == {"framing": "length"}


def test_a_body_that_is_still_in_gzip_keeps_its_header(check: Any) -> None:
    """Undoing it is the sanitizer's, which stores bodies decoded."""
    coded = gzip.compress(STREAM, mtime=0)
    data = PLAIN.replace(b'"data: {}\\n\\ndata: [DONE]\\n\\n"', b"!!binary " + b64encode(coded))
    converted = check("a.yaml", data, format="vcrpy", body=coded)
    assert converted.cassette.interactions[0].response.headers.first("content-encoding") == "gzip"


def test_an_empty_event_stream_may_have_been_lost(check: Any) -> None:
    """Old recorders lost streamed bodies, and an empty answer looks the same."""
    data = PLAIN.replace(b'"data: {}\\n\\ndata: [DONE]\\n\\n"', b"''").replace(b"      Content-Encoding: [gzip]\n", b"")
    check("a.yaml", data, format="vcrpy", body=b"", unknown=("body", "chunks", "end"))


@pytest.mark.parametrize(
    ("old", "new", "unknown"),
    [
        (rb"[DONE]\n\n", rb"[DONE]\n", ("last_event", "chunks", "end")),
        (rb"{}", rb"\uFFFD", ("characters", "chunks", "end")),
        (b"Content-Encoding: [gzip]", b"Content-Length: ['7']", ("length", "chunks", "end")),
        (b"Content-Encoding: [gzip]", b"Content-Length: ['024']", ("chunks", "end")),
        (b"Content-Encoding: [gzip]", b"Content-Length: [many]", ("chunks", "end")),
        (b"Content-Encoding: [gzip]", b"Content-Encoding: [Identity]", ("chunks", "end")),
        (b"Content-Encoding: [gzip]", b"Content-Encoding: [GZIP, br]", ("coding", "chunks", "end")),
    ],
)
def test_doubts_about_a_body(check: Any, old: bytes, new: bytes, unknown: tuple[str, ...]) -> None:
    """An unterminated last event, bytes that were lost as text, a length that is not the body's."""
    data = PLAIN.replace(old, new)
    if not new.startswith(b"Content-"):
        data = data.replace(b"      Content-Encoding: [gzip]\n", b"")
    body = {b"[DONE]\\n\\n": b"data: {}\n\ndata: [DONE]\n", b"{}": "data: \ufffd\n\ndata: [DONE]\n\n".encode()}
    check("a.yaml", data, format="vcrpy", body=body.get(old, STREAM), unknown=unknown)


def test_lists_of_different_lengths(written: Callable[[str, bytes], Path]) -> None:
    """A response more than requests is no pair of anything."""
    with pytest.raises(CassetteError, match=r"a\.yaml: responses: 1 responses to 0 requests"):
        import_recording(written("a.yaml", b"requests: []\nresponses: [{}]\n"))


def test_a_broken_file_is_told_as_loading_it_would(written: Callable[[str, bytes], Path]) -> None:
    """With the line."""
    path = written("a.yaml", PLAIN.replace(b"code: 200", b"code: fine"))
    with pytest.raises(CassetteError, match=r"a\.yaml:16: status code is not a whole number 100-999"):
        import_recording(path)
