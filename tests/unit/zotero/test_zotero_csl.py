"""Zotero items as CSL-JSON: as Zotero itself exports them, but for what the module says."""

from __future__ import annotations

import json
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from citeloom.zotero.csl.dates import sortable_date, to_csl_date
from citeloom.zotero.csl.fields import BASE_FIELDS, DATES, FIELDS, TEXTS, TYPES
from citeloom.zotero.csl.items import to_csl
from citeloom.zotero.types import Item

ARTICLE = {
    "itemType": "journalArticle",
    "title": "A <i>real</i> article with <sup>markup</sup> & ümlauts",
    "abstractNote": "Abstract line 1.\nLine 2 with ∑.",
    "date": "2021-03-05",
    "DOI": "10.1000/xyz123",
    "url": "https://example.org/a",
    "language": "en",
    "extra": "Citation Key: pinned2021key\nPMID: 12345\ntex.foo: bar",
    "volume": "12",
    "pages": "1-20",
    "publicationTitle": "J. Test",
    "issue": "3",
    "creators": [
        {"firstName": "Ada", "lastName": "Lovelace", "creatorType": "author"},
        {"name": "World Health Organization", "creatorType": "author"},
        {"firstName": "Jan", "lastName": "van der Berg", "creatorType": "editor"},
    ],
}

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
NAMES = sorted({*FIELDS, *BASE_FIELDS, "creators", "itemType", "tags"})
CREATORS = st.lists(
    st.dictionaries(st.sampled_from(["creatorType", "name", "firstName", "lastName"]), JSON | st.text(), max_size=4),
    max_size=3,
)


def csl(item_type: str = "book", **data: Any) -> dict[str, Any]:
    return to_csl(Item("AAAA2222", {"itemType": item_type, **data}))


def test_an_article_is_exported_as_zotero_does() -> None:
    assert to_csl(Item("6A2U4EP7", ARTICLE)) == {
        "id": "pinned2021key",
        "citation-key": "pinned2021key",
        "type": "article-journal",
        "abstract": "Abstract line 1.\nLine 2 with ∑.",
        "container-title": "J. Test",
        "DOI": "10.1000/xyz123",
        "issue": "3",
        "language": "en",
        "note": "tex.foo: bar",
        "page": "1-20",
        "PMID": "12345",
        "title": "A <i>real</i> article with <sup>markup</sup> & ümlauts",
        "URL": "https://example.org/a",
        "volume": "12",
        "author": [{"family": "Lovelace", "given": "Ada"}, {"literal": "World Health Organization"}],
        "editor": [{"family": "Berg", "given": "Jan", "non-dropping-particle": "van der"}],
        "issued": {"date-parts": [[2021, 3, 5]]},
    }


@pytest.mark.parametrize(
    ("item_type", "field", "variable"),
    [
        ("bookSection", "bookTitle", "container-title"),
        ("thesis", "university", "publisher"),
        ("preprint", "archiveID", "number"),
        ("case", "caseName", "title"),
        ("statute", "nameOfAct", "title"),
        ("case", "reporter", "container-title"),
        ("computerProgram", "versionNumber", "version"),
        ("report", "place", "publisher-place"),
        ("presentation", "place", "event-place"),
    ],
)
def test_a_field_of_any_type_becomes_its_variable(item_type: str, field: str, variable: str) -> None:
    assert csl(item_type, **{field: "X"}) == {"type": TYPES[item_type], variable: "X"}


@pytest.mark.parametrize("item_type", sorted(TYPES))
def test_every_text_of_every_type_is_kept(item_type: str) -> None:
    data = {fields[0]: variable for variable, fields in TEXTS.items() if variable != "event-place"}
    assert set(csl(item_type, **data).values()) == {TYPES[item_type], *data.values()}


