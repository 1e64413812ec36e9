"""Layout of PDF pages by docling's StandardPdfPipeline over CiteLoom's words. Called by the PDF reader."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from functools import cache
from io import BytesIO
from typing import Any

from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import BasePageElement, FigureElement, InputFormat, Table
from docling.datamodel.document import ConversionResult, InputDocument
from docling.datamodel.pipeline_options import HeadingHierarchyOptions, ThreadedPdfPipelineOptions
from docling.datamodel.settings import DocumentLimits
from docling.models.factories import get_layout_factory, get_table_structure_factory
from docling.models.plugins import defaults
from docling.pipeline.standard_pdf_pipeline import StandardPdfPipeline
from docling_core.types.doc import BoundingBox, ContentLayer, DocItem, DocItemLabel, FloatingItem

from citeloom.conversion.docling import quietly
from citeloom.conversion.docling.layout_plugin import BundledLayout, BundledLayoutOptions
from citeloom.conversion.docling.layout_regions import corrected_regions
from citeloom.conversion.docling.models import docling_models_folder
from citeloom.conversion.docling.pdf_backend import DoclingSource, DoclingSourceBackend, DoclingSourceOptions
from citeloom.conversion.docling.table_plugin import WhiteSpaceTableOptions, WhiteSpaceTables
from citeloom.conversion.image_files import PageImages
from citeloom.conversion.pdf.raw_page import OutlineEntry, RawPage, Word
from citeloom.conversion.pdf.reading_order import Region, RegionKind, region_of, rows

_SLICE = 24  # pages per batch, which limits memory
_FOOTNOTE_AREA = 0.7  # footnotes start below this share of the page's height
_KINDS = {
    DocItemLabel.SECTION_HEADER: RegionKind.HEADING,
    DocItemLabel.TITLE: RegionKind.HEADING,
    DocItemLabel.CAPTION: RegionKind.CAPTION,
    DocItemLabel.FOOTNOTE: RegionKind.FOOTNOTE,
}


def lay_out(
    pages: list[RawPage],
    geometry: list[list[Region]],
    numbers: Collection[int],
    outline: list[OutlineEntry],
    pictures: PageImages,
    on_progress: Callable[[int, int], None],
) -> list[list[Region]]:
    """Return the regions of every page in reading order: by docling for the pages with these numbers, else as they are.

    Words that docling leaves out come last on their page.
    """
    source = DoclingSource(pages, outline, pictures)
    result = list(geometry)
    done = 0
    for first, last in _slices(numbers):
        on_progress(done, len(numbers))
        done += last - first + 1
        with quietly():
            read = _pipeline().execute(_input(source, first, last), raises_on_error=True)
        ordered: dict[int, list[Region]] = {number: [] for number in range(first, last + 1)}
        assigned: dict[int, set[int]] = {number: set() for number in ordered}
        for region, cells in _regions(read, source):
            ordered[region.lines[0].page].append(region)
            assigned[region.lines[0].page] |= cells
        for number, found in ordered.items():
            pieces = source.pieces.pop(number, [])
            unassigned = [word for at, piece in enumerate(pieces) if at not in assigned[number] for word in piece]
            if unassigned:
                found.append(region_of(rows(unassigned), number))
            result[number - 1] = corrected_regions(found, geometry[number - 1])
    return result


def _slices(numbers: Collection[int]) -> list[tuple[int, int]]:
    """Return the first and last page of each batch: consecutive pages, not too many."""
    slices: list[tuple[int, int]] = []
    for number in sorted(numbers):
        first, last = slices[-1] if slices else (0, -1)
        if number == last + 1 and number - first < _SLICE:
            slices[-1] = (first, number)
        else:
            slices.append((number, number))
    return slices


def _input(source: DoclingSource, first: int, last: int) -> InputDocument:
    return InputDocument(
        path_or_stream=BytesIO(b"%PDF"),  # not read: the backend has the content
        filename="paper.pdf",
        format=InputFormat.PDF,
        backend=DoclingSourceBackend,
        backend_options=DoclingSourceOptions(source=source),
        limits=DocumentLimits(page_range=(first, last)),
    )


@cache
def _pipeline() -> StandardPdfPipeline:
    """Return the pipeline with its models, created once per process."""
    own_models = docling_models_folder()
    if not own_models:
        # Docling's own table engines cannot be imported without torch.
        defaults.table_structure_engines = lambda: {"table_structure_engines": []}
    options = ThreadedPdfPipelineOptions(
        do_ocr=False,  # OCR was done before, so that the layout model sees its words
        do_table_structure=True,
        accelerator_options=AcceleratorOptions(num_threads=1, device="cpu"),
        heading_hierarchy_options=HeadingHierarchyOptions(enabled=True),
        artifacts_path=own_models,
        generate_parsed_pages=False,
        queue_max_size=4,
        layout_batch_size=1,
        table_batch_size=1,
        batch_polling_interval_seconds=0.02,
    )
    if not own_models:
        get_layout_factory(allow_external_plugins=False).register(BundledLayout, "citeloom", __name__)
        get_table_structure_factory(allow_external_plugins=False).register(WhiteSpaceTables, "citeloom", __name__)
        options.layout_options = BundledLayoutOptions()
        options.table_structure_options = WhiteSpaceTableOptions()
    return StandardPdfPipeline(options)


# --- from docling's items to regions ----------------------------------------------------


def _regions(read: ConversionResult, source: DoclingSource) -> Iterator[tuple[Region, set[int]]]:
    """Yield the regions in docling's reading order, with the indexes of their cells."""
    elements = {_key(e.page_no, e.cluster.bbox, source): e for e in read.assembled.elements}
    done: set[int] = set()
    every_layer = set(ContentLayer)
    for item, _ in read.document.iterate_items(traverse_pictures=True, included_content_layers=every_layer):
        if not isinstance(item, DocItem):
            continue
        captions = _captions(item, read, elements, source)
        for prov in item.prov:
            element = elements.get(_key(prov.page_no, prov.bbox, source))
            if element is None or id(element) in done:
                continue
            done.add(id(element))
            if isinstance(element, Table):
                own = [c for c in captions if c.page_no == element.page_no and id(c) not in done]
                done.update(id(c) for c in own)
                yield from _table(element, own, source)
            else:
                yield from _text(element, source)
    for element in read.assembled.elements:
        if id(element) not in done:
            yield from _text(element, source)


