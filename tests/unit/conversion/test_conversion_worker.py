from __future__ import annotations

import gzip
import hashlib
import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from citeloom.conversion import worker as worker_module
from citeloom.conversion.convert import convert
from citeloom.conversion.markup.markdown_writer import to_markdown
from citeloom.conversion.worker import Worker, serve
from citeloom.core.types import Passage
from tests.unit.conversion.sample_papers import FILLER, TOKENIZER, Paper, draw_diagram

ROOT = Path(__file__).parents[3]


def paper(path: Path) -> Path:
    made = Paper(path)
    for number in (41, 42, 43):
        if number == 41:
            made.heading("1 Introduction")
        made.lines(FILLER)
        made.at(290, 30, str(number))
        made.new_page()
    return made.save()


def request(number: int, path: Path, **more: Any) -> dict[str, Any]:
    basic = {
        "id": number,
        "path": str(path),
        "cache_file": None,
        "tokenizer": str(TOKENIZER),
        "max_tokens": 64,
    }
    return basic | {"use_cache": True} | more


def test_the_worker_answers_every_line_and_ends_with_its_input(tmp_path: Path) -> None:
    lines = [
        json.dumps(request(1, paper(tmp_path / "paper.pdf"))),
        "no json",
        json.dumps(request(2, tmp_path / "gone.pdf")),
        json.dumps(request(3, tmp_path / "paper.pdf", tokenizer=None)),
    ]
    run = subprocess.run(
        [sys.executable, "-m", "citeloom.conversion.worker"],
        input="\n".join(lines).encode(), capture_output=True, cwd=ROOT, check=True, timeout=120,
    )  # fmt: skip
    assert run.stderr == b""
    first, second, third, fourth = (json.loads(line) for line in run.stdout.splitlines())
    assert first["ok"] and first["converted"]["pages"] == 3
    passages = [Passage.from_json(p) for p in first["passages"]]
    assert passages[0].page_labels[0] == "41" and passages[0].section_path == ("1 Introduction",)
    assert first["converted"]["first_text"].startswith("1 Introduction")
    assert not second["ok"] and second["error"]["code"] == "INVALID_INPUT"
    assert (third["id"], third["error"]["code"]) == (2, "FILE_NOT_FOUND")
    assert fourth["ok"] and fourth["id"] == 3


def test_whoever_asks_hears_how_far_a_long_document_is(tmp_path: Path) -> None:
    made = Paper(tmp_path / "paper.pdf")
    made.lines(FILLER * 2)
    draw_diagram(made)
    requests = [request(1, made.save(), progress=True), request(2, tmp_path / "paper.pdf")]
    replies = io.BytesIO()
    serve(io.BytesIO("\n".join(json.dumps(r) for r in requests).encode()), replies)
    told, first, second = (json.loads(line) for line in replies.getvalue().splitlines())
    assert told == {"id": 1, "progress": {"stage": "layout", "done": 0, "total": 1}}
    assert first["passages"] == second["passages"]


def test_a_conversion_is_cached_and_a_broken_cache_is_made_again(tmp_path: Path) -> None:
    path, cache = paper(tmp_path / "paper.pdf"), tmp_path / "cache" / "abc.json.gz"
    worker = Worker()
    first = worker.answer(request(1, path, cache_file=str(cache)))
    second = worker.answer(request(2, path, cache_file=str(cache)))
    assert (first["cached"], second["cached"]) == (False, True)
    assert first["passages"] == second["passages"]
    good = cache.read_bytes()
    for broken in (b"", good[: len(good) // 2], gzip.compress(b"{}")):
        cache.write_bytes(broken)
        again = worker.answer(request(3, path, cache_file=str(cache)))
        assert again["ok"] and not again["cached"] and cache.read_bytes() == good
    assert not worker.answer(request(4, path, cache_file=str(cache), use_cache=False))["cached"]
    assert [file.name for file in cache.parent.iterdir()] == ["abc.json.gz"]


def test_a_reader_that_fails_unexpectedly_costs_that_file_only(tmp_path: Path, monkeypatch: Any) -> None:
    def fail(*_: object) -> None:
        raise ZeroDivisionError("by nothing")

    monkeypatch.setattr(worker_module, "convert", fail)
    answer = Worker().answer(request(5, tmp_path / "paper.pdf"))
    assert answer["error"]["code"] == "CONVERSION_FAILED"
    assert "ZeroDivisionError: by nothing" in answer["error"]["message"]


def test_only_the_content_that_was_asked_for_is_read_whatever_the_path_leads_to(tmp_path: Path) -> None:
    path, other, copies = tmp_path / "paper.md", tmp_path / "diary.md", tmp_path / "copies"
    path.write_text("# On moths\n\nThey were counted.\n")
    other.write_text("# A diary\n\nNobody may know.\n")
    content_hash = hashlib.sha256(path.read_bytes()).hexdigest()
    worker = Worker(copies)
    path.unlink()
    path.symlink_to(other)
    swapped = worker.answer(request(1, path, content_hash=content_hash))
    assert "It changed while it was being read." in swapped["error"]["message"] and "Nobody" not in str(swapped)
    assert not copies.exists()
    path.unlink()
    path.write_text("# On moths\n\nThey were counted.\n")
    assert worker.answer(request(2, path, content_hash=content_hash))["converted"]["title"] == "On moths"
    assert copies.stat().st_mode & 0o077 == 0
    path.unlink()
    assert worker.answer(request(3, path, content_hash=content_hash))["ok"], "the copy is kept for the next question"
    gone = worker.answer(request(4, path, content_hash="0" * 64))["error"]
    assert (gone["code"], gone["details"]["path"]) == ("FILE_NOT_FOUND", str(path))
    path.write_bytes(b"")
    empty = worker.answer(request(5, path, content_hash=hashlib.sha256(b"").hexdigest()))["error"]
    assert "paper.md is empty" in empty["message"] and empty["details"]["path"] == str(path)


def test_markdown_marks_where_pages_begin(tmp_path: Path) -> None:
    doc = convert(paper(tmp_path / "paper.pdf"))
    whole = to_markdown(doc)
    assert whole.startswith("<!-- page 41 (PDF 1) -->\n\n# 1 Introduction\n\nThe archive holds")
    assert whole.count("<!-- page") == 3
    assert to_markdown(doc, 2, 2).count("<!-- page 42 (PDF 2) -->") == to_markdown(doc, 2, 2).count("<!--") == 1
