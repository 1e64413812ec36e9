"""PdfFile: words of all pages, page labels, outline, metadata and rendering of a PDF, by pypdfium2."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from PIL.Image import Image

from citeloom.conversion.file_errors import file_error
from citeloom.conversion.pdf.pdfium.api import c_api, pdfium, rendered
from citeloom.conversion.pdf.pdfium.forms import FieldText, visible_fields
from citeloom.conversion.pdf.pdfium.hidden_text import find_hidden_words
from citeloom.conversion.pdf.pdfium.recursive_forms import without_cycles
from citeloom.conversion.pdf.pdfium.text_runs import PageCharacters, Run, upright_box
from citeloom.conversion.pdf.raw_page import OutlineEntry, RawPage, RawPdf, Word

_MAX_OUTLINE = 20_000
_MAX_MISSING = 1000  # consecutive pages that cannot be opened, after which the declared page count is taken as false
_MAX_SIDE = 6000  # pixels; a page the size of a poster is rendered smaller
_FEW_WORDS = 40  # a page with fewer may be a scan
_MAX_OBJECTS = 3000  # examined when searching for pictures
_FIELD_SIZE = 10.0  # default type size of a form field

# pypdfium2 warns for every XFA form that its scripts will not run.
logging.getLogger("pypdfium2._helpers.document").setLevel(logging.ERROR)


class PdfFile:
    """An open PDF; pages are rendered on demand."""

    def __init__(self, path: Path) -> None:
        self._document = _open(path)
        self._lock = threading.Lock()  # pdfium is not thread-safe

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._document.close()

    def read(self) -> RawPdf:
        """Read the words of all pages, the outline, labels and title."""
        document = self._document
        pages, unreadable, last_readable = list[RawPage](), list[int](), 0
        with self._lock:
            declared = len(document)
            for index in range(declared):
                try:
                    pages.append(_read_page(document, index))
                    last_readable = index + 1
                except pdfium.PdfiumError:
                    if index + 1 - last_readable >= _MAX_MISSING:
                        break
                    unreadable.append(index + 1)
                    pages.append(RawPage(index + 1, 612.0, 792.0, page_label(document, index), []))
            raw = RawPdf(pages, _title(document), list(_outline(document)), unreadable)
            if len(pages) < declared:
                # The page count is not reliable: a few bytes can claim a million pages.
                raw.pages = pages[:last_readable]
                raw.unreadable = [number for number in unreadable if number <= last_readable]
                raw.declared_pages = declared
            return raw

    def render(self, number: int, scale: float, quarter_turns: int) -> Image:
        """Return a page as a grey image with `scale` pixels per point, or fewer for a huge page."""
        with self._lock, closing(self._document.get_page(number - 1)) as page:
            scale = min(scale, _MAX_SIDE / max(*page.get_size(), 1.0))
            # pdfium applies the page's own rotation; the remaining turns make sideways text upright.
            turn = (quarter_turns * 90 - page.get_rotation()) % 360
            picture = rendered(page, "L", scale=scale, rotation=turn, grayscale=True)
            picture.info["dpi"] = (72 * scale, 72 * scale)
            return picture


def _open(path: Path) -> Any:
    try:
        document = pdfium.PdfDocument(without_cycles(path) or path)
        document.init_forms()
        return document
    except pdfium.PdfiumError as error:
        if getattr(error, "err_code", None) == c_api.FPDF_ERR_PASSWORD:
            next_step = "Save a copy without the password and attach that instead."
            raise file_error(path, f"The PDF {path.name} needs a password.", next_step) from None
        next_step = "Open it in a PDF viewer; if it fails there too, download it again."
        raise file_error(path, f"The PDF {path.name} is damaged and cannot be opened.", next_step) from None


def page_label(document: Any, index: int) -> str | None:
    """Return the page label of the file, or None."""
    try:
        return str(document.get_page_label(index)).strip() or None
    except (pdfium.PdfiumError, UnicodeError):
        return None


def _title(document: Any) -> str:
    try:
        return str(document.get_metadata_value("Title")).strip()
    except (pdfium.PdfiumError, UnicodeError):
        return ""


def _outline(document: Any) -> Iterator[OutlineEntry]:
    for count, bookmark in enumerate(document.get_toc()):
        if count >= _MAX_OUTLINE:  # a broken outline can refer to itself without end
            return
        try:
            title = " ".join(str(bookmark.get_title()).split())
            target = bookmark.get_dest()
            index = target.get_index() if target is not None else None
        except (pdfium.PdfiumError, UnicodeError):
            continue
        if title:
            yield OutlineEntry(bookmark.level, title, index + 1 if index is not None and index >= 0 else None)


@dataclass(slots=True)
class Layer:
    """Text of a page's content stream, or of its form fields and text boxes."""

    page: Any
    text_page: Any
    characters: PageCharacters


