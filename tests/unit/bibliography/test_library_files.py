"""A library that is exported and read again holds the same works, in every format."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import bibtexparser
import pytest
from bibtexparser.bparser import BibTexParser
from hypothesis import example, given
from hypothesis import strategies as st

from citeloom.bibliography.bibtex.latex_to_unicode import to_unicode
from citeloom.bibliography.bibtex.unicode_to_latex import LatexEncoder
from citeloom.bibliography.csl_json import record_from_csl
from citeloom.bibliography.export import FORMS, write_library
from citeloom.bibliography.references import load_references
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.text.latex_symbols import ACCENTS, MATH, TEXT
from citeloom.core.types import Record
from tests.support import SAMPLE

Csl = dict[str, Any]
SAME = ("citekey", "title", "authors", "year", "doi", "url", "item_type", "tags", "page_range", "language")
WAYS = [(form, escaped) for form in FORMS for escaped in (False, True)]
SAMPLE_WORKS = {csl["id"]: csl for csl in json.loads((SAMPLE / "library.json").read_text(encoding="utf-8"))}

# Everything that means something to LaTeX, BibTeX, JSON or a name.
LETTERS = st.characters(exclude_categories=("C", "Z"))
TEXT_PIECES = [
    *" {}`\\$%&#_~^\"',-@()=|:.aAbB", *"éßŁıíǖệŜαΩόµ–“…≤≠½王学", "x\u0302", "الف", "<i>", "</i>", "<sub>2</sub>",
    '<span class="nocase">', "</span>", "a < b", "--", "''", "AND",
]  # fmt: skip
TEXTS = st.lists(st.one_of(st.sampled_from(TEXT_PIECES), LETTERS), max_size=20).map("".join)
NAME_PARTS = st.one_of(
    st.sampled_from(["de", "van der", "and", "Others", "others", "Li", "O'Neil", "family=x", "王", "Żółć", "Éva"]),
    TEXTS,
)
NAMES = st.one_of(
    st.builds(lambda text: {"literal": text}, NAME_PARTS),
    st.fixed_dictionaries(
        {},
        optional={
            "family": NAME_PARTS,
            "given": NAME_PARTS,
            "suffix": st.sampled_from(["Jr.", "III", "a, b"]),
            "non-dropping-particle": st.sampled_from(["van der", "de", "De", "Ortega y", "d'", "él"]),
            "dropping-particle": st.sampled_from(["von", "de la"]),
        },
    ),
)
# There is no year 0.
DATE_PARTS = st.one_of(
    st.integers(-9999, -1), st.integers(1, 9999), st.sampled_from(["2019", "13", "05", "", "spring"])
)
DATES = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "date-parts": st.lists(st.lists(DATE_PARTS, max_size=3), max_size=2),
            "circa": st.booleans(),
            "season": st.sampled_from([1, "4", "Spring", "fall", "Michaelmas"]),
        },
    ),
    st.builds(lambda text: {"literal": text}, st.one_of(TEXTS, st.sampled_from(["c. 1850, reprint", "forthcoming"]))),
    st.sampled_from(["2011-05", "March 2004", {"raw": "2011-05-31"}, {"date-parts": [["c. 1850"]]}, None]),
)
TYPES = [
    "article", "article-journal", "article-magazine", "article-newspaper", "bill", "book", "broadcast", "chapter",
    "classic", "collection", "dataset", "document", "entry", "entry-dictionary", "entry-encyclopedia", "event",
    "figure", "graphic", "hearing", "interview", "legal_case", "legislation", "manuscript", "map", "motion_picture",
    "musical_score", "pamphlet", "paper-conference", "patent", "performance", "periodical",
    "personal_communication", "post", "post-weblog", "regulation", "report", "review", "review-book", "software",
    "song", "speech", "standard", "thesis", "treaty", "webpage",
]  # fmt: skip
WORKS = st.fixed_dictionaries(
    {"type": st.sampled_from(TYPES)},
    optional={
        "title": TEXTS,
        "author": st.lists(NAMES, max_size=4),
        "editor": st.lists(NAMES, max_size=2),
        "container-author": st.lists(NAMES, max_size=1),
        "container-title": TEXTS,
        "publisher": TEXTS,
        "issued": DATES,
        "page": st.one_of(st.sampled_from(["253–265", "e1 - e9", "A-1–A-9", "12, 14-15", "xii–xv"]), TEXTS),
        "DOI": st.one_of(TEXTS, st.sampled_from(["https://doi.org/10.5555/A_b%2541", "10.1/a<b>(c);2-O", "10.1/ü{x}"])),
        "URL": st.text("abc/:%#?&=_~.,-'\"ü", max_size=20).map("https://e.org/{}".format),
        "genre": st.sampled_from(["", "Master's thesis", "PhD", "Bachelorarbeit"]),
        "language": st.sampled_from(["en", "en-GB", "de", "de-DE", "fr-CA", "nb", "zh-Hant", ""]),
        "keyword": st.lists(TEXTS, max_size=3).map(", ".join),
        "note": st.one_of(TEXTS, st.just("DOI: 10.5555/Rosa")),
    },
)
KEYS = st.sampled_from(["müller2019", "a:b-c_d.e/f+g", "DBLP:conf/x", "王2020", "Doe*2001", "K"])

ReadBack = Callable[[str, str], Sequence[Record]]


@pytest.fixture(scope="module")
def read_back(tmp_path_factory: pytest.TempPathFactory) -> ReadBack:
    folder = tmp_path_factory.mktemp("exported")

    def read(text: str, form: str) -> Sequence[Record]:
        path = folder / ("library.json" if form == "csl-json" else "library.bib")
        path.write_text(text, encoding="utf-8")
        return load_references(path).records

    return read


def essence(record: Record) -> Csl:
    """What must be the same; a letter and its accent may have become one character."""
    values = {name: getattr(record, name) for name in SAME}
    return dict(json.loads(unicodedata.normalize("NFC", json.dumps(values, ensure_ascii=False))))


@given(way=st.sampled_from(WAYS), works=st.dictionaries(KEYS, WORKS, min_size=1, max_size=2))
@example(way=("bibtex", False), works={"k": {"type": "book", "title": "@book(x,"}})
@example(way=("bibtex", False), works={"k": {"type": "book", "author": [{"family": "others", "given": "and"}]}})
@example(way=("bibtex", False), works={"k": {"type": "book", "title": "a <i> b"}})
@example(way=("biblatex", True), works={"k": {"type": "book", "author": [{"family": "Éva", "given": "Ł--B"}]}})
def test_a_work_that_is_exported_and_read_again_is_the_same_work(
    read_back: ReadBack, way: tuple[str, bool], works: dict[str, Csl]
) -> None:
    form, escaped = way
    works = {key: {**csl, "id": key} for key, csl in works.items()}
    text = write_library(works.items(), form, escaped=escaped).text
    expected = [essence(record_from_csl(csl, files=())) for csl in works.values()]
    assert [essence(record) for record in read_back(text, form)] == expected


@pytest.mark.parametrize(("form", "escaped"), WAYS)
def test_the_sample_library_is_exported_as_it_was_read(read_back: ReadBack, form: str, escaped: bool) -> None:
    written = write_library(SAMPLE_WORKS.items(), form, escaped=escaped)
    again = read_back(written.text, form)
    assert (written.count, written.warnings) == (len(SAMPLE_WORKS), ())
    assert written.text.isascii() or not escaped
    for record, csl in zip(again, SAMPLE_WORKS.values(), strict=True):
        assert essence(record) == essence(record_from_csl(csl, files=()))
        for variable in ("container-title", "volume", "issue", "issued", "abstract", "keyword", "title-short"):
            expected = csl.get(variable)
            value = record.csl.get(variable)
            assert value == (
                " ".join(expected.split()) if isinstance(expected, str) and form != "csl-json" else expected
            )


@pytest.mark.parametrize("form", ["bibtex", "biblatex"])
def test_another_reader_of_bibtex_finds_the_same_entries(form: str) -> None:
    text = write_library(SAMPLE_WORKS.items(), form, escaped=True).text
    parser = BibTexParser(ignore_nonstandard_types=False)  # type: ignore[no-untyped-call]
    entries = bibtexparser.loads(text, parser).entries  # type: ignore[no-untyped-call]
    assert [entry["ID"] for entry in entries] == list(SAMPLE_WORKS)
    assert all(entry["title"] and entry["author"] for entry in entries)


def test_biblatex_gets_its_own_words() -> None:
    thesis = {
        "type": "thesis",
        "genre": "PhD thesis",
        "title": "On salt",
        "author": [{"family": "Berg", "given": "Anna", "non-dropping-particle": "van der"}],
        "issued": {"date-parts": [[2019, 3, 1]]},
        "publisher": "Leiden University",
        "publisher-place": "Leiden",
        "accessed": {"date-parts": [[2024, 5, 6]]},
        "language": "en-GB",
    }
    article = {"type": "article-newspaper", "container-title": "Die Zeit", "event-date": {"date-parts": [[2001]]}}
    chapter = {"type": "chapter", "container-author": [{"literal": "Plato"}], "container-title": "Works"}
    works: dict[str, Csl] = {"berg": thesis, "zeit": article, "plato": chapter}
    assert write_library(works.items(), "biblatex").text == (
        "@thesis{berg,\n  title = {On salt},\n  author = {van der Berg, Anna},\n  options = {useprefix=true},\n"
        "  date = {2019-03-01},\n  institution = {Leiden University},\n  location = {Leiden},\n"
        "  type = {PhD thesis},\n  langid = {british},\n  urldate = {2024-05-06},\n}\n\n"
        "@article{zeit,\n  entrysubtype = {newspaper},\n  journaltitle = {Die Zeit},\n  eventdate = {2001},\n}\n\n"
        "@inbook{plato,\n  bookauthor = {{Plato}},\n  booktitle = {Works},\n}\n"
    )


@pytest.mark.parametrize(
    ("issued", "field"),
    [
        ({"date-parts": [[2019]]}, "date = {2019}"),
        ({"date-parts": [[2019], [2021, 2]]}, "date = {2019/2021-02}"),
        ({"date-parts": [[-44]]}, "date = {-0043}"),
        ({"date-parts": [[-1]]}, "date = {0000}"),
        ({"date-parts": [[1850]], "circa": True}, "date = {1850~}"),
        ({"date-parts": [[2020]], "season": 3}, "date = {2020-23}"),
        ({"date-parts": [[2020]], "season": "Lent"}, "issue = {Lent}"),
        ({"literal": "in press"}, "year = {in press}"),
    ],
)
def test_biblatex_gets_a_date_in_one_field_and_gives_it_back(read_back: ReadBack, issued: Csl, field: str) -> None:
    text = write_library([("k", {"type": "book", "issued": issued})], "biblatex").text
    assert f"  {field},\n" in text
    (again,) = read_back(text, "biblatex")
    assert "Lent" in field or again.csl["issued"] == issued


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("Müller, Łódź, ça", r"M{\"u}ller, {\L}{\'o}d{\'z}, {\c{c}}a"),
        ("naïve façade — “ß”", r"na{\"{\i}}ve fa{\c{c}}ade {\textemdash} {\textquotedblleft}{\ss}{\textquotedblright}"),
        ("TGF-β ≤ 5 µm & 3 €", r"TGF-{$\beta$} {$\leq$} 5 {\textmu}m \& 3 {\texteuro}"),
        ("x\u0302 ệ 王", r"{\^x} ệ 王"),
    ],
)
def test_accents_and_symbols_are_escaped_where_latex_has_a_command(text: str, latex: str) -> None:
    assert LatexEncoder(escaped=True).text(text) == latex


def test_every_command_that_is_written_is_read_again() -> None:
    marks = [mark for name, mark in ACCENTS.items() if name != "t"]
    accented = [unicodedata.normalize("NFC", base + mark) for base in "aAiIjzZ" for mark in marks]
    for sign in (*TEXT.values(), *MATH.values(), *accented):
        latex = LatexEncoder(escaped=True).text(sign)
        assert latex.isascii() and to_unicode(f"a{latex}b") == f"a{sign}b"


def test_what_latex_has_no_command_for_stays_and_is_named() -> None:
    works = {"wang2020": {"title": "王 and Öl"}, "müller": {"title": "Öl"}, "plain": {"title": "Öl"}}
    written = write_library(works.items(), "bibtex", escaped=True)
    assert '王 and {\\"O}l' in written.text
    (warning,) = written.warnings
    assert warning.startswith("2 works keep") and "wang2020 (王), müller (ü)" in warning


def test_a_citekey_that_bibtex_cannot_hold_is_left_out_and_named() -> None:
    works = {"good": {"type": "book"}, "not {good": {"type": "book"}, "a b": {"type": "book"}}
    written = write_library(works.items(), "biblatex")
    (warning,) = written.warnings
    assert (written.count, written.text) == (1, "@book{good,\n}\n")
    assert "2 works are left out" in warning and "'not {good', 'a b'" in warning and "reference manager" in warning
    assert write_library(works.items(), "csl-json").count == 3


def test_citekeys_that_differ_in_capitals_only_are_one_to_bibtex_and_two_to_biblatex() -> None:
    works = {"Doe2001": {"type": "book"}, "doe2001": {"type": "book"}}
    (warning,) = write_library(works.items(), "bibtex").warnings
    assert "Doe2001 and doe2001" in warning
    assert not write_library(works.items(), "biblatex").warnings


def test_csl_json_does_not_tell_where_files_lie() -> None:
    csl = {"id": "old", "type": "book", "file": "/home/me/k.pdf", "attachments": [{"path": "/home/me/k.pdf"}]}
    exported = json.loads(write_library([("k", csl)], "csl-json").text)
    assert exported == [{"id": "k", "type": "book", "citation-key": "k"}]


def test_an_unknown_format_is_refused_with_those_there_are() -> None:
    with pytest.raises(CiteLoomError) as caught:
        write_library([], "ris")
    assert caught.value.code == Code.INVALID_INPUT and "biblatex" in caught.value.next_step
