# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# favour.sh - for experiments that measure how a scheme (data/favour.tsv: nothing, autogroups, nice, vamp) helps a user whose
# session also runs a job in the background.
#
# Call favour_check and favour_find in exp_check and exp_find; favour_begin and favour_end around the cells of a scheme
# (exp_session, exp_end_session); favour_job_begin and favour_job_end around the measured part of a cell. place_*.sh runs the
# session: place_find, place_has, place_begin, place_end, place_start, place_exec, place_probe, place_trace, place_traced,
# place_down; and place_host, if PLACE_PORT (a guest's port to vamp on its host) is set, and PLACE_NOBODY, an empty group.

declare -A SCHEME_SAYS SCHEME_SESSION SCHEME_JOB SCHEME_VAMP
while IFS=$'\t' read -r name says session job vamp; do
	[ "$vamp" != - ] || vamp=''
	SCHEME_SAYS[$name]=$says SCHEME_SESSION[$name]=$session SCHEME_JOB[$name]=$job SCHEME_VAMP[$name]=$vamp
done < <(grep -vE '^(#|scheme\s|$)' "$TP_HOME/kits/apps/data/favour.tsv")

# Schemes -----------------------------------------------------------------------------------------------------------

favour_check() {
	[ "$PLACE" = lab ] || [ "$ON" = lab ] ||
		exp_bad "--place $PLACE with --on $ON: all of it, the probe too, is in the guest; run it on the server itself, without --on"
	. "$TP_HOME/kits/apps/experiments/families/place_$PLACE.sh"
}

