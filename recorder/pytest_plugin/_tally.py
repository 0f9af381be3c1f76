"""The line at the end: what was played and recorded, and which cassettes nobody names.

Rule: under pytest-xdist each worker counts, and the first process adds up. A file is called unused only when every
test module that could name it was collected whole.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from recorder.pytest_plugin._marks import folder_of, is_marked, use_of
from recorder.pytest_plugin._names import SUFFIXES

TALLY = pytest.StashKey["Tally"]()
_OUTPUT = "sse_recorder"


@dataclass
class Tally:
    """What one process has seen.

    Attributes:
        played, recorded, rewritten: requests answered, requests recorded, and files that were there and were recorded.
        named: the cassettes that collected tests use.
        there: the cassettes that only collected tests could use.
    """

    played: int = 0
    recorded: int = 0
    rewritten: int = 0
    named: set[str] = field(default_factory=set)
    there: set[str] = field(default_factory=set)

    def add(self, played: int, recorded: int, *, rewritten: bool) -> None:
        """A test is over."""
        self.played += played
        self.recorded += recorded
        self.rewritten += rewritten

    def collected(self, items: Iterable[pytest.Item], config: pytest.Config) -> None:
        """Note what the collected tests name; nothing when single tests were asked for."""
        if any("::" in str(argument) for argument in config.args):
            return
        modules: set[Path] = set()
        for item in items:
            if not isinstance(item, pytest.Function):
                continue
            modules.add(item.path)
            if is_marked(item) or "sse_cassette" in item.fixturenames:
                self.named.add(os.fspath(use_of(item).path.absolute()))
        for module in modules:
            folder = folder_of(config, module)
            self.there.update(_files(folder / module.stem))
            if all(each in modules for each in module.parent.glob("test_*.py")):
                self.there.update(_files(folder))

    @property
    def unused(self) -> list[str]:
        """The cassettes that nobody names."""
        return sorted(self.there - self.named)

    def hand_over(self, config: Any) -> None:
        """To the process that started this worker."""
        if hasattr(config, "workeroutput"):
            config.workeroutput[_OUTPUT] = {
                name: sorted(value) if isinstance(value, set) else value for name, value in vars(self).items()
            }

    def take(self, output: Mapping[str, Any]) -> None:
        """From a worker that is done."""
        given = output.get(_OUTPUT)
        if given:
            self.add(given["played"], given["recorded"], rewritten=False)
            self.rewritten += given["rewritten"]
            self.named.update(given["named"])
            self.there.update(given["there"])

    def write(self, reporter: Any, root: Path, listing: bool) -> None:
        """The summary, if there is anything to say."""
        unused = self.unused
        if not (self.played or self.recorded or (listing and unused)):
            return
        parts = [f"{self.played} played", f"{self.recorded} recorded", f"{self.rewritten} rewritten"]
        more = " (--sse-unused lists them)" if unused and not listing else ""
        reporter.write_line(f"sse-recorder: {', '.join(parts)}, {len(unused)} unused files{more}")
        for each in unused if listing else ():
            path = Path(each)
            reporter.write_line(f"  unused: {path.relative_to(root) if path.is_relative_to(root) else path}")


def _files(folder: Path) -> set[str]:
    return {os.fspath(each.absolute()) for each in folder.glob("*") if each.suffix in SUFFIXES and each.is_file()}
