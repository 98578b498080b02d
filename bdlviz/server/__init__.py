"""The shell around the explorer: who may ask what, what every answer carries, health, counters and the log."""

from bdlviz.server.gate import Gate
from bdlviz.server.headers import SecurityHeaders
from bdlviz.server.logs import announced
from bdlviz.server.logs import install as write_log
from bdlviz.server.routes import MIDDLEWARE, ROUTES

__all__ = ["MIDDLEWARE", "ROUTES", "Gate", "SecurityHeaders", "announced", "write_log"]
