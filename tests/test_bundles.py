"""Bundles: the same after loading, refused with a sentence when anything is wrong, and no hindrance to fits."""

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

from bdlviz.__main__ import main
from bdlviz.fitted import bundles, checkpoints, shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.studies import builds
from bdlviz.studies.study import ArrayStudy

SETTINGS = {"networks": [{"num_scenes": 3, "tasks": ["depth"]}]}
ARRAYS = {"a": np.arange(6, dtype=np.float16).reshape(2, 3), "b": np.array([0.5])}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    content = checkpoints.bundle_to_bytes(ARRAYS, SETTINGS)
    shelf.put("small", content, {"settings": SETTINGS}, tmp_path)
    return tmp_path


def test_loading_gives_what_was_saved(folder: Path):
    found = bundles.shipped("small", SETTINGS, folder)
    assert found.keys() == ARRAYS.keys()
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    entry, content = shelf.manifest(folder)["small"], (folder / "small.safetensors").read_bytes()
    assert entry["sha256"] == hashlib.sha256(content).hexdigest() and entry["bytes"] == len(content)
    import bdlviz

    fit = bdlviz.fit("map", (np.linspace(-1, 1, 9), np.zeros(9)), hidden=(4,), num_steps=3)
    shelf.put("fit", checkpoints.to_bytes(fit), {"config": checkpoints.config_to_json(fit.config)}, folder)
    assert list(shelf.manifest(folder)) == ["fit", "small"]
    assert shelf.find(fit.config, folder) is not None and shelf.extra(fit.config, folder) == {}
    shelf.check("fit", folder)
    with pytest.raises(CheckpointError):
        shelf.shipped("small", folder)


def test_stale_altered_and_missing_bundles_are_named(folder: Path):
    with pytest.raises(CheckpointError, match="The checkpoint small is stale: it was made with other settings"):
        bundles.shipped("small", SETTINGS | {"more": 1}, folder)
    with pytest.raises(CheckpointError, match="No checkpoint called large is shipped"):
        bundles.shipped("large", SETTINGS, folder)
    path = folder / "small.safetensors"
    content = path.read_bytes()
    for wrong, sentence in (
        (content[:-1], "altered or is incomplete"),
        (content[:-1] + b"?", "altered or is incomplete"),
        (None, "cannot be read: No such file"),
    ):
        path.unlink() if wrong is None else path.write_bytes(wrong)
        with pytest.raises(CheckpointError, match=sentence):
            bundles.shipped("small", SETTINGS, folder)


def test_another_manifest_is_noticed(folder: Path):
    path = folder / "manifest.json"
    entries = json.loads(path.read_text())
    entries["checkpoints"]["small"]["settings"] = {}
    path.write_text(json.dumps(entries))
    with pytest.raises(CheckpointError, match="holds other settings than the manifest says"):
        bundles.shipped("small", SETTINGS, folder)


def test_other_content_is_refused():
    for content in [b"", b"\0" * 8, b"[]", b"\xff" * 100, checkpoints.save_arrays(ARRAYS)]:
        with pytest.raises(CheckpointError, match="small is not a bundle of bdlviz, or it is damaged"):
            checkpoints.bundle_from_bytes(content, "small")
    content = checkpoints.bundle_to_bytes(ARRAYS, SETTINGS)
    for length in range(0, len(content), 32):
        with pytest.raises(CheckpointError, match="damaged"):
            checkpoints.bundle_from_bytes(content[:length], "small")


def test_the_command_line_makes_and_checks_bundles(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    study = ArrayStudy("Small", lambda: dict(ARRAYS), SETTINGS)
    monkeypatch.setattr(builds, "ARRAYS", {"small": study})
    monkeypatch.setattr(builds, "STUDIES", {})
    here = ["--folder", str(tmp_path)]
    assert main(["check", *here]) == 1
    assert main(["train", "small", *here]) == 0 and main(["check", *here]) == 0
    assert "small: fine" in capsys.readouterr().out
    entry = shelf.manifest(tmp_path)["small"]
    assert entry["command"] == "python -m bdlviz train small" and entry["settings"] == SETTINGS
    (tmp_path / "small.safetensors").write_bytes(b"")
    assert main(["check", *here]) == 1
    assert "altered or is incomplete" in capsys.readouterr().err