def _key(page: int, box: BoundingBox, source: DoclingSource) -> tuple[int, ...]:
    top_left = box.to_top_left_origin(source.pages[page - 1].height)
    return (page, *(round(10 * side) for side in (top_left.l, top_left.t, top_left.r, top_left.b)))


def _captions(
    item: DocItem, read: ConversionResult, elements: dict[tuple[int, ...], Any], source: DoclingSource
) -> list[BasePageElement]:
    if not isinstance(item, FloatingItem):
        return []
    named = [reference.resolve(read.document) for reference in item.captions]
    places = [_key(prov.page_no, prov.bbox, source) for caption in named for prov in caption.prov]
    return [elements[place] for place in places if place in elements]


def _content(element: BasePageElement, source: DoclingSource) -> tuple[set[int], list[Word]]:
    """Return the indexes of an element's cells, and their words."""
    clusters = (element.cluster, *element.cluster.children)
    cells = {cell.index for cluster in clusters for cell in cluster.cells}
    return cells, [word for at in sorted(cells) for word in source.pieces[element.page_no][at]]


def _text(element: BasePageElement, source: DoclingSource) -> Iterator[tuple[Region, set[int]]]:
    cells, words = _content(element, source)
    if words:
        kind = RegionKind.FIGURE if isinstance(element, FigureElement) else _kind(element, source)
        yield region_of(rows(words), element.page_no, kind), cells


def _kind(element: BasePageElement, source: DoclingSource) -> RegionKind:
    # Running headers were removed before: a header of the model is the first lines of the page, a footer a footnote.
    if (
        element.label is DocItemLabel.PAGE_FOOTER
        and element.cluster.bbox.t > _FOOTNOTE_AREA * source.pages[element.page_no - 1].height
    ):
        return RegionKind.FOOTNOTE
    return _KINDS.get(element.label, RegionKind.TEXT)


def _table(element: Table, captions: list[BasePageElement], source: DoclingSource) -> Iterator[tuple[Region, set[int]]]:
    for caption in captions:
        yield from _text(caption, source)
    cells, words = _content(element, source)
    if not words:
        return
    region = region_of(rows(words), element.page_no, RegionKind.TABLE if element.num_rows else RegionKind.TEXT)
    region.rows = [[""] * element.num_cols for _ in range(element.num_rows)]
    for cell in element.table_cells:
        region.rows[cell.start_row_offset_idx][cell.start_col_offset_idx] = cell.text
    yield region, cells
