"""Fixtures of the tests of the explorer: a queue of their own, short training, shelves that may be damaged."""

from __future__ import annotations

import shutil
import warnings
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.components.v2 import manifest_scanner

from bdlviz import fits
from bdlviz.fitted import shelf
from bdlviz.methods import method
from bdlviz.predictive import convergence
from bdlviz.studies import grids
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui import cache
from bdlviz.ui.jobs import queue as jobs
from bdlviz.ui.places import routes
from bdlviz.ui.scrub import switch

OBTAIN = import_module("bdlviz.ui.jobs.obtain")  # the package exports the function of that name
FEW_STEPS = 4
FEW_TRAJECTORIES, FEW_LEAPFROG = 16, 4.0  # of chains
FEW_DRAWS = 200  # of the posterior; as many as a picture can show


@pytest.fixture(autouse=True, scope="session")
def no_installed_components() -> Iterator[None]:
    """Spare every run of a page the search for Streamlit components in all installed packages: we use none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", list)
        yield


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[jobs.JobQueue]:
    """A queue that remembers nothing of other tests, empty again at the end."""
    fresh = jobs.JobQueue()
    for module in (OBTAIN, routes):
        monkeypatch.setattr(module, "QUEUE", fresh)
    cache.RESULTS.clear()
    yield fresh
    fresh.close()


@pytest.fixture
def one_at_a_time() -> Iterator[jobs.JobQueue]:
    """A queue that runs one job at a time."""
    one = jobs.JobQueue(1)
    yield one
    one.close()


@pytest.fixture(autouse=True)
def plain_figures(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages show their plain figures, which tests read; tests/ui/test_scrub.py looks at the picture that moves."""
    monkeypatch.setattr(switch, "PICTURE", replace(switch.PICTURE, default="figure"))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Train a few steps, whatever a page asks for, and call it the whole fit; draw few functions; make up scores."""
    predict = fits.Fit.predict

    def predict_few(fit: fits.Fit, x: Any, num_samples: int = FEW_DRAWS, **options: Any) -> Predictive:
        return predict(fit, x, min(num_samples, FEW_DRAWS), **options)

    def run(config: FitConfig, dataset: Dataset, **watched: Any) -> fits.Fit:
        few = FEW_TRAJECTORIES if method(config.method).inference == "sampled" else FEW_STEPS
        options = tuple((name, FEW_LEAPFROG if name == "num_leapfrog" else value) for name, value in config.options)
        short = replace(config, num_steps=min(config.num_steps, few), options=options)
        return replace(fits.run(short, dataset, **watched), config=config, num_steps_done=config.num_steps)

    warnings.filterwarnings("ignore", "The negative log-likelihood")  # of half-trained fits; pytest restores the filter
    monkeypatch.setattr(OBTAIN, "run", run)
    monkeypatch.setattr(fits.Fit, "predict", predict_few)
    monkeypatch.setattr(OBTAIN, "WAIT_BEFORE_PROGRESS_S", 60.0)  # a page that runs again has no warnings any more
    monkeypatch.setattr(grids, "held_out_scores", made_up_scores)
    monkeypatch.setattr(convergence.Convergence, "is_reached", True)


def made_up_scores(fit: fits.Fit, dataset: Dataset, num_samples: int) -> dict[str, Array]:
    """Scores of a grid, each lowest at a weight decay of its own."""
    shape = (len(fit.config.seeds), *fit.config.grid_shape)
    away = {"nll": np.arange(shape[-1]) - 10.0, "rmse": np.arange(shape[-1]) - 12.0}
    return {name: np.broadcast_to(gap**2, shape) for name, gap in away.items()}


@pytest.fixture
def own_shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Links to the shipped checkpoints, which pages read instead. To damage one, put another file in its place."""
    shipped, folder = shelf.folder(), tmp_path / "checkpoints"
    folder.mkdir()
    for file in shipped.glob("*.safetensors"):
        (folder / file.name).symlink_to(file.resolve())
    shutil.copy(shipped / shelf.MANIFEST, folder)
    written = {file: file.stat().st_mtime_ns for file in shipped.iterdir()}
    monkeypatch.setenv("BDLVIZ_CHECKPOINTS", str(folder))
    yield folder
    assert written == {file: file.stat().st_mtime_ns for file in shipped.iterdir()}, "A test wrote through a link."
