"""Nothing that an agent stored, or a file says of itself, becomes the words of a work before the researcher says so."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support import WRITING, Editor, citeloom, done, stop_engine

SAID = "a disputed quotation can be settled by walking to the shelf"
FORGED = "every quotation in this paper was invented by its author"
DOI = "10.5555/quotations.2019"
RECORDS = f"""
@article{{hartmann2019, author = {{Hartmann, Eva}}, title = {{Quotations and their shelves}}, year = {{2019}},
  doi = {{{DOI}}}, file = {{hartmann.md}}}}
@article{{okafor2021, author = {{Okafor, Chidi}}, title = {{Sleep in small towns}}, year = {{2021}}}}
"""


class Library:
    """A project with one paper that its record names, an editor that may write, and the researcher's command line."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder, self.project = home, folder, folder.name
        self.editor = Editor(home, *WRITING, name="eager-editor")

    def run(self, *arguments: str) -> str:
        return done(citeloom(self.home, *arguments))

    def documents(self, *options: str) -> dict[str, dict[str, Any]]:
        return {d["source"]: d for d in json.loads(self.run("documents", self.project, *options, "--json"))}

    def decide(self, *options: str) -> dict[str, Any]:
        (decided,) = json.loads(self.run("documents", self.project, *options, "--json"))
        return dict(decided)

    def verify(self, quote: str, **more: str) -> dict[str, Any]:
        return self.editor.call("verify_quote", project=self.project, quote=quote, **more)

    def check(self, quote: str, key: str = "hartmann2019") -> list[str]:
        text = f'She writes that "{quote}" [@{key}].'
        return [f["rule"] for f in self.editor.call("check_citations", project=self.project, text=text)["findings"]]

    def hits(self, text: str, **filters: str) -> list[dict[str, Any]]:
        found = self.editor.call("query_hybrid", project=self.project, text=text, filters=filters or None, top_k=20)
        return list(found["items"])

    def store(self, text: str, number: int = 1, **metadata: Any) -> dict[str, Any]:
        item = {"id": f"forged-{number}", "text": text, "embedding": [0.05] * 384, "metadata": metadata}
        return self.editor.call("store_chunks", project=self.project, items=[item])

    def write(self, name: str, text: str) -> Path:
        file = self.folder / name
        file.write_text(text)
        return file


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("home")
    yield folder
    stop_engine(folder)


@pytest.fixture
def library(home: Path, tmp_path: Path) -> Iterator[Library]:
    folder = tmp_path / tmp_path.name.replace("_", "-")[-40:]
    folder.mkdir()
    (folder / "library.bib").write_text(RECORDS)
    (folder / "hartmann.md").write_text(f"# Quotations and their shelves\n\nIt is said that {SAID}.\n")
    references = ["--references", str(folder / "library.bib")]
    done(citeloom(home, "project", "add", folder.name, *references, "--folder", str(folder)))
    done(citeloom(home, "sync", folder.name))
    made = Library(home, folder)
    yield made
    made.editor.close()


# -- what an agent stored ----------------------------------------------------------------------------------------


def test_words_that_an_agent_stored_under_a_works_key_are_not_the_works_words(library: Library) -> None:
    library.store(f"We admit that {FORGED}.", citekey="hartmann2019", title="Quotations and their shelves", doi=DOI)
    absent = library.verify(FORGED, citekey="hartmann2019")
    assert (absent["verdict"], absent["elsewhere"], absent["cite"]) == ("absent", None, None)
    assert absent["unconfirmed"]["claimed_citekey"] == "hartmann2019"
    assert "Only what an agent stored" in absent["message"]
    assert library.verify(FORGED)["verdict"] == "absent", "nor are they those of any work"
    assert library.check(FORGED) == ["quote-absent"]
    assert library.verify(SAID, citekey="hartmann2019")["verdict"] == "exact"
    assert citeloom(library.home, "verify", library.project, FORGED, "--citekey", "hartmann2019").returncode == 1

    (hit,) = library.hits(FORGED, text_source="agent")
    assert (hit["citekey"], hit["claimed_citekey"], hit["cite"]) == ("", "hartmann2019", None)
    assert all(h["source"] == "hartmann.md" for h in library.hits(FORGED, citekey="hartmann2019"))
    assert "stored by an agent; says it is hartmann2019" in library.run("search", library.project, FORGED)
    exported = library.run("export", library.project, "--format", "csl-json")
    assert [work["id"] for work in json.loads(exported)] == ["hartmann2019", "okafor2021"]


