"""What a file can make us allocate: values are counted before there is a tree of them."""

from __future__ import annotations

import re

import pytest

from recorder.cassette import Cassette, Chunk, Interaction, Request, Response, _fast, _yaml, dump_cassette
from recorder.cassette._parse import parse
from recorder.cassette._yaml import C_LOADER, PYTHON_LOADER
from recorder.errors import CassetteError

GOOD = """\
version: 1
interactions:
- request:
    method: POST
    uri: https://api.example.com/v1
    body: text
    headers:
      accept: [text/event-stream]
  response:
    status: {code: 200, message: OK}
    headers:
      content-type: [text/event-stream]
    body:
      string: text
    mine: here
"""


def of_values(count: int, form: str) -> str:
    """Another tool's file with so many values more than the good one (a `recorder:` that is not ours is kept)."""
    chunks = {
        "flow": f"[{', '.join('9' * (count - 1))}]",
        "block": "\n" + "".join(["      - 9\n"] * (count - 1)),
        "nested": "\n" + f"      {'- ' * 2}9\n" * ((count - 1) // 2) + "      - 9\n" * ((count - 1) % 2),
        "keys": "{" + ", ".join(f"k{number}" for number in range((count - 1) // 2)) + "}",
        "pairs": "[" + ", ".join(["a: b"] * ((count - 1) // 3)) + "]",
        "empty": "[" + ", ".join(["[]"] * (count - 1)) + "]",
    }
    return GOOD.replace("mine: here", "mine: " + chunks[form])


@pytest.mark.parametrize("loader", [C_LOADER, PYTHON_LOADER], ids=["libyaml", "python"])
@pytest.mark.parametrize("form", ["flow", "block", "nested", "keys", "pairs", "empty"])
def test_too_many_values(form: str, loader: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """However they are written, they are refused before there is a tree of them; what is allowed is read."""
    monkeypatch.setattr(_yaml, "MAX_NODES", 700)
    with pytest.raises(CassetteError) as caught:
        parse(of_values(1400, form).encode(), "dir/chat.yaml", 1_000_000, loader=loader)
    problem = "more than 700 values; a recording of a million chunks has three million: split the file"
    told = re.fullmatch(r"dir/chat\.yaml:(\d+): (.*)", str(caught.value))
    assert told is not None
    assert told[2] == problem
    parse(of_values(600, form).encode(), "dir/chat.yaml", 1_000_000, loader=loader)


@pytest.mark.parametrize("loader", [C_LOADER, PYTHON_LOADER], ids=["libyaml", "python"])
def test_the_last_value_allowed(loader: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """N passes, one more does not, and the line is that of the list it is in."""
    text = "a:\n" + "- 9\n" * 997
    monkeypatch.setattr(_yaml, "MAX_NODES", 1000)
    assert _yaml.compose(text.encode(), "x", loader) is not None
    with pytest.raises(CassetteError, match=r"^x:2: more than 1,000 values"):
        _yaml.compose((text + "- 9\n").encode(), "x", loader)


@pytest.mark.parametrize("loader", [C_LOADER, PYTHON_LOADER], ids=["libyaml", "python"])
def test_a_large_body_is_one_value(loader: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is in it."""
    monkeypatch.setattr(_yaml, "MAX_NODES", 100)
    text = GOOD.replace("body: text", "body: '" + "[a, {b: c}], - " * 1000 + "'")
    assert len(parse(text.encode(), "dir/chat.yaml", 1_000_000, loader=loader).cassette.interactions) == 1


def test_a_chunk_list_of_too_many_values(monkeypatch: pytest.MonkeyPatch) -> None:
    """The short way for our own files does not make a list of them either."""

    def file(count: int) -> bytes:
        response = Response(200, body=b"x" * count, chunks=(Chunk(0.0, 1),) * count)
        return dump_cassette(Cassette((Interaction(Request("GET", "http://a.example/"), response),))).encode()

    for module in (_yaml, _fast):
        monkeypatch.setattr(module, "MAX_NODES", 3000)
    made: list[int] = []
    monkeypatch.setattr(_fast.json, "loads", lambda text: made.append(len(text)) or [])
    assert _fast.read_own_layout(file(2000), always=True) is None
    assert _fast.read_own_layout(file(10).replace(b"[0, 1]", b'"text"', 1), always=True) is None
    assert made == []
    _fast.read_own_layout(file(500), always=True)
    assert len(made) == 1
    monkeypatch.undo()
    monkeypatch.setattr(_yaml, "MAX_NODES", 3000)
    monkeypatch.setattr(_fast, "MAX_NODES", 3000)
    with pytest.raises(CassetteError, match=r"x:\d+: more than 3,000 values"):
        parse(file(2000), "x", 1_000_000)
