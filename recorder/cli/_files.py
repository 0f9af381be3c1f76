"""Files that options name: what is wrong with one is said with the option, the file, and what would be right."""

from __future__ import annotations

import ssl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path


def reason(error: OSError) -> str:
    """What is wrong with a file, without its name and without a number."""
    if isinstance(error, ssl.SSLError):
        return "holds no certificate"
    if isinstance(error, FileNotFoundError):
        return "there is no such file or folder"
    if isinstance(error, IsADirectoryError):
        return "is a folder"
    if isinstance(error, FileExistsError | NotADirectoryError):
        return "is no folder"
    return (error.strerror or str(error)).lower()


def given(names: Sequence[str]) -> list[Path]:
    """Arguments as paths. One that is empty, as of a variable that is not set, is not the current folder.

    Raises:
        ValueError: one is.
    """
    if "" in names:
        raise ValueError("the name of a file is empty: write . for the current folder")
    return [Path(name) for name in names]


@contextmanager
def at_hand(option: str, path: Path, wanted: str) -> Iterator[None]:
    """Do something with the file of an option.

    Args:
        option: such as `--json`.
        path: its value.
        wanted: what the option takes.

    Raises:
        ValueError: the file cannot be used.
    """
    try:
        yield
    except OSError as error:
        raise ValueError(f"{option} {path}: {reason(error)}; it takes {wanted}") from None


def read_file(option: str, path: Path, wanted: str) -> bytes:
    """What is in the file of an option.

    Raises:
        ValueError: as of `at_hand`.
    """
    with at_hand(option, path, wanted):
        return path.read_bytes()


def check_place(option: str, path: Path | None, wanted: str) -> None:
    """Look at a file to write before the work whose result it is to hold.

    Raises:
        ValueError: it is a folder, or its folder is not there.
    """
    if path is None:
        return
    with at_hand(option, path, wanted):
        if path.is_dir():
            raise IsADirectoryError
        if not path.parent.is_dir():
            raise ValueError(f"{option} {path}: there is no folder {path.parent}; it takes {wanted}")


def trusted(cacert: Path | None) -> ssl.SSLContext | bool:
    """Whom to trust: the authorities of `--cacert`, or True for those of the system.

    Raises:
        ValueError: it is no file with certificates.
    """
    if cacert is None:
        return True
    read_file("--cacert", cacert, "a PEM file of certificate authorities")
    with at_hand("--cacert", cacert, "a PEM file of certificate authorities"):
        return ssl.create_default_context(cafile=str(cacert))
