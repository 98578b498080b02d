"""Published numbers beside ours: what a source prints, what we measure, and whether the two agree."""

import streamlit as st

from bdlviz import ui
from bdlviz.ui import results

PAGE = ui.Page(
    title="Results · Published numbers",
    question="Do the published numbers come out again?",
    controls=(),
)

with PAGE.frame() as view:
    with view.controls:
        st.markdown(
            "A number that a lecture or a paper prints is a claim. Here each one stands beside what this project "
            "measures over several seeds, with the tolerance, the verdict, and the command that repeats it."
        )
        st.caption("The same table as Markdown: `python -m bdlviz register`; as JSON with `--json`.")
    with view.picture:
        results.show_register()
    with view.below:
        results.show_register_table()
    view.exports(results.REGISTER_SNIPPET)
