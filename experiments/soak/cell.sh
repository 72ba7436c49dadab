# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - soak: one session, one viewer that stays connected, and a key every few seconds for hours. At the end of each block of
# time its keys become figures, and both ends of the connection and their processes are read, into blocks.tsv. After each block
# judge looks at all of them (drift.json). Floor, median and late share together decide.

PROTOCOL_OPTIONS=()
LATE_POINTS=10	# growth of the late share that is of interest

exp_check() {
	[[ $EFFECT =~ ^[0-9]+(\.[0-9]+)?(%|ms)$ ]] || exp_bad "--effect $EFFECT: a share such as 10%, or a time such as 5ms"
	read -r BLOCK_MS EVERY_MS BLOCKS < <(LC_ALL=C awk -v t="$SECONDS_EACH" -v b="$BLOCK" -v e="$EVERY" 'BEGIN {
		printf "%.0f %.0f %d\n", 1000 * b, 1000 * e, t / b }')
	[ $((BLOCK_MS / EVERY_MS)) -ge 4 ] || exp_bad "--every ${EVERY}s with --block ${BLOCK}s: a block needs four keys or more"
	[ "$BLOCKS" -gt "$WARMUP" ] || exp_bad "--warmup $WARMUP: the session has only $BLOCKS blocks"
	[[ $ANSWER_DELAY != file:* ]] || [ -r "${ANSWER_DELAY#file:}" ] || exp_bad "--answer-delay $ANSWER_DELAY: cannot read that file"
}

exp_words() { echo "${P[protocol]} for $SECONDS_EACH s"; }

soak_begin() {	# soak_begin FOLDER: the session, its viewer, and what types; 1: LAB_WHY
	local APP_COST=0ms APP_OPTIONS=() LAB_LOG=$RUN/log LAB_WORD
	[ -z "$ANSWER_DELAY" ] || APP_OPTIONS=(--answer-delay "$ANSWER_DELAY")
	if [[ $ANSWER_DELAY == file:* ]]; then
		lab_put server "${ANSWER_DELAY#file:}" "$RUN/log/delays"
		lab_there server "$RUN/log/delays"
		APP_OPTIONS[1]=file:$LAB_WORD
	fi
	protocol_use "${P[protocol]}"
	PROTOCOL_OPTIONS=() PROTOCOL_WATCH=patch SOAK_APP=''
	protocol_start soak || return
	if [ -n "$PROTOCOL_DISPLAY" ]; then
		app_use refecho	# its own work does not grow with what was typed
		app_start "$PROTOCOL_DISPLAY" || return
		PROTOCOL_WATCH=$(app_watch) SOAK_APP=$APP_PID
	fi
	LAB_LOG=$1
	open_pipe ASK
	lab_start -i "$ASK" -o "$1/samples.tsv" client typist "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --schedule asked \
		--watch "$PROTOCOL_WATCH" --timeout 10s --warmup 0 --priority 20 "${PROTOCOL_OPTIONS[@]}" --log "$1/samples.tsv"
	TYPIST=$LAB_PID
	is_ready typist 20 "the probe did not connect" && exec {HEARD}<"$1/typist.out" && soak_find
}