@pytest.mark.parametrize(
    ("family", "given", "parts"),
    [
        ("van der Berg", "Jan", {"family": "Berg", "non-dropping-particle": "van der", "given": "Jan"}),
        ("d'Alembert", "Jean", {"family": "Alembert", "non-dropping-particle": "d'", "given": "Jean"}),
        ("al-Ghazali", "Abu", {"family": "Ghazali", "non-dropping-particle": "al-", "given": "Abu"}),
        ("O'Neil", "J.", {"family": "O'Neil", "given": "J."}),
        ("Humboldt", "Alexander von", {"family": "Humboldt", "given": "Alexander", "dropping-particle": "von"}),
        ("King", "Martin Luther, Jr.", {"family": "King", "given": "Martin Luther", "suffix": "Jr."}),
        ("明", "李", {"family": "明", "given": "李"}),
        ('"van Eyck"', "Jan", {"family": "van Eyck", "given": "Jan"}),
        ("de Gaulle", "", {"family": "de Gaulle"}),
    ],
)
def test_particles_and_suffixes_are_parted_from_names(family: str, given: str, parts: dict[str, str]) -> None:
    creator = {"lastName": family, "firstName": given, "creatorType": "author"}
    assert csl(creators=[creator])["author"] == [parts]


@pytest.mark.parametrize(
    ("item_type", "role", "variable"),
    [
        ("computerProgram", "programmer", "author"),
        ("bookSection", "bookAuthor", "container-author"),
        ("podcast", "podcaster", "host"),
        ("book", "seriesEditor", "collection-editor"),
        ("film", "castMember", "performer"),
    ],
)
def test_each_creator_has_the_role_that_csl_knows(item_type: str, role: str, variable: str) -> None:
    assert csl(item_type, creators=[{"name": "N", "creatorType": role}])[variable] == [{"literal": "N"}]


def test_a_note_is_called_by_its_first_line_and_an_attachment_by_its_own_title() -> None:
    assert csl("note", note="<h1>Ideas</h1><p>More</p>") == {"type": "document", "title": "Ideas"}
    assert csl("attachment", title="Full Text PDF", note="<p>why</p>")["title"] == "Full Text PDF"


def test_the_first_isbn_counts_and_quotation_marks_around_a_value_do_not() -> None:
    assert csl(ISBN="978-3-16-148410-0 0-306-40615-2")["ISBN"] == "978-3-16-148410-0"
    assert csl(ISBN="0306406152 0306406160")["ISBN"] == "0306406152"
    assert csl(ISBN="none")["ISBN"] == "none"
    assert csl(title='"Quoted"')["title"] == "Quoted"
    assert csl(title='"A" and "B"')["title"] == '"A" and "B"'


def test_lines_of_extra_fill_gaps_and_correct_type_and_dates() -> None:
    extra = """A remark
Original Date: 1920
original-publisher: First Press
Translator: Doe || Jane
type: dataset
issued: c. 1999
Publication Title: Elsewhere
Volume: 9
arXiv: 2101.00001
{:event-place: Rome}"""
    assert csl("book", date="2020", volume="1", extra=extra) == {
        "type": "dataset",
        "issued": {"date-parts": [[1999]], "circa": True},
        "original-date": {"date-parts": [[1920]]},
        "original-publisher": "First Press",
        "translator": [{"family": "Doe", "given": "Jane"}],
        "container-title": "Elsewhere",
        "event-place": "Rome",
        "volume": "1",
        "note": "A remark\nVolume: 9\narXiv: 2101.00001",
    }


def test_marks_that_only_direct_letters_are_removed_and_latex_stays() -> None:
    creators = [{"name": "\u2067Org\u2069", "creatorType": "author"}]
    item = csl(title="\u2068Über\u2069 $\\alpha$ \\emph{x}", creators=creators)
    assert (item["title"], item["author"]) == ("Über $\\alpha$ \\emph{x}", [{"literal": "Org"}])


def test_four_thousand_authors_are_all_kept_in_their_order() -> None:
    creators = [{"firstName": "A.", "lastName": f"Name{n}", "creatorType": "author"} for n in range(4000)]
    assert [name["family"] for name in csl(creators=creators)["author"]] == [f"Name{n}" for n in range(4000)]


