"""Lectures: scenes of pages in order, with the presenter's notes. Each lecture is one small YAML file.

The lectures of bdlviz are in this folder; the environment variable BDLVIZ_LECTURES names a folder with your own.
docs/lectures.md explains the format.
"""

from bdlviz.lectures.lecture import Lecture, Step, lectures, problems, read_lecture

__all__ = ["Lecture", "Step", "lectures", "problems", "read_lecture"]
