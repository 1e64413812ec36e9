"""Layout analysis with docling, offline and without torch. Imported in worker processes only, never in the engine."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quietly() -> Iterator[None]:
    """Suppress docling's log messages and warnings during the block."""
    logging.getLogger("docling").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
