# Every command of the project. `make` alone lists them.
PORT ?= 8000
PYTHON ?= python3
FILE ?= candor.zip
VENV := .venv
BIN := $(VENV)/bin
LOCK ?= requirements.lock
EXTRAS := requirements-formats.txt requirements-noise.txt requirements-servers.txt requirements-sign-in.txt requirements-stores.txt
COMPILE := $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-emit-find-links --no-header

.DEFAULT_GOAL := help
.PHONY: help run stack test test-browsers test-stack test-citus test-long check audit audit-wire audit-files audit-fuzz audit-orders audit-crashes audit-slow-senders
.PHONY: containers cluster cluster-down chaos-cluster audit-failures audit-install audit-pages audit-screen-reader format docs messages lock release pictures reference coverage bench bench-library backup restore long fuzz machine chaos slow failures

help: ## list the commands
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 20

run: ## install, build the demo, start everything; PORT=8000, LOCK=requirements-small.lock for the least
	@$(PYTHON) bin/install $(LOCK)
	@exec $(BIN)/python -m config.serve --port $(PORT)

stack: ## the same on PostgreSQL and Redis, with two web processes and two workers; PORT=8000
	@$(PYTHON) bin/install requirements-dev.lock
	@exec $(BIN)/python -m config.serve --port $(PORT) --stack

# What the tests import is compiled once for all their processes, whatever the machine's environment says.
test test-stack test-citus test-long: export PYTHONDONTWRITEBYTECODE :=

test: ## every test but the long ones: Python, Node, a real browser, the whole stack
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs firefox webkit slapd
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

test-browsers: ## the tests of the respondent's page in Firefox and in WebKit
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs firefox webkit
	@$(BIN)/python -m pytest -n 2 --dist loadfile tests/browser --ignore tests/browser/screen_reader -m "long or not long" --timeout 180 --engine firefox $(ARGS)
	@$(BIN)/python -m pytest -n 2 --dist loadfile tests/browser --ignore tests/browser/screen_reader -m "long or not long" --timeout 180 --engine webkit $(ARGS)

test-stack: ## every test of the gate again, on a real PostgreSQL and Redis
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs slapd
	@$(BIN)/python -m tests.stack -n 3 --dist loadfile --no-loadscope-reorder $(ARGS)

test-citus: ## what is stored, counted and backed up, on a Citus cluster; CITUS_PACKAGE names its .deb where it is not installed
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python -m tests.citus -n 0 $(ARGS)

test-long: ## the tests that are too long for make test, and those by hypothesis with other examples each time
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs firefox orca
	@$(BIN)/python -m pytest -n 3 --dist loadfile --no-loadscope-reorder -m "long or hypothesis" --hypothesis-profile default $(ARGS)

check: ## lint (templates too), formatting, types, import directions, migrations
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .
	@$(BIN)/djlint --lint --quiet templates
	@$(BIN)/mypy .
	@$(BIN)/lint-imports
	@$(BIN)/python manage.py makemigrations --check --dry-run

backup: ## write everything that is kept into one new file; FILE=candor.zip
	@$(PYTHON) bin/install $(LOCK)
	@$(BIN)/python manage.py backup "$(FILE)"

restore: ## make an empty installation from such a file; FILE=candor.zip, from elsewhere SIGNED_BY=its fingerprint
	@$(PYTHON) bin/install $(LOCK)
	@$(BIN)/python manage.py migrate --verbosity 0
	@$(BIN)/python manage.py restore "$(FILE)" $(if $(SIGNED_BY),--signed-by "$(SIGNED_BY)") $(if $(UNSIGNED),--unsigned)

audit: test-long audit-wire audit-files audit-fuzz audit-orders audit-crashes audit-slow-senders audit-failures audit-pages ## the long proofs; each writes its numbers into docs

audit-wire: ## 30,000 answers by a real browser, 4,600 in Firefox and WebKit: what leaves it is the table's channel
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs firefox webkit
	@$(BIN)/python -m tests.audit
	@$(BIN)/python -m tests.audit.engines

audit-fuzz: ## 20,000 requests made of the OpenAPI document, 10,000 ids walked by a stranger, 20,000 definitions, into docs/evidence/fuzz*.md
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python -m tests.fuzz.definitions
	@$(BIN)/python -m tests.fuzz

audit-files: ## open every exported file in LibreOffice and R (installed where they are missing), into docs/evidence/exported-files.md
	@$(PYTHON) bin/install requirements-dev.lock
	@$(PYTHON) bin/install-readers
	@CANDOR_TEST_READERS=1 $(BIN)/python -m pytest -q tests/readers

audit-orders: ## 5,000 orders of all that can happen to reports, against a model, into docs/evidence/orders-of-events.md
	@$(PYTHON) bin/install requirements-dev.lock
	@CANDOR_TEST_MACHINE=5000 $(BIN)/python -m pytest -q --timeout 0 tests/collector/test_state_machine.py

