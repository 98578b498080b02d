"""MC dropout on digits: what is chosen is what is predicted, and bad input is a sentence."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz import data, published
from bdlviz.data import shifts
from bdlviz.fitted import shelf
from bdlviz.predictive.summaries import entropy
from bdlviz.predictive.votes import variation_ratio
from bdlviz.topics.digits.mc_dropout import (
    accuracy,
    changes,
    choice,
    controls,
    views,
    views_accuracy,
    views_log,
    views_plane,
    views_sheet,
)
from bdlviz.topics.digits.mc_dropout.picture import picture_of
from bdlviz.topics.digits.mc_dropout.source import HeldOut, Source
from bdlviz.topics.shared import own_digit
from bdlviz.types import Array
from bdlviz.ui.model import Columns, Result, Setting, Sheet
from tests.told import numbers_in
from tests.topics.shared.page_results import SCREEN, figure_called, named, number, result_of, run_snippet
from tests.ui.harness import assert_works, damage, figures, further_pictures, move, open_page, press, trace

PAGE = "mc_dropout"
SMALL = {"images": "digits"}


@pytest.fixture
def found() -> Source:
    """The shipped classifier of small digits."""
    fit, extra = shelf.shipped("classifier_digits_mc_dropout")
    return Source("digits", fit, data.load("digits"), extra)


def drawn(**values: str) -> Result:
    """The page's picture of what is shipped."""
    return result_of(PAGE, SMALL | values)


def dots(result: Result) -> Array:
    """The softmax samples of the digit, (S, 10), as far as each has its own dot: that holds up to S = 100."""
    return trace(figure_called(result, "softmax_draws"), "draws")[1].reshape(10, -1).T


def course(result: Result) -> tuple[Array, Array]:
    """The steps of the course, and the predictive entropy at each."""
    return trace(figure_called(result, views.COURSE), "predictive entropy")


def test_the_printed_log_stands_among_our_runs():
    """The band and the count are computed here from the values of the runs."""
    values, log = published.read(), published.DIGITS_LOG
    runs = np.array([[values[f"mc_dropout_{part}_{epoch}"] for epoch in range(1, 11)] for part in log])
    printed = np.array([*log.values()])
    result = Result(views_log.tab(SCREEN))
    for name, expected in (("printed log", printed), ("mean of our runs", runs.mean(-1))):
        found = [each.y for each in named(result.figures[0].figure, name)]
        np.testing.assert_allclose(found, expected, rtol=1e-6)
    count, inside, _, seeds, there, here = numbers_in(result.says)
    assert (count, seeds, there) == (printed.size, runs.shape[-1], 95)
    low, high = np.percentile(runs, [2.5, 97.5], axis=-1)
    assert inside == ((low <= printed) & (printed <= high)).sum() > 25
    assert here == pytest.approx(runs[2, 9].mean(), abs=0.05)


# What is shown is what was computed -----------------------------------------------------------------------------------


def test_the_picture_holds_the_draws_of_the_chosen_image(found: Source):
    result = drawn(digit="37", num_samples="50")
    expected = found.fit.predict(found.dataset.x_test[36:37], 50)
    np.testing.assert_allclose(dots(result), expected.draws[:, 0], atol=1e-6)
    total, within, between, ratio = map(float, result.numbers.values())
    assert total == pytest.approx(float(entropy(expected.mean)[0]), abs=0.006)
    assert total == pytest.approx(within + between, abs=0.011)
    assert ratio == pytest.approx(float(variation_ratio(expected.draws)[0]), abs=0.006)


@pytest.mark.parametrize("order", controls.ORDER.options)
def test_the_slider_goes_through_the_chosen_order(order: str, found: Source):
    """Of n images, the one at half of the way is the one before which half of the others stand."""
    rows = choice.ordered(found.held_out, order, "8")
    for place, position in (("0", 0), ("50", round((len(rows) - 1) / 2)), ("100", len(rows) - 1)):
        slider = controls.PLACE[order].key
        setting = Setting(SMALL | {"order": order, "class": "8", slider: place, "num_samples": "5"})
        shown = picture_of(setting, found)
        assert shown.chosen.row == rows[position]
        row = found.dataset.x_test[rows[position]][None]
        np.testing.assert_allclose(shown.draws, found.fit.predict(row, 5).draws[:, 0], atol=1e-5)


def test_noise_and_ignorance_stand_at_the_bar_of_the_entropy():
    result = drawn(num_samples="20")
    notes = [each["text"] for each in figure_called(result, "softmax_draws")["layout"]["annotations"]]
    [words] = [each for each in notes if "noise" in each]
    noise, ignorance = numbers_in(result.says)[-2:]
    assert [each for each in numbers_in(words) if each in (noise, ignorance)] == [noise, ignorance]


