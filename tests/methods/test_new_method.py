"""Adding a method is one short file: this is all of one, and it keeps the whole contract."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.methods import METHODS, map
from bdlviz.methods.common import WEIGHT_DECAY
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.shared import compare_choice as choice
from bdlviz.types import Draws, Hyperparameter, MethodSpec
from tests.methods.contract import CHECKS, X_NEW, X, Y, quick

# The whole method, from here ...
LAST_LAYER_STD = Hyperparameter(
    name="last_layer_std",
    label="Noise on the last layer",
    symbol=r"\sigma_L",
    values=(0.0, 0.01, 0.1, 1.0),
    default=0.1,
    minimum=0.0,
    maximum=10.0,
)


def sample(network, params, hyperparameters, rng, num_samples):
    """The plain network with Gaussian noise on its last weights, fresh for every draw."""
    draws = {name: array[None].repeat(num_samples, 0) for name, array in params.items()}
    last = draws[f"weight{network.num_layers - 1}"]
    last += hyperparameters["last_layer_std"] * rng.standard_normal(last.shape, "f")
    return Draws(draws, num_samples=num_samples)


SPEC = MethodSpec(
    name="noisy_last_layer",
    title="Noisy last layer",
    idea="A plain network whose last weights wobble.",
    reference="nobody, 2000",
    hyperparameters=(WEIGHT_DECAY, LAST_LAYER_STD),
    build=map.build,
    sample=sample,
)
# ... to here.


@pytest.fixture(autouse=True)
def registered():
    bdlviz.register(SPEC)
    yield
    del METHODS[SPEC.name]


def test_fit_grid_predict_and_save(tmp_path):
    assert SPEC.name in bdlviz.methods()
    grid = bdlviz.fit(SPEC.name, (X, Y), last_layer_std=(0.0, 0.1, 1.0), seed=(0, 1), hidden=(8,), num_steps=20)
    assert grid.config.grid_shape == (1, 3)
    spreads = [grid.cell(seed=1, last_layer_std=std).predict(X_NEW, 200).epistemic_std.mean() for std in (0, 0.1, 1)]
    assert spreads[0] < 1e-6 < spreads[1]
    assert spreads[2] == pytest.approx(10 * spreads[1], rel=1e-3)  # outputs are linear in the noise; same seed
    plain = bdlviz.fit("map", (X, Y), seed=1, hidden=(8,), num_steps=20)
    mean = grid.cell(seed=1, last_layer_std=0).predict(X_NEW, 3).mean
    np.testing.assert_allclose(mean, plain.predict(X_NEW).mean, rtol=1e-5)
    fit = quick(SPEC.name)
    fit.save(tmp_path / "fit.safetensors")
    loaded = bdlviz.load(tmp_path / "fit.safetensors")
    np.testing.assert_array_equal(loaded.predict(X_NEW, 5).draws, fit.predict(X_NEW, 5).draws)
    with pytest.raises(bdlviz.InvalidInput, match="last_layer_std must be between 0 and 10, not 11"):
        quick(SPEC.name, last_layer_std=11)
    with pytest.raises(bdlviz.InvalidInput, match="Noisy last layer has no setting dropout_rate; it has weight_decay"):
        quick(SPEC.name, dropout_rate=0.1)
    text = bdlviz.fit.__doc__ or ""
    assert "    - noisy_last_layer: Noisy last layer. A plain network whose last weights wobble." in text
    assert "last_layer_std: Noise on the last layer. From 0 to 10. Default 0.1." in text
    method = Path(__file__).read_text().split("from here ...\n")[1].split("# ... to here")[0]
    assert 20 < len([line for line in method.splitlines() if line.strip()]) < 30


@pytest.mark.parametrize("check", CHECKS)
def test_contract(check):
    CHECKS[check](SPEC.name)


# What the rest of the library and the menus of the app say of it, wherever its one line stands in the registry.
LOOK = """
import json, bdlviz
from bdlviz.topics.regression.compare import study as recipes_compare
from bdlviz.topics.shared import curves as regression
from bdlviz.topics.results.scoreboard import rows as scoreboard
from bdlviz.topics.shared import compare_choice
from bdlviz.topics.regression.function_draws import controls as reference

fit = bdlviz.fit("noisy_last_layer", ([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]), hidden=(4,), num_steps=3)
print(json.dumps({
    "methods": bdlviz.methods(),
    "menu": regression.METHOD_NAMES,
    "controls": [control.key for control in regression.own_controls("noisy_last_layer")],
    "compared": {
        name: (compare_choice.title(name), compare_choice.colour_index(name)) for name in compare_choice.NAMES
    },
    "groups": compare_choice.GROUPS,
    "references": [reference.NAMES, compare_choice.REFERENCES],
    "classifiers": list(scoreboard.CLASSIFIERS),
    "shipped": recipes_compare.shipped(),
    "is_helped": "noisy_last_layer: Noisy last layer." in bdlviz.fit.__doc__,
    "num_draws": fit.predict([0.5], 7).num_samples,
}))
"""
FILE = """
from bdlviz.methods import map
from bdlviz.methods.common import WEIGHT_DECAY
from bdlviz.types import Draws, Hyperparameter, MethodSpec

"""


def app_with(folder: Path, before: str) -> dict[str, Any]:
    """What `LOOK` finds in a copy of bdlviz with one more file, and one more line before another method's."""
    package = Path(bdlviz.__file__).parent
    (folder / "bdlviz" / "methods").mkdir(parents=True)
    for path in [*package.iterdir(), *(package / "methods").glob("*.py")]:
        if path.name != "methods":
            (folder / "bdlviz" / path.relative_to(package)).symlink_to(path)
    method = Path(__file__).read_text().split("from here ...\n")[1].split("# ... to here")[0]
    (folder / "bdlviz" / "methods" / "noisy_last_layer.py").write_text(FILE + method)
    registry = folder / "bdlviz" / "methods" / "__init__.py"
    lines = registry.read_text()
    registry.unlink()
    registry.write_text(lines.replace(f'    "{before}",\n', f'    "noisy_last_layer",\n    "{before}",\n', 1))
    settings = os.environ | {"PYTHONPATH": str(folder)}
    done = subprocess.run([sys.executable, "-c", LOOK], cwd=folder, env=settings, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def apps(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    """What is found with the line before that of ``map``, and after it."""
    return [app_with(tmp_path_factory.mktemp(name), name) for name in ("map", "mc_dropout")]


def test_one_file_and_one_line_anywhere_in_the_registry(apps: list[dict[str, Any]]):
    first, second = apps
    assert first == second
    assert first["methods"][0] == "map" and first["methods"][-1] == SPEC.name
    assert first["menu"][-1] == SPEC.name and first["classifiers"][-1] == SPEC.name
    assert first["controls"] == ["last_layer_std"]
    assert first["is_helped"] and first["num_draws"] == 7
    found = apps[0]
    title, colour = found["compared"][SPEC.name]
    assert title == SPEC.title and colour == len(found["compared"]) - 1
    others = {name: [choice.title(name), choice.colour_index(name)] for name in choice.NAMES if name != SPEC.name}
    assert {name: each for name, each in found["compared"].items() if name != SPEC.name} == others
    for group, names in choice.GROUPS.items():
        assert [name for name in found["groups"][group] if name != SPEC.name] == list(names)
    assert found["shipped"] == json.loads(json.dumps(compare_study.shipped()))
