"""Twelve broken readers are caught on the shipped cassettes, each by a small plan that names its fault."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

import pytest
import readers

import recorder
from recorder.contracts import Contract, detected


def reading(chunks: Iterable[bytes], contract: Contract) -> Any:
    return recorder.read(chunks, contract)


CHATS = tuple(
    name
    for name, path in recorder.gallery().items()
    for interaction in recorder.load_cassette(path).interactions
    if getattr(detected(interaction.response.body), "name", "") == "chat"
)

# reader: what must be among its smallest failures, on the cassette where it shows: word, class, and what cuts there
EXPECTED: dict[str, tuple[str, str, str]] = {
    "decodes_each_chunk": ("chat-lf", "differs", "inside a code point, 1 of 3"),
    "splits_at_lf_only": ("chat-lf", "raised", "edit crlf"),
    "splits_with_splitlines": ("chat-lf", "false alarm", "the whole body"),  # a raw U+2028 stands in its text
    "wants_a_space_after_the_colon": ("chat-lf", "raised", "edit nospace"),
    "forgets_a_cr_at_the_end_of_a_chunk": ("chat-crlf", "differs", "between CR and LF"),
    "takes_a_chunk_for_whole_events": ("chat-lf", "raised", "between JSON tokens"),
    "takes_the_end_of_the_bytes_for_the_end": ("chat-lf", "silent", "between events"),
    "needs_no_finish": ("chat-lf", "lie", "edit drop@event:-3"),  # the usage stands between the finish and [DONE]
    "takes_the_first_choice": ("chat-lf", "false alarm", "the whole body"),  # the usage has no choices
    "drops_the_last_event": ("chat-lf", "false alarm", "the whole body"),
    "dispatches_at_the_end": ("chat-lf", "silent", "before the end of a line"),
    "strips_each_chunk": ("chat-lf", "raised", "before the end of a line"),
}


@pytest.mark.parametrize("reader", readers.BROKEN, ids=lambda reader: reader.__name__)
def test_a_broken_reader_is_caught(reader: Any) -> None:
    """On the gallery, with at most two cuts, one edit or one end, and the class of the fault."""
    name, result, boundary = EXPECTED[reader.__name__]
    report = recorder.sweep(reader, {name: recorder.gallery()[name]}, kind="all", sample="classes")
    assert not report.ok
    found = {(str(each.result), each.boundary): each for each in report.smallest}
    failure = found[result, boundary]
    plan = failure.plan
    assert len(failure.cuts) <= 2
    assert (len(failure.cuts) if plan.end is None else 0) + len(plan.edits) + (plan.end is not None) <= 2
    assert plan.delay is None
    assert f"readers:{reader.__name__}" in failure.command


@pytest.mark.parametrize("name", CHATS)
def test_a_right_reader_passes(name: str) -> None:
    """One that has nothing to do with this package."""
    recorder.check_reader(readers.right, recorder.gallery()[name], sample="classes")


@pytest.mark.parametrize("name", sorted(recorder.gallery()))
def test_the_contract_of_each_cassette_passes(name: str) -> None:
    """The reader of this package, with the contract that the stream shows."""
    for interaction in recorder.load_cassette(recorder.gallery()[name]).interactions:
        contract = detected(interaction.response.body)
        if contract is not None:
            recorder.check_reader(partial(reading, contract=contract), interaction, sample="classes")
