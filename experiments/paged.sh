# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the driver, lib.sh and the lab
# paged.sh - sessions that are to be paged out, and how: for experiments/paging.sh, which holds ABSENT, SWAPS, METHODS, SESSIONS, SERVER_MEMORY.
#
# A session is a display, a terminal with an editor, and a probe that is connected and sends a key when it is told to. All that the server runs
# is in its memory group; the probe is at the client.

SESSION_IS='' SESSION_PIDS='' SESSION_GROUP='' PROBER=''

# What this machine does not give has no cells: a row with the reason.
absent() { ABSENT+=("$1"$'\t'"${2:-$LAB_WHY}"); }

find_levers() {
	local item
	lab_can server memory || die "-$EXIT_MISSING" "the server cannot be given a memory of its own: $LAB_WHY; see: thinprobe doctor"
	lab_can server swap || die "-$EXIT_MISSING" "no swap can be had: $LAB_WHY; see: thinprobe doctor"
	for item in ${SWAPS//,/ }; do
		case $item in
		zram) lab_can server zram || absent "swap on $item" ;;
		slow:*) lab_can server slowswap || absent "swap on $item" ;;
		esac
	done
	for item in ${METHODS//,/ }; do
		case $item in
		cgroup) lab_can server evict || absent "method $item" ;;
		damon) LAB_WHY=$("$TP_HOME/lab/local/damon.sh" --can) || absent "method $item" ;;
		esac
	done
	for item in ${SESSIONS//,/ }; do
		case $item in
		low) lab_can server memory_low || absent "session $item" "memory groups of version $LAB_MEMORY_VERSION have no memory.low here" ;;
		esac
	done
}

# session_begin PROTOCOL SWAP SESSION REPEAT: that session runs, new for each repeat. 1: LAB_WHY.
session_begin() {
	local LAB_LOG=$RUN/log LAB_MEMORY='' LAB_MODE=$LAB_MODE is="$1 $2 $3 $4" APP_ENV=()
	[ "$SESSION_IS" != "$is" ] || ! session_lost || SESSION_IS=''
	# (It goes on with the text that it has: emptied, its next key's echo would look like anything.)
	[ "$SESSION_IS" != "$is" ] || return 0
	session_end
	[ "$LAB_SWAP_KIND" = "$2" ] || lab_swap "$2" || return
	SESSION_GROUP=$LAB_MEMORY_GROUP
	LAB_WHY='a program of it did not start'
	case $3 in
	private) copies_make || return ;;
	beside | low) session_group "$3" || return ;;
	# Root may lock what it likes. An ordinary user's limit must be raised, which needs a right that root of a container may lack.
	locked) ((0x$(sed -n 's/^CapEff:[[:space:]]*//p' /proc/self/status) >> 24 & 1)) || LAB_MODE=root ;;
	esac
	protocol_use "$1"
	protocol_start paging
	app_use vim
	app_start "$PROTOCOL_DISPLAY"
	session_pids || return
	[ "$3" != locked ] || session_lock || return
	prober_start || return
	SESSION_IS=$is
}

session_lost() { lab_gone "$APP_PID" || lab_gone "$PROBER"; }

session_end() {
	lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	[ -z "${PROTOCOL_NAME-}" ] || protocol_stop
	prober_close
	copies_remove
	SESSION_IS='' SESSION_PIDS=''
}

# Beside the group of the hog, not in it: what fills that one takes nothing from this one. memory.low: within it, but its memory is taken last.
session_group() {
	case $1 in
	beside) lab_memory_group session ;;
	low) lab_memory_group session low="$SERVER_MEMORY" ;;
	esac || return
	SESSION_GROUP=${LAB_MEMORY_GROUPS[session]}
	LAB_MEMORY=session
}

# Made by a process of the server, so that they are accounted to its group, and removed with the session: 15 MB.
copies_make() {
	local vi
	for vi in vim.tiny vi vim; do ! lab_has server "$vi" || break; done
	lab_start server copies "$TP_HOME/lab/local/copies.sh" "$RUN/copies" xterm "$vi"
	lab_wait "$LAB_PID" || { LAB_WHY="no private copies: $(tail -n 1 "$LAB_LOG/copies.err")"; return 1; }
	APP_ENV=(PATH="$RUN/copies/bin:$PATH")
}
copies_remove() { rm -rf "$RUN/copies"; }

