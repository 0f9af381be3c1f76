"""An event loop for the runs of an asynchronous reader, also where one is running already, as in a notebook."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine
from typing import Any


def in_a_loop(work: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Run `work` to its end in a loop of its own: in this thread, or beside it when this one has a loop going.

    What `work` raises is raised here. An exception from a signal handler leaves it behind, in its thread.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        asyncio.run(work())
        return
    raised: list[BaseException] = []

    def beside() -> None:
        try:
            asyncio.run(work())
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=beside, daemon=True)
    thread.start()
    thread.join()
    if raised:
        raise raised[0]
