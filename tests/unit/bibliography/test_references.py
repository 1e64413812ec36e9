import json
from pathlib import Path

import bibtexparser
import pytest
from bibtexparser.bparser import BibTexParser
from hypothesis import given
from hypothesis import strategies as st

from citeloom.bibliography.bibtex.latex_to_unicode import to_unicode
from citeloom.bibliography.bibtex.parser import read_bibtex
from citeloom.bibliography.csl_json import normalise_doi, year_of
from citeloom.bibliography.references import load_references
from citeloom.core.errors import CiteLoomError, Code

BIB = r"""
@Comment{jabref-meta: grouping:
1 StaticGroup:History\;0\;0;
}
@preamble{"\newcommand{\noop}[1]{}"}
@string{joe = "Journal of " # {Evidence}}

@article{berg2019,
  title = {Quotation {Errors}: the Case of {G\"odel} --- and others},
  author = {van der Berg, Anna and {World Health Organization} and
    family=Ruiz, given=Jan, prefix=de, useprefix=true},
  journaltitle = joe,
  date = {2019-03-05},
  pages = {253--265},
  number = 2,
  doi = {https://doi.org/10.5555/QE\_2019},
  url = {https://example.org/a--b\_c},
  keywords = {history; quotation, to-read},
  langid = {british},
  file = {Full Text:papers/berg.pdf:application/pdf}
}
"""
CSL = {
    "id": "http://zotero.org/users/1/items/ABCD",
    "citation-key": "berg2019",
    "type": "article-journal",
    "title": "Quotation Errors: the Case of <i>Gödel</i> — and others",
    "author": [
        {"family": "Berg", "given": "Anna", "non-dropping-particle": "van der"},
        {"literal": "World Health Organization"},
        {"family": "Ruiz", "given": "Jan", "non-dropping-particle": "de"},
    ],
    "container-title": "Journal of Evidence",
    "issued": {"date-parts": [["2019", 3, "5"]]},
    "page": "253–265",
    "issue": "2",
    "DOI": "10.5555/QE_2019",
    "URL": "https://example.org/a--b_c",
    "keyword": "history, quotation, to-read",
    "language": "en-GB",
    "attachments": [{"title": "Full Text", "path": "papers/berg.pdf"}],
}


def load(folder: Path, name: str, content):
    path = folder / name
    if isinstance(content, bytes):
        path.write_bytes(content)
    else:
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
    return load_references(path)


def refusal(folder: Path, name: str, content) -> CiteLoomError:
    with pytest.raises(CiteLoomError) as caught:
        load(folder, name, content)
    assert caught.value.code == Code.INVALID_INPUT
    assert caught.value.next_step
    return caught.value


@pytest.mark.parametrize(("name", "content"), [("l.bib", BIB), ("l.json", [CSL]), ("l.json", {"items": [CSL]})])
def test_a_work_is_the_same_record_from_either_format(tmp_path, name, content):
    (record,) = load(tmp_path, name, content).records

    assert record.citekey == "berg2019"
    assert record.title == "Quotation Errors: the Case of Gödel — and others"
    assert record.authors == ("van der Berg, Anna", "World Health Organization", "de Ruiz, Jan")
    assert (record.year, record.item_type, record.page_range) == (2019, "article-journal", "253-265")
    assert (record.doi, record.url) == ("10.5555/qe_2019", "https://example.org/a--b_c")
    assert (record.tags, record.language) == (("history", "quotation", "to-read"), "en-GB")
    assert record.files == ("papers/berg.pdf",)
    assert not record.key_made
    assert record.csl["id"] == "berg2019"
    assert record.csl["container-title"] == "Journal of Evidence"
    assert record.csl["author"][1] == {"literal": "World Health Organization"}
    assert str(record.csl["issue"]) == "2"
    assert [int(part) for part in record.csl["issued"]["date-parts"][0]] == [2019, 3, 5]


def test_editors_stand_in_for_authors_and_unknown_types_are_documents(tmp_path):
    bib = "@collection{a, editor={Grafton, Anthony and others}}\n@hologram{b, title={B}}"
    collection, hologram = load(tmp_path, "l.bib", bib).records

    assert (collection.authors, collection.item_type) == (("Grafton, Anthony",), "book")
    assert hologram.item_type == "document"


