"""From tapes to a file: what each stream came to, and the cassette it becomes a part of.

Rule: everything that got as far as a head is kept, however it ended. What is in the file by now and was not when the
cassette was opened, somebody else put there: it stays.
"""

from __future__ import annotations

import datetime
import os
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version

from recorder.cassette import Cassette, EndKind, Interaction
from recorder.coding import CodingError
from recorder.contracts import check_head, detected, read, saw_terminal
from recorder.errors import CassetteWarning, FaultCode
from recorder.sanitize import Sanitizer, interaction_from_tape, update_cassette
from recorder.tape import Tape

_ERRORS: dict[str, type[Exception]] = {
    "incomplete": ConnectionError,
    "reset": ConnectionResetError,
    "timeout": TimeoutError,
}


def interaction_of(tape: Tape, recorded: datetime.datetime) -> Interaction | None:
    """What a tape with a head becomes; None, with a warning, where its content coding cannot be undone.

    Args:
        tape: one whose body has not ended is ended here: the client left it.
        recorded: when the request was made.
    """
    tape.finish("client_closed")
    try:
        whole = interaction_from_tape(
            tape,
            terminal_seen=True,
            recorded=recorded,
            client=_software(tape.client),
            tool=_software("sse-recorder").get("version", ""),
            outcome={},
        )
    except CodingError as error:
        warnings.warn(f"a response was not recorded: {error}", CassetteWarning, stacklevel=2)
        return None
    return _judged(whole, tape)


def _judged(interaction: Interaction, tape: Tape) -> Interaction:
    """With the verdict of its dialect, if it is an event stream of a known one."""
    response = interaction.response
    stream = check_head(response.status, response.headers) is None
    if not stream or response.end is None or response.recording is None:
        return interaction
    left = tape.end == "client_closed"
    contract = detected(response.body)
    if contract is None:  # what would have been its terminal event is not known, so nobody has seen it
        end = replace(response.end, terminal_seen=False if left else None)
        return replace(interaction, response=replace(response, end=end))
    verdict = read(_pieces(response.body, _ERRORS.get(tape.end or "")), contract)
    unfinished = verdict.code == FaultCode.MISSING_TERMINAL
    code = FaultCode.CANCELLED if left and unfinished else verdict.code
    end = replace(
        response.end,
        kind=EndKind.EOF if tape.end == "complete" and unfinished else response.end.kind,
        terminal_seen=saw_terminal(verdict) if left else None,
    )
    recording = replace(response.recording, outcome={"contract": contract.name, "code": str(code)})
    return replace(interaction, response=replace(response, end=end, recording=recording))


def _pieces(body: bytes, error: type[Exception] | None) -> Iterator[bytes]:
    yield body
    if error is not None:
        raise error


def _software(distribution: str) -> dict[str, str]:
    if not distribution:
        return {}
    try:
        return {"name": distribution, "version": version(distribution)}
    except PackageNotFoundError:
        return {"name": distribution}


def store(
    path: str | os.PathLike[str],
    new: Sequence[Interaction],
    *,
    loaded: Cassette,
    keeps: Callable[[int], bool],
    sanitizer: Sanitizer,
) -> None:
    """Add to the cassette at `path`.

    Args:
        path: the file; made if it is not there.
        new: what was recorded.
        loaded: what the file held when it was opened.
        keeps: of which positions in `loaded` the interaction stays.
        sanitizer: cleans all of it.

    Raises:
        ResidueError: a secret is left after sanitizing; the file is as it was.
        CassetteError: it cannot be read or written.
    """
    before = loaded.interactions  # by equality: an interaction may hold what cannot be hashed

    def joined(current: Cassette | None) -> Cassette:
        kept = [each for position, each in enumerate(loaded.interactions) if keeps(position)]
        others = [each for each in current.interactions if each not in before] if current else []
        return replace(current or loaded, interactions=(*kept, *others, *new))

    update_cassette(path, joined, sanitizer)
