#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep.sh FILE [-o DIR] | --resume DIR - an experiment in cells that are measured one by one, on one pair of hosts or on several.
#
# The folder of a sweep has a run folder for each combination of settings that are not axes of the experiment; a cell is one
# combination of axes, and one repeat, of these runs (sweep_cell.sh measures it). An engine only distributes the cells: GNU
# parallel, where each pair of hosts is a "login", or Slurm. Missing cells are found by looking for their files, so that a sweep
# can be resumed after any failure.
# shellcheck disable=SC2317 # functions of engines are called by their names
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
. "$TP_HOME/experiments/engine/plan.sh"
. "$TP_HOME/experiments/engine/folder.sh"
TP_TOOL=thinprobe COMMAND=sweep
here=$TP_HOME/experiments/commands

usage() {
	cat <<'END'
usage: thinprobe sweep FILE [-o DIR] [--engine E] [--pairs FILE] [--list]
       thinprobe sweep --resume DIR [--engine E] [--pairs FILE] [--list]
Measures an experiment cell by cell (a cell is one repeat of one condition), on
one or more pairs of hosts, and makes a report. FILE has lines "key value...":
  experiment NAME      the experiment (thinprobe list)
  protocol vnc x11     an option of the experiment, with all its values (if it
  loads 0 5 10         takes only one value: a run for each)
  repeat 5             repeats of each condition
  -o, --output-dir DIR folder of the sweep
  --resume DIR         measure the missing cells of DIR
  --engine parallel|slurm
                       GNU parallel on this machine, or a job array of Slurm,
                       two nodes a cell (parallel; --resume: as before)
  --pairs FILE         pairs of hosts: lines "SERVER CLIENT" as ssh knows them,
                       or an Ansible inventory (.yml, .ini) with the groups
                       thinprobe_servers and thinprobe_clients (hosts emulated
                       where a cell is measured)
  --retries N          tries of a cell (3)
  --list               only list the cells: ID, and "there" or "missing"
Exit status: 0 complete, 1 it could not go on, 2 wrong usage, 3 some cells are
missing or not in the report, 4 something is not installed, 130 interrupted.
END
}

output_dir='' resume='' engine='' pairs='' retries=3 list=''
read_words list 'o:output-dir resume engine pairs retries' "$@"
[ "${#words[@]}" -le 1 ] || bad "one file at a time; ${words[1]} is a second"
FILE=${words[0]-} DIR=$output_dir RESUME=${resume%/} ENGINE=$engine PAIRS=$pairs TRIES=$retries LIST=$list
[[ $ENGINE == @(|parallel|slurm) ]] || bad "--engine $ENGINE: parallel or slurm"
[[ $TRIES =~ ^[1-9][0-9]?$ ]] || bad "--retries $TRIES: a whole number from 1 to 99"
if [ -n "$RESUME" ]; then
	[ -z "$FILE$DIR" ] || bad "--resume goes on with the file and in the folder that it has"
	[ -f "$RESUME/sweep" ] || bad "--resume $RESUME: no folder of a sweep"
	why=$(cd -- "$RESUME/" && find . -regextype posix-extended -path './.parts/*/*' ! -name .lock -prune -o \
		! -type f ! -type d ! -path ./.alive -printf '%P is no file or folder (a link, a pipe)' -quit -o \
		-type d -regex '[.]/([.](alive|asks|engine|ids|lock|logins|pairs|sbatch)|[a-z]+[.](tsv|html)|joblog)' \
		-printf '%P is a folder in the place of a file' -quit -o \
		-type f -regex '[.]/([.]parts|[.]parallel|log|[^/]+/(cells|log|parts))' \
		-printf '%P is a file in the place of a folder' -quit)
	[ -z "$why" ] || bad "--resume $RESUME: $why; remove it"
	DIR=$RESUME FILE=$RESUME/sweep
	[ -n "$ENGINE" ] || [ ! -f "$DIR/.engine" ] || IFS= read -r ENGINE <"$DIR/.engine"
	[[ $ENGINE == @(|parallel|slurm) ]] || bad "--resume $RESUME: its .engine is neither parallel nor slurm; give --engine"
