# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the engine and the lab
# cell.sh - calibrate: the reference application answers each key after a scripted delay and logs, on the same clock, when it
# got the key and when its answer was out. Whatever the probe measures beyond that is its own error and that of the path. The
# outcome is kept as the record of this machine, and every later run carries it.
RATE=25	# a key each 40 ms: whatever the delays, answers stay further apart than the merge gap of the capture
LINK_USUAL=${OPT[link.default]}
# Name, nominal delay in ms (null: not one), what refecho is told. FILE becomes the list of delays.
DELAYS=("0 ms|0|const:0ms" "5 ms|5|const:5ms" "20 ms|20|const:20ms" "80 ms|80|const:80ms" "5 to 15 ms|null|uniform:5ms,15ms"
	"2 or 15 ms|null|file:FILE")
declare -A PATH_DISPLAY PATH_TARGET PATH_PORT

exp_check() {
	PATHS=${PATHS//:/-}
	[[ $LINK != *,* ]] || exp_bad "--link $LINK: a rate such as 10Mbit, or none"
}

exp_choose() {
	local path why
	for path in ${PATHS//,/ }; do
		use_path "$path"
		why=$(protocol_can) || die "-$EXIT_MISSING" "$path cannot run here: $why (or leave it out with --protocol)"
	done
}

exp_cells() {
	local path delay
	for path in ${PATHS//,/ }; do for delay in "${DELAYS[@]}"; do printf '%s\t%s\n' "$path" "${delay%%|*}"; done; done
}

exp_settings() {
	printf '%s\n' "${DELAYS[@]}" | jq -cRn '{delays: [inputs | split("|") | {name: .[0], ms: (.[1] | fromjson), option: .[2]}]}'
}

exp_words() { echo "${P[path]}, ${P[delay]}"; }
exp_says() { echo ", paths: ${PATHS//,/, }; known delays at $RATE keys/s"; }

use_path() {
	protocol_use "${1/-/:}"
	app_use refecho
}

# Displays stay up for the whole run; the reference application is new for each train, so that key 1 is its first.
exp_begin() {
	local path
	for path in ${PATHS//,/ }; do
		use_path "$path"
		run_set '.protocols[$path] = $settings' --arg path "$path" --argjson settings "$(protocol_settings)"
		[ "$(protocol_kind)" = display ] || continue
		protocol_start "$path"
		PATH_DISPLAY[$path]=$PROTOCOL_DISPLAY PATH_TARGET[$path]=$PROTOCOL_TARGET PATH_PORT[$path]=$PROTOCOL_PORT
	done
}

exp_before_cells() {
	run_set '.lab.real_time = $rt' --argjson rt "$(lab_can client rt && echo true || echo false)"
}

# Two humps, one key in five in the late one; the list is the seed's.
bimodal_file() {
	awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 2000; i++) print rand() < 0.2 ? "15ms" : "2ms" }' >"$2"
}

exp_measure() {
	local path=${P[path]} folder=$3 option seed n echo_pid='' probe tap='' go status reason='' before='' after='' LAB_LOG=$3
	local APP_COST=0ms APP_FLAGS=(-R) APP_OPTIONS APP_PID=''
	for ((n = 0; n < ${#DELAYS[@]}; n++)); do [ "${DELAYS[n]%%|*}" != "${P[delay]}" ] || break; done
	seed=$((SEED * 1000 + $2 * 10 + n)) option=${DELAYS[n]##*|}
	bimodal_file "$seed" "$folder/delays"
	APP_OPTIONS=(--delay "${option/FILE/$folder/delays}" --seed "$seed" --log "$folder/echo.tsv" --priority 20)
	use_path "$path"
	if [ "$(protocol_kind)" = display ]; then
		app_start "${PATH_DISPLAY[$path]}"
		echo_pid=$APP_PID
	else
		protocol_start "$path"
		PATH_TARGET[$path]=$PROTOCOL_TARGET PATH_PORT[$path]=$PROTOCOL_PORT
	fi
	open_pipe go
	lab_start -i "$go" client keyrepeat "$TP_BIN/keyrepeat" "${PATH_TARGET[$path]}" --rate "$RATE" -t "${SECONDS_EACH}s" \
		--schedule jittered --seed "$seed" --watch patch --priority 20 --hold-start --log "$folder/samples.tsv" --format json
	probe=$LAB_PID
	lab_ready keyrepeat 20 || reason="the probe did not connect: $(tail -n 1 "$folder/keyrepeat.err")"
	if [ -z "$reason" ]; then
		lab_start -C server prototap "$TP_BIN/prototap" live -i "$LAB_IF_server" --port "${PATH_PORT[$path]}" \
			-w "$folder/capture.pcap" --format json
		tap=$LAB_PID
		lab_ready prototap 10 || reason="the capture did not start: $(tail -n 1 "$folder/prototap.err")"
	fi
	! stopped || reason="interrupted"
	if [ -z "$reason" ]; then
		before="$(lab_cpu server) $(lab_cpu client)"
		echo go >&"$go"
		lab_wait "$probe"
		status=$?
		[ "$status" -le 128 ] || { lab_stop "$probe"; status=130; }
		after="$(lab_cpu server) $(lab_cpu client)"
		case $status in 0 | 3) ;; 130) reason="interrupted" ;; *) reason=$(tail -n 1 "$folder/keyrepeat.err") ;; esac
	else
		lab_stop "$probe"
	fi
	[ -z "$tap" ] || lab_stop "$tap"
	# Ending it writes out its log.
	if [ -n "$echo_pid" ]; then lab_stop "$echo_pid"; else protocol_stop "$path"; fi
	exec {go}>&-
	mv "$folder/keyrepeat.out" "$folder/keyrepeat.json" 2>/dev/null
	mv "$folder/prototap.out" "$folder/prototap.json" 2>/dev/null
	rm -f "$folder"/*.out "$folder/delays"
	find "$folder" -name '*.err' -size -7c -delete
	[ -n "$reason" ] || wire_rows "$folder" "${PATH_PORT[$path]}" || reason="the wire told nothing: $(tail -n 1 "$folder/wire.err")"
	[ "$KEEP" = 1 ] || rm -f "$folder/capture.pcap"
	[ -n "$reason" ] || [ -s "$folder/echo.tsv" ] || reason="the application left no log"
	write_cell "$folder" "$2" "$reason" "$before" "$after"
}

# When keys and updates were on the server's link, on the clock of the keys. Which update answers which key is not asked:
# that the application's log tells.
wire_rows() {	# wire_rows FOLDER PORT
	"$TP_BIN/prototap" read "$1/capture.pcap" --port "$2" --keys "$1/samples.tsv" --pairing none --rows "$1/wire.tsv" \
		-o /dev/null 2>"$1/wire.err"
	case $? in 0 | 3) ;; *) return 1 ;; esac
	[ -s "$1/wire.err" ] || rm -f "$1/wire.err"
}

# Foreign and stolen CPU time of both sides: the probe's CPUs matter as much as the application's.
write_cell() {	# write_cell FOLDER REPEAT REASON BEFORE AFTER
	local foreign=null flags=''
	if [ -n "$5" ]; then	# now busy steal own, in ns, of the server and of the client
		foreign=$(awk -v a="$4" -v b="$5" -v server="$(machine_cpu_list "$LAB_CPUS_server" | wc -w)" \
			-v client="$(machine_cpu_list "$LAB_CPUS_client" | wc -w)" 'BEGIN {
			split(a, x, " "); split(b, y, " "); n[0] = server; n[4] = client
			for (i = 0; i <= 4; i += 4) {
				f = (y[i + 2] - x[i + 2]) - (y[i + 4] - x[i + 4]); if (f < 0) f = 0
				share = 100 * (f + y[i + 3] - x[i + 3]) / ((y[i + 1] - x[i + 1]) * n[i]); if (share > most) most = share
			}
			printf "%.2f\n", most }')
		! awk -v f="$foreign" 'BEGIN { exit !(f > 3) }' || flags="foreign and stolen CPU time $foreign %: over 3 %"
	fi
	cell_write "$1" "$2" "$3" "$flags" "$(jq -cn --argjson foreign "$foreign" '{foreign_percent: $foreign}')"
}

exp_end_lab() {
	local path
	for path in ${PATHS//,/ }; do
		use_path "$path"
		protocol_stop "$path"
	done
}

# The record of this machine: the rows of all delays together. Another link, or shared CPUs, is not what later runs measure
# through.
exp_reported() {
	local why='' record path
	[ "$1" = complete ] || { warn "not all was measured: the record of this machine stays as it was"; return 0; }
	"$TP_HOME/report/record.sh" "$RUN" | jq -c --arg machine "$(calibration_machine)" '.machine = $machine' |
		put_json "$RUN/calibration.json"
	[ "${LINK,,}" = "${LINK_USUAL,,}" ] || why="the link was $LINK"
	[ "$(jq .lab.shared_cpus "$RUN/run.json")" != true ] || why+="${why:+, and }server and client shared CPUs"
	[ -z "$why" ] || { warn "$why: the record of this machine stays as it was"; return 0; }
	record=$(calibration_add <"$RUN/calibration.json") || {
		warn "the record could not be kept in $(calibration_file); set THINPROBE_STATE to a folder that can be written"
		return 0
	}
	for path in ${PATHS//,/ }; do
		why=$(jq -r --arg path "$path" --argjson record "${record:-null}" '
			first(.paths[] | select(.path == $path)) | select(IN($record.paths[]?) | not)
			| [if .quick then "quick" else empty end, if .disturbed then "disturbed" else empty end] | join(" and ")' \
			"$RUN/calibration.json")
		[ -z "$why" ] || warn "$path: this was $why, so the full and undisturbed calibration on record stays"
	done
}
