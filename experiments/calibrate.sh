#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: how far the probe itself is off: known delays, measured over each path
# minutes: 3 (with --quick 1)
# needs: two CPUs; Xvnc and Xvfb for the paths through them
# wrong if: the offset from pixels is over 1 ms (through a frame clock: over its floor by more), or grows with the injected delay
#
# The reference application answers each key after a scripted delay and logs, on the same clock, when it got the key and when its
# answer was out. Whatever the probe measures beyond that is its own error and that of the path. The outcome is kept as the
# record of this machine, and every later run carries it.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=calibrate EXP_CALLED=calibrate
EXPERIMENT_SAYS="How far is what the probe measures from what really happened?"
# Not a multiple of any frame; and whatever the delays, answers stay further apart than the merge gap of the capture.
RATE=25 PERIOD_MS=40 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
EXP_MEMORY=0	# the probe is not on the server
APPS=vnc-refecho,vnc,x11 SECONDS_EACH=3.6 REPEATS=2 EXP_AGAIN_PART=9 LINK_USUAL=$LINK

# Name, nominal delay in ms (null: not one), what refecho is told. FILE becomes the list of delays.
DELAYS=("0 ms|0|const:0ms" "5 ms|5|const:5ms" "20 ms|20|const:20ms" "80 ms|80|const:80ms" "5 to 15 ms|null|uniform:5ms,15ms" "2 or 15 ms|null|file:FILE")

