"""The record of one run of the benchmarks: results, date, machine, versions, and groups that are missing."""

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
    """The record of a run.

    Args:
        machine: the result of `report.machine` before the first group.
        rounds: number of runs of each contender.
        date: start of the run in ISO 8601.
        commit: the result of `commit`.
        rows: the results.
        seconds: duration of each group, by its name and number of cores.
        left_out: the reason why a group was not measured, by its name.
        failed: groups with an error, or whose contenders reached different results.
        later: sentences about results from other runs.
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
        """Date, machine, rounds and commit in one sentence."""
        day, on = self.date[:10], self.machine
        machine = f"{day}, {on['processor']}, {on['cores']} cores, {on['system']}, load {on['load']} before"
        return f"{machine}; {self.rounds} rounds; commit {self.commit or 'unknown'}."

    @property
    def software(self) -> str:
        """Versions in one line."""
        packages = {"Python": self.machine["python"]} | self.machine["packages"]
        return ", ".join(f"{name} {number}" for name, number in packages.items())

    @property
    def gaps(self) -> list[str]:
        """One sentence for each missing group."""
        absent = [name for name in PEERS.values() if name not in self.machine["packages"]]
        sentences = [f"{name} was left out: {why}." for name, why in self.left_out.items()]
        sentences += [f"{name} failed and gives no figures." for name in self.failed] + self.later
        return sentences + ([f"Not installed, so not compared with: {', '.join(absent)}."] if absent else [])

    @property
    def duration(self) -> str:
        """The total minutes, and the seconds of each group, in one sentence."""
        each = ", ".join(f"{name} {seconds:.0f}" for name, seconds in self.seconds.items())
        return f"{sum(self.seconds.values()) / 60:.1f} min in all; seconds by group: {each}."

    def completed_by(self, other: Record) -> Record:
        """This record, with the groups of another run that are missing or failed in this one."""
        added = {
            key: seconds for key, seconds in other.seconds.items() if key not in self.seconds or key in self.failed
        }
        for key in other.failed:
            added.pop(key, None)
        if not added:
            return self
        groups = {key.partition(" on ")[0] for key in added}
        return replace(
            self,
            rows=self.rows + [row for row in other.rows if row.group in groups],
            seconds=self.seconds | added,
            left_out={key: reason for key, reason in self.left_out.items() if key not in added},
            failed=[key for key in self.failed if key not in added],
            later=[*self.later, f"From another run ({other.where.rstrip('.')}): {', '.join(added)}."],
        )

    def write(self, path: Path) -> None:
        """Write the record as JSON."""
        content = asdict(self) | {"rows": [row.as_json() for row in self.rows]}
        path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

    @classmethod
    def read(cls, path: Path) -> Record:
        """The record in a file that `write` has written."""
        content = json.loads(path.read_text(encoding="utf-8"))
        return cls(**content | {"rows": [Row.from_json(row) for row in content["rows"]]})


def commit() -> str:
    """The short hash of the current commit, with a "+" if files were changed; "" if git has no answer."""
    try:
        commit_hash = _git("rev-parse", "--short=10", "HEAD")
        return f"{commit_hash}+" if _git("status", "--porcelain", "--untracked-files=no") else commit_hash
    except (OSError, subprocess.CalledProcessError):
        return ""


def _git(*arguments: str) -> str:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()
