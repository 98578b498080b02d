"""t-SNE of codes off the main path: shipped for the usual perplexity, else computed while the page shows it move."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import cast

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, Snapshot
from bdlviz.predictive import embedding
from bdlviz.types import Array
from bdlviz.ui.controls import number_control
from bdlviz.ui.generative.source import Source
from bdlviz.ui.jobs import QUEUE, Job
from bdlviz.ui.obtain import POLL, visitor

SHIPPED = 30
STOPPED = "stopped_embedding"  # key in the session state
PERPLEXITY = number_control(
    "perplexity",
    "Perplexity of t-SNE",
    (5, 10, 20, 30, 50, 100),
    SHIPPED,
    "Roughly how many neighbours count. The shipped picture has 30; others take some seconds.",
)


@dataclass(frozen=True, eq=False)
class Embedded:
    """Codes in the plane, as the queue of fits remembers its results: by their arrays."""

    positions: Array  # (N, 2)
    snapshots: Mapping[str, Array] = field(default_factory=dict)

    @property
    def params(self) -> dict[str, Array]:
        """What the queue weighs."""
        return {"positions": self.positions}


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
        job = QUEUE.request(key, visitor(), lambda look, cancel: _embed(source.mean(part), perplexity, look))
        _watch(job, key, draw)
    else:
        QUEUE.leave(visitor())
        draw(positions)


def _at_hand(source: Source, part: str, perplexity: int, key: Hashable) -> Array | None:
    if perplexity == SHIPPED:
        return source.extra[f"{part}_embedding"].astype("float32")
    stopped = st.session_state.get(STOPPED)
    if stopped is not None and stopped[0] == key:
        with st.container(key="stopped", horizontal=True, vertical_alignment="center", border=True):
            st.markdown("Stopped before the codes had found their places.", width="stretch")
            st.button("Go on", on_click=lambda: st.session_state.pop(STOPPED, None), key="embed_again")
        return stopped[1]
    found = QUEUE.finished(key)
    return None if found is None else cast(Embedded, found).positions


def _embed(codes: Array, perplexity: int, look: Callable[[Snapshot], bool]) -> Fit:
    """t-SNE as a job of the queue, which takes the positions for a fit."""
    start = time.monotonic()

    def report(progress: embedding.Progress) -> bool:
        now, steps = Embedded(progress.positions), embedding.NUM_ITERATIONS
        seconds = time.monotonic() - start
        return look(Snapshot(round(progress.fraction * steps), steps, seconds, lambda: cast(Fit, now)))

    return cast(Fit, Embedded(embedding.embed(codes, perplexity, on_progress=report)))


@st.fragment(run_every=POLL)
def _watch(job: Job, key: Hashable, draw: Callable[[Array], None]) -> None:
    """Look at the running job; the full rerun at its end stops the looking."""
    job.seen = time.monotonic()
    if job.future.done():
        error = job.future.exception()
        if error is None:
            st.rerun()
        st.error(str(error) if isinstance(error, InvalidInput) else "t-SNE failed; choose another perplexity.")
        return
    snapshot, now = job.progress or (None, None)
    with st.container(key="embedding", horizontal=True, vertical_alignment="center", border=True):
        left = f" · {snapshot.seconds_left:.0f} s left" if snapshot and snapshot.seconds_left >= 1 else ""
        st.progress(snapshot.fraction if snapshot else 0.0, f"t-SNE{left or ' …'}", width="stretch")
        is_enough = st.button("Stop", key="stop_embedding", disabled=now is None)
    if now is None:
        st.skeleton(height=560)
        return
    positions = cast(Embedded, now).positions
    if is_enough:
        QUEUE.leave(visitor())
        st.session_state[STOPPED] = (key, positions)
        st.rerun()
    draw(positions)
