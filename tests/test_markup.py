"""Values as HTML, as notebooks show a cassette, an interaction, a verdict or a plan: escaped, and without content."""

from __future__ import annotations

import base64
import re
from html.parser import HTMLParser
from typing import Any

import pytest

import recorder
from recorder.markup import card, details, escaped, picture, table, visible

HOSTILE = "<script>alert(1)</script>\x00\x1b[31m\u202eabc\u2066\"'&"
CLEAN = {"div", "strong", "table", "tbody", "thead", "tr", "th", "td", "p", "details", "summary", "img"}


class Seen(HTMLParser):
    """Collects the tags and attributes, and checks that everything is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.sources: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}
        self.sources += [value or "" for name, value in attrs if name == "src"]
        if tag != "img":
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def html_of(value: Any) -> str:
    bundle = value._repr_mimebundle_()
    assert bundle["text/plain"] == repr(value)
    html: str = bundle["text/html"]
    seen = Seen(html)
    assert set(seen.tags) <= CLEAN
    assert seen.attributes <= {"style", "scope", "alt", "width", "height", "src"}
    assert all(source.startswith("data:image/svg+xml;base64,") for source in seen.sources)
    assert "url(" not in html
    return html


def test_visible_writes_out_what_steers() -> None:
    """NUL, escapes, reordering marks; letters, emoji families, tab and line feed stay."""
    assert visible("a\x00\x1b\u202e\u2028\ufeff") == "a\\u0000\\u001b\\u202e\\u2028\\ufeff"
    assert visible("né 你 👨\u200d👩 \t\n") == "né 你 👨\u200d👩 \t\n"
    assert escaped(HOSTILE) == (
        "&lt;script&gt;alert(1)&lt;/script&gt;\\u0000\\u001b[31m\\u202eabc\\u2066&quot;&#x27;&amp;"
    )


def test_pieces_escape_what_they_are_given() -> None:
    """Titles, facts, cells, summaries and the words of a picture."""
    made = card(HOSTILE, [(HOSTILE, HOSTILE), ("left out", None)], table([HOSTILE], [[HOSTILE]]))
    made += details(HOSTILE, "") + picture("<svg/>", HOSTILE, 1, 1)
    assert "left out" not in made
    assert "<script" not in made
    assert set(Seen(made).tags) <= CLEAN


def hostile_interaction() -> recorder.Interaction:
    body = b"event: <script>\ndata: <b>secret</b>\n\n"
    return recorder.Interaction(
        recorder.Request("POST", "https://a.example/<i>?key=hidden", {}, b"prompt"),
        recorder.Response(
            200,
            {"content-type": 'text/event-stream; a="<u>"'},
            body,
            (recorder.Chunk(0.25, 10), recorder.Chunk(0.5, len(body) - 10)),
            recorder.StreamEnd(recorder.EndKind.EOF),
        ),
    )


def test_an_interaction() -> None:
    """Its facts and its arrivals; no query, no prompt, no data, and what it says is inert."""
    html = html_of(hostile_interaction())
    for shown in (
        "POST https://a.example/",
        "200",
        "37 bytes",
        "2 chunks in 0.750 s",
        "1 event",
        "eof",
        "&lt;script&gt;",
    ):
        assert shown in html
    for hidden in ("hidden", "prompt", "secret"):
        assert hidden not in html
    svg = base64.b64decode(re.search(r"base64,([^\"]+)", html)[1]).decode()  # type: ignore[index]
    assert svg.count("M") == 3  # two arrivals and the axis
    assert 'alt="Arrivals over 0.750 s: 2 chunks"' in html


def test_a_cassette() -> None:
    """A row for each interaction."""
    cassette = recorder.Cassette((hostile_interaction(), recorder.Interaction.from_body(b"data: 1\n\n")))
    html = html_of(cassette)
    assert "Cassette, 2 interactions" in html
    assert html.count("<tr>") == 3
    assert "hidden" not in html


def test_verdicts() -> None:
    """The code and its explanation, in words beside the colour; nothing of the text."""
    body = b'data: {"choices":[{"index":0,"delta":{"content":"secret"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    accepted = html_of(recorder.read([body], recorder.contracts.chat_text()))
    rejected = html_of(recorder.read([body[:-1]], recorder.contracts.chat_text()))
    assert "<strong>accepted</strong>" in accepted
    assert "6 characters" in accepted
    assert "<strong>rejected: missing_terminal</strong>" in rejected
    assert recorder.contracts.explain("missing_terminal") in rejected
    assert "secret" not in accepted + rejected


def test_a_generation() -> None:
    """A verdict of another shape has the same representation."""
    body = b'event: done\ndata: {"id":"j","state":"failed","error":"secret"}\n\n'
    html = html_of(recorder.read([body], recorder.contracts.generation()))
    assert "secret" not in html


def test_a_plan() -> None:
    """Its terms, and the defaults in words."""
    html = html_of(recorder.Plan.parse("chunks=bytes:1; edit=insert@1:<b>,bom"))
    assert "Plan: chunks=bytes:1; edit=insert@1:&lt;b&gt;,bom" in html
    assert "as recorded if known, else complete" in html
    assert "Plan: as recorded" in html_of(recorder.Plan())


@pytest.mark.parametrize("name", sorted(recorder.gallery()))
def test_the_gallery(name: str) -> None:
    """Every shipped cassette has a representation."""
    cassette = recorder.load_cassette(recorder.gallery()[name])
    assert html_of(cassette)
    assert all(html_of(interaction) for interaction in cassette.interactions)
