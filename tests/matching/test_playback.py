"""Which interaction answers which request, in which order, and how often."""

from __future__ import annotations

import json
import pickle
import threading
from typing import Any

import pytest

from recorder.cassette import Cassette, Interaction, Request, Response
from recorder.matching import NoMatch, Playback
from recorder.sanitize import Sanitizer

URI = "https://api.example.com/v1/chat/completions"


def asked(body: Any = None, *, uri: str = URI, method: str = "POST", **headers: str) -> Request:
    data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Request(method, uri, {"content-type": "application/json", **named}, data)


def tape(*requests: Request) -> Cassette:
    """A cassette whose n-th answer is the text n."""
    return Cassette(
        tuple([Interaction(each, Response(200, {}, str(n).encode())) for n, each in enumerate(requests, start=1)])
    )


def answers(playback: Playback, *requests: Request) -> list[str]:
    return [playback.answer(each).interaction.response.body.decode() for each in requests]


def test_identical_requests_play_in_order() -> None:
    """Each interaction once; position and attempt tell which and the how-manieth."""
    hello, bye = asked({"prompt": "hello"}), asked({"prompt": "bye"})
    playback = Playback(tape(hello, bye, hello))
    assert playback.unplayed == (0, 1, 2)
    played = [playback.answer(each) for each in (hello, hello, bye)]
    assert [(each.position, each.attempt) for each in played] == [(0, 0), (2, 1), (1, 0)]
    assert playback.unplayed == ()
    with pytest.raises(NoMatch) as caught:
        playback.answer(hello)
    assert caught.value.exhausted
    assert caught.value.matching == (0, 2)
    playback.rewind()
    assert playback.unplayed == (0, 1, 2)
    assert (playback.answer(hello).position, playback.answer(hello).attempt) == (0, 1)


def test_repeats_answer_with_the_last() -> None:
    """In order first, then the last for ever; the attempt counts on."""
    playback = Playback(tape(asked({"a": 1}), asked({"a": 1})), repeat=True)
    played = [playback.answer(asked({"a": 1})) for _ in range(4)]
    assert [(each.position, each.attempt) for each in played] == [(0, 0), (1, 1), (1, 2), (1, 3)]


@pytest.mark.parametrize(
    ("stored", "live"),
    [
        (asked({"a": 1, "b": [1, None]}), asked(b'{"b":[1.0,null] , "a":1}')),
        (asked(b""), asked(None)),
        (asked(uri="https://api.example.com"), asked(uri="https://api.example.com:443/")),
        (asked(uri=f"{URI}?b=2&a=1"), asked(uri=f"{URI}?a=1&b=2")),
        (asked({"user": "user-REDACTED-0003"}), asked({"user": "jane-4711"})),
        (asked({"user": "user-REDACTED-0003", "x": 1}), asked({"user": "user-REDACTED-0001", "x": 1})),
        (asked({"user_id": 1}), asked({"user_id": 774411})),
        (asked(uri=f"{URI}"), asked(uri=f"{URI}?key=AIzaSyA-not-a-real-key")),
        (asked(uri=f"{URI}?key=AIzaSyA-not-a-real-key"), asked(uri=f"{URI}?key=another-key-of-mine")),
        (
            asked(b"a=1&b=2", content_type="application/x-www-form-urlencoded"),
            asked(b"b=2&a=1", content_type="application/x-www-form-urlencoded"),
        ),
        (
            asked(b"--x1\r\n\r\nfile\r\n--x1--", content_type="multipart/form-data; boundary=x1"),
            asked(b"--y22\r\n\r\nfile\r\n--y22--", content_type='multipart/form-data; boundary="y22"'),
        ),
        (asked({"t": "key is apikey-REDACTED-0001!"}), asked({"t": "key is sk-proj-abcdEFGH1234abcdEFGH1234!"})),
        (asked({"a": 1}, authorization="REDACTED"), asked({"a": 1}, authorization="Bearer sk-mine-12345678")),
    ],
    ids=[
        "json-by-value", "empty-and-none", "root-and-default-port", "query-order", "stand-in", "other-number",
        "number-stand-in", "removed-key", "unsanitized-cassette", "form", "multipart", "stand-in-inside-text",
        "credentials",
    ],
)  # fmt: skip
def test_the_same_question(stored: Request, live: Request) -> None:
    """Spelled differently, with a stand-in, or with another credential."""
    assert answers(Playback(tape(stored)), live) == ["1"]


