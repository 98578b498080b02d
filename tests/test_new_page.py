"""A new page with one slider and one picture is three files and few lines; nothing else has to know of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import limit

MOST_FILES, MOST_LINES = 3, 80

PAGE = '''"""A coin: what the first tosses say about it."""

from bdlviz.topics.foundations.coin import views
from bdlviz.ui import Page, Scene, View, show

PAGE = Page(
    "foundations/coin",
    "What do the first tosses say about a coin?",
    views=(View("posterior", "posterior", views.posterior, (views.HEADS,)),),
    scenes=(Scene("start", "Three heads", {}, "The posterior after three heads in ten tosses."),),
    caveat="The prior is uniform.",
)

show(PAGE)
'''
VIEWS = '''"""The posterior of a coin's probability of heads."""

import numpy as np
import plotly.graph_objects as go
from scipy.stats import beta

from bdlviz.ui import number_control
from bdlviz.ui.model import Figure, Numbers, Result, Screen, Setting

TOSSES = 10
HEADS = number_control("heads", "Heads in ten tosses", range(TOSSES + 1), 3)


def density(heads: int, p: np.ndarray) -> np.ndarray:
    r"""The posterior under a uniform prior. $$p(\\theta \\mid h) = \\mathrm{Beta}(1 + h, 1 + n - h)$$"""
    return beta(1 + heads, 1 + TOSSES - heads).pdf(p)


def posterior(setting: Setting, screen: Screen, _: object) -> Result:
    """The density over the probability of heads."""
    heads, p = int(setting[HEADS]), np.linspace(0, 1, 101)
    fig = go.Figure(go.Scatter(x=p, y=density(heads, p), line={"color": screen.theme.mean}))
    mean = (1 + heads) / (2 + TOSSES)
    parts = [
        Figure("posterior", fig, f"Posterior density after {heads} heads."),
        Numbers([("Mean", f"{mean:.3f}", "")]),
    ]
    return Result(parts, formulas=(density,), code=(density,), call=f"heads = {heads}")
'''
ENTRY = '        ("foundations/coin", "Coin"),\n'
LOOK = """
import json
from streamlit.testing.v1 import AppTest

app = AppTest.from_file("{main}", default_timeout={seconds})
app.run()
page = AppTest.from_file("{page}", default_timeout={seconds})
page.query_params["heads"] = "7"
page.run()
shown = AppTest.from_file("{page}", default_timeout={seconds})
shown.query_params["present"] = "1"
shown.run()
print("FOUND", json.dumps({{
    "home": len(app.exception),
    "errors": [str(each.value) for each in (*page.exception, *page.error, *shown.exception, *shown.error)],
    "figures": len(page.get("plotly_chart")),
    "presented": len(shown.get("plotly_chart")),
    "mean": [each.value for each in page.metric],
    "tabs": [tab.label for tab in page.tabs],
    "slider": [each.value for each in page.select_slider],
}}))
"""


@pytest.fixture
def tree(tmp_path: Path, root: Path) -> Path:
    """A copy of the explorer."""
    for name in ("bdlviz", "pages", ".streamlit"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(root / "app.py", tmp_path)
    (tmp_path / "checkpoints").symlink_to(root / "checkpoints")
    return tmp_path


def test_a_new_page_is_three_files_and_few_lines(tree: Path):
    views = tree / "bdlviz" / "topics" / "foundations" / "coin" / "views.py"
    views.parent.mkdir()
    views.write_text(VIEWS, encoding="utf-8")
    page = tree / "pages" / "foundations" / "coin.py"
    page.write_text(PAGE, encoding="utf-8")
    navigation = tree / "bdlviz" / "ui" / "places" / "navigation.py"
    known = navigation.read_text(encoding="utf-8")
    place = known.index('        ("foundations/noise_or_ignorance"')
    navigation.write_text(known[:place] + ENTRY + known[place:], encoding="utf-8")
    written = (VIEWS, PAGE, ENTRY)
    assert len(written) <= MOST_FILES and sum(len(text.splitlines()) for text in written) <= MOST_LINES

    look = LOOK.format(main=tree / "bdlviz" / "ui" / "main.py", page=page, seconds=limit(120))
    done = subprocess.run([sys.executable, "-c", look], cwd=tree, capture_output=True, text=True, timeout=limit(300))
    [line] = [line for line in done.stdout.splitlines() if line.startswith("FOUND")] or [done.stderr[-2000:]]
    found = json.loads(line.removeprefix("FOUND"))
    assert found == {
        "home": 0,
        "errors": [],
        "figures": 1,
        "presented": 1,
        "mean": ["0.667"],
        "tabs": ["Explain", "Maths", "Code", "Export"],
        "slider": ["7"],
    }
