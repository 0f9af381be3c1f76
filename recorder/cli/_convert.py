"""`recorder convert`: recordings of other tools as cassettes: imported, labelled, sanitized, saved."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from recorder.cassette import Cassette, Interaction, Unknown, import_recording
from recorder.cli._console import say, tell
from recorder.cli._files import given, read_file, reason
from recorder.cli._options import SecretEnv
from recorder.cli._progress import progress_bar
from recorder.cli._sanitizer import sanitizer_of
from recorder.cli._status import Status
from recorder.contracts import BodyKind, body_kind
from recorder.errors import CassetteError, ResidueError, UnknownFormat
from recorder.sanitize import Sanitizer, save_cassette

_NO_LABEL = frozenset({BodyKind.EVENT_STREAM, BodyKind.EMPTY})


class State(StrEnum):
    """What became of a file."""

    CONVERTED = "converted"
    REFUSED = "refused"  # a secret would be left
    FAILED = "failed"
    PASSED_OVER = "passed over"  # in a folder, and in no known format


@dataclass(slots=True)
class Done:
    """One file: what became of it, and what is to be said about it."""

    path: Path
    state: State
    output: Path | None = None
    format: str = ""
    interactions: int = 0
    unknowns: tuple[Unknown, ...] = ()
    bodies: dict[str, int] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)


def convert(
    inputs: Annotated[list[str], typer.Argument(help="Recordings of other tools, and folders of them.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="The cassette to write; for several inputs or a folder, a folder.")
    ],
    body: Annotated[
        Path | None, typer.Option("--body", help="What curl printed, to go with its --trace-ascii file.")
    ] = None,
    secret_env: SecretEnv = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace existing cassettes.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Make cassettes of recordings of other tools, sanitized.

    Known are vcrpy and its variants, go-vcr, Ruby VCR, HAR and Polly, httpmock, nock, WireMock, the Azure test proxy,
    httprr, Braintrust, plain lists of requests and responses, raw streams (.sse, .txt) with or without their head, and
    curl traces (curl -i -N --trace-time --trace-ascii FILE, or --trace FILE), each also in gzip. What a recording does
    not tell is said here and in the cassette. The exit status is 1 when a secret would be left in one, and 2 when one
    cannot be read.

    \b
    Examples:
      recorder convert recording.har -o chat.yaml
      recorder convert tests/fixtures -o cassettes --json
      recorder convert trace.txt --body printed.txt -o chat.yaml
    """
    sources = given(inputs)
    files = list(_files(sources, output))
    if not files:
        raise ValueError("there is no file in the given folders")
    many = len(sources) > 1 or sources[0].is_dir()
    if many and output.exists() and not output.is_dir():
        raise ValueError(f"--output {output}: is no folder; for several recordings it takes one")
    if many and body is not None:
        raise ValueError("--body goes with one trace; convert the traces one by one")
    if body is not None:
        read_file("--body", body, "the file with what curl printed")
    sanitizer = sanitizer_of(secret_env)
    done: list[Done] = []
    with progress_bar() as progress:
        task = progress.add_task("convert", total=len(files))
        for (path, searched), target in zip(files, _targets(files, output, many), strict=True):
            done.append(_one(path, target, body, sanitizer, overwrite, searched is not None))
            progress.advance(task)
    _report_json(done) if as_json else _report(done, many)
    raise typer.Exit(_status({each.state for each in done}))


def _status(states: set[State]) -> Status:
    if State.FAILED in states or states == {State.PASSED_OVER}:
        return Status.CANNOT
    return Status.NO if State.REFUSED in states else Status.FINE


def _files(inputs: Sequence[Path], output: Path) -> Iterator[tuple[Path, Path | None]]:
    """The given files, and every file in the given folders with the folder; each once.

    An output folder within one to be searched holds what was converted before: that is not searched, which is said.
    """
    seen: set[Path] = set()
    results = output.resolve()
    for path in inputs:
        if not path.exists():
            raise ValueError(f"{path}: there is no such file or folder")
        found = [each for each in sorted(path.rglob("*")) if each.is_file()] if path.is_dir() else [path]
        if path.is_dir() and path.resolve() in results.parents:
            before, found = found, [each for each in found if results not in each.resolve().parents]
            if found != before:
                tell(f"recorder: {output}: is where the cassettes go, and is not searched")
        for each in found:
            if each not in seen:
                seen.add(each)
                yield each, path if path.is_dir() else None


