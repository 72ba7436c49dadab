#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# NX, ssh and xpra: each starts, takes a train of keys that come back, and leaves nothing on the
# machine; also as an ordinary user, when the driver is killed, and when one half of it breaks.
# bats file_tags=all

load protocols

# Where ssh, NX and xpra of a person keep theirs, and a login is recorded.
persons() {
	stat -c '%n %s' /run/sshd /run/xpra/* /var/log/wtmp /var/log/lastlog ~/.ssh ~/.ssh/* ~/.Xauthority \
		~/.nx ~/.xpra ~/.config/xpra 2>/dev/null || :
}

setup_file() {
	protocols_world || return 0
	persons >"$W/persons.before"
	LIST=$(protocols_listed -E '^(nx|ssh|xpra)')
	export LIST
	# shellcheck disable=SC2086 # words
	protocols_train train $LIST
}

teardown_file() {
	rm -rf -- "$W"
}

@test "each takes a train of keys, which come back, and its settings say what there is to know" { protocols_answered train; }

@test "nxagent's window fills the screen" {
	[ -n "$(protocols_said train skip nx:agent)" ] || [ "$(protocols_said train view nx:agent)" -ge 1 ]
}

@test "stopped: no process in the hosts, no socket, no lock; the lab down: nothing on the machine" {
	protocols_stopped
	diff "$W/persons.before" <(persons)
}

@test "kill -9 of the driver, an ordinary user's: nothing is left" { protocols_killed; }

@test "one half that ends at once: one line that says so, at once, and nothing is left" {
	BROKEN="nxproxy nxagent ssh xpra" protocols_broken nx nx:agent ssh:x11 xpra
}

@test "list: protocols with their variants; where one cannot run, why, and the cure" {
	local tool
	mkdir "$W/bin"
	for tool in bash basename cat cut dirname fold grep readlink sed sort xargs; do
		ln -s "$(command -v $tool)" "$W/bin/$tool"
	done
	run -0 "$TOP/thinprobe" list --protocols
	for tool in nx nx:agent ssh ssh:x11 ssh:x11c xpra vnc x11; do grep -qE "^$tool +(yes|no) " <<<"$output"; done
	run -0 env PATH="$W/bin" "$TOP/thinprobe" list --protocols
	echo "$output"
	output=$(sed -z 's/\n  */ /g' <<<"$output")	# long lines are folded
	for tool in nx nx:agent ssh ssh:x11 ssh:x11c xpra; do
		grep -qE "^$tool +no .* is missing; apt-get install .* \(thinprobe setup --protocol $tool\)$" <<<"$output"
	done
}
