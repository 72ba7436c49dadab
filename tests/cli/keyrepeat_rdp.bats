#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# keyrepeat as a client of RDP: before xrdp with the reference application, before servers that refuse, fall silent or lie, and when
# its own process ends.
# bats file_tags=waits:one

bats_require_minimum_version 1.5.0
load helpers

KEYREPEAT=$BIN/keyrepeat

setup() {
	begin_test
	export THINPROBE_STATE=$PWD/state
	echo secret >password
	[ -e "$BIN/keyrepeat_rdp.so" ] || skip "libfreerdp is not installed"
}

# An Xorg with xrdp's module, and xrdp in front of it: $DISPLAY, $port, $server (xrdp), ${rdp[@]} (words for keyrepeat)
start_xrdp() {
	local n sockets=$PWD/sockets

	need xrdp Xorg openssl xset
	[ -e /usr/lib/xorg/modules/libxorgxrdp.so ] || skip "xorgxrdp is not installed"
	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir sockets
	for ((n = 100 + RANDOM % 400; ; n++)); do [ -e "/tmp/.X11-unix/X$n" ] || [ -e "/tmp/.X$n-lock" ] || break; done
	start xorg env -C sockets XRDP_SOCKET_PATH=. XRDP_START_WIDTH=1024 XRDP_START_HEIGHT=768 /usr/lib/xorg/Xorg ":$n" \
		-config xrdp/xorg.conf -ac -noreset -novtswitch -sharevts -nolisten tcp -logfile "$PWD/xorg.log"
	displays+=("$pid $n")
	export DISPLAY=:$n
	until_true xset q
	unused_port
	openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=thinprobe 2>/dev/null
	cat >xrdp.ini <<-END
		[Globals]
		ini_version=1
		fork=false
		port=tcp://127.0.0.1:$port
		tcp_nodelay=true
		security_layer=tls
		certificate=$PWD/cert.pem
		key_file=$PWD/key.pem
		autorun=XORG
		allow_channels=true
		max_bpp=24
		[Logging]
		LogFile=$PWD/xrdp.log
		EnableSyslog=false
		[Channels]
		[XORG]
		name=XORG
		lib=libxup.so
		username=ask
		password=ask
		ip=127.0.0.1
		port=$sockets/xrdp_display_$n
		code=20
	END
	start xrdp xrdp --nodaemon --config xrdp.ini
	server=$pid
	until_true listens "$port" "$server"
	echo "127.0.0.1:$port $(fingerprint cert.pem)" >known
	rdp=("rdp:root@127.0.0.1:$port" --password-file password --known-servers known)
}

start_xev() {	# its window has the pointer, so it shows the keys that are typed
	start xev xev -geometry 100x100+600+400
	until_true xdotool search --onlyvisible --name 'Event Tester'
	xdotool mousemove 650 450
}

fingerprint() { openssl x509 -in "$1" -noout -fingerprint -sha256 | sed 's/.*=//' | tr A-F a-f; }	# file

echoed() { keys_in echo.tsv; }	# how many keys refecho has counted

# Nothing of keyrepeat is left: the process that reads the server, the one that waits for it.
nothing_left() { until_true no_keyrepeat; }
no_keyrepeat() {
	[ -z "$(grep -lzsxF "BATS_TEST_TMPDIR=$BATS_TEST_TMPDIR" /proc/[0-9]*/environ | sed 's/environ/comm/' |
		xargs grep -sx keyrepeat)" ]
}

# Prints how often the text is in the memory of a process, as UTF-8 or UTF-16.
count_in_memory() {	# pid text
	python3 - "$@" <<-'END'
		import sys
		pid, text = sys.argv[1:]
		n = 0
		with open(f"/proc/{pid}/mem", "rb") as memory:
		    for line in open(f"/proc/{pid}/maps"):
		        first, last = (int(x, 16) for x in line.split()[0].split("-"))
		        if not line.split()[1].startswith("rw"):
		            continue
		        try:
		            memory.seek(first)
		            part = memory.read(last - first)
		        except (OSError, ValueError):
		            continue
		        n += part.count(text.encode()) + part.count(text.encode("utf-16-le"))
		print(n)
	END
}

