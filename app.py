"""bdlviz: `streamlit run app.py`. This file only starts the app; bdlviz/ui/main.py routes, pages/ holds the pages.

With a ``pages`` folder next to the main script, Streamlit reports "Page not found" if the first request after a start
is a link to a page other than the first. So the main script is in another folder.

bdlviz/ops/ holds the server around the pages: access rules, response headers, health, metrics and the log.
"""

from pathlib import Path

import streamlit as st

from bdlviz.ops import logs
from bdlviz.ops.routes import MIDDLEWARE, ROUTES
from bdlviz.ui.frame.apology import apologise
from bdlviz.ui.frame.drag_routes import ROUTES as DRAG_ROUTES
from bdlviz.ui.jobs.queue import lifespan
from bdlviz.ui.places.former import ROUTES as FORMER_ROUTES

MAIN = Path(__file__).resolve().parent / "bdlviz" / "ui" / "main.py"

logs.install()
app = st.App(
    MAIN,
    on_script_error=apologise,
    lifespan=logs.announced(lifespan),
    routes=[*ROUTES, *DRAG_ROUTES, *FORMER_ROUTES],
    middleware=MIDDLEWARE,
)