# As seen from outside of the hosts: the editor, then the terminal that it runs in.
session_pids() {
	local LAB_CHILD vi
	lab_child "$APP_PID"
	vi=$(pgrep -P "$LAB_CHILD" | head -n 1)
	[ -n "$vi" ] || { LAB_WHY="the editor's process is not found"; return 1; }
	SESSION_PIDS=$vi,$LAB_CHILD
}

# All of it that the server runs: without its display server an editor that is in memory would still answer late.
session_lock() {
	local pid LAB_CHILD pids=$SESSION_PIDS kills
	kills=$(lab_memory_kills)
	for pid in ${PROTOCOL_PIDS:-}; do
		lab_child "$pid"
		[ ! "/proc/$LAB_CHILD/ns/pid" -ef "/proc/$LAB_HOLD_server/ns/pid_for_children" ] || pids+=,$LAB_CHILD
	done
	"$TP_BIN/pagein" --lock --pid "$pids" --format json -o "$RUN/log/lock.json" 2>"$LAB_LOG/lock.err" &&
		run_set '.locked[$p] = $lock[0].result.processes' --arg p "$PROTOCOL_NAME" --slurpfile lock "$RUN/log/lock.json" && return
	LAB_WHY=$(tail -n 1 "$LAB_LOG/lock.err")
	[ "$(lab_memory_kills)" = "$kills" ] || LAB_WHY="all that it has, also what it never needed, does not fit into $SERVER_MEMORY: a larger --server-memory"
	return 1
}

# Connected as long as the session lives; told when to send a key, and telling of its echo, through two pipes that this shell keeps open.
prober_start() {
	local name
	for name in in out; do
		rm -f "$RUN/prober.$name"
		mkfifo -m 600 "$RUN/prober.$name" || { LAB_WHY="cannot make a pipe in $RUN"; return 1; }
	done
	exec {PROBER_IN}<>"$RUN/prober.in" {PROBER_OUT}<>"$RUN/prober.out"
	# shellcheck disable=SC2016
	lab_start client prober sh -c 'in=$1 out=$2; shift 2; exec "$@" <"$in" >"$out"' sh "$RUN/prober.in" "$RUN/prober.out" \
		"$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --schedule asked --watch update ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"}
	PROBER=$LAB_PID
	lab_ready prober 20 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/prober.err" | tail -n 1); return 1; }
}

prober_close() {
	[ -n "$PROBER" ] || return 0
	exec {PROBER_IN}>&- {PROBER_OUT}>&-
	rm -f "$RUN/prober.in" "$RUN/prober.out"
	PROBER=''
}

# page_out METHOD FOLDER RUNS [OPTION]...: runs in memory and paged out, to FOLDER/pagein.json. 1: LAB_WHY.
page_out() {
	local method=$1 folder=$2 status=0 settle=300ms words=() rest LAB_COMMAND
	case $method in
	hog | busy)
		# What is only filled leaves first, and lets a session be that was in use: it has to be touched until that is out.
		if [ "$method" = hog ]; then rest=--rest-hog settle=1s; else rest=--keep-hog; fi
		# Whoever is protected resists as long as it is tried.
		case $SESSION_IS in *" locked "* | *" beside "* | *" low "*) words=(--kept --evict-timeout 2s) ;; esac
		lab_command server "$TP_BIN/memhog" -s 125% --touch keep || return
		words+=(--evict hog "$rest" --hog "${LAB_COMMAND[@]}")
		;;
	damon) words=(--evict hog --evict-timeout 40s --hog "$TP_HOME/lab/local/damon.sh" "$SESSION_GROUP") ;;
	*) words=(--evict "$method") ;;
	esac
	setpriv --pdeathsig KILL "$TP_BIN/pagein" --pid "$SESSION_PIDS" "$PROTOCOL_TARGET" --prober "$RUN/prober.in,$RUN/prober.out" --runs "$3" --cgroup "$SESSION_GROUP" --settle "$settle" --pause 500ms \
		--format json -o "$folder/pagein.json" "${@:4}" "${words[@]}" </dev/null >"$LAB_LOG/pagein.out" 2>"$LAB_LOG/pagein.err" &
	PAGEIN=$!
	until lab_gone "$PAGEIN" || stopped; do nap 0.1; done
	lab_gone "$PAGEIN" || kill -TERM "$PAGEIN" 2>/dev/null
	wait "$PAGEIN" || status=$?
	case $status in
	0 | 3) [ -s "$folder/pagein.json" ] && return 0; LAB_WHY="pagein left no report" ;;
	*) LAB_WHY=$(grep -vx ready "$LAB_LOG/pagein.err" | tail -n 1) ;;
	esac
	return 1
}

