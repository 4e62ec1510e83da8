# armwire: five command-line tools for robot arms on one protocol library.
#
#   make            build everything into build/ (programs in build/bin/)
#   make demo       run every tool with its simulator; then read man docs/man/hidmotor.1
#   make check      run the tests; the last line is "N passed, N failed"
#   make check-all  run the slow tests: sanitizers, fuzzers, served runs, kernel VM
#   make help       list all targets
#
# Variants have their own folders: SAN=1 (sanitizers, by default with clang, build/san/), FUZZ=1
# (fuzzers, in the same folder), CC=clang (build/clang/) and SHARED=1 (shared libraries, build/shared/).
# V=1 prints the commands. WERROR= permits warnings.

VERSION  := 0.1.0
SOVERSION := 0

PREFIX   ?= /usr/local
LIBDIR   ?= $(PREFIX)/lib
DATADIR  ?= $(PREFIX)/share
MANDIR   ?= $(DATADIR)/man
UDEVDIR  ?= $(PREFIX)/lib/udev
PYTHONDIR ?= $(PREFIX)/lib/$(if $(filter /usr,$(PREFIX)),python3,$(PYTHON))/dist-packages
DESTDIR  ?=

# Where Debian's Python looks below /usr/local.
PYTHON = $(shell python3 -c 'import sys; print("python%d.%d" % sys.version_info[:2])' 2>/dev/null || echo python3)

ifeq ($(origin CC),default)
CC := $(if $(SAN)$(FUZZ),clang,gcc)
endif

clang   := $(findstring clang,$(CC))
VARIANT := $(if $(SAN)$(FUZZ),$(if $(clang),,gcc)san,$(clang))$(if $(SHARED),shared)
B       := build$(VARIANT:%=/%)

.DEFAULT_GOAL := all
.DELETE_ON_ERROR:
.SUFFIXES:

# As many jobs as there are processors, unless -j says otherwise.
ifeq ($(MAKELEVEL)$(filter -j%,$(MAKEFLAGS)),0)
MAKEFLAGS += -j$(shell nproc)
endif

Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# ---- Flags ---------------------------------------------------------------------------------------

WERROR   := -Werror
WARNINGS := -Wall -Wextra -Wpedantic -Wconversion -Wshadow $(WERROR)
OPTIMISE := -O2
DEBUG    := -g
POSITION := -fPIC -fno-semantic-interposition
ifneq ($(SAN)$(FUZZ),)
# Twice as fast to build, and as fast where little is calculated; a report names files and lines all the same.
# Hundreds of large programs are linked, and start thousands of times: lld takes half the time, and what stands
# where it was linked to has nothing to relocate.
OPTIMISE := -O0
DEBUG    := -g1
SANITIZE := -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all
FOLLOWED := $(if $(clang),-fsanitize=fuzzer-no-link)
POSITION := -fno-pie
PLACED   := -no-pie $(if $(shell command -v ld.lld),-fuse-ld=lld)
endif

# CFLAGS, CPPFLAGS and LDFLAGS stay free for the caller. Objects serve the programs, the .a and the
# .so alike, so they are position independent, but call each other directly.
# Recordings may exceed 2 GB, on 32-bit machines, too.
ALL_CPPFLAGS = -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -Ilib -DAW_VERSION='"$(VERSION)"' $(CPPFLAGS)
ALL_CFLAGS   = -std=c11 $(OPTIMISE) $(DEBUG) $(WARNINGS) $(POSITION) $(SANITIZE) $(FOLLOWED) $(CFLAGS)
ALL_LDFLAGS  = $(SANITIZE) $(FOLLOWED) $(PLACED) -Wl,--as-needed -Wl,-O1 -Wl,--hash-style=gnu $(LDFLAGS)

