"""Files with converted texts of Zotero (notes, annotations, full text), which need no conversion."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

from citeloom.core.types import Converted


def to_bytes(text: Converted) -> bytes:
    """Serialize a text for `read`; deterministic."""
    return json.dumps(text.to_json(), ensure_ascii=False, sort_keys=True).encode("utf-8", "replace")


def read(path: Path, converter: str) -> Converted:
    """Read a prepared text."""
    return replace(Converted.from_json(json.loads(path.read_bytes())), converter=converter)
