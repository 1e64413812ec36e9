"""Writes CSL-JSON items as BibTeX or biblatex, as one entry or as a whole .bib file. Used by citing and by exports."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from citeloom.bibliography.bibtex.dates import iso_date
from citeloom.bibliography.bibtex.fields import BIBTEX, Dialect, entry_type_of
from citeloom.bibliography.bibtex.languages import name_of
from citeloom.bibliography.bibtex.names import format_names, has_particles
from citeloom.bibliography.bibtex.parser import MONTHS
from citeloom.bibliography.bibtex.unicode_to_latex import LatexEncoder, encode_url
from citeloom.bibliography.csl_json import record_from_csl, tags_of, text_of
from citeloom.core.errors import CiteLoomError, Code

Csl = Mapping[str, Any]

_IN_JOURNALS = ("article", "periodical", "review")
_CONTAINERS = {"online": "organization", "misc": "howpublished"}
_ROLES = {"editor": "editor", "translator": "translator", "container-author": "bookauthor"}
_DATE_FIELDS = {"event-date": "eventdate", "original-date": "origdate", "accessed": "urldate"}
# Roles that replace the author of a work that has none.
_AUTHOR_ROLES = ("author", "director", "composer", "host")
_MONTH_NAMES = frozenset(name[:3].lower() for name in MONTHS)

_KEY = re.compile(r"[^\s,{}()=\"#%\\~']+")
_CITEKEY_ADVICE = "In your reference manager, use citekeys without spaces, commas, braces and quotation marks."
_KEY_LINES = re.compile(r"^(?:citation key|doi)\s*:.*$", re.IGNORECASE | re.MULTILINE)
_MAX_LISTED = 10  # works spelled out in one warning


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """The text of an exported file, the number of works in it, and warnings for the user."""

    text: str
    count: int
    warnings: tuple[str, ...] = ()


def to_bibtex(csl: Csl, citekey: str) -> str:
    """Convert a CSL-JSON item to one BibTeX entry with this citekey."""
    if not _KEY.fullmatch(citekey):
        raise CiteLoomError(
            Code.INVALID_INPUT, f"The citekey '{citekey[:80]}' cannot be written to a BibTeX file.", _CITEKEY_ADVICE
        )
    return _as_file([_entry(csl, citekey, BIBTEX, LatexEncoder())])


def write_bib(works: Iterable[tuple[str, Csl]], dialect: Dialect, *, escaped: bool = False) -> ExportedFile:
    """Write works as a .bib file, in UTF-8 or escaped; works with an invalid citekey are omitted, with a warning."""
    latex = LatexEncoder(escaped=escaped)
    entries, invalid = [], []
    for citekey, csl in works:
        if _KEY.fullmatch(citekey):
            entries.append(_entry(csl, citekey, dialect, latex))
        else:
            invalid.append(f"'{citekey[:80]}'")
    warnings = []
    if invalid:
        omitted = "1 work is" if len(invalid) == 1 else f"{len(invalid)} works are"
        warnings.append(
            f"{omitted} left out, because a .bib file cannot contain the citekey: {_listed(invalid)}. {_CITEKEY_ADVICE}"
        )
    if dialect.classic:
        warnings += _keys_equal_in_lower_case([entry["ID"] for entry in entries])
    if escaped:
        warnings += _unescaped(entries)
    return ExportedFile(_as_file(entries), len(entries), tuple(warnings))


def _entry(csl: Csl, citekey: str, dialect: Dialect, latex: LatexEncoder) -> dict[str, str]:
    """Convert an item to an entry of bibtexparser's form."""
    kind, subtype = _kind(csl, dialect)
    fields = _fields(csl, kind, subtype, dialect, latex)
    return {"ENTRYTYPE": kind, "ID": citekey, **{name: value for name, value in fields if value}}


def _as_file(entries: Sequence[Mapping[str, str]]) -> str:
    # Imported here: bibtexparser's parser is slow to load, and most engines export nothing.
    from bibtexparser.bibdatabase import BibDatabase, BibDataString, BibDataStringExpression
    from bibtexparser.bwriter import BibTexWriter, SortingStrategy

    library = BibDatabase()  # type: ignore[no-untyped-call]
    for entry in entries:
        values: dict[str, object] = {**entry}
        if entry.get("month") in _MONTH_NAMES:  # written as @string names, which styles translate
            name = BibDataString(library, entry["month"])  # type: ignore[no-untyped-call]
            values["month"] = BibDataStringExpression([name])  # type: ignore[no-untyped-call]
        library.entries.append(values)
    writer = BibTexWriter()  # type: ignore[no-untyped-call]
    writer.contents = ["entries"]
    writer.order_entries_by = None  # type: ignore[assignment]  # keep the order
    writer.display_order_sorting = SortingStrategy.PRESERVE
    writer.indent = "  "
    writer.add_trailing_comma = True
    return str(writer.write(library))  # type: ignore[no-untyped-call]


