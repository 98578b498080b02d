"""Without MNIST's full files, a cache or a network, pages show the digits they name, and the same as with the files."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from bdlviz.data import available

pytestmark = pytest.mark.rest  # test_every_page.py opens every scene, too, with whatever files are here

MEASURED_NOW = "compression?scene=speed"  # shows times of this moment
Shown = dict[str, dict[str, Any]]


def opened(root: Path, cache: Path, **environment: str) -> Shown:
    """What every scene shows in a fresh process; see `tests.ui.fresh_machine`."""
    kept = {name: value for name, value in os.environ.items() if name not in ("BDLVIZ_DATA", "BDLVIZ_CACHE")}
    program = [sys.executable, "-m", "tests.ui.fresh_machine"]
    environment = kept | {"BDLVIZ_CACHE": str(cache)} | environment
    found = subprocess.run(program, cwd=root, env=environment, capture_output=True, text=True, check=True)
    return json.loads(found.stdout.splitlines()[-1])


@pytest.fixture(scope="module")
def fresh(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Shown:
    cache = tmp_path_factory.mktemp("cache")
    found = opened(root, cache)
    assert not list(cache.rglob("*")), "A page wrote to the cache."
    return found


def test_every_scene_opens(fresh: Shown):
    assert len(fresh) > 100
    assert not {name: each["problems"] for name, each in fresh.items() if each["problems"]}


def test_only_scenes_that_choose_8x8_digits_look_at_them(fresh: Shown):
    """The fits on 8x8 digits, and the digits themselves, are looked at where the controls say so, and nowhere else."""
    assert not {name: each["small"] for name, each in fresh.items() if each["small"] and not each["is_small_by_choice"]}
    assert any(each["small"] for each in fresh.values()), "The spies see nothing."


def test_no_page_asks_for_files(fresh: Shown):
    told = {name: text for name, each in fresh.items() for text in each["shown"] if "BDLVIZ_DATA" in text}
    assert not told
    assert not {name for name, each in fresh.items() for text in each["shown"] if "not on this computer" in text}


@pytest.mark.skipif(not available("mnist"), reason="MNIST's files are not here")
def test_scenes_show_and_say_the_same_with_the_full_files(fresh: Shown, root: Path, tmp_path: Path):
    found = opened(root, tmp_path, BDLVIZ_DATA=os.environ.get("BDLVIZ_DATA", ""))
    assert found.keys() == fresh.keys()
    assert not [name for name in found if found[name]["shown"] != fresh[name]["shown"] and name != MEASURED_NOW]
