"""The exception whose message is shown to users: a sentence that names the error and a remedy."""

from typing import Any


class InvalidInput(ValueError):
    """Invalid input of a user (a setting, a table, a file); its message is shown unchanged."""


# Numpy's handling of floating-point errors by default; bdlviz counts on it, whatever the caller has set.
USUAL_ERRORS: dict[str, Any] = {"divide": "warn", "over": "warn", "under": "ignore", "invalid": "warn"}
