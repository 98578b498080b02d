"""The counters: readable by what reads Prometheus' text, and silent about visitors."""

from prometheus_client.parser import text_string_to_metric_families

from bdlviz.ops import counters

LABELS = {"kind", "where", "le"}


def test_the_text_is_what_prometheus_reads():
    counters.JOBS_STARTED.labels("example").inc()
    families = {family.name: family for family in text_string_to_metric_families(counters.text().decode())}
    assert {"bdlviz_jobs_started", "bdlviz_jobs_running", "bdlviz_jobs_waiting", "bdlviz_results"} <= families.keys()
    assert any(sample.labels == {"kind": "example"} for sample in families["bdlviz_jobs_started"].samples)
    assert {label for family in families.values() for sample in family.samples for label in sample.labels} <= LABELS
