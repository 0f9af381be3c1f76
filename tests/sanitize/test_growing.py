"""A file that grows: an addition costs what is new, and what is there already is no less safe for it."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

import recorder
from recorder.cassette import Cassette, Headers, Interaction, Request, Response, load_cassette
from recorder.errors import CassetteError, ResidueError
from recorder.sanitize import Growing, Rule, Sanitizer, cleaned, save_cassette, update_cassette
from recorder.sanitize._interactions import Cleaner
from recorder.sanitize._known import Known
from recorder.sanitize._proofs import Proof, Proofs, bounded, wanted_of
from recorder.sanitize._residue import Scanner

KEY = "planted-" + "3141592653589793"  # of no known form: found because a header says it
MAIL = "planted.person@example.com"


def exchange(text: str, *, key: str = "", request: str = "{}") -> Interaction:
    """A stream with one text, asked for with one key."""
    head = Headers({"authorization": f"Bearer {key}"} if key else {})
    body = b'data: {"choices":[{"delta":{"content":"%s"}}]}\n\ndata: [DONE]\n\n' % text.encode()
    response = Response(200, Headers({"content-type": "text/event-stream"}), body)
    return Interaction(Request("POST", "https://api.example.com/v1", head, request.encode()), response)


def texts(path: Path) -> list[str]:
    """What the streams of a file say."""
    bodies = [each.response.body.decode() for each in load_cassette(path).interactions]
    return [body.partition('content":"')[2].partition('"')[0] for body in bodies]


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many interactions were cleaned, and how many scanned."""
    done: Counter[str] = Counter()
    clean, scan = Cleaner.interaction, Scanner.residue

    def cleaning(self: Cleaner, interaction: Interaction) -> Interaction:
        done["cleaned"] += 1
        return clean(self, interaction)

    def scanning(self: Scanner, interaction: Interaction, number: int) -> object:
        done["scanned"] += 1
        return scan(self, interaction, number)

    monkeypatch.setattr(Cleaner, "interaction", cleaning)
    monkeypatch.setattr(Scanner, "residue", scanning)
    return done


@pytest.mark.parametrize("text", ["keep", "shape"])
def test_an_addition_costs_what_is_new(text: str, tmp_path: Path, work: Counter[str]) -> None:
    """Each exchange is cleaned and scanned once, with a key of its own too, however many came before."""
    growing = Growing(tmp_path / "a.yaml", Sanitizer.default(text=text))  # type: ignore[arg-type]  # one of the two
    for number in range(40):
        growing.add([exchange(f"answer {number}", key=f"{KEY}{number:04d}")])
    assert work == {"cleaned": 40, "scanned": 40}
    assert len(load_cassette(tmp_path / "a.yaml").interactions) == 40


def appended(new: Interaction, there: Cassette | None) -> Cassette:
    """What is there, and one more."""
    return Cassette((*(there.interactions if there else ()), new))


def test_adding_to_a_file_costs_what_is_new(tmp_path: Path, work: Counter[str]) -> None:
    """Where it is read each time, as for each test that records into one file."""
    for number in range(20):
        new = exchange(f"answer of its own {number}", key=KEY)
        update_cassette(tmp_path / "a.yaml", partial(appended, new))
    assert work == {"cleaned": 20, "scanned": 20}


def test_saving_what_was_just_cleaned_costs_nothing(tmp_path: Path, work: Counter[str]) -> None:
    """As recording does it, between whose two looks a user may say no."""
    done = cleaned(Cassette((exchange("looked at and saved", key=KEY),)))
    save_cassette(done.cassette, tmp_path / "a.yaml")
    assert work == {"cleaned": 1, "scanned": 1}


def test_what_is_the_same_has_the_same_stand_in(tmp_path: Path) -> None:
    """In each addition; another value gets the next number."""
    growing = Growing(tmp_path / "a.yaml", Sanitizer.default())
    for text in (MAIL, "nobody", f"{MAIL} and other.person@example.com"):
        growing.add([exchange(text)])
    assert texts(tmp_path / "a.yaml") == [
        "email-REDACTED-0001", "nobody", "email-REDACTED-0001 and email-REDACTED-0002",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "written",
    [
        KEY,
        "".join(f"\\\\u{ord(character):04x}" for character in KEY),
        "cGxhbnRlZC0zMTQxNTkyNjUzNTg5Nzkz",
        KEY.encode().hex(),
        KEY.replace("-", "%2d"),
    ],
)
def test_what_is_known_later_is_found_in_what_is_there(written: str, tmp_path: Path) -> None:
    """The key of the third exchange stood in the answer of the first, in any form."""
    path = tmp_path / "a.yaml"
    growing = Growing(path, Sanitizer.default())
    growing.add([exchange(f"it was {written}.")])
    growing.add([exchange("another", key="planted-2718281828459045")])
    assert written.replace("\\\\", "\\") in path.read_text("utf-8").replace("\\\\", "\\")
    growing.add([exchange("the third", key=KEY)])
    assert texts(path) == ["it was secret-REDACTED-0001.", "another", "the third"]


