"""The map of codes: who is where, coloured by class or by a number, and the images behind chosen points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.predictive import latent
from bdlviz.topics.shared.generative_source import LARGE, Source, scale_of
from bdlviz.types import Array
from bdlviz.ui.controls import picked
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.places import link

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
PICK = Control(
    "pick",
    "Choose by",
    ("click", "lasso", "box"),
    "click",
    "buttons",
    "Click a point, or drag around several; shift adds to what is chosen, a double click clears it. Streamlit takes "
    "either clicks or drags, and with click a drag scrolls the page, as a phone needs.",
)
DRAG = {"lasso": "lasso", "box": "select", "click": False}  # what a drag does, as Plotly says it
CLASSES = "classes"  # key in the session state and in the link: the shown classes as digits, such as "479"
MAP = "code_map"
NUMBERS = "chosen_images"  # key in the session state and in the link: numbers from 1, such as "7, 40-60"
WRAP = f"<style>.st-key-{CLASSES} [data-testid='stButtonGroup'] * {{ flex-wrap: wrap; }}</style>"
NUM_DRAWS, NUM_NEIGHBOURS = 7, 8
MOST_SHOWN, PER_ROW = 36, 12  # of the chosen images
MOST_TYPED = 200  # characters


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
    pick = PICK.present()
    fig.update_layout(dragmode=DRAG[pick])
    modes = ["points" if pick == "click" else pick]
    figure(fig, key=_map_key(source, part), alt=alt, on_select="rerun", selection_mode=modes)
    if marks == "ellipses" and is_plane:
        st.caption(f"Ellipses of about {plots.NUM_ELLIPSES} codes: all {len(labels):,} would hide each other.")
    elif marks == "ellipses":
        st.caption("Posterior ellipses need a plane of codes: choose 2 dimensions.")


def _map_key(source: Source, part: str) -> str:
    """Another one for other codes: what was chosen among some means nothing among others."""
    return f"{MAP}_{source.images}_{source.latent_dim}_{part}"


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
    numbers(
        [
            ("Images", f"{len(mean):,}", "Whose codes are shown."),
            ("Same class nearest (%)", f"{same_class_nearest(source, part):.0f}", "Of the nearest code, in z."),
            ("KL (nats per image)", f"{per_dimension.sum():.1f}", "KL[q(z|x) ‖ p(z)], mean over these images."),
            ("Dimensions in use", f"{(per_dimension > 0.05).sum()} of {len(per_dimension)}", "KL above 0.05 nats."),
        ]
    )


def same_class_nearest(source: Source, part: str) -> float:
    """Of how many images the nearest code belongs to one of the same class, in per cent."""
    labels = source.labels(part)
    return float(100 * (labels[_neighbours_of_all(source.mean(part))] == labels).mean())


def _neighbours_of_all(codes: Array) -> Array:
    """The row of the nearest other code of each code (N, Z)."""
    squares = np.square(codes).sum(1)
    distances = squares[:, None] + squares - 2 * codes @ codes.T
    np.fill_diagonal(distances, np.inf)
    return distances.argmin(1)


def take_from_link() -> None:
    """Choose the images that a link names."""
    if st.session_state.get("arrived_with"):
        st.session_state[NUMBERS] = (link.arrived_with(NUMBERS) or "")[:MOST_TYPED]


def chosen(source: Source, part: str) -> list[int]:
    """Rows of the codes that were clicked or encircled, or of those whose numbers were given."""
    count = len(source.labels(part))
    rows = dict.fromkeys(picked.rows(_map_key(source, part)))
    return [row for row in rows if row < count] or _by_number(count)


def _by_number(count: int) -> list[int]:
    """The rows whose numbers were given."""
    try:
        return rows_of(st.session_state.get(NUMBERS) or "", count)
    except InvalidInput:
        return []  # the field says so


def rows_of(numbers: str, count: int) -> list[int]:
    """Rows, from 0, of numbers from 1 to ``count`` as people write them: "7", "3, 5", "40-60".

    Raises:
        InvalidInput: it is something else, or a number is out of range.
    """
    rows: list[int] = []
    for part in filter(None, (part.strip() for part in numbers.replace("–", "-").split(","))):
        first, dash, last = (word.strip() for word in part.partition("-"))
        ends = [word for word in (first, last if dash else first) if word.isascii() and word.isdigit()]
        if len(ends) < 2 or not 1 <= int(ends[0]) <= int(ends[1]) <= count:
            raise InvalidInput(f"{part[:20]!r} names none of the images 1 to {count:,}: write 7, or 3, 5, or 40-60.")
        rows += range(int(ends[0]) - 1, int(ends[1]))
    return list(dict.fromkeys(rows))


def show_chosen(source: Source, part: str) -> None:
    """The images behind the chosen points: one in detail, of several what they share."""
    count = len(source.labels(part))
    place, buttons, field = st.columns([2.6, 1.2, 1], vertical_alignment="bottom")
    with buttons:
        PICK.show()
    numbers = field.text_input(
        "Images by number", key=NUMBERS, max_chars=MOST_TYPED, placeholder="7 or 40-60", help="Instead of the pointer."
    )
    if numbers:
        link.add(NUMBERS, numbers)
        _say_problem(numbers, count)
    rows = chosen(source, part)
    with place:
        st.markdown(_said(source, part, rows))
    if len(rows) == 1:
        _show_one(source, part, rows[0])
    elif rows:
        _show_several(source, part, rows)


def _say_problem(numbers: str, count: int) -> None:
    try:
        rows_of(numbers, count)
    except InvalidInput as error:
        st.warning(link.plain(str(error)))


def _said(source: Source, part: str, rows: list[int]) -> str:
    """What is chosen, or how to choose."""
    if not rows:
        how = {"click": "Click points", "lasso": "Drag around points", "box": "Drag a box over points"}[PICK.present()]
        return f"**{how}** to see the images, their posterior and their neighbours."
    labels = source.labels(part)[rows]
    if len(rows) == 1:
        return f"**Chosen:** a {labels[0]} (no. {rows[0] + 1})"
    classes, counts = np.unique(labels, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    return f"**Chosen: {len(rows)} images.** " + ", ".join(f"{counts[at]} × **{classes[at]}**" for at in order)


def _show_several(source: Source, part: str, rows: list[int]) -> None:
    """Some of the chosen images, what all of them share in z, and who else is near their middle."""
    means, stds = source.mean(part)[rows], source.std(part)[rows]
    centre, spread = latent.average_posterior(means, stds)
    shown = np.array(rows)[np.unique(np.linspace(0, len(rows) - 1, MOST_SHOWN).round().astype(int))]
    left, right = st.columns([1, 1], gap="large")
    with left:
        which = "The chosen images" if len(shown) == len(rows) else f"{len(shown)} of the chosen images"
        _picture(source, source.originals(part)[shown], min(PER_ROW, len(shown)), f"{which}.")
        others = np.setdiff1d(np.arange(len(source.labels(part))), rows)
        found = _nearest_of(source, part, others, centre)
        images = np.concatenate([source.decode(centre[None]), source.originals(part)[found]])
        told = ", ".join(str(label) for label in source.labels(part)[found])
        _picture(
            source,
            images,
            len(images),
            f"First decoded from the middle of their codes, then the others nearest to it: {told or 'none are left'}.",
        )
    with right:
        st.caption("Mean of their q(z|x) on the prior: narrow and off its middle is what the chosen images share.")
        alt = f"Average posterior of {len(rows)} images over {len(centre)} dimensions, sd {spread.min():.2f} and more."
        figure(plots.posterior_bars(centre, spread, theme=present_theme()), key="posterior_bars", alt=alt)


def _nearest_of(source: Source, part: str, rows: Array, centre: Array) -> Array:
    """Those of some rows whose codes are nearest to a place."""
    if not len(rows):
        return rows
    near, _ = latent.nearest(source.mean(part)[rows], centre, min(NUM_NEIGHBOURS, len(rows)))
    return rows[near]


def _show_one(source: Source, part: str, row: int) -> None:
    mean, std = source.mean(part)[row], source.std(part)[row]
    originals = source.originals(part)
    around = mean + std * np.random.Generator(np.random.SFC64(0)).standard_normal((NUM_DRAWS, len(mean)), np.float32)
    near, distances = latent.nearest(source.mean(part), mean, NUM_NEIGHBOURS + 1)
    left, right = st.columns([1, 1], gap="large")
    with left:
        images = np.concatenate([originals[row : row + 1], source.decode(mean[None]), source.decode(around)])
        told = f"First the image and its reconstruction, then decoded from {NUM_DRAWS} draws of q(z|x)."
        _picture(source, images, len(images), told)
        others = near[near != row][:NUM_NEIGHBOURS]
        told = ", ".join(str(label) for label in source.labels(part)[others])
        _picture(
            source,
            originals[others],
            len(others),
            f"Its nearest neighbours in z: {told}; {distances[1]:.2f} to {distances[-1]:.2f} away.",
        )
    with right:
        st.caption("q(z|x) of this image on the prior: a bar as wide as the band says nothing about the image.")
        alt = (
            f"Posterior of one image over {len(mean)} code dimensions, means from {mean.min():.2f} to {mean.max():.2f}."
        )
        figure(plots.posterior_bars(mean, std, theme=present_theme()), key="posterior_bars", alt=alt)


def _picture(source: Source, images: Array, columns: int, caption: str) -> None:
    size = LARGE // 2 if columns > 2 else LARGE
    sheet(images, columns, alt=f"Digits: {caption}", scale=scale_of(source.shape, size))
    st.caption(caption)
