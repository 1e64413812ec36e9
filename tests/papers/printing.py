"""From set sheets to a PDF: ink, pictures of pages, labels, outline."""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from tests.papers.lines import shaped, width_of
from tests.papers.setting import Ink, Look, Sheet
from tests.papers.truth import Truth

_INVISIBLE = 3  # text render mode


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry of the outline."""

    title: str
    level: int  # from 1
    page: int


@dataclass(slots=True)
class Manuscript:
    """A paper that is set and not yet printed."""

    look: Look
    sheets: list[Sheet]
    truth: Truth
    outline: list[Entry] = field(default_factory=list)
    labels: list[tuple[int, str, int]] = field(default_factory=list)  # from sheet (0-based), style, first number


def print_pdf(
    path: Path,
    paper: Manuscript,
    *,
    pictures: Mapping[int, bytes] | None = None,
    behind: Callable[[str], str] | None = None,
) -> Path:
    """Write the PDF; pages with a picture (JPEG) show only that, with `behind` over the words as invisible text."""
    width, height = paper.look.page
    title = paper.truth.title
    canvas = Canvas(str(path), pagesize=paper.look.page, invariant=1, pageCompression=1)
    canvas.setTitle(title)
    for at, style, first in paper.labels:
        canvas.addPageLabel(at, style=style, start=first)
    by_page: dict[int, list[Entry]] = {}
    for entry in paper.outline:
        by_page.setdefault(entry.page, []).append(entry)
    targets = {id(entry): f"entry-{at}" for at, entry in enumerate(paper.outline)}
    for number, sheet in enumerate(paper.sheets, 1):
        for entry in by_page.get(number, ()):
            canvas.bookmarkPage(targets[id(entry)])
        picture = (pictures or {}).get(number)
        if picture is None:
            _draw(canvas, sheet)
        else:
            canvas.drawImage(ImageReader(io.BytesIO(picture)), 0, 0, width, height)
            if behind:
                _draw_unseen(canvas, sheet.inks, behind)
        canvas.showPage()
    # In the outline's own order, which is that of the text and not always that of its targets.
    for entry in paper.outline:
        canvas.addOutlineEntry(entry.title, targets[id(entry)], entry.level - 1)
    canvas.save()
    return path


def _draw(canvas: Canvas, sheet: Sheet) -> None:
    for rule in sheet.rules:
        canvas.setLineWidth(rule.width)
        canvas.setStrokeGray(rule.grey)
        canvas.line(rule.x0, rule.y0, rule.x1, rule.y1)
    for ink in sheet.inks:
        if ink.upward:
            canvas.saveState()
            canvas.translate(ink.x, ink.y)
            canvas.rotate(90)
            _draw_text(canvas, Ink(0, 0, ink.text, ink.font, ink.size))
            canvas.restoreState()
        else:
            _draw_text(canvas, ink)


def _draw_text(canvas: Canvas, ink: Ink) -> None:
    if ink.spacing and "Vera" in ink.font:
        # An embedded font's spaces are not stretched by the PDF: each word stands for itself.
        x = ink.x
        for word in ink.text.split(" "):
            _string(canvas, x, ink.y, word, ink)
            x += width_of(word, ink.font, ink.size) + width_of(" ", ink.font, ink.size) + ink.spacing
        return
    _string(canvas, ink.x, ink.y, shaped(ink.text, ink.font), ink)


def _string(canvas: Canvas, x: float, y: float, text: str, ink: Ink, mode: int | None = None) -> None:
    line: Any = canvas.beginText(x, y)
    line.setFont(ink.font, ink.size)
    line.setWordSpace(ink.spacing if "Vera" not in ink.font else 0)
    if mode is not None:
        line.setTextRenderMode(mode)
    line.textOut(text)
    canvas.drawText(line)


def _draw_unseen(canvas: Canvas, inks: Sequence[Ink], behind: Callable[[str], str]) -> None:
    for ink in inks:
        _string(canvas, ink.x, ink.y, behind(ink.text), ink, _INVISIBLE)
