"""The exception whose message is shown to users: a sentence that names the error and a remedy."""


class InvalidInput(ValueError):
    """Invalid input of a user (a setting, a table, a file); its message is shown unchanged."""
