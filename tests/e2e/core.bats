#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The core alone: without kits/ everything builds and works.

bats_require_minimum_version 1.5.0
load ../not_here

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return 1
	git rev-parse --git-dir >/dev/null 2>&1 || { not_here "not a checkout"; return 0; }
	mkdir "$BATS_FILE_TMPDIR/core"
	git ls-files -z -- . ':!kits' | xargs -0 ls -d 2>/dev/null | tar -cf - -T - | tar -xf - -C "$BATS_FILE_TMPDIR/core"
	# What is compiled already, as it is, but for what includes a file of a kit: that is compiled anew, and fails.
	mkdir "$BATS_FILE_TMPDIR/core/build"
	[ ! -d build/src ] || cp -a build/src build/examples "$BATS_FILE_TMPDIR/core/build"
	cd "$BATS_FILE_TMPDIR/core" || return 1
	grep -rl --include='*.d' kits/ build | sed 's/d$/o/' | xargs -r rm
	git init -q && git add -A
	env -u MAKEFLAGS -u MAKELEVEL make -s -j4 KITS= CFLAGS=-O1 all
}

setup() {
	skip_not_here
	cd "$BATS_FILE_TMPDIR/core" || return 1
	unset TP_HOME TP_BIN TP_CHECKOUT
}

@test "core without kits: its programs are built, and listed" {
	ls analysis/commands | sed 's/[.]py$//' >commands
	run -0 ./thinprobe tools
	[ "$(grep -cE '^  [a-z]+  +[a-z]' <<<"$output")" = "$(ls bin | grep -vE '[.]so$|^door$' | grep -vcxFf commands)" ]
	bin/summarize --version
}

@test "core without kits: list, help, doctor and completion work, and name no kit's experiment" {
	local word named
	run -0 ./thinprobe list
	[ "$(grep -cE '^  [a-z-]+ +[0-9]+  [A-Z]' <<<"$output")" = "$(ls experiments/*/plan | wc -l)" ]
	run -0 ./thinprobe --help
	named=$(grep -oE 'thinprobe run [a-z-]+' <<<"$output" | cut -d' ' -f3)
	[ -n "$named" ]
	for word in $named; do [ -e "experiments/$word/plan" ]; done
	run -0 ./thinprobe help stalls
	./thinprobe doctor >/dev/null || [ $? = 4 ]
	run -0 --separate-stderr ./thinprobe completion
	. <(printf '%s\n' "$output")
	COMP_WORDS=(thinprobe run "") COMP_CWORD=2 COMPREPLY=()
	_thinprobe
	named=$(printf '%s\n' "${COMPREPLY[@]}" | LC_ALL=C sort)
	[ "$named" = "$(ls -d experiments/*/plan | cut -d/ -f2 | LC_ALL=C sort)" ]
	run -0 ./thinprobe run paging --options-only
}

@test "core without kits: tests/run lists only the core's jobs" {
	tests/run --all --list >jobs
	run -1 grep kits/ jobs
	[ "$(grep -c ^unit/ jobs)" = "$(ls tests/unit/*/*_test.c | wc -l)" ]
	grep -q ^bats/cli/sink jobs
}

@test "core without kits: tests/cli/house.bats passes" {
	run bats --filter-tags '!each' tests/cli/house.bats
	echo "$output"
	[ "$status" -eq 0 ]
}
