"""`recorder verify`: are these cassettes in order?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from recorder.cassette import Finding
from recorder.cli._console import errors, out
from recorder.sanitize import Sanitizer


def verify(
    paths: Annotated[list[Path], typer.Argument(help="Cassette files, or folders of them.")],
    accept: Annotated[bool, typer.Option("--accept", help="Take edited bodies for the truth: fresh digests.")] = False,
    secret_env: Annotated[
        list[str] | None, typer.Option("--secret-env", help="An environment variable whose value must not be stored.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Findings as JSON.")] = False,
) -> None:
    """Check digests, chunk sums, shape and secrets; exit 1 when a file is not in order.

    Example: recorder verify cassettes

    Example: recorder verify --accept chat.yaml
    """
    from recorder.inspect import accept as take
    from recorder.inspect import verify as check

    sanitizer = Sanitizer.default(secret_env=secret_env or ())
    findings: dict[Path, list[Finding]] = {}
    for path in _files(paths):
        if accept and any(each.code == "edited" for each in check(path, sanitizer)):
            take(path, sanitizer)
        findings[path] = check(path, sanitizer)
    if as_json:
        print(json.dumps([_plain(path, found) for path, found in findings.items()], indent=2))
    else:
        for path, found in findings.items():
            _say(path, found)
    if any(each.is_error for found in findings.values() for each in found):
        raise typer.Exit(1)


def _files(paths: list[Path]) -> list[Path]:
    files = [file for path in paths for file in (sorted(path.rglob("*.yaml")) if path.is_dir() else [path])]
    if not files:
        raise ValueError("there is no .yaml file in " + ", ".join(map(str, paths)))
    return files


def _plain(path: Path, found: list[Finding]) -> dict[str, object]:
    ok = not any(each.is_error for each in found)
    told = [{"code": each.code, "message": each.message, "is_error": each.is_error} for each in found]
    return {"path": str(path), "ok": ok, "findings": told}


def _say(path: Path, found: list[Finding]) -> None:
    wrong = [each for each in found if each.is_error]
    for each in found:
        (errors if each.is_error else out).print(str(each), markup=False, highlight=False)
    if not wrong:
        out.print(f"{path}: in order", markup=False, highlight=False)
