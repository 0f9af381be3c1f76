"""What a failure prints runs it again: the line in a test, and the command, whatever the sweep was told."""

from __future__ import annotations

import dataclasses
import shlex
from pathlib import Path
from typing import Any

import httpx
import named_readers
import pytest
import readers
from typer.testing import CliRunner

import recorder
from recorder.cassette import Interaction
from recorder.cli._app import app
from recorder.sweeps import Failure

CHAT = recorder.load_cassette(recorder.gallery()["chat-usage"]).interactions[0]


def elsewhere(interaction: Interaction, path: str) -> Interaction:
    request = dataclasses.replace(interaction.request, uri=f"https://example.com/{path}")
    return dataclasses.replace(interaction, request=request)


def short() -> Interaction:
    """A stream that has not the places of the other one."""
    body = b'data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    return dataclasses.replace(
        CHAT, response=dataclasses.replace(CHAT.response, body=body, chunks=None, recording=None)
    )


CASSETTE = recorder.Cassette((elsewhere(CHAT, "long"), elsewhere(short(), "short")))


@pytest.fixture
def two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A cassette with two event streams, in a folder of its own with a space in its name."""
    (tmp_path / "a folder").mkdir()
    monkeypatch.chdir(tmp_path / "a folder")
    recorder.save_cassette(CASSETTE, "two streams.yaml")
    return "two streams.yaml"


def both() -> Any:
    """The broken reader under a client, on both streams."""
    made = []
    with httpx.Client() as client:
        for each in CASSETTE.interactions:
            with client.stream(each.request.method, each.request.uri, content=each.request.body) as response:
                made.append(readers.dispatches_at_the_end(response.iter_bytes()))
    return made


def runs_again(failure: Failure, **names: Any) -> None:
    """Both do: the test fails and the command says the same word."""
    with pytest.raises(AssertionError, match=f"{failure.result}: "):
        exec(failure.line, {"recorder": recorder, "dispatches_at_the_end": readers.dispatches_at_the_end, **names})
    if failure.command:
        program, *words = shlex.split(failure.command)
        done = CliRunner().invoke(app, [*words, "--json"])
        assert (program, done.exit_code) == ("recorder", 1)
        assert f'"{failure.result}": 1' in done.stdout


@pytest.mark.parametrize("contract", [None, recorder.contracts.chat_text("flowbar")])
def test_each_stream_of_a_cassette(two: str, contract: Any) -> None:
    """The plan of one does not fit the other, so the other is left out; the first one is named too."""
    report = recorder.sweep(readers.dispatches_at_the_end, two, kind="truncations", contract=contract)
    assert [failure.stream for failure in report.smallest] == ["two streams #1", "two streams #2"]
    for failure in report.smallest:
        runs_again(failure)


def test_each_stream_under_a_client(two: str) -> None:
    """There the whole cassette has to be in force, and one stream of it is under test."""
    report = recorder.sweep(both, two, plans=["end=eof@-1"], via="client")
    assert {failure.stream for failure in report.smallest} == {"two streams #1", "two streams #2"}
    for failure in report.smallest:
        runs_again(failure, both=both)


def test_a_cassette_in_memory() -> None:
    """There is nothing a command could read; a test has the object."""
    report = recorder.sweep(readers.dispatches_at_the_end, CASSETTE, kind="truncations")
    for failure in report.smallest:
        assert "CASSETTE" in failure.command
        runs_again(dataclasses.replace(failure, command=""), source=CASSETTE)


READERS: dict[str, Any] = {
    "client": named_readers.client,
    "client.read": named_readers.client.read,
    "method": named_readers.method,
    "Client.plainly": named_readers.Client.plainly,
    "Client.made": named_readers.Client.made,
    "part": named_readers.part,
    "short": named_readers.short,
    "decorated": named_readers.decorated,
    "replaced": named_readers.replaced,
}


@pytest.mark.parametrize("name", READERS)
def test_a_reader_is_named_as_its_module_has_it(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Methods, partials, lambdas and objects too; and not by a name that something else has there."""
    monkeypatch.syspath_prepend(Path(__file__).parent)
    (failure,) = recorder.sweep(READERS[name], recorder.gallery()["chat-multilingual"]).smallest
    said = "client.read" if name == "method" else name  # the same method under two names
    assert f"--reader named_readers:{name}" in failure.command or said == "client.read"
    runs_again(failure, **vars(named_readers))


def test_a_reader_that_its_module_does_not_have_is_left_to_name() -> None:
    for reader in (named_readers.traced(named_readers.decorated), named_readers.Client("replace")):
        (failure,) = recorder.sweep(reader, recorder.gallery()["chat-multilingual"]).smallest
        assert "--reader MODULE:READER" in failure.command
        runs_again(dataclasses.replace(failure, command=""), reader=reader)


def test_a_file_whose_name_begins_as_an_option_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    recorder.save_cassette(recorder.load_cassette(recorder.gallery()["chat-usage"]), "-a.yaml")
    (failure,) = recorder.sweep(readers.dispatches_at_the_end, "-a.yaml", plans="end=eof@-1").smallest
    runs_again(failure)


@pytest.mark.parametrize("seconds", [0.02, 0.25])
def test_the_time_that_a_run_may_take(seconds: float) -> None:
    """What hung in less than the ten seconds that a run has otherwise; a command allows no less than 0.1 s."""
    path = recorder.gallery()["chat-usage"]
    (failure,) = recorder.sweep(readers.hangs, path, plans="chunks=whole", hung_after=seconds).failures
    assert failure.line.endswith(f", hung_after={seconds})")
    assert f" --hung-after {max(seconds, 0.1)}" in failure.command
    runs_again(failure, hangs=readers.hangs)
    reader = readers.wants_a_space_after_the_colon
    failure = recorder.sweep(reader, path, plans="edit=nospace", hung_after=None).failures[0]
    assert (failure.line.endswith(", hung_after=None)"), "--hung-after" in failure.command) == (True, False)


def size(value: Any) -> int:
    return len(str(value))


def test_what_a_command_cannot_say() -> None:
    """A function that takes from a result what counts, and a contract with limits of its own: there is no command."""
    path = recorder.gallery()["chat-usage"]
    for options in (
        {"key": size},
        {"accepts": lambda value: True},
        {"contract": recorder.contracts.chat_text(max_line=60_000)},
    ):
        failure = recorder.sweep(readers.dispatches_at_the_end, path, kind="truncations", **options).smallest[0]
        assert failure.command == ""
        assert "again: " not in failure.explain()
        runs_again(failure, size=size, **options)


def test_one_stream_of_a_cassette_alone(two: str) -> None:
    report = recorder.sweep(readers.right, two, sample=3, interaction=2)
    assert [(row.stream, row.size) for row in report.rows] == [("two streams #2", len(short().response.body))]


@pytest.mark.parametrize("number", [0, 3, -1])
def test_a_stream_that_a_cassette_does_not_have(two: str, number: int) -> None:
    with pytest.raises(ValueError, match=rf"interaction={number}: two streams has 2 event streams, counted from 1"):
        recorder.sweep(readers.right, two, interaction=number)
