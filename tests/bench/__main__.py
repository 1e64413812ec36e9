"""`make bench`: everything measured side by side in one run, printed as Markdown tables.

CITELOOM_BENCH_ONLY    the measurements to run, separated by commas (default: all that need no data)
CITELOOM_BENCH_DATA    for `retrieval`: a folder with sets as BEIR has them (corpus.jsonl, queries.jsonl, qrels)
CITELOOM_BENCH_PAPERS  for `papers` and `reading`: a folder of PDFs; `reading` takes those with an outline
CITELOOM_BENCH_PAPERS_MOST  how many of them (default: all with a sound text layer)
CITELOOM_BENCH_BEFORE  for `papers`: a folder with the code of an older version, measured in turn with this one
CITELOOM_BENCH_LIMITS  for `import_limits`: files of a page, pages of a file, passages (default 10000,5000,200000)
CITELOOM_BENCH_IDLE_MINUTES  how long the engine rests in `import_limits` (default 11)
CITELOOM_CSL_SUITE     for `csl_suite`: processor-tests/humans of github.com/citation-style-language/test-suite
CITELOOM_BENCH_PEERS   a virtual environment for what `peers` and `retrieval` compare with (`make bench` makes one)
CITELOOM_BENCH_SIZES   passages in the collections of `queries` (default 1000,20000,200000)
CITELOOM_BENCH_SCALE   passages in the collections of `scale` (default 10000,200000,500000)
CITELOOM_BENCH_BESIDE  passages in the collections of `peers` (default 10000,50000,200000)
CITELOOM_BENCH_LOAD_SECONDS  how long editors ask in each round of `load` (default 20)
CITELOOM_BENCH_SOAK_MINUTES  how long editors ask in `soak` (default 20)
CITELOOM_BENCH_ITEMS   works in the Zotero library of `zotero` (default 5000)
CITELOOM_BENCH_OUTPUT  a file that gets the tables as well

What is going on is told on stderr. Machines are noisy: read the ratios, not the milliseconds.
"""

from __future__ import annotations

import importlib
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import citeloom  # noqa: F401 - before all that it tells to report nothing: see there
from tests.bench.figures import say


def _sizes(name: str, default: str) -> list[int]:
    return [int(size) for size in os.environ.get(name, default).split(",")]


def _folder(variable: str) -> Path | None:
    """The folder that an environment variable names, if it exists."""
    given = os.environ.get(variable)
    return Path(given) if given and Path(given).is_dir() else None


# Each module is imported when its turn comes: its imports would count as another one's memory.
_MEASUREMENTS: dict[str, Callable[[ModuleType, Path], str]] = {
    "spawn": lambda bench, folder: bench.measure(folder),
    "documents": lambda bench, folder: bench.measure(folder),
    "papers": lambda bench, folder: bench.measure(
        folder,
        _folder("CITELOOM_BENCH_PAPERS"),
        _folder("CITELOOM_BENCH_BEFORE"),
        int(os.environ.get("CITELOOM_BENCH_PAPERS_MOST", "0")) or None,
    ),
    "import_limits": lambda bench, folder: bench.measure(folder, _sizes("CITELOOM_BENCH_LIMITS", "10000,5000,200000")),
    "reading": lambda bench, _: bench.measure(_folder("CITELOOM_BENCH_PAPERS")),
    "embedding": lambda bench, _: bench.measure(),
    "zotero": lambda bench, folder: bench.measure(folder, int(os.environ.get("CITELOOM_BENCH_ITEMS", "5000"))),
    "quotes": lambda bench, _: bench.measure(),
    "checks": lambda bench, folder: bench.measure(folder),
    "queries": lambda bench, folder: bench.measure(folder, _sizes("CITELOOM_BENCH_SIZES", "1000,20000,200000")),
    "load": lambda bench, folder: bench.measure(folder),
    "soak": lambda bench, folder: bench.measure(folder),
    "scale": lambda bench, folder: bench.measure(folder, _sizes("CITELOOM_BENCH_SCALE", "10000,200000,500000")),
    "peers": lambda bench, folder: bench.measure(folder, _sizes("CITELOOM_BENCH_BESIDE", "10000,50000,200000")),
    "retrieval": lambda bench, folder: bench.measure(folder, _folder("CITELOOM_BENCH_DATA")),
    "csl_suite": lambda bench, folder: bench.measure(folder, _folder("CITELOOM_CSL_SUITE")),
}
# Measurements of public data: the variable that names its folder, and what must be in it.
_NEED_DATA = {
    "reading": ("CITELOOM_BENCH_PAPERS", "PDFs of papers, some with an outline"),
    "retrieval": ("CITELOOM_BENCH_DATA", "sets in BEIR's layout"),
    "csl_suite": (
        "CITELOOM_CSL_SUITE",
        "the CSL test suite's cases; `git clone https://github.com/citation-style-language/test-suite` and give its "
        "processor-tests/humans",
    ),
}


def main() -> None:
    """Run the chosen measurements and print their tables."""
    tables = [f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}."]
    with tempfile.TemporaryDirectory(prefix="citeloom-bench-", ignore_cleanup_errors=True) as folder:
        for name in _chosen():
            say(f"--- {name}")
            bench = importlib.import_module(f"tests.bench.{name}")
            tables.append(_MEASUREMENTS[name](bench, Path(folder) / name))
            print(tables[-1], end="\n\n", flush=True)
    if output := os.environ.get("CITELOOM_BENCH_OUTPUT"):
        Path(output).write_text("\n\n".join(tables) + "\n", encoding="utf-8")


def _chosen() -> list[str]:
    """The names of the measurements to run."""
    asked = os.environ.get("CITELOOM_BENCH_ONLY")
    chosen = [name.strip() for name in asked.split(",")] if asked else [*_MEASUREMENTS]
    if unknown := set(chosen) - set(_MEASUREMENTS):
        sys.exit(f"bench: there is no {', '.join(sorted(unknown))}; there are {', '.join(_MEASUREMENTS)}.")
    without_data = {
        name: _NEED_DATA[name] for name in chosen if name in _NEED_DATA and not _folder(_NEED_DATA[name][0])
    }
    for name, (variable, content) in without_data.items():
        what = f"{name}: {variable} names no folder with {content}."
        if asked:
            sys.exit(f"bench: {what}")
        say(f"left out {what}")
    return [name for name in chosen if name not in without_data]


if __name__ == "__main__":
    main()
