"""The path from a slider to its figure stays short enough to be read."""

from __future__ import annotations

from bdlviz.ui import cache
from scripts import trace_slider

MOST = 18  # functions above the library that somebody reads who follows the value


def test_the_slider_of_the_flagship_is_followed_in_few_steps():
    cache.RESULTS.clear()  # else the prediction may be remembered from another test
    found = trace_slider.trace("regression/function_draws", "dropout_rate", "0.5")
    assert found.is_done
    assert set(found.steps.values()) >= {"configuration", "fit", "prediction", "figure"}
    assert len(found.steps) <= MOST, "\n".join(found.steps)
    obtained = [name for name in found.steps if name.startswith("bdlviz/ui/jobs/obtain.py:obtain")]
    assert len(obtained) == 1