audit-crashes: ## kill every process 500 times under load and once at every named point, then count: nothing lost, nothing twice (an hour)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python -m tests.chaos

containers: ## build the images, start compose.yaml whole, answer a survey through it in a browser, upgrade and roll back (as root)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(PYTHON) bin/base-images
	@$(BIN)/python bin/install-programs
	@$(BIN)/python -m pytest -n 0 -p no:cacheprovider --timeout 0 -x $(ARGS) tests/containers/journey.py tests/containers/upgrade.py

cluster: ## bring up the three machines of docs/how-to/high-availability.md in containers; make cluster-down ends them (as root)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(PYTHON) bin/base-images
	@$(BIN)/python -m tests.cluster up

cluster-down: ## end the three machines, and delete what they have
	@$(BIN)/python -m tests.cluster down

chaos-cluster: ## kill and cut off what leads there, 120 times under load: nothing lost, nothing twice (an hour); ARGS="--primary 5"
	@$(PYTHON) bin/install requirements-dev.lock
	@$(PYTHON) bin/base-images
	@$(BIN)/python -m tests.cluster chaos $(ARGS)

audit-slow-senders: ## slow senders of every kind against an installation and a stack: others' reports are taken, into docs (twenty minutes)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python -m tests.slow

audit-failures: ## clocks, folders and processes that fail around an installation and a stack, into docs/evidence/failures.md (ten minutes)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python -m tests.failures

audit-pages: ## 60 attacks of a server on three browsers and on the check from outside, 10,000 honest loads, into docs/evidence/changed-pages.md
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs firefox webkit
	@$(BIN)/python -m tests.attacks

audit-screen-reader: ## the respondent's page in every state by a screen reader, and a survey answered by ear in five languages (five minutes)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs firefox orca
	@$(BIN)/python -m pytest -n 0 -m long tests/browser/screen_reader $(ARGS)

audit-install: ## the commands of docs/how-to/deploy.md on empty machines in containers (as root, ten minutes)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs
	@$(BIN)/python -m tests.install

format: ## write every file in the project's style
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/ruff check --fix .
	@$(BIN)/ruff format .

messages: ## find the texts of pages, reports and panel for the translators, and compile what they translated
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/messages

docs: ## build the documentation site into build/help; broken links, anchors and pages that nothing names fail
	@$(PYTHON) bin/install $(LOCK)
	@$(BIN)/python bin/build-help

pictures: ## take every screenshot of the documentation again (ten minutes)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/install-programs
	@$(BIN)/python docs/images/make.py

reference: ## write the pages of docs/reference that are made from the code
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python -m config.variables
	@$(BIN)/python -m docs.make

coverage: ## measure every interval's coverage, every mechanism's variance and the averaging attack into docs (ten minutes)
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python -m benchmarks.coverage
	@$(BIN)/python -m benchmarks.mechanisms
	@$(BIN)/python -m benchmarks.averaging

bench: bench-library ## every measurement of speed: the library, starting, taking reports, folding, planning, the panel, the page on a slow phone
	@$(BIN)/python -m benchmarks.starting
	@$(BIN)/python -m benchmarks.reports
	@$(BIN)/python -m benchmarks.statements
	@$(BIN)/python -m benchmarks.platform
	@$(BIN)/python -m benchmarks.storage
	@$(BIN)/python -m benchmarks.lag
	@$(BIN)/python -m benchmarks.scale --measure
	@$(BIN)/python -m benchmarks.keeping
	@$(BIN)/python -m benchmarks.reporting
	@$(BIN)/python -m benchmarks.planner
	@$(BIN)/python -m benchmarks.panel
	@$(BIN)/python -m benchmarks.analyses
	@$(BIN)/python -m benchmarks.exporting
	@$(BIN)/python bin/install-programs
	@$(BIN)/python -m benchmarks.page
	@$(BIN)/python -m benchmarks.editing
	@$(BIN)/python -m benchmarks.deriving

bench-library: ## the library's speed against numpy's floor and its peers
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python -m benchmarks.estimates

release: ## build a release's files from the last commit into build/release, the same bytes everywhere
	@$(PYTHON) bin/install requirements-dev.lock
	@$(BIN)/python bin/release

lock: ## compile the requirement files into hashed lock files
	@$(PYTHON) bin/install requirements-dev.lock
	@$(COMPILE) requirements.txt $(EXTRAS) -o requirements.lock
	@$(COMPILE) -c requirements.lock requirements.txt -o requirements-small.lock
	@$(COMPILE) -c requirements.lock requirements-lean.txt -o requirements-lean.lock
	@$(COMPILE) -c requirements.lock requirements-web.txt -o requirements-web.lock
	@$(COMPILE) -c requirements.lock requirements-dev.txt -o requirements-dev.lock
	@$(COMPILE) -c requirements-dev.lock requirements-docs.txt -o requirements-docs.lock

# Names of before, for one release.
long: test-long
fuzz: audit-fuzz
machine: audit-orders
chaos: audit-crashes
slow: audit-slow-senders
failures: audit-failures
