# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - session-memory: for each cell logins are started one after the other, up to the largest number; at each number that was
# asked for, once memory is at rest, sessmem reads all processes of each login. A login is a display server (if it is at the server)
# and a desktop or terminal, in its own memory group, with a connected client. A system is PROTOCOL.KIND.
. "$TP_HOME/lab/guest.sh"
FOREIGN_LIMIT=80	# memory hardly depends on CPU time
SETTLE_SECONDS=40
PROTOCOL_OPTIONS=()
LOGIN_ROOTS=()		# for each login the pids, separated by commas, of the processes started for it on the server
LOGIN_DISPLAYS=()	# those of the display server among them
LOGIN_GROUPS=()		# memory groups; empty if none can be made
declare -A KIND_APP=([light]=terminal [typical]=desktop) KIND_SAYS=([light]='a bare terminal' [typical]='a light desktop')
declare -A WARM=()

exp_check() { LOGINS=$(tr , '\n' <<<"$LOGINS" | sort -n | paste -sd ,); }

exp_choose() {
	local kind why
	KINDS_HERE=''
	for kind in ${KINDS//,/ }; do
		app_can() { :; }
		app_use "${KIND_APP[$kind]}"
		if why=$(app_can); then KINDS_HERE+=" $kind"; else ABSENT+=("$kind login: $why"); fi
	done
	[ -n "$KINDS_HERE" ] || die "-$EXIT_MISSING" "no kind of login that was asked for can be started here: ${ABSENT[-1]#*: }"
}

exp_cells() {
	local protocol kind	# (in a sweep over hosts of yours nothing was chosen)
	for protocol in ${PROTOCOLS//,/ }; do for kind in ${KINDS_HERE-${KINDS//,/ }}; do printf '%s\t%s\n' "$protocol.$kind" \
		"${LOGINS##*,}"; done; done
}

exp_words() { echo "up to ${P[logins]} ${P[system]##*.} logins over ${P[system]%.*} (${KIND_SAYS[${P[system]##*.}]})"; }

exp_begin() {
	# Making a file system for guests takes minutes and a package archive, so it is not done during a run.
	if ! EMPTY_WHY=$(guest_missing) && ! (guest_root small kept && guest_kernel kept) >/dev/null 2>&1; then
		EMPTY_WHY="no guest is made yet; make it, as root, with: $TP_HOME/lab/guest.sh root small"
	fi
	[ -z "$EMPTY_WHY" ] || ABSENT+=("memory of a server without logins: $EMPTY_WHY")
	GROUPS_HERE=0
	[ -z "$LAB_MEMORY_GROUP" ] || return 0	# all logins are in the server's group
	if lab_memory_group login-0; then GROUPS_HERE=1; else
		ABSENT+=("memory groups (${LAB_WHY#memory groups: }): what the kernel keeps for a login is in the machine's figure only")
	fi
	lab_memory_ungroup login-0
}

# A server of its own -----------------------------------------------------------------------------------------------

EMPTY_MEMORY=512

# Measures a guest that runs only the kernel and process 1 (and the reader): .empty_server of run.json.
exp_before_cells() {
	local said pin=()
	[ "$ON" != lab ] || pin=(-C "$LAB_CPUS_server,$LAB_CPUS_client")
	[ -z "$EMPTY_WHY" ] && ! jq -e .empty_server "$RUN/run.json" >/dev/null || return 0
	exp_step "a guest without logins"
	said=$(
		GUEST_PATIENCE=180
		guest_up empty small -m "${EMPTY_MEMORY}M" "${pin[@]}" && empty_read
		guest_down empty
	) 2>"$RUN/log/guest.err"
	[ ! -t 1 ] || printf '\r\033[K'
	if [ -z "$said" ]; then
		stopped || warn "cannot measure the memory of a server without logins: $(LAB_LOG=$RUN/log last_word guest)"
		return 0
	fi
	run_set '.empty_server = ($machine | {memory_bytes: ($mb * 1048576), $accel, $kernel,
			unavailable_bytes: ($mb * 1048576 - .available_bytes), reserved_bytes: ($mb * 1048576 - .total_bytes)} + .)' \
		--argjson mb "$EMPTY_MEMORY" --arg accel "$(guest_accel)" --arg kernel "${said%%$'\n'*}" --argjson machine \
			"${said#*$'\n'}"
}