# Loading shared libraries is most of the start-up time of a small program, so the programs take
# the static ones where the system has them. The question is asked when something is linked first:
# reading this file needs neither a compiler nor the libraries.
pick   = $(if $(SHARED),-l$(1),$(shell \
         case $$($(CC) -print-file-name=lib$(1).a) in (/*) echo -l:lib$(1).a ;; (*) echo -l$(1) ;; esac))
choose = $(eval $(1) := $(foreach lib,$(2),$(call pick,$(lib))) $(3))$($(1))

LIB_LIBS     = $(call choose,LIB_LIBS,serialport,-lm -lpthread)
TOOL_LIBS    = $(call choose,TOOL_LIBS,readline jansson inih ncursesw tinfo,)
SHARED_LIBS := -lserialport -lm -lpthread

# ---- Files ---------------------------------------------------------------------------------------

# Each folder of cmd/ is a program; one with a table of commands is a tool. libarmwire is what others use too: the headers that
# lib/armwire.h lists, their sources, the rooms below them, and what the clients need beside those.
# All else in lib/ is libawtools, for these programs only.
PROGRAMS   := $(patsubst cmd/%/,%,$(sort $(dir $(wildcard cmd/*/*.c))))
SCRIPTS    := armwire-code armwire-mqtt
TOOLS      := $(shell tests/tools.sh)
HEADERS    := $(shell sed -n 's|^.include "\(.*\)"|lib/\1|p' lib/armwire.h)
LIB_ROOMS  := base wire capture link link/*
LIB_SRC    := $(sort $(wildcard $(LIB_ROOMS:%=lib/%/*.c) $(HEADERS:.h=.c)) \
              $(addprefix lib/protocol/,canpid/controller.c ezphys/message.c unitysim/fields.c))
TOOL_SRC   := $(filter-out $(LIB_SRC),$(wildcard lib/*/*.c lib/*/*/*.c))
TESTS      := $(patsubst %.c,%,$(sort $(shell find tests/unit -name 'test_*.c')))
SOAKS      := $(patsubst %.c,%,$(wildcard tests/soak/*.c))
BENCHES    := $(patsubst %.c,%,$(wildcard tests/bench/bench_*.c tests/bench/make_*.c))
SHIMS       = $(B)/tests/hid/hidraw.so $(B)/tests/memory/memory.so $(B)/tests/memory/descriptors.so
FUZZERS    := $(patsubst %.c,%,$(wildcard tests/fuzz/fuzz_*.c))

comma   := ,
object   = $(patsubst %.c,$(B)/obj/%.o,$(1))
LIB_OBJ   := $(call object,$(LIB_SRC))
TOOL_OBJ  := $(call object,$(TOOL_SRC))
LIBS      := $(B)/libawtools.a $(B)/libarmwire.a
BIN       := $(PROGRAMS:%=$(B)/bin/%) $(SCRIPTS:%=$(B)/bin/%)

.PHONY: all lib units benches fuzzers
all lib units benches fuzzers:
	@:
all: lib $(BIN)
lib: $(B)/libarmwire.a $(if $(SAN)$(FUZZ),,$(B)/libarmwire.so)
units: $(TESTS:%=$(B)/%) $(SOAKS:%=$(B)/%) $(B)/tests/mcap/make_frames $(B)/tests/toy/toy $(B)/tests/tuning/batch $(B)/tests/tuning/confidence $(SHIMS)
benches: $(BENCHES:%=$(B)/%)
fuzzers: $(FUZZERS:%=$(B)/%) $(B)/tests/fuzz/seeds

# ---- Building ------------------------------------------------------------------------------------

$(B)/obj/%.o: %.c Makefile
	$(call say,CC,$(B)/$*)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(ALL_CPPFLAGS) $(ALL_CFLAGS) -MMD -MP -c -o $@ $<

# Every byte goes through these.
ifeq ($(SAN)$(FUZZ),)
$(B)/obj/lib/wire/%.o $(B)/obj/lib/protocol/%/wire.o: OPTIMISE := -O3
else
$(foreach room,base wire control tuning tuning/identify protocol view/text,$(B)/obj/lib/$(room)/%.o): OPTIMISE := -O1 -fno-omit-frame-pointer
# The fuzzers follow what input does to a program. Where much is calculated, and in tests, that only takes time.
$(B)/obj/lib/control/%.o $(B)/obj/lib/tuning/%.o $(B)/obj/tests/unit/%.o: FOLLOWED :=
endif

# Files that become arrays of characters.
characters = echo "static const char $(1)[] = {" && \
             od -An -v -to1 $(2) | sed "s/ *\([0-7][0-7]*\)/'\\\\\1',/g" && echo "};"

$(B)/gen/dissector.inc: docs/wireshark/armwire.lua Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)($(call characters,dissector,$<)) > $@
$(B)/obj/lib/describe/lua.o: $(B)/gen/dissector.inc
$(B)/obj/lib/describe/lua.o: ALL_CPPFLAGS += -I$(B)/gen

# Scenes of the EZPhysics stand-in.
SCENES := $(wildcard lib/protocol/ezphys/scenes/*.scene)
$(B)/gen/scenes.inc: $(SCENES) Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)for f in $(SCENES); do \
	    n=$$(basename $$f .scene) && \
	    $(call characters,text_$$(echo $$n | tr - _),$$f) || exit 1; done > $@
	$(Q)echo 'static const struct aw_scene_text shipped[] = {' >> $@
	$(Q)for n in $(basename $(notdir $(SCENES))); do \
	    v=text_$$(echo $$n | tr - _) && echo "{\"$$n\", $$v, sizeof $$v},"; done >> $@
	$(Q)echo '{0}};' >> $@
$(B)/obj/lib/protocol/ezphys/scenes.o: $(B)/gen/scenes.inc
$(B)/obj/lib/protocol/ezphys/scenes.o: ALL_CPPFLAGS += -I$(B)/gen

# Topics of help: NAME.md.
TOPICS := $(sort $(wildcard lib/shell/help/topics/*.md))
$(B)/gen/topics.inc: $(TOPICS) Makefile lib/shell/help/topics
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)for n in $(basename $(notdir $(TOPICS))); do \
	    { cat lib/shell/help/topics/$$n.md && printf '\0'; } > $@.text && \
	    $(call characters,text_$$(echo $$n | tr - _),$@.text) || exit 1; done > $@
	$(Q)rm $@.text
	$(Q)echo 'const struct aw_topic aw_topics[] = {' >> $@
	$(Q)for n in $(basename $(notdir $(TOPICS))); do \
	    echo "{\"$$n\", text_$$(echo $$n | tr - _)},"; done >> $@
	$(Q)echo '{0}};' >> $@
$(B)/obj/lib/shell/help/topics.o: $(B)/gen/topics.inc
$(B)/obj/lib/shell/help/topics.o: ALL_CPPFLAGS += -I$(B)/gen

# Every protocol, for the tests that ask the same of all of them.
PROTOCOLS := $(patsubst lib/protocol/%/wire.c,%,$(wildcard lib/protocol/*/wire.c))
$(B)/gen/protocols.h: Makefile lib/protocol $(PROTOCOLS:%=lib/protocol/%/wire.c)
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ for p in $(PROTOCOLS); do echo "#include \"protocol/$$p/wire.h\""; done; \
	    echo '#define EACH_PROTOCOL(X)' $(foreach p,$(PROTOCOLS),"X($(p))"); \
	    echo 'static const struct aw_protocol *const protocols[] = {'; \
	    for p in $(PROTOCOLS); do echo "&aw_$${p}_protocol,"; done; \
	    echo '};'; echo '#define N_PROTOCOLS (sizeof protocols / sizeof *protocols)'; } > $@

