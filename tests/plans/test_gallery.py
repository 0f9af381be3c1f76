"""Plans on the streams we ship: what must not change a reader's result does not change our own verdict."""

from __future__ import annotations

from itertools import chain, combinations

import pytest

from recorder import gallery, load_cassette
from recorder.adapters import replay
from recorder.cassette import Interaction
from recorder.contracts import chat, chat_text, detected, read
from recorder.plans import Plan

SHIPPED = [(name, load_cassette(path)) for name, path in sorted(gallery().items())]
STREAMS = [
    pytest.param(interaction, id=f"{name}-{number}")
    for name, cassette in SHIPPED
    for number, interaction in enumerate(cassette.interactions)
    if interaction.response.headers.first("content-type").startswith("text/event-stream")
]
HARMLESS = ("lf", "crlf", "cr", "bom", "nospace", "multiline", "comments", "comments:3")
CONTRACTS = [
    chat(),
    chat_text("openai"),
    chat_text("cometapi-node"),
    chat_text("cometapi-dotnet"),
    chat_text("flowbar"),
]
PAIRS = [",".join(pair) for pair in chain(combinations(HARMLESS, 2), combinations(reversed(HARMLESS), 2))]


def facts(verdict: object) -> tuple[object, ...]:
    """What a verdict says, apart from where the bytes stood."""
    names = ("code", "text", "tool_calls", "choices", "finish", "usage", "last_event_id", "events", "at_event", "state")
    return tuple(getattr(verdict, name, None) for name in names)


@pytest.mark.parametrize("interaction", STREAMS)
def test_a_harmless_edit_changes_no_verdict(interaction: Interaction) -> None:
    """Line ends, comments, a byte order mark, no space, several data lines, and any two of them, for every contract."""
    own = detected(interaction.response.body)
    for contract in [*CONTRACTS, *([own] if own else [])]:
        expected = facts(read(replay(interaction, "chunks=whole"), contract))
        for edit in (*HARMLESS, *PAIRS, "multiline,crlf,nospace,comments,bom"):
            plan = Plan.parse(f"chunks=whole; edit={edit}")
            assert facts(read(replay(interaction, plan), contract)) == expected, (contract.name, edit)


@pytest.mark.parametrize("interaction", STREAMS)
@pytest.mark.parametrize("chunks", ["recorded", "bytes:1", "events", "lines", "hostile", "random:40,3"])
def test_nor_does_a_partition_of_it(interaction: Interaction, chunks: str) -> None:
    """The edited bytes in any pieces."""
    own = detected(interaction.response.body) or chat()
    expected = facts(read(replay(interaction, "chunks=whole"), own))
    for edit in HARMLESS:
        assert facts(read(replay(interaction, f"chunks={chunks}; edit={edit}"), own)) == expected, edit


@pytest.mark.parametrize(
    ("edit", "code"),
    [
        ("drop@event:-1", "missing_terminal"),
        ("insert@event:2:data: %7Bnot json%0A%0A", "invalid_json"),
        ("utf8@event:3", "invalid_utf8"),
        ("bom,bom", "accepted"),
    ],
)
def test_other_edits_do(edit: str, code: str) -> None:
    """A fault that is put in is found, with its code."""
    interaction = next(cassette for name, cassette in SHIPPED if name == "chat-lf").interactions[0]
    verdict = read(replay(interaction, f"chunks=bytes:7; edit={edit}"), chat_text())
    assert str(verdict.code) == code


def test_every_cut_and_every_end_is_judged_alike() -> None:
    """A sample of both under an edit that moves every offset."""
    interaction = next(cassette for name, cassette in SHIPPED if name == "chat-crlf").interactions[0]
    contract = chat_text()
    whole = facts(read(replay(interaction, "chunks=whole"), contract))
    for offset in range(0, 2400, 47):
        assert facts(read(replay(interaction, f"chunks=at:{offset}; edit=lf"), contract)) == whole
        assert not read(replay(interaction, f"end=eof@{offset}; edit=lf"), contract).ok
