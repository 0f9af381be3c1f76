"""Comparing recordings: what counts is found and named, what depends on the moment does not count."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

import recorder
from recorder.cassette import Cassette, Chunk, EndKind, Headers, Interaction, Response, StreamEnd
from recorder.inspect import Comparison, diff, told

Edit = Callable[[Interaction], Interaction]


def shipped(name: str) -> Interaction:
    return recorder.load_cassette(recorder.gallery()[name]).interactions[-1]


def with_response(interaction: Interaction, **changes: Any) -> Interaction:
    if "body" in changes:
        changes.setdefault("chunks", None)
    return replace(interaction, response=replace(interaction.response, **changes))


def with_body(interaction: Interaction, before: bytes, after: bytes, count: int = -1) -> Interaction:
    body = interaction.response.body
    assert before in body
    return with_response(interaction, body=body.replace(before, after, count))


def found(comparison: Comparison) -> list[tuple[str, str, str | None, str | None]]:
    return [(each.what, each.place, each.a, each.b) for each in comparison.differences]


@pytest.mark.parametrize("name", recorder.gallery())
def test_a_recording_is_the_same_as_itself(name: str) -> None:
    """Nothing at all is said, text included."""
    cassette = recorder.load_cassette(recorder.gallery()[name])
    assert diff(cassette, cassette, text=True) == Comparison((), ())


def test_what_depends_on_the_moment_does_not_count() -> None:
    """Times, chunks, line ends, comments, a date: notes, or not even that."""
    ours = shipped("chat-lf")
    later = with_response(
        with_body(ours, b"\n", b"\r\n"),
        chunks=(Chunk(2.0, 2466),),
        headers=Headers({**ours.response.headers, "date": "Mon, 30 Nov 2026 12:00:00 GMT"}),
    )
    comparison = diff(ours, later)
    assert comparison.same
    assert {each.place: (each.a, each.b) for each in comparison.notes if each.what == "body"} == {
        "bytes": ("2440", "2466"),
        "line ends": ("LF", "CR LF"),
        "chunks": ("19", "1"),
    }
    assert [each.place for each in comparison.notes if each.what == "timing"] == [
        "first chunk after",
        "last chunk after",
    ]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        (
            lambda i: replace(i, request=replace(i.request, method="GET", uri="https://other.invalid/v1")),
            [
                ("request", "method", "POST", "GET"),
                ("request", "uri", "https://loopback.invalid/v1/chat/completions", "https://other.invalid/v1"),
            ],
        ),
        (
            lambda i: replace(i, request=replace(i.request, body=b'{"model":"m","n":2}')),
            [
                (
                    "request",
                    "body",
                    'messages[].content: string; messages[].role: "user"; stream: boolean',
                    "n: number",
                )
            ],
        ),
        (lambda i: with_response(i, status=201), [("head", "status", "200", "201")]),
        (
            lambda i: with_response(i, headers=Headers({"content-type": "text/event-stream"})),
            [
                ("head", "header cache-control", "no-cache", None),
                ("head", "header content-type", "text/event-stream; charset=utf-8", "text/event-stream"),
                ("head", "header openai-organization", "org-REDACTED-0001", None),
                ("head", "header openai-project", "project-REDACTED-0001", None),
                ("head", "header openai-version", "2020-10-01", None),
                ("head", "header x-request-id", "request-REDACTED-0001", None),
            ],
        ),
        (
            lambda i: with_body(i, b'"finish_reason":"stop"', b'"finish_reason":"length"'),
            [
                ("shape", "event 10 (message)", 'choices[].finish_reason: "stop"', 'choices[].finish_reason: "length"'),
                ("terminal", "finish", "stop", "length"),
            ],
        ),
        (
            lambda i: with_body(i, b'"total_tokens":75', b'"total_tokens":76'),
            [("usage", "numbers", "total_tokens 75", "total_tokens 76")],
        ),
        (
            lambda i: with_body(i, b'"refusal":null', b'"refused":0'),
            [("shape", "event 1 (message)", "choices[].delta.refusal: null", "choices[].delta.refused: number")],
        ),
        (
            lambda i: with_body(i, b"data: [DONE]\n\n", b""),
            [
                ("events", "event 12 (message)", "1 x message: [DONE]", None),
                ("terminal", "verdict", "accepted", "missing_terminal"),
            ],
        ),
        (
            lambda i: with_body(i, b"data: [DONE]", b"event: done\ndata: [DONE]"),
            [
                ("events", "event 12 (message)", "1 x message: [DONE]", "1 x done: [DONE]"),
                ("terminal", "verdict", "accepted", "unexpected_event_type"),
            ],
        ),
        (
            lambda i: with_response(i, end=StreamEnd(EndKind.RESET, 0.0)),
            [("end", "kind", "complete", "reset")],
        ),
    ],
    ids=[
        "request line", "request body", "status", "headers", "finish", "usage", "shape", "terminal", "name", "end",
    ],
)  # fmt: skip
def test_what_counts_is_found(edit: Edit, expected: list[tuple[str, str, str | None, str | None]]) -> None:
    """Each by itself, with its place and both sides; and the other way round."""
    ours = shipped("chat-lf")
    assert found(diff(ours, edit(ours))) == expected
    back = diff(edit(ours), ours).differences
    assert [(each.what, each.b, each.a) for each in back] == [(what, a, b) for what, _, a, b in expected]


def test_one_of_many_like_events_changes() -> None:
    """It stands between the others, which are one fewer."""
    ours = shipped("generation-success")
    other = with_body(ours, b'"progress":50', b'"progress":null')
    assert found(diff(ours, other)) == [
        (
            "shape",
            "event 2 (progress)",
            "progress: number",
            "progress: null",
        )
    ]
    chat = shipped("chat-lf")
    split = with_body(chat, b'{"content":"Hello, reader. "}', b'{"text":"Hello, reader. "}')
    assert [(what, place) for what, place, *_ in found(diff(chat, split))] == [
        ("events", "event 2 (message)"),
        ("events", "event 2 (message) and those like it"),
    ]


def dropped(interaction: Interaction) -> Interaction:
    """Without the third of eight texts."""
    blocks = interaction.response.body.split(b"\n\n")
    return with_response(interaction, body=b"\n\n".join(blocks[:4] + blocks[5:]))


def test_a_lost_event_is_found() -> None:
    """The number of like events in a row counts, unless two answers of a model are compared."""
    ours = shipped("chat-lf")
    assert found(diff(ours, dropped(ours))) == [("events", "event 2 (message) and those like it", "8", "7")]
    assert diff(ours, dropped(ours), loose=True).same


def test_usage_that_is_missing_counts_even_loosely() -> None:
    """Numbers may differ then; whether there is usage, and its members, may not."""
    ours = shipped("chat-lf")
    other = with_body(ours, b'"prompt_tokens":11,"completion_tokens":64,"total_tokens":75', b'"prompt_tokens":12')
    assert found(diff(ours, other, loose=True)) == [
        ("shape", "event 11 (message)", "usage.completion_tokens: number; usage.total_tokens: number", None),
        ("usage", "members", "completion_tokens: number; total_tokens: number", None),
    ]
    assert diff(ours, with_body(ours, b'"total_tokens":75', b'"total_tokens":80'), loose=True).same
    none = with_body(ours, b'{"prompt_tokens":11,"completion_tokens":64,"total_tokens":75}', b"null")
    assert ("usage", "usage", "seen", "unknown") in found(diff(ours, none, loose=True))


def test_order_counts() -> None:
    """The same events in another order."""
    ours = shipped("anthropic")
    blocks = ours.response.body.split(b"\n\n")
    assert blocks[1].startswith(b"event: content_block_start")
    other = with_response(ours, body=b"\n\n".join([blocks[0], blocks[2], blocks[1], *blocks[3:]]))
    places = [(what, place) for what, place, *_ in found(diff(ours, other))]
    assert places[:2] == [("events", "event 2 (ping)"), ("events", "event 3 (ping)")]


def test_text_is_compared_on_request_only() -> None:
    """The first difference, with 16 characters around it; request bodies too."""
    ours = shipped("chat-lf")
    other = with_body(ours, b"Hello, reader. ", b"Hello, writer. ")
    assert diff(ours, other).same
    assert found(diff(ours, other, text=True)) == [
        ("text", "choice 0, character 7", "Hello, reader. 你好，世界。مر", "Hello, writer. 你好，世界。مر")
    ]
    later = with_body(ours, b"ends nothing", b"ENDS nothing")
    (_, place, one, other) = found(diff(ours, later, text=True))[0]
    assert (place, one, other) == (
        "choice 0, character 134",
        "The word [DONE] ends nothing. 再见",
        "The word [DONE] ENDS nothing. 再见",
    )
    asked = replace(ours, request=replace(ours.request, body=(ours.request.body or b"").replace(b"hello", b"HELLO")))
    assert diff(ours, asked).same
    assert [(what, place) for what, place, *_ in found(diff(ours, asked, text=True))] == [
        ("request", "body, character 75")
    ]


@pytest.mark.parametrize(
    ("name", "before", "after", "place"),
    [
        ("chat-tools", b"pe/Zurich", b"pe/London", "choice 0 call 2, character 25"),
        ("chat-refusal", b"not answered", b"NOT answered", "choice 0 refusal, character 27"),
        ("chat-n2", b"goes on", b"GOES on", "choice 1, character 11"),
        ("anthropic", b"na\xc3\xafve", b"naive", "choice 0, character 24"),
        ("mcp", b"22 \xc2\xb0C", b"23 \xc2\xb0C", "event 3, character 69"),
        ("html-200", b"Sign in", b"Log in", "body, character 35"),
    ],
)
def test_every_kind_of_text(name: str, before: bytes, after: bytes, place: str) -> None:
    """Calls, refusals, further choices, other dialects, payloads, pages."""
    ours = shipped(name)
    other = with_body(ours, before, after)
    assert diff(ours, other).same
    assert [each[1] for each in found(diff(ours, other, text=True))] == [place]


def test_stand_ins_equal_anything() -> None:
    """An id that another recording has under another number."""
    ours = shipped("chat-lf")
    headers = {**ours.response.headers, "x-request-id": "request-REDACTED-0007"}
    assert diff(ours, with_response(ours, headers=Headers(headers))).same


def test_what_is_no_stream_is_compared_by_its_shape() -> None:
    """JSON in place of a stream."""
    ours = shipped("json-200")
    assert found(diff(ours, with_body(ours, b'"Not a stream."', b"null"))) == [
        ("shape", "body", "choices[].message.content: string", "choices[].message.content: null")
    ]
    kinds = {what for what, *_ in found(diff(shipped("chat-lf"), ours))}
    assert kinds == {"head", "events", "shape", "terminal", "usage"}


def test_the_state_of_a_job_is_its_terminal() -> None:
    """A job that failed is accepted as one that succeeded is."""
    all_found = found(diff(shipped("generation-success"), shipped("generation-failed")))
    assert [each for each in all_found if each[0] == "terminal"] == [("terminal", "state", "succeeded", "failed")]


def test_an_end_that_is_not_known_is_a_note() -> None:
    """vcrpy's own cassettes have none."""
    ours = shipped("chat-lf")
    comparison = diff(ours, with_response(ours, end=None, chunks=None, recording=None))
    assert comparison.same
    notes = {each.place: each.b for each in comparison.notes}
    assert notes == dict.fromkeys(("chunks", "head after", "first chunk after", "last chunk after", "end"), "unknown")


