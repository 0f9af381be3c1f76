"""Comments: those above `interactions:` survive a rewrite, of the others it is said that they do not."""

from __future__ import annotations

import pytest

from recorder.cassette import dump_cassette, parse_cassette
from recorder.cassette._parse import parse
from recorder.cassette._yaml import C_LOADER, PYTHON_LOADER
from recorder.errors import CassetteWarning

COMMENTED = """\
# Licence

  # drei; für alle
version: 1   # lost 4
# above
interactions:   # lost 6
- request:
    method: GET
    uri: 'http://a.example/#frag # ment'   # lost 9
    body: "# body"
    # lost 11
    headers:
      accept: [a,  # lost 13
        'b #c']
  response:
    status: {code: 200, message: OK}
    headers: {x: [y#z]}
    body:
      string: |+   # lost 19
        # in the stream
        data: # 1

    # lost 23
# lost 24
"""
LOST = (4, 6, 9, 11, 13, 19, 23, 24)


@pytest.mark.parametrize("loader", [C_LOADER, PYTHON_LOADER], ids=["libyaml", "python"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
def test_every_comment_is_found(loader: object, line_end: str) -> None:
    """A comment is told from a `#` in a value, whatever the line ends and the loader."""
    cassette = parse(COMMENTED.replace("\n", line_end).encode(), "x", 10_000, loader=loader).cassette
    assert cassette.preamble == "# Licence\n\n  # drei; für alle\n# above\n"
    assert cassette.not_kept == tuple(f"a comment (line {line})" for line in LOST)
    assert cassette.interactions[0].response.body == b"# in the stream\ndata: # 1\n\n"


@pytest.mark.parametrize(("count", "named"), [(5, ""), (6, ", ...")])
def test_how_many_lost_comments_are_named(count: int, named: str) -> None:
    """Five; that there are more is said. The warning is about the line that writes."""
    cassette = parse_cassette("version: 1\ninteractions: []\n" + "# x\n" * count)
    with pytest.warns(CassetteWarning) as caught:
        dump_cassette(cassette)
    lost = ", ".join(f"a comment (line {line})" for line in range(3, 8))
    assert str(caught[0].message) == f"written again, the cassette loses what only its file held: {lost}{named}"
    assert caught[0].filename == __file__


def test_rewrite() -> None:
    """The comments above stand above again; the warning names the lost ones."""
    cassette = parse_cassette(COMMENTED)
    with pytest.warns(CassetteWarning, match=r"a comment \(line 4\), .*, \.\.\.$"):
        text = dump_cassette(cassette)
    assert text.startswith("# Licence\n\n  # drei; für alle\n# above\nversion: 1\ninteractions:\n- request:\n")
    assert dump_cassette(parse_cassette(text)) == text


@pytest.mark.parametrize(
    ("above", "kept"),
    [
        ("", ""),
        ("\n\n", ""),
        ("# a\n", "# a\n"),
        ("\n# a\n\n", "\n# a\n\n"),
        ("---\n# a\n", "# a\n"),
        ("# a\n---\n", "# a\n"),
        ("%YAML 1.1\n---\n# a\n", "# a\n"),
        ("#\n", "#\n"),
        ("# a\n# interactions: []\n", "# a\n# interactions: []\n"),
    ],
)
def test_above(above: str, kept: str) -> None:
    """Comment lines and the empty lines between them are kept; document marks and directives are not comments."""
    cassette = parse_cassette(above + "version: 1\ninteractions: []\n")
    assert cassette.preamble == kept
    assert cassette.not_kept == ()


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("\n\nversion: 1  # lost\ninteractions: []\n", 3),
        ("---  # lost\nversion: 1\ninteractions: []\n", 1),
        ("# lost\n", 3),
    ],
)
def test_where_the_first_lost_comment_is(text: str, lost: int) -> None:
    """Also before any value; empty lines alone are nothing to keep."""
    if text == "# lost\n":
        text = "version: 1\ninteractions: []\n" + text
    cassette = parse_cassette(text)
    assert (cassette.preamble, cassette.not_kept) == ("", (f"a comment (line {lost})",))


def test_a_comment_behind_a_block_in_a_list() -> None:
    """The indicators of the block are not on the line of its key there."""
    text = COMMENTED.replace("headers: {x: [y#z]}", "headers:\n      x:\n      - |-  # lost 19\n        y#z")
    lost = (4, 6, 9, 11, 13, 19, 22, 26, 27)
    for loader in (C_LOADER, PYTHON_LOADER):
        found = parse(text.encode(), "x", 10_000, loader=loader).cassette.not_kept
        assert found == tuple(f"a comment (line {line})" for line in lost)


def test_many_comments() -> None:
    """A file full of comments takes time in proportion to its size."""
    cassette = parse_cassette("version: 1\ninteractions: []\n" + "# x\n" * 200_000)
    assert len(cassette.not_kept) == 200_000
    assert cassette.not_kept[-1] == "a comment (line 200002)"
