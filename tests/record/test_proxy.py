"""The recording proxy between real clients (curl, Node's fetch) and the provider under TLS."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx2
import pytest

import recorder
from recorder.provider import Piece, Provider, Scenario
from recorder.record import ConfigurationError, RecordingProxy

PROMPT = "PLANTED-PROMPT tell me"
PATH = "/v1/chat/completions"
FETCH = """
const [url, key, body] = process.argv.slice(1);
const headers = {"content-type": "application/json", "authorization": "Bearer " + process.env.A_KEY};
const response = await fetch(url, {method: "POST", headers, body: process.env.BODY});
try {
  for await (const piece of response.body) process.stdout.write(piece);
} catch (error) { process.exitCode = 7; }
"""
needs_node = pytest.mark.skipif(shutil.which("node") is None, reason="Node is not installed")
needs_curl = pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")


def body_of(model: str) -> str:
    return json.dumps({"model": model, "stream": True, "messages": [{"role": "user", "content": PROMPT}]})


Start = Callable[..., subprocess.Popen[bytes]]


def curl(url: str, provider: Provider, model: str, folder: Path) -> subprocess.Popen[bytes]:
    (folder / "curl.txt").write_text(f'header = "authorization: Bearer {provider.key}"\n')
    (folder / "ca.pem").write_bytes(provider.ca_pem)
    options = ("-sN", "--compressed", "-K", "curl.txt", "--cacert", "ca.pem", "-H", "content-type: application/json")
    return subprocess.Popen(["curl", *options, "-d", body_of(model), url], cwd=folder, stdout=subprocess.PIPE)


def node(url: str, provider: Provider, model: str, folder: Path) -> subprocess.Popen[bytes]:
    (folder / "ca.pem").write_bytes(provider.ca_pem)
    environment = os.environ | {"NODE_EXTRA_CA_CERTS": "ca.pem", "A_KEY": provider.key, "BODY": body_of(model)}
    command = ["node", "--input-type=module", "-e", FETCH, url]
    return subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.PIPE)


CLIENTS = [pytest.param(curl, marks=needs_curl, id="curl"), pytest.param(node, marks=needs_node, id="fetch")]


@pytest.fixture
def proxy(sse_provider: Provider, tmp_path: Path) -> Iterator[RecordingProxy]:
    with RecordingProxy(sse_provider.url, tmp_path / "a.yaml", verify=sse_provider.ssl_context()) as running:
        yield running


def ask(proxy: RecordingProxy, provider: Provider, model: str, **more: str) -> httpx2.Response:
    headers = {"authorization": f"Bearer {provider.key}", **more}
    return httpx2.post(proxy.url + PATH, content=body_of(model), headers=headers)


@pytest.mark.parametrize("start", CLIENTS)
def test_a_client_gets_the_same_bytes_as_direct(
    start: Start, sse_provider: Provider, proxy: RecordingProxy, tmp_path: Path
) -> None:
    """Plain and compressed, in either framing; each is recorded decoded, without the key."""
    models = ("chat-crlf", "chat-gzip", "chat-length")
    for number, model in enumerate(models, 1):
        direct = start(sse_provider.url + PATH, sse_provider, model, tmp_path).communicate(timeout=60)[0]
        through = start(proxy.url + PATH, sse_provider, model, tmp_path).communicate(timeout=60)[0]
        assert len(direct) > 500
        assert through == direct
        assert proxy.wait(20, count=number)
        stored = recorder.load_cassette(tmp_path / "a.yaml").interactions
        assert len(stored) == number
        assert stored[-1].response.body == direct
        assert stored[-1].request.uri == sse_provider.url + PATH
        assert json.loads(stored[-1].request.body or b"")["messages"][0]["content"] == PROMPT
        assert stored[-1].response.end is not None
        assert stored[-1].response.end.kind == "complete"
    assert [each.code for each in proxy.exchanges] == ["accepted"] * 3
    assert sse_provider.key not in (tmp_path / "a.yaml").read_text("utf-8") + repr(proxy.exchanges)
    assert PROMPT not in repr(proxy.exchanges) + "".join(each.line() for each in proxy.exchanges)


@pytest.mark.parametrize("start", CLIENTS)
def test_pieces_are_handed_on_when_they_arrive(start: Start, tmp_path: Path) -> None:
    """A heartbeat reaches the client while the provider holds what follows it."""
    pieces = (Piece(0.0, b": heartbeat\n\n"), Piece(0.0, b'data: {"choices":[]}\n\n'), Piece(0.0, b"data: [DONE]\n\n"))
    with Provider(scenarios=[Scenario("beats", pieces=pieces)]) as provider:
        provider.hold(after=1)
        with (
            RecordingProxy(provider.url, tmp_path / "a.yaml", verify=provider.ssl_context()) as proxy,
            start(proxy.url + PATH, provider, "beats", tmp_path) as client,
        ):
            assert client.stdout is not None
            assert os.read(client.stdout.fileno(), 65536) == b": heartbeat\n\n"
            assert len(provider.sent) == 1
            provider.release()
            assert client.stdout.read() == b'data: {"choices":[]}\n\ndata: [DONE]\n\n'
            assert proxy.wait(20)


# model -> what curl says, the recorded end, the code
ENDS = {
    "drop-mid": (18, "incomplete", "stream_read_failed"),
    "reset-mid": (56, "reset", "stream_read_failed"),
    "eof-mid": (0, "eof", "missing_terminal"),
    "no-done": (0, "eof", "missing_terminal"),
    "stall-mid": (18, "timeout", "stream_timeout"),
    "bad-utf8": (0, "complete", "invalid_utf8"),
    "status-401": (0, "complete", "http_error"),
    "redirect": (0, "complete", "redirect_refused"),
    "json-200": (0, "complete", "unexpected_content_type"),
}


@needs_curl
@pytest.mark.parametrize("model", ENDS)
def test_a_connection_ends_as_the_upstreams_did(model: str, sse_provider: Provider, tmp_path: Path) -> None:
    """The client notices what it would have noticed; the exchange is stored with its end."""
    status, end, code = ENDS[model]
    path, verify = tmp_path / "a.yaml", sse_provider.ssl_context()
    with RecordingProxy(sse_provider.url, path, verify=verify, idle=0.4) as proxy:
        client = curl(proxy.url + PATH, sse_provider, model, tmp_path)
        got = client.communicate(timeout=60)[0]
        assert client.returncode == status
        assert proxy.wait(20)
        (exchanged,) = proxy.exchanges
    assert (exchanged.end, exchanged.code, exchanged.problem) == (end, code, "")
    stored = recorder.load_cassette(path).interactions[0].response
    assert stored.body == got == b"".join(sse_provider.sent)
    assert stored.end is not None
    assert stored.end.kind == end
    assert len(sse_provider.requests) == 1


@pytest.mark.parametrize(("model", "status"), [("reset-head", 502), ("refuse-head", 502), ("stall-head", 504)])
def test_no_answer_is_an_answer_of_the_proxy(model: str, status: int, sse_provider: Provider, tmp_path: Path) -> None:
    """502 or 504, one request, and nothing is stored."""
    path, verify = tmp_path / "a.yaml", sse_provider.ssl_context()
    with RecordingProxy(sse_provider.url, path, verify=verify, deadline=0.5) as proxy:
        assert ask(proxy, sse_provider, model).status_code == status
        assert proxy.wait(20)
        assert proxy.exchanges[0].problem == "no answer came"
    assert len(sse_provider.requests) == 1
    assert list(tmp_path.iterdir()) == []


def raw(proxy: RecordingProxy, request: bytes) -> bytes:
    """The answer to bytes that no client sends."""
    with socket.create_connection(("127.0.0.1", int(proxy.url.rpartition(":")[2])), timeout=10) as sock:
        sock.sendall(request)
        answer = b""
        while data := sock.recv(65536):
            answer += data
    return answer


REFUSED = {
    "CONNECT": (b"CONNECT api.example.com:443 HTTP/1.1\r\nhost: api.example.com:443\r\n\r\n", 405),
    "absolute form": (b"GET http://api.example.com/v1 HTTP/1.1\r\nhost: HOST\r\n\r\n", 421),
    "absolute form of the upstream": (b"GET https://UPSTREAM/v1 HTTP/1.1\r\nhost: UPSTREAM\r\n\r\n", 421),
    "another host": (b"GET /v1 HTTP/1.1\r\nhost: evil.example\r\n\r\n", 421),
    "another port": (b"GET /v1 HTTP/1.1\r\nhost: 127.0.0.1:1\r\n\r\n", 421),
    "the upstream's host": (b"GET /v1 HTTP/1.1\r\nhost: UPSTREAM\r\n\r\n", 421),
    "no host": (b"GET /v1 HTTP/1.1\r\n\r\n", 400),
    "two hosts": (b"GET /v1 HTTP/1.1\r\nhost: HOST\r\nhost: evil.example\r\n\r\n", 400),
    "no path": (b"OPTIONS * HTTP/1.1\r\nhost: HOST\r\n\r\n", 421),
    "not HTTP": (b"\x16\x03\x01 hello\r\n\r\n", 400),
    "a body without an end": (
        b"POST /v1 HTTP/1.1\r\nhost: HOST\r\ncontent-length: 99999999\r\n\r\n" + b"x" * 70000,
        413,
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_nothing_else_is_forwarded(name: str, sse_provider: Provider, proxy: RecordingProxy, tmp_path: Path) -> None:
    """Any other host, tunnels and absolute URLs are refused; nothing reaches the upstream, nothing is stored."""
    request, status = REFUSED[name]
    host, upstream = proxy.url.removeprefix("http://"), sse_provider.url.removeprefix("https://")
    request = request.replace(b"HOST", host.encode()).replace(b"UPSTREAM", upstream.encode())
    if name == "a body without an end":
        request = request.replace(b"99999999", b"40000000") + b"x" * 40_000_000
    answer = raw(proxy, request)
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"evil" not in answer
    assert (sse_provider.requests, proxy.exchanges, list(tmp_path.iterdir())) == ((), (), [])


class Upstream(threading.Thread):
    """Answers one connection with fixed bytes, over plain TCP."""

    def __init__(self, answer: bytes) -> None:
        super().__init__(daemon=True)
        self._answer, self._listener = answer, socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.start()

    def run(self) -> None:
        connection, _ = self._listener.accept()
        with connection, self._listener:
            while b"\r\n\r\n" not in connection.recv(65536):
                pass
            connection.sendall(self._answer)


@pytest.mark.parametrize(
    ("head", "body", "said", "sent"),
    [
        ("content-length: 9\r\n", b"data: 1\n\n", b"content-length: 9\r\n", b"data: 1\n\n"),
        ("", b"data: 1\n\n", b"", b"data: 1\n\n"),
        (
            "content-length: 5\r\ntransfer-encoding: chunked\r\n",
            b"9\r\ndata: 1\n\n\r\n0\r\n\r\n",
            b"transfer-encoding: chunked\r\n",
            b"9\r\ndata: 1\n\n\r\n0\r\n\r\n",
        ),
    ],
)
def test_the_framing_is_the_upstreams(tmp_path: Path, head: str, body: bytes, said: bytes, sent: bytes) -> None:
    """By length, by the end of the connection, in chunks; of two that contradict, the one that counts."""
    answer = f"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n{head}\r\n".encode() + body
    upstream = Upstream(answer)
    with RecordingProxy(upstream.url, tmp_path / "a.yaml") as proxy:
        host = proxy.url.removeprefix("http://").encode()
        got, _, rest = raw(proxy, b"GET /v1 HTTP/1.1\r\nhost: %b\r\n\r\n" % host).partition(b"\r\n\r\n")
        assert proxy.wait(20)
    framed = [line + b"\r\n" for line in got.split(b"\r\n") if line.startswith((b"content-length", b"transfer-"))]
    assert (b"".join(framed), rest) == (said, sent)
    assert recorder.load_cassette(tmp_path / "a.yaml").interactions[0].response.body == b"data: 1\n\n"


def test_a_path_stays_a_path(sse_provider: Provider, proxy: RecordingProxy) -> None:
    """Whatever it looks like, it goes to the upstream, as it is."""
    host = proxy.url.removeprefix("http://").encode()
    for target in (b"//evil.example/v1", b"/@evil.example/", b"/v1/%2e%2e/x?a=%41&b=[1]"):
        raw(proxy, b"GET %b HTTP/1.1\r\nhost: %b\r\n\r\n" % (target, host))
    assert [request.target for request in sse_provider.requests] == [
        "//evil.example/v1", "/@evil.example/", "/v1/%2e%2e/x?a=%41&b=[1]",
    ]  # fmt: skip


def test_headers_about_a_connection_stay_on_it(sse_provider: Provider, proxy: RecordingProxy) -> None:
    """RFC 9110 section 7.6.1; the others pass, the credential too."""
    more = {"connection": "x-mine", "x-mine": "1", "te": "trailers", "proxy-authorization": "Basic eA==", "x-kept": "2"}
    assert ask(proxy, sse_provider, "chat-lf", **more).status_code == 200
    (request,) = sse_provider.requests
    headers = dict(request.headers)
    assert not {"x-mine", "te", "proxy-authorization"} & set(headers)
    assert (headers["x-kept"], headers["authorization"]) == ("2", f"Bearer {sse_provider.key}")
    assert headers["host"] == sse_provider.url.removeprefix("https://")
    assert request.body.decode() == body_of("chat-lf")


def test_a_client_that_leaves_is_noticed(sse_provider: Provider, proxy: RecordingProxy, tmp_path: Path) -> None:
    """Also while the upstream is silent: its connection is closed, and what had come is stored."""
    headers = {"authorization": f"Bearer {sse_provider.key}"}
    with httpx2.stream("POST", proxy.url + PATH, content=body_of("stall-mid"), headers=headers) as response:
        next(response.iter_raw())
    assert proxy.wait(20)
    assert (proxy.exchanges[0].end, proxy.exchanges[0].code) == ("client_closed", "cancelled")
    assert sse_provider.wait_ended(10, count=1)
    assert recorder.load_cassette(tmp_path / "a.yaml").interactions[0].response.body


def test_there_is_a_cap_on_what_runs_at_once(sse_provider: Provider, tmp_path: Path) -> None:
    """A further request is answered with 503, and the one that runs is not disturbed."""
    path, verify = tmp_path / "a.yaml", sse_provider.ssl_context()
    headers = {"authorization": f"Bearer {sse_provider.key}"}
    sse_provider.hold(after=2)
    with (
        RecordingProxy(sse_provider.url, path, verify=verify, max_concurrent=1) as proxy,
        httpx2.stream("POST", proxy.url + PATH, content=body_of("chat-lf"), headers=headers) as response,
    ):
        assert ask(proxy, sse_provider, "chat-lf").status_code == 503
        sse_provider.release()
        assert len(response.read()) == 2440
        assert proxy.wait(20)
        assert ask(proxy, sse_provider, "chat-lf").status_code == 200
    assert len(sse_provider.requests) == 2


def test_a_client_of_http_1_0_gets_no_chunks(sse_provider: Provider, proxy: RecordingProxy) -> None:
    """RFC 9112 section 7: it does not know them; its body ends with the connection."""
    host, body = proxy.url.removeprefix("http://"), body_of("chat-lf").encode()
    head = f"POST {PATH} HTTP/1.0\r\nhost: {host}\r\nauthorization: Bearer {sse_provider.key}\r\n"
    with socket.create_connection(("127.0.0.1", int(host.rpartition(":")[2])), 20) as sock:
        sock.sendall(f"{head}content-length: {len(body)}\r\n\r\n".encode() + body)
        answer = b"".join(iter(lambda: sock.recv(65536), b""))
    head_of_answer, _, content = answer.partition(b"\r\n\r\n")
    assert head_of_answer.startswith(b"HTTP/1.1 200 ")
    assert b"transfer-encoding" not in head_of_answer.lower()
    assert (len(content), content[-14:]) == (2440, b"data: [DONE]\n\n")


def test_once_is_once(sse_provider: Provider, tmp_path: Path) -> None:
    """The second exchange is answered with 503, also when the first is long over, and never reaches the upstream."""
    path, verify = tmp_path / "a.yaml", sse_provider.ssl_context()
    with RecordingProxy(sse_provider.url, path, verify=verify, once=True) as proxy:
        assert ask(proxy, sse_provider, "chat-lf").status_code == 200
        assert proxy.wait(20)
        assert ask(proxy, sse_provider, "chat-lf").status_code == 503
    assert len(sse_provider.requests) == 1
    assert len(recorder.load_cassette(path).interactions) == 1


def test_an_answer_of_just_the_most_bytes_passes(sse_provider: Provider, tmp_path: Path) -> None:
    """2,440 bytes under a limit of 2,440."""
    path, verify = tmp_path / "a.yaml", sse_provider.ssl_context()
    with RecordingProxy(sse_provider.url, path, verify=verify, max_bytes=2440) as proxy:
        assert len(ask(proxy, sse_provider, "chat-lf").content) == 2440
        assert proxy.wait(20)
    assert [(each.code, each.end, each.bytes) for each in proxy.exchanges] == [("accepted", "complete", 2440)]


def test_an_answer_of_more_bytes_is_cut_off(sse_provider: Provider, tmp_path: Path) -> None:
    """One byte more, and the client's connection breaks inside the framing, as one that lost its upstream."""
    path, verify = tmp_path / "a.yaml", sse_provider.ssl_context()
    with RecordingProxy(sse_provider.url, path, verify=verify, max_bytes=2439) as proxy:
        with pytest.raises(httpx2.RemoteProtocolError):
            ask(proxy, sse_provider, "chat-lf")
        assert proxy.wait(20)
    assert [each.end for each in proxy.exchanges] == ["client_closed"]


