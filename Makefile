# Continuous integration calls `make test`, which you can run, too.
.PHONY: setup check forms lint build test test-workspace test-map test-changed test-lab test-plan test-others wheel-to-test test-features test-processors-if-able test-msrv test-publish test-package test-minimal-versions test-reproducible semver deny docs test-newer test-replicated test-clusters test-hbase test-adversary test-processors test-targets test-targets-if-able test-python test-django test-js test-ffi test-c test-kotlin test-swift test-conformance test-tutorials conformance wheel program-wheel test-program test-ids test-wheels bench bench-speed bench-instructions bench-record bench-python bench-js bench-kotlin bench-swift features bench-map sanitize fuzz fuzz-count soak soak-map soak-ids soak-check soak-sync
.DEFAULT_GOAL := test

setup: ## installs missing packages (as root on Debian), starts Docker, builds the server images
	scripts/setup.sh

check: ## formatting, clippy, and every test and doc test that needs no database server
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	cargo test --workspace --lib --bins $(CHECK_TESTS:%=--test %)
	cargo test --workspace --doc

# The bindings have workspaces of their own, but most of their dependencies are those of the main workspace. With its folder and
# its profile, these are not checked again.
CHECKED_TOO = CARGO_TARGET_DIR=$(CURDIR)/target CARGO_PROFILE_DEV_DEBUG=line-tables-only

forms: ## formatting, circles of imports, the links between pages, the table of languages, the lists of kinds, llms.txt and the version in all files (seconds)
	scripts/links.py
	scripts/trust.py
	scripts/models.py
	scripts/version.py
	scripts/llms.py
	scripts/kinds.py
	scripts/contributing.py
	scripts/languages.py
	scripts/imports.py
	cargo fmt --all --check
	cargo fmt --manifest-path bindings/python/Cargo.toml --check
	cargo fmt --manifest-path bindings/c/Cargo.toml --check
	cargo fmt --manifest-path conformance/drivers/rust/Cargo.toml --check

lint: forms ## the same, clippy, rustdoc and the list of public items, with warnings as errors (a quarter of an hour from nothing)
	cargo clippy --workspace --all-targets -- -D warnings
	cargo clippy -p idgen-keys --lib --no-default-features -- -D warnings
	cargo clippy -p idgen-keys --lib --no-default-features --features std,mac,prefixed,seal,serde,state-file -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
	scripts/public.py
	cd bindings/python && $(CHECKED_TOO) cargo clippy -- -D warnings
	cd bindings/c && $(CHECKED_TOO) cargo clippy --all-targets -- -D warnings
	scripts/python.sh lint
	scripts/workflows.sh

# The tests of the workspace by the names of their files. `make test-clusters` runs those of the clusters.
WHERE = . crates/* rig/* examples/* benches
TESTS = $(filter-out clusters plan_clusters vitess vitess_shards,$(sort $(basename $(notdir $(wildcard $(WHERE:%=%/tests/*.rs)))) \
	$(notdir $(patsubst %/main.rs,%,$(wildcard $(WHERE:%=%/tests/*/main.rs))))))
# Those with the most to do are parts of their own, so that they run at the same time. All others are the part test-others.
MAP_TESTS = servers
CHANGED_TESTS = adversary torture
LAB_TESTS = lab
PLAN_TESTS = plan plan_mysql plan_postgres survey
# Those that start database servers, or measure one.
SERVER_TESTS = adversary columns drivers end_to_end lab map nbtree plan plan_mysql plan_postgres private_postgres restored server servers \
	simulation survey torture written
CHECK_TESTS = $(filter-out $(SERVER_TESTS),$(TESTS))
OTHER_TESTS = $(filter-out $(MAP_TESTS) $(CHANGED_TESTS) $(LAB_TESTS) $(PLAN_TESTS),$(TESTS))
# With the engine RocksDB, whose library is compiled once. All have the same features, or programs would be built in turns.
PROGRAMS = library=$$(scripts/rocksdb.sh) && eval "$$library" && cargo test --workspace --features rocksdb
WORKSPACE = $(PROGRAMS) --no-fail-fast

# What `make test` runs after setup and build, three at a time, because most of them wait for servers. The longest come first.
# Python, C, Kotlin and Swift do one thing after another: at the end, a processor would have nothing to do beside them.
# They share no server and no folder that both write. Vitess is left out: its image takes ten processor minutes. So are emulated ARM, the
# compilers of other targets, the counts of instructions, the program as a wheel and without its features, and MariaDB 11.8: `make soak` has all of them. Clippy and
# rustdoc are `make lint`: they compile everything a second time.
PARTS = test-python test-map test-plan test-others test-ffi test-lab test-replicated test-js test-changed \
	test-features test-publish test-conformance