def _kind(csl: Csl, dialect: Dialect) -> tuple[str, str]:
    kind, subtype = entry_type_of(text_of(csl.get("type")))
    genre = text_of(csl.get("genre")).lower()
    if not dialect.classic:
        # In biblatex an @incollection has an editor, an @inbook an author of the whole book.
        return ("inbook" if kind == "incollection" and csl.get("container-author") else kind), subtype
    if kind == "thesis" and genre:
        # Both print the `type` field instead of their own name, so a bachelor's thesis is not called a doctoral one.
        kind = "mastersthesis" if "master" in genre else "phdthesis"
    return ("techreport" if kind == "report" else kind), subtype


def _fields(csl: Csl, kind: str, subtype: str, dialect: Dialect, latex: LatexEncoder) -> Iterator[tuple[str, str]]:
    def text(variable: str) -> str:
        return latex.rich_text(text_of(csl.get(variable)))

    record = record_from_csl(csl, files=())
    yield "title", latex.title(text_of(csl.get("title")), text_of(csl.get("language")))
    yield "entrysubtype", latex.text(subtype)
    authors = next((csl[role] for role in _AUTHOR_ROLES if csl.get(role)), None)
    yield "author", format_names(authors, latex)
    for role, field in _ROLES.items():
        yield field, format_names(csl.get(role), latex)
    if not dialect.classic and any(map(has_particles, (authors, *map(csl.get, _ROLES)))):
        yield "options", "useprefix=true"
    yield from dialect.date(csl.get("issued"), latex)
    yield dialect.journal if kind in _IN_JOURNALS else _CONTAINERS.get(kind, "booktitle"), text("container-title")
    yield dialect.publishers.get(kind, "publisher"), text("publisher")
    numbers = ("issue", "number") if kind in _IN_JOURNALS else ("number", "collection-number", "issue")
    yield "number", next((found for name in numbers if (found := text(name))), "")
    yield "pages", latex.pages(text_of(csl.get("page")))
    for variable, field in dialect.fields.items():
        yield field, text(variable)
    yield "langid", latex.text(name_of(text_of(csl.get("language"))))
    yield "keywords", ", ".join(map(latex.text, tags_of(csl.get("keyword"))))
    note = csl.get("note")
    yield "note", latex.rich_text(text_of(_KEY_LINES.sub("", note) if isinstance(note, str) else note))
    yield "doi", encode_url((record.doi or text_of(csl.get("DOI"))).replace("%", "%25"))
    yield "url", encode_url(text_of(csl.get("URL")))
    for variable in ("ISBN", "ISSN"):
        yield variable.lower(), latex.text(text_of(csl.get(variable)))
    for variable, field in _DATE_FIELDS.items():
        yield field, iso_date(csl.get(variable))


# -- warnings -----------------------------------------------------------------------------------------------


def _keys_equal_in_lower_case(keys: Iterable[str]) -> list[str]:
    same_keys = defaultdict(list)
    for key in keys:
        same_keys[key.lower()].append(key)
    pairs = [" and ".join(same) for same in same_keys.values() if len(same) > 1]
    if not pairs:
        return []
    how = "Give the works citekeys that differ in more than capitals, or use biblatex."
    return [f"BibTeX treats these citekeys as the same: {_listed(pairs)}. {how}"]


def _unescaped(entries: Iterable[Mapping[str, str]]) -> list[str]:
    remaining = []
    for entry in entries:
        letters = dict.fromkeys(c for value in entry.values() for c in value if not c.isascii())
        if letters:
            remaining.append(f"{entry['ID']} ({''.join(letters)[:20]})")
    if not remaining:
        return []
    works = "1 work keeps" if len(remaining) == 1 else f"{len(remaining)} works keep"
    return [f"{works} characters that LaTeX has no command for: {_listed(remaining)}. The file is UTF-8 there."]


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MAX_LISTED} more" if len(names) > _MAX_LISTED else ""
    return ", ".join(names[:_MAX_LISTED]) + more
