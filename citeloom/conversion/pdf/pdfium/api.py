"""pypdfium2, typed as Any because it has no type information. Used by the other modules of this package."""

from __future__ import annotations

import ctypes
from contextlib import closing
from typing import Any

import pypdfium2 as _pypdfium2
import pypdfium2.raw as _raw
from PIL.Image import Image

pdfium: Any = _pypdfium2
c_api: Any = _raw


def with_addresses(function: Any, result: Any, *arguments: Any) -> Any:
    """Return a function of pdfium that takes and returns plain addresses, which ctypes passes on faster."""
    place: Any = ctypes.cast(function, ctypes.c_void_p)
    return ctypes.CFUNCTYPE(result, *arguments)(place.value)


def rendered(page: Any, mode: str, **options: Any) -> Image:
    """Render an open page as an image of a Pillow mode, with the options of `PdfPage.render`."""
    with closing(page.render(**options)) as bitmap:
        picture: Image = bitmap.to_pil().convert(mode)
        return picture
