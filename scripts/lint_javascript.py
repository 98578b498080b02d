"""Check the JavaScript with oxlint, a part of `make lint`: faults, names without a declaration, names without a use.

Files of one component share a scope, so they are checked joined, as a browser gets them. What several components share
is unused only if none of them uses it.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from bdlviz.topics.foundations.bayes_rule import views_pointer
from bdlviz.topics.foundations.variational_or_mcmc import views_moving as chains
from bdlviz.topics.generative.decode import decoder
from bdlviz.topics.generative.latent_space import views_card
from bdlviz.topics.shared import views_hover
from bdlviz.topics.start.playground import sources
from bdlviz.ui.frame import drag
from bdlviz.ui.scrub import base, picture, sketch

ROOT = Path(__file__).resolve().parents[1]
RULES = {
    "categories": {"correctness": "error"},
    "env": {"browser": True, "es2024": True, "worker": True},
    "globals": {"SOURCES": "readonly"},  # sources.py of the playground puts it before ``live/main.js``
    "rules": {
        "no-undef": "error",
        "no-unused-vars": "error",
        "no-var": "error",
        "eqeqeq": "error",
        "prefer-const": "error",
    },
}
UNUSED = "eslint(no-unused-vars)"


def components() -> Iterator[list[Path]]:
    """The files of each component, in the order in which they are joined; then every other file alone."""
    shared = [base.CLIENT / "base" / f"{name}.js" for name in base.BASE_SCRIPTS]
    joined = [
        [drag.CLIENT / f"{name}.js" for name in drag.SCRIPTS],
        [base.CLIENT / "base" / f"{name}.js" for name in ("blocks", "store")],
        [views_hover.LISTENER, views_hover.HERE / "hover.js"],
        [views_hover.LISTENER, views_pointer.SCRIPT],
        [*shared, views_card.CLIENT / "card.js", views_card.CLIENT / "main.js"],
        [*(sources.SHARED / f"{name}.js" for name in sources.SHARED_SCRIPTS)]
        + [sources.OWN / f"{name}.js" for name in sources.SCRIPTS],
    ]
    views = {"picture": picture.SCRIPTS, "chains": chains.SCRIPTS, "decoder": decoder.SCRIPTS, "sketch": sketch.SCRIPTS}
    for view, scripts in views.items():
        joined.append([*shared, *(base.CLIENT / view / f"{name}.js" for name in scripts)])
    yield from joined
    known = {file for files in joined for file in files}
    yield from ([file] for file in sorted((ROOT / "bdlviz").rglob("*.js")) if file not in known)


def found_in(files: list[Path], folder: Path, program: str) -> list[tuple[str, Path, int, str]]:
    """Rule, file, line and message of everything that oxlint finds in a component."""
    texts = [file.read_text(encoding="utf-8").rstrip("\n").split("\n") for file in files]
    places = [(file, line) for file, text in zip(files, texts, strict=True) for line in range(1, len(text) + 1)]
    joined = folder / "joined.js"
    joined.write_text("\n".join("\n".join(text) for text in texts) + "\n", encoding="utf-8")
    command = [program, "-c", str(folder / "rules.json"), "-f", "json", str(joined)]
    answer = subprocess.run(command, capture_output=True, text=True, check=False)
    findings = []
    for each in json.loads(answer.stdout)["diagnostics"]:
        line = each["labels"][0]["span"]["line"] if each["labels"] else 1
        findings.append((each.get("code", "syntax"), *places[line - 1], each["message"]))
    return findings


def main() -> int:
    """The command line."""
    program = shutil.which("oxlint", path=str(Path(sys.executable).parent))
    if program is None:
        print("There is no oxlint beside this Python: run make lint, which installs it.", file=sys.stderr)
        return 1
    faults, unused, parts = set(), {}, [*components()]
    with TemporaryDirectory() as name:
        (Path(name) / "rules.json").write_text(json.dumps(RULES), encoding="utf-8")
        for files in parts:
            for rule, *place in found_in(files, Path(name), program):
                if rule == UNUSED:
                    unused[tuple(place)] = unused.get(tuple(place), 0) + 1
                else:
                    faults.add(tuple(place))
    faults |= {place for place, count in unused.items() if count == sum(place[0] in files for files in parts)}
    for file, line, message in sorted(faults):
        print(f"{file.relative_to(ROOT)}:{line}: {message}")
    print(f"{len(faults)} faults in {len({file for files in parts for file in files})} files of JavaScript.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
