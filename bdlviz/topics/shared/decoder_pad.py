"""The page of the decode pad: where it stands, the walks that start there, samples and interpolations."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.predictive import latent
from bdlviz.topics.shared import own_digit
from bdlviz.topics.shared.generative_source import LARGE, Source, scale_of
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, present_theme
from bdlviz.ui.frame.window import by_width
from bdlviz.ui.places import link
from bdlviz.ui.scrub import decoder, switch

ORIGIN = "origin"
START = Control(
    "start",
    "Start from",
    (ORIGIN, *map(str, range(10))),
    "4",
    "menu",
    "The middle of the prior, or the code of a held-out image of this class.",
    {ORIGIN: "the middle, z = 0"} | {str(digit): f"a held-out {digit}" for digit in range(10)},
)
KEY, CODE, AXES = "decode_pad", "z", "axes"  # of the view; in the link: the code, and what the pad spans
STATE = "pad_place"  # key in the session state: (what it belongs to, place)
REACH = 3.0
MAX_KNOBS, NUM_ROWS = 12, 6
WALK = np.linspace(-REACH, REACH, 13, dtype=np.float32)
NUM_SAMPLES, NUM_STEPS = 40, 12


def order_of(source: Source) -> tuple[list[int], Array]:
    """The coordinates of a code, the most telling first, and how much each says, in nats."""
    weights = latent.kl_per_dimension(source.mean("train"), source.std("train")).mean(0)
    return np.argsort(-weights, kind="stable").tolist(), weights


def place_of(source: Source, codes: str, start: str) -> decoder.Place:
    """Where the pad stands: as it was left, or at the chosen start."""
    belongs = (source.images, codes, start)
    known, place = st.session_state.get(STATE, (None, None))
    if known != belongs or place is None:
        place = _at_start(source, start)
        _set_place(belongs, place)
    return place


def _at_start(source: Source, start: str) -> decoder.Place:
    across, up = (0, 1) if source.latent_dim == 2 else order_of(source)[0][:2]
    if start == ORIGIN:
        return decoder.Place((0.0,) * source.latent_dim, across, up)
    row = int(np.flatnonzero(source.labels("test") == int(start))[0])
    return decoder.Place(tuple(round(float(value), 3) for value in source.mean("test")[row]), across, up)


def _take_from_link(source: Source, codes: str, start: str) -> None:
    """Stand where a link says, at the start of a run that the link brought about."""
    asked = link.arrived_with(CODE)
    if asked is None:
        return
    try:
        across, up = (int(part) - 1 for part in (link.arrived_with(AXES) or "1,2").split(","))
    except ValueError:
        across, up = 0, 1
    found = decoder.committed({"code": _numbers(asked), "across": across, "up": up}, source.latent_dim)
    if found is None:
        st.warning(f"This decoder takes codes of {source.latent_dim} numbers, the link has another; showing the start.")
    else:
        _set_place((source.images, codes, start), found)


def _numbers(asked: str) -> list[float] | None:
    try:
        return [float(part) for part in asked[:1000].split(",")]
    except ValueError:
        return None


def _into_link(place: decoder.Place, start: decoder.Place) -> None:
    if place.code != start.code:
        link.add(CODE, ",".join(f"{value:g}" for value in place.code))
    if (place.across, place.up) != (start.across, start.up):
        link.add(AXES, f"{place.across + 1},{place.up + 1}")


def show(source: Source, codes: str, start: str) -> None:
    """The pad, and the walk along each coordinate from where it was left."""
    _take_from_link(source, codes, start)
    place = place_of(source, codes, start)
    _into_link(place, _at_start(source, start))
    order, weights = order_of(source)
    is_plane = source.latent_dim == 2

    def commit(event: dict[str, Any]) -> None:
        switch.note_failure(event)
        found = decoder.committed(event, source.latent_dim)
        if found is not None:
            st.session_state[STATE] = ((source.images, codes, start), found)

    if reason := st.session_state.get(switch.FAILED):
        st.caption(f"This browser cannot run the decoder ({reason}); the walks below need no such thing.")
    else:
        decoder.show(
            source.fit,
            source.shape,
            decoder.Dots(source.mean("train"), source.labels("train")),
            place,
            commit,
            key=KEY,
            reach=REACH,
            order=[] if is_plane else order[:MAX_KNOBS],
            weights=weights.tolist(),
        )
    show_traversal(source, place, order[:NUM_ROWS])


def show_traversal(source: Source, place: decoder.Place, order: list[int]) -> None:
    """One row for each coordinate: it runs from end to end, the others stay where the pad was left."""
    code = np.array(place.code, np.float32)
    codes = np.concatenate([latent.traverse(code, coordinate, WALK) for coordinate in order])
    names = [f"z{_subscript(coordinate + 1)}" for coordinate in order]
    ticks = {"tickvals": list(range(len(order), 0, -1)), "ticktext": names}
    fig = plots.manifold(
        source.decode(codes),
        (-REACH, REACH, 1, len(order)),
        columns=len(WALK),
        theme=present_theme(),
        labels=("Value of the coordinate, the others staying", ""),
        height=70 + by_width(58, 26) * len(order),
    ).update_yaxes(ticks)
    alt = f"{len(order)} rows of decoded digits, one for each coordinate of the code."
    figure(fig, key="traversal", alt=alt)
    st.caption("Traversal of each coordinate from where you left the pad, the most telling first.")


def _subscript(number: int) -> str:
    return "".join(chr(0x2080 + int(digit)) for digit in str(number))


def tabs(source: Source) -> dict[str, Callable[[], None]]:
    """Walks and draws that need no pad."""
    return {"Interpolation": lambda: show_interpolation(source), "Samples": lambda: show_samples(source)}


def own_tab(source: Source, codes: str, start: str) -> dict[str, Callable[[], None]]:
    """The visitor's own digit."""
    return {"Your own digit": lambda: show_own_digit(source, codes, start)}


