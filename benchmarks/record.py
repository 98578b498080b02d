"""One run of the suite: what it measured, when, where, with what, and what it had to leave out."""

from __future__ import annotations

import json
import subprocess
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from benchmarks.report import PEERS, Row

ROOT = Path(__file__).resolve().parents[1]


@dataclass
class Record:
    """All of a run.

    Args:
        machine: what `report.machine` said before the first group.
        rounds: runs of each contender.
        date: when the run began, in ISO 8601.
        commit: what was measured, as `commit` says it.
        rows: what came out.
        seconds: that each group took, by its name and number of cores.
        left_out: why a group was not measured, by its name.
        failed: groups whose contenders did not reach the same, or that broke.
        later: what comes from a later run, a sentence for each.
    """

    machine: dict[str, Any]
    rounds: int
    date: str
    commit: str = ""
    rows: list[Row] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)
    left_out: dict[str, str] = field(default_factory=dict)
    failed: list[str] = field(default_factory=list)
    later: list[str] = field(default_factory=list)

    @property
    def where(self) -> str:
        """Day, machine and rounds, one sentence."""
        day, there = self.date[:10], self.machine
        told = f"{day}, {there['processor']}, {there['cores']} cores, {there['system']}, load {there['load']} before"
        return f"{told}; {self.rounds} rounds; commit {self.commit or 'unknown'}."

    @property
    def software(self) -> str:
        """Versions, one line."""
        packages = {"Python": self.machine["python"]} | self.machine["packages"]
        return ", ".join(f"{name} {number}" for name, number in packages.items())

    @property
    def gaps(self) -> list[str]:
        """One sentence for each missing group."""
        absent = [name for name in PEERS.values() if name not in self.machine["packages"]]
        told = [f"{name} was left out: {why}." for name, why in self.left_out.items()]
        told += [f"{name} failed and gives no figures." for name in self.failed] + self.later
        return told + ([f"Not installed, so not compared with: {', '.join(absent)}."] if absent else [])

    @property
    def duration(self) -> str:
        """The seconds of all groups together, and of each."""
        each = ", ".join(f"{name} {seconds:.0f}" for name, seconds in self.seconds.items())
        return f"{sum(self.seconds.values()) / 60:.1f} min in all; seconds by group: {each}."

    def completed_by(self, other: Record) -> Record:
        """With those groups of another run that this one left out or that failed in it."""
        found = {
            key: seconds for key, seconds in other.seconds.items() if key not in self.seconds or key in self.failed
        }
        for key in other.failed:
            found.pop(key, None)
        if not found:
            return self
        groups = {key.partition(" on ")[0] for key in found}
        return replace(
            self,
            rows=self.rows + [row for row in other.rows if row.group in groups],
            seconds=self.seconds | found,
            left_out={key: reason for key, reason in self.left_out.items() if key not in found},
            failed=[key for key in self.failed if key not in found],
            later=[*self.later, f"From another run ({other.where.rstrip('.')}): {', '.join(found)}."],
        )

    def write(self, path: Path) -> None:
        """As JSON."""
        told = asdict(self) | {"rows": [row.as_json() for row in self.rows]}
        path.write_text(json.dumps(told, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Record:
        """The record in a file of `write`."""
        told = json.loads(path.read_text(encoding="utf-8"))
        return cls(**told | {"rows": [Row.from_json(row) for row in told["rows"]]})


def commit() -> str:
    """The short hash of what is checked out, "+" behind it if files differ; nothing where git cannot tell."""
    try:
        found = _git("rev-parse", "--short=10", "HEAD")
        return f"{found}+" if _git("status", "--porcelain", "--untracked-files=no") else found
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
