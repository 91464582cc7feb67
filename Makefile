# Everything runs in an environment of its own; only Python >= 3.11 and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

.PHONY: demo test lint clean

$(VENV)/.app: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "weft needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[app]'
	@touch $@

$(VENV)/.dev: $(VENV)/.app
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[app,dev]'
	@touch $@

demo: $(VENV)/.app  ## Cluster wine plus 13 noise columns and write a page to look at.
	$(BIN)/weft demo --out weft-demo --force

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

test: lint  ## Everything the project checks.
	$(BIN)/pytest

clean:
	rm -rf $(VENV) weft-demo .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
