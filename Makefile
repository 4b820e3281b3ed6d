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
# Compiled files spare every start of Python half of its time, whatever the machine's default is.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.PHONY: help run setup setup-dev test failed check lint unit docs messages pictures bench bench-smoke bench-peers chaos site wheel release extension freeze clean

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
	@$(BIN)/pip install -q -c constraints.txt -e '.[semantic,speed]'
	@$(BIN)/python -m compileall -q src
	@touch $@

setup-dev: $(DEVSTAMP)  ## … and what the tests and checks need

$(DEVSTAMP): $(STAMP) scripts/system-packages
	@echo "Installing the test tools …"
	@$(BIN)/pip install -q -c constraints.txt -e '.[postgres,redis,prefect,llm,semantic,speed]' --group dev
	@scripts/system-packages
	@touch $@

test: setup-dev $(WHEELSTAMP)  ## set up and run every check and the whole suite, on real servers and a real browser
	@$(MAKE) --no-print-directory lint
	@$(BIN)/pytest -n 5 --dist worksteal -p no:schemathesis tests || { test $$? -eq 1 && $(MAKE) --no-print-directory failed; }

failed:  ## run the tests that failed last time once more, one after the other: what fails alone is broken
	@echo "Some tests failed beside others; each runs again alone. One that passes now is unsteady: mend it."
	@$(BIN)/pytest --last-failed --last-failed-no-failures none -v tests

check: setup-dev lint unit  ## lint, types, imports, unit tests: under a minute

lint:
	@$(BIN)/ruff check . && $(BIN)/ruff format --check -q . || { echo "ruff: run '$(BIN)/ruff check --fix . && $(BIN)/ruff format .'"; exit 1; }
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache > .import-linter.log 2>&1 || { cat .import-linter.log; exit 1; }; rm -f .import-linter.log

unit:
	@$(BIN)/pytest -n 2 -p no:schemathesis -m "not slow" --hypothesis-profile=quick tests

docs: setup-dev  ## write the generated pages of docs/ and the completion scripts again
	@$(BIN)/python scripts/generate_docs.py
	@$(BIN)/python scripts/generate_completions.py

messages: setup-dev  ## bring the catalogues of messages in step with the code; ARGS=--missing lists what is not translated
	@$(BIN)/python scripts/update_messages.py $(ARGS)

pictures: setup-dev  ## take the pictures of docs/ again
	@$(BIN)/python scripts/make_pictures.py

bench: setup-dev  ## run the benchmarks; ARGS="NAME … --corpora FOLDER" for some of them
	@$(BIN)/python -m bench $(ARGS)

bench-smoke: setup-dev  ## compare the speed with bare libraries; fails where it is a third slower than it was
	@$(BIN)/python -m bench smoke

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

extension:  ## pack the browser extension into dist/, the same bytes each time
	@$(PYTHON) scripts/pack_extension.py

release:  ## build sdist and wheel into dist/, check them, and write the release notes
	@test -x .venv-release/bin/python || $(PYTHON) -m venv .venv-release
	@.venv-release/bin/pip install -q -U 'pip>=25.1' && .venv-release/bin/pip install -q -c constraints.txt -c constraints-tools.txt --group release
	@rm -rf dist && .venv-release/bin/python -m build > /dev/null && .venv-release/bin/twine check --strict dist/*
	@.venv-release/bin/python scripts/release_notes.py > dist/release-notes.md && ls dist

site:  ## build the documentation as a site into site/
	@test -x .venv-site/bin/python || $(PYTHON) -m venv .venv-site
	@.venv-site/bin/pip install -q -U 'pip>=25.1' && .venv-site/bin/pip install -q -c constraints.txt -c constraints-tools.txt --group site
	@.venv-site/bin/python scripts/build_site.py

freeze: setup-dev  ## write constraints.txt anew from what is installed, with all extras together
	@$(BIN)/pip freeze --exclude-editable --all | grep -E '^[A-Za-z0-9._-]+==' | grep -vE '^(pip|setuptools|wheel)==' | sort -f > constraints.txt
	@touch $(STAMP) $(DEVSTAMP)

clean:  ## remove .venv and caches
	@rm -rf $(VENV) $(WHEELVENV) .venv-site .venv-release site dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
