"""Layout and table models in use: the bundled ones, or docling's own where installed."""

from __future__ import annotations

import importlib.util
import os
from functools import cache
from pathlib import Path

from citeloom.core import paths

_LAYOUT_FOLDER = "docling-project--docling-layout-heron"
_TABLE_FOLDER = "docling-project--docling-models"


@cache
def docling_models_folder() -> Path | None:
    """Return the folder of docling's own models; None unless they and `citeloom[models]` are installed."""
    installed = all(importlib.util.find_spec(name) for name in ("torch", "docling_ibm_models"))
    # Where `docling-tools models download` puts them.
    folder = Path(os.environ.get("DOCLING_ARTIFACTS_PATH") or Path(paths.models_folder()) / "docling")
    downloaded = (folder / _LAYOUT_FOLDER).is_dir() and (folder / _TABLE_FOLDER).is_dir()
    return folder if installed and downloaded else None


def models_in_use() -> dict[str, str]:
    """Return the names of the models in use."""
    import importlib.metadata  # every worker starts with this module, but few are asked

    version = importlib.metadata.version("docling-slim")
    folder = docling_models_folder()
    if folder:
        return {"docling": version, "layout": f"docling's own ({folder})", "tables": "TableFormer"}
    return {"docling": version, "layout": "PP-PicoDet CDLA (bundled)", "tables": "white space (built in)"}
