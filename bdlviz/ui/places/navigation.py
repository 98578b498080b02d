"""The pages of the explorer by section. Their names and titles are defined only here.

The name of a page is its file under pages/. Its last part is the path in the address and the title in lower case.
"""

from __future__ import annotations

from base64 import b64encode
from functools import cache
from pathlib import Path

HOME = "start/home"
THUMBNAILS = Path(__file__).resolve().parents[2] / "topics" / "start" / "home" / "thumbnails"

# Section -> name and title of its pages, in the order of the navigation.
SECTIONS: dict[str, tuple[tuple[str, str], ...]] = {
    "": (
        (HOME, "Home"),
        ("start/playground", "Playground"),
        ("start/lecture", "Lecture"),
        ("start/glossary", "Glossary"),
    ),
    "Foundations": (
        ("foundations/bayes_rule", "Bayes' rule"),
        ("foundations/variational_or_mcmc", "Variational or MCMC"),
        ("foundations/noise_or_ignorance", "Noise or ignorance"),
        ("foundations/deciding", "Deciding"),
        ("foundations/depth_and_edges", "Depth and edges"),
    ),
    "Regression": (
        ("regression/function_draws", "Function draws"),
        ("regression/effect_of_lambda", "Effect of λ"),
        ("regression/compare", "Compare"),
        ("regression/in_between", "In between"),
        ("regression/active_learning", "Active learning"),
    ),
    "Digits": (
        ("digits/mc_dropout", "MC dropout"),
        ("digits/concrete_dropout", "Concrete dropout"),
    ),
    "Weights": (
        ("weights/bayes_by_backprop", "Bayes by Backprop"),
        ("weights/signal_to_noise", "Signal to noise"),
        ("weights/variational_dropout", "Variational dropout"),
        ("weights/sparsity", "Sparsity"),
        ("weights/compression", "Compression"),
    ),
    "Generative": (
        ("generative/vae", "VAE"),
        ("generative/latent_space", "Latent space"),
        ("generative/manifold", "Manifold"),
        ("generative/decode", "Decode"),
        ("generative/autoencoder", "Autoencoder"),
        ("generative/likelihood", "Likelihood"),
        ("generative/conditional", "Conditional"),
    ),
    "Results": (
        ("results/scoreboard", "Scoreboard"),
        ("results/register", "Register"),
        ("results/errata", "Errata"),
        ("results/figure_index", "Figure index"),
        ("results/status", "Status"),
    ),
}
TITLES = {name: title for pages in SECTIONS.values() for name, title in pages}
OF_PAGE = {name: section for section, pages in SECTIONS.items() for name, _ in pages}


def title(name: str) -> str:
    """The title of a page."""
    return TITLES[name]


def heading(name: str) -> str:
    """Section and title of a page; the name of a page that the navigation does not list."""
    if name not in TITLES:
        return name
    return " · ".join(filter(None, (OF_PAGE[name], TITLES[name])))


def path_of(name: str) -> str:
    """The path of a page in its address."""
    return "" if name == HOME else name.split("/")[-1]


def thumbnail_path(name: str, kind: str) -> Path:
    """The file for the small picture of a page in the "light" or the "dark" theme, whether it exists or not."""
    return THUMBNAILS / f"{name.replace('/', '-')}-{kind}.webp"


@cache
def thumbnail(name: str, kind: str) -> str:
    """The small picture of a page, which `python -m scripts.take_thumbnails` takes, as a data URL; "" without one.

    Streamlit would encode a file again, as JPEG, in every run.
    """
    path = thumbnail_path(name, kind)
    return f"data:image/webp;base64,{b64encode(path.read_bytes()).decode()}" if path.is_file() else ""
