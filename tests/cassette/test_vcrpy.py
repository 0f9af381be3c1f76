"""Our files in stock vcrpy, the installed version: loaded, replayed by real clients, saved again."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import aiohttp
import httpx
import pytest
import requests
import vcr
from vcr.errors import CannotOverwriteExistingCassetteException

from recorder.cassette import (
    Cassette,
    Headers,
    Interaction,
    Request,
    Response,
    dump_cassette,
    load_cassette,
)

URL = "https://api.example.com/v1/chat/completions?alt=sse"
BODY = 'data: {"text":"漢字 🙂"}\n\ndata: [DONE]\n\n'.encode()
CRLF = BODY.replace(b"\n", b"\r\n")
BROKEN = BODY + b"data: \xff\n\n"


def by_httpx() -> bytes:
    return httpx.post(URL, content=b"{}").content


def by_httpx_streaming() -> bytes:
    with httpx.stream("POST", URL, content=b"{}") as response:
        return b"".join(response.iter_bytes())


def by_requests() -> bytes:
    return requests.post(URL, data=b"{}", timeout=5).content


def by_requests_streaming() -> bytes:
    with requests.post(URL, data=b"{}", timeout=5, stream=True) as response:
        return b"".join(response.iter_content(7))


def by_aiohttp() -> bytes:
    async def post() -> bytes:
        async with aiohttp.ClientSession() as session, session.post(URL, data=b"{}") as response:
            return await response.read()

    return asyncio.run(post())


def saved(folder: Path, cassette: Cassette, *, ascii: bool = False) -> Path:
    path = folder / "chat.yaml"
    path.write_bytes(dump_cassette(cassette, ascii=ascii).encode())
    return path


def with_body(cassette: Cassette, body: bytes) -> Cassette:
    (interaction,) = cassette.interactions
    response = Response(200, interaction.response.headers, body, reason="OK")
    return Cassette((Interaction(interaction.request, response),))


@pytest.mark.parametrize("client", [by_httpx, by_httpx_streaming, by_requests, by_requests_streaming, by_aiohttp])
@pytest.mark.parametrize("body", [BODY, CRLF, BROKEN, b""], ids=["LF", "CRLF", "not UTF-8", "empty"])
def test_replay(tmp_path: Path, whole_cassette: Cassette, client: Callable[[], bytes], body: bytes) -> None:
    """Every client gets the body's bytes from vcrpy, as if vcrpy had recorded them."""
    path = saved(tmp_path, with_body(whole_cassette, body))
    with vcr.use_cassette(str(path), record_mode="none"):
        assert client() == body


def test_vcrpy_saves_our_key_again(tmp_path: Path, whole_cassette: Cassette) -> None:
    """What vcrpy writes after us still has chunks, end and facts, and they still fit."""
    path = saved(tmp_path, whole_cassette)
    with vcr.use_cassette(str(path), record_mode="new_episodes") as stored:
        stored.dirty = True
    assert path.read_text("utf-8").startswith("interactions:")
    assert load_cassette(path) == whole_cassette


def test_written_by_us_after_vcrpy(tmp_path: Path, whole_cassette: Cassette, whole_file: str) -> None:
    """Read from vcrpy's form and written by us, it has our lines: vcrpy drops the comments and sorts the headers."""
    path = saved(tmp_path, whole_cassette)
    with vcr.use_cassette(str(path), record_mode="new_episodes") as stored:
        stored.dirty = True
    again = dump_cassette(load_cassette(path))
    assert sorted(["# Recorded for the tests.", "", *again.splitlines()]) == sorted(whole_file.splitlines())


GEMINI = "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"


def test_address_whose_key_was_removed(tmp_path: Path) -> None:
    """A stored address without `?key=` is found by vcrpy when it is told to filter the key, and only then."""
    answer = Response(200, Headers({"content-type": "text/event-stream"}), b"data: {}\r\n\r\n", reason="OK")
    path = saved(tmp_path, Cassette((Interaction(Request("POST", GEMINI, Headers(), b"{}"), answer),)))
    asked = f"{GEMINI}&key=AIzaSy-not-a-real-key"
    with vcr.use_cassette(str(path), record_mode="none", filter_query_parameters=["key"]):
        assert httpx.post(asked, content=b"{}").content == b"data: {}\r\n\r\n"
    with (
        vcr.use_cassette(str(path), record_mode="none"),
        pytest.raises(CannotOverwriteExistingCassetteException),
    ):
        httpx.post(asked, content=b"{}")


LOAD_IN_ASCII = """
import locale, sys
from vcr.persisters.filesystem import FilesystemPersister
from vcr.serializers import yamlserializer
assert locale.getpreferredencoding(False).upper() not in ("UTF-8", "UTF8"), locale.getpreferredencoding(False)
loaded = FilesystemPersister.load_cassette(sys.argv[1], yamlserializer)
sys.stdout.buffer.write(loaded[1][0]["body"]["string"])
"""


def test_locale_that_is_not_utf8(tmp_path: Path, whole_cassette: Cassette) -> None:
    """vcrpy opens files in the encoding of the locale: a file with escapes only loads everywhere."""
    path = saved(tmp_path, whole_cassette, ascii=True)
    environment = {**os.environ, "LC_ALL": "POSIX", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    ran = subprocess.run(
        [sys.executable, "-c", LOAD_IN_ASCII, str(path)], env=environment, stdout=subprocess.PIPE, check=True
    )
    assert ran.stdout == BODY
