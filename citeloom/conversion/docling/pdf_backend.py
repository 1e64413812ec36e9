"""Docling backend that supplies words found by CiteLoom, in the PDF or by OCR, and page images.

Docling's own parsers are not used, so that page numbers, coverage and the quick text are from the same words as its
text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from io import BytesIO
from itertools import pairwise
from pathlib import Path

from docling.backend.pdf_backend import PdfDocumentBackend, PdfPageBackend
from docling.datamodel.backend_options import PdfBackendOptions
from docling.datamodel.base_models import InputFormat
from docling.datamodel.document import InputDocument
from docling.utils.pdf_outline import _PdfOutlineItem
from docling_core.types.doc import BoundingBox, CoordOrigin, Size
from docling_core.types.doc.page import (
    BoundingRectangle,
    PdfPageBoundaryType,
    PdfPageGeometry,
    SegmentedPdfPage,
    TextCell,
)
from PIL.Image import Image

from citeloom.conversion.image_files import PageImages
from citeloom.conversion.pdf.raw_page import OutlineEntry, RawPage, Word
from citeloom.conversion.pdf.reading_order import rows

_PIECE_GAP = 0.9  # in ems; lines are cut at wider gaps, which may separate columns
_NUMBER_GAP = 1.4  # the number of a heading or list item may be further from its text
_NUMBERING = re.compile(r"^(?:[1-3]?\d(?:\.[1-3]?\d)*[.)]?|[IVX]{1,5}\.|[A-Z]\.|\(?[a-z\d]{1,3}\)|[•▪●–-])$")


class DoclingSource:
    """Words, outline and page images of a document for docling."""

    def __init__(self, pages: list[RawPage], outline: list[OutlineEntry], pictures: PageImages) -> None:
        self.pages = pages
        self.outline = outline
        self.pictures = pictures
        self.pieces: dict[int, list[list[Word]]] = {}  # by page: pieces of lines, by the index of docling's cells


class DoclingSourceOptions(PdfBackendOptions):
    """Options that pass the source to the backend."""

    model_config = {"arbitrary_types_allowed": True}  # noqa: RUF012 - how pydantic takes its settings
    source: DoclingSource


class DoclingSourceBackend(PdfDocumentBackend):
    """Docling document backend over a DoclingSource."""

    def __init__(self, in_doc: InputDocument, path_or_stream: BytesIO | Path, options: DoclingSourceOptions) -> None:
        super().__init__(in_doc, path_or_stream, options)
        self.source = options.source

    def load_page(self, page_no: int) -> PdfPageBackend:
        """Return a page by its index."""
        return _PageBackend(self.source, self.source.pages[page_no])

    def page_count(self) -> int:
        """Return the number of pages."""
        return len(self.source.pages)

    def is_valid(self) -> bool:
        """Return whether the document has pages."""
        return bool(self.source.pages)

    def get_document_outline(self) -> list[_PdfOutlineItem]:
        """Return the outline of the PDF."""
        return [_PdfOutlineItem(title=e.title, level=e.level, page_no=e.page) for e in self.source.outline]

    @classmethod
    def supported_formats(cls) -> set[InputFormat]:
        """Return PDF, which stands for all paged documents."""
        return {InputFormat.PDF}


class _PageBackend(PdfPageBackend):
    def __init__(self, source: DoclingSource, page: RawPage) -> None:
        self._source = source
        self._page = page

    @property
    def page_no(self) -> int:
        return self._page.number

    def get_size(self) -> Size:
        return Size(width=self._page.width, height=self._page.height)

    def is_valid(self) -> bool:
        return True

    def unload(self) -> None:
        pass

    def get_text_in_rect(self, bbox: BoundingBox) -> str:
        box = bbox.to_bottom_left_origin(self._page.height)
        inside = [w.text for w in self._page.words if box.l <= w.x0 and w.x1 <= box.r and box.b <= w.y <= box.t]
        return " ".join(inside)

    def get_bitmap_rects(self, scale: float = 1) -> Iterable[BoundingBox]:
        return []

    def get_text_cells(self) -> list[TextCell]:
        pieces = self._source.pieces[self._page.number] = _pieces(self._page.words)
        return [_cell(index, piece, self._page.height) for index, piece in enumerate(pieces)]

    def get_segmented_page(self) -> SegmentedPdfPage:
        width, height = self._page.width, self._page.height
        box = BoundingBox(l=0, t=height, r=width, b=0, coord_origin=CoordOrigin.BOTTOMLEFT)
        geometry = PdfPageGeometry(
            angle=0.0,
            rect=BoundingRectangle.from_bounding_box(box),
            boundary_type=PdfPageBoundaryType.CROP_BOX,
            art_bbox=box,
            bleed_bbox=box,
            crop_bbox=box,
            media_bbox=box,
            trim_bbox=box,
        )
        cells = self.get_text_cells()
        return SegmentedPdfPage(
            dimension=geometry, char_cells=[], word_cells=[], textline_cells=cells, has_lines=bool(cells)
        )

    def get_page_image(self, scale: float = 1, cropbox: BoundingBox | None = None) -> Image:
        picture = self._source.pictures.render(self._page.number, scale, self._page.quarter_turns)
        wanted = (max(1, round(self._page.width * scale)), max(1, round(self._page.height * scale)))
        if picture.size != wanted:
            picture = picture.resize(wanted)
        if cropbox:
            box = cropbox.to_top_left_origin(self._page.height).scaled(scale)
            picture = picture.crop((int(box.l), int(box.t), int(box.r), int(box.b)))
        return picture


def _pieces(words: list[Word]) -> list[list[Word]]:
    """Return the lines, cut where columns may be separated."""
    found: list[list[Word]] = []
    for row in rows(words):
        found.append([row[0]])
        for before, word in pairwise(row):
            numbers = len(found[-1]) == 1 and _NUMBERING.match(before.text) and word.text[0].isalpha()
            if word.x0 - before.x1 > (_NUMBER_GAP if numbers else _PIECE_GAP) * max(before.size, word.size):
                found.append([])
            found[-1].append(word)
    return found


def _cell(index: int, piece: list[Word], height: float) -> TextCell:
    size = max(word.size for word in piece)
    left, right = min(word.x0 for word in piece), max(word.x1 for word in piece)
    box = BoundingBox(
        l=left,
        t=height - (max(word.y for word in piece) + 0.75 * size),
        r=max(right, left + 0.5),
        b=height - (min(word.y for word in piece) - 0.22 * size),
        coord_origin=CoordOrigin.TOPLEFT,
    )
    text = " ".join(word.text for word in piece)
    sure = [word.confidence for word in piece if word.confidence is not None]
    return TextCell(
        index=index,
        rect=BoundingRectangle.from_bounding_box(box),
        text=text,
        orig=text,
        confidence=sum(sure) / len(sure) if sure else 1.0,
        from_ocr=piece[0].recognised,
    )
