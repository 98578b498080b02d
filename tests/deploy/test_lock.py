"""The lock files pin all that is needed, with hashes and no address; the programs around them say what they found."""

from __future__ import annotations

import ast
import re
import sys
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from scripts import audit, lock

SYSTEMS = ("linux", "darwin", "win32")
PYTHONS = ("3.11", "3.12", "3.13")
HASH = re.compile(r"--hash=sha256:[0-9a-f]{64}")


def entries(path: Path) -> list[str]:
    """The entries of a lock file."""
    return lock.blocks(path.read_text(encoding="utf-8"))


def pins(path: Path, system: str, python: str) -> dict[str, str]:
    """The version of every package of a lock file that is installed on a system by a Python; none is named twice."""
    found: dict[str, str] = {}
    for block in entries(path):
        requirement = Requirement(re.split(r"\s*\\|\s+--hash|\n", block)[0])
        if applies(requirement.marker, system, python):
            [specifier] = requirement.specifier
            assert specifier.operator == "=="
            assert requirement.name not in found
            found[canonicalize_name(requirement.name)] = specifier.version
    return found


def applies(marker: Marker | None, system: str, python: str) -> bool:
    """Does a marker hold there?"""
    surroundings = {"sys_platform": system, "python_version": python, "python_full_version": f"{python}.0"}
    surroundings["platform_system"] = {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[system]
    return marker is None or marker.evaluate(surroundings | {"extra": ""})


def needed(names: list[str], system: str, python: str) -> set[str]:
    """These packages and everything that the installed ones bring along there, but for torch's CUDA."""
    seen: set[str] = set()
    while names:
        name = canonicalize_name(names.pop())
        if name in seen or name.startswith(lock.CUDA):
            continue
        seen.add(name)
        try:
            asked = [Requirement(line) for line in requires(name) or []]
        except PackageNotFoundError:  # of another system
            continue
        names += [each.name for each in asked if applies(each.marker, system, python)]
    return seen


def wanted(root: Path, system: str, python: str) -> dict[str, str]:
    """The packages of requirements.txt with their versions, as far as they are for that system."""
    lines = (root / "requirements.txt").read_text(encoding="utf-8").splitlines()
    asked = [Requirement(line) for line in lines if line[:1].isalpha()]
    return {
        canonicalize_name(each.name): str(each.specifier).removeprefix("==")
        for each in asked
        if applies(each.marker, system, python)
    }


@pytest.mark.parametrize("python", PYTHONS)
@pytest.mark.parametrize("system", SYSTEMS)
def test_everything_is_pinned_on_every_system(system: str, python: str, root: Path):
    pinned = pins(lock.LOCKED, system, python) | pins(lock.TORCH, system, python)
    names = wanted(root, system, python)
    found = {name: pinned.get(name) for name in names}
    assert found == names, "make lock was not run after a change of requirements.txt."
    assert needed(list(names), system, python) <= pinned.keys()


def imported(root: Path) -> set[str]:
    """The top-level modules that the explorer and the library import when they are loaded, whoever has written them."""
    paths = [root / "app.py", *(path for name in ("bdlviz", "pages") for path in (root / name).rglob("*.py"))]
    found: set[str] = set()
    for path in paths:
        for node in ast.parse(path.read_text(encoding="utf-8")).body:  # inside a function it may be optional
            if isinstance(node, ast.Import):
                found |= {each.name.partition(".")[0] for each in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
                found.add(node.module.partition(".")[0])
    return found - sys.stdlib_module_names - {"bdlviz"}


def test_everything_imported_is_pinned(root: Path):
    owners = packages_distributions()
    pinned = pins(lock.LOCKED, "linux", "3.11") | pins(lock.TORCH, "linux", "3.11")
    found = {module: {canonicalize_name(name) for name in owners.get(module, ())} for module in imported(root)}
    missing = {module for module, names in found.items() if not pinned.keys() & names}
    assert not missing, f"Imported, but in no lock: {missing}. Add them to requirements.txt and run make lock."


def test_every_entry_has_hashes(root: Path):
    for path in (lock.LOCKED, lock.TORCH):
        assert [lock.name_of(block) for block in entries(path) if not HASH.search(block)] == []
    [cpu] = entries(lock.TORCH_CPU)
    assert cpu.split()[0] == f"torch=={wanted(root, 'linux', '3.11')['torch']}+cpu"
    text = lock.TORCH_CPU.read_text(encoding="utf-8")
    assert bool(HASH.search(cpu)) != (lock.WITHOUT_HASHES in text), "The file says whether it has hashes."


def test_the_locks_name_no_address_and_no_cuda():
    for path in lock.FOLDER.parent.rglob("*.txt"):
        addresses = re.findall(r"\w+://[^\s`]+|--(?:extra-)?index-url \S+", path.read_text(encoding="utf-8"))
        assert [each for each in addresses if lock.CPU_INDEX not in each] == []
    assert [name for name in map(lock.name_of, entries(lock.LOCKED)) if name.startswith(("torch", *lock.CUDA))] == []


ONE, OTHER = "1" * 64, "2" * 64
INDEX = f"""<!doctype html><body>
<a href="/whl/cpu/torch-2.13.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl#sha256={OTHER}">a</a>
<a href="https://host/whl/cpu/torch-2.13.0%2Bcpu-cp313-cp313-manylinux_2_28_aarch64.whl#sha256={ONE}">b</a>
<a href="/whl/cpu/torch-2.13.0%2Bcpu-cp313-cp313t-manylinux_2_28_x86_64.whl#sha256={"3" * 64}">no: free-threaded</a>
<a href="/whl/cpu/torch-2.12.0%2Bcpu-cp311-cp311-manylinux_2_28_x86_64.whl#sha256={"4" * 64}">no: older</a>
<a href="/whl/cpu/torch-2.13.0%2Bcpu-cp311-cp311-win_amd64.whl#sha256={"5" * 64}">no: Windows</a>
<a href="/whl/cpu/torch-2.13.0%2Bcpu-cp312-cp312-manylinux_2_28_x86_64.whl">no hash</a>
"""


def test_hashes_of_the_cpu_build_come_from_its_index_only():
    assert lock.cpu_hashes(INDEX, "2.13.0") == [ONE, OTHER]
    with_hashes = lock.cpu_file("2.13.0", [ONE, OTHER])
    assert with_hashes.count("--hash=sha256:") == 2
    without = lock.cpu_file("2.13.0", [])
    assert "--hash" not in without
    assert lock.WITHOUT_HASHES in without
    assert lock.cpu_file("2.13.0", [], old=with_hashes) == with_hashes
    assert "--hash" not in lock.cpu_file("2.14.0", [], old=with_hashes), "Hashes of another version."


def package(name: str, *flaws: str) -> dict[str, object]:
    """A package as pip-audit reports it."""
    return {"name": name, "version": "1.0", "vulns": [{"id": flaw, "fix_versions": ["1.1"]} for flaw in flaws]}


SKIPPED = {"name": "unknown", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("report", "status", "lenient", "says"),
    [
        ([package("a"), package("b")], audit.CLEAN, audit.CLEAN, "in 2 packages"),
        ([package("a"), package("b", "CVE-1")], audit.VULNERABLE, audit.VULNERABLE, "b 1.0: CVE-1, fixed in 1.1"),
        ([package("a"), SKIPPED], audit.UNANSWERED, audit.UNANSWERED, "unknown"),
        ([SKIPPED, SKIPPED], audit.UNANSWERED, audit.CLEAN, "NOT AUDITED"),
        (None, audit.UNANSWERED, audit.CLEAN, "NOT AUDITED"),
    ],
)
def test_a_package_without_an_answer_is_not_audited(
    report: list[dict[str, object]] | None, status: int, lenient: int, says: str
):
    found = audit.read(None if report is None else {"dependencies": report})
    assert audit.verdict(found, may_be_unreachable=False)[0] == status
    assert audit.verdict(found, may_be_unreachable=True)[0] == lenient
    assert says in audit.verdict(found, may_be_unreachable=True)[1]