$(B)/libarmwire.a: $(LIB_OBJ)
$(B)/libawtools.a: $(TOOL_OBJ)
$(B)/lib%.a: lib/armwire.h
	$(call say,AR,$@)
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcs $@ $(filter %.o,$^)

# Given away is what the installed headers declare; names of types and macros do no harm here.
$(B)/gen/armwire.map: lib/armwire.h $(HEADERS) Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q){ echo 'ARMWIRE_$(SOVERSION) { global:' && \
	    $(CC) -E -P $(ALL_CPPFLAGS) $< | grep -o '\<aw_[a-z0-9_]*' | sort -u | sed 's/$$/;/' && \
	    echo 'local: *; };'; } > $@

$(B)/libarmwire.so: $(B)/gen/armwire.map $(LIB_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,libarmwire.so.$(SOVERSION) -Wl,-z,defs $(ALL_LDFLAGS) \
	    -Wl,--version-script=$< -o $@.$(VERSION) $(LIB_OBJ) $(SHARED_LIBS)
	$(Q)ln -sf libarmwire.so.$(VERSION) $@.$(SOVERSION) && ln -sf libarmwire.so.$(SOVERSION) $@

# With SHARED=1 PRIVATE=FOLDER the tools share the code of both libraries, installed in FOLDER.
SHARED_TOOLS := $(if $(PRIVATE),$(TOOLS:%=bin/%))
$(B)/libawtools.so: $(LIB_OBJ) $(TOOL_OBJ)
	$(call say,LD,$@)
	$(Q)$(CC) -shared -Wl,-soname,$(@F) -Wl,-z,defs -Wl,-Bsymbolic $(ALL_LDFLAGS) -o $@ $^ $(TOOL_LIBS) $(LIB_LIBS)

# $(1): program, in $(B)/; $(2): its sources; $(3): libraries of its own
libs_of = $(if $(filter $(1),$(SHARED_TOOLS)),$(B)/libawtools.so,$(LIBS))
define program
$(B)/$(1): $(call object,$(2)) $(call libs_of,$(1)) Makefile
	$$(call say,LD,$$@)
	$$(Q)mkdir -p $$(@D)
	$$(Q)$$(CC) $$(ALL_LDFLAGS) -o $$@ $$(filter %.o,$$^) -Wl,--start-group $(call libs_of,$(1)) \
	    $$(TOOL_LIBS) $$(LIB_LIBS) -Wl,--end-group $(3) $(if $(filter $(1),$(SHARED_TOOLS)),-Wl$$(comma)-rpath=$(PRIVATE))
OBJECTS += $(call object,$(2))
endef

OBJECTS := $(LIB_OBJ) $(TOOL_OBJ)
# Tests replace functions of the C library, whose fortified forms would be inlined.
$(B)/obj/tests/unit/%.o: ALL_CPPFLAGS += -Itests/unit -I$(B)/gen -U_FORTIFY_SOURCE
$(B)/obj/tests/unit/%.o: OPTIMISE := -O0
$(call object,$(TESTS:=.c)): | $(B)/gen/protocols.h
EXTRA_ezphys-sim := -lode
EXTRA_armwire-foxglove := -lwebsockets
EXTRA_armwire-mcap := $$(MCAP_LIBS)
MCAP_LIBS   = $(call choose,MCAP_LIBS,zstd lz4 z,)
EXTRA_armwire-pad := -lSDL2
$(foreach p,$(PROGRAMS),$(eval $(call program,bin/$(p),$(wildcard cmd/$(p)/*.c),$(EXTRA_$(p)))))
# Parts of armwire-mcap that have unit tests.
MCAP_PARTS := $(addprefix cmd/armwire-mcap/,write.c read.c chunk.c ros.c)
$(foreach t,$(TESTS),$(eval $(call program,$(t),$(t).c tests/unit/test.c $(if $(findstring /armwire-mcap/,$(t)),$(MCAP_PARTS)),\
    -lcmocka $(if $(findstring /armwire-mcap/,$(t)),$$(MCAP_LIBS)))))
$(B)/obj/tests/unit/armwire-mcap/%.o $(B)/obj/tests/bench/bench_mcap.o $(B)/obj/tests/fuzz/fuzz_mcap.o: \
    ALL_CPPFLAGS += -Icmd/armwire-mcap
$(foreach s,$(SOAKS),$(eval $(call program,$(s),$(s).c,)))
$(foreach b,$(BENCHES),$(eval $(call program,$(b),$(b).c $(if $(findstring mcap,$(b)),$(MCAP_PARTS)),\
    $(if $(findstring mcap,$(b)),$$(MCAP_LIBS)))))
$(eval $(call program,tests/toy/toy,$(wildcard tests/toy/*.c),))
$(B)/obj/tests/toy/%.o: ALL_CPPFLAGS += -Itests/toy
$(eval $(call program,tests/mcap/make_frames,tests/mcap/make_frames.c,))
$(B)/obj/tests/mcap/%.o: ALL_CPPFLAGS += -I$(B)/gen
$(B)/obj/tests/mcap/make_frames.o $(B)/obj/lib/filter/recording.o: | $(B)/gen/protocols.h
$(B)/obj/lib/filter/recording.o: ALL_CPPFLAGS += -I$(B)/gen
$(B)/obj/cmd/armwire-mcap/frames.o: | $(B)/gen/protocols.h
$(B)/obj/cmd/armwire-mcap/frames.o: ALL_CPPFLAGS += -I$(B)/gen
$(eval $(call program,tests/tuning/batch,tests/tuning/batch.c tests/tuning/truth.c,))
$(eval $(call program,tests/tuning/confidence,tests/tuning/confidence.c tests/tuning/truth.c,))
$(B)/obj/tests/tuning/%.o: ALL_CPPFLAGS += -Itests/tuning
ifdef FUZZ
PARTS_fuzz_ezphys := $(addprefix cmd/ezphys-sim/,listener.c encoder.c world.c log.c custom.c)
EXTRA_fuzz_ezphys := -lode
PARTS_fuzz_mcap := $(MCAP_PARTS)
EXTRA_fuzz_mcap := $$(MCAP_LIBS)
$(foreach f,$(FUZZERS),$(eval $(call program,$(f),$(f).c $(PARTS_$(notdir $(f))),\
    -fsanitize=fuzzer $(EXTRA_$(notdir $(f))))))
$(eval $(call program,tests/fuzz/seeds,tests/fuzz/seeds.c,))
endif

# In Python; armwire-code with the templates of the code that it writes.
TEMPLATES := $(patsubst cmd/armwire-code/%,$(B)/share/armwire/code/%,$(wildcard cmd/armwire-code/pack.*))
$(TEMPLATES): $(B)/share/armwire/code/%: cmd/armwire-code/%
	$(Q)mkdir -p $(@D) && cp $< $@
$(foreach s,$(SCRIPTS),$(eval $(B)/bin/$(s): cmd/$(s)/$(s)))
$(SCRIPTS:%=$(B)/bin/%): $(TEMPLATES) Makefile
	$(call say,GEN,$@)
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|@version@|$(VERSION)|' cmd/$(@F)/$(@F) > $@ && chmod 755 $@

# For LD_PRELOAD, beside whatever libraries the program has that it is loaded into.
$(B)/tests/%.so: tests/%.c Makefile
	$(call say,LD,$@)
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) -D_GNU_SOURCE -std=c11 -O2 $(WARNINGS) -fPIC -shared -o $@ $<

-include $(sort $(OBJECTS:.o=.d))

# ---- On a bare machine ---------------------------------------------------------------------------

# The targets below install what is missing first (a look at the package list when nothing is), and
# only then build: the compiler may be among what was missing.
.PHONY: deps demo check check-all soak check-kernel bench tuning performance fuzz debian deb dist release-check cross coverage analyse mutants
deps:
	@tests/deps.sh

demo:
	@tests/deps.sh build
	@$(MAKE) --no-print-directory all
	@tests/demo.sh

check: deps
	@tests/check.sh

check-all: deps
	@tests/check.sh --slow

soak: deps
	@$(MAKE) --no-print-directory all units
	@tests/soak.sh

check-kernel: deps
	@$(MAKE) --no-print-directory all units
	@tests/kernel/run.sh

bench: deps
	@$(MAKE) --no-print-directory all benches
	@tests/bench/run.sh

tuning: deps
	@$(MAKE) --no-print-directory all units
	@tests/tuning/keep.sh

performance: deps
	@$(MAKE) --no-print-directory all benches
	@tests/bench/keep.sh

fuzz: deps
	@tests/fuzz/run.sh $(SECONDS)

# For dpkg-buildpackage in a checkout.
debian:
	rm -rf $@ && cp -r docs/packaging/debian $@
	cp docs/udev/70-hidmotor.rules $@/armwire.hidmotor.udev
	grep -q '^armwire ($(VERSION)-' $@/changelog

deb:
	@tests/deps.sh deb
	@tests/deb.sh

dist:
	@tests/deps.sh dist
	@tests/dist.sh $(ARCH)

cross:
	@tests/deps.sh cross
	@tests/cross.sh $(ARCH)

release-check:
	@tests/deps.sh dist
	@tests/deps.sh deb
	@tests/release.sh $(ARCH)

coverage:
	@tests/deps.sh coverage
	@tests/coverage.sh

analyse:
	@tests/deps.sh analyse
	@tests/analyse.sh

# The pictures in tests/golden, as the programs draw them now: read the differences before you commit them.
DRAWING = $(shell grep -rl picture tests/unit --include='test_*.c' | sed 's|\.c$$||')
.PHONY: keep
keep:
	@$(MAKE) --no-print-directory $(DRAWING:%=$(B)/%)
	@for t in $(DRAWING:%=$(B)/%); do KEEP=1 $$t >/dev/null 2>&1 || echo "$$t failed"; done
	@git diff --stat tests/golden

mutants: deps
	@tests/mutants.py $(or $(N),300) $(or $(SEED),1) $(or $(IN),lib/)

# ---- Generated files, form and measure -----------------------------------------------------------

.PHONY: generated check-generated format check-format metrics
generated: $(BIN)
	@tests/generate.sh

check-generated: $(BIN)
	@tests/generate.sh --check

SOURCES = $(shell find cmd lib tests -name '*.[ch]')

format:
	clang-format -i $(SOURCES)

check-format:
	@tests/format.sh

metrics:
	@tests/metrics.sh

# ---- Installing ----------------------------------------------------------------------------------

dest = $(DESTDIR)$(1)
BASH_DIR = $(DATADIR)/bash-completion/completions
ZSH_DIR  = $(DATADIR)/zsh/site-functions
FISH_DIR = $(DATADIR)/fish/vendor_completions.d
SHAREDIR = $(DATADIR)/armwire

DOCDIR   = $(DATADIR)/doc/armwire

.PHONY: install install-tools uninstall
# Programs with their pages; archives have no more.
install-tools: $(BIN)
	install -d $(call dest,$(PREFIX)/bin) $(foreach n,1 5 7,$(call dest,$(MANDIR)/man$(n))) \
	    $(call dest,$(UDEVDIR)/rules.d) $(foreach d,BASH_DIR ZSH_DIR FISH_DIR,$(call dest,$($(d)))) \
	    $(foreach d,layouts systemd tests,$(call dest,$(SHAREDIR)/$(d)))
	install -m 755 $(BIN) $(call dest,$(PREFIX)/bin)
	install -m 644 $(BIN:$(B)/bin/%=docs/man/%.1) $(call dest,$(MANDIR)/man1)
	for n in 5 7; do install -m 644 docs/man/*.$$n $(call dest,$(MANDIR))/man$$n || exit 1; done
	install -m 644 docs/udev/*.rules $(call dest,$(UDEVDIR)/rules.d)
	install -m 644 docs/example/*.foxglove.json docs/example/*.plotjuggler.xml $(call dest,$(SHAREDIR)/layouts)
	install -m 644 docs/example/*.bats docs/example/test_arm.py $(call dest,$(SHAREDIR)/tests)
	install -m 644 docs/packaging/systemd/*.service $(call dest,$(SHAREDIR)/systemd)
	for t in $(TOOLS); do \
	    install -m 644 completions/$$t.bash $(call dest,$(BASH_DIR))/$$t && \
	    install -m 644 completions/_$$t $(call dest,$(ZSH_DIR)) && \
	    install -m 644 completions/$$t.fish $(call dest,$(FISH_DIR)) || exit 1; done
	for f in README.md LICENSE $$(find docs -type f ! -path 'docs/packaging/*'); do \
	    install -D -m 644 $$f $(call dest,$(DOCDIR))/$$f || exit 1; done

install: all install-tools
	$(if $(PRIVATE),install -D -m 644 $(B)/libawtools.so $(call dest,$(PRIVATE))/libawtools.so)
	install -d $(call dest,$(LIBDIR)/pkgconfig) $(call dest,$(MANDIR)/man3)
	install -m 644 $(B)/libarmwire.a $(call dest,$(LIBDIR))
	install -m 644 $(B)/libarmwire.so.$(VERSION) $(call dest,$(LIBDIR))
	cp -P $(B)/libarmwire.so $(B)/libarmwire.so.$(SOVERSION) $(call dest,$(LIBDIR))
	for h in armwire.h $(HEADERS:lib/%=%); do \
	    install -D -m 644 lib/$$h $(call dest,$(PREFIX)/include/armwire)/$$h; done
	sed -e 's|@prefix@|$(PREFIX)|' -e 's|@libdir@|$(LIBDIR)|' -e 's|@version@|$(VERSION)|' \
	    lib/armwire.pc.in > $(call dest,$(LIBDIR)/pkgconfig/armwire.pc)
	install -m 644 docs/man/*.3 $(call dest,$(MANDIR))/man3
	install -d $(call dest,$(PYTHONDIR)/armwire) $(call dest,$(PYTHONDIR)/armwire-$(VERSION).dist-info)
	install -m 644 lib/python/armwire/*.py lib/python/armwire/py.typed $(call dest,$(PYTHONDIR)/armwire)
	sed 's|@version@|$(VERSION)|' lib/python/METADATA.in > $(call dest,$(PYTHONDIR)/armwire-$(VERSION).dist-info)/METADATA
	install -m 644 lib/python/entry_points.txt $(call dest,$(PYTHONDIR)/armwire-$(VERSION).dist-info)
	install -d $(call dest,$(SHAREDIR)/code)
	install -m 644 $(TEMPLATES) $(call dest,$(SHAREDIR)/code)

uninstall:
	rm -f $(foreach p,$(notdir $(BIN)),$(call dest,$(PREFIX)/bin/$(p)))
	rm -f $(call dest,$(LIBDIR))/libarmwire.a $(call dest,$(LIBDIR))/libarmwire.so* \
	    $(call dest,$(LIBDIR))/pkgconfig/armwire.pc
	rm -rf $(call dest,$(PREFIX)/include/armwire) $(call dest,$(SHAREDIR)) $(call dest,$(DOCDIR)) $(call dest,$(PYTHONDIR)/armwire) \
	    $(call dest,$(PYTHONDIR)/armwire-$(VERSION).dist-info)
	rm -f $(foreach n,1 3 5 7,$(patsubst docs/man/%,$(call dest,$(MANDIR)/man$(n))/%,$(wildcard docs/man/*.$(n)))) \
	    $(patsubst docs/udev/%,$(call dest,$(UDEVDIR)/rules.d)/%,$(wildcard docs/udev/*.rules))
	rm -f $(foreach t,$(TOOLS),$(call dest,$(BASH_DIR)/$(t)) $(call dest,$(ZSH_DIR)/_$(t)) $(call dest,$(FISH_DIR)/$(t).fish))

.PHONY: clean help
clean:
	rm -rf build

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile
	@echo 'Targets:'
	@echo '  all lib units benches    build programs, libraries, unit tests, benchmarks'
	@echo '  deps                     install missing packages'
	@echo '  demo check               see above; both run deps first'
	@echo '  check-kernel             test CAN, HID and serial ports with a Linux kernel in a VM'
	@echo '  soak fuzz bench          run a million commands over bad lines; run fuzzers; print measurements'
	@echo '  tuning                   update the tables and plots of docs/tuning/'
	@echo '  performance              run bench and update docs/performance.md'
	@echo '  cross                    run unit tests and golden cases for i386, s390x, arm64 and armhf (ARCH=i386 selects one)'
	@echo '  dist                     build static archives for amd64, arm64 and armhf in build/dist/ (ARCH=arm64 selects one)'
	@echo '  release-check            compare versions, run dist and deb, print sizes and times'
	@echo '  debian                   create the folder debian/ for dpkg-buildpackage'
	@echo '  deb                      build Debian packages in build/deb/ and check them with lintian'
	@echo '  coverage analyse         measure test coverage of lib/; run cppcheck and clang-tidy'
	@echo '  keep                     rewrite all expected outputs in tests/golden'
	@echo '  mutants                  mutation testing; options: N=300, SEED=1, IN=lib/wire, SAN=1'
	@echo '  generated                generate completions/ and docs/ from the tables; check-generated compares them'
	@echo '  format check-format metrics'
	@echo '  install uninstall        options: PREFIX, DESTDIR, LIBDIR, PYTHONDIR, PRIVATE (folder of a shared library)'
	@echo '  clean'
