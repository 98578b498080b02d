"""With a clock that jumps, fits and pages are the same; a change of a file is noticed whatever its time."""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import bdlviz
from bdlviz.fits import Snapshot
from bdlviz.fitted import bundles, checkpoints, shelf
from tests.faults.many_writers import put
from tests.ui.harness import PICTURES, open_page

TEN_YEARS = 10 * 365.25 * 86400
X = np.linspace(-2, 2, 40)
SETTINGS = {"hidden": (8,), "num_steps": 60}


@pytest.fixture
def jumping(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """``time.time`` jumps by ten years at every look, forwards and backwards."""
    now, now_ns, signs = time.time, time.time_ns, itertools.cycle([1, -1, 0])
    # The tool that runs pages without a browser reads this clock itself, to give up.
    straight = SimpleNamespace(time=now, sleep=time.sleep)
    monkeypatch.setattr("streamlit.testing.v1.local_script_runner.time", straight)
    monkeypatch.setattr(time, "time", lambda: now() + next(signs) * TEN_YEARS)
    monkeypatch.setattr(time, "time_ns", lambda: now_ns() + int(next(signs) * TEN_YEARS * 1e9))
    yield


def test_the_clock_of_these_tests_jumps(jumping: None):
    looks = [time.time() for _ in range(6)]
    assert max(looks) - min(looks) > 1.9 * TEN_YEARS


def test_the_seconds_of_a_fit_do_not_depend_on_the_clock(jumping: None):
    seen: list[Snapshot] = []
    fit = bdlviz.fit("mc_dropout", (X, np.sin(X)), **SETTINGS, on_snapshot=lambda snapshot: seen.append(snapshot))
    seconds = [snapshot.seconds for snapshot in seen]
    assert seconds == sorted(seconds) and 0 < fit.seconds < TEN_YEARS / 2
    assert all(0 <= snapshot.seconds_left < TEN_YEARS / 2 for snapshot in seen)


def test_the_timeout_of_a_worker_does_not_depend_on_the_clock(jumping: None, monkeypatch: pytest.MonkeyPatch):
    from bdlviz.processes import crew

    made = crew.Crew()
    made.trains_everything = True
    monkeypatch.setattr(crew, "CREW", made)
    monkeypatch.setenv("BDLVIZ_WORKERS", "1")
    try:
        fit = bdlviz.fit("map", (X, np.sin(X)), **SETTINGS, cancel=threading.Event())
    finally:
        made.stop()
    assert fit.num_steps_done == 60 and made.num_lost == 0


def test_a_fit_put_on_the_shelf_is_found(jumping: None, tmp_path: Path):
    fit = bdlviz.fit("map", (X, np.sin(X)), **SETTINGS)
    shelf.put("fit", checkpoints.to_bytes(fit), {"config": checkpoints.config_to_json(fit.config)}, tmp_path)
    found = shelf.find(fit.config, tmp_path)
    assert found is not None
    np.testing.assert_array_equal(found.params["weight0"], fit.params["weight0"])


@pytest.mark.parametrize("name", ["function_draws", "bayes_rule"])
def test_a_page_is_drawn(jumping: None, name: str):
    app = open_page(name)
    assert not app.exception
    assert any(app.get(kind) for kind in PICTURES)


# Times of files -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decades", [-1, 0, 1])
def test_a_changed_manifest_is_read_again_whatever_its_time(tmp_path: Path, decades: int):
    """Before, a manifest whose time was set back to that of the last one was taken for it."""
    path = tmp_path / shelf.MANIFEST
    put("one", 1, tmp_path)
    stamp = path.stat().st_mtime_ns
    assert set(shelf.manifest(tmp_path)) == {"one"}
    put("two", 2, tmp_path)
    os.utime(path, ns=(stamp, stamp + int(decades * TEN_YEARS * 1e9)))
    assert set(shelf.manifest(tmp_path)) == {"one", "two"}


def test_a_file_changed_in_place_is_read_again(tmp_path: Path):
    """Of the same length and with the same time: a copy from a faulty disk, say."""
    put("one", 1, tmp_path)
    bundles.shipped("one", {"number": 1}, tmp_path)
    path = tmp_path / "one.safetensors"
    before, content = path.stat(), bytearray(path.read_bytes())
    time.sleep(0.05)  # some systems count the times of files in hundredths of seconds
    content[-1] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(checkpoints.CheckpointError, match="altered or is incomplete"):
        bundles.shipped("one", {"number": 1}, tmp_path)
