"""Files of the user that are called like modules of Python: no process that bdlviz starts executes them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

# Python, multiprocessing, numpy or torch import modules of these names. If one of the user's files is executed instead,
# it leaves a mark and ends the process.
NAMES = ("random", "numbers", "struct", "pickle", "json", "queue", "sitecustomize", "numpy")
TRAP = "import os, pathlib; pathlib.Path({mark!r}).touch(); os._exit(3)"
PROGRAM = """
import os, sys

sys.path.append(sys.argv[1])  # after Python's own modules
import numpy as np
import bdlviz
from bdlviz.processes.crew import CREW

os.chdir(sys.argv[2])
x = np.linspace(-2, 2, 20)
settings = dict(hidden=(4,), num_steps=20)

if __name__ == "__main__":
    here = bdlviz.fit("map", (x, np.sin(x)), **settings)
    config = bdlviz.configure("map", bdlviz.from_points(x, np.sin(x), held_out=False), **settings)
    [swept] = bdlviz.sweep([config], (x, np.sin(x)), num_processes=1)
    CREW.trains_everything = True
    os.environ["BDLVIZ_WORKERS"] = "1"
    there = bdlviz.fit("map", (x, np.sin(x)), **settings)
    [worker] = CREW._workers
    assert worker.is_alive and worker.num_fits == 0, "it has trained the fit"
    for fit in (swept, there):
        for name, array in here.params.items():
            np.testing.assert_array_equal(fit.params[name], array)
    CREW.stop()
    assert "PYTHONSAFEPATH" not in os.environ
"""


@pytest.mark.parametrize("where", ["elsewhere", "beside the package"])
def test_processes_execute_no_file_of_the_current_folder(root: Path, tmp_path: Path, where: str):
    source, current, mark = root, tmp_path / "current", tmp_path / "executed"
    current.mkdir()
    if where == "beside the package":
        source = current
        shutil.copytree(root / "bdlviz", current / "bdlviz", ignore=shutil.ignore_patterns("__pycache__"))
    else:
        (current / "bdlviz.py").write_text(TRAP.format(mark=str(mark)), encoding="utf-8")
    for name in NAMES:
        (current / f"{name}.py").write_text(TRAP.format(mark=str(mark)), encoding="utf-8")
    program = tmp_path / "program" / "program.py"
    program.parent.mkdir()
    program.write_text(PROGRAM, encoding="utf-8")
    kept = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONSAFEPATH")}
    command = [sys.executable, str(program), str(source), str(current)]
    done = subprocess.run(command, env=kept, capture_output=True, text=True, timeout=300)
    assert not mark.exists(), done.stderr
    assert done.returncode == 0, done.stderr
