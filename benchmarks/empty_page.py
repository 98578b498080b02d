"""A minimal page with one slider and one line, to measure the time of Streamlit and Plotly alone."""

import numpy as np
import plotly.graph_objects as go
import streamlit as st

frequency = st.select_slider("Frequency", range(1, 31), key="frequency")
x = np.linspace(0, 1, 200)
st.plotly_chart(go.Figure(go.Scatter(x=x, y=np.sin(frequency * x), mode="lines")))
