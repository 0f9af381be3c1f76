"""A right reader of chat streams, and twelve broken ones: each has one fault that public code has had.

None of them uses this package. What they raise is an exception of some kind; what they return is a text and a finish.
"""

from __future__ import annotations

import asyncio
import codecs
import json
import os
import re
import signal
import time
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from pathlib import Path
from typing import Any


class Incomplete(Exception):
    """The stream ended before it was over."""


class Upstream(Exception):
    """The provider reported an error."""


class Chat:
    """What the data of events adds up to."""

    def __init__(self) -> None:
        self.texts: dict[int, str] = {}
        self.finishes: dict[int, str | None] = {}

    @property
    def text(self) -> str:
        return "".join(self.texts.values())

    def over(self, data: str) -> bool:
        """Take one event; whether it is the last."""
        if data == "[DONE]":
            self.end()
            return True
        if data:
            self.chunk(json.loads(data))
        return False

    def end(self) -> None:
        if not self.finishes or None in self.finishes.values():
            raise Incomplete

    def chunk(self, chunk: dict[str, Any]) -> None:
        if "error" in chunk:
            raise Upstream
        for choice in chunk["choices"]:
            self.take(choice)

    def take(self, choice: dict[str, Any]) -> None:
        index = choice.get("index", 0)
        self.texts[index] = self.texts.get(index, "") + (choice["delta"].get("content") or "")
        self.finishes[index] = choice.get("finish_reason") or self.finishes.get(index)

    def result(self) -> dict[str, Any]:
        return {"text": self.text, "finish": next(iter(self.finishes.values()), None)}


def characters(chunks: Iterable[bytes]) -> Iterator[str]:
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    for chunk in chunks:
        try:
            yield decoder.decode(chunk)
        except UnicodeDecodeError as error:
            yield error.object[: error.start].decode()  # what stands before the first bad byte counts
            raise
    decoder.decode(b"", final=True)


def lines(texts: Iterable[str]) -> Iterator[str]:
    """LF, CR LF and CR end a line; a CR does at once, and an LF right after it is part of it."""
    line, after_cr = "", False
    for text in texts:
        for part in re.split("([\r\n])", text):
            if part == "\n" and after_cr:
                after_cr = False
            elif part in ("\r", "\n") and part:
                yield line
                line, after_cr = "", part == "\r"
            elif part:
                line, after_cr = line + part, False


def values(found: Iterable[str]) -> Iterator[str]:
    """The data of each event that a blank line has ended."""
    data: list[str] = []
    for line in found:
        if not line:
            if data:
                yield "\n".join(data)
            data = []
        elif line == "data" or line.startswith("data:"):
            data.append(line[5:].removeprefix(" "))


def answer(events: Iterable[str], chat: Chat | None = None) -> dict[str, Any]:
    chat = chat or Chat()
    for data in events:
        if chat.over(data):
            return chat.result()
    raise Incomplete


def right(chunks: Iterable[bytes]) -> dict[str, Any]:
    return answer(values(lines(characters(chunks))))


def decodes_each_chunk(chunks: Iterable[bytes]) -> dict[str, Any]:
    return answer(values(lines(chunk.decode("utf-8", "replace").lstrip("\ufeff") for chunk in chunks)))


def splits_at_lf_only(chunks: Iterable[bytes]) -> dict[str, Any]:
    def found(texts: Iterable[str]) -> Iterator[str]:
        rest = ""
        for text in texts:
            *whole, rest = (rest + text).split("\n")
            yield from whole

    return answer(values(found(characters(chunks))))


def splits_with_splitlines(chunks: Iterable[bytes]) -> dict[str, Any]:
    return answer(values(part for line in lines(characters(chunks)) for part in line.splitlines() or [""]))


def wants_a_space_after_the_colon(chunks: Iterable[bytes]) -> dict[str, Any]:
    kept = (line for line in lines(characters(chunks)) if not line or line.startswith("data: "))
    return answer(values(kept))


def forgets_a_cr_at_the_end_of_a_chunk(chunks: Iterable[bytes]) -> dict[str, Any]:
    def blocks() -> Iterator[str]:
        rest = ""
        for text in characters(chunks):
            *whole, rest = (rest + text.replace("\r\n", "\n").replace("\r", "\n")).split("\n\n")
            yield from whole

    return answer(data for block in blocks() if not block.startswith("\n") for data in values([*block.split("\n"), ""]))


