"""Papers that hide their text: pictures of pages, and text layers that are none."""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pypdfium2
from PIL import Image
from reportlab.pdfbase import ttfonts

from tests.papers.printing import Manuscript, print_pdf

DPI = 200
_SMUDGES = "|!;:.,'^~*_il1rn"


def pictures(path: Path, pages: set[int], *, worn: bool = False, seed: int = 1) -> dict[int, bytes]:
    """Pages of a PDF as a scanner would give them; worn: with noise and a little askew."""
    noise = np.random.default_rng(seed)
    pdfium: Any = pypdfium2  # it carries no types
    document = pdfium.PdfDocument(path)
    made = {}
    try:
        for number in sorted(pages):
            page = document[number - 1]
            picture = page.render(scale=DPI / 72, grayscale=True).to_pil().convert("L")
            page.close()
            if worn:
                picture = picture.rotate(0.3, Image.Resampling.BICUBIC, fillcolor=255)
                grey = np.asarray(picture, dtype=np.float32) + noise.normal(0, 12, (picture.height, picture.width))
                picture = Image.fromarray(np.clip(grey, 0, 255).astype(np.uint8))
            out = io.BytesIO()
            picture.save(out, "JPEG", quality=82)
            made[number] = out.getvalue()
    finally:
        document.close()
    return made


def print_scanned(
    path: Path,
    paper: Manuscript,
    pages: set[int],
    *,
    worn: bool = False,
    behind: Callable[[str], str] | None = None,
) -> Path:
    """Write the paper with some pages as pictures, with invisible text over them if wished."""
    clean = print_pdf(path.with_suffix(".clean.pdf"), paper)
    try:
        return print_pdf(path, paper, pictures=pictures(clean, pages, worn=worn), behind=behind)
    finally:
        clean.unlink()


def junk(seed: int) -> Callable[[str], str]:
    """What a poor recognition makes of a text: every third letter is a smudge, and words fall apart."""
    chance = random.Random(seed)

    def smudge(text: str) -> str:
        letters = (chance.choice(_SMUDGES) if chance.random() < 0.38 else letter for letter in text)
        return "".join(" " + letter if chance.random() < 0.12 else letter for letter in letters)

    return smudge


@contextmanager
def wrong_unicode(shift: int) -> Iterator[None]:
    """While this holds, embedded fonts look right and say something else: each character is moved by `shift`."""
    right = ttfonts.makeToUnicodeCMap

    def wrong(name: str, subset: list[int]) -> Any:
        return right(name, [max(1, code + shift) if code else 0 for code in subset])

    ttfonts.makeToUnicodeCMap = wrong
    try:
        yield
    finally:
        ttfonts.makeToUnicodeCMap = right
