"""The decode pad: a view in the browser, whose place is kept in the session and in the link."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bdlviz.topics.generative.decode import decoder
from bdlviz.topics.generative.decode.controls import PLANES, START
from bdlviz.topics.generative.decode.decoder import Place
from bdlviz.topics.generative.decode.place import AXES, CODE, at_start, axes_text, code_text, order_of, walk_of
from bdlviz.topics.shared.autoencoders import IMAGES, NUM_AROUND, NUM_NEAR, Autoencoder
from bdlviz.ui.model import Custom, Setting, Widget
from bdlviz.ui.places import link
from bdlviz.ui.scrub import switch

KEY = "decode_pad"  # of the view
STATE = "pad_place"  # session state: the settings that a place belongs to, and the place
REACH = 3.7  # the codes of all starts lie on the pad
MAX_KNOBS = 12
MOSTLY = 0.75  # of the nearest codes, of one class


def _read() -> dict[str, str]:
    """The place of the pad, from the link that the visitor came by, or as it was left; nothing at the start."""
    asked = link.arrived_with(CODE)
    if asked is not None:
        return {CODE: asked, AXES: link.arrived_with(AXES) or ""}
    known, place = st.session_state.get(STATE, (None, None))
    if place is None or known != (IMAGES.present(), PLANES.present(), START.present()):
        return {}
    return {CODE: code_text(place), AXES: axes_text(place)}


PLACE = Custom(lambda: None, more=_read)


def pad(setting: Setting, model: Autoencoder, place: Place) -> Widget:
    """The pad at a place."""
    return Widget(lambda: _show(setting, model, place))


def keep(setting: Setting, place: Place) -> None:
    """Let the pad stand at a place as long as images, code and start stay as they are."""
    st.session_state[STATE] = ((setting[IMAGES], setting[PLANES], setting[START]), place)


def _show(setting: Setting, model: Autoencoder, place: Place) -> None:
    keep(setting, place)
    _into_link(place, at_start(model, setting[START]))
    if reason := st.session_state.get(switch.FAILED):
        st.caption(f"This browser cannot run the decoder ({reason}); the traversals below do not need it.")
        return

    def commit(event: dict[str, Any]) -> None:
        switch.note_failure(event)
        found = decoder.committed(event, model.latent_dim)
        if found is not None:
            keep(setting, found)

    order, weights = order_of(model)
    decoder.show(
        model.fit,
        model.shape,
        dots_of(model),
        place,
        commit,
        key=KEY,
        reach=REACH,
        near=NUM_NEAR,
        mostly=MOSTLY,
        walk=walk_of(setting, model),
        order=[] if model.latent_dim == 2 else order[:MAX_KNOBS],
        weights=weights.tolist(),
    )


def dots_of(model: Autoencoder) -> decoder.Dots:
    """The codes of the training images whose average posterior says what is far out."""
    mean, std, labels = (each[:NUM_AROUND] for each in (model.mean("train"), model.std("train"), model.labels("train")))
    return decoder.Dots(mean, std, labels, model.rare_density())


def _into_link(place: Place, start: Place) -> None:
    if place.code != start.code:
        link.add(CODE, code_text(place))
    if (place.across, place.up) != (start.across, start.up):
        link.add(AXES, axes_text(place))