def test_what_is_the_same_has_the_same_stand_in(tmp_path: Path) -> None:
    """Over all exchanges of a file; the key of one is looked for in the others."""
    echo = Scenario("echo", pieces=(Piece(0.0, b'data: {"user":"mail planted.person@example.com"}\n\n'),))
    with Provider(scenarios=[echo]) as provider:
        path = tmp_path / "a.yaml"
        with RecordingProxy(provider.url, path, verify=provider.ssl_context()) as proxy:
            for number in (1, 2):
                assert b"planted.person" in ask(proxy, provider, "echo").content
                assert proxy.wait(20, count=number)
    first, second = (each.response.body for each in recorder.load_cassette(path).interactions)
    assert first == second
    assert b"REDACTED-0001" in first


def test_what_is_refused_stops_nobody(tmp_path: Path) -> None:
    """A secret that cannot be replaced: its exchange is not in the file, the next one is."""
    import base64

    key = "sk-planted-31415926535"
    twice = base64.b64encode(base64.b64encode(key.encode()))
    bad = Scenario("bad", pieces=(Piece(0.0, b"data: %b\n\n" % twice),))
    with Provider(scenarios=[bad], key=key) as provider:
        path = tmp_path / "a.yaml"
        with RecordingProxy(provider.url, path, verify=provider.ssl_context()) as proxy:
            assert twice in ask(proxy, provider, "bad").content
            assert proxy.wait(20, count=1)
            assert "a secret is still there" in proxy.exchanges[0].problem
            assert not path.exists()
            assert ask(proxy, provider, "chat-lf").status_code == 200
            assert proxy.wait(20, count=2)
    assert len(recorder.load_cassette(path).interactions) == 1
    assert key not in path.read_text("utf-8") + repr(proxy.exchanges)


