"""Real JupyterLab in Chromium: open a notebook, run it, use the explorer, copy its code, run that: the same verdict.

Slow to start, so it is few tests, and each does several things to one notebook.
"""

from __future__ import annotations

import json
import os
import re
import secrets
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

SETTINGS = {
    "apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True},
    "notebook-extension/tracker": {"windowingMode": "none"},
    "docmanager-extension/plugin": {"autosave": False},
}
DARK = {"apputils-extension/themes": {"theme": "JupyterLab Dark"}}
ROOT = Path(__file__).resolve().parent.parent.parent
KERNEL_6 = Path(sys.prefix) / "ipykernel6"  # pip install --no-deps --target .venv/ipykernel6 'ipykernel<7'
CELLS = [
    "import recorder\n\n\ndef naive(chunks):\n    return ''.join(chunk.decode() for chunk in chunks)\n",
    "x = recorder.explore('chat-lf', naive)\nx",
]


class Lab:
    """A JupyterLab server of this environment, serving `root`."""

    def __init__(self, root: Path, home: Path, settings: dict[str, Any], kernel_path: str | None) -> None:
        self.root, self.token, self.port = root, secrets.token_hex(16), _free_port()
        for name, value in settings.items():
            path = home / "settings" / "@jupyterlab" / f"{name}.jupyterlab-settings"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(value))
        folders = {"CONFIG": "cfg", "DATA": "data", "RUNTIME": "run"}
        environment = os.environ | {f"JUPYTER_{key}_DIR": str(home / name) for key, name in folders.items()}
        environment |= {"IPYTHONDIR": str(home / "ipython"), "JUPYTERLAB_SETTINGS_DIR": str(home / "settings")}
        environment |= {"JUPYTERLAB_WORKSPACES_DIR": str(home / "workspaces"), "JUPYTER_TOKEN": self.token}
        environment |= {"JUPYTER_PLATFORM_DIRS": "1"}
        if kernel_path is not None:
            environment["PYTHONPATH"] = kernel_path
        options = [
            *("--no-browser", "--allow-root", "--ServerApp.ip=127.0.0.1", f"--ServerApp.port={self.port}"),
            *("--ServerApp.port_retries=0", f"--ServerApp.root_dir={root}", "--ServerApp.terminals_enabled=False"),
            *("--LabApp.expose_app_in_browser=True", "--LabApp.news_url=", "--LabApp.extension_manager=readonly"),
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ]
        with (home / "log").open("wb") as log:
            command = [sys.executable, "-m", "jupyterlab", *options]
            self.process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        self.url = f"http://127.0.0.1:{self.port}"
        self._wait(home / "log")

    def _wait(self, log: Path) -> None:
        for _ in range(600):
            try:
                with urllib.request.urlopen(f"{self.url}/api/status?token={self.token}", timeout=5):
                    return
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.1)
        self.stop()
        pytest.fail(f"JupyterLab did not start:\n{log.read_text('utf-8', 'replace')[-2000:]}")

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