# A long build that needs nothing of the workspace, and runs beside its own.
AHEAD = wheel-to-test
ONE = $(MAKE) --no-print-directory
# In continuous integration, the output of a part is printed in one piece when the part has ended.
BESIDE = $(ONE) --jobs=3 --keep-going --output-sync=$(if $(CI),target,none)
# Programs that are not make would warn that they cannot use its job server.
unexport MAKEFLAGS MFLAGS

test: ## all tests that must pass, on MySQL, MariaDB and clusters of both; ends with a table of what took how long
	scripts/timed.sh begin
	$(BESIDE) timed-setup timed-build $(AHEAD:%=timed-%)
	status=0; IDGEN=$(CURDIR)/target/debug/idgen $(BESIDE) $(PARTS:%=timed-%) || status=$$?; \
		scripts/timed.sh table; exit $$status

timed-%:
	@scripts/timed.sh run $* $(ONE) $*

build: forms ## what `make test` builds before its parts run, so that none waits for another one's compiler
	$(PROGRAMS) --no-run

# What is tested need not be as fast as what people get, which `make wheel`, `make bench` and the packages build: a third of the
# time.
QUICKLY = CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 CARGO_PROFILE_RELEASE_OPT_LEVEL=1

wheel-to-test:
	$(QUICKLY) scripts/python.sh env

test-workspace: setup ## the tests of all Rust packages
	$(WORKSPACE)

test-map: setup ## the map on its servers
	$(WORKSPACE) $(MAP_TESTS:%=--test %)

test-changed: setup ## the map while answers are changed, servers and clients are killed, and settings are changed
	$(WORKSPACE) $(CHANGED_TESTS:%=--test %)

test-lab: setup ## the lab on its servers
	$(WORKSPACE) $(LAB_TESTS:%=--test %)

test-plan: setup ## the survey of live databases, and plans of the change of their keys
	$(WORKSPACE) $(PLAN_TESTS:%=--test %)

test-others: setup ## the other tests of the Rust packages
	$(WORKSPACE) --lib --bins --examples $(OTHER_TESTS:%=--test %)
	$(WORKSPACE) --doc

test-features: setup ## the library without its optional features
	cargo test -p idgen-keys --no-default-features --features std,mac,prefixed,seal,serde,state-file --tests

test-program: setup ## the command as a wheel, and the program without databases and the lab
	scripts/program.sh test

test-ids: setup ## the program without databases and the lab
	scripts/program.sh ids

test-processors-if-able: setup
	scripts/processors.sh test-if-able

test-targets-if-able: setup
	scripts/targets.sh test-if-able

test-newer: setup ## the map and defaults of version 7 on MariaDB 11.8, which differs (1 minute)
	IDGEN_MARIADB_IMAGE=$${IDGEN_MARIADB_11_IMAGE:-idgen-mariadb:11.8}; export IDGEN_MARIADB_IMAGE; $(PROGRAMS) --test servers \
		-- basics:: races:: within:: within_refused:: unpaired:: forget:: close:: changes:: check:: --skip mysql
	IDGEN_MARIADB_IMAGE=$${IDGEN_MARIADB_11_IMAGE:-idgen-mariadb:11.8}; export IDGEN_MARIADB_IMAGE; $(PROGRAMS) --test plan_mysql \
		-- from_now:: forms::mariadb

test-msrv: ## the library on the oldest compiler that it supports (needs rustup; under a minute)
	scripts/msrv.sh

test-publish: ## rehearses the publication of the crates and the wheel; test-js and test-ffi do so for npm, Maven and C (two minutes)
	scripts/release.sh check

test-package: test-publish ## the same, and tests the library from its package (minutes)
	scripts/release.sh tests

# Compared with REVISION, by default the last tag of a release; PACKAGES are all by default.
REVISION ?=
PACKAGES ?=

semver: ## compares the public interface with that of the last release, or of REVISION (minutes)
	scripts/semver.sh "$(REVISION)" $(PACKAGES)

# advisories need the database of RustSec, the others no more than crates.io.
CHECKS ?=

deny: ## the licenses, the sources and the known vulnerabilities of all dependencies (needs a network for the last)
	scripts/deny.sh $(CHECKS)

test-minimal-versions: ## builds with the oldest dependencies that the manifests allow (needs rustup's nightly; minutes)
	scripts/minimal-versions.sh

test-reproducible: ## builds the wheel twice and compares the bytes (minutes)
	scripts/reproducible.sh

test-replicated: setup ## the map on Group Replication and Galera, while nodes are killed and disconnected, and plans there (5 minutes)
	$(PROGRAMS) --test clusters -- --test-threads 1 replicated
	$(PROGRAMS) --test plan_clusters -- --test-threads 1

