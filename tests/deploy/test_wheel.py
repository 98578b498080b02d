"""The library as a wheel, away from its source: data, fits, plots, worker processes, and the shipped checkpoints."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.patience import limit

USE = """
import sys
from pathlib import Path
import bdlviz
from bdlviz.plots import LIGHT

assert Path(bdlviz.__file__).is_relative_to(sys.argv[1]), bdlviz.__file__
assert {"x_sin_x", "digits", "mnist-1000"} <= set(bdlviz.datasets())
data = bdlviz.dataset("x_sin_x")
fit = bdlviz.fit("mc_dropout", data, hidden=(8,), num_steps=20)
predictive = fit.predict(data.x, 5)
fit.save("fit.safetensors")
assert (bdlviz.load("fit.safetensors").predict(data.x, 5).mean == predictive.mean).all()
figure = bdlviz.plots.function_draws(fit.predict(sorted(data.x), 5), data, theme=LIGHT)
assert figure.data
assert len(bdlviz.dataset("mauna_loa_co2").x) > 100 and bdlviz.dataset("mnist-1000").x.shape[1] == 784

from bdlviz.processes.crew import CREW
from bdlviz.topics.weights.sparsity import one_weight  # a folder without a package file
assert one_weight.objective(0.0, 1.0, lambda log_alpha: 0.0) > 0
CREW.trains_everything = True
grid = bdlviz.fit("map", data, weight_decay=(1e-4, 1e-2), hidden=(8,), num_steps=20)
assert grid.is_done and CREW.num_lost == 0
"""
CHECKPOINTS = """
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError

try:
    fit, _ = shelf.shipped("vae_digits_2d")
    print("found", fit.config.method)
except CheckpointError as error:
    print(error)
"""


@pytest.fixture(scope="module")
def installed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what the wheel installs; building it needs setuptools here, and no network."""
    pytest.importorskip("setuptools", "77")
    folder = tmp_path_factory.mktemp("wheel")
    source = folder / "source"  # setuptools writes beside what it builds
    source.mkdir()
    for name in ("bdlviz", "pyproject.toml", "requirements.txt", "README.md", "LICENSE", "NOTICE"):
        (source / name).symlink_to(root / name)
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--quiet", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(source)], check=True, timeout=limit(300))
    [wheel] = folder.glob("bdlviz-*.whl")
    with zipfile.ZipFile(wheel) as content:
        content.extractall(folder / "installed")
    return folder / "installed"


def run(code: str, installed: Path, folder: Path, **environment: str) -> str:
    """What a program prints that finds bdlviz where it was installed, and starts in another folder."""
    variables = {name: value for name, value in os.environ.items() if not name.startswith("BDLVIZ_")}
    variables |= {"PYTHONPATH": str(installed), **environment}
    command = [sys.executable, "-W", "error::ImportWarning", "-c", code, str(installed)]
    done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, timeout=limit(300))
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_data_fits_plots_and_workers(installed: Path, tmp_path: Path):
    run(USE, installed, tmp_path)


def test_checkpoints_are_found_in_the_folder_that_is_named(installed: Path, tmp_path: Path, root: Path):
    assert run(CHECKPOINTS, installed, tmp_path, BDLVIZ_CHECKPOINTS=str(root / "checkpoints")) == "found vae"


def test_without_checkpoints_there_is_one_sentence(installed: Path, tmp_path: Path):
    said = run(CHECKPOINTS, installed, tmp_path)
    assert said.startswith("This installation has no shipped checkpoints: set BDLVIZ_CHECKPOINTS to the folder")
    assert said.count(". ") == 0 and "\n" not in said
