"""The fitting engine: torch and numpy, one loop for every method."""