def test_cassettes_of_several_interactions() -> None:
    """Pair by pair; one that has no partner is told."""
    both = recorder.load_cassette(recorder.gallery()["retry-429"])
    assert found(diff(both, Cassette(both.interactions[:1]))) == [("interactions", "number", "2", "1")]
    (second,) = diff(
        both, Cassette((both.interactions[0], with_response(both.interactions[1], status=201)))
    ).differences
    assert (second.interaction, second.what) == (2, "head")


def test_long_streams_of_many_kinds_are_compared_in_time() -> None:
    """Runs that alternate three thousand times: a change in the middle is told; of changes at both ends the first."""
    names = [name for _ in range(1500) for name in (b"a", b"b")]
    blocks = [b'data: {"%s": 1}\n\n' % name for name in names]
    ours = Interaction.from_body(b"".join(blocks))
    middle = Interaction.from_body(b"".join([*blocks[:1500], b"data: []\n\n", *blocks[1500:]]))
    assert found(diff(ours, middle)) == [("events", "event 1501 (message)", None, "1 x message: $: []")]
    ends = Interaction.from_body(b"".join([b"data: []\n\n", *blocks, b"data: []\n\n"]))
    assert found(diff(ours, ends)) == [("shape", "event 1 (message)", "a: number", "$: []")]


