# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - startup: an application is started on a server with little memory, from exec to content at rest (bin/startup), beside a
# memory hog: an idle one with part of its memory in swap, or one that touches its memory and leaves little. Then follow a few
# further events of the application, still under pressure. Or it is started beside CPU hogs, or from a disk that others read from.
#
# All programs of the server are in its memory group: display, application, hog. So are the pages of the applications' files: they
# are dropped once, and read again by a process of the server, so that its group is charged for them.
. "$TP_HOME/kits/apps/experiments/families/starts.sh"
. "$TP_HOME/experiments/families/disk.sh"
. "$TP_HOME/kits/apps/experiments/startup/menus.sh"

# Rounds a second in which a touching hog would touch all its memory if it were resident: enough to keep it, with little CPU time.
TOUCHES_PER_S=2
SWAP='' PRESSURE=''	# PRESSURE: the program that makes it, as lab_start knows it
declare -A APP_RSS	# memory at rest, bytes, by name

exp_check() {
	local item
	if [ "$QUICK" = 1 ] && plan_given cold && ! plan_given warm; then WARM=0; fi
	apps_known --app "$APPS"
	if plan_given warm && [ "$COLD$WARM" = 01 ] && [[ ,$KINDS, == *,reads,* ]]; then
		! plan_given axis || exp_bad "--axis reads and --warm: starts beside disk reads are cold; leave one out"
		plan_given reads || KINDS=$(tr , '\n' <<<"$KINDS" | grep -vx reads | paste -sd ,)
	fi
	check_swaps
	check_disk
	[ -n "$SERVER_MEMORY" ] || exp_bad "--server-memory none: needs a limit, or the server never runs short of memory"
	[ -n "$PROFILES" ] || PROFILES=$(printf '%s\n' "$TP_HOME"/kits/apps/data/menus/*.tsv | paste -sd ,)
	IFS=, read -ra PROFILES <<<"$PROFILES"
	for item in "${PROFILES[@]}"; do
		plan_file --profile "$item"
		grep -q $'^schema\tapplication\tpath\tcount\tshortcut$' "$item" ||
			exp_bad "--profile $item: must have columns schema (menu/1), application, path, count, shortcut"
	done
}

# Copies profiles and model times into the run, so that a later report uses the same.
exp_settings() {
	local file
	for file in "${PROFILES[@]}"; do table_json "$file" | jq -c --arg class "$(basename "$file" .tsv)" '{$class, events: .}'; done |
		jq -cs --argjson tolerance "$TOLERANCE" --argjson beta "$BETA" \
			--argjson think "$(table_json "$TP_HOME/kits/apps/data/think.tsv")" '
		{model: {classes: map(.events |= map({application, path, count: (.count | tonumber), shortcut: (.shortcut // "")})),
			tolerance_s: $tolerance, $beta, times_s: ($think | map({key: .name, value: (.value_s | tonumber)}) | from_entries)}}'
}

# Cells ---------------------------------------------------------------------------------------------------------------

exp_choose() {
	local tool why=''
	apps_choose
	[[ ,$KINDS, == *,reads,* ]] || return 0
	[ "$ON_BACKEND" != ssh ] || lab_can server disk || why=$LAB_WHY
	for tool in fio:fio fincore:util-linux mke2fs:e2fsprogs; do
		[ -n "$why" ] || lab_has server "${tool%:*}" || why="${tool%:*} is missing (package ${tool#*:})"
	done
	[ -z "$why" ] || {
		ABSENT+=("starts beside disk load: $why")
		KINDS=$(tr , '\n' <<<"$KINDS" | grep -vx reads | paste -sd ,)
	}
}

some_of() {	# some_of AXIS: prints STEPS of its steps, evenly spread, including the first and the last
	local list=${1^^} all i
	IFS=, read -ra all <<<"${!list}"
	[ -n "$STEPS" ] && [ "$STEPS" -lt "${#all[@]}" ] || { echo "${all[*]}"; return; }
	[ "$STEPS" -gt 1 ] || { echo "${all[-1]}"; return; }
	for ((i = 0; i < STEPS; i++)); do printf '%s ' "${all[i * (${#all[@]} - 1) / (STEPS - 1)]}"; done
}

exp_cells() {
	local app start axis swap step swaps
	for app in ${APPS//,/ }; do
		for start in warm cold; do
			case $COLD$WARM$start in 10warm | 01cold) continue ;; esac
			printf '%s\t%s\tnone\tnone\t0\n' "$app" "$start"
			# By default there are a few cold starts for comparison.
			[ "$COLD$WARM$start" != 00cold ] || continue
			for axis in ${KINDS//,/ }; do
				swaps=$SWAPS
				case $axis in loads) swaps=none ;; reads) continue ;; esac
				for swap in ${swaps//,/ }; do for step in $(some_of "$axis"); do
					printf '%s\t%s\t%s\t%s\t%s\n' "$app" "$start" "$axis" "$swap" "$step"
				done; done
			done
		done
		# Files in the page cache would not be read from the disk.
		[[ ,$KINDS, != *,reads,* ]] || for step in $(some_of reads); do printf '%s\tcold\treads\tnone\t%s\n' "$app" \
			"$step"; done
	done
}

exp_words() {
	case ${P[axis]} in
	none) echo "${P[app]}, ${P[start]}, no pressure" ;;
	used) echo "${P[app]}, ${P[start]}, ${P[step]} MB in swap (${P[swap]})" ;;
	left) echo "${P[app]}, ${P[start]}, ${P[step]} % of its memory left (${P[swap]})" ;;
	loads) echo "${P[app]}, ${P[start]}, ${P[step]} sinks" ;;
	reads) echo "${P[app]}, ${P[start]}, ${P[step]} reads a second" ;;
	esac
}

# Before the first cell -----------------------------------------------------------------------------------------------

exp_begin() {
	[ -n "$LAB_MEMORY_GROUP" ] || die "-$EXIT_MISSING" "the server cannot be given a memory of its own; see: thinprobe doctor"
	exp_served
	lab_switch delayacct 1 || ABSENT+=("delay accounting: $LAB_WHY")
	menus_can
	LAB_LOG=$RUN/log must protocol_start startup
}

# Starts each application once, so that its home has its settings, and the server's group is charged for its files.
exp_before_cells() {
	local app LAB_LOG=$RUN/log
	[[ ,$KINDS, != *,reads,* ]] || caches_drop
	for app in ${APPS//,/ }; do
		exp_step "starts $app once, before the measurement"
		application_first "$app" || die "$app did not start: $LAB_WHY; see $LAB_LOG/first-$app.err"
	done
	[[ ,$KINDS, != *,reads,* ]] || disk_list || die "$LAB_WHY"
	menus_walk
	for app in ${APPS//,/ }; do
		files_drop "$app"
		files_read "$app"
	done
	[ ! -t 1 ] || printf '\r\033[K'
}

# The list of the files that an application maps: RUN/log/files-APP.
files_read() { lab_exec server xargs -d '\n' cat <"$RUN/log/files-$1" >/dev/null 2>&1; }	# files_read APP
files_drop() {	# files_drop APP: drops its files from the page cache, except pages mapped by other processes
	lab_exec -R server sh -c 'while IFS= read -r file; do dd if="$file" iflag=nocache count=0 2>/dev/null; done' \
		<"$RUN/log/files-$1"
}

# Starts it, waits until its window is there and its CPU time at rest, and looks at it. 1: LAB_WHY.
application_first() {
	local list=$RUN/log/files-$1 APP_TICKS='' LAB_CHILD memory
	application "$1"
	LAB_WHY="no window of class $APP_WINDOW came"
	lab_exec server mkdir -p "$LAB_TMP/home/$1"
	lab_start server "first-$1" env "${APP_ENVIRONMENT[@]}" HOME="$LAB_TMP/home/$1" DISPLAY="$PROTOCOL_DISPLAY" \
		"${APP_COMMAND[@]}"
	lab_exec server env DISPLAY="$PROTOCOL_DISPLAY" timeout 60 sh -c \
		'until xdotool search --onlyvisible --class "$1"; do sleep 0.1; done' sh "$APP_WINDOW" >/dev/null 2>&1 || {
		lab_stop "$LAB_PID"
		return 1
	}
	wait_until 10 application_rests
	lab_child "$LAB_PID"
	of_each maps | sed -n 's|^[^/]*\(/.*\)|\1|p' | sort -u |
		lab_exec -R server sh -c 'while IFS= read -r file; do [ ! -f "$file" ] || printf "%s\n" "$file"; done' >"$list"
	memory=$(of_each smaps_rollup | LC_ALL=C awk '{ kb[$1] += $2 } END {
		printf "{\"rss_bytes\": %.0f, \"anonymous_bytes\": %.0f}", kb["Rss:"] * 1024, (kb["Anonymous:"] + kb["Swap:"]) * 1024 }')
	lab_stop "$LAB_PID"
	APP_RSS[$1]=$(jq .rss_bytes <<<"$memory")
	run_set '.applications[$app] = {$kind, $program, program_bytes: $size, $files, files_bytes: $bytes, $version} + $memory' \
		--arg app "$1" --argjson memory "$memory" --arg kind "$APP_KIND" --arg program "$APP_PROGRAM" \
		--arg version "$(lab_query server dpkg-query -W -f='${Version}' "$APP_PACKAGE" 2>/dev/null)" --argjson files "$(wc \
			-l <"$list")" \
		--argjson size "$(lab_query server stat -L -c %s "$APP_PROGRAM" 2>/dev/null || echo null)" \
		--argjson bytes "$(lab_exec -R server xargs -d '\n' stat -c %s <"$list" 2>/dev/null |
			awk '{ s += $1 } END { printf "%.0f", s }')"
}

application_rests() {	# in half a second it has taken less than 50 ms of CPU time
	local before=$APP_TICKS LAB_CHILD
	nap 0.5
	lab_child "$LAB_PID"
	APP_TICKS=$(of_each stat | sed 's/.*) //' | awk '{ t += $12 + $13 } END { print int(t / 5) }')
	[ "$APP_TICKS" = "$before" ]
}

# of_each FILE: prints /proc/PID/FILE of the command behind LAB_CHILD and its descendants.
of_each() { lab_query server machine_of_tree "${LAB_CHILD#*:}" "$1"; }

# Pressure ------------------------------------------------------------------------------------------------------------

# Makes the devices: swap; for `used` a disk of the same kind for a file (not with zram); the disk with the applications' files.
exp_session() {
	local largest kind=${P[swap]%%:*}
	[ "${P[swap]}" = none ] || [ "$LAB_SWAP_KIND" = "${P[swap]}" ] || lab_swap "${P[swap]}" || return
	case ${P[axis]}-$kind in
	reads-*) disk_fill ;;
	used-file | used-slow)
		largest=$(tr , '\n' <<<"$USED" | sort -n | tail -n 1)
		lab_disk "$kind" "$((largest + 96))M" "$LAB_TMP/disk" ||
			warn "the writing of a file is not timed beside swap ${P[swap]}: no second disk of that kind: $LAB_WHY"
		;;
	esac
}
exp_end_session() { disk_away || warn "$LAB_WHY"; }

# Prints the server's memory that is not used by unreclaimable pages, in bytes. cgroup v1: rss, shmem and kernel memory; v2 has the
# same under other names.
memory_left() {
	local kernel
	kernel=$(lab_query server cat "$LAB_MEMORY_GROUP/memory.kmem.usage_in_bytes" 2>/dev/null)
	lab_query server cat "$LAB_MEMORY_GROUP/memory.stat" | LC_ALL=C awk -v kernel="${kernel:-0}" -v limit="$LAB_MEMORY_BYTES" '
		$1 == "total_rss" || $1 == "anon" { anonymous += $2 }
		$1 == "shmem" || $1 == "total_shmem" { shmem = $2 }
		$1 == "kernel" { kernel = $2 }
		$1 == "slab_reclaimable" { drop = $2 }
		END { printf "%.0f\n", limit - (anonymous + shmem + kernel - drop) }' | whole_numbers
}

# Makes the pressure of the cell. 1: LAB_WHY. A step is MB of the hog in swap, the memory left in percent of the application's
# memory at rest, a number of sinks, or reads a second.
pressure_begin() {	# pressure_begin FOLDER
	local room left size words step
	LAB_WHY="the step ${P[step]} is no number"
	printf -v step %d "${P[step]}" || return
	case ${P[axis]} in
	none) return 0 ;;
	used) words=(-s "$((LAB_MEMORY_BYTES + (step << 20)))" --until-swap "${P[step]}M" --touch none) ;;
	left)
		room=$(memory_left) left=$((APP_RSS[${P[app]}] * step / 100)) size=$((room - left))
		LAB_WHY="$((room >> 20)) MiB are left without a hog, $((left >> 20)) MiB are to be:"
		LAB_WHY+=" a larger --server-memory has room for the step"
		[ "$size" -ge $((1 << 20)) ] || return
		words=(-s "$size" --touch keep --pattern random --rate "$((size * TOUCHES_PER_S))/s")
		;;
	loads)
		PRESSURE=sink
		sinks_start "${P[step]}"
		return
		;;
	reads)
		caches_drop
		disk_slow && { [ "${P[step]}" = 0 ] || { PRESSURE=fio && fio_rate "$1" "${P[step]}"; }; }
		return
		;;
	esac
	PRESSURE=hog
	lab_start -o "$1/memhog.json" server hog "$TP_BIN/memhog" "${words[@]}" --format json -o "$1/memhog.json"
	# It may have to swap first; a run that is being stopped does not wait for that.
	wait_until 60 hog_settled
	! grep -qsx ready "$LAB_LOG/hog.err" || return 0
	LAB_WHY=$(last_word hog)
	: "${LAB_WHY:=the hog is not ready}"
	return 1
}
hog_settled() { grep -qsx ready "$LAB_LOG/hog.err" || lab_gone "${LAB_PID_OF[hog]}" || stopped; }

# A cell --------------------------------------------------------------------------------------------------------------

exp_run() {	# exp_run FOLDER REPEAT
	local options=()
	PRESSURE='' FACTS='{}'
	session_lives
	# Files that the events open and write are new for each start, in the server's own /tmp.
	lab_exec server sh -c 'cp "$1"/document.* "$2"' sh "$TP_HOME/kits/apps/data/startup" "$LAB_TMP"
	[ "${P[axis]}" = reads ] || files_read "${P[app]}"
	# Without a hog, pages left in swap by earlier cells must not count: an extra start brings them back.
	case ${P[axis]} in used | left) ;; *) start_measure "$1/more.json" || return; rm -f "$1/more.json" ;; esac
	pressure_begin "$1" || { LAB_WHY="no pressure: $LAB_WHY"; return 1; }
	! stopped || return
	case ${P[start]}-${P[axis]} in warm-* | cold-reads) ;; *) files_drop "${P[app]}" ;; esac
	! with_events || { events_put && options=(--then "$RUN/log/events.tsv"); } || return
	CELL_MORE=$(jq -cn --argjson left "$(memory_left)" --argjson swap "$(lab_query server cat /proc/swaps |
		awk -v device="${LAB_SWAP_DEVICE:-none}" '$1 == device { used = $4 } END { printf "%.0f", used * 1024 }')" \
		'{memory: {swap_used_bytes: $swap, left_bytes: $left}}')
	cpu_begin
	case ${P[start]}-${P[axis]} in
	warm-none) base_measure "$1" ;;
	*) start_measure "$1/startup.json" "${options[@]}" ;;
	esac || return
	cpu_end
	[ "${P[axis]}" != used ] || file_write
}

exp_stop() {	# 1, LAB_WHY: the load had ended too early, or was held up
	local lost=0
	[ -z "$PRESSURE" ] || ! lab_gone "${LAB_PID_OF[$PRESSURE]}" || lost=1
	[ "$PRESSURE" != fio ] || fio_end "$1"	# before the disk is fast again, or all its delayed reads would count
	[ "${P[axis]}" != reads ] || disk_fast
	[ -n "$PRESSURE" ] || return 0
	[ "$PRESSURE" = fio ] || lab_stop "${LAB_PID_OF[$PRESSURE]}"
	CELL_MORE=$(jq -c --argjson facts "$FACTS" '. + {$facts}' <<<"$CELL_MORE")
	LAB_WHY="the load was ended before the start was measured: $(last_word "$PRESSURE")"
	[ "$lost" = 0 ] || return
	LAB_WHY=$(held_up "$1/memhog.json" "$LAB_LOG/sink.out")
	[ -z "$LAB_WHY" ]
}
# Writes a file as large as the hog's memory in swap, sequentially and bypassing the page cache, to a disk like that of the swap.
# On the swap only reads are delayed; here each write takes as long. It runs outside of the server's memory group, which is full.
file_write() {
	local said='' seconds
	[ -n "$LAB_DISK" ] || return 0
	[[ ${P[swap]} != slow:* ]] || lab_disk_delay "${P[swap]#slow:}" || return
	said=$(lab_exec -R -M - server env LC_ALL=C dd if=/dev/zero of="$LAB_DISK/file" bs=1M count="${P[step]}" oflag=direct \
		conv=fsync </dev/null 2>&1)
	[[ ${P[swap]} != slow:* ]] || lab_disk_delay 0
	lab_exec -R -M - server rm -f "$LAB_DISK/file"
	seconds=$(sed -n 's/.* copied, \([0-9.e+-]*\) s, .*/\1/p' <<<"$said")
	LAB_WHY="the file could not be written: ${said##*$'\n'}"
	[ -n "$seconds" ] && CELL_MORE=$(jq -c --argjson s "$seconds" '. + {file_ms: ($s * 1000)}' <<<"$CELL_MORE")
}

session_lives() {
	! lab_gone "${PROTOCOL_PIDS%% *}" || {
		protocol_stop
		LAB_LOG=$RUN/log must protocol_start startup
	}
}

# Puts the events of the application there, with the path of the documents on the server.
events_put() {
	awk -F'\t' -v OFS='\t' -v app="${P[app]}" '$1 == app { print $2, $3 }' "$TP_HOME/kits/apps/data/startup/events.tsv" |
		sed "s|tmp/document|${LAB_TMP#/}/document|" >"$RUN/log/events.tsv" && [ -s "$RUN/log/events.tsv" ] &&
		lab_put server "$RUN/log/events.tsv" "$RUN/log/events.tsv" && return
	LAB_WHY="the list of events could not be written"
	return 1
}

# Whether the cell has further events, which take longer than the start: without pressure, and on the last device at the step with
# most in swap, and at 100 % left.
with_events() {
	local all last
	[ "$EVENTS" = 1 ] && [ "${P[start]}" = warm ] &&
		grep -q "^${P[app]}"$'\t' "$TP_HOME/kits/apps/data/startup/events.tsv" && [[ ${P[axis]} =~ ^(none|used|left)$ ]] || return
	[ "${P[axis]}" != none ] || return 0
	all=$(some_of "${P[axis]}")
	read -ra all <<<"$all"
	last=${all[-1]}
	[ "${P[axis]}" = used ] || [[ " ${all[*]} " != *" 100 "* ]] || last=100
	[ "${P[swap]}" = "${SWAPS##*,}" ] && [ "${P[step]}" = "$last" ]
}

# Two starts, the second followed by the events.
base_measure() {	# base_measure FOLDER
	local more=$1/more.json
	start_measure "$1/startup.json" && start_measure "$more" "${options[@]}" || return
	jq -s '.[0].result.runs += .[1].result.runs | .[0] | .result |= {runs}' "$1/startup.json" "$more" |
		put_json "$1/startup.json"
	rm -f "$more"
}

# Measures a start. 1: LAB_WHY. A start that has not come to rest by the ceiling counts as a measurement.
start_measure() {	# start_measure REPORT OPTION...
	local report=$1 swap=()
	application "${P[app]}"
	[ -z "$LAB_SWAP_DEVICE" ] || swap=(--swap-device "$LAB_SWAP_DEVICE" --scratch "$LAB_SWAP_SCRATCH")
	lab_start -R -o "$report" server startup env "${APP_ENVIRONMENT[@]}" HOME="$LAB_TMP/home/${P[app]}" "$TP_BIN/startup" \
		--display "$PROTOCOL_DISPLAY" --window "$APP_WINDOW" --settle 1s --watch-after 500ms --close-for 300ms \
			--ceiling "${CEILING}s" \
		--cgroup "$LAB_MEMORY_GROUP" "${swap[@]}" "${@:2}" --format json -o "$report" -- "${APP_COMMAND[@]}"
	has_ended startup "${report%/*}" || [[ $STATUS != @(3|130) ]] && jq -e '.result.runs | length > 0' "$report" >/dev/null 2>&1 &&
		return
	: "${LAB_WHY:=startup left no report}"
	return 1
}

exp_summed() { menus_sum "$RUN" || warn "cannot compute the results for the menus"; }
