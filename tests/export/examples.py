"""A page's content, small and whole, for the tests of every export."""

from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go

from bdlviz import plots
from bdlviz.export import Content
from bdlviz.plots.theme import ThemeName
from bdlviz.types import Dataset, Predictive

HOSTILE = '</script><script>document.title="taken"</script><img src=x onerror="document.title=\'taken\'"><b>&\'"'
SNIPPET = """import numpy as np

data = np.arange(3)
total = data.sum()


def double(value):
    # twice

    return 2 * value


print(double(total))"""


def function_draws(theme: ThemeName = "light", num_draws: int = 5) -> go.Figure:
    """The app's main picture, of made functions."""
    x = np.linspace(-3, 4, 50)[:, None]
    noise = np.random.default_rng(0).normal(size=(num_draws, 1, 1))
    spread = 0.3 * (1 + np.abs(x))
    predictive = Predictive(x, np.cos(x) + noise * spread, np.cos(x), spread, np.full_like(x, 0.2), num_draws)
    inputs = np.linspace(-1, 2, 12)[:, None]
    data = Dataset(
        name="sine",
        title="Sine",
        x=inputs,
        y=np.sin(inputs) + 0.1,
        x_test=inputs[::3],
        y_test=np.sin(inputs[::3]),
        x_label="Time in s",
        y_label="Height in m",
        x_range=(-3.0, 4.0),
        y_range=(-2.0, 2.0),
    )
    return plots.function_draws(predictive, data, theme=plots.theme(theme))


def content(theme: ThemeName = "light", **changes: Any) -> Content:
    """A page with something in every place."""
    cells = plots.keep_probabilities(np.random.default_rng(0).random((6, 5)), theme=plots.theme(theme))
    whole = Content(
        title="Regression · Function draws",
        question="Which functions does the network still believe in?",
        says="Draws agree at the points and part outside them.",
        figures={
            "Function draws": (function_draws(theme), "Five functions agree at the points."),
            "Kept": (cells, "A map of probabilities."),
        },
        images={"Digits": (np.arange(64, dtype=np.uint8).reshape(8, 8), "A grey ramp.")},
        numbers=[("NLL (nats)", "-1.25", "Held out; lower is better."), ("Draws inside", "12 of 50", "")],
        formulas=[("Mean of the draws.", r"\hat\mu = \frac{1}{S} \sum_{s=1}^{S} f_s(x)")],
        snippet=SNIPPET,
        try_this=["Set $p$ to 0: the **draws** collapse.", "Read [the paper](https://arxiv.org/abs/1506.02142)."],
        caveat="Its spread is set by the *rate*, not by `N`.\n\nSee [its slips](errata?erratum=noise-variance).",
        papers=[("Gal & Ghahramani 2016", "https://arxiv.org/abs/1506.02142"), ("A talk", "")],
        address="http://localhost:8501/function_draws?scene=good&draws=5",
        theme=theme,
        versions={"bdlviz": "0.1.0", "numpy": "2.4.6"},
        made_on="1 May 2026",
    )
    return replace(whole, **changes)


def hostile() -> Content:
    """A page on which every text wants to be markup."""
    fig = go.Figure(go.Scatter(x=[1, 2], y=[1, 2], name=HOSTILE, text=HOSTILE), layout={"xaxis": {"title": HOSTILE}})
    return content(
        title=HOSTILE,
        question=HOSTILE,
        says=HOSTILE,
        figures={HOSTILE: (fig, HOSTILE)},
        images={HOSTILE: (np.zeros((2, 2), np.uint8), HOSTILE)},
        numbers=[(HOSTILE, HOSTILE, HOSTILE)],
        formulas=[(HOSTILE, rf"\text{{{HOSTILE}}}"), ("", r"\href{javascript:alert(1)}{x}")],
        snippet=HOSTILE,
        try_this=[HOSTILE, "[x](javascript:alert(1))", "[x](java\tscript:alert(1))", "[x](data:text/html,x)"],
        caveat=HOSTILE,
        papers=[(HOSTILE, "javascript:alert(1)"), (HOSTILE, 'https://x/"onmouseover="alert(1)')],
        address=f"https://x/?data={HOSTILE}",
        versions={HOSTILE: HOSTILE},
        made_on=HOSTILE,
    )
