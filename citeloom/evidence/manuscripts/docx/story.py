"""Parser targets that collect prose, fields and notes from the XML parts of a Word document. Used by `reader`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from citeloom.evidence.manuscripts.docx.citations import Kind, citations_in, kind_of, other_program
from citeloom.evidence.manuscripts.docx.package import damaged, harmful, not_word
from citeloom.evidence.manuscripts.prose import Cited, Prose

_WORD = (
    "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}",
    "{http://purl.oclc.org/ooxml/wordprocessingml/main}",
)
_PART_TYPE = re.compile(r"wordprocessingml\.(document|footnotes|endnotes|styles)\b|ms-word\.(document)\.macroEnabled")
_BLOCK_QUOTE = re.compile(r"quot|zitat|block ?text|^cita", re.IGNORECASE)
_MAX_STYLES_ABOVE = 10
_LINE_ENDS = re.compile(r"[\r\n]+")
_SIGNS = {"tab": " ", "br": " ", "cr": " ", "ptab": " ", "noBreakHyphen": "-"}
# Deleted or moved text, former formatting, tab stops, phonetic guides.
_SKIPPED = frozenset({"del", "moveFrom", "pPrChange", "rPrChange", "sectPrChange", "tabs", "rt"})
_OTHER_CONTROLS = {"CitaviPlaceholder": "Citavi", "MENDELEY_CITATION": "Mendeley"}


class Target:
    """Base class of parser targets: the parser calls its methods for each element of a part."""

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""

    def end(self, tag: str) -> None:
        """An element ends."""

    def data(self, text: str) -> None:
        """Text of an element, possibly one of several pieces."""

    def doctype(self, name: str | None, public: str | None, system: str | None) -> None:
        """Reject a document type: only that can define entities, and no Word file has one."""
        raise harmful("it defines XML entities, which no Word document needs")

    def close(self) -> None:
        """The part ends."""


class Contents(Target):
    """Names of the parts by content type, since they may differ from the standard names."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Record a part."""
        kind = _PART_TYPE.search(attributes.get("ContentType", ""))
        if kind and "PartName" in attributes:
            self.names.setdefault(kind[1] or kind[2], attributes["PartName"].lstrip("/"))


class Styles(Target):
    """Paragraph styles, by the names that Word gives them in each language."""

    def __init__(self) -> None:
        self._style = ""
        self._names: dict[str, str] = {}
        self._based_on: dict[str, str] = {}

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """Record a style, its name and its base style."""
        name = _local(tag)
        if name == "style":
            self._style = _attribute(attributes, "styleId")
        elif name == "name":
            self._names[self._style] = _attribute(attributes, "val")
        elif name == "basedOn":
            self._based_on[self._style] = _attribute(attributes, "val")

    def is_block_quote(self, style: str) -> bool:
        """Whether paragraphs of this style are block quotations."""
        for _ in range(_MAX_STYLES_ABOVE):
            if _BLOCK_QUOTE.search(style) or _BLOCK_QUOTE.search(self._names.get(style, "")):
                return True
            style = self._based_on.get(style, "")
        return False


@dataclass(slots=True)
class FieldSummary:
    """Counts of the fields of all parts by kind."""

    groups: int = 0
    unreadable: int = 0
    bookmarks: bool = False
    other_fields: Counter[str] = field(default_factory=Counter)  # by program
    other_controls: Counter[str] = field(default_factory=Counter)

    @property
    def others(self) -> Counter[str]:
        """Count the citations of programs other than Zotero; Citavi puts a field into each of its controls."""
        return self.other_fields | self.other_controls

    @property
    def unread(self) -> list[str]:
        """Return warnings about citations that are not read."""
        found = [
            f"Citations made with {program} are not read, only Zotero's: {count:,} of them were left out."
            for program, count in sorted(self.others.items())
        ]
        if self.unreadable:
            found.append(f"{self.unreadable:,} of Zotero's citations are broken: choose Refresh in Word's Zotero tab.")
        return found

    def check(self) -> None:
        """Raise if the document has citations but none can be read."""
        if self.bookmarks:
            raise not_word(
                "Zotero keeps the citations of this document in bookmarks, which CiteLoom cannot read.",
                "In Word, choose Zotero, Document Preferences, Store citations as: Fields; then save and try again.",
            )
        if self.groups:
            return
        if self.unreadable:
            raise damaged(f"none of its {self.unreadable:,} Zotero citations can be read")
        if self.others:
            raise not_word(
                f"This document cites with {' and '.join(sorted(self.others))}, not with Zotero.",
                "CiteLoom reads the citations that Zotero's Word plugin makes: insert them with it.",
            )


@dataclass(slots=True)
class _Field:
    """A field: its code, then its visible text."""

    code: list[str] = field(default_factory=list)
    kind: Kind | None = None  # None while the code is read
    hides: bool = True  # a code is not shown, nor the text that a citation mark replaces


