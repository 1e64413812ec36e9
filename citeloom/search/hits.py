"""Makes results of found passages: text cut at a sentence, citation, link to open, token budget.

Called by `search.query` and `search.passages`; `evidence` and `library` use the citations and links.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from citeloom.api.search import FoundPassage, Neighbour, PassageReference, SearchHit
from citeloom.catalog.documents import Document
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import Hit
from citeloom.search.grouping import MAX_ALSO_IN, HitGroup

CUT_MARK = " […]"
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)")
_CHARACTERS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """About how many tokens of a language model a text takes."""
    return math.ceil(len(text) / _CHARACTERS_PER_TOKEN)


def trim(text: str, limit: int) -> str:
    """Cut a text that is too long after a sentence, and add CUT_MARK."""
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
    """The link that opens a passage on its page: in Zotero, the file, or the web page."""
    page = payload.get("page_start")
    if payload.get("zotero") and (uri := _in_zotero(payload, page)):
        return uri
    path = payload.get("source_path") or ""
    if not Path(path).is_absolute():
        return payload.get("url")
    return Path(path).as_uri() + (f"#page={page}" if page else "")


def _in_zotero(payload: dict[str, Any], page: int | None) -> str | None:
    """The link by which Zotero shows a passage; None where it has not got the file itself."""
    zotero, kind = payload["zotero"], payload.get("file_type")
    items = f"{zotero['library']}/items"
    if kind == "note":
        return f"zotero://select/{items}/{zotero['attachment']}"
    if kind == "fulltext":
        return f"zotero://select/{items}/{zotero['item']}"
    path = payload.get("source_path") or ""
    if kind != "annotations" and path.startswith(os.path.join(paths.folders().data, "")):  # noqa: PTH118 - a prefix, not a path
        return None  # fetched from zotero.org: Zotero opens only files of its own
    annotation = (payload.get("annotation") or {}).get("annotation")
    options = [f"annotation={annotation}"] if annotation else []
    if page:  # only PDFs have pages; elsewhere Zotero would take the page before the annotation
        return f"zotero://open-pdf/{items}/{zotero['attachment']}?{'&'.join([f'page={page}', *options])}"
    return f"zotero://open/{items}/{zotero['attachment']}" + (f"?{options[0]}" if options else "")


def document_uri(document: Document, page: int = 1) -> str | None:
    """The link that opens a page of a document, or its item in Zotero where it has no file here."""
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


def found_passage(hit: Hit, *, max_chars: int | None = None, full_text: bool = False) -> FoundPassage:
    """The result for one passage; `max_chars` cuts its `render_text`."""
    return FoundPassage(**_fields(hit, max_chars, full_text))


def search_hit(group: HitGroup, *, max_chars: int, full_text: bool) -> SearchHit:
    """The result for a group: the passages it joins, and where else the same text stands."""
    return SearchHit(
        **_fields(group.merged(), max_chars, full_text),
        score=group.score,
        merged=tuple(map(_reference, group.parts)) if len(group.parts) > 1 else (),
        also_in=tuple(map(_reference, group.also_in[:MAX_ALSO_IN])),
    )


def neighbour(hit: Hit) -> Neighbour:
    """The result for a passage beside another one."""
    passage = found_passage(hit)
    return Neighbour(
        passage.chunk_id,
        passage.render_text,
        passage.section_path,
        passage.page_span,
        passage.page_labels,
        passage.cite,
    )


def _fields(hit: Hit, max_chars: int | None, full_text: bool) -> dict[str, Any]:
    p = hit.payload
    start, end = p.get("page_start"), p.get("page_end")
    labels = tuple(p.get("page_labels") or ())
    text = p.get("chunk_text", "")
    return {
        "chunk_id": p.get("chunk_id", hit.id),
        "doc_id": p.get("doc_id", ""),
        "source": p.get("source", ""),
        "render_text": text if max_chars is None else trim(text, max_chars),
        "citekey": p.get("citekey") or "",
        "claimed_citekey": p.get("claimed_citekey"),
        "citekey_made": bool(p.get("citekey_made")),
        "renamed_from": tuple(p.get("renamed_from") or ()),
        "title": p.get("title"),
        "authors": tuple(p.get("authors") or ()),
        "year": p.get("year"),
        "section": p.get("section"),
        "section_path": tuple(p.get("section_path") or ()),
        "page_span": (start, start if end is None else end) if start is not None else None,
        "page_labels": labels,
        "doi": p.get("doi"),
        "url": p.get("url"),
        "text_source": p.get("text_source", "native"),
        "ocr_confidence": p.get("ocr_confidence"),
        "cite": cite(p.get("citekey") or "", labels),
        "open_uri": open_uri(p),
        "full_text": text if full_text else None,
    }


def _reference(hit: Hit) -> PassageReference:
    p = hit.payload
    return PassageReference(p.get("chunk_id", hit.id), cite(p.get("citekey") or "", p.get("page_labels") or []))


def within_budget(hits: Sequence[SearchHit], max_tokens: int | None) -> tuple[tuple[SearchHit, ...], int]:
    """The first hits that fit into a token budget, and how many tokens they take."""
    total = 0
    for count, hit in enumerate(hits):
        cost = estimate_tokens(hit.full_text or hit.render_text)
        if max_tokens is not None and total + cost > max_tokens:
            if not count:
                raise CiteLoomError(
                    Code.BUDGET_EXCEEDED,
                    f"max_tokens={max_tokens} is too small for one passage.",
                    f"The best passage needs about {cost} tokens.",
                    needed=cost,
                )
            return tuple(hits[:count]), total
        total += cost
    return tuple(hits), total
