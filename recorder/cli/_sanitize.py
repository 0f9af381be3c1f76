"""`recorder sanitize`: clean existing cassettes where they are, or say what would be cleaned."""

from __future__ import annotations

import json
import warnings
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from recorder.cassette import Cassette, load_cassette
from recorder.cli._console import say, say_table, tell
from recorder.cli._files import given
from recorder.cli._options import SecretEnv, TextOrShape
from recorder.cli._progress import progress_bar
from recorder.cli._sanitizer import sanitizer_of
from recorder.cli._status import Status
from recorder.errors import CassetteError, ResidueError
from recorder.sanitize import Sanitizer, save_cassette

_ENDINGS = (".yaml", ".yml")
_SNIFFED = 64 * 1024
_SHOWN = 3  # lines about one file; the JSON report has them all


class State(StrEnum):
    """What became of a file."""

    CLEAN = "clean"
    CLEANED = "cleaned"
    NOT_CLEAN = "not clean"  # with --check
    REFUSED = "refused"
    UNREADABLE = "unreadable"


_STATUS = {
    State.CLEAN: Status.FINE,
    State.CLEANED: Status.FINE,
    State.NOT_CLEAN: Status.NO,
    State.REFUSED: Status.NO,
    State.UNREADABLE: Status.CANNOT,
}


@dataclass(slots=True)
class Done:
    """One file: its state, the replacements by rule, and what is to be said about it."""

    path: Path
    state: State
    counts: dict[str, int] = field(default_factory=dict)
    said: list[str] = field(default_factory=list)


def sanitize(
    paths: Annotated[list[str], typer.Argument(help="Cassette files, and folders to search for them.")],
    check: Annotated[bool, typer.Option("--check", help="Write nothing; exit 1 if a file is not clean.")] = False,
    text: TextOrShape = None,
    secret_env: SecretEnv = None,
    without: Annotated[
        list[str] | None, typer.Option("--without", help="Leave out a rule; `recorder rules` lists them.")
    ] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="The pyproject.toml to read; the nearest one unless given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the report as JSON.")] = False,
) -> None:
    """Clean existing cassettes in place, vcrpy's too, and report the replacements by rule.

    A file that is clean is not touched. One that cannot be cleaned stays as it is, and the exit status is 1; it is 2
    when one cannot be read.

    \b
    Examples:
      recorder sanitize tests/cassettes
      recorder sanitize --check --json tests/cassettes
      recorder sanitize a.yaml --text shape --secret-env OPENAI_API_KEY
    """
    sanitizer = sanitizer_of(secret_env, text, config).without(*without or ())
    files = list(_files(given(paths)))
    if not files:
        raise ValueError("no cassette in the given folders: files of theirs end in .yaml or .yml and hold interactions")
    with progress_bar() as progress:
        task = progress.add_task("sanitize", total=len(files))
        done = []
        for file in files:
            done.append(_one(file, sanitizer, check))
            progress.advance(task)
    _report_json(done) if as_json else _report(done)
    raise typer.Exit(max(_STATUS[each.state] for each in done))


def _files(paths: Sequence[Path]) -> Iterator[Path]:
    """The given files, and in the given folders every file that holds a cassette; each once."""
    seen: set[Path] = set()
    for path in paths:
        if not path.exists():
            raise CassetteError(f"{path}: there is no such file or folder")
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        for each in found:
            if each not in seen and (not path.is_dir() or _is_cassette(each)):
                seen.add(each)
                yield each


def _is_cassette(path: Path) -> bool:
    if path.suffix not in _ENDINGS or not path.is_file():
        return False
    with path.open("rb") as file:
        head = file.read(_SNIFFED)
    return head.startswith(b"interactions:") or b"\ninteractions:" in head


def _one(path: Path, sanitizer: Sanitizer, check: bool) -> Done:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            done = _cleaned(path, load_cassette(path), sanitizer, check)
        except CassetteError as error:
            return Done(path, State.UNREADABLE, said=[str(error)])
    done.said += [str(each.message) for each in caught]
    return done


def _cleaned(path: Path, cassette: Cassette, sanitizer: Sanitizer, check: bool) -> Done:
    cleaned = sanitizer.clean(cassette)
    counts = dict(cleaned.counts)
    if check:
        left = _places(sanitizer, cassette)
        return Done(path, State.NOT_CLEAN if counts or left else State.CLEAN, counts, left)
    try:
        if counts:
            save_cassette(cassette, path, sanitizer)
        elif left := _places(sanitizer, cassette):
            return Done(path, State.REFUSED, counts, left)
    except ResidueError as error:
        return Done(path, State.REFUSED, counts, [str(error)])
    return Done(path, State.CLEANED if counts else State.CLEAN, counts)


def _places(sanitizer: Sanitizer, cassette: Cassette) -> list[str]:
    return sorted({str(residue) for residue in sanitizer.scan(cassette)})


def _report(done: Sequence[Done]) -> None:
    for each in done:
        if each.state is not State.CLEAN:
            total = sum(each.counts.values())
            say(f"{each.state}  {each.path}  {total} replacements")
        for said in [*each.said[:_SHOWN], *([f"and {more} more"] if (more := len(each.said) - _SHOWN) > 0 else [])]:
            where = "" if said.startswith(str(each.path)) else f"{each.path}: "
            tell(f"recorder: {where}{said}", "yellow")
    counts: Counter[str] = Counter()
    for each in done:
        counts.update(each.counts)
    if counts:
        table = Table("rule", "replacements", "files", box=None, pad_edge=False)
        for name, count in counts.most_common():
            table.add_row(name, str(count), str(sum(name in each.counts for each in done)))
        say_table(table)
    states = Counter(each.state for each in done)
    say(", ".join(f"{states[state]} {state}" for state in State if states[state]))


def _report_json(done: Sequence[Done]) -> None:
    print(
        json.dumps(
            [
                {"path": str(each.path), "state": each.state, "replacements": each.counts, "said": each.said}
                for each in done
            ]
        )
    )
