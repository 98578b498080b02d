"""The page that compares methods: one fit after another, Stop, failures that lose nothing, numbers and the ranking."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.methods import METHODS
from bdlviz.predictive import convergence
from bdlviz.topics.regression.compare import scores, views, views_table
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.compare.controls import dataset_of
from bdlviz.topics.regression.compare.scores import Scores
from bdlviz.topics.shared import compare_choice
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import Candidate
from bdlviz.topics.shared.compare_reference import Reference
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.model import Result, Setting
from tests.topics.regression.short_fits import SCREEN, candidates, figure_of, short
from tests.ui.conftest import OBTAIN
from tests.ui.harness import PAGES as FILES
from tests.ui.harness import SECONDS, assert_works, figures, open_page, open_working, press

LOOKS = {"panels": views.panels, "distance": views.distance}
OWN = np.array([[-3.0, -1.0], [-2.0, 0.5], [-1.0, 1.0], [0.5, 0.0], [1.0, -0.5], [2.5, 1.5]])
TWO = {"methods": "own", "chosen": "mc_dropout,deep_ensemble"}


def drawn(values: dict[str, str], look: str = "panels", points: Array | None = None) -> Result:
    """A view of short fits."""
    setting = setting_of(values, points)
    return LOOKS[look](setting, SCREEN, candidates(setting, dataset_of(setting)[0]))


def setting_of(values: dict[str, str], points: Array | None = None) -> Setting:
    return Setting(values) if points is None else Setting({"data": "own"} | values, OwnPoints(points))


def table_of(values: dict[str, str], points: Array | None = None) -> Any:
    """The table of scores of short fits."""
    setting = setting_of(values, points)
    compared = views._compared(setting, candidates(setting, dataset_of(setting)[0]))
    return views_table.frame_of(compared.by_method, compared.scores, compared.reference)


def said(result: Result) -> str:
    return " ".join(result.words)


# The fits, on the page ------------------------------------------------------------------------------------------------


@pytest.fixture
def trains(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is shipped, and all fits are short."""
    monkeypatch.setattr(OBTAIN, "run", short)
    monkeypatch.setattr(shelf, "find", lambda config: None)


def captions(app: Any) -> str:
    return " ".join(each.value for each in app.caption)


def shown_table(app: Any) -> Any:
    return next(each.value for each in app.dataframe if "Method" in each.value)


