"""A naive page: it trains in the script and draws every function as a separate trace.

`streamlit run benchmarks/naive_page.py`, from the project's folder. Same network, data and steps as the page on
function draws.
"""

import plotly.graph_objects as go
import streamlit as st
import torch

from benchmarks import eager
from benchmarks.workload import PAGE

work = PAGE
seed = st.select_slider("Seed", range(30), key="seed")
net = eager.train(work, seed, threads=1)  # all cores, torch's default, are not faster, and much slower under load

data_x, data_y = work.columns
x = torch.linspace(2 * float(data_x.min()), 2 * float(data_x.max()), 200)[:, None]
fig = go.Figure()
with torch.no_grad():
    for _ in range(50):
        fig.add_scatter(x=x[:, 0].tolist(), y=net(x)[:, 0].tolist(), mode="lines", line_width=1, showlegend=False)
fig.add_scatter(x=data_x[:, 0].tolist(), y=data_y[:, 0].tolist(), mode="markers")
st.plotly_chart(fig)
