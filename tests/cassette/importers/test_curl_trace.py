"""curl's traces: every byte of `--trace`, the dots of `--trace-ascii`, and a true sample from curl itself."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from recorder.cassette import Chunk, EndKind, Headers, StreamEnd, import_recording
from recorder.errors import CassetteError
from recorder.provider import Provider

HEAD = """\
12:00:00.000000 == Info:   Trying 127.0.0.1:80...
12:00:00.100000 => Send header, 55 bytes (0x37)
0000: POST /v1/chat HTTP/1.1
0018: Host: api.example.com
002f: X: y
0035:
12:00:00.150000 => Send data, 15 bytes (0xf)
0000: {"stream":true}
12:00:00.350000 <= Recv header, 17 bytes (0x11)
0000: HTTP/1.1 200 OK
12:00:00.350100 <= Recv header, 33 bytes (0x21)
0000: Content-Type: text/event-stream
"""
CHUNKED = """\
12:00:00.350200 <= Recv header, 28 bytes (0x1c)
0000: Transfer-Encoding: chunked
"""
BLANK = """\
12:00:00.350300 <= Recv header, 2 bytes (0x2)
0000:
"""
# 'data: "a. 漢"\n\n' is 16 bytes, and 'data: [DONE]\n\n' is 14.
PIECES = """\
12:00:00.450300 <= Recv data, 17 bytes (0x11)
0000: 10
0004: data: "a. ...
12:00:00.650300 <= Recv data, 11 bytes (0xb)
0000: "..
0005: e
0008: dat
12:00:00.700300 <= Recv data, 13 bytes (0xd)
0000: a: [DONE]..
12:00:00.950300 <= Recv data, 5 bytes (0x5)
0000: 0
0003:
12:00:00.960300 == Info: Connection #0 to host api.example.com left intact
"""
TRACE = (
    (HEAD + CHUNKED + BLANK + PIECES)
    .replace("0035:\n", "0035: \n")
    .replace("0000:\n", "0000: \n")
    .replace("0003:\n", "0003: \n")
)
BODY = 'data: "a. 漢"\n\ndata: [DONE]\n\n'.encode()
DOTTED = b'data: "a. ..."\n\ndata: [DONE]\n\n'
CHUNKS = (Chunk(0.1, 13), Chunk(0.2, 6), Chunk(0.05, 11))


def convert(folder: Path, trace: str | bytes, body: bytes | None = None) -> Any:
    path = folder / "trace.txt"
    path.write_bytes(trace if isinstance(trace, bytes) else trace.encode())
    if body is not None:
        (folder / "printed.txt").write_bytes(body)
    return import_recording(path, body=None if body is None else folder / "printed.txt")


def test_ascii_with_what_curl_printed(tmp_path: Path) -> None:
    """All is known: the request, the head and when it came, the exact bytes in the pieces that came, and the end."""
    printed = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n" + BODY
    converted = convert(tmp_path, TRACE, printed)
    assert (converted.format, converted.unknowns) == ("curl trace", ())
    first = converted.cassette.interactions[0]
    assert (first.request.method, first.request.uri) == ("POST", "http://api.example.com/v1/chat")
    assert first.request.headers == Headers({"Host": "api.example.com", "X": "y"})
    assert first.request.body == b'{"stream":true}'
    assert first.response.body == BODY
    assert first.response.chunks == CHUNKS
    assert first.response.end == StreamEnd(EndKind.COMPLETE, 0.25)
    assert first.response.recording.head_s == 0.2003
    assert first.response.recording.wire == {"http": "1.1", "framing": "chunked"}


def test_two_exchanges(tmp_path: Path) -> None:
    """A redirect that was followed, or two URLs: each has its own part of what curl printed."""
    head = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
    other = BODY.replace(b"DONE", b"OVER")
    trace = TRACE + TRACE.replace("DONE", "OVER").replace("/v1/chat", "/v1/next").replace("12:00:0", "12:00:1")
    converted = convert(tmp_path, trace, head + BODY + head + other)
    assert converted.unknowns == ()
    first, second = converted.cassette.interactions
    assert (first.request.uri, first.response.body) == ("http://api.example.com/v1/chat", BODY)
    assert (second.request.uri, second.response.body) == ("http://api.example.com/v1/next", other)
    assert first.response.chunks == second.response.chunks == CHUNKS


def test_what_curl_printed_without_its_head(tmp_path: Path) -> None:
    """`curl -o` without `-i`."""
    converted = convert(tmp_path, TRACE, BODY)
    assert converted.cassette.interactions[0].response.body == BODY


def test_ascii_alone(tmp_path: Path) -> None:
    """Line ends are told by the grammar; the other dots stay, and that is said."""
    converted = convert(tmp_path, TRACE)
    assert converted.unknowns == ("dots",)
    response = converted.cassette.interactions[0].response
    assert response.body == DOTTED
    assert response.chunks == CHUNKS


def test_ascii_and_output_in_one_place(tmp_path: Path) -> None:
    """`--trace-ascii -`: what was printed stands between the records, and ends wherever the pieces ended."""
    mixed = (
        TRACE.encode()
        .replace(b"\n12:00:00.650300", b'\ndata: "a. \xe6\xbc\xa212:00:00.650300')
        .replace(b"\n12:00:00.700300", b'\n"\n\ndat12:00:00.700300')
        .replace(b"\n12:00:00.950300", b"\na: [DONE]\n\n12:00:00.950300")
    )
    converted = convert(tmp_path, mixed)
    assert converted.unknowns == ()
    assert converted.cassette.interactions[0].response.body == BODY


def test_something_else_between_the_records(tmp_path: Path) -> None:
    """A progress meter is not what was printed."""
    mixed = TRACE.replace("\n12:00:00.65", "\n  % Total    % Received\r100  15  0\n12:00:00.65")
    converted = convert(tmp_path, mixed)
    assert converted.unknowns == ("dots",)
    assert converted.cassette.interactions[0].response.body == DOTTED


def test_a_trailer_is_no_head(tmp_path: Path) -> None:
    """It comes after the body, and tells nothing of when the head came."""
    trailer = "12:00:00.950400 <= Recv header, 6 bytes (0x6)\n0000: X: y\n"
    response = (
        convert(tmp_path, TRACE.replace("12:00:00.96", trailer + "12:00:00.96"), BODY).cassette.interactions[0].response
    )
    assert response.recording.head_s == 0.2003
    assert response.chunks == CHUNKS


def test_a_trace_that_begins_with_the_response(tmp_path: Path) -> None:
    """The request is made up then, and that is said."""
    start = TRACE.index("12:00:00.350000")
    converted = convert(tmp_path, TRACE[start:], BODY)
    first = converted.cassette.interactions[0]
    assert converted.unknowns == ("request", "host")
    assert (first.request.method, first.request.uri) == ("POST", "https://host.invalid/")
    assert first.response.recording.head_s is None
    assert first.response.body == BODY


def test_output_that_does_not_fit(tmp_path: Path) -> None:
    """Of another run, or decompressed: refused."""
    with pytest.raises(CassetteError, match="what curl printed does not fit its trace"):
        convert(tmp_path, TRACE, BODY.replace(b"a", b"b"))


def test_crlf_is_exact_in_ascii(tmp_path: Path) -> None:
    """The offsets tell it, so nothing is guessed at but what is not ASCII."""
    lines = "12:00:00.4 <= Recv data, 11 bytes (0xb)\n0000: data: 1\n0009: \n"
    converted = convert(tmp_path, HEAD.replace("0035:\n", "0035: \n") + BLANK.replace("0000:\n", "0000: \n") + lines)
    assert converted.cassette.interactions[0].response.body == b"data: 1\r\n\r\n"


HEX = """\
23:59:59.900000 [0-0] == Info: ALPN: server accepted h2
23:59:59.900000 [0-0] => Send header, 26 bytes (0x1a)
0000: 47 45 54 20 2f 78 20 48 54 54 50 2f 32 0d 0a 48 GET /x HTTP/2..H
0010: 6f 73 74 3a 20 61 0d 0a 0d 0a                   ost: a....
00:00:00.100000 [0-0] <= Recv header, 13 bytes (0xd)
0000: 48 54 54 50 2f 32 20 32 30 30 20 0d 0a          HTTP/2 200 ..
00:00:00.100000 [0-0] <= Recv header, 2 bytes (0x2)
0000: 0d 0a                                           ..
00:00:00.300000 [0-0] <= Recv data, 9 bytes (0x9)
0000: 64 61 74 61 3a 20 2e 0a 0a                      data: ...
00:00:00.300001 [0-0] <= Recv SSL data, 5 bytes (0x5)
0000: 17 03 03 00 10                                  .....
"""


@pytest.mark.parametrize(
    ("said", "end"),
    [
        ("Connection #0 to host a left intact", EndKind.COMPLETE),
        ("Closing connection 0", EndKind.EOF),
        ("transfer closed with outstanding read data remaining", EndKind.INCOMPLETE),
        ("Recv failure: Connection reset by peer", EndKind.RESET),
        ("Operation timed out after 300 milliseconds with 9 bytes received", EndKind.TIMEOUT),
        ("Failure writing output to destination", EndKind.CLIENT_CLOSED),
        ("something else", None),
    ],
)
def test_hexadecimal_alone_is_exact(tmp_path: Path, said: str, end: EndKind | None) -> None:
    """`--trace` shows every byte. Midnight passes; curl says how the body ended."""
    converted = convert(tmp_path, HEX + f"00:00:00.500000 [0-0] == Info: {said}\n")
    response = converted.cassette.interactions[0].response
    assert converted.unknowns == (("headers",) if end else ("headers", "end"))
    assert converted.cassette.interactions[0].request.uri == "https://a/x"
    assert response.body == b"data: .\n\n"
    assert response.chunks == (Chunk(0.2, 9),)
    assert response.end == (StreamEnd(end, 0.2) if end else None)
    assert response.recording.head_s == 0.2
    assert response.recording.wire == {"http": "2"}


def record(at: str, kind: str, data: bytes) -> str:
    """One of `--trace`, as curl writes it."""
    lines = [f"{at} {kind}, {len(data)} bytes (0x{len(data):x})\n"]
    for start in range(0, len(data), 16):
        part = data[start : start + 16]
        digits = "".join([f"{byte:02x} " for byte in part]).ljust(48)
        lines.append(f"{start:04x}: {digits}{''.join(chr(byte) if 32 <= byte < 127 else '.' for byte in part)}\n")
    return "".join(lines)


ASKED = b"GET /x HTTP/1.1\r\nHost: a\r\n\r\n"


def test_each_midnight_counts(tmp_path: Path) -> None:
    """Also the first record behind one, and a second one."""
    trace = (
        record("23:59:59.900000", "=> Send header", ASKED)
        + record("00:00:00.100000", "<= Recv header", b"HTTP/1.1 200 OK\r\n\r\n")
        + record("23:59:59.100000", "<= Recv data", b"data: 1\n\n")
        + record("00:00:00.100000", "<= Recv data", b"data: 2\n\n")
    )
    response = convert(tmp_path, trace).cassette.interactions[0].response
    assert response.recording.head_s == 0.2
    assert response.chunks == (Chunk(86_399.0, 9), Chunk(1.0, 9))


def test_only_curl_says_that_a_connection_is_secure(tmp_path: Path) -> None:
    """A body may speak of ALPN, too."""
    trace = (
        record("12:00:00.000000", "=> Send header", ASKED)
        + record("12:00:00.100000", "<= Recv header", b"HTTP/1.1 200 OK\r\n\r\n")
        + record("12:00:00.200000", "<= Recv data", b"data: ALPN: h2\n\n")
    )
    assert convert(tmp_path, trace).cassette.interactions[0].request.uri == "http://a/x"


def test_a_request_to_a_proxy_names_its_host(tmp_path: Path) -> None:
    """In its target, which is the URI."""
    trace = record("12:00:00.000000", "=> Send header", ASKED.replace(b"/x", b"http://b.example/y"))
    trace += record("12:00:00.100000", "<= Recv header", b"HTTP/1.1 200 OK\r\n\r\n")
    assert convert(tmp_path, trace).cassette.interactions[0].request.uri == "http://b.example/y"


def test_a_response_of_no_bytes(tmp_path: Path) -> None:
    """It ends with what curl says last."""
    trace = (
        record("12:00:00.000000", "=> Send header", ASKED)
        + record("12:00:00.100000", "<= Recv header", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        + "12:00:00.600000 == Info: Connection #0 to host a left intact\n"
    )
    response = convert(tmp_path, trace).cassette.interactions[0].response
    assert (response.body, response.chunks, response.end) == (b"", (), StreamEnd(EndKind.COMPLETE, 0.5))


def test_a_trace_without_times(tmp_path: Path) -> None:
    """Without `--trace-time` the pieces are known, and when they came is not."""
    untimed = "\n".join(line[16:] if line[2:3] == ":" else line for line in TRACE.split("\n"))
    converted = convert(tmp_path, untimed, BODY)
    response = converted.cassette.interactions[0].response
    assert converted.unknowns == ("times",)
    assert response.chunks == (Chunk(0.0, 13), Chunk(0.0, 6), Chunk(0.0, 11))
    assert response.recording.head_s is None


@pytest.mark.parametrize(
    ("trace", "said"),
    [
        (TRACE.replace("0008: dat\n", ""), r":\d+: a dump of other bytes than announced"),
        (TRACE.replace("0008: dat", "0008: data"), r":\d+: a dump of other bytes than announced"),
        (TRACE.replace("17 bytes (0x11)\n0000: 10", "99999999999 bytes (0x1)\n0000: 10"), "other bytes than announced"),
        (HEX.replace("0000: 64 61", "0000: 6x 61"), "other bytes than announced"),
        (HEAD.partition("12:00:00.35")[0].replace("0035:\n", "0035: \n"), "no response in the trace"),
        (HEAD.replace("0035:\n", "0035: \n"), "a response whose head does not end"),
        (TRACE.replace("0000: 10", "0000: 0f"), "the chunked framing of a response is broken at its byte 19"),
    ],
)
def test_a_trace_that_is_broken(tmp_path: Path, trace: str, said: str) -> None:
    """Cut off or edited: it is said where, and there is no half of a recording."""
    with pytest.raises(CassetteError, match=said):
        convert(tmp_path, trace)


def run_curl(provider: Provider, folder: Path, model: str, option: str) -> bytes:
    """What curl prints for a stream; its trace is in `trace.txt` then."""
    curl = shutil.which("curl")
    if curl is None:
        pytest.skip("curl is not installed here; the samples above are its output, edited")
    (folder / "ca.pem").write_bytes(provider.ca_pem)
    command = [curl, "-s", "-i", "-N", "--http1.1", "--cacert", "ca.pem", "--trace-time", option, "trace.txt"]
    command += ["-H", f"authorization: Bearer {provider.key}", "-H", "content-type: application/json"]
    asked = f'{{"model":"{model}","stream":true,"messages":[]}}'
    command += ["-d", asked, f"{provider.url}/v1/chat/completions"]
    return subprocess.run(command, cwd=folder, capture_output=True, check=False, timeout=30).stdout


@pytest.mark.parametrize("option", ["--trace-ascii", "--trace"])
def test_a_true_sample(tmp_path: Path, option: str) -> None:
    """curl against the loopback provider: the bytes are those it printed, in more than one piece."""
    with Provider() as provider:
        printed = run_curl(provider, tmp_path, "chat-lf", option)
        url = f"{provider.url}/v1/chat/completions"
    converted = convert(tmp_path, (tmp_path / "trace.txt").read_bytes(), printed if option == "--trace-ascii" else None)
    first = converted.cassette.interactions[0]
    assert converted.unknowns == ()
    assert (first.request.uri, first.response.status) == (url, 200)
    assert first.response.body == printed.partition(b"\r\n\r\n")[2]
    assert first.response.body.endswith(b"data: [DONE]\n\n")
    assert len(first.response.chunks) > 5
    assert first.response.end.kind is EndKind.COMPLETE


@pytest.mark.parametrize(
    ("model", "kind"), [("drop-mid", EndKind.INCOMPLETE), ("reset-mid", EndKind.RESET), ("eof-mid", EndKind.EOF)]
)
def test_a_true_end(tmp_path: Path, model: str, kind: EndKind) -> None:
    """How a stream broke is in what curl says of it."""
    with Provider() as provider:
        printed = run_curl(provider, tmp_path, model, "--trace")
    response = convert(tmp_path, (tmp_path / "trace.txt").read_bytes()).cassette.interactions[0].response
    assert response.end.kind is kind
    assert response.body == printed.partition(b"\r\n\r\n")[2]