def test_a_chapter_takes_what_it_lacks_from_the_volume_it_names(tmp_path):
    bib = "@inproceedings{p, title={Paper}, crossref={v}}\n@proceedings{v, title={Volume}, year=2003}"
    paper, _ = load(tmp_path, "l.bib", bib).records

    assert (paper.title, paper.year, paper.csl["container-title"]) == ("Paper", 2003, "Volume")


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"{\"o} \"{o} \"o G{\"{o}}del", "ö ö ö Gödel"),
        (r"{\O}re \o re \L{}\'od\'z", "Øre øre Łódź"),
        (r"{\'{\i}} \v{S} {\v s} \c{c} \aa{}b \ss", "í Š š ç åb ß"),
        (r"$\omega$ $H_2$ x$^{\textrm{th}}$", "ω H2 xth"),
        (r"{A {\mkbibemph{Real}} \textit{Title} \& more}", "A Real Title & more"),
        (r"1--2 --- ``q'' 5\,\% a~b \~{} don't", "1–2 — “q” 5 % a b ~ don't"),
        (r"\enquote{Yes} \href{http://x}{link} \unknown{kept}", "“Yes” link kept"),
    ],
)
def test_latex_becomes_what_a_reader_sees(latex, text):
    assert to_unicode(latex) == text


_LATEX_TOKENS = [
    "{",
    "}",
    "$",
    "^",
    "_",
    "~",
    "--",
    "``",
    "\\\\",
    "\\'",
    "\\v",
    "\\i",
    "\\emph",
    "\\href",
    "a",
    "é",
    " ",
]


@given(st.lists(st.sampled_from(_LATEX_TOKENS), max_size=300).map("".join))
def test_latex_never_leaves_a_brace_a_dollar_or_a_backslash(latex):
    assert not set("{}$\\") & set(to_unicode(latex))


@pytest.mark.parametrize(
    ("bib", "line", "reason"),
    [
        ("@book{a,\n title = {A,\n year = {2000}\n}\n@book{b, title={B}}", 2, "closing brace is missing"),
        ("@book{a,\n title = {A}\n\n@book{b, title={B}}", 4, "found '@'"),
        ("@book{a,\n title = A},\n year = {2000}\n}\n", 3, "outside any entry"),
        ("@book{a,\n title = {A}\n year = {2000}\n}", 3, "expected ',' or '}' after field 'title'"),
        ("@book{ok, title={O}}\n\n@book{a b,\n title={A}}", 3, "must be one word"),
        ('@book{a,\n title = "A,\n year=2000}', 2, "'title' is never closed"),
        ('@book{a,\n title = "A} and {B"}', 2, "'title' is never closed"),
        ("@book{a,\n title {A}}", 2, "expected '='"),
        ("@book{a, title={A},", 1, "'a' is never closed"),
        ("@book{a, note={\n@book{b,\n title={B}}\n}}", 1, "continues over '@book{b'"),
    ],
)
def test_a_malformed_entry_is_named_with_its_line_and_reason(tmp_path, bib, line, reason):
    error = refusal(tmp_path, "l.bib", bib)

    assert (error.details["line"], error.details["path"]) == (line, str(tmp_path / "l.bib"))
    assert reason in error.details["reason"]
    assert f"line {line}, column {error.details['column']}" in error.message


def test_every_malformed_entry_is_named_at_once(tmp_path):
    error = refusal(tmp_path, "l.bib", "@book{a, title}\n@book{b, title={B}}\n@book{c c}\n@book{d, =}\n")

    assert "line 1," in error.message
    assert "Also malformed: lines 3, 4." in error.message


@pytest.mark.parametrize(
    ("content", "line", "reason"),
    [
        ('[\n {"id": "a",}\n]', 2, "property name"),
        ('{"id": "a"}', 1, "not a list"),
        ('[{"id": "a"},\n "b"]', 2, "entry 2 is not an object"),
        ('{"config": {}, "items": [\n\n{"itemType": "book"}]}', 3, "entry 1 is in Zotero's own format"),
        ("[" * 100_000, None, "recursion"),
        ("[" + "9" * 5000 + "]", None, "digits"),
    ],
)
def test_json_that_is_no_csl_is_refused_with_its_place(tmp_path, content, line, reason):
    error = refusal(tmp_path, "l.json", content)

    assert error.details["line"] == line
    assert reason in error.details["reason"]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("l.bib", "@book{a, title={One}}\n\n@book{b, title={B}}\n@book{a, title={Two}}\n@book{a, title={One}}"),
        ("l.json", '[{"id": "a", "title": "One"},\n\n{"id": "b", "title": "B"},\n{"id": "a", "title": "Two"}]'),
    ],
)
def test_of_different_entries_with_one_citekey_the_first_counts_and_both_are_named(tmp_path, name, content):
    loaded = load(tmp_path, name, content)

    assert [(record.citekey, record.title) for record in loaded.records] == [("a", "One"), ("b", "B")]
    (warning,) = loaded.warnings
    assert "duplicate citekey 'a': entry 1 (line 1) 'One' is kept, left out: entry 3 (line 4) 'Two'." in warning


