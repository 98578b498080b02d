"""The page on the VAE: which VAE a setting means, its pictures and tabs, and data that are missing or damaged."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from bdlviz import data, fits
from bdlviz.data import images
from bdlviz.errors import InvalidInput
from bdlviz.fits import GenerativeFit
from bdlviz.fitted import shelf
from bdlviz.published import VAE_LOG
from bdlviz.topics.generative.vae import controls, run, views, views_bounds
from bdlviz.topics.generative.vae.run import Run
from bdlviz.topics.shared import autoencoders
from bdlviz.ui import cache
from bdlviz.ui.model import Chooser, Figure, Obtained, Part, Result, Setting, Sheet, Stops, all_parts, sentence_of
from tests import idx_files
from tests.told import numbers_in
from tests.topics.shared.page_results import SCREEN, number, said, shipped, view_of
from tests.ui.harness import assert_works, figures, open_page

SMALL: dict[str, Any] = {"num_epochs": 2, "hidden": (16,), "latent_dim": 20}


def found(**values: str) -> Run:
    """The shipped run of a setting."""
    setting = Setting(values)
    return shipped(view_of("vae", setting), setting)


def trained(num_snapshots: int = 0, **settings: Any) -> GenerativeFit:
    """A small VAE of small digits."""
    return cast(GenerativeFit, fits.fit("vae", "digits", num_snapshots=num_snapshots, **SMALL | settings))


def of_digits(fit: GenerativeFit) -> Run:
    return Run(fit, "digits", data.load("digits"), {})


def drawn(run: Run, **values: str) -> Result:
    return views.training(Setting(values), SCREEN, run)


def opened(parts: Sequence[Part]) -> list[Part]:
    """All parts, those too that are computed when they are shown."""
    found: list[Part] = []
    for part in all_parts(parts):
        if isinstance(part, Obtained):
            need = part.need
            result = need.shipped() if need.shipped is not None else None
            if result is None:
                assert need.work is not None
                result = need.read(need.work(lambda now: True, threading.Event()))
            found += opened(part.parts(result))
        elif isinstance(part, Chooser):
            found += opened(part.parts(*(field.default for field in part.fields)))
        else:
            found.append(part)
    return found


@pytest.mark.parametrize(("values", "name"), [({}, "vae_mnist_20d"), ({"latent_dim": "2"}, "vae_mnist_2d")])
def test_the_usual_settings_mean_a_shipped_vae(values: dict[str, str], name: str):
    assert run.is_shipped(Setting(values))
    assert found(**values).fit.config == shelf.shipped(name)[0].config


@pytest.mark.parametrize("values", [{"beta": "4"}, {"latent_dim": "5"}, {"seed": "1"}, {"images": "fashion"}])
def test_other_settings_mean_another_training(values: dict[str, str]):
    assert not run.is_shipped(Setting(values))


def test_the_chosen_epoch_is_drawn():
    first, last = (drawn(found(), shown_epoch=epoch) for epoch in ("", "100"))
    stops = next(part for part in first.parts if isinstance(part, Stops))
    assert stops.stops[0] == 1 and stops.chosen(Setting({"shown_epoch": "4"})) == 1
    assert [dot_of(each)[0] for each in (first, last)] == [1, stops.stops[-1]]
    assert first.says != last.says


def dot_of(result: Result) -> tuple[float, float]:
    """The dot on the curve of the bound: its epoch and its nats."""
    figure: Any = result.figures[0].figure
    [(x, y)] = [(trace.x[0], trace.y[0]) for trace in figure.data if trace.name == "this epoch"]
    return float(x), float(y)


@pytest.mark.parametrize("values", [{}, {"images": "digits"}, {"latent_dim": "2"}, {"images": "mnist60000"}])
def test_the_sentence_and_the_numbers_are_of_the_drawn_epoch(values: dict[str, str]):
    run = found(**values)
    test, mean = run.dataset.x_test.astype(float), (run.dataset.x.sum(0, dtype=float) + 1) / (len(run.dataset.x) + 2)
    average = (test * np.log(mean) + (1 - test) * np.log(1 - mean)).sum(1).mean()
    stops = views.stops_of(run)
    assert stops is not None
    for epoch in stops.stops:
        at = run.epochs.index(epoch)
        result, history = drawn(run, shown_epoch=str(epoch), **values), run.fit.history
        rebuilt, kl, elbo = (float(run.extra[f"test_{name}"][at]) for name in ("reconstruction", "kl", "elbo"))
        said = numbers_in(result.says)
        np.testing.assert_allclose(said, [epoch, elbo, abs(elbo - average), kl], atol=0.11)
        assert ("above" in result.says) == (elbo > average)
        np.testing.assert_allclose(dot_of(result), [epoch, elbo], rtol=1e-4)
        figure: Any = result.figures[0].figure
        error = 100 * np.sqrt(np.square(run.extra["test_scrub"][at, :4] / 255 - test[:4]).mean())
        assert numbers_in(figure.layout.yaxis3.ticktext[-1]) == pytest.approx([epoch, error], abs=0.51)
        [gain] = [trace for trace in figure.data if trace.name == "gain"]
        np.testing.assert_allclose(gain.y, [elbo, elbo, average], atol=0.01)
        beside = [numbers_in(note.text)[0] for note in figure.layout.annotations if numbers_in(note.text)]
        assert beside[1:] == said[1:] and beside[0] == pytest.approx(average, abs=0.051)
        assert beside[0] + said[2] * (1 if elbo > average else -1) == pytest.approx(said[1])
        [price] = [trace.y for trace in figure.data if trace.name == "price"]
        np.testing.assert_allclose(price, [elbo, rebuilt], rtol=1e-4)
        bound = numbers_in(sentence_of(result.tabs["The bound (ELBO)"]()))
        terms = [float(history[name][epoch - 1]) for name in ("elbo", "reconstruction", "kl")]
        before = [] if epoch == 1 else [float(history["elbo"][0]), 1]
        np.testing.assert_allclose(bound, [epoch, terms[0], *before, *terms[1:]], atol=0.051)
        assert number(result, "Training ELBO") == pytest.approx(terms[0], abs=0.051)
        assert number(result, "Held-out") == pytest.approx(elbo, abs=0.051)
        used = int((history["kl_per_dimension"][epoch - 1] > 0.05).sum())
        assert numbers_in(result.numbers["Dimensions in use"])[0] == used


def test_training_images_and_the_plane_of_codes_are_of_the_chosen_epoch():
    values = {"latent_dim": "2", "shown_epoch": "12"}
    run = found(latent_dim="2")
    at, tabs = run.epochs.index(12), drawn(run, **values).tabs
    error = np.sqrt(np.square(255 * run.dataset.x[:10] - run.extra["train_scrub"][at, :10]).mean())
    np.testing.assert_allclose(numbers_in(sentence_of(tabs["Training images"]())), [10, error, 255], rtol=0.006)
    lengths = np.linalg.norm(run.extra["train_path"][at, :1000].astype(float), axis=1)
    said = numbers_in(sentence_of(tabs["Plane of codes"]()))
    np.testing.assert_allclose(said, [100 * (lengths <= 2).mean(), 2], atol=0.51)
    assert "Plane of codes" not in drawn(found()).tabs


def test_the_gap_is_what_lies_between_the_bound_and_log_p():
    for digit in ("0", "3", "8"):
        setting = Setting({"latent_dim": "2", "look": "evidence", "digit": digit})
        run = found(latent_dim="2")
        result = views_bounds.evidence(setting, SCREEN, run)
        image = views_bounds.image_of(setting, run)
        elbo = float(run.fit.elbo(image[None], 4000)[0])
        evidence = float(run.fit.elbo(image[None], 4000, importance=True)[0])
        _, bound, gap = numbers_in(result.says)
        assert bound == pytest.approx(elbo, abs=0.3) and gap == pytest.approx(evidence - elbo, abs=0.3)


@pytest.mark.parametrize("values", [{}, {"images": "digits"}, {"latent_dim": "2"}])
def test_the_structure_counts_the_numbers_of_the_shipped_network(values: dict[str, str]):
    """From the arrays of the file and the images, not from the description of the network."""
    run = found(**values)
    params, history, pixels = run.fit.params, run.fit.history, run.dataset.x.shape[1]
    counts = {part: sum(a.size for name, a in params.items() if name.startswith(part)) for part in ("enc", "dec")}
    size = params["decoder.weight0"].shape[-2]
    for screen in (SCREEN, replace(SCREEN, is_narrow=True)):
        parts = views.structure(screen, run)
        assert numbers_in(sentence_of(parts)) == [pixels, size, size, sum(counts.values())]
        [figure] = [part for part in parts if isinstance(part, Figure)]
        told = {note["text"] for note in figure.figure.to_dict()["layout"]["annotations"]}
        assert {numbers_in(text)[0] for text in told if "biases" in text} == {*counts.values()}
        found_terms = {round(numbers_in(text)[-1], 1) for text in told if "nats" in text}
        assert found_terms == {round(float(history[name][-1]), 1) for name in ("elbo", "reconstruction", "kl")}


def test_the_lectures_log_stands_beside_ours():
    history = found().train_history()
    assert history is not None and found().is_lectures
    rows = views.log_rows(history.values["elbo"])
    numbers = [[numbers_in(cell)[0] for cell in row] for row in rows]
    assert [printed for _, printed, _, _ in numbers] == [*VAE_LOG]
    assert all(here - printed == pytest.approx(gap, abs=0.02) for _, printed, here, gap in numbers)
    assert not found(latent_dim="2").is_lectures


@pytest.mark.parametrize("likelihood", ["binarised_bernoulli", "continuous_bernoulli", "gaussian_pixels"])
@pytest.mark.parametrize("latent_dim", [2, 20])
def test_every_likelihood_has_its_pictures_and_tabs(likelihood: str, latent_dim: int):
    result = drawn(of_digits(trained(2, likelihood=likelihood, latent_dim=latent_dim)))
    assert len(result.figures) == 1 and len(result.numbers) == 4
    for title, tab in result.tabs.items():
        shown = Result(opened(tab()))
        assert shown.says and (len(shown.parts) == 1 or any(isinstance(p, Figure | Sheet) for p in shown.parts)), title
    assert views_bounds.evidence(Setting(), SCREEN, of_digits(trained(2, latent_dim=latent_dim))).figures


@pytest.mark.parametrize("steps", [0, 1])
def test_every_tab_after_a_stop_in_the_first_epoch(steps: int):
    stopped = trained(num_epochs=50, cancel=_SetAfter(steps))
    assert stopped.num_steps_done == steps
    result = drawn(of_digits(stopped))
    assert result.words and not result.figures
    for title, tab in result.tabs.items():
        assert opened(tab()), title


class _SetAfter(threading.Event):
    """An event that is set once it was asked a number of times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


