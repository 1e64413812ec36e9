"""Docling without a model: its standard pipeline over its own pypdfium2 backend, with a layout that predicts nothing.

Text outside of predicted regions still reaches docling's document, so this is what docling alone costs a page.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

from docling.backend.pypdfium2_backend import PyPdfiumDocumentBackend
from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import InputFormat, LayoutPrediction, Page, TableStructurePrediction
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import BaseLayoutOptions, BaseTableStructureOptions, ThreadedPdfPipelineOptions
from docling.document_converter import DocumentConverter, PdfFormatOption
from docling.models.base_layout_model import BaseLayoutModel
from docling.models.base_table_model import BaseTableStructureModel
from docling.models.factories import get_layout_factory, get_table_structure_factory
from docling.models.plugins import defaults


class _NothingOptions(BaseLayoutOptions):
    kind: ClassVar[str] = "nothing"


class _Nothing(BaseLayoutModel):
    def __init__(self, *_: Any, **__: Any) -> None: ...

    @classmethod
    def get_options_type(cls) -> type[BaseLayoutOptions]:
        return _NothingOptions

    def predict_layout(self, conv_res: ConversionResult, pages: Sequence[Page]) -> Sequence[LayoutPrediction]:
        return [LayoutPrediction() for _ in pages]


class _NoTablesOptions(BaseTableStructureOptions):
    kind: ClassVar[str] = "no_tables"


class _NoTables(BaseTableStructureModel):
    def __init__(self, *_: Any, **__: Any) -> None:
        self.enabled = False

    @classmethod
    def get_options_type(cls) -> type[BaseTableStructureOptions]:
        return _NoTablesOptions

    def predict_tables(self, conv_res: ConversionResult, pages: Sequence[Page]) -> Sequence[TableStructurePrediction]:
        return [TableStructurePrediction() for _ in pages]


def reader() -> Callable[[Path], str]:
    """What converts a PDF and gives its text."""
    # Docling's own table engines cannot be imported without torch.
    defaults.table_structure_engines = lambda: {"table_structure_engines": []}
    get_layout_factory(allow_external_plugins=False).register(_Nothing, "bench", __name__)
    get_table_structure_factory(allow_external_plugins=False).register(_NoTables, "bench", __name__)
    options = ThreadedPdfPipelineOptions(
        do_ocr=False,
        do_table_structure=False,
        accelerator_options=AcceleratorOptions(num_threads=1, device="cpu"),
    )
    options.layout_options, options.table_structure_options = _NothingOptions(), _NoTablesOptions()
    pdf = PdfFormatOption(pipeline_options=options, backend=PyPdfiumDocumentBackend)
    converter = DocumentConverter(allowed_formats=[InputFormat.PDF], format_options={InputFormat.PDF: pdf})
    return lambda path: converter.convert(path).document.export_to_text()
