"""Lectures: a file is read strictly, whatever it holds, and a broken one harms nobody."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from bdlviz.errors import InvalidInput
from bdlviz.lectures import Lecture, Step, lectures, problems, read_lecture
from bdlviz.lectures.lecture import FOLDER, MAX_BYTES, MAX_MINUTES, MAX_STEPS
from tests.patience import limit

SHIPPED = lectures()["one_story"]
SECONDS = limit(20)  # the slowest text below takes three; what hangs takes minutes
STEP = "- {page: a/b, title: t, minutes: 2, say: hello}\n"
SMALL = "title: T\nsteps:\n" + STEP
BLOCK = "title: T\nsteps:\n  - page: a/b\n    title: t\n    minutes: 2\n    say: {}\n"


def read_or_refuse(text: str) -> Lecture | str:
    """The lecture, or the one sentence that says what is wrong; any other exception is a failure."""
    begun = time.monotonic()
    try:
        return read_lecture(text, "mine")
    except InvalidInput as error:
        sentence = str(error)
        assert "\n" not in sentence and sentence.endswith(".") and len(sentence) < 300
        assert sentence.startswith("Lecture mine") and re.search("[:,] ", sentence)
        return sentence
    finally:
        assert time.monotonic() - begun < SECONDS


# Reading


def test_a_lecture_is_what_its_file_says():
    text = """
    title: Two pictures
    about: Why.
    steps:
      - page: regression/compare
        scene: gap
        settings: {hold_out: off, length_scale: 0.10, methods: no}
        tab: Caveat and paper
        title: "First: look"
        minutes: 2.5
        say: |
          Point at *the gap*.

          Ask.
      - {page: start/home, title: Home, minutes: 1, say: Bye.}
    """
    found = read_lecture(text, "mine")
    # Options of controls stay as they are written: YAML's own reading would make False and 0.1 of them.
    options = {"hold_out": "off", "length_scale": "0.10", "methods": "no"}
    first = Step(
        *("regression/compare", "First: look", 2.5, "Point at *the gap*.\n\nAsk.", "gap", options, "Caveat and paper")
    )
    assert found == Lecture("mine", "Two pictures", "Why.", (first, Step("start/home", "Home", 1.0, "Bye.")))
    assert found.minutes == 3.5


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "keys"),
        ("title: [", "line 1"),
        ("title: a: b", "line 1"),
        ("title: T\n\tsteps: []", "line 2"),
        ("title: T\ntitle: U\nsteps:\n" + STEP, "twice"),
        ("---\na: 1\n---\nb: 1", "document"),
        ("? [a]\n: b", "unhashable"),
        ('"\\U0FFFFFFF"', "YAML"),
        ("title: \ufffe", "YAML"),
        ("title: T", "steps"),
        ("steps:\n" + STEP, "title"),
        ("title: T\nsteps: []", "steps"),
        ("title: T\nsteps: {a: b}", "steps"),
        ("title: T\nsteps: [a]", "step 1"),
        ("title: T\nsteps:\n" + STEP * (MAX_STEPS + 1), f"{MAX_STEPS + 1} steps"),
        ("title:\nsteps:\n" + STEP, "title"),
        ("title: [T]\nsteps:\n" + STEP, "title"),
        (SMALL + "author: me", "author"),
        (SMALL + STEP.replace("page: a/b, ", ""), "step 2"),
        (SMALL + STEP.replace("say", "sya"), "sya"),
        (SMALL.replace("a/b", "../b"), "../b"),
        (SMALL.replace("a/b", "{a: b}"), "page"),
        (SMALL.replace("hello", "''"), "say"),
        (SMALL.replace("hello", '"\\x07"'), "U+0007"),
        (SMALL.replace("hello", "\x1b[31m"), "U+001B"),
        (SMALL.replace("title: t", f"title: {'t' * 101}"), "title"),
        (SMALL.replace("say", "tab: '', say"), "tab"),
        (SMALL.replace("say", "settings: [width], say"), "settings"),
        (SMALL.replace("say", "settings: {'a b': 1}, say"), "a b"),
        (SMALL.replace("say", "settings: {width: [1]}, say"), "width"),
        *(
            (SMALL.replace("2", minutes), f"“{minutes}”")
            for minutes in ("0", "-1", "nan", "inf", "ten", "1e9", f"{MAX_MINUTES + 1:g}")
        ),
        (SMALL.replace("2", "[2]"), "minutes"),
        (SMALL + "#" * MAX_BYTES, "100 kB"),
        (SMALL + "é" * (MAX_BYTES // 2), "100 kB"),
        ("\ud800", "U+D800"),
        *((BLOCK.format(say), "line 6") for say in ("ask about exercise #3", "#0072B2", "'a' #3", "one\n      # two")),
        *((BLOCK.format(say), "quotes") for say in ("!word", "&word", "! word")),
    ],
)
def test_every_fault_has_its_sentence(text: str, says: str):
    refused = read_or_refuse(text)
    assert isinstance(refused, str) and says in refused


@pytest.mark.parametrize(
    ("written", "says"),
    [
        ("'exercise #3'", "exercise #3"),
        ('"#0072B2"', "#0072B2"),
        ("'!word'", "!word"),
        ("C# and a#b", "C# and a#b"),
        ("|\n      exercise #3\n      # four\n      !word", "exercise #3\n# four\n!word"),
        ("one\n    # a comment on its own line", "one"),
    ],
)
def test_words_in_quotes_or_in_a_block_are_kept(written: str, says: str):
    assert read_lecture(BLOCK.format(written), "mine").steps[0].say == says


def test_the_largest_lecture_is_still_read():
    assert len(read_lecture("title: T\nsteps:\n" + STEP * MAX_STEPS, "mine").steps) == MAX_STEPS
    full = SMALL + "#" * (MAX_BYTES - len(SMALL))
    assert isinstance(read_or_refuse(full), Lecture)
    assert read_lecture(SMALL.replace("2", f"{MAX_MINUTES:g}"), "mine").minutes == MAX_MINUTES


LAUGHS = "\n".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}' if n else 'ha'] * 9)}]" for n in range(9))
MERGES = "\n".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 9))


@pytest.mark.parametrize("bomb", [LAUGHS, "a0: &a0 {b: 1}\n" + MERGES, "a: &a [*a]", SMALL + "- *x"])
def test_aliases_are_refused(bomb: str):
    refused = read_or_refuse(bomb)
    assert isinstance(refused, str) and "alias" in refused


@pytest.mark.parametrize(
    "unit", ["[", "{", "- ", "? ", "{a: ", "? a\n", "[a]: ", "a\n", "\n", "'", '"\\x41', "&a ", "!"]
)
def test_much_of_anything_is_refused_soon(unit: str):
    assert isinstance(read_or_refuse(unit * (MAX_BYTES // len(unit))), str)


def test_many_short_texts_are_refused_soon():
    """The slowest files that fit: as many pieces as possible."""
    assert isinstance(read_or_refuse(f"[{'a,' * (MAX_BYTES // 2 - 10)}]"), str)
    assert isinstance(read_or_refuse("\n".join(f"k{n}: v" for n in range(9_000))), str)


PLAIN = (
    st.text(st.characters(categories=("L", "N", "P", "S", "Zs")), min_size=1, max_size=40).map(str.strip).filter(bool)
)
NAMES = st.from_regex(r"[a-z0-9_]{1,20}", fullmatch=True)
ANY_STEP = st.builds(
    Step,
    page=st.builds("{}/{}".format, NAMES, NAMES),
    title=PLAIN,
    minutes=st.floats(0.01, MAX_MINUTES),
    say=PLAIN,
    scene=PLAIN,
    settings=st.dictionaries(NAMES, PLAIN, max_size=3),
    tab=PLAIN,
    part=PLAIN,
)


@given(PLAIN, PLAIN, st.lists(ANY_STEP, min_size=1, max_size=4))
def test_reading_gives_what_was_written(title: str, about: str, steps: list[Step]):
    content = {"title": title, "about": about, "steps": [vars(step) for step in steps]}
    assert read_lecture(yaml.safe_dump(content), "mine") == Lecture("mine", title, about, tuple(steps))


# Finding


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with lectures of one's own."""
    monkeypatch.setenv(FOLDER, str(tmp_path))
    return tmp_path