def test_held_out_bounds_of_a_training_under_way_are_kept():
    cache.RESULTS.clear()
    fit = trained(2)
    for at in (0, 1):
        now = cast(GenerativeFit, fit.at_snapshot(at))
        under_way = of_digits(replace(now, num_steps_done=min(now.num_steps_done, 29)))
        history = under_way.test_history()
        assert history is not None and len(history.epoch) == at + 1 and not under_way.is_done


# The data are not there, or not what the link says --------------------------------------------------------------------


def test_fashion_is_offered_where_its_files_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(data, "available", lambda name: True)
    assert "fashion" in controls.images_control().options
    monkeypatch.setattr(data, "available", lambda name: name != "fashion-mnist")
    assert controls.images_control() is autoencoders.IMAGES
    app = open_page("vae", {"images": "fashion"})
    assert_works(app, warnings=1)


@pytest.mark.usefixtures("quick")
def test_a_vae_of_fashion_is_trained(monkeypatch: pytest.MonkeyPatch):
    clothes = replace(data.load("digits", num_data=200), name="fashion-mnist", title="Fashion-MNIST")
    monkeypatch.setattr(data, "available", lambda name: True)
    monkeypatch.setattr(run, "load", lambda name, num_data: clothes)
    app = open_page("vae", {"images": "fashion"})
    assert_works(app)
    assert not app.info and len(figures(app)) == 1


def test_more_images_than_there_are():
    result = drawn(of_digits(trained()), images="digits", num_data="60000")
    assert result.figures and "1,437" in said(result)


@pytest.mark.parametrize("part", ["truncated", "altered"])
def test_damaged_files_of_mnist_get_a_sentence_and_no_other_picture(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "mnist").mkdir()
    for name in images.MNIST.names:
        content = gzip.compress(idx_files.encode(np.zeros((3, 28, 28) if "images" in name else 3, np.uint8)))
        (tmp_path / name).write_bytes(content[:-9] if part == "truncated" else content)
    monkeypatch.setenv("BDLVIZ_DATA", str(tmp_path))
    cache.DATA.clear()
    with pytest.raises(InvalidInput, match=r"train-images"):
        run.needed(Setting({"images": "mnist60000", "beta": "4"}))
    app = open_page("vae", {"images": "mnist60000", "beta": "4"})
    assert not app.exception and not figures(app)
    [said] = [each.value for each in app.error]
    assert "train-images" in said
