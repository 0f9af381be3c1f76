"""From a cassette's name, as a test gives it, to a path: never out of the folder.

Rule: a name is a relative path of ordinary parts, on every system; what could leave the folder is refused, not
repaired. Not known here: whether the file exists.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from recorder.errors import CassetteError

_CONTROLS = re.compile(r"[\x00-\x1f\x7f]")
_DRIVE = re.compile(r"[A-Za-z]:")
MAX_PART = 255
"""Bytes a file or folder name may have on the usual file systems."""


def cassette_path(folder: str | os.PathLike[str], name: str) -> Path:
    """The path of the cassette called `name` in `folder`; `.yaml` is added unless it ends in that or in `.yml`.

    Args:
        folder: where the cassettes are.
        name: `chat`, `chat.yaml` or `group/chat`; `/` separates folders.

    Raises:
        CassetteError: the name is empty, absolute, steps up (`..`), is too long, holds a control character or a
            backslash, or reaches through a symbolic link out of the folder.
    """
    problem = _problem(name)
    if problem:
        raise CassetteError(f"the cassette name {_shown(name)} {problem}; right is a name like 'chat' or 'group/chat'")
    base = Path(folder)
    path = base / (name if name.endswith((".yaml", ".yml")) else f"{name}.yaml")
    if not path.resolve().is_relative_to(base.resolve()):
        raise CassetteError(
            f"the cassette name {_shown(name)} leads out of {base} through a symbolic link; use another"
        )
    return path


def _problem(name: str) -> str:
    parts = name.split("/")
    if _CONTROLS.search(name):
        return "holds a control character"
    if "\\" in name:
        return "holds a backslash, which separates folders on Windows"
    if name.startswith("/") or _DRIVE.match(name):
        return "is an absolute path"
    if ".." in parts:
        return "steps out of the folder"
    if any(part in ("", ".") for part in parts):
        return "has an empty part"
    if any(len(os.fsencode(part)) > MAX_PART - len(".yaml") for part in parts):
        return f"has a part longer than {MAX_PART - len('.yaml')} bytes"
    return ""


def _shown(name: str) -> str:
    shown = ascii(name)
    return shown if len(shown) <= 80 else f"{shown[:76]}...'"
