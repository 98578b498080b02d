"""Views that run in the browser: their registration, the blocks of numbers that they draw, and their events.

``client/base`` contains the code shared by all views (blocks, elements, a sharp canvas with axes, pointers); the other
folders contain one view each. The files are plain scripts that are joined to one module; the browser fetches nothing
else. A view sends one kind of event to Python, ``commit``, which `mount` passes on to its callback.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components import v2

from bdlviz.plots.theme import Theme, mix, tint
from bdlviz.predictive.surface import name_of
from bdlviz.ui.frame.redraw import is_alone

CLIENT = Path(__file__).resolve().parent / "client"
BASE_SCRIPTS = ("blocks", "elements", "canvas", "pointer")
SEND_PAUSE_S = 0.004  # lets the server's thread send the picture before this one computes the parts below it
LAST_EVENT = "last_event"  # session state: the name of the last event, and what it changed
ONCE = frozenset({"edit", "compare"})  # requests of an event whose repetition would change the outcome
GONE = object()  # marks a key that an event has removed
MOUNTED = "mounted_blocks"  # session state: view -> blocks that the last run of the page mounted
HIDDEN = "scrub_blocks"  # key of the containers that only hold data


@cache
def _store() -> Callable[..., Any]:
    """The invisible component that holds a block."""
    return v2.component(
        "bdlviz_block", js="\n".join(_read(CLIENT / "base" / f"{name}.js") for name in ("blocks", "store"))
    )


@cache
def component(name: str, scripts: Sequence[str]) -> Callable[..., Any]:
    """The component of a view: the scripts of the base and of its folder, its HTML and its style sheet."""
    files = [*(CLIENT / "base" / f"{script}.js" for script in BASE_SCRIPTS)]
    files += [CLIENT / name / f"{script}.js" for script in scripts]
    return v2.component(
        f"bdlviz_{name}",
        html=_read(CLIENT / name / f"{name}.html"),
        css="\n".join(map(_read, (CLIENT / "base" / "base.css", CLIENT / name / f"{name}.css"))),
        js="\n".join(map(_read, files)),
    )


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def mount(
    view: Callable[..., Any],
    key: str,
    data: Mapping[str, Any],
    blocks: Mapping[str, bytes],
    on_commit: Callable[[dict[str, Any]], None],
    stands_for: Iterable[str] = (),
) -> None:
    """Put a view on the page, with the blocks that its data names.

    Each block is a separate element, so that Streamlit sends it once and later only says that it has not changed. The
    page's widgets with the keys in ``stands_for`` are hidden; they still hold the values.
    """
    with st.container(key=f"{HIDDEN}_{key}"):
        # With the wrapper of the container, which would leave a gap above the view.
        hidden = (f":has(> .st-key-{HIDDEN}_{key})", *(f".st-key-{name}" for name in sorted(stands_for)))
        st.html(f"<style>{', '.join(hidden)} {{ display: none; }}</style>")
        for place, block in _unknown(key, blocks).items():
            _store()(key=f"{key}_{place}", data=block)
    view(key=key, data=dict(data), on_commit_change=lambda: _hear(key, on_commit))
    time.sleep(SEND_PAUSE_S)


def _unknown(key: str, blocks: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The blocks to mount. In a run of a part of the page, those that the last full run did not mount.

    The browser keeps mounted blocks, and Streamlit would hash a large block only to find that it has not changed.
    """
    mounted = st.session_state.setdefault(MOUNTED, {})
    if is_alone():
        return {place: block for place, block in blocks.items() if mounted.get(key, {}).get(place) != hash(block)}
    mounted[key] = {place: hash(block) for place, block in blocks.items()}
    return blocks


def _hear(key: str, on_commit: Callable[[dict[str, Any]], None]) -> None:
    """Pass the last event of the view with that key to ``on_commit``.

    Streamlit may deliver an event twice, and may interrupt the first run after this call in favour of the second one,
    which has the old values of the controls. So for a repeated event that must happen once, only its outcome is
    restored.
    """
    said = st.session_state.get(key)  # None for a forged request about a view that is not on the page
    committed = said.get("commit") if said else None
    event = dict(committed) if isinstance(committed, dict) else {}
    name = event.pop("name", None)
    last, outcome = st.session_state.get(LAST_EVENT, (None, {}))
    if name is None or ONCE.isdisjoint(event):
        on_commit(event)
        return
    if name != last:
        before = _state(but=key)
        on_commit(event)
        outcome = {key: value for key, value in _state(but=key).items() if before.get(key, GONE) is not value}
        outcome |= dict.fromkeys(before.keys() - st.session_state.keys(), GONE)
        st.session_state[LAST_EVENT] = (name, outcome)
        return
    for changed, value in outcome.items():
        if value is GONE:
            st.session_state.pop(changed, None)
        else:
            st.session_state[changed] = value


def _state(but: str) -> dict[str, Any]:
    return {str(key): value for key, value in st.session_state.items() if key not in (but, LAST_EVENT)}


def block_name(block: bytes) -> str:
    """The name of a block: the hash of its bytes."""
    return name_of(block)


@cache
def tokens(theme: Theme) -> dict[str, Any]:
    """The theme for a view: colours by meaning, sizes, and a few further colours of pages."""
    plain = {name: value for name, value in vars(theme).items() if isinstance(value, str | int | float)}
    return plain | {
        "line": mix(theme.paper, theme.ink, 0.2),
        "draws_text": theme.text(theme.draws),
        "mean_text": theme.text(theme.mean),
        "mean_tint": tint(theme.mean, 0.1),
        "pad_low": mix(theme.paper, theme.ink, 0.06),
    }
