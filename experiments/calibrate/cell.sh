# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - calibrate: the reference application answers each key after a scripted delay and logs, on the same clock, when it
# got the key and when it had sent the answer. Any longer time that the probe measures is the error of the probe and the path. The
# result is kept as the record of this machine, and copied into every later run.
RATE=25	# a key each 40 ms: with any of the delays, answers are further apart than the merge gap of the capture
LINK_USUAL=${OPT[link.default]}
# Name, nominal delay in ms (null: several), option of refecho. FILE becomes the list of delays.
DELAYS=("0 ms|0|const:0ms" "5 ms|5|const:5ms" "20 ms|20|const:20ms" "80 ms|80|const:80ms" "5 to 15 ms|null|uniform:5ms,15ms"
	"2 or 15 ms|null|file:FILE")
declare -A PATH_DISPLAY PATH_TARGET PATH_PORT PATH_OPTIONS

exp_check() {
	local client
	PATHS=${PATHS//:/-}
	[[ $LINK != *,* ]] || exp_bad "--link $LINK: must be a rate such as 10Mbit, or none"
	[ "$ON_BACKEND" = ssh ] || return 0
	# One clock for the application and the probe: both roles are on the client.
	IFS=, read -r _ client _ <<<"$ON_ARGS"
	[ "$client" != . ] || exp_bad "--on $ON: the client is this machine; calibrate it without --on"
	ON_ARGS=$client,$client
	ABSENT+=("server and link: no single clock sees a key's way there; this is the probe's half, all of it on $client")
}

exp_choose() {
	local path why here=''
	for path in ${PATHS//,/ }; do
		use_path "$path"
		if why=$(protocol_can); then here+=,$path; continue; fi
		! plan_given protocol || die "-$EXIT_MISSING" "$path cannot run here: $why (or leave it out with --protocol)"
		ABSENT+=("path $path: $why")
	done
	[ -n "$here" ] || die "-$EXIT_MISSING" "no path can run here: ${ABSENT[-1]#*: }"
	PATHS=${here#,}
}

exp_cells() {
	local path delay
	for path in ${PATHS//,/ }; do for delay in "${DELAYS[@]}"; do printf '%s\t%s\n' "$path" "${delay%%|*}"; done; done
}

exp_settings() {
	printf '%s\n' "${DELAYS[@]}" | jq -cRn '{delays: [inputs | split("|") | {name: .[0], ms: (.[1] | fromjson), option: .[2]}]}'
}

exp_words() { echo "${P[path]}, ${P[delay]}"; }
use_path() {
	protocol_use "${1/-/:}"
	app_use refecho
}

# Displays stay up for the whole run; the reference application is new for each train, so that key 1 is its first.
exp_begin() {
	local path
	RUN_SAYS=", paths: ${PATHS//,/, }; known delays at $RATE keys/s"
	for path in ${PATHS//,/ }; do
		use_path "$path"
		run_set '.protocols[$path] = $settings' --arg path "$path" --argjson settings "$(protocol_settings)"
		[ "$(protocol_kind)" = display ] || continue
		must protocol_start "$path"
		path_started "$path"
	done
}
path_started() {
	PATH_DISPLAY[$1]=$PROTOCOL_DISPLAY PATH_TARGET[$1]=$PROTOCOL_TARGET PATH_PORT[$1]=$PROTOCOL_PORT
	PATH_OPTIONS[$1]=${PROTOCOL_OPTIONS[*]@Q}
}

exp_before_cells() {
	run_set '.lab.real_time = $rt | .machine = $machine' --argjson rt "$(lab_can client rt && echo true || echo false)" \
		--arg machine "${LAB_CALIBRATION_OF:-$(calibration_machine)}"
}

exp_run() {	# exp_run FOLDER REPEAT
	local path=${P[path]} n seed APP_COST=0ms APP_FLAGS=(-R -o "$1/echo.tsv") APP_OPTIONS LAB_WORD options=()
	TAP='' KEYS_PID='' GO=''
	for ((n = 0; n < ${#DELAYS[@]}; n++)); do [ "${DELAYS[n]%%|*}" != "${P[delay]}" ] || break; done
	seed=$((SEED * 1000 + $2 * 10 + n))
	# a bimodal list of delays, every fifth one late on average, made from the seed
	awk -v x="$((seed % 2147483646 + 1))" 'BEGIN {	# (the same in every awk)
		for (i = 0; i < 2000; i++) { x = x * 16807 % 2147483647; print x < 0.2 * 2147483647 ? "15ms" : "2ms" } }' |
		lab_put server - "$LAB_LOG/delays"
	lab_there server "$LAB_LOG/delays"
	APP_OPTIONS=(--answer-delay "${DELAYS[n]##*|}" --seed "$seed" --log "$1/echo.tsv" --priority 20)
	APP_OPTIONS[1]=${APP_OPTIONS[1]/FILE/$LAB_WORD}
	use_path "$path"
	if [ "$(protocol_kind)" = display ]; then
		app_start "${PATH_DISPLAY[$path]}" || return
	else
		protocol_start "$path" || return
		path_started "$path"
	fi
	eval "options=(${PATH_OPTIONS[$path]})"
	open_pipe GO
	lab_start -i "$GO" -o "$1/samples.tsv" client keyrepeat "$TP_BIN/keyrepeat" "${PATH_TARGET[$path]}" --rate "$RATE" \
		-t "${SECONDS_EACH}s" ${options[@]+"${options[@]}"} --schedule jittered --seed "$seed" --watch patch \
		--priority 20 --hold-start --log "$1/samples.tsv" --format json
	KEYS_PID=$LAB_PID
	is_ready keyrepeat 20 "the probe did not connect" || return
	if [ -n "$LAB_TAP_IF" ]; then
		lab_tap -o "$1/capture.pcap" prototap --port "${PATH_PORT[$path]}" -w "$1/capture.pcap"
		TAP=$LAB_PID
		is_ready prototap 10 "the capture did not start" || return
	fi
	! stopped || return
	cpu_begin
	echo go >&"$GO"
	has_ended keyrepeat "$1" || return
	cpu_end
}

exp_stop() {	# exp_stop FOLDER
	lab_stop "$KEYS_PID"
	lab_stop "$TAP"
	# The application writes its log when it ends.
	if [ "$(protocol_kind)" = display ]; then lab_stop "$APP_PID"; else protocol_stop "${P[path]}"; fi
	[ -z "$GO" ] || exec {GO}>&-
	[ -n "$reason" ] || [ -z "$TAP" ] || wire_rows "$1" || { LAB_WHY="the wire told nothing: $(last_word wire)"; return 1; }
	[ "$KEEP" = 1 ] || rm -f "$1/capture.pcap"
	LAB_WHY="the application left no log"
	[ -s "$1/echo.tsv" ]
}

# Writes when keys and updates were on the server's link, on the clock of the keys. No pairing: the application's log says which
# update answers which key.
wire_rows() {	# wire_rows FOLDER
	"$TP_BIN/prototap" read "$1/capture.pcap" --port "${PATH_PORT[${P[path]}]}" --keys "$1/samples.tsv" --pairing none \
		--rows "$1/wire.tsv" -o /dev/null 2>"$LAB_LOG/wire.err" || [ $? = 3 ]
}

# Foreign and stolen time of the side that lost more: the probe's CPUs matter as much as the application's.
exp_ran() {
	! LC_ALL=C awk -v s="$FOREIGN $STEAL" -v c="$CLIENT_FOREIGN $CLIENT_STEAL" 'BEGIN {
		split(s, x, " "); split(c, y, " "); exit !(y[1] + y[2] > x[1] + x[2]) }' ||
			FOREIGN=$CLIENT_FOREIGN STEAL=$CLIENT_STEAL
}

# Adds this run to the machine's record, all delays together; not if it had another link or shared CPUs, which later runs do not
# have.
exp_summed() {
	local why='' record path machine whose='this machine'
	# (a run of which nothing is missing is summed up without its hosts)
	machine=$(jq -r '.machine // "" | select(test("^[0-9a-f]+$"))' "$RUN/run.json")
	[ "$ON_BACKEND" != ssh ] || whose='the client' LAB_CALIBRATION_OF=$machine
	[ -n "$machine" ] || { warn "this run does not say of which machine it is: $whose keeps its earlier calibration"; return 0; }
	[ "$machine" = "${LAB_CALIBRATION_OF:-$(calibration_machine)}" ] ||
		{ warn "this run is of another machine: $whose keeps its earlier calibration"; return 0; }
	[ "$CELLS_LEFT" = 0 ] && ! stopped ||
		{ warn "the calibration is incomplete: $whose keeps its earlier one"; return 0; }
	"$TP_BIN/summarize" "$RUN" --format json -o /dev/null >/dev/null 2>&1
	"$TP_BIN/report" --record "$RUN" |
		jq -c --arg machine "$machine" '.machine = $machine' | put_json "$RUN/calibration.json"
	[ "$ON_BACKEND" = ssh ] || [ "${LINK,,}" = "${LINK_USUAL,,}" ] || why="the link was $LINK, not the usual $LINK_USUAL"
	[ "$(jq .lab.shared_cpus "$RUN/run.json")" != true ] || why+="${why:+, and }server and client shared CPUs"
	[ -z "$why" ] || { warn "$why: $whose keeps its earlier calibration"; return 0; }
	record=$(calibration_add <"$RUN/calibration.json") || {
		warn "cannot write the calibration to $(calibration_file); set THINPROBE_STATE to a writable folder"
		return 0
	}
	for path in ${PATHS//,/ }; do
		why=$(jq -r --arg path "$path" --argjson record "${record:-null}" '
			first(.paths[] | select(.path == $path)) | select(IN($record.paths[]?) | not)
			| [if .quick then "quick" else empty end, if .disturbed then "disturbed" else empty end] | join(" and ")' \
			"$RUN/calibration.json")
		[ -z "$why" ] || warn "$path: this calibration was $why; the earlier one, which was not, is kept"
	done
}