def test_a_change_is_made_before_the_prediction(found: Source):
    result = drawn(digit="37", num_samples="20", change="rotate", angle="40")
    turned = shifts.rotate(found.pictures[36:37], 40).reshape(1, -1)
    np.testing.assert_allclose(dots(result), found.fit.predict(turned, 20).draws[:, 0], atol=1e-5)
    stops, total = course(result)
    assert total[list(stops).index(40)] == pytest.approx(number(result, "Predictive"), abs=0.006)


@pytest.mark.parametrize("images", ["mnist", "digits"])
def test_the_course_of_a_rotated_digit_is_told_from_its_own_numbers(images: str):
    """The words name the highest entropy, and the lowest one of another answer, whatever the images are."""
    result = drawn(scene="rotate", images=images)
    stops, total = course(result)
    [words] = [each for each in result.words if f"{total.max():.2f} nats" in each]
    peak, highest, other, _, share, low = numbers_in(words)[:6]
    assert highest == pytest.approx(total.max(), abs=0.006) and peak == stops[total.argmax()]
    assert low == pytest.approx(total[list(stops).index(other)], abs=0.006)
    assert low < 0.2 and share > 95, "The network is certain of another digit."


def test_words_about_a_course():
    stops, mean = np.array([-10.0, 0.0, 10.0]), np.array([[0.2, 0.8], [0.9, 0.1], [0.4, 0.6]])
    said = views.of_course(stops, mean, np.array([0.50, 0.33, 0.67]))
    assert {10, 0.67, -10, 1, 80, 0.5} <= set(numbers_in(said))
    same = views.of_course(stops, mean[:, ::-1][:, [1, 1]] * [1, 0.5], np.array([0.1, 0.3, 0.2]))
    assert {0, 0.3} <= set(numbers_in(same))


@pytest.mark.parametrize("name", changes.CHANGES)
def test_a_change_of_nothing_is_the_digit_itself(name: str, found: Source):
    same = changes.CHANGES[name].apply(found.pictures[:1], 0, found.pictures[1])
    np.testing.assert_allclose(same, found.pictures[:1], atol=1e-6)


def test_the_orders(found: Source):
    held_out = found.held_out
    total, mutual = held_out.predictive_entropy, held_out.mutual_information
    first = {order: choice.ordered(held_out, order, controls.ALL)[0] for order in controls.ORDER.options}
    assert first["uncertain"] == total.argmax() and first["confident"] == total.argmin()
    assert first["disagreement"] == mutual.argmax() and first["data"] == 0
    uncertain = [*choice.ordered(held_out, "ignorance", controls.ALL)]
    assert set(uncertain) == set(np.argsort(total)[-45:])
    share = (mutual / total)[uncertain]
    assert share[0] > share[-1] and (np.diff(share) <= 1e-6).all()
    wrong = choice.ordered(held_out, "wrong", controls.ALL)
    assert held_out.is_wrong[wrong].all() and len(wrong) == held_out.is_wrong.sum()
    sevens = choice.ordered(held_out, "noise", "7")
    assert (found.labels[sevens] == 7).all() and len(sevens) == (found.labels == 7).sum()


def test_blur_turns_two_clouds_of_sure_draws_into_unsure_ones_and_ignorance_into_noise():
    """Draws above 90 % for the two classes that most of them are sure of; of MNIST, as the page opens."""
    few, stops = (
        [result_of(PAGE, {"blurred": value} | count) for value in ("0", "5", "10", "15")]
        for count in ({"num_samples": "100"}, {})
    )
    two = [np.sort((dots(each) > 0.9).mean(0))[-2:] for each in few]
    assert two[0].min() > 0.2 and two[-1].max() < 0.2
    noise, ignorance = zip(*(numbers_in(each.says)[-2:] for each in stops), strict=True)
    assert noise == tuple(sorted(noise)) and ignorance == tuple(sorted(ignorance, reverse=True))
    assert noise[0] < ignorance[0] and noise[-1] > ignorance[-1]


def test_the_shipped_predictions_are_those_of_the_fit(found: Source):
    computed = Source("digits", found.fit, found.dataset, {})
    for name in ("predictive_entropy", "mutual_information"):
        shipped, own = getattr(found.held_out, name), getattr(computed.held_out, name)
        assert np.corrcoef(shipped, own)[0, 1] > 0.95


