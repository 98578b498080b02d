"""Predict first: the question of a scene is shown before its picture, until the visitor commits a guess."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import streamlit as st

from bdlviz.lectures.exercise import Prediction
from bdlviz.ui.controls.control import Control, set_controls
from bdlviz.ui.frame import mode
from bdlviz.ui.places import link

if TYPE_CHECKING:
    from bdlviz.ui.model import Page, Scene

OPEN = "open_prediction"  # session state: (page, scene, the control values of the answer)
GUESSES = "guesses"  # session state: (page, scene) -> the guessed option
COVERED = "covered"  # key of the container of the hidden picture, which is the answer
WIDGET = "guess"
GUESS, SKIP = "guess", "no"  # in the link: show the answer at once

# Options have a frame. A question that covers the picture takes its place, as a slide with one option in a row.
OPTION = '.st-key-prediction [data-testid="stRadioOption"]'
STYLE = f"""
<style>
.st-key-prediction, .st-key-prediction [data-testid="stElementContainer"] {{ width: 100% !important; }}
.st-key-prediction [role="radiogroup"] {{ width: 100%; flex-flow: row wrap; gap: 0.5rem; align-items: stretch; }}
.st-key-prediction [role="radiogroup"] > div {{ flex: 1 1 12rem; display: flex; }}
{OPTION} {{
  flex: 1; margin: 0; padding: 0.4rem 0.8rem; align-items: center; max-width: none;
  border: 1px solid rgba(128, 128, 128, 0.4); border-radius: 0.6rem; cursor: pointer;
}}
{OPTION}:hover {{ border-color: currentColor; }}
{OPTION}:has(input:checked) {{ border-color: currentColor; box-shadow: inset 0 0 0 1px currentColor; }}
</style>
"""
SLIDE = f"""
<style>
.st-key-{COVERED} {{ visibility: hidden; height: 0; min-height: 0; overflow: hidden; }}
.st-key-prediction {{ padding: 1.5rem 2.5rem; justify-content: center; min-height: calc(var(--room) - 1rem); }}
.st-key-prediction > div:first-child p {{ font-size: 1.4rem; line-height: 1.35; }}
.st-key-prediction [role="radiogroup"] {{ flex-direction: column; gap: 0.8rem; }}
.st-key-prediction [role="radiogroup"] > div {{ flex: none; }}
{OPTION} {{ padding: 0.8rem 1.2rem; }}
{OPTION} p {{ font-size: 1.2rem; line-height: 1.35; }}
@media (max-width: 640px) {{
  .st-key-prediction {{ padding: 1rem; min-height: 0; }}
  .st-key-prediction > div:first-child p {{ font-size: 1.15rem; }}
  {OPTION} p {{ font-size: 1rem; }}
}}
</style>
"""
HEIGHT = 190  # px that a question above its picture takes


def ask(page: Page, scene: Scene, values: Mapping[str, str]) -> None:
    """Open the question of a scene (for use in a callback); ``values`` are the control values of the answer."""
    set_controls(_before(scene, values), page.controls)
    st.session_state[OPEN] = (page.title, scene.name, dict(values))
    st.session_state.pop(WIDGET, None)


def drop() -> None:
    """Close the open question (for use in a callback)."""
    st.session_state.pop(OPEN, None)


def is_open(page: Page) -> Scene | None:
    """The scene whose question is open on this page, or None; moving a control closes the question."""
    title, name, values = st.session_state.get(OPEN, ("", "", {}))
    scene = next((scene for scene in page.scenes if scene.name == name), None)
    if title != page.title or scene is None:
        return None
    return scene if stands_at(_before(scene, values), link.settings(page.controls), page.controls) else None


def _before(scene: Scene, values: Mapping[str, str]) -> Mapping[str, str]:
    """The control values while the question is open; ``values`` are those of the answer."""
    if scene.ask is None or scene.ask.before is None:
        return values
    return scene.ask.before


def stands_at(values: Mapping[str, str], present: Mapping[str, str], controls: Sequence[Control]) -> bool:
    """True if the ``present`` settings equal ``values`` where given, and are at their defaults elsewhere."""
    return all(present.get(c.key, c.default) == values.get(c.key, c.default) for c in controls)


def covers(scene: Scene) -> bool:
    """True if the question of a scene takes the place of the picture: where the picture answers it, and on a slide."""
    return scene.ask is not None and (scene.ask.is_covered or mode.is_magnified())


def height(page: Page) -> int:
    """The height in px that a question above the picture takes; 0 without one."""
    scene = is_open(page)
    return HEIGHT if scene is not None and not covers(scene) else 0


def show(page: Page, scene: Scene) -> None:
    """Show the open question, its options and the button that commits a guess."""
    assert scene.ask is not None
    choice = scene.ask.choice
    st.html(STYLE + SLIDE if covers(scene) else STYLE)
    link.add(link.SCENE, scene.name)
    with st.container(key="prediction", border=True):
        st.markdown(f"**Predict first.** {choice.question}")
        st.radio("Your guess", choice.options, index=None, key=WIDGET, label_visibility="collapsed")
        has_guess = st.session_state.get(WIDGET) is not None
        words = "Show me" if has_guess else "Choose an answer, then see"
        st.button(words, key="commit_guess", type="primary", disabled=not has_guess, on_click=commit, args=(page,))


def commit(page: Page) -> None:
    """Store the guess, if there is one, and show the answer (for use in a callback)."""
    if OPEN not in st.session_state:
        return  # pressed twice before the page responded
    title, name, values = st.session_state.pop(OPEN)
    guess = st.session_state.get(WIDGET)
    if guess is not None:
        st.session_state.setdefault(GUESSES, {})[(title, name)] = guess
    set_controls(values, page.controls)


def verdict(page: Page, scene: Scene) -> str:
    """The verdict on the visitor's guess in words; "" without a guess."""
    guess = st.session_state.get(GUESSES, {}).get((page.title, scene.name))
    if scene.ask is None or guess is None:
        return ""
    return told(scene.ask, guess)


def told(asked: Prediction, guess: str) -> str:
    """The verdict on a guess."""
    choice = asked.choice
    if choice.is_right(guess):
        return f"**Your guess was right**: {guess} {choice.because}"
    return f"**Your guess**: {guess} **The answer**: {choice.solution} {choice.because}"
