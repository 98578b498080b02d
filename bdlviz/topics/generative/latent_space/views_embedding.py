"""t-SNE of codes off the main path: shipped for the usual perplexity, else computed while the page shows it move."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Hashable

import streamlit as st

from bdlviz.predictive import embedding
from bdlviz.topics.shared.generative_source import Source
from bdlviz.types import Array
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.jobs.queue import QUEUE, Job, Look, Moment
from bdlviz.ui.jobs.watch import Watched, asks, empty_place, say, say_stopped, time_left, visitor, watch

SHIPPED = 30
STOPPED = "stopped_embedding"  # key in the session state
PERPLEXITY = number_control(
    "perplexity",
    "Perplexity of t-SNE",
    (5, 10, 20, 30, 50, 100),
    SHIPPED,
    "Roughly how many neighbours count. The shipped picture has 30; others take some seconds.",
)


def show(source: Source, part: str, perplexity: int, draw: Callable[[Array], None]) -> None:
    """Draw the codes of a part in the plane: at once when they are known, else as they find their places."""
    if source.latent_dim == 2:
        QUEUE.leave(visitor())
        draw(source.mean(part))
        return
    key: Hashable = ("embedding", source.fit.config, part, perplexity)
    positions = _at_hand(source, part, perplexity, key)
    if positions is None:
        QUEUE.leave(visitor(), keep=key)
        asks(visitor())
        job = QUEUE.request(
            key, visitor(), lambda look, cancel: _embed(source.mean(part), perplexity, look, cancel), "embedding"
        )
        watch(QUEUE, job, visitor(), _watched(key, draw))
    else:
        QUEUE.leave(visitor())
        draw(positions)


def _at_hand(source: Source, part: str, perplexity: int, key: Hashable) -> Array | None:
    if perplexity == SHIPPED:
        return source.extra[f"{part}_embedding"].astype("float32")
    stopped = st.session_state.get(STOPPED)
    if stopped is not None and stopped[0] == key:
        say_stopped("Stopped before the codes had found their places.", "Go on", "embed_again", STOPPED)
        return stopped[1]
    return QUEUE.finished(key)


def _embed(codes: Array, perplexity: int, look: Look[Array], cancel: threading.Event) -> Array:
    """t-SNE as a job of the queue."""
    start = time.monotonic()

    def report(progress: embedding.Progress) -> bool:
        steps, seconds = embedding.NUM_ITERATIONS, time.monotonic() - start
        return look(Moment(round(progress.fraction * steps), steps, seconds, lambda: progress.positions))

    return embedding.embed(codes, perplexity, on_progress=report, cancel=cancel)


def _watched(key: Hashable, draw: Callable[[Array], None]) -> Watched[Array]:
    def stop(positions: Array | None) -> None:
        st.session_state[STOPPED] = (key, positions)

    def show(positions: Array | None) -> None:
        if positions is None:
            empty_place()
        else:
            draw(positions)

    return Watched(_how_far, stop, show, say, lambda now: now is not None, "embedding", "stop_embedding")


def _how_far(job: Job[Array]) -> tuple[float, str]:
    if job.progress is None:
        return 0.0, "t-SNE …"
    left = time_left(job.progress[0])
    return job.progress[0].fraction, f"t-SNE · {left}" if left else "t-SNE …"