def test_averaging_is_answered_with_the_shipped_seeds_or_with_one_that_is_computed(found: Source):
    shipped, computed = (accuracy.scores_of(each) for each in (found, Source("digits", found.fit, found.dataset, {})))
    assert shipped.accuracy.shape == (5, len(shipped.samples)) and len(shipped.nll) == 5
    assert computed.accuracy.shape == (1, len(accuracy.SAMPLES))
    np.testing.assert_allclose(computed.accuracy[0], shipped.accuracy[0], atol=0.02)
    assert computed.nll_one_pass[0] == pytest.approx(shipped.nll_one_pass[0], rel=0.02)
    for scores in (shipped, computed):
        gain = 100 * (scores.accuracy[:, -1] - scores.accuracy_one_pass).mean()
        worse = (scores.nll - scores.nll_one_pass).mean()
        told = numbers_in(accuracy.answer(scores, found))
        assert (told[0], told[-1]) == (pytest.approx(gain, abs=0.006), pytest.approx(worse, abs=6e-4))


def test_the_plane_counts_and_shows_the_course_of_a_changed_digit(found: Source):
    total = np.linspace(0, 1, 20)
    told = views_plane.summary(0.75 * total, 0.25 * total, np.arange(20) >= 17)
    assert {20, 25, 2, 3} <= set(numbers_in(told))
    fig = views_plane.plane(SCREEN, picture_of(Setting(SMALL | {"change": "rotate"}), found)).figure
    still = views_plane.plane(SCREEN, picture_of(Setting(SMALL | {"change": "none"}), found)).figure
    assert len(fig.to_dict()["data"]) > len(still.to_dict()["data"])


# Sentences ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [{"digit": "37"}, {"order": "disagreement"}, {"order": "confident"}, {"class": "8"}])
@pytest.mark.parametrize("count", ["1", "20"])
def test_the_sentence_divides_the_entropy_of_the_digit(values: dict[str, str], count: str):
    """The numbers come from the dots, by way of logarithms of base 2."""
    result = drawn(num_samples=count, change="none", **values)
    draws = np.clip(dots(result).astype(float), 1e-300, 1)
    mean = draws.mean(0)
    total, within = (float(-(p * np.log2(p)).sum(-1).mean()) for p in (mean, draws))
    told = numbers_in(result.says)
    assert mean.argmax() in told
    if total * np.log(2) < views.SURE:
        assert told[-1] == pytest.approx(max(total * np.log(2), views.LEAST), abs=0.006)
    elif count == "1":
        assert round(100 * mean.max()) in np.round(told)
    else:
        assert told[-2:] == pytest.approx([within * np.log(2), (total - within) * np.log(2)], abs=0.006)


@pytest.mark.parametrize("angle", ["0", "40", "180"])
def test_the_sentence_of_a_change_names_the_step_of_the_largest_entropy(angle: str):
    result = drawn(num_samples="20", change="rotate", angle=angle)
    stops, total = course(result)
    told, here = numbers_in(result.says), total[list(stops).index(float(angle))]
    if here == total.max():
        assert told[-1] == pytest.approx(here, rel=0.05)
    else:
        assert told[-3:] == [pytest.approx(each, rel=0.05) for each in (here, total.max(), stops[total.argmax()])]
    assert float(angle) in told or angle == "0"


def test_the_sentences_of_the_other_pictures(found: Source):
    total = np.linspace(0, 1, 20)
    told = numbers_in(views_plane.sentence(0.75 * total, 0.25 * total, np.arange(20) >= 17))
    assert told == [25, 2, 3]
    scores = accuracy.scores_of(found)
    _, many, one, mean, before = numbers_in(views_accuracy.sentence(scores))
    _, extra = shelf.shipped("classifier_digits_mc_dropout")
    shares = (extra["accuracy_by_samples"][:, -1], extra["accuracy_one_pass"])
    assert [many, one] == [pytest.approx(100 * each.mean(), abs=0.06) for each in shares]
    assert [mean, before] == [pytest.approx(extra[name].mean(), rel=0.01) for name in ("nll", "nll_one_pass")]


# Settings at their ends -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", controls.METHOD.options)
def test_one_draw_of_every_method(method: str):
    result = drawn(num_samples="1", method=method)
    if method != "deep_ensemble":
        assert number(result, "mutual") == 0


def test_the_plain_network_has_one_function_whatever_is_asked():
    result = drawn(num_samples="1000", method="map")
    assert dots(result).shape == (1, 10)
    told = [getattr(part, "text", "") for tab in result.tabs.values() for part in tab()]
    assert views_accuracy.NOTHING_TO_AVERAGE in told


def test_a_class_that_was_never_seen_gets_no_probability_or_little():
    result = drawn(unseen="7", num_samples="100", **{"class": "7"})
    assert dots(result)[:, 7].max() < 0.05


@pytest.mark.usefixtures("quick")
def test_the_last_class_may_be_the_one_left_out():
    app = open_page(PAGE, SMALL | {"unseen": "9", "class": "9"})
    assert_works(app)


