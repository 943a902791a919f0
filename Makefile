# Every target makes its own environment: with uv where there is one, with venv and pip otherwise.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
ADAPTERS := .venv-adapters
UV     := $(shell command -v uv 2>/dev/null)

# As many processes as processors; the tests of one file share a process, and with it the servers,
# browsers and files that the file prepares once.
PYTEST := $(BIN)/python -m pytest -n auto

# What `make check` leaves out, by name, wherever it lies below tests: folders and files of tests that
# start browsers, servers and clusters, run the documentation, or take seconds each.
SLOW := adapters browser cluster collection docs engines golden judge laws peers plugins typing \
        test_anova.py test_beyond_memory.py test_columns.py test_compare.py test_datasets.py \
        test_discoveries.py test_element_oracle.py test_estimates.py test_judged_rankings.py \
        test_passages.py test_plots.py test_recipes.py test_search.py test_smart.py test_terminal.py test_workers.py

define LINT
$(BIN)/ruff format --check .
$(BIN)/ruff check .
$(BIN)/mypy
endef

ifdef UV
CREATE  = $(UV) venv -q --allow-existing --python $(PYTHON) $(1)
INSTALL = $(UV) pip install -q --python $(1)/bin/python
else
CREATE  = $(PYTHON) -m venv $(1)
INSTALL = $(1)/bin/python -m pip install -q --disable-pip-version-check
endif

# pip knows dependency groups since 25.1: bring the environment's own pip up to it.
ifdef UV
FRESH_PIP = true
else
FRESH_PIP = $(1)/bin/python -m pip install -q --disable-pip-version-check --upgrade 'pip>=25.1'
endif

.PHONY: help demo judge check test test-oldest test-adapters test-engines test-cluster soak fix simulate bench docs clean
help:            ## show this list
	@awk -F ':.*## *' '/^[a-z-]+: .*##/ { printf "%-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: $(VENV)/.core    ## evaluate the runs that come with the package
	$(BIN)/spanwise demo

judge: $(VENV)/.judge    ## judge the handbook that comes with the package, in the browser
	$(BIN)/spanwise judge --demo

soak: $(VENV)/.test    ## the slow tests of the judging page: kills, load, 10,000 selections
	SPANWISE_SOAK=1 $(BIN)/python -m pytest tests/judge -s

check: $(VENV)/.test    ## the quick part of `make test`, in under a minute: format, lint, types, fast tests
	$(LINT)
	$(PYTEST) tests $(SLOW:%=--ignore-glob='*/%') --hypothesis-profile=few

test: $(VENV)/.test    ## format, lint, types and all tests, in parallel
	$(LINT)
	$(PYTEST)

OLDEST := .venv-oldest

# The lower bounds in pyproject.toml are true as long as this passes. Only uv can choose them. Old
# libraries are compiled first, because their own syntax warnings would fail tests.
test-oldest:    ## all tests with the oldest dependencies that pyproject.toml allows (needs uv)
	@command -v uv >/dev/null || { echo "test-oldest: needs uv"; exit 3; }
	uv venv -q --clear --python $(PYTHON) $(OLDEST)
	uv pip install -q --python $(OLDEST)/bin/python --compile-bytecode --resolution lowest-direct \
	  -e . --group test
	$(PYTEST:$(BIN)%=$(OLDEST)/bin%)

# Frameworks are large and change often: they have an environment of their own, and where it cannot
# be made their tests are skipped.
test-adapters: $(VENV)/.test    ## chunks of the real frameworks
	@if $(MAKE) -s $(ADAPTERS)/.ready; then \
	  $(ADAPTERS)/bin/python -m pytest tests/adapters -rs -W ignore; \
	else \
	  echo "test-adapters: skipped, because the frameworks could not be installed"; \
	fi

$(ADAPTERS)/.ready: pyproject.toml
	$(call CREATE,$(ADAPTERS))
	@$(call FRESH_PIP,$(ADAPTERS))
	$(call INSTALL,$(ADAPTERS)) -e . --group adapters
	@touch $@

ENGINES := .venv-engines
DEBIAN  := idzebra-2.0-utils libidzebra-2.0-modules wordnet-base

# What needs the rights of an administrator is installed where we have them; tests of an engine
# that is still absent are skipped and say so.
test-engines: $(ENGINES)/.done    ## install the search engines that can be had, and test them all
	-@[ "$$(id -u)" != 0 ] || command -v zebraidx >/dev/null || ! command -v apt-get >/dev/null \
	  || (apt-get update -qq; apt-get install -y -qq --no-install-recommends $(DEBIAN)) >/dev/null 2>&1
	$(ENGINES)/bin/python -m pytest tests/engines tests/retrieve -rs

$(ENGINES)/.done: pyproject.toml
	$(call CREATE,$(ENGINES))
	@$(call FRESH_PIP,$(ENGINES))
	$(call INSTALL,$(ENGINES)) -e '.[bm25s,tantivy,xapian,latent,report]' --group engines
	$(call INSTALL,$(ENGINES)) --no-deps pyserini==0.21.0
	@touch $@

CLUSTER := .venv-cluster

# An engine that cannot be installed does not keep the others from being tested.
test-cluster: $(CLUSTER)/.ready    ## the same numbers on Dask, Spark and Ray, with real clusters
	$(CLUSTER)/bin/python -m pytest tests/cluster -rs

$(CLUSTER)/.ready: pyproject.toml
	$(call CREATE,$(CLUSTER))
	@$(call FRESH_PIP,$(CLUSTER))
	$(call INSTALL,$(CLUSTER)) -e . --group cluster
	@for engine in dask ray spark; do \
	  $(call INSTALL,$(CLUSTER)) -e ".[$$engine]" \
	    || echo "test-cluster: $$engine could not be installed, its tests are skipped"; \
	done
	@touch $@

fix: $(VENV)/.test    ## repair what can be repaired by program
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

simulate: $(VENV)/.test    ## coverage of intervals and mistakes of tests, by simulation (minutes)
	$(BIN)/python -m pytest -m simulation -s tests/stats tests/workflows/test_estimates.py
	$(BIN)/python docs/simulate.py

BENCH := .venv-bench

# The peers bring libraries whose warnings would fail the tests: they have an environment of their own.
bench: $(BENCH)/.ready $(CLUSTER)/.ready    ## speed and memory against the peers, in one table
	$(BENCH)/bin/python bench/run.py

$(BENCH)/.ready: pyproject.toml
	$(call CREATE,$(BENCH))
	@$(call FRESH_PIP,$(BENCH))
	$(call INSTALL,$(BENCH)) -e . --group bench
	@touch $@

docs: $(VENV)/.docs    ## build the documentation into site/
	$(BIN)/python -m mkdocs build --strict

clean:           ## remove environments and what was built
	rm -rf $(VENV) $(ADAPTERS) $(ENGINES) $(CLUSTER) $(BENCH) $(OLDEST) site dist build bench/data

$(VENV)/.core: pyproject.toml
	$(call CREATE,$(VENV))
	@$(call FRESH_PIP,$(VENV))
	$(call INSTALL,$(VENV)) -e .
	@$(BIN)/python -m compileall -q src
	@touch $@

$(VENV)/.%: pyproject.toml $(VENV)/.core
	$(call INSTALL,$(VENV)) --group $*
	@touch $@
