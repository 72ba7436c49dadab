#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Record and replay on real servers. The witness is the application: what reached which of its widgets, in which order, how often.
#
# ROUNDS=20 bats kits/replay/tests/lab/vncplay.bats: so many rounds of record and replay on each kind of server (about 20 minutes).

load ../../../../tests/cli/helpers

kinds=(xvnc drawn x11vnc password)
[ "${TEST_TIER-all}" = all ] || kinds=(xvnc drawn)	# in check

# What each kind of server goes through.
variants() {	# KIND
	local i

	if [ -n "${ROUNDS:-}" ]; then
		for ((i = 0; i < ROUNDS; i++)); do
			case $((i % 5)) in
			0) echo plain ;;
			1) echo late ;;
			2) echo moved ;;
			3) echo fast ;;
			4) echo sinks ;;
			esac
		done
		echo -lost
		echo -hidden
		return
	fi
	case $1 in
	xvnc) echo fast -moved -lost ;;
	x11vnc) echo fast -hidden -moved ;;
	drawn) if [ ${#kinds[@]} -gt 2 ]; then echo fast -late; else echo fast; fi ;;
	password) echo fast ;;
	esac
}

setup_file() {
	local kind top

	top=$(cd "$BATS_TEST_DIRNAME/../../../.." && pwd)
	cd "$BATS_FILE_TMPDIR" || return 1
	for kind in "${kinds[@]}"; do
		# shellcheck disable=SC2046  # words
		(
			"$top/kits/replay/tests/lab/rounds.sh" "$kind" $(variants "$kind" | tr ' ' '\n' | grep -v sinks) >"$kind.out" 2>&1 &&
				good=0 || good=1
			echo $good >"$kind.status"
		) 3>&- &
	done
}

teardown_file() {
	local pid child

	for pid in $(jobs -pr); do
		for child in $(cat "/proc/$pid/task/$pid/children" 2>/dev/null); do kill "$child" 2>/dev/null || true; done
	done
}

setup() {
	begin_test
	need Xvnc Xvfb x11vnc openssl python3 ss setpriv
	cd "$BATS_FILE_TMPDIR" || return 1
}

# Its rounds are over, and were good.
good() {	# KIND
	local i

	for ((i = 0; i < 50 * (${ROUNDS:-4} * 60 + 60); i++)); do
		[ ! -s "$1.status" ] || break
		sleep 0.02
	done
	cat "$1.out"
	[ "$(cat "$1.status")" = 0 ]
	[ "$(grep -c ': good$' "$1.out")" = "$(variants "$1" | tr ' ' '\n' | grep -vc sinks)" ]
}

@test "Xvnc: what was recorded reaches the same widgets; a button that moved is found, or nothing is clicked" {
	good xvnc
}

# bats test_tags=all
@test "x11vnc over Xvfb: the same, and a button that is nowhere is not clicked" {
	good x11vnc
}

@test "a server that draws the pointer into the picture: the same, also with a window that comes five seconds late" {
	good drawn
}

# bats test_tags=all
@test "a server with a password" {
	good password
}

# bats test_tags=all
@test "beside ten sinks nothing goes astray" {
	local kind most

	for kind in "${kinds[@]}"; do
		[ -n "${ROUNDS:-}" ] || [ "$kind" = xvnc ] || continue
		most=$(variants "$kind" | grep -c sinks || true)
		# shellcheck disable=SC2046  # words
		"$BATS_TEST_DIRNAME/rounds.sh" "$kind" $(if [ "$most" = 0 ]; then echo -sinks; else yes sinks | head -n "$most"; fi)
	done
}
