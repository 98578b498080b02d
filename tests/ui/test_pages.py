"""Every page, without a browser: its first state, every control at both ends, every scene, and bad links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from bdlviz.fitted import shelf
from bdlviz.ui import Control, Scene
from bdlviz.ui.controls import data_choice
from bdlviz.ui.places import routes
from tests.ui.harness import (
    PAGES,
    assert_works,
    axis_ranges,
    controls,
    curves,
    definition,
    drawn,
    figures,
    guess,
    move,
    numbers,
    open_page,
    press,
    rested,
    scenes,
    trace,
)

# What must be chosen besides, before a page draws a control.
NEEDS = {
    "residual": {"look": "loss"},
    "amount": {"look": "amount"},
    "of_method": {"look": "amount"},
    "class_data": {"look": "labels"},
    **{key: {"look": "decision"} for key in ("treat", "miss", "limit", "people")},
    "noise": {"data": "x_sin_x"},
    "num_members": {"method": "deep_ensemble"},
    "length_scale": {"follows": "weight_decay"},
    "assumed_noise": {"follows": "weight_decay"},
    "kl_weight": {"method": "bayes_by_backprop"},
    "start_rho": {"method": "bayes_by_backprop"},
    "kl_warm_up": {"method": "bayes_by_backprop"},
    "kl_halving": {"method": "bayes_by_backprop"},
    "start_rate": {"method": "variational_dropout"},
    "other": {"change": "blend"},
    "angle": {"change": "rotate"},
    "mixed": {"change": "blend"},
    "moved": {"change": "move"},
    "blurred": {"change": "blur"},
    "noisy": {"change": "noise"},
    "hidden": {"change": "hide"},
    "n_digits": {"images": "digits"},
    "temperature": {"look": "relaxation"},
    "relaxed_rate": {"look": "relaxation"},
    "synthetic": {"look": "changed"},
    "shown_digit": {"look": "changed"},
    "blended_with": {"look": "changed", "synthetic": "blend"},
    "net_width": {"look": "width"},
    "width_score": {"look": "width"},
    "authors_steps": {"look": "authors"},
    "density_axis": {"look": "prior"},
    "mixture_weight": {"look": "prior", "method": "bayes_by_backprop"},
    "narrow_std": {"look": "prior", "mixture_weight": "0.25", "method": "bayes_by_backprop"},
    "weight_layer": {"look": "weight"},
    "weight_rank": {"look": "weight"},
    "weight_snapshot": {"look": "weight"},
    "bits": {"look": "bits"},
    "gradient_by": {"look": "gradients"},
    "minibatch": {"look": "gradients"},
    "whose": {"look": "uncertain"},
    "unsure": {"look": "uncertain"},
    "rank": {"look": "uncertain"},
    "alpha_per": {"method": "variational_dropout"},
    "noise_rate": {"noise_look": "noise"},
    "noise_inputs": {"noise_look": "noise"},
    "log_alpha": {"noise_look": "divergence"},
    "noise_data": {"noise_look": "functions"},
    "compressed_by": {"look": "network"},
    "compressed_images": {"look": "network"},
    "prune_at": {"look": "network"},
    "images_at_once": {"look": "speed"},
    "warm_up": {"images": "digits"},
    "threshold": {"look": "histograms"},
    "units": {"look": "units"},
    "n_pruned": {"look": "size", "images": "digits"},
    "beta": {"look": "size", "images": "digits"},
    "strength": {"look": "one"},
    "hold_out": {"data": "own"},
    **{
        key: {"active_look": "digits"}
        for key in ("digit_learner", "digit_ask", "target", "digit_start", "digit_rounds")
    },
    **{key: {"active_look": "bandit"} for key in ("policy", "belief", "arms", "epsilon", "bandit_round")},
    **{key: {"active_look": "bandit"} for key in ("belief_scale", "widened", "reward_noise")},
    "sampler": {"look": "walk"},
    "walk_step": {"look": "walk"},
    "walk_leapfrog": {"look": "walk"},
    "walk_starts": {"look": "walk"},
    "walk_seed": {"look": "walk"},
    "race_error": {"look": "race"},
    **{key: {"look": "depth"} for key in ("draws_of", "room", "front", "n_scenes", "tasks", "dense_draws", "row")},
    "all_layers": {"method": "laplace"},
    "four_truth": {"look": "four"},
    "four_points": {"look": "four"},
    "four_noise": {"look": "four"},
    "odds_1": {"look": "four"},
    "odds_2": {"look": "four"},
    "odds_3": {"look": "four"},
    "odds_4": {"look": "four"},
    "read_at": {"look": "four"},
    "prior_by_width": {"method": "hmc"},
    "num_chains": {"method": "hmc"},
    "num_leapfrog": {"method": "hmc"},
    "trajectories": {"method": "hmc"},
}
IN_A_TAB = {  # control -> the tab it stands in
    "highlighted_draw": "Inside a draw",
    "digit": "Tighter bounds",
    "num_codes": "Tighter bounds",
    "kl_weight": "Posterior collapse",
}


CONTROLS = [pytest.param(page, each, id=f"{page}-{each.key}") for page in PAGES for each in controls(page).values()]
SCENES = [pytest.param(page, each, id=f"{page}-{each.name}") for page in PAGES for each in scenes(page).values()]


def test_the_navigation_holds_every_page():
    listed = [name for entries in routes.SECTIONS.values() for name, _ in entries]
    assert sorted(listed) == sorted(f"{path.parent.name}/{path.stem}" for path in PAGES.values())


@pytest.mark.parametrize("page", PAGES)
def test_first_state(page: str):
    app = open_page(page)
    assert_works(app)
    assert not app.info, "The first picture of a page is shipped: nothing is missing or damaged."
    defined = definition(page)
    assert defined is not None and app.subheader[0].value == defined.question


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("page", PAGES)
def test_figures_have_the_ground_of_the_theme(page: str, theme: str):
    grounds = {each["layout"]["paper_bgcolor"] for each in figures(open_page(page, theme=theme))}
    assert grounds <= {{"light": "#FFFFFF", "dark": "#111418"}[theme]}


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("page", "control"), CONTROLS)
def test_control_at_both_ends(page: str, control: Control):
    app = open_page(page, NEEDS.get(control.key))
    if control.key in IN_A_TAB:
        app.session_state["tabs"] = IN_A_TAB[control.key]
        app = rested(app.run())
    assert control.key in drawn(app), "The page never draws this control."
    for option in (control.options[0], control.options[-1]):
        assert_works(move(app, control.key, option))
        assert app.session_state[control.key] == option


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("page", "scene"), SCENES)
def test_scene_by_link_and_by_button(page: str, scene: Scene):
    by_link = open_page(page, {"scene": scene.name})
    assert_works(by_link)
    by_button = press(open_page(page), f"scene_{scene.name}")
    if scene.ask is not None:
        by_button = guess(by_button, scene.ask.choice.solution)
    for app in (by_link, by_button):
        for control in controls(page).values():
            assert app.session_state.get(control.key, control.default) == scene.values.get(control.key, control.default)
        assert scene.says in [caption.value for caption in app.caption]
        assert "scene" not in app.query_params
    assert figures(by_link)[0]["layout"] == figures(by_button)[0]["layout"]


@pytest.mark.parametrize("page", PAGES)
def test_unknown_scene(page: str):
    app = open_page(page, {"scene": "<b>nonsense</b>" * 20})
    assert_works(app, warnings=1)
    assert len(app.warning[0].value) < 400
    for known in scenes(page):
        assert known in app.warning[0].value


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("page", "given"),
    [
        *(("function_draws", given) for given in ("7", "abc", "-3", "nan", "inf", "", "0.1,0.2", "💥")),
        ("effect_of_lambda", "7"),
    ],
)
def test_a_bad_number_in_the_link_gets_one_sentence(page: str, given: str):
    app = open_page(page, {"dropout_rate": given})
    assert_works(app, warnings=1)
    assert "Dropout rate" in app.warning[0].value
    assert app.select_slider(key="dropout_rate").value in controls(page)["dropout_rate"].options


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("key", "given"), [("width", "-3"), ("method", "nonsense"), ("data", "nonsense"), ("follows", "7")]
)
def test_a_bad_setting_in_the_link_gets_one_sentence(key: str, given: str):
    control, app = controls("function_draws")[key], open_page("function_draws", {key: given})
    assert_works(app, warnings=1)
    assert control.label in app.warning[0].value and given in app.warning[0].value
    assert app.session_state[key] in control.options


@pytest.mark.usefixtures("quick")
def test_a_number_written_otherwise_is_no_mistake():
    app = open_page("function_draws", {"weight_decay": "0.0001", "dropout_rate": ".5"})
    assert_works(app)
    assert app.select_slider(key="weight_decay").value == "1e-4"
    assert app.select_slider(key="dropout_rate").value == "0.5"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("points", ["", "x", "AAAA", "eJw", "💥", "a" * 5000])
def test_damaged_points_in_the_link(points: str):
    app = open_page("function_draws", {"data": "own", "points": points})
    assert_works(app, warnings=1)
    assert "damaged" in app.warning[0].value
    x, _ = trace(figures(app)[0], "Data")
    assert len(x) == len(data_choice.STARTING_POINTS)


@pytest.mark.usefixtures("quick")
def test_points_in_the_link_are_the_points_of_the_picture():
    points = np.array([[0.0, 1.0], [2.0, -1.5], [3.25, 1e3]])
    app = open_page("function_draws", {"data": "own", "points": data_choice.encode_points(points)})
    assert_works(app)
    np.testing.assert_allclose(np.column_stack(trace(figures(app)[0], "Data")), points)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", ["function_draws", "effect_of_lambda"])
def test_axes_stay_while_sliders_move(page: str):
    app = open_page(page)
    first = axis_ranges(figures(app)[0])
    assert all(found is not None for found in first.values())
    for key in {"dropout_rate", "weight_decay", "width", "num_steps", "draws", "seed"} & drawn(app):
        for option in (controls(page)[key].options[0], controls(page)[key].options[-1]):
            move(app, key, option)
            assert axis_ranges(figures(app)[0]) == first, f"{key} = {option} moves the axes."


def test_the_draws_follow_the_dropout_rate():
    app = open_page("function_draws")
    spreads = []
    for rate in ("0", "0.1", "0.5"):
        move(app, "dropout_rate", rate)
        spreads.append(curves(figures(app)[0], "Function draws").std(axis=0).mean())
    none, some, much = spreads
    assert none < 1e-4 < 0.05 < some < much


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("count", ["1", "200"])
def test_as_many_draws_as_asked_for(count: str):
    draws = curves(figures(open_page("function_draws", {"draws": count}))[0], "Function draws")
    assert len(draws) == int(count)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", [page for page in PAGES if controls(page)])
def test_every_tab_has_something(page: str):
    app = open_page(page)
    for title in [tab.label for tab in app.tabs]:
        app.session_state["tabs"] = title
        assert_works(app.run())
        [place] = [tab for tab in app.tabs if tab.label == title]
        assert len(place.children), f"The tab {title} is empty."
    assert {"Equation", "Code", "Reproduce", "Try this", "Caveat and paper"} <= {tab.label for tab in app.tabs}


@pytest.mark.parametrize("how", ["removed", "truncated", "altered", "no manifest", "damaged manifest", "stale"])
@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", ["home", "function_draws"])
def test_a_damaged_checkpoint_gets_a_sentence_and_a_picture(page: str, how: str, own_shelf: Path):
    file, manifest = own_shelf / "function_draws_mc_dropout.safetensors", own_shelf / "manifest.json"
    content = file.read_bytes()
    match how:
        case "removed":
            file.unlink()
        case "truncated":
            file.write_bytes(content[: len(content) // 2])
        case "altered":
            file.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
        case "stale":
            shelf.put(file.stem, content[:-4], shelf.manifest(own_shelf)[file.stem], own_shelf)
        case "no manifest":
            manifest.unlink()
        case "damaged manifest":
            manifest.write_text(manifest.read_text()[:1000])
    app = open_page(page)
    assert_works(app)
    if page == "home" or how != "no manifest":  # without a manifest nothing is missing on the other pages
        [said] = [each.value for each in app.info]
        assert said.endswith(("Training instead.", "Training a small network instead."))
        assert "manifest" in said or "function_draws_mc_dropout" in said


def test_numbers_reads_both_ways_of_writing():
    np.testing.assert_array_equal(numbers({"dtype": "f4", "bdata": "AACAPwAAAEA="}), [1.0, 2.0])
    np.testing.assert_array_equal(numbers([1, None]), [1.0, np.nan])
