"""The map of codes: who is where, coloured by class or by a number, and the images behind chosen points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.predictive import latent
from bdlviz.types import Array
from bdlviz.ui import link
from bdlviz.ui.controls import Control
from bdlviz.ui.generative.source import LARGE, Source, scale_of
from bdlviz.ui.look import figure, numbers, present_theme

MARKS = Control(
    "marks",
    "Drawn as",
    ("digits", "points", "ellipses"),
    "digits",
    "buttons",
    "Digits need no colour to be told apart. Ellipses: one standard deviation of q(z|x), of a plane of codes.",
)
COLOUR = Control(
    "colour",
    "Coloured by",
    ("class", "kl", "std"),
    "class",
    "buttons",
    "KL: how much an image's posterior differs from the prior, in nats. Width: mean standard deviation of q(z|x).",
    {"kl": "KL", "std": "width"},
)
CLASSES = "classes"  # key in the session state and in the link: the shown classes as digits, such as "479"
MAP, NUMBER = "code_map", "chosen_number"
WRAP = f"<style>.st-key-{CLASSES} [data-testid='stButtonGroup'] * {{ flex-wrap: wrap; }}</style>"
NUM_DRAWS, NUM_NEIGHBOURS, MOST_CHOSEN = 7, 8, 16


def choose_classes() -> tuple[int, ...]:
    """Which classes to show, as small buttons; in the link unless it is all of them."""
    if st.session_state.get("arrived_with"):
        asked = link.arrived_with(CLASSES) or ""
        st.session_state[CLASSES] = sorted({int(digit) for digit in asked if digit in "0123456789"})
    st.html(WRAP)
    chosen = st.pills("Classes (none chosen: all)", range(10), selection_mode="multi", key=CLASSES)
    if chosen:
        link.add(CLASSES, "".join(map(str, sorted(chosen))))
    return tuple(chosen) or tuple(range(10))


def draw(source: Source, part: str, marks: str, colour: str, classes: Sequence[int], positions: Array) -> None:
    """The codes of one part at these places in the plane."""
    is_plane, labels = source.latent_dim == 2, source.labels(part)
    value, title = _values(source, part, colour)
    fig = plots.latent_scatter(
        positions,
        labels,
        theme=present_theme(),
        axis_labels=("z₁", "z₂") if is_plane else ("t-SNE 1 (no unit)", "t-SNE 2 (no unit)"),
        marks="points" if marks == "ellipses" and not is_plane else marks,  # type: ignore[arg-type]
        std=source.std(part) if is_plane else None,
        values=value,
        values_label=title,
        classes=classes,
        chosen=_by_number(len(labels)),  # clicks mark their points themselves: another figure would forget them
        height=620,
    )
    alt = plots.describe_latent_scatter(positions, labels)
    figure(fig, key=MAP, alt=alt, on_select="rerun", selection_mode="points")
    if marks == "ellipses" and not is_plane:
        st.caption("Posterior ellipses need a plane of codes: choose 2 dimensions.")


def _values(source: Source, part: str, colour: str) -> tuple[Array | None, str]:
    mean, std = source.mean(part), source.std(part)
    if colour == "kl":
        return latent.kl_to_prior(mean, std), "KL from the prior (nats)"
    if colour == "std":
        return std.mean(1), "mean sd of q(z|x)"
    return None, ""


def show_numbers(source: Source, part: str) -> None:
    """How the codes of a part fill the prior, in four numbers."""
    mean, std = source.mean(part), source.std(part)
    per_dimension = latent.kl_per_dimension(mean, std).mean(0)
    rows, labels = _neighbours_of_all(mean), source.labels(part)
    numbers(
        [
            ("Images", f"{len(mean):,}", "Whose codes are shown."),
            ("Same class nearest (%)", f"{100 * (labels[rows] == labels).mean():.0f}", "Of the nearest code, in z."),
            ("KL (nats per image)", f"{per_dimension.sum():.1f}", "KL[q(z|x) ‖ p(z)], mean over these images."),
            ("Dimensions in use", f"{(per_dimension > 0.05).sum()} of {len(per_dimension)}", "KL above 0.05 nats."),
        ]
    )


def _neighbours_of_all(codes: Array) -> Array:
    """The row of the nearest other code of each code (N, Z)."""
    squares = np.square(codes).sum(1)
    distances = squares[:, None] + squares - 2 * codes @ codes.T
    np.fill_diagonal(distances, np.inf)
    return distances.argmin(1)


def chosen(count: int) -> list[int]:
    """Rows of the codes that were clicked, or of the one whose number was given."""
    event: Any = st.session_state.get(MAP) or {}
    points = event.get("selection", {}).get("points", [])
    rows = [int(np.ravel(point["customdata"])[0]) for point in points if point.get("customdata") is not None]
    return [row for row in dict.fromkeys(rows) if row < count][:MOST_CHOSEN] or _by_number(count)


def _by_number(count: int) -> list[int]:
    """The row whose number was given."""
    number = int(st.session_state.get(NUMBER) or 0)
    return [number - 1] if 0 < number <= count else []


def show_chosen(source: Source, part: str) -> None:
    """The images behind the chosen points: one in detail, several side by side."""
    count = len(source.labels(part))
    rows = chosen(count)
    place, field = st.columns([4, 1], vertical_alignment="bottom")
    field.number_input("Image number", 0, count, 0, key=NUMBER, help="Instead of a click; 0 for none.")
    with place:
        if not rows:
            st.markdown(
                "**Click a point** to see its image, its posterior and its neighbours; shift-click for several."
            )
        else:
            st.markdown("**Chosen:** " + ", ".join(_name(source, part, row) for row in rows))
    if len(rows) == 1:
        _show_one(source, part, rows[0])
    elif rows:
        _show_several(source, part, rows)


def _name(source: Source, part: str, row: int) -> str:
    return f"a {source.labels(part)[row]} (no. {row + 1})"


def _show_several(source: Source, part: str, rows: list[int]) -> None:
    originals, codes = source.originals(part), source.mean(part)[rows]
    decoded = source.decode(codes)
    shown = decoded if originals is None else np.concatenate([originals[rows], decoded])
    above = "Top: the images. Bottom: " if originals is not None else ""
    _picture(source, shown, len(rows), f"{above}decoded from the means of their codes.")


def _show_one(source: Source, part: str, row: int) -> None:
    mean, std = source.mean(part)[row], source.std(part)[row]
    originals = source.originals(part)
    own = [source.decode(mean[None])] if originals is None else [originals[row : row + 1], source.decode(mean[None])]
    around = mean + std * np.random.Generator(np.random.SFC64(0)).standard_normal((NUM_DRAWS, len(mean)), np.float32)
    near, distances = latent.nearest(source.mean(part), mean, NUM_NEIGHBOURS + 1)
    left, right = st.columns([1, 1], gap="large")
    with left:
        first = "decoded from the mean of its code" if originals is None else "the image and its reconstruction"
        images = np.concatenate([*own, source.decode(around)])
        _picture(source, images, len(images), f"First {first}, then decoded from {NUM_DRAWS} draws of q(z|x).")
        others = near[near != row][:NUM_NEIGHBOURS]
        told = ", ".join(str(label) for label in source.labels(part)[others])
        said = "" if originals is not None else " (decoded)"
        _picture(
            source,
            source.pictures(part, others),
            len(others),
            f"Its nearest neighbours in z{said}: {told}; {distances[1]:.2f} to {distances[-1]:.2f} away.",
        )
    with right:
        st.caption("q(z|x) of this image on the prior: a bar as wide as the band says nothing about the image.")
        alt = (
            f"Posterior of one image over {len(mean)} code dimensions, means from {mean.min():.2f} to {mean.max():.2f}."
        )
        figure(plots.posterior_bars(mean, std, theme=present_theme()), key="posterior_bars", alt=alt)


def _picture(source: Source, images: Array, columns: int, caption: str) -> None:
    size = LARGE // 2 if columns > 2 else LARGE
    st.image(plots.image_grid(images, columns, theme=present_theme(), scale=scale_of(source.shape, size)))
    st.caption(caption)
