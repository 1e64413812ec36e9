"""Cache of converted documents: one compressed file per content and converter.

Workers write it; imports, the text of documents and the page images read it. It may be deleted at any time.
"""

from __future__ import annotations

import gzip
import json
import uuid
import zlib
from contextlib import suppress
from pathlib import Path

from citeloom.core.files import atomic_file
from citeloom.core.types import Converted


def conversion_file(folder: Path, content_hash: str, converter: str) -> Path:
    """Return the cache file of a content, converted by a converter."""
    return folder / content_hash[:2] / f"{content_hash}-{converter}.json.gz"


def load_conversion(file: Path) -> Converted | None:
    """Load a cached conversion; None if it is missing or unreadable."""
    try:
        with gzip.open(file, "rt", encoding="utf-8") as stream:
            return Converted.from_json(json.load(stream))
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
        return None


def save_conversion(document: Converted, file: Path) -> None:
    """Write a conversion atomically; errors are ignored, since the next run can convert the file again."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
        data = json.dumps(document.to_json()).encode("utf-8")
        # No time stamp: the same document gives the same bytes. Cache pruning recognises the temporary name.
        packed = gzip.compress(data, compresslevel=5, mtime=0)
        atomic_file.write(file, packed, file.with_name(f".converted-{uuid.uuid4().hex}"))
