"""What the server writes to standard error: one event a line, and nothing that a visitor said.

``BDLVIZ_LOG=json`` gives a JSON object a line (time, level, logger, event, fields), ``text`` the same for people;
without it a terminal gets text and everything else JSON. ``debug`` is text with all that a message holds: for
development only, since the message of an exception may quote a visitor.

Streamlit and the libraries below it log addresses, file names and exceptions whose messages quote what was typed. So a
record is made safe when it is made, whoever prints it: of a message's arguments only whole numbers are kept, and of an
exception its type and the lines of code it went through. What bdlviz itself wants to tell goes into fields:
``log.info("A fit ended.", extra={"fields": {"seconds": 1.2}})``.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
import traceback
import warnings
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, suppress
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Any

import streamlit.logger

from bdlviz.errors import InvalidInput
from bdlviz.ops.health import versions

ROOT = Path(__file__).resolve().parents[2]
LONGEST = 300  # characters of an event or of a field
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

log = logging.getLogger("bdlviz.ops")


class Style(StrEnum):
    """How events are written: ``BDLVIZ_LOG``."""

    JSON = "json"
    TEXT = "text"
    DEBUG = "debug"

    @classmethod
    def present(cls) -> Style:
        """What the environment asks for, else what suits standard error.

        Raises:
            InvalidInput: the environment asks for something else.
        """
        asked = os.environ.get("BDLVIZ_LOG", "").strip().lower()
        if not asked:
            return cls.TEXT if sys.stderr is not None and sys.stderr.isatty() else cls.JSON
        try:
            return cls(asked)
        except ValueError:
            raise InvalidInput(f"BDLVIZ_LOG must be one of {', '.join(cls)}.") from None


class _Withheld:
    """Stands for an argument of a message that is not to be logged."""

    def __repr__(self) -> str:
        return "…"


WITHHELD = _Withheld()


class SafeRecord(logging.LogRecord):
    """A record that holds nothing of a visitor's in its message, nor in the text of its exception."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stack_info = None
        if self.exc_info and self.exc_info[1] is not None:
            self.exc_text = "\n".join(_told(each) for each in chain_of(self.exc_info[1]))

    def getMessage(self) -> str:
        """The message's first line, with whole numbers where it has arguments, and … for all others."""
        template = str(self.msg)
        if self.args:
            with suppress(TypeError, ValueError, KeyError):
                # Where that fails, as for %.2f of something withheld, the template says what kind of message it is.
                template = template % _safe(self.args)
        return one_line(template.strip().partition("\n")[0])


def _safe(args: Any) -> Any:
    if isinstance(args, Mapping):
        return {key: _kept(value) for key, value in args.items()}
    return tuple(_kept(value) for value in args)


def _kept(value: object) -> object:
    return value if isinstance(value, bool | int) else WITHHELD


def one_line(text: str) -> str:
    """Text that cannot begin a line of its own in a log, nor fill it."""
    return CONTROL.sub(" ", text)[:LONGEST]


def chain_of(error: BaseException) -> list[dict[str, Any]]:
    """An exception and those it came from: each one's type, and its frames as ``file:line function``."""
    chain: list[dict[str, Any]] = []
    link: BaseException | None = error
    while link is not None and len(chain) < 8:
        frames = [
            f"{_short(frame.filename)}:{frame.lineno} {frame.name}"
            for frame in traceback.extract_tb(link.__traceback__, limit=-20)
        ]
        chain.append({"type": type(link).__qualname__, "frames": frames})
        link = link.__cause__ or (None if link.__suppress_context__ else link.__context__)
    return chain


def _told(link: Mapping[str, Any]) -> str:
    return "\n".join([f"  {link['type']}", *(f"    {frame}" for frame in link["frames"])])


def _short(file: str) -> str:
    """A source file without the folders above the project or above the installed packages."""
    path = Path(file)
    if path.is_relative_to(ROOT) and "site-packages" not in path.parts:
        return path.relative_to(ROOT).as_posix()
    return "/".join(path.parts[-2:])


class JsonLines(logging.Formatter):
    """A JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """One event."""
        event: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        if fields := fields_of(record):
            event["fields"] = fields
        if record.exc_info and record.exc_info[1] is not None:
            event["exception"] = chain_of(record.exc_info[1])
        return json.dumps(event, ensure_ascii=False)


class Text(logging.Formatter):
    """A line for people: time, level, event, fields; an exception on the lines below."""

    def format(self, record: logging.LogRecord) -> str:
        """One event."""
        fields = "".join(f" {name}={value}" for name, value in fields_of(record).items())
        moment = f"{datetime.fromtimestamp(record.created):%H:%M:%S}"
        line = f"{moment} {record.levelname.lower():7} {record.getMessage()}{fields}"
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        return f"{line}\n{record.exc_text}" if record.exc_text else line


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of an event of ours: numbers as they are, all else as a short line."""
    given = getattr(record, "fields", None)
    fields = given if isinstance(given, Mapping) else {}
    return {
        str(name): value if isinstance(value, bool | int | float) or value is None else one_line(str(value))
        for name, value in fields.items()
    }


class _Events(logging.Filter):
    """Everything of bdlviz, and of the libraries below it what is at least a warning."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or record.name.partition(".")[0] == "bdlviz"


def install() -> None:
    """Send what every logger of this process says to standard error, made safe, in the style asked for."""
    style = Style.present()
    if style is not Style.DEBUG:
        logging.setLogRecordFactory(SafeRecord)
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if style is Style.JSON else Text())
    handler.addFilter(_Events())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
    for logger in [each for each in logging.Logger.manager.loggerDict.values() if isinstance(each, logging.Logger)]:
        _pass_on(logger)
    # Streamlit gives every logger that it makes a handler of its own, also those it makes later.
    streamlit.logger.setup_formatter = _pass_on
    warnings.showwarning = _note_warning
    threading.excepthook = _note_thread
    sys.excepthook = _note_end


def _pass_on(logger: logging.Logger) -> None:
    """Let the root's handler print what a logger says, and nothing else."""
    logger.handlers.clear()
    logger.propagate = True


def _note_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: object = None,
    line: object = None,
) -> None:
    place = f"{_short(filename)}:{lineno}"
    log.warning("Python warns.", extra={"fields": {"category": category.__name__, "place": place}})


def _note_thread(args: threading.ExceptHookArgs) -> None:
    if args.exc_value is not None and not isinstance(args.exc_value, SystemExit):
        log.error("A thread failed.", exc_info=args.exc_value)


def _note_end(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    if not isinstance(error, KeyboardInterrupt):
        log.critical("The server failed.", exc_info=error)


Lifespan = Callable[[Any], AbstractAsyncContextManager[None]]


def announced(lifespan: Lifespan) -> Lifespan:
    """The same lifespan with an event at the server's start, which tells the versions, and one at its end."""

    @asynccontextmanager
    async def with_events(app: Any) -> AsyncIterator[None]:
        async with lifespan(app):
            log.info("The server has started.", extra={"fields": versions()})
            yield
            log.info("The server ends.")
        log.info("The server has ended.")

    return with_events