def test_what_is_under_way_at_the_end_is_stored(sse_provider: Provider, tmp_path: Path) -> None:
    """Stopping the proxy does not lose it."""
    path = tmp_path / "a.yaml"
    proxy = RecordingProxy(sse_provider.url, path, verify=sse_provider.ssl_context()).start()
    headers = {"authorization": f"Bearer {sse_provider.key}"}
    with httpx2.stream("POST", proxy.url + PATH, content=body_of("stall-mid"), headers=headers) as response:
        next(response.iter_raw())
        proxy.stop()
    assert [each.end for each in proxy.exchanges] == ["client_closed"]
    assert recorder.load_cassette(path).interactions[0].response.body


def test_it_listens_on_loopback_only(proxy: RecordingProxy) -> None:
    """127.0.0.1 and no other address of this machine."""
    port = int(proxy.url.rpartition(":")[2])
    with socket.socket() as sock:
        sock.settimeout(1)
        assert sock.connect_ex(("127.0.0.2", port)) != 0


@pytest.mark.parametrize(
    ("upstream", "said"),
    [
        ("http://api.example.com", "https only"),
        ("api.example.com", "must be absolute"),
        ("ftp://api.example.com", "must be absolute"),
        ("https://me:PLANTED@api.example.com", "a scheme and a host"),
        ("https://PLANTED@api.example.com", "a scheme and a host"),
        ("https://:PLANTED@api.example.com", "a scheme and a host"),
        ("https://api.example.com?key=PLANTED", "a scheme and a host"),
        ("https://api.example.com#PLANTED", "a scheme and a host"),
        ("https://api.example.com:PLANTED", "cannot be read"),
    ],
)
def test_an_upstream_that_cannot_be_used_is_refused(upstream: str, said: str, tmp_path: Path) -> None:
    """At once."""
    with pytest.raises(ConfigurationError, match=said) as caught:
        RecordingProxy(upstream, tmp_path / "a.yaml")
    assert "PLANTED" not in str(caught.value)


def test_an_existing_file_is_not_touched(tmp_path: Path) -> None:
    """Before anything is listened on."""
    (tmp_path / "a.yaml").write_text("mine")
    with pytest.raises(recorder.CassetteError, match="exists"):
        RecordingProxy("https://api.example.com", tmp_path / "a.yaml")
    assert (tmp_path / "a.yaml").read_text() == "mine"