# Sets what is read after each block: the port of the connection, and the processes of both ends: the display server, and the
# viewer, which is the probe itself where the protocol has no other.
soak_find() {
	local CHILDREN=''
	SOAK_PORT=${PROTOCOL_PORT##*:} SOAK_PIDS=([server]='' [client]='')
	if [ "$ON_BACKEND" = attach ]; then
		SOAK_PORT=$ATTACH_PORT SOAK_PIDS[client]=$(timeout 5 xdotool getwindowpid "$ATTACH_WINDOW" 2>/dev/null)
		return 0
	fi
	# shellcheck disable=SC2086 # words
	lab_children server $PROTOCOL_PIDS
	SOAK_PIDS[server]=$CHILDREN
	# shellcheck disable=SC2086
	lab_children client $PROTOCOL_PIDS
	[ -n "$CHILDREN" ] || lab_children client "$TYPIST"
	SOAK_PIDS[client]=$CHILDREN
}
declare -A SOAK_PIDS=()

soak_end() {
	[ -z "${ASK-}" ] || exec {ASK}>&-
	[ -z "${HEARD-}" ] || exec {HEARD}<&-
	lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	protocol_stop
	unset ASK HEARD TYPIST
}

soak_connection() {	# soak_connection ROLE: prints round trip (ms) and packets sent again so far, seen from this end
	local end=$LAB_ADDR_server words=()
	[ "$1" = client ] || end=$LAB_ADDR_client
	[[ $end != *:* ]] || end=[$end]
	[ "$end" = "" ] || words=(dst "$end")
	[ -n "$SOAK_PORT" ] && lab_exec "$1" ss -Htin ${words[@]+"${words[@]}"} "( sport = :$SOAK_PORT or dport = :$SOAK_PORT )" \
		2>/dev/null | awk '
		{ for (i = 1; i <= NF; i++) if (split($i, part, /[:\/]/) == 3) {
			if (part[1] == "rtt" && part[2] + 0 > rtt) rtt = part[2] + 0
			if (part[1] == "retrans") again += part[3]
		} }
		END { if (rtt) print rtt, again + 0 }'
}

soak_processes() {	# soak_processes ROLE: prints memory (MB, also swapped out) and open descriptors of its processes
	local ask=(lab_query "$1")
	[ "$ON_BACKEND" != attach ] || ask=()
	[ -n "${SOAK_PIDS[$1]}" ] && "${ask[@]}" sh -c '
		IFS=,
		for pid in $1; do
			grep -E "^Vm(RSS|Swap):" "/proc/$pid/status"
			ls "/proc/$pid/fd" | wc -l
		done' sh "${SOAK_PIDS[$1]}" 2>/dev/null | awk '
		/^Vm/ { kb += $2; next }
		{ open += $1 }
		END { if (kb && open) print kb / 1024, open }'
}

soak_row() { printf 'blocks/1\t%d\t%d\ta\t\t%s\t%s\tlower\t%s\t0\n' "$N" "$N" "$@"; }

# Prints the rows of block N, and counts its keys. A key without an answer took the 10 s for which it was waited. A block of which
# most keys are in doubt has no figures of keys.
soak_block() {
	local role name value='' again='' open='' keys doubt
	read -r keys doubt value open again < <(printf '%s\n' "${ANSWERS[@]}" | LC_ALL=C awk -F'\t' 'NF == 5 {
		printf "%s\t%.6f\n", $5 == "doubt" ? "doubt" : "ms", $5 == "none" ? 10000 : ($4 - $2) / 1e6 }' |
		"$TP_BIN/summarize" - --values 0.1,0.5 --above "$THRESHOLD_MS" --json |
		jq -r '(.result.groups | map({(.group): .}) | add // {}) as {$ms, $doubt} | [$ms.n // 0, $doubt.n // 0]
			| [add, .[1]] + if .[0] > 0 and .[1] <= .[0] then [$ms | .p10, .p50, .above_percent] else [] end | join(" ")')
	[ -n "$keys" ] || warn "block $N: its keys could not be summed up"
	KEYS=$((KEYS + keys)) IN_DOUBT=$((IN_DOUBT + doubt)) UNKNOWN=$((UNKNOWN + (2 * doubt > keys)))
	soak_row floor_ms ms "$value"
	soak_row median_ms ms "$open"
	soak_row late_percent % "$again"
	for role in client server; do
		name=${role/client/viewer}
		if read -r value again < <(soak_connection "$role"); then
			soak_row "${name}_round_trip_ms" ms "$value"
			# (fewer than before: one connection has ended)
			[ -z "${AGAIN[$role]-}" ] || [ "$again" -lt "${AGAIN[$role]}" ] ||
				soak_row "${name}_sent_again" packets "$((again - AGAIN[$role]))"
			AGAIN[$role]=$again
		else
			unset "AGAIN[$role]"
		fi
		if read -r value open < <(soak_processes "$role"); then
			soak_row "${name}_memory_mb" MB "$value"
			soak_row "${name}_descriptors" "" "$open"
		fi
	done
}

soak_hear() { local line; while IFS= read -r -u "$HEARD" line; do ANSWERS+=("$line") ANSWERED=$((ANSWERED + 1)); done; }

# Whether display server, viewer and application are there, and what types. 1: LAB_WHY.
soak_lives() {
	local pid
	for pid in $PROTOCOL_PIDS $SOAK_APP $TYPIST; do
		lab_gone "$pid" || continue
		LAB_WHY="the session ended in block $N: "
		case $pid in
		"$TYPIST") LAB_WHY+=$(last_word typist) ;;
		"$SOAK_APP") LAB_WHY+="its application is gone" ;;
		*) LAB_WHY+="its display server or viewer is gone" ;;
		esac
		return 1
	done
}

