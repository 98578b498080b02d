"""The height that the main picture of a page may have, so that it and its sliders are on the first screen."""

from __future__ import annotations

from bdlviz.ui.frame import mode, window

ABOVE = 190  # px above the picture: navigation, heading and scenes
SLIDERS = 92  # px of the row of sliders under the picture
# In presenter mode, in units of the font size: heading, row of sliders, row of numbers, the bar at the bottom.
ABOVE_PRESENTING, SLIDERS_PRESENTING, NUMBERS_PRESENTING, BAR = 5.0, 4.2, 3.7, 2.6
VIEW_PRESENTING = 11.8  # the same of what stands around the canvas of a view in the browser
MARGIN = 16  # px left free at the bottom
LEAST = 300  # px; a lower picture could not be read
GROWTH, GROWTH_PRESENTING = 1.4, 2.5  # how much higher than its usual height a picture becomes at most


def available(has_sliders: bool, has_numbers: bool = False, taken: int = 0) -> int | None:
    """The height in px for the main picture; None on a phone, where one column scrolls anyway.

    ``taken`` is the height of something else above it, such as a question.
    """
    return None if window.is_narrow() else room(has_sliders, has_numbers) - taken


def room(has_sliders: bool, has_numbers: bool = False) -> int:
    """The height in px between the scenes and the sliders in the visitor's window.

    In presenter mode the key numbers of the page are in the window, too.
    """
    if mode.is_magnified():
        lines = ABOVE_PRESENTING + BAR + has_sliders * SLIDERS_PRESENTING + has_numbers * NUMBERS_PRESENTING
        taken = round(lines * mode.rem(window.height()))
    else:
        taken = ABOVE + MARGIN + (SLIDERS if has_sliders else 0)
    return max(LEAST, window.height() - taken)


def fitted(height: float | None, available: int, is_presenting: bool) -> float:
    """The height in px of a picture that is usually ``height`` px high."""
    growth = GROWTH_PRESENTING if is_presenting else GROWTH
    return max(LEAST, min(growth * (height or mode.UNSET_HEIGHT), available))


def style(ground: str, has_sliders: bool = False) -> str:
    """A style sheet that tells views in the browser the available height, and the colour of the page."""
    available = room(has_sliders)
    values = {"--room": f"{available}px", "--page-ground": ground}
    if mode.is_magnified():
        values["--canvas"] = f"{available - round(VIEW_PRESENTING * mode.rem(window.height()))}px"
    return f"<style>:root {{ {' '.join(f'{name}: {value};' for name, value in values.items())} }}</style>"
