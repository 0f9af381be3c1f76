"""HTTP/2 (RFC 9113) with the package h2: the same answers, many at a time on one connection.

Rule: one chunk is one DATA frame, unless the client's window or frame size is smaller. `incomplete` ends the stream
with RST_STREAM, which is what a gateway sends when the server behind it breaks off; `reset` is an RST of all.
h2 is an optional package, so this module is imported by the function that needs it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.errors import ErrorCodes
from h2.events import (
    DataReceived,
    Event,
    RemoteSettingsChanged,
    RequestReceived,
    StreamEnded,
    StreamReset,
    WindowUpdated,
)
from h2.exceptions import ProtocolError

from recorder.adapters._message import Message
from recorder.adapters.loopback import ClientLeft, HttpRequest, Leaving, Peer, Presence
from recorder.adapters.server._log import Delivery
from recorder.adapters.server._perform import MAX_BODY, App
from recorder.plans import Ending, Framing

_METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PATH = re.compile(r"/[!-~]*|\*")


class Http2:
    """One connection.

    Args:
        peer: the client.
        app: answers the requests.
    """

    def __init__(self, peer: Peer, app: App) -> None:
        self.peer = peer
        self.machine = H2Connection(H2Configuration(client_side=False, header_encoding=None))
        self._app = app
        self._streams: dict[int, _Stream] = {}
        self._answers: set[asyncio.Task[bool]] = set()
        self._sending = asyncio.Lock()

    async def serve(self, before: bytes) -> None:
        """Serve until the connection is over; `before` are bytes already read."""
        self.machine.initiate_connection()
        try:
            data = before
            while data:
                try:
                    for event in self.machine.receive_data(data):
                        self._on(event)
                except ProtocolError:
                    await self.flush()  # the GOAWAY that says so
                    return
                await self.flush()
                data = await self.peer.take()
        finally:
            for stream in self._streams.values():
                stream.presence.leave(self.peer.left or Leaving.RESET)
            if self.peer.left is None:
                for task in self._answers:
                    task.cancel()
            done = await asyncio.gather(*self._answers, return_exceptions=True)
            for fault in done:
                if isinstance(fault, Exception):
                    raise fault

    async def flush(self) -> None:
        """Send what the machine has to send. Raises ClientLeft."""
        async with self._sending:
            if data := self.machine.data_to_send():
                await self.peer.send(data)

    def _on(self, event: Event) -> None:
        match event:
            case RequestReceived(stream_id=int(number), headers=list(headers)):
                self._streams[number] = _Stream([(_text(name), _text(value)) for name, value in headers])
            case DataReceived(stream_id=int(number), data=bytes(data)) if number in self._streams:
                self._streams[number].body += data
                if len(self._streams[number].body) > MAX_BODY:
                    self.machine.reset_stream(number, ErrorCodes.ENHANCE_YOUR_CALM)
                    del self._streams[number]
                elif event.flow_controlled_length:
                    self.machine.acknowledge_received_data(event.flow_controlled_length, number)
            case StreamEnded(stream_id=int(number)) if number in self._streams:
                self._asked(number, self._streams[number])
            case StreamReset(stream_id=int(number)) if number in self._streams:
                self._streams[number].presence.leave(Leaving.RESET)
            case WindowUpdated() | RemoteSettingsChanged():
                for stream in self._streams.values():
                    stream.room.set()
            case _:
                pass

    def _asked(self, number: int, stream: _Stream) -> None:
        request = stream.request()
        if request is None:
            self.machine.reset_stream(number, ErrorCodes.PROTOCOL_ERROR)
            return
        sink = Http2Sink(self, number, stream)
        task = asyncio.create_task(self._app.respond(sink, request))
        self._answers.add(task)
        task.add_done_callback(partial(self._answered, number, sink))

    def _answered(self, number: int, sink: Http2Sink, task: asyncio.Task[bool]) -> None:
        self._app.over(sink)
        self._streams.pop(number, None)
        if task.cancelled() or task.exception() is None:
            self._answers.discard(task)  # one that failed is raised by `serve`


class _Stream:
    """What has come of a request, and whether its client still waits for the answer."""

    def __init__(self, headers: list[tuple[str, str]]) -> None:
        self._headers = headers
        self.body = bytearray()
        self.presence = Presence()
        self.room = asyncio.Event()  # the client's window has grown

    def request(self) -> HttpRequest | None:
        """The request; None for one without a method, or with a path that is none (RFC 9113 section 8.3.1)."""
        named = dict(self._headers)
        method, path = named.get(":method", ""), named.get(":path", "")
        if not _METHOD.fullmatch(method) or not _PATH.fullmatch(path):
            return None
        headers = [pair for pair in self._headers if not pair[0].startswith(":")]
        if ":authority" in named:
            headers.insert(0, ("host", named[":authority"]))
        return HttpRequest(method, path, "2", tuple(headers), bytes(self.body))


class Http2Sink:
    """One exchange.

    Attributes:
        presence: the client, as far as this stream goes.
        entry: where the answer is noted.
    """

    def __init__(self, connection: Http2, number: int, stream: _Stream) -> None:
        self.presence = stream.presence
        self.entry: Delivery | None = None
        self._connection = connection
        self._machine = connection.machine
        self._number = number
        self._room = stream.room
        self._headed = False

    async def head(self, message: Message) -> None:
        """Send the head."""
        headers = [(":status", str(message.status)), *((name.lower(), value) for name, value in message.headers)]
        if message.framing is Framing.LENGTH:
            headers.append(("content-length", str(message.size)))
        self._headed = True
        self.presence.check()
        with _while_it_is_open():
            self._machine.send_headers(self._number, headers)
        await self._connection.flush()

    async def chunk(self, data: bytes) -> None:
        """Send one chunk."""
        while data:
            room = await self._wait_for_room()
            with _while_it_is_open():
                self._machine.send_data(self._number, data[:room])
            await self._connection.flush()
            data = data[room:]

    async def end(self, ending: Ending) -> None:
        """End that way."""
        if ending is Ending.RESET:
            await self._connection.peer.settle()
            await self._connection.peer.reset()
            return
        self.presence.check()
        with _while_it_is_open():
            if ending is Ending.INCOMPLETE or not self._headed:
                self._machine.reset_stream(self._number, ErrorCodes.INTERNAL_ERROR)
            else:
                self._machine.end_stream(self._number)
        await self._connection.flush()

    async def _wait_for_room(self) -> int:
        """How many bytes may be sent now; there is always one."""
        while True:
            self.presence.check()
            with _while_it_is_open():
                room = self._machine.local_flow_control_window(self._number)
            if room > 0:
                return min(room, self._machine.max_outbound_frame_size)
            self._room.clear()
            await self.presence.until(_set(self._room))


def _text(value: bytes | str) -> str:
    """As HTTP/1.1 headers are read here."""
    return value if isinstance(value, str) else value.decode("latin-1")


@contextmanager
def _while_it_is_open() -> Iterator[None]:
    """The machine sends nothing more on what the client has closed (a stream, or all of them with GOAWAY)."""
    try:
        yield
    except ProtocolError:
        raise ClientLeft from None


async def _set(event: asyncio.Event) -> None:
    await event.wait()