test-clusters: test-replicated ## the same, and on Vitess (1 minute more, and a few minutes to build it the first time)
	scripts/vitess.sh
	$(PROGRAMS) --test vitess --test vitess_shards
	$(PROGRAMS) --test clusters -- --test-threads 1 vitess

test-hbase: ## two loads on HBase, compared with the model of ranges (needs Java 17 and Maven; 134 MB of jars the first time; minutes)
	scripts/hbase.sh test

test-adversary: setup ## the map behind a proxy that makes each change of each answer; `make test` makes a sample (10 minutes)
	IDGEN_ADVERSARY=each cargo test -p idgen-mysql --test adversary

test-processors: ## the library on ARM, x86, POWER and s390x, emulated; fails if a compiler target or the emulator is missing
	scripts/processors.sh test

test-targets: ## builds the library for Cortex-M, RISC-V, WebAssembly, Android, iOS and others, and runs WebAssembly on Node (minutes)
	scripts/targets.sh test

test-python: setup ## the Python wheel: built, installed, tested in the real frameworks and on both servers
	$(QUICKLY) scripts/python.sh test

test-django: setup ## Django's own tests of UUIDField with BinaryUUIDField in its place, on four databases (20 minutes)
	$(QUICKLY) IDGEN_DJANGO_WHOLE=1 scripts/python.sh test tests/test_django_own.py -s

test-js: setup ## the TypeScript package: built, its content checked, and tested on Node and in Chromium (one to three minutes)
	scripts/js.sh test

test-ffi: setup ## the packages over the C library, one after another, because all build it
	$(QUICKLY) scripts/c.sh test
	$(QUICKLY) scripts/kotlin.sh test
	$(QUICKLY) scripts/swift.sh test

test-c: ## the C library: a program in C, on the shared vectors, under valgrind, and killed at its writes (one to three minutes)
	scripts/c.sh test

test-kotlin: ## the Kotlin package on the JVM, and a project that uses it from a local Maven repository (two to four minutes)
	scripts/kotlin.sh test

test-swift: ## the Swift package in a container of Debian (two to four minutes, and some more where the image is not built yet)
	scripts/swift.sh test

test-conformance: setup ## the table of libraries: its tests, and a check of three libraries (under a minute)
	scripts/conformance.sh test

test-tutorials: wheel-to-test ## executes the commands of docs/tutorials; test-python and test-js do this, too (a minute)
	cargo build
	scripts/js.sh build
	bindings/python/.venv/bin/python scripts/tutorials.py

conformance: ## installs and checks the libraries of conformance/libraries.json, and writes docs/conformance.md (half an hour)
	scripts/conformance.sh all

wheel: ## a wheel for each CPython of this machine, in bindings/python/dist
	scripts/wheel.sh

program-wheel: ## the command as a wheel for this machine, in bindings/program/dist
	scripts/program.sh wheel

test-wheels: ## builds these wheels, and tests each on its interpreter
	scripts/python-versions.sh

# The section to measure, as in `make bench-speed SECTION=codecs`; all sections by default.
SECTION ?=
BENCH = CARGO_PROFILE_RELEASE_LTO=thin cargo run --release --quiet -p idgen-bench --
COUNTS = --recorded benches/instructions.tsv

bench: bench-speed bench-map ## measures the speed of ids and codecs, and what the map costs (half an hour)

bench-speed: ## measures idgen and other libraries, and writes docs/speed.md
	$(BENCH) untouched --write docs/speed.md
	$(BENCH) speed $(SECTION) --write docs/speed.md
	$(BENCH) startup --write docs/speed.md

bench-instructions: setup ## fails if a case takes over 5 % more instructions than recorded
	$(BENCH) instructions $(SECTION) $(COUNTS)

bench-record: ## records the instructions of each case, also in docs/speed.md
	$(BENCH) instructions $(SECTION) $(COUNTS) --record --write docs/speed.md

sanitize: ## the library under the address sanitizer, its threads under the thread sanitizer, its codecs under Miri (needs rustup's nightly)
	scripts/sanitize.sh

# A target in fuzz/fuzz_targets or all of them, and the time for each in seconds.
TARGET ?= all
SECONDS ?= 120

fuzz: ## passes any bytes to the decoders, to inspect and to the readers of files, for SECONDS each (needs rustup's nightly)
	scripts/fuzz.sh $(TARGET) $(SECONDS)

EXECUTIONS ?= 1000000000

fuzz-count: ## the same until each target was executed EXECUTIONS times; goes on where it was interrupted (days)
	scripts/fuzz.sh count $(EXECUTIONS)

soak-ids: ## looks for repeated ids among 10^9 of each kind (IDS=...), and tests the random bits (hours)
	scripts/soak.sh

