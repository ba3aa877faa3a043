# Everything a fresh machine needs: Python 3.11+, make, and nothing else.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin

# The tests run the program hundreds of times; not compiled, each run takes a third more.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test check format docs bench clean

demo: $(VENV)/.installed  ## run the main job on demo/ and print where the report is
	@$(BIN)/issuebook run demo || [ $$? -eq 3 ]

test: $(VENV)/.installed-dev  ## run all tests
	@$(BIN)/python -m pytest -q -n 2 --dist worksteal

check: $(VENV)/.installed-dev  ## format, lint, types, layers, documentation
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy
	@$(BIN)/lint-imports --no-cache
	@$(BIN)/python docs/reference.py --check

format: $(VENV)/.installed-dev  ## mend format and what the linter can mend
	@$(BIN)/ruff check --fix -q .
	@$(BIN)/ruff format -q .

docs: $(VENV)/.installed-dev  ## write the generated pages of docs/reference again
	@$(BIN)/python docs/reference.py

$(VENV)/.installed: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "issuebook needs Python 3.11 or newer")'
	@$(PYTHON) -m venv $(VENV)
	@$(BIN)/python -m pip install -q --disable-pip-version-check --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed pyproject.toml
	@$(BIN)/python -m pip install -q --disable-pip-version-check -e . --group dev
	@touch $@

clean:  ## remove what setting up and running made
	rm -rf $(VENV) demo/out demo/data demo/issuebook.db* studies/*/out studies/*/data studies/*/issuebook.db*
