"""Tries OpenVINO with a dense model in a child process before it is used.

It takes half the time of onnxruntime, but on some machines it ended the process with an illegal instruction. The child
process compares its vectors and its time with those of onnxruntime. The outcome is kept for this machine, these
versions and this model, unless it may be another one the next time.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import logging
import platform
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from citeloom.core import fault_injection as faults
from citeloom.core import paths
from citeloom.core.errors import CiteLoomError
from citeloom.core.files import atomic_file

log = logging.getLogger(__name__)

_SECONDS = 120  # loading the model in both runtimes takes a few
_POLL_SECONDS = 0.25  # how often a trial checks whether it has to end
_CRASHES = ("SIGILL", "SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGSYS", "SIGTRAP")  # others come from outside
_MIN_COSINE = 0.999
_ROUNDS = 3
_SENTENCE = "About one in four quotations in medical journals differs from its source in a way that matters. "
_REPEATED = (1, 3, 7, 12)  # texts of different lengths


@dataclass(frozen=True, slots=True)
class Trial:
    """Outcome of trying OpenVINO with a model on this machine."""

    passed: bool
    outcome: str  # in words
    is_lasting: bool = True  # another trial would end likewise


def is_installed() -> bool:
    """Whether OpenVINO is installed."""
    try:
        return bool(version("openvino")) and importlib.util.find_spec("openvino") is not None
    except PackageNotFoundError:
        return False


def known_trial(name: str) -> Trial | None:
    """Return the outcome of an earlier trial of a model on this machine, or None."""
    with suppress(OSError, ValueError, KeyError, TypeError):
        kept = json.loads(_file().read_bytes())[name]
        if kept["environment"] == _environment():
            return Trial(kept["passed"], kept["outcome"])
    return None


def try_openvino(name: str, stop: threading.Event) -> Trial:
    """Try OpenVINO with a model that is on this machine, and keep the outcome if it is lasting."""
    trial = _run_in_child(name, stop)
    log.info("OpenVINO with the model %s: %s", name, trial.outcome)
    if not trial.is_lasting:
        return trial
    kept = {}
    with suppress(OSError, ValueError):
        kept = dict(json.loads(_file().read_bytes()))
    kept[name] = {"environment": _environment(), "passed": trial.passed, "outcome": trial.outcome}
    try:
        atomic_file.write(_file(), json.dumps(kept, indent=1).encode())
    except (CiteLoomError, OSError) as error:
        log.warning("OpenVINO will be tried again: %s", error)
    return trial


def _run_in_child(name: str, stop: threading.Event) -> Trial:
    try:
        child = subprocess.Popen(
            [sys.executable, "-m", __name__, name],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            errors="replace",
            cwd=Path(__file__).parents[3],
        )
    except OSError as error:
        return Trial(False, f"its trial could not be started: {error}", is_lasting=False)
    with child:
        until = time.monotonic() + _SECONDS
        while True:
            try:
                stdout, stderr = child.communicate(timeout=_POLL_SECONDS)
                break
            except subprocess.TimeoutExpired:
                if stop.is_set() or time.monotonic() > until:
                    child.kill()
                    reason = "was ended with the engine" if stop.is_set() else f"took more than {_SECONDS} seconds"
                    return Trial(False, f"its trial {reason}", is_lasting=False)
    if child.returncode:
        reason, is_lasting = _exit_reason(child.returncode, stderr)
        return Trial(False, f"its trial ended with {reason}", is_lasting)
    try:
        cosine, ratio = map(float, json.loads(stdout.splitlines()[-1]))
    except (ValueError, IndexError, TypeError):
        return Trial(False, "its trial gave no result")
    if not cosine >= _MIN_COSINE:  # also if it is not a number
        return Trial(False, f"its vectors differ from those of onnxruntime: cosine {cosine:.4f}")
    if ratio >= 1:
        return Trial(False, f"it takes {ratio:.2f} times as long as onnxruntime")
    return Trial(True, f"{ratio:.2f} of the time of onnxruntime, cosine {cosine:.4f}")


def _exit_reason(code: int, stderr: str) -> tuple[str, bool]:
    """Return why a trial ended, and whether it was not another program that ended it."""
    if code < 0:
        with suppress(ValueError):
            ended_by = signal.Signals(-code).name
            return ended_by, ended_by in _CRASHES
    lines = [line.strip() for line in stderr.splitlines() if line.strip()]
    return lines[-1] if lines else f"exit code {code}", True


def _file() -> Path:
    return Path(paths.folders().data) / "openvino_trials.json"


def _environment() -> str:
    """Return what the outcome of a trial depends on: processor, system and versions."""
    processor = platform.processor()
    with suppress(OSError):  # Linux names the abilities of the processor here
        lines = Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines()
        processor += "\n".join(sorted({line for line in lines if line.startswith(("model name", "flags", "Features"))}))
    processor = hashlib.sha256(processor.encode()).hexdigest()[:16]
    versions = (f"{package} {version(package)}" for package in ("openvino", "onnxruntime"))
    return ", ".join((platform.system(), platform.machine(), processor, *versions))


def main(name: str) -> None:
    """Print the least cosine between the vectors of both runtimes, and the share of the time that OpenVINO takes."""
    import numpy

    from citeloom.index.models.loading import load_dense  # imported here: the engine does not load fastembed for it

    faults.point("models.openvino_trial", name)
    texts = [_SENTENCE * times for times in _REPEATED]
    vectors, seconds = [], []
    for parallel in (0, 1):
        model = load_dense(name, allow_download=False, openvino_parallel=parallel)
        vectors.append(numpy.array([next(iter(model.embed([text], batch_size=1))) for text in texts]))
        rounds = []
        for _ in range(_ROUNDS):
            began = time.process_time()
            for text in texts:
                list(model.embed([text], batch_size=1))
            rounds.append(time.process_time() - began)
        seconds.append(min(rounds))
    by_onnxruntime, by_openvino = (found / numpy.linalg.norm(found, axis=1, keepdims=True) for found in vectors)
    cosine = float((by_onnxruntime * by_openvino).sum(1).min())
    print(json.dumps([cosine, seconds[1] / max(seconds[0], 1e-9)]))


if __name__ == "__main__":
    main(sys.argv[1])
