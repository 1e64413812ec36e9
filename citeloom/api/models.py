"""Verbs of models: embedding models, rerankers and OCR engines, which ones there are, and how they measure."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from citeloom.api.verbs import Request


class ModelInfo(msgspec.Struct, frozen=True, rename={"installed": "here"}):
    """An available dense model."""

    name: str
    dimensions: int
    description: str
    size_gb: float
    bundled: bool
    installed: bool  # on this machine
    languages: list[str]  # codes; "*": dozens
    tokens: int | None  # maximum input length; None: not known
    recommended: bool  # for the languages of the library


class RerankerInfo(msgspec.Struct, frozen=True, rename={"installed": "here"}):
    """An available cross-encoder."""

    name: str
    description: str
    size_gb: float
    installed: bool  # on this machine


@dataclass(frozen=True, slots=True)
class ProjectModels:
    """The models that the index of a project was built with."""

    id: str
    dense_model: str
    sparse_model: str | None


@dataclass(frozen=True, slots=True)
class ModelList:
    """All available models, and those of each project."""

    models: list[ModelInfo]
    rerankers: list[RerankerInfo]
    languages: dict[str, int]  # of the library: code → documents
    projects: list[ProjectModels]


class ListModels(Request[ModelList], verb="maintenance.models"):
    """List the available models."""


class UseModel(Request[str | None], verb="maintenance.use_model", read_only=False):
    """Change the dense model of a project.

    The result is the id of the import that rebuilds the index; None if the project has the model already.
    """

    project: str
    model: str
    download: bool = False  # whether the model may be downloaded


@dataclass(frozen=True, slots=True)
class DownloadProgress:
    """Progress of a model download in bytes."""

    complete: bool
    done: int
    total: int


class DownloadModel(Request[DownloadProgress], verb="maintenance.download_model", read_only=False):
    """Download a model; clients repeat the request until it is complete."""

    model: str


@dataclass(frozen=True, slots=True)
class LanguageTrial:
    """Difference of the cosine similarities of a question to a text that answers it and to another one."""

    apart: float
    apart_from_english: float  # the same for the English question


@dataclass(frozen=True, slots=True)
class DenseTrial:
    """Measurements of a dense model."""

    fingerprint: str
    dimensions: int
    tokens: int  # maximum input length
    languages: dict[str, LanguageTrial]
    not_tried: list[str]  # languages of the library without a sample text
    passages_per_second: float
    milliseconds_per_question: float


@dataclass(frozen=True, slots=True)
class RerankerTrial:
    """Measurements of a reranker."""

    near: float  # score of a text that answers the question
    far: float  # score of one that does not
    milliseconds_per_passage: float


@dataclass(frozen=True, slots=True)
class ModelTrial:
    """Measurements of a model; either `dense` or `reranker` is set."""

    model: str
    dense: DenseTrial | None
    reranker: RerankerTrial | None
    megabytes: int  # of memory
    problems: list[str]


class TryModel(Request[ModelTrial], verb="maintenance.try_model", read_only=False):
    """Load a model, or the one of the project of this name, and measure it."""

    model: str


@dataclass(frozen=True, slots=True)
class OcrEngine:
    """An OCR engine."""

    name: str
    installed: bool
    problem: str | None  # why it is not usable


@dataclass(frozen=True, slots=True)
class OcrLanguage:
    """A language of scanned pages."""

    code: str
    name: str
    installed: bool  # whether the configured OCR engine supports it on this machine


@dataclass(frozen=True, slots=True)
class OcrSupport:
    """The OCR engines and languages of this machine."""

    engines: list[OcrEngine]
    languages: list[OcrLanguage]


class ListOcr(Request[OcrSupport], verb="maintenance.ocr"):
    """List the OCR engines, and the languages of the configured one."""