# Types until the block's end, at most one key at a time. 1: LAB_WHY.
soak_type() {	# soak_type UNTIL (ms)
	local wait
	while now_ms; [ "$NOW_MS" -lt "$1" ] && ! stopped; do
		soak_hear
		soak_lives || return
		[ "$ASKED" -gt "$ANSWERED" ] || { echo >&"$ASK"; ASKED=$((ASKED + 1)); }
		wait=$((EVERY_MS / 2 + RANDOM * EVERY_MS / 32768))
		[ "$wait" -lt $(($1 - NOW_MS)) ] || wait=$(($1 - NOW_MS))
		nap "$((wait / 1000)).$(printf '%03d' $((wait % 1000)))"
	done
	soak_hear
}

soak_judge() {	# soak_judge FOLDER; 1: LAB_WHY
	LAB_WHY=$("$TP_BIN/judge" "$1/blocks.tsv" --drift "${BLOCK}s" --warmup "$WARMUP" --effect "$EFFECT" \
		--metrics floor_ms,median_ms,late_percent --points "$LATE_POINTS" --alpha "$ALPHA" --json -o "$1/drift.json" 2>&1)
	[[ $? == [035] ]]
}

soak_blocks() {	# soak_blocks FOLDER; 1: LAB_WHY
	local N NOW_MS begin ASKED=0 ANSWERED=0 ANSWERS
	declare -A AGAIN=()
	for N in client server; do read -r _ "AGAIN[$N]" < <(soak_connection "$N") || unset "AGAIN[$N]"; done
	"$TP_BIN/blocks" head >"$1/blocks.tsv"
	now_ms
	begin=$NOW_MS
	for ((N = 1; N <= BLOCKS; N++)); do
		ANSWERS=()
		now_ms	# where reading takes long, blocks come later: each has half its length for keys
		[ $((begin + N * BLOCK_MS - NOW_MS)) -ge $((BLOCK_MS / 2)) ] || begin=$((NOW_MS + BLOCK_MS / 2 - N * BLOCK_MS))
		soak_type $((begin + N * BLOCK_MS)) || return
		! stopped || break
		soak_block >"$1/.block" && cat "$1/.block" >>"$1/blocks.tsv"
		[ "$N" -le "$WARMUP" ] || soak_judge "$1" || return
		exp_step "block $N of $BLOCKS: $(awk -F'\t' 'NR == 1 { print $9 == "" ? "not measured" : $9 " ms" }' "$1/.block")$(
			[ "$N" -le "$WARMUP" ] || jq -r '", " + .result.verdict' "$1/drift.json")"
	done
	rm -f "$1/.block"
	LAB_WHY="interrupted in the warm-up"
	[ "$N" -gt $((WARMUP + 1)) ]
}

# What was measured until an interrupt counts: the rule holds whenever a session ends. One that broke has failed; what was measured
# until then is kept, but its verdict only where it is "slower".
exp_measure() {	# CELL REPEAT FOLDER
	local LAB_LOG=$3 LAB_WHY='' reason='' before='' shares='null null null' flags='' drift=null kept=false
	local KEYS=0 IN_DOUBT=0 UNKNOWN=0
	RANDOM=$((SEED * 1000 + $2))
	soak_begin "$3" && before=$(lab_cpu server) && soak_blocks "$3" || reason=${LAB_WHY:-it could not be measured}
	if [ -s "$3/drift.json" ]; then
		# shellcheck disable=SC2086 # words
		[ -z "$before" ] || { shares=$(exp_shares "$before" "$(lab_cpu server)"); flags=$(exp_disturbed ${shares% *}); }
		[ -z "$reason" ] || kept=true
		drift=$(jq -c --argjson kept "$kept" '.result | if $kept and .verdict != "slower" then .verdict = "failed" else . end' \
			"$3/drift.json")
	fi
	soak_end
	cell_write "$3" "$2" "$reason" "$flags" "$(jq -cn --argjson drift "$drift" --argjson shares "[${shares// /,}]" \
		--argjson kept "$kept" --argjson keys "[$KEYS, $IN_DOUBT, $UNKNOWN]" '{$drift, $kept, foreign_percent: $shares[0],
		steal_percent: $shares[1], server_busy_percent: $shares[2], keys: $keys[0], keys_in_doubt: $keys[1],
		blocks_in_doubt: $keys[2]}')"
	[ -n "$reason" ] || rm -f "$3"/typist.{out,err}
}

# Exit status: 5 where a session got slower, 3 where one is not decided.
exp_judged() {
	local verdicts
	verdicts=$(find "$RUN/cells" -name cell.json -exec jq -r '.drift.verdict // "not decided"' {} +)
	! grep -qx slower <<<"$verdicts" || return 5
	! grep -qvx "not slower" <<<"$verdicts" || return 3
}
