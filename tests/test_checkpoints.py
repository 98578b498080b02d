"""Saved fits: the same after loading, refused with a sentence when anything is wrong, replaced whole or not at all."""

import hashlib
import json
import os
import stat
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import save as save_arrays

import bdlviz
from bdlviz.fits import fit_of
from bdlviz.fitted import checkpoints, shelf
from bdlviz.fitted.checkpoints import CheckpointError, config_from_json, config_to_json, from_bytes, to_bytes

X = np.linspace(-2, 2, 20)
Y = np.sin(3 * X)


def quick(method="mc_dropout", **settings):
    return bdlviz.fit(method, (X, Y), **{"hidden": (4, 3), "num_steps": 10, **settings})


@pytest.fixture(scope="module")
def grid():
    return quick(dropout_rate=(0.1, 0.5), weight_decay=(0.0, 1e-4, 1.0), seed=(0, 3), num_snapshots=3)


@pytest.fixture(scope="module")
def content(grid):
    return to_bytes(grid)


def assert_same(one, other):
    for group in ("params", "losses", "snapshots"):
        mine, theirs = getattr(one, group), getattr(other, group)
        assert mine.keys() == theirs.keys()
        for name, array in mine.items():
            assert array.dtype == theirs[name].dtype
            np.testing.assert_array_equal(array, theirs[name])
    for name in checkpoints.SCALES:
        np.testing.assert_array_equal(getattr(one.scaling, name), getattr(other.scaling, name))
    for name in ("config", "model", "noise_std", "num_data", "num_steps_done"):
        assert getattr(one, name) == getattr(other, name)
    assert one.seconds == pytest.approx(other.seconds, abs=1e-3)


@pytest.mark.parametrize("method", ["map", "mc_dropout", "deep_ensemble", "concrete_dropout"])
def test_loading_gives_what_was_saved(method, tmp_path):
    fit = quick(method, num_snapshots=2, seed=(1, 0), batch_size=7)
    fit.save(tmp_path / "deep" / "er" / "fit.safetensors")
    loaded = bdlviz.load(str(tmp_path / "deep" / "er" / "fit.safetensors"))
    assert_same(fit, loaded)
    one, other = (f.cell(seed=0).predict(X, 9) for f in (fit, loaded))
    np.testing.assert_array_equal(one.draws, other.draws)
    np.testing.assert_array_equal(loaded.at_snapshot(1).params["weight0"], fit.at_snapshot(1).params["weight0"])
    np.testing.assert_array_equal(loaded.snapshot_steps, [1, 10] if len(fit.snapshot_steps) == 2 else [])


def test_stopped_and_cancelled_fits_can_be_saved(tmp_path):
    stopped = quick(num_snapshots=3, on_snapshot=lambda snapshot: snapshot.step < 4)
    stopped.save(tmp_path / "fit")
    assert_same(stopped, bdlviz.load(tmp_path / "fit"))
    assert bdlviz.load(tmp_path / "fit").num_steps_done == 4


def test_same_fit_same_bytes(grid, content):
    assert to_bytes(grid) == content
    assert to_bytes(fit_of(**from_bytes(content, "grid")[0])) == content
    half = to_bytes(grid, half=True)
    assert len(half) < len(content)
    fit = fit_of(**from_bytes(half, "grid")[0])
    for name, array in fit.params.items():
        assert array.dtype == np.float32
        np.testing.assert_allclose(array, grid.params[name], rtol=2**-11, atol=1e-7)
        np.testing.assert_array_equal(array, grid.params[name].astype(np.float16))
    assert fit.config == grid.config
    assert config_from_json(json.loads(json.dumps(config_to_json(grid.config)))) == grid.config
    assert hash(config_from_json(config_to_json(grid.config))) == hash(grid.config)
    extra = {"images": np.arange(6, dtype=np.uint8).reshape(2, 3), "scores": np.array([0.5])}
    fields, found = from_bytes(to_bytes(grid, extra=extra), "grid")
    assert_same(fit_of(**fields), grid)
    assert found.keys() == extra.keys()
    for name, array in extra.items():
        np.testing.assert_array_equal(found[name], array)


# Damage -------------------------------------------------------------------------------------------------------------