def takes_a_chunk_for_whole_events(chunks: Iterable[bytes]) -> dict[str, Any]:
    return answer(data for text in characters(chunks) for data in values(lines([text, "\n\n"])))


def takes_the_end_of_the_bytes_for_the_end(chunks: Iterable[bytes]) -> dict[str, Any]:
    chat = Chat()
    for data in values(lines(characters(chunks))):
        if chat.over(data):
            break
    if not chat.text:
        raise Incomplete
    return chat.result()


class WithoutFinish(Chat):
    def end(self) -> None:
        pass


def needs_no_finish(chunks: Iterable[bytes]) -> dict[str, Any]:
    return answer(values(lines(characters(chunks))), WithoutFinish())


class FirstChoice(Chat):
    def chunk(self, chunk: dict[str, Any]) -> None:
        if "error" in chunk:
            raise Upstream
        self.take(chunk["choices"][0])


def takes_the_first_choice(chunks: Iterable[bytes]) -> dict[str, Any]:
    return answer(values(lines(characters(chunks))), FirstChoice())


def drops_the_last_event(chunks: Iterable[bytes]) -> dict[str, Any]:
    def late(events: Iterator[str]) -> Iterator[str]:
        before = next(events, None)
        for event in events:
            if before is not None:
                yield before
            before = event

    return answer(late(values(lines(characters(chunks)))))


def dispatches_at_the_end(chunks: Iterable[bytes]) -> dict[str, Any]:
    def ended(texts: Iterable[str]) -> Iterator[str]:
        yield from texts
        yield "\n\n"

    return answer(values(lines(ended(characters(chunks)))))


def strips_each_chunk(chunks: Iterable[bytes]) -> dict[str, Any]:
    return answer(values(lines(text.lstrip() for text in characters(chunks))))


Reader = Callable[[Iterable[bytes]], dict[str, Any]]
BROKEN: tuple[Reader, ...] = (
    decodes_each_chunk,
    splits_at_lf_only,
    splits_with_splitlines,
    wants_a_space_after_the_colon,
    forgets_a_cr_at_the_end_of_a_chunk,
    takes_a_chunk_for_whole_events,
    takes_the_end_of_the_bytes_for_the_end,
    needs_no_finish,
    takes_the_first_choice,
    drops_the_last_event,
    dispatches_at_the_end,
    strips_each_chunk,
)


def right_slowly(chunks: Iterable[bytes]) -> dict[str, Any]:
    """The right one, at a cost of a millisecond of work a run."""
    end = time.thread_time() + 0.001
    while time.thread_time() < end:
        pass
    return right(chunks)


def kills_its_process_once(chunks: Iterable[bytes], marker: Path) -> dict[str, Any]:
    """The broken reader `dispatches_at_the_end`, in a process that dies the first time it comes to a certain run."""
    pieces = list(chunks)
    if len(pieces) == 2 and len(pieces[0]) == 100 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return dispatches_at_the_end(pieces)


def kills_its_process(chunks: Iterable[bytes]) -> dict[str, Any]:
    """As that, but every time."""
    pieces = list(chunks)
    if len(pieces) == 2 and len(pieces[0]) == 100:
        os.kill(os.getpid(), signal.SIGKILL)
    return right(pieces)


def hangs_at_a_cut(chunks: Iterable[bytes]) -> dict[str, Any]:
    """The right one, which comes to no end when the first chunk has 100 bytes."""
    pieces = list(chunks)
    while len(pieces) == 2 and len(pieces[0]) == 100:
        time.sleep(0.001)
    return right(pieces)


async def hangs_at_a_cut_too(chunks: AsyncIterable[bytes]) -> dict[str, Any]:
    """The same, waiting for something that does not come."""
    pieces = [chunk async for chunk in chunks]
    if len(pieces) == 2 and len(pieces[0]) == 100:
        await asyncio.Event().wait()
    return right(pieces)


def hangs(chunks: Iterable[bytes]) -> None:
    """Never comes to an end."""
    while True:
        time.sleep(0.001)
