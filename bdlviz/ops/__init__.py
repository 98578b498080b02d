"""The server around the pages: access rules, response headers, health, metrics and the log."""

from bdlviz.ops.gate import Gate
from bdlviz.ops.headers import SecurityHeaders
from bdlviz.ops.logs import announced
from bdlviz.ops.logs import install as write_log
from bdlviz.ops.routes import MIDDLEWARE, ROUTES

__all__ = ["MIDDLEWARE", "ROUTES", "Gate", "SecurityHeaders", "announced", "write_log"]
