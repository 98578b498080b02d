"""What a visitor can make the explorer show is shown as text: nothing of it runs, links, loads or becomes markup.

The policy of every answer (bdlviz/ops/headers.py) would stop a script even where text became markup, so these tests
count a violation of it as a failure, too: it would mean that something had become markup.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import nbformat
import pytest
from playwright.sync_api import Browser, Page, expect

from bdlviz.ui.frame import tabs
from tests.browser.conftest import App, new_context
from tests.browser.driver import download, open_page, open_tab, reveal, upload, wait_for_figure
from tests.ui.harness import controls

PAYLOADS = (
    '<img src=x onerror="window.pwned=1">',
    '"><script>window.pwned=1</script>',
    "'-window.pwned=1-'</style><svg onload=pwned=1>",
    "[a](javascript:window.pwned=1) ![b](/x.png)",
    r"$\href{javascript:pwned=1}{a}$ <http://evil.test>",
    ":material/home: :red[a] :smile: www.evil.test http://evil.test/a",
)
OF_THE_FRAME = ("scene", "tab", "lecture", "step", "present", "hide", "guess")
SPECIAL = (*OF_THE_FRAME, "points", "origin", "data", "methods", "nobody")
PAGES = ("function_draws", "effect_of_lambda", "compare", "mc_dropout", "variational_or_mcmc", "latent_space", "errata")

NOTE_VIOLATIONS = """
  window.violations = [];
  addEventListener('securitypolicyviolation', ({ effectiveDirective, blockedURI, sample }) =>
    window.violations.push(`${effectiveDirective} ${blockedURI} ${sample}`));
