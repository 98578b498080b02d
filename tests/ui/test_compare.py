"""The pages that compare methods: fits one after another, Stop, failures that lose nothing, numbers and the ranking."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz import fits
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.predictive import convergence
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between.views import ceiling_of
from bdlviz.topics.shared import compare_choice, compare_fits, compare_table
from bdlviz.topics.shared.compare_table import Scores
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.controls import data_choice
from bdlviz.ui.jobs import queue as jobs
from tests.ui.harness import PAGES as FILES
from tests.ui.harness import assert_works, axis_ranges, controls, figures, move, open_page, press, scenes

PAGES = ("compare", "in_between")
FEW = 24
OWN = np.array([[-3.0, -1.0], [-2.0, 0.5], [-1.0, 1.0], [0.5, 0.0], [1.0, -0.5], [2.5, 1.5]])


def short(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
    """A few steps, and few chains of short trajectories."""
    settings = dict(config.options)
    if "num_chains" in settings:
        settings |= {"num_chains": 4.0, "num_leapfrog": 3.0}
    few = replace(config, num_steps=min(FEW, config.num_steps), options=tuple(settings.items()))
    trained = fits.run(few, dataset, **options)
    return replace(trained, config=config if "num_chains" not in settings else few, num_steps_done=config.num_steps)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch, queue: jobs.JobQueue) -> None:
    """Short fits of what is not shipped, which is everything, in the tests' own queue."""
    monkeypatch.setattr(compare_fits, "run", short)
    monkeypatch.setattr(compare_fits, "QUEUE", queue)
    monkeypatch.setattr(shelf, "find", lambda config: None)


def table_of(app: Any) -> Any:
    """The table of scores; one's own points are an editable table above it."""
    return next(each.value for each in app.dataframe if "Method" in each.value)


def captions(app: Any) -> str:
    return " ".join(each.value for each in app.caption)