def test_a_work_that_only_an_agent_knows_cannot_be_cited(library: Library) -> None:
    library.store(FORGED, citekey="nobody1999", title="Nothing")
    assert library.check(FORGED, "nobody1999") == ["unknown-key"]
    refused = library.editor.fail("format_citations", project=library.project, citekeys=["nobody1999"])
    assert refused["code"] == "CITEKEY_NOT_FOUND"


def test_the_log_says_who_stored_what(library: Library) -> None:
    library.store(FORGED, citekey="hartmann2019", doc_id="notes")
    (entry,) = json.loads(library.run("log", "--project", library.project, "--json"))
    assert (entry["client"], entry["tool"]) == ("eager-editor 1.0", "store_chunks")
    assert entry["asked"] == "stored 1 passages in notes as hartmann2019"


def test_what_an_agent_stored_counts_when_the_researcher_confirms_it_and_stays_the_agents(library: Library) -> None:
    library.store(FORGED, citekey="okafor2021", doc_id="okafor")
    stored = library.documents("--doubtful")["stored:okafor"]
    assert (stored["claimed_citekey"], stored["text_source"]) == ("okafor2021", "agent")
    assert library.decide("--confirm", stored["doc_id"])["citekey"] == "okafor2021"
    assert library.documents("--doubtful") == {}

    found = library.verify(FORGED, citekey="okafor2021")
    assert (found["verdict"], found["text_source"], found["matched_by"]) == ("exact", "agent", "confirmed")
    assert "stored by an agent, confirmed by you" in found["message"]
    (hit,) = library.hits(FORGED, citekey="okafor2021")
    assert (hit["cite"], hit["text_source"], hit["claimed_citekey"]) == ("[@okafor2021]", "agent", None)
    assert hit["title"] == "Sleep in small towns"
    checked = library.editor.call("check_citations", project=library.project, text=f'"{FORGED}" [@okafor2021].')
    assert checked["findings"] == []
    assert any("came from an agent" in warning for warning in checked["warnings"])

    library.store("And one sentence more.", 2, citekey="okafor2021", doc_id="okafor")
    assert library.verify(FORGED, citekey="okafor2021")["verdict"] == "inconclusive", "it was another text"
    assert all(h["cite"] is None for h in library.hits(FORGED, text_source="agent"))
    assert "stored:okafor" in library.documents("--doubtful")


# -- what an agent says of a file --------------------------------------------------------------------------------


def test_a_file_is_not_a_work_because_an_agent_says_so(library: Library) -> None:
    library.write("notes.md", f"# Notes\n\nWe admit that {FORGED}.\n")
    says = {"metadata": {"citekey": "okafor2021", "title": "Sleep in small towns", "doi": DOI}}
    library.editor.call("ingest_from_source", project=library.project, source="notes.md", options=says)
    notes = library.documents()["notes.md"]
    assert (notes["claimed_citekey"], notes["citekey_made"], notes["title"]) == ("okafor2021", True, "Notes")
    assert library.check(FORGED, "okafor2021") == ["no-text"]
    elsewhere = library.verify(FORGED, citekey="okafor2021")["elsewhere"]
    assert (elsewhere["citekey"], elsewhere["matched_by"]) == (notes["citekey"], None)

    library.decide("--confirm", notes["doc_id"])
    found = library.verify(FORGED, citekey="okafor2021")
    assert (found["verdict"], found["matched_by"], found["source"]) == ("exact", "confirmed", "notes.md")
    assert found["title"] == "Sleep in small towns"


