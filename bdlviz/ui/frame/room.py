"""The height that the main picture of a page may have, so that it and its sliders are on the first screen."""

from __future__ import annotations

from bdlviz.ui.frame import mode, window

ABOVE, ABOVE_PRESENTING = 190, 130  # px above the picture: navigation, heading and scenes; or only the heading
SLIDERS, SLIDERS_PRESENTING = 92, 116  # px of the row of sliders under the picture
BAR = 64  # px of the bar at the bottom in presenter mode
MARGIN = 16  # px left free at the bottom
LEAST = 300  # px; a lower picture could not be read
GROWTH = 1.4  # how much higher than its usual height a picture becomes at most


def available(has_sliders: bool) -> int | None:
    """The height in px for the main picture; None on a phone, where one column scrolls anyway."""
    return None if window.is_narrow() else room(has_sliders)


def room(has_sliders: bool) -> int:
    """The height in px between the scenes and the sliders in the visitor's window."""
    if mode.is_magnified():
        taken = ABOVE_PRESENTING + BAR + (SLIDERS_PRESENTING if has_sliders else 0)
    else:
        taken = ABOVE + MARGIN + (SLIDERS if has_sliders else 0)
    return max(LEAST, window.height() - taken)


def fitted(height: float, available: int) -> float:
    """The height in px of a picture that is usually ``height`` px high."""
    return max(LEAST, min(GROWTH * height, available))


def style(ground: str) -> str:
    """A style sheet that tells views in the browser the available height, and the colour of the page."""
    return f"<style>:root {{ --room: {room(has_sliders=False)}px; --page-ground: {ground}; }}</style>"
