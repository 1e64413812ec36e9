"""Log files of the engine and the app: rotating, one escaped line for each record, without secrets."""

from __future__ import annotations

import logging
import logging.handlers
from pathlib import Path
from types import TracebackType

from citeloom.core import paths
from citeloom.core.text.sanitize import escaped, shortened

_MAX_MESSAGE = 4_000  # bytes of one record, which may repeat long input
_MAX_TRACEBACK = 20_000
_INDENT = "    "  # before every line of a traceback, so that none looks like a record

_Failure = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]


class SafeFormatter(logging.Formatter):
    """Formats a record as one line without control characters, and its traceback as indented lines."""

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - as logging has it
        """Return the record as one line."""
        return escaped(shortened(super().formatMessage(record), _MAX_MESSAGE))

    def formatException(self, ei: _Failure) -> str:  # noqa: N802
        """Return an indented traceback."""
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802
        """Return an indented stack."""
        return _indented(super().formatStack(stack_info))


def to_file(place: str) -> None:
    """Configure this process to log to a file."""
    file = Path(place)
    paths.make_private(str(file.parent))
    handler = logging.handlers.RotatingFileHandler(file, maxBytes=2_000_000, backupCount=3, encoding="utf-8")
    handler.setFormatter(SafeFormatter("%(asctime)s %(levelname)s %(name)s %(message)s"))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    # At INFO, these libraries log nothing that is useful for diagnosis.
    for name in ("mcp", "fastembed", "httpx", "httpx2", "huggingface_hub", "watchfiles"):
        logging.getLogger(name).setLevel(logging.WARNING)


def _indented(traceback: str) -> str:
    return "\n".join(_INDENT + escaped(line) for line in shortened(traceback, _MAX_TRACEBACK).split("\n"))
