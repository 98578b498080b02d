"""The three-way calculator: whatever follows, the three numbers belong together."""

from __future__ import annotations

from functools import cache
from itertools import product
from math import isfinite

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz import data, fits
from bdlviz.models.scaling import Scaling
from bdlviz.predictive.length_scale import model_precision
from bdlviz.topics.shared import calculator
from bdlviz.topics.shared.calculator import DECAY, FOLLOWS, LENGTH_SCALE, NOISE, Scales
from tests.ui.harness import SECONDS

FREE = {"length_scale": (DECAY, NOISE), "noise": (DECAY, LENGTH_SCALE), "weight_decay": (LENGTH_SCALE, NOISE)}


def script() -> None:
    import streamlit as st

    from bdlviz import data
    from bdlviz.topics.shared import calculator

    st.session_state["scales"] = calculator.choose_scales(data.load("x_sin_x"), st.session_state["rate"])


@cache
def started() -> AppTest:
    return AppTest.from_function(script, default_timeout=SECONDS)


def page(follows: str, rate: float = 0.1, **chosen: str) -> AppTest:
    app = started()
    for control in calculator.CONTROLS:
        app.session_state[control.key] = chosen.get(control.key, control.default)
    app.session_state[FOLLOWS.key], app.session_state["rate"] = follows, rate
    app.run()
    assert not app.exception
    return app


@pytest.mark.parametrize("rate", [0.0, 0.95])
@pytest.mark.parametrize("ends", [*product((0, -1), repeat=2)])
@pytest.mark.parametrize("follows", FREE)
def test_the_triple_is_consistent_at_the_ends_of_the_sliders(follows: str, ends: tuple[int, int], rate: float):
    chosen = {control.key: control.options[end] for control, end in zip(FREE[follows], ends, strict=True)}
    app = page(follows, rate, **chosen)
    scales: Scales = app.session_state["scales"]
    dataset = data.load("x_sin_x")
    assert scales.num_data == dataset.num_data and scales.dropout_rate == rate
    assert all(isfinite(value) for value in (scales.weight_decay, scales.length_scale, scales.precision))
    assert scales.noise_std > 0 and scales.precision > 0
    y_scale = float(Scaling.of(dataset).y_scale.ravel()[0])
    assert scales.precision == pytest.approx((y_scale / scales.noise_std) ** 2)
    if scales.weight_decay > 0:
        implied = model_precision(scales.length_scale, scales.weight_decay, scales.num_data, rate)
        assert implied == pytest.approx(scales.precision)
    else:
        assert follows == "length_scale" and scales.length_scale == 0
    fits.configure("mc_dropout", dataset, weight_decay=scales.weight_decay, noise_std=scales.noise_std)


@pytest.mark.parametrize("follows", FREE)
def test_the_two_free_sliders_are_drawn_and_what_was_set_holds(follows: str):
    app = page(follows, weight_decay="0.001", length_scale="0.2", assumed_noise="2")
    assert {slider.key for slider in app.select_slider} == {control.key for control in FREE[follows]}
    scales: Scales = app.session_state["scales"]
    if follows != "weight_decay":
        assert scales.weight_decay == 0.001
    if follows != "length_scale":
        assert scales.length_scale == pytest.approx(0.2)
    if follows != "noise":
        assert scales.noise_std == pytest.approx(2 * fits.default_noise_std(data.load("x_sin_x")))


def test_a_weight_decay_out_of_range_is_told():
    app = page("noise", weight_decay="0")
    assert app.session_state["scales"].weight_decay == calculator.MIN_WEIGHT_DECAY
    assert any("out of reach" in caption.value for caption in app.caption)


def test_what_follows_is_shown_in_numbers():
    app = page("length_scale", weight_decay="0.001")
    scales: Scales = app.session_state["scales"]
    assert f"{scales.length_scale:.3g}" in app.caption[-1].value
    assert f"{scales.length_scale:.3g}" in scales.latex and "0.001" in scales.latex


def test_the_equation_of_a_flat_prior_divides_nothing_by_zero():
    scales: Scales = page("length_scale", weight_decay="0").session_state["scales"]
    assert "frac" not in scales.latex and "flat" in scales.latex