def test_what_was_known_before_is_found_in_what_is_new(tmp_path: Path) -> None:
    """The key of the first exchange in the answer of the second."""
    growing = Growing(tmp_path / "a.yaml", Sanitizer.default())
    growing.add([exchange("the first", key=KEY)])
    growing.add([exchange(f"it is {KEY}")])
    assert texts(tmp_path / "a.yaml") == ["the first", "it is secret-REDACTED-0001"]


def test_a_change_by_hand_stays_and_is_cleaned(tmp_path: Path) -> None:
    """Between two additions somebody rewords an answer, takes one out, and lets a secret in."""
    path = tmp_path / "a.yaml"
    growing = Growing(path, Sanitizer.default())
    growing.add([exchange("the first", key=KEY), exchange("the second"), exchange(MAIL)])
    there = load_cassette(path).interactions
    by_hand = [replace(there[0], response=exchange(f"by hand, {KEY} of hand.writer@example.com").response), there[2]]
    path.write_text(recorder.cassette.dump_cassette(Cassette(tuple(by_hand))), "utf-8")
    growing.add([exchange(f"the fourth of {MAIL}")])
    assert texts(path) == [
        "by hand, secret-REDACTED-0001 of email-REDACTED-0002", "email-REDACTED-0001",
        "the fourth of email-REDACTED-0001",
    ]  # fmt: skip
    path.unlink()
    growing.add([exchange("the fifth")])
    assert texts(path) == ["the fifth"]


def test_a_file_that_somebody_broke_is_left(tmp_path: Path) -> None:
    """The addition is refused, with the line; once the file is whole again, the next one goes in."""
    path = tmp_path / "a.yaml"
    growing = Growing(path, Sanitizer.default())
    growing.add([exchange("the first")])
    whole = path.read_text("utf-8")
    path.write_text(whole + "- request: {", "utf-8")
    with pytest.raises(CassetteError, match=r"a\.yaml:\d+: not YAML"):
        growing.add([exchange("the second")])
    assert path.read_text("utf-8") == whole + "- request: {"
    path.write_text(whole, "utf-8")
    growing.add([exchange("the third")])
    assert texts(path) == ["the first", "the third"]


def test_what_is_refused_leaves_nothing(tmp_path: Path) -> None:
    """Neither in the file nor in the numbers of what comes after it."""
    path = tmp_path / "a.yaml"
    growing = Growing(path, Sanitizer.default())
    growing.add([exchange("the first")])
    opaque = exchange("other.person@example.com")
    head = Headers({"content-type": "text/event-stream", "content-encoding": "gzip"})
    opaque = replace(opaque, response=Response(200, head, b"\xff\xfe not gzip"))
    with pytest.raises(ResidueError, match="content-coding in interaction 3"):
        growing.add([exchange("other.person@example.com"), opaque])
    growing.add([exchange(MAIL)])
    assert texts(path) == ["the first", "email-REDACTED-0001"]


def test_what_the_file_held_at_first_is_replaced(tmp_path: Path) -> None:
    """Whatever it was; what somebody else puts there afterwards is not."""
    path = tmp_path / "a.yaml"
    path.write_text("mine", "utf-8")
    Growing(path, Sanitizer.default()).add([exchange("the first")])
    assert texts(path) == ["the first"]
    growing = Growing(tmp_path / "b.yaml", Sanitizer.default())
    save_cassette(Cassette((exchange("another's"),)), tmp_path / "b.yaml")
    growing.add([exchange("mine")])
    assert texts(tmp_path / "b.yaml") == ["another's", "mine"]


# -- what is taken for proven -----------------------------------------------------------------------------------------


