"""The offer to download a data set: how large it is, where it will be kept, how far it is, and Stop."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass

import streamlit as st

from bdlviz import data
from bdlviz.data import fetching, files
from bdlviz.data.openml import Progress
from bdlviz.ui.jobs.queue import QUEUE, Job, Look, Moment
from bdlviz.ui.jobs.watch import Watched, asks, visitor, watch

SWITCH = "BDLVIZ_DOWNLOADS"  # "off" in the environment: this server downloads nothing
WANTED, PROBLEM = "download_wanted", "download_problem"  # session state: the name of a data set, a sentence
UNPACKING = 0.9  # the share of the bar that stands for what arrives
MOST = 0.8  # of what arrives; sizes are known roughly


@dataclass(frozen=True)
class Size:
    """Megabytes that travel, and that are kept."""

    travels: int
    kept: int


SIZES = {"mnist": Size(15, 12)}


def is_allowed() -> bool:
    """May visitors ask this server to download data?"""
    return os.environ.get(SWITCH, "").strip().lower() not in ("off", "0", "no", "false")


def offer(name: str, purpose: str) -> None:
    """Say that a data set is missing, and offer to download it; ``purpose`` begins the sentence."""
    if st.session_state.get(WANTED) == name:
        _follow(name)
        return
    title = data.DATASETS[name].title
    with st.container(border=True, key="download"):
        st.markdown(f"{purpose} all of {title}, which is not on this computer.")
        if problem := st.session_state.get(PROBLEM):
            st.error(problem)
        if not is_allowed():
            st.caption("This server downloads nothing. Its owner can put the files into `BDLVIZ_DATA/mnist`.")
            return
        st.button(f"Download {title}", key="start_download", on_click=_start, args=(name,))
        size, folder = SIZES[name], files.cache_folder() / name
        st.caption(f"About {size.travels} MB from openml.org; {size.kept} MB are kept in `{folder}`, for all visitors.")


def _start(name: str) -> None:
    st.session_state.pop(PROBLEM, None)
    st.session_state[WANTED] = name


def _follow(name: str) -> None:
    """Progress and Stop of the one download that all visitors share."""
    who = f"{visitor()}:download"
    asks(who)

    def work(look: Look[bool], halt: threading.Event) -> bool:
        start = time.monotonic()

        def go_on(progress: Progress) -> bool:
            return look(_moment(name, progress, time.monotonic() - start)) and not halt.is_set()

        return fetching.fetch(name, go_on)

    job = QUEUE.request(("download", name), who, work, kind="download")
    watch(
        QUEUE,
        job,
        who,
        Watched(_tell, lambda _: _forget(), lambda _: None, _fail, box="download", stop_key="stop_download"),
    )


def _moment(name: str, progress: Progress, seconds: float) -> Moment[bool]:
    """How far a download is, in hundredths; what is being unpacked has arrived."""
    arrived = min(0.99, progress.num_bytes / (1e6 * SIZES[name].travels))
    is_unpacking = arrived > MOST and not progress.is_arriving  # else the line is slow
    share = UNPACKING if is_unpacking else UNPACKING * arrived
    return Moment(max(1, round(100 * share)), 100, seconds, lambda: False)


def _tell(job: Job[bool]) -> tuple[float, str]:
    if job.progress is None:
        return 0.0, "Starting the download …"
    share = job.progress[0].fraction
    return share, f"Downloading: {share / UNPACKING:.0%}" if share < UNPACKING else "Unpacking, about a minute …"


def _forget() -> None:
    st.session_state.pop(WANTED, None)


def _fail(error: BaseException) -> bool:
    _forget()
    st.session_state[PROBLEM] = str(error)
    return True
