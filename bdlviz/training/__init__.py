"""The engine that trains fits, with torch and numpy and one loop for all methods."""