def test_an_entry_that_is_there_twice_is_taken_once_and_that_is_said(tmp_path):
    twice = "@book{a, title={One}, year=2019}\n@book{b, title={B}}\n@book{a,\n  year = {2019}, title = {One}\n}"
    loaded = load(tmp_path, "l.bib", twice)

    assert [record.title for record in loaded.records] == ["One", "B"]
    assert loaded.warnings == (
        "duplicate citekey 'a': entry 1 (line 1) 'One' is taken once, the same again: entry 3 (line 3) 'One'",
    )


def test_what_refers_to_a_repeated_entry_inherits_from_the_one_that_counts(tmp_path):
    bib = "@incollection{c, title={C}, crossref={a}}\n@book{a, title={One}}\n@book{a, title={Two}}"

    assert load(tmp_path, "l.bib", bib).records[0].csl["container-title"] == "One"


def test_a_citekey_that_thousands_of_entries_share_is_one_short_warning(tmp_path):
    (warning,) = load(tmp_path, "l.json", [{"id": "a", "title": "T"}] * 3000).warnings

    assert warning.count("entry ") == 4 and "and 2996 more" in warning


@given(keys=st.lists(st.sampled_from(["a", "b", "A", "a1", "ä", "x:y-z"]), max_size=6), bib=st.booleans())
def test_no_entry_is_lost_each_is_loaded_or_its_key_is_called_repeated(tmp_path_factory, keys, bib):
    folder = tmp_path_factory.mktemp("library")
    name = "l.bib" if bib else "l.json"
    content = "".join(f"@misc{{{key}, title={{T}}}}\n" for key in keys) if bib else [{"id": key} for key in keys]
    loaded = load(folder, name, content)

    assert [record.citekey for record in loaded.records] == list(dict.fromkeys(keys))
    repeated = [key for key in dict.fromkeys(keys) if keys.count(key) > 1]
    named = [warning.split("'")[1] for warning in loaded.warnings if "duplicate" in warning]
    assert named == repeated


def test_an_entry_without_a_citekey_is_kept_apart_and_named(tmp_path):
    bib = "@misc{b, title={B}}\n@online{\n  title = {A Preprint, Edited},\n  year = 2021\n}\n@misc{, title={C}}"
    csl = [
        {"id": "b"},
        {"title": "A Preprint, Edited"},
        {"id": "http://zotero.org/users/local/x/items/ABCD", "title": "C"},
    ]

    for name, content in (("l.bib", bib), ("l.json", csl)):
        loaded = load(tmp_path, name, content)
        assert [record.citekey for record in loaded.records] == ["b"]
        assert [record.title for record in loaded.keyless] == ["A Preprint, Edited", "C"]
        (warning,) = loaded.warnings
        assert "2 of 3 entries have no citekey: entry 2" in warning


def test_a_citekey_and_a_doi_kept_in_zoteros_extra_are_found(tmp_path):
    note = "Citation Key: eco1980\nDOI: 10.5555/Rosa"
    (record,) = load(tmp_path, "l.json", [{"id": "http://zotero.org/users/1/items/A", "note": note}]).records

    assert (record.citekey, record.doi) == ("eco1980", "10.5555/rosa")


def test_a_name_no_string_defines_is_kept_and_warned_of(tmp_path):
    loaded = load(tmp_path, "l.bib", "@article{a,\n title={A}, journal = jcp}")

    assert loaded.records[0].csl["container-title"] == "jcp"
    assert loaded.warnings == ("line 2: entry 'a': no @string defines 'jcp' in 'journal', used as it is",)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
def test_accents_and_dashes_survive_every_usual_encoding(tmp_path, encoding):
    loaded = load(tmp_path, "l.bib", "@book{a,\r\n title = {Gödel – é},\r\n}\r\n".encode(encoding))

    assert loaded.records[0].title == "Gödel – é"
    assert [("not UTF-8 (line 2)" in warning) for warning in loaded.warnings] == [True] * (encoding == "cp1252")


def test_half_a_character_in_json_is_replaced(tmp_path):
    (record,) = load(tmp_path, "l.json", '[{"id": "a", "title": "x\\ud800y \\ud83d\\ude00"}]').records

    assert record.title == "x\ufffdy 😀"
    assert json.dumps(dict(record.csl), ensure_ascii=False).encode("utf-8")


