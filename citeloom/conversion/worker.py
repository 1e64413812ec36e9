"""The worker process: files come in as JSON lines, passages go out as JSON lines.

A file that crashes its reader costs this process and that file, never the engine.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import tempfile
import time
import zlib
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

from citeloom.conversion.chunking import chunk
from citeloom.conversion.convert import (
    CONVERTER_VERSION,
    MOST_BYTES,
    ConversionOptions,
    Tell,
    convert,
    said,
    tell_nobody,
)
from citeloom.conversion.private_copy import PrivateCopies
from citeloom.conversion.record_page_numbers import with_record_pages
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Converted

PROMPTLY = "--promptly"  # somebody waits for it: it does not step back behind other programs
COPIES = "--copies"  # then the folder for private copies of what is read, which whoever starts the process deletes
_FIRST_TEXT = 3000  # characters, enough to match a document with its record
_Counter = Callable[[Sequence[str]], list[int]]


def _load(cache_file: Path, ocr_languages: tuple[str, ...]) -> Converted | None:
    """The cached conversion, or None when there is none that can be used."""
    try:
        with gzip.open(cache_file, "rt", encoding="utf-8") as stream:
            doc = Converted.from_json(json.load(stream))
    except (OSError, EOFError, zlib.error, ValueError, KeyError, TypeError):
        return None
    if doc.converter != CONVERTER_VERSION or (doc.ocr_languages and doc.ocr_languages != ocr_languages):
        return None  # made by another version, or pictures read in other languages
    return doc


def _save(doc: Converted, cache_file: Path) -> None:
    """Write the cache in one step; without it the next run converts again, so a full disk stops nothing."""
    try:
        cache_file.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=cache_file.parent, prefix=".converted-")
    except OSError:
        return
    temporary = Path(name)
    try:
        data = json.dumps(doc.to_json()).encode("utf-8")
        with os.fdopen(handle, "wb") as stream:
            # No time stamp: the same document gives the same bytes.
            stream.write(gzip.compress(data, compresslevel=5, mtime=0))
        temporary.replace(cache_file)
    except OSError:
        with suppress(OSError):
            temporary.unlink()


def _first_text(doc: Converted) -> str:
    parts: list[str] = []
    length = 0
    for text in [page.text for page in doc.pages] or [block.text for block in doc.blocks]:
        parts.append(text)
        length += len(text)
        if length > _FIRST_TEXT:
            break
    return "\n".join(parts)[:_FIRST_TEXT]


def about() -> dict[str, Any]:
    """What converts documents here: the models that find their structure, and the OCR engines."""
    from citeloom.conversion.docling.models import in_use
    from citeloom.conversion.ocr.recogniser import engines

    return {"converter": CONVERTER_VERSION, **in_use(), "ocr": engines()}


def _page_picture(request: dict[str, Any]) -> dict[str, Any]:
    from citeloom.conversion.page_image.render import page_picture

    return page_picture(request)


def _recognised_marks(request: dict[str, Any]) -> dict[str, Any]:
    from citeloom.conversion.page_image.render import recognised_marks

    return recognised_marks(request)


# What is asked for by people who look at a page.
_LOOKS = {"picture": _page_picture, "recognised": _recognised_marks}


class Worker:
    """Answers requests; keeps tokenizers between them."""

    def __init__(self, copies: Path | None = None) -> None:
        self._counters: dict[str, _Counter] = {}
        self._copies = PrivateCopies(copies) if copies else None

    def answer(self, request: dict[str, Any], tell: Tell = tell_nobody) -> dict[str, Any]:
        """The answer to a request, an error included: nothing is raised."""
        number = request.get("id")
        try:
            if request.get("about"):
                return {"id": number, "ok": True, "about": about()}
            if look := request.get("look"):
                return {"id": number, "ok": True, **_LOOKS[look]({**request, "path": str(self._file(request))})}
            return {"id": number, "ok": True, **self._process(request, tell)}
        except CiteLoomError as error:
            if "path" in error.details:  # which may name the copy
                error.details["path"] = str(request.get("path", ""))
            return {"id": number, "ok": False, "error": error.as_dict()}
        except Exception as error:
            # A reader met a file nobody thought of: that is this file's failure.
            failure = CiteLoomError(
                Code.CONVERSION_FAILED,
                f"Unexpected {type(error).__name__}: {error}",
                "Please report it with the file, if you may share it.",
                path=str(request.get("path", "")),
            )
            return {"id": number, "ok": False, "error": failure.as_dict()}

    def _process(self, request: dict[str, Any], tell: Tell) -> dict[str, Any]:
        faults.point("worker.convert", request["path"])
        cache_file = Path(request["cache_file"]) if request.get("cache_file") else None
        usual = ConversionOptions()
        languages = tuple(request.get("ocr_languages") or usual.ocr_languages)
        wish = ConversionOptions(bool(request.get("quick")), languages, request.get("ocr_engine") or usual.ocr_engine)
        started = time.perf_counter()
        doc = _load(cache_file, languages) if cache_file and request.get("use_cache", True) else None
        cached = doc is not None
        if doc is None:
            doc = convert(self._file(request), wish, tell)
            if cache_file and doc.converter == CONVERTER_VERSION:
                _save(doc, cache_file)
        converted = time.perf_counter()
        passages = chunk(
            with_record_pages(doc, request.get("page_range")),
            self._counter(request.get("tokenizer")),
            int(request["max_tokens"]),
        )
        finished = time.perf_counter()
        return {
            "converted": {
                "title": doc.title,
                "file_type": doc.file_type,
                "converter": doc.converter,
                "pages": len(doc.pages),
                "dois": list(doc.dois),
                "word_coverage": doc.word_coverage,
                "warnings": list(doc.warnings),
                "first_text": _first_text(doc),
                "text_source": doc.text_source,
                "ocr_share": doc.ocr_share,
                "engine": doc.engine,
                "fallback_reason": doc.fallback_reason,
                "ocr_languages": list(doc.ocr_languages),
                "waiting_for_ocr": doc.waiting_for_ocr,
            },
            "passages": [passage.to_json() for passage in passages],
            "final": doc.converter == CONVERTER_VERSION,  # no whole conversion need follow
            "seconds": {"convert": round(converted - started, 4), "chunk": round(finished - converted, 4)},
            "cached": cached,
        }

    def _file(self, request: dict[str, Any]) -> Path:
        """What is to be read: of a request that names a content, a copy of that content and no other."""
        path = Path(request["path"])
        if self._copies is None or not request.get("content_hash"):
            return path
        with said(path):
            return self._copies.of(path, str(request["content_hash"]), MOST_BYTES)

    def _counter(self, tokenizer: str | None) -> _Counter:
        from citeloom.conversion.tokens import TokenCounter, estimate_tokens

        if not tokenizer:
            return estimate_tokens
        if tokenizer not in self._counters:
            self._counters[tokenizer] = TokenCounter(Path(tokenizer))
        return self._counters[tokenizer]


def serve(requests: BinaryIO, replies: BinaryIO, copies: Path | None = None) -> None:
    """Answer every request line until the stream ends."""
    worker = Worker(copies)
    for line in requests:
        if not line.strip():
            continue
        try:
            request = json.loads(line)
            if not isinstance(request, dict):
                raise ValueError("not an object")
        except ValueError as error:
            failure = CiteLoomError(Code.INVALID_INPUT, f"The request is not a JSON object: {error}")
            reply: dict[str, Any] = {"id": None, "ok": False, "error": failure.as_dict()}
        else:
            asked = bool(request.get("progress"))
            reply = worker.answer(request, partial(_progress, replies, request.get("id")) if asked else tell_nobody)
        _send(replies, reply)


def _progress(replies: BinaryIO, number: Any, stage: str, done: int, total: int) -> None:
    """Say how far a document is: a line of its own before the answer."""
    try:
        _send(replies, {"id": number, "progress": {"stage": stage, "done": done, "total": total}})
    except BrokenPipeError:
        os._exit(1)  # the engine has gone: nobody waits, and it is no failure of docling's to be remembered


def _send(replies: BinaryIO, reply: dict[str, Any]) -> None:
    replies.write(json.dumps(reply).encode("ascii") + b"\n")
    replies.flush()


def main() -> None:
    """Run until standard input ends."""
    # Replies go to the real standard output; whatever a library prints goes to standard error.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice") and PROMPTLY not in sys.argv:
        with suppress(OSError):
            os.nice(5)
    copies = Path(sys.argv[sys.argv.index(COPIES) + 1]) if COPIES in sys.argv else None
    with suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin.buffer, replies, copies)


if __name__ == "__main__":
    main()
