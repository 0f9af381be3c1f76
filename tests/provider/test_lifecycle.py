"""Starting, holding, stopping; secrets in reprs; and faults of the provider itself."""

from __future__ import annotations

import json
import pickle
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import httpx2
import pytest

from recorder.provider import BuiltScenario, Exchange, Piece, Provider, Scenario, SeenRequest

PATH = "/v1/chat/completions"
Ask = Callable[..., Any]


def threads() -> list[str]:
    return [thread.name for thread in threading.enumerate() if thread.name.startswith("recorder-provider")]


def refused(port: int) -> bool:
    with socket.socket() as sock:
        return sock.connect_ex(("127.0.0.1", port)) != 0


def test_a_run_has_its_own_key_port_and_authority() -> None:
    """Nothing is shared between two providers, and one's key is worth nothing at the other."""
    with Provider(pace=0) as one, Provider(pace=0) as other:
        assert one.key.startswith("sk-loopback-")
        assert other.key.startswith("sk-loopback-")
        assert len({one.key, other.key}) == len({one.url, other.url}) == len({one.ca_pem, other.ca_pem}) == 2
        headers = {"authorization": f"Bearer {other.key}"}
        with httpx2.Client(verify=one.ssl_context(), trust_env=False) as http:
            assert http.post(one.url + PATH, headers=headers, json={}).status_code == 401


def test_the_url_is_loopback_only() -> None:
    """127.0.0.1 and a port of the system's choice."""
    with Provider() as secure, Provider(tls=False) as plain:
        assert secure.url == f"https://127.0.0.1:{secure.port}"
        assert plain.url == f"http://127.0.0.1:{plain.port}"
        assert 0 < secure.port < 65536


def test_no_repr_shows_the_key(secure: Provider, ask: Ask) -> None:
    """Nor the prompt, nor a query, whatever is printed; and what holds them has no serializer."""
    ask(secure, body=b'{"model":"echo-key","prompt":"planted-prompt"}', target=f"{PATH}?key={secure.key}")
    (exchange,) = secure.wait_ended()
    shown = repr(secure) + repr(exchange) + str(exchange.request) + repr(secure.requests) + repr(secure.exchanges)
    assert secure.key in exchange.request.target
    assert secure.key not in shown
    assert "planted-prompt" not in shown
    assert shown.startswith(f"<Provider {secure.url}>Exchange(")
    for value in (exchange, exchange.request):
        with pytest.raises(TypeError, match="never serialized"):
            pickle.dumps(value)


def test_a_seen_request_says_what_is_harmless() -> None:
    """Method, path, counts; the query may hold a key and is left out."""
    request = SeenRequest("POST", "/v1/x?key=secret", "1.1", (("authorization", "Bearer secret"),), b"secret", True)
    assert repr(request) == "SeenRequest(POST /v1/x, HTTP/1.1, 1 headers, 6 bytes, authorized=True)"
    assert repr(Exchange(request)).startswith("Exchange(request=SeenRequest(POST /v1/x, ")


def test_stopping_ends_what_is_open(connect: Callable[..., Any], request_with: Ask) -> None:
    """A stalled answer, a held one, an idle connection, half a request, half a handshake, and the thread."""
    provider = Provider(pace=0).start()
    stalled, held, half = connect(provider), connect(provider), connect(provider)
    connect(provider)
    stalled.send(request_with(provider.key, b'{"model":"stall-mid"}'))
    stalled.read_until(b" and a\\")
    hold = provider.hold(after=2)
    held.send(request_with(provider.key, b"{}"))
    hold.wait_reached()
    half.send(b"POST /v1/chat/completions HTTP/1.1\r\nhost")
    with socket.create_connection(("127.0.0.1", provider.port), 20) as sock:
        sock.sendall(b"\x16\x03\x01")
        provider.stop()
    assert threads() == []
    assert refused(provider.port)
    assert [exchange.ended for exchange in provider.exchanges] == ["stopped", "stopped"]
    assert [len(exchange.sent) for exchange in provider.exchanges] == [12, 2]
    for client in (stalled, held, half):
        assert client.read_all()[1] in ("cut", "reset")
    provider.release()
    provider.stop()


def test_what_was_seen_outlives_the_run(ask: Ask) -> None:
    """After the stop the url, the requests and the sent pieces can still be read."""
    with Provider(pace=0) as provider:
        ask(provider, "chat-lf")
        url = provider.url
    assert provider.url == url
    assert (len(provider.requests), len(provider.sent)) == (1, 19)
    assert repr(provider) == f"<Provider {url}, stopped>"


def test_a_provider_runs_once() -> None:
    """A run has its own key: a second start would be another provider."""
    with Provider() as provider, pytest.raises(RuntimeError, match="this provider was started before"):
        provider.start()
    with pytest.raises(RuntimeError, match="this provider was started before"):
        provider.start()


@pytest.mark.parametrize("attribute", ["url", "port", "ca_pem"])
def test_before_the_start_there_is_no_address(attribute: str) -> None:
    """The message says how to start."""
    provider = Provider()
    with pytest.raises(RuntimeError, match=r"use `with Provider\(\) as provider:`"):
        getattr(provider, attribute)
    assert (provider.requests, provider.sent, repr(provider)) == ((), (), "<Provider, not started>")
    provider.stop()


