"""What the program counts about itself, in the text format that Prometheus reads.

Labels say what kind of work it was, never whose or with which settings.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"  # of `text`
SECONDS = (0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 180.0, 600.0)  # bounds of the histograms' buckets

REGISTRY = CollectorRegistry()

JOBS_STARTED = Counter("bdlviz_jobs_started", "Jobs that began to run.", ["kind"], registry=REGISTRY)
JOBS_FINISHED = Counter("bdlviz_jobs_finished", "Jobs that ran to their end.", ["kind"], registry=REGISTRY)
JOBS_FAILED = Counter("bdlviz_jobs_failed", "Jobs that ended with an error.", ["kind"], registry=REGISTRY)
JOBS_CANCELLED = Counter(
    "bdlviz_jobs_cancelled", "Jobs that ended since nobody waited for them any more.", ["kind"], registry=REGISTRY
)
JOBS_DISPLACED = Counter(
    "bdlviz_jobs_displaced", "Jobs that made room for another visitor's and wait again.", ["kind"], registry=REGISTRY
)
RUNNING = Gauge("bdlviz_jobs_running", "Jobs that run now.", registry=REGISTRY)
WAITING = Gauge("bdlviz_jobs_waiting", "Jobs that wait for their turn now.", registry=REGISTRY)
WAIT_SECONDS = Histogram(
    "bdlviz_job_wait_seconds", "From a request to its start.", ["kind"], buckets=SECONDS, registry=REGISTRY
)
RUN_SECONDS = Histogram(
    "bdlviz_job_run_seconds",
    "From a job's start to its end, however it ended.",
    ["kind"],
    buckets=SECONDS,
    registry=REGISTRY,
)
RESULTS = Counter(
    "bdlviz_results",
    "Results that pages asked for, by where they came from: shelf, memory, joined (somebody else's job) or trained.",
    ["where"],
    registry=REGISTRY,
)
WORKERS_LOST = Gauge("bdlviz_workers_lost", "Worker processes that ended or hung, unasked.", registry=REGISTRY)


def text() -> bytes:
    """All counters as they stand, in the exposition format of `CONTENT_TYPE`."""
    return generate_latest(REGISTRY)
