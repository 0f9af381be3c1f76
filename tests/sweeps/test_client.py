"""`via="client"`: the reader's real client call, answered by the cassette under every plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
import readers
import requests

import recorder
from recorder.sweeps import Result

PATH = recorder.gallery()["chat-usage"]
STREAM = recorder.load_cassette(PATH).interactions[0]
URL, BODY = STREAM.request.uri, STREAM.request.body


@pytest.fixture
def call() -> Iterator[Callable[[], Any]]:
    """One connection pool for all calls, as an application has it: making one costs more than a run."""
    with httpx.Client(verify=False) as client:

        def reading() -> Any:
            with client.stream("POST", URL, content=BODY) as response:
                return readers.right(response.iter_bytes())

        yield reading


def test_a_right_client_passes_everything(call: Callable[[], Any]) -> None:
    """Every kind, content encodings among the edits; the kind of end is the library's own exception."""
    report = recorder.sweep(call, PATH, kind="all", sample="classes", via="client")
    assert report.ok, str(report)
    encoded = recorder.sweep(call, PATH, via="client", plans=["edit=gzip", "chunks=bytes:1; edit=deflate"])
    assert (encoded.ok, encoded.total) == (True, 2)


def test_a_broken_client_is_caught() -> None:
    """Here it asks for lines of decoded text, which end at U+2028 too, and takes the end of the bytes for the end."""

    def broken() -> Any:
        chat = readers.Chat()
        with requests.post(URL, data=BODY, stream=True, timeout=5) as response:
            for line in response.iter_lines():
                if line.startswith(b"data: {"):
                    chat.over(line[6:].decode())
        return chat.result()

    report = recorder.sweep(broken, PATH, kind="truncations", sample="classes", via="client")
    assert report.counts[Result.SILENT] > 10
    assert report.failures[0].plan.chunks == "whole"


def test_an_async_client() -> None:
    """Awaited in one loop."""
    client = httpx.AsyncClient(verify=False)

    async def reading() -> Any:
        async with client.stream("POST", URL, content=BODY) as response:
            return await recorder.aread(response.aiter_bytes(), recorder.contracts.chat())

    report = recorder.sweep(reading, PATH, kind="cuts", sample=5, via="client")
    assert (report.ok, report.total) == (True, 5)


@pytest.mark.parametrize(
    ("source", "reader", "message"),
    [
        (b"data: [DONE]\n\n", lambda: None, "needs the path of a cassette"),
        (PATH, lambda: None, "asked for no event stream"),
        (PATH, lambda: httpx.get("https://elsewhere.invalid/"), "does not answer a request of the reader"),
    ],
)
def test_what_is_not_a_failure_of_the_reader(source: Any, reader: Any, message: str) -> None:
    """A call that the cassette cannot answer is a mistake in the set-up."""
    with pytest.raises(ValueError, match=message):
        recorder.sweep(reader, source, kind="bytewise", via="client")
    with pytest.raises(ValueError, match="via='socket' is unknown"):
        recorder.sweep(reader, source, via="socket")
