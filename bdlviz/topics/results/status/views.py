"""The page that says how the server is, for people; `/healthz` says the same to programs."""

from __future__ import annotations

import streamlit as st

from bdlviz.ops import health
from bdlviz.ops.health import Health
from bdlviz.ui.model import Custom, Note, Result, Screen, Setting, Widget

LOOK_EVERY = 5.0  # seconds


def status(_: Setting, __: Screen, ___: object) -> Result:
    """The state of the server now."""
    return Result([Widget(_show)])


@st.fragment(run_every=LOOK_EVERY)
def _show() -> None:
    """Health, work and memory as they are now; looks again by itself."""
    now = health.look()
    (st.success if now.status == "ok" else st.warning)(sentence(now))
    with st.container(key="numbers"):
        for column, (label, value) in zip(st.columns(4), figures(now), strict=True):
            column.metric(label, value)


def _show_versions() -> None:
    """The versions with which the numbers of this server were computed."""
    st.table([{"": name, "Version": number} for name, number in health.versions().items()], hide_index=True)


def sentence(now: Health) -> str:
    """What works, in one sentence."""
    if now.status == "ok":
        return f"All {now.checkpoints} shipped files are complete."
    missing = ", ".join(f"`{name}`" for name in now.checkpoints_missing[:5])
    more = len(now.checkpoints_missing) - 5
    rest = f" and {more} more" if more > 0 else ""
    return f"Missing or incomplete: {missing}{rest}. Pages that need them train instead, which takes longer."


def figures(now: Health) -> list[tuple[str, str]]:
    """The four numbers that matter, as label and text."""
    memory = "unknown" if now.memory_bytes is None else f"{now.memory_bytes / 1e6:.0f}"
    return [
        ("Fits running", str(now.jobs_running)),
        ("Fits waiting", str(now.jobs_waiting)),
        ("Memory, MB", memory),
        ("Up", duration(now.uptime_seconds)),
    ]


def duration(seconds: int) -> str:
    """A time in its two largest units: 45 s, 3 min 10 s, 2 h 5 min, 3 d 4 h."""
    parts = ((seconds // 86400, "d"), (seconds // 3600 % 24, "h"), (seconds // 60 % 60, "min"), (seconds % 60, "s"))
    first = next((place for place, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count or seconds == 0)


CONTROLS = (
    Note(
        lambda _: "What runs here now, for all visitors together. Nothing on this page is about one visitor.",
        "markdown",
    ),
    Custom(_show_versions),
    Note(lambda _: "Programs read the same at `/healthz`."),
)
