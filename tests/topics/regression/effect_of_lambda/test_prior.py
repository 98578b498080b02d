"""The page on weight decay: what its picture of the prior says."""

import re

import pytest

from bdlviz.fitted import shelf
from bdlviz.topics.regression.effect_of_lambda import study as effect_of_lambda_study
from bdlviz.ui.controls.control import text
from tests.ui.harness import further_pictures, open_page, open_working

PAGE = "effect_of_lambda"


@pytest.mark.parametrize("rate", [0.0, 0.5])
def test_the_prior_is_told_layer_by_layer_and_its_assumption_is_named(rate: float):
    """The penalty leaves biases out, and the first layer's input is not dropped."""
    decay = effect_of_lambda_study.LAMBDA_DECAYS[16]
    setting = {"dropout_rate": text(rate), "weight_decay": text(decay)}
    [picture] = further_pictures(open_page(PAGE, setting))
    app = open_working(PAGE, {"detail": picture} | setting)
    [caption] = [each.value for each in app.caption if "ℓ = " in each.value]
    fit, _ = shelf.shipped("effect_of_lambda")
    first, *later = fit.cell(seed=fit.config.seeds[0], dropout_rate=rate, weight_decay=decay).length_scales
    told = [float(number) for number in re.findall(r"ℓ = ([\d.e+-]+)", caption)]
    assert told == pytest.approx([first] if rate == 0 else [first, later[0]], rel=1e-2)
