"""Docling table plug-in that finds rows and columns by the white space between words."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import Page, Table, TableStructurePrediction
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import BaseTableStructureOptions
from docling.models.base_table_model import BaseTableStructureModel
from docling_core.types.doc import DocItemLabel, TableCell

from citeloom.conversion.docling.pdf_backend import DoclingSourceBackend
from citeloom.conversion.pdf.tables import table_rows


class WhiteSpaceTableOptions(BaseTableStructureOptions):
    """Options that select this plug-in."""

    kind: ClassVar[str] = "citeloom_white_space"


class WhiteSpaceTables(BaseTableStructureModel):
    """Finds the cells of table regions; a region that is no table gets none."""

    def __init__(
        self,
        enabled: bool,
        artifacts_path: Path | None,
        options: WhiteSpaceTableOptions,
        accelerator_options: AcceleratorOptions,
        enable_remote_services: bool = False,
    ) -> None:
        self.enabled = enabled

    @classmethod
    def get_options_type(cls) -> type[BaseTableStructureOptions]:
        """Return the options class of this plug-in."""
        return WhiteSpaceTableOptions

    def predict_tables(self, conv_res: ConversionResult, pages: Sequence[Page]) -> Sequence[TableStructurePrediction]:
        """Predict the cells of the tables on each page."""
        backend = conv_res.input._backend
        assert isinstance(backend, DoclingSourceBackend)
        return [_tables(page, backend) for page in pages]


def _tables(page: Page, backend: DoclingSourceBackend) -> TableStructurePrediction:
    found = TableStructurePrediction()
    pieces = backend.source.pieces.get(page.page_no, [])
    for cluster in page.predictions.layout.clusters if page.predictions.layout else []:
        if cluster.label is not DocItemLabel.TABLE:
            continue
        words = [word for cell in cluster.cells for word in pieces[cell.index]]
        grid = table_rows(words) if words else []
        cells = [
            TableCell(
                text=text,
                start_row_offset_idx=row,
                end_row_offset_idx=row + 1,
                start_col_offset_idx=column,
                end_col_offset_idx=column + 1,
                column_header=row == 0,
            )
            for row, texts in enumerate(grid)
            for column, text in enumerate(texts)
        ]
        found.table_map[cluster.id] = Table(
            label=cluster.label,
            id=cluster.id,
            page_no=page.page_no,
            cluster=cluster,
            otsl_seq=[],
            num_rows=len(grid),
            num_cols=len(grid[0]) if grid else 0,
            table_cells=cells,
        )
    return found
