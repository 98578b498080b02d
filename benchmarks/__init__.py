"""Timings of the engine and the explorer against their rivals: `python -m benchmarks`, or `make bench`."""
