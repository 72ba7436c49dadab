# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - replay: a trace of one's own is replayed on VNC servers that others run. This machine is the client; of the servers
# nothing is known but what they show, and nothing is changed there.
. "$TP_HOME/kits/replay/experiments/families/replays.sh"
PROTOCOL='' KEEP_CACHES=1	# the servers and their caches are not ours
OPT[on.key]=-	# settings.on says where
declare -A SERVER_OF=() PASSWORD_OF=()
OUTLIERS=3

exp_check() {
	local servers labels passwords=() i name
	check_paper
	[ -z "$RESUME" ] || [ ! -f "$RESUME/session.trace" ] || TRACE=$RESUME/session.trace
	[ -z "$TRACE" ] || TRACE=$(realpath -m -- "$TRACE")
	IFS=, read -ra servers <<<"$TO"
	IFS=, read -ra labels <<<"$LABEL"
	IFS=, read -ra passwords <<<"$PASSWORD_FILE"
	[ -z "$LABEL" ] || [ "${#labels[@]}" = "${#servers[@]}" ] ||
		exp_bad "--label $LABEL: must be as many names as there are servers (--to), ${#servers[@]}"
	[ "${#passwords[@]}" -le 1 ] || [ "${#passwords[@]}" = "${#servers[@]}" ] ||
		exp_bad "--password-file $PASSWORD_FILE: must be one file, or one for each of ${#servers[@]} servers"
	for i in "${!servers[@]}"; do
		name=${servers[i]#vnc:}
		[[ $name =~ ^[^:,\ -][^\ ]*::?[0-9]{1,5}$ ]] ||
			exp_bad "--to ${servers[i]}: must be vnc:HOST:DISPLAY or vnc:HOST::PORT, such as vnc:localhost:1"
		[ -n "$LABEL" ] || labels[i]=${name//[^A-Za-z0-9._-]/-}
		[[ ${labels[i]} =~ ^[A-Za-z0-9][A-Za-z0-9._-]*$ && ! ${labels[i]} =~ ^[0-9.]+(e-?[0-9]+)?$ ]] ||
			exp_bad "--label ${labels[i]}: must begin with a letter or digit, go on with these or . _ -, and not a number"
		[ -z "${SERVER_OF[${labels[i]}]-}" ] ||
			exp_bad "two servers are called ${labels[i]}: give each a name with --label"
		SERVER_OF[${labels[i]}]=$name
		name=${passwords[i]-${passwords[0]--}}
		[ "$name" = - ] || name=$(realpath -m -- "$name")
		PASSWORD_OF[${labels[i]}]=${name#-}
	done
	SERVERS=("${labels[@]}") ON_BACKEND=attach ON_ARGS=''
}
exp_choose() {
	local file
	[ -n "$TRACE" ] || exp_bad "--trace is missing: name a trace, made by thinprobe vncplay record HOST:1 FILE"
	[ -n "$TO" ] || exp_bad "--to is missing: name a VNC server, such as --to vnc:HOST:1"
	plan_file --trace "$TRACE"
	for file in "${PASSWORD_OF[@]}"; do [ -z "$file" ] || plan_file --password-file "$file"; done
}
exp_cells() { printf '%s\n' "${SERVERS[@]}"; }
setting_row() { printf '\t%s%s\n' "$1" "$([ "$1" = "${SERVER_OF[$1]//[^A-Za-z0-9._-]/-}" ] || echo " (${SERVER_OF[$1]})")"; }
exp_settings() { settings_of_rows | jq -c --arg to "$TO" '. + {on: "attach:\($to)", app: null}'; }
exp_begin() {
	RUN_SAYS=", ${#SERVERS[@]} in all: ${SERVERS[*]}"
	[ "$TRACE" -ef "$RUN/session.trace" ] || cp -- "$TRACE" "$RUN/session.trace" || die "cannot copy $TRACE to $RUN"
}
exp_before_cells() { :; }

session_make() {	# session_make LABEL REPEAT
	PLAY_SERVER=${SERVER_OF[$1]} PROTOCOL_OPTIONS=(${PASSWORD_OF[$1]:+--password-file "${PASSWORD_OF[$1]}"})
	[ -n "$BEFORE" ] || return 0
	# What it leaves running must not hold the lock of the run folder.
	LAB_AS=probe lab_start client before env VNCPLAY_LABEL="$1" VNCPLAY_SERVER="$PLAY_SERVER" VNCPLAY_RUN="$CELL/$2" \
		"${LAB_CLOSED[@]}" sh -c "$BEFORE"
	lab_wait "$LAB_PID" && return
	LAB_WHY="--before ended with status $?: $(last_word before)"
	return 1
}
session_end() { :; }

exp_summed() {
	replays_analyze
	[ "$METHOD" = paper ] || outliers_show
}

# The replays that answered an input latest, compared with the median of its replays on the first server: outliers.tsv, and the
# screen before the input and at its answer as pictures. Each input is there once.
outliers_show() {
	local input label repeat file complete press before rest size n=0
	rm -rf "$RUN/pictures" && mkdir "$RUN/pictures" || return
	printf 'setting\trepeat\tinput\tkind\tlatency_ms\tusual_ms\tbefore\tafter\twidth\theight\tskip\n' >"$RUN/outliers.new"
	while IFS=$'\t' read -r file label repeat input complete rest; do
		press=$(awk -v n="$input" '$1 == "input" && $2 == n { print $5; exit }' "$RUN/$file.aux")
		[ -n "$press" ] || continue
		n=$((n + 1)) before=$((press > 1000 ? press - 1000 : 0))us
		"$TP_BIN/vncplay" picture "$RUN/$file" "$RUN/pictures/$n-before.ppm" --at "$before" &&
			"$TP_BIN/vncplay" picture "$RUN/$file" "$RUN/pictures/$n-after.ppm" --at "$((press + complete))us" --since "$before" ||
			continue
		size=$(sed -n 2p "$RUN/pictures/$n-after.ppm")
		printf '%s\t' "$label" "$repeat" "$input" "${rest//$'\n'/}" pictures/$n-before.ppm \
			pictures/$n-after.ppm "${size% *}" "${size#* }"
		printf '%s\n' $((8 + ${#size}))
	done < <(jq -r --argjson most "$OUTLIERS" --arg base "${SERVERS[0]}" --argjson sure "$CONFIDENCE" '
		.result as $result | [$result.responses[] as $response | select($response.kind != "move" and $response.confidence >= $sure)
		| ([$response.latency_from_press_ms | to_entries[] | select($result.runs[.key].label == $base) | .value | numbers]
			| sort | .[(length - 1) / 2 | floor]) as $usual | select($usual)
		| $response.latency_from_press_ms | to_entries[] | select(.value != null and .value > $usual)
		| $result.runs[.key] + {ms: .value, $usual, complete: $response.complete_ms[.key]} + ($response | {input, kind})]
		| group_by(.input) | map(max_by(.ms - .usual)) | sort_by(.usual - .ms) | .[:$most][]
		| [.file, .label, (.file | split("/")[2]), .input, (((.complete // .ms) + 1) * 1000 | round), .kind, .ms, .usual] | @tsv' \
		"$RUN/analysis.json" 2>/dev/null) >>"$RUN/outliers.new" 2>>"$RUN/log/pictures.err"
	[ -s "$RUN/log/pictures.err" ] || rm -f "$RUN/log/pictures.err"
	mv "$RUN/outliers.new" "$RUN/outliers.tsv"
}
