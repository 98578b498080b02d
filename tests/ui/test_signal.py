"""The page on signal and noise: its numbers are those of the shipped runs, and nothing missing breaks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.fitted import shelf
from bdlviz.topics.weights.signal_to_noise import signal
from bdlviz.topics.weights.signal_to_noise import study as signal_to_noise_study
from bdlviz.topics.weights.signal_to_noise.study import CURVES, FRACTIONS
from tests.ui.harness import assert_works, figures, move, numbers, open_page, trace

PAGE = "signal_to_noise"
DIGITS = {"images": "digits"}
FILES = {
    "removal": "bayes_digits_honest",
    "ratios": "bayes_digits_honest",
    "histograms": "bayes_digits_honest",
    "course": "bayes_digits_honest",
    "uncertain": "bayes_digits_honest",
    "notebook": "notebook_digits",
}
VIEWS = tuple(FILES)
DATA = bdlviz.dataset("digits")


def shipped(preset: str = "honest") -> tuple[Any, dict[str, Any]]:
    return shelf.shipped(signal_to_noise_study.name_of("digits", preset))


@pytest.mark.parametrize("how", ["removed", "truncated", "old"])
@pytest.mark.parametrize("view", VIEWS)
def test_a_missing_checkpoint_gets_one_sentence(view: str, how: str, own_shelf: Path):
    file = own_shelf / f"{FILES[view]}.safetensors"
    if how == "removed":
        file.unlink()
    elif how == "truncated":
        file.write_bytes(file.read_bytes()[:1000])
    else:
        other = own_shelf / "function_draws_map.safetensors"
        shelf.put(file.stem, other.read_bytes(), shelf.manifest(own_shelf)[file.stem], own_shelf)
    app = open_page(PAGE, {"look": view, **DIGITS})
    assert not app.exception and not app.error
    [said] = [each.value for each in app.warning]
    assert f"python -m bdlviz train {FILES[view]}" in said


@pytest.mark.parametrize("view", VIEWS)
def test_where_mnist_is_not_shipped_a_sentence_stands_in_its_place(view: str, own_shelf: Path):
    manifest = own_shelf / "manifest.json"
    manifest.write_text(manifest.read_text().replace('"bayes_mnist_', '"no_').replace('"notebook_mnist', '"nor'))
    app = open_page(PAGE, {"look": view})
    assert not app.exception and not figures(app)
    [said] = [each.value for each in app.warning]
    assert f"python -m bdlviz train {FILES[view].replace('digits', 'mnist')}" in said


@pytest.mark.parametrize("whose", ["honest", "small_sigma", "notebook"])
def test_the_least_certain_images_stand_beside_the_fits_on_mnist(whose: str):
    """Their labels are those of the rows, and the network finds them as hard as its draws said."""
    fit, extra = shelf.shipped(signal_to_noise_study.name_of("mnist", whose))
    rows = np.unique([signal_to_noise_study.least_certain(extra, by)[:24] for by in ("spread", "largest")])
    np.testing.assert_array_equal(extra["unsure_rows"], rows)
    found = fit.predict(extra["unsure_images"].astype(np.float32) / 255, 100).mean
    np.testing.assert_allclose(found, extra["probabilities"][rows], atol=0.35)  # the mean of ten draws


@pytest.mark.skipif(not bdlviz.data.available("mnist"), reason="MNIST's files are not here")
@pytest.mark.parametrize("whose", ["honest", "small_sigma", "notebook"])
def test_they_are_those_of_mnist(whose: str):
    _, extra = shelf.shipped(signal_to_noise_study.name_of("mnist", whose))
    found = signal_to_noise_study.unsure(extra, bdlviz.dataset("mnist"))
    assert found.keys() <= extra.keys()
    for name, array in found.items():
        np.testing.assert_array_equal(extra[name], array)


@pytest.mark.parametrize("preset", signal_to_noise_study.PRESETS)
def test_the_numbers_are_those_of_the_run(preset: str):
    app = open_page(PAGE, DIGITS | {"preset": preset})
    assert_works(app)
    fit, extra = shipped(preset)
    ratios = signal.signal_to_noise(*signal_to_noise_study.means_and_stds(fit))
    below = np.mean(np.concatenate([values.ravel() for values in ratios.values()]) < 1)
    row = 100 * extra["removed_error"][CURVES.index("snr_draws")].astype(float)
    costs = [row[FRACTIONS.index(fraction)] - row[0] for fraction in (0.75, 0.95)]
    error, _, share, cost = (each.value for each in app.metric)
    assert error == f"{100 * float(extra['error_bayes'][-1]):.2f} %"
    assert share == f"{below:.0%}"
    assert cost == " / ".join(f"{each:+.2f}".replace("-", "−") for each in costs)


@pytest.mark.parametrize("predicts", ["draws", "means"])
@pytest.mark.parametrize("removed", ["0", "95", "99.9", "100"])
def test_the_mark_is_at_the_slider(removed: str, predicts: str):
    app = open_page(PAGE, DIGITS | {"removed": removed, "predicts": predicts})
    assert_works(app)
    _, extra = shipped()
    column = [f"{100 * each:g}" for each in FRACTIONS].index(removed)
    _, y = trace(figures(app)[0], "on show")
    assert y[0] == pytest.approx(100 * extra["removed_error"][CURVES.index(f"snr_{predicts}"), column], rel=1e-5)


def test_what_is_left_of_all_weights():
    app = open_page(PAGE, DIGITS | {"removed": "100"})
    [told] = [each.value for each in app.caption if "biases" in each.value and "digit a" in each.value]
    fit, _ = shipped()
    assert f"every digit a {int(signal_to_noise_study.single_params(fit)['bias2'].argmax())}," in told
    [pixels] = [each for each in figures(app)[0]["data"] if each.get("name") == "pixels"]
    assert not numbers_of(pixels["z"]).any()


def numbers_of(column: Any) -> Any:
    return numbers(column) if isinstance(column, dict) else np.array(column, float)


def test_the_picture_of_pixels_follows_the_slider():
    app = open_page(PAGE, DIGITS)
    fit, _ = shipped()
    ratios = signal.signal_to_noise(*signal_to_noise_study.means_and_stds(fit))
    for option in ("50", "98"):
        move(app, "removed", option)
        assert_works(app)
        left = signal.kept(ratios, float(option) / 100)["weight0"].mean(1)
        [pixels] = [each for each in figures(app)[0]["data"] if each.get("name") == "pixels"]
        np.testing.assert_allclose(numbers_of(pixels["z"]).ravel(), left**0.5, rtol=1e-5)


@pytest.mark.parametrize("whose", ["honest", "small_sigma", "notebook"])
@pytest.mark.parametrize("unsure", ["spread", "largest"])
def test_the_least_certain_digit(whose: str, unsure: str):
    app = open_page(PAGE, DIGITS | {"look": "uncertain", "whose": whose, "unsure": unsure})
    assert_works(app)
    _, extra = shipped(whose)
    largest = extra["probabilities"].max(1).astype(float)
    score = -extra["spread"].astype(float) if unsure == "spread" else largest
    rows = np.argsort(score, kind="stable")[:24]
    wrong = extra["probabilities"].argmax(1) != extra["labels"]
    assert app.metric[1].value == str(int(wrong[rows].sum()))
    assert any("label" in text for text in figures(app)[0]["layout"]["xaxis"]["ticktext"])


@pytest.mark.parametrize("view", ["removal", "ratios", "histograms", "course", "uncertain", "notebook"])
def test_the_snippet_runs(view: str, capsys: pytest.CaptureFixture[str]):
    app = open_page(PAGE, DIGITS | {"look": view})
    app.session_state["tabs"] = "Reproduce"
    app.run()
    exec(compile(app.code[0].value, "snippet", "exec"), {})
    assert capsys.readouterr().out


def test_the_parts_of_the_bound():
    app = open_page(PAGE, DIGITS)
    app.session_state["tabs"] = "Data term and KL"
    assert_works(app.run())
    fit, extra = shipped()
    [figure] = [each for each in figures(app) if any(t.get("name") == "KL to the prior" for t in each["data"])]
    _, kl = trace(figure, "KL to the prior")
    np.testing.assert_allclose(kl, extra["kl"], rtol=1e-5)
    _, data_term = trace(figure, "data term, one draw")
    np.testing.assert_allclose(data_term, extra["misfit"] * fit.num_data, rtol=1e-5)
