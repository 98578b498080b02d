"""The server around the pages: access rules, response headers, health, metrics and the log."""
