"""Moving an index as a person does it: killed in the middle, gone on with, deleted by somebody else, mended."""

from __future__ import annotations

from pathlib import Path

from tests.faults import fault, set_number
from tests.flows.steps import Control, Project, assert_whole, engine_with, four_papers, wait_until_idle
from tests.qdrant_stand_in import QdrantStandIn
from tests.support import WAIT, citeloom, done, stop_engine

KEY = "not-to-be-seen"
# Copies in small steps, and is killed after the second.
DIE_WHILE_COPYING = [set_number("index_copy.batch", 4), fault("index.batch_written", "kill", nth=2)]


def test_a_move_survives_a_kill_and_a_rebuild_mends_what_somebody_deleted(home: Path, tmp_path: Path) -> None:
    four_papers(tmp_path / "papers")
    project = Project.made(home, tmp_path / "papers")
    project.ingest()
    found = project.found()
    stop_engine(home)
    with QdrantStandIn() as qdrant:
        with engine_with(home, *DIE_WHILE_COPYING) as engine:
            with Control(home) as control:
                control.call("maintenance.move_index", project="p", to=qdrant.address)
            engine.wait(WAIT)
        (half,) = [one.name for one in qdrant.local.get_collections().collections]
        assert qdrant.local.count(half).count == 8

        done(citeloom(home, "engine", "start"))
        wait_until_idle(home)
        shown = done(citeloom(home, "index", "show", "p"))
        assert qdrant.address in shown and "12" in shown and f"Qdrant {qdrant.version}" in shown
        assert [one.name for one in qdrant.local.get_collections().collections] == [half]
        assert project.found() == found
        checked = done(citeloom(home, "doctor"))
        assert f"12 passages, on {qdrant.address}" in checked and "no key" in checked
        assert "is there already" in done(citeloom(home, "index", "move", "p", "--to", qdrant.address))
        assert "by itself" in done(citeloom(home, "index", "compact"))
        kept = tmp_path / "kept.zip"
        assert "restored, the index is embedded" in done(citeloom(home, "backup", str(kept)))
        assert f"answers: Qdrant {qdrant.version}" in done(citeloom(home, "index", "test", qdrant.address))
        refused = citeloom(home, "index", "test", "http://user:word@somewhere")
        assert refused.returncode == 1 and "word@" not in refused.stderr

        qdrant.lose(half)
        lost = citeloom(home, "search", "p", "measured")
        assert lost.returncode == 1 and "was deleted there" in lost.stderr
        project.ingest("--force-rebuild")
        assert project.found() == found

        said = done(citeloom(home, "index", "move", "p", "--to", "embedded"))
        assert f"12 passages of p moved from {qdrant.address} to embedded" in said
        assert [one.name for one in qdrant.local.get_collections().collections] == []
        assert "12 passages, " in done(citeloom(home, "index", "compact", "p"))
        assert project.found() == found
        done(citeloom(home, "index", "move", "p", "--to", qdrant.address))
    gone = citeloom(home, "search", "p", "measured")
    assert gone.returncode == 1 and "--force-rebuild --embedded" in gone.stderr
    project.ingest("--force-rebuild", "--embedded")
    assert project.found() == found
    stop_engine(home)
    assert_whole(home)


def test_a_key_is_kept_in_the_keyring_once_the_server_takes_it(home: Path) -> None:
    with QdrantStandIn(key=KEY) as qdrant:
        done(citeloom(home, "engine", "start", PYTHON_KEYRING_BACKEND="tests.keyring_for_tests.Memory"))
        refused = citeloom(home, "index", "test", qdrant.address)
        assert refused.returncode == 1 and "citeloom index login" in refused.stderr
        wrong = citeloom(home, "index", "login", qdrant.address, stdin="another-key\n")
        assert wrong.returncode == 1 and "refuses the key" in wrong.stderr and "another-key" not in wrong.stderr
        said = done(citeloom(home, "index", "login", qdrant.address, stdin=f"{KEY}\n"))
        assert "accepts it" in said and KEY not in said
        assert "with the key in the keyring" in done(citeloom(home, "index", "test", qdrant.address))
        with QdrantStandIn(key=KEY) as another:
            assert "requires a key" in citeloom(home, "index", "test", another.address).stderr, (
                "it was not given for it"
            )
        assert "Key: in the keyring." in done(citeloom(home, "index", "show"))
        assert "The key was deleted." in done(citeloom(home, "index", "logout"))
        assert citeloom(home, "index", "test", qdrant.address).returncode == 1
    stop_engine(home)
    for log in (home / "logs").iterdir():
        assert KEY not in log.read_text(encoding="utf-8")
