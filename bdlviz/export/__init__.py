"""Exports of a page: its numbers as CSV, the page as one HTML file, as a notebook, and as a script."""

from bdlviz.export.content import Content
from bdlviz.export.document import page_html
from bdlviz.export.latex import to_mathml
from bdlviz.export.notebook import notebook, script
from bdlviz.export.tables import csv_of, figure_table

__all__ = ["Content", "csv_of", "figure_table", "notebook", "page_html", "script", "to_mathml"]
