"""The script that Streamlit runs for every visitor and every change: page settings and routing."""

from pathlib import Path

import streamlit as st

from bdlviz.ui.places import routes

if __name__ == "__main__":  # Streamlit runs it under this name; an import must not build pages
    st.set_page_config(layout="wide", menu_items={"about": "bdlviz: see Bayesian deep learning."})
    routes.run(Path(__file__).resolve().parents[2] / "pages")
