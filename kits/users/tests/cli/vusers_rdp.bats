#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# vusers: users of RDP, each in a session of its own, which the domain chooses: xrdp before reference applications that speak VNC.
# bats file_tags=waits:two

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers
load vusers

setup() {
	begin_test
	need jq xrdp openssl
	export THINPROBE_STATE=$PWD/state
	VUSERS=$BIN/vusers
	echo secret >password
	[ -e "$BIN/keyrepeat_rdp.so" ] || skip "libfreerdp is not installed"
}

# (xrdp 0.10 connects to ::1 where it is told 127.0.0.1, and crashes where it changes the size of the client's screen.)
# xrdp with sections S0, S1...: $at, $screen (the port of the last application), $server, ${rdp[@]} (words for vusers); each
# application counts its keys in echo-N.tsv
start_sessions() {	# N options of the applications...
	local i n=$1 applications=()

	shift
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=thinprobe 2>/dev/null
	printf '%s\n' '[Globals]' ini_version=1 fork=false security_layer=tls "certificate=$PWD/cert.pem" "key_file=$PWD/key.pem" \
		autorun= allow_channels=true max_bpp=24 '[Logging]' LogFile=/dev/null EnableSyslog=false '[Channels]' >xrdp.ini
	for ((i = 0; i < n; i++)); do
		unused_port
		screen=$port
		printf '%s\n' "[S$i]" "name=S$i" lib=libvnc.so ip=::ffff:127.0.0.1 "port=$port" username=ask password=ask >>xrdp.ini
		start "refecho-$i" "$BIN/refecho" --vnc "$port" --log "echo-$i.tsv" "$@"
		applications+=("$pid")
		until_true grep -q '^ready' "refecho-$i.err"
	done
	unused_port
	sed -i "s|^fork=.*|&\nport=tcp://127.0.0.1:$port|" xrdp.ini
	start xrdp xrdp --nodaemon --config xrdp.ini
	server=$pid
	until_true listens "$port" "$server"
	echo "127.0.0.1:$port $(openssl x509 -in cert.pem -noout -fingerprint -sha256 | sed 's/.*=//' | tr A-F a-f)" >known
	at=rdp:127.0.0.1:$port
	rdp=(--user 'S%\root' --size 320x240 --password-file password --known-servers known)
	refechos=("${applications[@]}")
}

# Each application has counted the keys that the log has of its user.
counted() {	# N: users
	local i

	kill "${refechos[@]}"
	for i in "${refechos[@]}"; do ends "$i"; done
	for ((i = 0; i < $1; i++)); do
		[ "$(keys_in "echo-$i.tsv")" = "$(awk -F'\t' -v user=$i 'NR > 1 && $2 == user && $8 == "ok"' log.tsv | wc -l)" ] ||
			return 1
		[ "$(keys_in "echo-$i.tsv")" -gt 0 ] || return 1
	done
}

