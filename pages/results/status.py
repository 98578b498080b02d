"""How the server is: work under way, memory, shipped files, versions."""

import streamlit as st

from bdlviz import ui
from bdlviz.topics.results.status import views

PAGE = ui.LegacyPage(title="Status", question="Is the server well?", controls=())

with PAGE.frame() as view:
    with view.controls:
        st.markdown("What runs here now, for everybody together. Nothing on this page is about a visitor.")
        views.show_versions()
        st.caption("Programs read the same at `/healthz`.")
    with view.picture:
        views.show()