@test "keyrepeat rdp: once the session is there, no process of it has the password, and none leaves a core" {
	local child
	need python3
	echo Pa55-of-this-user >password
	start_xrdp
	start_refecho --display "$DISPLAY"
	start keys "$KEYREPEAT" "${rdp[@]}" -t 60s --watch patch --json -o report.json
	until_true grep -q '^ready$' keys.err
	child=$(children_of "$pid" | tr -d ' ')
	# threads of the library have real-time priority if, and only if, ours have
	[ "$(ps -L -o cls= -p "$child" | sort -u | wc -l)" = 1 ]
	[ "$(count_in_memory "$child" rdp:root)" -gt 0 ]
	[ "$(count_in_memory "$child" Pa55-of-this-user)" = 0 ]
	[ "$(count_in_memory "$pid" Pa55-of-this-user)" = 0 ]
	grep -qE '^Max core file size +0 +0 ' "/proc/$child/limits"
	kill -INT "$pid"
	ends "$pid"
}

# How a run ends whose process is killed, crashes or hangs: word of the line
ends_early() {	# word
	ends "$pid"
	cat keys.err
	[ "$status" -eq 1 ]
	grep -q "^keyrepeat: .*$1" keys.err
	[ "$(figure report.json ended)" = "connection dropped" ]
	[ "$(figure report.json keys_answered)" -ge 5 ]
	nothing_left
}

@test "keyrepeat rdp: each key reaches the application and is answered; the report names server, FreeRDP, security and codec" {
	start_xrdp
	start_refecho --display "$DISPLAY" --log echo.tsv
	start keys "$KEYREPEAT" "${rdp[@]}" -t 3s --watch patch --log keys.tsv --json -o report.json
	until_true grep -q '^ready$' keys.err
	confined "$(children_of "$pid" | tr -d ' ')" $((1 << 23 | 1 << 14))
	run -1 grep -q secret "/proc/$pid/cmdline"
	ends "$pid"
	[ "$status" -eq 0 ]
	kill "$refecho"
	ends "$refecho"
	[ "$(figure report.json keys_answered)" -eq 55 ]
	[ "$(figure report.json keys_exact)" -eq 55 ]
	[ "$(figure report.json patch_ahead)" -eq 0 ]
	[ "$(echoed)" -eq "$(keys_in keys.tsv)" ]
	[[ $(jq -r .settings.server report.json) == "RDP 127.0.0.1:$port, certificate known, FreeRDP "[23].*" TLS, "* ]]
	[[ $(jq -r .settings.server report.json) == *", no graphics pipeline, bitmaps" ]]
	nothing_left
}

# Hands on what comes from a client to $1, and back, from 300 ms on after the client has connected. Prints its port.
delaying_relay() {
	exec python3 - "$1" <<-'END'
		import socket, sys, threading, time
		def pump(a, b):
		    try:
		        while (got := a.recv(65536)):
		            b.sendall(got)
		    except OSError:
		        pass
		listener = socket.create_server(("127.0.0.1", 0))
		print(listener.getsockname()[1], flush=True)
		client = listener.accept()[0]
		time.sleep(0.3)
		server = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
		threading.Thread(target=pump, args=(server, client), daemon=True).start()
		pump(client, server)
	END
}

