"""The map of codes: the images behind chosen points, the classes shown, and t-SNE for other perplexities."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from bdlviz.errors import InvalidInput
from bdlviz.topics.generative.latent_space import chosen, code_map, views
from bdlviz.topics.shared.autoencoders import Autoencoder
from bdlviz.types import Snapshot
from bdlviz.ui.model import Result, Setting, Sheet, all_parts
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of


def drawn(**values: str) -> Result:
    return result_of("latent_space", values)


@pytest.mark.parametrize(
    ("numbers", "rows"),
    [("", []), ("7", [6]), ("3, 5,", [2, 4]), (" 8 - 10 ", [7, 8, 9]), ("2–3,2", [1, 2]), ("100", [99])],
)
def test_images_are_chosen_by_number(numbers: str, rows: list[int]):
    assert chosen.rows_of(numbers, 100) == rows


@pytest.mark.parametrize("numbers", ["0", "101", "9-3", "a", "-4", "4-", "1.5", "²", "1-999999999999"])
def test_a_number_of_no_image_gets_one_sentence(numbers: str):
    with pytest.raises(InvalidInput, match="1 to 100"):
        chosen.rows_of(numbers, 100)


@pytest.mark.parametrize(("asked", "count"), [("7", 1), ("40-60", 21), ("1-1437", 1437)])
@pytest.mark.parametrize("way", ["chosen_images", "picked_rows"])
def test_chosen_images_are_shown(way: str, asked: str, count: int):
    rows = chosen.rows_of(asked, 1437)
    values = {way: asked if way == "chosen_images" else ",".join(map(str, rows))}
    result = drawn(images="digits", **values)
    assert len(rows) == count and (count == 1 or any(count in numbers_in(each) for each in result.words))
    assert [figure.key for figure in result.figures] == ["code_map_digits_20_train", "posterior_bars"]
    assert sum(isinstance(part, Sheet) for part in all_parts(result.parts)) == 2


def test_a_number_of_no_image_is_said_on_the_page_as_plain_text():
    result = drawn(images="digits", chosen_images="5-<b>")
    [said] = [each for each in result.words if "1 to 1,437" in each]
    assert "<b>" not in said and len(result.figures) == 1
    assert len(drawn(images="digits", picked_rows="1437,99999").figures) == 1, "Rows beyond the images are ignored."


@pytest.mark.parametrize(("classes", "names"), [("47", ["4", "7"]), ("", [str(digit) for digit in range(10)])])
def test_only_the_chosen_classes_are_shown(classes: str, names: list[str]):
    figure: Any = drawn(classes=classes).figures[0].figure
    assert [trace.name for trace in figure.data if trace.customdata is not None] == names


@pytest.mark.parametrize("values", [{"colour": "kl"}, {"marks": "points"}, {"part": "test"}, {"codes": "2d"}])
def test_classes_and_colours_need_no_new_embedding(values: dict[str, str]):
    need = code_map.needed(Setting({"images": "digits", **values}))
    assert need.shipped is not None and need.shipped() is not None


def test_another_perplexity_streams_positions_and_ends_with_a_map(monkeypatch: pytest.MonkeyPatch):
    few = Autoencoder.mean
    monkeypatch.setattr(Autoencoder, "mean", lambda self, part: few(self, part)[:200])
    need = code_map.needed(Setting({"images": "digits", "part": "test", "perplexity": "10"}))
    assert need.shipped is None and need.work is not None and need.kind == "embedding"
    looks: list[Snapshot[Any]] = []
    cancel = threading.Event()
    positions = need.work(lambda now: looks.append(now) is None, cancel)
    assert positions.shape == (200, 2) and len(looks) > 1 and looks[0].take().shape == (200, 2)
    assert np.array_equal(need.read(positions).positions, positions)
    cancel.set()
    with pytest.raises(InvalidInput):
        need.work(lambda now: True, cancel)


@pytest.mark.parametrize(("same", "told"), [(885, (89, 11)), (998, (99.8, 0.2)), (1000, (100, 0)), (1, (0.1, 99.9))])
def test_shares_of_nearest_codes_add_up_and_only_none_is_no_share(monkeypatch: Any, same: int, told: tuple[float, ...]):
    monkeypatch.setattr(Autoencoder, "has_same_class_nearest", lambda *_: np.arange(1000) < same)
    shares = [numbers_in(each) for each in views.nearest_codes(object.__new__(Autoencoder), "train")]
    assert shares == [[told[0]], [told[1]]]