def changed(one: Interaction) -> dict[str, Interaction]:
    """An interaction with one thing changed."""
    request, response = one.request, one.response
    return {
        "method": replace(one, request=replace(request, method="PUT")),
        "uri": replace(one, request=replace(request, uri=request.uri + "/more")),
        "request header": replace(one, request=replace(request, headers=Headers({"accept": "text/html"}))),
        "request body": replace(one, request=replace(request, body=b"{ }")),
        "no request body": replace(one, request=replace(request, body=None)),
        "reason": replace(one, response=replace(response, reason="Fine")),
        "response header": replace(one, response=replace(response, headers=Headers({"content-type": "text/plain"}))),
        "response body": replace(one, response=replace(response, body=response.body + b"\n")),
        "fact": replace(one, response=replace(response, recording=recorder.cassette.Recording(tool="1"))),
    }


@pytest.mark.parametrize("what", changed(exchange("")))
def test_any_difference_is_looked_at(what: str, work: Counter[str]) -> None:
    """Whatever is cleaned or scanned counts."""
    one = exchange(f"unlike any other: {what}")
    cleaned(Cassette((one,)))
    cleaned(Cassette((one,)))
    assert work == {"cleaned": 1, "scanned": 1}
    cleaned(Cassette((changed(one)[what],)))
    assert work == {"cleaned": 2, "scanned": 2}


def test_other_rules_look_again(work: Counter[str]) -> None:
    """A rule more, a check more, shapes in the place of texts, a known value that is there."""
    one = Cassette((exchange("a Wolpertinger of other rules"),))
    rule = Rule(name="beast", pattern="Wolp[a-z]+", check=lambda value: False)
    lax, strict = (Sanitizer.default().with_rules(each) for each in (rule, replace(rule, check=None)))
    assert cleaned(one).cassette == cleaned(one, lax).cassette == one
    assert b"beast-REDACTED-0001" in cleaned(one, strict).cassette.interactions[0].response.body
    assert b"Wolp" not in cleaned(one, Sanitizer.default(text="shape")).cassette.interactions[0].response.body
    assert work["cleaned"] == 4
    knowing = Sanitizer.default(secrets=["Wolpertinger"])
    assert b"secret-REDACTED-0001" in cleaned(one, knowing).cassette.interactions[0].response.body


def test_a_proof_that_cannot_tell_is_none() -> None:
    """What is shorter than what was looked for, and what was not read at all."""
    proof = Proof(b"all that was read", 8, frozenset(), frozenset())
    assert proof.excludes(wanted_of([Known("12345678")]))
    assert not proof.excludes(wanted_of([Known("1234567")]))
    assert not proof.excludes(wanted_of([Known("was read")]))
    assert not proof.excludes(wanted_of([Known("12345678"), Known("th\nat was r")]))
    assert not Proof(None, 0, frozenset(), frozenset()).excludes(wanted_of([Known("12345678")]))


def test_proofs_are_forgotten_when_they_are_many() -> None:
    """The oldest go first."""
    proofs = Proofs(largest=30_000)
    keys = proofs.keys((), False, [exchange(str(number)) for number in range(4)])
    for key in keys:
        proofs.keep(key, Proof(b"x" * 5000, 8, frozenset(), frozenset()))
    assert [proofs.get(key) is None for key in keys] == [True, False, False, False]
    proofs.keep(keys[0], Proof(b"x" * 50_000, 8, frozenset(), frozenset()))
    assert [proofs.get(key) is None for key in keys] == [True, True, True, True]


def test_a_file_that_grows_keeps_readings_within_bounds() -> None:
    """The first ones are looked at again where something new is known; what else is known of them stays."""
    proofs = [Proof(b"x" * 40, 8, frozenset({("a", number)}), frozenset()) for number in range(3)]
    proofs[0].absent.add(b"looked for")
    kept = bounded(proofs, largest=100)
    assert [each.readings is None for each in kept] == [True, False, False]
    assert kept[0].absent == {b"looked for"}
    assert [each.stand_ins for each in kept] == [each.stand_ins for each in proofs]


def test_proofs_hold_no_known_value() -> None:
    """Only what says nothing about it."""
    proof = Proof(b"", 4, frozenset(), frozenset())
    assert proof.excludes(wanted_of([Known(KEY)]))
    assert KEY.encode() not in b"".join(proof.absent)
    assert KEY not in repr(proof) + repr(wanted_of([Known(KEY)]))
