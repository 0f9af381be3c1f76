"""The kind `edits`: changes of the bytes that must not change the result, and changes that must be rejected.

Rule: which is which is decided by the contract, or by the events where no contract is known. Edits about which
truthful readers may disagree are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from importlib.util import find_spec

from recorder.cassette import Interaction
from recorder.contracts import Contract
from recorder.errors import FaultCode, PlanError
from recorder.plans import Boundary, Plan, boundary_classes, percent_encoded
from recorder.sweeps._oracle import says_the_same
from recorder.sweeps._truth import Truth

_SEPARATORS = "\u2028\u2029\x85\x0b\x0c\x1c"  # line ends to str.splitlines, and to nothing else
_COMMENT = percent_encoded(f": a{'data: b'.join(_SEPARATORS)}data: b\n\n".encode())
_FIELDS = percent_encoded(b"id\nretry: 10\nunknown: 1\n\n")
_ERROR = percent_encoded(b'data: {"error":{"message":"planted","type":"server_error","code":500}}\n\n')

_REWRITTEN = (
    *(("lf",), ("crlf",), ("cr",), ("bom",), ("nospace",), ("multiline",), ("comments",)),
    *(("bom", "crlf"), ("nospace", "cr"), ("multiline", "crlf"), ("comments", "nospace")),
)
_ADDED = (f"insert@start:{_COMMENT}", f"insert@event:1:{_COMMENT}", f"insert@event:1:{_FIELDS}", "dup@event:-1")
_LAST_EVENTS = 8
_MUST_BE_REJECTED = frozenset(
    {
        FaultCode.MISSING_TERMINAL,
        FaultCode.MISSING_FINISH,
        FaultCode.INVALID_JSON,
        FaultCode.INVALID_UTF8,
        FaultCode.UPSTREAM_ERROR,
    }
)
Truths = Mapping[tuple[str, ...], Truth]
_PIECES = ("whole", "bytes:1", "events", "hostile")


def edit_plans(
    interaction: Interaction, contract: Contract | None, headers_travel: bool
) -> tuple[Sequence[Plan], Truths]:
    """The plans of the kind.

    What must not matter in four ways of cutting, what must be rejected in one piece and byte by byte;
    content encodings where `headers_travel`. With what was found out about the edited bodies on the way.
    """
    truth = Truth.of(interaction, contract)
    plans: list[Plan] = []
    truths: dict[tuple[str, ...], Truth] = {}
    for edits in (*_REWRITTEN, *((each,) for each in _ADDED)):
        edited = _edited(interaction, contract, edits)
        if edited is not None and edited.body != truth.body and says_the_same(truth, edited):
            plans += [Plan(chunks=pieces, edits=edits) for pieces in _PIECES]
            truths[edits] = edited
    if headers_travel:
        plans += [Plan(chunks=pieces, edits=(coding,)) for coding in _codings() for pieces in _PIECES]
    if truth.verdict is None or truth.rejected:
        return plans, truths
    for edits in _breaking(truth.body):
        edited = _edited(interaction, contract, edits)
        if edited is not None and edited.rejected and getattr(edited.verdict, "code", None) in _MUST_BE_REJECTED:
            plans += [Plan(chunks=pieces, edits=edits) for pieces in _PIECES[:2]]
            truths[edits] = edited
    return plans, truths


def _codings() -> Iterator[str]:
    """The content encodings that can be made here."""
    yield from ("gzip", "deflate")
    if find_spec("brotli"):
        yield "br"
    if find_spec("zstandard") and find_spec("compression"):  # urllib3 and aiohttp take the standard library's alone
        yield "zstd"


def _edited(interaction: Interaction, contract: Contract | None, edits: tuple[str, ...]) -> Truth | None:
    try:
        return Truth.of(interaction, contract, edits)
    except PlanError:
        return None  # the body does not have the place


def _breaking(body: bytes) -> Iterator[tuple[str, ...]]:
    for number in range(1, _LAST_EVENTS + 1):
        yield (f"drop@event:-{number}",)
    yield (f"insert@event:1:{_ERROR}",)
    yield (f"insert@event:-1:{_ERROR}",)
    for at in _between_tokens(body):
        yield (f"utf8@{at}",)
    for at in _objects(body):
        yield (f"flip@{at}",)


def _between_tokens(body: bytes) -> list[int]:
    """The first, the middle and the last place where a byte stands outside every JSON string."""
    return _three(boundary_classes(body).get(Boundary.JSON_BETWEEN, ()))


def _objects(body: bytes) -> list[int]:
    """The brace that opens the data of the first, the middle and the last event with JSON in it."""
    starts = boundary_classes(body).get(Boundary.VALUE_START, ()) or boundary_classes(body).get(
        Boundary.AFTER_COLON, ()
    )
    return _three([at for at in starts if body.startswith(b"{", at)])


def _three(places: Sequence[int]) -> list[int]:
    return sorted({places[0], places[len(places) // 2], places[-1]}) if places else []