# One paged-out run over time, for a figure: of the first protocol, by the hog, on the device where it is felt. The first cell's run in memory
# goes before; the time is from when the key of the run was due.
timeline() {
	local protocol swap session method cell folder=$RUN/timeline
	for cell in "plain hog" "private hog" "plain cgroup" "private cgroup"; do
		read -r _ protocol swap session method < <(printf '%s\n' "${CELLS[@]}" | awk -v of="$cell" -v felt="${FELT_ON-}" '$4 " " $5 == of && (felt == "" || $3 == felt)')
		[ -z "$protocol" ] || break
	done
	[ -n "$protocol" ] && [ ! -s "$RUN/timeline.tsv" ] || return 0
	exp_step "one run over time"
	mkdir -p "$folder"
	LAB_LOG=$folder
	if session_begin "$protocol" "$swap" "$session" timeline && page_out "$method" "$folder" 1 --timeline "$folder/samples.tsv" --log "$folder/steps.tsv"; then
		timeline_table "$folder" >"$RUN/timeline.tsv.new" && mv "$RUN/timeline.tsv.new" "$RUN/timeline.tsv" &&
			run_set '.timeline = ($says | {says: ., first_key_ms: $ms})' --arg says "$protocol, swap on $swap, $session session, $method" --argjson ms "$(jq '.result.runs[1].first_key_ms' "$folder/pagein.json")" &&
			rm -rf "$folder"
	else
		warn "no run over time: $LAB_WHY"
	fi
	LAB_LOG=$RUN/log
}

# Samples from when the run in memory had ended, and what happened, in ms from the key.
timeline_table() {
	awk -F'\t' -v OFS='\t' -v ms="$(jq '.result.runs[1].first_key_ms // empty' "$1/pagein.json")" '
		FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
		file == 1 && $at[1, "run"] == 1 { from = $at[1, "time_ns"] }
		file == 1 && $at[1, "run"] == 2 { when[$at[1, "event"]] = $at[1, "time_ns"]; last = $at[1, "time_ns"] }
		file == 2 && FNR == 2 {
			if (ms == "" || !when["echo"]) exit 1
			key = when["echo"] - ms * 1e6
			print "schema", "time_ms", "event", "resident_bytes", "file_bytes", "swap_bytes", "major_faults", "minor_faults", "group_bytes", "group_swap_bytes", "group_major_faults"
			printf "paging-timeline/1\t0\tkey\t\t\t\t\t\t\t\t\n"
			printf "paging-timeline/1\t%.3f\techo\t\t\t\t\t\t\t\t\n", ms
			if (when["second_sent"]) printf "paging-timeline/1\t%.3f\tsecond\t\t\t\t\t\t\t\t\n", (when["second_sent"] - key) / 1e6
			if (when["second_echo"]) printf "paging-timeline/1\t%.3f\tsecond_echo\t\t\t\t\t\t\t\t\n", (when["second_echo"] - key) / 1e6
		}
		file == 2 && $at[2, "time_ns"] >= from && $at[2, "time_ns"] <= last + 2e8 {
			printf "paging-timeline/1\t%.3f\t", ($at[2, "time_ns"] - key) / 1e6
			print "", $at[2, "resident_bytes"], $at[2, "file_bytes"], $at[2, "swap_bytes"], $at[2, "major_faults"], $at[2, "minor_faults"], $at[2, "group_bytes"], $at[2, "group_swap_bytes"], $at[2, "group_major_faults"]
		}' "$1/steps.tsv" "$1/samples.tsv"
}
