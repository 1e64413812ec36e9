"""Texts that need no converting: notes and annotations, written down as they will be read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from citeloom.core.types import Converted


def to_bytes(text: Converted) -> bytes:
    """A text as `read` takes it; the same text gives the same bytes."""
    return json.dumps(text.to_json(), ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")


def read(path: Path, converter: str) -> Converted:
    """A text that was written down."""
    return replace(Converted.from_json(json.loads(path.read_bytes())), converter=converter)
