"""Step and play through the rounds of a run: two buttons that move a slider."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Custom, Setting

PACE = 0.7  # seconds a round stands while it plays
PLAYING, ADVANCE = "playing", "advance"  # keys in the session state


def round_control(key: str, label: str, last: int, default: int, help: str, first: int = 0) -> Control:
    """A slider over rounds."""
    return Control(key, label, tuple(str(number) for number in range(first, last + 1)), str(default), "slider", help)


def player(control: Control) -> Custom:
    """The buttons that move the slider of the rounds; the slider itself is under the picture."""
    return Custom(lambda: show_buttons(control))


def show_buttons(control: Control) -> None:
    """*Step* and *Play*, which move the slider of the rounds."""
    state = st.session_state
    if state.pop(ADVANCE, None) == control.key:
        step(control)
    is_playing = state.get(PLAYING) == control.key and not _is_last(control)
    if not is_playing and state.get(PLAYING) == control.key:
        state.pop(PLAYING)
    with st.container(horizontal=True, key="player"):
        st.button("Step", key=f"step_{control.key}", on_click=step, args=(control,), disabled=_is_last(control))
        label = "Pause" if is_playing else "Play"
        st.button(label, key=f"play_{control.key}", on_click=toggle, args=(control,))
    if is_playing:
        _tick(control.key)


def round_of(setting: Setting, control: Control, last: int) -> int:
    """The round that the slider shows, at most the last one there is."""
    return min(int(setting[control]), last)


def step(control: Control) -> None:
    """One round further (for use in a callback)."""
    at = _position(control)
    st.session_state[control.key] = control.options[min(at + 1, len(control.options) - 1)]


def toggle(control: Control) -> None:
    """Start to play, from the first round on where the last one is shown; or pause."""
    state = st.session_state
    if state.get(PLAYING) == control.key:
        state.pop(PLAYING)
        return
    if _is_last(control):
        state[control.key] = control.options[0]
    state[PLAYING] = control.key


@st.fragment(run_every=PACE)
def _tick(key: str) -> None:
    context = get_script_run_ctx()
    if context and context.fragment_ids_this_run:  # not the run of the whole page, which drew this round
        st.session_state[ADVANCE] = key
        st.rerun()


def _position(control: Control) -> int:
    options: Sequence[str] = control.options
    return options.index(control.present())


def _is_last(control: Control) -> bool:
    return _position(control) == len(control.options) - 1