@given(st.dictionaries(st.sampled_from(NAMES) | st.text(max_size=8), JSON | st.text() | CREATORS))
def test_whatever_an_item_holds_it_becomes_csl_without_empty_values(data: dict[str, Any]) -> None:
    item = to_csl(Item("AAAA2222", data))
    assert isinstance(item["type"], str)

    def check(value: Any) -> None:
        assert value not in ("", None, [], {})
        for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            check(part)

    check(item)
    json.dumps(item).encode()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("2021-03-05", [[2021, 3, 5]]),
        ("2021-03", [[2021, 3]]),
        ("March 2021", [[2021, 3]]),
        ("Sept. 5th, 2019", [[2019, 9, 5]]),
        ("5. Mai 2019", [[2019, 5, 5]]),
        ("2019/05/01", [[2019, 5, 1]]),
        ("25/12/2019", [[2019, 12, 25]]),
        ("4/5/2019", [[2019]]),  # April or May: nobody can tell
        ("2021-04-05 4/5/2021", [[2021, 4, 5]]),  # Zotero could
        ("2021-03-00 březen 2021", [[2021, 3]]),
        ("2019年5月1日", [[2019, 5, 1]]),
        ("2023-02-30", [[2023, 2]]),
        ("2026-11-16T02:04:22Z", [[2026, 11, 16]]),
        ("[1999]", [[1999]]),
        ("429 BCE", [[-429]]),
        ("10 January 200 B.C.", [[-200, 1, 10]]),
        ("AD 79", [[79]]),
        ("2021/2026", [[2021], [2026]]),
        ("1995-96", [[1995], [1996]]),
        ("2021-05/2021-06", [[2021, 5], [2021, 6]]),
        ("5–7 May 2019", [[2019, 5, 5], [2019, 5, 7]]),
        ("December 2019 – January 2020", [[2019, 12], [2020, 1]]),
        ("1000–900 BC", [[-1000], [-900]]),
    ],
)
def test_a_date_is_read_as_people_write_it(text: str, told: list[list[int]]) -> None:
    assert to_csl_date(text) == {"date-parts": told}


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("c. 1999", {"date-parts": [[1999]], "circa": True}),
        ("1999-00-00 c. 1999", {"date-parts": [[1999]], "circa": True}),
        ("1999?", {"date-parts": [[1999]], "circa": True}),
        ("Spring 2020", {"date-parts": [[2020]], "season": "Spring"}),
        ("Spring/Summer 2020", {"date-parts": [[2020]], "season": "Spring/Summer"}),
        ("n.d.", {"literal": "n.d."}),
        ("0000-00-00 in press", {"literal": "in press"}),
        ("1960s", {"literal": "1960s"}),
        ("20 July", {"literal": "20 July"}),
        ("900-1000 BCE", {"literal": "900-1000 BCE"}),
        ("“1637 and 1662”", {"literal": "1637 and 1662"}),
    ],
)
def test_what_is_more_or_less_than_a_day_says_so(text: str, told: dict[str, Any]) -> None:
    assert to_csl_date(text) == told


@given(
    st.dates(min_value=date(1000, 1, 1)), st.sampled_from(["%Y-%m-%d", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y", "%Y/%m/%d"])
)
def test_a_day_in_any_common_form_is_that_day(day: date, form: str) -> None:
    written = day.strftime(form)
    assert to_csl_date(written) == {"date-parts": [[day.year, day.month, day.day]]}
    assert sortable_date(written) == (day.year, day.month, day.day)


@given(st.text() | st.text(alphabet="0123456789-/~?.–BCEc ") | st.from_regex(r"\d{4}-\d\d-\d\d .{0,20}"))
def test_any_text_is_some_date(text: str) -> None:
    read = to_csl_date(text)
    parts = read.get("date-parts", [])
    assert bool(parts) != ("literal" in read)
    assert all(0 < len(part) <= 3 and part[0] for part in parts)
    assert parts == sorted(parts)


def test_the_tables_name_each_field_once() -> None:
    filled = [field for fields in TEXTS.values() for field in fields] + list(DATES.values())
    assert len(filled) == len(set(filled))
    assert set(BASE_FIELDS.values()) <= FIELDS
    assert not BASE_FIELDS.keys() & FIELDS
