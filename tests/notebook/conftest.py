"""Chromium for the notebook tests: Debian's, driven by playwright.

Where it is missing these tests skip and say why; with CI set in the environment that is a failure.
"""

from __future__ import annotations

import base64
import importlib.util
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, NoReturn

import pytest

FLAGS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"),
    *("--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--font-render-hinting=none"),
]


@pytest.fixture(name="missing", scope="session")
def missing_fixture() -> Any:
    """`missing(what)` for tests."""
    return missing


def missing(what: str) -> NoReturn:
    """Skip, and in CI fail, because `what` is not installed."""
    reason = f"{what} is missing: apt-get install chromium, pip install -e '.[browser]'"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """A running browser. Only for the module: while it runs, so does playwright's event loop in this thread."""
    found = shutil.which("chromium")
    if found is None:
        missing("chromium")
    for module in ("playwright", "axe_playwright_python", "jupyterlab"):
        if importlib.util.find_spec(module) is None:
            missing(module)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, headless=True, args=FLAGS)
        yield browser
        browser.close()


@dataclass
class Watched:
    """A page, with what went wrong in it and where it sent requests."""

    page: Any
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: line.type == "error" and self.errors.append(line.text))
        self.page.on("request", lambda request: self.requests.append(request.url))

    def violations(self, within: str) -> list[str]:
        """What axe finds wrong inside `within`."""
        import axe_playwright_python

        self.page.evaluate((Path(axe_playwright_python.__file__).parent / "axe.min.js").read_text("utf-8"))
        found = self.page.evaluate("within => axe.run(within)", within)["violations"]
        return [f"{each['id']}: {each['nodes'][0]['html'][:200]}" for each in found]


@pytest.fixture
def watch() -> type[Watched]:
    """`watch(page)`: what goes wrong in it, and where it sends requests."""
    return Watched


MODEL = """
async ({ code, css, state, buffers }) => {
  for (const [name, data] of Object.entries(buffers)) {
    state[name] = new DataView(Uint8Array.from(atob(data), c => c.charCodeAt(0)).buffer);
  }
  const listeners = {};
  window.sent = [];
  window.model = {
    get: name => state[name],
    set: (name, value) => { state[name] = value; },
    save_changes: () => {},
    on: (name, callback) => (listeners[name] ??= []).push(callback),
    off: (name, callback) => { listeners[name] = (listeners[name] ?? []).filter(each => each !== callback); },
    send: message => window.sent.push(message),
    change: (name, value) => { state[name] = value; (listeners["change:" + name] ?? []).forEach(each => each()); },
    message: (message, buffer) => (listeners["msg:custom"] ?? []).forEach(each => each(message, [buffer])),
    listening: () => Object.values(listeners).flat().length,
  };
  const style = document.createElement("style");
  style.textContent = css;
  document.head.append(style);
  const widget = (await import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })))).default;
  window.close_widget = widget.render({ model: window.model, el: document.querySelector("main") });
}
"""


@pytest.fixture
def show(chromium: Any) -> Iterator[Any]:
    """Draw a picture's state in an empty page: `show(picture, dark=False)`; no kernel, no Jupyter."""
    contexts = []

    def shown(picture: Any, *, dark: bool = False, reduced: bool = False) -> Watched:
        context = chromium.new_context(
            viewport={"width": 1000, "height": 1100}, reduced_motion="reduce" if reduced else "no-preference"
        )
        contexts.append(context)
        watched = Watched(context.new_page())
        colours = "background:#111;color:#eee" if dark else "background:#fff"
        watched.page.set_content(f'<html lang="en"><title>t</title><body style="{colours}"><main></main></body></html>')
        state = picture.get_state(["view", "cursor", "error"])
        names = ("body", "chunk_ends", "chunk_ms", "event_ends", "event_types")
        code = files("recorder.notebook")
        watched.page.evaluate(
            MODEL,
            {
                "code": (code / "explorer.js").read_text("utf-8"),
                "css": (code / "explorer.css").read_text("utf-8"),
                "state": state,
                "buffers": {name: base64.b64encode(getattr(picture, name)).decode() for name in names},
            },
        )
        watched.page.wait_for_function("document.querySelector('.recorder-explorer canvas').width > 0")
        return watched

    yield shown
    for context in contexts:
        context.close()
