"""A notebook with a real catalog, collection and model."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from citeloom.api.notes import AddedNote, AddNote, Note, ShowNote
from citeloom.catalog import Catalog
from citeloom.catalog.projects import Project
from citeloom.core.settings import BUNDLED_DENSE, Models
from citeloom.index.edge.collection import EdgeCollection
from citeloom.index.models.embedding import ModelRegistry
from citeloom.notes.embedding import NoteEmbedder
from citeloom.notes.export import NoteExporter
from citeloom.notes.links import LinkService
from citeloom.notes.notebook import Notebook
from citeloom.notes.suggestions import SuggestionService
from citeloom.search.passages import PassageService

HOT_NIGHTS = (
    ("Street trees warm narrow streets at night", "In narrow streets canopy raised night temperature by 0.19 °C."),
    ("Trees cool wide streets at night", "Canopy cover lowered night temperatures on wide streets by 0.11 °C."),
    (
        "Canopy traps heat in street canyons",
        "Street canyons with dense canopy lose less radiation, so nights stay warm.",
    ),
)


@dataclass
class Notes:
    """The services of the notebook."""

    catalog: Catalog
    notebook: Notebook
    links: LinkService
    suggestions: SuggestionService
    exporter: NoteExporter
    embedder: NoteEmbedder

    def add(self, title: str, content: str = "", type: str = "finding", **more: Any) -> AddedNote:
        return self.notebook.add(AddNote(type=type, title=title, content=content, **more))

    def show(self, id: str, **more: Any) -> Note:
        return self.notebook.show(ShowNote(id=id, **more))


def notes_in(catalog: Catalog, models: ModelRegistry, collection: EdgeCollection) -> Notes:
    def open_collection(project: Project) -> EdgeCollection:
        return collection

    passages = PassageService(catalog, open_collection, lambda *page: None, lambda *passage: ())
    links = LinkService(catalog, passages, open_collection)
    embedder = NoteEmbedder(catalog.notes, models, BUNDLED_DENSE)
    suggestions = SuggestionService(catalog, embedder)
    notebook = Notebook(catalog, embedder, links, suggestions)
    return Notes(catalog, notebook, links, suggestions, NoteExporter(catalog, notebook), embedder)


@pytest.fixture(scope="session")
def models() -> Iterator[ModelRegistry]:
    made = ModelRegistry(Models())
    yield made
    made.dense(BUNDLED_DENSE).close()


@pytest.fixture
def notes(catalog: Catalog, models: ModelRegistry, collection: EdgeCollection) -> Notes:
    return notes_in(catalog, models, collection)


@pytest.fixture
def hot_nights(notes: Notes) -> list[AddedNote]:
    """Three episodic notes that are similar to each other."""
    return [notes.add(*texts) for texts in HOT_NIGHTS]
