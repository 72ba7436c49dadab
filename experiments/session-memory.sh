#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wong & Seltzer 2000, the tables of section 5.1: memory of each process of a login, light and typical; what one more login costs
# minutes: 25 (--quick: 5)
# needs: two CPUs, a display protocol; root for what the kernel charges to each login
# wrong if: the private memory of N logins is far from N times that of one, or more than the kernel charges to them
#
# For every cell logins are started one after the other, up to the largest number; at each number asked for, when their memory is at rest, all
# processes of each are read while that login stands still (sessmem). A login is its display server, where that is at the server, and its desktop
# or terminal, in a memory group of its own; a client is connected to it.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=session-memory
EXPERIMENT_SAYS="How much memory does a login need, process by process, and what does one more user really cost?"
RATE=0 THRESHOLD_MS=100
. "$TP_HOME/experiments/lib.sh"
PROTOCOL_LIST='' LOGINS=1,2,5,10 KINDS=light,typical
SYSTEMS=()	# PROTOCOL.KIND, in the order of the report
ABSENT=()	# "NAME: why it cannot run here"
SETTLE_SECONDS=40
declare -A KIND_APP=([light]=terminal [typical]=desktop) KIND_SAYS=([light]='a bare terminal' [typical]='a light desktop')

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--kinds light,typical] [--logins N,...] [--repeat R] [--quick] [--seed N]
         [--resume RUN] [-o DIR] [--on lab]
$EXPERIMENT_SAYS
  --protocol P,...  display protocols (vnc,x11, of these what can run here)
  --kinds K,...     light: a shell in a bare terminal; typical: a light desktop (it needs packages: thinprobe setup --app desktop) ($KINDS)
  --logins N,...    read at these numbers of logins ($LOGINS)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --quick           up to five logins, two repeats: a first idea
  --seed N          of the random order ($SEED)
$(exp_usage_memory)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
  --on lab          where the server is: emulated on this machine; others are not built, since the processes must stand still together
END
}