def test_plain_http_has_no_authority() -> None:
    """Asking for trust where there is no TLS is a mistake, and said so."""
    with Provider(tls=False) as provider, pytest.raises(RuntimeError, match="plain HTTP: pass tls=True"):
        provider.ssl_context()


def test_a_failure_to_listen_surfaces_in_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    """And leaves no thread behind."""

    def no_socket(*_: Any, **__: Any) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(socket, "create_server", no_socket)
    with pytest.raises(OSError, match="Too many open files"):
        Provider(tls=False).start()
    assert threads() == []


def test_a_failure_on_the_server_s_thread_surfaces_at_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loop cannot be made: start() raises, with the cause, and the port is closed."""
    import asyncio

    ports: list[int] = []
    listen = socket.create_server

    def noted(*args: Any, **kwargs: Any) -> socket.socket:
        made = listen(*args, **kwargs)
        ports.append(made.getsockname()[1])
        return made

    def no_loop() -> None:
        raise OSError("no event loop today")

    monkeypatch.setattr(socket, "create_server", noted)
    monkeypatch.setattr(asyncio, "SelectorEventLoop", no_loop)
    with pytest.raises(RuntimeError, match="the provider could not start") as caught:
        Provider(tls=False).start()
    assert str(caught.value.__cause__) == "no event loop today"
    assert threads() == []
    assert refused(ports[0])


def broken_provider() -> Provider:
    def build(request: SeenRequest) -> Scenario:
        raise LookupError("a builder's own mistake")

    return Provider(scenarios=[BuiltScenario("broken", build)], pace=0, tls=False)


def test_a_failing_builder_surfaces_at_the_stop(ask: Ask) -> None:
    """The client sees a closed connection; whoever owns the provider sees why."""
    provider = broken_provider().start()
    assert ask(provider, "broken").head == b""
    with pytest.raises(RuntimeError, match=r"the provider failed while it served \(LookupError\)") as caught:
        provider.stop()
    assert isinstance(caught.value.__cause__, LookupError)
    provider.stop()


def test_the_body_s_own_exception_is_not_replaced(ask: Ask) -> None:
    """When the with block raises and the provider failed too, the first is raised and the second is a note."""

    def use() -> None:
        with broken_provider() as provider:
            ask(provider, "broken")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError) as caught:
        use()
    assert caught.value.__notes__ == ["the provider failed while it served (LookupError)"]


def test_a_hold_is_for_one_answer(plain: Provider, ask: Ask) -> None:
    """Released before it is reached it does not stop the answer, and the answer after it is not held."""
    plain.hold(after=3)
    plain.release()
    assert ask(plain, "chat-lf").status == 200
    hold = plain.hold(after=3)
    hold.release()
    assert ask(plain, "chat-lf").status == 200
    assert ask(plain, "chat-lf").status == 200
    plain.release()


def test_a_refusal_does_not_use_up_the_hold(
    plain: Provider, ask: Ask, connect: Callable[..., Any], request_with: Ask
) -> None:
    """Only a scenario's answer is held."""
    hold = plain.hold(after=0)
    assert ask(plain, "nobody").status == 404
    client = connect(plain)
    client.send(request_with(plain.key, b'{"model":"empty-200"}'))
    hold.wait_reached()
    assert client.read_until(b"\r\n\r\n").endswith(b"\r\n\r\n")
    assert plain.exchanges[-1].ended is None
    plain.release()
    client.read_until(b"0\r\n\r\n")
    assert plain.wait_ended()[-1].ended == "complete"


def test_two_answers_can_be_held_at_once(plain: Provider, connect: Callable[..., Any], request_with: Ask) -> None:
    """Each has its own gate; release() opens both."""
    clients = []
    for _ in range(2):
        hold = plain.hold(after=1)
        clients.append(connect(plain))
        clients[-1].send(request_with(plain.key, b"{}"))
        hold.wait_reached()
    assert [exchange.ended for exchange in plain.exchanges] == [None, None]
    plain.release()
    for client in clients:
        client.read_until(b"\r\n0\r\n\r\n")
    assert [exchange.ended for exchange in plain.wait_ended()] == ["complete", "complete"]


def test_a_held_answer_notices_that_the_client_left(
    plain: Provider, connect: Callable[..., Any], request_with: Ask
) -> None:
    """A gate nobody opens does not keep a dead connection."""
    hold = plain.hold(after=1)
    client = connect(plain)
    client.send(request_with(plain.key, b"{}"))
    hold.wait_reached()
    client.close()
    assert plain.wait_ended()[0].ended == "client_left"
    hold.release()


def test_misuse_of_holds() -> None:
    """A second hold for the same answer, a negative count, a hold that is never reached."""
    provider = Provider()
    with pytest.raises(ValueError, match=r"hold\(after=-1\): a number of pieces, zero or more"):
        provider.hold(after=-1)
    hold = provider.hold(after=2)
    with pytest.raises(RuntimeError, match="a hold after 2 pieces already waits for the next answer"):
        provider.hold(after=1)
    with pytest.raises(TimeoutError, match="no answer came to the hold after 2 pieces within 0 s"):
        hold.wait_reached(timeout=0)


