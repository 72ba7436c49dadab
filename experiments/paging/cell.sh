# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - paging: a session waits for a key, an editor in a terminal; runs in memory alternate with runs after it was paged out.
#
# All programs of the server are in its memory group; the probe, which stays connected and sends a key on command, is at the client.
# Before the key, bin/pagein checks that the session was paged out; otherwise the run is in no figure.

SWAP='' PROBER='' SESSION_PIDS='' SESSION_GROUP=''
LAB_OWN_UID=0	# root and the server's programs share files (lab/local.sh)

exp_check() {
	check_swaps
	if [ "$PRIVATE" = 1 ]; then
		! plan_given sessions || exp_bad "--private-copies with --sessions: choose one"
		SESSIONS=private OPT[sessions.given]=1
	fi
	[ -n "$SERVER_MEMORY" ] || exp_bad "--server-memory none: needs a limit, or no session is ever paged out"
	[ "$QUICK" = 0 ] || PLAN[choose]=one
}

# Cells ---------------------------------------------------------------------------------------------------------------

declare -A LACKS	# LACKS["OPTION VALUE"] is set if this machine does not have it

exp_cells() {
	local protocol swap session method felt=${SWAPS##*,}
	for swap in ${SWAPS//,/ }; do [[ $swap != slow:* ]] || felt=$swap; done
	for protocol in ${PROTOCOLS//,/ }; do for swap in ${SWAPS//,/ }; do
		for session in ${SESSIONS//,/ }; do for method in ${METHODS//,/ }; do
			[ -z "${LACKS[swap $swap]-}${LACKS[session $session]-}${LACKS[method $method]-}" ] || continue
			! wanted "$protocol" "$([ "$swap" = "$felt" ] && echo felt || echo other)" "$swap" "$session.$method" ||
				printf '%s\t%s\t%s\t%s\n' "$protocol" "$swap" "$session" "$method"
		done; done
	done; done
}

# Combinations that are measured: every method on an unchanged session; with private copies the hog, as in the paper, and cgroup as
# a control. On the slow device, where paging is felt ($2), also a hog that does not rest, and protected sessions beside it. Values
# that are asked for by name are measured everywhere; by default the first protocol has all of these, others the most important.
wanted() {	# wanted PROTOCOL felt|other SWAP SESSION.METHOD
	case $2.$4 in
	*.private.busy) return 1 ;;
	felt.*.busy | *.plain.hog | *.plain.cgroup | felt.private.hog) ;;
	felt.plain.typing | felt.throttled.typing) ;;
	felt.*.typing) plan_given methods || return ;;
	*.plain.madvise | *.plain.damon) [ "$2" = other ] || plan_given methods || return ;;
	*.private.hog) plan_given sessions || return ;;
	*.private.cgroup) [ "$3" = "${SWAPS%%,*}" ] || plan_given sessions || return ;;
	*) return 1 ;;
	esac
	! plan_given methods && ! plan_given sessions && ! plan_given swap || return 0
	if [ "$QUICK" = 1 ]; then
		case $2.$3.$4 in
		other.file.plain.cgroup | other.file.plain.madvise | other.zram.plain.cgroup) ;;
		felt.*.plain.busy | felt.*.plain.hog | felt.*.private.hog | felt.*.unswapped.busy) ;;
		*) return 1 ;;
		esac
	elif [ "$1" != "${PROTOCOLS%%,*}" ]; then
		case $2.$3.$4 in
		*.beside.* | *.throttled.* | *.typing | felt.*.plain.cgroup) return 1 ;;
		other.*.private.* | other.zram.plain.madvise | other.zram.plain.damon) return 1 ;;
		esac
	fi
}

exp_words() { echo "${P[protocol]}, swap on ${P[swap]}, ${P[session]}, ${P[method]}"; }

lacks() { LACKS[$1]=1 ABSENT+=("$1: ${2:-$LAB_WHY}"); }

