"""Elements and words of an HTML page."""

from html.parser import HTMLParser

VOID = {"meta", "img", "br"}
ADDRESSES = {"src", "href", "srcset", "action", "data", "poster", "background", "formaction"}


class Reader(HTMLParser):
    """The elements and words of a page; checks that every element is closed in its place."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.scripts: list[str] = []
        self._open: list[str] = []
        self.feed(page)
        self.close()
        assert not self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self._open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        (self.scripts if self._open[-1:] == ["script"] else self.words).append(data)

    def count(self, tag: str) -> int:
        """How many elements of that name."""
        return sum(name == tag for name, _ in self.elements)

    @property
    def text(self) -> str:
        """All words but those of scripts."""
        return "".join(self.words)
