"""Tabs of decoded images: codes on the line between two codes, and codes drawn from the prior."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import streamlit as st

from bdlviz.digits import percent
from bdlviz.plots.images import LARGE
from bdlviz.predictive import latent
from bdlviz.topics.shared.autoencoders import Autoencoder
from bdlviz.ui.frame.render import show_parts
from bdlviz.ui.model import Chooser, Field, Part, Says, Tab, Widget

NUM_SAMPLES, NUM_STEPS = 40, 12
NUM_COUNTED = 1000  # codes from the prior that are compared with those of images
ON_THE_LINE = "Upper row: decoded codes on a line between two codes. Lower row: one image fades into the other."
SEED = "sample_seed"  # session state


def tabs(model: Autoencoder) -> dict[str, Tab]:
    """The further pictures *Interpolation* and *Samples*, by title."""
    return {
        "Interpolation": lambda: [Says(ON_THE_LINE), interpolation(model)],
        "Samples": lambda: [Says(_of_the_prior(model)), Widget(lambda: _show_samples(model))],
    }


def _of_the_prior(model: Autoencoder) -> str:
    """How many codes from the prior are where hardly any image has its code."""
    codes = latent.draw_codes(NUM_COUNTED, model.latent_dim, np.random.Generator(np.random.SFC64(0)))
    far = float(model.is_far_out(codes).mean())
    return f"Of {NUM_COUNTED:,} codes drawn from the prior, {percent(far)} are where hardly any image has its code."


def interpolation(model: Autoencoder) -> Chooser:
    """Two held-out images, and the straight lines between their codes and between their pixels."""
    counts = np.bincount(model.labels("test"))

    def numbers(*chosen: int) -> Sequence[int]:
        return range(1, counts[chosen[-1]] + 1)

    fields = (
        Field("interpolate_From", "From a", range(10), 3),
        Field("interpolate_From_number", "number", numbers, kind="number"),
        Field("interpolate_to", "to a", range(10), 6),
        Field("interpolate_to_number", "number", numbers, kind="number"),
    )
    return Chooser(fields, lambda *chosen: _between(model, chosen[:2], chosen[2:]))


def _between(model: Autoencoder, start: Sequence[int], end: Sequence[int]) -> list[Part]:
    labels, size = model.labels("test"), LARGE // 2
    rows = [int(np.flatnonzero(labels == digit)[number - 1]) for digit, number in (start, end)]
    first_code, last_code = model.mean("test")[rows]
    codes = latent.interpolate(first_code, last_code, NUM_STEPS)
    first, last = model.originals("test")[rows]
    share = np.linspace(0, 1, NUM_STEPS, dtype=np.float32)[:, None, None]
    ends = f"{start[0]} to a {end[0]}"
    return [
        *model.sheet(
            model.decode(codes),
            NUM_STEPS,
            "Decoded codes on the straight line between the two codes.",
            f"{NUM_STEPS} decoded codes on the straight line between two codes, from a {ends}.",
            size,
        ),
        *model.sheet(
            (1 - share) * first + share * last,
            NUM_STEPS,
            "Pictures on the straight line between the two pictures: every one is a mixture of both, and not a digit.",
            f"{NUM_STEPS} mixtures of the two pictures, from a {ends}: the first fades out, the second fades in.",
            size,
        ),
    ]


def samples(model: Autoencoder, seed: int) -> list[Part]:
    """A sheet of images decoded from codes drawn from the prior."""
    return model.sheet(
        model.fit.sample(NUM_SAMPLES, seed=seed),
        10,
        f"{NUM_SAMPLES} codes from N(0, I), decoded: expected grey values, without the noise of the likelihood. "
        "Another seed draws others.",
        f"{NUM_SAMPLES} digits decoded from codes of the prior.",
    )


def _show_samples(model: Autoencoder) -> None:
    show_parts(samples(model, st.session_state.get(SEED, 0)))
    st.button("Draw others", key="draw_others", on_click=_next_seed)


def _next_seed() -> None:
    st.session_state[SEED] = st.session_state.get(SEED, 0) + 1
