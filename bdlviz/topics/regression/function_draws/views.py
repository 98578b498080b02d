"""The picture of the function-draws page: functions of a fit, of two settings, or outlined by another answer."""

from __future__ import annotations

from dataclasses import dataclass

from bdlviz import plots
from bdlviz.fits import Fit
from bdlviz.topics.regression.function_draws import views_reference
from bdlviz.topics.regression.function_draws.views_moving import FunctionView
from bdlviz.topics.shared import curves, draw_inspector, over_seeds
from bdlviz.types import Dataset, FitConfig, Predictive
from bdlviz.ui.frame.look import numbers, present_theme
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.obtain import Wanted

MAX_WHILE_TRAINING = 20  # draws: the picture has to come again before the next look


@dataclass(frozen=True)
class FunctionPicture:
    """How the page draws: in the view that redraws during a drag if it ``moves``, else as a plain figure."""

    view: FunctionView
    num_draws: int
    moves: bool

    def obtain(self, wanted: Wanted, beside: FitConfig | None) -> Fit | None:
        """Draw the fit, with the one to outline over it where there is one; see `views_reference.obtain`."""
        return views_reference.obtain(self.view, wanted, beside, self.draw)

    def draw(self, fit: Fit, dataset: Dataset, other: Fit | None, beside: Fit | None) -> None:
        """The picture, and the numbers once the fit is done; ``other`` is that of a comparison."""
        is_done = fit.num_steps_done == fit.config.num_steps
        count = self.num_draws if is_done else min(self.num_draws, MAX_WHILE_TRAINING)
        shown = draw_inspector.at_chosen_step(fit, with_slider=not self.moves)
        x = curves.inputs(dataset)
        predictive = _functions(shown, dataset, count)
        outlined = beside and views_reference.outline(beside, x)
        if self.moves:
            self.view.show(fit, predictive, dataset, other and _functions(other, dataset, count), outlined)
        else:
            fig = plots.function_draws(
                predictive,
                dataset,
                theme=present_theme(),
                num_draws=self.num_draws,
                highlighted=draw_inspector.highlighted(predictive),
                reference=outlined,
            )
            words = plots.describe_function_draws(predictive, dataset) + views_reference.describe(outlined, predictive)
            draw_inspector.show_picture(fig, dataset, words)
        if is_done:
            views_reference.judge(fit, dataset)
            numbers(curves.key_numbers(shown, dataset, predictive, draw_inspector.unit(dataset)))
            over_seeds.say({shown.spec.title: shown.config}, "outside")


def _functions(fit: Fit, dataset: Dataset, num_draws: int) -> Predictive:
    """The functions that the picture shows of a fit: the same for everybody who looks at it."""
    what = ("functions", num_draws, dataset.x_range)
    return remembered(fit, what, lambda: fit.predict(curves.inputs(dataset), num_draws))
