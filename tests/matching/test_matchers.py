"""What is the same and what is not, part by part; and what is told of a miss, with every limit of it."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.matching import NoMatch, Playback, _playback
from recorder.matching._differences import Difference
from recorder.matching._side import Side

URI = "https://api.example.com/v1/chat/completions"
FORM = "application/x-www-form-urlencoded"
JSON = "application/json"
KEY = "sk-planted-0123456789abcdef"


def asked(body: bytes | None = None, content_type: str = JSON, uri: str = URI, **headers: tuple[str, ...]) -> Request:
    pairs = [(name, value) for name, values in headers.items() for value in values]
    return Request("POST", uri, Headers([("content-type", content_type), *pairs]), body)


def playback(*stored: Request, **options: Any) -> Playback:
    return Playback(Cassette(tuple([Interaction(each, Response(200)) for each in stored])), **options)


def missed(stored: Request, live: Request, **options: Any) -> list[str]:
    """In what the live request differs, a line each; nothing when the stored one answers it."""
    playing = playback(stored, **options)
    try:
        playing.answer(live)
    except NoMatch as miss:
        return [line for near in miss.nearest for line in near.differences] or [str(miss)]
    return []


SAME = [
    ("a number of another user", b'{"user_id":2}', b'{"user_id":774411}', JSON),
    ("such a number in a list", b'{"m":[{"user_id":2}]}', b'{"m":[{"user_id":774411}]}', JSON),
    ("a whole number written otherwise", b'{"a":1}', b'{"a":1.0}', JSON),
    ("a form with a stand-in", b"a=1&user=user-REDACTED-0001", b"user=jane-4711&a=1", FORM),
    ("a text", b"hello", b"hello", "text/plain"),
    ("a text with a stand-in", b"I am user-REDACTED-0001.", b"I am jane-4711.", "text/plain"),
]
OTHERS = [
    ("an object and a list", b'{"a":{"b":1}}', b'{"a":[1]}', JSON,
     ["body $.a: recorded an object of 1 members, here a list of 1"]),
    ("a list and an object", b'{"a":[1]}', b'{"a":{"b":1}}', JSON,
     ["body $.a: recorded a list of 1, here an object of 1 members"]),
    ("lists of other lengths", b'{"a":[1,2]}', b'{"a":[1]}', JSON,
     ["body $.a: recorded a list of 2, here a list of 1"]),
    ("an item of a list", b'{"a":[1,2]}', b'{"a":[1,3]}', JSON, ["body $.a[1]: recorded 2, here 3"]),
    ("the root", b"[1]", b"{}", JSON, ["body: recorded a list of 1, here an object of 0 members"]),
    ("true and 1", b'{"a":true}', b'{"a":1}', JSON, ["body $.a: recorded true, here 1"]),
    ("0 and false", b'{"a":0}', b'{"a":false}', JSON, ["body $.a: recorded 0, here false"]),
    ("true and false", b'{"a":true}', b'{"a":false}', JSON, ["body $.a: recorded true, here false"]),
    ("a text and a number", b'{"a":"1"}', b'{"a":1}', JSON,
     ["body $.a: recorded text of 1 characters (sha256 6b86b273ff34), here 1"]),
    ("a number and a text", b'{"a":1}', b'{"a":"1"}', JSON,
     ["body $.a: recorded 1, here text of 1 characters (sha256 6b86b273ff34)"]),
    ("null and nothing", b'{"a":null}', b"{}", JSON, ["body $.a: recorded null, here nothing"]),
    ("a number that nobody replaced", b'{"n":2}', b'{"n":774411}', JSON, ["body $.n: recorded 2, here 774411"]),
    ("names that are no words", b'{"a b":{"c/d":{"0":{"~":1}}}}', b'{"a b":{"c/d":{"0":{"~":2}}}}', JSON,
     ["body $['a b']['c/d'][0]['~']: recorded 1, here 2"]),
    ("a parameter of a form that is empty", b"a=1&b=", b"a=1", FORM,
     ["body: recorded 6 bytes (sha256 6e7ea8755106), here 3 bytes (sha256 c22fea5d7428)"]),
    ("a boundary of what has no parts", b"a", b"b", "text/plain; boundary=a",
     ["body: recorded 1 bytes (sha256 ca978112ca1b), here 1 bytes (sha256 3e23e8160039)"]),
    ("a text that is another", b"hello", b"hullo", "text/plain",
     ["body: recorded 5 bytes (sha256 2cf24dba5fb0), here 5 bytes (sha256 7835066a1457)"]),
]  # fmt: skip


@pytest.mark.parametrize(("stored", "live", "kind"), [case[1:] for case in SAME], ids=[case[0] for case in SAME])
def test_bodies_that_ask_for_the_same(stored: bytes, live: bytes, kind: str) -> None:
    """By value, and by what the sanitizer put in the place of one."""
    assert missed(asked(stored, kind), asked(live, kind)) == []


@pytest.mark.parametrize(
    ("stored", "live", "kind", "told"), [case[1:] for case in OTHERS], ids=[case[0] for case in OTHERS]
)
def test_bodies_that_do_not(stored: bytes, live: bytes, kind: str, told: list[str]) -> None:
    """The place is named, the content is not."""
    assert missed(asked(stored, kind), asked(live, kind)) == told


def test_an_item_of_a_list_may_differ() -> None:
    """That one alone."""
    assert missed(asked(b'{"m":[1,2]}'), asked(b'{"m":[9,2]}'), ignore=["$.m[0]"]) == []
    assert missed(asked(b'{"m":[1,2]}'), asked(b'{"m":[9,3]}'), ignore=["$.m[0]"]) == [
        "body $.m[1]: recorded 2, here 3"
    ]


@pytest.mark.parametrize(
    ("stored", "live", "told"),
    [
        ("http://127.0.0.1/x", "http://127.0.0.1:80/x", []),
        ("https://a.example/x", "https://a.example:443/x", []),
        ("http://127.0.0.1/x", "http://127.0.0.1:81/x", ["port: recorded 80, here 81"]),
        ("https://a.example/x", "http://a.example:443/x", ["scheme: recorded 'https', here 'http'"]),
        ("https://a.example/x", "https://b.example/x", ["host: recorded 'a.example', here 'b.example'"]),
        ("https://a.example/x", "https://a.example/y", ["path: recorded '/x', here '/y'"]),
        ("https://a.example/x", "https:/x", ["host: recorded 'a.example', here ''"]),
        (
            "https://a.example/x?alt=1&alt=3",
            "https://a.example/x?alt=2&alt=3",
            [
                "query: recorded text of 11 characters (sha256 8d3cb4637960), "
                "here text of 11 characters (sha256 0a003c1b2d27)"
            ],
        ),
        (
            "https://a.example/x?alt=1",
            "https://a.example/x?alt=2",
            [
                "query ?alt: recorded text of 1 characters (sha256 6b86b273ff34), "
                "here text of 1 characters (sha256 d4735e3a265e)"
            ],
        ),
        ("https://a-redacted-b.example/x", "https://a-redacted-b.example/x", []),
        ("https://host-REDACTED-0001/x", "https://a.example/x", []),
        (
            "https://a.example/x?alt=user-REDACTED-0001&limit=1",
            "https://a.example/x?alt=jane&limit=1&order=2",
            ["query ?order: recorded nothing, here text of 1 characters (sha256 d4735e3a265e)"],
        ),
        (
            "https://a.example/x?alt=1",
            "https://a.example/x",
            ["query ?alt: recorded text of 1 characters (sha256 6b86b273ff34), here nothing"],
        ),
    ],
)
@pytest.mark.parametrize("match_on", [("scheme", "host", "port", "path", "query"), ("uri",), ("url",)])
def test_parts_of_a_uri(stored: str, live: str, told: list[str], match_on: tuple[str, ...]) -> None:
    """Each is named, and shown when it is no text of somebody's."""
    one, other = asked(uri=stored), asked(uri=live)
    found = missed(one, other, match_on=["method", *match_on])
    assert found == told


