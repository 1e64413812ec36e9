"""Docling, torch-free and offline. No other package imports it; worker processes load it, the engine never does."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def quietly() -> Iterator[None]:
    """Keep what docling says to its own developers (deprecations, progress) from those who use CiteLoom."""
    logging.getLogger("docling").setLevel(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