def test_images_that_are_not_there_and_many_draws(monkeypatch: pytest.MonkeyPatch):
    assert any(len(data.load("digits").x_test) in numbers_in(each) for each in drawn(digit="900").words)
    assert 500 in numbers_in(drawn(digit="5", num_samples="500").figures[0].alt)
    monkeypatch.setattr(HeldOut, "is_wrong", property(lambda self: np.zeros(len(self.labels), bool)))
    assert set(drawn(order="wrong").words) - set(drawn().words)


# The choice of a digit ------------------------------------------------------------------------------------------------


def test_another_class_starts_at_its_first_image():
    app = open_page(PAGE, SMALL | {"digit": "37"})
    move(app, "class", "3")
    assert_works(app)
    assert app.session_state["digit"] == controls.FIRST
    assert any("**3**" in each.value for each in app.caption)


def test_pages_of_the_sheet_beside_a_changed_digit():
    app = open_page(PAGE, SMALL | {"change": "blur"})
    assert any({1, 24, 45} <= set(numbers_in(each.value)) for each in app.caption)
    press(app, "sheet_on")
    assert any({25, 45} <= set(numbers_in(each.value)) for each in app.caption)
    move(app, "order", "confident")
    assert any({1, 24, 360} <= set(numbers_in(each.value)) for each in app.caption)


def with_own_digit(ink: Array | None, **query: str) -> AppTest:
    """The page of a visitor who has drawn this."""
    app = open_page(PAGE, SMALL | query)
    app.session_state[own_digit.INK] = ink
    return move(app, "digit", controls.OWN)


@pytest.mark.parametrize("ink", [None, np.zeros((56, 56))])
def test_no_digit_of_ones_own(ink: Array | None):
    app = with_own_digit(ink)
    assert_works(app)


def test_a_digit_of_ones_own_can_be_changed():
    ink = np.zeros((56, 56))
    ink[8:48, 25:31] = 1
    app = with_own_digit(ink, change="blend", other="3")
    assert_works(app)
    assert len(figures(app)) == 3
    assert_works(press(app, "leave_own"))
    assert app.session_state["digit"] == controls.FIRST


def test_the_field_to_draw_on_takes_the_place_of_the_digit():
    app = open_page(PAGE, SMALL)
    assert_works(press(app, "draw_own"))
    assert app.session_state["digit"] == controls.OWN
    assert any(getattr(each.proto, "id", "").endswith("digit_sketch") for each in app.get("bidi_component"))


def test_a_digit_of_ones_own_is_shown_as_it_is():
    own = np.random.default_rng(0).random((8, 8)).astype(np.float32)
    np.testing.assert_array_equal(choice.from_text(choice.to_text(own), (8, 8)), own)
    result = drawn(digit="own", **{choice.OWN_PICTURE: choice.to_text(own)})
    [columns] = [part for part in result.parts if isinstance(part, Columns)]
    [sheet] = [part for part in columns.columns[0] if isinstance(part, Sheet)]
    np.testing.assert_array_equal(sheet.images[0], own)


# What is missing ------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("how", ["removed", "truncated"])
def test_a_missing_checkpoint_gets_a_sentence_and_a_picture(how: str, own_shelf: Path):
    damage(own_shelf, "classifier_digits_mc_dropout", how)
    app = open_page(PAGE, SMALL)
    assert_works(app)
    [said] = [each.value for each in app.info]
    assert "classifier_digits_mc_dropout" in said
    for picture in further_pictures(app):
        assert_works(move(app, "detail", picture))


def test_the_snippet_gives_the_numbers_of_the_page(found: Source, monkeypatch: pytest.MonkeyPatch):
    """All but its training, which is replaced by the shipped fit."""
    result = drawn(digit="37", num_samples="20", change="blend", other="8", mixed="30")
    monkeypatch.setattr("bdlviz.fit", lambda *_, **__: found.fit)
    np.testing.assert_allclose(run_snippet(result)["found"].draws[:, 0], dots(result), atol=1e-5)


def test_a_click_chooses_an_image_and_a_step():
    parts = drawn(change="rotate").figures
    assert [bool(part.on_select) for part in parts] == [True, False, True]
    assert [part.key for part in parts[:2]] == ["digit_course_rotate", "softmax_draws"]
    assert [part.key for part in drawn().figures[:2]] == ["softmax_draws", "digit_course_blur"]
    assert parts[2].key.startswith(views_sheet.SHEET)


def test_the_sheet_can_be_clicked_and_the_samples_cannot():
    assert [
        (part.key.startswith(views_sheet.SHEET), bool(part.on_select)) for part in drawn(change="none").figures
    ] == [
        (False, False),
        (True, True),
    ]
