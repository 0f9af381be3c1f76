"""Run the notebooks from top to bottom and save them with their outputs: `python notebooks/execute.py [NAME...]`.

What is saved reads without a kernel: widgets as their HTML, no state, no times of cells.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).resolve().parent
WIDGET = "application/vnd.jupyter.widget-view+json"
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def execute(path: Path) -> None:
    """Run one notebook, in an environment of its own, and save it."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=120, kernel_name="python3", store_widget_state=False).execute()
    notebook.metadata = {"kernelspec": KERNEL, "language_info": {"name": "python"}}
    for number, cell in enumerate(notebook.cells):
        cell.id, cell.metadata = f"cell-{number}", {}
        for output in cell.get("outputs", ()):
            output.get("data", {}).pop(WIDGET, None)
    nbformat.write(notebook, path)
    print(path.name)


def main(names: list[str]) -> Any:
    """Run those whose name begins with one of `names`; all of them without any."""
    for path in sorted(FOLDER.glob("*.ipynb")):
        if not names or path.name.startswith(tuple(names)):
            execute(path)


if __name__ == "__main__":
    main(sys.argv[1:])
