"""The plain settings: which there are, and what each is to a researcher."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QCoreApplication

Kind = Literal["yes_no", "number", "choice", "folder"]


@dataclass(frozen=True)
class Field:
    """One setting of the file as it is shown."""

    name: str  # as config.change knows it
    kind: Kind
    label: str
    help: str = ""
    choices: tuple[tuple[str, str], ...] = ()  # value and words; others may be offered later
    most: int = 0  # of a number
    step: int = 1
    unit: str = ""  # after a number, such as "{number} MB"
    zero: str = ""  # what 0 means


def fields() -> dict[str, tuple[Field, ...]]:
    """Every plain setting, section by section, in the app's language."""
    return {
        "general": (
            Field(
                "default_project",
                "choice",
                _say("Project for editors that name &none"),
                _say("An editor that may see several projects asks in this one if it does not say which."),
                (("", _say("None: the editor has to say")),),
            ),
            Field(
                "watch.zotero",
                "yes_no",
                _say("Follow changes in &Zotero"),
                _say("What you add, rename or remove there is in step after a moment, without a sync."),
            ),
            Field(
                "watch.files",
                "yes_no",
                _say("Follow changes in &folders"),
                _say("The folders and the reference files of your projects."),
            ),
        ),
        "zotero": (
            Field(
                "zotero.source",
                "choice",
                _say("&How your library is reached"),
                "",
                (
                    ("auto", _say("The best way there is (recommended)")),
                    ("local", _say("Only by the running Zotero")),
                    ("sqlite", _say("Only by Zotero’s files on this computer")),
                    ("web", _say("Only by zotero.org, with a key")),
                ),
            ),
            Field(
                "zotero.data_folder",
                "folder",
                _say("Zotero’s data &folder"),
                _say("The folder with zotero.sqlite and storage. Empty: where Zotero itself says it is."),
            ),
            Field(
                "zotero.fetch_files",
                "yes_no",
                _say("Fetch files that are not on this &computer"),
                _say("From zotero.org, once you are logged in there."),
            ),
            Field(
                "zotero.max_file_mb",
                "number",
                _say("Largest file to fetc&h"),
                _say("A larger one is left out, and the list of papers says so."),
                most=100_000,
                step=50,
                unit=_say("{number} MB"),
            ),
        ),
        "models": (
            Field(
                "models.dense",
                "choice",
                _say("Model of &new projects"),
                _say("Projects that are there keep the model they were built with."),
            ),
        ),
        "reading": (
            Field(
                "ocr.engine",
                "choice",
                _say("Text in pictures of pages is read &by"),
                "",
                (("tesseract", "Tesseract"), ("rapidocr", "RapidOCR")),
            ),
            Field(
                "engine.workers",
                "number",
                _say("Papers read at the &same time"),
                _say("More are faster and need more memory."),
                most=64,
                zero=_say("As many as this computer can bear"),
            ),
            Field(
                "engine.worker_memory_mb",
                "number",
                _say("&Memory that one paper may take"),
                _say("A paper that needs more is given up, and the list of papers says so."),
                most=1_000_000,
                step=500,
                unit=_say("{number} MB"),
                zero=_say("By its pages and this computer’s memory"),
            ),
        ),
        "data": (
            Field(
                "engine.min_free_mb",
                "number",
                _say("&Stop reading when the disk has less than"),
                "",
                most=1_000_000,
                step=100,
                unit=_say("{number} MB"),
                zero=_say("Never"),
            ),
        ),
        "privacy": (
            Field(
                "privacy.access_log",
                "yes_no",
                _say("&Keep a log of what editors ask"),
                _say("Which editor asked what, and which passages it got. It stays on this computer."),
            ),
            Field(
                "privacy.log_days",
                "number",
                _say("Keep it &for"),
                "",
                most=36_500,
                step=30,
                unit=_say("{number} days"),
                zero=_say("Until you clear it"),
            ),
            Field(
                "privacy.agents_may_fetch",
                "yes_no",
                _say("Agents may have papers fetched from the &web"),
                _say(
                    "An agent in an editor that may write can then name a web address,"
                    " and CiteLoom reads what is there. Otherwise only you can."
                ),
            ),
        ),
    }


def _say(words: str) -> str:
    return QCoreApplication.translate("SettingsFields", words)