def test_a_file_is_told_by_its_content_when_its_name_does_not_say(tmp_path):
    assert load(tmp_path, "library.txt", BIB).records[0].citekey == "berg2019"
    assert load(tmp_path, "library", [CSL]).records[0].citekey == "berg2019"
    with pytest.raises(CiteLoomError) as caught:
        load(tmp_path, "library.ris", "TY  - JOUR")
    assert caught.value.code == Code.UNSUPPORTED_FORMAT


def test_a_missing_file_and_a_folder_are_told_apart(tmp_path):
    with pytest.raises(CiteLoomError) as caught:
        load_references(tmp_path / "gone.bib")
    assert caught.value.code == Code.FILE_NOT_FOUND
    with pytest.raises(CiteLoomError) as caught:
        load_references(tmp_path)
    assert caught.value.code == Code.INVALID_INPUT


def test_an_empty_library_says_so(tmp_path):
    assert load(tmp_path, "l.bib", "").warnings == ("l.bib contains no entries",)


@pytest.mark.parametrize(
    ("issued", "year"),
    [
        ({"date-parts": [["1998", "3"]]}, 1998),
        ({"date-parts": [[1850]], "circa": True}, 1850),
        ({"date-parts": [[-44, 3, 15]]}, -44),
        ({"date-parts": [[]], "raw": "March 2004"}, 2004),
        ({"literal": "c. 1850, reprint"}, 1850),
        ("2011-05", 2011),
        ({"literal": "forthcoming"}, None),
        (None, None),
    ],
)
def test_the_year_is_found_however_the_date_is_written(issued, year):
    assert year_of(issued) == year


@pytest.mark.parametrize(
    ("written", "doi"),
    [
        ("10.5555/ABC", "10.5555/abc"),
        ("https://dx.doi.org/10.5555/a%2Fb", "10.5555/a/b"),
        ("doi: 10.5555/abc.", "10.5555/abc"),
        (
            "10.1002/(SICI)1097(1998)49:8<693::AID>3.0.CO;2-O",
            "10.1002/(sici)1097(1998)49:8<693::aid>3.0.co;2-o",
        ),
        ("see publisher", None),
    ],
)
def test_a_doi_is_lower_case_without_its_resolver(written, doi):
    assert normalise_doi(written) == doi


_VALUES = st.recursive(
    st.text("aB2 ,=@%#'~\\.é", max_size=8),
    lambda inner: st.lists(inner, max_size=3).map(lambda parts: "".join(f"{{{part}}}" for part in parts)),
    max_leaves=5,
)
_WRITTEN = st.one_of(
    st.tuples(_VALUES.map("{{{}}}".format), st.sampled_from(["", ' # "x"', " # jan"])).map("".join),
    _VALUES.map('"{}"'.format),
    st.sampled_from(["2019", "jan", "FEB"]),
)
_FIELDS = st.dictionaries(st.sampled_from(["title", "Author", "note-1", "x_y"]), _WRITTEN, min_size=1)


@given(st.lists(st.tuples(st.sampled_from(["article", "Online", "xyz"]), _FIELDS, st.booleans()), max_size=3))
def test_well_formed_entries_are_read_as_bibtexparser_reads_them(drawn):
    text = "\n\n".join(
        f"@{kind}{{key{number},\n" + ",\n".join(f"  {n} = {v}" for n, v in fields.items()) + ",\n" * comma + "}"
        for number, (kind, fields, comma) in enumerate(drawn)
    )
    theirs = bibtexparser.loads(text, BibTexParser(ignore_nonstandard_types=False)).entries
    ours = read_bibtex(text)

    assert not ours.problems
    # bibtexparser takes the value {} for an empty one; the braces go with the LaTeX in any case.
    read = [{n: "" if v == "{}" else v for n, v in entry.fields.items()} for entry in ours.entries]
    assert [{**f, "ENTRYTYPE": e.kind, "ID": e.key} for f, e in zip(read, ours.entries, strict=True)] == theirs


@given(text=st.text("@{}(),=\"#%\n ab1\\[]:'", max_size=80), name=st.sampled_from(["l.bib", "l.json", "l.txt"]))
def test_no_text_fails_without_saying_why(tmp_path_factory, text, name):
    try:
        load(tmp_path_factory.mktemp("library"), name, text)
    except CiteLoomError as error:
        assert error.message
        assert error.next_step
