"""A conditional VAE: one style in every class, the plane of styles of one class, and what is left for the code."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.predictive import bounds, latent
from bdlviz.topics.shared import codemap
from bdlviz.topics.shared.generative_source import LARGE, Source, scale_of
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control, shown
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import by_width

ALL = "all"
CLASSES = tuple(map(str, range(10)))
CLASS = Control(
    "class", "Class y", (ALL, *CLASSES), ALL, help="All: one style in every class. One: the plane of its styles."
)
WALK = Control(
    "walk",
    "Along the row",
    ("1", "2"),
    "1",
    "buttons",
    "The coordinate of the style that runs from end to end; the other stays.",
    {"1": "z₁", "2": "z₂"},
)
OTHER = number_control("other", "The other coordinate", (-2, -1.5, -1, -0.5, 0, 0.5, 1, 1.5, 2), 0)
CONTROLS = (CLASS, WALK, OTHER)
REACH, COLUMNS, SIDE = 2.0, 13, 15
NUM_SAMPLES, SAMPLES_PER_CLASS = 40, 12


def choose(images: Control) -> list[str]:
    """Draw the controls; a plane of styles needs no walk."""
    is_walk = CLASS.present() == ALL
    return list(shown((images, *CONTROLS), lambda control: is_walk or control not in (WALK, OTHER)).values())


def last_line(label: str, walk: str, other: str) -> str:
    """Code that decodes what the page shows."""
    if label != ALL:
        return f"images = fit.given({label}).decode(code_grid({REACH:g}, {SIDE}))"
    codes = f"traverse([{other}, {other}], {int(walk) - 1}, np.linspace(-{REACH:g}, {REACH:g}, {COLUMNS}))"
    return f"codes = {codes}\nimages = [fit.given(label).decode(codes) for label in range(10)]"


def show(source: Source, label: str, walk: str, other: float) -> None:
    """One style in every class, or the plane of styles of one."""
    if label == ALL:
        _show_styles(source, int(walk), other)
    else:
        _show_plane(source, int(label))


def styles(walk: int, other: float) -> Array:
    """Codes (M, 2) along coordinate ``walk``, 1 or 2, from end to end."""
    start = np.full(2, other, np.float32)
    return latent.traverse(start, walk - 1, np.linspace(-REACH, REACH, COLUMNS, dtype=np.float32))


def _show_styles(source: Source, walk: int, other: float) -> None:
    codes = styles(walk, other)
    images = np.concatenate([_decode(source, label, codes) for label in range(source.fit.num_classes)])
    classes = {"tickvals": list(range(10, 0, -1)), "ticktext": list(CLASSES)}
    label = f"z{'₁₂'[walk - 1]}, the other coordinate being {other:g}"
    fig = plots.manifold(
        images,
        (-REACH, REACH, 1, source.fit.num_classes),
        columns=COLUMNS,
        theme=present_theme(),
        labels=(label, "class y"),
        height=by_width(620, 340),
    ).update_yaxes(classes)
    alt = f"Ten rows of decoded digits, one for each class; every column has one code, from {-REACH:g} to {REACH:g}."
    figure(fig, key="styles", alt=alt)
    st.caption(
        "Every column is one code: the same style in ten classes. Where a class had no codes, its row fails: no 1 is "
        "wide."
    )


def _show_plane(source: Source, label: int) -> None:
    images = _decode(source, label, latent.code_grid(REACH, SIDE))
    mine = source.labels("train") == label
    fig = plots.manifold(
        images, (-REACH, REACH, -REACH, REACH), theme=present_theme(), labels=("z₁", "z₂"), height=by_width(620, 380)
    )
    alt = f"{SIDE} x {SIDE} decoded digits of class {label} over a plane of codes from {-REACH:g} to {REACH:g}."
    figure(fig, key="plane_of_styles", alt=alt)
    kl = latent.kl_to_prior(source.mean("train")[mine], source.std("train")[mine]).mean()
    st.caption(f"Styles of a {label}: its {mine.sum()} training images spend {kl:.1f} nats on saying which.")


def _decode(source: Source, label: int, codes: Array) -> Array:
    return source.fit.given(label).decode(codes).reshape(-1, *source.shape)


def show_numbers(source: Source, plain: Source) -> None:
    """What the class is worth, and what the code still knows of it."""
    values, labels = source.extra["test_elbo_of_classes"], source.labels("test")
    known, unknown = (float(np.ravel(each.extra["test_elbo"])[-1]) for each in (source, plain))
    purity, usual = (codemap.same_class_nearest(each, "train") for each in (source, plain))
    right = 100 * (values.argmax(1) == labels).mean()
    numbers(
        [
            ("ELBO, y known (nats)", f"{known:.1f}", "Bound on log p(x|y) of held-out images, each given its class."),
            (
                "ELBO of the VAE (nats)",
                f"{unknown:.1f}",
                "Bound on log p(x) of the same images. To name a class costs log 10 = 2.3 nats: the number to compare "
                f"is {known - np.log(10):.1f}.",
            ),
            ("Same class nearest (%)", f"{purity:.0f}", f"In z; 10 by chance, {usual:.0f} in the VAE's plane."),
            ("Classified by p(y|x) (%)", f"{right:.0f}", "Held-out images whose bound is best given their own class."),
        ]
    )


def tabs(source: Source, plain: Source, label: str) -> dict[str, Callable[[], None]]:
    """What else there is to see of it."""
    return {
        "Samples": lambda: show_samples(source, label),
        "Lend a style": lambda: show_lending(source),
        "What the code knows": lambda: show_codes(source, plain),
        "Bayes' rule": lambda: show_classification(source),
    }


def show_samples(source: Source, label: str) -> None:
    """Images of codes from the prior: of the chosen class, or the same codes in all of them."""
    if label == ALL:
        images = np.concatenate([_samples(source, each, SAMPLES_PER_CLASS) for each in range(10)])
        columns, told = SAMPLES_PER_CLASS, "Codes from N(0, I), one a column, decoded in every class."
    else:
        images, columns = _samples(source, int(label), NUM_SAMPLES), 10
        told = f"{NUM_SAMPLES} codes from N(0, I), decoded as a {label}."
    sheet(images, columns, alt=f"{len(images)} digits: {told}", scale=scale_of(source.shape))
    st.caption(told)


def _samples(source: Source, label: int, count: int) -> Array:
    return source.fit.given(label).sample(count).reshape(-1, *source.shape)


def show_lending(source: Source) -> None:
    """A held-out image's style, in every class."""
    labels = source.labels("test")
    left, right = st.columns(2)
    digit = left.select_slider("A held-out", range(10), 4, key="lender")
    rows = np.flatnonzero(labels == digit)
    row = int(rows[right.number_input("number", 1, len(rows), 1, key="lender_number") - 1])
    code = source.mean("test")[row]
    own = _decode(source, digit, code[None])
    first = np.concatenate([source.originals("test")[row : row + 1], own])
    lent = np.concatenate([_decode(source, label, code[None]) for label in range(10)])
    scale = scale_of(source.shape, LARGE // 2)
    told = "The image and its reconstruction."
    sheet(first, len(first), alt=f"A held-out {digit}. {told}", scale=scale)
    st.caption(told)
    sheet(lent, 10, alt=f"Ten digits, 0 to 9, in the style of this {digit}.", scale=scale)
    st.caption(f"Its code, z = ({code[0]:.2f}, {code[1]:.2f}), in every class: slant, weight and width are lent.")


def show_codes(source: Source, plain: Source) -> None:
    """The two planes of codes side by side, coloured by class."""
    titles = {"Conditional VAE": source, "VAE": plain}
    for place, (title, each) in zip(st.columns(2, gap="medium"), titles.items(), strict=True):
        with place:
            st.markdown(f"**{title}**")
            mean, labels = each.mean("train"), each.labels("train")
            fig = plots.latent_scatter(mean, labels, theme=present_theme(), marks="digits", height=460)
            alt = f"{title}. {plots.describe_latent_scatter(mean, labels)}"
            figure(fig, key=f"codes_{each.fit.config.method}", alt=alt)
    st.caption(
        "Told the class, the code need not say it: the clusters are gone. What is left is what the classes share, as "
        "far as they do: a 0 is wider than a 1."
    )


def show_classification(source: Source) -> None:
    """The bound of one held-out image given each class, and what Bayes' rule makes of them."""
    values, labels = source.extra["test_elbo_of_classes"], source.labels("test")
    left, right = st.columns([3, 1], vertical_alignment="center")
    number = left.number_input("Held-out image", 1, len(labels), 1, key="classified")
    each = values[number - 1].astype(float)
    posterior, best = bounds.class_posterior(each), int(each.argmax())
    label = int(labels[number - 1])
    shown = source.originals("test")[number - 1 : number]
    with right:
        sheet(shown, 1, alt=f"Held-out image {number}, a {label}.", scale=scale_of(source.shape, LARGE))
    fig = plots.bounds_by_class(each, label, theme=present_theme())
    alt = f"Bounds of one image given each class; the best is {best} with {each.max():.1f} nats."
    figure(fig, key="bounds_by_class", alt=alt)
    st.caption(
        f"With the bounds in place of log p(x|y) and equal p(y): p(y = {best} | x) ≈ {posterior[best]:.3f}. A nat is a "
        "factor of e, so that a few of them decide: a generative classifier is seldom in doubt."
    )
