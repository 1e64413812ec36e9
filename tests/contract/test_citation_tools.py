"""Citing as an agent does: quotations verified, citations formatted, a piece of manuscript checked."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.contract.sample_library import COVERED, HARTMANN, PROJECT
from tests.contract.strict_editor import StrictEditor
from tests.support import Editor, citeloom, done

SHELF = "a disputed quotation can be settled by walking to the shelf"
TAMATOA = "tamatoaStaggeredRecoveryShallow2020"


# -- verify_quote ------------------------------------------------------------------------------------------------


def test_a_quotation_that_stands_there_is_exact_with_its_printed_and_its_pdf_page(reader: StrictEditor) -> None:
    answer = reader.call("verify_quote", project=PROJECT, quote=SHELF, citekey=HARTMANN, page="253")
    assert (answer["verdict"], answer["page_labels"], answer["page_span"]) == ("exact", ["253"], [1, 1])
    assert (answer["page_right"], answer["cite"]) == (True, f"[@{HARTMANN}, p. 253]")
    assert answer["sentence"].startswith("A disputed interpretation may remain disputed")
    assert (answer["section_path"], answer["text_source"]) == (["Introduction"], "native")
    assert answer["open_uri"].endswith(".pdf#page=1")
    assert (answer["searched"], answer["coverage"]) == ({"documents": 1, "pages": 6}, COVERED)


def test_a_running_head_is_quoted_from_the_page_it_stands_on(reader: StrictEditor) -> None:
    quote = "Journal of Bibliographic Practice Quotation Errors in Scholarly Monographs"
    answer = reader.call("verify_quote", project=PROJECT, quote=quote, citekey=HARTMANN, page="255")
    assert (answer["verdict"], answer["page_labels"], answer["page_right"]) == ("exact", ["255"], True)


def test_typography_makes_no_difference_but_is_said(reader: StrictEditor) -> None:
    quote = "A disputed quo-\ntation can be settled by walking to the shelf,"
    answer = reader.call("verify_quote", project=PROJECT, quote=quote, citekey=HARTMANN)
    assert answer["verdict"] == "exact"
    assert set(answer["allowed"]) == {"hyphenation", "capital at the start", "punctuation at the end"}


@pytest.mark.parametrize(("claimed", "said"), [("256", "256, is wrong"), (1, "PDF page")])
def test_a_wrong_page_is_told_and_the_right_one_given(reader: StrictEditor, claimed: str | int, said: str) -> None:
    answer = reader.call("verify_quote", project=PROJECT, quote=SHELF, citekey=HARTMANN, page=claimed)
    assert (answer["verdict"], answer["page_right"], answer["page_labels"]) == ("exact", False, ["253"])
    assert said in answer["message"]


@pytest.mark.parametrize(
    ("quote", "change"),
    [
        ("a disputed quotation can never be settled by walking to the shelf", {"quote": "never", "work": ""}),
        ("a disputed quotation can be settled by driving to the shelf", {"quote": "driving", "work": "walking"}),
    ],
    ids=["negation", "word"],
)
def test_a_changed_word_is_near_and_the_diff_shows_it(reader: StrictEditor, quote: str, change: dict[str, str]) -> None:
    answer = reader.call("verify_quote", project=PROJECT, quote=quote, citekey=HARTMANN)
    assert (answer["verdict"], answer["changes"]) == ("near", [change])
    assert f"[-{change['quote']}-]" in answer["diff"]


def test_a_quotation_of_another_work_is_absent_and_that_work_is_named(reader: StrictEditor) -> None:
    answer = reader.call("verify_quote", project=PROJECT, quote=SHELF, citekey=TAMATOA)
    assert (answer["verdict"], answer["text"], answer["cite"]) == ("absent", None, None)
    assert answer["elsewhere"]["citekey"] == HARTMANN
    assert (answer["elsewhere"]["verdict"], answer["elsewhere"]["page_labels"]) == ("exact", ["253"])


def test_without_a_work_the_whole_project_is_searched(reader: StrictEditor) -> None:
    answer = reader.call("verify_quote", project=PROJECT, quote=SHELF)
    assert (answer["verdict"], answer["citekey"]) == ("exact", HARTMANN)
    invented = "the librarians of Marlow burned every second quotation in the winter of 1911"
    answer = reader.call("verify_quote", project=PROJECT, quote=invented)
    assert (answer["verdict"], answer["elsewhere"]) == ("absent", None)
    assert "10 searchable documents" in answer["message"]


def test_a_quotation_too_short_to_prove_anything_says_so(reader: StrictEditor) -> None:
    answer = reader.call("verify_quote", project=PROJECT, quote="of the", citekey=HARTMANN)
    assert answer["verdict"] == "inconclusive"
    assert answer["places"] > 1


@pytest.mark.parametrize("quote", ["", "  \n ", "x" * 20_001], ids=["empty", "blank", "too long"])
def test_what_is_no_quotation_is_refused(reader: StrictEditor, quote: str) -> None:
    assert reader.fail("verify_quote", project=PROJECT, quote=quote)["code"] == "INVALID_INPUT"


@pytest.mark.parametrize("quote", ["(.*)+$ [a-z]{3,}\\1 (?P<x>", "Ζωή 生活 жизнь حياة zoo"], ids=["regex", "scripts"])
def test_any_text_may_be_asked_for(reader: StrictEditor, quote: str) -> None:
    answer = reader.call("verify_quote", project=PROJECT, quote=quote, citekey=HARTMANN)
    assert answer["verdict"] in ("absent", "inconclusive")


def test_an_unknown_citekey_is_answered_with_near_ones(reader: StrictEditor) -> None:
    error = reader.fail("verify_quote", project=PROJECT, quote=SHELF, citekey="hartmann2019")
    assert error["code"] == "CITEKEY_NOT_FOUND"
    assert HARTMANN in error["message"]


def test_the_access_log_names_the_works_and_passages_whose_words_went_out(
    reader: StrictEditor, sample_home: Path
) -> None:
    changed = SHELF.replace("walking", "driving")
    calls = [
        reader.call("verify_quote", project=PROJECT, quote=SHELF, citekey=TAMATOA),
        reader.call("check_citations", project=PROJECT, text=f'So "{changed}" [@{HARTMANN}].'),
        reader.call("format_citations", project=PROJECT, citekeys=[HARTMANN, TAMATOA]),
    ]
    found = reader.call("query_hybrid", project=PROJECT, text=HARTMANN, top_k=20)
    log = json.loads(done(citeloom(sample_home, "log", "--json")))
    asked = {entry["correlation_id"]: entry["asked"] for entry in log}
    assert [asked[call["correlation_id"]] for call in calls] == [
        f"[@{HARTMANN}, p. 253]: {SHELF}",
        f'[@{HARTMANN}]: So "{changed}" [@{HARTMANN}].',
        f"{HARTMANN}, {TAMATOA}",
    ]
    passages = [part["chunk_id"] for hit in found["items"] for part in hit["merged"] or [hit]]
    assert len(passages) > found["count"], "no hit is made of several passages"
    assert next(e["passages"] for e in log if e["correlation_id"] == found["correlation_id"]) == passages


# -- format_citations --------------------------------------------------------------------------------------------


def test_a_bibliography_is_made_from_the_records(reader: StrictEditor) -> None:
    answer = reader.call("format_citations", project=PROJECT, citekeys=[TAMATOA, HARTMANN], style="apa")
    assert [entry.split(",")[0] for entry in answer["entries"]] == ["Hartmann", "Tamatoa"]
    assert answer["entries"][0].startswith("Hartmann, L., & Osei, K. (2019). Quotation Errors in Scholarly Monographs")
    assert "<https://doi.org/10.5555/jbp.2019.41.3.253>" in answer["entries"][0]
    assert answer["text"] == "\n\n".join(answer["entries"])


def test_in_text_citations_take_locators_prefixes_and_several_keys(reader: StrictEditor) -> None:
    cites = [f"[see @{HARTMANN}, p. 256; @{TAMATOA}]", HARTMANN]
    answer = reader.call("format_citations", project=PROJECT, citekeys=cites, style="apa", format="citation")
    assert answer["entries"] == ["(see Hartmann & Osei, 2019, p. 256; Tamatoa et al., 2020)", "(Hartmann & Osei, 2019)"]


def test_records_come_as_bibtex_and_csl_json(reader: StrictEditor) -> None:
    answer = reader.call("format_citations", project=PROJECT, citekeys=[HARTMANN, TAMATOA], format="bibtex")
    assert answer["text"].startswith(f"@article{{{HARTMANN},")
    assert f"@article{{{TAMATOA}," in answer["text"]
    answer = reader.call("format_citations", project=PROJECT, citekeys=[HARTMANN, TAMATOA], format="csl-json")
    assert [record["id"] for record in json.loads(answer["text"])] == [HARTMANN, TAMATOA]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ({"citekeys": ["hartmann2019"]}, "CITEKEY_NOT_FOUND", HARTMANN),
        ({"citekeys": [HARTMANN], "style": "chicago author dat"}, "STYLE_NOT_FOUND", "chicago-author-date"),
        ({"citekeys": [HARTMANN], "style": "/etc/passwd.csl"}, "STYLE_NOT_FOUND", ""),
        # an agent may not name a .csl file, so none is proposed
        ({"citekeys": [HARTMANN], "style": "zzqqxx"}, "STYLE_NOT_FOUND", "Give a style's id (apa) or its title."),
        ({"citekeys": [HARTMANN], "format": "word"}, "INVALID_INPUT", "csl-json"),
        ({"citekeys": []}, "INVALID_INPUT", ""),
    ],
    ids=["key", "style", "file", "nonsense", "format", "none"],
)
def test_a_miss_names_what_there_is(reader: StrictEditor, arguments: dict[str, object], code: str, said: str) -> None:
    error = reader.fail("format_citations", project=PROJECT, **arguments)
    assert error["code"] == code
    assert said in error["message"]


# -- check_citations ---------------------------------------------------------------------------------------------


def test_a_piece_of_manuscript_is_checked_citation_by_citation(reader: StrictEditor) -> None:
    text = (
        f"It is easily settled: “{SHELF}” [@{HARTMANN}, p. 256].\n\n"
        f"They add that “both promises can be tested with some special expertise” [@{HARTMANN}].\n\n"
        "Nobody disagrees [@hartman2019].\n\n"
        f"The reef “was painted blue by order of the harbour master” [@{TAMATOA}, p. 999].\n\n"
        f"Coral cover fell after the bleaching of 2016 [@{TAMATOA}, p. 402].\n"
    )
    answer = reader.call("check_citations", project=PROJECT, text=text)
    found = [(f["rule"], f["line"], f["citekey"]) for f in answer["findings"] if f["level"] == "error"]
    assert found == [
        ("wrong-page", 1, HARTMANN),
        ("quote-changed", 3, HARTMANN),
        ("unknown-key", 5, "hartman2019"),
        ("quote-absent", 7, TAMATOA),
        ("page-outside-work", 7, TAMATOA),
    ]
    assert (answer["citations"], answer["works"], answer["quotations"]) == (5, 2, 3)
    assert answer["findings"][0]["page_labels"] == ["253"]
    assert HARTMANN in answer["findings"][2]["near"]
    assert answer["coverage"] == COVERED


def test_a_text_that_is_too_long_or_cites_nothing_is_told(reader: StrictEditor) -> None:
    assert reader.fail("check_citations", project=PROJECT, text="a" * 50_001)["code"] == "INVALID_INPUT"
    answer = reader.call("check_citations", project=PROJECT, text="Nothing is cited here.")
    assert (answer["citations"], answer["findings"]) == (0, [])
    assert answer["warnings"] == ["There is no citation in it."]


def test_a_work_of_a_project_that_the_editor_may_not_see_is_an_unknown_key(shared_home: Path, tmp_path: Path) -> None:
    for name, text in (("open", "Otters sleep."), ("secret", "Badgers dig.")):
        folder = tmp_path / name
        folder.mkdir()
        (folder / f"{name}.md").write_text(f"# The {name} paper\n\n{text}\n", encoding="utf-8")
        done(citeloom(shared_home, "project", "add", name, "--folder", str(folder)))
        done(citeloom(shared_home, "ingest", name))
    with Editor(shared_home) as editor:
        key = editor.call("list_documents", project="secret")["documents"][0]["citekey"]
        (seen,) = editor.call("check_citations", project="open", text=f"It digs [@{key}].")["findings"]
        assert (seen["rule"], "secret" in seen["message"]) == ("not-in-project", True)
    with Editor(shared_home, "--project", "open") as editor:
        (hidden,) = editor.call("check_citations", project="open", text=f"It digs [@{key}].")["findings"]
        assert (hidden["rule"], "secret" in hidden["message"].replace(key, "")) == ("unknown-key", False)