# Keeps in SCHEMES those that work here; ABSENT gets the others with the reason.
favour_find() {
	local name here='' vamp='' why
	local -A not=()
	place_find || die "-$EXIT_MISSING" "no group for the session: $LAB_WHY; see: thinprobe doctor"
	"$TP_BIN/vamp" run --help >/dev/null 2>&1 || vamp="vamp run does not start: $("$TP_BIN/vamp" run --help 2>&1 | tail -n 1)"
	for name in ${SCHEMES//,/ }; do
		LAB_WHY=''
		[ -z "${SCHEME_VAMP[$name]}" ] || LAB_WHY=$vamp
		[[ ! ${SCHEME_VAMP[$name]} =~ ^(vm|host) || -n $PLACE_PORT ]] ||
			LAB_WHY="there is no guest with a neighbour (--place guest --neighbour N)"
		[[ "${SCHEME_VAMP[$name]}" != *--isolate* || $PLACE_CPUS -gt 1 ]] ||
			LAB_WHY="isolation takes two CPUs, and the session has one (--server-cpus 2 on a machine with two)"
		[[ ${SCHEME_JOB[$name]} != login ]] || [ "$PLACE" != lab ] || lab_can server autogroup ||
			LAB_WHY="no autogroups in this kernel"
		if [ -n "$LAB_WHY" ]; then not[$LAB_WHY]+=", $name"; else here+=,$name; fi
	done
	for why in "${!not[@]}"; do ABSENT+=("scheme ${not[$why]#, }: $why"); done
	SCHEMES=${here#,} here=''
	for name in ${JOBS//,/ }; do
		if place_has "${JOB_WORKER[$name]}"; then here+=,$name; continue; fi
		ABSENT+=("job $name: ${JOB_WORKER[$name]} is missing; thinprobe setup --app launch")
	done
	[ -n "$here" ] || die "-$EXIT_MISSING" "${ABSENT[-1]}"
	JOBS=${here#,}
	run_set '.schemes = $schemes' --argjson schemes "$(
		for name in ${SCHEMES//,/ }; do
			jq -cn --arg name "$name" --arg says "${SCHEME_SAYS[$name]}" '{($name): $says}'
		done | jq -s add)"
}

# Prints lines "SCHEME<tab>JOB": each scheme beside each job, those without a job once.
favour_pairs() {
	local scheme job
	for scheme in ${SCHEMES//,/ }; do
		if [ "${SCHEME_JOB[$scheme]}" = none ]; then printf '%s\tnone\n' "$scheme"; continue; fi
		for job in ${JOBS//,/ }; do printf '%s\t%s\n' "$scheme" "$job"; done
	done
}

# An experiment may set: vamp's options for sound, a log of it, and that file as -o FILE; what else to start in the session before
# vamp. The program that times starts and visits is no background, though under emulation it may load a CPU.
FAVOUR_VAMP_WORDS=(--no-audio --except startup) FAVOUR_VAMP_FILES=()
favour_more() { :; }

# Starts a session under the scheme, the job, and vamp if the scheme has it. vamp writes its report to REPORT, a .json in the run
# folder; where REPORT is there from an earlier session, to a file beside it, with -again in its name. 1: LAB_WHY.
favour_begin() {	# favour_begin SCHEME JOB REPORT
	local LAB_LOG=$RUN/log scope=() words report=${3%.json}
	mkdir -p "${3%/*}"
	while [ -e "$report.json" ]; do report+=-again; done
	FAVOUR_REPORT=${report##*/}
	FAVOUR_JOB='' FAVOUR_VAMP='' FAVOUR_HOST=''
	place_begin "${SCHEME_SESSION[$1]}" && favour_more || return
	read -ra words <<<"${SCHEME_VAMP[$1]}"
	[ -z "$PLACE_GROUP" ] || scope=(--group "$PLACE_GROUP")
	case ${words[0]-} in
	host)	# vamp in the guest watches the keys alone: the group that it judges is empty
		place_host "$report" --ratio "${words[1]}" --registers || return
		scope=(--group "$PLACE_NOBODY") words=(--agent "$PLACE_PORT")
		;;
	vm)
		place_host "$report" --ratio "${words[1]}" || return
		words=(--agent "$PLACE_PORT" "${words[@]:2}")
		;;
	esac
	if [ "${#words[@]}" -gt 0 ]; then
		place_start -D -o "$report.json" ${FAVOUR_VAMP_FILES[@]+"${FAVOUR_VAMP_FILES[@]}"} \
			vamp "$TP_BIN/vamp" run --display "$PROTOCOL_DISPLAY" "${FAVOUR_VAMP_WORDS[@]}" \
			--most "${MOST}s" "${scope[@]}" "${words[@]}" \
			--format json -o "$report.json"
		FAVOUR_VAMP=$LAB_PID
		is_ready vamp "$PLACE_PATIENCE" "vamp did not start" || return
	fi
	[ "${SCHEME_JOB[$1]}" = none ] || favour_job_start "$2" "${SCHEME_JOB[$1]}"
}

favour_end() {
	lab_stop "$FAVOUR_JOB" "$FAVOUR_VAMP" "$FAVOUR_HOST"
	# A job that goes on would disturb all later measurements.
	[ -z "$FAVOUR_JOB" ] || wait_until "$PLACE_PATIENCE" favour_job_over ||
		die "the background job ($FAVOUR_WORKER) is still running $PLACE_PATIENCE s after its end was requested"
	FAVOUR_JOB='' FAVOUR_VAMP='' FAVOUR_HOST=''
	place_end
}

# (an experiment may have others)
exp_session() { favour_begin "${P[scheme]}" "${P[job]}" "$RUN/vamp/${P[scheme]}-${P[job]}-$1.json"; }
exp_end_session() { favour_end; }

favour_lives() {	# 1, LAB_WHY: the job or vamp has ended
	LAB_WHY="the job in the background ended: $(LAB_LOG=$RUN/log last_word job)"
	[ -z "$FAVOUR_JOB" ] || ! lab_gone "$FAVOUR_JOB" || return
	LAB_WHY="vamp ended: $(LAB_LOG=$RUN/log last_word vamp)"
	[ -z "$FAVOUR_VAMP" ] || ! lab_gone "$FAVOUR_VAMP"
}

# Sends the input that opens an episode of vamp.
favour_return() { place_exec env DISPLAY="$PROTOCOL_DISPLAY" xdotool key Return; }

# The job -------------------------------------------------------------------------------------------------------------

# The process whose reads count as the job's work, and the names of all its processes.
declare -A JOB_WORKER=([parallel]=xz [quanta]=python3 [bursts]=python3 [pipes]=md5sum [single]=md5sum)
declare -A JOB_NAMES=([parallel]="xz cat bash" [quanta]="python3 bash" [bursts]="python3 bash" [pipes]="md5sum dd bash"
	[single]=md5sum)
# A signal for the first process of a job ends all of it.
declare -A JOB_COMMAND=(
	[parallel]='exec xz -0 -T "$1" --block-size=1MiB < <(while cat /bin/bash; do :; done) >/dev/null'
	[quanta]='exec python3 -c "$2" "$1"'
	[bursts]='exec python3 -c "$3" "$1"'
	[single]='exec md5sum /dev/zero'
	[pipes]='all=; for i in $(seq "$1"); do dd if=/dev/urandom bs=32k status=none | md5sum & all="$all $!"; done
		trap "kill $all" TERM; wait')

# Threads that pass a token to the next one about every 100 us; half as many tokens as threads.
JOB_THREADS='import os, sys, threading
n = int(sys.argv[1])
pipes = [os.pipe() for i in range(n)]
def work(i):
    while True:
        token = os.read(pipes[i][0], 4096)
        for k in range(3000): pass
        os.write(pipes[(i + 1) % n][1], token)
for i in range(n): threading.Thread(target=work, args=[i]).start()
for i in range(max(1, n // 2)): os.write(pipes[2 * i % n][1], bytes(4096))'

# Threads that each compute for about 1 ms and then wait for the slowest, which wakes all the others.
JOB_BURSTS='import hashlib, os, sys, threading
n = int(sys.argv[1])
gate = threading.Barrier(n)
zero = os.open("/dev/zero", os.O_RDONLY)
def work():
    while True:
        hashlib.sha256(os.read(zero, 1 << 18)).digest()
        gate.wait()
for i in range(n): threading.Thread(target=work).start()'

favour_job_start() {	# favour_job_start JOB HOW; 1: LAB_WHY
	local flags=() before=()
	case $2 in
	login) flags=(-S) ;;
	nice=*) before=(nice -n "${2#*=}") ;;
	esac
	FAVOUR_WORKER=${JOB_WORKER[$1]}
	place_start "${flags[@]}" job "${before[@]}" bash -c "${JOB_COMMAND[$1]}" bash "$THREADS" "$JOB_THREADS" \
		"$JOB_BURSTS"
	FAVOUR_JOB=$LAB_PID
	LAB_WHY="the job in the background does not work"
	wait_until "$PLACE_PATIENCE" favour_job_works || return
	nap 1.5	# vamp decides by the load of the last second
}
favour_job_over() { [ "$(favour_work | cut -d' ' -f2)" = 0 ]; }
favour_job_works() { [ "$(favour_work | cut -d' ' -f2)" -gt 1000000 ]; }

# Prints "seconds bytes": the time, and what the job has read so far.
favour_work() {
	place_exec -R sh -c 'read -r now _ </proc/uptime
		for p in /proc/[0-9]*; do
			read -r name <$p/comm && [ "$name" = "$1" ] && sed -n "s/^rchar: //p" $p/io
		done 2>/dev/null | awk -v now="$now" "{ s += \$1 } END { printf \"%s %.0f\\n\", now, s }"' sh "$FAVOUR_WORKER"
}

favour_job_begin() { [ -z "$FAVOUR_JOB" ] || FAVOUR_WORK=$(favour_work); }
favour_job_end() {	# adds `job` to CELL_MORE: its work, bytes a second, since favour_job_begin
	[ -n "$FAVOUR_JOB" ] || return 0
	CELL_MORE=$(jq -c --arg from "$FAVOUR_WORK" --arg to "$(favour_work)" '
		[$from, $to | split(" ") | map(tonumber)] as [$a, $b]
		| .job = {seconds: ($b[0] - $a[0]), bytes: ($b[1] - $a[1]), bytes_per_s: (($b[1] - $a[1]) / ($b[0] - $a[0]))}' \
			<<<"$CELL_MORE")
}

# What vamp reports about itself in each session (RUN/vamp/SCHEME-JOB-REPEAT.json) goes into run.json: in how many
# episodes it throttled the job and other processes, how long it took to decide, its share of a CPU.
favour_summed() {
	local file scheme job repeat rows=''	# (of a session that was made once more there are two)
	local name='^(.+)-([a-z]+)-([0-9]+)(-again)*[.]json$'
	for file in "$RUN"/vamp/*.json; do
		[ -s "$file" ] && [[ ${file##*/} =~ $name ]] || continue
		scheme=${BASH_REMATCH[1]} job=${BASH_REMATCH[2]} repeat=${BASH_REMATCH[3]}
		[[ ${SCHEME_VAMP[$scheme]} != host* ]] || continue	# (it judged nobody; the host knows no names)
		rows+=$(jq -c --arg scheme "$scheme" --arg job "$job" --argjson repeat "$repeat" \
			--argjson names "[\"${JOB_NAMES[$job]// /\",\"}\"]" \
				'.result | {$scheme, $job, $repeat, episodes: (.episodes | length),
				found: ([.episodes[] | select(any(.background[]; IN(.comm; $names[])))] | length),
				others: [.episodes[].background[].comm | select(IN($names[]) | not)],
				decided_us: [.episodes[].decided_us | values],
				decided_ns: [.episodes[] | select(.decided_us) | .started_ns + .decided_us * 1000],
				daemon_cpu_percent, sampled_tasks, not_undone}' "$file")
	done
	run_set '.vamp = $vamp' --argjson vamp "$(jq -s . <<<"$rows")"
}

# Applies the jq FILTER to each cell; $of is the result of OF on the complete cells of the baseline. Of a list, `baseline` is the
# item of the cell's app and job; of a cell without a job the only one, if there is one job: with several there is no one baseline.
favour_relate() {	# favour_relate OF FILTER WORD...
	local file
	jq -nr "${@:3}" 'def mean: map(values) | if . == [] then null else add / length end;
		def geomean: map(values) | if . == [] or any(. <= 0) then null elif length == 1 then .[0] else map(log) | add / length | exp end;
		[inputs | {file: input_filename, cell: .}]
		| (map(.cell | select(.state == "complete" and .parameters.scheme == "baseline")) | '"$1"') as $of
		| def baseline: .parameters as $p | [$of[] | select(.app == $p.app)] as $of
			| first($of[] | select(.job == $p.job or ($p.job == "none" and ($of | length) == 1))) // {};
		  .[] | .file, (.cell | '"$2"')' "$RUN"/cells/*/*[0-9]/cell.json |
		awk '/^[^{} ]/ { file = $0 ".related"; next } { print >file } /^}/ { close(file) }'
	for file in "$RUN"/cells/*/*[0-9]/cell.json; do
		put_json "$file" <"$file.related"
		rm -f "$file.related"
	done
}

# An application ------------------------------------------------------------------------------------------------------

# Waits for startup. In a guest it stands still where the guest does, which is what neighbours do to a guest and what schemes are to
# prevent: then the sample counts, with times that may be late by held_up_ms. 1: LAB_WHY.
favour_watched() {	# favour_watched REPORT
	has_ended startup "${1%/*}" && return
	[ "$PLACE-$STATUS" = guest-3 ] && jq -e '.result.held_up_ms > 0' "$1" >/dev/null 2>&1
}

# 0, and the report; 1: LAB_WHY. The pause before the key is that between close and launch, and longer than the time that vamp
# judges by: the watcher's own start must not be what it finds.
favour_launch() {	# favour_launch APP REPORT
	application "$1"
	place_start -R -o "$2" startup env "${APP_ENVIRONMENT[@]}" HOME="$LAB_TMP/home/$1" "$TP_BIN/startup" \
		--display "$PROTOCOL_DISPLAY" --window "$APP_WINDOW" --key Return --pause 1500ms --settle 1s --watch-after 500ms \
		--close-for 300ms --ceiling "${CEILING}s" --format json -o "$2" -- "${APP_COMMAND[@]}"
	favour_watched "$2" || return
	LAB_WHY="it had not come to rest after $CEILING s"
	jq -e '.result.runs[0].state == "stable"' "$2" >/dev/null 2>&1
}

# Traces ------------------------------------------------------------------------------------------------------------

# Whether tasks can be traced here. 1: LAB_WHY.
favour_can_trace() {
	LAB_WHY=$(place_exec -R "$TP_BIN/vamp" trace -t 1ms --format json 2>&1 >/dev/null | grep -vx ready | tail -n 1)
	[ -z "$LAB_WHY" ]
}

# Runs COMMAND while FILE gets every time slice of tasks on the session's CPUs. Returns its status; 1: LAB_WHY.
favour_traced() {	# favour_traced FILE COMMAND...
	local status
	LAB_PID_OF[slices]=''
	place_trace "$1" -t 1h --format json && is_ready slices "$PLACE_PATIENCE" || {
		lab_stop "${LAB_PID_OF[slices]-}" "${LAB_PID_OF[vcpus]-}"
		return 1
	}
	"${@:2}"
	status=$?
	lab_stop "${LAB_PID_OF[slices]}"
	place_traced "$1"
	return "$status"
}

# Makes RUN/quanta.tsv: for each kind of tasks the distribution of the lengths of their time slices, and how many (n). Reads
# quanta.tsv of cells, with rows "KIND MS".
favour_quanta_summed() {
	rm -f "$RUN/quanta.tsv"
	cat "$RUN"/cells/*/*[0-9]/quanta.tsv 2>/dev/null | LC_ALL=C sort -t$'\t' -k1,1 -k2,2g |
		awk -F'\t' -v OFS='\t' '
			$1 != kind { put(); kind = $1; n = 0 }
			{ ms[++n] = $2 }
			END { put() }
			function put(i) {
				if (n && !rows++) print "schema\tkind\tms\tshare\tn"
				for (i = 1; n && i <= 200; i++)
					printf "quanta/1\t%s\t%s\t%.3f\t%d\n", kind, ms[int((n - 1) * i / 200) + 1], i / 200, n
			}' >"$RUN/quanta.rows"
	if [ -s "$RUN/quanta.rows" ]; then mv "$RUN/quanta.rows" "$RUN/quanta.tsv"; else rm -f "$RUN/quanta.rows"; fi
}