def show_samples(source: Source) -> None:
    """Images decoded from codes drawn from the prior."""
    seed = st.session_state.get("sample_seed", 0)
    images = source.fit.sample(NUM_SAMPLES, seed=seed).reshape(-1, *source.shape)
    alt = f"{NUM_SAMPLES} digits decoded from codes of the prior."
    sheet(images, 10, alt=alt, scale=scale_of(source.shape))
    st.button("Draw others", key="draw_others", on_click=_next_seed)
    st.caption(
        f"{NUM_SAMPLES} codes from N(0, I), decoded: expected grey values, without the noise of the likelihood. "
        "Not every code lies where the training images put theirs."
    )


def _next_seed() -> None:
    st.session_state["sample_seed"] = st.session_state.get("sample_seed", 0) + 1


def show_interpolation(source: Source) -> None:
    """The straight line between the codes of two chosen held-out digits, and between their pixels."""
    labels = source.labels("test")
    columns, rows = st.columns(4), []
    for name, (digit_place, number_place), usual in (("From", columns[:2], 3), ("to", columns[2:], 6)):
        digit = digit_place.select_slider(f"{name} a", range(10), usual, key=f"interpolate_{name}")
        of_class = np.flatnonzero(labels == digit)
        number = number_place.number_input("number", 1, len(of_class), 1, key=f"interpolate_{name}_number")
        rows.append(int(of_class[number - 1]))
    start, end = source.mean("test")[rows]
    images = source.decode(latent.interpolate(start, end, NUM_STEPS))
    scale = scale_of(source.shape, LARGE // 2)
    ends = " to a ".join(str(labels[row]) for row in rows)
    sheet(images, NUM_STEPS, alt=f"{NUM_STEPS} digits on the way between two codes, from a {ends}.", scale=scale)
    st.caption("Along the straight line between the two codes.")
    first, last = source.originals("test")[rows]
    share = np.linspace(0, 1, NUM_STEPS, dtype=np.float32)[:, None, None]
    alt = f"The same way between the two pictures, from a {ends}: the one fades into the other."
    sheet((1 - share) * first + share * last, NUM_STEPS, alt=alt, scale=scale)
    st.caption("Along the straight line between the two pictures: a double exposure, no digit on the way.")


def show_own_digit(source: Source, codes: str, start: str) -> None:
    """Draw or upload a digit, encode it, and take its code to the pad."""
    code = own_digit.show(source)
    if code is not None:
        place = decoder.Place(tuple(round(float(value), 3) for value in code), *_axes(source))
        belongs = (source.images, codes, start)
        st.button("Take this code to the pad", key="take_code", on_click=_set_place, args=(belongs, place))


def _set_place(belongs: tuple[str, str, str], place: decoder.Place) -> None:
    st.session_state[STATE] = (belongs, place)


def _axes(source: Source) -> tuple[int, int]:
    place = _at_start(source, ORIGIN)
    return place.across, place.up
