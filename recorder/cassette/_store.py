"""Files on disk: a cassette's text is written whole or not at all, by one process at a time.

Rule: the text goes to a temporary file in the same folder, is flushed to the disk, and takes the place of the old file
in one rename; whatever fails, the old file stays and nothing of ours is left. Private to the sanitize room, the only
way to a file: nothing unsanitized may come here.

The lock is on the folder itself (flock(2)), so there is no lock's file to be left behind, ignored or committed, it
holds between users and containers that share the folder, and the system gives it up when a process dies. Where a
folder cannot be locked (Windows, some network file systems) the rename alone protects: a reader still sees one whole
file, but of two who read, add and write at the same time the last one wins.
"""

from __future__ import annotations

import errno
import os
import secrets
import stat
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from recorder.errors import CassetteError

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]  # not on Windows

LOCK_TIMEOUT_S = 60.0
"""How long to wait for another process; a write takes milliseconds."""

_POLL_S = 0.01
_CANNOT_LOCK = {errno.EBADF, errno.EINVAL, errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP}


class _Held(threading.local):
    """The folders this thread has locked, by device and number: what it holds it may take again."""

    def __init__(self) -> None:
        self.folders: set[tuple[int, int]] = set()


_held = _Held()


def write_text(path: str | os.PathLike[str], text: str | bytes) -> None:
    """Write a cassette's text to `path`; afterwards there is the new file or the old state.

    The folder is made if it is not there. An existing file keeps its permissions, a new one gets those of the umask.

    Args:
        path: the file; a symbolic link is refused, replacing it would leave what it points to as it was.
        text: the content, UTF-8 if bytes.

    Raises:
        CassetteError: the folder, the file or the disk does not let us.
    """
    target = Path(path)
    data = text if isinstance(text, bytes) else text.encode()
    with locked(target), _told(target, "written"):
        _replace(target, data, _mode_of(target))


def check_place(path: str | os.PathLike[str]) -> None:
    """Look whether `write_text` could write to `path`, and leave everything as it is.

    Args:
        path: the file; a folder that is not there yet is one that its nearest one lets us make.

    Raises:
        CassetteError: what `write_text` would raise.
    """
    target = Path(path)
    with _told(target, "written"):
        _mode_of(target)
        folder = next(each for each in target.absolute().parents if each.exists())
        with tempfile.TemporaryFile(dir=folder):
            pass


@contextmanager
def locked(path: str | os.PathLike[str], *, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Hold the lock of a cassette's folder, for reading, adding and writing as one.

    A thread that holds it may take it again, so tasks of one thread do not keep each other out: never await under it.

    Args:
        path: the file; its folder is made if it is not there.
        timeout_s: how long to wait for who holds it.

    Raises:
        CassetteError: the folder cannot be opened, or another process has held it for `timeout_s`.
    """
    if fcntl is None:
        with _told(path, "locked"):
            Path(path).parent.mkdir(parents=True, exist_ok=True)
        yield
        return
    with _told(path, "locked"):
        descriptor = _open_folder(Path(path).parent)
    try:
        found = os.fstat(descriptor)
        folder = (found.st_dev, found.st_ino)
        if folder in _held.folders:
            yield
            return
        with _told(path, "locked"):
            _lock(descriptor, path, timeout_s)
        _held.folders.add(folder)
        try:
            yield
        finally:
            _held.folders.discard(folder)
            with suppress(OSError):
                fcntl.flock(descriptor, fcntl.LOCK_UN)  # closing is not enough: a forked child may hold a copy
    finally:
        os.close(descriptor)


def _open_folder(folder: Path) -> int:
    try:
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    except FileNotFoundError:
        folder.mkdir(parents=True, exist_ok=True)
        return os.open(folder, os.O_RDONLY | os.O_DIRECTORY)


def _lock(descriptor: int, path: str | os.PathLike[str], timeout_s: float) -> None:
    deadline = time.monotonic() + timeout_s
    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= deadline:
                break
            time.sleep(_POLL_S)
        except OSError as error:
            if error.errno not in _CANNOT_LOCK:
                raise
            return
        else:
            return
    problem = f"another process has held its folder for {timeout_s:g} s; end that one or wait"
    raise CassetteError(f"{os.fspath(path)}: {problem}")


def _mode_of(target: Path) -> int | None:
    """The permissions of the file to be replaced; None when there is none."""
    try:
        found = target.lstat()
    except FileNotFoundError:
        return None
    if stat.S_ISLNK(found.st_mode):
        raise PermissionError(0, "it is a symbolic link; give the path of the file it points to")
    if not stat.S_ISREG(found.st_mode):
        raise PermissionError(0, "it is not a regular file")
    if not os.access(target, os.W_OK, effective_ids=os.access in os.supports_effective_ids):
        raise PermissionError(0, "it is write-protected")
    return stat.S_IMODE(found.st_mode)


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    temporary = target.with_name(f".{secrets.token_hex(8)}.sse-recorder")
    try:
        with temporary.open("xb") as file:  # the umask decides what others may do with a new file
            if mode is not None:
                temporary.chmod(mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        with suppress(OSError):
            temporary.unlink()
        raise
    if mode is None:  # a replaced file is whole either way, a new name must be made to last
        _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Make a new name last through a power cut; not every file system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _told(path: str | os.PathLike[str], what: str) -> Iterator[None]:
    """Turn the operating system's refusal into ours."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CassetteError(f"{os.fspath(path)}: cannot be {what}: {reason}") from error