def test_waiting_for_requests_that_do_not_come() -> None:
    """The wait ends with an error that says what was waited for."""
    with Provider(tls=False) as provider:
        assert provider.wait_ended() == ()
        with pytest.raises(
            TimeoutError, match="after 0 s an answer is still under way, or fewer than 1 requests have come"
        ):
            provider.wait_ended(0, count=1)


def test_the_pace_scales_every_delay(connect: Callable[..., Any], request_with: Ask) -> None:
    """With pace 0 a day's delays before the head, a piece and the end cost nothing."""
    day = 86_400.0
    mine = Scenario("mine", pieces=(Piece(day, b"x"), Piece(day, b"y")), head_delay_s=day, end_delay_s=day)
    with Provider(scenarios=[mine], pace=0, tls=False) as provider:
        client = connect(provider)
        client.send(request_with(provider.key, b'{"model":"mine"}'))
        assert client.read_until(b"0\r\n\r\n").endswith(b"\r\n\r\n1\r\nx\r\n1\r\ny\r\n0\r\n\r\n")


def test_delays_are_kept_at_pace_one(ask: Ask) -> None:
    """No piece is handed over before its time; the times noted are those of the pieces."""
    mine = Scenario("mine", pieces=(Piece(0.0, b"a"), Piece(0.02, b"b"), Piece(0.03, b"c")))
    with Provider(scenarios=[mine], tls=False) as provider:
        assert ask(provider, "mine").chunks() == ([b"a", b"b", b"c"], True)
        (exchange,) = provider.wait_ended()
    first, second, third = exchange.sent_at
    assert second - first >= 0.019  # the loop's clock may be a millisecond coarse
    assert third - second >= 0.029


def test_an_endless_answer_does_not_fill_the_memory(connect: Callable[..., Any], request_with: Ask) -> None:
    """At most 10,000 pieces are noted, however many were sent."""
    many = Scenario("many", pieces=tuple(Piece(0.0, b"x") for _ in range(10_050)))
    with Provider(scenarios=[many], pace=0, tls=False) as provider:
        client = connect(provider)
        client.send(request_with(provider.key, b'{"model":"many"}'))
        client.read_until(b"\r\n0\r\n\r\n")
        assert len(provider.sent) == 10_000


@pytest.mark.parametrize("tls", [True, False])
def test_a_client_that_leaves_in_the_middle_of_a_burst(
    connect: Callable[..., Any], request_with: Ask, tls: bool
) -> None:
    """More than any socket buffer holds: the provider notices while it writes, and goes on serving."""
    burst = Scenario("burst", pieces=tuple(Piece(0.0, b"x" * 1_000_000) for _ in range(40)))
    with Provider(scenarios=[burst], pace=0, tls=tls) as provider:
        client = connect(provider)
        client.send(request_with(provider.key, b'{"model":"burst"}'))
        client.read_until(b"\r\n\r\n")
        client.close()
        (exchange,) = provider.wait_ended(count=1)
        assert exchange.ended == "client_left"
        assert len(exchange.sent) < 40


def test_connections_that_say_nothing_disturb_nobody(provider: Provider, ask: Ask) -> None:
    """Opened and closed at once, before any handshake or request."""
    for _ in range(20):
        socket.create_connection(("127.0.0.1", provider.port), 20).close()
    assert ask(provider, "empty-200").status == 200
    assert len(provider.requests) == 1


def test_a_server_that_can_take_no_more_connections_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """Out of file descriptors: clients are refused instead of waiting for ever, and the stop raises."""
    provider = Provider(tls=False).start()

    def no_more(listener: socket.socket) -> None:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(socket.socket, "accept", no_more)
    with suppress(ConnectionResetError), socket.create_connection(("127.0.0.1", provider.port), 20) as sock:
        sock.recv(1)
    assert refused(provider.port)
    with pytest.raises(RuntimeError, match=r"the provider failed while it served \(OSError\)"):
        provider.stop()


def test_the_light_door_loads_no_server() -> None:
    """`import recorder` brings in neither this room nor h11 nor trustme."""
    code = "import recorder, json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"recorder.provider", "h11", "trustme", "asyncio"} & set(json.loads(done.stdout))


def test_an_interpreter_that_ends_is_not_kept_waiting() -> None:
    """A provider that was never stopped does not hold up the exit of its process, and no thread complains."""
    code = "from recorder.provider import Provider; print(Provider().start().url[:18])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert (done.stdout, done.stderr) == ("https://127.0.0.1:\n", "")


def test_the_authority_is_a_file_too_until_the_stop() -> None:
    """For clients that are told about it by SSL_CERT_FILE."""
    with Provider() as provider:
        path = provider.ca_file
        assert path.read_bytes() == provider.ca_pem
        assert provider.ca_file == path
    assert not path.exists()