@pytest.mark.parametrize(
    ("live", "place"),
    [
        (asked({"a": 1, "t": "hello"}, method="PUT"), "method: recorded 'POST', here 'PUT'"),
        (asked({"a": 1, "t": "hello"}, uri="http://api.example.com:443/v1/chat/completions"), "scheme: recorded"),
        (asked({"a": 1, "t": "hello"}, uri="https://api.example.org/v1/chat/completions"), "host: recorded"),
        (asked({"a": 1, "t": "hello"}, uri="https://api.example.com:8443/v1/chat/completions"), "port: recorded 443"),
        (asked({"a": 1, "t": "hello"}, uri="https://api.example.com/v1/messages"), "path: recorded"),
        (asked({"a": 1, "t": "hello"}, uri=f"{URI}?alt=sse"), "query ?alt: recorded nothing, here text of 3"),
        (asked({"a": 2, "t": "hello"}), "body $.a: recorded 1, here 2"),
        (asked({"a": True, "t": "hello"}), "body $.a: recorded 1, here true"),
        (asked({"a": 1, "t": "hullo"}), "body $.t: recorded text of 5 characters (sha256 2cf24dba5fb0)"),
        (asked({"a": 1}), "body $.t: recorded text of 5 characters (sha256 2cf24dba5fb0), here nothing"),
        (asked({"a": 1, "t": ["x"]}), "here a list of 1"),
        (asked(None), "body: recorded 22 bytes"),
    ],
)
def test_another_question(live: Request, place: str) -> None:
    """Does not match, and the nearest says in what."""
    playback = Playback(tape(asked({"a": 1, "t": "hello"})))
    with pytest.raises(NoMatch) as caught:
        playback.answer(live)
    assert not caught.value.exhausted
    assert place in caught.value.near
    assert playback.unplayed == (0,)


def test_what_may_differ() -> None:
    """JSON paths in `ignore`, at any depth and in lists."""
    stored = asked({"seed": 1, "m": [{"id": "a", "t": "x"}], "deep": {"at": 5}})
    live = asked({"m": [{"id": "b", "t": "x"}], "deep": {"at": 6}})
    assert answers(Playback(tape(stored), ignore=["$.seed", "$.m[*].id", "$..at"]), live) == ["1"]
    with pytest.raises(NoMatch, match=r"\$\.deep\.at"):
        Playback(tape(stored), ignore=["$.seed", "$.m[*].id"]).answer(live)


def test_what_must_be_the_same_is_chosen() -> None:
    """By vcrpy's names, or by a function that gets its requests, the live one first."""
    seen = []

    def same_path(one: Any, other: Any) -> bool:
        seen.append((one.uri, other.uri))
        return bool(one.path == other.path)

    stored, live = asked({"a": 1}), asked({"a": 2}, uri=f"{URI}?alt=sse")
    assert answers(Playback(tape(stored), match_on=["method", same_path]), live) == ["1"]
    assert seen == [(f"{URI}?alt=sse", URI)]
    with pytest.raises(NoMatch):
        Playback(tape(stored), match_on=["raw_body"]).answer(live)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"match_on": ["colour"]}, "match_on names 'colour': use some of body, method"),
        ({"match_on": "method"}, "take a list"),
        ({"ignore": "$.seed"}, "take a list"),
        ({"ignore": ["$"]}, "is not a JSON path"),
    ],
)
def test_unknown_settings_are_refused(options: dict[str, Any], message: str) -> None:
    """With what would be right."""
    with pytest.raises(ValueError, match=message):
        Playback(tape(), **options)


