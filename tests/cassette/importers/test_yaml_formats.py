"""The other formats in YAML: go-vcr, Ruby VCR, httpmock, WireMock, Polly's YAML."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recorder.cassette import Headers, import_recording
from recorder.errors import CassetteError

STREAM = b"data: {}\n\ndata: [DONE]\n\n"
GO_VCR_1 = b"""\
---
version: 1
interactions:
- request:
    body: '{"stream":true}'
    form: {}
    headers:
      Accept:
      - text/event-stream
    url: https://api.example.com/v1/chat
    method: POST
  response:
    body: |+
      data: {}

      data: [DONE]

    headers:
      Content-Type:
      - text/event-stream
    status: 200 OK
    code: 200
    duration: ""
"""
GO_VCR_2 = b"""\
---
version: 2
interactions:
- id: 0
  request:
    proto: HTTP/1.1
    content_length: 0
    host: api.example.com
    body: ""
    headers: {}
    url: https://api.example.com/v1/models
    method: GET
  response:
    proto: HTTP/2.0
    content_length: -1
    uncompressed: true
    body: !!binary AAH/
    headers:
      Content-Type: [application/octet-stream]
    status: 200 OK
    code: 200
    duration: 1.7s
"""


def test_go_vcr_format_1(check: Any) -> None:
    """A literal body, the status with its reason in one text."""
    check("a.yaml", GO_VCR_1, format="go-vcr format 1", body=STREAM)


def test_go_vcr_format_2(check: Any) -> None:
    """A binary body; an empty request body is none; the version of HTTP is kept."""
    converted = check(
        "a.yaml",
        GO_VCR_2,
        format="go-vcr format 2",
        body=b"\x00\x01\xff",
        asked=None,
        request=("GET", "https://api.example.com/v1/models"),
        content_type="application/octet-stream",
    )
    assert converted.cassette.interactions[0].response.recording.wire == {"http": "2"}


def test_ruby_vcr(check: Any) -> None:
    """Text beyond ASCII is in base64 under Ruby's own tag; methods are in small letters."""
    data = b"""\
---
http_interactions:
- request:
    method: post
    uri: https://api.example.com/v1/chat
    body:
      encoding: UTF-8
      string: '{"stream":true}'
    headers:
      Accept: ["*/*"]
  response:
    status:
      code: 200
      message: OK
    headers:
      Content-Type:
      - text/event-stream
      Transfer-Encoding:
      - chunked
    body:
      encoding: ASCII-8BIT
      string: !binary |-
        ZGF0YTog5ryiDQoNCg==
    http_version: '1.1'
  recorded_at: Wed, 19 Aug 2026 14:34:16 GMT
recorded_with: VCR 6.3.1
"""
    converted = check("a.yml", data, format="Ruby VCR", body="data: 漢\r\n\r\n".encode())
    recording = converted.cassette.interactions[0].response.recording
    assert recording.recorded == "Wed, 19 Aug 2026 14:34:16 GMT"
    assert recording.wire == {"http": "1.1", "framing": "chunked"}


def test_ruby_vcr_with_base64_strings(check: Any) -> None:
    """`preserve_exact_body_bytes`, here in VCR's JSON."""
    data = b"""{"http_interactions": [{"request": {"method": "post", "uri": "https://api.example.com/v1/chat",
        "body": {"encoding": "US-ASCII", "base64_string": "eyJzdHJlYW0iOnRydWV9\\n"}, "headers": {}},
        "response": {"status": {"code": 200, "message": null}, "headers": {"Content-Type": ["text/event-stream"]},
        "body": {"encoding": "UTF-8", "base64_string": "ZGF0YTogMQoK\\n"}}}]}"""
    check("a.json", data, format="Ruby VCR", body=b"data: 1\n\n", status=(200, ""))


