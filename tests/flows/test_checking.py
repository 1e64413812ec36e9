"""Manuscripts against the library they cite: checked in every format, mended, and checked again on every save."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import pytest

from tests.conftest import _imported_sample
from tests.flows.steps import kill_engine, settings
from tests.support import SAMPLE, WAIT, citeloom, done, environment, stop_engine, wait_for

PROJECT = "sample/library"
OLD = "hartmannQuotationErrorsScholarly2019"
NEW_KEYS = {OLD: "hartmann2019", "okaforSleepSpindleDensity2021": "okafor2021"}

SHELF = "a disputed quotation can be settled by walking to the shelf"  # printed page 253
SEVEN = "Six quotations in seven are exactly what they claim to be"  # printed page 257

# In each format: a quotation with a key of before and a wrong page, a right one, a changed one, and a mistyped key.
MANUSCRIPTS = {
    "thesis.md": f"""---
title: "On @quoting"
---

They hold that “{SHELF}” [@{OLD}, p. 254]. @hartmann2019 [p. 257] adds: "{SEVEN}".

> {SEVEN.replace("seven", "ten")} [@hartmann2019, p. 257].

Others disagree [see @hartman2019; @okafor2021].
""",
    "thesis.tex": rf"""\documentclass{{article}}
\begin{{document}}
They hold that ``{SHELF}'' \citep[p.~254]{{{OLD}}}. \textcite[257]{{hartmann2019}} adds: \enquote{{{SEVEN}}}.

\begin{{quote}}
{SEVEN.replace("seven", "ten")} \parencite[257]{{hartmann2019}}.
\end{{quote}}

Others disagree \citep[see][]{{hartman2019,okafor2021}}.
\end{{document}}
""",
    "thesis.typ": f"""= On quoting
They hold that "{SHELF}" @{OLD}[p. 254]. @hartmann2019[p. 257] adds: "{SEVEN}".

#quote(block: true)[{SEVEN.replace("seven", "ten")} @hartmann2019[p. 257].]

Others disagree @hartman2019 @okafor2021.
""",
    "thesis.org": f"""* On quoting
They hold that "{SHELF}" [cite:@{OLD} p. 254]. [cite/t:@hartmann2019 p. 257] adds: "{SEVEN}".

#+begin_quote
{SEVEN.replace("seven", "ten")} [cite:@hartmann2019 p. 257].
#+end_quote

Others disagree [cite:see @hartman2019; @okafor2021].
""",
    "thesis.adoc": f"""= On quoting

They hold that "{SHELF}" cite:[{OLD}(254)]. As citenp:[hartmann2019(257)] adds: "{SEVEN}".

____
{SEVEN.replace("seven", "ten")} cite:[hartmann2019(257)].
____

Others disagree cite:[hartman2019, okafor2021].
""",
}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The sample library, two of whose works got another citekey since; a work without a file; another project."""
    base = tmp_path_factory.mktemp("checking")
    folder, references, others = base / "home", base / "library.json", base / "others.json"
    shutil.copytree(_imported_sample(tmp_path_factory), folder)
    settings(folder, f'default_project = "{PROJECT}"\n')
    records = json.loads((SAMPLE / "library.json").read_text(encoding="utf-8"))
    for record in records:
        key = NEW_KEYS.get(record["id"], record["id"])
        record.update({"id": key, "citation-key": key})
    unread = {"id": "unread2001", "type": "book", "title": "On Tolls"}
    references.write_text(json.dumps([*records, unread]), encoding="utf-8")
    others.write_text(json.dumps([{"id": "beside2002", "type": "book", "title": "On Barges"}]), encoding="utf-8")
    done(citeloom(folder, "ingest", PROJECT, "--references", str(references)))
    done(citeloom(folder, "project", "add", "beside", "--references", str(others)))
    yield folder
    stop_engine(folder)


def rules(report: dict[str, Any]) -> list[tuple[str, str]]:
    """The rules that were broken, with the keys they are about."""
    return sorted((found["rule"], found["citekey"]) for found in report["findings"] if found["level"] != "note")


