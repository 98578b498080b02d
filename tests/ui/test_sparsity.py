"""The page on sparse weights: its numbers are those of the networks, and nothing missing or damaged breaks it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import softmax

from bdlviz.errors import InvalidInput
from bdlviz.fits import configure, fit
from bdlviz.fitted import checkpoints, shelf
from bdlviz.methods import sparse_variational_dropout as sparse
from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity import one_weight
from bdlviz.topics.weights.sparsity import study as sparsity_study
from bdlviz.topics.weights.sparsity import views_runs as sparsity_views_runs
from bdlviz.topics.weights.sparsity import views_size as sparsity_views_size
from bdlviz.topics.weights.sparsity import views_table as sparsity_views_table
from bdlviz.topics.weights.sparsity.views import constant_answer
from bdlviz.types import Dataset
from bdlviz.ui.jobs import queue as jobs
from tests.ui.harness import assert_works, drawn, figures, move, open_page, press

PAGE = "sparsity"
NAME = sparsity_study.name_of("sparse_variational_dropout", "digits")
WITH_A_RUN = ("pixels", "units", "histograms", "training", "signal")
DIGITS = {"images": "digits"}


def metrics(app: Any) -> dict[str, str]:
    """The numbers on the page by their labels."""
    return {each.label: each.value for each in app.metric}


def says(app: Any, words: str) -> bool:
    """Does a caption hold these words?"""
    return any(words in each.value for each in app.caption)


@pytest.fixture(scope="module")
def made_up_networks() -> list[tuple[str, bytes, dict[str, Any]]]:
    """Networks on made-up images of MNIST's size, with as many inputs and weights: name, file and manifest's entry."""
    rng = np.random.default_rng(0)
    x, y = rng.random((30, 784), np.float32), np.arange(30) % 10
    made_up = Dataset(
        name="mnist", title="Made up", x=x, y=y, x_test=x, y_test=y, task="classification", image_shape=(28, 28)
    )
    found = []
    for warm_up, images in ((None, "mnist"), (None, "mnist1000"), (0.5, "mnist1000")):
        changed: dict[str, Any] = {"num_epochs": 2} | ({} if warm_up is None else {"kl_warm_up": warm_up})
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sparsity_study, "load", lambda name: made_up)
            trained, extra = sparsity_study.prunable("sparse_variational_dropout", images, (0, 1), **changed)
        name = sparsity_study.name_of("sparse_variational_dropout", images, warm_up)
        entry = {"config": checkpoints.config_to_json(trained.config)}
        found.append((name, checkpoints.to_bytes(trained, half=True, extra=extra), entry))
    return found


@pytest.fixture
def mnist(own_shelf: Path, made_up_networks: list[tuple[str, bytes, dict[str, Any]]]) -> Path:
    """A shelf with these networks."""
    for name, content, entry in made_up_networks:
        shelf.put(name, content, entry, own_shelf)
    return own_shelf


# Shipped runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("threshold", ["-8", "0", "3", "8"])
@pytest.mark.parametrize("view", ["histograms", "units", "signal"])
def test_the_numbers_are_those_of_the_network_pruned_there(view: str, threshold: str):
    app = open_page(PAGE, DIGITS | {"look": view, "threshold": threshold})
    assert_works(app)
    trained, extra = shelf.shipped(NAME)
    at = int(np.abs(sparsity_study.THRESHOLDS - float(threshold)).argmin())
    found, params = metrics(app), trained.single()
    assert found["Held-out accuracy"] == f"{extra['threshold_accuracy'][at]:.1%}"
    assert found["Compression"] == sparsity_views_runs.times(sparse.PRUNER.compression(params, float(threshold)))
    shares = sparse.PRUNER.sparsity(params, float(threshold))
    left = found["Left in layers 1 · 2 · 3"].removesuffix(" %").split(" · ")
    for layer, said in enumerate(left):
        assert float(said) == pytest.approx(100 * (1 - shares[f"weight{layer}"]), abs=0.051 if "." in said else 0.51)


@pytest.mark.parametrize("done", ["0", "50", "100"])
def test_the_picture_of_the_pixels_is_that_of_the_moment(done: str):
    app = open_page(PAGE, DIGITS | {"done": done})
    _, extra = shelf.shipped(NAME)
    at = int(np.abs(extra["step"] - float(done) / 100 * extra["step"][-1]).argmin())
    assert metrics(app)["Pixels without a weight"] == f"{(extra['alive'][at] == 0).sum()} of 64"
    assert metrics(app)["Held-out accuracy"] == f"{extra['accuracy'][at]:.1%}"


def test_without_any_weight_there_is_one_answer_from_the_last_bias():
    trained, extra = shelf.shipped(NAME)
    run = sparsity_views_runs.Run(trained, "digits", extra)
    answer = softmax(run.params["bias2"])
    label, probability = constant_answer(run, sparse.PRUNER.pruned(run.params, -100))
    assert (label, probability) == (answer.argmax(), pytest.approx(answer.max(), rel=1e-5))
    app = open_page(PAGE, DIGITS | {"look": "histograms", "threshold": "-8"})
    assert says(app, f"the same answer: {label}, with probability {probability:.0%}")
    assert metrics(app)["Compression"] == "∞"


def test_the_end_of_the_threshold_speaks_of_the_clip():
    assert says(open_page(PAGE, DIGITS | {"look": "histograms", "threshold": "8"}), "clipped to [−8, 8]")


def test_without_a_warm_up_another_network_is_shown():
    usual, other = (open_page(PAGE, DIGITS | {"look": "training", "warm_up": each}) for each in ("0.1", "0"))
    assert metrics(usual) != metrics(other)
    shaded = [len(figures(app)[0]["layout"].get("shapes", [])) for app in (usual, other)]
    assert shaded == [4, 0]


# MNIST ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("view", WITH_A_RUN)
def test_a_shipped_lenet_is_shown_without_the_files_of_mnist(view: str, mnist: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BDLVIZ_DATA", str(mnist))
    monkeypatch.setenv("XDG_CACHE_HOME", str(mnist))
    app = open_page(PAGE, {"look": view})
    assert_works(app)
    assert "warm_up" not in drawn(app) and not says(app, "Meanwhile")
    if view == "pixels":
        assert metrics(app)["Pixels without a weight"].endswith("of 784")


def test_networks_on_few_images_of_mnist_stand_beside_that_on_all(mnist: Path):
    app = open_page(PAGE, {"look": "size"})
    assert_works(app)
    assert list(metrics(app)) == ["N = 1,000, no warm-up", "N = 1,000, warm-up", "N = 30"]
    (mnist / "pruned_mnist1000_sparse_variational_dropout.safetensors").unlink()
    damaged = open_page(PAGE, {"look": "size"})
    assert_works(damaged, warnings=1)
    assert len(metrics(damaged)) == 2


def test_what_is_not_shipped_gets_one_sentence_and_the_digits(own_shelf: Path):
    path = own_shelf / "manifest.json"
    path.write_text(path.read_text().replace('"pruned_mnist', '"gone_mnist'))
    app = open_page(PAGE, {"images": "mnist"})
    assert_works(app)
    assert says(app, "python -m bdlviz train pruned_mnist_sparse_variational_dropout")
    assert metrics(app)["Pixels without a weight"].endswith("of 64")
    assert sparsity_views_table.our_row("ard").source.startswith("not shipped")


@pytest.mark.parametrize("how", ["removed", "truncated"])
def test_a_damaged_lenet_gets_one_sentence(how: str, mnist: Path):
    file = mnist / "pruned_mnist_sparse_variational_dropout.safetensors"
    if how == "removed":
        file.unlink()
    else:
        file.write_bytes(file.read_bytes()[:1000])
    app = open_page(PAGE)
    assert not app.exception and not app.error
    [said] = [each.value for each in app.warning]
    assert "python -m bdlviz train pruned_mnist_sparse_variational_dropout" in said
    move(app, "images", "digits")
    assert_works(app)


def test_the_table_has_published_rows_and_ours(mnist: Path):
    _, extra = shelf.shipped("pruned_mnist_sparse_variational_dropout")
    row = sparsity_views_table.our_row("sparse_variational_dropout")
    assert row.error.startswith(f"{100 * (1 - extra['seed_accuracy'].mean()):.2f} ± ")
    assert "2 seeds" in row.source
    app = open_page(PAGE, DIGITS)
    app.session_state["tabs"] = "LeNet-300-100"
    app.run()
    assert not app.exception
    [table] = [each.proto.body for each in app.get("html") if "wide-table" in each.proto.body]
    for each in sparsity_views_table.PUBLISHED:
        assert each.name in table and each.compression in table


# Trained here ---------------------------------------------------------------------------------------------------------


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("view", WITH_A_RUN)
def test_a_damaged_network_on_digits_is_trained_again(view: str, own_shelf: Path):
    (own_shelf / f"{NAME}.safetensors").unlink()
    app = open_page(PAGE, DIGITS | {"look": view})
    assert_works(app)
    assert any("Training instead" in each.value for each in app.info)


def test_a_network_trained_here_has_the_course_of_a_shipped_one():
    settings: dict[str, Any] = sparsity_study.SETTINGS["digits"] | {"num_epochs": 4, "num_snapshots": 4}
    watch = sparsity_study.Watch("ard", sparsity_study.load("digits"), num_moments=4)
    trained = fit("ard", sparsity_study.load("digits"), on_snapshot=watch, **settings)
    params, snapshots = (dict(reversed(sorted(each.items()))) for each in (trained.params, trained.snapshots))
    shuffled = replace(trained, params=params, snapshots=snapshots)
    run, expected = sparsity_views_runs.watched(shuffled), watch.arrays()
    np.testing.assert_array_equal(run.extra["step"], expected["step"])
    np.testing.assert_allclose(run.extra["sparsity"], expected["sparsity"], atol=2e-3)  # snapshots have half precision
    np.testing.assert_allclose(run.extra["accuracy"], expected["accuracy"], atol=1e-2)
    assert list(run.extra["histograms"][-1].sum(-1)) == [64 * 64, 64 * 32, 32 * 10]


def test_a_diverged_network_says_so():
    trained, _ = shelf.shipped(NAME)
    broken = replace(trained, params={name: np.full_like(a, np.nan) for name, a in trained.params.items()})
    for use in (sparsity_views_runs.watched, lambda each: sparsity_views_size.outcome(each, 1437)):
        with pytest.raises(InvalidInput, match="diverged"):
            use(broken)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("beta", ["0", "0.1", "1"])
def test_every_n_that_was_trained_stays_in_the_picture(
    beta: str, queue: jobs.JobQueue, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(sparsity_views_size, "QUEUE", queue)
    monkeypatch.setattr(shelf, "find", lambda config: None)  # some of these networks are shipped
    app = open_page(PAGE, DIGITS | {"look": "size", "beta": beta, "n_pruned": "100"})
    assert_works(app)
    before = len(figures(app)[0]["layout"]["annotations"])
    move(app, "n_pruned", "200")
    assert_works(app)
    assert len(figures(app)[0]["layout"]["annotations"]) == before + 1
    assert says(app, "nothing pays for noise" if beta == "0" else "ln 10 = 461 nats")


def test_what_a_network_pays_is_its_misfit_and_its_divergence():
    trained, extra = shelf.shipped(NAME)
    found = sparsity_views_size.outcome(trained, 1437)
    noise = sparse.log_alphas(trained.single())
    kl = sum(float(divergences.sparse_variational(each).sum()) for each in noise.values())
    assert found.kl == pytest.approx(kl / 1437)
    assert found.kl == pytest.approx(float(extra["kl"][-1]) / 1437, rel=0.01)  # stored in half precision
    assert found.accuracy == pytest.approx(float(extra["accuracy"][-1]), abs=0.01)
    assert found.misfit + found.kl < sparsity_views_size.NOTHING


# One weight -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["sparse_variational_dropout", "ard"])
@pytest.mark.parametrize("strength", ["0", "1", "1.1", "10"])
def test_one_weight(method: str, strength: str):
    app = open_page(PAGE, {"look": "one", "method": method, "strength": strength})
    assert_works(app)
    best = one_weight.best_log_alpha(float(strength), sparsity_study.DIVERGENCES[method])
    expected = f"{best:.2f}".replace("-", "−") if np.isfinite(best) else "∞"
    assert metrics(app)["Best log α"] == expected
    assert says(app, "the weight is dropped") == (not np.isfinite(best))


def test_scenes_come_back_to_the_first_picture():
    app = press(open_page(PAGE, {"look": "one", "strength": "0.3"}), "scene_start")
    assert_works(app)
    assert app.session_state["look"] == "pixels"


@pytest.mark.parametrize("warm_up", ["0.1", "0"])
@pytest.mark.parametrize("method", ["sparse_variational_dropout", "ard"])
def test_the_snippet_asks_for_the_network_of_the_page(method: str, warm_up: str, monkeypatch: pytest.MonkeyPatch):
    class Asked(Exception):
        pass

    def ask(method: str, data: Any, *, on_snapshot: Any, **settings: Any) -> None:
        raise Asked(configure(method, data, **settings))

    app = open_page(PAGE, DIGITS | {"method": method, "warm_up": warm_up})
    app.session_state["tabs"] = "Reproduce"
    code = app.run().code[0].value
    monkeypatch.setattr(sparsity_study, "fit", ask)
    with pytest.raises(Asked) as raised:
        exec(compile(code, "snippet", "exec"), {})
    shipped = shelf.shipped(sparsity_study.name_of(method, "digits", None if warm_up == "0.1" else 0.0))[0]
    assert raised.value.args[0] == shipped.config