"""
# Elements that only a payload can have made. The page's own links lead to papers and to its own pages.
MADE = """() => [
  ...document.querySelectorAll('img[src="x"], img[src$="/x.png"], [onerror], [onload]'),
  ...[...document.links].filter((link) => link.protocol === "javascript:" || link.hostname.endsWith("evil.test")),
].map((element) => element.outerHTML.slice(0, 200))"""


@dataclass
class Watched:
    """A window in which nothing of a payload may happen."""

    page: Page
    dialogs: list[str] = field(default_factory=list)

    def check(self) -> None:
        """Fail if anything of a payload has run, or has become an element."""
        assert self.page.evaluate("window.pwned") is None
        assert self.page.evaluate("window.violations") == []
        assert self.page.evaluate(MADE) == []
        assert not self.dialogs


@pytest.fixture
def watch(new_page: Callable[..., Page]) -> Callable[[App], Watched]:
    """Open a window that notes what payloads do; requests to other hosts fail the test by themselves."""

    def watched(app: App) -> Watched:
        window = Watched(new_page(app))
        window.page.add_init_script(NOTE_VIOLATIONS)

        def note(dialog: object) -> None:
            window.dialogs.append(str(dialog))

        window.page.on("dialog", note)
        return window

    return watched


@pytest.fixture
def window(app: App, watch: Callable[[App], Watched]) -> Iterator[Watched]:
    """Such a window on the shared app, looked at once more at the end."""
    watched = watch(app)
    yield watched
    watched.check()


def hostile_link(name: str, shift: int) -> dict[str, str]:
    """Every setting that a page reads from its link, each with a payload."""
    keys = [*controls(name), *SPECIAL]
    return {key: PAYLOADS[(place + shift) % len(PAYLOADS)] for place, key in enumerate(keys)}


def letters(text: str) -> str:
    """Text without what may be shown in another way: spaces, and signs that Streamlit or a label replaces by others."""
    return re.sub(r"[\s/_\\\u2060]", "", text).translate({ord("‹"): "<", ord("›"): ">"})


@pytest.mark.first
@pytest.mark.parametrize(("place", "name"), [*enumerate(PAGES)])
def test_links_are_text(place: int, name: str, window: Watched):
    open_page(window.page, name, hostile_link(name, place))
    window.check()
    expect(window.page.get_by_test_id("stAlert").first).to_be_visible()


@pytest.mark.parametrize(("one", "other"), [PAYLOADS[:2], PAYLOADS[2:4], PAYLOADS[4:]])
def test_a_link_is_repeated_letter_for_letter(one: str, other: str, window: Watched):
    open_page(window.page, "effect_of_lambda", {"weight_decay": one, "tab": other})
    window.check()
    shown = letters("".join(window.page.get_by_test_id("stAlert").all_inner_texts()))
    assert letters(one)[:25] in shown and letters(other)[:25] in shown


def test_names_in_a_table_are_text_in_pictures_and_exports(window: Watched, tmp_path: Path):
    page = window.page
    rows = [f"{x / 10},{(x % 7) / 3}" for x in range(24)]
    open_page(page, "function_draws", {"data": "own", "num_steps": 200, "picture": "figure"})
    reveal(page, "uploaded")
    for x_name, y_name in (PAYLOADS[:2], PAYLOADS[2:4], PAYLOADS[4:]):
        quoted = [f'"{name.replace(chr(34), chr(34) * 2)}"' for name in (x_name, y_name)]
        table = "\n".join([",".join(quoted), *rows])
        upload(page, f"{x_name}.csv", table.encode())
        wait_for_figure(page)
        window.check()
        title = page.locator(".xtitle").first
        expect(title).to_contain_text(re.findall("[a-z]{3,}", x_name)[0])
        assert letters(x_name)[:12] in letters(title.text_content() or ""), "The name is text in the picture."
        upload(page, "bad.csv", f"x,y\n1,2\n{quoted[0]},{quoted[1]}\n".encode())
        said = page.get_by_test_id("stAlert").filter(has_text="3")
        expect(said).to_be_visible()
        window.check()
        assert letters(x_name)[:12] in letters(said.inner_text())
    open_tab(page, tabs.EXPORT)
    for suffix in ("html", "ipynb", "py", "csv"):
        assert download(page, f"save_{suffix}", tmp_path).suffix == f".{suffix}"
    window.check()
    look_at_exports(window, tmp_path)


def look_at_exports(window: Watched, folder: Path) -> None:
    """Nothing runs in the exported page, and no cell of the notebook holds markup."""
    [exported] = folder.glob("*.html")
    [notebook] = folder.glob("*.ipynb")
    [script] = folder.glob("*.py")
    own = window.page.context.new_page()
    own.add_init_script(NOTE_VIOLATIONS)
    own.goto(exported.as_uri())
    own.wait_for_function("() => document.querySelector('.main-svg .xy')")
    assert own.evaluate("window.pwned") is None and own.evaluate(MADE) == []
    compile(script.read_text(encoding="utf-8"), script.name, "exec")
    for cell in nbformat.read(notebook, as_version=4).cells:
        if cell.cell_type == "markdown":
            assert not re.search(r"<(img|script|svg)|\]\(javascript", cell.source), cell.source


def test_words_of_a_lecture_are_no_scripts(
    fresh_app: Callable[..., App], watch: Callable[[App], Watched], tmp_path: Path
):
    step = {"page": "regression/function_draws", "title": PAYLOADS[0], "minutes": 1, "say": " ".join(PAYLOADS[:4])}
    lecture = {"title": PAYLOADS[1], "about": " ".join(PAYLOADS), "steps": [step, step | {"title": PAYLOADS[3]}]}
    (tmp_path / "hostile.yaml").write_text(json.dumps(lecture), encoding="utf-8")
    window = watch(fresh_app(BDLVIZ_LECTURES=str(tmp_path)))
    for query in ({"story": "hostile"}, {"lecture": "hostile", "step": "1", "present": "1"}):
        open_page(window.page, "lecture" if "story" in query else "function_draws", query)
        expect(window.page.get_by_text("onerror").first).to_be_attached()
        assert window.page.evaluate("window.pwned") is None
        assert window.page.evaluate("document.querySelectorAll('[onerror], [onload]').length") == 0
        assert window.page.evaluate("document.querySelectorAll('a[href*=\"javascript:\"]').length") == 0


def test_the_policy_blocks_inline_scripts(app: App, browser: Browser):
    context = new_context(browser, base_url=app.url)  # one that no fixture looks over: here it is to be violated
    context.add_init_script(NOTE_VIOLATIONS)
    page = context.new_page()
    open_page(page, "status")
    page.evaluate("""() => {
      document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.pwned=1">');
      const script = document.createElement('script');
      script.textContent = 'window.pwned=2';
      document.body.append(script);
    }""")
    page.wait_for_function("() => window.violations.length >= 2")
    assert page.evaluate("window.pwned") is None
    context.close()
