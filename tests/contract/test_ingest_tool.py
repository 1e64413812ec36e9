"""ingest_from_source: what an agent may bring in, what it is told, and what it may not touch."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.contract.strict_editor import StrictEditor
from tests.support import WRITING, citeloom, done, stop_engine, wait_for

COUNTS = ("new", "replaced", "skipped", "removed", "failed")
PROJECT_NUMBERS = itertools.count(1)


@pytest.fixture(scope="module")
def editor(shared_home: Path) -> Iterator[StrictEditor]:
    with StrictEditor(shared_home, *WRITING) as one:
        yield one


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder that the project may read, with two notes in it."""
    made = tmp_path / "papers"
    made.mkdir()
    (made / "otters.md").write_text("# Otters\n\nSea otters hold hands while they sleep.\n")
    (made / "bees.md").write_text("# Bees\n\nHoney bees dance to tell where the flowers are.\n")
    return made


@pytest.fixture
def project(shared_home: Path, folder: Path) -> str:
    """A project of this test's own that may read the folder."""
    name = f"project-{next(PROJECT_NUMBERS)}"
    done(citeloom(shared_home, "project", "add", name, "--folder", str(folder)))
    return name


@pytest.fixture(scope="module")
def fenced(shared_home: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the project `fenced`, with secrets around it and links to them in it. Only for refusals."""
    root = tmp_path_factory.mktemp("fenced")
    for name in ("papers", "outside", "papers-of-somebody-else"):
        (root / name).mkdir()
        (root / name / "secret.md").write_text("# Secret\n\nNobody may read this.\n")
    folder = root / "papers"
    (folder / "secret.md").rename(folder / "otters.md")
    (folder / "linked.md").symlink_to(root / "outside" / "secret.md")
    (folder / "linked-folder").symlink_to(root / "outside")
    (folder / "table.xlsx").write_bytes(b"PK")
    (root / "library.json").write_text("[]")
    done(citeloom(shared_home, "project", "add", "fenced", "--folder", str(folder)))
    return folder


def counts(answer: dict[str, Any]) -> dict[str, int]:
    """What an import did, without the zeros."""
    assert answer["status"] == "done", answer
    return {word: answer[word] for word in COUNTS if answer[word]}


def citekeys(editor: StrictEditor, project: str) -> dict[str, str]:
    """The citekey of each file."""
    return {d["source"]: d["citekey"] for d in editor.call("list_documents", project=project)["documents"]}


# -- what comes in -----------------------------------------------------------------------------------------------


def test_a_folder_is_imported_once_and_only_what_changed_again(
    editor: StrictEditor, project: str, folder: Path
) -> None:
    def ingest() -> dict[str, Any]:
        return editor.call("ingest_from_source", project=project, source=str(folder))

    first = ingest()
    assert counts(first) == {"new": 2}
    assert (first["documents_processed"], first["chunks_written"], first["errors"]) == (2, 2, [])
    assert (first["dense_model"], first["sparse_model"]) == ("citeloom/all-MiniLM-L6-v2-int8", "citeloom/bm25")
    assert first["project"] == project and first["job_id"] and first["duration_seconds"] > 0

    again = ingest()
    assert counts(again) == {"skipped": 2}
    assert (again["documents_processed"], again["chunks_written"]) == (0, 0)

    (folder / "otters.md").write_text("# Otters\n\nRiver otters slide down muddy banks.\n")
    (folder / "bees.md").unlink()
    (folder / "wasps.md").write_text("# Wasps\n\nPaper wasps chew wood into paper.\n")
    assert counts(ingest()) == {"new": 1, "replaced": 1, "removed": 1}
    found = editor.call("query", project=project, text="animals", top_k=20)
    assert sorted(hit["render_text"] for hit in found["items"]) == [
        "Paper wasps chew wood into paper.",
        "River otters slide down muddy banks.",
    ]
    assert found["coverage"]["documents"] == 2


def test_a_copy_of_a_document_is_skipped_and_said_to_be_one(editor: StrictEditor, project: str, folder: Path) -> None:
    editor.call("ingest_from_source", project=project, source=str(folder))
    (folder / "copy.md").write_bytes((folder / "otters.md").read_bytes())
    assert counts(editor.call("ingest_from_source", project=project, source=str(folder))) == {"skipped": 3}
    copies = editor.call("list_documents", project=project, status="duplicate")["documents"]
    assert [d["source"] for d in copies] == ["copy.md"]
    assert "otters.md" in copies[0]["reason"]
    assert editor.call("query", project=project, text="otters", top_k=20)["count"] == 2


def test_one_file_comes_in_by_its_name_in_the_folder_and_what_is_said_of_it_is_a_claim(
    editor: StrictEditor, project: str
) -> None:
    metadata = {
        "citekey": "lutra2001",
        "title": "On Otters",
        "authors": ["Lutra, Enhydra"],
        "year": 2001,
        "tags": ["sleep"],
        "collections": ["Chapter 2"],
    }
    options = {"metadata": metadata}
    assert counts(editor.call("ingest_from_source", project=project, source="otters.md", options=options)) == {"new": 1}
    filters = {"tags": "sleep", "collections": "Chapter 2", "claimed_citekey": "lutra2001"}
    hits = editor.call("query", project=project, text="otters", filters=filters)["items"]
    assert hits and not editor.call("query", project=project, text="otters", filters={"citekey": "lutra2001"})["items"]
    assert {(h["claimed_citekey"], h["citekey_made"], h["title"], h["year"]) for h in hits} == {
        ("lutra2001", True, "Otters", None)
    }
    assert set(citekeys(editor, project).values()) == {hits[0]["citekey"]} != {"lutra2001"}


def test_what_is_said_of_a_file_beside_its_record_stays_whatever_happens_to_it(
    editor: StrictEditor, project: str, shared_home: Path, folder: Path, tmp_path: Path
) -> None:
    # Dense vectors alone: the same words would be found with a key that is no filter any more.
    def found(where: str = project, **filters: Any) -> set[str]:
        hits = editor.call("query", project=where, text="animals", top_k=20, filters=filters)["items"]
        return {hit["source"] for hit in hits}

    metadata = {"citekey": "lutra2001", "lab": "North", "weight": 2.5, "checked": True, "codes": ["a", 7]}
    wanted = {"lab": "North", "weight": {"$gt": 2}, "checked": True, "codes": "a"}
    editor.call("ingest_from_source", project=project, source="bees.md")
    editor.call("ingest_from_source", project=project, source="otters.md", options={"metadata": metadata})
    assert found(**wanted) == {"otters.md"}
    assert found(lab={"$ne": "North"}) == {"bees.md"}

    editor.call("ingest_from_source", project=project, source="otters.md")
    assert found(**wanted) == {"otters.md"}, "lost when it was read again"
    (folder / "otters.md").write_text("# Otters\n\nThey have changed.\n")
    editor.call("ingest_from_source", project=project, source=str(folder))
    assert found(**wanted) == {"otters.md"}, "lost when the file changed"
    record = {"id": "enhydra", "type": "book", "title": "Otters", "issued": {"date-parts": [[1999]]}}
    (tmp_path / "library.json").write_text(json.dumps([record]))
    done(citeloom(shared_home, "ingest", project, "--references", str(tmp_path / "library.json")))
    assert citekeys(editor, project)["otters.md"] == "enhydra"
    assert found(**wanted, citekey="enhydra") == {"otters.md"}, "lost when its record changed"
    editor.call("ingest_from_source", project=project, source=str(folder), options={"force_rebuild": True})
    assert found(**wanted) == {"otters.md"}, "lost when the index was rebuilt"

    backup, other = tmp_path / "library.citeloom", tmp_path / "other-home"
    done(citeloom(shared_home, "backup", str(backup), "--project", project))
    other.mkdir(mode=0o700)
    done(citeloom(other, "restore", str(backup), "--yes"))
    try:
        with StrictEditor(other, *WRITING) as restored:
            call = {"project": project, "text": "animals", "top_k": 20, "filters": wanted}
            assert {hit["source"] for hit in restored.call("query", **call)["items"]} == {"otters.md"}
    finally:
        stop_engine(other)


@pytest.mark.parametrize("authors", [[{"family": "Lutra", "given": "Jo"}], "Jo Lutra", ["Lutra, Jo"]], ids=str)
def test_the_authors_of_a_confirmed_claim_are_cited_however_they_were_written(
    editor: StrictEditor, project: str, shared_home: Path, authors: Any
) -> None:
    options = {"metadata": {"citekey": "lutra2001", "authors": authors, "year": "2001"}}
    editor.call("ingest_from_source", project=project, source="otters.md", options=options)
    (otters,) = editor.call("list_documents", project=project)["documents"]
    done(citeloom(shared_home, "documents", project, "--confirm", otters["doc_id"]))
    cited = {"project": project, "citekeys": ["lutra2001"]}
    assert editor.call("format_citations", **cited, style="apa", format="citation")["entries"] == ["(Lutra, 2001)"]
    assert "author = {Lutra, Jo}" in editor.call("format_citations", **cited, format="bibtex")["text"]


@pytest.mark.parametrize("force_rebuild", [False, True])
def test_the_metadata_of_one_file_do_not_become_those_of_others(
    editor: StrictEditor, project: str, folder: Path, force_rebuild: bool
) -> None:
    editor.call("ingest_from_source", project=project, source=str(folder))
    before = citekeys(editor, project)
    (folder / "otters.md").write_text("# Otters\n\nThey have changed.\n")
    source = str(folder / "otters.md")
    options = {"metadata": {"citekey": "lutra2001"}, "force_rebuild": force_rebuild}
    editor.call("ingest_from_source", project=project, source=source, options=options)
    claimed = {d["source"]: d["claimed_citekey"] for d in editor.call("list_documents", project=project)["documents"]}
    assert (citekeys(editor, project), claimed) == (before, {"otters.md": "lutra2001", "bees.md": None})


def test_metadata_for_a_whole_folder_do_not_give_all_its_files_one_citekey(
    editor: StrictEditor, project: str, folder: Path
) -> None:
    call = {"project": project, "source": str(folder), "options": {"metadata": {"citekey": "lutra2001"}}}
    editor.request("tools/call", {"name": "ingest_from_source", "arguments": call})  # refused, or without the key
    keys = list(citekeys(editor, project).values())
    assert len(keys) == len(set(keys))


def test_references_that_an_agent_names_only_claim_what_a_file_is(
    editor: StrictEditor, project: str, folder: Path
) -> None:
    record = {"id": "frisch1967", "type": "book", "title": "Bees", "issued": {"date-parts": [[1967]]}}
    (folder / "library.json").write_text(json.dumps([record]))
    options = {"references_path": str(folder / "library.json")}
    editor.call("ingest_from_source", project=project, source="bees.md", options=options)
    (bees,) = editor.call("list_documents", project=project)["documents"]
    assert (bees["claimed_citekey"], bees["citekey_made"]) == ("frisch1967", True)
    assert bees["citekey"] != "frisch1967"


@pytest.mark.parametrize("source", ["bees.md", "."], ids=["file", "folder"])
def test_references_named_for_files_that_are_unchanged_claim_what_they_are_too(
    editor: StrictEditor, project: str, folder: Path, source: str
) -> None:
    editor.call("ingest_from_source", project=project, source=str(folder))
    frisch = {"id": "frisch1967", "type": "book", "title": "Bees", "author": [{"family": "Frisch", "given": "Karl"}]}
    (folder / "library.json").write_text(json.dumps([frisch]))
    options = {"references_path": str(folder / "library.json")}
    answer = editor.call("ingest_from_source", project=project, source=source, options=options)
    assert (answer["updated"], answer["chunks_written"], answer["failed"]) == (1, 0, 0)
    documents = editor.call("list_documents", project=project)["documents"]
    assert {d["source"]: d["claimed_citekey"] for d in documents} == {"bees.md": "frisch1967", "otters.md": None}
    again = editor.call("ingest_from_source", project=project, source=source, options=options)
    assert again["updated"] == 0


def test_a_rebuild_keeps_the_records_of_references_that_an_earlier_import_named(
    editor: StrictEditor, project: str, folder: Path, shared_home: Path
) -> None:
    frisch = {"id": "frisch1967", "type": "book", "title": "Bees", "issued": {"date-parts": [[1967]]}}
    lutra = {"id": "lutra2001", "type": "book", "title": "Otters", "issued": {"date-parts": [[2001]]}}
    for name, record in (("bees.json", frisch), ("otters.json", lutra)):
        (folder / name).write_text(json.dumps([record]))
        options = {"references_path": str(folder / name)}
        editor.call("ingest_from_source", project=project, source=str(folder), options=options)

    def rebuilt() -> dict[str, dict[str, Any]]:
        options = {"force_rebuild": True}
        answer = editor.call("ingest_from_source", project=project, source=str(folder), options=options)
        assert counts(answer) == {"replaced": 2}
        return {d["source"]: d for d in editor.call("list_documents", project=project)["documents"]}

    assert {name: d["claimed_citekey"] for name, d in rebuilt().items()} == {
        "bees.md": "frisch1967",
        "otters.md": "lutra2001",
    }
    done(citeloom(shared_home, "documents", project, "--confirm", rebuilt()["bees.md"]["doc_id"]))
    assert rebuilt()["bees.md"]["citekey"] == "frisch1967"
    (hit,) = editor.call("query", project=project, text="bees", filters={"year": 1967})["items"]
    assert hit["citekey"] == "frisch1967"


def test_a_work_of_the_references_without_a_document_is_told_from_an_unknown_citekey(
    editor: StrictEditor, shared_home: Path, folder: Path
) -> None:
    (folder / "library.json").write_text(json.dumps([{"id": "frisch1967", "type": "book", "title": "The Dance"}]))
    references = ["--folder", str(folder), "--references", str(folder / "library.json")]
    done(citeloom(shared_home, "project", "add", "referenced", *references))
    error = editor.fail("get_document", project="referenced", citekey="frisch1967")
    assert error["code"] == "DOCUMENT_NOT_FOUND" and "frisch1967 is in the references" in error["message"]
    assert editor.fail("get_document", project="referenced", citekey="frisch")["code"] == "CITEKEY_NOT_FOUND"


def test_a_file_is_found_by_its_name_in_any_folder_of_the_project(
    editor: StrictEditor, shared_home: Path, folder: Path, tmp_path: Path
) -> None:
    second = tmp_path / "more"
    second.mkdir()
    (second / "wasps.md").write_text("# Wasps\n\nPaper wasps chew wood into paper.\n")
    folders = ["--folder", str(folder), "--folder", str(second)]
    done(citeloom(shared_home, "project", "add", "two-folders", *folders))
    answer = editor.call("ingest_from_source", project="two-folders", source="wasps.md")
    assert counts(answer) == {"new": 1}


@pytest.mark.parametrize(("recursive", "new"), [(True, 3), (False, 2)])
def test_subfolders_come_in_unless_that_is_switched_off(
    editor: StrictEditor, project: str, folder: Path, recursive: bool, new: int
) -> None:
    (folder / "deep" / "deeper").mkdir(parents=True)
    (folder / "deep" / "deeper" / "wasps.md").write_text("# Wasps\n\nPaper wasps chew wood.\n")
    answer = editor.call("ingest_from_source", project=project, source=str(folder), options={"recursive": recursive})
    assert counts(answer) == {"new": new}


def test_a_folder_allowed_without_its_subfolders_stays_so_whatever_an_agent_says(
    editor: StrictEditor, shared_home: Path, folder: Path
) -> None:
    (folder / "secret").mkdir()
    (folder / "secret" / "plans.md").write_text("# Plans\n\nNobody shall read of the weasel.\n")
    done(citeloom(shared_home, "project", "add", "flat"))
    done(citeloom(shared_home, "ingest", "flat", str(folder), "--no-recursive"))
    answer = editor.call("ingest_from_source", project="flat", source=str(folder), options={"recursive": True})
    assert counts(answer) == {"skipped": 2}
    assert "weasel" not in str(editor.call("query", project="flat", text="weasel")["items"])


def test_a_rebuild_reads_everything_again(editor: StrictEditor, project: str, folder: Path) -> None:
    editor.call("ingest_from_source", project=project, source=str(folder))
    answer = editor.call("ingest_from_source", project=project, source=str(folder), options={"force_rebuild": True})
    assert counts(answer) == {"replaced": 2}
    assert editor.call("query", project=project, text="otters")["count"] == 2


# -- what fails --------------------------------------------------------------------------------------------------


def test_a_broken_file_in_a_folder_is_named_with_the_reason_and_the_others_come_in(
    editor: StrictEditor, project: str, folder: Path
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is not one")
    (folder / "table.xlsx").write_bytes(b"PK")
    answer = editor.call("ingest_from_source", project=project, source=str(folder))
    assert counts(answer) == {"new": 2, "failed": 1}
    (error,) = answer["errors"]
    assert (Path(error["source"]).name, error["code"]) == ("broken.pdf", "CONVERSION_FAILED")
    assert any(".xlsx" in warning for warning in answer["warnings"])
    (failed,) = editor.call("list_documents", project=project, status="failed")["documents"]
    assert (failed["source"], failed["reason"]) == ("broken.pdf", error["reason"])
    coverage = editor.call("query", project=project, text="otters")["coverage"]
    assert (coverage["documents"], coverage["searchable"], coverage["failed"]) == (3, 2, 1)


def test_a_broken_file_asked_for_by_itself_is_conversion_failed(
    editor: StrictEditor, project: str, folder: Path
) -> None:
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nthis is not one")
    for _ in range(2):  # and it stays so
        error = editor.fail("ingest_from_source", project=project, source="broken.pdf")
        assert (error["code"], error["details"]) == ("CONVERSION_FAILED", {"source": "broken.pdf"})


def test_a_format_that_is_not_read_is_refused_with_those_that_are(editor: StrictEditor, fenced: Path) -> None:
    error = editor.fail("ingest_from_source", project="fenced", source="table.xlsx")
    assert error["code"] == "UNSUPPORTED_FORMAT"
    assert all(suffix in error["message"] for suffix in (".xlsx", ".pdf", ".docx", ".md", ".txt"))


@pytest.mark.parametrize("source", ["zotero", "zotero:collection/Thesis", "zotero:tag/method"])
def test_a_project_without_zotero_gets_nothing_from_it(editor: StrictEditor, fenced: Path, source: str) -> None:
    error = editor.fail("ingest_from_source", project="fenced", source=source)
    assert error["code"] == "PERMISSION_DENIED" and "citeloom project allow" in error["message"]


@pytest.mark.parametrize("source", ["nowhere.md", "{folder}/nowhere.md", "{folder}/no/such/folder"])
def test_a_file_that_is_not_in_the_folder_is_file_not_found(editor: StrictEditor, fenced: Path, source: str) -> None:
    error = editor.fail("ingest_from_source", project="fenced", source=source.format(folder=fenced))
    assert error["code"] == "FILE_NOT_FOUND"


@pytest.mark.parametrize(
    "source",
    [
        "{root}/outside/secret.md",
        "{root}/outside",
        "{root}/outside/no-such-file.md",
        "{root}",
        "../outside/secret.md",
        "../papers/../outside/secret.md",
        "{root}/papers/../outside/secret.md",
        "linked.md",
        "{root}/papers/linked.md",
        "linked-folder/secret.md",
        "{root}/papers-of-somebody-else/secret.md",
        "/etc/passwd",
        "~/secret.md",
    ],
)
def test_nothing_outside_the_folders_can_be_read_on_any_way(editor: StrictEditor, fenced: Path, source: str) -> None:
    error = editor.fail("ingest_from_source", project="fenced", source=source.format(root=fenced.parent))
    assert error["code"] == "PERMISSION_DENIED"
    assert "secret" not in error["message"] and error["details"] == {}, "it tells what is there"
    assert editor.call("list_documents", project="fenced")["total"] == 0


def test_references_outside_the_folders_cannot_be_read(editor: StrictEditor, fenced: Path) -> None:
    options = {"references_path": str(fenced.parent / "library.json")}
    error = editor.fail("ingest_from_source", project="fenced", source="otters.md", options=options)
    assert error["code"] == "PERMISSION_DENIED"


def test_a_link_out_of_the_folder_is_not_followed_by_an_import_of_the_folder(
    editor: StrictEditor, project: str, folder: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("# Secret\n\nNobody may read this.\n")
    (folder / "linked.md").symlink_to(outside / "secret.md")
    (folder / "linked-folder").symlink_to(outside)
    answer = editor.call("ingest_from_source", project=project, source=str(folder))
    assert counts(answer) == {"new": 2, "failed": 2}
    assert {error["code"] for error in answer["errors"]} == {"PERMISSION_DENIED"}
    assert editor.call("query", project=project, text="secret", top_k=20)["count"] == 2


@pytest.mark.parametrize(
    "source",
    ["nul\x00byte.md", "x" * 5000 + ".md", "~nobody-of-that-name/x.md"],
    ids=["nul", "long", "unknown user"],
)
def test_a_source_that_cannot_be_a_path_is_refused_and_no_internal_error(
    editor: StrictEditor, fenced: Path, source: str
) -> None:
    error = editor.fail("ingest_from_source", project="fenced", source=source)
    assert error["code"] in ("INVALID_INPUT", "FILE_NOT_FOUND", "PERMISSION_DENIED")


@pytest.mark.parametrize("source", ["", "  "])
def test_an_empty_source_is_refused_and_does_not_mean_the_first_folder(
    editor: StrictEditor, project: str, source: str
) -> None:
    assert editor.fail("ingest_from_source", project=project, source=source)["code"] == "INVALID_INPUT"


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({}, "source"),
        ({"source": ["otters.md"]}, "source"),
        ({"source": "otters.md", "options": {"depth": 3}}, "depth"),
        ({"source": "otters.md", "options": {"recursive": "perhaps"}}, "recursive"),
        ({"source": "otters.md", "options": {"metadata": {"year": "soon"}}}, "year"),
        ({"source": "otters.md", "options": {"metadata": {"year": 10**400}}}, "year"),
        ({"source": "otters.md", "options": {"metadata": {"year": 10_000}}}, "from -9999 to 9999"),
        ({"source": "otters.md", "options": {"metadata": {"year": "²"}}}, "from -9999 to 9999"),
        ({"source": "otters.md", "options": {"metadata": {"citekey": ["a"]}}}, "metadata.citekey"),
        ({"source": "otters.md", "options": {"metadata": {"tags": [{"a": 1}]}}}, "metadata.tags"),
        ({"source": "otters.md", "options": {"metadata": {"colour": {"hue": 1}}}}, "metadata.colour"),
        ({"source": "otters.md", "options": {"metadata": {"authors": 5}}}, "metadata.authors"),
        ({"source": "otters.md", "options": {"metadata": {"authors": [{"given": "Jo"}]}}}, "metadata.authors"),
        ({"source": "otters.md", "options": {"metadata": {"citekey": 5}}}, "metadata.citekey"),
        ({"source": "otters.md", "options": {"metadata": {"title": {"en": "Otters"}}}}, "metadata.title"),
        ({"source": "otters.md", "options": {"metadata": {"tags": [{}]}}}, "metadata.tags"),
    ],
    ids=lambda value: str(value)[:80],
)
def test_bad_arguments_of_an_import_are_refused_by_name(
    editor: StrictEditor, fenced: Path, arguments: dict[str, Any], named: str
) -> None:
    error = editor.fail("ingest_from_source", project="fenced", **arguments)
    assert error["code"] == "INVALID_INPUT"
    assert named in error["message"]


@pytest.mark.parametrize(
    ("source", "step"),
    [
        ("file:///etc/passwd", "Give the path of the file"),
        ("file:/etc/passwd", "Give the path of the file"),
        ("ftp://example.org/a.pdf", "Give an https address"),
        ("smb://server/a.pdf", "Give an https address"),
    ],
)
def test_an_address_that_is_not_of_the_web_is_refused_with_what_to_give_instead(
    editor: StrictEditor, fenced: Path, source: str, step: str
) -> None:
    error = editor.fail("ingest_from_source", project="fenced", source=source)
    assert error["code"] == "INVALID_INPUT"
    assert "only http and https" in error["message"] and step in error["message"]


def test_an_unknown_option_is_refused_with_those_there_are(editor: StrictEditor, fenced: Path) -> None:
    error = editor.fail("ingest_from_source", project="fenced", source="otters.md", options={"foo": 1})
    known = ["ocr_languages", "references_path", "force_rebuild", "recursive", "metadata"]
    assert error["details"]["valid"] == known
    assert f"options can have: {', '.join(known)}" in error["message"]


# -- how it goes on ----------------------------------------------------------------------------------------------


def test_progress_is_told_to_whoever_asked_for_it_and_never_goes_back(
    editor: StrictEditor, project: str, folder: Path
) -> None:
    for number in range(4):  # long ones, so that one file takes longer than the time between two reports
        text = "\n\n".join(f"Otter {number}.{n} sleeps on its back in a bed of kelp. " * 20 for n in range(10))
        (folder / f"otter-{number}.md").write_text(f"# Otter {number}\n\n{text}\n")
    call = {"name": "ingest_from_source", "arguments": {"project": project, "source": str(folder)}}
    editor.notifications.clear()
    answer = editor.request("tools/call", {**call, "_meta": {"progressToken": "mine"}})["result"]["structuredContent"]
    told = [n["params"] for n in editor.notifications if n["method"] == "notifications/progress"]
    assert counts(answer) == {"new": 6}
    assert {one["progressToken"] for one in told} == {"mine"}
    values = [one["progress"] for one in told]
    assert values == sorted(set(values)), "MCP: the progress must increase with each notification"
    assert (values[-1], told[-1]["total"]) == (100, 100)
    assert told[-1]["message"] == "6 of 6 documents read · 6 of 6 pages found by words, 6 by meaning"

    editor.notifications.clear()
    editor.request("tools/call", call)
    assert editor.notifications == []


def test_a_long_import_answers_running_and_the_same_call_tells_how_it_goes_and_how_it_ended(home: Path) -> None:
    # One second is what an import keeps for its answer: it does not wait at all.
    (home / "citeloom.toml").write_text("[timeouts]\ningest_from_source = 1\n")
    folder = home / "papers"
    folder.mkdir()
    for number in range(6):
        (folder / f"otter-{number}.md").write_text(f"# Otter {number}\n\n{'It sleeps in a bed of kelp. ' * 50}\n")
    done(citeloom(home, "project", "add", "zoo", "--folder", str(folder)))
    with StrictEditor(home, *WRITING) as editor:
        call = {"project": "zoo", "source": str(folder)}
        first = editor.call("ingest_from_source", **call)
        assert first["status"] == "running"
        second = editor.call("ingest_from_source", **call)
        assert (second["status"], second["job_id"]) == ("running", first["job_id"])
        assert second["done"] <= second["searchable"] <= second["total"]
        (job,) = editor.call("inspect_collection", project="zoo")["jobs"]
        assert (job["job_id"], job["project"]) == (first["job_id"], "zoo")
        wait_for(lambda: not editor.call("inspect_collection", project="zoo")["jobs"], "the end of the import")
        last = editor.call("ingest_from_source", **call)
        assert (last["status"], last["job_id"]) == ("done", first["job_id"]), "how it ended was never told"
        assert counts(last) == {"new": 6}
