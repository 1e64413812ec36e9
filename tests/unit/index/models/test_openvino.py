"""OpenVINO runs the dense model where it has proved itself on the machine: same vectors, in less time."""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import psutil
import pytest

from citeloom.core.settings import BUNDLED_DENSE, Models
from citeloom.index.models import openvino_trial
from citeloom.index.models.embedding import DenseModel, ModelRegistry
from tests.faults import Pause, as_variable, fault
from tests.support import ROOT, WAIT

pytest.importorskip("openvino", reason="OpenVINO is not offered for this platform")

_SENTENCE = "One in four quotations in medical journals differs from its source; einige sind frei erfunden. "
TEXTS = [(_SENTENCE * 20)[: 12 + 23 * step] for step in range(60)]  # up to the model's limit, and beyond


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModelRegistry:
    monkeypatch.setenv("CITELOOM_HOME", str(tmp_path))
    return ModelRegistry(Models())


def test_its_vectors_are_those_of_onnxruntime_for_texts_of_any_length_and_from_many_threads(
    bundled: DenseModel,
) -> None:
    model = DenseModel(BUNDLED_DENSE, 2, by_openvino=True)
    expected, found = np.array(bundled.embed(TEXTS)), np.array(model.embed(TEXTS))
    assert (expected * found).sum(1).min() > 0.999
    with ThreadPoolExecutor(8) as pool:
        again = np.array(list(pool.map(model.embed_query, TEXTS)))
    assert np.allclose(found, again, atol=1e-5)


def test_it_is_tried_once_there_is_much_to_embed_and_chosen_for_good_if_it_passes(
    registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    registry.embed_passages(BUNDLED_DENSE, ["salt"] * 64)
    assert "OpenVINO was not tried yet" in registry.runtime(BUNDLED_DENSE)
    registry.embed_passages(BUNDLED_DENSE, ["salt"])
    assert registry.runtime(BUNDLED_DENSE).startswith("OpenVINO 20"), "it takes less time on every machine known"
    monkeypatch.setattr(openvino_trial, "_run_in_child", lambda *_: pytest.fail("its outcome is known"))
    later = ModelRegistry(Models())
    assert later.dense(BUNDLED_DENSE).by_openvino
    assert later.runtime(BUNDLED_DENSE) == registry.runtime(BUNDLED_DENSE)
    monkeypatch.setattr(openvino_trial, "version", lambda package: "another")
    assert not ModelRegistry(Models()).dense(BUNDLED_DENSE).by_openvino, "another version is not trusted"


def test_where_it_crashes_onnxruntime_is_used_until_somebody_asks_to_try_again(
    registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as crashing:
        for variable, rules in as_variable(fault("models.openvino_trial", "abort")).items():
            crashing.setenv(variable, rules)
        assert not registry.fastest_dense(BUNDLED_DENSE).by_openvino
    assert registry.runtime(BUNDLED_DENSE).endswith("(not OpenVINO: its trial ended with SIGABRT)")
    later = ModelRegistry(Models())
    assert not later.fastest_dense(BUNDLED_DENSE).by_openvino
    assert later.runtime(BUNDLED_DENSE) == registry.runtime(BUNDLED_DENSE)
    assert later.fastest_dense(BUNDLED_DENSE, try_again=True).by_openvino


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGKILL")
def test_a_trial_that_another_program_ends_says_nothing_of_the_machine_and_the_next_engine_tries_again(
    registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as killing:
        for variable, rules in as_variable(fault("models.openvino_trial", "kill")).items():
            killing.setenv(variable, rules)
        assert not registry.fastest_dense(BUNDLED_DENSE).by_openvino
    assert registry.runtime(BUNDLED_DENSE).endswith("(not OpenVINO: its trial ended with SIGKILL)")
    monkeypatch.setattr(openvino_trial, "_run_in_child", lambda *_: pytest.fail("this engine has tried it"))
    assert not registry.fastest_dense(BUNDLED_DENSE).by_openvino
    assert openvino_trial.known_trial(BUNDLED_DENSE) is None


def test_an_engine_that_ends_waits_for_no_trial(
    registry: ModelRegistry, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    held = Pause(tmp_path / "trial")
    for variable, rules in as_variable(held.at("models.openvino_trial")).items():
        monkeypatch.setenv(variable, rules)
    with ThreadPoolExecutor(1) as pool:
        tried = pool.submit(registry.fastest_dense, BUNDLED_DENSE)
        child = held.wait("the trial")
        registry.end()
        assert not tried.result(WAIT).by_openvino
    assert not psutil.pid_exists(child)
    assert openvino_trial.known_trial(BUNDLED_DENSE) is None


def test_its_telemetry_is_not_even_imported() -> None:
    code = "import citeloom, openvino, sys; print(sys.modules['openvino_telemetry'], openvino.__version__[:2])"
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["None", "20"]