memory_options() {
	local n kind
	exp_parse "--quick QUICK" "--protocol PROTOCOL_LIST --kinds KINDS --logins LOGINS --repeat REPEATS --seed SEED --on ON" "$@"
	if [ "$QUICK" = 1 ]; then
		exp_given --logins || LOGINS=1,2,5
		exp_given --repeat || REPEATS=2
	fi
	exp_resume
	[ "$ON" = lab ] || exp_bad "--on $ON: logins are read on the emulated server of this machine only (--on lab)"
	exp_list --logins "$LOGINS"
	for n in ${LOGINS//,/ }; do exp_number --logins "$n" 1 200; done
	LOGINS=$(tr , '\n' <<<"$LOGINS" | sort -n | paste -sd ,)
	exp_list --kinds "$KINDS"
	for kind in ${KINDS//,/ }; do [ -n "${KIND_APP[$kind]-}" ] || exp_bad "--kinds $kind: light or typical"; done
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	exp_check_protocols
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	printf '%s\n' "${SYSTEMS[@]}" | jq -cRn --arg protocols "$PROTOCOL_LIST" --arg kinds "$KINDS" --argjson logins "[$LOGINS]" --argjson repeats "$REPEATS" --argjson seed "$SEED" \
		--argjson quick "$QUICK" --arg absent "$(printf '%s\n' ${ABSENT[@]+"${ABSENT[@]}"})" '
		{protocol: ($protocols | split(",")[0]), protocols: ($protocols | split(",")), kinds: ($kinds | split(",")), logins: $logins,
		systems: [inputs | capture("^(?<protocol>.*)\\.(?<kind>[a-z]+)$") | {system: "\(.protocol).\(.kind)", protocol, kind}],
		absent: [$absent | split("\n")[] | select(. != "") | capture("(?<system>[^:]*): (?<why>.*)")], repeats: $repeats, seed: $seed, quick: ($quick == 1), on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) KINDS=\(.kinds | join(",")) LOGINS=\(.logins | map(tostring) | join(","))
		REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end)"' "$RESUME/run.json")"
	mapfile -t SYSTEMS < <(jq -r '.settings.systems[].system' "$RESUME/run.json")
}

# Which systems: what was asked for, or all that can run here. What cannot is a row with the reason.
choose_systems() {
	local protocol why kind kinds=()
	[ "${#SYSTEMS[@]}" = 0 ] || return 0
	exp_choose_protocols ': '
	for kind in ${KINDS//,/ }; do
		app_can() { :; }
		app_use "${KIND_APP[$kind]}"
		if why=$(app_can); then kinds+=("$kind"); else ABSENT+=("$kind login: $why"); fi
	done
	[ "${#kinds[@]}" -gt 0 ] || die "-$EXIT_MISSING" "no login can be made here: ${ABSENT[-1]#*: }"
	for protocol in ${PROTOCOL_LIST//,/ }; do
		for kind in "${kinds[@]}"; do SYSTEMS+=("$protocol.$kind"); done
	done
}

exp_order() {
	local repeat
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		printf "%s ${LOGINS##*,} $repeat\n" "${SYSTEMS[@]}" | shuffled "$((SEED * 1000 + repeat))"
	done
}
exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_words() { echo "up to $1 $(system_words "$2")"; }
system_words() { echo "${1##*.} logins over ${1%.*} (${KIND_SAYS[${1##*.}]})"; }

# Logins --------------------------------------------------------------------------------------------------------

PROTOCOL_OPTIONS=()
LOGIN_ROOTS=()		# of each login, pids with commas: what was started for it on the server
LOGIN_DISPLAYS=()	# of these, what belongs to the display server
LOGIN_GROUPS=()		# memory groups; empty: none can be made

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

login_start() {	# login_start SYSTEM N; 1: LAB_WHY
	local name=$1-$2 first=${#LAB_PIDS[@]} group='' LAB_MEMORY=''
	if [ "$GROUPS_HERE" = 1 ]; then
		group=login-$2
		lab_memory_group "$group" || return
		LAB_MEMORY=$group
	fi
	protocol_start "$name"
	children_in server "$first"
	LOGIN_DISPLAYS+=("$CHILDREN")
	app_use "${KIND_APP[${1##*.}]}"
	app_start "$PROTOCOL_DISPLAY" || return
	children_in server "$first"
	LOGIN_ROOTS+=("$CHILDREN")
	LOGIN_GROUPS+=("$group")
	lab_start client "client-$name" "$TP_BIN/keyrepeat" "$PROTOCOL_TARGET" --rate 0 -t 1d --watch update ${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --format json
	lab_ready "client-$name" 20 || { LAB_WHY=$(grep -vx ready "$LAB_LOG/client-$name.err" | tail -n 1); return 1; }
}

logins_stop() {
	local group
	lab_stop ${LAB_PIDS[@]+"${LAB_PIDS[@]}"}
	protocol_stop
	for group in "${!LAB_MEMORY_GROUPS[@]}"; do [[ $group != login-* ]] || lab_memory_ungroup "$group"; done
	LOGIN_ROOTS=() LOGIN_DISPLAYS=() LOGIN_GROUPS=()
}

# Reading them --------------------------------------------------------------------------------------------------

# Outside of the hosts, as who runs us, off the server's CPU. It dies with this shell, and lets who stands still go.
sessmem() {	# sessmem FILE OPTION...; 3: something of it was lost, and is counted
	local file=$1 status=0
	shift
	setpriv --pdeathsig KILL "$TP_BIN/sessmem" "$@" --format json -o "$file" </dev/null 2>"$LAB_LOG/sessmem.err" || status=$?
	case $status in
	0 | 3) return 0 ;;
	esac
	LAB_WHY=$(tail -n 1 "$LAB_LOG/sessmem.err")
	LAB_WHY=${LAB_WHY:-sessmem failed with status $status}
	return 1
}

read_login() {	# read_login N FILE
	local group=${LOGIN_GROUPS[$1 - 1]}
	if [ -n "$group" ]; then sessmem "$2" --cgroup "${LAB_MEMORY_GROUPS[$group]}"; else sessmem "$2" --session "${LOGIN_ROOTS[$1 - 1]}"; fi
}

# FOLDER/N.json of each login; lab.json: what runs for them on this machine and not on the server (clients, displays at the client, the doors of all);
# server.json: the group of a server with a size of its own.
read_all() {	# read_all LOGINS FOLDER
	local n doors CHILDREN
	mkdir -p "$2"
	for ((n = 1; n <= $1; n++)); do read_login "$n" "$2/$n.json" || return; done
	[ -z "$LAB_MEMORY_GROUP" ] || sessmem "$2/server.json" --cgroup "$LAB_MEMORY_GROUP" || return
	doors=$(IFS=,; echo "${LAB_PIDS[*]-}")
	children_in client 0
	if [ -n "$doors" ]; then sessmem "$2/lab.json" --pid "$doors" ${CHILDREN:+--session "$CHILDREN"} --freeze none; else sessmem "$2/lab.json" --machine; fi
}

# At rest: within two seconds private memory has changed by less than half a percent. (The last reading counts.)
settle() {	# settle LOGINS FOLDER: sets SETTLED
	local before='' now i n files=()
	SETTLED=yes
	for ((n = 1; n <= $1; n++)); do files+=("$2/$n.json"); done
	for ((i = 0; i < SETTLE_SECONDS; i += 2)); do
		nap "$((i ? 2 : 1))"
		! stopped || return 0
		read_all "$1" "$2" || return
		[ "$1" -gt 0 ] || return 0
		now=$(jq -s 'map(.result.total_private_bytes) | add' "${files[@]}")
		[ -z "$before" ] || ! awk -v a="$before" -v b="$now" 'BEGIN { d = b > a ? b - a : a - b; exit !(d <= 0.005 * b) }' || return 0
		before=$now
	done
	SETTLED="not within $SETTLE_SECONDS s"
}

# One row for each process; whose it is: what descends from the display server's processes, else by its name.
processes_of() {	# processes_of LOGINS FOLDER
	local n
	for ((n = 1; n <= $1; n++)); do
		jq -r --argjson logins "$1" --argjson login "$n" --arg display "${LOGIN_DISPLAYS[$n - 1]}" '
			($display | split(",") | map(select(. != "") | tonumber)) as $roots
			| (.result.processes | map({key: (.pid | tostring), value: .ppid}) | from_entries) as $parent
			| def display: . as $pid | ($roots | index($pid)) != null or ($parent[$pid | tostring] as $p | $p != null and ($p | display));
			.result.processes[]
			| (if .pid | display then "display"
			   elif .name | test("^(xterm|bash|sh)$") then "terminal"
			   elif .name | test("^(dbus-|gvfs|at-spi|xfconfd|dconf|ssh-agent|gpg-agent|polkit)") then "services"
			   else "desktop" end) as $class
			| ["login-memory/1", $logins, $login, .name, $class, .pid, .threads, .private_dirty_bytes, .swap_bytes, .private_clean_bytes, .pss_bytes, .swap_pss_bytes, .shared_bytes, .rss_bytes, .page_tables_bytes]
			| map(. // "" | tostring | gsub("[\t\n]"; " ")) | join("\t")' "$2/$n.json" || return
	done
}

# What the kernel says is in use: by the machine, and by the logins' groups together (or the server's).
machine_of() {	# machine_of LOGINS FOLDER
	local groups=("$2/"[0-9]*.json)
	[ -z "$LAB_MEMORY_GROUP" ] || groups=("$2/server.json")
	[ "$1" -gt 0 ] || [ -n "$LAB_MEMORY_GROUP" ] || groups=()
	jq -rn --argjson logins "$1" --slurpfile lab "$2/lab.json" '
		[inputs.result.cgroup | values] as $groups | $lab[0].result as $lab | $lab.machine as $m
		| def sum(f): if $groups == [] then "" else $groups | map(f // 0) | add end;
		["memory/1", $logins, $m.used_bytes, $m.processes_bytes, $m.kernel_bytes, $m.file_cache_bytes, $m.available_bytes, $m.total_bytes, ($lab.total_private_bytes // 0),
			sum(.anonymous_bytes + .shared_memory_bytes + (.kernel_bytes // (.charged_bytes - .anonymous_bytes - .shared_memory_bytes - .file_cache_bytes)) + (.swap_bytes // 0)),
			sum(.anonymous_bytes), sum(.shared_memory_bytes), sum(.kernel_bytes), sum(.file_cache_bytes), sum(.swap_bytes)]
		| map(tostring) | join("\t")' ${groups[@]+"${groups[@]}"} </dev/null
}

# One cell ------------------------------------------------------------------------------------------------------

declare -A WARM=()
# The first login reads its programs from the disk, and their pages are charged to it: so one comes and goes before.
warm_up() {	# warm_up SYSTEM; 1: LAB_WHY
	local GROUPS_HERE=0
	[ -z "${WARM[$1]-}" ] || return 0
	login_start "$1" 0 || return
	logins_stop
	WARM[$1]=1
}

exp_cell() {	# exp_cell SYSTEM MOST REPEAT FOLDER
	local system=$1 folder=$4 reason='' n=0 step steps='' read LAB_LOG=$4/log
	mkdir -p "$LAB_LOG"
	protocol_use "${system%.*}"
	warm_up "$system" || reason="a login did not come up: $LAB_WHY"
	printf '%s\t' schema logins login name class pid threads private_dirty_bytes swap_bytes private_clean_bytes pss_bytes swap_pss_bytes shared_bytes rss_bytes page_tables_bytes |
		sed 's/\t$/\n/' >"$folder/samples.tsv"
	printf '%s\t' schema logins used_bytes processes_bytes kernel_bytes file_cache_bytes available_bytes total_bytes lab_bytes group_used_bytes group_anonymous_bytes \
		group_shared_memory_bytes group_kernel_bytes group_file_cache_bytes group_swap_bytes | sed 's/\t$/\n/' >"$folder/machine.tsv"
	for step in 0 ${LOGINS//,/ }; do
		read=$LAB_LOG/read-$step
		while [ -z "$reason" ] && [ "$n" -lt "$step" ] && ! stopped; do
			n=$((n + 1))
			login_start "$system" "$n" || reason="login $n did not come up: $LAB_WHY"
		done
		[ -n "$reason" ] || settle "$step" "$read" || reason="the logins could not be read: $LAB_WHY"
		! stopped || reason=interrupted
		[ -z "$reason" ] || break
		steps+="$step	$SETTLED"$'\n'
		{ processes_of "$step" "$read" >>"$folder/samples.tsv" && machine_of "$step" "$read" >>"$folder/machine.tsv"; } 2>>"$LAB_LOG/sums.err" ||
			{ reason="what was read cannot be summed up: $(tail -n 1 "$LAB_LOG/sums.err")"; break; }
	done
	logins_stop
	write_cell "$system" "$2" "$3" "$folder" "$reason" "$steps"
	if [ -n "$reason" ]; then warn "$(exp_words "$2" "$system"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

write_cell() {	# write_cell SYSTEM MOST REPEAT FOLDER REASON STEPS
	local lost='{}' each=("$LAB_LOG"/read-*/[0-9]*.json)
	[ ! -e "${each[0]}" ] || lost=$(jq -cs '[.[].result] | {vanished: (map(.vanished) | add), unreadable: (map(.unreadable) | add), not_frozen: (map(.not_frozen) | add),
		frozen_ms_max: (map(.frozen_ms) | max), frozen_by: (map(.frozen_by // "nothing") | unique | join(", "))}' "${each[@]}")
	jq -Rn --arg system "$1" --argjson most "$2" --argjson repeat "$3" --arg reason "$5" --argjson lost "$lost" '
		[inputs | select(. != "") | split("\t") | {logins: (.[0] | tonumber), settled: .[1]}] as $steps
		| ($steps | map(select(.settled != "yes"))) as $restless
		| ($lost | [.vanished, .unreadable, .not_frozen] | map(. // 0) | add) as $n
		| {schema: "thinprobe.cell/1", parameters: {system: $system, logins: $most}, repeat: $repeat, state: (if $reason == "" then "complete" else "failed" end), reason: $reason,
		foreign_percent: null, steal_percent: null, steps: $steps, lost: $lost,
		marked: ([if $n > 0 then "\($n) processes vanished, could not be read or did not stand still" else empty end,
			if $restless != [] then "memory was not at rest at \($restless | map(.logins | tostring) | join(", ")) logins" else empty end] | join("; "))}' <<<"$6" | put_json "$4/cell.json"
}

# Levers that this machine does not give, each with what that does to the figures.
missing_levers() {
	{
		[ "$LAB_SHARED_CPUS" = 0 ] || exp_not_apart "which only takes time here"
		[ "$GROUPS_HERE" = 1 ] || [ -n "$LAB_MEMORY_GROUP" ] || echo "memory groups (${GROUPS_WHY#memory groups: }): what the kernel keeps for a login is in the machine's figure only"
	} | jq -R . | jq -s .
}

memory_options "$@"
choose_systems
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_RATE=none LAB_DELAY=''
LINK=none
lab_use local
exp_step "two hosts"
lab_up
GROUPS_HERE=0 GROUPS_WHY=''
if [ -z "$LAB_MEMORY_GROUP" ]; then	# else all logins are in the server's
	if lab_memory_group login-0; then GROUPS_HERE=1; else GROUPS_WHY=$LAB_WHY; fi
	lab_memory_ungroup login-0
fi
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(missing_levers)")"
exp_record_protocols
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client; $(for s in "${SYSTEMS[@]}"; do system_words "$s"; done | paste -sd , | sed 's/,/, /g')"
jq -r '(.settings.absent[] | "not on this machine: \(.system): \(.why)"), (.lab.missing[] | "not on this machine: " + .)' "$RUN/run.json"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
