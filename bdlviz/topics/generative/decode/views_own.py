"""The further picture *Your own digit*: a digit that the visitor draws or uploads, its code, and its reconstruction."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.plots.images import LARGE
from bdlviz.predictive import latent
from bdlviz.topics.generative.decode.place import Place, of_code
from bdlviz.topics.generative.decode.views_pad import keep
from bdlviz.topics.shared import own_digit
from bdlviz.topics.shared.autoencoders import Autoencoder
from bdlviz.types import Array
from bdlviz.ui.frame import details
from bdlviz.ui.frame.render import show_parts
from bdlviz.ui.model import Numbers, Part, Says, Setting, Widget

NUM_NEIGHBOURS, NUM_SAMPLES = 6, 50


def tab(setting: Setting, model: Autoencoder) -> list[Part]:
    """The parts of the further picture."""
    usual = _whole(float(model.extra["test_elbo"][-1]))
    says = Says(f"The encoder gives your digit a code. The mean ELBO is {usual} nats; far below means unlike the data.")
    return [says, Widget(lambda: _show(setting, model))]


def _show(setting: Setting, model: Autoencoder) -> None:
    left, right = st.columns([1, 1.5], gap="large")
    with left:
        own_digit.ask("sketch", "own_upload")
    with right:
        if problem := st.session_state.get(own_digit.PROBLEM):
            st.error(problem)
        ink = st.session_state.get(own_digit.INK)
        if ink is None:
            st.markdown("Draw a digit: this shows its code and the decoded image of that code.")
            return
        digit = own_digit.to_digit(ink, model.shape)
        show_parts(own_code(model, digit))
    place = of_code(model, model.fit.encode(digit.reshape(1, -1))[0][0])
    st.button("Take this code to the pad", key="take_code", on_click=_take, args=(setting, place))


def _take(setting: Setting, place: Place) -> None:
    """Show the pad at the code of the drawn digit."""
    keep(setting, place)
    details.ask_for("")


def own_code(model: Autoencoder, digit: Array) -> list[Part]:
    """A digit, its reconstruction, the training images with the nearest codes, and three numbers."""
    mean, std = model.fit.encode(digit.reshape(1, -1))
    rows, distances = latent.nearest(model.mean("train"), mean[0], NUM_NEIGHBOURS)
    images = np.concatenate([digit[None], model.decode(mean), model.originals("train")[rows]])
    labels = ", ".join(str(label) for label in model.labels("train")[rows])
    told = f"Your digit in the data's form, its reconstruction, and the training images nearest to its code: {labels}."
    elbo = float(model.fit.elbo(digit.reshape(1, -1), NUM_SAMPLES)[0])
    usual = float(model.extra["test_elbo"][-1])
    about_elbo = f"Mean of the held-out images: {_whole(usual)}. Far below: the image is unlike the data."
    return [
        *model.sheet(images, len(images), told, f"{len(images)} digits: {told}", LARGE // 2),
        Numbers(
            [
                ("ELBO (nats)", _whole(elbo), about_elbo),
                ("Distance of its code from the nearest", f"{distances[0]:.2f}", "In z, no unit."),
                ("Mean sd of q(z|x)", f"{std.mean():.2f}", "Small: the image determines its code well."),
            ]
        ),
    ]


def _whole(nats: float) -> str:
    return f"{nats:.0f}".replace("-", "−")
