"""Length-scale, noise and weight decay: whichever of them follows, the three numbers belong together."""

from __future__ import annotations

from itertools import product
from math import isfinite

import pytest

from bdlviz import data, fits
from bdlviz.models.scaling import Scaling
from bdlviz.predictive.length_scale import model_precision
from bdlviz.topics.shared import calculator
from bdlviz.topics.shared.calculator import CONTROLS, DECAY, FOLLOWS, LENGTH_SCALE, NOISE, Scales
from bdlviz.ui.model import Note, Setting, When

DATA = data.load("x_sin_x")
FREE = {"length_scale": (DECAY, NOISE), "noise": (DECAY, LENGTH_SCALE), "weight_decay": (LENGTH_SCALE, NOISE)}


def scales(follows: str, rate: float = 0.1, takes: str = DECAY.key, **chosen: str) -> Scales:
    """The triple of a setting."""
    setting = {control.key: control.default for control in CONTROLS} | chosen | {FOLLOWS.key: follows}
    return calculator.scales_of(setting, DATA, rate, takes)


@pytest.mark.parametrize("rate", [0.0, 0.95])
@pytest.mark.parametrize("ends", [*product((0, -1), repeat=2)])
@pytest.mark.parametrize("follows", FREE)
def test_the_triple_is_consistent_at_the_ends_of_the_sliders(follows: str, ends: tuple[int, int], rate: float):
    chosen = {control.key: control.options[end] for control, end in zip(FREE[follows], ends, strict=True)}
    found = scales(follows, rate, **chosen)
    assert found.num_data == DATA.num_data and found.dropout_rate == rate
    assert all(isfinite(value) for value in (found.weight_decay, found.length_scale, found.precision))
    assert found.noise_std > 0 and found.precision > 0
    y_scale = float(Scaling.of(DATA).y_scale.ravel()[0])
    assert found.precision == pytest.approx((y_scale / found.noise_std) ** 2)
    if found.weight_decay > 0:
        implied = model_precision(found.length_scale, found.weight_decay, found.num_data, rate)
        assert implied == pytest.approx(found.precision)
    else:
        assert follows == "length_scale" and found.length_scale == 0
    fits.configure("mc_dropout", DATA, weight_decay=found.weight_decay, noise_std=found.noise_std)


def shown(setting: Setting, takes: str = DECAY.key) -> tuple[set[str], list[str]]:
    """Keys of the controls and the sentences that a setting shows."""
    entries = calculator.entries(
        lambda each: calculator.scales_of({c.key: each[c] for c in CONTROLS}, DATA, 0.1, takes), lambda each: takes
    )
    keys = {c.key for entry in entries if isinstance(entry, When) and entry.holds(setting) for c in entry.controls}  # type: ignore[attr-defined]
    return keys, [said for entry in entries if isinstance(entry, Note) and (said := entry.says(setting))]


@pytest.mark.parametrize("follows", FREE)
def test_the_two_free_sliders_are_drawn_and_what_was_set_holds(follows: str):
    chosen = {"weight_decay": "0.001", "length_scale": "0.2", "assumed_noise": "2", FOLLOWS.key: follows}
    keys, _ = shown(Setting(chosen))
    assert keys == {control.key for control in FREE[follows]} | {FOLLOWS.key}
    found = scales(follows, weight_decay="0.001", length_scale="0.2", assumed_noise="2")
    if follows != "weight_decay":
        assert found.weight_decay == 0.001
    if follows != "length_scale":
        assert found.length_scale == pytest.approx(0.2)
    if follows != "noise":
        assert found.noise_std == pytest.approx(2 * fits.default_noise_std(DATA))


def test_a_method_without_weight_decay_has_the_scales_that_it_takes():
    assert shown(Setting(), "length_scale") == ({"length_scale", "assumed_noise"}, [])
    assert shown(Setting(), "") == ({"assumed_noise"}, [])


def test_a_weight_decay_out_of_range_is_told():
    assert scales("noise", weight_decay="0").weight_decay == calculator.MIN_WEIGHT_DECAY
    (_, said), (_, usual) = (shown(Setting({"weight_decay": w, FOLLOWS.key: "noise"})) for w in ("0", "1e-4"))
    assert len(said) > len(usual)


def test_what_follows_is_shown_in_numbers():
    found = scales("length_scale", weight_decay="0.001")
    _, said = shown(Setting({"weight_decay": "0.001"}))
    assert f"{found.length_scale:.3g}" in said[-1]
    assert f"{found.length_scale:.3g}" in found.latex and "0.001" in found.latex
    flat = scales("length_scale", weight_decay="0").latex
    assert "frac" not in flat and "flat" in flat, "The equation of a flat prior divides by zero."
