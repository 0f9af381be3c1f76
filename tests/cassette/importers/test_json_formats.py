"""The formats in JSON: HAR, nock, the Azure test proxy, Braintrust, lists of requests and responses."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recorder.cassette import Headers, dump_cassette, import_recording
from recorder.errors import CassetteError, CassetteWarning

STREAM = b"data: {}\n\ndata: [DONE]\n\n"
TEXT = STREAM.decode()
URL = "https://api.example.com/v1/chat"


def data(value: Any) -> bytes:
    return json.dumps(value).encode()


def har(content: dict[str, Any]) -> bytes:
    """What a browser saves."""
    request = {
        "method": "POST",
        "url": URL,
        "httpVersion": "h2",
        "headers": [{"name": ":authority", "value": "api.example.com"}, {"name": "accept", "value": "*/*"}],
        "postData": {"mimeType": "application/json", "text": '{"stream":true}'},
    }
    response = {
        "status": 200,
        "statusText": "OK",
        "httpVersion": "h2",
        "headers": [{"name": "content-type", "value": "text/event-stream"}, {"name": "vary", "value": "a"}],
        "content": content,
    }
    entry = {
        "startedDateTime": "2026-01-02T03:04:05.678Z",
        "time": 900.5,
        "request": request,
        "response": response,
        "timings": {"send": 0.1, "wait": 250.5, "receive": 600},
    }
    return data({"log": {"version": "1.2", "creator": {"name": "WebInspector"}, "entries": [entry]}})


@pytest.mark.parametrize(
    "content",
    [
        {"size": 24, "mimeType": "text/event-stream", "text": TEXT},
        {"size": 24, "mimeType": "text/event-stream", "text": "ZGF0YToge30KCmRhdGE6IFtET05FXQoK", "encoding": "base64"},
    ],
)
def test_har_of_a_browser(check: Any, content: dict[str, Any]) -> None:
    """Text or base64; pseudo headers are no headers; the head came after `wait`."""
    converted = check("a.har", har(content), format="HAR", body=STREAM)
    first = converted.cassette.interactions[0]
    assert first.request.headers == Headers({"accept": "*/*"})
    recording = first.response.recording
    assert (recording.head_s, recording.recorded) == (0.2505, "2026-01-02T03:04:05.678Z")
    assert recording.wire == {"http": "2"}


def test_requests_of_a_browser_that_were_not_answered(check: Any, written: Callable[[str, bytes], Path]) -> None:
    """They have status 0; what is left out is said when the cassette is written."""
    log = json.loads(har({"text": TEXT}))
    blocked = json.loads(har({"text": ""}))["log"]["entries"][0]
    blocked["response"]["status"] = 0
    log["log"]["entries"].append(blocked)
    converted = check("a.har", data(log), format="HAR", body=STREAM)
    with pytest.warns(CassetteWarning, match=r"loses what only its file held: log\.entries\[1\] \(not answered\)"):
        dump_cassette(converted.cassette)
    log["log"]["entries"] = [blocked]
    with pytest.raises(CassetteError, match=r"b\.har: log\.entries: no request in it was answered"):
        import_recording(written("b.har", data(log)))


@pytest.mark.parametrize("content", [{"size": 24, "mimeType": "text/event-stream"}, {"size": 0, "text": ""}])
def test_har_without_the_body(check: Any, content: dict[str, Any]) -> None:
    """Browsers often do not save the body of a stream."""
    check("a.har", har(content), format="HAR", body=b"", unknown=("body", "chunks", "end"))


@pytest.mark.parametrize(
    ("content", "body", "unknown"),
    [
        ({"size": 24}, b"", ("body", "chunks", "end")),
        ({"size": 0}, b"", ("chunks", "end")),
        ({"textJSON": {"a": 1}}, b'{"a":1}', ("body_text", "chunks", "end")),
        ({"text": '["x"]', "encoding": "utf-8"}, b'["x"]', ("chunks", "end")),
        ({"text": '["x"]', "_isBinary": False}, b'["x"]', ("chunks", "end")),
    ],
)
def test_har_of_json_without_text(check: Any, content: dict[str, Any], body: bytes, unknown: tuple[str, ...]) -> None:
    """The size tells whether there was a body; Polly may store it parsed."""
    file = har(content).replace(b"text/event-stream", b"application/json")
    check("a.har", file, format="HAR", body=body, content_type="application/json", unknown=unknown)


@pytest.mark.parametrize(
    ("wait", "head_s"),
    [(0, 0.0), (1.5, 0.0015), (999_999_999, 999_999.999), (-1, None), (1e9, None), (True, None), ("250", None)],
)
def test_har_with_a_time_that_is_none(check: Any, wait: Any, head_s: float | None) -> None:
    """Browsers write -1 where they do not know."""
    file = json.loads(har({"text": TEXT}))
    file["log"]["entries"][0]["timings"]["wait"] = wait
    converted = check("a.har", data(file), format="HAR", body=STREAM)
    assert converted.cassette.interactions[0].response.recording.head_s == head_s


@pytest.mark.parametrize(
    ("version", "wire"),
    [
        ("HTTP/1.0", {"http": "1"}),
        ("http/1.1", {"http": "1.1"}),
        ("h3", {"http": "3"}),
        ("HTTP/2", {"http": "2"}),
        ("unknown", {}),
        (None, {}),
    ],
)
def test_har_with_versions_of_http(check: Any, version: str | None, wire: dict[str, str]) -> None:
    """As browsers write them; one that is not known is not kept."""
    file = json.loads(har({"text": TEXT}))
    file["log"]["entries"][0]["response"] |= {"httpVersion": version, "statusText": None}
    converted = check("a.har", data(file), format="HAR", body=STREAM, status=(200, ""))
    assert converted.cassette.interactions[0].response.recording.wire == wire


def test_har_without_entries(written: Callable[[str, bytes], Path]) -> None:
    """Nothing was asked, which is no fault."""
    assert import_recording(written("a.har", data({"log": {"entries": []}}))).cassette.interactions == ()


def nock(**members: Any) -> bytes:
    scope = {"scope": "https://api.example.com:443", "method": "POST", "path": "/v1/chat", "status": 200}
    return data([scope | {"body": '{"stream":true}', "headers": {"content-type": "text/event-stream"}} | members])


def test_nock(check: Any) -> None:
    """A text; the default port is left out of the URI."""
    file = nock(response="data: 漢\r\n\r\n", reqheaders={"accept": "*/*", "vary": ["a", "b"]})
    converted = check("a.json", file, format="nock", body="data: 漢\r\n\r\n".encode(), status=(200, ""))
    sent = converted.cassette.interactions[0].request.headers
    assert sent == Headers([("accept", "*/*"), ("vary", "a"), ("vary", "b")])


@pytest.mark.parametrize(
    ("response", "body", "unknown"),
    [("0001ff", b"0001ff", ("chunks", "end")), (["1f8b", "08"], b'["1f8b","08"]', ("body_text", "chunks", "end"))],
)
def test_nock_not_binary(check: Any, response: Any, body: bytes, unknown: tuple[str, ...]) -> None:
    """What looks like hexadecimal is a text, and a list of such is JSON, unless the file says that it is binary."""
    file = nock(response=response, responseIsBinary=False, headers={"content-type": "a/b"})
    check("a.json", file, format="nock", body=body, status=(200, ""), content_type="a/b", unknown=unknown)


def test_nock_parsed_and_named_as_coded(check: Any) -> None:
    """A mapping is no list of pieces, whatever the head says."""
    file = nock(response={"a": 1}, headers={"content-type": "application/json", "content-encoding": "gzip"})
    unknown = ("body_text", "coding", "chunks", "end")
    check(
        "a.json",
        file,
        format="nock",
        body=b'{"a":1}',
        status=(200, ""),
        content_type="application/json",
        unknown=unknown,
    )


def test_nock_without_a_response(check: Any) -> None:
    """The body is not known then; the method is GET and an empty body none unless the file says otherwise."""
    file = nock(method=None, body="")
    request = ("GET", "https://api.example.com/v1/chat")
    unknown = ("body", "chunks", "end")
    check("a.json", file, format="nock", body=b"", asked=None, request=request, status=(200, ""), unknown=unknown)


def test_nock_binary(check: Any) -> None:
    """Hexadecimal, with the headers as one list."""
    members = {"response": "0001ff", "responseIsBinary": True, "rawHeaders": ["Content-Type", "a/b", "Vary", "x"]}
    converted = check(
        "a.json", nock(**members), format="nock", body=b"\x00\x01\xff", status=(200, ""), content_type="a/b"
    )
    assert converted.cassette.interactions[0].response.headers == Headers({"content-type": "a/b", "vary": "x"})


def test_nock_compressed(check: Any) -> None:
    """A list of hexadecimal pieces, still in the coding that the head names."""
    members = {
        "response": ["1f8b08", "0000"],
        "rawHeaders": {"content-type": "text/event-stream", "content-encoding": "gzip"},
    }
    check("a.json", nock(**members), format="nock", body=b"\x1f\x8b\x08\x00\x00", status=(200, ""))


def test_nock_binary_that_is_not_in_its_coding(check: Any) -> None:
    """No text, and no gzip either: the header lies."""
    headers = {"content-type": "a/b", "content-encoding": "gzip"}
    file = nock(response="0001ff", responseIsBinary=True, headers=headers)
    unknown = ("coding", "chunks", "end")
    check("a.json", file, format="nock", body=b"\x00\x01\xff", status=(200, ""), content_type="a/b", unknown=unknown)


def test_nock_parsed(check: Any) -> None:
    """Bodies that were JSON are stored parsed."""
    members = {
        "response": {"b": 1, "a": 1.0},
        "body": {"stream": True},
        "headers": {"content-type": "application/json"},
    }
    check(
        "a.json",
        nock(**members),
        format="nock",
        body=b'{"b":1,"a":1.0}',
        status=(200, ""),
        content_type="application/json",
        unknown=("request_text", "body_text", "chunks", "end"),
    )


def proxy(asked: Any, answered: Any, sent: str = "application/json") -> bytes:
    entry = {
        "RequestUri": URL,
        "RequestMethod": "POST",
        "RequestHeaders": {"Content-Type": sent},
        "RequestBody": asked,
        "StatusCode": 200,
        "ResponseHeaders": {"Content-Type": "text/event-stream", "Vary": ["a", "b"]},
        "ResponseBody": answered,
    }
    return data({"Entries": [entry], "Variables": {}})


def test_azure_test_proxy(check: Any) -> None:
    """A list of lines with their ends is exact; a parsed request is not."""
    file = proxy({"stream": True}, ["data: 1\r\n", "\r\n"])
    unknown = ("request_text", "chunks", "end")
    check("a.json", file, format="Azure test proxy", body=b"data: 1\r\n\r\n", status=(200, ""), unknown=unknown)


def test_azure_test_proxy_with_binary_lines(check: Any) -> None:
    """A part of a form is base64 in its line."""
    file = proxy(["--x\r\n", "b64://AAH/", "\r\n--x--"], "data: 1\n\n", "multipart/form-data; boundary=x")
    asked = b"--x\r\n\x00\x01\xff\r\n--x--"
    check("a.json", file, format="Azure test proxy", body=b"data: 1\n\n", status=(200, ""), asked=asked)


def test_azure_test_proxy_with_a_damaged_request(check: Any) -> None:
    """The stream is worth having without the request; that it is missing is said."""
    file = proxy(["b64://AAH"], "data: 1\n\n")
    unknown = ("request_body", "chunks", "end")
    check("a.json", file, format="Azure test proxy", body=b"data: 1\n\n", status=(200, ""), asked=None, unknown=unknown)


def test_azure_test_proxy_with_binary_bodies(check: Any) -> None:
    """Of a type that is no text, a text is base64."""
    file = proxy("AAH/", "data: 1\n\n", "application/octet-stream")
    check("a.json", file, format="Azure test proxy", body=b"data: 1\n\n", status=(200, ""), asked=b"\x00\x01\xff")


def braintrust(body: dict[str, Any], asked: dict[str, Any] | None = None) -> bytes:
    response = {
        "status": 200,
        "statusText": "OK",
        "headers": {"content-type": "text/event-stream", "content-encoding": "gzip"},
        "body": body,
    }
    request = {
        "method": "POST",
        "url": URL,
        "headers": {},
        "body": asked or {"kind": "text", "value": '{"stream":true}'},
    }
    entry = {"callIndex": 0, "matchKey": "POST x", "recordedAt": "2026-01-02T03:04:05Z", "request": request}
    return data({"entries": [entry | {"response": response}], "meta": {}})


def test_braintrust_event_stream(check: Any) -> None:
    """A list of event texts: what stood between them is ours, and the coding's header lies."""
    file = braintrust({"kind": "sse", "chunks": ["event: a\ndata: 1", "data: [DONE]"]})
    unknown = ("separators", "coding", "chunks", "end")
    body = b"event: a\ndata: 1\n\ndata: [DONE]\n\n"
    converted = check("a.json", file, format="Braintrust", body=body, unknown=unknown)
    assert converted.cassette.interactions[0].response.recording.recorded == "2026-01-02T03:04:05Z"


