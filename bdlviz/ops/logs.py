"""The log of the server on standard error: one event per line, without any input of visitors.

``BDLVIZ_LOG=json`` writes one JSON object per line (time, level, logger, event, fields); ``text`` writes lines for
people. By default a terminal gets text and all else gets JSON. ``debug`` is text with complete messages. It is meant
for development only, since the message of an exception may quote a visitor's input.

Streamlit and the libraries below it log addresses, file names, and exceptions whose messages quote input. So every
record is made safe when it is created: of the arguments of a message only whole numbers are kept, and of an exception
only its type and its lines of code. Events of bdlviz have their values in fields:
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
MAX_CHARACTERS = 300  # of an event or a field
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")

log = logging.getLogger("bdlviz.ops")


class Style(StrEnum):
    """The format of events: ``BDLVIZ_LOG``."""

    JSON = "json"
    TEXT = "text"
    DEBUG = "debug"

    @classmethod
    def present(cls) -> Style:
        """The value of the environment variable, else the default for standard error.

        Raises:
            InvalidInput: the value is unknown.
        """
        asked = os.environ.get("BDLVIZ_LOG", "").strip().lower()
        if not asked:
            return cls.TEXT if sys.stderr is not None and sys.stderr.isatty() else cls.JSON
        try:
            return cls(asked)
        except ValueError:
            raise InvalidInput(f"BDLVIZ_LOG must be one of {', '.join(cls)}.") from None


class _Withheld:
    """Replaces an argument of a message that must not be logged."""

    def __repr__(self) -> str:
        return "…"


WITHHELD = _Withheld()


class SafeRecord(logging.LogRecord):
    """A log record without input of visitors in its message or the text of its exception."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.stack_info = None
        if self.exc_info and self.exc_info[1] is not None:
            self.exc_text = "\n".join(_told(each) for each in chain_of(self.exc_info[1]))

    def getMessage(self) -> str:
        """The first line of the message; arguments that are not whole numbers are replaced by …."""
        template = str(self.msg)
        if self.args:
            with suppress(TypeError, ValueError, KeyError):
                # If formatting fails, as for %.2f with a withheld argument, the template is logged.
                template = template % _safe(self.args)
        return one_line(template.strip().partition("\n")[0])


def _safe(args: Any) -> Any:
    if isinstance(args, Mapping):
        return {key: _kept(value) for key, value in args.items()}
    return tuple(_kept(value) for value in args)


def _kept(value: object) -> object:
    return value if isinstance(value, bool | int) else WITHHELD


def one_line(text: str) -> str:
    """Text as one line of bounded length, so that it cannot imitate or fill log lines."""
    return CONTROL.sub(" ", text)[:MAX_CHARACTERS]


def chain_of(error: BaseException) -> list[dict[str, Any]]:
    """An exception and its causes: for each its type, and its frames as ``file:line function``."""
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
    """The path of a source file relative to the project or to the installed packages."""
    path = Path(file)
    if path.is_relative_to(ROOT) and "site-packages" not in path.parts:
        return path.relative_to(ROOT).as_posix()
    return "/".join(path.parts[-2:])


class JsonLines(logging.Formatter):
    """Formats an event as one line of JSON."""

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
    """Formats an event as text: time, level, event, fields; an exception follows on the next lines."""

    def format(self, record: logging.LogRecord) -> str:
        """One event."""
        fields = "".join(f" {name}={value}" for name, value in fields_of(record).items())
        moment = f"{datetime.fromtimestamp(record.created):%H:%M:%S}"
        line = f"{moment} {record.levelname.lower():7} {record.getMessage()}{fields}"
        if record.exc_info and not record.exc_text:
            record.exc_text = self.formatException(record.exc_info)
        return f"{line}\n{record.exc_text}" if record.exc_text else line


def fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """The fields of an event of bdlviz: numbers unchanged, all other values as a short line."""
    given = getattr(record, "fields", None)
    fields = given if isinstance(given, Mapping) else {}
    return {
        str(name): value if isinstance(value, bool | int | float) or value is None else one_line(str(value))
        for name, value in fields.items()
    }


class _Events(logging.Filter):
    """Passes all events of bdlviz, and warnings and errors of other libraries."""

    def filter(self, record: logging.LogRecord) -> bool:
        return record.levelno >= logging.WARNING or record.name.partition(".")[0] == "bdlviz"


def install() -> None:
    """Write the events of all loggers of this process to standard error, made safe, in the chosen style."""
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
    # Streamlit adds a handler to every logger that it creates, also to later ones.
    streamlit.logger.setup_formatter = _pass_on
    warnings.showwarning = _note_warning
    threading.excepthook = _note_thread
    sys.excepthook = _note_end


def _pass_on(logger: logging.Logger) -> None:
    """Remove the handlers of a logger, so that only the root's handler prints its events."""
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
    """The same lifespan with an event at the server's start, which contains the versions, and one at its end."""

    @asynccontextmanager
    async def with_events(app: Any) -> AsyncIterator[None]:
        async with lifespan(app):
            log.info("The server has started.", extra={"fields": versions()})
            yield
            log.info("The server ends.")
        log.info("The server has ended.")

    return with_events
