"""A server as its user holds it: started and stopped from any thread, serving on a loop and a thread of its own.

Rule: what went wrong on the server's thread surfaces in `start` or `stop`, on the thread that owns the server.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress

from recorder.adapters.loopback._listen import Listening

HOST = "127.0.0.1"
STOP_S = 10.0
BACKLOG = 1024


class Run:
    """The thread, its loop and its listening socket.

    Args:
        what: the server's name in errors, such as "provider".
        server: what happens on the connections.
        port: to listen on; 0 lets the system choose.

    Raises:
        OSError: no socket could be had.
    """

    def __init__(self, what: str, server: Listening, port: int = 0) -> None:
        self._what = what
        self._server = server
        self._listener = socket.create_server((HOST, port), backlog=BACKLOG)
        self._listener.setblocking(False)
        self.port: int = self._listener.getsockname()[1]
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._fault: BaseException | None = None
        self._thread = threading.Thread(target=self._main, name=f"recorder-{what}-{self.port}", daemon=True)

    @property
    def running(self) -> bool:
        """Whether it still serves."""
        return self._thread.is_alive()

    def start(self) -> None:
        """Serve; returns when connections are accepted.

        Raises:
            RuntimeError: the loop could not be started.
        """
        try:
            self._thread.start()
        except RuntimeError:
            self._listener.close()
            raise
        self._ready.wait()
        if self._fault is not None:
            self._thread.join()
            raise RuntimeError(f"the {self._what} could not start") from self._fault

    def stop(self) -> None:
        """End every connection and the thread; the second time does nothing.

        Raises:
            RuntimeError: the server failed while it ran.
        """
        if self._loop is not None and self._stop is not None:
            with suppress(RuntimeError):  # the loop has ended already
                self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(STOP_S)
        if self._thread.is_alive():
            raise RuntimeError(f"the {self._what} did not stop within {STOP_S} s")
        crashes = [self._fault] if self._fault else self._server.crashes
        self._fault, self._server.crashes = None, []
        if crashes:
            raise RuntimeError(f"the {self._what} failed while it served ({type(crashes[0]).__name__})") from crashes[0]

    def _main(self) -> None:
        try:
            with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
                runner.run(self._serve())
        except BaseException as error:  # surfaces in start() or stop(), on the thread that owns the server
            self._fault = error
        finally:
            self._listener.close()
            self._ready.set()

    async def _serve(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._stop = asyncio.Event()
        self._ready.set()
        await self._server.serve(self._listener, self._stop)
