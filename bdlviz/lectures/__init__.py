"""Lectures: scenes of the pages in one order, with the presenter's words. Each is one small YAML file.

Those that come with bdlviz lie in this folder; the variable BDLVIZ_LECTURES names a folder with your own. How to write
one: docs/lectures.md.
"""

from bdlviz.lectures.lecture import Lecture, Step, lectures, problems, read_lecture

__all__ = ["Lecture", "Step", "lectures", "problems", "read_lecture"]
