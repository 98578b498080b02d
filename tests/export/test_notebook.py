"""The notebook is valid, the same each time, and runs; the script is the snippet."""

import ast
import json
from pathlib import Path

import nbformat
import pytest
from hypothesis import given
from hypothesis import strategies as st
from nbclient import NotebookClient

from bdlviz.export import notebook, script
from bdlviz.export.notebook import code_parts
from tests.export.examples import SNIPPET, content, hostile
from tests.patience import limit


def cells(text: str, kind: str) -> list[str]:
    """The sources of the cells of one kind."""
    return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == kind]


@pytest.mark.parametrize("page", [content(), hostile(), content(formulas=(), numbers=(), snippet="", address="")])
def test_the_notebook_is_valid(page):
    read = nbformat.reads(notebook(page), as_version=nbformat.NO_CONVERT)
    nbformat.validate(read)
    assert (read.nbformat, read.nbformat_minor) == (4, 5)
    assert read.metadata.kernelspec.name == "python3"
    assert len({cell.id for cell in read.cells}) == len(read.cells)


def test_content_of_the_notebook_and_the_script():
    text = notebook(content())
    heading, equations, install, numbers = cells(text, "markdown")
    assert heading.startswith("# Which functions does the network still believe in?")
    assert "(<http://localhost:8501/function_draws?scene=good&draws=5>)" in heading
    assert "$$\n\\hat\\mu = \\frac{1}{S} \\sum_{s=1}^{S} f_s(x)\n$$" in equations
    assert "pip install -r requirements.txt" in install and "http" not in install
    assert "| NLL (nats) | -1.25 | Held out; lower is better. |" in numbers
    assert notebook(content()) == notebook(content())
    assert notebook(content()) != notebook(content(snippet="1"))
    page = content(
        question="<script>x</script>", says="![x](https://example.org/x.png)", numbers=[("a|b\nc", "1", "<i>")]
    )
    told = "\n".join(cells(notebook(page), "markdown"))
    assert "<script" not in told and "![" not in told and "<i>" not in told
    assert "| a\\|b c | 1 | &lt;i> |" in told
    text = script(content())
    assert text.startswith("# Regression · Function draws\n# Which functions does the network still believe in?\n")
    assert "# http://localhost:8501/function_draws?scene=good&draws=5\n" in text
    assert text.endswith(f"\n\n{SNIPPET}\n")


@pytest.mark.filterwarnings("default")  # of the libraries that start the kernel
def test_the_notebook_runs(tmp_path: Path):
    read = nbformat.reads(notebook(content()), as_version=4)
    NotebookClient(
        read, timeout=int(limit(120)), kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
    ).execute()
    *_, last = [cell for cell in read.cells if cell.cell_type == "code"]
    assert [output.text for output in last.outputs] == ["6\n"]


def test_code_is_cut_between_statements():
    imports, data, function, call = code_parts(SNIPPET)
    assert imports == "import numpy as np"
    assert data == "data = np.arange(3)\ntotal = data.sum()"
    assert function == "def double(value):\n    # twice\n\n    return 2 * value"
    assert call == "print(double(total))"
    for snippet, parts in [
        ('a = """\n\nb\n"""\n\nc', ['a = """\n\nb\n"""', "c"]),
        ("f(\n\n    1,\n)\n\n\n# why\nb", ["f(\n\n    1,\n)", "# why\nb"]),
        ("@g\n\ndef f(): ...", ["@g\n\ndef f(): ..."]),
        ("if a:\n    b\n\nelse:\n\n    c\n\nd", ["if a:\n    b\n\nelse:\n\n    c", "d"]),
        ("a\n \nb", ["a", "b"]),
        ("no python\n\nat all", ["no python\n\nat all"]),
        ("", []),
        ("\n\n", []),
    ]:
        assert code_parts(snippet) == parts


@given(st.text(), st.text())
def test_no_text_becomes_code(question: str, says: str):
    assert ast.dump(ast.parse(script(content(question=question, says=says)))) == ast.dump(ast.parse(SNIPPET))
