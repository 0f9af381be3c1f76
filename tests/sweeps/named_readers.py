"""The same broken reader under many names, as users have readers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial, wraps


class Client:
    """A reader that is a method, or the object itself."""

    def __init__(self, errors: str) -> None:
        self._errors = errors

    def read(self, chunks: Iterable[bytes]) -> str:
        return "".join(chunk.decode("utf-8", self._errors) for chunk in chunks)

    __call__ = read

    @staticmethod
    def plainly(chunks: Iterable[bytes]) -> str:
        return client.read(chunks)

    @classmethod
    def made(cls, chunks: Iterable[bytes]) -> str:
        return cls("replace").read(chunks)


client = Client("replace")
method = client.read
part = partial(client.read)
short = lambda chunks: client.read(chunks)  # noqa: E731  # that is what it is about


def traced(reader: Callable[[Iterable[bytes]], str]) -> Callable[[Iterable[bytes]], str]:
    @wraps(reader)
    def inner(chunks: Iterable[bytes]) -> str:
        return reader(chunks)

    return inner


@traced
def decorated(chunks: Iterable[bytes]) -> str:
    return client.read(chunks)


def _replaced() -> Callable[[Iterable[bytes]], str]:
    def taken(chunks: Iterable[bytes]) -> str:
        return client.read(chunks)

    taken.__qualname__ = "taken"
    return taken


replaced = _replaced()


def taken(chunks: Iterable[bytes]) -> str:
    """The right one, which has the name that another one says it has."""
    return b"".join(chunks).decode()
