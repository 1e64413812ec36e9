"""Import of pypdfium2, typed as Any because it has no type information. Used by the other modules of this package."""

from __future__ import annotations

from typing import Any

import pypdfium2 as _pypdfium2
import pypdfium2.raw as _raw

pdfium: Any = _pypdfium2
c_api: Any = _raw