def reports(home: Path, *files: Path, code: int = 1) -> list[dict[str, Any]]:
    result = citeloom(home, "check", *map(str, files), "--json")
    assert result.returncode == code, result.stdout + result.stderr
    found: list[dict[str, Any]] = json.loads(result.stdout)
    return found


def test_a_manuscript_of_each_format_is_checked_and_mended(home: Path, tmp_path: Path) -> None:
    files = [tmp_path / name for name in MANUSCRIPTS]
    for file in files:
        file.write_text(MANUSCRIPTS[file.name], encoding="utf-8")
    for file, report in zip(files, reports(home, *files), strict=True):
        assert rules(report) == [
            ("quote-changed", "hartmann2019"),
            ("renamed-key", OLD),
            ("unknown-key", "hartman2019"),
            ("wrong-page", OLD),
        ], file.name
        text = MANUSCRIPTS[file.name]
        assert {text[e["start"] : e["end"]] for e in report["edits"]} == {OLD, "254"}, file.name
        assert (report["citations"], report["works"], report["quotations"]) == (5, 2, 3), file.name
        unknown = report["findings"][-1]
        line = text.splitlines()[unknown["line"] - 1]
        assert line[unknown["column"] - 1 : unknown["end_column"] - 1] == "hartman2019", file.name
        assert "hartmann2019" in unknown["near"], file.name
    result = citeloom(home, "check", *map(str, files), "--fix", "--yes")
    assert result.returncode == 1 and result.stdout.count("corrected in 2 places; left for you:") == len(files)
    assert result.stdout.count("[quote-changed]") == result.stdout.count("[unknown-key]") == len(files)
    for file in files:
        mended = MANUSCRIPTS[file.name].replace(OLD, "hartmann2019").replace("254", "253")
        assert file.read_text(encoding="utf-8") == mended, file.name
    assert "[renamed-key]" not in result.stdout and "[wrong-page]" not in result.stdout


def word_document(file: Path, *paragraphs: tuple[str, dict[str, Any]]) -> Path:
    """A Word document of paragraphs that each end with a citation, as Zotero's plug-in writes it."""
    parts = []
    for text, item in paragraphs:
        code = f" ADDIN ZOTERO_ITEM CSL_CITATION {json.dumps({'citationItems': [item]})} "
        runs = (
            f"<w:t>{escape(text)} </w:t>",
            '<w:fldChar w:fldCharType="begin"/>',
            f"<w:instrText>{escape(code)}</w:instrText>",
            '<w:fldChar w:fldCharType="separate"/>',
            "<w:t>(Someone)</w:t>",
            '<w:fldChar w:fldCharType="end"/>',
        )
        parts.append(f"<w:p>{''.join(f'<w:r>{run}</w:r>' for run in runs)}</w:p>")
    namespace = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f'<w:document xmlns:w="{namespace}"><w:body>{"".join(parts)}</w:body></w:document>'
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("word/document.xml", body)
    return file


def test_a_word_document_is_checked_and_left_to_word(home: Path, tmp_path: Path) -> None:
    hartmann = {"id": 1, "uris": ["http://zotero.org/users/1/items/ABCD2345"], "locator": "254"}
    hartmann["itemData"] = {"type": "article-journal", "DOI": "10.5555/jbp.2019.41.3.253"}
    file = word_document(
        tmp_path / "thesis.docx",
        (f"They write: “{SEVEN}”", {**hartmann, "locator": "257", "itemData": {"citation-key": OLD}}),
        (f"They hold that “{SHELF}”", hartmann),
    )
    before = file.read_bytes()
    result = citeloom(home, "check", str(file), "--fix", "--yes")
    assert result.returncode == 1 and "corrected in Word" in result.stdout, result.stdout + result.stderr
    assert f"{file}: paragraph 2: error: " in result.stdout and f"In: {SHELF} [wrong-page]" in result.stdout
    assert "2 citations of 1 work, 2 quotations: 1 error." in result.stdout
    assert file.read_bytes() == before


