# Everything runs in an environment of its own; only Python >= 3.11 and make are needed.
PYTHON ?= python3
VENV := .venv
ifeq ($(OS),Windows_NT)
BIN := $(VENV)/Scripts
else
BIN := $(VENV)/bin
endif
# Dependency groups (PEP 735) need pip 25.1.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
CHROMIUM ?= /usr/bin/chromium

.PHONY: demo test lint bench noise studies docs browser-test picture
.PHONY: contracts parameters bad-tables memory reports
.PHONY: lowest release-check wheels hooks
.PHONY: fuzz faults forgery audit lock coverage mutation clean

$(VENV)/.app: pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "weft needs Python 3.11 or newer; set PYTHON=/path/to/python3.11")'
	$(PYTHON) -m venv $(VENV)
	$(PIP) 'pip>=25.1'
	$(PIP) --editable '.[app]'
	@touch $@

$(VENV)/.dev: $(VENV)/.app
	$(PIP) --editable '.[app,scale]' --group dev
	# The GPU kernels are tested on torch's CPU device; where torch cannot be installed, they are skipped.
	-$(PIP) --editable '.[app,scale,gpu]' --group dev
	@touch $@

demo: $(VENV)/.app  ## Cluster wine plus 13 noise columns and write an HTML report.
	$(BIN)/weft demo --out weft-demo --force

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m checks.wording
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(BIN)/vulture
	$(BIN)/bandit --quiet --recursive src/weft

test: lint  ## Everything the project checks.
	$(BIN)/pytest --numprocesses auto --maxprocesses 4

lowest: $(VENV)/.dev  ## The tests with the lowest versions that pyproject.toml declares.
	$(BIN)/uv venv --quiet --clear --python $(PYTHON) .venv-lowest
	$(BIN)/uv pip install --quiet --python .venv-lowest --resolution lowest-direct --editable '.[app]' --group test
	$(BIN)/uv run --no-project --python .venv-lowest pytest --numprocesses auto --maxprocesses 4

wheels: $(VENV)/.dev  ## The sdist and the wheel, in dist/.
	$(BIN)/uv build --out-dir dist

release-check: $(VENV)/.dev  ## Build, install in clean environments, fit every estimator, run every command.
	$(BIN)/python -m checks.release

hooks: $(VENV)/.dev  ## The checks of pre-commit on all files.
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/pre-commit run --all-files

$(VENV)/.fuzz: $(VENV)/.dev
	$(PIP) --editable '.[app]' --group dev --group fuzz
	@touch $@

SECONDS ?= 600
fuzz: $(VENV)/.fuzz  ## Random bytes on everything that reads bytes, 10 minutes for each; SECONDS=30 for a short run.
	$(BIN)/python -m fuzz --seconds $(SECONDS)

faults: $(VENV)/.dev  ## Kills, full disks, memory limits, a thousand fits: half an hour.
	$(BIN)/python -m checks.faults

FILES ?= 2000
forgery: $(VENV)/.dev  ## Forged model files with valid checksums, 2,000 per class; FILES=60 for a short run.
	$(BIN)/python -m checks.forgery --files $(FILES)

contracts: $(VENV)/.dev  ## Check that every estimator gives the same bits in every environment.
	$(BIN)/python -m checks.contracts

CASES ?= 1000000
parameters: $(VENV)/.dev  ## Every parameter with wrong values; CASES=500 for a short run.
	$(BIN)/python -m checks.parameters --cases $(CASES)

bad-tables: $(VENV)/.dev  ## 5,000 bad tables to every method of every estimator.
	$(BIN)/python -m checks.inputs

reports: $(VENV)/.dev  ## Check reports of ten clusterers of scikit-learn on ten tables: completeness, speed, columns.
	$(BIN)/python -m checks.reports

memory: $(VENV)/.dev  ## Every estimator with limited memory.
	$(BIN)/python -m checks.memory

coverage: $(VENV)/.dev  ## Branches of src/weft that the tests reach, compiled code run as Python.
	$(BIN)/python -m checks.branches

mutation: $(VENV)/.dev  ## Insert small faults into src, and count those that the tests detect.
	$(BIN)/python -m checks.mutation

audit: $(VENV)/.dev  ## Known vulnerabilities of the development dependencies; offline, only their hashes.
	$(BIN)/python -m checks.audit

lock: $(VENV)/.dev  ## Pin the development dependencies, with hashes.
	$(BIN)/uv pip compile pyproject.toml --extra app --extra scale --group dev --group fuzz \
	  --generate-hashes --python-version 3.11 --no-header --no-annotate --output-file requirements-dev.lock

$(VENV)/.bench: $(VENV)/.app
	$(PIP) --editable '.[app]' --group bench
	@touch $@

bench: $(VENV)/.bench  ## Speed compared with other libraries; writes docs/performance.md. Use an idle machine.
	$(BIN)/python -m bench.performance

noise: $(VENV)/.bench  ## Clusters among noise columns, compared with other methods; writes docs/noise.md. Resumes where it stopped.
	$(BIN)/python -m bench.noise

studies: $(VENV)/.bench  ## The small form of every published table: check that the directions hold. Under 3 minutes.
	$(BIN)/python -m bench run --quick all
	$(BIN)/python -m bench compare all > build/compare.md

$(VENV)/.docs: $(VENV)/.dev
	$(PIP) --editable '.[app,scale]' --group dev --group docs
	@touch $@

docs: $(VENV)/.docs  ## The documentation, offline; a warning is an error.
	$(BIN)/python -m sphinx -W --keep-going -b html docs docs/_build/html

browser-test: $(VENV)/.app  ## The report in a real browser; needs npm, and brings Chromium (or CHROMIUM=path).
	test -x $(CHROMIUM) || apt-get install --yes --no-install-recommends chromium
	cd tests/browser && npm ci --no-audit --no-fund
	$(BIN)/python tests/browser/make_pages.py build/browser
	node tests/browser/check.mjs build/browser $(CHROMIUM)

picture: demo  ## The picture of the report in the README, from the demo; needs npm and Chromium.
	test -x $(CHROMIUM) || apt-get install --yes --no-install-recommends chromium
	cd tests/browser && npm ci --no-audit --no-fund
	node tests/browser/picture.mjs weft-demo/report.html docs/_static/report.png $(CHROMIUM)

clean:
	rm -rf $(VENV) weft-demo build docs/_build docs/api docs/auto_examples tests/browser/node_modules .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
