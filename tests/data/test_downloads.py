"""Downloads from a mirror on this computer: progress, Stop, the second mirror, and what is kept."""

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from bdlviz import data
from bdlviz.data import downloads
from bdlviz.data.fetching import fetch_missing
from bdlviz.data.remote import Progress, Remote
from bdlviz.errors import InvalidInput
from tests.mirror import Mirror, published
from tests.patience import limit

FILES = {"small/one.gz": b"1" * 5_000, "small/two.gz": b"2" * 3_000}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache folder."""
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(downloads, "SECONDS_BETWEEN_REPORTS", 0.02)
    return tmp_path / "cache"


@pytest.fixture
def mirrors() -> Iterator[tuple[Mirror, Mirror]]:
    with Mirror(FILES) as one, Mirror(FILES) as other:
        for each in (one, other):
            threading.Thread(target=each.serve_forever, args=(0.01,), daemon=True).start()
        yield one, other
        for each in (one, other):
            each.over.set()
            each.shutdown()


@pytest.fixture
def remote(mirrors: tuple[Mirror, Mirror]) -> Remote:
    return published("Small", tuple(each.url for each in mirrors), FILES)


def kept(cache: Path) -> dict[str, bytes]:
    return {str(path.relative_to(cache)): path.read_bytes() for path in cache.rglob("*") if path.is_file()}


def no_thread_is_left() -> bool:
    end = time.monotonic() + limit(10)
    while any(thread.name == "bdlviz-download" for thread in threading.enumerate()):
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def test_published_files_are_kept_and_only_missing_ones_are_fetched(
    remote: Remote, mirrors: tuple[Mirror, Mirror], cache: Path
):
    assert fetch_missing(remote) and kept(cache) == FILES
    assert mirrors[0].asked == ["/one.gz", "/two.gz"] and not mirrors[1].asked
    (cache / "small/two.gz").unlink()
    (cache / "small/one.gz").write_bytes(b"mine")
    assert fetch_missing(remote) and fetch_missing(remote)
    assert mirrors[0].asked[2:] == ["/two.gz"]
    assert kept(cache) == FILES | {"small/one.gz": b"mine"}


@pytest.mark.parametrize("way", ["busy", "cut off", "altered"])
def test_the_second_mirror_is_asked_where_the_first_fails(
    remote: Remote, mirrors: tuple[Mirror, Mirror], cache: Path, way: str
):
    mirrors[0].way = way
    assert fetch_missing(remote)
    assert kept(cache) == FILES
    assert mirrors[1].asked == ["/one.gz", "/two.gz"]


def test_progress_counts_what_arrives(remote: Remote, mirrors: tuple[Mirror, Mirror]):
    mirrors[0].way = "stalls"
    seen: list[Progress] = []

    def on_progress(progress: Progress) -> bool:
        seen.append(progress)
        return progress.num_bytes == 0

    assert not fetch_missing(remote, on_progress)
    assert seen[-1] == Progress(2_500, 8_000)
    mirrors[0].over.set()
    assert no_thread_is_left()


@pytest.mark.parametrize("way", ["stalls", "trickles"])
def test_stop_ends_it_at_once_and_nothing_is_kept(
    remote: Remote,
    mirrors: tuple[Mirror, Mirror],
    cache: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    way: str,
):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    mirrors[0].way = way
    start = time.monotonic()
    assert not fetch_missing(remote, lambda progress: progress.num_bytes == 0)
    assert time.monotonic() - start < downloads.SILENCE_LIMIT_S / 3
    mirrors[0].over.set()
    assert no_thread_is_left()
    assert not list(tmp_path.rglob("*"))
    assert not any(mirror.asked[1:] for mirror in mirrors), "Nothing else is asked for after a stop."


def test_a_download_by_name(
    remote: Remote, mirrors: tuple[Mirror, Mirror], cache: Path, monkeypatch: pytest.MonkeyPatch
):
    spec = data.DatasetSpec("small", "Small", lambda **_: None, remote=remote)  # type: ignore[arg-type]
    monkeypatch.setitem(data.DATASETS, "small", spec)
    assert not data.available("small")
    assert data.download("small", lambda progress: None)
    assert data.available("small") and kept(cache) == FILES
    assert data.download("digits"), "A data set without files is there."
    with pytest.raises(InvalidInput, match="There is no data set called 'large'"):
        data.download("large")


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        ("ConnectionError", r"^Small could not be downloaded \(ConnectionError\): check the connection"),
        ("ConnectTimeout", r"^Small could not be downloaded \(ConnectTimeout\): check the connection"),
        ("ChunkedEncodingError", "^The download of Small broke off or was altered on the way: try again"),
        ("HTTPError", "^Small could not be downloaded, since the server did not answer as usual: try again later"),
    ],
)
def test_every_failed_request_is_one_sentence(
    remote: Remote, cache: Path, monkeypatch: pytest.MonkeyPatch, error: str, sentence: str
):
    def get(*_: object, **__: object) -> None:
        raise getattr(downloads.requests.exceptions, error)

    monkeypatch.setattr(downloads.requests, "get", get)
    with pytest.raises(InvalidInput, match=sentence):
        fetch_missing(remote)
    assert not kept(cache)


def test_a_full_disk_is_one_sentence(remote: Remote, cache: Path, monkeypatch: pytest.MonkeyPatch):
    def retrieve(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(downloads.pooch, "retrieve", retrieve)
    with pytest.raises(InvalidInput, match=r"\(No space left on device\): make room for temporary files"):
        fetch_missing(remote)
    assert not kept(cache)