@pytest.mark.usefixtures("trains")
def test_stop_keeps_what_there_is_and_train_again_goes_on(monkeypatch: pytest.MonkeyPatch):
    is_slow = [True]

    def slow(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        while is_slow[0] and config.method == "hmc" and not options["cancel"].is_set():
            time.sleep(0.02)
        return short(config, dataset, **options)

    monkeypatch.setattr(OBTAIN, "run", slow)
    app = AppTest.from_file(FILES["compare"], default_timeout=SECONDS)
    app.query_params["look"] = "panels"
    app.run()
    for _ in range(100):
        if shown_table(app)["RMSE"].isna().sum() == 1:
            break
        time.sleep(0.1)
        app.run()
    [bar] = app.get("progress")
    assert bar.proto.text.startswith(METHODS["hmc"].title)  # type: ignore[attr-defined]
    app.button(key="stop_fit").click()
    app.run()
    assert not app.exception and not app.get("progress")
    assert METHODS["hmc"].title in " ".join(each.value for each in app.markdown)
    unfinished = captions(app)
    is_slow[0] = False
    assert_works(press(app, "train_again"))
    assert captions(app) != unfinished


@pytest.mark.usefixtures("trains")
@pytest.mark.parametrize("error", [InvalidInput("This method refuses."), ZeroDivisionError()])
def test_a_method_that_fails_says_so_and_the_others_stay(error: Exception, monkeypatch: pytest.MonkeyPatch):
    def broken(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        if config.method == "mc_dropout":
            raise error
        return short(config, dataset, **options)

    monkeypatch.setattr(OBTAIN, "run", broken)
    app = open_working("compare", TWO | {"look": "panels"})
    words = " ".join(note["text"] for note in figures(app)[0]["layout"]["annotations"]).replace("<br>", " ")
    assert ("This method refuses" in words) == isinstance(error, InvalidInput)
    table = shown_table(app).set_index("Method")
    assert np.isnan(table.loc[title("mc_dropout"), "RMSE"]) and np.isfinite(table.loc[title("deep_ensemble"), "RMSE"])


@pytest.mark.usefixtures("trains")
def test_a_choice_of_ones_own_comes_from_the_link_and_goes_into_it():
    app = open_page("compare", {"look": "panels", "methods": "own", "chosen": "mc_dropout,map,<b>nonsense</b>"})
    assert_works(app, warnings=1)
    assert "nonsense" in app.warning[0].value
    *methods, reference = shown_table(app)["Method"]
    assert set(methods) == {title("mc_dropout"), title("map")} and reference.startswith(title("hmc"))
    assert app.query_params["chosen"] == "map,mc_dropout"
    app = open_working("compare", {"look": "panels", "methods": "own", "chosen": ","})
    [reference] = shown_table(app)["Method"]
    assert reference.startswith(title("hmc"))


# What the views draw --------------------------------------------------------------------------------------------------


def test_a_fit_that_is_not_there_yet_leaves_its_panel_empty():
    setting = Setting(TWO)
    found: list[Candidate | None] = [*candidates(setting, dataset_of(setting)[0])]
    found[0] = found[-1] = None
    whole = candidates(setting, dataset_of(setting)[0])
    notes = [figure_of(views.panels(setting, SCREEN, each))["layout"]["annotations"] for each in (found, whole)]
    assert notes[0] != notes[1]
    assert said(views.distance(setting, SCREEN, found)) != said(views.distance(setting, SCREEN, whole))


def test_the_table_has_a_row_for_every_method():
    assert len(table_of({"methods": "all"})) == len({*compare_choice.GROUPS["all"], "hmc"})


def test_a_reference_that_is_too_slow_is_not_computed():
    values = {"num_data": "1000", "methods": "own", "chosen": "map"}
    assert table_of(values)["Distance"].isna().all()


@pytest.mark.parametrize(
    "points",
    [OWN[:1], OWN[:2], OWN, np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 2.0]]), np.tile([[2.0, 3.0]], (6, 1))],
    ids=["one", "two", "six", "same x", "all the same"],
)
def test_own_points(points: Array):
    for look in LOOKS:
        assert drawn({}, look, points).figures
    table = table_of({}, points)
    assert table["RMSE"].isna().all()
    assert table["Distance"].notna().sum() == len(compare_study.usual())


def test_holding_out_a_fifth_of_ones_own_points():
    assert table_of({"hold_out": "fifth"}, OWN)["RMSE"].notna().all()
    assert table_of({"hold_out": "fifth"}, OWN[:3])["RMSE"].isna().all()


# The ranking ----------------------------------------------------------------------------------------------------------


def chains_with(r_hat: float) -> convergence.Convergence:
    """Sixteen chains with that R-hat at every x, and many effective draws."""
    return convergence.Convergence(np.full(3, r_hat), np.full(3, 900.0), 0.8, 16, 1024)


def test_ranking_by_coverage_and_distance():
    ones = np.ones((3, 1))
    predictive = Predictive(ones, np.zeros((4, 3, 1)), ones, ones, ones, 4)
    rows = [
        Scores("map", covered=(0.1, 0.2), distance=3.0),
        Scores("mc_dropout", covered=(0.4, 0.8), distance=2.0),
        Scores("hmc", covered=(0.5, 0.9)),
    ]
    good = Reference("hmc", predictive, chains_with(1.01))
    assert scores.ranking(rows, good) == {"map": 2, "mc_dropout": 1, "hmc": pytest.approx(np.nan, nan_ok=True)}
    swapped = [replace(rows[0], distance=0.1), *rows[1:]]
    assert scores.ranking(swapped, good)["map"] == scores.ranking(swapped, good)["mc_dropout"] == 1.5
    bad = Reference("hmc", predictive, chains_with(1.3))
    assert scores.ranking(swapped, bad)["mc_dropout"] == 1
    assert (good.is_exact, bad.is_exact) == (True, False)
    assert not Reference("deep_ensemble", predictive).is_exact


def test_a_score_of_too_few_draws_is_said_to_be_uncertain():
    rows = {"map": Scores("map"), "laplace": Scores("laplace", nll=1.0, nll_error=0.0)}
    assert not views_table._uncertain_scores(rows)
    said = views_table._uncertain_scores(rows | {"hmc": Scores("hmc", nll=5.0, nll_error=0.42)})
    assert f"{title('hmc')} (0.4)" in said
