"""The rules of the source tree, checked by reading it: layers, topics, libraries, sizes and places of files.

An import counts wherever it is: at the top of a module, inside a function, for the type checker alone, or by name.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterable
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tests import sources as reader
from tests.patience import limit
from tests.sources import ROOT, Import, imports_in, imports_of, layer_of, names_used, sources, tree_of

# The modules and packages directly below bdlviz/, the lowest first. Each imports only from those before it;
# ``__init__`` is bdlviz itself. `bdlviz.studies.registry` finds the study modules of topics by name, without importing
# any by a statement.
LAYERS = (
    *("errors", "threads", "writing", "digits", "checks", "observed", "scoring", "types"),
    *("data", "models", "plots", "predictive", "training", "methods", "live"),
    *("fitted", "settings", "processes", "fits", "sweeps", "__init__"),
    *("studies", "published", "errata", "export", "lectures"),
    *("ops", "ui", "topics", "__main__"),
)

# Where a library may be imported, by the path of a file below bdlviz/.
ONLY_IN = {
    "streamlit": ("ui/*", "ops/*", "topics/*/*/views*.py", "topics/shared/*"),
    "plotly": (
        *("plots/*", "export/*", "errata/figures.py", "ui/*"),
        *("topics/*/*/figures*.py", "topics/*/*/views*.py", "topics/shared/*"),
    ),
}
# Where a library is imported nowhere, not even inside a function.
NEVER_IN = {
    "torch": (
        *("errors.py", "types.py", "data/*", "predictive/*", "plots/*", "export/*"),
        *("studies/study.py", "topics/*/*/figures*.py", "topics/*/*/views*.py"),
    ),
}

# Importing these files leaves these libraries unloaded: a page shows its first picture before torch is there.
HEAVY = ("torch", "sklearn", "streamlit")
STAYS_LIGHT = {
    "bdlviz": HEAVY,
    "bdlviz/types.py": HEAVY,
    "bdlviz/data": HEAVY,
    "bdlviz/plots": HEAVY,
    "bdlviz/predictive": HEAVY,
    "bdlviz/export": HEAVY,
    "bdlviz/lectures": HEAVY,
    "bdlviz/studies/study.py": HEAVY,
    "bdlviz/studies/registry.py": HEAVY,
    "bdlviz/sweeps.py": (*HEAVY, "distributed"),
    "bdlviz/ops/counters.py": ("streamlit",),
    "bdlviz/topics/*/*/derivation.py": HEAVY,
    "bdlviz/topics/*/*/exercises.py": HEAVY,
    "bdlviz/topics/*/*/figures*.py": HEAVY,
    "bdlviz/ui": ("torch", "sklearn"),
}

# A page tells a story: everything else reaches it through bdlviz.
PAGES_MAY_IMPORT = {"streamlit", "bdlviz"} | set(sys.stdlib_module_names)
CACHING = {"cache", "lru_cache", "cached_property", "cache_data", "cache_resource"}

MOST_LINES_OF_A_PAGE = 100


def page_sources() -> list[Path]:
    """The pages, and the router above them."""
    return [ROOT / "app.py", *sources("pages")]


def is_in(path: Path, places: Iterable[str]) -> bool:
    """True if a file of bdlviz/ is at one of the places."""
    inside = path.relative_to(ROOT / "bdlviz")
    return any(
        inside.is_relative_to(place.removesuffix("/*")) if place.endswith("/*") else inside.match(place)
        for place in places
    )


# Layers ---------------------------------------------------------------------------------------------------------------


def points_down(found: Import) -> bool:
    """True if an import of one layer by another is of a lower one."""
    return LAYERS.index(found.imported) < LAYERS.index(found.importer)


def between_layers() -> list[Import]:
    """Every import of one layer by another."""
    return [each for each in imports_in("bdlviz") if each.library == "bdlviz" and each.imported != each.importer]


def test_every_part_of_bdlviz_has_its_layer():
    assert {layer_of(path) for path in sources("bdlviz")} == set(LAYERS)


def test_imports_point_down():
    assert not [str(found) for found in between_layers() if not points_down(found)]


# Topics ---------------------------------------------------------------------------------------------------------------


def topic_of(parts: tuple[str, ...]) -> str:
    """The topic of a dotted name below bdlviz.topics, such as ``regression/compare``; ``shared`` for all others."""
    return "/".join(parts[2:4]) if len(parts) > 4 and parts[2] != "shared" else "shared"


def test_topics_import_from_each_other_only_their_studies():
    faults = []
    for found in imports_in("bdlviz/topics"):
        parts = tuple(found.module.split("."))
        own, other = topic_of(found.path.relative_to(ROOT).with_suffix("").parts), topic_of(parts)
        is_other = parts[:2] == ("bdlviz", "topics") and other not in ("shared", own)
        if is_other and parts[4].split("_")[0] != "study":
            faults.append(f"{found.path.relative_to(ROOT)} imports {other}/{parts[4]}.py")
    assert not faults


def test_a_file_that_only_one_topic_uses_is_in_its_folder():
    """So all code of a topic is in two folders: that of its page and its own."""
    modules = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sources("bdlviz")}
    users: dict[str, set[str]] = defaultdict(set)
    for found in (*imports_in("bdlviz"), *imports_in("pages")):
        name = found.module if found.module in modules else found.module.rpartition(".")[0]
        users[name].add(user_of(found.path))
    faults = [
        f"{path.relative_to(ROOT)} is used by {user} alone"
        for name, path in modules.items()
        if len(users[name]) == 1 and "shared" not in users[name] and is_shared(path)
        for user in users[name]
    ]
    assert not faults


def user_of(path: Path) -> str:
    """The topic to which a file belongs; a page belongs to the topic of its name."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return "/".join(parts[1:3]) if parts[0] == "pages" else topic_of(parts) if parts[1] == "topics" else "shared"


