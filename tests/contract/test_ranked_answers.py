"""What comes first, as an agent sees it: named works and phrases, scores that say something, each thing once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contract.sample_library import HARTMANN, PROJECT, QUESTIONS
from tests.contract.strict_editor import StrictEditor
from tests.support import citeloom, done

OKAFOR = "okaforSleepSpindleDensity2021"


@pytest.mark.parametrize(
    ("question", "citekey"),
    [
        (HARTMANN, HARTMANN),
        (f"what does @{OKAFOR} say of women", OKAFOR),
        ("hartmann2019", HARTMANN),
        ("Okafor 2021 sampling", OKAFOR),
        ("Lindqvist and Okafor", OKAFOR),
        ("sorensen (2023)", "sorensenArtificialLightStopover2023"),
        ("Low Power and Inflated Effects", "delgadoLowPowerInflated2016"),
        ('"for the courtesy of the term"', "venturiPepperPledgesInterest2017"),
    ],
)
def test_hybrid_finds_what_a_question_names(reader: StrictEditor, question: str, citekey: str) -> None:
    hits = reader.call("query_hybrid", project=PROJECT, text=question)["items"]
    assert hits[0]["citekey"] == citekey
    assert hits[0]["score"] > 0.49  # the title of a first page stands among the lines above and below it


def test_a_phrase_in_quotation_marks_is_in_the_first_hit(reader: StrictEditor) -> None:
    hit = reader.call("query_hybrid", project=PROJECT, text='"ladder – vinegar"', full_text=True)["items"][0]
    assert "ladder – vinegar" in hit["full_text"]


def test_scores_of_questions_without_an_answer_stay_below_those_with_one(reader: StrictEditor) -> None:
    def best(question: str) -> float:
        return float(reader.call("query_hybrid", project=PROJECT, text=question, top_k=1)["items"][0]["score"])

    foreign = (
        "superconducting qubits with long coherence times",
        "how to bake sourdough bread at home",
        "asdf qwer zxcv",
    )
    assert max(map(best, foreign)) < 0.25 < min(map(best, QUESTIONS))


@pytest.mark.parametrize("tool", ["query", "query_hybrid"])
def test_per_document_shows_other_works_in_the_place_of_more_hits_of_one(reader: StrictEditor, tool: str) -> None:
    usual = reader.call(tool, project=PROJECT, text=QUESTIONS[0])["items"]
    assert len({hit["citekey"] for hit in usual}) < 6
    hits = reader.call(tool, project=PROJECT, text=QUESTIONS[0], per_document=1)["items"]
    assert len({hit["citekey"] for hit in hits}) == len(hits) == 6
    assert hits[0]["chunk_id"] == usual[0]["chunk_id"]
    assert reader.fail(tool, project=PROJECT, text=QUESTIONS[0], per_document=0)["code"] == "INVALID_INPUT"


def test_a_merged_hit_holds_its_passages_whole_on_all_their_pages(reader: StrictEditor) -> None:
    hits = [
        hit
        for question in QUESTIONS
        for hit in reader.call("query_hybrid", project=PROJECT, text=question, top_k=20, full_text=True)["items"]
    ]
    merged = [hit for hit in hits if hit["merged"]]
    assert merged
    for hit in merged[:5]:
        ids = [part["chunk_id"] for part in hit["merged"]]
        assert hit["chunk_id"] in ids
        passages = [reader.call("get_passage", project=PROJECT, chunk_id=one)["passage"] for one in ids]
        assert hit["full_text"] == "\n\n".join(passage["full_text"] for passage in passages)
        assert len(hit["render_text"]) <= 1800
        assert [part["cite"] for part in hit["merged"]] == [passage["cite"] for passage in passages]
        assert hit["page_labels"] == list(dict.fromkeys(label for p in passages for label in p["page_labels"]))
        if hit["page_span"]:
            assert hit["page_span"] == [passages[0]["page_span"][0], passages[-1]["page_span"][1]]


def test_the_same_text_in_two_files_is_shown_once_and_the_other_is_named(shared_home: Path, tmp_path: Path) -> None:
    said = (
        "Otters hold hands while they sleep, so that the tide does not carry one of them away from the others at night."
    )
    (tmp_path / "preprint.md").write_text(f"# Preprint\n\n{said}\n", encoding="utf-8")
    (tmp_path / "published.md").write_text(f"# Published\n\n{said} We thank the otters.\n", encoding="utf-8")
    done(citeloom(shared_home, "project", "add", "twice", "--folder", str(tmp_path)))
    done(citeloom(shared_home, "ingest", "twice"))
    with StrictEditor(shared_home) as editor:
        answer = editor.call("query_hybrid", project="twice", text="why do otters hold hands")
        assert answer["count"] == 1
        (hit,) = answer["items"]
        (other,) = hit["also_in"]
        assert other["cite"] not in (hit["cite"], "")
        passage = editor.call("get_passage", project="twice", chunk_id=other["chunk_id"])["passage"]
        assert "Otters hold hands" in passage["full_text"]
