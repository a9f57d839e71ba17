# For a start: `make crawl` (set-up and the main job on the sample site) and `make test` (set-up and all tests). The others are for those
# who work on the code; `make spark` and `make bench` ask for more, and say what.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Processes that test: one more than CI has cores, since crawls often wait.
TESTERS ?= 3
.PHONY: crawl test spark fast lint types lock bench clean

crawl: $(STAMP)
	$(BIN)/scrapy crawl news

test: $(STAMP) lint types
	$(BIN)/python -m pytest --numprocesses $(TESTERS) --dist loadfile --no-loadscope-reorder

spark: $(STAMP)                    # Spark beside the rest, for its tests (600 MB; needs Java)
	$(BIN)/python -m pip install --quiet --requirement requirements-spark.lock

fast: $(STAMP)                     # the quick tests only
	$(BIN)/python -m pytest -m "not crawl" -x -q

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

bench: $(STAMP)                    # long measurements; see benchmarks/README.md
	$(BIN)/python -m benchmarks.all

$(STAMP): requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3"; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV) || { echo "venv is missing; on Debian: apt-get install python3-venv"; exit 1; }
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade pip
	$(BIN)/python -m pip install --quiet --requirement requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@$(BIN)/newsextract browser install || echo "Without a browser nothing can be rendered; all else works."
	@touch $(STAMP)

lock:                              # renew requirements.lock (needs uv)
	uv pip compile --quiet --universal --python-version 3.11 --extra crawl --extra train --extra records --extra browser --extra archive --extra storage --extra postgres --extra cluster --extra zh --extra report --extra peers --extra dev \
	  --no-header --no-emit-index-url --no-annotate pyproject.toml requirements.in -o requirements.lock
	printf 'pyarrow\npyspark\n' | uv pip compile --quiet --universal --python-version 3.11 --no-header --no-emit-index-url --no-annotate \
	  --constraint requirements.lock - -o requirements-spark.lock

clean:
	rm -rf $(VENV) out .mypy_cache .ruff_cache .pytest_cache .hypothesis
