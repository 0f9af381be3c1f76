"""`recorder drift`: the stored request made once more, and the two answers compared."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

import recorder
from recorder.cli._app import main
from recorder.provider import Piece, Provider, Scenario

CHUNK = b'data: {"id":"1","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"%s"},%s}]}\n\n'
DONE = b'"finish_reason":"stop"'
GOING = b'"finish_reason":null'


def scenario(*pieces: bytes) -> Scenario:
    return Scenario("drifts", pieces=tuple(Piece(0.0, piece) for piece in (*pieces, b"data: [DONE]\n\n")))


FIRST = scenario(CHUNK % (b"one", GOING), CHUNK % (b"two", DONE))
AGAIN = scenario(CHUNK % (b"other", GOING), CHUNK % (b"words", GOING), CHUNK % (b"more", DONE))
NEW = scenario(CHUNK % (b"one", GOING + b',"logprobs":{"content":[]}'), CHUNK % (b"two", DONE))
KEY = "sk-planted-drift-31415926"

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def drift(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Run:
    """Record one answer, then let the provider give another one and run the command."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("A_KEY", KEY)
    monkeypatch.delenv("CI", raising=False)

    def run(then: Scenario, *more: str, content: str = "hi") -> tuple[int, str, str]:
        body = {"model": "drifts", "stream": True, "messages": [{"role": "user", "content": content}]}
        with Provider(scenarios=[FIRST], key=KEY) as provider:
            url = f"{provider.url}/v1/chat/completions"
            options = {"auth_env": "A_KEY", "verify": provider.ssl_context(), "overwrite": True}
            assert recorder.record_stream(url, path="a.yaml", json=body, **options).ok
            before, first_url = Path("a.yaml").read_text("utf-8"), provider.url
        with Provider(scenarios=[then], key=KEY) as provider:
            Path("ca.pem").write_bytes(provider.ca_pem)
            before = before.replace(first_url, provider.url)
            Path("a.yaml").write_text(before, "utf-8")
            arguments = ["recorder", "drift", "a.yaml", "--auth-env", "A_KEY", "--cacert", "ca.pem", *more]
            monkeypatch.setattr(sys, "argv", arguments)
            with pytest.raises(SystemExit) as left:
                main()
            requests = provider.requests
        assert Path("a.yaml").read_text("utf-8") == before
        told = capfd.readouterr()
        assert KEY not in told.out + told.err
        if "--yes" in more and left.value.code != 2:
            (request,) = requests
            assert json.loads(request.body) == body
            assert dict(request.headers)["authorization"] == f"Bearer {KEY}"
        else:
            assert requests == ()
        return int(left.value.code or 0), told.out, told.err

    return run


def test_the_same_shape_is_no_drift(drift: Run) -> None:
    """Other words, more events of the kind: an answer of a model."""
    status, _, err = drift(AGAIN, "--yes")
    assert (status, "accepted" in err) == (0, True)


@pytest.mark.parametrize("more", [("--exact",), ("--text",)])
def test_more_is_compared_on_request(drift: Run, more: tuple[str, ...]) -> None:
    """Numbers of events, and what was said."""
    assert drift(AGAIN, "--yes", *more)[0] == 1
    assert drift(FIRST, "--yes", *more)[0] == 0


def test_another_shape_is_drift(drift: Run) -> None:
    """A member that was not there; as JSON too."""
    status, out, _ = drift(NEW, "--yes", "--json")
    assert status == 1
    assert json.loads(out)["same"] is False


def test_an_answer_that_is_none_is_drift(drift: Run) -> None:
    """Its code is told."""
    status, _, err = drift(Scenario("drifts", status=500), "--yes")
    assert (status, "http_error" in err) == (1, True)


def test_it_asks_first(drift: Run) -> None:
    """Without --yes and a terminal nothing is sent."""
    status, _, err = drift(FIRST)
    assert (status, "pass --yes" in err) == (2, True)


def test_a_request_with_stand_ins_is_not_repeated(drift: Run) -> None:
    """It is not the one that was made."""
    status, _, err = drift(FIRST, "--yes", content="write to planted.person@example.com")
    assert (status, "stand-ins where values were" in err) == (2, True)
