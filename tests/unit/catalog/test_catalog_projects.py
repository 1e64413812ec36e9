"""Projects: ids that stay in their folder, one collection each, and what an asker may see."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from citeloom.catalog import Catalog
from citeloom.catalog.documents import Document
from citeloom.catalog.projects import Project, collection_name
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.jobs import Job
from citeloom.core.types import Source

MODEL = {"dense_model": "m", "dense_fingerprint": "f", "dense_size": 4, "sparse_model": ""}
part = st.from_regex(r"[A-Za-z0-9][A-Za-z0-9_-]{0,10}", fullmatch=True)
good_ids = st.builds(
    lambda first, rest: first + "".join(rest),
    part,
    st.lists(st.builds(str.__add__, st.sampled_from("/."), part), max_size=3),
)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Catalog]:
    """A catalog for many examples; each leaves it empty."""
    made = Catalog(tmp_path_factory.mktemp("shared") / "catalog.db")
    yield made
    made.close()


@given(st.one_of(st.text(max_size=90), st.text("./\\:~aA1-_ \n\0", max_size=12), good_ids))
@example("a" * 80)
@example("a" * 81)
@example("thesis\n")
def test_an_accepted_id_never_leaves_the_index_folder(project_id: str) -> None:
    try:
        name = collection_name(project_id)
    except CiteLoomError as error:
        assert error.code == Code.INVALID_PROJECT
        assert error.next_step
        return
    assert name.startswith("proj-") and len(name) <= 85
    assert name.isascii() and name.isprintable() and name == name.lower()
    for path in (PurePosixPath, PureWindowsPath):
        assert (path("index") / name).parent == path("index")
        assert (path("index") / name).name == name


@pytest.mark.parametrize(
    "bad", ["", ".", "..", "../x", "a/../b", "/a", "a/", "a//b", "a\\b", "C:x", ".hidden", "-x", "a b", "ä", "a\0"]
)
def test_ids_that_could_mean_another_place_are_refused(bad: str) -> None:
    with pytest.raises(CiteLoomError) as caught:
        collection_name(bad)
    assert caught.value.code == Code.INVALID_PROJECT


@given(good_ids)
def test_ids_as_people_choose_them_are_accepted(project_id: str) -> None:
    assume(len(project_id) <= 80)
    assert collection_name(project_id)


@given(good_ids, st.data())
def test_two_ids_of_one_collection_cannot_both_be_added(shared: Catalog, project_id: str, data: st.DataObject) -> None:
    assume(len(project_id) <= 80)
    alike = "".join(
        data.draw(st.sampled_from("/.")) if c in "/." else data.draw(st.sampled_from([c.lower(), c.upper()]))
        for c in project_id
    )
    assert collection_name(alike) == collection_name(project_id)
    shared.projects.add(project_id, None, MODEL)
    try:
        with pytest.raises(CiteLoomError) as caught:
            shared.projects.add(alike, None, MODEL)
        assert caught.value.code == Code.INVALID_PROJECT
        assert project_id in caught.value.message
        assert [p.id for p in shared.projects.all()] == [project_id]
    finally:
        shared.projects.remove(project_id)


def test_a_project_keeps_what_it_was_made_with_until_it_is_saved_anew(catalog: Catalog) -> None:
    made = catalog.projects.add("thesis/one", "/refs.json", {**MODEL, "sparse_model": "s"})
    assert (made.collection, made.generation, made.references_path) == ("proj-thesis-one", 1, "/refs.json")
    assert made.hybrid_enabled and not replace(made, sparse_model="").hybrid_enabled
    catalog.projects.set_references_path("thesis/one", "/others.json")  # during a rebuild, say
    catalog.projects.set_references_hash("thesis/one", "h")
    catalog.projects.save(replace(made, generation=2, dense_model="other"))
    catalog.projects.mark_model_chosen("thesis/one")
    changed = {"references_path": "/others.json", "references_hash": "h", "own_model": True}
    again = catalog.projects.get("thesis/one")
    assert again == replace(made, generation=2, dense_model="other", **changed)


def test_a_project_outside_an_askers_list_is_not_told_apart_from_none(catalog: Catalog) -> None:
    for name in ("thesis", "secret-thesis"):
        catalog.projects.add(name, None, MODEL)
    refusals = []
    for asked in ("secret-thesis", "no-such-project"):
        with pytest.raises(CiteLoomError) as caught:
            catalog.projects.get(asked, frozenset({"thesis"}))
        assert "secret" not in str(caught.value) + str(caught.value.details)
        refusals.append(caught.value.as_dict())
    assert refusals[0] == refusals[1]
    assert catalog.projects.get("thesis", frozenset({"thesis"})).id == "thesis"


def test_an_id_that_is_not_there_gets_near_ones_to_choose_from(catalog: Catalog) -> None:
    with pytest.raises(CiteLoomError, match="citeloom project add"):
        catalog.projects.get("thesis")
    for name in ("thesis", "teaching"):
        catalog.projects.add(name, None, MODEL)
    with pytest.raises(CiteLoomError) as caught:
        catalog.projects.get("theses")
    assert caught.value.details["choices"][0] == "thesis"


def test_a_removed_project_takes_its_rows_along_but_not_the_access_log(catalog: Catalog, project: Project) -> None:
    other = catalog.projects.add("other", None, MODEL)
    for owner in (project, other):
        catalog.projects.add_source(owner.id, Source("folder", "/papers"))
        catalog.documents.save(Document(owner.id, "d", "/papers/a.pdf"))
        catalog.jobs.save(Job(f"job-{owner.id}", owner.id, "ingest", {}))
        catalog.access_log.add(
            correlation_id="c",
            client="e",
            project_id=owner.id,
            tool="query",
            asked="salt",
            passages=[],
            outcome="ok",
            milliseconds=1,
        )
    catalog.projects.remove(project.id)
    assert [p.id for p in catalog.projects.all()] == ["other"]
    assert catalog.projects.sources(project.id) == []
    assert catalog.documents.all(project.id) == []
    assert [j.project_id for j in catalog.jobs.unfinished()] == ["other"]
    assert len(catalog.documents.all("other")) == len(catalog.projects.sources("other")) == 1
    assert {e.project_id for e in catalog.access_log.latest(None, 10)} == {"thesis", "other"}


@pytest.mark.parametrize(
    ("source", "path", "held"),
    [
        (Source("folder", "/p"), "/p/a.pdf", True),
        (Source("folder", "/p"), "/p/deep/a.pdf", True),
        (Source("folder", "/p"), "/papers/a.pdf", False),
        (Source("folder", "/p", recursive=False), "/p/a.pdf", True),
        (Source("folder", "/p", recursive=False), "/p/deep/a.pdf", False),
        (Source("file", "/p/a.pdf"), "/p/a.pdf", True),
        (Source("file", "/p/a.pdf"), "/p/a.pdf/b", False),
    ],
)
def test_a_source_holds_what_lies_in_it(source: Source, path: str, held: bool) -> None:
    assert source.contains(Path(path)) is held


def test_a_source_added_twice_is_one_source(catalog: Catalog, project: Project) -> None:
    catalog.projects.add_source(project.id, Source("folder", "/p", recursive=True))
    catalog.projects.add_source(project.id, Source("folder", "/p", recursive=False))
    assert catalog.projects.sources(project.id) == [Source("folder", "/p", recursive=False)]
    catalog.projects.remove_source(project.id, "/p")
    assert catalog.projects.sources(project.id) == []
