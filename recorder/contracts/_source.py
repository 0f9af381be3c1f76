"""What delivers the bytes: made an iterator, closed, and its exceptions told apart.

Rule: misuse of the arguments raises at once; everything a source itself does wrong is the reader's to judge. No message
here carries a piece of a stream.

It does not know contracts, verdicts or parsers.
"""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import AsyncIterator, Iterator
from typing import Any

BytesLike = bytes | bytearray | memoryview

_RAW_BODY = "pass the raw body in pieces, such as response.iter_bytes(), not decoded text, lines or numbers"


def in_parts(whole: list[Any], size: int) -> list[bytes]:
    """The one chunk in a list, taken out of it, as pieces of bytes, the last one first.

    Args:
        whole: the chunk; in a list, so that no frame of ours holds it when it turns out to be no bytes.
        size: how long a piece may be.

    Raises:
        TypeError: the chunk is not bytes; the message says what it is, not what is in it.
    """
    chunk = whole.pop()
    if not isinstance(chunk, bytes | bytearray | memoryview):
        kind, chunk = type(chunk).__name__, None
        raise TypeError(f"a chunk is {kind}, not bytes: {_RAW_BODY}")
    data = bytes(chunk)
    return [data[at : at + size] for at in reversed(range(0, len(data), size))]


def is_timeout(error: BaseException) -> bool:
    """A `TimeoutError`, a class named like one, or what a library wrapped around it.

    The name counts because no two HTTP libraries share a class (httpx `ReadTimeout`, urllib3 `ReadTimeoutError`), and
    requests passes a read timeout on as the argument of a `ConnectionError`.
    """
    return any(map(_is_named_timeout, (error, *error.args)))


def _is_named_timeout(error: object) -> bool:
    names = (kind.__name__.removesuffix("Error").removesuffix("Exception") for kind in type(error).__mro__)
    return isinstance(error, Exception) and any(name.endswith("Timeout") for name in names)


def iterator(chunks: Any) -> Iterator[Any]:
    """What `read` goes through; an iterable that fails to make an iterator fails when its first piece is asked for.

    Raises:
        TypeError: `chunks` is not an iterable of bytes, nor bytes.
    """
    if isinstance(chunks, bytes | bytearray | memoryview):
        return iter((bytes(chunks),))
    if isinstance(chunks, str) or not hasattr(chunks, "__iter__"):
        hint = "use aread()" if hasattr(chunks, "__aiter__") else "pass an iterable of bytes, such as a list of chunks"
        raise TypeError(f"chunks is {type(chunks).__name__}: {hint}")
    try:
        return iter(chunks)
    except Exception as error:
        return _failing(error)


def async_iterator(chunks: Any) -> AsyncIterator[Any]:
    """The same for `aread`.

    Raises:
        TypeError: `chunks` is not an asynchronous iterable, nor bytes.
    """
    if isinstance(chunks, bytes | bytearray | memoryview):
        return _once(bytes(chunks))
    if not hasattr(chunks, "__aiter__"):
        hint = "use read()" if hasattr(chunks, "__iter__") and not isinstance(chunks, str) else "pass chunks of bytes"
        raise TypeError(f"chunks is {type(chunks).__name__}, not an asynchronous iterable of bytes: {hint}")
    try:
        return aiter(chunks)
    except Exception as error:
        return _failing_too(error)


async def _once(chunk: bytes) -> AsyncIterator[bytes]:
    yield chunk


def _failing(error: Exception) -> Iterator[bytes]:
    yield from ()
    raise error


async def _failing_too(error: Exception) -> AsyncIterator[bytes]:
    for piece in _failing(error):
        yield piece


def close(opened: tuple[Any, Any]) -> None:
    """Close the iterator and, where it is another object, what it came from. The verdict stands whatever they raise."""
    for each in _distinct(opened):
        with contextlib.suppress(Exception):
            if hasattr(each, "close"):
                each.close()


async def aclose(opened: tuple[Any, Any]) -> None:
    """The same with `aclose()`, or a `close()` that may be a coroutine function."""
    for each in _distinct(opened):
        with contextlib.suppress(Exception):
            end = getattr(each, "aclose", None) or getattr(each, "close", None)
            waiting = end() if end is not None else None
            if inspect.isawaitable(waiting):
                await waiting


def _distinct(opened: tuple[Any, Any]) -> tuple[Any, ...]:
    source, given = opened
    return (source,) if given is source else (source, given)
