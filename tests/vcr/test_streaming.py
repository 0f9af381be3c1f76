"""A VCR of the user's own that streams, and cassettes of vcrpy beside ours."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import vcr

import recorder
from recorder.provider import Provider

Make = Callable[..., Any]


def test_a_vcr_streams(call: Make, client: str, tmp_path: Path) -> None:
    """The first event comes before the last is sent; the file is sanitized, has chunks, and stock vcrpy plays it."""
    mine = recorder.streaming(vcr.VCR(cassette_library_dir=str(tmp_path), filter_headers=["accept"]))
    provider, parser, sent = call("").provider, recorder.EventStreamParser(), []

    def look(piece: bytes) -> None:
        if parser.feed(piece) and not sent:
            sent.append(len(provider.sent))
            provider.release()

    provider.hold(after=4)
    with mine.use_cassette("chat.yaml") as cassette:
        live = call("chat-lf", on_piece=look).by(client)
        assert len(cassette) == 1
    assert 0 < sent[0] <= 4 < len(provider.sent)
    (interaction,) = recorder.load_cassette(tmp_path / "chat.yaml").interactions
    assert interaction.response.body == live.body == b"".join(provider.sent)
    assert interaction.response.chunks is not None
    assert "accept" not in interaction.request.headers
    assert provider.key not in (tmp_path / "chat.yaml").read_text("utf-8")
    asked = len(provider.requests)
    with mine.use_cassette("chat.yaml", record_mode="none") as cassette:
        played = call("chat-lf").by(client)
        assert cassette.all_played
    assert list(map(len, played.pieces)) == [chunk.size for chunk in interaction.response.chunks]
    assert played.body == live.body
    with vcr.VCR(record_mode="none").use_cassette(str(tmp_path / "chat.yaml")):
        assert call("chat-lf").by(client).body == live.body
    assert len(provider.requests) == asked


def test_the_decorator_form_streams(call: Make, tmp_path: Path) -> None:
    """Also without a path, where vcrpy names the cassette after the function."""
    mine = recorder.streaming(vcr.VCR(cassette_library_dir=str(tmp_path)))

    @mine.use_cassette
    def chat() -> Any:
        return call("drop-mid").by("httpx2")

    live = chat()
    assert "RemoteProtocolError" in live.error
    (interaction,) = recorder.load_cassette(tmp_path / "chat").interactions
    assert interaction.response.end is not None
    assert interaction.response.end.kind == "incomplete"
    assert chat().error == live.error


def test_an_open_stream_is_stored_and_what_is_ignored_is_not(call: Make, tmp_path: Path) -> None:
    """As vcrpy: a request that a hook drops is made and not recorded."""
    mine = recorder.streaming(
        vcr.VCR(before_record_request=lambda request: None if b"chat-crlf" in request.body else request)
    )
    provider = call("").provider
    with mine.use_cassette(str(tmp_path / "a.yaml")):
        call("chat-crlf").by("httpx2")
        provider.hold(after=1)
        left = call("chat-lf", take=1).by("httpx2")
    (interaction,) = recorder.load_cassette(tmp_path / "a.yaml").interactions
    assert interaction.response.body == left.body == provider.sent[0]


def test_a_json_serializer_and_a_persister_of_ones_own(call: Make, tmp_path: Path) -> None:
    """Both stay in use, behind the sanitizer."""
    kept: list[Any] = []

    class Persister:
        @staticmethod
        def load_cassette(path: str, serializer: Any) -> Any:
            from vcr.persisters.filesystem import CassetteNotFoundError

            raise CassetteNotFoundError

        @staticmethod
        def save_cassette(path: str, cassette_dict: Any, serializer: Any) -> None:
            kept.append((path, cassette_dict))

    mine = recorder.streaming(vcr.VCR(serializer="json"))
    mine.register_persister(Persister)
    with mine.use_cassette("somewhere"):
        live = call("echo-key").by("httpx2")
    ((path, saved),) = kept
    assert path == "somewhere"
    assert call("").provider.key in live.body.decode()
    assert call("").provider.key not in str(saved["responses"]) + str(saved["requests"][0].headers)


def test_a_persister_like_pytest_recordings(call: Make, tmp_path: Path) -> None:
    """An object that loads several files and saves as vcrpy does: the file is ours, with the recorded pieces."""
    from vcr.persisters.filesystem import FilesystemPersister

    class Combined(FilesystemPersister):
        def load_cassette(self, path: str, serializer: Any) -> Any:
            return FilesystemPersister.load_cassette(path, serializer)

    mine = recorder.streaming(vcr.VCR(cassette_library_dir=str(tmp_path), path_transformer=lambda path: f"{path}.yaml"))
    mine.register_persister(Combined())
    for _ in range(2):
        with mine.use_cassette("chat"):
            assert len(call("chat-lf").by("httpx").body) == 2440
    (interaction,) = recorder.load_cassette(tmp_path / "chat.yaml").interactions
    assert interaction.response.chunks is not None


def test_what_is_no_vcr_is_refused() -> None:
    """With what would be right."""
    with pytest.raises(TypeError, match=r"takes a vcr.VCR of vcrpy 9.4 or newer, not dict"):
        recorder.streaming({})


def test_the_innermost_cassette_gets_the_request(call: Make, client: str, tmp_path: Path) -> None:
    """Ours inside of vcrpy's, vcrpy's inside of ours, and ours again inside of that; each keeps to itself."""
    stock = vcr.VCR()
    paths = [tmp_path / f"{n}.yaml" for n in range(4)]
    with recorder.use_cassette(paths[0]):
        call("chat-lf").by(client)
        with stock.use_cassette(str(paths[1])):
            call("chat-crlf").by(client)
            with recorder.use_cassette(paths[2]):
                call("json-200").by(client)
            call("chat-crlf", extra={"n": 2}).by(client)
        call("chat-lf", extra={"n": 2}).by(client)
    with stock.use_cassette(str(paths[3])), recorder.use_cassette(tmp_path / "inner.yaml"):
        call("chat-lf").by(client)
    assert not paths[3].exists()
    models = [
        [b"chat-lf" in (each.request.body or b"") for each in recorder.load_cassette(path).interactions]
        for path in (*paths[:3], tmp_path / "inner.yaml")
    ]
    assert models == [[True, True], [False, False], [False], [True]]


def test_nothing_stays_patched(call: Make, tmp_path: Path, plain: Provider) -> None:
    """Afterwards every library is as it was."""
    import http.client

    import aiohttp
    import httpx
    import httpx2
    import urllib3

    def now() -> list[Any]:
        return [
            httpx.HTTPTransport.handle_request,
            httpx2.AsyncHTTPTransport.handle_async_request,
            urllib3.HTTPConnectionPool._make_request,
            urllib3.HTTPSConnectionPool._prepare_proxy,
            aiohttp.BaseConnector.connect,
            http.client.HTTPConnection,
        ]

    before = now()
    with recorder.use_cassette(tmp_path / "a.yaml"):
        assert all(one is not other for one, other in zip(now(), before, strict=True))
        with recorder.use_cassette(tmp_path / "b.yaml"):
            pass
        with vcr.use_cassette(str(tmp_path / "c.yaml")), recorder.use_cassette(tmp_path / "d.yaml"):
            pass
    assert all(one is other for one, other in zip(now(), before, strict=True))
