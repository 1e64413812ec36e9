"""Decides which pages of a PDF need more than their text layer read by geometry, and says why."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from citeloom.conversion.docling.models import docling_models_folder
from citeloom.conversion.pdf.paragraphs import Paragraph
from citeloom.conversion.pdf.raw_page import RawPage
from citeloom.conversion.pdf.text_layer import TextLayer
from citeloom.core.types import BlockKind

NO_TEXT = "no text"
GARBLED = "garbled text"
UNCERTAIN_LAYOUT = "uncertain layout"
LARGER_MODELS = "docling's own models"  # they are installed, and take every page over

_OCR_REASONS = {TextLayer.ABSENT: NO_TEXT, TextLayer.GARBLED: GARBLED}
# Of 1,096 pages of real papers, 4 % have as many. They are 30 % of the pages whose words docling orders otherwise, and
# have a fifth of the words inside figures; a lower limit adds more pages than gains.
_MAX_SCATTERED = 25
_FEW_WORDS = 4
_PROSE = re.compile(r"[^\W\d_]{4}")
_NUMBERS = 0.4  # least share of digits in numbers
_ITEM_LABEL = re.compile(r"^(?:\[[^\]]{1,12}\]|\(?\w{1,3}[.)]|[^\w\s])$")


def slow_pages(
    pages: Sequence[RawPage], for_ocr: Mapping[int, TextLayer], uncertain: Sequence[int]
) -> dict[str, list[int]]:
    """Return the pages that need OCR or layout analysis, by reason."""
    found = {
        reason: [number for number, layer in for_ocr.items() if layer is kind] for kind, reason in _OCR_REASONS.items()
    }
    if docling_models_folder():
        found[LARGER_MODELS] = [page.number for page in pages]
    else:
        found[UNCERTAIN_LAYOUT] = list(uncertain)
    return {reason: numbers for reason, numbers in found.items() if numbers}


def is_uncertain(paragraphs: Sequence[Paragraph]) -> bool:
    """Return whether much of a page's text is scattered: a few words by themselves, or lines with a wide gap inside.

    Such are the labels of a figure among the paragraphs, or the lines of two columns taken for one. Parts of formulas
    do not count: a layout model orders them no better.
    """
    scattered = 0
    for paragraph in paragraphs:
        if paragraph.kind in (BlockKind.TEXT, BlockKind.FOOTNOTE):  # small words low on a page pass for notes
            scattered += len(paragraph.text.split()) <= _FEW_WORDS and not _is_formula(paragraph.text)
            scattered += sum(
                line.cells > 1 + bool(_ITEM_LABEL.match(line.words[0].text)) and not _is_formula(line.text)
                for line in paragraph.lines
            )
    return scattered >= _MAX_SCATTERED


def _is_formula(text: str) -> bool:
    """Return whether a few words have neither a word of prose nor many digits, as those of a table or an axis have."""
    digits = sum(character.isdigit() for character in text)
    return not _PROSE.search(text) and digits < _NUMBERS * len(text)