exp_usage() {
	cat <<END
usage: thinprobe calibrate [--protocol P,...] [--seconds S] [--repeat R] [--quick] [--seed N] [--link RATE] [--keep-captures]
         [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
The record is kept for this machine ($(calibration_file)), but not with another --link or on
shared CPUs; a quick or disturbed one is marked, and does not replace one that is neither.
  --protocol P,...  paths: vnc:refecho, vnc, x11 (all of them; a path left out keeps what is on record)
  --seconds S       length of each train of keys ($SECONDS_EACH)
  --repeat R        repeats of every delay on every path, in random order ($REPEATS)
  --quick           2 s and one repeat: a first idea
  --seed N          seed of the order, of the due times and of the delays ($SEED)
  --link RATE       rate of the link, or none ($LINK)
  --keep-captures   keep each capture as capture.pcap in its cell
  --resume RUN      redo only what that run lacks, with its settings
  -o DIR            put the run folder here (results/calibrate/<time>)
END
}

calibrate_options() {
	local path
	exp_parse "--quick QUICK --keep-captures KEEP" "--protocol APPS --seconds SECONDS_EACH --repeat REPEATS --seed SEED --link LINK" "$@"
	APPS=${APPS//:/-}
	if [ "$QUICK" = 1 ]; then
		exp_given --seconds || SECONDS_EACH=2
		exp_given --repeat || REPEATS=1
	fi
	exp_resume
	exp_list --protocol "$APPS"
	for path in ${APPS//,/ }; do
		case $path in vnc-refecho | vnc | x11) ;; *) exp_bad "--protocol $path: vnc:refecho, vnc or x11" ;; esac
	done
	[[ $SECONDS_EACH =~ ^[1-9][0-9]{0,3}(\.[0-9]{1,3})?$ ]] || exp_bad "--seconds $SECONDS_EACH: from 1 to 9999, such as 3.6"
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	[[ $LINK =~ ^(none|[0-9]+(\.[0-9]+)?[KMGkmg]?bit)$ ]] || exp_bad "--link $LINK: a rate such as 10Mbit, or none"
	LOADS=$(seq -s , 0 $((${#DELAYS[@]} - 1)))
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	printf '%s\n' "${DELAYS[@]}" | jq -cRn --arg paths "$APPS" --argjson repeats "$REPEATS" --argjson seconds "$SECONDS_EACH" --argjson seed "$SEED" \
		--arg link "$LINK" --argjson rate "$RATE" '{paths: ($paths | split(",")),
		delays: [inputs | split("|") | {name: .[0], ms: (.[1] | fromjson), option: .[2]}],
		repeats: $repeats, seconds: $seconds, rate_per_s: $rate, schedule: "jittered", seed: $seed, link: $link}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "APPS=\(.paths | join(",")) SECONDS_EACH=\(.seconds | tostring) REPEATS=\(.repeats | tostring)
		SEED=\(.seed | tostring) LINK=\(.link)"' "$RESUME/run.json")"
}

exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_words() { echo "$2, ${DELAYS[$1]%%|*}"; }

declare -A PATH_DISPLAY PATH_TARGET PATH_PORT

use_path() {
	protocol_use "${1/-/:}"
	app_use refecho
}

# Displays stay up for the whole run; the reference application is new for each train, so that key 1 is its first.
start_paths() {
	local path
	for path in ${APPS//,/ }; do
		use_path "$path"
		run_set '.protocols[$path] = $settings' --arg path "$path" --argjson settings "$(protocol_settings)"
		[ "$(protocol_kind)" = display ] || continue
		protocol_start "$path"
		PATH_DISPLAY[$path]=$PROTOCOL_DISPLAY PATH_TARGET[$path]=$PROTOCOL_TARGET PATH_PORT[$path]=$PROTOCOL_PORT
	done
}

# Two humps, one key in five in the late one; the list is the seed's.
bimodal_file() {
	awk -v seed="$1" 'BEGIN { srand(seed); for (i = 0; i < 2000; i++) print rand() < 0.2 ? "15ms" : "2ms" }' >"$2"
}

exp_cell() {	# exp_cell PATH DELAY REPEAT FOLDER
	local path=$1 folder=$4 seed=$((SEED * 1000 + $3 * 10 + $2)) option=${DELAYS[$2]##*|}
	local echo_pid='' probe tap='' go status reason='' before='' after='' LAB_LOG=$4
	local APP_COST=0ms APP_FLAGS=(-R) APP_OPTIONS APP_PID=''
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
	lab_start -i "$go" client keyrepeat "$TP_BIN/keyrepeat" "${PATH_TARGET[$path]}" --rate "$RATE" -t "${SECONDS_EACH}s" --schedule jittered \
		--seed "$seed" --watch patch --priority 20 --hold-start --log "$folder/samples.tsv" --format json
	probe=$LAB_PID
	lab_ready keyrepeat 20 || reason="the probe did not connect: $(tail -n 1 "$folder/keyrepeat.err")"
	if [ -z "$reason" ]; then
		lab_start -C server prototap "$TP_BIN/prototap" live -i "$LAB_IF_server" --port "${PATH_PORT[$path]}" -w "$folder/capture.pcap" --format json
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
	write_cell "$path" "$2" "$3" "$folder" "$reason" "$before" "$after"
	[ -z "$reason" ] || warn "$path, $(exp_words "$2" "$path"), repeat $3: $reason"
}

# When keys and updates were on the server's link, on the clock of the keys. Which update answers which key is not asked: that the
# application's log tells.
wire_rows() {	# wire_rows FOLDER PORT
	"$TP_BIN/prototap" read "$1/capture.pcap" --port "$2" --keys "$1/samples.tsv" --pairing none --rows "$1/wire.tsv" -o /dev/null 2>"$1/wire.err"
	case $? in 0 | 3) ;; *) return 1 ;; esac
	[ -s "$1/wire.err" ] || rm -f "$1/wire.err"
}

# Foreign and stolen CPU time of both sides: the probe's CPUs matter as much as the application's.
write_cell() {	# write_cell PATH DELAY REPEAT FOLDER REASON BEFORE AFTER
	local foreign=null marked='' folder=$4
	if [ -n "$7" ]; then	# now busy steal own, in ns, of the server and of the client
		foreign=$(awk -v a="$6" -v b="$7" -v server="$(nproc_of server)" -v client="$(nproc_of client)" 'BEGIN {
			split(a, x, " "); split(b, y, " "); n[0] = server; n[4] = client
			for (i = 0; i <= 4; i += 4) {
				f = (y[i + 2] - x[i + 2]) - (y[i + 4] - x[i + 4]); if (f < 0) f = 0
				share = 100 * (f + y[i + 3] - x[i + 3]) / ((y[i + 1] - x[i + 1]) * n[i]); if (share > most) most = share
			}
			printf "%.2f\n", most }')
		! awk -v f="$foreign" -v l="$FOREIGN_LIMIT" 'BEGIN { exit !(f > l) }' || marked="foreign and stolen CPU time $foreign %: over $FOREIGN_LIMIT %"
	fi
	jq -n --arg path "$1" --arg delay "${DELAYS[$2]%%|*}" --argjson repeat "$3" --arg reason "$5" --argjson foreign "$foreign" --arg marked "$marked" '
		{schema: "thinprobe.cell/1", parameters: {path: $path, delay: $delay}, repeat: $repeat,
		state: (if $reason == "" then "complete" else "failed" end), reason: $reason, foreign_percent: $foreign, marked: $marked}' | put_json "$folder/cell.json"
}

nproc_of() {	# how many CPUs a role has
	local cpus=LAB_CPUS_$1
	awk -v list="${!cpus}" 'BEGIN { n = split(list, part, ","); for (i = 1; i <= n; i++) { split(part[i], e, "-"); sum += (e[2] == "" ? e[1] : e[2]) - e[1] + 1 } print sum }'
}

# The record of this machine: the rows of all delays together. Another link, or shared CPUs, is not what later runs measure through.
exp_reported() {
	local why='' record path
	[ "$1" = complete ] || { warn "not all was measured: the record of this machine stays as it was"; return 0; }
	"$TP_HOME/report/record.sh" "$RUN" | jq -c --arg machine "$(calibration_machine)" '.machine = $machine' | put_json "$RUN/calibration.json"
	[ "${LINK,,}" = "${LINK_USUAL,,}" ] || why="the link was $LINK"
	[ "$(jq .lab.shared_cpus "$RUN/run.json")" != true ] || why+="${why:+, and }server and client shared CPUs"
	[ -z "$why" ] || { warn "$why: the record of this machine stays as it was"; return 0; }
	record=$(calibration_add <"$RUN/calibration.json") || {
		warn "the record could not be kept in $(calibration_file); set THINPROBE_STATE to a folder that can be written"
		return 0
	}
	for path in ${APPS//,/ }; do
		why=$(jq -r --arg path "$path" --argjson record "${record:-null}" 'first(.paths[] | select(.path == $path)) | select(IN($record.paths[]?) | not)
			| [if .quick then "quick" else empty end, if .disturbed then "disturbed" else empty end] | join(" and ")' "$RUN/calibration.json")
		[ -z "$why" ] || warn "$path: this was $why, so the full and undisturbed calibration on record stays"
	done
}

calibrate_options "$@"
for path in ${APPS//,/ }; do
	use_path "$path"
	why=$(protocol_can) || die "-$EXIT_MISSING" "$path cannot run here: $why (or leave it out with --protocol)"
done
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log
lab_use local
exp_step "two hosts and their sessions"
lab_up
start_paths
exp_circumstances "$(facts_json)" null \
	"$(jq -n --arg s "$LAB_CPUS_server" --arg c "$LAB_CPUS_client" --arg r "$LINK" --argjson shared "$LAB_SHARED_CPUS" --argjson rootless "$LAB_ROOTLESS" \
		--argjson rt "$(lab_can client rt && echo true || echo false)" '{cpus_server: $s, cpus_client: $c, rate: $r, shared_cpus: ($shared == 1), rootless: ($rootless == 1), real_time: $rt}')"
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client, paths: ${APPS//,/, }; known delays at $RATE keys/s"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(facts_json)"
for path in ${APPS//,/ }; do
	use_path "$path"
	protocol_stop "$path"
done
lab_down
exp_end
