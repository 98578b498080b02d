"""bdlviz: `streamlit run app.py`. This file only starts the app; bdlviz/ui/main.py routes, pages/ holds the pages.

Until somebody has opened the first page, Streamlit treats a ``pages`` folder beside the main script in an older way:
a link to any other page, opened first after a start, then reports "Page not found". With the main script in another
folder there is no such moment.

Around the pages stands bdlviz/ops/: what every answer carries, who may ask what, health, counters and the log.
"""

from pathlib import Path

import streamlit as st

from bdlviz import ops
from bdlviz.ui.frame.apology import apologise
from bdlviz.ui.jobs.queue import lifespan

MAIN = Path(__file__).resolve().parent / "bdlviz" / "ui" / "main.py"

ops.write_log()
app = st.App(
    MAIN,
    on_script_error=apologise,
    lifespan=ops.announced(lifespan),
    routes=ops.ROUTES,
    middleware=ops.MIDDLEWARE,
)
