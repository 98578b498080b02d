"""The height that the main picture of a page may have, so that it and its sliders are on the first screen."""

from __future__ import annotations

import math

from bdlviz.ui.frame import mode, window

ABOVE = 192  # px above the picture without the sentence: navigation, heading, claim, the line of the start, scenes
LINE = 26  # px of one line of the sentence
SLIDERS = 84  # px of the row of sliders under the picture
# In presenter mode, in units of the font size: what is above the picture without the sentence, one line of the
# sentence, the row of sliders, the bar at the bottom.
ABOVE_PRESENTING, LINE_PRESENTING, SLIDERS_PRESENTING, BAR = 3.6, 1.75, 2.7, 2.1
VIEW_PRESENTING = 4.7  # the same of what stands around the canvas of a view in the browser
CHARACTERS, CHARACTERS_PRESENTING = 140, 98  # of a line of the sentence, in a window as wide as most
MARGIN = 16  # px left free at the bottom
LEAST = 300  # px; a lower picture could not be read
GROWTH, GROWTH_PRESENTING = 1.4, 2.5  # how much higher than its usual height a picture becomes at most


def available(has_sliders: bool, sentence: str = "", taken: int = 0) -> int | None:
    """The height in px for the main picture; None on a phone, where one column scrolls anyway.

    ``taken`` is the height of something else above it, such as a question.
    """
    return None if window.is_narrow() else room(has_sliders, len(sentence)) - taken


def room(has_sliders: bool, characters: int) -> int:
    """The height in px between the scenes and the sliders in the visitor's window, under a sentence of that length."""
    if mode.is_magnified():
        above = ABOVE_PRESENTING + LINE_PRESENTING * max(1, math.ceil(characters / CHARACTERS_PRESENTING))
        taken = round((above + BAR + has_sliders * SLIDERS_PRESENTING) * mode.rem(window.height()))
    else:
        lines = max(1, math.ceil(characters / CHARACTERS))
        taken = ABOVE + LINE * lines + MARGIN + (SLIDERS if has_sliders else 0)
    return max(LEAST, window.height() - taken)


def fitted(height: float | None, available: int, is_presenting: bool) -> float:
    """The height in px of a picture that is usually ``height`` px high."""
    growth = GROWTH_PRESENTING if is_presenting else GROWTH
    return max(LEAST, min(growth * (height or mode.UNSET_HEIGHT), available))


def style(ground: str, has_sliders: bool, sentence: str) -> str:
    """A style sheet that tells views in the browser the available height, and the colour of the page."""
    available = room(has_sliders, len(sentence))
    values = {"--room": f"{available}px", "--page-ground": ground}
    if mode.is_magnified():
        values["--canvas"] = f"{available - round(VIEW_PRESENTING * mode.rem(window.height()))}px"
    return f"<style>:root {{ {' '.join(f'{name}: {value};' for name, value in values.items())} }}</style>"