class Notebook:
    """One notebook, open in a page of its own."""

    def __init__(self, lab: Lab, browser: Any, cells: list[str] | Path) -> None:
        text = cells.read_text("utf-8") if isinstance(cells, Path) else self._made_of(cells)
        (lab.root / "n.ipynb").write_text(text, "utf-8")
        self._open(lab, browser)

    def _made_of(self, cells: list[str]) -> str:
        source = [
            {"cell_type": "code", "id": f"c{n}", "metadata": {}, "execution_count": None, "outputs": [], "source": cell}
            for n, cell in enumerate(cells)
        ]
        kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
        return json.dumps({"cells": source, "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})

    def _open(self, lab: Lab, browser: Any) -> None:
        self.context = browser.new_context(viewport={"width": 1200, "height": 1400})
        self.context.grant_permissions(["clipboard-read", "clipboard-write"], origin=lab.url)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.errors: list[str] = []
        self.foreign: list[str] = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self._requested(request.url, lab.url))
        self.page.goto(f"{lab.url}/doc/tree/n.ipynb?token={lab.token}&reset")
        self.page.wait_for_function("() => window.jupyterapp?.shell?.currentWidget?.context")
        self.page.evaluate("() => jupyterapp.restored.then(() => 1)")
        self.page.evaluate("""async () => {
          const { context, sessionContext } = jupyterapp.shell.currentWidget;
          await context.ready;
          await sessionContext.ready;
          while (!sessionContext.session?.kernel) await new Promise(done => setTimeout(done, 100));
          await sessionContext.session.kernel.info;
        }""")

    def _requested(self, url: str, own: str) -> None:
        if not url.startswith((own, own.replace("http", "ws"), "data:", "blob:", "about:")):
            self.foreign.append(url)

    def run_all(self) -> None:
        self.page.evaluate("() => jupyterapp.commands.execute('notebook:run-all-cells')")
        failed = self.page.evaluate("""() => jupyterapp.shell.currentWidget.content.widgets
          .flatMap(cell => cell.model.outputs?.toJSON() ?? []).filter(output => output.output_type === 'error')""")
        assert failed == []

    def run(self, code: str) -> str:
        """What the kernel prints for `code`."""
        printed: str = self.page.evaluate(
            """async code => {
              const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
              const future = kernel.requestExecute({ code, store_history: false });
              let text = '';
              future.onIOPub = ({ content }) => { text += content.text ?? (content.traceback ?? []).join('\\n'); };
              await future.done;
              return text;
            }""",
            code,
        )
        return printed.strip()

    def until(self, code: str, printed: str) -> None:
        """Poll: comm messages and execute requests are in no order."""
        for _ in range(100):
            if (found := self.run(code)) == printed:
                return
            time.sleep(0.1)
        pytest.fail(f"{code} still gives {found!r}, not {printed!r}")

    @property
    def explorer(self) -> Any:
        return self.page.locator(".recorder-explorer")

    @property
    def outcome(self) -> Any:
        return self.explorer.get_by_role("status").first


@contextmanager
def lab_of(tmp_path: Path, settings: dict[str, Any], kernel_path: str | None = None) -> Iterator[Lab]:
    root, home = tmp_path / "root", tmp_path / "home"
    root.mkdir()
    home.mkdir()
    lab = Lab(root, home, settings, kernel_path)
    try:
        yield lab
    finally:
        lab.stop()


def expect(found: Any) -> Any:
    from playwright.sync_api import expect

    expect.set_options(timeout=20_000)
    return expect(found)


def use_every_control(notebook: Notebook) -> None:
    """Change each control in the browser, and look at what both sides say."""
    page, outcome = notebook.page, notebook.outcome
    expect(outcome).to_contain_text("2,440 of 2,440 bytes in 19 chunks")
    page.get_by_label("Chunks", exact=True).select_option("bytes")
    page.get_by_label("Size", exact=True).fill("61")
    page.get_by_label("Size", exact=True).press("Enter")
    expect(outcome).to_contain_text("in 40 chunks")
    page.get_by_label("Chunks", exact=True).select_option("random")
    page.get_by_label("Seed", exact=True).fill("5")
    page.get_by_label("Seed", exact=True).press("Enter")
    expect(outcome).to_contain_text("in 61 chunks")
    notebook.until("print(x.plan)", "chunks=random:61,5; delay=recorded")
    page.get_by_label("Chunks", exact=True).select_option("at")
    page.get_by_label("Cuts at", exact=True).fill("100,200")
    page.get_by_label("Cuts at", exact=True).press("Enter")
    expect(outcome).to_contain_text("in 3 chunks")
    page.get_by_label("Delay", exact=True).select_option("fixed")
    page.get_by_label("Pace", exact=True).fill("2s")
    page.get_by_label("Pace", exact=True).press("Enter")
    expect(outcome).to_contain_text("over 6,000 ms")
    page.get_by_label("Timeout s", exact=True).fill("1")
    page.get_by_label("Timeout s", exact=True).press("Enter")
    expect(outcome).to_contain_text("rejected, stream_timeout")
    page.get_by_label("Timeout s", exact=True).fill("30")
    page.get_by_label("Timeout s", exact=True).press("Enter")
    page.get_by_label("Edits", exact=True).fill("crlf")
    page.get_by_label("Edits", exact=True).press("Enter")
    expect(outcome).to_contain_text("2,466 of 2,466 bytes")
    page.get_by_label("End", exact=True).select_option("eof")
    page.get_by_label("End at", exact=True).fill("nowhere")
    page.get_by_label("End at", exact=True).press("Enter")
    expect(notebook.explorer.get_by_role("alert")).to_contain_text("'nowhere' is not a place")
    page.get_by_label("End at", exact=True).fill("event:3")
    page.get_by_label("End at", exact=True).press("Enter")
    expect(outcome).to_contain_text("3 events, end eof: rejected, missing_terminal")
    notebook.until("print(x.plan)", "chunks=at:100,200; delay=fixed:2s; end=eof@event:3; edit=crlf")
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(outcome).to_contain_text("in 19 chunks")
    page.get_by_role("button", name="inside an emoji").click()
    expect(notebook.explorer).to_contain_text("raised UnicodeDecodeError")
    notebook.until("print(x.run.reader.same, x.verdict.ok)", "False True")


def play_cut_and_copy(notebook: Notebook) -> None:
    """Play to the end, end the delivery at the selected byte, copy both forms of code, run them."""
    page, explorer = notebook.page, notebook.explorer
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(notebook.outcome).to_contain_text("in 19 chunks")
    explorer.get_by_label("Speed").select_option("0.1")
    explorer.get_by_role("button", name="Play").click()
    expect(explorer).to_contain_text("provisional")
    explorer.get_by_label("Speed").select_option("20")
    expect(explorer.get_by_role("region", name="Accepted text")).to_contain_text("Hello, reader.")
    explorer.get_by_role("slider", name="Byte").focus()
    for key in (
        "Home",
        ".",
        ".",
        "a",
        "d",
        "d",
        "ArrowRight",
    ):  # a and d d are JupyterLab's, and must not reach it here
        page.keyboard.press(key)
    expect(explorer.get_by_role("slider", name="Byte")).to_have_attribute("aria-valuenow", "462")
    explorer.get_by_role("button", name="End here").click()
    expect(notebook.outcome).to_contain_text("462 of 2,440 bytes")
    notebook.until("print(x.plan, x.verdict.code, x.cursor)", "delay=recorded; end=eof@462 missing_terminal 462")
    assert page.locator(".jp-Notebook-cell").count() == len(CELLS)
    explorer.get_by_role("button", name="Cut here").click()
    notebook.until("print(x.plan)", "chunks=at:462; delay=recorded; end=eof@462")
    explorer.get_by_role("button", name="Copy test").click()
    expect(explorer).to_contain_text("Copy test: copied")
    test = page.evaluate("navigator.clipboard.readText()")
    (name,) = [line.split("(")[0].removeprefix("def ") for line in test.splitlines() if line.startswith("def ")]
    ours = test.partition("    expected = ")[0]  # what follows asks the naive reader, which is wrong here
    assert "missing_terminal" in ours
    assert notebook.run(f"{ours}\n{name}()\nprint('the same')") == "the same"
    explorer.get_by_role("button", name="Copy command").click()
    expect(explorer).to_contain_text("Copy command: copied")
    command = page.evaluate("navigator.clipboard.readText()")
    done = subprocess.run(
        ["bash", "-c", command],
        env=os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert "missing_terminal after 2 events, 462 bytes" in done.stdout


def test_the_explorer_in_jupyterlab(chromium: Any, tmp_path: Path) -> None:
    """Every control, play, cut, copy, run; no error in the page, no request to another host."""
    with lab_of(tmp_path, SETTINGS) as lab:
        notebook = Notebook(lab, chromium, CELLS)
        notebook.run_all()
        assert notebook.run("import ipykernel; print(ipykernel.version_info[0] >= 7)") == "True"
        use_every_control(notebook)
        play_cut_and_copy(notebook)
        assert notebook.run("x.plan = 'chunks=bytes:2'; print(x.verdict.ok)") == "True"
        expect(notebook.outcome).to_contain_text("in 1,220 chunks")
        notebook.run("x.close()")
        expect(notebook.explorer).to_have_count(0)
        saved = Notebook(lab, chromium, ROOT / "notebooks" / "05-from-explorer-to-pytest.ipynb")  # and not trusted
        shown = saved.page.locator(".jp-RenderedHTMLCommon", has_text="chat-crlf under a plan").first
        expect(shown).to_contain_text("accepted by chat_text/openai")
        expect(shown.locator("img")).to_have_attribute("alt", re.compile("^Chunks above events"))
        assert notebook.errors + saved.errors == []
        assert notebook.foreign + saved.foreign == []


def test_in_the_dark_and_on_ipykernel_6(chromium: Any, missing: Any, watch: Any, tmp_path: Path) -> None:
    """Callbacks run in another thread there; colours come from the background that is found."""
    if not KERNEL_6.exists():
        missing(f"ipykernel 6 in {KERNEL_6.name}")
    with lab_of(tmp_path, SETTINGS | DARK, str(KERNEL_6)) as lab:
        notebook = Notebook(lab, chromium, CELLS)
        notebook.run_all()
        assert notebook.run("import ipykernel; print(ipykernel.version_info[0])") == "6"
        ink = notebook.page.evaluate("getComputedStyle(document.querySelector('.recorder-explorer')).color")
        assert ink == "rgb(230, 237, 243)"
        use_every_control(notebook)
        assert watch(notebook.page).violations(".recorder-explorer-form") == []
        assert notebook.errors == []
        assert notebook.foreign == []
