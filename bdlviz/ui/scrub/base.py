"""A view that runs in the browser: registered from files, fed with blocks of numbers, heard when it commits.

``client/base`` holds what every such view needs (blocks, elements, a sharp canvas with axes, pointers); a view's own
folder beside it holds the rest. The files are plain scripts that together make one module; nothing is fetched from
anywhere. A view says one thing to Python, ``commit``, which `mount` passes on to its callback.
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
HEAD_START = 0.004  # seconds: the server's thread sends the picture before this one goes on to what stands below it
LAST_EVENT = "last_event"  # session state: the name of the event heard last, and what it changed
ONCE = frozenset({"edit", "compare"})  # what an event may ask for that gives something else the second time
GONE = object()  # in place of the value of a key that an event has taken away
MOUNTED = "mounted_blocks"  # session state: view -> what the last run of the page has mounted for it
HIDDEN = "scrub_blocks"  # key of the containers that hold what is data only


@cache
def _store() -> Callable[..., Any]:
    """The component that holds a block and shows nothing."""
    return v2.component(
        "bdlviz_block", js="\n".join(_read(CLIENT / "base" / f"{name}.js") for name in ("blocks", "store"))
    )


@cache
def component(name: str, scripts: Sequence[str]) -> Callable[..., Any]:
    """The component of a view: its folder's scripts after those of the base, its page and its style sheet."""
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

    Each block is an element of its own, so that Streamlit sends it once and afterwards only says that it is the same.
    The page's own widgets of the keys that the view ``stands_for`` are taken out of sight: they go on holding the
    values.
    """
    with st.container(key=f"{HIDDEN}_{key}"):
        hidden = (f".st-key-{name}" for name in (f"{HIDDEN}_{key}", *sorted(stands_for)))
        st.html(f"<style>{', '.join(hidden)} {{ display: none; }}</style>")
        for place, block in _unknown(key, blocks).items():
            _store()(key=f"{key}_{place}", data=block)
    view(key=key, data=dict(data), on_commit_change=lambda: _hear(key, on_commit))
    time.sleep(HEAD_START)


def _unknown(key: str, blocks: Mapping[str, bytes]) -> Mapping[str, bytes]:
    """The blocks to mount: in a run of a part of the page, those that the last run of the whole has not mounted.

    The browser keeps what was mounted, and to send a large block by its name only, Streamlit has to hash it all.
    """
    mounted = st.session_state.setdefault(MOUNTED, {})
    if is_alone():
        return {place: block for place, block in blocks.items() if mounted.get(key, {}).get(place) != hash(block)}
    mounted[key] = {place: hash(block) for place, block in blocks.items()}
    return blocks


def _hear(key: str, on_commit: Callable[[dict[str, Any]], None]) -> None:
    """Pass on what the view of that key has just committed.

    Of an event that must happen once, and comes once more, only the outcome is repeated: Streamlit may send an event
    twice, and may give up the first run between this call and the page, in favour of the second, which comes with the
    controls as they were before.
    """
    said = st.session_state.get(key)  # none where a forged request speaks of a view that is not on the page
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
    """The name by which a view asks for a block."""
    return name_of(block)


@cache
def tokens(theme: Theme) -> dict[str, Any]:
    """The theme as a view gets it: colours by meaning, sizes, and the few shades that only pages need."""
    plain = {name: value for name, value in vars(theme).items() if isinstance(value, str | int | float)}
    return plain | {
        "line": mix(theme.paper, theme.ink, 0.2),
        "draws_text": theme.text(theme.draws),
        "mean_text": theme.text(theme.mean),
        "mean_tint": tint(theme.mean, 0.1),
        "pad_low": mix(theme.paper, theme.ink, 0.06),
    }
