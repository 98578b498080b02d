"""The need of a data set that is not on this computer: it is downloaded once the visitor has agreed."""

from __future__ import annotations

import os
import threading
import time
from urllib.parse import urlsplit

from bdlviz import data
from bdlviz.data import files
from bdlviz.data.remote import Progress
from bdlviz.errors import InvalidInput
from bdlviz.types import Snapshot
from bdlviz.ui.jobs.queue import Job, Look
from bdlviz.ui.model import Need, Offer

SWITCH = "BDLVIZ_DOWNLOADS"  # "off" in the environment: this server downloads nothing


def is_allowed() -> bool:
    """True if visitors may ask this server to download data."""
    return os.environ.get(SWITCH, "").strip().lower() not in ("off", "0", "no", "false")


def download_needed(name: str, purpose: str) -> Need[None]:
    """The download of a data set, which all visitors share; ``purpose`` begins the sentence of the offer.

    It gives no value: once the files are there, the page needs something else.
    """

    def work(look: Look[None], halt: threading.Event) -> None:
        start = time.monotonic()

        def go_on(progress: Progress) -> bool:
            now = Snapshot.at(progress.num_bytes / progress.total, time.monotonic() - start, lambda: None)
            return look(now) and not halt.is_set()

        if not data.download(name, go_on):
            raise InvalidInput("The download was stopped.")

    return Need(
        ("download", name),
        work=work,
        waits=False,
        name="download",
        kind="download",
        tell=_how_far,
        offer=_offer(name, purpose),
    )


def _offer(name: str, purpose: str) -> Offer:
    spec = data.DATASETS[name]
    assert spec.remote is not None
    says = f"{purpose} all of {spec.title}, which is not on this computer."
    if not is_allowed():
        remark = "This server downloads nothing. Its owner can put the files into `BDLVIZ_DATA/mnist`."
        return Offer("download", says, "", remark)
    size, server = spec.remote.num_bytes / 1e6, urlsplit(spec.remote.mirrors[0]).hostname
    folder = files.cache_folder() / name
    remark = f"About {size:.0f} MB from {server}; they are kept in `{folder}`, for all visitors."
    return Offer("download", says, f"Download {spec.title}", remark)


def _how_far(job: Job[None]) -> tuple[float, str]:
    if job.progress is None:
        return 0.0, "Starting the download …"
    share = job.progress[0].fraction
    return share, f"Downloading: {share:.0%}"