fi
: "${ENGINE:=parallel}"
[ "$ENGINE" = parallel ] || [ -z "$PAIRS" ] || bad "--pairs is for --engine parallel: Slurm chooses the hosts"
[ -n "$FILE" ] || bad "name a file that has a line: experiment NAME"
[ -f "$FILE" ] && [ -r "$FILE" ] || bad "$FILE: no file that can be read"
need jq jq flock util-linux cmark-gfm cmark-gfm

# The file of the sweep ---------------------------------------------------------------------------------------------

swept() { [[ $1 != @(on|quiet|demo|resume|output-dir|options-only|fail-if) ]]; }

# Reads FILE. Sets EXPERIMENT, WORDS (options of every run) and RUNS: lines "NAME<tab>more options", one for each run.
sweep_read() {
	local line=0 key values value option axis runs=('') new run text tab=$'\t' settings=()
	local -A seen
	EXPERIMENT=$(awk '{ sub(/\r$/, ""); sub(/#.*/, "") } $1 ~ /^experiment:?$/ { $1 = ""; print }' "$FILE")
	read -ra values <<<"${EXPERIMENT//$'\n'/ }"
	[ "${#values[@]}" -gt 0 ] || bad "$FILE: a line is missing: experiment NAME"
	[ "${#values[@]}" = 1 ] || bad "$FILE: one experiment a sweep; ${values[1]} is a second"
	EXPERIMENT=${values[0]}
	EXP_DIR=$(experiment_folder "$EXPERIMENT") ||
		bad "$FILE: no experiment $EXPERIMENT$(nearest_experiment "$EXPERIMENT")"
	plan_read "$EXP_DIR"
	WORDS=()
	for option in "${OPTIONS[@]}"; do ! swept "$option" || settings+=("$option"); done
	while read -r key values || [ -n "$key" ]; do
		line=$((line + 1))
		values=${values%$'\r'} key=${key%$'\r'}
		key=${key%:}
		[[ $key != '' && $key != \#* && $key != experiment ]] || continue
		option=$key
		[ -n "${OPT[$option.type]-}" ] && swept "$option" ||
			bad "$FILE, line $line: $EXPERIMENT has no setting $key$(nearest "$key" "" "${settings[@]}")"
		[ -z "${seen[$option]-}" ] || bad "$FILE, line $line: $key is there twice"
		seen[$option]=1
		values=${values%%#*}
		read -ra values <<<"$values"
		if [ "${OPT[$option.type]}" = flag ]; then
			[ "${#values[@]}" = 0 ] || bad "$FILE, line $line: $key takes no value"
			WORDS+=("--$option")
			continue
		fi
		[ "${#values[@]}" -gt 0 ] || bad "$FILE, line $line: $key needs a value"
		if [ "$option" = repeat ] && [ "${#values[@]}" -gt 1 ]; then
			[ "${values[*]}" = "$(seq -s ' ' "${#values[@]}")" ] ||
				bad "$FILE, line $line: repeats are counted from 1: repeat ${#values[@]}, or repeat $(seq -s ' ' \
					"${#values[@]}")"
			values=("${#values[@]}")
		fi
		text=$(IFS=,; echo "${values[*]}")
		axis=''
		for run in "${AXES[@]}"; do [ "${run#*=}" != "$option" ] || axis=1; done
		if [ -n "$axis" ] || [ "${#values[@]}" = 1 ] || [[ ${OPT[$option.type]} == *list* ]]; then
			WORDS+=("--$option=$text")
			continue
		fi
		new=()
		for run in "${runs[@]}"; do
			for value in "${values[@]}"; do new+=("$run$tab--$option=$value"); done
		done
		runs=("${new[@]}")
	done <"$FILE"
	RUNS=()
	for run in "${runs[@]}"; do
		text=$EXPERIMENT${run//${tab}--/,}
		RUNS+=("${text//[!A-Za-z0-9=,.:%-]/-}$run")
	done
}

# Prints the pairs of hosts as lines "SERVER CLIENT"; no line means the emulated hosts.
sweep_pairs() {
	[ -n "$PAIRS" ] || return 0
	[ -r "$PAIRS" ] || bad "--pairs $PAIRS: no file that can be read"
	if [[ $PAIRS == *.@(yml|yaml|ini) ]]; then
		need ansible-inventory ansible-core
		LC_ALL=C.UTF-8 ansible-inventory -i "$PAIRS" --list 2>/dev/null | jq -re '
			(._meta.hostvars // {}) as $vars | def login: ($vars[.] // {}) as $v
				| (if $v.ansible_user then $v.ansible_user + "@" else "" end) + ($v.ansible_host // .);
			[.thinprobe_servers.hosts // [], .thinprobe_clients.hosts // []]
			| if (.[0] | length) != (.[1] | length) then error else transpose[] | map(login) | join(" ") end' ||
			bad "--pairs $PAIRS: the groups thinprobe_servers and thinprobe_clients have as many hosts each"
	else
		awk '/^[ \t]*(#|$)/ { next } NF != 2 || /[,\047"]/ { exit 1 } { print $1, $2 }' "$PAIRS" ||
			bad "--pairs $PAIRS: lines \"SERVER CLIENT\", as ssh knows them"
	fi
}

# The cells -----------------------------------------------------------------------------------------------------------

# Prints a line "ID<tab>there|missing" for each cell and repeat: run by run, in each run all cells of repeat 1, then of repeat 2.
# ID: RUN/CELL.REPEAT.
sweep_cells() {
	local run
	for run in "${RUNS[@]}"; do
		run=${run%%$'\t'*}
		jq -r --arg run "$run" --arg once "${PLAN[once]-}" '(.settings.repeats // 1) as $n | range(1; $n + 1) as $r | .cells[]
			| select($r == 1 or all(.parameters | to_entries[]; "\(.key)=\(.value)" != $once)) | "\($run)\t\(.name)\t\($r)"' \
			"$DIR/$run/run.json"
	done | while IFS=$'\t' read -r run name repeat; do
		if [ -f "$DIR/$run/cells/$name/$repeat/cell.json" ]; then word=there; else word=missing; fi
		printf '%s/%s.%s\t%s\n' "$run" "$name" "$repeat" "$word"
	done
}
# Sets THERE, the number of cells that are there, and CELL_FILES, the cell.json of each, below DIR. Starts no process, since a cell
# may be measured on this machine at the same time.
sweep_count() {
	local file
	THERE=0
	for file in "${CELL_FILES[@]}"; do [ ! -f "$DIR/$file" ] || THERE=$((THERE + 1)); done
}
sweep_missing() { sweep_cells | sed -n 's/\tmissing$//p'; }

# sweep_groups PARTS <IDS: lines with the IDs of cells that are measured while the hosts are up once: at most 8 of one run and
# repeat, and few enough that each pair of hosts gets several lines. Lines of one run and repeat are about equally long.
sweep_groups() {
	awk -v parts="$1" '
		function put(from, to,   n, lines, i, line) {
			n = to - from + 1
			lines = int(n / most + 0.5)
			if (lines * 8 < n) lines = int((n + 7) / 8)
			for (i = 0; i < n; i++) {
				line = line id[from + i]
				if (int((i + 1) * lines / n) > int(i * lines / n)) { print line; line = "" } else line = line " "
			}
		}
		{ id[NR] = $0; run = repeat = $0; sub(/\/.*/, "", run); sub(/.*[.]/, "", repeat); of[NR] = run "/" repeat }
		END {
			most = int((NR + parts - 1) / parts)
			for (i = from = 1; i <= NR; i++) if (i == NR || of[i + 1] != of[i]) { put(from, i); from = i + 1 }
		}'
}

sweep_free() {	# the folder must not hold another sweep; sweep_unmake removes what is in it
	[ ! -e "$DIR/sweep" ] || bad "-o $DIR: holds a sweep already; go on with --resume $(printf %q "$DIR")"
	folder_empty "$DIR" || bad "-o $DIR: is not empty; name a new folder"
}
sweep_plan() {
	local run on=lab pair words part=plan
	pair=$(head -n 1 <<<"$PAIR_LINES")
	[ -z "$pair" ] || on=ssh:${pair/ /,}
	[ "$ENGINE" != slurm ] || on=ssh:server,client part=blind	# placeholders: Slurm assigns the hosts of each cell
	[ -n "$DIR" ] || DIR=$(results_new sweep) || die "$(folder_refused "$DIR")"
	folder_made DIR "$DIR" || die "$(folder_refused "$DIR")"
	lock_ours sweep
	sweep_free
	for run in "${RUNS[@]}"; do
		IFS=$'\t' read -ra words <<<"$run"
		EXP_SWEEP=$part "$TP_HOME/experiments/engine/run.sh" "$EXPERIMENT" "${WORDS[@]}" \
			"${words[@]:1}" --on "$on" -o "$DIR/${words[0]}" || {
			local status=$?
			sweep_unmake
			exit "$status"
		}
	done
	sweep_asks >"$DIR/.asks" && cp -- "$FILE" "$DIR/sweep" || die "cannot write to $DIR"
}
# The file as it was when the cells were planned. An edited file is refused: it would not describe the cells that are there.
sweep_asks() { printf '%s\n' "$EXPERIMENT" "${WORDS[@]}" "${RUNS[@]}"; }
# Nothing was measured: removes all that was made, so that the same command can be given again.
sweep_unmake() {
	local run
	for run in "${RUNS[@]}"; do rm -rf "${DIR:?}/${run%%$'\t'*}"; done
	rm -rf "$DIR"/{sweep,log,pairs,.asks,.parts,.engine,.pairs,.ids,.sbatch}
	folder_gone "$DIR"
}

# Engines ---------------------------------------------------------------------------------------------------------------
#
# Each engine has four functions: ENGINE_need ends the sweep if its program is missing, ENGINE_start distributes the missing cells,
# ENGINE_alive fails when the engine has ended, ENGINE_stop ends it and its cells.

# GNU parallel: a pair of hosts is a login, whose "ssh" is sweep_pair.sh. A cell that failed on one pair is tried on another.
# Parallel does not end the processes of such a job reliably, so each cell ends by itself when no process has the fifo .alive open.
parallel_need() { need parallel parallel; }
parallel_start() {
	parallel_need
	sweep_missing | sweep_groups "$(($(wc -l <"$DIR/.pairs") * 4))" >"$DIR/.ids"
	awk '{ print "1/sweep_pair.sh " NR }' "$DIR/.pairs" >"$DIR/.logins"
	rm -f "$DIR/joblog" "$DIR/.alive"
	mkfifo "$DIR/.alive" && exec {ALIVE}<>"$DIR/.alive" || die "cannot make a fifo in $DIR"
	SWEEP_ALIVE=$DIR/.alive SWEEP_PAIRS=$DIR/.pairs PATH=$here:$PATH PARALLEL_HOME=$DIR/.parallel SHELL=$BASH \
		setpriv --pdeathsig KILL parallel --will-cite --plain --jobs 1 --slf "$DIR/.logins" --joblog "$DIR/joblog" \
			--retries "$TRIES" \
		--termseq TERM,60000,KILL,25 "$(printf %q "$here/sweep_cell.sh")" --sweep "$(printf %q "$DIR")" {} :::: \
			"$DIR/.ids" \
		</dev/null >/dev/null 2>"$DIR/log/engine.log" {ALIVE}<&- {LOCK}<&- &
	ENGINE_PID=$!
	disown	# or bash would print a message when it ends
}
parallel_alive() { kill -0 "$ENGINE_PID" 2>/dev/null; }
parallel_stop() {
	local n
	kill "$ENGINE_PID" 2>/dev/null
	exec {ALIVE}<&-
	while parallel_alive; do sleep 0.1; done
	for ((n = 0; n < 600; n++)); do	# until the running cells have undone their changes
		sweep_tidy
		compgen -G "$DIR/.parts/*" >/dev/null || return 0
		sleep 0.1
	done
}

# Slurm: a job array over the missing cells; cells that are still missing when it has ended are submitted again. Slurm itself
# requeues the tasks of a failed node. Jobs are named after DIR, so that the next sweep here finds those of a killed sweep.
slurm_need() { need sbatch slurm-client; }
slurm_start() {
	slurm_need
	SLURM_TRY=1 SLURM_POLL=0
	slurm_submit || { [ -n "$RESUME" ] || sweep_unmake; exit 1; }
}
slurm_name() { echo "thinprobe-$(sha256sum <<<"$DIR" | cut -c1-16)"; }
# Prints the numbers of unfinished tasks, with state and reason. (An ended task stays COMPLETING if its node is dead.)
slurm_tasks() {
	local tasks
	tasks=$(squeue --noheader --array --name="$(slurm_name)" --format='%i %T %r' 2>>"$DIR/log/engine.log") || return
	grep -v ' COMPLETING ' <<<"$tasks" | sed '/^$/d'
	return 0
}
slurm_submit() {
	local most count first
	sweep_missing >"$DIR/.ids"
	count=$(wc -l <"$DIR/.ids") most=$(scontrol show config 2>/dev/null | awk '$1 == "MaxArraySize" { print $3 }')
	: "${most:=1001}"
	for ((first = 1; first <= count; first += most)); do
		sbatch --quiet --job-name="$(slurm_name)" --nodes=2 --ntasks-per-node=1 --exclusive --requeue --chdir="$DIR" \
			--array="0-$((count - first < most ? count - first : most - 1))" --output=log/engine.log \
				--open-mode=append \
			"$here/sweep_task.sh" "$TP_HOME" "$DIR" "$DIR/.ids" "$first" >/dev/null 2>"$DIR/.sbatch" ||
			{ warn "$(tail -n 1 "$DIR/.sbatch")"; slurm_stop; return 1; }
	done
}
slurm_alive() {
	local tasks
	now_s
	[ "$NOW_S" -ge "$SLURM_POLL" ] || return 0
	SLURM_POLL=$((NOW_S + 2))
	tasks=$(slurm_tasks) || return 0	# the controller does not answer, but may come back
	# A task that Slurm requeued and held ("launch failed requeued held") would wait for a person.
	awk 'tolower($0) ~ /held|special_exit|requeue_hold/ && !/JobHeldUser/ { print $1 }' <<<"$tasks" |
		xargs -r scancel --quiet 2>/dev/null
	[ -z "$tasks" ] || return 0
	[ "$SLURM_TRY" -lt "$TRIES" ] && [ "$(sweep_missing | wc -l)" -gt 0 ] || return
	SLURM_TRY=$((SLURM_TRY + 1))
	slurm_stop
	slurm_submit
}
slurm_stop() {	# running cells get a signal first, and 30 s to undo their changes; scancel alone would kill them
	local n
	scancel --quiet --state=PENDING --name="$(slurm_name)" 2>/dev/null
	scancel --quiet --batch --signal=TERM --name="$(slurm_name)" 2>/dev/null
	for ((n = 0; n < 60; n++)); do
		[ "$n" != 30 ] || scancel --quiet --name="$(slurm_name)" 2>/dev/null
		[ -n "$(slurm_tasks)" ] || return 0
		sleep 1
	done
}

# A part that no process has locked is left over from a killed cell.
sweep_tidy() {
	local part LOCK
	for part in "$DIR"/.parts/*/; do
		lock_folder "${part%/}" || continue
		rm -rf "$part"
		exec {LOCK}>&-
	done 2>/dev/null
}

sweep_progress() {	# sweep_progress THERE TOTAL BEFORE
	local left='' words
	now_s
	[ "$1" = "$3" ] || { left=$(((NOW_S - SINCE) * ($2 - $1) / ($1 - $3))); printf -v left ', %d:%02d:%02d left' $((left / 3600)) \
		$((left / 60 % 60)) $((left % 60)); }
	words="sweep  $1 of $2 cells$left"
	if [ -t 1 ]; then printf '\r%s\033[K' "$words"; elif [ "$words" != "$SAID" ] && [ "$1" != "$LAST" ]; then echo "$words"; fi
	SAID=$words LAST=$1
	# why a cell that runs has not begun: the last line of its log (seldom, since cells may be measured here)
	[ $((NOW_S - LOOKED)) -ge 5 ] || return 0
	LOOKED=$NOW_S
	words=$(find "$DIR/log" -name '*.log' -newer "$DIR/.engine" -exec tail -qn 1 {} + 2>/dev/null |
		sed -n '/: waiting up to /{s/^thinprobe: //p;q}')
	[ -z "$words" ] || [ "$words" = "$WAITS" ] || { [ ! -t 1 ] || echo; warn "a cell waits: $words"; }
	WAITS=$words
}

# Copies facts on hosts and lab from the cells' run.json into that of the run: common facts from the first cell, lists of what was
# missing from all cells.
sweep_sum() {
	local run name status=0 parts
	for run in "${RUNS[@]}"; do
		name=${run%%$'\t'*}
		parts=("$DIR/$name"/parts/*.json)
		[ -f "${parts[0]}" ] || { warn "$DIR/$name: no cell was measured, so it is not reported on"; status=3; continue; }
		jq -s 'if all(.[1:][].settings.on; type == "string") then . else error end
			| .[0] as $whole | .[1:] | sort_by(.started // "") as $parts
			| ($parts | map(.settings.on) | unique) as $on
			| $parts[0] + $whole | .lab = $parts[0].lab | .host = $parts[0].host | .protocol = $parts[0].protocol
			| .protocols = ($parts | map(.protocols // {}) | add)
			| .idle = ($parts | map(.idle // {}) | add) | if .idle == {} then del(.idle) else . end
			| .clocks = $parts[0].clocks | .settings.on = $on[0]
			| ($whole.sweep.missing // []) as $missing
			| .lab.missing = ([$missing[], $parts[].lab.missing[]?] | unique) + (if ($on | length) < 2 then [] else
				["one pair of hosts for all cells: they are of \($on | length) pairs, whose differences are in the intervals"] end)
			| .ended = ([$parts[].ended] | max)
			| .measured_s = ($parts | map(.measured_s) | if all(. != null) then add else null end)
			| .sweep = {on: $on, parts: ($parts | length), $missing}' "$DIR/$name/run.json" "${parts[@]}" 2>/dev/null |
			put_whole "$DIR/$name/run.json" || {
			! name_full_disk "$DIR" >/dev/null || die "cannot write to $DIR/$name: $(name_full_disk "$DIR")"
			warn "$DIR/$name/parts: a file in it is damaged, so the run is not reported on; remove the file"
			status=3
			continue
		}
		EXP_SWEEP=sum "$TP_HOME/experiments/engine/run.sh" "$EXPERIMENT" --resume "$DIR/$name" || status=3
	done
	return "$status"
}

sweep_read
[ -z "$RESUME" ] || [ ! -f "$DIR/.asks" ] || cmp -s "$DIR/.asks" <(sweep_asks) ||
	bad "$FILE was edited, but its cells are fixed; undo it, or begin a new sweep: thinprobe sweep $(printf %q "$FILE") -o NEW"
for run in ${RESUME:+"${RUNS[@]}"}; do
	run=${run%%$'\t'*}/run.json
	jq -e '(.settings.repeats // 1 | type == "number" and IN(range(1; 1001))) and all(.cells[]; .parameters | type == "object")
		and all(.cells[].name; test("^[\\p{L}\\p{N}_,:+%@=~-][\\p{L}\\p{N}._,:+%@=~-]*\\z"))' "$DIR/$run" >/dev/null 2>&1 ||
		bad "--resume $RESUME: $run is not that of a run, or names what cannot be a cell"
done
[ -n "$RESUME" ] || [ -z "$DIR" ] || sweep_free	# also for --list
if [ -z "$RESUME" ] && [ -n "$LIST" ]; then
	DIR=$(mktemp -d 2>/dev/null) || die "cannot make a folder in ${TMPDIR:-/tmp}"
	on_exit rm -rf "$DIR"
	DIR=$DIR/sweep
fi
[ -n "$LIST$RESUME" ] || "${ENGINE}_need"
PAIR_LINES=$(sweep_pairs) || exit
[ -z "$PAIRS" ] || [ -n "$PAIR_LINES" ] || bad "--pairs $PAIRS: it names no hosts"
[ -z "$RESUME" ] || [ -z "$PAIR_LINES" ] || [ "$(cat "$DIR/.pairs" 2>/dev/null)" != lab ] ||
	bad "--pairs $PAIRS: this sweep was planned for emulated hosts; begin a new one with -o NEW"
if [ -z "$RESUME" ]; then sweep_plan; else folder_made DIR "$DIR" || die "$(folder_refused "$DIR")"; fi
[ -z "$LIST" ] || { sweep_cells; exit; }
[ -z "$RESUME" ] || lock_ours sweep
[ -w "$DIR" ] && mkdir -p "$DIR/log" "$DIR/.parts" || die "cannot write to $DIR"
if [ -n "$PAIR_LINES" ]; then
	awk '{ print "ssh:" $1 "," $2 }' <<<"$PAIR_LINES" | keep .pairs || exit
elif [ -z "$RESUME" ] || [ ! -f "$DIR/.pairs" ]; then
	echo lab | keep .pairs || exit
fi
# An array of a sweep that was killed would go on beside ours.
[ "$(cat "$DIR/.engine" 2>/dev/null)" != slurm ] || slurm_stop
echo "$ENGINE" | keep .engine || exit
sweep_tidy
stop=''
trap 'stop=1' INT TERM HUP
mapfile -t CELL_FILES < <(sweep_cells | sed -E "s,/(.*)\.([0-9]+)\t.*,/cells/\1/\2/cell.json,")
sweep_count
now_s
all=${#CELL_FILES[@]} before=$THERE SINCE=$NOW_S SAID='' LAST='' WAITS='' LOOKED=0
if [ "$before" -lt "$all" ]; then
	"${ENGINE}_start"
	while [ -z "$stop" ] && "${ENGINE}_alive"; do
		sweep_progress "$THERE" "$all" "$before"
		nap 1
		sweep_count
	done
	[ -z "$stop" ] || "${ENGINE}_stop"
	sweep_count
	sweep_progress "$THERE" "$all" "$before"
	[ ! -t 1 ] || echo
fi
sweep_tidy
rm -f "$DIR/.alive"
status=0
if [ -n "$stop" ]; then
	status=130
else
	sweep_sum || status=$?
fi
sweep_cells | "$TP_BIN/swept" "$DIR" "$EXPERIMENT" || exit
missing=$(sweep_missing | wc -l)
if [ "$missing" != 0 ]; then
	[ "$ENGINE" = parallel ] || [ -s "$DIR/log/engine.log" ] || compgen -G "$DIR/log/*_*.log" >/dev/null ||
		warn "no task of Slurm's has written to $DIR: all nodes must share its file system"
	warn "$missing of $all cells are missing: $(sweep_missing | head -n 1)$([ "$missing" = 1 ] || echo ", ...");" \
		"the reasons are in $DIR/log; go on with: thinprobe sweep --resume $(printf %q "$DIR")"
	[ "$status" = 130 ] || status=3
fi
locks_tidy "${LAB_LOCKS:-/tmp/thinprobe-locks}" >/dev/null	# those of cells that were killed
echo "Sweep: $DIR/index.html"
exit "$status"
