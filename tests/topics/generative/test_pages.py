"""The pages on generative models without a browser: bad links, other codes, and how their widgets are wired."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.told import numbers_in
from tests.ui.harness import assert_works, figures, move, open_further, open_page


@pytest.mark.parametrize("page", ["manifold", "autoencoder", "conditional"])
@pytest.mark.parametrize(("key", "asked"), [("codes", "20d"), ("latent_dim", "20"), ("codes", "<b>")])
def test_a_page_of_planes_says_so_to_a_link_for_longer_codes(page: str, key: str, asked: str):
    app = open_page(page, {key: asked})
    assert_works(app, warnings=1)
    assert not open_page(page, {key: "2"}).warning


def test_the_place_in_the_link_is_kept():
    app = open_page("decode", {"z": "1.5,-0.25"})
    assert_works(app)
    assert app.query_params["z"] == "1.5,-0.25"
    assert "z" not in move(app, "start", "origin").query_params


def test_a_link_may_name_classes_and_images():
    app = open_page("latent_space", {"images": "digits", "classes": "47xx", "chosen_images": "40-60"})
    assert_works(app)
    assert [trace["name"] for trace in figures(app)[0]["data"]][:3] == ["4", "7", "chosen"]
    assert (app.query_params["classes"], app.query_params["chosen_images"]) == ("47", "40-60")
    assert any(21 in numbers_in(each.value) for each in app.markdown)
    assert_works(move(app, "colour", "kl"))
    assert (app.query_params["classes"], app.query_params["chosen_images"]) == ("47", "40-60")


def pictures(app: AppTest) -> list[str]:
    """What tells the pictures of one run of a page from those of another."""
    sheets: list[Any] = [*app.get("image")]
    charts: list[Any] = [*app.get("plotly_chart")]
    return [each.proto.imgs[0].url for each in sheets] + [each.proto.spec for each in charts]


@pytest.mark.parametrize(
    ("page", "field", "value"),
    [
        ("decode", "interpolate_From", 7),
        ("conditional", "lender", 7),
        ("conditional", "classified", 12),
        ("autoencoder", "walk_to", 1),
        ("vae", "pixel_parameter", 0.5),
    ],
)
def test_fields_of_a_further_picture_draw_it_anew(page: str, field: str, value: float):
    app = open_further(page, field)
    before = pictures(app)
    widgets = [*app.select_slider, *app.number_input]
    next(widget for widget in widgets if widget.key == field).set_value(value).run()
    assert_works(app)
    assert pictures(app) != before


def test_other_samples_are_drawn():
    app = open_further("manifold", "draw_others")
    first = pictures(app)
    app.button(key="draw_others").click().run()
    assert pictures(app) != first
