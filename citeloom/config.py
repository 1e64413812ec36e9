"""The settings: one TOML file that a person can edit. Values only; nothing is built here."""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from citeloom import paths
from citeloom.errors import CiteLoomError, Code

BUNDLED_DENSE = "citeloom/all-MiniLM-L6-v2-int8"
BUNDLED_SPARSE = "citeloom/bm25"
_SHORTEST_TEXT = 100


@dataclass(frozen=True, slots=True)
class Models:
    """Which models a new project gets. A project keeps the ones it was built with."""

    dense: str = BUNDLED_DENSE
    sparse: str = BUNDLED_SPARSE  # "" switches hybrid search off
    language: str = "english"  # stemmer and stop words of the sparse model
    allow_download: bool = False  # whether a model that is not here may be fetched from its hub


@dataclass(frozen=True, slots=True)
class Search:
    """How answers are made."""

    top_k: int = 6
    max_top_k: int = 20
    max_chars: int = 1800
    fusion: str = "rrf"  # or "dbsf"
    rrf_k: int = 60
    include_references: bool = False  # whether lists of references are searched like any other text


@dataclass(frozen=True, slots=True)
class Ocr:
    """How text is recognised in pictures of pages."""

    languages: tuple[str, ...] = ("en", "de")  # where neither the record nor the import names one
    engine: str = "tesseract"  # or "rapidocr", where it is installed


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds after which a tool gives up."""

    query: float = 8.0
    query_hybrid: float = 15.0
    store_chunks: float = 15.0
    ingest_from_source: float = 15.0
    list_projects: float = 2.0
    other: float = 5.0

    def of(self, tool: str) -> float:
        """The limit of a tool."""
        return float(getattr(self, tool, self.other))


@dataclass(frozen=True, slots=True)
class Engine:
    """How the engine runs."""

    idle_minutes: float = 10.0
    workers: int = 0  # 0: as many as the machine's cores and memory allow
    worker_memory_mb: int = 0  # what one document may take; 0: by its pages and the machine's memory
    min_free_mb: int = 200  # imports stop when the disk has less


@dataclass(frozen=True, slots=True)
class Zotero:
    """How Zotero is reached."""

    source: str = "auto"  # or "local", "sqlite", "web"
    local_url: str = "http://127.0.0.1:23119"
    web_url: str = "https://api.zotero.org"
    data_folder: str = ""  # where zotero.sqlite and storage are; "": as Zotero's profile says
    fetch_files: bool = True  # once logged in: fetch files that are not on this disk
    max_file_mb: int = 300


@dataclass(frozen=True, slots=True)
class Watch:
    """What is kept in step without anybody asking."""

    zotero: bool = True
    files: bool = True  # the folders and the references of projects
    zotero_seconds: float = 20.0  # between two looks at a running Zotero


@dataclass(frozen=True, slots=True)
class Privacy:
    """What is kept of what editors asked, and what they may ask for."""

    access_log: bool = True
    agents_may_fetch: bool = False  # whether an agent may have CiteLoom read web addresses


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings with their defaults."""

    default_project: str = ""
    models: Models = field(default_factory=Models)
    search: Search = field(default_factory=Search)
    ocr: Ocr = field(default_factory=Ocr)
    timeouts: Timeouts = field(default_factory=Timeouts)
    engine: Engine = field(default_factory=Engine)
    zotero: Zotero = field(default_factory=Zotero)
    watch: Watch = field(default_factory=Watch)
    privacy: Privacy = field(default_factory=Privacy)


def load(path: Path | None = None) -> Settings:
    """The settings of the file; a missing file means the defaults."""
    path = path or Path(paths.settings_file())
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return Settings()
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise _invalid(path, str(error)) from error
    settings = _section(Settings, data, path, "")
    search = settings.search
    if not (1 <= search.top_k <= search.max_top_k and search.max_chars >= _SHORTEST_TEXT and search.rrf_k >= 1):
        raise _invalid(path, f"[search] needs 1 <= top_k <= max_top_k, max_chars >= {_SHORTEST_TEXT} and rrf_k >= 1")
    for name, value, choices in (
        ("search.fusion", settings.search.fusion, ("rrf", "dbsf")),
        ("zotero.source", settings.zotero.source, ("auto", "local", "sqlite", "web")),
        ("ocr.engine", settings.ocr.engine, ("tesseract", "rapidocr")),
    ):
        if value not in choices:
            raise _invalid(path, f'{name} is "{value}"; it can be {" or ".join(choices)}')
    return settings


_T = TypeVar("_T")


def _section(cls: type[_T], data: dict[str, Any], path: Path, prefix: str) -> _T:
    defaults = cls()
    known = {f.name for f in fields(cls)}  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    for key, value in data.items():
        name = f"{prefix}{key}"
        if key not in known:
            raise _invalid(path, f"there is no setting {name}; here there are {', '.join(sorted(known))}")
        default = getattr(defaults, key)
        if isinstance(default, str | bool | int | float):
            kind = (int, float) if isinstance(default, float) else type(default)
            if not isinstance(value, kind) or isinstance(value, bool) != isinstance(default, bool):
                raise _invalid(path, f"{name} is {value!r}, but it must be like {default!r}")
            if isinstance(value, int | float) and not (math.isfinite(value) and value >= 0):
                raise _invalid(path, f"{name} is {value!r}, but it must be a number from 0 on")
            values[key] = value
        elif isinstance(default, tuple):
            if not isinstance(value, list) or not value or not all(isinstance(v, str) and v.strip() for v in value):
                raise _invalid(path, f"{name} is {value!r}, but it must be like {list(default)!r}")
            values[key] = tuple(value)
        elif isinstance(value, dict):
            values[key] = _section(type(default), value, path, f"{name}.")
        else:
            raise _invalid(path, f"{name} is a table: write [{name}] above its settings")
    return cls(**values)


def _invalid(path: Path, reason: str) -> CiteLoomError:
    return CiteLoomError(
        Code.INVALID_INPUT,
        f"The settings file {path} cannot be used: {reason}.",
        "Correct that line, or rename the file to go back to the defaults.",
    )
