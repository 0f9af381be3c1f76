"""The application's tests: one recorded stream, many deliveries, no network and no key."""

from __future__ import annotations

from collections.abc import Iterator

import chat
import httpx
import pytest

PROMPT = "Say hello in five languages."
pytestmark = pytest.mark.sse_cassette("hello.yaml")


@pytest.fixture
def client() -> Iterator[httpx.Client]:
    with httpx.Client(timeout=5) as client:
        yield client


def test_the_answer(client):
    assert "".join(chat.answer(client, PROMPT)).startswith("Hello, reader. 你好，世界。")


@pytest.mark.sse_partitions("classes")
def test_wherever_it_is_cut(client):
    assert "".join(chat.answer(client, PROMPT)).endswith("再见 👋")


@pytest.mark.sse_partitions("cuts")
def test_cut_anywhere(client):
    assert "".join(chat.answer(client, PROMPT)).endswith("再见 👋")


@pytest.mark.sse_partitions(["end=eof@event:3", "end=incomplete@event:3", "end=reset@event:3", "end=stall@event:3"])
def test_a_stream_that_stops_is_told(client):
    with pytest.raises(chat.CutOff) as caught:
        list(chat.answer(client, PROMPT))
    assert caught.value.text.startswith("Hello")


@pytest.mark.sse_cassette("hello.yaml", plan=["end=reset@event:3", "chunks=bytes:1"], allow_playback_repeats=True)
def test_the_second_attempt_succeeds(client, sse_cassette):
    assert chat.answer_with_one_retry(client, PROMPT).endswith("再见 👋")
    assert sse_cassette.played == 2
