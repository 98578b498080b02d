"""Small pictures of the pages, for cards that link to them; `python -m scripts.take_thumbnails` takes them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[2] / "topics" / "start" / "home" / "thumbnails"
WIDTH, HEIGHT = 480, 300  # px


def path_of(page: str, kind: str) -> Path:
    """The file of the thumbnail of a page in the "light" or the "dark" theme, whether it exists or not."""
    return FOLDER / f"{page.replace('/', '-')}-{kind}.webp"


@cache
def find(page: str, kind: str) -> Path | None:
    """The thumbnail of a page, by its file's name under pages/; None if there is none."""
    path = path_of(page, kind)
    return path if path.is_file() else None
