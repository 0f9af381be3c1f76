"""`[tool.recorder]`: rules a project adds, removes and allows; what is misspelled is an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from recorder.cassette import Cassette, Headers, Interaction, Request, Response
from recorder.sanitize import Allow, Sanitizer

FULL = """
[tool.other]
x = 1
[tool.recorder]
secret-env = ["RECORDER_TEST_SECRET"]
text = "shape"
without = ["ip-address"]
request-headers = ["User-Agent"]
response-headers = ["x-trace"]
query = ["page"]

[tool.recorder.somebody-elses]
anything = "goes"

[[tool.recorder.rules]]
name = "employee"
what = "numbers of employees"
pattern = 'EMP-[0-9]{6}'
anchors = ["EMP-"]
members = ["$..badge"]
headers = ["x-employee"]
header-action = "drop"
kind = "emp"
everywhere = true
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(FULL)
    return tmp_path


def test_a_project_changes_the_rules(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Everything it may say, at once."""
    monkeypatch.setenv("RECORDER_TEST_SECRET", "from-the-environment")
    sanitizer = Sanitizer.configured(project / "pyproject.toml")
    assert sanitizer.text == "shape"
    assert [known.value for known in sanitizer.known] == ["from-the-environment"]
    by_name = {rule.name: rule for rule in sanitizer.rules}
    assert "ip-address" not in by_name
    assert isinstance(by_name["request-headers"], Allow)
    assert "user-agent" in by_name["request-headers"].names
    request = Request("GET", "https://a.example/?page=1&x=2", Headers({"x-employee": "EMP-314159", "user-agent": "me"}))
    body = b'data: {"type":"EMP-271828","badge":"b-7"}\n\n'
    (clean,) = sanitizer.apply(
        Cassette((Interaction(request, Response(200, Headers({"x-trace": "a"}), body)),))
    ).interactions
    assert clean.request == Request("GET", "https://a.example/?page=1", Headers({"user-agent": ("me",)}))
    assert clean.response.headers == Headers({"x-trace": "a"})
    assert clean.response.body == b'data: {"type":"emp-REDACTED-0001","badge":"x-1"}\n\n'


def test_the_nearest_project_counts(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """At or above the working directory; one without the table changes nothing."""
    below = project / "tests" / "unit"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    assert Sanitizer.configured().text == "shape"
    (project / "tests" / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert Sanitizer.configured() == Sanitizer.default()


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("[tool.recorder]\nwithuot = ['x']\n", "withuot is not known: one of secret-env, without, request-headers"),
        ("[tool.recorder]\nwithout = ['cookies']\n", "no rule is called cookies: one of known-secret"),
        ("[tool.recorder]\nwithout = 'cookie'\n", "without is not a list of texts"),
        ("[tool.recorder]\ntext = 'mask'\n", 'text is neither "keep" nor "shape"'),
        ("[tool.recorder]\nrules = 'x'\n", "rules is not a list: write [[tool.recorder.rules]]"),
        ("[tool.recorder]\nrules = ['x']\n", "a rule is not a table"),
        ("[[tool.recorder.rules]]\nname = 'x'\npatern = 'y'\n", "a rule has patern, which is not known: one of name"),
        ("[[tool.recorder.rules]]\nname = 'x'\npattern = '('\n", "its pattern is not a regular expression"),
        ("[[tool.recorder.rules]]\nname = 7\n", "a rule has a value that is not a text"),
        (
            "[[tool.recorder.rules]]\nname = 'x'\nheaders = ['a']\nheader-action = 'eat'\n",
            "'eat' is not a valid HeaderAction",
        ),
        ("[[tool.recorder.rules]]\nname = 'x'\nmembers = ['$.a[']\n", "is not a JSON path from character 4 on"),
        ("tool = 7\n", "not a table"),
        ("[tool\n", "not TOML"),
    ],
)
def test_what_is_not_known_is_an_error(tmp_path: Path, table: str, said: str) -> None:
    """With the file's name: a misspelled key would let something through."""
    path = tmp_path / "pyproject.toml"
    path.write_text(table)
    with pytest.raises(ValueError, match=r"pyproject\.toml") as caught:
        Sanitizer.configured(path)
    assert said in str(caught.value)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    """Asked for by name, it must be."""
    with pytest.raises(OSError, match=r"absent\.toml"):
        Sanitizer.configured(tmp_path / "absent.toml")
