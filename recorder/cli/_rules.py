"""`recorder rules`: what is replaced or left out, rule by rule, with an example each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.text import Text

from recorder.cli._console import out
from recorder.cli._sanitizer import sanitizer_of
from recorder.sanitize import Allow, Rule

AnyRule = Rule | Allow


def rules(
    names: Annotated[list[str] | None, typer.Argument(help="Show these rules only, in full.")] = None,
    config: Annotated[
        Path | None, typer.Option("--config", help="The pyproject.toml to read; the nearest one unless given.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the rules as JSON.")] = False,
) -> None:
    """List the rules by which cassettes are sanitized, as they are in force here.

    A rule is left out with `--without NAME` or `without = ["NAME"]` under `[tool.recorder]` in pyproject.toml.

    \b
    Examples:
      recorder rules
      recorder rules email jwt
      recorder rules --json
    """
    sanitizer = sanitizer_of(config=config)
    known = {rule.name for rule in sanitizer.rules}
    unknown = [name for name in names or () if name not in known]
    if unknown:
        raise ValueError(f"no rule is called {', '.join(unknown)}; `recorder rules` lists them")
    chosen = [rule for rule in sanitizer.rules if not names or rule.name in names]
    if as_json:
        facts = {
            "fingerprint": sanitizer.fingerprint,
            "text": sanitizer.text,
            "rules": [_facts(rule) for rule in chosen],
        }
        print(json.dumps(facts, ensure_ascii=False))
        return
    for rule in chosen:
        _show(rule, full=bool(names))
    if not names:
        out.print(
            f'\n{len(chosen)} rules, text="{sanitizer.text}", fingerprint {sanitizer.fingerprint}', highlight=False
        )


def _show(rule: AnyRule, full: bool) -> None:
    out.print(Text.assemble((rule.name, "bold"), f"  {rule.what}"), highlight=False)
    for example in rule.examples if full else rule.examples[:1]:
        out.print(Text(f"    {_line(example.before)}  ->  {_line(example.after) or '(left out)'}"), highlight=False)
    if full:
        for label, values in _parts(rule):
            out.print(Text(f"    {label}: {values}"), highlight=False)


def _line(text: str) -> str:
    return text.replace("\n", "\\n")


def _parts(rule: AnyRule) -> list[tuple[str, str]]:
    if isinstance(rule, Allow):
        return [("stay", ", ".join(rule.names))]
    parts = [
        ("not hit", ";  ".join(map(_line, rule.misses))),
        ("headers", f"{', '.join(rule.headers)} ({rule.header_action})" if rule.headers else ""),
        ("members", ", ".join(rule.members)),
        ("pattern", _line(rule.pattern)),
    ]
    return [(label, values) for label, values in parts if values]


def _facts(rule: AnyRule) -> dict[str, Any]:
    facts: dict[str, Any] = {"name": rule.name, "what": rule.what}
    facts["examples"] = [{"before": example.before, "after": example.after} for example in rule.examples]
    if isinstance(rule, Allow):
        return facts | {"stay": list(rule.names)}
    facts |= {"kind": rule.kind, "misses": list(rule.misses), "pattern": rule.pattern, "members": list(rule.members)}
    return facts | {"headers": list(rule.headers), "header_action": rule.header_action}
