"""Files on disk: a cassette's text is written whole or not at all, by one process at a time.

Rule: the text goes to a temporary file in the same folder, is flushed to the disk, and takes the place of the old file
in one rename; whatever fails, the old file stays and nothing of ours is left. Private to the sanitize room, the only
way to a file: nothing unsanitized may come here.

The lock's file is not beside the cassette, where it would be committed, but in a folder of the user's own under the
system's temporary folder; so it holds between the processes of one user on one machine. The rename holds everywhere.
"""

from __future__ import annotations

import os
import secrets
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

from filelock import FileLock, Timeout

from recorder.errors import CassetteError

LOCK_TIMEOUT_S = 60.0
"""How long to wait for another process; a write takes milliseconds, a recording some seconds."""


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
        target.parent.mkdir(parents=True, exist_ok=True)
        _replace(target, data, _mode_of(target))


@contextmanager
def locked(path: str | os.PathLike[str], *, timeout_s: float = LOCK_TIMEOUT_S) -> Iterator[None]:
    """Hold the lock of a cassette, for reading, adding and writing as one; a thread that holds it may take it again.

    Raises:
        CassetteError: another process has held it for `timeout_s`.
    """
    with _told(path, "locked"):
        lock = FileLock(_lock_file(Path(path)), is_singleton=True)
    try:
        lock.acquire(timeout=timeout_s)
    except Timeout:
        problem = f"another process has held it for {timeout_s:g} s; end that one or wait"
        raise CassetteError(f"{os.fspath(path)}: {problem}") from None
    try:
        yield
    finally:
        lock.release()


def _lock_file(path: Path) -> Path:
    """Where the lock of a file is: named by the file's real path, in a folder nobody else can write to."""
    folder = Path(tempfile.gettempdir(), f"sse-recorder-{_user()}")
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700)
    found = folder.lstat()
    if not stat.S_ISDIR(found.st_mode) or (os.name == "posix" and found.st_uid != _user()):
        raise PermissionError(0, f"{folder} is not a folder of this user's; set TMPDIR to another place")
    if stat.S_IMODE(found.st_mode) & 0o077:
        folder.chmod(0o700)
    return folder / f"{sha256(os.fsencode(path.resolve())).hexdigest()[:32]}.lock"


def _user() -> int:
    return os.geteuid() if os.name == "posix" else 0  # Windows gives each user a temporary folder


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
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Make the rename last through a power cut; not every file system can."""
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