# Prints its kernel's name, then its memory in use as JSON, once it has changed by less than half a percent in two seconds.
empty_read() {
	local used=0 before n
	guest_exec empty uname -r </dev/null || return
	for n in {1..10}; do
		nap 2
		before=$used
		# (there is no Python in the guest)
		guest_exec empty cat /proc/meminfo </dev/null >"${GUEST_DIR[empty]}/meminfo" || return
		"$TP_BIN/sessmem" --machine --meminfo "${GUEST_DIR[empty]}/meminfo" --json -o "${GUEST_DIR[empty]}/used.json" || return
		used=$(jq .result.machine.used_bytes "${GUEST_DIR[empty]}/used.json") && [ -n "$used" ] || return
		awk -v a="$before" -v b="$used" 'BEGIN { d = b > a ? b - a : a - b; exit !(d <= 0.005 * b) }' && break
	done
	jq -c .result.machine "${GUEST_DIR[empty]}/used.json"
}

# Logins ------------------------------------------------------------------------------------------------------------

login_start() {	# login_start N; 1: LAB_WHY
	local name=${P[system]}-$1 first=${#LAB_PIDS[@]} group='' LAB_MEMORY='' CHILDREN
	if [ "$GROUPS_HERE" = 1 ]; then
		group=login-$1
		lab_memory_group "$group" || return
		LAB_MEMORY=$group
	fi
	protocol_start "$name" || return
	lab_children server "${LAB_PIDS[@]:first}"
	LOGIN_DISPLAYS+=("$CHILDREN")
	app_use "${KIND_APP[${P[system]##*.}]}"
	app_start "$PROTOCOL_DISPLAY" || return
	lab_children server "${LAB_PIDS[@]:first}"
	LOGIN_ROOTS+=("$CHILDREN")
	LOGIN_GROUPS+=("$group")
	client_start "client-$name"
}

exp_stop() {
	local group
	lab_stop "${LAB_PIDS[@]}"
	protocol_stop
	for group in "${!LAB_MEMORY_GROUPS[@]}"; do [[ $group != login-* ]] || lab_memory_ungroup "$group"; done
	LOGIN_ROOTS=() LOGIN_DISPLAYS=() LOGIN_GROUPS=()
}

# The first login reads its programs from the disk, and is charged for their pages: so one login is started and ended before.
warm_up() {	# 1: LAB_WHY
	local GROUPS_HERE=0
	[ -z "${WARM[${P[system]}]-}" ] || return 0
	login_start 0 || return
	exp_stop
	WARM[${P[system]}]=1
}

# Reading them ------------------------------------------------------------------------------------------------------

# Runs sessmem on another CPU than the server's.
sessmem() {	# sessmem FOLDER NAME OPTION...: FOLDER/NAME.json; 1: LAB_WHY
	outside_start "$2" "$TP_BIN/sessmem" "${@:3}" --format json
	has_ended "$2" "$1"
}

# Writes FOLDER/N.json for each login; lab.json: the lab's own processes on the server's machine (helpers; in the emulated lab also
# clients and displays at the client); server.json: the group of a server with --server-memory.
read_all() {	# read_all LOGINS FOLDER
	local n doors group CHILDREN
	mkdir -p "$2"
	for ((n = 1; n <= $1; n++)); do
		group=${LOGIN_GROUPS[n - 1]}
		if [ -n "$group" ]; then
			sessmem "$2" "$n" --cgroup "${LAB_MEMORY_GROUPS[$group]}"
		else
			sessmem "$2" "$n" --session "${LOGIN_ROOTS[n - 1]}"
		fi || return
	done
	[ -z "$LAB_MEMORY_GROUP" ] || sessmem "$2" server --cgroup "$LAB_MEMORY_GROUP" || return
	if [ "$ON_BACKEND" = ssh ]; then
		doors=$(lab_query server doors) CHILDREN=''
	else
		doors=$(IFS=,; echo "${LAB_PIDS[*]-}")
		lab_children client "${LAB_PIDS[@]}"
	fi
	if [ -n "$doors" ]; then
		sessmem "$2" lab --pid "$doors" ${CHILDREN:+--session "$CHILDREN"}
	else
		sessmem "$2" lab --machine
	fi
}

# At rest: private memory has changed by less than half a percent in two seconds. (The last reading counts.)
logins_rest() {	# logins_rest LOGINS FOLDER; sets READ_FAILED
	local before=$PRIVATE
	nap "$([ -n "$before" ] && echo 2 || echo 1)"
	! stopped || return 0
	read_all "$1" "$2" || { READ_FAILED=1; return 0; }
	[ "$1" -gt 0 ] || return 0
	PRIVATE=$(jq -s 'map(.result.total_private_bytes) | add' "$2"/[0-9]*.json)
	[ -n "$before" ] && awk -v a="$before" -v b="$PRIVATE" 'BEGIN { d = b > a ? b - a : a - b; exit !(d <= 0.005 * b) }'
}

# Prints a row for each process with its class: "display" for the display server and its descendants, else by its name.
PROCESS_COLUMNS="logins login name class pid threads private_dirty_bytes swap_bytes private_clean_bytes pss_bytes"
PROCESS_COLUMNS+=" swap_pss_bytes shared_bytes rss_bytes page_tables_bytes"
processes_of() {	# processes_of LOGINS FOLDER
	local n
	for ((n = 1; n <= $1; n++)); do
		jq -r --argjson logins "$1" --argjson login "$n" --argjson roots "[${LOGIN_DISPLAYS[n - 1]}]" --arg columns \
			"$PROCESS_COLUMNS" '
			(.result.processes | map({key: (.pid | tostring), value: .ppid}) | from_entries) as $parent
			| def display: . as $pid | any($roots[]; . == $pid) or ($parent[$pid | tostring] | . != null and display);
			.result.processes[]
			| . + {$logins, $login, class: (if .name | test("^sshd") then "services" elif .pid | display then "display"
				elif .name | test("^(xterm|bash|sh)$") then "terminal"
				elif .name | test("^(dbus-|gvfs|at-spi|xfconfd|dconf|ssh-agent|gpg-agent|polkit)") then "services"
				else "desktop" end)}
			| ["login-memory/1", .[$columns | split(" ")[]]]
			| map(. // "" | tostring | gsub("[\t\n]"; " ")) | join("\t")' "$2/$n.json" || return
	done
}

# Prints the kernel's account of memory in use: by the machine, and by the logins' groups together (or the server's).
MACHINE_COLUMNS="logins used_bytes processes_bytes kernel_bytes file_cache_bytes total_bytes lab_bytes group_used_bytes"
MACHINE_COLUMNS+=" group_kernel_bytes group_shared_memory_bytes group_file_cache_bytes"
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
			group_shared_memory_bytes: sum(.shared_memory_bytes), group_kernel_bytes: sum(.kernel_bytes),
			group_file_cache_bytes: sum(.file_cache_bytes)}
		| ["memory/1", .[$columns | split(" ")[]]] | map(tostring) | join("\t")' "${groups[@]}" </dev/null
}

