"""`python -m bdlviz train`: checkpoints by name into a folder, only those that are missing, on several processes."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bdlviz.__main__ import main
from bdlviz.errors import InvalidInput
from bdlviz.fitted import shelf
from bdlviz.studies import builds
from bdlviz.studies.study import Study
from tests.sweeps.same import content

QUICK = ("scene_compare_own_gaussian_process", "scene_compare_own_map", "scene_draws_tanh")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the quick ones, trained in this process."""
    folder = tmp_path_factory.mktemp("trained")
    assert main(["train", *QUICK, "--folder", str(folder)]) == 0
    return folder


@pytest.fixture
def copied(trained: Path, tmp_path: Path) -> Path:
    for path in trained.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    return tmp_path


@pytest.fixture
def in_vain(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Nothing is trained; the names of what would be."""
    names: list[str] = []

    def put_none(jobs: Any, place: Any, folder: Path) -> int:
        names.extend(job.name for job in jobs)
        return 0

    monkeypatch.setattr("bdlviz.__main__._put_all", put_none)
    return names


def contents(folder: Path) -> dict[str, Any]:
    return {name: content((folder / f"{name}.safetensors").read_bytes()) for name in QUICK}


def test_into_a_folder(trained: Path):
    manifest = shelf.manifest(trained)
    assert sorted(manifest) == sorted(QUICK)
    for name in QUICK:
        builds.check(name, trained)
        assert manifest[name]["command"] == f"python -m bdlviz train {name}"
        assert manifest[name]["versions"].keys() == {"bdlviz", "torch", "numpy"}


def test_the_same_bits_in_another_process(trained: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    assert main(["train", *QUICK, "--folder", str(tmp_path), "--jobs", "1"]) == 0
    assert contents(tmp_path) == contents(trained)
    changing = {"seconds", "sha256", "bytes"}  # the header of a file says how long it took
    for name, entry in shelf.manifest(trained).items():
        other = shelf.manifest(tmp_path)[name]
        assert {key: entry[key] for key in entry.keys() - changing} == {
            key: other[key] for key in other.keys() - changing
        }
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith(" left)") and "(1 of 3, about " in lines[0] and lines[-1].endswith("(3 of 3)")


def test_only_missing_checkpoints_are_trained(copied: Path, in_vain: list[str], capsys: pytest.CaptureFixture[str]):
    gone, cut, old = QUICK
    (copied / f"{gone}.safetensors").unlink()
    (copied / f"{cut}.safetensors").write_bytes((copied / f"{cut}.safetensors").read_bytes()[:-1])
    manifest = json.loads((copied / "manifest.json").read_text())
    manifest["checkpoints"][old]["versions"]["torch"] = "1.0"
    (copied / "manifest.json").write_text(json.dumps(manifest))
    assert main(["train", *QUICK, "beside_map_blundell", "--missing", "--folder", str(copied)]) == 0
    assert in_vain == [*QUICK, "beside_map_blundell"]
    said = capsys.readouterr().out
    assert f"{gone}: to be trained, since The checkpoint {gone}.safetensors cannot be read" in said
    assert f"{cut}: to be trained, since The checkpoint {cut}.safetensors was altered or is incomplete" in said
    assert f"{old}: to be trained, since it was computed with torch 1.0." in said
    assert "beside_map_blundell: to be trained, since it is missing." in said
    assert "4 of 4 have to be trained" in said


def test_complete_folders_need_no_training(trained: Path, in_vain: list[str], capsys: pytest.CaptureFixture[str]):
    assert main(["train", *QUICK, "--missing", "--folder", str(trained)]) == 0
    assert in_vain == [] and "0 of 3 have to be trained" in capsys.readouterr().out


def test_missing_selects_from_all_checkpoints(copied: Path, in_vain: list[str]):
    assert main(["train", "--missing", "--folder", str(copied)]) == 0
    assert set(in_vain) == {*builds.STUDIES, *builds.ARRAYS} - set(QUICK)


def test_the_longest_come_first(in_vain: list[str], tmp_path: Path):
    assert main(["train", *QUICK, "effect_of_lambda", "--folder", str(tmp_path)]) == 0
    assert in_vain == [*QUICK, "effect_of_lambda"]
    in_vain.clear()
    assert main(["train", *QUICK, "effect_of_lambda", "--jobs", "2", "--folder", str(tmp_path)]) == 0
    assert in_vain[0] == "effect_of_lambda"


def test_a_failure_stops_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    def refuse() -> Any:
        raise InvalidInput("No good.")

    broken = {
        "wrong": Study("Wrong", lambda: 1 / 0),  # type: ignore[arg-type]
        "refused": Study("Refused", refuse),
        "far": replace(builds.STUDIES[QUICK[0]], needs="mnist"),
        QUICK[0]: builds.STUDIES[QUICK[0]],
    }
    monkeypatch.setattr(builds, "STUDIES", broken)
    monkeypatch.setattr(builds.data, "available", lambda name: False)
    assert main(["train", *broken, "--folder", str(tmp_path)]) == 1
    said = capsys.readouterr()
    assert "wrong: ZeroDivisionError: division by zero (1 of 4" in said.err and "1 / 0" in said.err
    assert "refused: No good. (2 of 4" in said.err and "raise InvalidInput" not in said.err
    assert "far: not changed, since mnist is missing (set BDLVIZ_DATA to its folder). (3 of 4" in said.out
    assert list(shelf.manifest(tmp_path)) == [QUICK[0]]


def test_finished_checkpoints_are_kept_after_an_interrupt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    def interrupt() -> Any:
        raise KeyboardInterrupt

    studies = {QUICK[0]: builds.STUDIES[QUICK[0]], "stopped": Study("Stopped", interrupt)}
    monkeypatch.setattr(builds, "STUDIES", studies)
    assert main(["train", *studies, "--folder", str(tmp_path)]) == 130
    assert capsys.readouterr().err == "Stopped; finished checkpoints are kept (--missing makes only missing ones).\n"
    builds.check(QUICK[0], tmp_path)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "Give names of checkpoints or groups, or --all: compare, scenes, scoreboard, "),
        (["nonsense", QUICK[0]], "No checkpoint is called nonsense; there are compare, scenes, scoreboard, "),
        ([QUICK[0], "--dask", "localhost"], "an address such as tcp://host:8786, not localhost"),
        (
            [QUICK[0], "--dask", "tcp://127.0.0.1:9"],
            "No Dask scheduler answers at tcp://127.0.0.1:9: Connection refused",
        ),
    ],
)
def test_wrong_arguments_give_one_sentence(
    arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    pytest.importorskip("distributed")
    assert main(["train", *arguments, "--folder", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1


@pytest.mark.parametrize("arguments", [["--jobs", "0"], ["--jobs", "two"], ["--jobs", "2", "--dask", "tcp://a:1"]])
def test_arguments_that_make_no_sense(arguments: list[str]):
    with pytest.raises(SystemExit, match="2"):
        main(["train", QUICK[0], *arguments])


def test_groups_and_expected_seconds(monkeypatch: pytest.MonkeyPatch):
    names = builds.chosen(["compare", "compare_x_sin_x_map", "compare"], everything=False)
    assert names == list(builds.GROUPS["compare"]) and len(set(names)) == len(names)
    entries = {"slow": {"seconds": 30.0}, "quick": {"seconds": 0.0}, "medium": {"seconds": 10.0}, "odd": {}}
    monkeypatch.setattr(shelf, "manifest", lambda folder=None: entries)
    assert builds.expected_seconds(["slow", "quick", "medium", "new"])["new"] == 10.0
    assert builds.expected_seconds(["quick", "odd"]) == {"quick": 1.0, "odd": 1.0}
