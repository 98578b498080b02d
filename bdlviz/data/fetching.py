"""Downloads in a process of their own, which can be ended at any moment: unpacking takes a minute of pure Python.

``python -m bdlviz.data.fetching NAME`` is that process. It prints a line of JSON a few times a second: ``[bytes, is
arriving]``, and at the end ``"done"`` or what went wrong as ``{"problem": sentence}``.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from bdlviz.data.openml import Progress
from bdlviz.data.registry import load
from bdlviz.errors import InvalidInput

PROGRAM = (sys.executable, "-m", "bdlviz.data.fetching")
ROOT = Path(__file__).resolve().parents[2]
DONE, PROBLEM = "done", "problem"


def fetch(name: str, go_on: Callable[[Progress], bool]) -> bool:
    """Download the files of a data set to the cache folder; ``go_on`` hears how far it is, and ends it with False.

    Returns whether the files are there now. `InvalidInput` where the download failed.
    """
    with tempfile.TemporaryDirectory(prefix="bdlviz-") as folder:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)  # what an ended process leaves goes with the folder
        environment = os.environ | places | {"PYTHONPATH": path}
        with subprocess.Popen((*PROGRAM, name), stdout=subprocess.PIPE, env=environment, text=True) as process:
            try:
                return _follow(process, go_on)
            finally:
                process.kill()


def _follow(process: subprocess.Popen[str], go_on: Callable[[Progress], bool]) -> bool:
    assert process.stdout is not None
    for line in process.stdout:
        told = json.loads(line)
        if told == DONE:
            return True
        if isinstance(told, dict):
            raise InvalidInput(told[PROBLEM])
        if not go_on(Progress(*told)):
            return False
    raise InvalidInput("The download ended for an unknown reason: try again.")


def main(name: str) -> None:
    """Download in this process and print how far it is."""
    try:
        load(name, num_data=1, download=True, on_progress=_say)
    except InvalidInput as error:
        _say({PROBLEM: str(error)})
    else:
        _say(DONE)


def _say(what: object) -> None:
    print(json.dumps(what), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
