# The only entry point. `make demo` and `make test` need Python 3.11+, git and make; they set up everything else in .venv.
# Another interpreter: make test PYTHON=python3.13 (then `make clean` first, if .venv exists).

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# Two processes; the tests of one file stay together, since they share what is dear to make.
PYTEST_ARGS ?= -n 2 --dist loadfile

.DEFAULT_GOAL := help
.PHONY: help demo test lint format types unit wheel-test base-test gate evaluation docs bench proof-kills clean proof corruptions readers agents proof-hostile

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

# A stamp is newer than pyproject.toml when the environment holds what pyproject.toml asks for.
$(VENV)/.made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "withgrain needs Python 3.11 or newer; $(PYTHON) is older. Type: make $(MAKECMDGOALS) PYTHON=python3.12" >&2; exit 2; }
	@$(PYTHON) -m venv $(VENV) || \
	  { echo "$(PYTHON) cannot make virtual environments (on Debian: apt install python3-venv)" >&2; exit 2; }
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@touch $@

$(VENV)/.search: $(VENV)/.made pyproject.toml
	@echo "installing withgrain[search] into $(VENV) ..." >&2
	@$(BIN)/python -m pip install --quiet --editable packages/withgrain-static --editable ".[search]"
	@touch $@

$(VENV)/.dev: $(VENV)/.search pyproject.toml
	@echo "installing what the tests need into $(VENV) ..." >&2
	@$(BIN)/python -m pip install --quiet --editable ".[code]" --group dev
	@$(BIN)/python tools/fetch_commonmark.py $(VENV)/commonmark.json
	@touch $@

demo: $(VENV)/.search ## ingest examples/handbook, ask six questions, show the cited sections and the audit
	@$(BIN)/python tools/demo.py

test: lint types unit gate base-test ## everything that must hold before a change is merged (.ci/run runs this)

lint: $(VENV)/.dev ## ruff: rules and format
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

format: $(VENV)/.dev ## rewrite the sources as ruff formats them
	$(BIN)/ruff check --fix-only --quiet .
	$(BIN)/ruff format .

types: $(VENV)/.dev ## mypy --strict over src
	$(BIN)/mypy --strict src

unit: $(VENV)/.dev ## the whole test suite (PYTEST_ARGS="-k name" for a part of it)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

base-test: $(VENV)/.dev ## the wheel without extras: chunks, is small, names the extra that is missing
	$(BIN)/python tools/check_wheel.py --base-only

wheel-test: $(VENV)/.dev ## the built wheel with [search], tested away from src
	$(BIN)/python tools/check_wheel.py

proof: corruptions readers agents ## the long proofs of the collections and of the server for agents

agents: $(VENV)/.dev ## 1,000 adversarial calls, and 50 readers with scopes of their own that ask 200 times each
	$(BIN)/python -m tests.unit.mcp.adversarial 1000
	$(BIN)/python -m tests.unit.mcp.isolation 50 200

corruptions: $(VENV)/.dev ## 220 seeded corruptions of a collection: whatever changes an answer is reported
	$(BIN)/python -m tests.unit.store.corrupting 220

readers: $(VENV)/.dev ## one writer and eight reader processes for two minutes: no error, no half document
	$(BIN)/python -m tests.unit.store.reading 120 8

docs: $(VENV)/.dev ## regenerate the reference pages and run every code block of the documentation
	$(BIN)/python tools/build_reference.py
	$(BIN)/python -m pytest tests/docs $(PYTEST_ARGS)

gate: $(VENV)/.dev ## retrieval over examples/handbook against the pinned baseline; fails when it got worse
	$(BIN)/withgrain eval gate examples/baseline.json

evaluation: $(VENV)/.dev ## measure all policies and peers, write docs/results/evaluation.md (hours; goes on where it stopped)
	@test -d .venv-peers || $(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --requirement benchmarks/requirements-peers.txt --editable packages/withgrain-static --editable ".[search]"
	.venv-peers/bin/python benchmarks/evaluation.py $(EVALUATION_ARGS)

bench: $(VENV)/.dev ## integrity, speed of chunking and of embedding over the handbook (benchmarks/README.md has more)
	$(BIN)/python benchmarks/integrity.py examples/handbook
	$(BIN)/python benchmarks/chunking.py examples/handbook
	$(BIN)/python benchmarks/embedding.py

KILLS ?= ../shared/eval/corpus
proof-kills: $(VENV)/.dev ## kill -9 an ingest of 300 documents at 100 moments (KILLS=FOLDER)
	$(BIN)/python benchmarks/kills.py $(KILLS) --documents 300 --points 100

proof-hostile: $(VENV)/.dev ## every hostile document at full size: read or refused within 20 s and 1 GB (HOSTILE="NAME ...")
	$(BIN)/python -m tests.hostile.proof $(HOSTILE)

clean: ## remove everything that make made
	rm -rf $(VENV) .withgrain .demo .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache dist build
