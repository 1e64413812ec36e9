"""Docling's own layout and table models. Opt in by installing citeloom[models] and downloading them."""

from __future__ import annotations

import pytest

from citeloom.conversion.convert import convert
from citeloom.conversion.docling.models import docling_models_folder, models_in_use
from tests.support import SAMPLE

pytestmark = [
    pytest.mark.live,
    pytest.mark.skipif(
        docling_models_folder() is None, reason="needs citeloom[models] and its models: see citeloom doctor"
    ),
]


def test_docling_reads_a_paper_with_its_own_models() -> None:
    assert models_in_use()["tables"] == "TableFormer"
    doc = convert(SAMPLE / "papers" / "hartmann2019quotation.pdf")
    assert doc.engine == "docling" and (doc.word_coverage or 0) >= 0.98
    assert ("Results", "Wrong pages") in {block.section_path for block in doc.blocks}