def test_ruby_vcr_with_bodies_that_are_texts(check: Any) -> None:
    """As its first versions wrote them; an empty request body is none."""
    data = b"""\
http_interactions:
- request: {method: post, uri: 'https://api.example.com/v1/chat', body: '', headers: {}}
  response:
    status: {code: 200}
    headers: {Content-Type: [text/event-stream]}
    body: "data: 1\\n\\n"
- request: {method: get, uri: 'https://api.example.com/', body: {}}
  response: {status: {code: 204}, body: {}}
"""
    converted = check("a.yml", data, format="Ruby VCR", body=b"data: 1\n\n", asked=None, status=(200, ""), count=2)
    other = converted.cassette.interactions[1]
    assert (other.request.body, other.response.body) == (None, b"")


HTTPMOCK = b"""\
when:
  path: /v1/chat
  method: POST
  query_param:
  - {name: alt, value: 'a b'}
  header:
  - name: accept
    value: text/event-stream
  body: '{"stream":true}'
then:
  status: 200
  header:
  - {name: content-type, value: text/event-stream}
  body: |+
    data: {}

    data: [DONE]

---
when: {path: /v1/models}
then: {status: 429, body_base64: AAH/}
"""


def test_httpmock(check: Any) -> None:
    """Documents, without a host; of the second not even the method is known."""
    uri = "https://host.invalid/v1/chat?alt=a+b"
    unknown = ("request", "host", "chunks", "end")
    converted = check(
        "a.yaml",
        HTTPMOCK,
        format="httpmock",
        body=STREAM,
        request=("POST", uri),
        status=(200, ""),
        unknown=unknown,
        count=2,
    )
    first, second = converted.cassette.interactions
    assert first.response.recording.imported["unknown"] == ["host", "chunks", "end"]
    assert (second.request.method, second.request.uri) == ("GET", "https://host.invalid/v1/models")
    assert (second.response.status, second.response.body) == (429, b"\x00\x01\xff")


def test_a_stream_without_its_content_type_is_told_by_its_bytes(check: Any) -> None:
    """Recorders that keep few headers drop it, and a reader needs it."""
    data = HTTPMOCK.partition(b"---")[0].replace(
        b"  - {name: content-type, value: text/event-stream}\n", b"  - {name: x, value: y}\n"
    )
    uri = "https://host.invalid/v1/chat?alt=a+b"
    unknown = ("host", "headers", "chunks", "end")
    check("a.yaml", data, format="httpmock", body=STREAM, request=("POST", uri), status=(200, ""), unknown=unknown)


WIREMOCK = b"""\
id: 1
request:
  url: /v1/chat?alt=sse
  method: POST
  headers:
    accept: {equalTo: text/event-stream}
    x-any: {matches: .*}
  bodyPatterns:
  - equalToJson: '{"stream":true}'
response:
  status: 200
  statusMessage: OK
  headers: {Content-Type: text/event-stream, Vary: [a, b]}
  BODY
"""


@pytest.mark.parametrize(
    ("member", "body", "more"),
    [
        (b'body: "data: 1\\n\\n"', b"data: 1\n\n", ()),
        (b"base64Body: ZGF0YTogMQoK", b"data: 1\n\n", ()),
        (b"bodyFileName: answers/one.txt", b"data: 2\r\n\r\n", ()),
        (b"jsonBody: {a: [1, 2.5, null]}", b'{"a":[1,2.5,null]}', ("body_text", "last_event")),
    ],
)
def test_wiremock(
    check: Any, written: Callable[[str, bytes], Path], member: bytes, body: bytes, more: tuple[str, ...]
) -> None:
    """A mapping is a pattern: what is literal in it is taken. A body may be in a file of its own."""
    written("__files/answers/one.txt", b"data: 2\r\n\r\n")
    unknown = ("request", "host", "request_text", *more, "chunks", "end")
    uri = "https://host.invalid/v1/chat?alt=sse"
    data = WIREMOCK.replace(b"BODY", member)
    converted = check("mappings/a.yaml", data, format="WireMock", body=body, request=("POST", uri), unknown=unknown)
    first = converted.cassette.interactions[0]
    assert first.request.headers == Headers({"accept": "text/event-stream"})
    assert first.response.headers["vary"] == ("a", "b")


