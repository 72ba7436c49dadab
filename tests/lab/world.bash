# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# world.bash - what tests of a lab share: a world of their own (W, a folder for locks, runs and what hosts keep), an ordinary user,
# and what must be in the output. TESTS: this folder; TOP: the tree.

bats_require_minimum_version 1.5.0
# shellcheck source=tests/busy.bash
. "${BASH_SOURCE[0]%/*}/../busy.bash"

until_true() {	# COMMAND...: for up to 30 s
	for _ in {1..600}; do if "$@"; then return; fi; sleep 0.05; done
	return 1
}

# world TOOL...: in setup(); a missing tool skips the test. WORLD: a name for W with a blank in it.
world() {
	local tool

	TESTS=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)	# a test may stand in a kit
	TOP=${TESTS%/tests/lab}
	PATH=$PATH:/usr/sbin:/sbin
	W=$(mktemp -d "${TMPDIR:-/tmp}/${WORLD-lab}.XXXXXX")
	chmod 755 "$W"
	AS=()
	for tool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
}

may_have_hosts() {
	unshare --user --map-root-user --net true 2>/dev/null || [ "$(id -u)" = 0 ] || skip "this system forbids user namespaces"
}

# In teardown(): ends a driver that still runs, and undoes what is on record.
world_end() {
	local p

	# not one that has ended: its pid may be another's by now
	[[ " $(jobs -pr | xargs) " != *" ${pid-none} "* ]] || kill -9 "$pid" 2>/dev/null || true
	for p in "$W"/locks/undo-*; do [ ! -e "$p" ] || LAB_LOCKS="$W/locks" bash "$TOP/lab/local/undo.sh" back "$p"; done
	rm -rf -- "$W"
}

teardown() { world_end; }

# From here on as an ordinary user without a name or a home of its own.
as_user() {
	if [ "$(id -u)" = 0 ]; then
		AS=(setpriv --reuid 12345 --regid 12345 --clear-groups env "HOME=$W/home")
		chown -R 12345:12345 "$W"
	fi
	"${AS[@]}" unshare --user --map-root-user --net true 2>/dev/null || skip "this system forbids user namespaces to ordinary users"
	"${AS[@]}" test -r "$TOP/lab/lib.sh" || skip "an ordinary user cannot read $TOP"
}

# Processes that are alive and have LAB_TEST_WORLD=$W in their environment: pid and words.
survivors() {
	local p stat
	# shellcheck disable=SC2013 # numbers
	for p in $(grep -lsaF "LAB_TEST_WORLD=$W" /proc/[0-9]*/environ); do
		p=${p%/environ}
		{ read -r stat <"$p/stat"; } 2>/dev/null || continue
		stat=${stat##*) }
		[ "${stat%% *}" != Z ] && [ "${p#/proc/}" != $$ ] || continue
		printf '%s %s\n' "${p#/proc/}" "$(tr '\0' ' ' <"$p/cmdline" 2>/dev/null)"
	done
}

# x_alive FILE: the lock or the socket of an X server that is there. (A socket in another network is
# not seen here, but its server is.)
x_alive() {
	local n=${1##*/}
	n=${n#.} n=${n#X} n=${n%-lock}
	{ grep -q "/tmp/[.]X11-unix/X$n\$" /proc/net/unix || kill -0 "$(tr -d ' ' <"/tmp/.X$n-lock")"; } 2>/dev/null
}

# local/undo.sh on a tree of W that is no kernel's: its rmdir takes the files along.
serve() {
	mkdir -p "$W/path" "$W/switches"
	[ -s "$W/path/rmdir" ] || printf '#!/bin/sh\ncase $2 in */tree/*) rm -rf -- "$2" ;; *) exec %s "$@" ;; esac\n' \
		"$(type -P rmdir)" >"$W/path/rmdir"
	chmod 755 "$W/path/rmdir"
	PATH=$W/path:$PATH LAB_ID=abcdef LAB_LOCKS=$W/locks LAB_PROC=$W/proc LAB_SWITCHES=$W/switches \
		bash "$TOP/lab/local/undo.sh" serve
}

answered() {	# answered N: so many answers are in $W/answers
	for _ in {1..1500}; do [ "$({ wc -l <"$W/answers"; } 2>/dev/null || echo 0)" -lt "$1" ] || break; sleep 0.02; done
}

# The last command ended with STATUS, and its output has each of the texts.
said() {	# STATUS TEXT...
	local text

	echo "$output"
	[ "$status" -eq "$1" ] || { echo "status $status, not $1"; return 1; }
	for text in "${@:2}"; do [[ $output == *"$text"* ]] || { echo "not said: $text"; return 1; }; done
}
