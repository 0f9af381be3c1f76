"""The exception for a request that is not answered and may not be made: vcrpy's type, told without content."""

from __future__ import annotations

import os
from functools import cache
from typing import Any

from recorder.matching import DEFAULT_MATCH_ON, NoMatch
from recorder.vcr._mode import Mode

_FEW = 3
_WITHOUT_PORT = tuple(part for part in DEFAULT_MATCH_ON if part != "port")


def unmatched(path: str | os.PathLike[str], mode: Mode, found: bool, miss: NoMatch) -> Exception:
    """A `vcr.errors.CannotOverwriteExistingCassetteException` whose message holds no prompt and no secret.

    Args:
        path: the cassette.
        mode: the record mode that forbids the request.
        found: whether the cassette was there.
        miss: what was asked, and what came near.
    """
    error: Exception = _class()(os.fspath(path), mode, found, miss)
    return error


@cache
def _class() -> Any:
    # vcrpy has no types.
    from vcr.errors import CannotOverwriteExistingCassetteException as Base  # type: ignore[import-untyped]
    from vcr.request import Request as VcrRequest  # type: ignore[import-untyped]  # vcrpy has no types

    class UnmatchedRequest(Base):  # type: ignore[misc]  # its base is Any to mypy
        """A request that no recorded interaction answers, in a mode that does not record it.

        Attributes:
            reason: "cassette_not_found", "already_played", "no_match" or "nothing_similar".
            failed_request: the sanitized request, as vcrpy has them, without its body.
            similar_requests: empty; `miss` has what came near.
            miss: the `recorder.matching.NoMatch`.
            cassette: the path of the cassette.
        """

        # made in a function, since vcrpy is imported late, which a failure's first line need not tell
        __module__, __qualname__ = "recorder.vcr", "UnmatchedRequest"

        def __init__(self, path: str, mode: Mode, found: bool, miss: NoMatch) -> None:
            self.cassette, self.miss, self._arguments = path, miss, (path, mode, found, miss)
            self.failed_request = VcrRequest(miss.method, miss.uri, None, {})
            self.similar_requests: list[Any] = []
            self.reason = _reason(found, miss)
            Exception.__init__(self, _message(path, mode, found, miss))

        def __reduce__(self) -> tuple[Any, ...]:
            return _again, self._arguments

    return UnmatchedRequest


def _again(path: str, mode: Mode, found: bool, miss: NoMatch) -> Exception:
    return unmatched(path, mode, found, miss)


def _reason(found: bool, miss: NoMatch) -> str:
    if not found:
        return "cassette_not_found"
    if miss.exhausted:
        return "already_played"
    return "no_match" if miss.nearest else "nothing_similar"


def _message(path: str, mode: Mode, found: bool, miss: NoMatch) -> str:
    lines = [str(miss) if found else str(miss).partition("\n")[0]]
    lines.append(f"cassette: {path}" if found else f"cassette: {path}, which does not exist")
    if found:
        remedy = "does not make new requests here: use 'new_episodes' to add it, or 'rewrite' to record it anew"
    else:
        remedy = "makes no requests, and nothing is recorded yet: use 'once' to record it"
    lines.append(f"the record mode {mode.value!r} {remedy}")
    if found and miss.exhausted:
        lines.append("a client that retries, or asks the same again: allow_playback_repeats=True")
    if any(
        each.startswith("port: ") for near in miss.nearest if len(near.differences) == 1 for each in near.differences
    ):
        lines.append(f"a server whose port is another in each run: match_on={_WITHOUT_PORT!r}")
    if members := _members(miss):
        lines.append(f"what may differ from what was recorded: ignore={members!r}")
    return "\n".join(lines)


def _members(miss: NoMatch) -> list[str]:
    """Where the body of the nearest request differs, as `ignore=` has it, if that is all and a few places."""
    differences = miss.nearest[0].differences if miss.nearest else ()
    paths = [each.removeprefix("body ").partition(": ")[0] for each in differences if each.startswith("body $")]
    return paths if len(paths) == len(differences) <= _FEW else []
