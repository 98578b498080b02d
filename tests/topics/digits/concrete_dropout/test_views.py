"""The page on concrete dropout: its numbers are those of the shipped runs, and nothing missing breaks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy import stats
from scipy.special import expit

from bdlviz.data import load
from bdlviz.fitted import shelf
from bdlviz.predictive.relaxation import relaxed_distribution
from bdlviz.topics.digits.concrete_dropout import run, study, views_claims
from bdlviz.ui.model import Result
from tests.told import numbers_in
from tests.topics.shared.page_results import SCREEN, names_in, percent, result_of, run_snippet
from tests.ui.harness import assert_works, damage, definition, further_pictures, move, open_page

PAGE = "concrete_dropout"
FILES = {"pixels": "concrete_mnist", "changed": "concrete_mnist", "width": "concrete_widths"}


def drawn(look: str, **values: str) -> Result:
    return result_of(PAGE, {"look": look} | values)


def values_of(result: Result) -> list[str]:
    return list(result.numbers.values())


@pytest.mark.parametrize(
    ("view", "how"), [*((view, "removed") for view in FILES), ("pixels", "truncated"), ("pixels", "other")]
)
def test_a_missing_checkpoint_gets_one_sentence(view: str, how: str, own_shelf: Path):
    damage(own_shelf, FILES[view], how)
    app = open_page(PAGE, {"look": view})
    assert not app.exception and not app.error
    [said] = [each.value for each in app.warning]
    assert f"python -m bdlviz train {FILES[view]}" in said
    app.session_state["look"] = "relaxation"
    assert_works(app.run())


@pytest.mark.parametrize(
    ("images", "control", "num_data"),
    [("mnist", "n_mnist", 1000), ("mnist", "n_mnist", 5000), ("digits", "n_digits", 300)],
)
@pytest.mark.parametrize("look", ["pixels", "layers", "path"])
def test_the_numbers_are_those_of_the_run(look: str, images: str, control: str, num_data: int):
    _, extra = shelf.shipped(run.file_of(images, num_data))
    expected = [f"{mean:.2f}" for mean in extra[f"{study.run_name(num_data, 1)}mean"][-1]]
    assert values_of(drawn(look, images=images, **{control: str(num_data)})) == expected


def test_the_step_slider_begins_where_all_rates_start():
    assert set(values_of(drawn("pixels", moment="0"))) == {"0.88"}


def test_without_the_entropy_term_there_is_one_run():
    result = drawn("path", entropy_term="off", n_mnist="10000")
    assert 1000 in numbers_in(result.words[-1])
    assert not drawn("path", entropy_term="off").words, "This is the run that was asked for."
    assert 1000 in numbers_in(drawn("path", n_mnist="10000").words[0])


def means_of(images: str, num_data: int, moment: int, entropy: int = 1) -> list[float]:
    """Per cent, of pixels with ink and of those without any in all training images, by way of the file."""
    _, extra = shelf.shipped(run.file_of(images, num_data))
    at = moment * study.NUM_MOMENTS // study.NUM_STEPS
    keep = extra[f"{study.run_name(num_data, entropy)}pixels"][at] / 255
    blank = ~load("mnist-1000" if images == "mnist" else "digits").x.any(0)
    assert keep.min() >= 0.5, "The colours begin at one half."
    return [100 * keep[where].mean() for where in (~blank, blank)]


@pytest.mark.parametrize(
    ("images", "num_data", "moment"),
    [
        ("mnist", 1000, 5000),
        ("mnist", 10_000, 5000),
        ("mnist", 2000, 1250),
        ("digits", 100, 1000),
        ("digits", 700, 5000),
    ],
)
def test_the_sentence_and_the_labels_compare_pixels_with_ink_and_blank_ones(images: str, num_data: int, moment: int):
    name = "n_mnist" if images == "mnist" else "n_digits"
    result = drawn("pixels", images=images, moment=str(moment), **{name: str(num_data)})
    least = {"mnist": 1000, "digits": 100}[images]
    ink, blank = means_of(images, num_data, moment)
    few = means_of(images, least, moment)[0]
    assert numbers_in(result.says) == pytest.approx([num_data, moment, ink, blank], abs=0.6)
    notes: Any = result.figures[0].figure.layout.annotations
    labels = [note for note in notes if note.yref == "y2"]
    expected = [ink, blank] + ([few] if num_data > least else [])
    assert [numbers_in(label.text)[0] for label in labels] == [pytest.approx(each, abs=0.6) for each in expected]
    assert [100 * label.y for label in labels] == pytest.approx(expected)


def test_before_training_all_pixels_are_kept_equally_often():
    assert numbers_in(drawn("pixels", moment="0", n_mnist="5000").says)[1:] == pytest.approx([0, 88, 88], abs=0.5)


def test_without_the_entropy_term_blank_pixels_are_kept_as_often():
    told = numbers_in(drawn("pixels", entropy_term="off", n_mnist="10000").says)
    assert told[2:] == pytest.approx(means_of("mnist", 1000, 5000, 0), abs=0.6)


@pytest.mark.parametrize("values", [{"n_mnist": "2000"}, {"images": "digits", "n_digits": "300"}])
def test_the_means_are_of_the_pixels_inside_and_outside_the_line(values: dict[str, str]):
    """Every piece of the line has a blank pixel on one side only; the dots are the means of the two sides."""
    figure: Any = drawn("pixels", **values).figures[0].figure
    picture, line, *curves, dots = figure.data
    keep, pieces = np.asarray(picture.z), np.stack([line.x, line.y], 1).reshape(-1, 3, 2)[:, :2]
    blank = (load("digits" if "images" in values else "mnist-1000").x.sum(0) == 0).reshape(keep.shape)
    around = np.pad(blank, 1, constant_values=True)
    for middle in pieces.mean(1):
        is_upright = middle[0] % 1 != 0
        step = np.array([0.5, 0.0] if is_upright else [0.0, 0.5])
        sides = [around[int(y) + 1, int(x) + 1] for x, y in (middle - step, middle + step)]
        assert sum(sides) == 1
    assert dots.y == pytest.approx([keep[~blank].mean(), keep[blank].mean()])
    [at] = {int(each) for each in dots.x}
    for curve, mean in zip(curves, dots.y, strict=True):
        assert len(curve.x) == 4 and curve.y[np.flatnonzero(curve.x == at)[0]] == pytest.approx(mean)


@pytest.mark.parametrize("look", ["layers", "path"])
@pytest.mark.parametrize("values", [{"n_mnist": "5000"}, {"entropy_term": "off"}])
def test_the_sentence_of_the_layers_ends_with_their_means(look: str, values: dict[str, str]):
    result = drawn(look, **values)
    assert numbers_in(result.says)[-3:] == [pytest.approx(100 * float(each), abs=0.51) for each in values_of(result)]


def test_the_sentences_of_the_other_views():
    share = 100 * float(np.diff(relaxed_distribution(np.array([0.01, 0.99]), 0.12, 0.3))[0])
    assert pytest.approx(share, rel=0.05) in numbers_in(drawn("relaxation", temperature="0.3").says)
    extra = shelf.shipped("concrete_widths")[1]
    at = extra["widths"].tolist().index(64)
    best, nll = extra["nll"][:, at].argmin(-1), extra["nll"][:, at].min(-1).mean()
    learned, reached = extra["concrete_rate"][:, at, 1].mean(), extra["concrete_nll"][:, at].mean()
    expected = (64, learned, extra["rates"][best].mean(), nll, reached)
    assert numbers_in(drawn("width", net_width="64").says) == [pytest.approx(each, rel=0.05) for each in expected]
    rates = shelf.shipped("concrete_authors_settled")[1]["narrow_rates"][..., 1:].mean((0, 2))
    told = numbers_in(drawn("authors", authors_steps="settled").says)
    assert told[2:4] == [pytest.approx(rates[0], rel=0.05), pytest.approx(rates[-1], rel=0.05)]
    changed = drawn("changed")
    assert float(values_of(changed)[1]) in np.round(numbers_in(changed.says), 2)


@pytest.mark.parametrize("temperature", ["0.001", "10"])
@pytest.mark.parametrize("rate", ["0.01", "0.99"])
def test_the_relaxation_at_both_ends(temperature: str, rate: str):
    between, below, _ = values_of(drawn("relaxation", temperature=temperature, relaxed_rate=rate))
    assert below == percent(float(rate))
    share = np.diff(relaxed_distribution(np.array([0.01, 0.99]), float(rate), float(temperature)))[0]
    assert between == percent(share)


def test_the_snippet_of_the_relaxation(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    names = run_snippet(drawn("relaxation", temperature="0.3"))
    np.testing.assert_allclose(names["z"], expit(np.linspace(-11, 11, 441)))
    np.testing.assert_allclose(names["distribution"], relaxed_distribution(names["z"], 0.12, 0.3))


@pytest.mark.parametrize("change", ["rotate", "blend"])
def test_the_snippet_of_a_changed_digit_gives_the_numbers_of_the_page(change: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    result = drawn("changed", images="digits", synthetic=change, shown_digit="2")
    total = run_snippet(result)["predictive"].predictive_entropy
    assert values_of(result)[:2] == [f"{total[0]:.2f}", f"{total.max():.2f}"]


def test_the_authors_rates_are_on_the_figure():
    assert names_in(drawn("authors")) != names_in(drawn("authors", authors_steps="settled"))


@pytest.mark.parametrize("score", ["nll", "accuracy", "auroc"])
def test_widths_and_their_best_rates(score: str):
    _, extra = shelf.shipped("concrete_widths")
    scores = extra[score][:, extra["widths"].tolist().index(1024)]
    best = extra["rates"][scores.argmin(-1) if score == "nll" else scores.argmax(-1)].astype(float)
    told = values_of(drawn("width", net_width="1024", width_score=score))[0]
    assert told == f"{best.mean():.2f} ± {best.std(ddof=1):.2f}"


def test_every_view_has_a_picture_and_the_two_claims():
    page = definition(PAGE)
    assert page is not None
    for view in page.views:
        result = drawn(view.name)
        assert len(result.figures) == 1 and len(result.tabs) == 1, view.name
    shipped = views_claims.widths_needed().shipped
    found = shipped() if shipped is not None else None
    assert found is not None
    [_, figure, _] = views_claims.claims(SCREEN, found)
    assert getattr(figure, "key", "") == "claims"
    change = found["concrete_nll"][:, -1] - found["concrete_nll"][:, 0]  # of three seeds: t is 4.3
    assert abs(change.mean()) < stats.t.ppf(0.975, 2) * change.std(ddof=1) / np.sqrt(3)


def test_a_link_to_the_former_tab_opens_the_closer_look():
    """The figure of the closer look takes the place of the view's figure."""
    [claims] = further_pictures(open_page(PAGE))
    app = open_page(PAGE, {"tab": claims})
    assert_works(app)
    assert [getattr(chart, "key", "") for chart in app.get("plotly_chart")] == ["claims"]
    assert_works(move(app, "detail", ""))
    assert [getattr(chart, "key", "") for chart in app.get("plotly_chart")] == ["kept_pixels"]
