"""Finds the pages of a document that need OCR, and adds the recognised words to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from PIL.Image import Image

from citeloom.conversion.image_files import PageImages
from citeloom.conversion.pdf.raw_page import RawPage, Word
from citeloom.conversion.pdf.text_layer import TextLayer, judge
from citeloom.core.errors import CiteLoomError

if TYPE_CHECKING:
    from citeloom.conversion.ocr.recogniser import PageWords

_DPI = 300  # resolution on which Tesseract was trained
_SAME_TYPE = 0.07  # sizes that differ by less are treated as equal


def needs_ocr(pages: list[RawPage]) -> dict[int, TextLayer]:
    """Return the pages whose text layer is garbled or absent."""
    judged = {page.number: judge(page) for page in pages}
    return {number: layer for number, layer in judged.items() if layer is not TextLayer.GOOD}


def recognise(
    pictures: PageImages,
    pages: list[RawPage],
    waiting: dict[int, TextLayer],
    languages: tuple[str, ...],
    engine: str,
    on_progress: Callable[[int, int], None],
) -> list[str]:
    """Recognise pages and add their words; return warnings."""
    from citeloom.conversion.ocr.recogniser import Recogniser

    recogniser = Recogniser(languages, engine)
    done, failed = 0, list[str]()
    for page in pages:
        if page.number in waiting:
            on_progress(done, len(waiting))
            done += 1
            native = page.words if waiting[page.number] is TextLayer.ABSENT else []
            picture = pictures.render(page.number, _DPI / 72, page.quarter_turns)
            try:
                words = recogniser.words(picture)
            except CiteLoomError as error:
                # A failure of OCR affects that page only.
                failed.append(f"PDF page {page.number} could not be recognised: {error}")
                page.words, page.raw_text = native, " ".join(word.text for word in native)
                continue
            if words.quarter_turns:
                _turn(page, words.quarter_turns)
                native = []  # the few native words were in the other direction
            found = _placed(words, page, picture)
            added = [word for word in found if not any(_covers(known, word) for known in native)]
            page.words = native + added
            page.raw_text = " ".join(word.text for word in page.words)
            if not native:
                page.rotated_text = words.rotated_text
    _even_out_sizes([word for page in pages for word in page.words if word.recognised and word.confidence is not None])
    return recogniser.warnings + failed


def _even_out_sizes(words: list[Word]) -> None:
    """Assign one size to words of nearly equal size, since OCR measures each line slightly differently."""
    letters: Counter[float] = Counter()
    for word in words:
        letters[word.size] += len(word.text)
    even: dict[float, float] = {}
    for size, _ in letters.most_common():
        if size not in even:
            even.update({near: size for near in letters if near not in even and abs(near - size) <= _SAME_TYPE * size})
    for word in words:
        word.size = even[word.size]


def _turn(page: RawPage, quarter_turns: int) -> None:
    """Rotate a page that was scanned sideways or upside down."""
    page.quarter_turns = (page.quarter_turns - quarter_turns) % 4
    if quarter_turns % 2:
        page.width, page.height = page.height, page.width


def _placed(words: PageWords, page: RawPage, picture: Image) -> list[Word]:
    """Return the recognised words in points from the page's lower left corner."""
    width, height = (picture.height, picture.width) if words.quarter_turns % 2 else picture.size
    across, down = page.width / width, page.height / height
    return [
        Word(
            word.text,
            word.x0 * across,
            word.x1 * across,
            page.height - word.baseline * down,
            round(word.size * down, 1),
            "",
            False,
            recognised=True,
            confidence=word.confidence,
        )
        for word in words
    ]


def _covers(known: Word, word: Word) -> bool:
    """Return whether a word of the text layer is at the position of a recognised one."""
    overlap = min(known.x1, word.x1) - max(known.x0, word.x0)
    return abs(known.y - word.y) < 0.6 * max(known.size, word.size) and overlap > 0.3 * (word.x1 - word.x0)
