"""`recorder verify`: are these cassettes in order?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from recorder.cassette import Finding
from recorder.cli._cassettes import located
from recorder.cli._console import say, tell
from recorder.cli._files import given
from recorder.cli._options import SecretEnv
from recorder.cli._sanitizer import sanitizer_of
from recorder.cli._status import Status

_ENDINGS = (".yaml", ".yml")


def verify(
    paths: Annotated[list[str], typer.Argument(help="Cassette files, folders of them, names of shipped cassettes.")],
    accept: Annotated[bool, typer.Option("--accept", help="Take edited bodies for the truth: fresh digests.")] = False,
    secret_env: SecretEnv = None,
    as_json: Annotated[bool, typer.Option("--json", help="Findings as JSON.")] = False,
) -> None:
    """Check digests, chunk sums, shape, loading in stock vcrpy, and secrets.

    One line a file; what is wrong, and what to do, goes to standard error. Exit status: 1 when a file is not in order,
    2 when one cannot be read.

    \b
    Examples:
      recorder verify cassettes
      recorder verify --accept chat.yaml
    """
    from recorder.inspect import accept as take
    from recorder.inspect import verify as check

    sanitizer = sanitizer_of(secret_env)
    findings: dict[Path, list[Finding]] = {}
    for path in _files(given(paths)):
        if accept and any(each.code == "edited" for each in check(path, sanitizer)):
            take(path, sanitizer)
        findings[path] = check(path, sanitizer)
    if as_json:
        print(json.dumps([_plain(path, found) for path, found in findings.items()], indent=2))
    else:
        for path, found in findings.items():
            _say(path, found)
    wrong = {code for found in findings.values() for code in _wrong(found)}
    raise typer.Exit(Status.CANNOT if "unreadable" in wrong else Status.NO if wrong else Status.FINE)


def _files(paths: list[Path]) -> list[Path]:
    files = [file for path in paths for file in _of(path)]
    if not files:
        raise ValueError("there is no .yaml file in " + ", ".join(map(str, paths)))
    return list(dict.fromkeys(files))


def _of(path: Path) -> list[Path]:
    if path.is_dir():
        return sorted(file for file in path.rglob("*") if file.suffix in _ENDINGS and file.is_file())
    return [located(str(path))]


def _wrong(found: list[Finding]) -> list[str]:
    return list(dict.fromkeys(each.code for each in found if each.is_error))


def _plain(path: Path, found: list[Finding]) -> dict[str, object]:
    told = [{"code": each.code, "message": each.message, "is_error": each.is_error} for each in found]
    return {"path": str(path), "ok": not _wrong(found), "findings": told}


def _say(path: Path, found: list[Finding]) -> None:
    from recorder.inspect import safe  # a file's name may steer a terminal too

    wrong = _wrong(found)
    whole = "in order" if all(each.code != "cut_off" for each in found) else "may be cut off at its end"
    state = f"not in order: {', '.join(wrong)}" if wrong else whole
    say(safe(f"{path}: {state}"), "red" if wrong else "")
    for each in found:
        tell(safe(f"  {each}"))
