"""What the plugin adds to the start of pytest: an empty suite with it and without it.

    python benchmarks/pytest_startup.py [--quick] [--json]

CPU seconds of the process, interleaved, best of several. The budget is 30 ms more with the plugin.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

BUDGET_MS = 30.0
OTHERS_OFF = (
    "-p",
    "no:randomly",
    "-p",
    "no:hypothesispytest",
    "-p",
    "no:anyio",
    "-p",
    "no:cacheprovider",
    "-p",
    "no:xdist",
)


def cpu_s(folder: Path, *options: str) -> float:
    """User and system time of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [sys.executable, "-m", "pytest", "-q", *OTHERS_OFF, *options]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--quick", action="store_true", help="fewer rounds")
    arguments.add_argument("--json", action="store_true", help="print one JSON document")
    options = arguments.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_it.py").write_text("def test_it(): pass\n")
        (folder / "pytest.ini").write_text("[pytest]\n")
        best = {"without": float("inf"), "with": float("inf")}
        for _ in range(4 if options.quick else 15):
            best["without"] = min(best["without"], cpu_s(folder, "-p", "no:recorder"))
            best["with"] = min(best["with"], cpu_s(folder))
    more_ms = 1000 * (best["with"] - best["without"])
    met = more_ms <= BUDGET_MS
    if options.json:
        print(json.dumps({"seconds": best, "more_ms": round(more_ms, 1), "budget_ms": BUDGET_MS, "met": met}))
    else:
        print(f"pytest alone {best['without']:.3f} s, with the plugin {best['with']:.3f} s CPU")
        print(f"the plugin adds {more_ms:.1f} ms of {BUDGET_MS:.0f}" + ("" if met else "  MISSED"))
    return 0 if met else 1


if __name__ == "__main__":
    raise SystemExit(main())
