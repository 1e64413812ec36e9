"""A BibTeX entry that CiteLoom writes is one whole entry, whatever is in it, and says what BibTeX needs."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from citeloom.bibliography.bibtex.parser import read_bibtex
from citeloom.bibliography.bibtex.writer import to_bibtex
from citeloom.core.errors import CiteLoomError, Code


def written(name: str, **csl: Any) -> str:
    """The value of a field, as it stands in the entry."""
    (entry,) = read_bibtex(to_bibtex(csl, "key")).entries
    return entry.fields.get(name, "")


ANYTHING = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(), st.text(max_size=12), st.sampled_from(["{", "}}", "<i>", "</b>"])
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(st.sampled_from(["family", "given", "literal", "date-parts", "raw"]), inner, max_size=3),
    ),
    max_leaves=6,
)
VARIABLES = ["type", "title", "author", "issued", "accessed", "page", "DOI", "URL", "note", "keyword", "language"]


@given(st.dictionaries(st.sampled_from([*VARIABLES, "publisher", "genre", "ISBN"]), ANYTHING, max_size=6))
@example({"title": "half a \ud83d character\x00", "URL": "\ud83d\x00{"})
def test_whatever_a_record_holds_is_one_whole_entry(csl: dict[str, Any]) -> None:
    text = to_bibtex(csl, "key")
    assert not {unicodedata.category(letter) for letter in text.replace("\n", "")} & {"Cc", "Cs"}
    found = read_bibtex(text)
    assert not found.problems
    assert [entry.key for entry in found.entries] == ["key"]


def test_numbers_of_a_book_keep_their_spaces_and_addresses_have_none() -> None:
    assert written("isbn", ISBN="9780262035613 0262035618") == "9780262035613 0262035618"
    assert written("url", URL="https://a.example/b c") == "https://a.example/b%20c"


@pytest.mark.parametrize(
    ("name", "csl"),
    [
        ("van der Berg, Anna", {"family": "Berg", "given": "Anna", "non-dropping-particle": "van der"}),
        ("Beethoven, Ludwig van", {"family": "Beethoven", "given": "Ludwig", "dropping-particle": "van"}),
        ("{d'Alembert}, Jean", {"family": "Alembert", "given": "Jean", "non-dropping-particle": "d'"}),
        ("{Ortega y Gasset}, José", {"family": "Ortega y Gasset", "given": "José"}),
        ("King, Jr., Martin Luther", {"family": "King", "given": "Martin Luther", "suffix": "Jr."}),
        ("{Barnes and Noble}", {"literal": "Barnes and Noble"}),
        ("{United Nations}", {"family": "United Nations"}),
    ],
)
def test_a_name_is_written_so_that_bibtex_finds_its_parts(name: str, csl: dict[str, Any]) -> None:
    assert written("author", author=[csl]) == name


@pytest.mark.parametrize(
    ("title", "latex"),
    [
        ("The role of mRNA in Paris: a pH study", "The role of {mRNA} in {Paris}: a {pH} study"),
        ("A Page-Level Audit of Vitamin C and DNA", "A Page-Level Audit of Vitamin {C} and {DNA}"),
        ("Growth of <i>E. coli</i> in H<sub>2</sub>O", r"Growth of \textit{E. coli} in {H}\textsubscript{2}{O}"),
        ("100% of R&D in C# -- a_b", r"100\% of {R\&D} in {C}\# -{}- a\_b"),
        ("", ""),
    ],
)
def test_capitals_that_mean_something_are_kept(title: str, latex: str) -> None:
    assert written("title", title=title, language="en") == latex


def test_a_title_that_is_not_english_keeps_all_its_capitals() -> None:
    assert written("title", title="Provenienz und Pertinenz", language="de-DE") == "{Provenienz und Pertinenz}"


def test_a_thesis_is_not_called_by_a_degree_that_nobody_said() -> None:
    kinds = {genre: to_bibtex({"type": "thesis", "genre": genre}, "key") for genre in ("", "Master", "Habilitation")}
    assert [text.split("{")[0] for text in kinds.values()] == ["@thesis", "@mastersthesis", "@phdthesis"]
    assert "type = {Habilitation}" in kinds["Habilitation"]


@pytest.mark.parametrize(
    ("issued", "fields"),
    [
        ({"date-parts": [[2019]]}, {"year": "2019"}),
        ({"date-parts": [[2019, 3]]}, {"year": "2019", "month": "March"}),
        ({"date-parts": [[2019, 3, 5]]}, {"year": "2019", "month": "March", "date": "2019-03-05"}),
        ({"date-parts": [[2019], [2021]]}, {"year": "2019", "date": "2019/2021"}),
        ({"date-parts": [[-44]]}, {"year": "44 BCE", "date": "-0043"}),
        ({"date-parts": [[1850]], "circa": True}, {"year": "1850", "date": "1850~"}),
        ({"date-parts": [[2020]], "season": "Spring"}, {"year": "2020", "month": "Spring"}),
        ({"literal": "in press"}, {"year": "in press"}),
    ],
)
def test_a_date_is_as_exact_as_it_was(issued: dict[str, Any], fields: dict[str, str]) -> None:
    (entry,) = read_bibtex(to_bibtex({"issued": issued}, "key")).entries
    assert entry.fields == fields


@pytest.mark.parametrize("key", ["", "a b", "a,b", "a{b", "o'brien"])
def test_a_citekey_that_bibtex_cannot_hold_is_refused_not_changed(key: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        to_bibtex({"type": "book"}, key)
    assert caught.value.code == Code.INVALID_INPUT and caught.value.next_step


@pytest.mark.parametrize("key", ["müller2019", "a:b-c_d.e/f+g", "DBLP:conf/x"])
def test_any_other_citekey_stands_there_unchanged(key: str) -> None:
    assert to_bibtex({"type": "book"}, key).startswith(f"@book{{{key},\n")
