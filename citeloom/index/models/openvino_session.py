"""Runs a dense model by OpenVINO instead of onnxruntime; fastembed keeps tokeniser and pooling."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy

_LENGTH_STEP = 16  # tokens: OpenVINO keeps memory for each length, 770 MB after 600 texts of any, 240 with steps
_MAX_LENGTH = 512  # tokens; a text that is padded beyond the positions of its model would fail


def run_by_openvino(model: Any, parallel: int) -> None:
    """Let OpenVINO run a text model that fastembed has not loaded yet, so many texts at a time."""
    model._ensure_tokenizer()
    model.model = _Session(Path(model._model_dir) / model.model_description.model_file, parallel)


class _Input(NamedTuple):
    name: str


class _Session:
    """The part of onnxruntime's session that fastembed uses. Threads may call it concurrently."""

    def __init__(self, file: Path, parallel: int) -> None:
        import openvino as _openvino

        openvino: Any = _openvino  # has no type information
        settings = {
            # Its default on some processors is bf16: less exact, and an illegal instruction on some virtual machines.
            "INFERENCE_PRECISION_HINT": "f32",
            "NUM_STREAMS": parallel,  # each runs one text at a time, on one core
            "INFERENCE_NUM_THREADS": parallel,
            "ENABLE_CPU_PINNING": False,  # workers and other programs need the cores too
        }
        core = openvino.Core()
        model = core.read_model(str(file))
        _remove_nan_guards(model)
        self._model: Any = core.compile_model(model, "CPU", settings)
        self._inputs = [_Input(node.get_any_name()) for node in self._model.inputs]
        self._idle: list[Any] = []  # inference requests; there are as many as threads have called at once

    def get_inputs(self) -> list[_Input]:
        """Return the inputs of the model."""
        return self._inputs

    def run(self, names: list[str] | None, inputs: dict[str, Any]) -> list[Any]:
        """Return the outputs of these names, or all."""
        length = inputs["input_ids"].shape[1]
        padded = length + -length % _LENGTH_STEP
        if "attention_mask" in inputs and padded <= _MAX_LENGTH:
            inputs = {name: numpy.pad(values, ((0, 0), (0, padded - length))) for name, values in inputs.items()}
        request = self._idle.pop() if self._idle else self._model.create_infer_request()
        found = request.infer(inputs, share_inputs=True)
        outputs = [found[name] for name in names] if names else [*found.to_tuple()]
        self._idle.append(request)
        return [output[:, :length] if output.ndim == 3 else output for output in outputs]


def _remove_nan_guards(model: Any) -> None:
    """Remove what replaces NaN in attention weights: OpenVINO fuses attention without it, and takes 6 % less time.

    Weights are only NaN where a token may attend to no other; each may attend to the first one.
    """
    for node in model.get_ordered_ops():
        if node.get_type_name() != "Select":
            continue
        guard, _, values = (node.input_value(index) for index in range(3))
        is_nan = guard.get_node()
        if is_nan.get_type_name() == "IsNaN" and is_nan.input_value(0) == values:
            node.output(0).replace(values)
