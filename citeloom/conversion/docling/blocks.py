"""Converts docling documents (Office, HTML, EPUB) to blocks: sections, tables, notes after their reference."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from docling_core.types.doc import (
    DoclingDocument,
    GroupItem,
    InlineGroup,
    ListItem,
    NodeItem,
    PictureItem,
    RichTableCell,
    SectionHeaderItem,
    TableCell,
    TableData,
    TableItem,
    TextItem,
    TitleItem,
)
from docling_core.types.doc.document import ContentLayer
from docling_core.types.doc.labels import DocItemLabel, GroupLabel

from citeloom.conversion.docling import markers
from citeloom.conversion.text_tools import tidy, words_of
from citeloom.core.text.markdown_table import as_markdown
from citeloom.core.types import Block, BlockKind

SPEAKER_NOTES = "Speaker notes"

_KINDS = {
    DocItemLabel.CAPTION: BlockKind.CAPTION,
    DocItemLabel.FOOTNOTE: BlockKind.FOOTNOTE,
    DocItemLabel.CODE: BlockKind.CODE,
}
_MARKED_KINDS = {markers.CAPTION: BlockKind.CAPTION, markers.NOTE: BlockKind.FOOTNOTE, markers.FIGURE: BlockKind.FIGURE}
_NO_BLANK_BEFORE = re.compile(r"^[.,;:!?)\]}’”»%]")
_NO_BLANK_AFTER = re.compile(r"[(\[{‘“«]$")


@dataclass(frozen=True, slots=True)
class _Piece:
    """A block without its section path."""

    kind: BlockKind
    text: str
    page: int | None
    level: int = 0  # of a heading; 0 for the document's title
    notes: tuple[str, ...] = ()  # marks of its notes
    speaker_note: bool = False


@dataclass(slots=True)
class _Reader:
    doc: DoclingDocument
    file_type: str
    pieces: list[_Piece] = field(default_factory=list)
    notes: dict[str, str] = field(default_factory=dict)  # text by mark
    read_captions: set[str] = field(default_factory=set)  # those read with their table or picture

    def run(self) -> None:
        captioned = [*self.doc.tables, *self.doc.pictures]
        self.read_captions = {reference.cref for item in captioned for reference in item.captions}
        for node in self.children(self.doc.body):
            self.add_node(node)

    def children(self, node: NodeItem) -> list[NodeItem]:
        return [reference.resolve(self.doc) for reference in node.children]

    def add_node(self, node: NodeItem) -> None:
        """Add a node and its children."""
        if isinstance(node, InlineGroup):
            self.add(BlockKind.TEXT, self.inline(node), _page(self.children(node)))
            return
        if isinstance(node, GroupItem) and node.label == GroupLabel.COMMENT_SECTION:
            return  # comments are not the author's text
        if isinstance(node, TableItem):
            self.add_captions(node)
            self.add(BlockKind.TABLE, self.table(node.data), _page([node]))
            return
        if isinstance(node, PictureItem):
            self.add_captions(node)
            chart = node.meta.tabular_chart if node.meta else None
            if chart is not None:
                self.add(BlockKind.TABLE, self.table(chart.chart_data), _page([node]))
        below = self.children(node)
        if isinstance(node, TextItem) and node.self_ref not in self.read_captions:
            below = self.add_text(node, below)
        for child in below:
            self.add_node(child)

    def add_captions(self, item: TableItem | PictureItem) -> None:
        for reference in item.captions:
            caption = reference.resolve(self.doc)
            if isinstance(caption, TextItem):
                self.add(BlockKind.CAPTION, caption.text, _page([item]))

    def add_text(self, item: TextItem, below: list[NodeItem]) -> list[NodeItem]:
        """Add a text; return the remaining child nodes."""
        text = item.text
        if not text and below and isinstance(below[0], InlineGroup):  # split by a formula inside
            text, below = self.inline(below[0]), below[1:]
        page = _page([item])
        if item.content_layer in (ContentLayer.FURNITURE, ContentLayer.INVISIBLE):
            if item.label == DocItemLabel.FOOTNOTE:
                text, found = markers.split_marks(text)
                self.notes |= dict.fromkeys(found[:1], text)
        elif item.content_layer == ContentLayer.NOTES:
            self.add(BlockKind.TEXT, text, page, speaker_note=True)
        elif isinstance(item, TitleItem):
            self.add(BlockKind.HEADING, text, page, level=0 if self.file_type == "docx" else 1)
        elif isinstance(item, SectionHeaderItem):
            self.add(BlockKind.HEADING, text, page, level=item.level + (self.file_type != "docx"))
        elif isinstance(item, ListItem):
            self.add(BlockKind.TEXT, f"{item.marker or '-'} {text}" if text.strip() else "", page)
        else:
            self.add(_KINDS.get(item.label, BlockKind.TEXT), text, page)
        return below

    def add(self, kind: BlockKind, text: str, page: int | None, level: int = 0, speaker_note: bool = False) -> None:
        text, found = markers.split_marks(text)
        text = _tidied(text, kind)
        if not text:
            return
        if kind is not BlockKind.TABLE:  # a mark in a cell does not apply to the table
            if markers.TITLE in found:
                kind, level = BlockKind.HEADING, 0
            kind = next((_MARKED_KINDS[name] for name in found if name in _MARKED_KINDS), kind)
        self.pieces.append(_Piece(kind, text, page, level, tuple(found), speaker_note))

    def inline(self, group: InlineGroup) -> str:
        """Return a sentence with inline formulas or code as one text."""
        text = ""
        for node in self.children(group):
            part = node.text.strip() if isinstance(node, TextItem) else ""
            if not part:
                continue
            glued = not text or _NO_BLANK_BEFORE.match(part) or _NO_BLANK_AFTER.search(text)
            text += part if glued else f" {part}"
        return text

    def table(self, data: TableData) -> str:
        """Return a table as Markdown; a cell over several rows is repeated in each."""
        rows = [[""] * data.num_cols for _ in range(data.num_rows)]
        for cell in data.table_cells:
            text = " ".join(self.cell(cell).split())
            for row in rows[cell.start_row_offset_idx : cell.end_row_offset_idx]:
                if cell.start_col_offset_idx < len(row):
                    row[cell.start_col_offset_idx] = text
        filled = [row for row in rows if any(row)]
        return as_markdown(filled) if filled else ""

    def cell(self, cell: TableCell) -> str:
        if not isinstance(cell, RichTableCell):
            return cell.text
        return " ".join(self.texts_below(cell.ref.resolve(self.doc))) or cell.text

    def texts_below(self, node: NodeItem) -> Iterator[str]:
        if isinstance(node, InlineGroup):
            yield self.inline(node)
            return
        if isinstance(node, TableItem):
            yield from (self.cell(cell) for cell in node.data.table_cells)
            return
        if isinstance(node, TextItem):
            yield f"{node.marker} {node.text}" if isinstance(node, ListItem) and node.marker else node.text
        for child in self.children(node):
            yield from self.texts_below(child)


def read_blocks(doc: DoclingDocument, file_type: str, titles: Sequence[str] = ()) -> tuple[list[Block], str]:
    """Return the blocks in reading order and the printed title; `titles` are those of the metadata."""
    reader = _Reader(doc, file_type)
    reader.run()
    pieces = _slide_titles_first(reader.pieces) if file_type == "pptx" else reader.pieces
    headings = [piece for piece in pieces if piece.kind is BlockKind.HEADING]
    printed = next((piece for piece in headings if piece.level <= 1), None)
    if printed is not None and _is_document_title(headings, file_type, titles):
        pieces = [replace(piece, level=0) if piece is printed else piece for piece in pieces]
    return _sectioned(pieces, reader.notes), printed.text if printed else ""


def _is_document_title(headings: list[_Piece], file_type: str, titles: Sequence[str]) -> bool:
    """Return whether the first heading is the only one of its level: the title of the document."""
    if file_type == "pptx" or [heading for heading in headings if heading.level <= 1] != headings[:1]:
        return False
    if file_type == "epub":
        return words_of(headings[0].text) in [words_of(title) for title in titles]
    return file_type == "html" or len(headings) > 1


def unread_texts(doc: DoclingDocument) -> list[str]:
    """Return texts that are no content: footers, slide numbers, hidden shapes."""
    unread = (ContentLayer.FURNITURE, ContentLayer.INVISIBLE)
    return [item.text for item in doc.texts if item.content_layer in unread]


def _slide_titles_first(pieces: list[_Piece]) -> list[_Piece]:
    """Move the title of each slide, joined to one line, before its other content."""
    slides: dict[int | None, list[_Piece]] = {}
    for piece in pieces:
        slides.setdefault(piece.page, []).append(piece)
    ordered: list[_Piece] = []
    for on_slide in slides.values():
        titles = [piece for piece in on_slide if piece.kind is BlockKind.HEADING]
        if titles:
            ordered.append(replace(titles[0], text=" ".join(title.text for title in titles)))
        ordered += [piece for piece in on_slide if piece.kind is not BlockKind.HEADING]
    return ordered


def _sectioned(pieces: list[_Piece], notes: dict[str, str]) -> list[Block]:
    blocks: list[Block] = []
    path: list[tuple[int, str]] = []  # level and text of the headings above
    page: int | None = None
    for piece in pieces:
        if piece.page != page:
            page, path = piece.page, []  # sections do not span slides
        kind = piece.kind
        if kind is BlockKind.HEADING:
            if piece.level:
                path = [(level, text) for level, text in path if level < piece.level]
                path.append((piece.level, piece.text))
            else:
                kind = BlockKind.TEXT
        section = tuple(text for _, text in path) + ((SPEAKER_NOTES,) if piece.speaker_note else ())
        text = piece.text
        if kind is BlockKind.TABLE and blocks and blocks[-1].kind is BlockKind.CAPTION and blocks[-1].page == page:
            text = f"{blocks.pop().text}\n\n{text}"
        blocks.append(Block(kind, text, section, page))
        own_notes = [_tidied(notes.pop(name, ""), BlockKind.FOOTNOTE) for name in piece.notes]
        blocks.extend(Block(BlockKind.FOOTNOTE, text, section, page) for text in own_notes if text)
    # Notes without a reference in the text come last.
    unreferenced = [_tidied(text, BlockKind.FOOTNOTE) for text in notes.values()]
    blocks.extend(Block(BlockKind.FOOTNOTE, text) for text in unreferenced if text)
    return blocks


def _tidied(text: str, kind: BlockKind) -> str:
    text = tidy(text)
    if kind is BlockKind.TABLE:
        return text
    if kind is BlockKind.CODE:
        return text.strip("\n").rstrip()
    lines = [" ".join(line.split()) for line in text.split("\n")]
    return (" " if kind is BlockKind.HEADING else "\n").join(line for line in lines if line)


def _page(nodes: list[NodeItem]) -> int | None:
    for node in nodes:
        for place in getattr(node, "prov", []):
            return int(place.page_no)
    return None