# Fills LACKS, so that what this machine lacks has no cells.
exp_find() {
	local item
	exp_served
	lab_can server memory || die "-$EXIT_MISSING" "cannot limit the memory of the server: $LAB_WHY; see: thinprobe doctor"
	lab_can server swap || die "-$EXIT_MISSING" "cannot set up swap: $LAB_WHY; see: thinprobe doctor"
	for item in ${SWAPS//,/ }; do
		case $item in
		zram) lab_can server zram || lacks "swap $item" ;;
		slow:*) lab_can server slowswap || lacks "swap $item" ;;
		esac
	done
	[[ ,$METHODS, != *,cgroup,* ]] || lab_can server evict || lacks "method cgroup"
	[[ ,$METHODS, != *,damon,* ]] || LAB_WHY=$(outside_exec "$LAB_HERE/local/damon.sh" --can) || lacks "method damon"
	[[ ,$SESSIONS, != *,low,* ]] || lab_can server memory_low ||
		lacks "session low" "memory groups of version $LAB_MEMORY_VERSION have no memory.low here"
	[[ ,$SESSIONS, != *,throttled,* ]] ||
		{ throttle_here && lab_group batch quota=100,100ms && lab_ungroup batch; } || lacks "session throttled"
}

# throttle_here: whether a kit's lab/throttle.sh has throttle_start GROUP, which throttles batch work while a user types.
# 1: LAB_WHY.
throttle_here() {
	local part
	while IFS= read -r part; do . "$part"; done < <(in_trees lab/throttle.sh)
	declare -F throttle_start >/dev/null && return
	LAB_WHY="no kit is here that throttles batch work"
	return 1
}

# A session -----------------------------------------------------------------------------------------------------------

# Makes a new session for each repeat. 1: LAB_WHY.
exp_session() {
	local LAB_LOG=$RUN/log LAB_MEMORY='' APP_ENV=()
	[ "$LAB_SWAP_KIND" = "${P[swap]}" ] || lab_swap "${P[swap]}" || return
	SESSION_GROUP=$LAB_MEMORY_GROUP
	LAB_WHY='a program of it did not start'
	case ${P[session]} in
	private) copies_make || return ;;
	beside | low | unswapped) session_group || return ;;
	throttled) throttle_here && lab_group batch || return ;;
	esac
	protocol_use "${P[protocol]}"
	protocol_start paging || return
	app_use vim
	app_start "$PROTOCOL_DISPLAY" && session_pids || return
	[ "${P[session]}" != unswapped ] || note_group_size || return
	[ "${P[session]}" != throttled ] || throttle_start batch || return
	prober_start
}

exp_end_session() {
	lab_stop "${LAB_PIDS[@]}"
	[ -z "${PROTOCOL_NAME-}" ] || protocol_stop
	[ -z "$PROBER" ] || exec {PROBER_IN}>&- {PROBER_OUT}>&-
	lab_ungroup batch
	rm -rf "$RUN/log/to-prober" "$RUN/log/from-prober"
	[ -z "${COPIES-}" ] || lab_exec server rm -rf "$RUN/copies"
	COPIES=''
	PROBER='' SESSION_PIDS=''
}

# beside: a group next to the hog's, which a full hog's group does not affect. low: the same with memory.low, so that its memory is
# reclaimed last. unswapped: a group below the hog's, under its limit, whose anonymous memory is not swapped.
session_group() {
	local words=()
	LAB_MEMORY=session
	case ${P[session]} in
	low) words=(low="$SERVER_MEMORY") ;;
	unswapped)
		LAB_MEMORY=server.session
		if [ "$LAB_MEMORY_VERSION" = 1 ]; then words=(swappiness=0); else words=(swap=no); fi
		;;
	esac
	lab_memory_group "$LAB_MEMORY" "${words[@]}" || return
	SESSION_GROUP=${LAB_MEMORY_GROUPS[$LAB_MEMORY]}
}

# Notes how much memory an unswapped session holds: the price of this protection.
note_group_size() {
	local bytes
	bytes=$(lab_query server cat "$SESSION_GROUP/memory.usage_in_bytes" "$SESSION_GROUP/memory.current" 2>/dev/null)
	LAB_WHY="cannot read the size of $SESSION_GROUP"
	run_set '.unswapped[$p] = {group_bytes: $bytes}' --arg p "$PROTOCOL_NAME" --argjson bytes "${bytes:-null}"
}

