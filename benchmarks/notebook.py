"""What the explorer costs on a stream of a megabyte: opening it, and changing a control.

    python benchmarks/notebook.py [--json]

Each row is one plan on a body of chat deltas: CPU milliseconds in Python (the run, the verdict, the state of the
widgets), kilobytes of state, and, where chromium and playwright are installed, CPU milliseconds of the page until the
picture is painted. The budget is 1 s for opening and 150 ms for a change, both parts together. The way between kernel
and browser is not in it. Medians of several.
"""

from __future__ import annotations

import argparse
import base64
import json
import platform
import shutil
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.resources import files
from statistics import median
from typing import Any

from _bodies import chat

from recorder.cassette import Chunk, Interaction, Request, Response
from recorder.notebook import explore

OPEN_MS, CHANGE_MS = 1000.0, 150.0
ROUNDS = 5
ARRAYS = ("body", "chunk_ends", "chunk_ms", "event_ends", "event_types")
PLANS = (
    "delay=recorded",
    "chunks=whole",
    "chunks=events; delay=fixed:5ms",
    "chunks=bytes:64",
    "chunks=random:5000,1; delay=uniform:1ms,5ms,1",
    "chunks=events; end=eof@event:2000",
    "chunks=recorded; edit=crlf",
    "chunks=bytes:1",
)
PAGE = """
async ({ code, css }) => {
  const state = {}, listeners = {};
  const on = (name, callback) => (listeners[name] ??= []).push(callback);
  const model = { get: name => state[name], set() {}, save_changes() {}, on, off() {}, send() {} };
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const widget = (await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))).default;
  let open = false;
  window.show = async given => {
    for (const [name, data] of Object.entries(given.arrays)) {
      given.arrays[name] = new DataView(Uint8Array.from(atob(data), c => c.charCodeAt(0)).buffer);
    }
    Object.assign(state, given.state, given.arrays);
    requestAnimationFrame(() => {
      if (!open) widget.render({ model, el: document.querySelector("main") });
      open = true;
      for (const name of Object.keys(state)) (listeners["change:" + name] ?? []).forEach(each => each());
    });
    await new Promise(done => requestAnimationFrame(done));
    await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  };
}
"""


def megabyte() -> Interaction:
    """Chat deltas that arrived in pieces of 400 bytes, 30 ms apart."""
    body = chat(5400)
    chunks = tuple(Chunk(0.03, min(400, len(body) - at)) for at in range(0, len(body), 400))
    return Interaction(
        Request("POST", "https://api.example.com/"),
        Response(200, {"content-type": "text/event-stream"}, body, chunks),
    )


def cpu_ms(work: Callable[[], Any]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


@contextmanager
def browser() -> Iterator[Callable[[Any], float] | None]:
    """Paints a picture's state, and says how long that took; None where there is no browser."""
    chromium = shutil.which("chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        chromium = None
    if chromium is None:
        yield None
        return
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = running.new_page()
        page.set_content('<body style="background:#fff"><main></main></body>')
        room = files("recorder.notebook")
        page.evaluate(
            PAGE, {name: (room / f"explorer.{kind}").read_text() for name, kind in (("code", "js"), ("css", "css"))}
        )

        profiler = page.context.new_cdp_session(page)
        profiler.send("Performance.enable", {"timeDomain": "threadTicks"})

        def busy_ms() -> float:
            metrics = {
                each["name"]: float(each["value"]) for each in profiler.send("Performance.getMetrics")["metrics"]
            }
            return (metrics["TaskDuration"] - metrics["DevToolsCommandDuration"]) * 1000  # without taking our state in

        def paint(picture: Any) -> float:
            arrays = {name: base64.b64encode(getattr(picture, name)).decode() for name in ARRAYS}
            state = picture.get_state(["view", "cursor", "error"])
            before = busy_ms()
            page.evaluate("given => show(given)", {"state": state, "arrays": arrays})
            return busy_ms() - before

        yield paint
        running.close()


def size_of(picture: Any) -> int:
    """Bytes of the state that a change sends."""
    return len(json.dumps(picture.view)) + sum(len(getattr(picture, name)) for name in ARRAYS)


def measure(paint: Callable[[Any], float] | None) -> list[dict[str, Any]]:
    """A row for opening, and one for each plan."""
    stream = megabyte()
    made: list[Any] = []
    opened = [cpu_ms(lambda: made.append(explore(stream))) for _ in range(3)]
    explorer = made[-1]
    first = paint(explorer.picture) if paint else 0.0
    rows = [
        {
            "what": "open",
            "python_ms": opened[0],
            "browser_ms": first,
            "bytes": size_of(explorer.picture),
            "budget_ms": OPEN_MS,
        }
    ]
    for text in PLANS:
        spent, painted = [], []
        for _ in range(ROUNDS):
            explorer.plan = "chunks=bytes:100000"
            spent.append(cpu_ms(lambda text=text: setattr(explorer, "plan", text)))
            if paint:
                painted.append(paint(explorer.picture))
        row = {"what": text, "python_ms": median(spent), "browser_ms": median(painted or [0.0])}
        rows.append(row | {"bytes": size_of(explorer.picture), "budget_ms": CHANGE_MS, "told": explorer.picture.error})
    return rows


def main() -> None:
    """Print the table; exit with 1 when a row is over its budget."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--json", action="store_true", help="the rows as JSON")
    given = arguments.parse_args()
    with browser() as paint:
        rows = measure(paint)
    if given.json:
        print(json.dumps({"python": platform.python_version(), "browser": paint is not None, "rows": rows}, indent=2))
    else:
        print(f"a stream of {len(megabyte().response.body):,} bytes; CPython {platform.python_version()}")
        if not paint:
            print("no browser was found: Python's part alone")
        for row in rows:
            total = row["python_ms"] + row["browser_ms"]
            said = "ok" if total <= row["budget_ms"] else "OVER"
            said += f"  ({row['told'][:48]}...)" if row.get("told") else ""
            print(
                f"{row['what']:46} python {row['python_ms']:6.0f} ms  browser {row['browser_ms']:5.0f} ms  "
                f"{row['bytes'] / 1024:7.0f} kB  budget {row['budget_ms']:5.0f} ms  {said}"
            )
    raise SystemExit(any(row["python_ms"] + row["browser_ms"] > row["budget_ms"] for row in rows))


if __name__ == "__main__":
    main()
