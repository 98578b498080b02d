"""Check all locked packages for known vulnerabilities: `make audit`.

If the service has no answer for a package, pip-audit reports "no known vulnerabilities". Here such a package counts as
not audited, and a service without any answer as unreachable.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
FILES = ("requirements/locked/packages.txt", "requirements/locked/torch.txt")
CLEAN, VULNERABLE, UNANSWERED = 0, 1, 3


@dataclass(frozen=True)
class Audit:
    """The result: packages with an answer, packages without one, one sentence for each vulnerability."""

    answered: list[str]
    unanswered: list[str]
    vulnerabilities: list[str]


def ask() -> dict[str, Any] | None:
    """pip-audit's report on the locked packages; None if it failed."""
    program = shutil.which("pip-audit", path=str(Path(sys.executable).parent)) or "pip-audit"
    command = [program, "--disable-pip", "--require-hashes", "--format", "json", "--progress-spinner", "off"]
    for file in FILES:
        command += ["--requirement", file]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    try:
        return json.loads(done.stdout)
    except ValueError:
        print(done.stderr.strip()[-600:], file=sys.stderr)
        return None


def read(report: dict[str, Any] | None) -> Audit:
    """Split a report of pip-audit into packages with and without an answer of the service."""
    packages = [] if report is None else report["dependencies"]
    return Audit(
        [each["name"] for each in packages if "skip_reason" not in each],
        [each["name"] for each in packages if "skip_reason" in each],
        [sentence(each, flaw) for each in packages for flaw in each.get("vulns", [])],
    )


def sentence(package: dict[str, Any], flaw: dict[str, Any]) -> str:
    """A vulnerability in words."""
    mended = ", ".join(flaw["fix_versions"]) or "no version yet"
    return f"{package['name']} {package['version']}: {flaw['id']}, fixed in {mended}"


def verdict(audit: Audit, may_be_unreachable: bool) -> tuple[int, str]:
    """The exit status of an audit, and its message."""
    if audit.vulnerabilities:
        return VULNERABLE, "Known vulnerabilities:\n" + "\n".join(audit.vulnerabilities)
    if not audit.answered:
        return (
            CLEAN if may_be_unreachable else UNANSWERED,
            "NOT AUDITED: the advisory service answered for no package, so nothing is known of their vulnerabilities.",
        )
    if audit.unanswered:
        return UNANSWERED, f"Not audited, since the service does not know them: {', '.join(audit.unanswered)}."
    return CLEAN, f"No known vulnerability in {len(audit.answered)} packages."


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--may-be-unreachable", action="store_true", help="do not fail if the service gives no answer")
    status, sentence = verdict(read(ask()), parser.parse_args().may_be_unreachable)
    print(sentence, file=sys.stderr if status else sys.stdout)
    return status


if __name__ == "__main__":
    sys.exit(main())
