# `make app` opens the explorer, `make test` runs the tests for every change. Both prepare .venv themselves and need
# only python3 (3.11 or newer, with venv) and make. PYTHON=python3.12 picks another interpreter; JOBS=4 tests on four
# processes, and then on eight with a server and a browser each.

PYTHON ?= python3
PORT ?= 8501
ADDRESS ?= localhost

VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
TOOLS := $(VENV)/tools
BENCH := $(VENV)/bench
TESTS := $(BIN)/python -m tests.run $(if $(JOBS),--jobs $(JOBS))
CPU_WHEELS := https://download.pytorch.org/whl/cpu

.PHONY: help setup setup-dev app test test-all fuzz lint lint-image lock docs audit sbom test-replicas checkpoints check bench load clean distclean
.DEFAULT_GOAL := help

help:
	@echo "make app          open the explorer (PORT=8501; ADDRESS=0.0.0.0 shows it to the network)"
	@echo "make test         units, the contract of the methods, every page once: a quarter of an hour on two cores"
	@echo "make test-all     all tests, also of browser, deployment, faults and fuzzing, with lint-image and audit"
	@echo "make fuzz         120,000 hostile inputs, about a quarter of an hour"
	@echo "make lint         ruff, pyright, and oxlint for JavaScript"
	@echo "make lint-image   hadolint on the Dockerfile"
	@echo "make docs         the pages of the library's interface, build/docs/index.html"
	@echo "make lock         pin everything with hashes in requirements/locked/ (UPGRADE=1: the newest versions)"
	@echo "make audit        ask about known vulnerabilities of what is locked"
	@echo "make sbom         the bill of materials, build/sbom.json"
	@echo "make test-replicas  two replicas behind nginx, one of them killed (needs nginx)"
	@echo "make checkpoints  train every shipped checkpoint again"
	@echo "make check        compare the shipped checkpoints with their manifest"
	@echo "make bench        time the engine against its rivals, about half an hour (ARGS=--quick: a first impression)"
	@echo "make load         many visitors at once on a server of this machine"
	@echo "make clean        remove caches; make distclean removes .venv too"

# $(call pip_install,ARGUMENTS): three attempts, since networks fail.
define pip_install
for pause in 3 10 stop; do \
  $(PIP) install -qq $(1) && break; \
  if [ $$pause = stop ]; then echo "pip could not install $(1) (see above)." >&2; exit 1; fi; \
  echo "pip failed; once more in $$pause s."; sleep $$pause; \
done
endef

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
	  echo "bdlviz needs Python 3.11 or newer, and there is no $(PYTHON); name yours with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "bdlviz needs Python 3.11 or newer, and $(PYTHON) is older; name another with make PYTHON=..." >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "$(PYTHON) cannot make virtual environments; on Debian or Ubuntu: sudo apt-get install python3-venv" >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# On Linux the ordinary torch wheel pulls in CUDA. Unless torch is there already, or pip's own sources hold a CPU
# build (pip then prefers it), ask torch's CPU index; where that cannot be reached, take the ordinary wheel.
define torch_for_cpus
torch=$$(sed -n 's/^torch==//p' requirements.txt); \
if [ "$$(uname -s)" = Linux ] \
    && ! $(PIP) freeze 2>/dev/null | grep -q "^torch==$$torch" \
    && ! $(PIP) index versions torch 2>/dev/null | grep -qF "$$torch+cpu"; then \
  $(PIP) install --quiet --no-deps --timeout 15 --retries 1 --index-url $(CPU_WHEELS) "torch==$$torch" 2>/dev/null \
    || echo "The CPU build of torch cannot be reached; taking the ordinary wheel, which is much larger."; \
fi
endef

$(VENV)/.setup: requirements.txt | $(BIN)/python
	@echo "Preparing $(VENV): a few minutes the first time, nothing afterwards."
	@$(torch_for_cpus)
	@$(call pip_install,-r requirements.txt)
	@touch $@

$(VENV)/.dev: requirements/dev.txt requirements/dask.txt $(VENV)/.setup
	@$(call pip_install,-r requirements/dev.txt)
	@touch $@

# Peers live apart from the explorer: they may want other versions of what both need, and none of them is ever required.
$(BENCH)/.ready: PIP := $(BENCH)/bin/python -m pip --disable-pip-version-check
$(BENCH)/.ready: requirements.txt requirements/bench.txt requirements/peers.txt | $(BIN)/python
	@echo "Preparing $(BENCH): some minutes the first time, nothing afterwards."
	@$(BIN)/python -m venv $(BENCH)
	@$(torch_for_cpus)
	@$(call pip_install,-r requirements.txt -r requirements/bench.txt)
	@$(BENCH)/bin/python -m benchmarks.install
	@touch $@

# The programs behind docs, lock, audit, sbom and lint-image need other packages than the explorer: an environment of their own.
$(TOOLS)/.ready: PIP := $(TOOLS)/bin/python -m pip --disable-pip-version-check
$(TOOLS)/.ready: requirements/tools.txt | $(BIN)/python
	@$(BIN)/python -m venv $(TOOLS)
	@$(call pip_install,-r requirements/tools.txt)
	@touch $@

setup: $(VENV)/.setup

setup-dev: $(VENV)/.dev

app: setup
	@$(BIN)/python -m streamlit run app.py --server.port $(PORT) --server.address $(ADDRESS)

test: setup-dev
	@$(BIN)/python tests/browser/chromium.py --install
	@$(TESTS)

test-all: lint-image audit setup-dev
	@$(BIN)/python tests/browser/chromium.py --install
	@$(TESTS) --all

# The fuzzing of make test-all with many more cases. A case may take two seconds: leave the machine to it.
fuzz: setup-dev
	@BDLVIZ_FUZZ=1 $(BIN)/python -m pytest -q -n auto tests/fuzz

lint: setup-dev
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/pyright
	@$(BIN)/python -m scripts.lint_javascript

lint-image: $(TOOLS)/.ready
	@$(TOOLS)/bin/hadolint Dockerfile

docs: setup $(TOOLS)/.ready
	@$(TOOLS)/bin/python scripts/docs.py

lock: $(TOOLS)/.ready
	@$(TOOLS)/bin/python scripts/lock.py $(if $(UPGRADE),--upgrade)

# Continuous integration has to pass without the advisory service, too, but never with a known vulnerability.
audit: $(TOOLS)/.ready
	@$(TOOLS)/bin/python scripts/audit.py $(if $(CI),--may-be-unreachable)

sbom: $(TOOLS)/.ready
	@$(TOOLS)/bin/python scripts/sbom.py

test-replicas: setup-dev
	@$(BIN)/python tests/browser/chromium.py --install
	@$(BIN)/python -m pytest -q -s tests/deploy/test_replicas.py

checkpoints: setup
	@$(BIN)/python -m bdlviz train --all

check: setup
	@$(BIN)/python -m bdlviz check

# ARGS="--quick", ARGS="fit grid --rounds 9": the command's own words.
bench: $(BENCH)/.ready
	@$(BENCH)/bin/python tests/browser/chromium.py --install
	@$(BENCH)/bin/python -m benchmarks $(ARGS)

load: setup-dev
	@$(BIN)/python -m benchmarks.load

clean:
	@rm -rf build dist test-results .pytest_cache .ruff_cache .hypothesis *.egg-info
	@find . -name __pycache__ -type d -not -path './$(VENV)/*' -prune -exec rm -rf {} +

distclean: clean
	@rm -rf $(VENV)
