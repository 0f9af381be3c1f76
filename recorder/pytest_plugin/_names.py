"""Which file a test's cassette is.

Rule: a test without a name has a file of its own, `cassettes/<module>/<test>.yaml` beside its module. The name is safe
on every file system; where that or its length changes it, a digest keeps two tests apart.
"""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

_UNSAFE = re.compile(r"[^A-Za-z0-9_.\[\]=,+-]+")
_LONGEST = 100
SUFFIXES = (".yaml", ".yml")


def default_path(folder: Path, module: str, test: str) -> Path:
    """The file of a test that names none.

    Args:
        folder: the folder of cassettes.
        module: the module's name, without `.py`.
        test: the test's name with its class and its parameters.
    """
    return folder / module / f"{safe_name(test)}.yaml"


def safe_name(name: str) -> str:
    """`name` if every file system takes it, else the readable part of it and a digest of the whole."""
    safe = _UNSAFE.sub("-", name).strip(".- ")
    if safe == name and len(safe) <= _LONGEST:
        return safe
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{safe[: _LONGEST - 9]}-{digest}"


def named_path(name: str | Path, module: Path, folder: Path, root: Path) -> Path:
    """The file of a test that names it.

    It is looked for in the folder of cassettes, beside the module and from the root; where there is none yet, it is to
    be in the folder of cassettes.

    Args:
        name: as in the mark; an absolute path is taken as it is.
        module: the test module's file.
        folder: the folder of cassettes beside it.
        root: pytest's root folder.
    """
    path = Path(name)
    if path.is_absolute():
        return path
    if path.suffix not in SUFFIXES:
        path = path.with_name(path.name + ".yaml")
    candidates = (folder / path, module.parent / path, root / path)
    return next((each for each in candidates if each.is_file()), folder / path)
