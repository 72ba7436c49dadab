# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the engine and the lab
# cell.sh - session-memory: for each cell logins are started one after the other, up to the largest number; at each number
# asked for, when their memory is at rest, all processes of each are read while that login stands still (sessmem). A login is
# its display server, where that is at the server, and its desktop or terminal, in a memory group of its own; a client is
# connected to it. A system is PROTOCOL.KIND.
SETTLE_SECONDS=40
PIN_EFFECT="which only takes time here"
PROTOCOL_OPTIONS=()
LOGIN_ROOTS=()		# of each login, pids with commas: what was started for it on the server
LOGIN_DISPLAYS=()	# of these, what belongs to the display server
LOGIN_GROUPS=()		# memory groups; empty: none can be made
declare -A KIND_APP=([light]=terminal [typical]=desktop) KIND_SAYS=([light]='a bare terminal' [typical]='a light desktop')
declare -A WARM=()

exp_check() { LOGINS=$(tr , '\n' <<<"$LOGINS" | sort -n | paste -sd ,); }

exp_choose() {
	local kind why can=''
	for kind in ${KINDS//,/ }; do
		app_can() { :; }
		app_use "${KIND_APP[$kind]}"
		if why=$(app_can); then can+=,$kind; else ABSENT+=("$kind login: $why"); fi
	done
	KINDS_HERE=${can#,}
	[ -n "$can" ] || die "-$EXIT_MISSING" "no login can be made here: ${ABSENT[-1]#*: }"
}

exp_cells() {
	local protocol kind
	for protocol in ${PROTOCOLS//,/ }; do
		for kind in ${KINDS_HERE//,/ }; do printf '%s\t%s\n' "$protocol.$kind" "${LOGINS##*,}"; done
	done
}

exp_settings() {
	cells_json | jq -c --arg first "${PROTOCOLS%%,*}" '{protocol: $first, systems: [.cells[].parameters.system
		| {system: ., protocol: sub("[.][a-z]+$"; ""), kind: sub("^.*[.]"; "")}]}'
}

login_words() { echo "${1##*.} logins over ${1%.*} (${KIND_SAYS[${1##*.}]})"; }
exp_words() { echo "up to ${P[logins]} $(login_words "${P[system]}")"; }

exp_begin() {
	GROUPS_HERE=0 GROUPS_WHY=''
	[ -z "$LAB_MEMORY_GROUP" ] || return 0	# all logins are in the server's
	if lab_memory_group login-0; then GROUPS_HERE=1; else GROUPS_WHY=$LAB_WHY; fi
	lab_memory_ungroup login-0
}

exp_missing() {
	lab_lacks pin memory
	[ "$GROUPS_HERE" = 1 ] || [ -n "$LAB_MEMORY_GROUP" ] ||
		echo "memory groups (${GROUPS_WHY#memory groups: }): what the kernel keeps for a login is in the machine's figure only"
}

# Logins ------------------------------------------------------------------------------------------------------------

# Which of what was started since is in that role, with the numbers that this machine knows them by.
children_in() {	# children_in ROLE FIRST: sets CHILDREN, of LAB_PIDS from FIRST on
	local pid LAB_CHILD home=LAB_HOLD_$1
	CHILDREN=''
	for pid in "${LAB_PIDS[@]:$2}"; do
		lab_child "$pid"
		[ "$LAB_CHILD" != "$pid" ] && [ "/proc/$LAB_CHILD/ns/pid" -ef "/proc/${!home}/ns/pid_for_children" ] || continue
		CHILDREN+=,$LAB_CHILD
	done
	CHILDREN=${CHILDREN#,}
}

login_start() {	# login_start N; 1: LAB_WHY
	local name=${P[system]}-$1 first=${#LAB_PIDS[@]} group='' LAB_MEMORY='' CHILDREN
	if [ "$GROUPS_HERE" = 1 ]; then
		group=login-$1
		lab_memory_group "$group" || return
		LAB_MEMORY=$group
	fi
	protocol_start "$name"
	children_in server "$first"
	LOGIN_DISPLAYS+=("$CHILDREN")
	app_use "${KIND_APP[${P[system]##*.}]}"
	app_start "$PROTOCOL_DISPLAY" || return
	children_in server "$first"
	LOGIN_ROOTS+=("$CHILDREN")
	LOGIN_GROUPS+=("$group")
	lab_start client "client-$name" "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate 0 -t 1d --watch update \
		${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json
	lab_ready "client-$name" 20 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/client-$name.err" | tail -n 1); return 1; }
}

logins_stop() {
	local group
	lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	protocol_stop
	for group in "${!LAB_MEMORY_GROUPS[@]}"; do [[ $group != login-* ]] || lab_memory_ungroup "$group"; done
	LOGIN_ROOTS=() LOGIN_DISPLAYS=() LOGIN_GROUPS=()
}

# The first login reads its programs from the disk, and their pages are charged to it: so one comes and goes before.
warm_up() {	# 1: LAB_WHY
	local GROUPS_HERE=0
	[ -z "${WARM[${P[system]}]-}" ] || return 0
	login_start 0 || return
	logins_stop
	WARM[${P[system]}]=1
}

# Reading them ------------------------------------------------------------------------------------------------------

# Outside of the hosts, as who runs us, off the server's CPU. It dies with this shell, and lets who stands still go.
sessmem() {	# sessmem FILE OPTION...; 3: something of it was lost, and is counted
	local file=$1 status=0
	shift
	setpriv --pdeathsig KILL "$TP_BIN/sessmem" "$@" --format json -o "$file" </dev/null 2>"$LAB_LOG/sessmem.err" || status=$?
	case $status in 0 | 3) return 0 ;; esac
	LAB_WHY=$(tail -n 1 "$LAB_LOG/sessmem.err")
	LAB_WHY=${LAB_WHY:-sessmem failed with status $status}
	return 1
}

# FOLDER/N.json of each login; lab.json: what runs for them on this machine and not on the server (clients, displays at the
# client, the doors of all); server.json: the group of a server with a size of its own.
read_all() {	# read_all LOGINS FOLDER
	local n doors group CHILDREN
	mkdir -p "$2"
	for ((n = 1; n <= $1; n++)); do
		group=${LOGIN_GROUPS[n - 1]}
		if [ -n "$group" ]; then
			sessmem "$2/$n.json" --cgroup "${LAB_MEMORY_GROUPS[$group]}" || return
		else
			sessmem "$2/$n.json" --session "${LOGIN_ROOTS[n - 1]}" || return
		fi
	done
	[ -z "$LAB_MEMORY_GROUP" ] || sessmem "$2/server.json" --cgroup "$LAB_MEMORY_GROUP" || return
	doors=$(IFS=,; echo "${LAB_PIDS[*]-}")
	children_in client 0
	if [ -n "$doors" ]; then
		sessmem "$2/lab.json" --pid "$doors" ${CHILDREN:+--session "$CHILDREN"} --freeze none
	else
		sessmem "$2/lab.json" --machine
	fi
}

# At rest: within two seconds private memory has changed by less than half a percent. (The last reading counts.)
logins_settle() {	# logins_settle LOGINS FOLDER: sets SETTLED
	local before='' now i n files=()
	SETTLED=yes
	for ((n = 1; n <= $1; n++)); do files+=("$2/$n.json"); done
	for ((i = 0; i < SETTLE_SECONDS; i += 2)); do
		nap "$((i ? 2 : 1))"
		! stopped || return 0
		read_all "$1" "$2" || return
		[ "$1" -gt 0 ] || return 0
		now=$(jq -s 'map(.result.total_private_bytes) | add' "${files[@]}")
		[ -z "$before" ] || ! awk -v a="$before" -v b="$now" 'BEGIN { d = b > a ? b - a : a - b; exit !(d <= 0.005 * b) }' ||
			return 0
		before=$now
	done
	SETTLED="not within $SETTLE_SECONDS s"
}

# One row for each process; whose it is: what descends from the display server's processes, else by its name.
PROCESS_COLUMNS="logins login name class pid threads private_dirty_bytes swap_bytes private_clean_bytes pss_bytes
	swap_pss_bytes shared_bytes rss_bytes page_tables_bytes"
processes_of() {	# processes_of LOGINS FOLDER
	local n
	for ((n = 1; n <= $1; n++)); do
		jq -r --argjson logins "$1" --argjson login "$n" --arg display "${LOGIN_DISPLAYS[n - 1]}" --arg columns "$PROCESS_COLUMNS" '
			($display | split(",") | map(select(. != "") | tonumber)) as $roots
			| (.result.processes | map({key: (.pid | tostring), value: .ppid}) | from_entries) as $parent
			| def display: . as $pid
				| ($roots | index($pid)) != null or ($parent[$pid | tostring] as $p | $p != null and ($p | display));
			.result.processes[]
			| . + {$logins, $login, class: (if .pid | display then "display"
				elif .name | test("^(xterm|bash|sh)$") then "terminal"
				elif .name | test("^(dbus-|gvfs|at-spi|xfconfd|dconf|ssh-agent|gpg-agent|polkit)") then "services"
				else "desktop" end)}
			| ["login-memory/1", .[$columns | scan("[a-z_]+")]]
			| map(. // "" | tostring | gsub("[\t\n]"; " ")) | join("\t")' "$2/$n.json" || return
	done
}

# What the kernel says is in use: by the machine, and by the logins' groups together (or the server's).
MACHINE_COLUMNS="logins used_bytes processes_bytes kernel_bytes file_cache_bytes available_bytes total_bytes lab_bytes
	group_used_bytes group_anonymous_bytes group_shared_memory_bytes group_kernel_bytes group_file_cache_bytes group_swap_bytes"
machine_of() {	# machine_of LOGINS FOLDER
	local groups=("$2/"[0-9]*.json)
	[ -z "$LAB_MEMORY_GROUP" ] || groups=("$2/server.json")
	[ "$1" -gt 0 ] || [ -n "$LAB_MEMORY_GROUP" ] || groups=()
	jq -rn --argjson logins "$1" --slurpfile lab "$2/lab.json" --arg columns "$MACHINE_COLUMNS" '
		[inputs.result.cgroup | values] as $groups | $lab[0].result as $lab
		| def sum(f): if $groups == [] then "" else $groups | map(f // 0) | add end;
		$lab.machine + {$logins, lab_bytes: ($lab.total_private_bytes // 0),
			group_used_bytes: sum(.anonymous_bytes + .shared_memory_bytes + (.swap_bytes // 0)
				+ (.kernel_bytes // (.charged_bytes - .anonymous_bytes - .shared_memory_bytes - .file_cache_bytes))),
			group_anonymous_bytes: sum(.anonymous_bytes), group_shared_memory_bytes: sum(.shared_memory_bytes),
			group_kernel_bytes: sum(.kernel_bytes), group_file_cache_bytes: sum(.file_cache_bytes), group_swap_bytes: sum(.swap_bytes)}
		| ["memory/1", .[$columns | scan("[a-z_]+")]] | map(tostring) | join("\t")' ${groups[@]+"${groups[@]}"} </dev/null
}

# One cell ----------------------------------------------------------------------------------------------------------

exp_measure() {
	local folder=$3 reason='' n=0 step steps='' read LAB_LOG=$3/log words
	mkdir -p "$LAB_LOG"
	protocol_use "${P[system]%.*}"
	warm_up || reason="a login did not come up: $LAB_WHY"
	read -rd '' -a words <<<"schema $PROCESS_COLUMNS"
	(IFS=$'\t'; echo "${words[*]}") >"$folder/samples.tsv"
	read -rd '' -a words <<<"schema $MACHINE_COLUMNS"
	(IFS=$'\t'; echo "${words[*]}") >"$folder/machine.tsv"
	for step in 0 ${LOGINS//,/ }; do
		read=$LAB_LOG/read-$step
		while [ -z "$reason" ] && [ "$n" -lt "$step" ] && ! stopped; do
			n=$((n + 1))
			login_start "$n" || reason="login $n did not come up: $LAB_WHY"
		done
		[ -n "$reason" ] || logins_settle "$step" "$read" || reason="the logins could not be read: $LAB_WHY"
		! stopped || reason=interrupted
		[ -z "$reason" ] || break
		steps+="$step	$SETTLED"$'\n'
		{ processes_of "$step" "$read" >>"$folder/samples.tsv" && machine_of "$step" "$read" >>"$folder/machine.tsv"; } \
			2>>"$LAB_LOG/sums.err" ||
			{ reason="what was read cannot be summed up: $(tail -n 1 "$LAB_LOG/sums.err")"; break; }
	done
	logins_stop
	logins_write "$folder" "$2" "$reason" "$steps"
	[ -n "$reason" ] || rm -rf "$LAB_LOG"
}

logins_write() {	# logins_write FOLDER REPEAT REASON STEPS
	local lost='{}' each=("$LAB_LOG"/read-*/[0-9]*.json) more
	[ ! -e "${each[0]}" ] || lost=$(jq -cs '[.[].result] | {vanished: (map(.vanished) | add), unreadable: (map(.unreadable) | add),
		not_frozen: (map(.not_frozen) | add), frozen_ms_max: (map(.frozen_ms) | max),
		frozen_by: (map(.frozen_by // "nothing") | unique | join(", "))}' "${each[@]}")
	more=$(jq -cRn --argjson lost "$lost" '
		[inputs | select(. != "") | split("\t") | {logins: (.[0] | tonumber), settled: .[1]}] as $steps
		| ($steps | map(select(.settled != "yes") | .logins | tostring) | join(", ")) as $restless
		| ([$lost.vanished, $lost.unreadable, $lost.not_frozen] | add // 0) as $n
		| {foreign_percent: null, steal_percent: null, $steps, $lost, marked: ([
			if $n > 0 then "\($n) processes vanished, could not be read or did not stand still" else empty end,
			if $restless != "" then "memory was not at rest at \($restless) logins" else empty end] | join("; "))}' <<<"$4")
	cell_write "$1" "$2" "$3" '' "$more"
}