soak-check: ## checks 10^8 ids (CHECK_IDS=...) of each kind with idgen-check, and looks for their source; continues a run that was stopped (hours)
	scripts/soak-check.sh

bench-python: ## measures the speed table of docs/python.md
	scripts/python.sh bench

bench-js: ## measures the speed table of docs/offline.md
	scripts/js.sh bench --write $(CURDIR)/docs/offline.md

bench-kotlin: ## measures the speed table of Kotlin in docs/offline.md
	scripts/kotlin.sh bench $(CURDIR)/docs/offline.md

bench-swift: ## measures the speed table of Swift in docs/offline.md
	scripts/swift.sh bench $(CURDIR)/docs/offline.md

docs: ## the documentation as a site with a search, with the interfaces of Rust, TypeScript and Python, in target/book/site (minutes)
	scripts/docs.sh

features: ## measures what each feature of the library costs in crates, time and bytes, and writes docs/library.md (minutes)
	scripts/features.sh

bench-map: setup ## measures what the UUID map costs compared with a plain insert, and writes docs/mapping.md
	cargo bench -p idgen-mysql --bench cost -- --write $(CURDIR)/docs/mapping.md

# Each of the four histories (two servers, two strategies) has this many operations.
SOAK_OPERATIONS ?= 10000000
SOAK_KILLS ?= 500

# Of each of the four runs of `make soak-map` (two servers, two strategies), which end after so many seconds at most.
ACKNOWLEDGEMENTS ?= 10000000
SECONDS_EACH ?= 86400

soak-map: ## the map under kills, KILL, DDL and changed settings, in 8 processes; checked by SQL (two hours)
	IDGEN_TORTURE_ACKNOWLEDGEMENTS=$(ACKNOWLEDGEMENTS) IDGEN_TORTURE_SECONDS=$(SECONDS_EACH) \
		cargo test --release -p idgen-mysql --test torture

# How many devices make rows, about ten at each visit, and how often a server and the database are killed.
SYNC_DEVICES ?= 1000
SYNC_VISITS ?= 100
SYNC_SERVER_KILLS ?= 20
SYNC_KILLS ?= 10
# A test, such as mysql; both by default.
SYNC_TEST ?=

soak-sync: setup ## 1,000 devices make 10^6 rows, while servers and the database are killed; checked by SQL (two hours)
	IDGEN_SYNC_DEVICES=$(SYNC_DEVICES) IDGEN_SYNC_VISITS=$(SYNC_VISITS) IDGEN_SYNC_SERVER_KILLS=$(SYNC_SERVER_KILLS) \
		IDGEN_SYNC_KILLS=$(SYNC_KILLS) cargo test --release -p idgen-sync-server --test simulation $(SYNC_TEST) -- --test-threads 1 --nocapture
	IDGEN_SYNC_DEVICES=200 IDGEN_SYNC_KILLS=$(SYNC_KILLS) \
		cargo test --release -p idgen-mysql --test servers sync_races -- --test-threads 1 --include-ignored
	IDGEN_SYNC_SCHEMAS=300 cargo test --release -p idgen-mysql --test servers sync_generated -- --test-threads 2

soak: test-hbase test-processors-if-able test-targets-if-able bench-instructions test-program test-newer soak-ids soak-check soak-sync test-clusters ## the long tests: clusters, ten million operations each, hundreds of kills, long records (hours)
	IDGEN_FORECASTS=all cargo test --release -p idgen-lab --lib --test forecasts --test hold_out --test model \
		--test model_postgres --test model_sqlite --test strangers --test lsm --test ranges -- --include-ignored
	cargo test --release -p idgen-mysql --test servers -- --ignored --skip histories --skip sync_races
	cargo test --release -p idgen-migrate --test plan_clusters -- --test-threads 1 --include-ignored
	IDGEN_ADVERSARY=complete cargo test --release -p idgen-mysql --test adversary
	IDGEN_RANDOM=all cargo test --release -p idgen-migrate --lib random_values
	IDGEN_SOAK_OPERATIONS=$(SOAK_OPERATIONS) IDGEN_SOAK_KILLS=$(SOAK_KILLS) \
		cargo test --release -p idgen-mysql --test servers -- --test-threads 1 --include-ignored histories kills
	IDGEN_SOAK_OPERATIONS=$(SOAK_OPERATIONS) cargo test --release -p idgen-migrate --test plan_postgres -- --test-threads 1
	IDGEN_SOAK_OPERATIONS=$(SOAK_OPERATIONS) cargo test --release -p idgen-migrate --test plan_mysql -- --test-threads 1 --include-ignored whole kills forms replica damage walk ledger
	IDGEN_SOAK_OPERATIONS=$(SOAK_OPERATIONS) cargo test --release --test map damaged restricted
