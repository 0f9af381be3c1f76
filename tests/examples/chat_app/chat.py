"""A small application: it asks a chat API and prints the answer as it comes."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx

import recorder

URL = "https://loopback.invalid/v1/chat/completions"


class CutOff(Exception):
    """The answer stopped before its end; `text` is what had come."""

    def __init__(self, text: str) -> None:
        super().__init__("the answer was cut off")
        self.text = text


def answer(client: httpx.Client, prompt: str) -> Iterator[str]:
    """The pieces of the answer.

    Raises:
        CutOff: the stream ended before `[DONE]`.
    """
    body = {"model": "chat-lf", "stream": True, "messages": [{"role": "user", "content": prompt}]}
    text = ""
    try:
        with client.stream("POST", URL, json=body, headers={"accept": "text/event-stream"}) as response:
            response.raise_for_status()
            for event in recorder.iter_events(response.iter_bytes()):  # lines of httpx end at U+2028 too
                if event.data == "[DONE]":
                    return
                if choices := json.loads(event.data)["choices"]:
                    piece = choices[0]["delta"].get("content") or ""
                    text += piece
                    yield piece
    except httpx.TransportError as error:
        raise CutOff(text) from error
    raise CutOff(text)


def answer_with_one_retry(client: httpx.Client, prompt: str) -> str:
    """The whole answer; asks once more when it was cut off."""
    try:
        return "".join(answer(client, prompt))
    except CutOff:
        return "".join(answer(client, prompt))
