"""The summary of fuzzing: how many cases every target survived."""

from __future__ import annotations

import pytest


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print a line for each target, and the sum."""
    reports = terminalreporter.stats.get("passed", [])
    tallies = [value for report in reports for name, value in report.user_properties if name == "cases"]
    if not tallies:
        return
    terminalreporter.section("hostile cases")
    for target, count, accepted in tallies:
        terminalreporter.write_line(f"{target:28} {count:8,} survived, {accepted:,} of them accepted")
    terminalreporter.write_line(f"{'together':28} {sum(count for _, count, _ in tallies):8,}")