@pytest.mark.parametrize(
    "name", ["../../secret.txt", "a/../../secret.txt", "/etc/hostname", "..\\\\x", "c:x", "a\\0b", "", "."]
)
def test_wiremock_names_no_file_elsewhere(written: Callable[[str, bytes], Path], name: str) -> None:
    """A mapping is untrusted: it reads nothing outside its folder and `__files`."""
    written("secret.txt", b"data: secret\n\n")
    path = written("root/mappings/a.yaml", WIREMOCK.replace(b"BODY", b'bodyFileName: "%s"' % name.encode()))
    with pytest.raises(CassetteError, match="it names a file outside its folder; put that file beside it"):
        import_recording(path)


def test_wiremock_names_a_file_that_is_not_there(written: Callable[[str, bytes], Path]) -> None:
    """A mapping without its body is none."""
    path = written("root/mappings/a.yaml", WIREMOCK.replace(b"BODY", b"bodyFileName: absent.txt"))
    with pytest.raises(CassetteError, match=r"response\.bodyFileName: the file it names is neither beside the mapping"):
        import_recording(path)


def test_wiremock_follows_no_link_out(written: Callable[[str, bytes], Path]) -> None:
    """A link inside the folder may lead out of it."""
    secret = written("secret.txt", b"data: secret\n\n")
    path = written("mappings/a.yaml", WIREMOCK.replace(b"BODY", b"bodyFileName: link.txt"))
    (path.parent / "link.txt").symlink_to(secret)
    with pytest.raises(CassetteError, match="a link out of its folder"):
        import_recording(path)


def test_the_files_of_wiremock_count_together(written: Callable[[str, bytes], Path]) -> None:
    """A short file that names a long one very often is no way around the limit."""
    written("long.txt", b"data: 1\n\n" * 10)
    path = written("a.yaml", b"---\n".join([WIREMOCK.replace(b"BODY", b"bodyFileName: long.txt")] * 12))
    assert len(import_recording(path, max_bytes=12 * 500).cassette.interactions) == 12
    written("long.txt", b"data: 1\n\n" * 60)
    with pytest.raises(CassetteError, match=r"it names files of more than 6000 bytes; max_bytes= sets the limit"):
        import_recording(path, max_bytes=12 * 500)


def test_mappings_in_one_file_and_patterns_of_urls(check: Any) -> None:
    """The export of all mappings; a pattern is written into the URI as it is, escaped."""
    data = b"""{"mappings": [{"request": {"urlPathPattern": "/v1/.* x", "method": "ANY"},
        "response": {"status": 404, "body": "data: 1\\n\\n",
        "headers": {"Content-Type": "text/event-stream"}}}], "meta": {"total": 1}}"""
    request = ("GET", "https://host.invalid/v1/.*%20x")
    unknown = ("request", "host", "chunks", "end")
    check(
        "a.json",
        data,
        format="WireMock",
        body=b"data: 1\n\n",
        request=request,
        asked=None,
        status=(404, ""),
        unknown=unknown,
    )


