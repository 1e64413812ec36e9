"""pypdfium2, imported in one place. It carries no types: naming it Any once keeps the modules around it checked."""

from __future__ import annotations

from typing import Any

import pypdfium2 as _pypdfium2
import pypdfium2.raw as _raw

pdfium: Any = _pypdfium2
c_api: Any = _raw