# Private copies of the programs, 15 MB: made by a process of the server, so that its group is charged; removed with the session.
copies_make() {
	local vi LAB_WORD
	for vi in vim.tiny vi vim; do ! lab_has server "$vi" || break; done
	COPIES=1
	lab_start server copies "$TP_HOME/lab/local/copies.sh" "$RUN/copies" xterm "$vi"
	lab_wait "$LAB_PID" || { LAB_WHY="cannot copy the programs: $(last_word copies)"; return 1; }
	lab_there server "$RUN/copies"
	APP_ENV=(PATH="$LAB_WORD/bin:$PATH")
}

# Sets SESSION_PIDS, the pids outside of the hosts' namespaces: editor, terminal.
session_pids() {
	local LAB_CHILD terminal
	lab_child "$APP_PID"
	terminal=$LAB_CHILD
	lab_child "$LAB_CHILD"
	LAB_WHY="cannot find the editor's process"
	[ "$LAB_CHILD" != "$terminal" ] && SESSION_PIDS=${LAB_CHILD#*:},${terminal#*:}
}

# Starts the prober, which gets commands and reports responses through two pipes that this shell keeps open.
prober_start() {
	rm -f "$RUN/log/to-prober" "$RUN/log/from-prober"
	mkfifo -m 600 "$RUN/log/to-prober" "$RUN/log/from-prober" || { LAB_WHY="cannot make a pipe in $RUN"; return 1; }
	exec {PROBER_IN}<>"$RUN/log/to-prober" {PROBER_OUT}<>"$RUN/log/from-prober"
	ln -sf "$RUN/log/from-prober" "$LAB_LOG/prober.out"
	lab_start -i "$PROBER_IN" client prober "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --schedule asked --watch update \
		"${PROTOCOL_OPTIONS[@]}"
	PROBER=$LAB_PID
	is_ready prober 20
}

# A cell --------------------------------------------------------------------------------------------------------------

exp_run() {	# exp_run FOLDER REPEAT
	# The text of the session is not cleared: the echo of the next key could not be recognized. A session that ended is made
	# again.
	if lab_gone "$APP_PID" || lab_gone "$PROBER"; then
		exp_end_session
		exp_session || { LAB_WHY="the session could not be made: $LAB_WHY"; return 1; }
	fi
	cpu_begin
	page_out "$1" "$RUNS" || return
	cpu_end
}

# page_out FOLDER RUNS [OPTION]...: runs in memory and paged out, to FOLDER/pagein.json. 1: LAB_WHY.
page_out() {
	local settle=300ms words=(--evict "${P[method]}") files=(-o "$1/pagein.json") word timeout='' LAB_COMMAND
	local LAB_LOG=$RUN/log	# (a link to a pipe: elsewhere in a run folder none may be, also after kill -9)
	for word in "${@:3}"; do [[ $word != "$1"/* ]] || files+=(-o "$word"); done
	case ${P[method]} in
	hog | busy | typing)
		# Memory that is only filled once is evicted before a session that was in use: the hog touches its memory until the
		# session is out.
		if [ "${P[method]}" = hog ]; then words=(--hog-until key2-paused) settle=1s; else words=(--hog-until key2); fi
		# A protected session is never evicted: try for a short time only.
		case ${P[session]} in unswapped | beside | low) timeout=2s ;; esac
		[ "${P[method]}" != typing ] || timeout=11s words+=(--type 2s)
		[ -z "$timeout" ] || words+=(--kept --evict-timeout "$timeout")
		lab_inside server "$TP_BIN/memhog" -s 125% --touch keep || return
		[ "${P[session]}" != throttled ] || lab_grouped batch
		words+=(--evict hog --hog "${LAB_COMMAND[@]}")
		;;
	damon) words=(--evict hog --evict-timeout 40s --hog "$LAB_HERE/local/damon.sh" "$SESSION_GROUP") ;;
	esac
	# pagein talks to the prober, which may be on another machine, through its standard streams.
	ln -sf "$RUN/log/to-prober" "$LAB_LOG/pagein.out"
	outside_start -i "$PROBER_OUT" "${files[@]}" pagein "$TP_BIN/pagein" --pid "$SESSION_PIDS" "$PROTOCOL_TARGET" \
		--prober /dev/stdout,/dev/stdin --repeat "$2" --cgroup "$SESSION_GROUP" --settle "$settle" --pause 500ms \
		--format json -o "$1/pagein.json" "${@:3}" "${words[@]}"
	has_ended pagein "$1" || return
	LAB_WHY="pagein left no report"
	[ -s "$1/pagein.json" ]
}

# One run over time -----------------------------------------------------------------------------------------------------

# A run of the first protocol, with the hog, on the slow device, and the run in memory before it.
exp_end_lab() {
	local of n chosen='' folder=$RUN/timeline
	! stopped && [ ! -s "$RUN/timeline.tsv" ] && [ -z "$EXP_SWEEP" ] || return 0	# (a cell of a sweep has none)
	for of in "plain hog" "private hog" "plain cgroup" "private cgroup"; do
		for ((n = 0; n < ${#CELLS[@]} && ${#chosen} == 0; n++)); do
			cell_use "$n"
			[ "${P[session]} ${P[method]}" != "$of" ] || [[ $SWAPS == *slow:* && ${P[swap]} != slow:* ]] || chosen=$n
		done
	done
	[ -n "$chosen" ] || return 0
	cell_use "$chosen"
	exp_step "records one run as a timeline"
	mkdir -p "$folder"
	if exp_session && page_out "$folder" 1 --timeline "$folder/samples.tsv" --log "$folder/steps.tsv" &&
		timeline_table "$folder" >"$RUN/timeline.tsv.new" && mv "$RUN/timeline.tsv.new" "$RUN/timeline.tsv"; then
		run_set '.timeline = {says: $says, first_key_ms: $run[0].result.runs[1].first_key_ms}' --arg says "$(exp_words)" \
			--slurpfile run "$folder/pagein.json" && rm -rf "$folder"
	else
		warn "cannot record the timeline of a run: $LAB_WHY"
	fi
	exp_end_session
}

# Writes events, then samples from the end of the run in memory, in ms from the due time of the key.
timeline_table() {
	LC_ALL=C awk -F'\t' -v OFS='\t' -v ms="$(jq '.result.runs[1].first_key_ms // empty' "$1/pagein.json")" '
		function event(name, at) { if (at != "") printf "paging-timeline/1\t%.3f\t%s\t\t\t\t\t\t\t\t\n", at, name }
		FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
		file == 1 { event_ns = $at[1, "time_ns"] }
		file == 1 && $at[1, "run"] == 1 { from = event_ns }
		file == 1 && $at[1, "run"] == 2 { when[$at[1, "event"]] = last = event_ns }
		file == 2 && FNR == 2 {
			if (ms == "" || !when["echo"]) exit 1
			key = when["echo"] - ms * 1e6
			n = split("resident_bytes file_bytes swap_bytes major_faults minor_faults group_bytes group_swap_bytes " \
				"group_major_faults", column, " ")
			printf "schema\ttime_ms\tevent"
			for (i = 1; i <= n; i++) printf "\t%s", column[i]
			print ""
			event("key", 0); event("echo", ms)
			event("second", when["second_sent"] ? (when["second_sent"] - key) / 1e6 : "")
			event("second_echo", when["second_echo"] ? (when["second_echo"] - key) / 1e6 : "")
		}
		file == 2 && $at[2, "time_ns"] >= from && $at[2, "time_ns"] <= last + 2e8 {
			printf "paging-timeline/1\t%.3f\t", ($at[2, "time_ns"] - key) / 1e6
			for (i = 1; i <= n; i++) printf "\t%s", $at[2, column[i]]
			print ""
		}' "$1/steps.tsv" "$1/samples.tsv"
}
