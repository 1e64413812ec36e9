"""Converts found passages to results: shortened text, citation, link to open, token budget.

Called by `search.query` and `search.passages`; `evidence` and `library` use the citations and links.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from citeloom.api.search import FoundPassage, Neighbour, PassageDetails, PassageReference, SearchHit
from citeloom.catalog.documents import Document
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.index.base import ScoredPoint
from citeloom.search.grouping import MAX_ALSO_IN, HitGroup

CUT_MARK = " […]"
_SENTENCE_END = re.compile(r"[.!?…][\"'”’)\]]*(?=\s)")
_CHARACTERS_PER_TOKEN = 4


def estimate_tokens(text: str) -> int:
    """Estimate the number of language model tokens in a text."""
    return math.ceil(len(text) / _CHARACTERS_PER_TOKEN)


def trim(text: str, limit: int) -> str:
    """Shorten a text to `limit` characters at the end of a sentence, and add CUT_MARK."""
    if len(text) <= limit:
        return text
    max_end = max(1, limit - len(CUT_MARK))
    ends = [m.end() for m in _SENTENCE_END.finditer(text, 0, max_end + 1) if m.end() <= max_end]
    if ends and ends[-1] > max_end // 3:
        cut = ends[-1]
    else:  # no sentence ends early enough: cut at a word, if possible
        cut = text.rfind(" ", 0, max_end)
        cut = cut if cut > 0 else max_end
    return text[:cut].rstrip() + CUT_MARK


def cite(citekey: str, labels: Sequence[str]) -> str | None:
    """Return a passage's citation in Pandoc syntax; None if it belongs to no work."""
    if not citekey:
        return None
    if not labels:
        return f"[@{citekey}]"
    if len(labels) == 1 or labels[0] == labels[-1]:
        return f"[@{citekey}, p. {labels[0]}]"
    return f"[@{citekey}, pp. {labels[0]}–{labels[-1]}]"


def open_uri(payload: dict[str, Any]) -> str | None:
    """Return the link that opens a passage on its page: in Zotero, the file, or the web page."""
    page = payload.get("page_start")
    if payload.get("zotero") and (uri := _in_zotero(payload, page)):
        return uri
    path = payload.get("source_path") or ""
    if not Path(path).is_absolute():
        return payload.get("url")
    return Path(path).as_uri() + (f"#page={page}" if page else "")


def _in_zotero(payload: dict[str, Any], page: int | None) -> str | None:
    """Return the link that opens a passage in Zotero; None if Zotero does not have the file."""
    zotero, file_type = payload["zotero"], payload.get("file_type")
    items = f"{zotero['library']}/items"
    if file_type == "note":
        return f"zotero://select/{items}/{zotero['attachment']}"
    if file_type == "fulltext":
        return f"zotero://select/{items}/{zotero['item']}"
    path = payload.get("source_path") or ""
    if file_type != "annotations" and path.startswith(os.path.join(paths.folders().data, "")):  # noqa: PTH118 - a prefix, not a path
        return None  # downloaded from zotero.org: Zotero opens only its own files
    annotation = (payload.get("annotation") or {}).get("annotation")
    options = [f"annotation={annotation}"] if annotation else []
    if page:  # only PDFs have pages; in other files Zotero would prefer the page to the annotation
        return f"zotero://open-pdf/{items}/{zotero['attachment']}?{'&'.join([f'page={page}', *options])}"
    return f"zotero://open/{items}/{zotero['attachment']}" + (f"?{options[0]}" if options else "")


def document_uri(document: Document, page: int = 1) -> str | None:
    """Return the link that opens a page of a document, or its Zotero item if it has no local file."""
    without_file = document.zotero and not document.path
    return open_uri(
        {
            "zotero": document.zotero or None,
            # Without a file, the link selects the item in Zotero, as for Zotero's full-text cache.
            "file_type": "fulltext" if without_file else document.file_type,
            "source_path": document.path or document.source,
            "page_start": page if document.pages else None,
            "url": document.record.get("url"),
        }
    )


def found_passage(hit: ScoredPoint, *, full_text: bool = False) -> FoundPassage:
    """Return the result for one passage, with its whole text as `render_text`."""
    return FoundPassage(**_fields(hit, None, full_text=full_text))


def search_hit(
    group: HitGroup, *, max_chars: int, full_text: bool, modified: Mapping[str, str | None] | None = None
) -> SearchHit:
    """Return the result for a group, with the passages that it joins and its duplicates.

    With `modified`, the times of the documents' files, it has details.
    """
    hit = group.merged()
    return SearchHit(
        **_fields(hit, max_chars, full_text=full_text),
        score=group.score,
        merged=tuple(map(_reference, group.parts)) if len(group.parts) > 1 else (),
        also_in=tuple(map(_reference, group.also_in[:MAX_ALSO_IN])),
        by_words_only=hit.by_words_only,
        details=None if modified is None else _details(hit, modified),
    )


def _details(hit: ScoredPoint, modified: Mapping[str, str | None]) -> PassageDetails:
    p = hit.payload
    start, end = p.get("lines") or (None, None)
    return PassageDetails(
        chunk_index=p.get("chunk_index", 0),
        path=p.get("source_path") or "",
        file_type=p.get("file_type", ""),
        last_modified=modified.get(p.get("doc_id", "")),
        header_path=p.get("heading_chain") or None,
        header_level=p.get("header_level"),
        class_name=p.get("class_name"),
        function_name=p.get("function_name"),
        start_line=start,
        end_line=end,
        metadata=p.get("metadata") or {},
    )


def neighbour(hit: ScoredPoint) -> Neighbour:
    """Return the result for a neighbouring passage."""
    values = _fields(hit, None, full_text=False)
    return Neighbour(**{field.name: values[field.name] for field in fields(Neighbour)})


def _fields(hit: ScoredPoint, max_chars: int | None, *, full_text: bool) -> dict[str, Any]:
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


def _reference(hit: ScoredPoint) -> PassageReference:
    p = hit.payload
    return PassageReference(p.get("chunk_id", hit.id), cite(p.get("citekey") or "", p.get("page_labels") or []))


def within_budget(hits: Sequence[SearchHit], max_tokens: int | None) -> tuple[tuple[SearchHit, ...], int]:
    """Return the first hits that fit into a token budget, and their number of tokens."""
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
