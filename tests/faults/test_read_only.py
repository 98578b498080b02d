"""A folder that nobody may write to: pages open and train, the server starts; in use, nothing writes to the disk."""

from __future__ import annotations

import os
import shutil
import socket
import stat
import subprocess
import sys
from pathlib import Path
from urllib.request import urlopen

import pytest

from bdlviz.data import files
from bdlviz.errors import InvalidInput
from tests.faults.many_writers import put
from tests.patience import limit
from tests.ui.harness import PAGES
from tests.ui.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
COPIED = ("app.py", "bdlviz", "pages", "checkpoints", ".streamlit", "tests/ui", "tests/faults", "tests/patience.py")
DEADLINE = limit(240.0)


def without_privileges() -> list[str] | None:
    """How to start a program that the rights of files bind; None where that cannot be."""
    if os.name != "posix":
        return None
    if os.geteuid() != 0:
        return []
    program = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    return program if shutil.which("setpriv") and subprocess.run([*program, "true"]).returncode == 0 else None


BOUND = without_privileges()
binds = pytest.mark.skipif(BOUND is None, reason="nothing keeps this user from writing")


def take_rights(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(stat.S_IMODE(path.stat().st_mode) & ~0o222)


def give_rights(folder: Path) -> None:
    folder.chmod(0o755)
    for path in folder.rglob("*"):
        path.chmod(stat.S_IMODE(path.stat().st_mode) | 0o200)


@pytest.fixture
def checkout(tmp_path: Path):
    """A copy of the project without the right to write anywhere in it, nor at home, nor in the cache."""
    folder = tmp_path / "checkout"
    for name in COPIED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        copy(ROOT / name, folder / name)
    for cache in folder.rglob("__pycache__"):
        shutil.rmtree(cache)
    (tmp_path / "home").mkdir()
    take_rights(tmp_path)
    yield folder
    give_rights(tmp_path)


def run(program: list[str], checkout: Path) -> subprocess.CompletedProcess[str]:
    """Run Python in the copy of the project, bound by the rights of files."""
    command = [*(BOUND or []), sys.executable, *program]
    return subprocess.run(command, env=environment(checkout), cwd=checkout, capture_output=True, text=True)


def environment(checkout: Path) -> dict[str, str]:
    home = str(checkout.parent / "home")
    return os.environ | {"HOME": home, "TMPDIR": home, "PYTHONPATH": str(checkout), "BDLVIZ_CACHE": f"{home}/cache"}


@binds
def test_pages_open_and_train_where_nothing_may_be_written(checkout: Path):
    opened = run(["tests/faults/watched_writes.py", "home", "function_draws"], checkout)
    assert opened.returncode == 0, opened.stderr
    drawn = [line for line in opened.stdout.splitlines() if line.startswith("drawn")]
    assert drawn == ["drawn home", "drawn function_draws"]
    train = "import bdlviz; print(bdlviz.fit('map', ([0.0, 1.0, 2.0], [0.0, 1.0, 0.0]), num_steps=5).num_steps_done)"
    trained = run(["-c", train], checkout)
    assert trained.stdout == "5\n", trained.stderr


@binds
def test_a_folder_without_the_right_to_write_is_a_sentence(checkout: Path):
    lines = "from pathlib import Path; from tests.faults.many_writers import put; put('one', 1, Path('checkpoints'))"
    sentence = "checkpoints cannot be written (Permission denied); the previous file is unchanged."
    assert run(["-c", lines], checkout).stderr.splitlines()[-1].endswith(sentence)


@binds
def test_the_server_starts_where_nothing_may_be_written(checkout: Path):
    assert BOUND is not None
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    program = [*BOUND, sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
    program += ["--server.headless=true", "--server.address=127.0.0.1"]
    server = subprocess.Popen(
        program, env=environment(checkout), cwd=checkout, stderr=subprocess.STDOUT, stdout=subprocess.PIPE
    )
    address = f"http://127.0.0.1:{port}/_stcore/health"
    try:
        wait_until(lambda: server.poll() is not None or answers(address), "The server does not answer.", DEADLINE)
        assert server.poll() is None
    finally:
        server.terminate()
        output, _ = server.communicate()
    assert b"Traceback" not in output, output.decode()


def answers(address: str) -> bool:
    try:
        with urlopen(address, timeout=5) as answer:
            return answer.status == 200
    except OSError:  # refused, or no answer in time
        return False


def test_nothing_writes_on_any_page():
    opened = python("tests/faults/watched_writes.py", *PAGES)
    assert opened.returncode == 0, opened.stderr
    assert opened.stdout.splitlines() == [f"drawn {name}" for name in PAGES]


def test_the_watch_sees_a_write(tmp_path: Path):
    lines = "import sys; from tests.faults.watched_writes import listen; sys.addaudithook(listen)"
    done = python("-c", f"{lines}; open(sys.argv[1], 'w')", str(tmp_path / "file"))
    assert done.stdout == f"open {tmp_path / 'file'}\n"


def python(*program: str) -> subprocess.CompletedProcess[str]:
    """Run Python in the project's folder."""
    variables = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.run([sys.executable, *program], env=variables, cwd=ROOT, capture_output=True, text=True)


def test_a_cache_folder_that_is_a_file_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "cache").touch()
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path / "cache"))
    said = r"^The file cannot be written to the cache folder: set.csv cannot be written \("
    with pytest.raises(InvalidInput, match=said):
        files.save("set.csv", b"x,y\n")
    with pytest.raises(InvalidInput, match=r"^cache cannot be written \("):
        put("one", 1, tmp_path / "cache")