def _targets(files: Sequence[tuple[Path, Path | None]], output: Path, many: bool) -> Iterator[Path]:
    """Where each file goes: below the output folder as below the folder it was found in, no two to the same place."""
    taken: set[Path] = set()
    for path, folder in files:
        if not many and not output.is_dir():
            yield output
            continue
        name = path.relative_to(folder) if folder is not None else Path(path.name)
        plain = name.with_suffix("") if name.suffix == ".gz" else name
        target = output / plain.with_suffix(".yaml")
        if target in taken:
            target = output / name.with_name(f"{name.name}.yaml")
        taken.add(target)
        yield target


def _one(path: Path, target: Path, body: Path | None, sanitizer: Sanitizer, overwrite: bool, searched: bool) -> Done:
    done = Done(path, State.FAILED)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            converted = import_recording(path, body=body)
            done.format, done.unknowns = converted.format, converted.unknowns
            cassette, done.bodies = _labelled(converted.cassette)
            done.interactions = len(cassette.interactions)
            if target.exists() and not overwrite:
                raise CassetteError(f"{target}: there is such a file; --overwrite replaces it")
            target.parent.mkdir(parents=True, exist_ok=True)
            save_cassette(cassette, target, sanitizer)
            done.state, done.output = State.CONVERTED, target
        except UnknownFormat as error:
            done.state = State.PASSED_OVER if searched else State.FAILED
            done.said.append(str(error))
        except ResidueError as error:
            done.state = State.REFUSED
            done.said.append(str(error))
        except OSError as error:
            done.said.append(f"{error.filename or target}: {reason(error)}")
        except CassetteError as error:
            done.said.append(str(error))
    done.said += [str(each.message) for each in caught]
    return done


def _labelled(cassette: Cassette) -> tuple[Cassette, dict[str, int]]:
    """The cassette with a label on every body that is no event stream, and how often each label was given."""
    given: Counter[str] = Counter()
    interactions = []
    for each in cassette.interactions:
        label, response = _label(each), each.response
        if label and response.recording is not None and response.recording.imported:
            given[label] += 1
            recording = replace(response.recording, imported={**response.recording.imported, "body": label})
            response = replace(response, recording=recording)
        interactions.append(Interaction(each.request, response))
    return replace(cassette, interactions=tuple(interactions)), dict(given)


def _label(interaction: Interaction) -> str:
    """What a body is that is no event stream; "" for one, and for what shows it only when it is decoded."""
    if "content-encoding" in interaction.response.headers:
        return ""
    kind = body_kind(interaction.response.body)
    return "" if kind in _NO_LABEL else kind.value


def _report(done: Sequence[Done], many: bool) -> None:
    for each in done:
        if each.state is State.CONVERTED:
            what = f"{each.interactions} interaction{'' if each.interactions == 1 else 's'} of {each.format}"
            say(f"converted  {each.path} -> {each.output}  {what}")
            for label, count in each.bodies.items():
                say(f"           {count} with a body that is {label}")
            _report_unknowns(each.unknowns, many)
        for said in each.said if each.state is not State.PASSED_OVER else ():
            where = "" if said.startswith(str(each.path)) else f"{each.path}: "
            tell(f"recorder: {where}{said}", "yellow")
    if many:
        states = Counter(each.state for each in done)
        say(", ".join(f"{states[state]} {state}" for state in State if states[state]))


def _report_unknowns(unknowns: Sequence[Unknown], many: bool) -> None:
    if many and unknowns:
        say(f"           not known: {', '.join(unknowns)}")
        return
    for code in unknowns:
        say(f"           not known ({code}): {code.meaning}")


def _report_json(done: Sequence[Done]) -> None:
    print(
        json.dumps(
            [
                {
                    "path": str(each.path),
                    "state": each.state,
                    "output": None if each.output is None else str(each.output),
                    "format": each.format or None,
                    "interactions": each.interactions,
                    "bodies": each.bodies,
                    "unknown": {code.value: code.meaning for code in each.unknowns},
                    "said": each.said,
                }
                for each in done
            ],
            indent=2,
        )
    )
