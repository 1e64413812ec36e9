"""The page of a hit as a person sees it in the search window: through the engine, with the passage marked."""

from __future__ import annotations

import base64
import io
import json
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest
from PIL import Image

from citeloom.conversion.limits import Limits
from citeloom.conversion.pool import StandbyWorker
from citeloom.core.errors import CiteLoomError, Code
from tests.flows.steps import Control, Project, paper, pdf_paper, settings
from tests.papers import make
from tests.support import citeloom, done, engine_address, stop_engine, wait_for
from tests.zotero_stand_in.local_api import LocalZotero
from tests.zotero_stand_in.world import World


class Looking(Control):
    """A control connection that may also be refused."""

    def refusal(self, **arguments: Any) -> dict[str, Any]:
        """Ask for a picture that cannot be had; gives the error."""
        message = {"id": 1, "verb": "library.page_image", "args": {"project": "p", "width": 400} | arguments}
        self._socket.sendall(json.dumps(message).encode() + b"\n")
        error: dict[str, Any] = json.loads(self._lines.readline())["error"]
        return error

    def look(self, chunk_id: str, **arguments: Any) -> dict[str, Any]:
        """The picture of a passage's page."""
        answer: dict[str, Any] = self.call(
            "library.page_image", **{"project": "p", "chunk_id": chunk_id, "width": 400} | arguments
        )
        return answer


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Project]:
    """A project with two PDFs and a text without pages. Look at it, do not change it."""
    base = tmp_path_factory.mktemp("pictures")
    home, folder = base / "home", base / "papers"
    home.mkdir()
    pdf_paper(folder / "coral.pdf", "coral")
    paper(folder / "peat.md", "On peat", "The peat was measured once.")
    project = Project.made(home, folder)
    project.ingest()
    yield project
    stop_engine(home)


def hit(project: Project, words: str, source: str) -> dict[str, Any]:
    return next(hit for hit in project.search(words, "--top", "20") if hit["source"] == source)


def picture_workers(home: Path) -> list[psutil.Process]:
    """The processes that are kept for people who look at pages."""
    children = psutil.Process(engine_address(home)["pid"]).children()
    found = []
    for child in children:
        with suppress(psutil.Error):  # it has ended
            if "--interactive" in child.cmdline():
                found.append(child)
    return found


def test_a_hit_is_shown_on_its_page_with_its_lines_marked(library: Project) -> None:
    found = hit(library, "coral in year 2", "coral.pdf")
    with Looking(library.home) as control:
        answer = control.look(found["chunk_id"], width=700)
        beside = control.look(found["chunk_id"], page=found["page_span"][0] % 3 + 1)
    assert (answer["found"], answer["pending"], answer["text_source"]) == (True, False, "native")
    assert [answer["page"], answer["label"], answer["pages"]] == [found["page_span"][0], found["page_labels"][0], 3]
    picture = Image.open(io.BytesIO(base64.b64decode(answer["png"])))
    assert (picture.format, picture.size) == ("PNG", (answer["width"], answer["height"]))
    assert answer["width"] == 700
    lines = answer["marks"]
    assert len(lines) >= 2
    assert all(0 <= left < right <= 1 and 0 <= top < bottom <= 1 for left, top, right, bottom in lines)
    assert (beside["found"], beside["marks"], beside["page"]) == (False, [], found["page_span"][0] % 3 + 1)
    assert beside["label"] == str(beside["page"])


def test_what_cannot_be_shown_is_said_with_what_to_do(library: Project) -> None:
    pdf, text = hit(library, "coral", "coral.pdf")["chunk_id"], hit(library, "peat", "peat.md")["chunk_id"]
    with Looking(library.home) as control:
        without_pages = control.refusal(chunk_id=text)
        refusals = [
            control.refusal(chunk_id=pdf, page=4),
            control.refusal(chunk_id=pdf, page=0),
            control.refusal(chunk_id=pdf, width=199),
            control.refusal(chunk_id=pdf, width=4001),
            control.refusal(chunk_id=pdf, width="wide"),
        ]
        assert control.refusal(chunk_id="nobody's")["code"] == "PASSAGE_NOT_FOUND"
        assert control.look(pdf)["found"]  # and goes on
    assert without_pages["code"] == "UNSUPPORTED_FORMAT"
    assert without_pages["message"].startswith("peat.md has no pages to show.")
    assert {refusal["code"] for refusal in refusals} == {"INVALID_INPUT"}
    assert "1 to 3" in refusals[0]["message"]


