"""The points at which tests disturb an engine: declared, used, and without effect unless somebody means it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from citeloom.core import fault_injection as faults
from citeloom.core.errors import CiteLoomError, Code
from tests.faults import Fault, Pause, as_variable, fault, set_number
from tests.support import ROOT

MODULE = Path(faults.__file__)
Inject = Callable[..., None]


@pytest.fixture
def inject(monkeypatch: pytest.MonkeyPatch) -> Inject:
    def rules(*given: Fault) -> None:
        (text,) = as_variable(*given).values()
        monkeypatch.setattr(faults, "RULES", faults.parse(text))

    return rules


def names_in(function: str) -> Iterator[str]:
    """What the product's code gives a function of this module by name."""
    for file in sorted((ROOT / "citeloom").rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call) or ast.unparse(node.func) != f"faults.{function}":
                continue
            name = node.args[0]
            choices = [name.body, name.orelse] if isinstance(name, ast.IfExp) else [name]
            for choice in choices:
                assert isinstance(choice, ast.Constant), f"{file}:{node.lineno}: a name is written out, to be found"
                yield str(choice.value)


def test_every_point_is_declared_and_stands_at_one_place() -> None:
    assert sorted(names_in("point")) == list(faults.POINTS), "declared in alphabetical order"
    assert sorted(names_in("number")) == list(faults.NUMBERS)


def test_nobody_else_reads_the_variable() -> None:
    named = [file for file in (ROOT / "citeloom").rglob("*.py") if faults.VARIABLE in file.read_text(encoding="utf-8")]
    assert named == [MODULE]


def python(code: str, **variables: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", f"from citeloom.core import fault_injection as faults; {code}"],
        env={"PYTHONPATH": str(ROOT), **variables},
        capture_output=True,
        text=True,
        check=False,
    )


def test_only_a_process_with_a_data_folder_of_its_own_is_disturbed(tmp_path: Path) -> None:
    rules = as_variable(fault("import.read", "kill", "moths.md"))
    reach = "faults.point('import.read', '/papers/moths.md'); print('alive')"
    assert python(reach, **rules).stdout == "alive\n"
    assert python(reach, CITELOOM_HOME=str(tmp_path)).stdout == "alive\n"
    assert python(reach, CITELOOM_HOME="", **rules).stdout == "alive\n"
    killed = python(reach, CITELOOM_HOME=str(tmp_path), **rules)
    assert (killed.returncode != 0, killed.stdout) == (True, "")


@pytest.mark.parametrize(
    "text",
    [
        "on",
        "1",
        '[{"point": "import.raed", "action": "kill"}]',
        '[{"point": "import.read", "action": "delete"}]',
        '[{"point": "import.read"}]',
        '[{"point": "index.batch", "action": "kill"}]',
        '[{"point": "import.read", "action": "kill", "when": 1}]',
    ],
)
def test_a_rule_that_is_not_understood_ends_the_process_at_its_start(tmp_path: Path, text: str) -> None:
    started = python("print('started')", CITELOOM_HOME=str(tmp_path), CITELOOM_FAULTS=text)
    assert started.returncode == 1
    assert started.stdout == ""


def test_a_rule_acts_where_its_detail_fits_and_the_time_it_says(inject: Inject, tmp_path: Path) -> None:
    every, second = tmp_path / "every", tmp_path / "second"
    inject(
        fault("import.read", "note", "moths", value=str(every)),
        fault("import.read", "note", "moths", nth=2, value=str(second)),
    )
    for source in ("moths-1.md", "reefs.md", "moths-2.md", "moths-3.md"):
        faults.point("import.read", source)
    faults.point("import.written", "moths-4.md")
    assert every.read_text().split() == ["moths-1.md", "moths-2.md", "moths-3.md"]
    assert second.read_text().split() == ["moths-2.md"]


def test_a_number_is_the_usual_one_unless_a_rule_names_it(inject: Inject) -> None:
    assert faults.number("index.batch", 64) == 64
    inject(set_number("index.batch", 1))
    assert faults.number("index.batch", 64) == 1
    assert faults.number("watch.rest_seconds", 30.0) == 30.0


def test_a_full_disk_is_said_as_the_real_one_is(inject: Inject) -> None:
    inject(fault("import.row_saving", "fail"))
    with pytest.raises(CiteLoomError, match=r"disk is full") as caught:
        faults.point("import.row_saving", "moths.md")
    assert caught.value.code == Code.STORAGE_ERROR


def test_a_pause_lasts_until_it_is_released(inject: Inject, tmp_path: Path) -> None:
    pause, done = Pause(tmp_path / "held"), list[str]()
    inject(pause.at("import.read"))
    with pause.doing(lambda: done.append("something else")):
        faults.point("import.read", "moths.md")
        done.append("the import")
    assert done == ["something else", "the import"]
    faults.point("import.read", "reefs.md")
