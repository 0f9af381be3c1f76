"""Libraries we do not stream: vcrpy's own stand-ins, behind our matching, sanitizing and store."""

from __future__ import annotations

import json
import logging
import re
import urllib.request
import warnings
from pathlib import Path

import pytest

import recorder
from recorder.provider import Provider


def ask(provider: Provider, model: str) -> bytes:
    request = urllib.request.Request(
        f"{provider.url}/v1/chat/completions",
        json.dumps({"model": model, "stream": True}).encode(),
        {"authorization": f"Bearer {provider.key}", "content-type": "application/json"},
    )
    with urllib.request.urlopen(request) as response:
        body: bytes = response.read()
    return body


def test_urllib_is_recorded_and_replayed(plain: Provider, tmp_path: Path) -> None:
    """Whole, sanitized, and matched by what was asked."""
    path = tmp_path / "chat.yaml"
    with recorder.use_cassette(path) as used:
        live = [ask(plain, "chat-lf"), ask(plain, "chat-crlf")]
        assert used.recorded == 2
    assert plain.key not in path.read_text("utf-8")
    asked = len(plain.requests)
    with recorder.use_cassette(path) as used:
        played = [ask(plain, "chat-crlf"), ask(plain, "chat-lf")]
        assert used.unplayed == ()
    assert played == live[::-1]
    assert [len(each) for each in played] == [2466, 2440]
    assert len(plain.requests) == asked


@pytest.mark.parametrize(
    ("model", "plan", "said"),
    [
        ("chat-lf", "end=eof@event:3", r"the plan 'end=eof@event:3' has no effect"),
        ("chat-lf", "chunks=bytes:1", r"the plan 'chunks=bytes:1' has no effect"),
        ("chat-lf", None, ""),
        ("json-200", "end=eof@event:3", ""),
    ],
)
def test_a_plan_without_effect_is_said(
    plain: Provider, tmp_path: Path, model: str, plan: str | None, said: str
) -> None:
    """What reads bodies whole notices no plan: a test that means to break the stream would break nothing."""
    path = tmp_path / "chat.yaml"
    with recorder.use_cassette(path):
        live = ask(plain, model)
    with warnings.catch_warnings(record=True) as warned, recorder.use_cassette(path, plan=plan):
        warnings.simplefilter("always", recorder.errors.CassetteWarning)
        assert ask(plain, model) == live
    told = [str(each.message) for each in warned if each.category is recorder.errors.CassetteWarning]
    assert len(told) == (1 if said else 0)
    assert all(re.match(said, each) for each in told)


def test_a_recorded_end_without_effect_is_said(plain: Provider) -> None:
    """A stream that was reset when it was recorded comes whole."""
    with (
        pytest.warns(recorder.errors.CassetteWarning, match="the plan 'end=recorded' has no effect"),
        recorder.use_cassette(recorder.gallery()["reset-mid"], mode="none", match_on=["method"]),
    ):
        ask(plain, "reset-mid")


def test_urllib_opens_no_socket_in_none(plain: Provider, tmp_path: Path) -> None:
    """A miss is refused before a connection is made."""
    from vcr.errors import CannotOverwriteExistingCassetteException

    asked = len(plain.requests)
    with (
        recorder.use_cassette(tmp_path / "none.yaml", mode="none"),
        pytest.raises(CannotOverwriteExistingCassetteException, match="which does not exist"),
    ):
        ask(plain, "chat-lf")
    assert len(plain.requests) == asked


def test_nothing_is_logged(plain: Provider, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """vcrpy's log would show the request and the response as they are."""
    import vcr

    caplog.set_level(logging.DEBUG)
    with recorder.use_cassette(tmp_path / "a.yaml"):
        ask(plain, "chat-lf")
    assert "vcr" not in {each.name.partition(".")[0] for each in caplog.records}
    with vcr.use_cassette(str(tmp_path / "b.yaml")):
        ask(plain, "chat-lf")
    assert "vcr" in {each.name.partition(".")[0] for each in caplog.records}
    caplog.clear()
    with recorder.streaming(vcr.VCR()).use_cassette(str(tmp_path / "c.yaml")):
        ask(plain, "chat-lf")
    assert "vcr" not in {each.name.partition(".")[0] for each in caplog.records}
    with vcr.use_cassette(str(tmp_path / "d.yaml")):
        ask(plain, "chat-lf")
    assert "vcr" in {each.name.partition(".")[0] for each in caplog.records}


def test_a_connection_of_vcrpys_lifts_none_of_our_stand_ins(tmp_path: Path) -> None:
    """While it connects it puts back originals, in the whole process: not those a request of another thread needs."""
    import http.client

    import httpx2
    import vcr.patch

    real = httpx2.HTTPTransport.handle_request
    with recorder.use_cassette(tmp_path / "a.yaml"):
        ours = httpx2.HTTPTransport.handle_request
        with vcr.patch.force_reset():
            assert httpx2.HTTPTransport.handle_request is ours is not real
            assert http.client.HTTPConnection is vcr.patch._HTTPConnection
        assert http.client.HTTPConnection is not vcr.patch._HTTPConnection
    with vcr.patch.force_reset():
        assert httpx2.HTTPTransport.handle_request is real


def test_what_tornados_stand_in_records(plain: Provider, tmp_path: Path) -> None:
    """Its headers are a list of pairs."""
    from vcr.request import Request

    from recorder.vcr._force import current
    from recorder.vcr._vcrpy import Bridge

    asked = Request("POST", f"{plain.url}/v1/chat/completions", "{}", {"content-type": "application/json"})
    answer = {
        "status": {"code": 200, "message": "OK"},
        "headers": [("Content-Type", ["text/plain"]), ("Vary", ["a", "b"])],
        "body": {"string": b"hello"},
        "url": plain.url,
    }
    with recorder.use_cassette(tmp_path / "a.yaml"):
        bridge = Bridge(current)
        assert not bridge.can_play_response_for(asked)
        bridge.append(asked, answer)
    (interaction,) = recorder.load_cassette(tmp_path / "a.yaml").interactions
    assert (interaction.response.body, interaction.response.headers["vary"]) == (b"hello", ("a", "b"))
    with recorder.use_cassette(tmp_path / "a.yaml"):
        again = Request("POST", f"{plain.url}/v1/chat/completions", b"{}", {"content-type": "application/json"})
        assert bridge.can_play_response_for(again)
        assert bridge.play_response(again)["headers"] == {"content-type": ["text/plain"], "vary": ["a", "b"]}
