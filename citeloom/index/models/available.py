"""Available embedding models and rerankers: description, languages, whether downloaded, and download."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom.core import paths
from citeloom.core.errors import CiteLoomError, Code
from citeloom.core.settings import BUNDLED_DENSE
from citeloom.index.models.loading import BUNDLED, supported_models, supported_rerankers

_POLL_SECONDS = 0.25  # how often the progress of a download is read
_GIGABYTE = 1_000_000_000
_BUNDLED_GB = 0.023
MULTILINGUAL = "*"  # the language of multilingual models
_LANGUAGES = re.compile(r"(multi-?lingual\b(?: \([^)]*\))?|mixed [\w-]+|english\b|chinese\b)", re.IGNORECASE)
_LANGUAGE_CODES = {"english": "en", "german": "de", "spanish": "es", "chinese": "zh"}
_TOKENS = re.compile(r"(\d+) input tokens")
_YEAR = re.compile(r"(\d{4}) year")
# Models for questions or passages only, for image captions, or for program code.
_UNSUITABLE = re.compile(r"\b(query|document)[- ]side\b|text&image|programming", re.IGNORECASE)
# Good at retrieval and usable without a GPU: the ones that are recommended.
_RECOMMENDED = (
    BUNDLED_DENSE,
    "BAAI/bge-small-en-v1.5",
    "jinaai/jina-embeddings-v2-base-de",
    "jinaai/jina-embeddings-v2-base-es",
    "jinaai/jina-embeddings-v2-base-zh",
    "google/embeddinggemma-300m",
    "intfloat/multilingual-e5-large",
)
_MIN_LANGUAGE_SHARE = 0.05  # share of a library's documents; rarer languages do not affect the recommendation


@dataclass(frozen=True, slots=True)
class DenseChoice:
    """An available dense model."""

    name: str
    dimensions: int
    description: str
    size_gb: float
    bundled: bool
    installed: bool  # on this machine
    languages: tuple[str, ...]  # codes; `MULTILINGUAL`: dozens
    tokens: int | None  # maximum of a text; None: unknown


@dataclass(frozen=True, slots=True)
class RerankerChoice:
    """An available cross-encoder."""

    name: str
    description: str
    size_gb: float
    installed: bool  # on this machine


def choices() -> list[DenseChoice]:
    """Return the dense models that suit passages of papers, the bundled one first."""
    bundled = DenseChoice(
        BUNDLED_DENSE,
        BUNDLED.size,
        "English, reads 256 tokens of a passage. Comes with CiteLoom.",
        _BUNDLED_GB,
        True,
        True,
        ("en",),
        BUNDLED.max_tokens,
    )
    return [bundled, *(_choice(about) for about in supported_models() if not _UNSUITABLE.search(about["description"]))]


def rerankers() -> list[RerankerChoice]:
    """Return all cross-encoders."""
    return [
        RerankerChoice(
            str(about["model"]), _reranker_languages(about), float(about["size_in_GB"]), _is_installed(about)
        )
        for about in supported_rerankers()
    ]


def main_languages(library: Mapping[str, int]) -> list[str]:
    """Return the main languages of a library, most frequent first; `library` counts documents ("": not known)."""
    known = {code: count for code, count in library.items() if code}
    least = _MIN_LANGUAGE_SHARE * sum(known.values())
    return sorted((code for code in known if known[code] >= least), key=lambda code: -known[code])


def recommended(found: Collection[DenseChoice], library: Mapping[str, int]) -> set[str]:
    """Return the names of the models that suit a library, given its documents by language ("": not known).

    Models for exactly its languages, and multilingual ones; for English alone, English models.
    """
    needed = set(main_languages(library)) or {"en"}
    fitting = [choice for choice in found if choice.name in _RECOMMENDED]
    if needed == {"en"}:
        return {choice.name for choice in fitting if choice.languages == ("en",)}
    return {choice.name for choice in fitting if MULTILINGUAL in choice.languages or needed <= set(choice.languages)}


def is_downloaded(name: str) -> bool:
    """Return whether a model's weights are on this machine."""
    return name == BUNDLED_DENSE or any(_is_installed(about) for about in _all_models() if about["model"] == name)


def fetch(name: str, on_progress: Callable[[int, int], None], stopped: Callable[[], bool]) -> bool:
    """Download a model; return False if stopped. `on_progress` gets the bytes so far and in total.

    Runs in a child process, which may go online and can be killed; the next attempt resumes the download.
    """
    about = next(about for about in _all_models() if about["model"] == name)
    folder, total = _folder(about), int(about["size_in_GB"] * _GIGABYTE)
    environment = {key: value for key, value in os.environ.items() if key != "HF_HUB_OFFLINE"}
    process = subprocess.Popen(
        [sys.executable, "-m", "citeloom.index.models.download", name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[3],
        env=environment,
        start_new_session=os.name == "posix",
    )
    with process:
        while process.poll() is None:
            if stopped():
                process.kill()
                return False
            on_progress(_downloaded_bytes(folder), total)
            time.sleep(_POLL_SECONDS)
        assert process.stdout
        reason = process.stdout.read().decode("utf-8", "replace").strip()
    if process.returncode or not is_downloaded(name):
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' could not be fetched: {reason or 'its download ended early'}.",
            "Check the connection to the internet and try again. Nothing was changed.",
            lasting=name,
        )
    return True


def _all_models() -> list[dict[str, Any]]:
    return [*supported_models(), *supported_rerankers()]


def _choice(about: dict[str, Any]) -> DenseChoice:
    name, description = str(about["model"]), str(about["description"])
    tokens = _TOKENS.search(description)
    return DenseChoice(
        name,
        int(about["dim"]),
        _short_description(description),
        float(about["size_in_GB"]),
        False,
        _is_installed(about),
        _languages(description),
        int(tokens[1]) if tokens else None,
    )


def _languages(description: str) -> tuple[str, ...]:
    found = _LANGUAGES.search(description)
    matched = found[1].lower() if found else ""
    named = tuple(code for name, code in _LANGUAGE_CODES.items() if name in matched)
    return named or ((MULTILINGUAL,) if matched else ())


def _short_description(description: str) -> str:
    """Return a short description: languages, tokens, year."""
    languages, tokens, year = (known.search(description) for known in (_LANGUAGES, _TOKENS, _YEAR))
    parts = [
        languages[1][:1].upper() + languages[1][1:] if languages else "",
        f"reads {tokens[1]} tokens of a passage" if tokens else "",
        f"made in {year[1]}" if year else "",
    ]
    return ", ".join(filter(None, parts)) + "."


def _reranker_languages(about: dict[str, Any]) -> str:
    """Return the languages of a cross-encoder."""
    if about["model"] == "BAAI/bge-reranker-base":
        return "Chinese and English."
    return "Many languages." if re.search("multi-?lingual", about["description"], re.IGNORECASE) else "English."


def _folder(about: dict[str, Any]) -> Path:
    return Path(paths.models_folder()) / f"models--{about['sources']['hf'].replace('/', '--')}"


def _is_installed(about: dict[str, Any]) -> bool:
    folder = _folder(about)
    try:
        snapshot = folder / "snapshots" / (folder / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return False
    return all((snapshot / file).is_file() for file in (about["model_file"], *about["additional_files"]))


def _downloaded_bytes(folder: Path) -> int:
    total = 0
    for file in (folder / "blobs").glob("*"):
        with suppress(OSError):  # it was just renamed
            total += file.stat().st_size
    return total
