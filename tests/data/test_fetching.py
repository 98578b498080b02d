"""Downloads in a process of their own: progress, the end, what went wrong, and being ended in the middle."""

import sys
import tempfile
import time
from pathlib import Path

import pytest

from bdlviz.data import fetching, load
from bdlviz.data.openml import Progress
from bdlviz.errors import InvalidInput

LINE = "import json, time; say = lambda what: print(json.dumps(what), flush=True)"


@pytest.fixture
def child(monkeypatch, tmp_path):
    """Replaces the program that downloads. Gives the path of the folder that it uses."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def use(*lines):
        monkeypatch.setattr(fetching, "PROGRAM", (sys.executable, "-c", "\n".join([LINE, *lines])))

    yield use
    assert not list(tmp_path.iterdir()), "The temporary folder is still there."


def test_it_tells_how_far_it_is_and_ends(child):
    child("say([1000, True]); say([2000, False]); say('done')")
    seen = []
    assert fetching.fetch("mnist", lambda progress: seen.append(progress) or True)
    assert seen == [Progress(1000, True), Progress(2000, False)]


def test_what_goes_wrong_there_is_the_sentence_here(child):
    child("say([1000, True]); say({'problem': 'MNIST could not be downloaded: check the connection.'})")
    with pytest.raises(InvalidInput, match=r"^MNIST could not be downloaded: check the connection\.$"):
        fetching.fetch("mnist", lambda progress: True)


@pytest.mark.parametrize("end", ["", "raise SystemExit(3)"])
def test_an_end_without_a_word_is_a_sentence(child, end):
    child("say([1000, True])", end)
    with pytest.raises(InvalidInput, match="ended for an unknown reason: try again"):
        fetching.fetch("mnist", lambda progress: True)


def test_whoever_has_seen_enough_ends_the_process_and_its_files(child):
    child(
        "import tempfile, pathlib",
        "pathlib.Path(tempfile.gettempdir(), 'part').write_bytes(bytes(1000))",
        "say([1000, True])",
        "time.sleep(600)",
    )
    start = time.monotonic()
    assert not fetching.fetch("mnist", lambda progress: False)
    assert time.monotonic() - start < 30


def test_the_program_itself_prints_these_lines(monkeypatch, capsys, tmp_path):
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    asked = []

    def download(name, *, num_data, download, on_progress):
        asked.append((name, download))
        on_progress(Progress(5, True))
        if name == "broken":
            raise InvalidInput("It broke off.")

    monkeypatch.setattr(fetching, "load", download)
    fetching.main("mnist")
    fetching.main("broken")
    assert asked == [("mnist", True), ("broken", True)]
    assert capsys.readouterr().out.splitlines() == ["[5, true]", '"done"', "[5, true]", '{"problem": "It broke off."}']


def test_the_program_starts_and_finds_what_is_already_there(tmp_path, monkeypatch):
    """Nothing is downloaded where the files are: a set without files is done at once."""
    assert load("digits", download=True).num_data
    monkeypatch.chdir(tmp_path)  # it must find the package from anywhere
    assert Path.cwd() == tmp_path
    assert fetching.fetch("digits", lambda progress: True)