@test "keyrepeat rdp: the report has the stages of the login in their order; what comes late is in the stage that waits for it" {
	need python3
	start_xrdp
	start_refecho --display "$DISPLAY"
	start relay delaying_relay "$port"
	until_true test -s relay.out
	"$KEYREPEAT" "rdp:root@127.0.0.1:$(cat relay.out)" --password-file password --cert-ignore -t 1s --watch patch --json -o report.json
	jq -c .settings.login report.json
	jq -e '.settings.login | .connected_ms + 300 <= .certificate_ms and .certificate_ms <= .session_ms
		and .session_ms <= .picture_ms and .picture_ms <= .patch_ms' report.json
	"$KEYREPEAT" "${rdp[@]}" -t 300ms --rate 0 --watch update --json -o report.json
	jq -e '.settings.login | has("picture_ms") and (has("patch_ms") | not)' report.json
	"$KEYREPEAT" null: -t 100ms --json -o report.json
	jq -e '.settings | has("login") | not' report.json
}

# medians ECHO KEYS: of the delays that the application logged, and of what else a key took, in ms
medians() {
	awk -F'\t' 'FNR == 1 { next } FILENAME == ARGV[1] { got[$2] = $3; shown[$2] = $5; next }
		$2 > 5 { print (shown[$2] - got[$2]) / 1e6, ($5 - $3 - (shown[$2] - got[$2])) / 1e6 }' "$1" "$2" >both
	cut -d' ' -f1 both | sort -g | awk '{ v[NR] = $1 } END { printf "%s ", v[int((NR + 1) / 2)] }'
	cut -d' ' -f2 both | sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# What a key takes beside the application's delay is the same for all delays: by how many ms at most it differs.
differ() { sort -k 2g found | awk 'NR == 1 { least = $2 } END { print NR == 3 ? $2 - least : "too few" }'; }
delays_found() { awk -v ms="$(differ)" 'BEGIN { exit !(ms ~ /^[0-9]/ && ms + 0 <= 0.3) }'; }

@test "keyrepeat rdp: delays of 5, 20 and 200 ms that the application logs are found to 0.3 ms at the median" {
	local delay

	start_xrdp
	for _ in {1..3}; do
		busy_begin
		: >found
		for delay in 5 20 200; do
			start_refecho --display "$DISPLAY" --answer-delay "const:${delay}ms" --log echo.tsv
			"$KEYREPEAT" "${rdp[@]}" -t 12s --rate 4 --watch patch --log keys.tsv --json -o report.json
			kill "$refecho"
			ends "$refecho"
			[ "$(figure report.json keys_answered)" -eq 43 ]
			[ "$(echoed)" -eq 48 ]
			medians echo.tsv keys.tsv >>found
			awk -v delay=$delay 'END { exit !($1 >= delay) }' found
		done
		cat found
		if delays_found || ! machine_was_busy 5; then break; fi
	done
	[[ $(differ) == [0-9]* ]]
	# else half of a train's 43 keys were each held up for as long
	delays_found || machine_was_busy "$(differ | awk '{ printf "%.0f", $1 * 22 }')"
}

@test "keyrepeat rdp: keys are those of the keyboard, with modifiers; the pointer moves, clicks and turns the wheel" {
	start_xrdp
	need xterm xdotool xev
	start_xterm sh -c 'stty -icanon -echo; cat >typed'
	printf '20 type 20 %s\n20 %s\n' 'aZ 09 !"#$%&()*+,-./:;<=>?@[\]^_`{|}~' ctrl+a >script
	printf '20 Return\n' >>script
	run -0 "$KEYREPEAT" "${rdp[@]}" --script script --watch none -q
	[ "$(cat -v typed)" = 'aZ 09 !"#$%&()*+,-./:;<=>?@[\]^_`{|}~^A' ]
	start xev xev -geometry 300x300+400+300
	until_true xdotool search --onlyvisible --name 'Event Tester'
	printf '50 move 450,400\n50 button 1 click\n50 button 3 down\n50 button 3 up\n50 button 4 click\n50 button 5 click\n' >script
	run -0 "$KEYREPEAT" "${rdp[@]}" --script script --watch none -q
	until_true eval '[ "$(grep -c "^ButtonRelease" xev.out)" = 4 ]'
	[ "$(grep -A 2 '^ButtonPress' xev.out | grep -o 'button [0-9]*' | xargs)" = "button 1 button 3 button 4 button 5" ]
	grep -A 1 '^ButtonPress' xev.out | grep -qF 'root:(450,400)'
}

@test "try rdp://: a figure of a session; only a character and BackSpace are typed, one where nothing shows, and nothing is left" {
	start_xrdp
	need python3 xev
	start_xev
	one_line 1 "text field in sight; after a wrong password, " "$KEYREPEAT" "${rdp[@]}" -t 3s --erase
	[ "$(grep -c '^KeyPress event' xev.out)" = 1 ]
	start_xterm python3 "$TOP/tests/cli/field.py" "$PWD/field.log" 40
	run -1 "$TOP/thinprobe" try "rdp://root@127.0.0.1:$port" --password-file password --yes -o run </dev/null
	[[ $output == *"certificate"*"not known"* ]]
	mkdir state
	cp known state/known-rdp-servers
	run -0 --separate-stderr "$TOP/thinprobe" try "rdp://root@127.0.0.1:$port" --password-file password --yes -t 2s --repeat 2 \
		-o run --json </dev/null
	jq -e '.latency_ms.p50 | [.value // (.from, .to)] | all(. >= 40)' <<<"$output"
	[ "$(jq '.keys_sent + 5 * .repeats + 4' <<<"$output")" = "$(wc -l <field.log)" ]
	[ -z "$(cut -d' ' -f2 field.log | paste -sd ' ' | sed -E 's/97 (8|127)\>//g' | tr -d ' ')" ]
	[ "$(tail -n 1 field.log | cut -d' ' -f3)" = 0 ]
	[ "$(grep -c '^KeyPress event' xev.out)" = 1 ]
	[ -f run/report.html ]
}

@test "keyrepeat rdp: a certificate that is unknown or has changed is refused, with its fingerprint; --cert-ignore is reported" {
	local of

	start_xrdp
	of=$(fingerprint cert.pem)
	one_line 1 "this line to $PWD/state/known-rdp-servers: \"127.0.0.1:$port $of\"" "$KEYREPEAT" "${rdp[0]}" --password-file password
	echo "127.0.0.1:$port ${of//[0-9]/0}" >known
	one_line 1 "another than before" "$KEYREPEAT" "${rdp[@]}" -o report.json
	[[ $output == *"$of"* ]]
	[ ! -e report.json ]
	run -0 "$KEYREPEAT" "${rdp[@]}" --cert-ignore --watch none -t 100ms --json -o report.json
	[[ $(jq -r .settings.server report.json) == *"certificate not checked (--cert-ignore)"* ]]
	[ ! -e state ]
}

@test "keyrepeat rdp: without a password or a user, keys are refused before it connects; a login dialog could show them" {
	local words

	for words in "" --erase "--watch none"; do
		# shellcheck disable=SC2086 # words
		one_line 2 "login dialog: give --password-file" "$KEYREPEAT" rdp:127.0.0.1:1 $words
	done
	one_line 1 "login dialog: name the user" env -u USER "$KEYREPEAT" rdp:127.0.0.1:1 --password-file password --erase
	one_line 1 "give --no-password" "$KEYREPEAT" rdp:root@127.0.0.1:1 --password-file /dev/null --erase
	start_xrdp
	start_refecho --display "$DISPLAY" --log echo.tsv
	run -0 "$KEYREPEAT" "${rdp[0]}" --known-servers known --rate 0 --watch update -t 300ms -q
	# the dialog of this server has no patch
	one_line 1 "no patch" "$KEYREPEAT" "${rdp[0]}" --known-servers known --watch patch --patch-wait 2s -t 1s
	[ -z "$(tail -n +2 echo.tsv)" ]
}

@test "keyrepeat rdp: with --no-password, keys go to a server that asks for none; no wrong one is suspected" {
	start_xrdp
	one_line 1 "text field in sight" "$KEYREPEAT" "${rdp[0]}" --known-servers known --no-password --erase
	[[ $output != *"in sight; "* ]]
	start_refecho --display "$DISPLAY" --log echo.tsv
	run -0 "$KEYREPEAT" "${rdp[0]}" --known-servers known --no-password --watch none -t 300ms -q
	until_true has_echoed 1
}

# A server that asks for the password before there is a session: of user "root", "secret"
start_shadow() {
	local three=''

	# (their names in Debian 13)
	if command -v winpr-hash3 >/dev/null; then three=3; fi
	need "freerdp-shadow-cli$three" "winpr-hash$three"
	start_x -ac
	unused_port
	"winpr-hash$three" -u root -p secret -f sam >users 2>/dev/null
	mkdir home
	start shadow env HOME="$PWD/home" "freerdp-shadow-cli$three" "/port:$port" /bind-address:127.0.0.1 +auth /sec:nla \
		"/sam-file:$PWD/users"
	until_true listens "$port" "$pid"
	rdp=("rdp:root@127.0.0.1:$port" --cert-ignore)
}

@test "keyrepeat rdp: a wrong password or none ends in a line; with the right one, network level authentication" {
	start_shadow
	one_line 1 "text field in sight" "$KEYREPEAT" "${rdp[@]}" --password-file password --erase
	[[ $output != *"in sight; "* ]] # nor is this one wrong
	start_refecho --display "$DISPLAY"
	echo wrong >wrong
	one_line 1 "refused user root" "$KEYREPEAT" "${rdp[@]}" --password-file wrong
	[[ $output != *secret* ]]
	one_line 1 "wants a password: give --password-file" "$KEYREPEAT" "${rdp[@]}" --watch patch
	one_line 1 "refused user nobody" "$KEYREPEAT" "${rdp[@]}" --user nobody --password-file password
	run -0 "$KEYREPEAT" "${rdp[@]}" --password-file password --watch patch -t 2s --json -o report.json
	[[ $(jq -r .settings.server report.json) == *", NLA,"* ]]
	nothing_left
}

@test "keyrepeat rdp: what is no RDP server, closes or says nothing, gets one line and status 1" {
	unused_port
	one_line 1 "does an RDP server listen there?" "$KEYREPEAT" "rdp:127.0.0.1:$port" --watch patch --cert-ignore
	# closes after the first request; chooses TLS and closes; another protocol; noise; nothing; a byte at a time
	for words in "r100 c" "r100 030000130ed000001234000200080001000000 r100 c" "524642203030332e3030380a" \
		"r100 *$(head -c 2000 /dev/urandom | od -An -tx1 | tr -d ' \n')" "p0" "r100 *03"; do
		# shellcheck disable=SC2086 # words
		mute "mute$RANDOM" ${words/ c/ p0}
		if [[ $words == *" c" ]]; then close_soon "$pid" & fi
		one_line 1 "RDP server" timeout 30 "$KEYREPEAT" "rdp:127.0.0.1:$port" --watch patch --cert-ignore --connect 3s \
			-o report.json
		[ ! -e report.json ]
		kill "$pid" 2>/dev/null || true
		nothing_left
	done
}

close_soon() {	# pid
	sleep 1
	kill "$1"
}

@test "keyrepeat rdp: a server that freezes or dies costs no key that was answered" {
	start_xrdp
	start_refecho --display "$DISPLAY"
	start keys "$KEYREPEAT" "${rdp[@]}" -t 3s --watch patch --log keys.tsv --json -o report.json
	until_true grep -q '^ready$' keys.err
	sleep 1
	kill -STOP "$server"
	ends "$pid"
	kill -CONT "$server"
	[ "$status" -eq 3 ]
	[ "$(figure report.json ended)" = complete ]
	[ "$(figure report.json keys_answered)" -ge 5 ]
	[ "$(figure report.json keys_answered)" -lt 55 ]
	nothing_left
	loses_its_server "${rdp[@]}" --watch patch
	nothing_left
}

# SIGNAL to the process that reads the server, once 20 more keys have reached the application
signal_reader() {	# signal
	until_true has_echoed "$(($(echoed) + 20))"
	kill "$1" "$(children_of "$pid" | tr -d ' ')"
}
has_echoed() { [ "$(echoed)" -ge "$1" ]; }	# keys

@test "keyrepeat rdp: a library that crashes or hangs, or a process that is killed, costs no key that was answered" {
	local how plugin="-DPLUGIN=\"$BIN/keyrepeat_rdp.so\""
	start_xrdp
	start_refecho --display "$DISPLAY" --log echo.tsv
	start keys "$KEYREPEAT" "${rdp[@]}" -t 60s --watch patch --json -o report.json
	signal_reader -KILL
	ends_early killed
	for how in -UHANGS -DHANGS; do
		rm report.json
		crashing freerdp_check_event_handles 0 "$plugin" "$how"
		start keys env LD_PRELOAD="$PWD/crashes.so" "$KEYREPEAT" "${rdp[@]}" -t 8s --watch patch --json -o report.json
		signal_reader -USR1
		while ! gone "$pid"; do sleep 0.1; done	# the runner's limit is long enough for a watchdog that a busy machine keeps waiting
		ends_early SIGABRT
	done
}

@test "keyrepeat rdp: without the plug-in: one line, status 4, nothing else is lost" {
	cp "$KEYREPEAT" .
	one_line 4 freerdp2-dev ./keyrepeat rdp:127.0.0.1 --password-file password -o report.json
	[ ! -e report.json ]
	run -0 ./keyrepeat null: -t 100ms -q
	echo "no object" >keyrepeat_rdp.so
	one_line 4 "--no-install-recommends libfreerdp-client" ./keyrepeat rdp:127.0.0.1 --password-file password
}

@test "keyrepeat rdp: words that go with no RDP server are refused" {
	local words

	for words in rdp: rdp:host:0 rdp:host:x "rdp:host --size 10x10" "rdp:host --size 1024" "rdp:host --window 1" \
		"rdp:host --region auto --watch patch"; do
		# shellcheck disable=SC2086 # words
		one_line 2 "keyrepeat: " "$KEYREPEAT" $words --password-file password
	done
}

@test "keyrepeat rdp, in a lab: of a session that starts again at the same port, only the new certificate is known" {
	local LAB_HERE=$TOP/lab LAB_RUN=$PWD LAB_LOG=$PWD PROTOCOL_NAME=rdp:headless PROTOCOL_PORT

	. "$LAB_HERE/rdp_client.sh"
	lab_url() { echo 10.0.0.1; }
	lab_put() { cat >"$3"; }
	for words in "3389 aa" "3390 bb" "3389 cc"; do
		PROTOCOL_PORT=${words% *}
		rdp_client 1 "${words#* }"
	done
	[ "$(grep . rdp.known | sort | paste -sd,)" = "10.0.0.1:3389 cc,10.0.0.1:3390 bb" ]
}

@test "keyrepeat rdp, in a lab: a protocol's password is not that of another one, and goes with its last session" {
	local LAB_HERE=$TOP/lab LAB_RUN=$PWD LAB_LOG=$PWD PROTOCOL_PORT=3389 file

	. "$LAB_HERE/rdp_client.sh"
	lab_url() { echo 10.0.0.1; }
	lab_put() { cat >"$3"; }
	PROTOCOL_NAME=rdp:headless RDP_PASSWORD=one rdp_client 1 aa
	[ "${PROTOCOL_OPTIONS[0]}" = --password-file ]
	file=${PROTOCOL_OPTIONS[1]}
	PROTOCOL_NAME=shadow RDP_PASSWORD='' rdp_client 1 bb
	[ "$(cat "$file")" = one ]
	PROTOCOL_RUNS=([rdp-1]='' [shadow-1]='')
	lab_exec() { "${@:2}"; }
	PROTOCOL_NAME=shadow protocol_stop
	[ "$(ls ./*.password ./*.known | paste -sd ' ')" = "./rdp.known ./rdp.password" ]
}