def test_only_the_shipped_lectures_without_a_folder(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv(FOLDER, raising=False)
    assert list(lectures()) == ["one_story"]
    assert problems() == []


def test_broken_files_do_not_take_the_others_down(folder: Path):
    (folder / "good.yaml").write_text(SMALL)
    (folder / "broken.yaml").write_text("title: [")
    (folder / "latin.yml").write_bytes("title: Größe".encode("latin-1"))
    (folder / "large.yaml").write_bytes(b"#" * (MAX_BYTES + 1))
    (folder / "My talk.yaml").write_text(SMALL)
    (folder / "one_story.yaml").write_text(SMALL)
    (folder / "folder.yaml").mkdir()
    (folder / "notes.txt").write_text("no lecture")
    assert list(lectures()) == ["one_story", "good"]
    assert lectures()["one_story"] == SHIPPED
    said = problems()
    assert len(said) == 5
    for words in ("My talk", "broken", "large", "latin", "one_story"):
        assert sum(words in sentence for sentence in said) == 1


def test_a_missing_folder_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv(FOLDER, str(tmp_path / "nowhere"))
    assert list(lectures()) == ["one_story"]
    [sentence] = problems()
    assert FOLDER in sentence and str(tmp_path) not in sentence


def test_a_changed_file_is_read_again(folder: Path):
    path = folder / "mine.yaml"
    path.write_text(SMALL)
    assert lectures()["mine"].title == "T"
    path.write_text(SMALL.replace("title: T", "title: Another"))
    assert lectures()["mine"].title == "Another"
    path.unlink()
    assert "mine" not in lectures()


@pytest.mark.parametrize("name", ["", "A", "a b", "../a", "a" * 41, "a\n"])
def test_a_name_is_made_for_links(name: str):
    with pytest.raises(InvalidInput, match="name"):
        read_lecture(SMALL, name)
