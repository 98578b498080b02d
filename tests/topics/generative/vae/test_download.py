"""The offer to download MNIST: nothing without a click, progress, Stop, failures, and the switch of an owner."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz import data
from bdlviz.data.remote import Progress
from bdlviz.errors import InvalidInput
from bdlviz.topics.generative.vae import download as vae_download
from bdlviz.topics.generative.vae import run
from tests.ui.harness import PAGES, SECONDS, assert_works, figures, rested

LINK = {"images": "mnist60000", "beta": "4"}  # trains anew


@dataclass
class Download:
    """Stands in a download's place: goes as far as the test lets it."""

    asked: list[str] = field(default_factory=list)
    goes_on: threading.Event = field(default_factory=threading.Event)
    has_begun: threading.Event = field(default_factory=threading.Event)
    ended_early: threading.Event = field(default_factory=threading.Event)
    error: str = ""

    def __call__(self, name: str, go_on: Callable[[Progress], bool]) -> bool:
        self.asked.append(name)
        while not self.goes_on.wait(0.02):
            if not go_on(Progress(6_000_000, 12_000_000)):
                self.ended_early.set()
                return False
            self.has_begun.set()
        if self.error:
            raise InvalidInput(self.error)
        return True


@pytest.fixture
def download(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Download]:
    """A computer without MNIST's files, until the download has ended well."""
    made = Download()
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.delenv(vae_download.SWITCH, raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    monkeypatch.setattr(data, "download", made)
    monkeypatch.setattr(data, "available", lambda name: name != "mnist" or (made.goes_on.is_set() and not made.error))
    monkeypatch.setattr(run, "load", lambda name, num_data: data.load("mnist-1000", num_data=100))
    yield made
    made.goes_on.set()


def opened() -> AppTest:
    app = AppTest.from_file(PAGES["vae"], default_timeout=SECONDS)
    app.query_params.update(LINK)
    return app.run()


def keys(app: AppTest) -> set[str | None]:
    return {button.key for button in app.button}


def said(app: AppTest) -> str:
    return " ".join(each.value for each in (*app.caption, *app.markdown))


def begin(app: AppTest, download: Download) -> None:
    """Ask for it, and wait for its first words."""
    app.button(key="start_download").click().run()
    assert download.has_begun.wait(SECONDS)
    app.run()


def test_nothing_is_downloaded_without_a_click(download: Download, tmp_path: Path):
    app = opened()
    assert not app.exception
    assert not figures(app), "Another picture stands beside these sliders."
    assert "ossci-datasets.s3.amazonaws.com" in said(app) and str(tmp_path / "mnist") in said(app)
    assert not download.asked


@pytest.mark.usefixtures("quick")
def test_a_click_downloads_and_then_the_page_trains(download: Download):
    app = opened()
    begin(app, download)
    assert download.asked == ["mnist"] and {"stop_download"} <= keys(app)
    assert any("50%" in bar.proto.text for bar in app.get("progress"))  # type: ignore[attr-defined]
    download.goes_on.set()
    rested(app)
    assert_works(app)
    assert not {"stop_download", "start_download"} & keys(app)
    assert "amazonaws" not in said(app)


def test_stop_ends_the_download(download: Download):
    app = opened()
    begin(app, download)
    app.button(key="stop_download").click().run()
    assert download.ended_early.wait(SECONDS)
    app.run()
    assert "start_download" in keys(app) and "stop_download" not in keys(app)


def test_a_failure_shows_its_sentence_and_the_button(download: Download):
    download.error = "MNIST could not be downloaded (ConnectionError): check the connection."
    app = opened()
    begin(app, download)
    download.goes_on.set()
    rested(app)
    assert [each.value for each in app.error] == [download.error]
    assert "start_download" in keys(app)


@pytest.mark.parametrize("word", ["off", "0", "No"])
def test_an_owner_may_switch_it_off(download: Download, monkeypatch: pytest.MonkeyPatch, word: str):
    monkeypatch.setenv(vae_download.SWITCH, word)
    app = opened()
    assert "start_download" not in keys(app)
    assert not download.asked