def test_braintrust_parsed_and_empty(check: Any) -> None:
    """JSON is stored parsed, null too; an empty body has a kind of its own."""
    file = braintrust({"kind": "empty"}, {"kind": "json", "value": None})
    check(
        "a.json", file, format="Braintrust", body=b"", asked=b"null", unknown=("request_text", "body", "chunks", "end")
    )


def test_braintrust_blob(check: Any, written: Callable[[str, bytes], Path]) -> None:
    """A body in a file beside the cassette; the digest must be its."""
    written("a.blobs/x.bin", b"data: 1\n\n")
    digest = "9e86d9c61afaefef779d48c0410c851651d095bbde81b725ae495faab9b396b2"
    file = braintrust({"kind": "binary", "path": "a.blobs/x.bin", "sha256": digest})
    check("a.json", file, format="Braintrust", body=b"data: 1\n\n", unknown=("coding", "chunks", "end"))


def test_braintrust_blob_that_is_not_there(check: Any) -> None:
    """Then the body is not known."""
    file = braintrust({"kind": "binary", "path": "a.blobs/x.bin", "sha256": "0"})
    check("a.json", file, format="Braintrust", body=b"", unknown=("body", "chunks", "end"))


def test_braintrust_request_whose_blob_is_not_there(check: Any) -> None:
    """The stream is worth having without it."""
    asked = {"kind": "binary", "path": "a.blobs/x.bin", "sha256": "0"}
    file = braintrust({"kind": "text", "value": "data: 1\n\n"}, asked)
    unknown = ("request_body", "coding", "chunks", "end")
    check("a.json", file, format="Braintrust", body=b"data: 1\n\n", asked=None, unknown=unknown)


