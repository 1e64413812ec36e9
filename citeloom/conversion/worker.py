"""Worker process: converts files and renders pages; requests and replies are JSON lines on stdin and stdout.

Started by pool.py. A file that crashes its reader costs this process, never the engine.
"""

from __future__ import annotations

import gc
import json
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, BinaryIO

from citeloom.conversion.cache import load_conversion, save_conversion
from citeloom.conversion.chunking import CountTokens, chunk
from citeloom.conversion.convert import CONVERTER_VERSION, ConversionOptions, PageProgress, convert, ignore_progress
from citeloom.conversion.file_errors import translate_file_errors
from citeloom.conversion.page_numbers_from_record import with_record_pages
from citeloom.conversion.private_copy import PrivateCopies
from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.types import Converted

INTERACTIVE = "--interactive"  # runs at normal priority
COPIES = "--copies"  # followed by the folder for private copies, which the parent deletes
Ask = Callable[[dict[str, Any]], dict[str, Any] | None]  # asks the engine in the middle of a request
_OBJECTS = 50_000  # between two runs of the garbage collector: a page makes thousands, which are in no cycles
_FIRST_TEXT_LENGTH = 3000  # characters, enough to match a document with its record


def no_question(question: dict[str, Any]) -> dict[str, Any] | None:
    """Answer no question."""
    return None


def _load(cache_file: Path, ocr_languages: tuple[str, ...]) -> Converted | None:
    """Return the cached conversion, or None if there is no valid one."""
    doc = load_conversion(cache_file)
    if doc and (doc.converter != CONVERTER_VERSION or (doc.ocr_languages and doc.ocr_languages != ocr_languages)):
        return None  # converted by another version, or with OCR in other languages
    return doc


def about() -> dict[str, Any]:
    """Return the versions of converter, layout models and OCR engines."""
    from citeloom.conversion.docling.models import models_in_use
    from citeloom.conversion.ocr.recogniser import engines

    return {"converter": CONVERTER_VERSION, **models_in_use(), "ocr": engines()}


@cache
def _token_counter(tokenizer: str) -> CountTokens:
    from citeloom.conversion.tokens import TokenCounter, estimate_tokens

    return TokenCounter(Path(tokenizer)) if tokenizer else estimate_tokens


