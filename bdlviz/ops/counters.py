"""Counters of the program, in the text format of Prometheus.

Labels name kinds of work, never visitors or their settings.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"  # the content type of `text`
SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0)  # upper bounds of buckets

REGISTRY = CollectorRegistry()

JOBS_STARTED = Counter("bdlviz_jobs_started", "Jobs that started.", ["kind"], registry=REGISTRY)
JOBS_FINISHED = Counter("bdlviz_jobs_finished", "Jobs that finished.", ["kind"], registry=REGISTRY)
JOBS_FAILED = Counter("bdlviz_jobs_failed", "Jobs that ended with an error.", ["kind"], registry=REGISTRY)
JOBS_CANCELLED = Counter(
    "bdlviz_jobs_cancelled",
    "Jobs that were cancelled because nobody waited for them any more.",
    ["kind"],
    registry=REGISTRY,
)
JOBS_DISPLACED = Counter(
    "bdlviz_jobs_displaced",
    "Jobs that were interrupted for another visitor's job and wait again.",
    ["kind"],
    registry=REGISTRY,
)
RUNNING = Gauge("bdlviz_jobs_running", "Jobs that are running.", registry=REGISTRY)
WAITING = Gauge("bdlviz_jobs_waiting", "Jobs that are waiting.", registry=REGISTRY)
WAIT_SECONDS = Histogram(
    "bdlviz_job_wait_seconds",
    "Seconds from the request of a job to its start.",
    ["kind"],
    buckets=SECONDS,
    registry=REGISTRY,
)
RUN_SECONDS = Histogram(
    "bdlviz_job_run_seconds",
    "Seconds from the start of a job to its end, also after an error or a cancellation.",
    ["kind"],
    buckets=SECONDS,
    registry=REGISTRY,
)
RESULTS = Counter(
    "bdlviz_results",
    "Results that pages requested, by source: shelf, memory, joined (another visitor's job) or trained.",
    ["where"],
    registry=REGISTRY,
)
WORKERS_LOST = Gauge("bdlviz_workers_lost", "Worker processes that ended unexpectedly or hung.", registry=REGISTRY)


def text() -> bytes:
    """The current values of all counters, in the exposition format of `CONTENT_TYPE`."""
    return generate_latest(REGISTRY)
