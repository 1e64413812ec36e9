"""Where a quotation is looked for when no work is claimed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from citeloom.api.evidence import VerifyResult
from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document, State
from citeloom.catalog.projects import Project
from citeloom.core.cancel import Cancel
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import Models
from citeloom.core.types import Block, BlockKind, Converted
from citeloom.evidence.verify import QuoteVerifier
from citeloom.evidence.works import Works
from citeloom.index.models.embedding import ModelRegistry

_QUOTE = "the bees dance in the dark of the hive"


class _Texts:
    """Documents whose text is what their title says."""

    def converted(self, project: Project, document: Document) -> Converted:
        if document.title == "lost":
            raise CiteLoomError(Code.FILE_NOT_FOUND, f"{document.doc_id} is lost.")
        return Converted("text", "test", (Block(BlockKind.TEXT, document.title),))


def _verify(catalog: Catalog, project: Project, titles: list[str], near: list[str]) -> VerifyResult:
    for number, title in enumerate(titles):
        state, key = State.READY, f"key{number}"
        catalog.documents.save(Document(project.id, str(number), f"/{number}", state=state, citekey=key, title=title))
    index = SimpleNamespace(similar=lambda *_: [SimpleNamespace(payload={"doc_id": doc_id}) for doc_id in near])
    texts: Any = _Texts()
    nearest: Any = index
    return QuoteVerifier(catalog, Works(catalog), texts, nearest, ModelRegistry(Models())).verify(
        project, _QUOTE, None, None, Cancel()
    )


def test_a_work_that_the_index_does_not_hold_near_is_read_all_the_same(catalog: Catalog, project: Project) -> None:
    answer = _verify(
        catalog, project, ["Wasps.", "the bees dance in the dusk of the hive", f"And {_QUOTE}."], ["1", "0"]
    )
    assert (answer.verdict, answer.citekey, answer.searched.documents) == ("exact", "key2", 3)


def test_that_everything_was_read_is_said_only_where_it_was(catalog: Catalog, project: Project) -> None:
    answer = _verify(catalog, project, ["Wasps.", "lost"], ["0"])
    assert (answer.verdict, answer.message[:16]) == ("absent", "It was not found")
    answer = _verify(catalog, project, ["Wasps.", "Hornets."], ["0"])
    assert answer.message.startswith("No work says this: all 2 ")
    answer = _verify(catalog, project, ["lost"] * 5, ["0", "1", "2", "3", "4"])
    assert (answer.verdict, answer.message.count("is lost"), len(answer.warnings)) == ("inconclusive", 3, 5)
