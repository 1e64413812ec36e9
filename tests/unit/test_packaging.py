"""What an install brings: exact pins, no deep-learning framework, every data file, and one version.

The packages of the system that the Makefile looks for are tested here too.
"""

from __future__ import annotations

import importlib.util
import os
import stat
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path
from types import ModuleType

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from citeloom import __version__
from tests.support import ROOT

PACKAGE = ROOT / "citeloom"
CONSTRAINTS = [
    line for line in (ROOT / "packaging" / "constraints.txt").read_text().splitlines() if line and line[0] != "#"
]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
DECLARED = [
    Requirement(text) for text in (*PROJECT["dependencies"], *PROJECT.get("optional-dependencies", {}).get("dev", []))
]


def pins() -> dict[str, Version]:
    return {
        canonicalize_name(name): Version(version) for name, _, version in (line.partition("==") for line in CONSTRAINTS)
    }


def test_every_constraint_is_one_exact_version_from_any_index() -> None:
    for line in CONSTRAINTS:
        requirement = Requirement(line)
        assert requirement.url is None and not requirement.extras and requirement.marker is None, line
        (only,) = requirement.specifier
        assert only.operator == "==" and "*" not in only.version, line
    text = (ROOT / "packaging" / "constraints.txt").read_text()
    assert "://" not in text and not any(line.startswith("-") for line in text.splitlines())
    assert len(pins()) == len(CONSTRAINTS)


def test_every_declared_dependency_is_pinned_to_a_version_it_allows() -> None:
    pinned = pins()
    for requirement in DECLARED:
        assert requirement.url is None
        version = pinned.get(canonicalize_name(requirement.name))
        assert version is not None, f"{requirement.name} has no pin"
        assert version in requirement.specifier, f"{requirement} is pinned to {version}"


def closure(wanted: list[Requirement]) -> set[str]:
    """The names of everything that comes along, as the installed packages tell."""
    found: set[str] = set()
    waiting = [(r.name, frozenset(r.extras)) for r in wanted]
    seen: set[tuple[str, frozenset[str]]] = set()
    while waiting:
        name, extras = waiting.pop()
        if (canonicalize_name(name), extras) in seen:
            continue
        seen.add((canonicalize_name(name), extras))
        found.add(canonicalize_name(name))
        for text in metadata.requires(name) or []:
            requirement = Requirement(text)
            environments = [{**default_environment(), "extra": extra} for extra in ("", *extras)]
            if requirement.marker is None or any(requirement.marker.evaluate(e) for e in environments):
                waiting.append((requirement.name, frozenset(requirement.extras)))
    return found


def test_everything_that_comes_along_is_pinned() -> None:
    assert not closure(DECLARED) - set(pins())


def test_the_default_install_has_no_deep_learning_framework() -> None:
    frameworks = {"torch", "torchvision", "transformers", "tensorflow", "sentence-transformers", "jax", "docling"}
    comes_along = closure([Requirement(text) for text in PROJECT["dependencies"]])
    assert "onnxruntime" in comes_along
    assert not frameworks & (comes_along | set(pins()))
    assert not any(name.startswith("nvidia") for name in comes_along | set(pins()))


def test_the_wheels_data_files_are_named_in_the_package() -> None:
    patterns = PYPROJECT["tool"]["setuptools"]["package-data"]["citeloom"]
    for file in PACKAGE.rglob("*"):
        if file.is_file() and file.suffix not in (".py", ".pyc"):
            place = Path(file.relative_to(PACKAGE))
            assert any(place.match(pattern) for pattern in patterns), f"{place} would be missing after an install"


def test_the_version_stands_in_one_place() -> None:
    assert "version" not in PROJECT and PROJECT["dynamic"] == ["version"]
    assert PYPROJECT["tool"]["setuptools"]["dynamic"]["version"] == {"attr": "citeloom.__version__"}
    assert metadata.version("citeloom") == __version__


# -- system packages -----------------------------------------------------------------------------------------

LINUX = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux has system packages to look for")
SCRIPT = ROOT / "packaging" / "system_packages.py"


@pytest.fixture
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("system_packages", SCRIPT)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def apt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The only program on PATH: an apt-get that installs nothing; gives the file with its arguments."""
    program, called = tmp_path / "bin" / "apt-get", tmp_path / "called"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {called}\n')
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(program.parent))
    return called


@LINUX
def test_a_system_that_has_everything_is_left_alone_in_silence() -> None:
    # The tests of the app run here, so Qt has what it needs.
    done = subprocess.run([sys.executable, SCRIPT, "qt"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@LINUX
def test_root_with_apt_installs_what_is_missing_and_says_so(
    script: ModuleType, apt: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    after = script.Need("a font", "fonts-new", apt.is_file)
    assert script.provide([script.library("libc.so.6", "libc6"), after]) == 0
    assert apt.read_text() == "update -qq\ninstall -y -qq fonts-new\n"
    assert capsys.readouterr().out == "Installing system packages: fonts-new\n"


@LINUX
@pytest.mark.parametrize(("user", "sudo"), [(1000, "sudo "), (0, "")])
def test_what_cannot_be_installed_is_one_line_to_copy(
    script: ModuleType,
    apt: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    user: int,
    sudo: str,
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: user)
    assert script.provide([script.library("libnot-there.so.1", "libnot-there1"), *script.GROUPS["strace"]]) == 1
    assert apt.is_file() == (user == 0)
    said = capsys.readouterr().err.splitlines()
    assert "libnot-there.so.1" in said[1]
    assert said[-1] == f"  {sudo}apt-get install libnot-there1 strace"


@LINUX
def test_without_strace_everything_else_goes_on(
    script: ModuleType, apt: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert script.main(["strace"]) == 0
    assert not apt.exists()
    assert "strace is not installed" in capsys.readouterr().err