def test_hostile_text_is_escaped_when_told() -> None:
    """In names, shapes and texts; JSON is ASCII."""
    ours = Interaction.from_body(b"data: 1\n\n")
    body = 'event: \x1b[2J[red]\u202e\ndata: {"\x1b]0;": 1, "[bold]": 2}\n\n'.encode()
    comparison = diff(ours, Interaction.from_body(body), text=True)
    console = Console(width=40, force_terminal=False, soft_wrap=True)
    with console.capture() as captured:
        console.print(told(comparison))
    assert all(char == "\n" or char.isprintable() for char in captured.get())
    assert "\\x1b[2J[red]\\u202e" in captured.get()
    assert json.dumps(comparison.to_dict()).isascii()


def test_told() -> None:
    """A line for each difference, long sides on lines of their own, notes at the end."""
    ours = shipped("chat-lf")
    console = Console(width=200, force_terminal=False, soft_wrap=True)
    with console.capture() as captured:
        console.print(told(diff(ours, with_response(dropped(ours), status=201))))
    assert captured.get().splitlines()[:4] == [
        "1  head  status: 200 -> 201",
        "1  events  event 2 (message) and those like it: 8 -> 7",
        "1  note  bytes: 2440 -> 2177",
        "1  note  chunks: 19 -> unknown",
    ]
    with console.capture() as captured:
        console.print(told(diff(ours, ours)))
    assert captured.get() == "no difference\n"


def test_an_empty_cassette_is_the_same_as_another() -> None:
    """Nothing to compare."""
    assert diff(Cassette(()), Cassette(())).same
    response = Response(200, Headers({"content-type": "text/event-stream"}), b"")
    assert diff(replace(shipped("empty-200"), response=response), replace(shipped("empty-200"), response=response)).same


@pytest.mark.parametrize("given", [recorder.gallery()["chat-lf"], "chat-lf"], ids=["path", "name"])
def test_a_path_is_no_cassette(given: Any) -> None:
    """It is for the caller to load."""
    cassette = recorder.load_cassette(recorder.gallery()["chat-lf"])
    for pair in ((given, cassette), (cassette, given)):
        with pytest.raises(TypeError, match=r"diff takes cassettes or interactions, not \w+: recorder.load_cassette"):
            diff(*pair)