class Story(Target):
    """Collects the running text of a part, or its notes one by one."""

    def __init__(self, found: FieldSummary, styles: Styles, notes: dict[tuple[str, str], Prose]) -> None:
        self.prose = Prose()
        self._found = found
        self._styles = styles
        self._notes = notes
        self._note = ("", "")
        self._skipping = 0  # nesting depth within a skipped element
        self._fields: list[_Field] = []
        self._hidden = 0  # number of open fields that hide their text
        self._text: list[str] | None = None
        self._block_quotes: list[bool] = []  # of the open paragraphs: a text box is inside one
        self._chosen: list[bool] = []  # whether one of the alternatives for older versions was read

    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        """An element begins."""
        name = _local(tag)
        if self._skipping or name in _SKIPPED or (name in ("Choice", "Fallback") and self._is_chosen()):
            self._skipping += 1
        elif name in ("t", "instrText"):
            self._text = []
        elif name == "p" and tag.startswith(_WORD):
            self._block_quotes.append(False)
        elif name == "pStyle" and self._block_quotes:
            self._block_quotes[-1] = self._styles.is_block_quote(_attribute(attributes, "val"))
        elif name in _SIGNS:
            self._show(_SIGNS[name])
        elif name == "fldChar":
            self._field_character(_attribute(attributes, "fldCharType"))
        elif name == "fldSimple":
            self._open_field(_attribute(attributes, "instr"))
            self._show_field()
        elif name in ("footnoteReference", "endnoteReference"):
            self._read_note((name.removesuffix("Reference"), _attribute(attributes, "id")))
        elif name in ("footnote", "endnote"):
            self.prose, self._note = Prose(), (name, _attribute(attributes, "id"))
        elif name == "txbxContent":
            self.prose.open_note()
        elif name == "AlternateContent":
            self._chosen.append(False)
        elif name == "bookmarkStart":
            self._found.bookmarks |= _attribute(attributes, "name").startswith("ZOTERO_BREF")
        elif name == "tag":
            control = _attribute(attributes, "val")
            self._found.other_controls.update(
                program for sign, program in _OTHER_CONTROLS.items() if control.startswith(sign)
            )

    def end(self, tag: str) -> None:
        """An element ends."""
        name = _local(tag)
        if self._skipping:
            self._skipping -= 1
        elif name in ("t", "instrText"):
            text, self._text = "".join(self._text or []), None
            if name == "t":
                self._show(text)
            elif self._fields and self._fields[-1].kind is None:
                self._fields[-1].code.append(text)
        elif name == "p" and tag.startswith(_WORD):
            self._end_paragraph()
        elif name == "fldSimple":
            self._close_field()
        elif name in ("footnote", "endnote"):
            self._notes[self._note] = self.prose.finish()
        elif name == "txbxContent":
            self.prose.close_note(separate=True)
        elif name == "AlternateContent":
            self._chosen.pop()

    def data(self, text: str) -> None:
        """Text of an element, possibly one of several pieces."""
        if self._text is not None and not self._skipping:
            self._text.append(text)

    def _is_chosen(self) -> bool:
        chosen = bool(self._chosen) and self._chosen[-1]
        if self._chosen:
            self._chosen[-1] = True
        return chosen

    def _show(self, text: str) -> None:
        if not self._hidden:
            self.prose.add(_LINE_ENDS.sub(" ", text), 0)

    def _end_paragraph(self) -> None:
        # Only a bibliography spans several paragraphs; any other open field was never closed.
        while self._fields and self._fields[-1].kind in (None, Kind.CITATION):
            self._close_field()
        self.prose.add("\n", 0)
        self.prose.end_paragraph(block_quote=self._block_quotes.pop())

    # -- fields and notes -------------------------------------------------------------------------------------

    def _field_character(self, kind: str) -> None:
        if kind == "begin":
            self._open_field("")
        elif self._fields and kind == "separate":
            self._show_field()
        elif self._fields and kind == "end":
            if self._fields[-1].kind is None:
                self._show_field()
            self._close_field()

    def _open_field(self, code: str) -> None:
        self._fields.append(_Field([code]))
        self._hidden += 1

    def _show_field(self) -> None:
        """The code of the innermost field ends; its visible text follows."""
        current = self._fields[-1]
        code = "".join(current.code)
        current.kind = kind_of(code)
        self._hidden -= 1
        if program := other_program(code):
            self._found.other_fields[program] += 1
        citations = citations_in(code, self._found.groups) if current.kind is Kind.CITATION else ()
        if citations and not self._hidden:
            self._found.groups += 1
            self.prose.cite(citations, 0)
        self._found.unreadable += current.kind is Kind.CITATION and not citations
        current.hides = bool(citations) or current.kind is Kind.HIDDEN
        self._hidden += current.hides

    def _close_field(self) -> None:
        if self._fields:
            self._hidden -= self._fields.pop().hides

    def _read_note(self, name: tuple[str, str]) -> None:
        """Insert a note at its reference; each note is read once."""
        note = self._notes.pop(name, None)
        if note is None or self._hidden:
            return
        text, cited = note.text, iter([*note.cited, Cited(note.length, ())])
        following = next(cited)
        self.prose.open_note()
        for paragraph in note.paragraphs:
            at = paragraph.start
            while following.at < paragraph.end:
                self.prose.add(text[at : following.at], 0)
                self.prose.cite(following.citations, 0)
                at, following = following.at + 1, next(cited)
            self.prose.add(text[at : paragraph.end], 0)
            self.prose.end_paragraph(block_quote=paragraph.block_quote)
        self.prose.close_note()


def _local(tag: str) -> str:
    return tag.rpartition("}")[2]


def _attribute(attributes: Mapping[str, str], name: str) -> str:
    return next((value for key, value in attributes.items() if _local(key) == name), "")
