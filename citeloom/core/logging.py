"""The logs of engine and app: rotating files, never a secret in them, one line for each record."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path
from types import TracebackType

from citeloom.core import paths
from citeloom.core.text.sanitize import escaped, shortened

_MAX_MESSAGE = 4_000  # bytes of one record; what is logged may repeat what somebody sent
_MAX_TRACEBACK = 20_000
_INDENT = "    "  # before every line of a traceback: none of them can pass for a record

_Failure = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class SafeFormatter(logging.Formatter):
    """Formats a record as one line without control characters, and its traceback as indented lines."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging has it
        """The record's line."""
        return escaped(shortened(super().formatMessage(record), _MAX_MESSAGE))

    def formatException(self, ei: _Failure) -> str:  # noqa: N802
        """The traceback of an error."""
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """The calls that led to a record."""
        return _indented(super().formatStack(stack_info))


def to_file(place: str, level: int = logging.INFO) -> None:
    """Send this process's log to a file."""
    file = Path(place)
    paths.make_private(str(file.parent))
    handler = logging.handlers.RotatingFileHandler(file, maxBytes=2_000_000, backupCount=3, encoding="utf-8")
    handler.setFormatter(SafeFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    # Libraries that are loud at INFO say nothing a researcher could use.
    for name in ("mcp", "fastembed", "httpx", "httpx2", "huggingface_hub", "watchfiles"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _indented(traceback: str) -> str:
    return "\n".join(_INDENT + escaped(line) for line in shortened(traceback, _MAX_TRACEBACK).split("\n"))
