"""The memory of a prediction, by bdlviz and by libraries that apply MC dropout to a network.

Torch is imported only in functions that need it, because the process of bdlviz predicts without torch.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import bdlviz
from bdlviz.fits import Fit
from bdlviz.types import Array
from benchmarks import digits, prediction, wrappers
from benchmarks.memory import peak_megabytes
from benchmarks.peers import imported
from benchmarks.report import Row
from benchmarks.timing import Spread

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Measured:
    """A prediction whose memory is measured: a fit, inputs, and the numbers of draws of bdlviz and of the peers."""

    what: str
    fit: Fit
    x: Array
    num_draws: int
    num_peer_draws: int
    target: str = ""


def memory(rounds: int, cores: int) -> list[Row]:
    """Rows of the peak memory of a process that only loads a network and predicts, for each contender."""
    curve, reader = prediction.Workload(), digits.Reader(0.5)
    inputs = np.linspace(-2, 2, prediction.NUM_INPUTS)
    cases = [
        Measured("a curve", curve.fit(), inputs, prediction.NUM_DRAWS, prediction.NUM_DRAWS),
        Measured("digits", reader.fit, reader.images, digits.NUM_DRAWS, digits.MEMORY_DRAWS, "<= 1000"),
    ]
    return [row for case in cases for row in _memory_rows(case)]


def _memory_rows(case: Measured) -> list[Row]:
    megabytes = {"bdlviz": _megabytes(case, "bdlviz", case.num_draws)}
    for name, wrapper in wrappers.WRAPPERS.items():
        is_another_loop = name != wrappers.LOOP and not wrapper.in_batch  # it needs as much memory as the first loop
        if not is_another_loop and imported(wrapper.module) is not None:
            megabytes[name] = _megabytes(case, name, case.num_peer_draws)
    what = f"memory to predict {case.what}, {len(case.x)} inputs"
    rows = []
    for name, value in megabytes.items():
        draws = case.num_draws if name == "bdlviz" else case.num_peer_draws
        target = case.target if name == "bdlviz" else ""
        rows.append(Row(f"{what}: {name}", Spread.of([value]), target, "MB", note=f"{draws} draws, whole process"))
    return rows


def _megabytes(case: Measured, name: str, num_draws: int) -> float:
    with tempfile.TemporaryDirectory() as folder:
        case.fit.save(Path(folder) / "fit.safetensors")
        np.save(Path(folder) / "x.npy", case.x)
        command = [sys.executable, "-m", "benchmarks.prediction_memory", name, str(num_draws), folder]
        done = subprocess.run(command, check=True, cwd=ROOT, capture_output=True, text=True)
    return float(done.stdout.splitlines()[-1])


def _predict_alone(name: str, num_draws: int, folder: Path) -> None:
    """The main function of the process whose memory is measured."""
    fit, x = bdlviz.load(folder / "fit.safetensors"), np.load(folder / "x.npy")
    if name == "bdlviz":
        fit.predict(x, num_draws)
        return
    import torch

    task = wrappers.Task(wrappers.module(fit), num_draws, fit.config.task == "classification")
    predict = wrappers.predictor(name, task)
    assert predict is not None
    predict(torch.from_numpy(fit.scaling.standardise_x(x.reshape(len(x), -1)).astype(np.float32)))


if __name__ == "__main__":
    _predict_alone(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]))
    print(peak_megabytes())
