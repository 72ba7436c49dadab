#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# RDP servers that close, freeze or lie (rdp_server.py): keyrepeat ends in time with one line, and leaves nothing.
# bats file_tags=waits:two

bats_require_minimum_version 1.5.0
load ../cli/helpers

setup() {
	begin_test
	TRUST=(--cert-ignore)
	need xrdp openssl python3 jq
	[ -e "$BIN/keyrepeat_rdp.so" ] || skip "libfreerdp is not installed"
	export THINPROBE_STATE=$PWD/state
	echo secret >password
	# (control characters in the name)
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj "/CN=$(printf 'a\033[2Jb\a')" 2>/dev/null
	unused_port
	start_refecho --vnc "$port"
	printf '%s\n' '[S]' name=S lib=libvnc.so ip=::ffff:127.0.0.1 "port=$port" username=ask password=ask >section
	unused_port
	printf '%s\n' '[Globals]' ini_version=1 fork=false security_layer=tls "certificate=$PWD/cert.pem" "key_file=$PWD/key.pem" \
		"port=tcp://127.0.0.1:$port" autorun=S allow_channels=true max_bpp=24 '[Logging]' LogFile=/dev/null \
		EnableSyslog=false '[Channels]' >xrdp.ini
	cat section >>xrdp.ini
	start xrdp xrdp --nodaemon --config xrdp.ini
	real=$port
	until_true listens "$real" "$pid"
}

# Runs keyrepeat before a server of this behaviour: $status, $output, report.json, keys.tsv; server.out
meet() {	# BEHAVIOUR [WATCH]
	rm -f report.json keys.tsv server.out
	start server python3 "$BATS_TEST_DIRNAME/rdp_server.py" "$1" "$real"
	until_true test -s server.out
	run timeout 40 env -u HOME "$BIN/keyrepeat" "rdp:root@127.0.0.1:$(cat server.out)" "${TRUST[@]}" --size 320x240 \
		--password-file password --connect "${CONNECT:-15s}" --patch-wait 3s --watch "${2:-patch}" -t 1s --ready-fd 5 -q \
		--json -o report.json --log keys.tsv 5>/dev/null
	echo "$1: $status $output"
	kill "$pid" 2>/dev/null || true
	[[ $output != *[$'\x01'-$'\x08\x0b'-$'\x1f\x7f']* ]] || return 1
	until_true eval '! grep -lzsxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ | sed s/environ/comm/ |
		xargs grep -sxq keyrepeat'
}

# Meets all behaviours of this time, at least so many, each of which must end as COMMAND says.
meet_all() {	# TIME LEAST COMMAND...
	local when behaviour bad=0 tried=0

	while read -r when behaviour <&6; do
		[ "$when" = "$1" ] || continue
		tried=$((tried + 1))
		meet "$behaviour"
		"${@:3}" || { echo "NOT SO: $behaviour"; bad=1; }
	done 6< <(python3 "$BATS_TEST_DIRNAME/rdp_server.py" list)
	[ "$tried" -ge "$2" ]
	[ "$bad" = 0 ]
}

ended_before() { [[ $status = 1 && ${#lines[@]} = 1 && ! -e report.json ]]; }
ended_within() {
	# (what the library does not take may crash it; these are for our own part)
	[[ ! $behaviour =~ ^graphics-(twice|screen|zero)$ || $output != *crashed* ]] || return 1
	[[ $status = [013] && ${#lines[@]} -le 2 ]] && { [ ! -e report.json ] || jq -e .result.ended report.json; }
}
# The client answers on that channel, and then the server lied there.
ended_after_lie() { ended_within && grep -qx said server.out; }

@test "keyrepeat rdp, before there is a session: one line and status 1, whatever the server does" {
	CONNECT=3s meet_all before 20 ended_before
}

@test "keyrepeat rdp: a server that chooses no TLS has no certificate, and gets no user and no password" {
	local behaviour

	TRUST=(--known-servers known)
	for behaviour in chooses-no-tls knows-no-tls; do
		meet "$behaviour"
		[[ $status = 1 && ${#lines[@]} = 1 && $output == *--cert-ignore* ]] || return 1
		grep -qx 'heard 0 bytes' server.out
	done
}

@test "keyrepeat rdp: a bell is no end, nor is a pointer that was never sent" {
	local behaviour

	for behaviour in bell pointer; do
		meet "$behaviour"
		[[ $status = [03] ]] # 3: on a busy machine one frame may answer two keys
		jq -e '.result.keys_answered > 5' report.json
	done
}

# GNOME Remote Desktop 43 makes a client's keyboard at its first key, and 48 shows nothing new for 0.8 s.
@test "keyrepeat rdp: what a server does at the first picture and the first key of a client costs no key of the train" {
	meet wakes-late
	[[ $status = [03] ]]
	run -1 grep early server.out
	jq -e '.result | .keys_answered > 5 and .keys_answered == .keys_sent' report.json
}

@test "keyrepeat rdp, in the session: it ends in time, with a report or one line, whatever the server does" {
	meet true
	[ "$status" = 0 ]
	meet_all within 10 ended_within
}

@test "keyrepeat rdp, in the session: it ends in time, whatever the server says on the clipboard's channel" {
	meet clipboard-true
	[ "$status" = 0 ]
	meet_all clipboard 10 ended_after_lie
}

@test "keyrepeat rdp, in the session: it ends in time, whatever the server says in the graphics pipeline" {
	meet graphics-true
	[ "$status" = 0 ]
	[[ $(jq -r .settings.server report.json) == *", graphics pipeline 0x80004, uncompressed" ]]
	meet_all graphics 20 ended_after_lie
}

@test "keyrepeat rdp: the log has the server's stamp of the frame that answered a key, if it was stamped" {
	meet stamps update
	[[ $status = [03] ]] # 3: a key may come after a pause of this machine
	# from 12:34:56 on, a millisecond a key
	awk -F'\t' 'NR > 1 && $5 == $6 { n++; wrong += $13 != 45296000 + $2 } END { exit wrong || n < 10 }' keys.tsv
	[ "$(jq .result.keys_stamped report.json)" = "$(awk -F'\t' '$13 && NR > 1 && !$8' keys.tsv | wc -l)" ]
	meet true
	[ -z "$(tail -n +2 keys.tsv | cut -f 13 | tr -d '\n')" ]
	jq -e '.result | has("keys_stamped") | not' report.json
}