# -- what a file says of itself ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "head", "by"),
    [
        ("forged.md", f"# A reprint\n\nhttps://doi.org/{DOI}\n\n", "doi"),
        ("forged.md", "# Quotations and their shelves\n\n", "title"),
        ("sub/hartmann.md", "# A reprint\n\n", "name"),
    ],
    ids=["doi", "title", "name"],
)
def test_a_file_that_says_it_is_a_work_which_has_another_file_waits_to_be_confirmed(
    library: Library, name: str, head: str, by: str
) -> None:
    (library.folder / "sub").mkdir()
    library.write(name, f"{head}We admit that {FORGED}.\n")
    said = library.run("sync", library.project)
    assert "has another file" in said and "--doubtful" in said
    (doubtful,) = library.documents("--doubtful").values()
    assert (doubtful["claimed_citekey"], doubtful["claimed_by"], doubtful["citekey"]) == ("hartmann2019", by, "")

    absent = library.verify(FORGED, citekey="hartmann2019")
    assert absent["verdict"] == "absent"
    assert (absent["unconfirmed"]["doc_id"], absent["source"]) == (doubtful["doc_id"], "hartmann.md")
    assert library.check(FORGED) == ["quote-absent"]
    assert {(h["cite"], h["claimed_citekey"]) for h in library.hits(FORGED, claimed_citekey="hartmann2019")} == {
        (None, "hartmann2019")
    }
    right = library.verify(SAID, citekey="hartmann2019")
    assert (right["verdict"], right["source"], right["matched_by"]) == ("exact", "hartmann.md", "file")
    assert "hartmann.md (the file that its record names)" in right["message"]
    assert "hartmann.md (the file that its record names)" in library.run(
        "verify", library.project, SAID, "--citekey", "hartmann2019"
    )


def test_decisions_stay_until_the_file_changes(library: Library) -> None:
    text = f"# Reprint {{}}\n\nhttps://doi.org/{DOI}\n\nWe admit that {FORGED}.\n"
    for name in ("right.md", "wrong.md"):
        library.write(name, text.format(name))
    library.run("sync", library.project)
    ids = {name: d["doc_id"] for name, d in library.documents("--doubtful").items()}
    assert library.decide("--confirm", ids["right.md"])["matched_by"] == "confirmed"
    refused = library.decide("--refuse", ids["wrong.md"][:8])
    assert (refused["citekey_made"], refused["claimed_citekey"]) == (True, None)

    def decided() -> dict[str, tuple[str, str]]:
        assert library.documents("--doubtful") == {}
        found = library.documents()
        return {name: (found[name]["citekey"], found[name]["matched_by"]) for name in ids}

    first = decided()
    assert first == {"right.md": ("hartmann2019", "confirmed"), "wrong.md": (refused["citekey"], None)}
    (library.folder / "library.bib").write_text(RECORDS + "@book{new2022, title = {A new book of records}}\n")
    library.run("sync", library.project)
    assert decided() == first
    library.run("ingest", library.project, "--force-rebuild")
    assert decided() == first
    found = library.verify(FORGED, citekey="hartmann2019")
    assert (found["verdict"], found["matched_by"]) == ("exact", "confirmed")
    assert {h["cite"] for h in library.hits(FORGED, source="right.md")} == {"[@hartmann2019]"}

    for name in ids:
        library.write(name, text.format(f"{name}, second edition"))
    library.run("sync", library.project)
    assert set(library.documents("--doubtful")) == set(ids), "what was decided was another text"
    assert library.verify(FORGED, citekey="hartmann2019")["verdict"] == "absent"


def test_a_copy_of_the_file_that_the_record_names_is_that_work(library: Library, tmp_path: Path) -> None:
    away = tmp_path / "storage"
    away.mkdir()
    (library.folder / "hartmann.md").rename(away / "hartmann.md")
    copied = library.folder / "Hartmann - copy.md"
    copied.write_bytes((away / "hartmann.md").read_bytes())
    (library.folder / "library.bib").write_text(RECORDS.replace("hartmann.md", str(away / "hartmann.md")))
    library.run("sync", library.project)
    assert library.documents("--doubtful") == {}
    found = library.verify(SAID, citekey="hartmann2019")
    assert (found["verdict"], found["source"], found["matched_by"]) == ("exact", copied.name, "title")


def test_only_what_there_is_can_be_decided(library: Library) -> None:
    known = library.documents()["hartmann.md"]["doc_id"]
    for options, said in (
        (("--confirm", "no-such-id"), "No document"),
        (("--confirm", known), "No work is claimed"),
        (("--confirm", known, "--as", "hartman2019"), "hartmann2019"),
        (("--refuse", known), "No work is claimed"),
        (("--as", "hartmann2019"), "--confirm"),
    ):
        refused = citeloom(library.home, "documents", library.project, *options)
        assert refused.returncode != 0 and said in refused.stderr, refused
    assert not {"confirm", "refuse"} & {word for name in tools(library.editor) for word in name.split("_")}


def tools(editor: Editor) -> list[str]:
    return [tool["name"] for tool in editor.request("tools/list")["result"]["tools"]]
