# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# settings.sh - scheduler settings: reads them from data/schedulers.tsv, tries them, puts sessions and load into them, checks that
# they were in force, and undoes them.
#
# settings_find notes in run.json which of SETTINGS this machine has; settings_here prints these. setting_begin and setting_end
# enclose the trains of a setting; train_load, train_loaded and train_mismatch replace the functions of trains.sh.

# The table of settings -------------------------------------------------------------------------------------------

declare -A SAYS SESSION_HOW LOAD_HOW MACHINE_HOW NOT_HERE
while IFS=$'\t' read -r name says session load machine; do
	[ "$load" != - ] || load=''	# (its words may begin with -, too)
	SAYS[$name]=$says SESSION_HOW[$name]=${session#-} LOAD_HOW[$name]=$load MACHINE_HOW[$name]=${machine#-}
done < <(grep -vE '^(#|setting\s|$)' "$TP_HOME/data/schedulers.tsv")

# A setting ---------------------------------------------------------------------------------------------------

CURRENT='' HEAVY_COST='' SWITCHED='' LOAD_FLAGS=() LOAD_OPTIONS=() LOAD_EACH='' LAB_GROUP='' LAB_BEFORE=()

# setting_levers SETTING: makes groups, sets switches, and sets the words with which session and load are started; 1: LAB_WHY.
setting_levers() {
	local word session=() load=()
	LOAD_FLAGS=() LOAD_OPTIONS=() LOAD_EACH='' SESSION_GROUP='' SESSION_BEFORE=()
	for word in ${MACHINE_HOW[$1]}; do switch_to "${word%%=*}" "${word#*=}" || return; done
	for word in ${SESSION_HOW[$1]}; do
		case $word in
		group) SESSION_GROUP=session ;;
		nice=*) SESSION_BEFORE=(nice -n "${word#*=}"); may_nice "${word#*=}" || return ;;
		policy=rr:*) SESSION_BEFORE=(chrt -r "${word#*:}") ;;
		*) session+=("$word") ;;
		esac
	done
	for word in ${LOAD_HOW[$1]}; do
		case $word in
		group) LOAD_FLAGS+=(-G load) ;;
		each) LOAD_EACH=1 ;;
		login) LOAD_FLAGS+=(-S) ;;
		client) LOAD_FLAGS+=(-C) ;;
		shares=* | idle=* | quota=*) load+=("$word") ;;
		*) LOAD_OPTIONS+=("$word") ;;
		esac
	done
	[[ " ${LOAD_HOW[$1]} " != *" client "* ]] || own_cpu || return
	[ -z "$SESSION_GROUP" ] || lab_group session "${session[@]}" || return
	[[ " ${LOAD_HOW[$1]} " != *" group "* ]] || lab_group load "${load[@]}" || return
	LOAD_GROUP_OPTIONS=("${load[@]}")
}

# nice only warns if it may not change the value, and starts the command.
may_nice() {
	local now
	LAB_WHY="a nice value of $1 is not allowed here (as root it is)"
	now=$(lab_query server nice | whole_numbers) &&
		[ "$(lab_query server nice -n "$1" nice 2>/dev/null)" = $((now + $1)) ]
}

switch_value() {
	case $1 in
	autogroup) lab_query server cat /proc/sys/kernel/sched_autogroup_enabled ;;
	base_slice) lab_query server cat /sys/kernel/debug/sched/base_slice_ns ;;
	esac 2>/dev/null
}

switch_to() {	# writes only if the value differs: an ordinary user may not write at all
	[ "$(switch_value "$1")" != "$2" ] || return 0
	SWITCHED+=" $1"
	lab_switch "$1" "$2"
}

# Undoes all that setting_levers has done, even if it failed half way.
levers_back() {
	local word
	for word in session load; do lab_ungroup "$word"; done
	for word in $SWITCHED; do lab_switch "$word"; done
	SWITCHED=''
}

# With two CPUs, the load can only run on the client's. That does not disturb the probe, which has real-time priority.
own_cpu() {
	LAB_WHY="over ssh no load of the server goes to the client's CPU"
	[ "$ON_BACKEND" = local ] || return
	LAB_WHY="the load would have to share the client's CPU with the probe, which needs real-time priority for that (as root it has)"
	[ "$LAB_SHARED_CPUS" = 0 ] || { LAB_WHY="server and client share their CPUs already"; return 1; }
	lab_can client rt
}