@contextmanager
def open_layers(document: Any, index: int) -> Iterator[tuple[list[Layer], tuple[FieldText, ...]]]:
    """Yield the text layers of a page, and the values of fields without an appearance."""
    with ExitStack() as stack:
        page = stack.enter_context(closing(document.get_page(index)))
        fields = stack.enter_context(visible_fields(document, index, page))
        layers = []
        for shown in (page, fields.page):
            if shown is not None:
                text_page = stack.enter_context(closing(shown.get_textpage()))
                characters = PageCharacters(text_page)
                if shown is not page:
                    characters.runs = [run for run in characters.runs if run.text_object in fields.objects]
                layers.append(Layer(shown, text_page, characters))
        yield layers, fields.written


def _read_page(document: Any, index: int) -> RawPage:
    found: list[tuple[Word, int]] = []
    parts: list[str] = []
    ocr_letters = invisible_words = 0
    with open_layers(document, index) as (layers, written):
        page = layers[0].page
        left, bottom, right, top = box = page.get_bbox()
        for layer in layers:
            words = layer.characters.placed_words()
            visibility = find_hidden_words(layer.page, layer.text_page, words, box)
            visible = [(placed.word, placed.angle) for at, placed in enumerate(words) if at not in visibility.invisible]
            found += visible
            ocr_letters += sum(len(words[at].word.text) for at in visibility.ocr_text)
            invisible_words += len(visibility.invisible)
            if layer.page is page:
                parts.append(_raw_text(layer, [layer.characters.runs[at] for at in sorted(visibility.invisible)]))
            else:
                parts.append(" ".join(word.text for word, _ in visible))
        has_ocr_text = ocr_letters > 0.7 * sum(len(word.text) for word, _ in found)
        turns = page.get_rotation() // 90 % 4
        for field in written:
            found += _field_words(field, turns)
            parts.append(field.text)
        upright, rotated_text, quarter_turns = _split_by_angle(found)
        if not upright:
            quarter_turns = turns
        few = has_ocr_text or len(upright) < _FEW_WORDS
        picture_share, drawn = _pictures(page, (right - left) * (top - bottom)) if few else (0.0, False)
    x_min, y_min, x_max, y_max = upright_box(box, quarter_turns)
    for word in upright:
        word.x0 -= x_min
        word.x1 -= x_min
        word.y -= y_min
        word.recognised = has_ocr_text
    return RawPage(
        index + 1,
        x_max - x_min,
        y_max - y_min,
        page_label(document, index),
        upright,
        rotated_text,
        "\n".join(part for part in parts if part),
        quarter_turns,
        has_ocr_text,
        picture_share,
        drawn,
        invisible_words,
    )


def _raw_text(layer: Layer, hidden: list[Run]) -> str:
    """Return pdfium's own text of a page without invisible runs."""
    if not hidden:
        return layer.characters.text
    text_page = layer.text_page
    parts, start = [], 0
    for run in hidden:
        if run.places[0] > start:
            parts.append(text_page.get_text_range(start, run.places[0] - start))
        start = run.places[-1] + 1
    if start < text_page.count_chars():
        parts.append(text_page.get_text_range(start))
    return "".join(parts)


def _field_words(field: FieldText, quarter_turns: int) -> Iterator[tuple[Word, int]]:
    """Yield the words of a form field with positions in its box; lines are wrapped at the box's width."""
    left, bottom, right, top = upright_box(field.box, quarter_turns)
    size = min(_FIELD_SIZE, 0.8 * (top - bottom))
    lines: list[list[tuple[str, float, float]]] = []
    for paragraph in field.text.splitlines():
        lines.append([])
        x = left
        for text in paragraph.split():
            width = 0.5 * size * len(text)
            if lines[-1] and x + width > right:
                lines.append([])
                x = left
            lines[-1].append((text, x, x + width))
            x += width + 0.3 * size
    # A field with more lines than fit would be scrolled: its lines are placed closer together.
    leading = min(1.2 * size, (top - bottom) / max(1, len(lines)))
    for at, line in enumerate(lines):
        y = top - 0.8 * min(size, leading) - at * leading
        for text, x0, x1 in line:
            yield Word(text, x0, x1, y, min(size, leading), "", False), quarter_turns


def _pictures(page: Any, area: float) -> tuple[float, bool]:
    """Return the share of the page covered by pictures, and whether anything but text is painted."""
    covered, drawn = 0.0, False
    kinds = [c_api.FPDF_PAGEOBJ_IMAGE, c_api.FPDF_PAGEOBJ_PATH, c_api.FPDF_PAGEOBJ_SHADING]
    for count, painted in enumerate(page.get_objects(filter=kinds, max_depth=3)):
        drawn = True
        if painted.type == c_api.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = painted.get_bounds()
            covered += max(0.0, right - left) * max(0.0, top - bottom)
        if count > _MAX_OBJECTS:
            break
    return min(1.0, covered / max(area, 1.0)), drawn


def _split_by_angle(words: list[tuple[Word, int]]) -> tuple[list[Word], str, int]:
    """Return the words in the page's main direction, rotated upright, the other text, and the quarter turns."""
    weight = [0, 0, 0, 0]
    for word, angle in words:
        if angle >= 0:
            weight[angle] += len(word.text)
    quarter_turns = max(range(4), key=lambda angle: (weight[angle], -angle))
    upright = [word for word, angle in words if angle == quarter_turns]
    rotated_text = " ".join(word.text for word, angle in words if angle != quarter_turns)
    return upright, rotated_text, quarter_turns