def test_a_picture_process_that_ends_is_replaced_and_is_not_the_importers(library: Project) -> None:
    found = hit(library, "coral in year 1", "coral.pdf")["chunk_id"]
    with Looking(library.home) as control:
        first = control.look(found, width=500)
        (process,) = picture_workers(library.home)
        process.kill()
        wait_for(lambda: process not in picture_workers(library.home), "the process to end")
        assert control.look(found, width=500) == first  # kept
        assert picture_workers(library.home) == []
        assert control.look(found, width=501)["found"]
        assert len(picture_workers(library.home)) == 1


def test_a_file_that_changed_or_went_is_not_shown(home: Path, tmp_path: Path) -> None:
    file = pdf_paper(tmp_path / "papers" / "moth.pdf", "moth")
    project = Project.made(home, file.parent)
    project.ingest()
    found = hit(project, "moth", "moth.pdf")["chunk_id"]
    with Looking(home) as control:
        assert control.look(found)["found"]
        pdf_paper(file, "fern")
        changed = control.refusal(chunk_id=found)
        file.unlink()
        gone = control.refusal(chunk_id=found)
    assert (changed["code"], gone["code"]) == ("CONVERSION_FAILED", "FILE_NOT_FOUND")
    assert changed["message"].startswith("moth.pdf has changed since it was read")


def test_an_annotation_is_marked_in_its_attachment_where_zotero_has_it(home: Path, tmp_path: Path) -> None:
    world = World(tmp_path / "Zotero")
    shelf = world.collection("Reefs")
    item = world.add("journalArticle", title="On the coral in spring", collections=[shelf])
    pdf = world.attach(item, "coral.pdf", pdf_paper(tmp_path / "coral.pdf", "coral").read_bytes())
    for text, position in (
        ("measured by hand", {"pageIndex": 1, "rects": [[59.5, 421, 297.5, 842]], "nextPageRects": [[0, 0, 595, 421]]}),
        ("measured by nobody", {"pageIndex": 0, "rects": [["a", 1, 2, 3], [1, 2]]}),
    ):
        world.annotate(pdf, text, comment="too few buckets", page_label="iii", position=position)
    with LocalZotero(world) as zotero:
        settings(home, f'[zotero]\nlocal_url = "{zotero.url}"\ndata_folder = "{world.data_folder}"\n')
        done(citeloom(home, "project", "add", "p", "--zotero", "Reefs"))
        project = Project(home)
        project.sync()
        known, unknown = (
            next(hit for hit in project.search(words) if words in hit["render_text"])["chunk_id"]
            for words in ("measured by hand", "measured by nobody")
        )
        with Looking(home) as control:
            answer, without = control.look(known), control.look(unknown)
    assert (answer["page"], answer["pages"], answer["label"], answer["text_source"]) == (2, 3, "iii", "annotation")
    assert answer["found"]
    assert answer["marks"] == [[pytest.approx(share, abs=0.002) for share in (0.1, 0.0, 0.5, 0.5)]]
    assert (without["found"], without["page"], without["marks"]) == (False, 1, [])


def test_a_recognised_page_is_shown_at_once_and_marked_when_asked(home: Path, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    made = make("scan", tmp_path / "papers", pages=1)
    project = Project.made(home, tmp_path / "papers")
    project.ingest()
    found = max(project.search("merchants", "--top", "20"), key=lambda hit: len(hit["render_text"]))
    assert found["source"] == made.path.name
    with Looking(home) as control:
        at_once = control.look(found["chunk_id"])
        marked = control.look(found["chunk_id"], recognise=True)
    assert (at_once["pending"], at_once["found"], at_once["text_source"]) == (True, False, "ocr")
    assert (marked["pending"], marked["found"]) == (False, True)
    assert len(marked["marks"]) >= 3
    assert marked["png"] == at_once["png"]


def test_a_worker_that_nobody_asks_ends_and_one_that_takes_too_much_is_ended(tmp_path: Path) -> None:
    file = pdf_paper(tmp_path / "moth.pdf", "moth")
    request = {"view": "picture", "path": str(file), "kind": "pdf", "page": 1, "width": 300}
    request |= {"passage": "In March", "first": 1, "last": 1}
    worker = StandbyWorker(idle_seconds=0.05)
    before = set(psutil.Process().children())
    try:
        assert worker.call(request, Limits(60.0))["pages"] == 3
        wait_for(lambda: set(psutil.Process().children()) <= before, "the worker to end")
        with pytest.raises(CiteLoomError, match="more time or memory than a page may") as failure:
            worker.call(request | {"width": 301}, Limits(0.0))
        assert failure.value.code is Code.CONVERSION_FAILED
        assert worker.call(request, Limits(60.0))["width"] == 300
    finally:
        worker.end()
