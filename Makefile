# SPDX-License-Identifier: GPL-3.0-or-later
MAKEFLAGS += -r
# The trees: this folder, the core, and each kit. In all of them lie the same folders; nothing here names a kit. KITS= leaves them out.
KITS = $(wildcard kits/*)
in_trees = $(wildcard $(1) $(KITS:%=%/$(1)))

# A program is a folder src/NAME of a tree with NAME.c and NAME.1 (what else it needs is below, or in the kit's rooms.mk), or
# analysis/NAME.py with analysis/NAME.1.
TOOLS = $(sort $(foreach page,$(call in_trees,src/*/*.1),$(filter $(basename $(notdir $(page))),$(notdir $(patsubst %/,%,$(dir $(page)))))))
SCRIPTS = $(basename $(notdir $(call in_trees,analysis/*.1)))
# Commands of the front door, and what its scripts call, are modules without a manual of their own.
COMMANDS = $(basename $(notdir $(wildcard analysis/commands/*.py)))

VERSION := $(shell sed -n "s/^VERSION=//p" thinprobe)
PREFIX = /usr/local
DESTDIR =
CC = gcc
CFLAGS = -O2 -g
# What the code needs is apart from CFLAGS, which belong to the caller: sanitizers just work. WERROR=1, as in CI: a warning is an
# error.
ALL_CFLAGS = -std=c11 -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64 -DTHINPROBE_VERSION='"$(VERSION)"' \
	$(addprefix -I,$(call in_trees,src)) -Isrc/lib -MMD -MP \
	-Wall -Wextra -Wconversion -Wshadow -Wstrict-prototypes $(if $(WERROR),-Werror) $(CFLAGS)

# Outside libraries, each named in one file of its room (tests/cli/house.bats holds the tree against this).
LIBS_x11 = -lXtst -lXdamage -lXfixes -lXext -lX11
LIBS_wire = -lpcap
LIBS_lib = -ljansson -lgcrypt -lcap-ng -lseccomp
LIBS_keyrepeat = -lcap-ng -lseccomp -lvncclient -lgcrypt
LIBS_keyrepeat_x11 = -lXtst -lXdamage -lXfixes -lXrandr -lXext -lX11
LIBS_animate = -lXdamage -lXfixes -lXext -lX11
LIBS_prototap = -lpcap -lcap-ng -lseccomp
LIBS_refecho = -lcap-ng -lseccomp -lvncserver -lwayland-client -lxkbcommon -lXext -lX11
LIBS_slowdisk = -lfuse3
LIBS_delayline = -lcap-ng -lseccomp
LIBS_netload = -lcap-ng -lseccomp

# Wayland's library, scanner and protocols, where all are there; without them (or with WAYLAND=) refecho is built without it.
WAYLAND_PROTOCOLS = /usr/share/wayland-protocols/stable
WAYLAND_SCANNER = wayland-scanner
WAYLAND := $(shell for p in xdg-shell presentation-time; do [ -f $(WAYLAND_PROTOCOLS)/$$p/$$p.xml ] || exit; done; \
	command -v $(WAYLAND_SCANNER) >/dev/null && echo '\#include <wayland-client.h>' | $(CC) -E -x c - >/dev/null 2>&1 && echo 1)
ifeq ($(WAYLAND),)
LIBS_refecho := $(filter-out -lwayland-client -lxkbcommon,$(LIBS_refecho))
endif

# Rooms that several programs share, beside the library.
ROOMS = x11 rfb rdp wire watch
USES_wire = rfb
USES_watch = wire rfb
USES_prototap = watch wire rfb
USES_keyrepeat = x11 rfb rdp
USES_animate = x11
USES_refecho = x11

BUILD = build
BIN = bin

PROGRAMS = $(addprefix $(BIN)/,$(TOOLS) $(SCRIPTS) $(COMMANDS))
TESTS = $(foreach test,$(call in_trees,tests/unit/*/*_test.c),$(BUILD)/tests/$(lastword $(subst tests/unit/, ,$(test:.c=))))

all: $(PROGRAMS) plugins $(BUILD)/compiled

-include $(KITS:%=%/rooms.mk)

# A room's sources are in its folder and in the folders of its parts, in any tree: a kit may have a part of a core's program.
RDP_PLUGIN = src/rdp/freerdp.c
X11_PLUGIN = $(addprefix src/keyrepeat/,x11.c x11_send.c x11_watch.c x11_window.c)
sources = $(filter-out $(RDP_PLUGIN) $(X11_PLUGIN),$(call in_trees,src/$(1)/*.c) $(call in_trees,src/$(1)/*/*.c))
main = $(call in_trees,src/$(1)/$(1).c)

# A room's archive holds everything but the program's main file. A unit test links its own room, those that it uses, the library
# and their outside libraries, as the program does: two rooms may use one name. EXTRA_<room>/<test> is for what only a test needs.
define room
$(BUILD)/$(1).a: $(patsubst %.c,$(BUILD)/%.o,$(filter-out $(call main,$(1)),$(call sources,$(1))))
	rm -f $$@ && $$(AR) qcs $$@ $$^

endef
$(foreach r,lib $(ROOMS) $(TOOLS),$(eval $(call room,$(r))))

define unit_tests
$(BUILD)/tests/$(1)/%: $(BUILD)/$(2)/%.o $(BUILD)/$(1).a $(USES_$(1):%=$(BUILD)/%.a) $(BUILD)/lib.a
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$< $(BUILD)/$(1).a $(USES_$(1):%=$(BUILD)/%.a) $(BUILD)/lib.a -Wl,--as-needed \
		$$(EXTRA_$(1)/$$*) $(foreach r,$(1) $(USES_$(1)),$(LIBS_$(r))) -lcmocka -lm
endef
$(foreach r,lib $(ROOMS) $(TOOLS),$(foreach d,$(call in_trees,tests/unit/$(r)),$(eval $(call unit_tests,$(r),$(d)))))
EXTRA_lib/proc_test = -Wl,--wrap=clock_now
EXTRA_memhog/hog_test = -Wl,--wrap=sysconf
EXTRA_keyrepeat/region_search_test = -Wl,--wrap=clock_now,--wrap=proc_sleep,--wrap=clock_sleep
EXTRA_idleprofile/pipeline_test = -Wl,--wrap=clock_now
# (before libvncserver, whose functions of the same names do not free what the client's allocate)
EXTRA_refecho/lossy_test = -lvncclient

# --help ends with examples: those of the manual that are one short command.
define program
$(BIN)/$(1): $(patsubst %.c,$(BUILD)/%.o,$(call sources,$(1))) $(BUILD)/examples/$(1).o $(USES_$(1):%=$(BUILD)/%.a) $(BUILD)/lib.a | $(BIN)
	$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$(filter %.o %.a,$$^) $$(LINK_$(1)) $(LIBS_$(1)) -lm

$(BUILD)/examples/$(1).o: $(call in_trees,src/$(1)/$(1).1) Makefile
	@mkdir -p $$(@D)
	{ echo 'const char cli_examples[] ='; sed -n '/^\.Sh EXAMPLES/,$$$${s/^\.Dl //; s/ &$$$$//; /^thinprobe $(1) /!d; /[|\"&]/d; \
		/.\{77\}/d; s/.*/"    &\\n"/p}' $$<; echo '"";'; } | $$(CC) $$(ALL_CFLAGS) -x c -c -o $$@ -
endef
$(foreach t,$(TOOLS),$(eval $(call program,$(t))))

$(SCRIPTS:%=$(BIN)/%): $(BIN)/%: analysis/start.in Makefile thinprobe | $(BIN)
	sed 's/@NAME@/$*/; s/@VERSION@/$(VERSION)/' $< >$@.new && chmod 755 $@.new && mv $@.new $@
$(COMMANDS:%=$(BIN)/%): $(BIN)/%: analysis/start.in Makefile thinprobe | $(BIN)
	sed 's/@NAME@/commands.$*/; s/@VERSION@/$(VERSION)/' $< >$@.new && chmod 755 $@.new && mv $@.new $@

# Modules are compiled here, since programs in Python leave nothing in the tree: a start takes half the time.
$(BUILD)/compiled: $(call in_trees,analysis/*.py analysis/*/*.py experiments/*/*.py)
	@mkdir -p $(@D)
	! [ -x /usr/bin/python3 ] || /usr/bin/python3 -m compileall -q $(sort $(^D))
	@touch $@

# The names of keys, in the order of libxkbcommon's header: of several names of a key the first is its own.
$(BUILD)/keysyms.h: Makefile
	@mkdir -p $(@D)
	$(CC) $(CFLAGS) -E -dD -include xkbcommon/xkbcommon-keysyms.h -x c /dev/null >$@.all
	awk 'BEGIN { print "#define KEYSYM_NAMES \"\\n\" \\" } \
		sub(/^#define XKB_KEY_/, "") && sub(/ 0x0*/, " ") && NF == 2 { print "\t\"" $$1 " " tolower($$2) "\\n\" \\" } \
		END { print "" }' $@.all >$@
	@rm $@.all
$(BUILD)/src/lib/act.o: ALL_CFLAGS += -include $(BUILD)/keysyms.h
$(BUILD)/src/lib/act.o: $(BUILD)/keysyms.h

# What keyrepeat loads for rdp: alone, as its libraries are many, and not everywhere: made where FreeRDP 3 or 2 is. FREERDP=: never.
FREERDP = $(patsubst /usr/include/freerdp%/freerdp/client.h,%,$(firstword $(wildcard $(patsubst %,/usr/include/freerdp%/freerdp/client.h,3 2))))
PLUGINS = $(BIN)/keyrepeat_x11.so $(if $(FREERDP),$(BIN)/keyrepeat_rdp.so)
plugins: $(PLUGINS) $(BIN)/door

# What starts the commands of emulated hosts.
$(BIN)/door: lab/local/door.c $(BUILD)/lib.a Makefile | $(BIN)
	$(CC) $(filter-out -MMD -MP,$(ALL_CFLAGS)) $(LDFLAGS) -o $@ $< $(BUILD)/lib.a -lm

$(BUILD)/$(RDP_PLUGIN:.c=.o): ALL_CFLAGS += -isystem /usr/include/freerdp$(FREERDP) -isystem /usr/include/winpr$(FREERDP) -fPIC \
	-fvisibility=hidden
# (what names the package of the library)
$(BUILD)/src/rdp/client.o: ALL_CFLAGS += -DFREERDP='"$(or $(FREERDP),2)"'
$(BIN)/keyrepeat_rdp.so: $(BUILD)/$(RDP_PLUGIN:.c=.o) | $(BIN)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -o $@ $< -lfreerdp-client$(FREERDP) -lfreerdp$(FREERDP) -lwinpr$(FREERDP)

# What keyrepeat loads for x11: it uses functions of the program, which exports those that it names (and has guard.h for it alone).
X11_PARTS = $(X11_PLUGIN:%.c=$(BUILD)/%.o) $(BUILD)/x11.a
$(X11_PLUGIN:%.c=$(BUILD)/%.o) $(patsubst %.c,$(BUILD)/%.o,$(call sources,x11)): ALL_CFLAGS += -fPIC
$(BIN)/keyrepeat_x11.so: $(X11_PARTS) | $(BIN)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -shared -o $@ $^ $(LIBS_keyrepeat_x11)
$(BUILD)/keyrepeat_x11.exports: $(X11_PARTS)
	{ echo '{'; $$($(CC) -print-prog-name=nm) -u $^ | sed -n 's/^ *U \([a-zA-Z].*\)/\1;/p' | sort -u; echo '};'; } >$@
$(BIN)/keyrepeat: $(BUILD)/keyrepeat_x11.exports | $(BIN)/keyrepeat_x11.so
LINK_keyrepeat = -Wl,--dynamic-list=$(BUILD)/keyrepeat_x11.exports -Wl,-u,guard_start

$(BUILD)/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) -c -o $@ $<