# One cell ----------------------------------------------------------------------------------------------------------

exp_run() {	# exp_run FOLDER REPEAT
	local n=0 step read PRIVATE READ_FAILED=''
	protocol_use "${P[system]%.*}"
	warm_up || { LAB_WHY="a login did not come up: $LAB_WHY"; return 1; }
	cpu_begin
	tr ' ' '\t' <<<"schema $PROCESS_COLUMNS" >"$1/samples.tsv"
	tr ' ' '\t' <<<"schema $MACHINE_COLUMNS" >"$1/machine.tsv"
	for step in 0 ${LOGINS//,/ }; do
		read=$LAB_LOG/read-$step PRIVATE=''
		while [ "$n" -lt "$step" ] && ! stopped; do
			n=$((n + 1))
			login_start "$n" || { LAB_WHY="login $n did not come up: $LAB_WHY"; return 1; }
		done
		wait_until "$SETTLE_SECONDS" logins_rest "$step" "$read" ||
			CELL_FLAGS+="; memory was not at rest at $step logins"
		! stopped || return
		[ -z "$READ_FAILED" ] || { LAB_WHY="the logins could not be read: $LAB_WHY"; return 1; }
		{ processes_of "$step" "$read" >>"$1/samples.tsv" && machine_of "$step" "$read" >>"$1/machine.tsv"; } \
			2>>"$LAB_LOG/sums.err" || { LAB_WHY="what was read cannot be summed up: $(last_word sums)"; return 1; }
	done
	cpu_end
}

exp_ran() {
	local lost
	lost=$(jq -s '[.[].result | .vanished + .unreadable] | add' "$LAB_LOG"/read-*/[0-9]*.json)
	[ "$lost" = 0 ] || CELL_FLAGS+="; $lost processes vanished or could not be read"
}
