"""The shell around the explorer: who may ask what, what every answer carries, health, counters and the log."""

from bdlviz.ops.gate import Gate
from bdlviz.ops.headers import SecurityHeaders
from bdlviz.ops.logs import announced
from bdlviz.ops.logs import install as write_log
from bdlviz.ops.routes import MIDDLEWARE, ROUTES

__all__ = ["MIDDLEWARE", "ROUTES", "Gate", "SecurityHeaders", "announced", "write_log"]
