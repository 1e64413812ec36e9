"""The logs of engine and app: rotating files, never a secret in them."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path

from citeloom import paths


def to_file(place: str, level: int = logging.INFO) -> None:
    """Send this process's log to a file."""
    file = Path(place)
    paths.make_private(str(file.parent))
    handler = logging.handlers.RotatingFileHandler(file, maxBytes=2_000_000, backupCount=3, encoding="utf-8")
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Libraries that are loud at INFO say nothing a researcher could use.
    for name in ("mcp", "fastembed", "httpx", "httpx2", "huggingface_hub", "watchfiles"):
        logging.getLogger(name).setLevel(logging.WARNING)
