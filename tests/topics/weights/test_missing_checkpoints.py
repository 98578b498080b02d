"""A checkpoint that is missing, cut off or another one gets one sentence, and the rest of the page works."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.ui.harness import assert_works, damage, figures, move, open_page

ARD = {"look": "network", "compressed_images": "mnist", "compressed_by": "ard"}
PIXELS = {"noise_look": "pixels", "images": "digits"}
SHOWN = (  # page, link, checkpoint, and an option that needs another checkpoint
    ("signal_to_noise", {"look": "removal", "images": "digits"}, "bayes_digits_honest", ("preset", "small_sigma")),
    ("signal_to_noise", {"look": "notebook", "images": "digits"}, "notebook_digits", ("look", "removal")),
    (
        "variational_dropout",
        {"noise_look": "pixels", "images": "digits"},
        "learned_noise_digits",
        ("noise_look", "divergence"),
    ),
    ("compression", ARD, "pruned_mnist_ard", ("compressed_images", "digits")),
    ("sparsity", {}, "pruned_mnist_sparse_variational_dropout", ("images", "digits")),
)


@pytest.mark.parametrize("how", ["removed", "truncated", "other"])
@pytest.mark.parametrize(("page", "query", "name", "away"), SHOWN, ids=[name for _, _, name, _ in SHOWN])
def test_a_missing_checkpoint_gets_one_sentence(
    page: str, query: dict[str, str], name: str, away: tuple[str, str], how: str, own_shelf: Path
):
    damage(own_shelf, name, how)
    app = open_page(page, query)
    assert not app.exception and not app.error and not figures(app)
    [said] = [each.value for each in app.warning]
    assert f"python -m bdlviz train {name}" in said
    assert_works(move(app, *away))
