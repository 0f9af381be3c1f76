"""Our cassette files against stock vcrpy's: loading and saving the same files, in one run.

    python benchmarks/cassette.py [--quick] [--json] [--size SIZE]

Each row is one stream in one file: written by us without a chunk list, by us with one (a chunk for each event), or by
vcrpy. Loading is `recorder.load_cassette` against vcrpy's own persister with its YAML serializer, from the disk to the
objects; vcrpy keeps our chunk list as plain lists. Saving is from the objects to the disk: `dump_cassette` and our
store (lock, temporary file, flush, rename) against the same persister, which writes in place. Sanitizing, which
vcrpy has none of, is not in it. The ratio is vcrpy's time over ours, so 2.0 means that ours takes half the time; the
budget is 1.0 everywhere, and 0.95 counts as that: two runs of the same code differ as much. CPU time, interleaved,
best of several.
"""

from __future__ import annotations

import argparse
import json
import platform
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import yaml
from _compare import best_times, versions
from vcr.persisters.filesystem import FilesystemPersister
from vcr.serializers import yamlserializer

from recorder.cassette import Cassette, Chunk, Headers, Interaction, Request, Response, dump_cassette, load_cassette
from recorder.cassette._store import write_text

SIZES = {"4 KB": 4_000, "400 KB": 400_000, "20 MB": 20_000_000}
ROUNDS = {"4 KB": 25, "400 KB": 25, "20 MB": 7}
KINDS = {"LF": ("\n", "word"), "LF, CJK": ("\n", "漢字"), "CRLF": ("\r\n", "word")}
FILES = ("ours", "ours + chunks", "vcrpy's")
MAX_BYTES = 1 << 30
BUDGET = 1.0
TOLERANCE = 0.05


def stream(size: int, line_end: str, word: str) -> tuple[bytes, list[int]]:
    """A chat stream of about `size` bytes, and the sizes of its events."""
    events, total = [], 0
    while total < size:
        delta = f'{{"index":0,"delta":{{"content":" {word}{len(events)}"}},"logprobs":null,"finish_reason":null}}'
        head = '"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m"'
        events.append(f'data: {{{head},"choices":[{delta}]}}{line_end}{line_end}'.encode())
        total += len(events[-1])
    return b"".join(events), [len(event) for event in events]


def cassette(size: int, kind: str, with_chunks: bool) -> Cassette:
    body, sizes = stream(size, *KINDS[kind])
    headers = Headers({f"x-header-{number}": f"value-{number}; a=b" for number in range(12)})
    chunks = tuple(Chunk(0.02, length) for length in sizes) if with_chunks else None
    request = Request("POST", "https://api.example.com/v1/chat/completions", headers, b'{"model":"m","stream":true}')
    return Cassette((Interaction(request, Response(200, headers, body, chunks, reason="OK")),))


def vcrpy_loads(path: Path) -> Any:
    return FilesystemPersister.load_cassette(path, yamlserializer)


def vcrpy_saves(path: Path, loaded: Any) -> None:
    FilesystemPersister.save_cassette(path, {"requests": loaded[0], "responses": loaded[1]}, yamlserializer)


def measure(folder: Path, size: str, kind: str, file: str, rounds: int) -> list[dict[str, Any]]:
    """The two rows of one file: load and save."""
    ours = cassette(SIZES[size], kind, with_chunks=file == "ours + chunks")
    path, out = folder / "in.yaml", folder / "out.yaml"
    write_text(path, dump_cassette(ours))
    if file == "vcrpy's":
        vcrpy_saves(path, vcrpy_loads(path))
    stored = vcrpy_loads(path)
    if (
        load_cassette(path, max_bytes=MAX_BYTES) != ours
        or stored[1][0]["body"]["string"] != ours.interactions[0].response.body
    ):
        raise SystemExit(f"{file}, {size}, {kind}: a body did not come back")
    calls: dict[str, dict[str, Callable[[], object]]] = {
        "load": {
            "recorder": lambda: load_cassette(path, max_bytes=MAX_BYTES),
            "vcrpy": lambda: vcrpy_loads(path),
        },
        "save": {
            "recorder": lambda: write_text(out, dump_cassette(ours)),
            "vcrpy": lambda: vcrpy_saves(out, stored),
        },
    }
    rows = []
    for what, contenders in calls.items():
        if what == "save" and file == "vcrpy's":
            continue  # the same objects as of the first file
        times = best_times(contenders, rounds)
        ratio = times["vcrpy"] / times["recorder"]
        milliseconds = {name: round(1000 * seconds, 3) for name, seconds in times.items()}
        row = {"what": what, "size": size, "stream": kind, "file": file, "ms": milliseconds, "ratio": round(ratio, 2)}
        rows.append({**row, "budget": BUDGET, "met": ratio >= BUDGET - TOLERANCE})
    return rows


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="fewer rounds, and nothing of 20 MB")
    arguments.add_argument("--json", action="store_true", help="print one JSON document instead of the table")
    arguments.add_argument("--size", choices=SIZES, action="append", help="only this size (may be repeated)")
    options = arguments.parse_args()
    found = {**versions(["vcrpy", "PyYAML"]), "libyaml": ".".join(map(str, yaml._yaml.get_version()))}
    if not options.json:
        print(f"python {platform.python_version()}; " + ", ".join(f"{n} {v}" for n, v in found.items()))
        print(f"{'':<5} {'size':<7} {'stream':<8} {'file':<14} {'recorder ms':>12} {'vcrpy ms':>10}   ratio")
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in options.size or [size for size in SIZES if not options.quick or size != "20 MB"]:
            for kind in KINDS:
                for file in FILES:
                    for row in measure(Path(folder), size, kind, file, 5 if options.quick else ROUNDS[size]):
                        rows.append(row)
                        if not options.json:
                            show(row)
    if options.json:
        print(json.dumps({"python": platform.python_version(), "versions": found, "rows": rows}, indent=2))
    return 0 if all(row["met"] for row in rows) else 1


def show(row: dict[str, Any]) -> None:
    times, note = row["ms"], "" if row["met"] else "  MISSED"
    print(
        f"{row['what']:<5} {row['size']:<7} {row['stream']:<8} {row['file']:<14} {times['recorder']:>12.2f} "
        f"{times['vcrpy']:>10.2f}  {row['ratio']:>5.2f}x{note}",
        flush=True,
    )


if __name__ == "__main__":
    raise SystemExit(main())
