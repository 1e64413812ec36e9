"""Qt list model of the hits of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import Qt

from citeloom.api.search import SearchHit
from citeloom.desktop.shell.translations import translate
from citeloom.desktop.text.hit_text import also_cites, cut, names, span
from citeloom.desktop.widgets.table import Index, ListModel

HIT = int(Qt.ItemDataRole.UserRole)
META = HIT + 1
BADGE = HIT + 2


class HitsModel(ListModel[SearchHit]):
    """List model of hits, best first, with their citation, metadata and badge as text."""

    question = ""

    def show_hits(self, hits: Sequence[SearchHit], question: str) -> None:
        """Replace the hits and the question that found them."""
        self.question = question
        self.set_rows(hits)

    def row_of(self, chunk_id: str | None) -> int:
        """Return the row of a passage, -1 if it is not among the hits."""
        return next((row for row, hit in enumerate(self.rows) if hit.chunk_id == chunk_id), -1)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        if not index.isValid():
            return None
        hit = self.rows[index.row()]
        if role == HIT:
            return hit
        if role == Qt.ItemDataRole.DisplayRole:
            return cite_text(hit)
        if role == META:
            return self._meta(hit)
        if role == BADGE:
            return self._badge(hit)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            also = self.tr("also in {cites}").format(cites=also_cites(hit)) if also_cites(hit) else ""
            parts = (cite_text(hit), cut(hit.title or "", 200), self._meta(hit), self._badge(hit), also)
            return "\n".join((*filter(None, parts), hit.render_text))
        return None

    def _meta(self, hit: SearchHit) -> str:
        """Return authors, year, page and section."""
        who = cut(" ".join(filter(None, (names(hit.authors), str(hit.year or "")))), 80)
        path = " › ".join(cut(part, 120) for part in hit.section_path)
        return " · ".join(filter(None, (who, self._page(hit), path)))

    def _page(self, hit: SearchHit) -> str:
        if not hit.page_span:
            return ""
        number, labels = span(*hit.page_span), hit.page_labels
        if not labels:
            return self.tr("PDF page {number}").format(number=number)
        label = span(labels[0], labels[-1])
        text = self.tr("page {label}") if labels[0] == labels[-1] else self.tr("pages {label}")
        page = text.format(label=label)
        return page if label == number else self.tr("{page} (PDF: {number})").format(page=page, number=number)

    def _badge(self, hit: SearchHit) -> str:
        """Return the origin of the text, unless it is the file's own, and whether only its words were compared."""
        origin = {
            "ocr": self.tr("OCR"),
            "annotation": self.tr("Annotation"),
            "note": self.tr("Note"),
            "agent": self.tr("Agent"),
        }.get(hit.text_source, "")
        return " · ".join(filter(None, (origin, self.tr("By words only") if hit.by_words_only else "")))


def cite_text(hit: SearchHit) -> str:
    """Return the citation of a passage, or why it cannot be cited."""
    if hit.cite:
        return hit.cite
    if key := hit.claimed_citekey:
        return translate("Search", "Doubtful: claims to be @{key}").format(key=cut(key, 80))
    return translate("Search", "Cannot be cited: no known work")