@pytest.mark.parametrize(
    ("pattern", "request_line", "asked", "unknown"),
    [
        ('"url": "/x", "method": "get"', ("GET", "https://host.invalid/x"), None, ()),
        ('"url": "/x"', ("GET", "https://host.invalid/x"), None, ("request",)),
        ('"url": "/x", "method": "ANY"', ("GET", "https://host.invalid/x"), None, ("request",)),
        ('"urlPath": "x", "method": "PUT"', ("PUT", "https://host.invalid/x"), None, ()),
        ('"urlPattern": "/x", "method": "PUT"', ("PUT", "https://host.invalid/x"), None, ("request",)),
        ('"method": "PUT"', ("PUT", "https://host.invalid/"), None, ("request",)),
        (
            '"url": "/x?a=b", "method": "PUT", "queryParameters": {"c": {"equalTo": "d"}}',
            ("PUT", "https://host.invalid/x?a=b&c=d"),
            None,
            (),
        ),
        (
            '"url": "/x", "method": "PUT", "queryParameters": {"c": {"matches": "d"}}',
            ("PUT", "https://host.invalid/x"),
            None,
            ("request",),
        ),
        ('"url": "/x", "bodyPatterns": [{"equalTo": "y"}]', ("POST", "https://host.invalid/x"), b"y", ("request",)),
        ('"url": "/x", "method": "PUT", "bodyPatterns": []', ("PUT", "https://host.invalid/x"), None, ()),
        (
            '"url": "/x", "method": "PUT", "bodyPatterns": [{"binaryEqualTo": "AAH/"}]',
            ("PUT", "https://host.invalid/x"),
            b"\x00\x01\xff",
            (),
        ),
        (
            '"url": "/x", "method": "PUT", "bodyPatterns": [{"contains": "y"}]',
            ("PUT", "https://host.invalid/x"),
            None,
            ("request",),
        ),
        (
            '"url": "/x", "method": "PUT", "bodyPatterns": [{"equalToJson": {"y": 1}}]',
            ("PUT", "https://host.invalid/x"),
            b'{"y":1}',
            ("request_text",),
        ),
    ],
)
def test_what_a_pattern_says_literally(
    check: Any, pattern: str, request_line: tuple[str, str], asked: bytes | None, unknown: tuple[str, ...]
) -> None:
    """It is taken; of the rest it is said that it is not known."""
    answer = b'{"headers": {"content-type": "text/event-stream"}, "body": "data: 1\\n\\n"}'
    codes = [code for code in ("request", "host", "request_text") if code == "host" or code in unknown]
    check(
        "a.json",
        b'{"request": {%s}, "response": %s}' % (pattern.encode(), answer),
        format="WireMock",
        body=b"data: 1\n\n",
        request=request_line,
        asked=asked,
        status=(200, ""),
        unknown=(*codes, "chunks", "end"),
    )


def test_a_pattern_with_a_host(check: Any) -> None:
    """Then the host is known."""
    data = b'{"request": {"url": "http://a.example/x", "method": "PUT"}, "response": {"base64Body": "ZGF0YTogMQoK"}}'
    check(
        "a.json",
        data,
        format="WireMock",
        body=b"data: 1\n\n",
        request=("PUT", "http://a.example/x"),
        asked=None,
        status=(200, ""),
        unknown=("headers", "chunks", "end"),
    )


POLLY = b"""\
log:
  _recordingName: a
  creator: {name: Polly.JS, version: 6.0.6}
  entries:
    - request:
        headers: [{_fromType: array, name: accept, value: '*/*'}]
        httpVersion: HTTP/1.1
        method: POST
        postData:
          mimeType: application/json
          textJSON: {stream: true}
        url: https://api.example.com/v1/chat
      response:
        content:
          encoding: base64
          mimeType: text/event-stream
          text: '["ZGF0YTog", "MQoK"]'
        headers: [{name: content-type, value: text/event-stream}]
        httpVersion: HTTP/1.1
        status: 200
        statusText: OK
      startedDateTime: 2025-03-14T16:10:17.687Z
      timings: {wait: 302}
"""


def test_polly_in_yaml(check: Any) -> None:
    """The pieces of a body are a JSON list in a text; a parsed request is written anew; `wait` is not the head's."""
    unknown = ("request_text", "chunks", "end")
    converted = check("a.har.yaml", POLLY, format="Polly HAR", body=b"data: 1\n\n", unknown=unknown)
    recording = converted.cassette.interactions[0].response.recording
    assert (recording.head_s, recording.recorded) == (None, "2025-03-14T16:10:17.687Z")


def test_old_polly_has_pieces_in_hexadecimal(check: Any) -> None:
    """Before it wrote base64."""
    data = POLLY.replace(b"encoding: base64", b"_isBinary: true").replace(
        b'["ZGF0YTog", "MQoK"]', b'["646174613a20", "310a0a"]'
    )
    check("a.har.yaml", data, format="Polly HAR", body=b"data: 1\n\n", unknown=("request_text", "chunks", "end"))
