"""`make attack`: attacks the real program by seeded chance, and says what broke it.

CITELOOM_ATTACK_SECONDS  how long each part attacks (default 300)
CITELOOM_ATTACK_SEED     where chance begins (default 1); the same seed makes the same attacks
CITELOOM_ATTACK_ONLY     the parts to run, separated by commas: tools, connections, files, backups (default: all)
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from pathlib import Path

from tests.attack import PARTS
from tests.attack.library import Library
from tests.support import stop_engine


def main() -> None:
    """Run the chosen parts, each on a library of its own."""
    seconds, seed = (
        float(os.environ.get("CITELOOM_ATTACK_SECONDS", "300")),
        int(os.environ.get("CITELOOM_ATTACK_SEED", "1")),
    )
    chosen = [name.strip() for name in os.environ.get("CITELOOM_ATTACK_ONLY", ",".join(PARTS)).split(",")]
    if unknown := set(chosen) - set(PARTS):
        sys.exit(f"attack: there is no {', '.join(sorted(unknown))}; there are {', '.join(PARTS)}.")
    for name in chosen:
        with tempfile.TemporaryDirectory(prefix="citeloom-attack-", ignore_cleanup_errors=True) as folder:
            library, until = Library.made(Path(folder)), time.monotonic() + seconds
            try:
                count = PARTS[name](library, lambda _: time.monotonic() >= until, seed)  # noqa: B023
                print(f"attack: {name}: {count} attacks held off", flush=True)
            finally:
                stop_engine(library.home)


if __name__ == "__main__":
    main()