@pytest.mark.parametrize("page", PAGES)
def test_the_page_and_its_snippet(page: str, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    app = open_page(page)
    assert_works(app)
    app.session_state["tabs"] = "Reproduce"
    app.run()
    monkeypatch.setattr(fits, "run", lambda config, dataset, run=fits.run: _tiny(run, config, dataset))
    exec(compile(app.code[0].value, "snippet", "exec"), {})


def _tiny(run: Any, config: FitConfig, dataset: Dataset) -> Fit:
    options = dict(config.options)
    if "num_chains" in options:
        options |= {"num_chains": 4.0, "num_leapfrog": 3.0}
    return run(replace(config, num_steps=min(FEW, config.num_steps), options=tuple(options.items())), dataset)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("group", [*compare_choice.GROUPS, "own"])
def test_every_group_of_methods(page: str, group: str):
    app = open_page(page, {"methods": group})
    assert_works(app)
    expected = compare_choice.GROUPS.get(group, compare_choice.GROUPS["usual"])
    if page == "compare":
        assert len(table_of(app)) == len({*expected, "hmc"})


def test_a_choice_of_ones_own_comes_from_the_link_and_goes_into_it():
    app = open_page("compare", {"methods": "own", "chosen": "mc_dropout,map"})
    assert_works(app)
    assert set(table_of(app)["Method"]) == {"MC dropout", "Plain network (MAP)", "HMC (reference)"}
    assert app.query_params["chosen"] == "map,mc_dropout"


def test_a_link_that_names_no_method_gets_one_sentence():
    app = open_page("compare", {"methods": "own", "chosen": "map,<b>nonsense</b>"})
    assert_works(app, warnings=1)
    assert "nonsense" in app.warning[0].value


def test_nothing_chosen_leaves_the_reference_alone():
    app = open_page("compare", {"methods": "own", "chosen": ","})
    assert_works(app)
    assert "the reference stands alone" in captions(app)


def test_the_queue_trains_one_after_another(monkeypatch: pytest.MonkeyPatch):
    running: list[str] = []
    most: list[int] = []

    def slow(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        running.append(config.method)
        most.append(len(running))
        time.sleep(0.05)
        fit = short(config, dataset, **options)
        running.remove(config.method)
        return fit

    monkeypatch.setattr(compare_fits, "run", slow)
    assert_works(open_page("compare"))
    assert max(most) == 1 and len(most) == len(compare_study.usual()) + 1


def test_stop_keeps_what_there_is_and_train_again_goes_on(monkeypatch: pytest.MonkeyPatch):
    is_slow = [True]

    def slow(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        while is_slow[0] and config.method == "hmc" and not options["cancel"].is_set():
            time.sleep(0.02)
        return short(config, dataset, **options)

    monkeypatch.setattr(compare_fits, "run", slow)
    app = AppTest.from_file(FILES["compare"], default_timeout=60).run()
    for _ in range(100):
        if (table_of(app)["Timed on"] == "not trained yet").sum() == 1:
            break
        time.sleep(0.1)
        app.run()
    app.button(key="stop_fit").click()
    app.run()
    assert not app.exception and not app.get("progress")
    assert "Not trained: Hamiltonian Monte Carlo" in " ".join(each.value for each in app.markdown)
    assert "follows once it has ended" in captions(app)
    is_slow[0] = False
    assert_works(press(app, "train_again"))
    assert "follows once it has ended" not in captions(app)


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.parametrize("how", ["diverges", "refuses", "breaks"])
def test_a_method_that_fails_says_so_and_the_others_stay(page: str, how: str, monkeypatch: pytest.MonkeyPatch):
    def broken(config: FitConfig, dataset: Dataset, **options: Any) -> Fit:
        fit = short(config, dataset, **options)
        if config.method != "mc_dropout":
            return fit
        if how == "refuses":
            raise InvalidInput("This method refuses.")
        if how == "breaks":
            raise ZeroDivisionError
        return replace(fit, params={name: array * np.nan for name, array in fit.params.items()})

    monkeypatch.setattr(compare_fits, "run", broken)
    app = open_page(page, {"methods": "own", "chosen": "mc_dropout,deep_ensemble"})
    assert not app.exception and not app.error
    sentence = {"diverges": "Diverged", "refuses": "This method refuses", "breaks": "failed for a reason of ours"}[how]
    if page == "compare":
        words = " ".join(note["text"] for note in figures(app)[0]["layout"]["annotations"]).replace("<br>", " ")
        table = table_of(app).set_index("Method")
        assert table.loc["MC dropout", "Timed on"] == "failed"
        assert np.isfinite(table.loc["Deep ensemble", "NLL (nats)"])
    else:
        words = " ".join(each.value for each in app.info)
    assert sentence in words


@pytest.mark.parametrize("limit", [("LARGEST_R_HAT", 0.5), ("ENOUGH", 10**6)])
@pytest.mark.parametrize("page", PAGES)
def test_chains_that_have_not_converged_are_said_and_rank_nobody(
    page: str, limit: tuple[str, float], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(convergence, *limit)
    app = open_page(page)
    assert_works(app)
    assert "have not converged (split R̂" in captions(app)
    names = {trace.get("name") for trace in figures(app)[0]["data"]}
    assert not any(name and name.startswith("Exact") for name in names)
    assert any(name and "not converged" in name for name in names)
    if page == "in_between":
        assert not any("Most certain" in metric.label for metric in app.metric)


def test_a_reference_that_is_not_there_is_said():
    app = open_page("compare", {"data": "x_sin_x", "num_data": "1000", "methods": "own", "chosen": "map"})
    assert_works(app)
    assert "at most 500 points" in captions(app)
    assert table_of(app)["Distance"].isna().all()


@pytest.mark.parametrize("reference", compare_choice.REFERENCES)
@pytest.mark.parametrize("page", PAGES)
def test_every_reference(page: str, reference: str):
    app = open_page(page, {"reference": reference})
    assert_works(app)
    if (sentence := compare_table.NOT_THIS_NETWORK.get(reference)) is not None:
        assert sentence in captions(app)


@pytest.mark.parametrize(
    "points",
    [OWN[:1], OWN[:2], OWN, np.array([[0.0, 1.0], [0.0, -1.0], [1.0, 2.0]]), np.tile([[2.0, 3.0]], (6, 1))],
    ids=["one", "two", "six", "same x", "all the same"],
)
@pytest.mark.parametrize("look", ["panels", "distance"])
def test_own_points(points: Array, look: str):
    query = {"data": "own", "points": data_choice.encode_points(points), "look": look}
    app = open_page("compare", query)
    assert_works(app)
    assert "No points are held out" in captions(app)
    assert table_of(app)["RMSE"].isna().all()
    assert table_of(app)["Distance"].notna().sum() == len(compare_study.usual())


def test_holding_out_a_fifth_of_ones_own_points():
    query = {"data": "own", "points": data_choice.encode_points(OWN), "hold_out": "fifth"}
    app = open_page("compare", query)
    assert_works(app)
    assert "On 1 held-out point chance alone" in captions(app)
    assert table_of(app)["RMSE"].notna().all()


def test_too_few_of_ones_own_points_to_hold_any_out():
    query = {"data": "own", "points": data_choice.encode_points(OWN[:3]), "hold_out": "fifth"}
    app = open_page("compare", query)
    assert_works(app)
    assert any("needs 5 points, not 3" in each.value for each in app.info)


@pytest.mark.parametrize("page", PAGES)
def test_axes_stay_while_sliders_move(page: str):
    app = open_page(page)
    first = axis_ranges(figures(app)[0])
    for key, option in (("length_scale", "3"), ("dropout_rate", "0.5"), ("seed", "4"), ("width", "10")):
        assert axis_ranges(figures(move(app, key, option))[0]) == first


def test_the_gap_moves_the_clusters_and_not_the_axis():
    app = open_page("in_between", {"gap": "2"})
    assert_works(app)
    assert axis_ranges(figures(app)[0])["xaxis"] == [-2.0, 2.0]


def test_the_ceilings_are_for_one_layer_of_relu():
    def ceilings(app: Any) -> int:
        return sum("ceiling" in (trace.get("name") or "") for trace in figures(app)[0]["data"])

    app = open_page("in_between")
    assert ceilings(app) == 2
    assert ceilings(move(app, "activation", "tanh")) == 0
    move(app, "activation", "relu")
    assert ceilings(move(app, "depth", "2")) == 0


def test_the_trained_methods_keep_below_their_ceilings():
    dataset = compare_study.clusters()
    gap = np.linspace(-0.5, 0.3, 9)[:, None]
    for method in ("bayes_by_backprop", "mc_dropout"):
        config = compare_study.config_of(method, dataset)
        fit = fits.run(replace(config, num_steps=300), dataset)
        spread = fit.predict(gap, 2000).epistemic_std[:, 0]
        assert (spread <= 1.1 * ceiling_of(fit, dataset.x, gap)).all()


def test_what_is_shipped_is_what_the_pages_ask_for() -> None:
    """The defaults of both pages, and the scene of two layers; with the chains' plan left out, which takes minutes."""
    for page, scene, hidden in (
        ("compare", None, (50,)),
        ("in_between", None, (50,)),
        ("in_between", "two-layers", (50, 50)),
    ):
        given = scenes(page)[scene].values if scene else {}
        asked = {key: given.get(key, control.default) for key, control in controls(page).items()}
        assert (int(asked["width"]),) * int(asked["depth"]) == hidden
        usual = compare_study.LENGTH_SCALE if len(hidden) == 1 else compare_study.DEEP_LENGTH_SCALE
        assert float(asked["length_scale"]) == usual
        assert float(asked["dropout_rate"]) == compare_study.DROPOUT_RATE


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
    good = compare_table.Reference("hmc", predictive, chains_with(1.01))
    assert compare_table.ranking(rows, good) == {"map": 2, "mc_dropout": 1, "hmc": pytest.approx(np.nan, nan_ok=True)}
    swapped = [replace(rows[0], distance=0.1), *rows[1:]]
    assert compare_table.ranking(swapped, good)["map"] == compare_table.ranking(swapped, good)["mc_dropout"] == 1.5
    bad = compare_table.Reference("hmc", predictive, chains_with(1.3))
    assert compare_table.ranking(swapped, bad)["mc_dropout"] == 1
    assert (good.is_exact, bad.is_exact) == (True, False)
    assert not compare_table.Reference("deep_ensemble", predictive).is_exact
