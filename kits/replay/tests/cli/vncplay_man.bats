#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay: help and manual of its commands; what the front door has of them.

bats_require_minimum_version 1.5.0

setup() { cd "$BATS_TEST_DIRNAME/../../../.." || return 1; }

commands() { bin/vncplay --help | sed -nE 's/^  ([a-z]+) .*/\1/p'; }

@test "vncplay: every command has a section of the man page, and its own --help" {
	local command wrong=0

	command -v mandoc >/dev/null || skip "mandoc is not installed"
	[ "$(commands | wc -w)" -ge 4 ]
	for command in $(commands); do
		bin/vncplay "$command" --help | head -n 1 | grep -q "^usage: thinprobe vncplay $command" ||
			{ echo "vncplay $command --help"; wrong=1; }
		mandoc -T ascii kits/replay/src/vncplay/vncplay.1 | sed 's/.\x08//g' | sed -n '/^OPTIONS/,/^FILES/p' |
			grep -qE "^   [a-z, ]*\b$command\b" || { echo "no part on $command"; wrong=1; }
	done
	[ $wrong -eq 0 ]
}

@test "--help of a command ends with an example of it" {
	[[ $(bin/vncplay play --help | tail -n 1) == "    thinprobe vncplay play "* ]]
}

@test "vncplay: help on the format of its files" {
	command -v man >/dev/null || skip "man is not installed"
	MANPAGER=cat run -0 ./thinprobe help vncplay-trace
	[[ $output == *"THINPROBE-VNCPLAY-TRACE(5)"* ]]
}
