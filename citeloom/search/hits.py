"""Passages as an agent gets them: trimmed at a sentence, within a budget, ready to cite."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from citeloom.catalog.documents import Document
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Hit
from citeloom.search.grouping import MOST_NAMED, Chosen

CUT_MARK = " […]"
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)")
_CHARACTERS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens of a language model a text takes."""
    return math.ceil(len(text) / _CHARACTERS_PER_TOKEN)


def trim(text: str, limit: int) -> str:
    """The text, cut after a sentence where it is too long, with a mark that says so."""
    if len(text) <= limit:
        return text
    room = max(1, limit - len(CUT_MARK))
    ends = [m.end() for m in _SENTENCE_END.finditer(text, 0, room + 1) if m.end() <= room]
    if ends and ends[-1] > room // 3:
        cut = ends[-1]
    else:  # one endless sentence: at a word, if there is one
        cut = text.rfind(" ", 0, room)
        cut = cut if cut > 0 else room
    return text[:cut].rstrip() + CUT_MARK


def cite(citekey: str, labels: Sequence[str]) -> str | None:
    """The passage's citation as Pandoc reads it; None where it counts as no work."""
    if not citekey:
        return None
    if not labels:
        return f"[@{citekey}]"
    if len(labels) == 1 or labels[0] == labels[-1]:
        return f"[@{citekey}, p. {labels[0]}]"
    return f"[@{citekey}, pp. {labels[0]}–{labels[-1]}]"


def open_uri(payload: dict[str, Any]) -> str | None:
    """Where a person can see the passage on its page."""
    page = payload.get("page_start")
    if payload.get("zotero") and (uri := _in_zotero(payload, page)):
        return uri
    path = payload.get("source_path") or ""
    if not Path(path).is_absolute():
        return payload.get("url")
    return Path(path).as_uri() + (f"#page={page}" if page else "")


def _in_zotero(payload: dict[str, Any], page: int | None) -> str | None:
    """Where Zotero shows a passage; None where it has not got the file itself."""
    zotero, kind = payload["zotero"], payload.get("file_type")
    place = f"{zotero['library']}/items"
    if kind == "note":
        return f"zotero://select/{place}/{zotero['attachment']}"
    if kind == "fulltext":
        return f"zotero://select/{place}/{zotero['item']}"
    path = payload.get("source_path") or ""
    if kind != "annotations" and path.startswith(os.path.join(paths.folders().data, "")):  # noqa: PTH118 - a prefix, not a path
        return None  # fetched from zotero.org: Zotero opens only files of its own
    mark = (payload.get("annotation") or {}).get("annotation")
    options = [f"annotation={mark}"] if mark else []
    if page:  # only PDFs have pages; elsewhere Zotero would take the page before the annotation
        return f"zotero://open-pdf/{place}/{zotero['attachment']}?{'&'.join([f'page={page}', *options])}"
    return f"zotero://open/{place}/{zotero['attachment']}" + (f"?{options[0]}" if options else "")


def document_uri(document: Document, page: int = 1) -> str | None:
    """Where a person can see a page of a document, or its item where it has no file here."""
    away = document.zotero and not document.path
    return open_uri(
        {
            "zotero": document.zotero or None,
            # Of a work without its file, Zotero can show the item, as it does for a text that it kept.
            "file_type": "fulltext" if away else document.file_type,
            "source_path": document.path or document.source,
            "page_start": page if document.pages else None,
            "url": document.record.get("url"),
        }
    )


def as_hit(hit: Hit, *, max_chars: int, full_text: bool) -> dict[str, Any]:
    """A found passage in the shape of the contract."""
    p = hit.payload
    start, end = p.get("page_start"), p.get("page_end")
    labels = p.get("page_labels") or []
    text = p.get("chunk_text", "")
    return {
        "chunk_id": p.get("chunk_id", hit.id),
        "doc_id": p.get("doc_id"),
        "source": p.get("source"),
        "render_text": trim(text, max_chars),
        "score": hit.score,
        "citekey": p.get("citekey"),
        "claimed_citekey": p.get("claimed_citekey"),
        "citekey_made": bool(p.get("citekey_made")),
        "renamed_from": p.get("renamed_from") or [],
        "title": p.get("title"),
        "authors": p.get("authors") or [],
        "year": p.get("year"),
        "section": p.get("section"),
        "section_path": p.get("section_path") or [],
        "page_span": [start, end] if start is not None else None,
        "page_labels": labels,
        "doi": p.get("doi"),
        "url": p.get("url"),
        "text_source": p.get("text_source", "native"),
        "ocr_confidence": p.get("ocr_confidence"),
        "cite": cite(p.get("citekey") or "", labels),
        "open_uri": open_uri(p),
        "full_text": text if full_text else None,
    }


def as_shown(chosen: Chosen, *, max_chars: int, full_text: bool) -> dict[str, Any]:
    """A chosen hit in the shape of the contract: the passages it joins, and where else the same is said."""
    return {
        **as_hit(chosen.as_one(), max_chars=max_chars, full_text=full_text),
        "merged": [_reference(part) for part in chosen.parts] if len(chosen.parts) > 1 else [],
        "also_in": [_reference(hit) for hit in chosen.also_in[:MOST_NAMED]],
    }


def _reference(hit: Hit) -> dict[str, Any]:
    p = hit.payload
    return {"chunk_id": p.get("chunk_id", hit.id), "cite": cite(p.get("citekey") or "", p.get("page_labels") or [])}


def within_budget(hits: list[dict[str, Any]], max_tokens: int | None) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """The hits that fit into a budget, best first, and what was left out."""
    kept, total = [], 0
    for hit in hits:
        cost = estimate_tokens(hit["full_text"] or hit["render_text"])
        if max_tokens is not None and total + cost > max_tokens:
            break
        kept.append(hit)
        total += cost
    if hits and not kept:
        needed = estimate_tokens(hits[0]["full_text"] or hits[0]["render_text"])
        raise CiteLoomError(
            Code.BUDGET_EXCEEDED,
            f"max_tokens={max_tokens} is too small for one passage.",
            f"The best passage needs about {needed} tokens.",
            needed=needed,
        )
    return kept, {
        "total_tokens": total,
        "budget_utilized": round(total / max_tokens, 3) if max_tokens else None,
        "truncated": len(kept) < len(hits),
        "truncated_count": len(hits) - len(kept),
    }
