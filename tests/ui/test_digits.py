"""MC dropout on digits without a browser: what is chosen is what is predicted, and bad input is a sentence."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bdlviz import data
from bdlviz.data import shifts
from bdlviz.fitted import shelf
from bdlviz.predictive.summaries import entropy
from bdlviz.predictive.votes import variation_ratio
from bdlviz.topics.digits.mc_dropout import views_accuracy as mc_dropout_views_accuracy
from bdlviz.topics.digits.mc_dropout import views_change as mc_dropout_views_change
from bdlviz.topics.digits.mc_dropout import views_choice as mc_dropout_views_choice
from bdlviz.topics.digits.mc_dropout import views_plane as mc_dropout_views_plane
from bdlviz.topics.digits.mc_dropout import views_source as mc_dropout_views_source
from bdlviz.topics.digits.mc_dropout.views import of_course
from bdlviz.topics.digits.mc_dropout.views_source import HeldOut, Source
from bdlviz.topics.shared import own_digit
from bdlviz.types import Array
from tests.ui.harness import assert_works, figures, move, open_page, press, scenes, trace

PAGE = "mc_dropout"
SMALL = {"images": "digits"}


@pytest.fixture
def found() -> Source:
    """The shipped classifier of small digits."""
    fit, extra = shelf.shipped("classifier_digits_mc_dropout")
    return Source("digits", fit, data.load("digits"), extra)


def numbers_shown(app: Any) -> dict[str, float]:
    return {each.label: float(each.value) for each in app.metric[:4]}


def dots(app: Any) -> Array:
    """The draws in the main picture, (S, 10)."""
    return trace(figures(app)[0], "draws")[1].reshape(10, -1).T


# What is shown is what was computed -------------------------------------------------------------------------------


def test_the_picture_holds_the_draws_of_the_chosen_image(found: Source):
    app = open_page(PAGE, SMALL | {"digit": "37", "num_samples": "50"})
    assert_works(app)
    expected = found.fit.predict(found.dataset.x_test[36:37], 50)
    np.testing.assert_allclose(dots(app), expected.draws[:, 0], atol=1e-6)
    total, within, between, ratio = numbers_shown(app).values()
    assert total == pytest.approx(float(entropy(expected.mean)[0]), abs=0.006)
    assert total == pytest.approx(within + between, abs=0.011)
    assert ratio == pytest.approx(float(variation_ratio(expected.draws)[0]), abs=0.006)


def test_a_change_is_made_before_the_prediction(found: Source):
    app = open_page(PAGE, SMALL | {"digit": "37", "num_samples": "20", "change": "rotate", "angle": "40"})
    assert_works(app)
    turned = shifts.rotate(found.pictures[36:37], 40).reshape(1, -1)
    np.testing.assert_allclose(dots(app), found.fit.predict(turned, 20).draws[:, 0], atol=1e-5)
    stops, total = trace(figures(app)[1], "predictive entropy")
    assert total[list(stops).index(40)] == pytest.approx(numbers_shown(app)["Predictive entropy (nats)"], abs=0.006)


@pytest.mark.parametrize("images", ["mnist", "digits"])
def test_the_course_of_a_rotated_digit_is_told_from_its_own_numbers(images: str):
    """The words name the highest entropy, and the lowest one of another answer, whatever the images are."""
    app = open_page(PAGE, dict(scenes(PAGE)["rotate"].values) | {"images": images})
    assert_works(app)
    stops, total = trace(figures(app)[1], "predictive entropy")
    [words] = [each.value for each in app.markdown if "The predictive entropy is largest" in each.value]
    peak, highest, other, _, share, low = (float(number) for number in re.findall(r"\d+(?:\.\d+)?", words))
    assert highest == pytest.approx(total.max(), abs=0.006) and peak == stops[total.argmax()]
    assert low == pytest.approx(total[list(stops).index(other)], abs=0.006)
    assert low < 0.2 and share > 95, "The network is sure of another digit."
    assert "entropy rises" not in " ".join(each.value for each in app.caption)


def test_words_about_a_course():
    stops, mean = np.array([-10.0, 0.0, 10.0]), np.array([[0.2, 0.8], [0.9, 0.1], [0.4, 0.6]])
    said = of_course(stops, mean, np.array([0.50, 0.33, 0.67]))
    assert "largest at 10: **0.67 nats**" in said and "at -10: the mean says **1 with 80%**, 0.50 nats" in said
    same = of_course(stops, mean[:, ::-1][:, [1, 1]] * [1, 0.5], np.array([0.1, 0.3, 0.2]))
    assert "largest at 0: **0.30 nats**" in same and "is 0 at every step" in same


def test_more_draws_than_the_course_has(found: Source):
    app = open_page(PAGE, SMALL | {"digit": "5", "num_samples": "500", "change": "blur"})
    assert_works(app)
    assert len(dots(app)) == 500


@pytest.mark.parametrize("name", mc_dropout_views_change.CHANGES)
def test_a_change_of_nothing_is_the_digit_itself(name: str, found: Source):
    changed = mc_dropout_views_change.CHANGES[name]
    same = changed.apply(found.pictures[:1], 0, found.pictures[1])
    np.testing.assert_allclose(same, found.pictures[:1], atol=1e-6)


def test_the_orders(found: Source):
    held_out = found.held_out
    total, mutual = held_out.predictive_entropy, held_out.mutual_information
    first = {
        order: mc_dropout_views_choice.ordered(held_out, order, mc_dropout_views_choice.ALL)[0]
        for order in mc_dropout_views_choice.ORDER.options
    }
    assert first["uncertain"] == total.argmax() and first["confident"] == total.argmin()
    assert first["disagreement"] == mutual.argmax() and first["data"] == 0
    wrong = mc_dropout_views_choice.ordered(held_out, "wrong", mc_dropout_views_choice.ALL)
    assert held_out.is_wrong[wrong].all() and len(wrong) == held_out.is_wrong.sum()
    sevens = mc_dropout_views_choice.ordered(held_out, "noise", "7")
    assert (found.labels[sevens] == 7).all() and len(sevens) == (found.labels == 7).sum()


def test_the_shipped_predictions_are_those_of_the_fit(found: Source):
    computed = Source("digits", found.fit, found.dataset, {})
    for name in ("predictive_entropy", "mutual_information"):
        shipped, own = getattr(found.held_out, name), getattr(computed.held_out, name)
        assert np.corrcoef(shipped, own)[0, 1] > 0.95


def test_another_class_starts_at_its_first_image():
    app = open_page(PAGE, SMALL | {"digit": "37"})
    move(app, "class", "3")
    assert_works(app)
    assert app.session_state["digit"] == mc_dropout_views_choice.FIRST
    assert "label **3**" in next(each.value for each in app.caption if "Held-out image" in each.value)


def test_pages_of_the_sheet():
    app = open_page(PAGE, SMALL)
    assert any("1 to 24 of 360" in each.value for each in app.caption)
    press(app, "sheet_on")
    assert any("25 to 48 of 360" in each.value for each in app.caption)
    move(app, "order", "confident")
    assert any("1 to 24 of 360" in each.value for each in app.caption)


def test_averaging_is_answered_with_the_shipped_seeds(found: Source):
    scores = mc_dropout_views_accuracy.scores_of(found)
    assert scores.accuracy.shape == (5, len(scores.samples)) and len(scores.nll) == 5
    told = mc_dropout_views_accuracy.answer(scores, found)
    assert "points against one pass" in told and "nats per digit" in told


def test_averaging_is_computed_where_nothing_is_shipped(found: Source):
    scores = mc_dropout_views_accuracy.scores_of(Source("digits", found.fit, found.dataset, {}))
    shipped = mc_dropout_views_accuracy.scores_of(found)
    assert scores.accuracy.shape == (1, len(mc_dropout_views_accuracy.SAMPLES))
    np.testing.assert_allclose(scores.accuracy[0], shipped.accuracy[0], atol=0.02)
    assert scores.nll_one_pass[0] == pytest.approx(shipped.nll_one_pass[0], rel=0.02)
    assert "points against one pass" in mc_dropout_views_accuracy.answer(scores, found)


def test_the_summary_of_the_plane_counts():
    total = np.linspace(0, 1, 20)
    wrong = np.arange(20) >= 17
    told = mc_dropout_views_plane.summary(0.75 * total, 0.25 * total, wrong)
    assert "**25%**" in told and "**2 of the 3**" in told


# Settings at their ends -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", mc_dropout_views_source.METHOD.options)
@pytest.mark.usefixtures("quick")
def test_one_draw_of_every_method(method: str):
    app = open_page(PAGE, SMALL | {"num_samples": "1", "method": method})
    assert_works(app)
    if method != "deep_ensemble":
        assert numbers_shown(app)["+ mutual information"] == 0
        assert any("One function only" in each.value or "Sure" in each.value for each in app.markdown)


def test_the_plain_network_has_one_function_whatever_is_asked():
    app = open_page(PAGE, SMALL | {"num_samples": "1000", "method": "map"})
    assert_works(app)
    assert dots(app).shape == (1, 10)
    app.session_state["tabs"] = "Accuracy against S"
    assert_works(app.run())


def test_a_class_that_was_never_seen_gets_no_probability_or_little():
    app = open_page(PAGE, SMALL | {"unseen": "7", "class": "7"})
    assert_works(app)
    assert not app.info, "It is shipped."
    assert dots(app)[:, 7].max() < 0.05
    assert any(each.value.startswith("This network never saw a 7.") for each in app.markdown)


@pytest.mark.usefixtures("quick")
def test_the_last_class_may_be_the_one_left_out():
    app = open_page(PAGE, SMALL | {"unseen": "9", "class": "9"})
    assert_works(app)
    assert dots(app).shape[1] == 10, "The network has an output for each class of the data, trained or not."
    assert any(each.value.startswith("This network never saw a 9.") for each in app.markdown)


def test_every_answer_right_leaves_the_sheet_of_wrong_ones_empty(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(HeldOut, "is_wrong", property(lambda self: np.zeros(len(self.labels), bool)))
    app = open_page(PAGE, SMALL | {"order": "wrong"})
    assert_works(app)
    assert any("the network has them all right" in each.value for each in app.caption)


# Bad input --------------------------------------------------------------------------------------------------------


def test_an_image_that_there_is_not():
    app = open_page(PAGE, SMALL | {"digit": "900"})
    assert_works(app)
    assert any("There are 360 held-out images, no 900" in each.value for each in app.caption)


@pytest.mark.parametrize("ink", [None, np.zeros((56, 56))])
def test_no_digit_of_ones_own(ink: Array | None):
    app = open_page(PAGE, SMALL)
    app.session_state[own_digit.INK] = ink
    move(app, "digit", mc_dropout_views_choice.OWN)
    assert_works(app)
    assert any("No digit of yours yet" in each.value for each in app.caption)


def test_a_digit_of_ones_own_can_be_changed():
    app = open_page(PAGE, SMALL | {"change": "blend", "other": "3"})
    ink = np.zeros((56, 56))
    ink[8:48, 25:31] = 1
    app.session_state[own_digit.INK] = ink
    move(app, "digit", mc_dropout_views_choice.OWN)
    assert_works(app)
    assert any("Your own digit" in each.value for each in app.caption)
    app.session_state["tabs"] = "Your own digit"
    assert_works(app.run())
    assert len(figures(app)) >= 3


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("how", ["removed", "truncated"])
def test_a_missing_checkpoint_gets_a_sentence_and_a_picture(how: str, own_shelf: Path):
    file = own_shelf / "classifier_digits_mc_dropout.safetensors"
    if how == "removed":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:1000])
    app = open_page(PAGE, SMALL)
    assert_works(app)
    [said] = [each.value for each in app.info]
    assert "classifier_digits_mc_dropout" in said and said.endswith("Training instead.")
    app.session_state["tabs"] = "Accuracy against S"
    assert_works(app.run())


def test_the_snippet_gives_the_numbers_of_the_page(found: Source, monkeypatch: pytest.MonkeyPatch):
    """All but its training, which is replaced by the shipped fit."""
    app = open_page(PAGE, SMALL | {"digit": "37", "num_samples": "20", "change": "blend", "other": "8", "mixed": "30"})
    app.session_state["tabs"] = "Reproduce"
    app.run()
    [code] = [each.value for each in app.code if "fit.predict" in each.value]
    monkeypatch.setattr("bdlviz.fit", lambda *_, **__: found.fit)
    names: dict[str, Any] = {}
    exec(code, names)
    np.testing.assert_allclose(names["found"].draws[:, 0], dots(app), atol=1e-5)