def test_what_is_right_is_left_in_peace(home: Path, tmp_path: Path) -> None:
    """Which of two works a quotation is of, the works tell; sentences that say nothing are near to nothing."""
    file = tmp_path / "right.md"
    file.write_text(
        f"@hartmann2019 [p. 257] hold that “{SEVEN}”, which has been disputed since [@okafor2021].\n\n"
        f"Unlike @okafor2021, they say that “{SHELF}” and that “{SEVEN}” [@hartmann2019].\n\n"
        "This has been argued before [@hartmann2019]. I follow it here as well [see @okafor2021].\n\n"
        f"They agree that “{SEVEN}” [@hartmann2019, 257; @okafor2021, 9999].\n\n"
        f"They say that “{SHELF}”, and that “{SEVEN}” [@hartmann2019, 257].\n",
        encoding="utf-8",
    )
    (report,) = reports(home, file)
    found = [(found["rule"], found["citekey"], found["line"]) for found in report["findings"]]
    assert found == [("page-outside-work", "okafor2021", 7), ("wrong-page", "hartmann2019", 9)]
    assert not report["edits"], "a page that is right for another quotation stays"


def test_every_rule_is_told_with_what_to_do(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "rules.md"
    file.write_text(
        f"Power is low [@beside2002].\n\nReviewers look at names [@unread2001].\n\n"
        f"It is so [@hartmann2019, p. 999].\n\nSleep matters: “{SHELF}” [@okafor2021].\n\n"
        "They invent: “no scholar ever lent a purple umbrella to a comet” [@hartmann2019].\n",
        encoding="utf-8",
    )
    result = citeloom(home, "check", str(file))
    lines = [line for line in result.stdout.splitlines() if ": note: " not in line]
    told = [line.removeprefix(f"{file}:") for line in lines if line.endswith("]")]
    assert [line.rsplit(" ", 1)[1] for line in told] == [
        "[not-in-project]",
        "[no-text]",
        "[page-outside-work]",
        "[quote-absent]",
        "[quote-absent]",
    ]
    assert told[0].startswith("1:16: error: ") and "'beside'" in told[0]
    assert told[1].startswith("3:27: warning: ")
    assert "253" in told[2] and "It is in hartmann2019 on p. 253" in told[3]
    assert lines[-1] == f"Checked against {PROJECT}: 10 of 10 documents searchable."
    assert result.returncode == 1 and not result.stderr
    log = json.loads(citeloom(home, "check", str(file), "--sarif").stdout)
    found = [result["ruleId"] for result in log["runs"][0]["results"] if result["level"] != "note"]
    assert found == [line.rsplit(" ", 1)[1].strip("[]") for line in told]


def test_bad_manuscripts_are_each_told_in_a_sentence_and_stop_nothing(home: Path, tmp_path: Path) -> None:
    def made(name: str, content: bytes) -> Path:
        (tmp_path / name).write_bytes(content)
        return tmp_path / name

    folder = tmp_path / "folder.md"
    folder.mkdir()
    right = f"“{SHELF}” [@hartmann2019, p. 253]. "
    files = [
        tmp_path / "missing.md",
        folder,
        made("picture.md", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + bytes(range(256))),
        made("notes.docx", b"PK\x03\x04 not a zip"),
        made("empty.md", b""),
        made("plain.md", b"Nothing is cited here.\n"),
        made("latin.md", f"Größe. {right}".encode("cp1252")),
        made("braces.tex", rf"\textbf{{{{ ``{SHELF}'' \citep[253]{{hartmann2019}} }}".encode()),
        made("large.md", ("Words " * 2_000 + "\n\n").encode() * 430 + right.encode()),
    ]
    found = reports(home, *files, code=2)
    assert [one["error"]["code"] for one in found[:4]] == [
        "FILE_NOT_FOUND",
        "INVALID_INPUT",
        "UNSUPPORTED_FORMAT",
        "INVALID_INPUT",
    ]
    for one in found[:4]:
        assert one["error"]["message"].endswith((".", "?")) and "Traceback" not in one["error"]["message"]
    assert [(one["citations"], one["quotations"], rules(one)) for one in found[4:]] == [
        (0, 0, []),
        (0, 0, []),
        (1, 1, []),
        (1, 1, []),
        (1, 1, []),
    ]
    assert found[6]["warnings"], "that the encoding was guessed is said"


class Watching:
    """`citeloom check --watch` in a terminal of its own."""

    def __init__(self, home: Path, *files: Path) -> None:
        command = [sys.executable, "-m", "citeloom", "check", *map(str, files), "--watch"]
        self._output = files[0].with_suffix(".out")
        with self._output.open("wb") as output:
            self.process = subprocess.Popen(command, env=environment(home), stdout=output, stderr=output)
        self._read = 0

    def __enter__(self) -> Watching:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait(WAIT)

    def says(self, words: str) -> str:
        """Wait for words; gives what was said up to them since the last time."""
        wait_for(lambda: words in self._output.read_text(encoding="utf-8")[self._read :], words)
        text = self._output.read_text(encoding="utf-8")
        begin, self._read = self._read, text.index(words, self._read) + len(words)
        return text[begin : self._read]

    def end(self) -> int:
        """Ctrl-C; gives the exit code."""
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(WAIT)


def save_by_rename(file: Path, text: str) -> None:
    beside = file.with_suffix(".new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def test_a_manuscript_is_checked_again_whenever_it_is_saved(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "thesis.md"
    wrong = f"It is known [@hartman2019].\n\n“{SHELF}” [@hartmann2019, p. 253].\n"
    file.write_text(wrong, encoding="utf-8")
    with Watching(home, file) as watching:
        assert "[unknown-key]" in watching.says("Watching 1 file.")
        save_by_rename(file, wrong.replace("p. 253", "p. 254"))
        news = watching.says("2 errors.")
        assert "[wrong-page]" in news and "[unknown-key]" not in news
        file.unlink()
        kill_engine(home)
        save_by_rename(file, wrong.replace("@hartman2019", "@hartmann2019"))
        news = watching.says("nothing is wrong.")
        assert "2 findings fewer" in news and "error" not in news
        assert watching.end() == 0


def test_a_quotation_is_looked_up_and_a_citation_is_set_from_the_record(home: Path) -> None:
    right = citeloom(home, "verify", PROJECT, SHELF, "--citekey", OLD, "--page", "253")
    assert right.returncode == 0 and right.stdout.startswith("EXACT: "), right.stdout + right.stderr
    assert "[@hartmann2019, p. 253]" in right.stdout and "(PDF page 1, printed 253)" in right.stdout
    assert f"{OLD} has the citekey hartmann2019 now." in right.stdout and "Page 253 is right." in right.stdout
    wrong = citeloom(home, "verify", PROJECT, "-", "--page", "250", stdin=SHELF.replace("shelf", "window"))
    assert wrong.returncode == 1 and wrong.stdout.startswith("NEAR: ")
    assert "[-window-] {+shelf+}" in wrong.stdout
    assert citeloom(home, "verify", PROJECT, "the").returncode == 2
    unknown = citeloom(home, "verify", PROJECT, SHELF, "--citekey", "hartman2019")
    assert unknown.returncode == 2 and "hartmann2019" in unknown.stderr and "Traceback" not in unknown.stderr
    cited = done(citeloom(home, "cite", f"[see @{OLD}, p. 33]", "okafor2021", "--format", "text"))
    assert "(see Hartmann & Osei, 2019, p. 33)" in cited and "Journal of Bibliographic Practice" in cited
    missing = citeloom(home, "cite", "hartmann2019", "--style", "apaa")
    assert missing.returncode == 1 and "apa" in missing.stderr