# (Listeners have parameters that few use.)
ifneq ($(WAYLAND),)
WAYLAND_PARTS = $(BUILD)/wayland/xdg-shell $(BUILD)/wayland/presentation-time
$(BUILD)/wayland/%.h: Makefile
	@mkdir -p $(@D)
	$(WAYLAND_SCANNER) client-header $(WAYLAND_PROTOCOLS)/$*/$*.xml $@
$(BUILD)/wayland/%.o: $(BUILD)/wayland/%.h
	$(WAYLAND_SCANNER) private-code $(WAYLAND_PROTOCOLS)/$*/$*.xml $(BUILD)/wayland/$*.c
	$(CC) $(CFLAGS) -c -o $@ $(BUILD)/wayland/$*.c
$(BUILD)/src/refecho/face_wayland.o: $(WAYLAND_PARTS:=.h)
$(BUILD)/src/refecho/face_wayland.o: ALL_CFLAGS += -DWITH_WAYLAND -I$(BUILD)/wayland
$(BUILD)/refecho.a $(BIN)/refecho: $(WAYLAND_PARTS:=.o)
endif
$(BUILD)/src/refecho/face_wayland.o: ALL_CFLAGS += -Wno-unused-parameter

# A test of cmocka has a parameter that few use.
$(BUILD)/tests/unit/%.o: ALL_CFLAGS += -Wno-unused-parameter