class Worker:
    """Answers requests."""

    def __init__(self, copies: Path | None = None) -> None:
        self._copies = PrivateCopies(copies) if copies else None

    def answer(
        self, request: dict[str, Any], on_progress: PageProgress = ignore_progress, ask: Ask = no_question
    ) -> dict[str, Any]:
        """Return the answer to a request; errors are returned, not raised."""
        try:
            if request.get("identify"):
                content_hash = self._identify(request)
                rest = ask({"content_hash": content_hash})
                if rest is None:
                    return {"id": request.get("id"), "ok": True, "skipped": True}
                request = {**request, **rest, "content_hash": content_hash}
            if request.get("about"):
                answer = {"about": about()}
            elif request.get("view"):
                answer = self._page_view(request)
            else:
                answer = self._process(request, on_progress)
            return {"id": request.get("id"), "ok": True, **answer}
        except CiteLoomError as error:
            failure = error
            if "path" in failure.details:  # may be the path of the private copy
                failure.details["path"] = str(request.get("path", ""))
        except Exception as error:
            # An unexpected error of a reader is a failure of this file.
            message = f"Unexpected {type(error).__name__}: {error}"
            next_step = "Please report it with the file, if you may share it."
            failure = CiteLoomError(Code.CONVERSION_FAILED, message, next_step, path=str(request.get("path", "")))
        return {"id": request.get("id"), "ok": False, "error": failure.as_dict()}

    def _page_view(self, request: dict[str, Any]) -> dict[str, Any]:
        from citeloom.conversion.page_image import render

        views = {"picture": render.page_picture, "recognised": render.recognised_marks}
        return views[request["view"]]({**request, "path": str(self._file(request))})

    def _process(self, request: dict[str, Any], on_progress: PageProgress) -> dict[str, Any]:
        faults.point("worker.convert", request["path"])
        cache_file = Path(request["cache_file"]) if request.get("cache_file") else None
        defaults = ConversionOptions()
        languages = tuple(request.get("ocr_languages") or defaults.ocr_languages)
        options = ConversionOptions(
            bool(request.get("quick")), languages, request.get("ocr_engine") or defaults.ocr_engine
        )
        started = time.perf_counter()
        doc = _load(cache_file, languages) if cache_file and request.get("use_cache", True) else None
        cached = doc is not None
        if doc is None:
            doc = convert(self._file(request), options, on_progress)
            if cache_file and doc.converter == CONVERTER_VERSION:
                save_conversion(doc, cache_file)
        converted = time.perf_counter()
        passages = chunk(
            with_record_pages(doc, request.get("page_range")),
            _token_counter(request.get("tokenizer") or ""),
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
                "first_text": "\n".join(part.text for part in doc.pages or doc.blocks)[:_FIRST_TEXT_LENGTH],
                "text_source": doc.text_source,
                "ocr_share": doc.ocr_share,
                "engine": doc.engine,
                "fallback_reason": doc.fallback_reason,
                "ocr_languages": list(doc.ocr_languages),
                "waiting_for_ocr": doc.waiting_for_ocr,
                "slow_pages": {reason: list(numbers) for reason, numbers in doc.slow_pages.items()},
            },
            "passages": [passage.to_json() for passage in passages],
            "final": doc.converter == CONVERTER_VERSION,  # no slow conversion follows
            "seconds": {"convert": round(converted - started, 4), "chunk": round(finished - converted, 4)},
            "cached": cached,
        }

    def _identify(self, request: dict[str, Any]) -> str:
        """Make a private copy of a file and return its hash: a file is read from its disk once."""
        assert self._copies is not None
        path = Path(request["path"])
        with translate_file_errors(path):
            return self._copies.copy(path, str(request.get("within") or ""))[1]

    def _file(self, request: dict[str, Any]) -> Path:
        """Return the file to read: a verified private copy if the request names a hash."""
        path = Path(request["path"])
        if self._copies is None or not request.get("content_hash"):
            return path
        with translate_file_errors(path):
            return self._copies.copy_of(path, str(request["content_hash"]))


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
            on_progress = partial(_progress, replies, request.get("id")) if request.get("progress") else ignore_progress
            reply = worker.answer(request, on_progress, partial(_ask, requests, replies, request.get("id")))
        _send(replies, reply)


def _ask(requests: BinaryIO, replies: BinaryIO, number: Any, question: dict[str, Any]) -> dict[str, Any] | None:
    """Send a question in the middle of a request, and return the rest of the request; None to skip it."""
    _send(replies, {"id": number, **question})
    answer: dict[str, Any] | None = json.loads(requests.readline() or b"null")
    return answer


def _progress(replies: BinaryIO, number: Any, stage: str, done: int, total: int) -> None:
    """Send a progress line before the answer."""
    try:
        _send(replies, {"id": number, "progress": {"stage": stage, "done": done, "total": total}})
    except BrokenPipeError:
        os._exit(1)  # the engine has ended; exit, so that no failure of docling is recorded


def _send(replies: BinaryIO, reply: dict[str, Any]) -> None:
    replies.write(json.dumps(reply).encode("ascii") + b"\n")
    replies.flush()


def main() -> None:
    """Run until standard input ends."""
    # Replies go to the real standard output; whatever a library prints goes to standard error.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice") and INTERACTIVE not in sys.argv:
        with suppress(OSError):
            os.nice(5)
    gc.set_threshold(_OBJECTS)
    copies = Path(sys.argv[sys.argv.index(COPIES) + 1]) if COPIES in sys.argv else None
    with suppress(BrokenPipeError, KeyboardInterrupt):
        serve(sys.stdin.buffer, replies, copies)


if __name__ == "__main__":
    main()
