"""The one exception a visitor may see: a sentence that says what is wrong and what to do."""


class InvalidInput(ValueError):
    """Bad input from a person (a setting, a table, a file); its message is shown as it is."""