in_session() { local LAB_GROUP=$SESSION_GROUP LAB_BEFORE=("${SESSION_BEFORE[@]}"); "$@"; }	# COMMAND...

setting_begin() {	# setting_begin SETTING: with new sessions; 1: LAB_WHY
	local why app
	setting_levers "$1" || { why=$LAB_WHY; levers_back; LAB_WHY=$why; return 1; }
	COST_MS=${COSTS%%,*}
	HEAVY_COST=$COST_MS CURRENT=$1
	for app in light heavy; do
		in_session session_start "$(session_name "${P[protocol]}" "$app")" "${P[protocol]}" "$app" || return
	done
}

heavy_costs() {	# the heavy application of the current session, at that cost
	local heavy
	[ "$HEAVY_COST" != "$1" ] || return 0
	heavy=$(session_name "${P[protocol]}" heavy)
	lab_stop "${SESSION_PID[$heavy]}"
	COST_MS=$1
	must in_session session_start_app "$heavy"
	HEAVY_COST=$1
}

setting_end() {
	[ -z "$CURRENT" ] || {
		protocol_stop
		lab_stop "${LAB_PIDS[@]}"
	}
	levers_back
	CURRENT=''
}

# Starts the load, for trains.sh, with the group and options of the setting; with `each` every process in its own login.
train_load() {	# train_load LOAD FOLDER
	local name names=(sink) count=$1 group=()
	TRAIN_LOADS=()
	if [ -n "$LOAD_EACH" ]; then mapfile -t names < <(seq -f 'sink-%.0f' "$1"); count=1; fi
	for name in "${names[@]}"; do
		if [ -n "$LOAD_EACH" ]; then
			group=(-G "login-${name#*-}")
			lab_group "${group[1]}" "${LOAD_GROUP_OPTIONS[@]}" ||
				{ TRAIN_WHY="no group for ${group[1]}: $LAB_WHY"; return 1; }
		fi
		lab_start "${group[@]}" "${LOAD_FLAGS[@]}" server "$name" "$TP_BIN/sink" -n "$count" "${LOAD_OPTIONS[@]}" \
			--format json
		TRAIN_LOADS+=("$LAB_PID")
	done
	for name in "${names[@]}"; do
		lab_ready "$name" 30 || { TRAIN_WHY="the load did not start: $(last_word "$name")"; return 1; }
	done
}

# Merges the reports of several loads into one.
train_loaded() {	# train_loaded FOLDER
	local files=("$1"/sink-*.out) n
	[ -n "$LOAD_EACH" ] && [ -e "${files[0]}" ] || return 0
	jq -s '.[0] + {result: (.[0].result + {children: map(.result.children[]),
		total_share_percent: (map(.result.total_share_percent) | add), children_died: (map(.result.children_died) | add),
		stopped: any(.result.stopped)})}
		| .settings.count = (.result.children | length)' "${files[@]}" >"$1/sink.out" 2>/dev/null
	rm -f "$1"/sink-*.out "$1"/sink-*.err
	for n in "${!LAB_GROUPS[@]}"; do [[ $n != login-* ]] || lab_ungroup "$n"; done
}

