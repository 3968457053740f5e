# Two commands do everything on a machine with Python 3.11 and make:
#   make verify    create the environment, print the ledger at m = 6
#   make test      create the test environment, run the tests
# Set M for another size (make verify M=8) and EXTRAS=gka to install and test the torch part too.

PYTHON ?= python3
M ?= 6
EXTRAS ?=
JOBS ?= 2
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check -q

.DEFAULT_GOAL := help
# make environment only installs.
.PHONY: help environment verify test test-slow lint rocq docs figures notebooks benchmarks lock clean

help:
	@sed -n '1,4s/^# \{0,1\}//p' Makefile
	@echo "  make test-slow, lint, rocq, docs, figures, notebooks, benchmarks, lock, clean"

# A stamp for each environment: rebuilt when its lock file changes, reused at once otherwise.
$(VENV)/.runtime: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if sys.version_info >= (3, 11) else "Python 3.11 or newer is needed: make PYTHON=python3.11 ...")'
	@test -x $(BIN)/python || { echo "creating the environment in $(VENV) (a minute or two) ..."; $(PYTHON) -m venv $(VENV); }
	@$(PIP) install --require-hashes -r requirements.lock
	@$(PIP) install --require-hashes -r requirements-build.lock
	@$(PIP) install --no-deps --no-build-isolation -e .
	@touch $@

$(VENV)/.test: $(VENV)/.runtime requirements-dev.lock
	@$(PIP) install --require-hashes -r requirements-dev.lock
	@touch $@

$(VENV)/.gka: $(VENV)/.test requirements-gka.lock
	@$(PIP) install --require-hashes -r requirements-gka.lock
	@touch $@

ENVIRONMENT := $(VENV)/.test $(if $(filter gka,$(EXTRAS)),$(VENV)/.gka)

verify: $(VENV)/.runtime
	@$(BIN)/kattn-bounds verify --m $(M)

environment: $(ENVIRONMENT)

test: $(ENVIRONMENT)
	@if command -v coqc >/dev/null; then $(MAKE) --no-print-directory rocq; else echo "coqc not found: the Rocq part is skipped"; fi
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile

test-slow: $(ENVIRONMENT)
	$(BIN)/python -m pytest -n $(JOBS) --dist loadfile -m slow

lint: $(VENV)/.test
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/mypy

rocq:
	$(MAKE) --no-print-directory -C proofs/rocq -j$(JOBS)

docs: $(VENV)/.test
	$(BIN)/python -m sphinx -q -W --keep-going -b html docs docs/_build/html

figures: $(VENV)/.test
	$(BIN)/kattn-bounds figures --out experiments/figures

notebooks: $(VENV)/.test
	$(BIN)/python notebooks/execute.py

benchmarks: $(VENV)/.test
	$(BIN)/python experiments/benchmarks/verifier/run.py

# Pins and hashes only, no addresses.
LOCK := $(BIN)/pip-compile -q --generate-hashes --strip-extras --allow-unsafe --no-header --no-annotate \
	--no-emit-index-url --no-emit-find-links --no-emit-trusted-host
lock: $(VENV)/.test
	@$(PIP) install pip-tools
	$(LOCK) -o requirements.lock pyproject.toml
	$(LOCK) --extra dev --extra notebooks --extra distributed --extra docs -o requirements-dev.lock pyproject.toml

clean:
	rm -rf $(VENV) dist build docs/_build .mypy_cache .ruff_cache .pytest_cache .hypothesis
