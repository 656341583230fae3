# Nightlatch. `make` alone lists what can be done.

SWIFT ?= swift
export SWIFT
IDP ?= builtin
PREFIX ?= /usr
DESTDIR ?=
SYSTEMDDIR ?= $(PREFIX)/lib

RELEASE_FLAGS = -c release --static-swift-stdlib
BIN = .build/release
LIB = $(DESTDIR)$(PREFIX)/lib
SHARE = $(DESTDIR)$(PREFIX)/share
MAN = $(SHARE)/man
INSTALL = install -D

PROGRAMS = nightlatchd nightlatch nightlatch-foreground
UNITS = $(wildcard systemd/system/*.service systemd/system/*.socket systemd/system/*.slice)
USER_UNITS = $(wildcard systemd/user/*.service systemd/user/*.socket)
PAGES = $(wildcard docs/man/*.[158])
FORMATTED = Package.swift Sources Tests

.PHONY: help demo test test-unit test-servers test-django test-black-box test-kills test-refresh-kills test-schedules test-cron \
  test-system benchmark benchmark-auth fuzz setup setup-tests build release lint format install uninstall clean

help:  ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-18s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

demo: setup  ## The whole story in a minute: build, log in, run, defer, refresh, drain (IDP=django: another server)
	@if [ "$(IDP)" = django ]; then scripts/setup tests; fi
	@$(SWIFT) build
	@scripts/demo $(IDP)

test: setup-tests release  ## Everything that can be tested on this machine; the last line counts it
	@scripts/run-tests

test-unit: setup-tests release  ## The Swift suites only
	@scripts/run-tests unit

test-servers: setup-tests  ## The tests' own identity server and fault proxy
	@scripts/run-tests scripts servers

test-django: setup-tests  ## django-oauth-toolkit as identity server
	@scripts/run-tests django

test-black-box: setup-tests release  ## The built daemon from outside: socket, signals, runs, trouble, kills, and by strace its network calls
	@scripts/run-tests varlink manager runs tokens readers adopted trouble kills refreshes refresh-kills refresh-syscalls network

EXPRESSIONS ?= 24000
test-cron: setup-tests release  ## EXPRESSIONS=24000 random cron expressions beside cronsim and crontab (SEED= repeats)
	@.build/venv/bin/python Tests/Schedules/test_cron.py --verbose --expressions $(EXPRESSIONS) $(if $(SEED),--seed $(SEED))

test-kills: release  ## The daemon killed at random moments for SECONDS=600 (SEED= repeats one)
	@python3 Tests/SystemdBox/test_kills.py --seconds $(or $(SECONDS),600) $(if $(SEED),--seed $(SEED))

test-schedules: setup-tests  ## COUNT=1000000 random calendar expressions beside systemd-analyze (SEED= for others)
	@NIGHTLATCH_RANDOM_EXPRESSIONS=$(or $(COUNT),1000000) NIGHTLATCH_SEED=$(or $(SEED),1) \
	  $(SWIFT) test --disable-xctest --filter '^SchedulingTests\.SystemdComparisonTests'

test-refresh-kills: setup-tests release  ## COUNT=1000 refreshes killed at random points, with a reuse window and without (SEED= repeats)
	@.build/venv/bin/python Tests/SystemdBox/test_refresh_kills.py --count $(or $(COUNT),1000) $(if $(SEED),--seed $(SEED))

test-system: setup-tests release  ## Under a real systemd in namespaces (needs root)
	@scripts/run-tests system

benchmark-auth: release  ## What reading the auth state and getting a token costs, beside oidc-agent
	@scripts/benchmark-auth

fuzz: setup  ## Every parser under libFuzzer and AddressSanitizer (SECONDS=20 each)
	@scripts/fuzz --seconds $(or $(SECONDS),20)

benchmark: setup-tests release  ## How quick schedules are, beside croniter, cronsim and systemd-analyze
	@.build/venv/bin/python Tests/Benchmarks/schedules.py

setup:  ## Install what the build needs and is missing
	@scripts/setup build

setup-tests:
	@scripts/setup tests

build: setup  ## Debug build
	$(SWIFT) build

release: setup  ## Release build, static in the Swift runtime
	$(SWIFT) build $(RELEASE_FLAGS)

$(addprefix $(BIN)/,$(PROGRAMS)):
	@$(MAKE) --no-print-directory release

lint: setup  ## Formatting, the project's own guards, the scripts
	@scripts/lint $(FORMATTED)

format:  ## Format the Swift sources in place
	$(SWIFT) format --in-place --parallel --recursive $(FORMATTED)

install: $(addprefix $(BIN)/,$(PROGRAMS))  ## Install the release build (DESTDIR=, PREFIX=/usr)
	$(INSTALL) -m 755 $(BIN)/nightlatch $(DESTDIR)$(PREFIX)/bin/nightlatch
	$(INSTALL) -m 755 $(BIN)/nightlatchd $(LIB)/nightlatch/nightlatchd
	$(INSTALL) -m 755 $(BIN)/nightlatch-foreground $(LIB)/nightlatch/nightlatch-foreground
	for unit in $(UNITS); do $(INSTALL) -m 644 $$unit $(DESTDIR)$(SYSTEMDDIR)/systemd/system/$${unit##*/}; done
	for unit in $(USER_UNITS); do $(INSTALL) -m 644 $$unit $(DESTDIR)$(SYSTEMDDIR)/systemd/user/$${unit##*/}; done
	sed -i 's|/usr/lib/nightlatch/|$(PREFIX)/lib/nightlatch/|' \
	  $(addprefix $(DESTDIR)$(SYSTEMDDIR)/systemd/,$(patsubst systemd/%,%,$(UNITS) $(USER_UNITS)))
	$(INSTALL) -m 644 systemd/sysusers.conf $(DESTDIR)$(SYSTEMDDIR)/sysusers.d/nightlatch.conf
	$(INSTALL) -m 644 systemd/tmpfiles.conf $(DESTDIR)$(SYSTEMDDIR)/tmpfiles.d/nightlatch.conf
	$(INSTALL) -m 644 systemd/nightlatch.catalog $(DESTDIR)$(SYSTEMDDIR)/systemd/catalog/nightlatch.catalog
	for page in $(PAGES); do $(INSTALL) -m 644 $$page $(MAN)/man$${page##*.}/$${page##*/}; done
	$(INSTALL) -m 644 completions/nightlatch.bash $(SHARE)/bash-completion/completions/nightlatch
	$(INSTALL) -m 644 include/nightlatch/auth-cache.h $(DESTDIR)$(PREFIX)/include/nightlatch/auth-cache.h
	$(INSTALL) -m 644 Sources/ControlProtocol/org.nightlatch.Control.varlink $(SHARE)/nightlatch/org.nightlatch.Control.varlink
	install -d -m 755 $(DESTDIR)/etc/nightlatch/jobs.d $(DESTDIR)/etc/nightlatch/providers.d

uninstall:  ## Remove what install put there; configuration and state stay
	rm -f $(DESTDIR)$(PREFIX)/bin/nightlatch
	rm -rf $(LIB)/nightlatch
	rm -f $(addprefix $(DESTDIR)$(SYSTEMDDIR)/systemd/,$(patsubst systemd/%,%,$(UNITS) $(USER_UNITS)))
	rm -f $(DESTDIR)$(SYSTEMDDIR)/sysusers.d/nightlatch.conf $(DESTDIR)$(SYSTEMDDIR)/tmpfiles.d/nightlatch.conf
	rm -f $(DESTDIR)$(SYSTEMDDIR)/systemd/catalog/nightlatch.catalog
	for page in $(PAGES); do rm -f $(MAN)/man$${page##*.}/$${page##*/}; done
	rm -f $(SHARE)/bash-completion/completions/nightlatch
	rm -rf $(SHARE)/nightlatch $(DESTDIR)$(PREFIX)/include/nightlatch

clean:  ## Remove everything that was built, the tests' Python environment included
	rm -rf .build