def test_a_miss_holds_no_prompt_and_no_secret() -> None:
    """Neither in its message, nor for machines."""
    prompt, key = "PLANTED-PROMPT short", "sk-planted-0123456789abcdef"
    playback = Playback(tape(asked({"model": "m-1", "messages": [{"role": "user", "content": prompt}]})))
    live = asked(
        {"model": "m-2", "messages": [{"role": "user", "content": f"{prompt}!"}]},
        uri=f"{URI}?key={key}",
        authorization=f"Bearer {key}",
    )
    with pytest.raises(NoMatch) as caught:
        playback.answer(live)
    told = str(caught.value) + repr(caught.value) + json.dumps(caught.value.to_dict())
    assert "PLANTED" not in told
    assert key not in told
    assert "body $.model: recorded 'm-1', here 'm-2'" in caught.value.near
    assert caught.value.to_dict()["request"] == {"method": "POST", "uri": URI}
    assert [each["interaction"] for each in caught.value.to_dict()["nearest"]] == [1]


def test_the_nearest_come_first() -> None:
    """Those that fail the fewest matchers, by the number of places."""
    playback = Playback(tape(asked({"a": 1}, uri="https://other.example/x"), asked({"a": 1, "b": 2}), asked({"a": 3})))
    with pytest.raises(NoMatch) as caught:
        playback.answer(asked({"a": 1, "b": 4}))
    assert [near.position for near in caught.value.nearest] == [1, 2]
    with pytest.raises(NoMatch, match="the cassette is empty"):
        Playback(tape()).answer(asked())


@pytest.mark.parametrize("match_on", [None, ("body", "query", "path", "host", "method"), ("body", "uri", "method")])
def test_a_wrong_method_is_named_first(match_on: tuple[str, ...] | None) -> None:
    """What was recorded at the path is near, however much else differs, and what has the method elsewhere is not."""
    elsewhere = Request("GET", f"{URI}/models", {}, None)
    playback = Playback(tape(elsewhere, asked({"a": 1})), **({} if match_on is None else {"match_on": match_on}))
    with pytest.raises(NoMatch) as caught:
        playback.answer(Request("GET", f"{URI}?page=1", {}, None))
    assert str(caught.value).splitlines()[:3] == [
        f"no recorded answer for GET {URI}: the path was recorded with POST only",
        "interaction 2 comes nearest, it differs in",
        "  method: recorded 'POST', here 'GET'",
    ]
    assert caught.value.to_dict()["methods"] == ["POST"]
    assert pickle.loads(pickle.dumps(caught.value)).methods == ("POST",)
    with pytest.raises(NoMatch, match="comes nearest") as caught:
        playback.answer(asked({"a": 2}))
    assert caught.value.methods == ()
    assert playback.methods(elsewhere) == ("GET",)
    assert playback.methods(Request("GET", f"{URI}/else", {}, None)) == ()


def test_a_sanitizer_that_knows_a_secret() -> None:
    """Cleans the live side before it is compared."""
    stored = Sanitizer.default(secrets=["Wolpertinger"]).apply(tape(asked({"team": "Wolpertinger"})))
    live = asked({"team": "Wolpertinger"})
    assert b"Wolpertinger" not in (stored.interactions[0].request.body or b"")
    assert answers(Playback(stored, sanitizer=Sanitizer.default(secrets=["Wolpertinger"])), live) == ["1"]


def test_a_sanitizer_that_lets_more_be_stored() -> None:
    """What it lets stand is compared; the default takes such parameters away on both sides."""
    stored, live = tape(asked(uri=f"{URI}?mine=1")), asked(uri=f"{URI}?mine=2")
    assert answers(Playback(stored), live) == ["1"]
    with pytest.raises(NoMatch, match=r"query \?mine"):
        Playback(stored, sanitizer=Sanitizer.default().allowing(query=["mine"])).answer(live)


def test_threads_get_each_interaction_once() -> None:
    """Eight threads, two hundred identical requests."""
    playback, got, lock = Playback(tape(*[asked({"a": 1})] * 200)), [], threading.Lock()

    def work() -> None:
        for _ in range(25):
            played = playback.answer(asked({"a": 1}))
            with lock:
                got.append((played.position, played.attempt))

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(got) == [(n, n) for n in range(200)]


def test_a_body_nested_deeper_than_anybody_asks() -> None:
    """Is the same only as the same bytes."""
    deep = b'{"a":' * 700 + b"1" + b"}" * 700
    playback = Playback(tape(asked(deep)))
    assert answers(playback, asked(deep)) == ["1"]
    with pytest.raises(NoMatch):
        playback.answer(asked(deep.replace(b"1", b"2")))
