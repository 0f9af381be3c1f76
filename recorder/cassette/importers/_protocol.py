"""What an importer is: it tells its format by the first bytes, and turns a file of it into a cassette.

Rule: an importer neither sanitizes nor saves, and says what its format could not tell. Not known here: the formats.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Protocol

from recorder.cassette._codec import read_file
from recorder.cassette._imported import Converted
from recorder.errors import CassetteError

BOM = b"\xef\xbb\xbf"
HEAD = 1024 * 1024
"""How many bytes from the start of a file an importer may look at to tell its format."""


@dataclass(frozen=True, slots=True)
class Source:
    """A file to be imported.

    Attributes:
        path: where it is, and how errors name it.
        data: its bytes, out of gzip.
        body: the bytes of the response that go with it, when they are in a file of their own.
        max_bytes: how many bytes of companions are read.
    """

    path: Path
    data: bytes = field(repr=False)
    body: bytes | None = field(repr=False)
    max_bytes: int
    _taken: list[int] = field(default_factory=lambda: [0], init=False, repr=False)

    @property
    def text(self) -> bytes:
        """The bytes without the byte order mark that some editors put before UTF-8."""
        return self.data.removeprefix(BOM)

    def fail(self, problem: str, place: str = "") -> CassetteError:
        """The error for this file, or a place in it: what is wrong; what would be right."""
        return CassetteError(f"{self.path}: {place}{': ' if place else ''}{problem}")

    def companion(self, name: str, *folders: str) -> bytes | None:
        """The bytes of a file beside this one, which this one names; None when there is none.

        A name is untrusted: it stays in the folder of this file, or in one of `folders` seen from there.

        Raises:
            CassetteError: the name leads elsewhere, or the file cannot be read.
        """
        parts = PurePosixPath(name).parts
        if not parts or name.startswith("/") or "\\" in name or ":" in name or ".." in parts or "\0" in name:
            raise self.fail("it names a file outside its folder; put that file beside it and name it without a path")
        for folder in (".", *folders):
            base = Path(os.path.abspath(self.path.parent / folder))  # noqa: PTH100 (links stay, `..` goes)
            path = base.joinpath(*parts)
            if path.is_file():
                if not path.resolve().is_relative_to(base.resolve()):
                    raise self.fail("it names a file that is a link out of its folder; put the file itself there")
                data = read_file(path, self.max_bytes)
                self._taken[0] += len(data)
                if self._taken[0] > self.max_bytes:
                    raise self.fail(f"it names files of more than {self.max_bytes} bytes; max_bytes= sets the limit")
                return data
        return None


class Importer(Protocol):
    """One format. A module with these three names is one."""

    NAME: str

    def sniff(self, path: Path, head: bytes) -> bool:
        """Whether a file with this path and these first bytes is in this format."""

    def load(self, source: Source) -> Converted:
        """The cassette in a file of this format.

        Raises:
            CassetteError: it cannot be read; with the place.
        """