none_left() { until_true eval '! grep -lzsxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ | sed s/environ/comm/ |
	xargs grep -sxq vusers'; }

@test "vusers rdp: each user has a session of its own; users who decode nothing, and those who are watched, type the same keys" {
	start_sessions 5
	users -n 5 --watched 2 "${rdp[@]}" -z 100ms -t 3s --log log.tsv
	measured
	holds '.users_ready == 5 and .errors + .timeouts + .unanswered == 0 and .requests > 15 and .watched_requests > 10
		and .response_ms.n == .requests and .generator.memory_bytes_per_user > 1e6 and .generator.users_cpu_s > 0
		and .bytes > 0 and ([.watched[] | .width == 320 and .height == 240] | all)'
	[[ $(jq -r .settings.server report.json) == "FreeRDP "[23].*", TLS, "* ]]
	awk -F'\t' 'NR > 1 && !($4 <= $5 && $5 <= $6 && $6 < $7 && $10 > 0) { print; wrong = 1 } END { exit wrong }' log.tsv
	counted 5
	none_left
}

@test "vusers rdp: another who types on the same screen makes the figures unsure: status 3; alone they are not" {
	start_sessions 1 --answer-delay const:400ms
	users -n 1 "${rdp[@]}" -z 500ms --think-dist const -t 4s --timeout 60s
	measured
	holds '.requests > 2 and .why_unsure == null and .response_ms.min >= 400'
	start other "$VUSERS" "vnc:127.0.0.1:$screen" -n 1 -z 100ms --think-dist const --lateness 60s
	until_true grep -qx ready other.err
	for watched in 0 1; do
		users -n 1 --watched $watched "${rdp[@]}" -z 500ms --think-dist const -t 4s --timeout 60s
		[ "$status" = 3 ]
		holds '.requests + .watched_requests > 2 and (.why_unsure | test("other things"))'
	done
}

@test "vusers rdp: with --echo patch all decode, and each answer is that of its own key" {
	start_sessions 3
	users -n 3 --watched 1 "${rdp[@]}" -z 100ms -t 2s --echo patch --log log.tsv
	measured
	holds '.users_ready == 3 and .requests > 8 and .watched_requests > 4 and .why_unsure == null'
	counted 3
}

@test "vusers rdp: a server that dies is an error of each user; one whose process is killed is lost alone" {
	local from

	start_sessions 3
	start users "$VUSERS" "$at" -n 3 "${rdp[@]}" -z 50ms -t 20s --format json -o report.json
	until_true grep -qx ready users.err
	from=$pid
	until_true eval '[ "$(keys_in echo-2.tsv)" -gt 3 ]'
	first=$(children_of "$from" | cut -d" " -f 1)
	confined "$first" 0
	kill -KILL "$first"
	until_true eval '[ "$(keys_in echo-2.tsv)" -gt 20 ]'
	kill -KILL "$server"
	sleep 1
	kill -INT "$from"
	pid=$from
	ends "$pid"
	cat users.err
	[ "$status" = 130 ]
	holds '.valid == false and .gone_percent > 5 and .requests > 20 and .users_ready == 3'
	none_left
}

@test "vusers rdp: an unknown certificate, no server, and words that do not fit get one line" {
	local words

	start_sessions 1
	one_line 1 "this line to $PWD/state/known-rdp-servers" "$VUSERS" "$at" --user 'S%\root' --password-file password -z 1s -t 1s
	one_line 2 "--encodings" "$VUSERS" "$at" -z 1s --encodings raw
	one_line 2 "--user" "$VUSERS" vnc:127.0.0.1:1 -z 1s --user root
	one_line 2 "is an option" "$VUSERS" "$at" -z 1s --body 5
	for words in rdp: rdp:@ rdp:host:0 rdp:host::5 rdp:host:5-4; do one_line 2 "$words" "$VUSERS" "$words" -z 1s; done
	one_line 2 "$at may show only a login dialog: give --password-file" "$VUSERS" "$at" --known-servers known -z 1s -t 1s
	one_line 1 "give --no-password" "$VUSERS" "$at" --password-file /dev/null --known-servers known -z 1s -t 1s
	one_line 2 "VNC and HTTP" "$VUSERS" serve "$at"
	kill "$server"
	one_line 1 "refused" "$VUSERS" "$at" "${rdp[@]}" -z 1s -t 1s
	cp "$VUSERS" .
	one_line 4 freerdp2-dev ./vusers "$at" "${rdp[@]}" -z 1s -t 1s
}

@test "vusers rdp: more users than processes, or than file descriptors: status 4 and the cure, before any is connected" {
	local limit

	[ "$(id -u)" = 0 ] || skip "only root may be somebody else"
	for limit in u n; do
		status=0
		(ulimit -$limit 100 && setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all \
			"$VUSERS" rdp:127.0.0.1:1 --user nobody --no-password --known-servers /dev/null \
			-n 500 -z 1s -t 100ms) 2>users.err || status=$?
		cat users.err
		[ "$status" = 4 ]
		[ "$(wc -l <users.err)" = 1 ]
		# two of each for a user, and what is there already
		[ "$(sed "s/.*ulimit -$limit //" users.err)" -gt 1000 ]
	done
}

# bats test_tags=all
@test "vusers rdp: 100 users for 60 s: every key is answered, and counted by the applications" {
	start_sessions 100
	status=0
	"$VUSERS" "$at" -n 100 --watched 4 "${rdp[@]}" -z 1s -t 60s --lateness 60s --log log.tsv --format json -o report.json || status=$?
	[ "$status" = 0 ]
	holds '.users_ready == 100 and .errors + .timeouts + .unanswered == 0 and .requests + .watched_requests > 5000'
	counted 100
}
