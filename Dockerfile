# syntax=docker/dockerfile:1
# The hosted explorer (docs/deploy.md). Build from the project's folder: docker build -t bdlviz .
# The base is pinned by its version tag; whoever publishes an image adds the digest they have checked: NAME:TAG@sha256:...
ARG BASE=python:3.11.14-slim-trixie

FROM ${BASE} AS packages
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
WORKDIR /build
COPY requirements/locked/packages.txt requirements/locked/torch-linux-cpu.txt requirements/locked/
# torch first and by itself: it is the largest layer and changes least. Nothing is compiled: wheels only.
RUN python -m venv --without-pip /opt/venv \
    && pip --python /opt/venv/bin/python install --only-binary :all: --no-deps \
       --index-url "${TORCH_INDEX}" -r requirements/locked/torch-linux-cpu.txt
RUN pip --python /opt/venv/bin/python install --only-binary :all: --no-deps --require-hashes -r requirements/locked/packages.txt
# Headers and programs for compiling and testing against torch and arrow, and the packages' own tests: nothing that runs.
RUN find /opt/venv/lib '(' -path '*/torch/include' -o -path '*/torch/test' -o -path '*/pyarrow/include' ')' \
       -prune -exec rm -rf {} + \
    && find /opt/venv/lib -path '*/torch/bin/*' -not -name torch_shm_manager -delete \
    && find /opt/venv/lib -type d -name tests -prune -exec rm -rf {} +

FROM ${BASE} AS explorer
RUN python -m pip uninstall --yes --root-user-action=ignore pip \
    && useradd --uid 1000 --create-home explorer \
    && install --directory --owner=explorer --group=explorer /var/cache/bdlviz
COPY --from=packages /opt/venv /opt/venv
WORKDIR /srv/bdlviz
COPY .streamlit/config.toml .streamlit/
COPY app.py LICENSE NOTICE ./
COPY pages pages
COPY checkpoints checkpoints
COPY bdlviz bdlviz
ENV PATH=/opt/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    BDLVIZ_CACHE=/var/cache/bdlviz \
    BDLVIZ_LOG=json \
    STREAMLIT_BROWSER_GATHER_USAGE_STATS=false
# Compiled once here, since the running container can write nothing beside the sources.
RUN python -m compileall -q app.py pages bdlviz
USER 1000:1000
EXPOSE 8501
STOPSIGNAL SIGTERM
# An answer that is no JSON comes from something else than the explorer; urlopen itself raises on a status of an error.
HEALTHCHECK --interval=15s --timeout=5s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import json, urllib.request as r; json.load(r.urlopen('http://127.0.0.1:8501/healthz', timeout=4))"]
CMD ["python", "-m", "streamlit", "run", "app.py", "--server.address=0.0.0.0", "--server.port=8501"]
