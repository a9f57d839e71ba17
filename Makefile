# For a start: `make crawl` (set-up and the main job on the sample site) and `make test` (set-up and the quick tests). The others are for
# those who work on the code: `make test-all` has every test, `make spark` and `make bench` ask for more, and say what. `.ci/set-up` does the
# set-up; PYTHON names the interpreter.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SET_UP = @PYTHON="$(PYTHON)" VENV="$(VENV)" .ci/set-up
# Processes that test: one more than CI has cores, since crawls often wait. A fourth takes longer (16:20 for 15:27 minutes).
TESTERS ?= 3
.PHONY: try crawl test test-all spark lint types docs lock bench fresh-roots clean

try:                               # make try URL=https://www.example.org/ [OPTIONS="--write -o out/proof.html"]
	$(SET_UP) crawl
	@mkdir -p out
	$(BIN)/newsextract try "$(URL)" $(OPTIONS)

crawl:
	$(SET_UP) crawl
	$(BIN)/scrapy crawl news

test: lint types                   # without crawls, browsers, databases and what else takes long
	$(BIN)/python -m pytest --numprocesses $(TESTERS) --dist worksteal -m "not crawl and not slow" --hypothesis-profile quick

test-all:
	$(SET_UP) all-tests
	@$(MAKE) --no-print-directory lint types
	$(BIN)/python -m pytest --numprocesses $(TESTERS) --dist worksteal

spark:                             # Spark beside the rest, for its tests (600 MB; needs Java)
	$(SET_UP) spark

lint:
	$(SET_UP) tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types:
	$(SET_UP) tests
	$(BIN)/mypy

docs:                              # the documents as a site, in build/site; its generated parts: benchmarks/docs
	$(SET_UP) tests
	NO_MKDOCS_2_WARNING=1 $(BIN)/python -m mkdocs build --strict

bench:                             # long measurements; see benchmarks/README.md
	$(SET_UP) tests
	$(BIN)/python -m benchmarks.all

fresh-roots:                       # both commands on machines that have nothing: debootstrap, root, two hours
	.ci/fresh-roots

UV := uv pip compile --quiet --universal --python-version 3.11 --no-header --no-emit-index-url --no-annotate
TESTED := crawl scrapy poet zyte train records browser archive storage postgres zh report completion docs peers dev
lock:                              # renew the lock files (needs uv)
	$(UV) --extra crawl --extra records --extra archive pyproject.toml requirements.in -o requirements.lock
	$(UV) --constraint requirements.lock $(TESTED:%=--extra %) pyproject.toml requirements.in -o requirements-dev.lock
	printf 'pyarrow\npyspark\n' | $(UV) --constraint requirements-dev.lock - -o requirements-spark.lock

clean:
	rm -rf $(VENV) out .mypy_cache .ruff_cache .pytest_cache .hypothesis