def is_shared(path: Path) -> bool:
    """True for a file of bdlviz/ that belongs to no topic, is not directly in topics/, and is no method or data set."""
    return user_of(path) == "shared" and path.parent.name not in ("topics", "methods", "data")


# Libraries ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("library", ONLY_IN)
def test_a_library_stays_in_its_places(library: str):
    imports = [found for found in imports_in("bdlviz") if found.library == library]
    assert not [str(found) for found in imports if not is_in(found.path, ONLY_IN[library])]


@pytest.mark.parametrize("library", NEVER_IN)
def test_a_library_is_kept_out(library: str):
    imports = [found for found in imports_in("bdlviz") if found.library == library]
    assert not [str(found) for found in imports if is_in(found.path, NEVER_IN[library])]


@pytest.mark.parametrize("place", STAYS_LIGHT)
def test_an_import_is_light(place: str):
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in sorted(ROOT.glob(place))]
    look = f"import sys, {', '.join(names)}; print(*(name for name in {STAYS_LIGHT[place]!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, timeout=limit(120))
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), f"importing {place} loads {done.stdout.split()}"


def test_pages_import_only_streamlit_and_bdlviz():
    imports = [found for path in page_sources() for found in imports_of(path)]
    assert not [str(found) for found in imports if found.library not in PAGES_MAY_IMPORT]


def test_pages_do_not_cache():
    nodes = [(path.name, node) for path in page_sources() for node in ast.walk(tree_of(path))]
    assert not [(page, name) for page, node in nodes for name in names_used(node) if name in CACHING]


# Sizes and places -----------------------------------------------------------------------------------------------------


def test_pages_are_short():
    lines = {str(path.relative_to(ROOT)): path.read_text(encoding="utf-8").count("\n") for path in sources("pages")}
    assert not {name: count for name, count in lines.items() if count > MOST_LINES_OF_A_PAGE}


def test_every_page_has_one_topic():
    pages = {f"{path.parent.name}/{path.stem}" for path in (ROOT / "pages").glob("*/*.py")}
    topics = {f"{path.parents[1].name}/{path.parent.name}" for path in (ROOT / "bdlviz" / "topics").glob("*/*/*.py")}
    assert pages == topics


def test_no_modules_import_each_other_in_a_circle():
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in sources("bdlviz", "benchmarks")}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    graph: dict[str, set[str]] = {name: set() for name in names}
    for name, path in names.items():
        for found in imports_of(path):
            module = found.module if found.module in names else found.module.rpartition(".")[0]
            if module in names and module != name:
                graph[name].add(module)
    TopologicalSorter(graph).prepare()  # raises CycleError with the circle


# How imports are read -------------------------------------------------------------------------------------------------


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source file bdlviz/plots/example.py in a project of its own."""
    monkeypatch.setattr(reader, "ROOT", tmp_path)
    path = tmp_path / "bdlviz" / "plots" / "example.py"
    path.parent.mkdir(parents=True)
    (tmp_path / "bdlviz" / "types.py").touch()
    (tmp_path / "bdlviz" / "fits.py").touch()
    return path


@pytest.mark.parametrize(
    ("source", "imported", "is_down"),
    [
        ("from bdlviz.types import Array", "types", True),
        ("from bdlviz import types", "types", True),
        ("from .. import types", "types", True),
        ("from .traces import line", "plots", False),
        ("from bdlviz import fit", "__init__", False),
        ("import bdlviz.fits as f", "fits", False),
        ("def plot():\n    from bdlviz import fits", "fits", False),
        ("class A:\n    def plot(self):\n        import bdlviz.fits", "fits", False),
        ("plot = lambda: __import__('bdlviz.fits')", "fits", False),
        ("try:\n    from bdlviz.fits import fit\nexcept ImportError:\n    pass", "fits", False),
        ("if TYPE_CHECKING:\n    from ..fits import Fit", "fits", False),
    ],
)
def test_the_reading_of_imports(written: Path, source: str, imported: str, is_down: bool):
    written.write_text(source)
    [found] = imports_of(written)
    assert (found.importer, found.imported) == ("plots", imported)
    assert points_down(found) == is_down
