"""The figures of the scoreboard: what they draw is what they were given."""

from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy.stats import binom

from bdlviz.topics.results.scoreboard import figures as scoreboard_figures
from tests.told import numbers_in

BINNED = scoreboard_figures.Binned(
    confidence=np.array([np.nan, 0.3, 0.5, 0.7, 0.9]),
    accuracy=np.array([np.nan, 0.1, 0.4, 0.8, 0.85]),
    count=np.array([0, 3, 100, 200, 700]),
)
DEGREES = np.array([0.0, 90.0, 180.0])


def traces(fig: go.Figure) -> list[Any]:
    return list(fig.data)


def trace(fig: go.Figure, name: str) -> Any:
    [found] = [each for each in traces(fig) if each.name == name]
    return found


def layout(fig: go.Figure) -> Any:
    return fig.layout


def test_reliability_of_enough_answers_with_chance_and_shares() -> None:
    fig = scoreboard_figures.reliability_diagram(BINNED, sure=0.7, num_answers=1000)
    drawn = trace(fig, "one network")
    np.testing.assert_allclose(drawn.x, [0.5, 0.7, 0.9])
    np.testing.assert_allclose(drawn.y, [0.4, 0.8, 0.85])
    higher = scoreboard_figures.Binned(BINNED.confidence, np.ones(5), BINNED.count)
    fig = scoreboard_figures.reliability_diagram(higher, BINNED, sure=0.7, num_answers=1000)
    rings = [trace(fig, f"{name}, marked") for name in ("mean of many networks", "one network")]
    assert [(ring.x[0], ring.y[0]) for ring in rings] == [(0.7, 1), (0.7, 0.8)]
    told = [numbers_in(note.text) for note in layout(fig).annotations if "right on" in note.text]
    gaps = [
        list(trace(fig, f"{name}, gap").y)[::4] for name in ("one network", "mean of many networks")
    ]  # ends; its number is between
    assert told == [[100, 100, 70, 30], [80, 80, 70, 10]] and gaps == [[0.7, 0.8], [0.7, 1]]
    # The bins hold the answers of several seeds, which are not independent: the band is as wide as for one.
    fig = scoreboard_figures.reliability_diagram(BINNED, sure=0.7, num_answers=200)
    area = trace(fig, "chance alone, 200 answers")
    top = np.asarray(area.y)[:3]
    counts = np.rint(BINNED.count[2:] / BINNED.count.sum() * 200)
    np.testing.assert_allclose(top, binom.ppf(0.975, counts, BINNED.confidence[2:]) / counts, rtol=1e-6)
    area = np.square(np.asarray(drawn.marker.size) - scoreboard_figures.SMALLEST)
    np.testing.assert_allclose(area / area.sum(), BINNED.count[2:] / 1000, rtol=1e-5)
    assert [numbers_in(each) for each in drawn.text] == [[10], [20], [70]]


def test_rotation_stacks_ignorance_on_noise() -> None:
    entropy = {"A": np.array([0.2, 0.8, 0.6]), "B": np.array([0.1, 0.5, 0.4])}
    accuracy = {name: np.array([0.9, 0.1, 0.2]) for name in entropy}
    expected = np.array([0.1, 0.5, 0.4])
    fig = scoreboard_figures.rotation_curves(DEGREES, entropy, accuracy, expected, chosen="A")
    area = trace(fig, "mutual information (ignorance)")
    np.testing.assert_allclose(np.asarray(area.y)[:3], entropy["A"], rtol=1e-6)
    np.testing.assert_allclose(np.asarray(area.y)[3:6], expected[::-1], rtol=1e-6)
    assert [each.name for each in traces(fig) if each.yaxis == "y2"] == ["B", "A", "A, marked"]
    assert layout(fig).yaxis2.range[0] == 0 and layout(fig).yaxis2.range[1] >= 1
    rng = np.random.default_rng(0)
    fig = scoreboard_figures.entropy_histograms(rng.random(70), 3 * rng.random(90), names=("a", "b"), top=2.3)
    for each in traces(fig):
        assert np.sum(each.y) == pytest.approx(1)  # what lies above the axis counts as its end
    rows = [
        scoreboard_figures.Accuracies("a", (90.2, 0.3), (90.1, 0.2)),
        scoreboard_figures.Accuracies("b", None, (89.0, 0.4)),
    ]
    fig = scoreboard_figures.accuracies(rows, x_range=(88, 91))
    np.testing.assert_allclose(trace(fig, "ours ± sd over seeds").x, [90.2], rtol=1e-6)
    np.testing.assert_allclose(trace(fig, "lecture ± sd").x, [90.1, 89.0], rtol=1e-6)
    assert len(layout(fig).annotations) == 1, "A note stands where there is no score yet."
    assert {50, 40, 70, 80, 90, 85} <= set(numbers_in(scoreboard_figures.describe_reliability(BINNED)))
    told = scoreboard_figures.describe_rotation(DEGREES, np.array([0.2, 0.8, 0.6]), np.array([0.9, 0.1, 0.2]))
    assert {0.2, 0.8, 90, 10} <= set(numbers_in(told))


@pytest.mark.parametrize(("refused", "told"), [(0.0, 20), (0.5, 10), (0.99, 0)])
def test_the_risk_on_show_belongs_to_the_refused_share(refused: float, told: float) -> None:
    risk = np.linspace(0, 0.2, 21)[1:]
    risk[0] = 0
    fig = scoreboard_figures.risk_coverage({"A": risk, "B": risk}, chosen="A", refused=refused)
    assert [told] in [numbers_in(note.text) for note in layout(fig).annotations]
    line = trace(fig, "A")
    np.testing.assert_allclose([line.x[0], line.y[0]], [0, 0.2], atol=1e-7)
    assert np.all(np.diff(line.x) > 0)
