"""Timings of the engine and the explorer, compared with other libraries: `python -m benchmarks`, or `make bench`."""