def test_other_content_is_refused(grid, content):
    assert issubclass(CheckpointError, bdlviz.InvalidInput)
    header = {"format": checkpoints.FORMAT, "config": config_to_json(grid.config)}
    weights = {"param.weight0": np.zeros((2, 6, 1, 4), np.float32)}
    for other in (
        b"",
        b"\0" * 8,
        b"\xff" * 100,
        b"[]",
        b'{"format": 1}',
        b"PK\x03\x04" + b"\0" * 200,
        *(content[:length] for length in range(0, len(content), 64)),
        json.dumps(header).encode(),
        save_arrays(weights),
        save_arrays(weights, metadata={"made_by": "somebody else"}),
        *(
            save_arrays(weights, metadata={"bdlviz": text})
            for text in ("", "[]", "null", "{}", "1e999", json.dumps(header), "[" * 100)
        ),
    ):
        with pytest.raises(CheckpointError, match="not a checkpoint of bdlviz, or it is damaged"):
            from_bytes(other, "fit")
    # Only a file that says so may be without weights.
    arrays = {n: a for n, a in checkpoints.load_arrays(content).items() if not n.startswith("param.")}
    header = json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]
    with pytest.raises(CheckpointError, match="damaged"):
        from_bytes(save_arrays(arrays, metadata=header), "fit")
    with pytest.raises(
        CheckpointError, match=r"^fit was written by another version of bdlviz; rebuild or save it again"
    ):
        from_bytes(altered(content, lambda header: header.update(format=99)), "fit")


def altered(content, change):
    """The same file with something else in its header."""
    fields = json.loads(json.loads(content[8 : 8 + int.from_bytes(content[:8], "little")])["__metadata__"]["bdlviz"])
    change(fields)
    return save_arrays(checkpoints.load_arrays(content), metadata={"bdlviz": json.dumps(fields)})


@pytest.mark.parametrize(
    "change",
    [
        lambda h: h.pop("network"),
        lambda h: h.update(network=[1, 2]),
        lambda h: h["network"].update(sizes=[1, 4, 4, 1]),
        lambda h: h["network"].update(sizes=[1, 4, 1]),
        lambda h: h["network"].update(kind="Perceptron"),
        lambda h: h["network"].update(activation="sine"),
        lambda h: h.update(likelihood="cauchy"),
        lambda h: h["config"].update(seeds=[0]),
        lambda h: h["config"].update(axes=[["dropout_rate", [0.1]], ["weight_decay", [0.0]]]),
        lambda h: h["config"].update(colour="blue"),
        lambda h: h["config"].pop("method"),
        lambda h: h.update(num_data="many"),
        lambda h: h.update(num_data=float("inf")),
        lambda h: h.update(noise_std=None),
    ],
)
def test_contradictory_headers_are_refused(content, change):
    assert fit_of(**from_bytes(altered(content, lambda header: None), "fit")[0]).num_data == 20
    with pytest.raises(CheckpointError, match="damaged"):
        from_bytes(altered(content, change), "fit")


def test_missing_unreadable_and_huge_files_are_refused(tmp_path, monkeypatch, content):
    with pytest.raises(CheckpointError, match=r"gone.safetensors cannot be read: No such file or directory\."):
        bdlviz.load(tmp_path / "gone.safetensors")
    with pytest.raises(CheckpointError, match="cannot be read"):
        bdlviz.load(tmp_path)
    (tmp_path / "large").write_bytes(content)
    monkeypatch.setattr(checkpoints, "MAX_BYTES", 100)
    with pytest.raises(CheckpointError, match="large is larger than any checkpoint of bdlviz; it was not read"):
        bdlviz.load(tmp_path / "large")


# Writing ------------------------------------------------------------------------------------------------------------


