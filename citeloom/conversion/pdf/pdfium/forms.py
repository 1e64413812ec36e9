"""Text of a PDF page outside its content stream: form field values and text boxes (FreeText annotations)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from typing import Any

from citeloom.conversion.pdf.pdfium.api import c_api, pdfium

_MAX_ANNOTATIONS = 20_000  # per page, since a forged list can be endless
_MAX_OPTIONS = 2000
_MAX_DEPTH = 5  # of nested forms
_NOT_SHOWN = c_api.FPDF_ANNOT_FLAG_HIDDEN | c_api.FPDF_ANNOT_FLAG_NOVIEW
_MIN_SIDE = 2.0  # points; a smaller field is not readable
_CHECKED = "☒"
# Their appearance is their value. A list box paints all options, a button its check mark or caption.
_PAINTED_FIELDS = (c_api.FPDF_FORMFIELD_TEXTFIELD, c_api.FPDF_FORMFIELD_COMBOBOX, c_api.FPDF_FORMFIELD_SIGNATURE)
_COMB = 1 << 24  # flag of a text field: each letter in a separate box
_PASSWORD = c_api.FPDF_FORMFLAG_TEXT_PASSWORD


@dataclass(frozen=True, slots=True)
class FieldText:
    """Value of a field or text box without an appearance stream."""

    text: str
    box: tuple[float, float, float, float]  # left, bottom, right, top


@dataclass(frozen=True, slots=True)
class Fields:
    """Visible fields and text boxes of a page."""

    page: Any = None  # a copy of the page on which their appearances are content, if any has one
    objects: frozenset[int] = frozenset()  # addresses of the text objects on it that belong to them
    written: tuple[FieldText, ...] = ()  # values of those without an appearance


@contextmanager
def visible_fields(document: Any, index: int, page: Any) -> Iterator[Fields]:
    """Yield the fields and text boxes of an open page.

    Other annotations (comments, highlights, stamps) and hidden ones are not text of the page. Appearances are flattened
    in a new document with a copy of the page: in the original, pdfium sometimes overwrites the objects of fonts.
    """
    painted, written = _classify_annotations(document.formenv, page)
    with ExitStack() as stack:
        flat, before = None, 0
        if painted:
            copy = stack.enter_context(closing(pdfium.PdfDocument.new()))
            with suppress(pdfium.PdfiumError):  # the page's own text can still be read
                flat, before = _flattened(copy, document, index, painted)
        if flat is None:
            yield Fields(written=written)
            return
        stack.callback(flat.close)
        added = range(before, c_api.FPDFPage_CountObjects(flat.raw))
        own = (c_api.FPDFPage_GetObject(flat.raw, at) for at in added)
        yield Fields(flat, frozenset(text for form in own for text in _text_objects(form, depth=0)), written)


def _flattened(copy: Any, document: Any, index: int, shown: frozenset[int]) -> tuple[Any, int]:
    """Return the copy of a page with these annotations as content, and its number of objects before."""
    copy.import_pages(document, [index])
    with closing(copy[0]) as page:
        _hide_all_but(page, shown)
        before = c_api.FPDFPage_CountObjects(page.raw)
        if c_api.FPDFPage_Flatten(page.raw, c_api.FLAT_NORMALDISPLAY) != c_api.FLATTEN_SUCCESS:
            return None, 0
    return copy[0], before


def address(handle: Any) -> int:
    """Return the address of a pdfium object, which identifies it."""
    return ctypes.addressof(handle.contents)


def _classify_annotations(form: Any, page: Any) -> tuple[frozenset[int], tuple[FieldText, ...]]:
    """Return the indexes of fields and text boxes with an appearance, and the values of those without."""
    painted: list[int] = []
    written: list[FieldText] = []
    for at in range(min(_MAX_ANNOTATIONS, c_api.FPDFPage_GetAnnotCount(page.raw))):
        annotation = c_api.FPDFPage_GetAnnot(page.raw, at)
        if not annotation:
            continue
        try:
            text = _text(form, annotation) if _is_visible_field(annotation) else ""
            box = _box(annotation) if text else None
        finally:
            c_api.FPDFPage_CloseAnnot(annotation)
        if text is None:
            painted.append(at)
        elif text and box:
            written.append(FieldText(text, box))
    return frozenset(painted), tuple(written)


def _hide_all_but(page: Any, shown: frozenset[int]) -> None:
    for at in range(c_api.FPDFPage_GetAnnotCount(page.raw)):
        annotation = c_api.FPDFPage_GetAnnot(page.raw, at) if at not in shown else None
        if annotation:
            flags = c_api.FPDFAnnot_GetFlags(annotation)
            c_api.FPDFAnnot_SetFlags(annotation, flags | c_api.FPDF_ANNOT_FLAG_HIDDEN)
            c_api.FPDFPage_CloseAnnot(annotation)


def _text_objects(handle: Any, depth: int) -> Iterator[int]:
    kind = c_api.FPDFPageObj_GetType(handle)
    if kind == c_api.FPDF_PAGEOBJ_TEXT:
        yield address(handle)
    elif kind == c_api.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
        for at in range(c_api.FPDFFormObj_CountObjects(handle)):
            yield from _text_objects(c_api.FPDFFormObj_GetObject(handle, at), depth + 1)


def _is_visible_field(annotation: Any) -> bool:
    subtype = c_api.FPDFAnnot_GetSubtype(annotation)
    return (
        subtype in (c_api.FPDF_ANNOT_WIDGET, c_api.FPDF_ANNOT_FREETEXT)
        and not c_api.FPDFAnnot_GetFlags(annotation) & _NOT_SHOWN
    )


def _text(form: Any, annotation: Any) -> str | None:
    """Return the value of a field or text box, or None if its appearance contains it."""
    has_appearance = bool(c_api.FPDFAnnot_HasKey(annotation, b"AP"))
    if c_api.FPDFAnnot_GetSubtype(annotation) == c_api.FPDF_ANNOT_FREETEXT:
        return None if has_appearance else _string(c_api.FPDFAnnot_GetStringValue, annotation, b"Contents")
    kind = c_api.FPDFAnnot_GetFormFieldType(form, annotation) if form else c_api.FPDF_FORMFIELD_TEXTFIELD
    flags = c_api.FPDFAnnot_GetFormFieldFlags(form, annotation) if form else 0
    if kind in (c_api.FPDF_FORMFIELD_CHECKBOX, c_api.FPDF_FORMFIELD_RADIOBUTTON):
        return _CHECKED if c_api.FPDFAnnot_IsChecked(form, annotation) else ""
    if kind == c_api.FPDF_FORMFIELD_LISTBOX:
        return "\n".join(_selected_options(form, annotation))
    if kind not in _PAINTED_FIELDS:
        return ""
    if kind == c_api.FPDF_FORMFIELD_TEXTFIELD and flags & _PASSWORD:
        return ""
    comb = kind == c_api.FPDF_FORMFIELD_TEXTFIELD and flags & _COMB
    if has_appearance and not comb:
        return None
    return _string(c_api.FPDFAnnot_GetFormFieldValue, form, annotation) if form else ""


def _selected_options(form: Any, annotation: Any) -> Iterator[str]:
    for at in range(min(_MAX_OPTIONS, c_api.FPDFAnnot_GetOptionCount(form, annotation))):
        if c_api.FPDFAnnot_IsOptionSelected(form, annotation, at):
            yield _string(c_api.FPDFAnnot_GetOptionLabel, form, annotation, at)


def _string(getter: Any, *arguments: Any) -> str:
    """Return a string from a pdfium function that fills a buffer and returns the required size."""
    size = getter(*arguments, None, 0)
    if size <= 2:
        return ""
    buffer = (c_api.FPDF_WCHAR * (size // 2 + 1))()
    getter(*arguments, buffer, size)
    return ctypes.string_at(buffer, size - 2).decode("utf-16-le", "ignore").strip()


def _box(annotation: Any) -> tuple[float, float, float, float] | None:
    box = c_api.FS_RECTF()
    if not c_api.FPDFAnnot_GetRect(annotation, box):
        return None
    left, right = sorted((box.left, box.right))
    bottom, top = sorted((box.bottom, box.top))
    large_enough = right - left >= _MIN_SIDE and top - bottom >= _MIN_SIDE
    return (left, bottom, right, top) if large_enough else None
