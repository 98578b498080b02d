"""What holds for all figures: colours and fonts come from the theme, axes are fixed, and plotly accepts everything.

The figures are those of every page: its first state, each view and each scene, with the shipped results, and its tabs.
`OTHERS` holds what these states do not show.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from bdlviz import plots
from bdlviz.digits import compact
from bdlviz.export.traces import values
from bdlviz.plots import grey_pixel
from bdlviz.plots.theme import Theme, rgb, theme
from bdlviz.topics.generative.latent_space import figures as latent_space
from bdlviz.topics.generative.likelihood import figures as likelihood
from bdlviz.topics.generative.vae import figures_bounds as vae_bounds
from bdlviz.topics.results.scoreboard import figures as scoreboard
from bdlviz.topics.weights.bayes_by_backprop import figures_gradients as bbb_gradients
from bdlviz.topics.weights.compression import figures as compression
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.model import Figure, Page, Part, Screen, Setting, all_parts
from tests.plots.figure_properties import empty_panels, palette, read, walk
from tests.ui.harness import PAGES, definition

RNG = np.random.default_rng(0)
OBSERVED = {"Data", "Held-out data", "New points", "reading"}
rand = RNG.random
LOOKS = [theme("light"), theme("dark"), theme("dark", presenter=True)]
CODES, LABELS = rand((40, 2)), np.arange(40) % 10


def states(page: Page) -> list[Setting]:
    """The first state of a page, each of its views and each of its scenes."""
    chosen = [{}, *({page.look_key: view.name} for view in page.views), *(scene.values for scene in page.scenes)]
    first = {control.key: control.default for control in page.controls}
    return [Setting(first | dict(values)) for values in chosen]


def study_of(page: Page, setting: Setting) -> Any:
    """The shipped results that a state needs."""
    needed = page.view(setting).needs
    need = None if needed is None else needed(setting)
    if isinstance(need, Sequence):
        return [each.shipped and each.shipped() for each in need]
    return need and need.shipped and need.shipped()


def drawn(page: Page, setting: Setting, study: Any, look: Theme) -> Iterator[go.Figure]:
    """All figures of a state: under the controls, in the tabs and at the end of the page."""
    result = page.view(setting).draw(setting, Screen(look), study)
    tabs: list[Sequence[Part]] = [tab() for tab in (dict(page.tabs) | dict(result.tabs)).values()]
    more = [place(setting) for place in (page.below, page.at_end) if place is not None]
    for parts in (result.parts, *tabs, *more):
        yield from (part.figure for part in all_parts(parts) if isinstance(part, Figure))


def check(fig: go.Figure, look: Theme) -> None:
    """All rules."""
    text = fig.to_json() or ""
    assert_colours_and_fonts(text, look)
    assert_axes_and_numbers(json.loads(text))
    # Figures are made without plotly's own checks, which take long; this runs them.
    assert json.loads(go.Figure(fig.to_dict()).to_json() or "") == json.loads(text)


def read_all(fig: go.Figure) -> None:
    """Read every property that is set, as a notebook does."""
    for part in (fig.layout, *fig.data):
        read(part)


def assert_colours_and_fonts(text: str, look: Theme) -> None:
    """No colour and no font but those of the theme; no text below the smallest size."""
    bare = re.sub(r'"source":"data:[^"]*"|"bdata":"[^"]*"', "", text)
    used = {rgb(color) for color in re.findall(r"#[0-9A-Fa-f]{6}", bare)}
    used |= {tuple(map(int, parts)) for parts in re.findall(r"rgba?\((\d+),(\d+),(\d+)", bare)}
    assert used <= palette(look) and look.paper in bare
    fonts = [one for one in walk(json.loads(text)) if "family" in one]
    assert {font["family"] for font in fonts} == {look.font_family}
    assert min(font["size"] for font in fonts) == look.small_size >= 14


def assert_axes_and_numbers(parsed: Mapping[str, Any]) -> None:
    """Fixed axes, no title, and numbers packed as small types; float64 for data and where float32 is too coarse."""
    axes = [value for key, value in parsed["layout"].items() if key.startswith(("xaxis", "yaxis"))]
    assert axes and all(one["fixedrange"] and len(one["range"]) == 2 for one in axes)
    assert "title" not in parsed["layout"]
    assert not parsed["data"] or not empty_panels(parsed), "All traces may be in another panel."
    packed = [(trace, one) for trace in parsed["data"] for one in walk(trace) if "bdata" in one]
    assert {one["dtype"] for _, one in packed} <= {"f4", "f8", "i1", "u1", "i2", "i4"}
    for trace, one in packed:
        is_observed = trace.get("mode") == "markers" and trace.get("name") in OBSERVED
        assert one["dtype"] != "f8" or is_observed or compact(values(one)).dtype == np.float64, trace.get("name")
    assert not [key for one in parsed["data"] for key in ("x", "y", "z") if one.get(key) and isinstance(one[key], list)]


@pytest.mark.parametrize("name", [name for name in PAGES if (page := definition(name)) is not None and page.views])
def test_figures_of_a_page(name: str) -> None:
    page = definition(name)
    assert page is not None
    seen: set[str] = set()
    for setting in states(page):
        view, study = page.view(setting), study_of(page, setting)
        if study is None and view.needs is not None:
            continue
        for look in LOOKS[:1] if view.name in seen else LOOKS:
            for fig in drawn(page, setting, study, look):
                check(fig, look)
                if look is LOOKS[0] and view.name not in seen:
                    read_all(fig)
        seen.add(view.name)


def of(figure: Callable[..., go.Figure], *args: Any, **settings: Any) -> Callable[..., go.Figure]:
    """A figure that needs neither a predictive nor a data set."""
    return lambda look, p, d: figure(*args, theme=look, **settings)


OTHERS: dict[str, Callable[[Theme, Predictive, Dataset], go.Figure]] = {
    "function_draws": lambda look, p, d: plots.function_draws(
        p, d, theme=look, highlighted=1, show=plots.SHOW | {"held_out"}, reference=plots.Reference(p)
    ),
    "method_panels": lambda look, p, d: plots.method_panels(
        [plots.MethodPanel("A", p, "note"), plots.MethodPanel("B", problem="It diverged.")], d, theme=look
    ),
    "learning_curves": of(plots.learning_curves, {name: 1 + rand(9) for name in "abcd"}, np.arange(9)),
    "network": of(plots.network, (1, 32, 1), [rand(32) < 0.5]),
    "two_spikes": of(plots.two_spikes, RNG.standard_normal(5), 0.2),
    "manifold": of(plots.manifold, rand((9, 4, 4)), (-2, 2, -2, 2), chosen=3),
    "codes": of(plots.latent_scatter, CODES, LABELS, marks="digits", chosen=[3], hover=["a"] * 40),
    "values_of_codes": of(plots.latent_scatter, CODES, LABELS, values=rand(40), values_label="KL (nats)"),
    "posterior_bars": of(latent_space.posterior_bars, RNG.standard_normal(20), rand(20)),
    "collapse_by_weight": of(likelihood.collapse_by_weight, ["0", "1", "10"], rand((3, 4)), chosen=1),
    "gradient_variances": of(
        vae_bounds.gradient_variances, np.array([1, 10, 100]), {name: rand(3) for name in ("a", "b", "c")}
    ),
    "pixel_densities": of(grey_pixel.pixel_densities, {"a": rand(9), "b": rand(9)}, np.linspace(0, 1, 9)),
    "accuracies": of(scoreboard.accuracies, [scoreboard.Accuracies("b", None, (89.0, 0.4))], x_range=(88, 91)),
    "against_setting": of(
        plots.against_setting,
        np.array([10.0, 100, 1000]),
        [plots.Panel("b", "sd", (0.0, 1.0), [plots.Series("wide", rand((1, 3)), "mean", "dash")])],
        x_label="Data points N",
    ),
    "gradient_noise": of(
        bbb_gradients.gradient_noise,
        np.array([1, 4, 16]),
        np.sort(rand((3, 3))),
        {name: np.sort(rand((3, 3))) for name in "abc"},
        chosen=1,
        y_range=(-3.0, 1.0),
    ),
    "architecture": of(
        compression.architecture,
        [rand(16) < 0.5, np.ones(10, bool)],
        ["pixels", "classes"],
        [(40, 160)],
        "40 weights",
        (0.98, 0.97),
        stacked=True,
    ),
    "prior_curves": of(
        compression.prior_curves,
        np.linspace(-1, 1, 5),
        {name: rand(5) for name in "abcde"},
        compression.Curves("x", "p", (-1.0, 1.0), (0.0, 2.0), diagonal="same"),
        chosen="c",
        masses={"c": [(0.5, 0.3)], "a": [(0.0, 0.3)]},
    ),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_figures(name: str, predictive: Predictive, data: Dataset) -> None:
    for look in LOOKS:
        check(OTHERS[name](look, predictive, data), look)
    read_all(OTHERS[name](LOOKS[0], predictive, data))
