# `make demo` and `make test` need nothing but Python 3.11 and make: both set everything up in .venv.

PYTHON ?= python3
VENV   ?= .venv
BIN     = $(VENV)/bin
# What the bench compares with is installed for it alone.
CITELOOM_BENCH_PEERS ?= $(VENV)/peers

.PHONY: demo test lint bench attack app clean system-packages

demo: $(VENV)/.installed
	$(BIN)/python references/demo.py

# Three processes, because many tests wait for an engine to start; the tests of a file stay together, and the files with
# engines come first.
test: system-packages $(VENV)/.installed-dev lint
	$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(VENV)/.installed-dev $(CITELOOM_BENCH_PEERS)/.installed
	CITELOOM_BENCH_PEERS=$(CITELOOM_BENCH_PEERS) $(BIN)/python -m tests.bench

attack: $(VENV)/.installed-dev
	$(BIN)/python -m tests.attack

app: $(VENV)/.installed
	$(BIN)/citeloom app

# The libraries and fonts that Qt needs, and strace for one test. Installed where that is allowed, else named.
system-packages:
	@$(PYTHON) packaging/system_packages.py qt strace

clean:
	rm -rf $(VENV) build dist *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(VENV)/.installed: pyproject.toml citeloom/__init__.py packaging/constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("CiteLoom needs Python 3.11 or newer") if sys.version_info < (3, 11) else None'
	test -x $(BIN)/python || { $(PYTHON) packaging/system_packages.py venv && $(PYTHON) -m venv $(VENV); }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c packaging/constraints.txt -e ".[fast]"
	touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c packaging/constraints.txt -e ".[dev,fast]"
	touch $@

$(CITELOOM_BENCH_PEERS)/.installed: tests/bench/requirements.txt
	test -x $(CITELOOM_BENCH_PEERS)/bin/python || $(PYTHON) -m venv $(CITELOOM_BENCH_PEERS)
	$(CITELOOM_BENCH_PEERS)/bin/python -m pip install --quiet --disable-pip-version-check -r tests/bench/requirements.txt
	touch $@
