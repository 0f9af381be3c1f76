"""Projects of their own, each with an application and cassettes from the gallery.

pytester forgets every module that a run in this process imports. Libraries must not be imported twice: whoever kept
a class of theirs would wait for exceptions that are never raised. So they are put back after each run.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from types import ModuleType

import pytest

from recorder.cassette import gallery

collect_ignore = [] if os.environ.get("RECORDER_COMPAT") == "1" else ["test_beside.py"]

APPLICATION = '''
import json

import httpx


def text_of(chunks):
    """The answer, decoded as bytes come: "utf8" tells how; raises for a stream that was cut off."""
    buffer, text, done = b"", "", False
    for chunk in chunks:
        buffer += chunk
        while b"\\n\\n" in buffer:
            block, _, buffer = buffer.partition(b"\\n\\n")
            if not block.startswith(b"data: "):
                continue
            data = block.removeprefix(b"data: ")
            if data == b"[DONE]":
                done = True
                continue
            choices = json.loads(data)["choices"]
            text += (choices[0]["delta"].get("content") or "") if choices else ""
    if not done:
        raise RuntimeError("cut off")
    return text


def naive(chunks):
    """Decodes each chunk by itself."""
    return text_of([chunk.decode("utf-8", "replace").encode() for chunk in chunks])


def ask(model="chat-lf", read=text_of, url="https://loopback.invalid"):
    body = {"model": model, "stream": True,
            "messages": [{"role": "user", "content": "Say hello in five languages."}]}
    with httpx.stream("POST", url + "/v1/chat/completions", json=body,
                      headers={"accept": "text/event-stream"}) as response:
        response.raise_for_status()
        return read(response.iter_raw())
'''
PLUGINS_OFF = ("-p", "no:randomly", "-p", "no:cacheprovider", "-p", "no:hypothesispytest", "-p", "no:anyio")


@pytest.fixture
def project(pytester: pytest.Pytester) -> Callable[..., pytest.Pytester]:
    """Make a project: `cassettes` says which of the gallery is put where."""

    def make(test: str, ini: str = "", cassettes: dict[str, str] | None = None) -> pytest.Pytester:
        pytester.makepyfile(app=APPLICATION, test_it=test)
        if ini:
            pytester.makeini(f"[pytest]\n{ini}")
        for place, name in (cassettes or {}).items():
            path = pytester.path / "cassettes" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(gallery()[name], path)
        return pytester

    return make


class Keeper:
    """A plugin for runs in this process: what they import of others stays imported."""

    def __init__(self) -> None:
        self.modules: dict[str, ModuleType] = {}

    def pytest_unconfigure(self, config: pytest.Config) -> None:
        for name, module in sys.modules.items():
            if not str(getattr(module, "__file__", None) or "").startswith(str(config.rootpath)):
                self.modules[name] = module

    def put_back(self) -> None:
        """After pytester has forgotten them."""
        for name, module in self.modules.items():
            sys.modules.setdefault(name, module)


@pytest.fixture(autouse=True)
def keeper() -> Iterator[Keeper]:
    """First of all fixtures, so that it is over after pytester, which forgets once more."""
    keeper = Keeper()
    yield keeper
    keeper.put_back()


@pytest.fixture
def run(pytester: pytest.Pytester, keeper: Keeper) -> Callable[..., pytest.RunResult]:
    """Run the project's tests in this process: `run(*arguments, anyio=False)`."""

    def in_process(*arguments: str, anyio: bool = False) -> pytest.RunResult:
        off = PLUGINS_OFF[:-2] if anyio else PLUGINS_OFF
        result = pytester.runpytest_inprocess(*off, *arguments, plugins=[keeper])
        keeper.put_back()
        return result

    return in_process