def test_braintrust_blob_that_was_changed(written: Callable[[str, bytes], Path]) -> None:
    """Another file is not taken for it."""
    written("x.bin", b"data: 2\n\n")
    path = written("a.json", braintrust({"kind": "binary", "path": "x.bin", "sha256": "0"}))
    with pytest.raises(CassetteError, match=r"entries\[0\]\.response\.body: the file it names has another sha256"):
        import_recording(path)


def test_braintrust_of_another_version(written: Callable[[str, bytes], Path]) -> None:
    """An unknown kind is not guessed at."""
    with pytest.raises(CassetteError, match=r"response\.body\.kind: none of empty, json"):
        import_recording(written("a.json", braintrust({"kind": "stream"})))


@pytest.mark.parametrize(
    ("request_body", "asked", "unknown"),
    [
        ('{"stream":true}', b'{"stream":true}', ()),
        ({"stream": True}, b'{"stream":true}', ("request_text",)),
        ({"string": '{"stream":true}'}, b'{"stream":true}', ()),
        ({"string": "x", "n": 1}, b'{"string":"x","n":1}', ("request_text",)),
        (["string"], b'["string"]', ("request_text",)),
        (7, b"7", ("request_text",)),
        (None, None, ()),
    ],
)
def test_list_of_requests_and_responses(
    check: Any, request_body: Any, asked: bytes | None, unknown: tuple[str, ...]
) -> None:
    """Test suites write their own; a body is a text or parsed."""
    request = {"method": "post", "url": URL, "headers": {"accept": "*/*"}, "body": request_body}
    response = {"status_code": 200, "headers": {"content-type": "text/event-stream"}, "body": TEXT}
    file = data([{"request": request, "response": response}])
    check(
        "a.json",
        file,
        format="list of requests and responses",
        body=STREAM,
        asked=asked,
        status=(200, ""),
        unknown=(*unknown, "chunks", "end"),
    )
