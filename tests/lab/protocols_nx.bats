#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# NX, ssh and xpra: each starts, takes a train of keys that come back, and leaves nothing on the
# machine; also as an ordinary user, when the driver is killed, and when one half of it breaks.
# bats file_tags=all

OF=(-E '^(nx|ssh|xpra)')
load protocols

# Files of the user's own ssh, NX and xpra, and of the record of logins.
persons() {
	stat -c '%n %s' /run/sshd /run/xpra/* /var/log/wtmp /var/log/lastlog ~/.ssh ~/.ssh/* ~/.Xauthority \
		~/.nx ~/.xpra ~/.config/xpra 2>/dev/null || :
}

before_train() { persons >"$W/persons.before"; }

@test "NX, ssh, xpra: each answers a train of keys, and its settings are complete" { protocols_answered train; }

@test "NX: nxagent's window fills the screen" {
	[ -z "$(protocols_said train skip nx:agent)" ] || skip "none of these protocols can run here"
	[ "$(protocols_said train view nx:agent)" -ge 1 ]
}

@test "NX, ssh, xpra: after the stop no process, socket or lock is left in the hosts; after the lab nothing on the machine" {
	protocols_stopped
	diff "$W/persons.before" <(persons)
}

@test "NX, ssh, xpra: kill -9 of an ordinary user's driver leaves nothing" { protocols_killed; }

@test "NX, ssh, xpra: a client or server that ends at once gives one line soon, and nothing is left" {
	BROKEN="nxproxy nxagent ssh xpra" protocols_broken nx nx:agent ssh:x11 xpra
}

@test "thinprobe protocols: lists variants, and for one that cannot run the reason and the cure" {
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