def test_a_new_file_replaces_the_old_and_others_may_read_it(tmp_path):
    path = tmp_path / "fit.safetensors"
    for seed in (0, 1):
        quick(seed=seed).save(path)
        assert bdlviz.load(path).config.seeds == (seed,)
    assert os.listdir(tmp_path) == ["fit.safetensors"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o444 == 0o444


# The shelf of shipped fits ------------------------------------------------------------------------------------------


@pytest.fixture
def folder(tmp_path, grid, content):
    """A shelf with one grid on it."""
    put(tmp_path, "grid", grid, content)
    return tmp_path


def put(folder, name, fit, content):
    shelf.put(name, content, {"config": config_to_json(fit.config)}, folder)


def test_an_empty_shelf_and_scores_without_weights(tmp_path, grid):
    assert shelf.manifest(tmp_path) == {} and shelf.find(grid.config, tmp_path) is None
    with pytest.raises(CheckpointError, match="No checkpoint called grid is shipped"):
        shelf.shipped("grid", tmp_path)
    # They can be read beside the configuration, but are no fit that a page could predict with.
    bare = replace(grid.cell(dropout_rate=0.1, weight_decay=1e-4, seed=0), params={}, snapshots={})
    content = to_bytes(bare, extra={"accuracy": np.array([0.9])})
    entry = {"config": config_to_json(bare.config), "is_without_weights": True}
    shelf.put("scores", content, entry, tmp_path)
    shelf.check("scores", tmp_path)
    found, extra = shelf.shipped("scores", tmp_path)
    assert extra["accuracy"].item() == 0.9 and shelf.find(bare.config, tmp_path) is None
    with pytest.raises(bdlviz.InvalidInput, match="The weights of this fit were not kept, only its scores"):
        found.predict(X)


def test_put_check_and_find(folder, grid, content):
    entry = shelf.manifest(folder)["grid"]
    assert entry["sha256"] == hashlib.sha256(content).hexdigest() and entry["bytes"] == len(content)
    shelf.check("grid", folder)
    assert_same(shelf.shipped("grid", folder)[0], grid)
    whole = shelf.find(grid.config, folder)
    assert whole is not None
    assert_same(whole, grid)
    for rate in (0.1, 0.5):
        cell = grid.cell(dropout_rate=rate, weight_decay=1e-4, seed=3)
        found = shelf.find(replace(cell.config, num_snapshots=0), folder)
        assert found is not None and found.is_single
        np.testing.assert_array_equal(found.params["weight1"], cell.params["weight1"])
        np.testing.assert_array_equal(found.predict(X, 5).draws, cell.predict(X, 5).draws)
    row = grid.cell(dropout_rate=0.5)
    found = shelf.find(row.config, folder)
    assert found is not None and found.config.grid_shape == (1, 3)
    np.testing.assert_array_equal(found.params["weight1"], row.params["weight1"])
    put(folder, "twin", grid, content)
    (folder / "grid.safetensors").write_bytes(b"")
    found = shelf.find(grid.config, folder)
    assert found is not None
    assert_same(found, grid)
    (folder / "grid.safetensors").write_bytes(content)
    path = folder / "manifest.json"
    entries = json.loads(path.read_text())
    entries["checkpoints"]["grid"]["config"]["num_steps"] = 11
    path.write_text(json.dumps(entries))
    with pytest.raises(CheckpointError, match="another configuration than the manifest says"):
        shelf.check("grid", folder)


@pytest.mark.parametrize(
    "change",
    [
        {"axes": (("dropout_rate", (0.2,)), ("weight_decay", (1e-4,)))},
        {"axes": (("dropout_rate", (0.1,)), ("weight_decay", (0.0, 1e-4)))},
        {"axes": (("weight_decay", (1e-4,)),)},
        {"seeds": (1,)},
        {"num_steps": 11},
        {"num_snapshots": 4},
        {"hidden": (4, 4)},
        {"activation": "tanh"},
        {"noise_std": 0.123},
        {"batch_size": 5},
        {"learning_rate": 1e-2},
        {"schedule": "drop_at_half"},
        {"method": "map"},
        {"dataset": "other"},
        {"data_fingerprint": "0" * 16},
    ],
)
def test_find_refuses_another_configuration(folder, grid, change):
    cell = grid.cell(dropout_rate=0.1, weight_decay=1e-4, seed=0).config
    assert shelf.find(cell, folder) is not None
    assert shelf.find(replace(cell, **change), folder) is None


def test_altered_missing_and_truncated_files_are_named(folder, grid, content):
    path = folder / "grid.safetensors"
    damaged = bytearray(content)
    damaged[-1] ^= 1
    for wrong, sentence in (
        (bytes(damaged), r"grid.safetensors was altered or is incomplete \(its hash does not match\)"),
        (content[:-100], r"grid.safetensors was altered or is incomplete"),
        (b"", r"grid.safetensors was altered or is incomplete"),
        (None, r"grid.safetensors cannot be read: No such file"),
    ):
        path.unlink() if wrong is None else path.write_bytes(wrong)
        for use in (lambda: shelf.find(grid.config, folder), lambda: shelf.check("grid", folder)):
            with pytest.raises(CheckpointError, match=sentence):
                use()
    path.write_bytes(content)
    shelf.check("grid", folder)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "[]",
        "{}",
        '{"checkpoints": []}',
        '{"checkpoints": {"grid": 3}}',
        '{"checkpoints": {"grid": {}}}',
        '{"checkpoints": {"grid": {"sha256": "00", "config": {"method": "map"}}}}',
        '{"checkpoints": {"grid": {"sha256": "00", "config": {"colour": "blue"}}}}',
        "\0" * 50,
    ],
)
def test_damaged_manifest_is_named(folder, grid, text):
    (folder / "manifest.json").write_text(text)
    with pytest.raises(
        CheckpointError, match=r"manifest.json is damaged; restore it or run `python -m bdlviz train --all`"
    ):
        shelf.find(grid.config, folder)