$(BIN):
	mkdir -p $@

# What the benches need beside the programs: one file each.
BENCH_PROGRAMS = $(patsubst bench/%.c,$(BUILD)/bench/%,$(wildcard bench/*.c))

$(BUILD)/bench/%: bench/%.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $<

# Deciders on made-up scenes: tests/scenes/NAME.py; or NAME.c, linked with all but the main files of the programs that SCENES_NAME
# lists.
SCENES_keys = keyrepeat
SCENES_LINK_keys = -Wl,--wrap=clock_now,--wrap=clock_process_cpu,--wrap=clock_sleep,--wrap=proc_sleep,--wrap=sender_await_line
SCENES_watch = watch wire rfb

define scenes
$(BUILD)/scenes/$(1): $(BUILD)/$(2:.c=.o) $(BUILD)/tests/scenes/scene.o $(foreach r,$(SCENES_$(1)) lib,$(BUILD)/$(r).a)
	@mkdir -p $$(@D)
	$$(CC) $$(ALL_CFLAGS) $$(LDFLAGS) -o $$@ $$^ -Wl,--as-needed $(SCENES_LINK_$(1)) $(foreach r,$(SCENES_$(1)),$(LIBS_$(r))) -lm

endef
$(foreach f,$(filter-out %/scene.c,$(call in_trees,tests/scenes/*.c)),$(eval $(call scenes,$(basename $(notdir $(f))),$(f))))

$(patsubst %.tsv,$(BUILD)/scenes/%,$(notdir $(wildcard $(patsubst %.py,%.tsv,$(wildcard tests/scenes/*.py))))): | $(BUILD)
	@mkdir -p $(@D)
	ln -sf $(abspath tests/scenes/$(@F).py) $@

# Every call of a program fails once: the tool, and what it preloads.
TEST_PROGRAMS += $(BUILD)/torture/torture $(BUILD)/torture/shim.so

$(BUILD)/torture/torture: $(BUILD)/tests/torture/torture.o $(BUILD)/lib.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -o $@ $^ $(LIBS_lib) -lm

$(BUILD)/torture/shim.so: tests/torture/shim.c Makefile
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -fPIC -shared -o $@ $<

bench-programs: $(BENCH_PROGRAMS)
test-programs: $(TEST_PROGRAMS) bench-programs

tests: $(TESTS) test-programs

unit: $(TESTS)
	@failed=0; for t in $(TESTS); do echo "# $$t"; CMOCKA_MESSAGE_OUTPUT=TAP $$t 2>&1 || failed=1; done; exit $$failed

# The same tests where an overrun, a leak or an undefined shift ends the program. (-g1: what is told of one is functions and lines.)
ASAN = BUILD=build/asan BIN=build/asan/bin CFLAGS="-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -DCONFINE_WITHOUT_SECCOMP"

ASAN_TARGETS = all tests
asan-build:
	$(MAKE) $(ASAN) $(ASAN_TARGETS)

# (One test asks for more memory than there can be, and wants NULL.)
asan:
	ASAN_OPTIONS=allocator_may_return_null=1 $(MAKE) $(ASAN) all unit

# One program of them: asan-prototap makes build/asan/bin/prototap.
asan-%:
	$(MAKE) $(ASAN) build/asan/bin/$*

# Each command of tests/torture once, under all sanitizers: 0 reports.
TSAN = BUILD=build/tsan BIN=build/tsan/bin CFLAGS="-O1 -g1 -fsanitize=thread -DCONFINE_WITHOUT_SECCOMP"
sanitized: all test-programs
	$(MAKE) $(ASAN) all
	$(MAKE) $(TSAN) all
	@failed=0; for t in $(call in_trees,tests/torture/*.tsv); do for b in asan tsan; do \
		python3 tests/torture/torture.py --sanitized build/$$b/bin $$t || failed=1; done; done; exit $$failed

check: all
	tests/run

# In a guest: a stock kernel with cgroup v2, whatever kernel this machine has.
check-vm: all tests
	./thinprobe setup --app vm
	tests/run /vm/

# Side by side with the peers; QUICK=1: small and short, to see that they run. All of them run, whatever one finds.
bench: all bench-programs
	./thinprobe setup --bench
	@failed=; for b in $(filter-out bench/lib.sh bench/windows.sh,$(call in_trees,bench/*.sh)); do \
		echo "== $$b"; $$b || { status=$$?; [ $$status -ne 130 ] || exit 130; failed="$$failed $$b"; }; echo; \
	done; [ -z "$$failed" ] || { echo "not everything was shown to hold:$$failed"; exit 1; }

# MINUTES=10: also runs each target so long.
fuzz:
	$(MAKE) -C tests/fuzz $(if $(MINUTES),minutes)

SHARE = $(DESTDIR)$(PREFIX)/share/thinprobe
LIBEXEC = $(DESTDIR)$(PREFIX)/libexec/thinprobe
MAN = $(DESTDIR)$(PREFIX)/share/man/man1
MAN5 = $(DESTDIR)$(PREFIX)/share/man/man5
MAN7 = $(DESTDIR)$(PREFIX)/share/man/man7
COMPLETIONS = $(DESTDIR)$(PREFIX)/share/bash-completion/completions
DOC = $(DESTDIR)$(PREFIX)/share/doc/thinprobe

install: all
	rm -rf "$(LIBEXEC)" "$(SHARE)" "$(DOC)"	# files of an older release would stay
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(LIBEXEC)" "$(SHARE)" "$(MAN)" "$(MAN5)" "$(MAN7)" "$(DOC)/docs" "$(COMPLETIONS)"
	install -m 755 thinprobe "$(DESTDIR)$(PREFIX)/bin/thinprobe"
	install -m 755 $(PROGRAMS) $(BIN)/door "$(LIBEXEC)"
	install -m 644 $(PLUGINS) "$(LIBEXEC)"
	cp -R packages GLOSSARY.md lab experiments plots data analysis "$(SHARE)"
	for part in $(foreach part,packages lab experiments plots data analysis,$(wildcard $(KITS:%=%/$(part)))); do \
		install -d "$(SHARE)/$${part%/*}" && cp -R $$part "$(SHARE)/$${part%/*}" || exit 1; done
	find "$(SHARE)" \( -name '*.bats' -o -name __pycache__ -o -name start.in \) -exec rm -rf {} +	# of a checkout
	chmod -R u+rwX,go+rX "$(SHARE)"	# whatever the umask of who installs
	install -m 644 docs/thinprobe.1 "$(MAN)"
	install -m 644 docs/*.5 "$(MAN5)"
	install -m 644 $(call in_trees,docs/*.7) "$(MAN7)"
	for page in $(foreach pages,src/*/*.1 analysis/*.1,$(call in_trees,$(pages))); do install -m 644 $$page "$(MAN)/thinprobe-$${page##*/}" || exit 1; done
	for page in $(call in_trees,src/*/*.5); do install -m 644 $$page "$(MAN5)/thinprobe-$${page##*/}" || exit 1; done
	install -m 644 *.md CITATION.cff LICENSE "$(DOC)"
	# and what these pages link to
	for file in $(foreach files,docs/*.md docs/examples/* docs/gallery/* */README.md */*/README.md experiments/families/*.md data/*.tsv \
		results/reference/*/report.md results/reference/*/figures/*.svg,$(call in_trees,$(files))); do install -D -m 644 "$$file" "$(DOC)/$$file" || exit 1; done
	./thinprobe completion >"$(COMPLETIONS)/thinprobe" && chmod 644 "$(COMPLETIONS)/thinprobe"

uninstall:
	rm -rf "$(LIBEXEC)" "$(SHARE)" "$(DOC)"
	rm -f "$(MAN5)/thinprobe-formats.5"
	for page in $(call in_trees,docs/*.7); do rm -f "$(MAN7)/$${page##*/}"; done
	rm -f "$(DESTDIR)$(PREFIX)/bin/thinprobe" "$(MAN)/thinprobe.1" "$(COMPLETIONS)/thinprobe"
	for t in $(TOOLS) $(SCRIPTS); do rm -f "$(MAN)/thinprobe-$$t.1"; done
	for page in $(call in_trees,src/*/*.5); do rm -f "$(MAN5)/thinprobe-$${page##*/}"; done

# The same bytes from the same commit, whoever packs it: git's time, no time in gzip's header.
dist:
	git -c tar.umask=0022 archive -o thinprobe-$(VERSION).tar --prefix=thinprobe-$(VERSION)/ HEAD
	gzip -9nf thinprobe-$(VERSION).tar
	sha256sum thinprobe-$(VERSION).tar.gz >thinprobe-$(VERSION).tar.gz.sha256

# prototap as one file without libraries, for machines without packages. (libpcap knows D-Bus, which knows systemd: as a server only.)
static: $(BUILD)/static/prototap
$(BUILD)/static/prototap: $(patsubst %.c,$(BUILD)/%.o,$(call sources,prototap)) $(BUILD)/examples/prototap.o \
		$(USES_prototap:%=$(BUILD)/%.a) $(BUILD)/lib.a
	@mkdir -p $(@D)
	$(CC) $(ALL_CFLAGS) $(LDFLAGS) -static -o $@ $^ $(LIBS_prototap) $$(pcap-config --static --libs | sed 's/-lsystemd//') \
		-Wl,--defsym=sd_listen_fds=abort,--defsym=sd_is_socket=abort -lm

# Debian packages of HEAD, in build/deb; made elsewhere, since debhelper splits the name of a folder at blanks. (In
# /tmp, if TMPDIR has one, too.)
deb:
	dpkg-checkbuilddeps debian/control 2>/dev/null || ./thinprobe setup --deb
	rm -rf $(BUILD)/deb && mkdir -p $(BUILD)/deb
	@set -e; work=$$(mktemp -d $(if $(word 2,$(TMPDIR)),/tmp,$${TMPDIR:-/tmp})/thinprobe-deb.XXXXXX); trap 'rm -rf "$$work"' EXIT; trap 'exit 130' INT TERM; \
	git archive --prefix=thinprobe-$(VERSION)/ HEAD | tar -x -C "$$work"; \
	(cd "$$work/thinprobe-$(VERSION)" && env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS \
		SOURCE_DATE_EPOCH=$(shell git log -1 --format=%ct) dpkg-buildpackage -us -uc -b $(DEB_OPTIONS)); \
	mv "$$work"/thinprobe*_* $(BUILD)/deb/
	ls $(BUILD)/deb/*.deb

clean:
	rm -rf build bin $(call in_trees,analysis/__pycache__ analysis/*/__pycache__ experiments/*/__pycache__)

# (those of other builds lie below, and are not this one's; none has a rule)
-include $(shell find $(BUILD) -mindepth 1 -type d \( -name asan -o -name tsan -o -name clang -o -name deb -o -name core \) -prune -o -name '*.d' -print 2>/dev/null)

.PHONY: all plugins tests test-programs bench-programs unit asan asan-build sanitized check check-vm bench fuzz install uninstall dist deb static clean
.SECONDARY:
.DELETE_ON_ERROR:
$(BUILD)/%.d: ;