@pytest.mark.parametrize(
    ("stored", "live", "told"),
    [
        ({"Accept": ("a", "b")}, {"accept": ("a", "b")}, []),
        ({"openai-beta": ("user-REDACTED-0001",)}, {"openai-beta": ("jane-4711",)}, []),
        ({"openai-beta": ("a",)}, {"openai-beta": ("b",)}, ["header openai-beta"]),
        ({"openai-beta": ("a",)}, {"openai-beta": ("a", "a")}, ["header openai-beta"]),
        ({"openai-beta": ("a", "b")}, {"openai-beta": ("b", "a")}, ["header openai-beta"]),
        ({"openai-beta": ("a",)}, {}, ["header openai-beta"]),
        ({}, {"accept": ("a",), "openai-beta": ("a",)}, ["header accept", "header openai-beta"]),
    ],
)
def test_headers(stored: dict[str, Any], live: dict[str, Any], told: list[str]) -> None:
    """Names in any case, values in their order; a stand-in is any value."""
    found = missed(asked(**stored), asked(**live), match_on=["method", "headers"])
    assert [line.partition(":")[0] for line in found] == told


def test_a_function_sees_sanitized_requests_only() -> None:
    """The key of the live one is gone from its URI and its header."""
    seen: list[Any] = []

    def same(one: Any, other: Any) -> bool:
        seen.append(one)
        return True

    assert missed(asked(), asked(uri=f"{URI}?key={KEY}", authorization=(f"Bearer {KEY}",)), match_on=[same]) == []
    assert [(each.uri, each.headers["authorization"]) for each in seen] == [(URI, "REDACTED")]


