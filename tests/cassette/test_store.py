"""Files on disk: whole or not at all, whatever fails; one writer at a time; nothing left beside them."""

from __future__ import annotations

import errno
import fcntl
import os
import pathlib
import resource
import signal
import stat
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree

import pytest

from recorder.cassette import _store
from recorder.cassette._store import check_place, locked, write_text
from recorder.errors import CassetteError


@contextmanager
def umask(value: int) -> Iterator[None]:
    before = os.umask(value)
    try:
        yield
    finally:
        os.umask(before)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def python(program: str, *arguments: object) -> subprocess.Popen[str]:
    """A Python process of its own running this program, its output readable."""
    command = [sys.executable, "-c", program, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def test_new_file(tmp_path: Path) -> None:
    """A new file has the text as UTF-8 with LF line ends, and is alone in its folder."""
    write_text(tmp_path / "chat.yaml", "é\n")
    assert (tmp_path / "chat.yaml").read_bytes() == b"\xc3\xa9\n"
    assert names(tmp_path) == ["chat.yaml"]


def test_bytes(tmp_path: Path) -> None:
    """Text that is already encoded is written as it is."""
    write_text(str(tmp_path / "chat.yaml"), b"\xc3\xa9\n")
    assert (tmp_path / "chat.yaml").read_bytes() == b"\xc3\xa9\n"


def test_old_file_is_replaced(tmp_path: Path) -> None:
    """The new text takes the place of the old one, which who has it open still reads."""
    path = tmp_path / "chat.yaml"
    write_text(path, "old")
    with path.open() as reader:
        write_text(path, "new")
        assert reader.read() == "old"
    assert path.read_text() == "new"
    assert names(tmp_path) == ["chat.yaml"]


def test_folder_is_made(tmp_path: Path) -> None:
    """Missing folders are made."""
    write_text(tmp_path / "a" / "b" / "chat.yaml", "x")
    assert (tmp_path / "a" / "b" / "chat.yaml").read_text() == "x"


def test_permissions_of_a_new_file(tmp_path: Path) -> None:
    """The umask decides what others may do with a new file."""
    with umask(0o022):
        write_text(tmp_path / "open.yaml", "x")
    with umask(0o077):
        write_text(tmp_path / "closed.yaml", "x")
    assert mode(tmp_path / "open.yaml") == 0o644
    assert mode(tmp_path / "closed.yaml") == 0o600


@pytest.mark.parametrize("permissions", [0o600, 0o640, 0o664])
def test_permissions_of_an_old_file(tmp_path: Path, permissions: int) -> None:
    """An existing file keeps its permissions."""
    path = tmp_path / "chat.yaml"
    path.write_text("old")
    path.chmod(permissions)
    write_text(path, "new")
    assert mode(path) == permissions


def test_long_name(tmp_path: Path) -> None:
    """A name as long as the file system allows is no trouble."""
    write_text(tmp_path / ("x" * 250 + ".yaml"), "x")
    assert names(tmp_path) == ["x" * 250 + ".yaml"]


def refused(path: Path, *, foreseen: bool = True) -> str:
    before = names(path.parent) if path.parent.is_dir() else []
    with pytest.raises(CassetteError) as caught:
        write_text(path, "SECRET")
    assert "SECRET" not in str(caught.value)
    if foreseen:
        with pytest.raises(CassetteError) as looked:
            check_place(path)
        assert str(looked.value) == str(caught.value).replace("locked", "written")
    assert before == (names(path.parent) if path.parent.is_dir() else [])
    return str(caught.value)


def test_symbolic_link(tmp_path: Path) -> None:
    """A link is not replaced, and what it points to is not touched."""
    (tmp_path / "real.yaml").write_text("old")
    link = tmp_path / "chat.yaml"
    link.symlink_to(tmp_path / "real.yaml")
    assert refused(link) == (
        f"{link}: cannot be written: it is a symbolic link; give the path of the file it points to"
    )
    assert link.is_symlink()
    assert (tmp_path / "real.yaml").read_text() == "old"
    assert names(tmp_path) == ["chat.yaml", "real.yaml"]


def test_symbolic_link_to_nothing(tmp_path: Path) -> None:
    """A link that points to nothing is refused too."""
    (tmp_path / "chat.yaml").symlink_to(tmp_path / "none")
    assert "it is a symbolic link" in refused(tmp_path / "chat.yaml")


@pytest.mark.parametrize("name", ["new.yaml", "old.yaml", "a/b/new.yaml"])
def test_looking_at_a_place_leaves_it_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    """By a relative path too."""
    (tmp_path / "old.yaml").write_text("old")
    check_place(tmp_path / name)
    monkeypatch.chdir(tmp_path)
    check_place(name)
    assert names(tmp_path) == ["old.yaml"]
    assert (tmp_path / "old.yaml").read_text() == "old"


def test_not_a_file(tmp_path: Path) -> None:
    """A folder and a pipe are not replaced."""
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    assert refused(tmp_path / "folder") == f"{tmp_path}/folder: cannot be written: it is not a regular file"
    assert refused(tmp_path / "pipe") == f"{tmp_path}/pipe: cannot be written: it is not a regular file"


def test_folder_that_is_a_file(tmp_path: Path) -> None:
    """A file where a folder should be is an error with the path."""
    (tmp_path / "a").write_text("x")
    assert refused(tmp_path / "a" / "chat.yaml").startswith(f"{tmp_path}/a/chat.yaml: cannot be ")


@pytest.fixture
def protected() -> Iterator[Path]:
    """A folder of an ordinary user, who this process is until the test has ended."""
    folder = Path(tempfile.mkdtemp())
    (folder / "chat.yaml").write_text("old")
    root = os.geteuid() == 0
    if root:
        os.chown(folder, 65534, 65534)
        os.chown(folder / "chat.yaml", 65534, 65534)
        os.seteuid(65534)
    try:
        yield folder
    finally:
        if root:
            os.seteuid(0)
        folder.chmod(0o700)
        rmtree(folder)


def test_read_only_folder(protected: Path) -> None:
    """In a folder one may not write to, the old file stays and nothing is added."""
    protected.chmod(0o500)
    assert refused(protected / "chat.yaml") == f"{protected}/chat.yaml: cannot be written: Permission denied"
    assert refused(protected / "new.yaml") == f"{protected}/new.yaml: cannot be written: Permission denied"
    assert (protected / "chat.yaml").read_text() == "old"
    assert names(protected) == ["chat.yaml"]


def test_write_protected_file(protected: Path) -> None:
    """A file its owner has protected is not replaced, though the folder would allow it."""
    (protected / "chat.yaml").chmod(0o400)
    assert refused(protected / "chat.yaml") == f"{protected}/chat.yaml: cannot be written: it is write-protected"
    assert (protected / "chat.yaml").read_text() == "old"


def test_full_disk(tmp_path: Path) -> None:
    """When the system takes no more bytes, the old file stays and the half-written one goes."""
    path = tmp_path / "chat.yaml"
    path.write_text("old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, hard))
    try:
        with pytest.raises(CassetteError) as caught:
            write_text(path, "SECRET" * 10_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert str(caught.value) == f"{path}: cannot be written: File too large"
    assert path.read_text() == "old"
    assert names(tmp_path) == ["chat.yaml"]


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.chmod"])
def test_any_step_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    """Whichever step the disk refuses, the old file stays and nothing is left beside it."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    path = tmp_path / "chat.yaml"
    path.write_text("old")
    module, name = {"os.fsync": (os, "fsync")}.get(step, (pathlib.Path, step.rpartition(".")[2]))
    with monkeypatch.context() as patched:
        patched.setattr(module, name, full)
        with pytest.raises(CassetteError) as caught:
            write_text(path, "new")
    assert str(caught.value) == f"{path}: cannot be written: No space left on device"
    assert path.read_text() == "old"
    assert names(tmp_path) == ["chat.yaml"]


def test_an_error_without_a_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told by its kind; its text may be anything."""

    def odd(_: int) -> None:
        raise OSError("SECRET")

    monkeypatch.setattr(os, "fsync", odd)
    assert refused(tmp_path / "chat.yaml", foreseen=False) == f"{tmp_path}/chat.yaml: cannot be written: OSError"


def test_a_folder_that_another_process_makes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between finding that it is not there and making it."""
    opened, made = os.open, list[Path]()

    def late(path: Path, flags: int) -> int:
        if not made:
            path.mkdir()
            made.append(path)
            raise FileNotFoundError(errno.ENOENT, "no")
        return opened(path, flags)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", late)
        with locked(tmp_path / "new" / "chat.yaml"):
            assert made == [tmp_path / "new"]


def test_interrupted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An interruption passes through, and leaves the old file alone; the lock is free again."""

    def interrupt(_: int) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "chat.yaml"
    path.write_text("old")
    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", interrupt)
        with pytest.raises(KeyboardInterrupt):
            write_text(path, "new")
    assert path.read_text() == "old"
    assert names(tmp_path) == ["chat.yaml"]
    with ThreadPoolExecutor(1) as other:
        other.submit(write_text, path, "newer").result()
    assert path.read_text() == "newer"


def test_what_is_flushed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The bytes before the name is given to them; a new name too, a name that is there already is on the disk."""
    flush, flushed = os.fsync, list[str]()

    def noted(descriptor: int) -> None:
        what = "folder" if stat.S_ISDIR(os.fstat(descriptor).st_mode) else "file"
        flushed.append(f"{what} of {os.fstat(descriptor).st_size if what == 'file' else ', '.join(names(tmp_path))}")
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", noted)
    write_text(tmp_path / "chat.yaml", "12345")
    assert flushed == ["file of 5", "folder of chat.yaml"]
    write_text(tmp_path / "chat.yaml", "123")
    assert flushed == ["file of 5", "folder of chat.yaml", "file of 3"]


@pytest.mark.skipif(not Path("/dev/fd").is_dir(), reason="the system does not list what is open")
def test_nothing_is_left_open(tmp_path: Path) -> None:
    """Neither the folder's descriptor nor the file's, of a new name, an old one, and a refusal."""
    (tmp_path / "folder").mkdir()
    before = len(names(Path("/dev/fd")))
    for _ in range(2):
        write_text(tmp_path / "chat.yaml", "x")
    refused(tmp_path / "folder")
    assert len(names(Path("/dev/fd"))) == before


def test_a_system_without_locks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Windows has no flock: folders are made, and files replaced whole, all the same."""
    monkeypatch.setattr(_store, "fcntl", None)
    path = tmp_path / "a" / "b" / "chat.yaml"
    write_text(path, "old")
    with locked(path), locked(path):
        write_text(path, "new")
    assert path.read_text() == "new"
    assert names(path.parent) == ["chat.yaml"]
    (tmp_path / "c").write_text("x")
    assert refused(tmp_path / "c" / "chat.yaml", foreseen=False).startswith(
        f"{tmp_path}/c/chat.yaml: cannot be locked: "
    )


def test_file_systems_that_cannot_flush_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where a folder cannot be flushed, the file is written nevertheless."""
    flush = os.fsync

    def only_files(descriptor: int) -> None:
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "no")
        flush(descriptor)

    monkeypatch.setattr(os, "fsync", only_files)
    write_text(tmp_path / "chat.yaml", "x")
    assert (tmp_path / "chat.yaml").read_text() == "x"


# -- several at once --------------------------------------------------------------------------------------------------

WRITE_OFTEN = """
import sys
from recorder.cassette._store import write_text
for _ in range(25):
    write_text(sys.argv[1], sys.argv[2] * 50_000)
"""
ADD_OFTEN = """
import sys
from pathlib import Path
from recorder.cassette import _store
from recorder.cassette._store import locked, write_text
path = Path(sys.argv[1])
for _ in range(10):
    with locked(path):
        write_text(path, path.read_text() + "x")
"""
HOLD = """
import sys
from recorder.cassette._store import locked
with locked(sys.argv[1]):
    print("held", flush=True)
    sys.stdin.read()
"""


def test_a_reader_sees_one_whole_file(tmp_path: Path) -> None:
    """While several processes write, every reading is one of the texts, whole."""
    path = tmp_path / "chat.yaml"
    write_text(path, "a" * 50_000)
    writers = [python(WRITE_OFTEN, path, letter) for letter in "bcd"]
    seen = set()
    while any(writer.poll() is None for writer in writers):
        text = path.read_text()
        assert text == text[0] * 50_000
        seen.add(text[0])
    assert [writer.communicate()[0] or writer.returncode for writer in writers] == [0, 0, 0]
    assert path.read_text()[0] in "bcd"
    assert names(tmp_path) == ["chat.yaml"]


def test_reading_and_writing_as_one(tmp_path: Path) -> None:
    """Under the lock, what one process adds is not lost to another."""
    path = tmp_path / "chat.yaml"
    write_text(path, "")
    writers = [python(ADD_OFTEN, path) for _ in range(3)]
    assert [writer.communicate()[0] or writer.returncode for writer in writers] == [0, 0, 0]
    assert path.read_text() == "x" * 30


def test_threads(tmp_path: Path) -> None:
    """Threads of one process take turns too."""
    path = tmp_path / "chat.yaml"
    write_text(path, "")

    def add(_: int) -> None:
        with locked(path):
            write_text(path, path.read_text() + "x")

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(add, range(20)))
    assert path.read_text() == "x" * 20


def test_lock_that_is_not_given_up(tmp_path: Path) -> None:
    """Who waits too long is told so; other folders are free, and so is this one afterwards."""
    path = tmp_path / "chat.yaml"
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with locked(path):
            held.set()
            done.wait(20)

    with ThreadPoolExecutor(1) as other:
        holding = other.submit(hold)
        held.wait(20)
        with pytest.raises(CassetteError) as caught, locked(path, timeout_s=0):
            pass
        write_text(tmp_path / "other" / "chat.yaml", "x")
        done.set()
        holding.result()
    assert str(caught.value) == f"{path}: another process has held its folder for 0 s; end that one or wait"
    write_text(path, "x")


def test_waiting_for_the_lock(tmp_path: Path) -> None:
    """Who waits gets the lock when it is given up."""
    path = tmp_path / "chat.yaml"
    with ThreadPoolExecutor(1) as other:
        with locked(path):
            writing = other.submit(write_text, path, "x")
            with pytest.raises(TimeoutError):
                writing.result(0.03)
        writing.result(20)
    assert path.read_text() == "x"


def test_lock_of_a_killed_process(tmp_path: Path) -> None:
    """A process that is killed holds nothing any more."""
    path = tmp_path / "chat.yaml"
    command = [sys.executable, "-c", HOLD, str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(CassetteError, match="another process has held its folder"), locked(path, timeout_s=0):
            pass
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    write_text(path, "x")
    assert path.read_text() == "x"


def test_lock_by_another_path(tmp_path: Path) -> None:
    """The lock is of the folder, however its path is written."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")

    def take() -> None:
        with locked(tmp_path / "link" / "chat.yaml", timeout_s=0):
            pass

    with ThreadPoolExecutor(1) as other, locked(tmp_path / "real" / "chat.yaml"):
        take()  # the same thread
        with pytest.raises(CassetteError, match="another process has held its folder"):
            other.submit(take).result()


def test_lock_is_given_up_though_a_child_has_a_copy(tmp_path: Path) -> None:
    """A process forked under the lock does not keep it alive."""
    path = tmp_path / "chat.yaml"
    with locked(path):
        copies = [os.dup(number) for number in range(256) if is_open_on(number, tmp_path)]
    try:
        assert copies
        with ThreadPoolExecutor(1) as other:
            other.submit(write_text, path, "x").result(20)
    finally:
        for copy in copies:
            os.close(copy)


def is_open_on(descriptor: int, folder: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), folder.stat())
    except OSError:
        return False


def test_folder_that_cannot_be_locked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a file system without such locks the file is written nevertheless."""

    def unsupported(*_: object) -> None:
        raise OSError(errno.ENOLCK, "no")

    monkeypatch.setattr(fcntl, "flock", unsupported)
    write_text(tmp_path / "chat.yaml", "x")
    assert (tmp_path / "chat.yaml").read_text() == "x"


def test_lock_that_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error of the disk is one, and nothing is written."""

    def broken(*_: object) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(fcntl, "flock", broken)
    refusal = refused(tmp_path / "chat.yaml", foreseen=False)
    assert refusal == f"{tmp_path}/chat.yaml: cannot be locked: Input/output error"
    assert names(tmp_path) == []


def test_error_under_the_lock(tmp_path: Path) -> None:
    """An error of the one who holds the lock passes through as it is, and gives the lock up."""
    path = tmp_path / "chat.yaml"
    with pytest.raises(FileNotFoundError), locked(path):
        path.read_text()
    with ThreadPoolExecutor(1) as other:
        other.submit(write_text, path, "x").result(20)
