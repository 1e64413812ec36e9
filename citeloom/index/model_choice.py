"""The dense models that a project can have: what each is, whether it is on this machine, and fetching it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from citeloom import paths
from citeloom.config import BUNDLED_DENSE
from citeloom.errors import CiteLoomError, Code
from citeloom.index.models import BUNDLED_SIZE, offered

_LOOK_EVERY = 0.25  # seconds between two looks at how far a download is
_GIGABYTE = 1_000_000_000
_BUNDLED_GB = 0.023
_LANGUAGES = re.compile(r"(multi-?lingual(?: \([^)]*\))?|mixed [\w-]+|english|chinese)\b", re.IGNORECASE)
_TOKENS = re.compile(r"(\d+) input tokens")
_YEAR = re.compile(r"(\d{4}) year")
# Made for questions or for passages only, for captions of pictures, or for programs.
_UNFIT = re.compile(r"\b(query|document)[- ]side\b|text&image|programming", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Choice:
    """A dense model that can be chosen."""

    name: str
    dimensions: int
    description: str
    size_gb: float
    bundled: bool
    here: bool


def choices() -> list[Choice]:
    """Every model that is made for texts like ours, the bundled one first."""
    bundled = Choice(
        BUNDLED_DENSE,
        BUNDLED_SIZE,
        "English, reads 256 tokens of a passage. Comes with CiteLoom.",
        _BUNDLED_GB,
        True,
        True,
    )
    return [bundled, *(_choice(about) for about in offered() if not _UNFIT.search(about["description"]))]


def is_here(name: str) -> bool:
    """Whether a model's weights are on this machine."""
    return name == BUNDLED_DENSE or any(_here(about) for about in offered() if about["model"] == name)


def fetch(name: str, tell: Callable[[int, int], None], stopped: Callable[[], bool]) -> bool:
    """Fetch a model's weights; False if it was stopped. `tell` hears how many bytes there are, of how many.

    In a process of its own: there the hub's client may go online, and a download can be ended in its middle. What it
    has is kept, and the next attempt goes on from there.
    """
    about = next(about for about in offered() if about["model"] == name)
    folder, total = _folder(about), int(about["size_in_GB"] * _GIGABYTE)
    environment = {key: value for key, value in os.environ.items() if key != "HF_HUB_OFFLINE"}
    process = subprocess.Popen(
        [sys.executable, "-m", "citeloom.index.fetch_model", name],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        cwd=Path(__file__).parents[2],
        env={**environment, "HF_HUB_DISABLE_TELEMETRY": "1"},
        start_new_session=os.name == "posix",
    )
    with process:
        while process.poll() is None:
            if stopped():
                process.kill()
                return False
            tell(_bytes(folder), total)
            time.sleep(_LOOK_EVERY)
        assert process.stdout
        said = process.stdout.read().decode("utf-8", "replace").strip()
    if process.returncode or not is_here(name):
        raise CiteLoomError(
            Code.MODEL_NOT_AVAILABLE,
            f"The model '{name}' could not be fetched: {said or 'its download ended early'}.",
            "Check the connection to the internet and try again. Nothing was changed.",
        )
    return True


def _choice(about: dict[str, Any]) -> Choice:
    name = str(about["model"])
    return Choice(
        name, int(about["dim"]), _in_words(about["description"]), float(about["size_in_GB"]), False, _here(about)
    )


def _in_words(description: str) -> str:
    """What a person who chooses wants to know of a model: its languages, how much it reads, how old it is."""
    languages, tokens, year = (known.search(description) for known in (_LANGUAGES, _TOKENS, _YEAR))
    said = [
        languages[1][:1].upper() + languages[1][1:] if languages else "",
        f"reads {tokens[1]} tokens of a passage" if tokens else "",
        f"made in {year[1]}" if year else "",
    ]
    return ", ".join(filter(None, said)) + "."


def _folder(about: dict[str, Any]) -> Path:
    return Path(paths.models_folder()) / f"models--{about['sources']['hf'].replace('/', '--')}"


def _here(about: dict[str, Any]) -> bool:
    folder = _folder(about)
    try:
        snapshot = folder / "snapshots" / (folder / "refs" / "main").read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return False
    return all((snapshot / file).is_file() for file in (about["model_file"], *about["additional_files"]))


def _bytes(folder: Path) -> int:
    total = 0
    for file in (folder / "blobs").glob("*"):
        try:
            total += file.stat().st_size
        except OSError:
            continue  # it has just got its final name
    return total
