"""`make bench`: everything measured side by side in one run, printed as Markdown tables.

CITELOOM_BENCH_SIZES chooses the collections (default 1000,20000,200000), CITELOOM_BENCH_ITEMS the size of the Zotero
library (default 5000); CITELOOM_BENCH_OUTPUT also writes the tables
to a file. Machines are noisy: read the ratios, not the milliseconds.
"""

from __future__ import annotations

import os
import platform
import tempfile
from pathlib import Path

from tests.bench import checks, documents, imports, queries, quotes, spawn, zotero


def main() -> None:
    """Run every measurement and print the tables."""
    sizes = [int(s) for s in os.environ.get("CITELOOM_BENCH_SIZES", "1000,20000,200000").split(",")]
    tables = [f"{os.cpu_count()} cores, Python {platform.python_version()}, {platform.system()}."]
    with tempfile.TemporaryDirectory(prefix="citeloom-bench-", ignore_cleanup_errors=True) as folder:
        tables.append(spawn.measure(Path(folder) / "spawn"))
        tables.append(documents.measure(Path(folder) / "documents"))
        tables.append(imports.measure(Path(folder) / "imports"))
        items = int(os.environ.get("CITELOOM_BENCH_ITEMS", "5000"))
        tables.append(zotero.measure(Path(folder) / "zotero", items))
        tables.append(quotes.measure())
        tables.append(checks.measure(Path(folder) / "checks"))
        tables.append(queries.measure(Path(folder) / "queries", sizes))
    text = "\n\n".join(tables) + "\n"
    print(text)
    if output := os.environ.get("CITELOOM_BENCH_OUTPUT"):
        Path(output).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
