# Everything starts from here. `make help` lists the targets.
#
# The system provides python3 (3.11 or newer, with venv), g++, make and perl; the rest comes from
# pip into .venv, which is made on first use and again when pyproject.toml changes.

PYTHON ?= python3
TILES  ?= 4
JOBS   ?= $(shell nproc 2>/dev/null || echo 2)

VENV := .venv
BIN  := $(VENV)/bin
PIP  := $(BIN)/python -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help demo test test-slow formal coverage area lint typing verilog bench docs clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /  \1\t/p' $(MAKEFILE_LIST) | expand -t 14

demo: $(VENV)/run.stamp ## run the digits model on 4 tiles of RTL, compared with the reference
	$(BIN)/python examples/digits/demo.py

test: $(VENV)/dev.stamp ## run the tests, except the slow ones
	$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder

test-slow: $(VENV)/dev.stamp ## run the slow tests
	$(BIN)/python -m pytest -q -n $(JOBS) --dist worksteal -m slow

formal: $(VENV)/dev.stamp ## run the proofs
	$(BIN)/python -m pytest -q -n $(JOBS) --dist loadfile -m formal

coverage: $(VENV)/dev.stamp ## measure line and toggle coverage, write docs/reference/coverage.md
	$(BIN)/python -m openipu.cosim.coverage

area: $(VENV)/dev.stamp ## count the cells of a tile's units, write docs/reference/area.md
	$(BIN)/python -m openipu.cosim.area docs/reference/area.md

lint: $(VENV)/dev.stamp typing ## ruff, mypy and pyright
	$(BIN)/ruff check
	$(BIN)/mypy
	$(BIN)/mypy examples tests
	$(BIN)/pyright --level error --pythonpath $(BIN)/python

typing: ## link the packages under the names that type checkers need
	@mkdir -p build/typing/openipu
	@for d in rtl cosim sw firmware; do ln -sfn ../../../$$d build/typing/openipu/$$d; done

verilog: $(VENV)/run.stamp ## write the Verilog of a chip with TILES tiles to build/verilog
	$(BIN)/openipu verilog --tiles $(TILES) -o build/verilog

bench: $(VENV)/run.stamp ## measure, print tables, write build/bench.json
	$(BIN)/python -m openipu.sw.bench

docs: $(VENV)/run.stamp ## regenerate the parts of docs/ that come from the code
	$(BIN)/python -m openipu.rtl.isadoc docs/reference/isa.md
	$(BIN)/python docs/picture.py

clean: ## remove everything that was built or installed
	rm -rf build .venv *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo \
	    "openipu needs Python 3.11 or newer as $(PYTHON); name another: make PYTHON=python3.12" >&2; \
	    exit 1; }
	@for tool in g++ perl; do command -v $$tool >/dev/null || { echo \
	    "openipu needs $$tool; on Debian or Ubuntu: apt install g++ make perl" >&2; exit 1; }; done
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo \
	    "openipu needs Python's venv module; on Debian or Ubuntu: apt install python3-venv" >&2; \
	    exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/run.stamp: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e .
	@touch $@

$(VENV)/dev.stamp: pyproject.toml | $(VENV)/bin/python
	$(PIP) -e '.[dev]'
	@touch $(VENV)/run.stamp $@