def test_a_function_that_asserts() -> None:
    """As one that returns None or True, or false; its name is told."""

    def silent(one: Any, other: Any) -> None:
        assert one.uri == other.uri

    assert missed(asked(), asked(), match_on=["method", silent]) == []
    assert missed(asked(), asked(uri=f"{URI}/x"), match_on=["method", silent]) == [
        "matcher silent: recorded nothing, here nothing"
    ]


def test_what_is_shown_of_a_value() -> None:
    """Words of the protocol up to 80 characters; nothing in a repr."""
    longest = "m" * 80
    assert missed(asked(b'{"model":"%s"}' % longest.encode()), asked(b'{"model":"x"}')) == [
        f"body $.model: recorded '{longest}', here 'x'"
    ]
    found = missed(asked(b'{"model":"%sm"}' % longest.encode()), asked(b'{"model":"x"}'))
    assert found[0].startswith("body $.model: recorded text of 81 characters (sha256 ")
    assert KEY not in repr(Difference("body", KEY, KEY))
    assert KEY not in repr(Side(asked(KEY.encode()), before=Side(asked(KEY.encode()))))


@pytest.mark.parametrize(
    ("count", "last"), [(8, "  body $.a7: recorded 1, here 2"), (9, "  and 1 more places"), (11, "  and 3 more places")]
)
def test_eight_places_are_shown(count: int, last: str) -> None:
    """And the number of the others."""
    one, other = ("{" + ",".join(f'"a{n}":{value}' for n in range(count)) + "}" for value in (1, 2))
    with pytest.raises(NoMatch) as caught:
        playback(asked(one.encode())).answer(asked(other.encode()))
    lines = caught.value.near.split("\n")
    assert lines[0] == "interaction 1 comes nearest, it differs in"
    assert lines[8] == "  body $.a7: recorded 1, here 2"
    assert (lines[-1], len(lines)) == (last, 9 + (count > 8))


