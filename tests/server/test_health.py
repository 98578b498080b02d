"""Health: what is missing is named, cheaply; the status page says it in words."""

from __future__ import annotations

from pathlib import Path

import pytest

from bdlviz.fitted import shelf
from bdlviz.ops import counters, health
from bdlviz.topics.results.status import views as status_views
from tests.ui.harness import open_page


def look(folder: Path) -> health.Health:
    """Health now, of that folder."""
    health._shipped_files.cache_clear()
    return health.look(folder)


def test_missing_and_short_files_are_named(tmp_path: Path):
    for name in ("one", "two"):
        shelf.put(name, b"content", {"settings": {}}, tmp_path)
    assert (look(tmp_path).status, look(tmp_path).checkpoints) == ("ok", 2)
    (tmp_path / "one.safetensors").unlink()
    (tmp_path / "two.safetensors").write_bytes(b"cont")
    now = look(tmp_path)
    assert now.status == "degraded" and now.checkpoints_missing == ("one", "two")
    assert "`one`, `two`" in status_views.sentence(now)


def test_a_damaged_manifest_is_named(tmp_path: Path):
    (tmp_path / "manifest.json").write_text("{")
    assert look(tmp_path).checkpoints_missing == ("manifest.json",)


def test_jobs_are_those_of_the_counters(tmp_path: Path):
    before = look(tmp_path)
    counters.RUNNING.inc(2)
    counters.WAITING.inc()
    try:
        now = look(tmp_path)
    finally:
        counters.RUNNING.dec(2)
        counters.WAITING.dec()
    assert (now.jobs_running - before.jobs_running, now.jobs_waiting - before.jobs_waiting) == (2, 1)


def test_memory_is_that_of_this_process():
    held = health.resident_bytes()
    assert held is not None and 10_000_000 < held < 100_000_000_000


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (45, "45 s"), (190, "3 min 10 s"), (3600, "1 h"), (7500, "2 h 5 min"), (273_600, "3 d 4 h")],
)
def test_durations(seconds: int, text: str):
    assert status_views.duration(seconds) == text


def test_the_page_shows_health_and_versions():
    app = open_page("status")
    assert not app.exception and not app.error
    assert [metric.label for metric in app.metric] == ["Fits running", "Fits waiting", "Memory, MB", "Up"]
    assert "complete" in app.success[0].value
    assert "streamlit" in str(app.table[0].value)
