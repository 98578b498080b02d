"""A Gaussian fitted to a posterior by gradient steps: the evidence as two bars that add up to it."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from bdlviz.models import targets
from bdlviz.models.targets import Target
from bdlviz.topics.foundations.variational_or_mcmc import figures, gaussian_fit, views_moving
from bdlviz.topics.foundations.variational_or_mcmc import views_setting as setting
from bdlviz.topics.foundations.variational_or_mcmc.gaussian_fit import DIRECTIONS, FAMILIES, Course
from bdlviz.types import Array
from bdlviz.ui.cache import memoised
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import on_page
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.scrub import switch

FAMILY = Control(
    "family",
    "Family of q",
    tuple(FAMILIES),
    "mean_field",
    "buttons",
    "Mean field: every weight uncertain by itself, so the ellipse stands upright. Full: it may lean.",
    FAMILIES,
)
DIRECTION = Control(
    "direction",
    "Divergence to shrink",
    tuple(DIRECTIONS),
    "reverse",
    "buttons",
    "KL[q ‖ p], as in variational inference, needs the posterior only up to a constant. KL[p ‖ q] matches moments: it "
    "needs those of the posterior, which nobody has outside of pictures like this one.",
    DIRECTIONS,
)
SHARES = {"left": 0.3, "middle": 0.5, "right": 0.7}
START = Control("start_at", "q starts", tuple(SHARES), "left", "buttons", "Where there are two modes it decides.")
CONTROLS = (FAMILY, DIRECTION, START)
UP, START_STD = 0.6, 0.3
CLOSE = 0.05  # nats of KL below which a fit is called good


def choose() -> None:
    """Draw the controls of this view."""
    setting.choose(*CONTROLS)


def start_of(target: Target, start: str) -> Array:
    """The mean (2,) from which a fit starts."""
    return np.array(
        [low + share * (high - low) for (low, high), share in zip(target.limits, (SHARES[start], UP), strict=True)]
    )


@memoised()
def course_of(name: str, family: str, direction: str, start: str) -> Course:
    """The fit, which takes a few tenths of a second."""
    target, grid = targets.find(name), targets.grid_of(name)
    return gaussian_fit.fit(target, grid, start_of(target, start), START_STD, family=family, direction=direction)


def show() -> Shown:
    """The fit on the posterior, and its course below."""
    target, plane = setting.present_target(), setting.plane_of(setting.TARGET.present())
    family, direction, start = (control.present() for control in CONTROLS)
    course = course_of(target.name, family, direction, start)
    alt = figures.describe_fit(course.elbo, course.reverse, course.forward)

    def still() -> go.Figure:
        return figures.posterior_with_gaussian(plane, course.mean, course.covariance, theme=present_theme())

    if setting.plays():
        views_moving.show_fit(target, plane.density, course, switch.note_failure, key="fit_steps")
        on_page.note_figure("fit", still, alt)
    else:
        figure(still(), key="fit_picture", alt=alt)
    setting.say_model(target)
    _numbers(target, course)
    fig = figures.evidence_course(
        course.elbo, course.reverse, course.forward, theme=present_theme(), stacked=is_narrow()
    )
    figure(fig, key="evidence_course", alt=alt)
    return _shown(target, course, family, direction, start)


def _numbers(target: Target, course: Course) -> None:
    _, std = setting.moments_of(target.name)
    widths = np.sqrt(np.diag(course.covariance[-1])) / std
    evidence = course.elbo[-1] + course.reverse[-1]
    left = course.reverse[-1]
    numbers(
        [
            ("log p(D) (nats)", _signed(evidence), "The log evidence. No fit can change it: ELBO + KL is always this."),
            ("ELBO at the end (nats)", _signed(course.elbo[-1]), "All that VI sees of how good it is."),
            (
                "KL[q ‖ p] left (nats)",
                f"{left:.3f}",
                "What VI cannot see, and no further step takes away.",
            ),
            (
                "sd of q over true sd",
                f"{widths[0]:.2f}, {widths[1]:.2f}",
                f"Of {target.labels[0]} and {target.labels[1]}: 1 is right, less is too certain.",
            ),
        ]
    )


def _signed(value: float) -> str:
    return f"{value:.3f}".replace("-", "−")


def _shown(target: Target, course: Course, family: str, direction: str, start: str) -> Shown:
    mean = ", ".join(f"{value:.4g}" for value in start_of(target, start))
    present = (
        rf"\underbrace{{{course.elbo[-1]:.3f}}}_{{\text{{ELBO}}}} + "
        rf"\underbrace{{{course.reverse[-1]:.3f}}}_{{\text{{KL}}}} = "
        rf"{course.elbo[-1] + course.reverse[-1]:.3f} = \log p(\mathcal{{D}})"
    )
    snippet = "\n".join(
        [
            "import numpy as np",
            "from bdlviz import plots",
            "from bdlviz.models import gaussian_fit, targets",
            "",
            f"target = targets.find({target.name!r})",
            "grid = targets.on_grid(target)",
            f"start = np.array([{mean}])",
            f"settings = dict(family={family!r}, direction={direction!r})",
            f"course = gaussian_fit.fit(target, grid, start, {START_STD}, **settings)",
            "print(course.elbo[-1], course.reverse[-1], grid.log_evidence)",
            "plane = plots.Plane(*targets.shown(target), target.labels)",
            "plots.posterior_with_gaussian(plane, course.mean, course.covariance).show()",
        ]
    )
    best = gaussian_fit.best_forward if direction == "forward" else gaussian_fit.best_mean_field
    formulas = (gaussian_fit.elbo, gaussian_fit.reverse_kl, gaussian_fit.elbo_and_slope, best, Target.log_joint)
    return Shown(formulas, (gaussian_fit.fit, gaussian_fit.elbo_and_slope, gaussian_fit.reverse_kl), snippet, present)
