"""Docling layout plug-in that finds the regions of a page with the bundled ONNX model (PP-PicoDet CDLA)."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import onnxruntime as _onnxruntime
from docling.datamodel.accelerator_options import AcceleratorOptions
from docling.datamodel.base_models import Cluster, LayoutPrediction, Page
from docling.datamodel.document import ConversionResult
from docling.datamodel.pipeline_options import BaseLayoutOptions
from docling.models.base_layout_model import BaseLayoutModel
from docling_core.types.doc import BoundingBox, CoordOrigin, DocItemLabel
from numpy.typing import NDArray

from citeloom.core.errors import CiteLoomError, Code

MODEL_FILE = Path(__file__).parents[1] / "data" / "layout_cdla.onnx"
_SHA256 = "25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c"
_HEIGHT, _WIDTH = 800, 608
_STRIDES = (8, 16, 32, 64)
_MEAN = np.array([0.485, 0.456, 0.406], dtype=np.float32)
_DEVIATION = np.array([0.229, 0.224, 0.225], dtype=np.float32)
_LABELS = (
    DocItemLabel.TEXT, DocItemLabel.SECTION_HEADER, DocItemLabel.PICTURE, DocItemLabel.CAPTION, DocItemLabel.TABLE,
    DocItemLabel.CAPTION, DocItemLabel.PAGE_HEADER, DocItemLabel.PAGE_FOOTER, DocItemLabel.TEXT, DocItemLabel.FORMULA,
)  # fmt: skip
_MIN_SCORE = 0.45
_MAX_OVERLAP = 0.5
_TEXT_IN_PICTURE = 0.3  # share of a box covered by lines: the model classifies framed text as a figure

Floats = NDArray[np.float32]
onnxruntime: Any = _onnxruntime  # has no type information


class BundledLayoutOptions(BaseLayoutOptions):
    """Options that select this plug-in."""

    kind: ClassVar[str] = "citeloom_cdla"


class BundledLayout(BaseLayoutModel):
    """Finds text, headings, figures, tables, captions and formulas."""

    def __init__(
        self,
        artifacts_path: Path | None,
        accelerator_options: AcceleratorOptions,
        options: BundledLayoutOptions,
        enable_remote_services: bool = False,
    ) -> None:
        data = MODEL_FILE.read_bytes()
        if hashlib.sha256(data).hexdigest() != _SHA256:
            raise CiteLoomError(
                Code.MODEL_NOT_AVAILABLE, "The layout model in the package is damaged.", "Reinstall CiteLoom."
            )
        settings = onnxruntime.SessionOptions()
        settings.intra_op_num_threads = settings.inter_op_num_threads = 1  # several workers share the cores
        settings.enable_cpu_mem_arena = False  # it would keep the memory of the largest page
        self._session = onnxruntime.InferenceSession(data, settings, providers=["CPUExecutionProvider"])

    @classmethod
    def get_options_type(cls) -> type[BaseLayoutOptions]:
        """Return the options class of this plug-in."""
        return BundledLayoutOptions

    def predict_layout(self, conv_res: ConversionResult, pages: Sequence[Page]) -> Sequence[LayoutPrediction]:
        """Predict the regions of each page."""
        return [LayoutPrediction(clusters=self._clusters(page)) for page in pages]

    def _clusters(self, page: Page) -> list[Cluster]:
        if page.size is None:
            return []
        # Pixels per point, limited for extremely wide pages.
        scale = min(_HEIGHT / max(page.size.height, 1.0), 4 * _HEIGHT / max(page.size.width, 1.0))
        picture = page.get_image(scale=scale)
        if picture is None:
            return []
        gray = np.asarray(picture.convert("L").resize((_WIDTH, _HEIGHT)), dtype=np.float32) / 255.0
        image = ((gray[None, :, :, None] - _MEAN) / _DEVIATION).transpose(0, 3, 1, 2).astype(np.float32)
        outputs: Any = self._session.run(None, {"image": image})
        across, down = page.size.width / _WIDTH, page.size.height / _HEIGHT
        clusters: list[Cluster] = []
        for label, score, box in _boxes(outputs):
            bounds = BoundingBox(
                l=float(box[0] * across),
                t=float(box[1] * down),
                r=float(box[2] * across),
                b=float(box[3] * down),
                coord_origin=CoordOrigin.TOPLEFT,
            )
            kind = _LABELS[label]
            if kind is DocItemLabel.PICTURE and _is_full_of_text(page, bounds):
                continue
            clusters.append(Cluster(id=len(clusters), label=kind, confidence=max(score, 0.51), bbox=bounds))
        return clusters


def _boxes(outputs: Sequence[Floats]) -> list[tuple[int, float, Floats]]:
    """Return label, score and corners of the detections, in pixels of the input, best first."""
    levels = len(outputs) // 2
    scores: list[Floats] = []
    corners: list[Floats] = []
    for stride, score, spread in zip(_STRIDES, outputs[:levels], outputs[levels:], strict=True):
        down, across = np.mgrid[0 : -(-_HEIGHT // stride), 0 : -(-_WIDTH // stride)]
        centres = np.stack((across.ravel(), down.ravel()), axis=1).astype(np.float32) * stride + stride / 2
        # Each side's distance comes as a distribution over bins; its mean is the distance.
        bins = spread[0].reshape(-1, 4, spread.shape[-1] // 4)
        weights = np.exp(bins - bins.max(axis=-1, keepdims=True))
        weights /= weights.sum(axis=-1, keepdims=True)
        distance = (weights * np.arange(bins.shape[-1])).sum(axis=-1) * stride
        corners.append(np.concatenate((centres - distance[:, :2], centres + distance[:, 2:]), axis=1))
        scores.append(score[0])
    every_score, every_corner = np.concatenate(scores), np.concatenate(corners)
    every_corner[:, 0::2] = every_corner[:, 0::2].clip(0, _WIDTH)
    every_corner[:, 1::2] = every_corner[:, 1::2].clip(0, _HEIGHT)
    found = []
    for label in range(every_score.shape[1]):
        at = np.flatnonzero(every_score[:, label] > _MIN_SCORE)
        order = at[np.argsort(-every_score[at, label], kind="stable")]
        while order.size:
            best, rest = order[0], order[1:]
            found.append((label, float(every_score[best, label]), every_corner[best]))
            order = rest[_overlap(every_corner[best], every_corner[rest]) <= _MAX_OVERLAP]
    return sorted(found, key=lambda box: -box[1])


def _overlap(box: Floats, others: Floats) -> Floats:
    """Return the intersection over union of a box with others."""
    width = np.minimum(box[2], others[:, 2]) - np.maximum(box[0], others[:, 0])
    height = np.minimum(box[3], others[:, 3]) - np.maximum(box[1], others[:, 1])
    common = width.clip(0) * height.clip(0)
    areas = (others[:, 2] - others[:, 0]) * (others[:, 3] - others[:, 1])
    shared: Floats = common / ((box[2] - box[0]) * (box[3] - box[1]) + areas - common + 1e-6)
    return shared


def _is_full_of_text(page: Page, box: BoundingBox) -> bool:
    """Return whether a figure contains lines of prose, as framed text does; labels of diagrams are short."""
    height = page.size.height if page.size else 0.0
    places = [(cell, cell.rect.to_bounding_box().to_top_left_origin(height)) for cell in page.cells]
    inside = [cell for cell, place in places if place.intersection_over_self(box) > 0.7]
    prose = [cell for cell in inside if len(cell.text.split()) >= 5]
    covered = sum(cell.rect.to_bounding_box().area() for cell in prose)
    return len(prose) >= 3 and covered > _TEXT_IN_PICTURE * max(box.area(), 1.0)
