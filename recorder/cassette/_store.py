"""Files on disk: a cassette's text is written whole or not at all.

Rule: the text goes to a temporary file in the same folder, is flushed to the disk, and takes the place of the old file
in one rename; whatever fails, the old file stays and nothing else is left. Private to the sanitize room, the only
way to a file: nothing unsanitized may come here.
"""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import NamedTemporaryFile

from recorder.errors import CassetteError


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write `text` (UTF-8) to `path`, atomically.

    Raises:
        CassetteError: the folder or the disk does not let us; the old file is as it was.
    """
    target = Path(path)
    try:
        with NamedTemporaryFile("wb", dir=target.parent, prefix=f".{target.name}.", delete=False) as file:
            try:
                file.write(text.encode())
                file.flush()
                os.fsync(file.fileno())
                Path(file.name).replace(target)
            except BaseException:
                Path(file.name).unlink(missing_ok=True)
                raise
    except OSError as error:
        raise CassetteError(f"{target}: cannot be written: {error.strerror}") from error
