"""A project's works, or those that manuscripts cite, as a file."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from citeloom.api.evidence import Cite, ExportResult, ResolvedKey, UnknownKey
from citeloom.bibliography.references import load_references
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.errors import CiteLoomError, Code
from citeloom.evidence.cite import cited_records, format_cites
from citeloom.evidence.export import export
from citeloom.evidence.works import Works


def keep(catalog: Catalog, project: Project, citekey: str, doc_id: str = "", **other: Any) -> None:
    csl = {"id": citekey, "type": "book", "title": f"On {citekey}", "author": [{"family": "Müller", "given": "Zoë"}]}
    record = {"csl": csl, "authors": ["Müller, Zoë"], "item_type": "book"}
    values = {"state": State.READY, "title": f"On {citekey}", "record": record, "matched_by": "doi", **other}
    doc_id = doc_id or citekey
    catalog.documents.save(Document(project.id, doc_id, f"/{doc_id}", citekey=citekey, **values))


@pytest.fixture
def works(catalog: Catalog, project: Project) -> Works:
    keep(catalog, project, "zeno")
    keep(catalog, project, "Berg2019")
    keep(catalog, project, "osei", state=State.WITHOUT_FILE, zotero={"library": "1", "item": "ABCD1234"})
    keep(catalog, project, "osei", "a-note", file_type="note", title="My note", record={})
    catalog.citekey_aliases.add(project.id, "berg", "Berg2019")
    return Works(catalog)


def cited(works: Works, project: Project, file: Path, text: str) -> tuple[list[str], ExportResult]:
    file.write_text(text, encoding="utf-8")
    result = export(works, project, "csl-json", cited_in=[file])
    return [item["id"] for item in json.loads(result.text)], result


@pytest.mark.parametrize("form", ["bibtex", "biblatex", "csl-json"])
def test_every_work_is_exported_once_by_citekey_also_one_without_a_file(
    works: Works, project: Project, tmp_path: Path, form: str
) -> None:
    answer = export(works, project, form, escaped=True)
    file = tmp_path / ("l.json" if form == "csl-json" else "l.bib")
    file.write_text(answer.text, encoding="ascii")
    records = load_references(file).records
    assert [record.citekey for record in records] == ["Berg2019", "osei", "zeno"]
    assert {record.title for record in records} == {"On Berg2019", "On osei", "On zeno"}
    assert {record.authors for record in records} == {("Müller, Zoë",)}
    assert (answer.count, answer.unknown, answer.warnings) == (3, (), ())


def test_only_what_a_manuscript_cites_is_exported(works: Works, project: Project, tmp_path: Path) -> None:
    keys, answer = cited(works, project, tmp_path / "a.md", "See [@zeno, p. 3; @osei] and @zeno.\n")
    assert (keys, answer.count, answer.unknown) == (["osei", "zeno"], 2, ())


def test_a_cited_key_that_was_renamed_is_exported_as_it_is_today_and_said(
    works: Works, project: Project, tmp_path: Path
) -> None:
    keys, answer = cited(works, project, tmp_path / "a.md", "One.\n\nTwo [@berg].\n")
    (warning,) = answer.warnings
    assert keys == ["Berg2019"]
    assert "a.md, line 3: berg is Berg2019 now" in warning and "check --fix" in warning


def test_an_unknown_key_is_named_with_its_place_and_what_comes_near(
    works: Works, project: Project, tmp_path: Path
) -> None:
    file = tmp_path / "a.md"
    keys, answer = cited(works, project, file, "[@zeno]\n[@Berg2091]\n[@Berg2091]\n")
    assert keys == ["zeno"]
    assert answer.unknown == (UnknownKey("Berg2091", ("Berg2019",), str(file), 2),)


@pytest.mark.parametrize(
    ("text", "count"), [("\\cite{zeno}\\nocite{*}", 3), ("\\cite{zeno} % \\nocite{*}", 1)], ids=["all", "comment"]
)
def test_a_latex_manuscript_may_cite_everything(
    works: Works, project: Project, tmp_path: Path, text: str, count: int
) -> None:
    assert cited(works, project, tmp_path / "a.tex", text)[1].count == count


def test_a_word_document_cites_by_zotero_items(works: Works, project: Project, tmp_path: Path) -> None:
    item = {"uris": ["http://zotero.org/users/1/items/ABCD1234"], "itemData": {"title": "On osei"}}
    code = escape(f"ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': [item]})}", {'"': "&quot;"})
    word = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    field = f'<w:fldSimple w:instr="{code}"><w:r><w:t>(x)</w:t></w:r></w:fldSimple>'
    file = tmp_path / "a.docx"
    with zipfile.ZipFile(file, "w") as package:
        package.writestr("word/document.xml", f"<w:document {word}><w:body><w:p>{field}</w:p></w:body></w:document>")
    answer = export(works, project, "bibtex", cited_in=[file])
    assert answer.text.startswith("@book{osei,") and not answer.unknown


def test_a_manuscript_that_cites_nothing_is_said(works: Works, project: Project, tmp_path: Path) -> None:
    keys, answer = cited(works, project, tmp_path / "a.md", "Nothing.\n")
    assert (keys, answer.warnings) == ([], ("a.md cites nothing.",))


def test_an_unknown_format_and_a_missing_manuscript_are_refused(works: Works, project: Project, tmp_path: Path) -> None:
    with pytest.raises(CiteLoomError) as caught:
        export(works, project, "ris")
    assert caught.value.code == Code.INVALID_INPUT
    with pytest.raises(CiteLoomError) as caught:
        export(works, project, "bibtex", cited_in=[tmp_path / "gone.md"])
    assert caught.value.code == Code.FILE_NOT_FOUND and caught.value.next_step


def test_the_records_of_several_works_are_one_text_each_once(catalog: Catalog, project: Project, works: Works) -> None:
    keep(catalog, project, "odd key")
    answer = cited_records(works, project, ["zeno", "[see @berg, p. 3]", "Berg2019", "odd key"], "bibtex")
    lines = answer.text.splitlines()
    assert [line for line in lines if line.startswith("@")] == ["@book{zeno,", "@book{Berg2019,"]
    assert answer.keys[1] == ResolvedKey("Berg2019", "berg")
    assert [warning[:30] for warning in answer.warnings] == [
        "The citekey berg is Berg2019 n",
        "1 work is left out, because a ",
    ]
    texts = json.loads(cited_records(works, project, ["osei", "zeno"], "csl-json").text)
    assert [item["id"] for item in texts] == ["osei", "zeno"]


@pytest.mark.parametrize("key", ["odd key, with {braces}", "smith@2019", "müller", "k" * 500])
def test_any_citekey_can_be_cited_as_it_is(catalog: Catalog, project: Project, key: str) -> None:
    keep(catalog, project, key)
    answer = format_cites(Works(catalog), [project], Cite(cites=(f" {key} ",)))
    assert (answer.keys, len(answer.citations)) == ((ResolvedKey(key, None),), 1)


@pytest.mark.parametrize("pages", ["pp. 33-35", "pp. 33--35", "33–35", "S. 33-35"])
def test_a_range_of_pages_is_written_in_the_styles_own_words(
    catalog: Catalog, project: Project, works: Works, pages: str
) -> None:
    (citation,) = format_cites(Works(catalog), [project], Cite(cites=(f"[@zeno, {pages}]",))).citations
    assert citation == "(Müller, n.d., pp. 33–35)"


def test_a_key_that_two_works_share_is_said(catalog: Catalog, project: Project, works: Works) -> None:
    other = {"csl": {"title": "Another"}}
    keep(catalog, project, "zeno", "again", title="Another", record=other)
    said = "The citekey zeno belongs to several works (Another; On zeno)"
    assert export(works, project, "bibtex").warnings[0].startswith(said)
    assert format_cites(Works(catalog), [project], Cite(cites=("zeno",))).warnings[0].startswith(said)


@pytest.mark.parametrize(
    "cites",
    [[], [" "], ["zeno"] * 1001, ["z" * 2001], ["[@a;@b]" + "[@a;@b]" * 200] * 3],
    ids=["none", "blank", "many", "long", "many in few"],
)
def test_nothing_and_too_much_are_refused(catalog: Catalog, project: Project, cites: list[str]) -> None:
    with pytest.raises(CiteLoomError) as caught:
        format_cites(Works(catalog), [project], Cite(cites=tuple(cites)))
    assert caught.value.code == Code.INVALID_INPUT