@pytest.mark.parametrize(
    ("count", "which"), [(1, "1"), (8, "1, 2, 3, 4, 5, 6, 7, 8"), (9, "1, 2, 3, 4, 5, 6, 7, 8, ...")]
)
def test_eight_that_were_played_are_shown(count: int, which: str) -> None:
    """And that there are more."""
    playing = playback(*[asked()] * count)
    for _ in range(count):
        playing.answer(asked())
    with pytest.raises(NoMatch) as caught:
        playing.answer(asked())
    assert caught.value.near == (
        f"interaction {which} would answer it, and was played already: each plays once unless repeated"
    )


def test_three_are_near() -> None:
    """Of those that are as near, the first in the file."""
    playing = playback(asked(b'{"z":1}'), asked(b'{"y":1}'), asked(b'{"x":1}'), asked(b'{"w":1}'))
    with pytest.raises(NoMatch) as caught:
        playing.answer(asked(b"{}"))
    assert [near.position for near in caught.value.nearest] == [0, 1, 2]


def test_a_miss_in_everything() -> None:
    """Nothing is near where nothing of what is compared agrees."""
    with pytest.raises(NoMatch) as caught:
        playback(asked(b"{}"), match_on=["path", "body"]).answer(asked(b"[]", uri="https://api.example.com/v2"))
    assert caught.value.near == "none of the 1 recorded requests is similar"


@pytest.mark.parametrize(
    ("match_on", "live", "told"),
    [
        ("method", replace(asked(b"{}"), method="PUT"), ("method: recorded 'POST', here 'PUT'",)),
        ("path", asked(b"{}", uri="https://a.example/v2"), ("path: recorded '/v1/chat/completions', here '/v2'",)),
        (
            "uri",
            asked(b"{}", uri=f"{URI}?alt=sse"),
            ("query ?alt: recorded nothing, here text of 3 characters (DIGEST)",),
        ),
        ("body", asked(b'{"model":"b"}'), ("body $.model: recorded nothing, here 'b'",)),
        (
            "headers",
            asked(b"{}", accept=("text/plain",)),
            ("header accept: recorded nothing, here text of 10 characters (DIGEST)",),
        ),
    ],
)
def test_the_only_matcher_says_what_differs(match_on: str, live: Request, told: tuple[str, ...]) -> None:
    """Nothing else is compared that could agree; of two stored requests, the one that differs in less is named."""
    far = Request("GET", "http://b.example/", Headers([("user-agent", "c"), ("accept", "b")]), b"[1]")
    with pytest.raises(NoMatch) as caught:
        playback(far, asked(b"{}"), match_on=[match_on]).answer(live)
    shown = {each.position: each.differences for each in caught.value.nearest}
    assert [re.sub("sha256 [0-9a-f]{12}", "DIGEST", line) for line in shown[1]] == list(told)
    assert "interaction 2 comes nearest, it differs in" in caught.value.near


def test_a_miss_where_answers_repeat() -> None:
    """A request that nothing answers is one still; a machine is told which of the two a miss is."""
    playing = playback(asked(b"[1]"), repeat=True)
    with pytest.raises(NoMatch) as caught:
        playing.answer(asked(b"[2]"))
    assert (caught.value.to_dict()["error"], caught.value.to_dict()["matching"]) == ("no_match", [])
    playing = playback(asked(b"[1]"))
    playing.answer(asked(b"[1]"))
    with pytest.raises(NoMatch) as caught:
        playing.answer(asked(b"[1]"))
    assert (caught.value.to_dict()["error"], caught.value.to_dict()["matching"]) == ("exhausted", [0])


def test_what_was_asked_last_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """So many different requests are compared once; of more, the one that was not asked for longest is forgotten."""
    monkeypatch.setattr(_playback, "_REMEMBERED", 2)
    compared: list[str] = []

    def noted(one: Any, other: Any) -> bool:
        compared.append(one.uri[-1])
        return True

    playing = playback(asked(), match_on=[noted], repeat=True)
    for name in "abbaacabca":
        playing.answer(asked(uri=f"{URI}/{name}"))
    assert "".join(compared) == "abcbca"
