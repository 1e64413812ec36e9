"""Citations and bibliographies: names, dates, markup, works alike, and records of any shape."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from citeloom.core.errors import CiteLoomError, Code
from citeloom.csl.format import Cite, Formatted, Markup, format_citations
from citeloom.csl.styles import find_style, style_from_file

STYLE = """<style xmlns="http://purl.org/net/xbiblio/csl" class="{kind}" version="1.0">
<info><title>My faculty's style</title><id>mine</id></info>
{macros}<citation {citation}><layout prefix="(" suffix=")" delimiter="; ">{layout}</layout></citation></style>"""


def work(
    key: str = "k", family: str = "Roe", given_name: str = "Jane", year: int = 2001, **fields: Any
) -> dict[str, Any]:
    made = {"id": key, "type": "book", "title": "A title", "issued": {"date-parts": [[year]]}}
    return {**made, "author": [{"family": family, "given": given_name}], **fields}


def write(
    records: list[dict[str, Any]], style: str = "apa", *groups: list[Cite], markup: Markup = "text", **options: Any
) -> Formatted:
    cites = groups or ([Cite(record["id"]) for record in records],)
    return format_citations(records, cites, find_style(style), markup=markup, **options)


def entry(style: str = "apa", markup: Markup = "text", locale: str | None = None, **fields: Any) -> str:
    (made,) = write([work(**fields)], style, markup=markup, locale=locale).bibliography
    return made


def own_style(folder: Path, layout: str, *, citation: str = "", macros: str = "", kind: str = "in-text") -> Path:
    path = folder / "mine.csl"
    path.write_text(STYLE.format(layout=layout, citation=citation, macros=macros, kind=kind), encoding="utf-8")
    return path


# -- names ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("style", "family", "given_name", "expected"),
    [
        ("apa", "van der Berg", "Jan", "van der Berg, J. (2001)"),
        ("chicago-author-date", "van der Berg", "Jan", "Berg, Jan van der. 2001"),
        ("chicago-author-date", "Beethoven", "Ludwig van", "Beethoven, Ludwig van. 2001"),
        ("apa", "d'Alembert", "Jean le Rond", "d’Alembert, J. le R. (2001)"),
        ("apa", "Ávila Ortiz", "Élodie-Anne", "Ávila Ortiz, É.-A. (2001)"),
        ("apa", "Axford", "ME", "Axford, M. E. (2001)"),
        ("apa", "King", "Martin Luther, Jr.", "King, M. L., Jr. (2001)"),
        ("apa", "hooks", "bell", "hooks, bell (2001)"),
        ("apa", "曹", "雪芹", "曹雪芹. (2001)"),
        ("apa", "Толстой", "Лев Николаевич", "Толстой, Л. Н. (2001)"),
        ("apa", "ابن خلدون", "عبد الرحمن", "ابن خلدون, عبد الرحمن. (2001)"),
    ],
    ids=[
        "van-der",
        "demoted",
        "dropping",
        "apostrophe",
        "accents",
        "bare-initials",
        "junior",
        "small",
        "zh",
        "ru",
        "ar",
    ],
)
def test_a_name_stands_in_the_parts_that_its_language_gives_it(
    style: str, family: str, given_name: str, expected: str
) -> None:
    assert entry(style, family=family, given_name=given_name).replace("bell.", "bell").startswith(expected)


def test_particles_that_the_record_names_itself_are_kept() -> None:
    person = {"family": "Gogh", "given": "Vincent", "non-dropping-particle": "van"}
    assert entry("chicago-author-date", author=[person]).startswith("Gogh, Vincent van. 2001")
    assert write([work(author=[person])], "chicago-author-date").citations == ("(van Gogh 2001)",)


def test_many_authors_are_cut_as_apa_cuts_them() -> None:
    people = [{"family": f"Author{chr(65 + i)}", "given": "X."} for i in range(22)]
    text = entry(author=people)
    assert "AuthorS, X., … AuthorV, X. (2001)" in text and "AuthorT" not in text


# -- dates ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("issued", "expected"),
    [
        ({"date-parts": [[2001, 5, 1], [2001, 5, 3]]}, "(2001, May 1–3)"),
        ({"date-parts": [[2001, 5, 1], [2001, 6, 3]]}, "(2001, May 1–June 3)"),
        ({"date-parts": [[2001]], "season": 1}, "(2001, Spring)"),
        ({"date-parts": [["2001", "5"]], "circa": True}, "(ca. 2001, May)"),
        ({"raw": "2001-05-02"}, "(2001, May 2)"),
        ({"raw": "May 2, 2001"}, "(2001, May 2)"),
        ({"raw": "circa 1850"}, "(ca. 1850)"),
        ({"literal": "in press"}, "(in press)"),
        ({"date-parts": [[-380]]}, "(380 B.C.E.)"),
        ("2001", "(2001)"),
        (2001, "(2001)"),
        ({"date-parts": [[None]]}, "(n.d.)"),
        (None, "(n.d.)"),
    ],
    ids=str,
)
def test_a_date_of_any_shape_is_read(issued: Any, expected: str) -> None:
    assert expected in entry(type="article-newspaper", issued=issued)


# -- works that are alike ------------------------------------------------------------------------------------


def test_works_of_one_author_and_year_are_told_by_letters() -> None:
    made = write([work("b", title="Beta"), work("a", title="Alpha")], "apa")
    assert made.citations == ("(Roe, 2001a, 2001b)",)
    assert made.bibliography == ("Roe, J. (2001a). Alpha.", "Roe, J. (2001b). Beta.")


def test_namesakes_are_told_by_initials() -> None:
    made = write([work("a"), work("b", given_name="Max", year=1999)], "apa", [Cite("a")], [Cite("b")])
    assert made.citations == ("(J. Roe, 2001)", "(M. Roe, 1999)")
    typed_twice = [work("a", given_name="J.J."), work("b", given_name="J. J.", year=1999)]
    assert write(typed_twice, "apa", [Cite("a")], [Cite("b")]).citations == ("(Roe, 2001)", "(Roe, 1999)")


def test_et_al_gives_way_where_it_would_hide_who_is_meant() -> None:
    def team(*families: str) -> dict[str, Any]:
        return {"author": [{"family": family, "given": "X."} for family in families]}

    records = [work("a", **team("Roe", "Ash", "Oak")), work("b", **team("Roe", "Elm", "Oak"))]
    made = write(records, "apa", [Cite("a")], [Cite("b")])
    assert made.citations == ("(Roe, Ash, et al., 2001)", "(Roe, Elm, et al., 2001)")


def test_names_that_a_style_cuts_later_still_tell_works_apart() -> None:
    def team(key: str, second: str) -> dict[str, Any]:
        return work(key, author=[{"family": family, "given": "X."} for family in ("Roe", second, "Oak", "Elm")])

    records = [team("a", "Ash"), team("b", "Fir")]
    groups = [Cite("a")], [Cite("b")], [Cite("a"), Cite("b")]
    made = write(records, "deutsche-gesellschaft-fur-psychologie", *map(list, groups), locale="de")
    assert made.citations[2] == "(Roe, Ash, et al., 2001; Roe, Fir, et al., 2001)"


def test_a_citation_sorts_names_without_their_particles_where_the_style_does() -> None:
    records = [work("v", "van der Waals"), work("n", "von Neumann"), work("s", "Smith")]
    made = write(records, "american-sociological-association")
    assert made.citations == ("(von Neumann 2001; Smith 2001; van der Waals 2001)",)


def test_a_bibliography_sorts_letters_with_accents_beside_those_without() -> None:
    records = [work(f, family=f) for f in ("Zola", "Ångström", "Oz", "Øre", "Abel", "Ünal", "Smith Jones", "Smith")]
    order = [text.partition(",")[0] for text in write(records, "apa").bibliography]
    assert order == ["Abel", "Ångström", "Øre", "Oz", "Smith", "Smith Jones", "Ünal", "Zola"]


def test_notes_say_ibid_and_shorten_what_was_cited_before() -> None:
    groups = [[Cite("a", "3")], [Cite("a", "4")], [Cite("b")], [Cite("a")]]
    made = write([work("a"), work("b", family="Ash")], "chicago-notes-bibliography-subsequent-ibid", *groups)
    assert made.citations == (
        "Jane Roe, A Title (2001), 3.",
        "Ibid., 4.",
        "Jane Ash, A Title (2001).",
        "Roe, A Title.",
    )


# -- what the writer adds ------------------------------------------------------------------------------------


def test_the_writers_words_stand_around_the_citation() -> None:
    cites = [Cite("a", "5", prefix="see"), Cite("b", "2-3", "chapter", suffix=", and elsewhere")]
    made = write([work("a"), work("b", family="Ash")], "chicago-author-date", cites)
    assert made.citations == ("(see Roe 2001, 5; Ash 2001, chaps. 2–3, and elsewhere)",)


def test_a_locator_that_names_its_part_gets_no_label() -> None:
    groups = [[Cite("k", "fol. 12")], [Cite("k", "xii")], [Cite("k", "S12-S15")]]
    assert write([work()], "apa", *groups).citations == (
        "(Roe, 2001, fol. 12)",
        "(Roe, 2001, p. xii)",
        "(Roe, 2001, pp. S12–S15)",
    )


def test_a_note_points_back_to_the_note_that_cited_first() -> None:
    made = write([work("a"), work("b", family="Ash")], "oscola", [Cite("a")], [Cite("b")], [Cite("a", "5")])
    assert made.citations[2] == "Roe (n 1) 5."


def test_an_author_may_be_left_out_or_stand_in_the_sentence() -> None:
    cites = ([Cite("k", suppress_author=True)], [Cite("k", in_text=True)], [Cite("w", suppress_author=True)])
    made = write([work(), work("w", title="Another")], "modern-language-association", *cites)
    assert made.citations == ("(A Title)", "Roe (A Title)", "(Another)")
    assert write([work()], "apa", *cites[:2]).citations == ("(2001)", "Roe (2001)")
    # With nothing left but the author, the author is shown: an empty bracket cites nobody.
    assert write([work()], "modern-language-association", *cites[:2]).citations == ("(Roe)", "Roe")
    editors = work(editor=[{"family": "Ash", "given": "X."}])
    assert write([editors], "nature", [Cite("k", in_text=True)]).citations == ("Roe¹",)


def test_a_page_that_the_style_does_not_show_is_said() -> None:
    made = write([work()], "nature", [Cite("k", "33")])
    assert made.warnings == ("Nature shows no page in a citation; it was left out for k.",)


# -- markup --------------------------------------------------------------------------------------------------

MARKED = 'On <i>Homo sapiens</i>, CO<sub>2</sub>, <span class="nocase">iPads</span> & "R < S"'


def test_markup_in_titles_becomes_the_markup_asked_for() -> None:
    fields: dict[str, Any] = {"type": "article-journal", "container-title": "J", "title": MARKED}
    assert "On *Homo sapiens*, CO~2~, iPads & “R \\< S.” *J*." in entry(markup="markdown", **fields)
    assert "On <i>Homo sapiens</i>, CO<sub>2</sub>, iPads &amp; “R &lt; S.” <i>J</i>." in entry(markup="html", **fields)
    assert "On Homo sapiens, CO₂, iPads & “R < S.” J." in entry(**fields)
    chicago = entry("chicago-author-date", **fields)
    assert "“On Homo sapiens, CO₂, iPads & ‘R < S.’” J." in chicago.replace("Sapiens", "sapiens")


def test_italics_inside_an_italic_title_stand_upright() -> None:
    assert "*On* Homo *and us*" in entry(markup="markdown", title="On <i>Homo</i> and us")
    assert "Homo *and us*." in entry(markup="markdown", title="<i>Homo</i> and us")
    upright = '<i>On <span style="font-style:normal;">Homo</span> and us</i>'
    assert upright in entry(markup="html", title="On <i>Homo</i> and us")


def test_markdown_shows_special_characters_as_they_are() -> None:
    text = entry(markup="markdown", title="*a* _b_ [c] `d` \\e $f$ @g <script> ~h~ ^i^ &amp;")
    assert r"\*a\* \_b\_ \[c\] \`d\` \\e \$f\$ \@g \<script\> \~h\~ \^i\^ \&amp;" in text
    assert "&lt;script&gt;" in entry(markup="html", title="<script>")


def test_a_doi_is_a_link_and_is_shown_once() -> None:
    doi: dict[str, Any] = {"DOI": "doi:10.1000/a_(1)<2>", "URL": "https://doi.org/10.1000/A_(1)<2>"}
    assert entry("vancouver", type="webpage", **doi).count("10.1000") == 1
    assert '<a href="https://doi.org/10.1000/a_(1)%3C2%3E">https://doi.org/10.1000/a_(1)&lt;2&gt;</a>' in entry(
        markup="html", **doi
    )
    assert entry(markup="markdown", DOI="10.1000/a_b").endswith("<https://doi.org/10.1000/a_b>")
    assert "<a" not in entry(markup="html", URL="javascript:alert(1)")


def test_typography_of_a_style_is_not_undone_inside_its_own() -> None:
    editors = work(author=[], editor=[{"family": "Ash", "given": "X."}])
    made = write([editors], "din-1505-2", markup="html")
    assert made.citations == ('(<span style="font-variant:small-caps;">Ash</span>, 2001)',)


def test_quotation_marks_of_another_language_stay() -> None:
    article: dict[str, Any] = {"type": "article-journal", "container-title": "J"}
    for title in ("Les « mots » ici", "Das „Wort“ hier", "A ‘quoted’ word"):
        assert f"{title}. J." in entry(title=title, **article)
    assert "A “quoted” word. J." in entry(title="A “quoted” word", locale="de", **article)
    assert "A „quoted“ word. J." in entry(title='A "quoted" word', locale="de", **article)
    assert "“Say ‘Yes “Sir”’ Now.”" in entry("chicago-author-date", title="Say “yes ‘sir’” now", **article)


def test_punctuation_is_not_doubled_where_parts_meet() -> None:
    article: dict[str, Any] = {"type": "article-journal", "container-title": "J"}
    assert entry("chicago-author-date", title="Why?", **article).endswith("“Why?” J.")
    assert "And so on... ." not in entry(title="And so on...")
    assert "And so on... (" in entry(title="And so on...", edition="2")


def test_titles_keep_their_case_in_languages_other_than_english() -> None:
    assert "Der kleine Prinz" in entry("chicago-author-date", title="Der kleine Prinz", language="German")
    assert "The Little Prince" in entry("chicago-author-date", title="The little prince", language="en-US")


def test_capitals_are_the_records_where_it_has_them() -> None:
    assert "From A to Z" in entry("chicago-author-date", title="From A to Z: vitamin A in brief")
    assert "arXiv:2103" in entry("chicago-author-date", type="article", number="arXiv:2103", publisher="arXiv")
    # A title in a German text without a language of its own is German, and keeps its small letters.
    undated = work(author=[], title="Der kleine Prinz")
    assert write([undated], "apa", locale="de").citations == ("(Der kleine Prinz, 2001)",)


def test_what_stands_in_for_an_author_is_still_known_to_the_style() -> None:
    unsigned: dict[str, Any] = {
        "type": "article-magazine",
        "author": [],
        "container-title": "The Economist",
        "title": "A note",
    }
    assert entry("chicago-author-date", **unsigned) == "The Economist. 2001. “A Note.”"
    editors: dict[str, Any] = {"author": [], "editor": [{"family": "Ash", "given": "X."}], "publisher": "Oak"}
    assert entry("iso690-author-date-fr", **editors) == "ASH, X. (éd.), 2001. A title. Oak."


def test_a_junior_has_no_full_stop_where_initials_have_none() -> None:
    junior = [{"family": "King", "given": "Martin Luther", "suffix": "Jr."}]
    assert entry("springer-basic-author-date", author=junior).startswith("King ML Jr (2001)")


def test_a_range_of_issues_has_the_dash_of_its_pages() -> None:
    text = entry("american-medical-association", type="article-journal", volume="5", issue="1-2", page="3-12")
    assert "5(1-2):3-12" in text


def test_zoteros_extra_lines_fill_the_record() -> None:
    text = entry(note="Original Date: 1923\nCitation Key: roe\nA private remark.")
    assert text == "Roe, J. (2001). A title. (Original work published 1923)"
    chapter: dict[str, Any] = {"type": "chapter", "container-title": "A book"}
    text = entry(note="Editor: Ash||Xenia\nEditor: Oak Society", **chapter)
    assert text == "Roe, J. (2001). A title. In X. Ash & Oak Society (Eds.), A book."


def test_a_language_gives_its_words() -> None:
    made = write([work(editor=[{"family": "Ash", "given": "X."}])], "apa", [Cite("k", "3")], locale="de")
    assert made.locale == "de-DE" and made.citations == ("(Roe, 2001, S. 3)",) and "Hrsg." in made.bibliography[0]
    unknown = write([work()], "apa", locale="tlh")
    assert unknown.locale == "en-US" and unknown.warnings == (
        "There is no language “tlh” for citations; en-US was used.",
    )


# -- records and styles of any shape -------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
VARIABLES = st.sampled_from(
    ["type", "title", "author", "editor", "issued", "accessed", "page", "volume", "edition", "DOI", "URL", "note",
     "language", "container-title", "event", "number-of-pages", "citation-key", "_graph"]
)  # fmt: skip


@settings(max_examples=40)
@given(record=st.dictionaries(VARIABLES, JSON), markup=st.sampled_from(["markdown", "html", "text"]))
def test_no_record_is_too_odd(record: dict[str, Any], markup: Markup) -> None:
    record = {**record, "id": "k"}
    before = copy.deepcopy(record)
    for style in ("apa", "ieee"):
        made = format_citations([record], [[Cite("k", "1-2")]], find_style(style), markup=markup)
        assert len(made.citations) == 1 and not any("cannot be set" in warning for warning in made.warnings)
    assert repr(record) == repr(before)


def test_a_cited_work_without_a_record_is_named() -> None:
    with pytest.raises(CiteLoomError) as caught:
        write([work()], "apa", [Cite("k"), Cite("gone")])
    assert caught.value.code == Code.CITEKEY_NOT_FOUND and caught.value.details == {"citekeys": ["gone"]}


def test_a_style_with_what_cannot_be_set_is_replaced_and_that_is_said(tmp_path: Path) -> None:
    style = style_from_file(own_style(tmp_path, "<hologram/>"))
    made = format_citations([work()], [[Cite("k")]], style, markup="text")
    assert made.citations == ("(Roe, 2001)",)
    used = "uses the element <hologram>, which is not supported; APA Style 7th edition was used instead."
    assert made.warnings == (f"My faculty's style {used}",)


@pytest.mark.parametrize("calls", [1, 12])
def test_macros_without_end_do_not_hang(tmp_path: Path, calls: int) -> None:
    names = [f"m{i}" for i in range(12)] if calls > 1 else ["m0"]
    following = [*names[1:], "m0" if calls == 1 else ""]
    body = [
        f'<macro name="{n}">{f"""<text macro="{f}"/>""" * calls}</macro>' for n, f in zip(names, following, strict=True)
    ]
    style = style_from_file(own_style(tmp_path, '<text macro="m0"/>', macros="".join(body)))
    (said,) = format_citations([work()], [[Cite("k")]], style, markup="text").warnings
    assert "was used instead" in said


def test_numbers_collapse_and_years_too(tmp_path: Path) -> None:
    records = [work(f"k{i}", title=f"T{i}") for i in range(4)]
    cites = [Cite(record["id"]) for record in records]
    assert write(records, "vancouver", cites, cites[:2]).citations == ("(1–4)", "(1,2)")
    names = '<names variable="author" suffix=" "><name form="short"/></names>'
    year = '<date variable="issued"><date-part name="year"/></date>'
    options = 'collapse="year-suffix-ranged" year-suffix-delimiter="," disambiguate-add-year-suffix="true"'
    style = style_from_file(own_style(tmp_path, names + year, citation=options))
    made = format_citations(records, [cites, [cites[0], cites[2]]], style, markup="text")
    assert made.citations == ("(Roe 2001a–d)", "(Roe 2001a,c)")
    assert made.warnings == ("My faculty's style has no bibliography; its citations are complete.",)


def test_threads_may_cite_at_once() -> None:
    with ThreadPoolExecutor(4) as pool:
        made = list(
            pool.map(lambda i: write([work(year=2000 + i)], "ieee" if i % 2 else "apa").bibliography[0], range(12))
        )
    assert all(f"{2000 + i}" in text for i, text in enumerate(made))