# Compares what ran with what the setting asks for: groups, logins, nice values, policies, CPUs, switches.
train_mismatch() {	# train_mismatch REGIME
	local setting=$CURRENT word policy=other nice=0 session_policy=other session_nice=0 away=false
	# a display on the client is not a process of the server
	[[ ${SESSION_DISPLAY[$(session_name "${P[protocol]}" "${P[app]}")]} != [0-9]*:* ]] || away=true
	for word in $(switched "$setting"); do printf '; %s is not so: not the setting asked for' "$word"; done
	for word in ${SESSION_HOW[$setting]}; do
		case $word in nice=*) session_nice=${word#*=} ;; policy=*) session_policy=${word#*=} ;; esac
	done
	[[ " ${LOAD_HOW[$setting]} " =~ \ --nice\ (-?[0-9]+)\  ]] && nice=${BASH_REMATCH[1]}
	[[ " ${LOAD_HOW[$setting]} " =~ \ --policy\ ([a-z:0-9]+)\  ]] && policy=${BASH_REMATCH[1]}
	jq -r --argjson away "$away" --arg session "$SESSION_GROUP" --arg load " ${LOAD_HOW[$setting]} " \
		--arg nice "$nice" --arg policy "$policy" \
		--arg snice "$session_nice" --arg spolicy "$session_policy" \
		--argjson autogroup "$(switch_value autogroup ||
			echo 0)" --arg cpus "$LAB_CPUS_server" --arg client "$LAB_CPUS_client" '
		def words: [splits(" ") | select(contains("=")) | {key: sub("=.*"; ""), value: sub("^[^=]*="; "")}] | from_entries;
		def ours: . // "" | capture("/thinprobe-[0-9a-f]{6}-(?<name>[a-z]+)").name // "";
		def differs($who; $group; $nice; $policy; $cpus): select(. != {})
			| (if (.cgroup | ours) != $group then "\($who) in cgroup \(.cgroup)" else empty end,
				if .nice != $nice then "\($who) at nice \(.nice)" else empty end,
				if .policy != $policy then "\($who) under \(.policy)" else empty end,
				if .cpus != $cpus then "\($who) on CPU \(.cpus)" else empty end);
		if . == null then empty else map_values(words)
		| (if $load | contains(" group ") then "load" elif $load | contains(" each ") then "login" else "" end) as $group
		| [(if $away then .app else .session, .app end | differs("session"; $session; $snice; $spolicy; $cpus)),
			(.sinks | differs("load"; $group; $nice; $policy; if $load | contains(" client ") then $client else $cpus end)),
			(select(.sinks != {} and $session + $group == "" and $autogroup == 1
					and (.sinks.autogroup == .session.autogroup) == ($load | contains(" login ")))
				| "load in \(.sinks.autogroup), session in \(.session.autogroup)")]
		| unique | .[] | "; \(.): not the setting asked for" end' <<<"$1" | tr -d '\n'
}

# What this machine gives -----------------------------------------------------------------------------------------

# Tries the setting, with a process in place of the session and one in place of the load.
setting_try() {	# 0, or LAB_WHY
	local why='' slice
	if [ "$1" != default ] && [ -z "${SESSION_HOW[$1]}${LOAD_HOW[$1]}" ] && [ -z "$(switched "$1")" ]; then
		LAB_WHY="it is so already: that is the default row"
		return 1
	fi
	setting_levers "$1" || return
	in_session lab_start server "try-$1" true
	lab_wait "$LAB_PID" || why="cannot start the session with this setting: $(last_word "try-$1")"
	if [ -z "$why" ] && [ -z "$LOAD_EACH" ]; then
		lab_start "${LOAD_FLAGS[@]}" server "try-$1" "$TP_BIN/sink" -t 10ms "${LOAD_OPTIONS[@]}" --format json
		# 3: it ran in the setting, but got less CPU time than planned
		lab_wait "$LAB_PID" || [ $? = 3 ] || why="cannot start the load with this setting: $(last_word "try-$1")"
		slice=$(jq -r '.settings.slice_ms // empty' "$LAB_LOG/try-$1.out" 2>/dev/null)	# the kernel's slice
		[[ -n $why || " ${LOAD_HOW[$1]} " != *" --slice "* || " ${LOAD_HOW[$1]} " == *" --slice ${slice}ms "* ]] ||
			why="this kernel takes no slice length for a process (EEVDF does, from Linux 6.12 on)"
	fi
	rm -f "$LAB_LOG/try-$1".{out,err}
	LAB_WHY=$why
	[ -z "$why" ]
}

# switched SETTING: prints the kernel switches that have another value than the setting needs.
switched() {
	local word
	for word in ${MACHINE_HOW[$1]}; do [ "$(switch_value "${word%%=*}")" = "${word#*=}" ] || echo "$word"; done
}

settings_here() {	# prints those of SETTINGS that this machine has
	local name
	for name in ${SETTINGS//,/ }; do [ -n "${NOT_HERE[$name]+not}" ] || echo "$name"; done
}

settings_find() {
	local name rows=''
	for name in ${SETTINGS//,/ }; do
		unset "NOT_HERE[$name]"
		setting_try "$name" || NOT_HERE[$name]=${LAB_WHY:-it could not be made}
		levers_back
		stop_here
		rows+=$(jq -cn --arg name "$name" --arg says "${SAYS[$name]}" --arg why "${NOT_HERE[$name]-}" '
			{setting: $name, $says, here: ($why == ""), why: (if $why == "" then null else $why end)}')
	done
	[ -n "$(settings_here)" ] || die "-$EXIT_MISSING" "none of these settings can be made here: ${NOT_HERE[$name]}"
	run_set '.rows = $rows | .machine = {autogroup: $autogroup}' --argjson rows "$(jq -s . <<<"$rows")" \
		--argjson autogroup "$(switch_value autogroup || echo null)"
}
