"""The page on signal and noise: its numbers are those of the shipped runs, and missing files get a sentence."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.fitted import shelf
from bdlviz.topics.weights.signal_to_noise import controls as c
from bdlviz.topics.weights.signal_to_noise import run as runs
from bdlviz.topics.weights.signal_to_noise import signal, study, views, views_digits
from bdlviz.topics.weights.signal_to_noise.study import CURVES, FRACTIONS
from bdlviz.ui.model import Result, Setting
from tests.told import numbers_in
from tests.topics.shared.page_results import percent
from tests.topics.weights.results import SCREEN, values_of
from tests.ui.harness import figures, further_pictures, move, numbers, open_page, trace

PAGE = "signal_to_noise"
DIGITS = {"images": "digits"}
VIEWS: dict[str, tuple[Any, Any]] = {
    "removal": (runs.needed, views.removal),
    "ratios": (runs.needed, views.ratios),
    "histograms": (runs.needed, views.histograms),
    "course": (runs.needed, views.over_training),
    "uncertain": (views_digits.needed, views_digits.uncertain),
    "notebook": (runs.notebook_needed, views_digits.notebook),
}


def drawn(view: str, **values: str) -> Result:
    setting = Setting(DIGITS | values)
    needed, draw = VIEWS[view]
    return draw(setting, SCREEN, needed(setting).shipped())


def trace_of(result: Result, name: str) -> dict[str, Any]:
    """The first trace of that name in the first figure."""
    [found] = [each for each in result.figures[0].figure.to_dict()["data"] if each.get("name") == name][:1]
    return found


def shipped(preset: str = "honest") -> tuple[Any, dict[str, Any]]:
    return shelf.shipped(study.name_of("digits", preset))


# What is shipped ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_needs_the_run_of_its_images(view: str):
    for images in c.IMAGES.options:
        need = VIEWS[view][0](Setting({"images": images}))
        assert need.key == study.name_of(images, "notebook" if view == "notebook" else "honest")
        assert need.work is None and f"python -m bdlviz train {need.key}" in need.missing


@pytest.mark.parametrize("whose", c.WHOSE.options)
def test_the_least_certain_images_stand_beside_the_fits_on_mnist(whose: str):
    """Their labels are those of the rows, and the network finds them as hard as its draws said."""
    fit, extra = shelf.shipped(study.name_of("mnist", whose))
    rows = np.unique([study.least_certain(extra, by)[:24] for by in ("spread", "largest")])
    np.testing.assert_array_equal(extra["unsure_rows"], rows)
    found = fit.predict(extra["unsure_images"].astype(np.float32) / 255, 100).mean
    np.testing.assert_allclose(found, extra["probabilities"][rows], atol=0.35)  # the mean of ten draws


@pytest.mark.skipif(not bdlviz.data.available("mnist"), reason="MNIST's files are not here")
@pytest.mark.parametrize("whose", c.WHOSE.options)
def test_the_least_certain_images_are_those_of_mnist(whose: str):
    _, extra = shelf.shipped(study.name_of("mnist", whose))
    found = study.unsure(extra, bdlviz.dataset("mnist"))
    assert found.keys() <= extra.keys()
    for name, array in found.items():
        np.testing.assert_array_equal(extra[name], array)


# Numbers and pictures -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("preset", study.PRESETS)
def test_the_numbers_are_those_of_the_run(preset: str):
    fit, extra = shipped(preset)
    ratios = signal.signal_to_noise(*study.means_and_stds(fit))
    below = np.mean(np.concatenate([values.ravel() for values in ratios.values()]) < 1)
    row = 100 * extra["removed_error"][CURVES.index("snr_draws")].astype(float)
    costs = [row[FRACTIONS.index(fraction)] - row[0] for fraction in (0.75, 0.95)]
    error, _, share, cost = drawn("removal", preset=preset).numbers.values()
    assert error == f"{100 * float(extra['error_bayes'][-1]):.2f} %"
    assert share == percent(float(below), 0)
    assert cost == " / ".join(f"{each:+.2f}".replace("-", "−") for each in costs)


@pytest.mark.parametrize("predicts", ["draws", "means"])
@pytest.mark.parametrize("removed", ["0", "95", "99.9", "100"])
def test_the_mark_is_at_the_slider(removed: str, predicts: str):
    _, extra = shipped()
    column = [f"{100 * each:g}" for each in FRACTIONS].index(removed)
    at = trace_of(drawn("removal", removed=removed, predicts=predicts), "on show")["y"]
    expected = 100 * extra["removed_error"][CURVES.index(f"snr_{predicts}"), column]
    assert numbers(at)[0] == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize("images", ["mnist", "digits"])
@pytest.mark.parametrize("removed", ["0", "50", "90", "95", "98", "100"])
def test_the_sentence_has_the_errors_and_where_they_rise_as_in_the_picture(images: str, removed: str):
    result = drawn("removal", images=images, removed=removed)
    _, extra = shelf.shipped(study.name_of(images, "honest"))
    column = [f"{100 * each:g}" for each in FRACTIONS].index(removed)
    rows = [100 * extra["removed_error"][CURVES.index(name)].astype(float) for name in ("plain", "snr_draws")]
    notes = [note.text for note in result.figures[0].figure.layout.annotations]
    plain_rises, bayes_rises = sorted(number for note in notes if "from" in note for number in numbers_in(note))
    share, plain, bayes = numbers_in(result.says)
    assert share == float(removed) and [plain, bayes] == pytest.approx([row[column] for row in rows], rel=0.03)
    assert plain == bayes or re.search(rf"{'network' if plain < bayes else 'Backprop'} [\d.]+\s% \(better", result.says)
    for row, rises in zip(rows, (plain_rises, bayes_rises), strict=True):
        after = np.array(FRACTIONS) >= rises / 100 - 1e-9
        assert row[after].min() > row[~after].max()
    risen = sum(share >= rises for rises in (plain_rises, bayes_rises))
    assert ("no error", "only the plain network's error", "both errors")[risen] in result.says
    errors = [number for note in notes if re.fullmatch(r"[\d.]+\s%", note) for number in numbers_in(note)]
    starts = [row[0] for row in rows]
    assert sorted(errors) == pytest.approx(sorted([*starts, *([plain, bayes] if share else [])]), rel=0.03)


def test_without_weights_one_digit_is_predicted():
    result = drawn("removal", removed="100")
    [told] = [each for each in result.words if "biases" in each]
    fit, _ = shipped()
    assert fit.single()["bias2"].argmax() in numbers_in(told)
    assert not numbers(trace_of(result, "left")["y"]).any()


@pytest.mark.parametrize("removed", ["50", "98"])
def test_the_bars_follow_the_slider(removed: str):
    fit, _ = shipped()
    stays = signal.kept(signal.signal_to_noise(*study.means_and_stds(fit)), float(removed) / 100)
    result = drawn("removal", removed=removed)
    assert numbers(trace_of(result, "left")["y"]).sum() == sum(each.sum() for each in stays.values())
    assert numbers(trace_of(result, "removed")["y"]).sum() == sum((~each).sum() for each in stays.values())


@pytest.mark.parametrize("whose", c.WHOSE.options)
@pytest.mark.parametrize("unsure", c.ORDER.options)
def test_the_least_certain_digit(whose: str, unsure: str):
    result = drawn("uncertain", whose=whose, unsure=unsure)
    _, extra = shipped(whose)
    largest = extra["probabilities"].max(1).astype(float)
    score = -extra["spread"].astype(float) if unsure == "spread" else largest
    rows = np.argsort(score, kind="stable")[:24]
    wrong = extra["probabilities"].argmax(1) != extra["labels"]
    assert values_of(result)[1] == str(int(wrong[rows].sum()))


def test_the_parts_of_the_bound():
    app = open_page(PAGE, DIGITS)
    found = [figures(move(app, "detail", picture))[0] for picture in further_pictures(app)]
    fit, extra = shipped()
    [figure] = [each for each in found if any(t.get("name") == "KL to the prior" for t in each["data"])]
    _, kl = trace(figure, "KL to the prior")
    np.testing.assert_allclose(kl, extra["kl"], rtol=1e-5)
    _, data_term = trace(figure, "data term, one draw")
    np.testing.assert_allclose(data_term, extra["misfit"] * fit.num_data, rtol=1e-5)


@pytest.mark.parametrize("view", VIEWS)
def test_the_snippet_runs(view: str, capsys: pytest.CaptureFixture[str]):
    exec(compile(drawn(view).call, "snippet", "exec"), {})
    assert capsys.readouterr().out
