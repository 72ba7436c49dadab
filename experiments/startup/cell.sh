# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the engine and the lab
# cell.sh - an application is started on a server of little memory, from exec to content at rest (bin/startup), beside a hog that
# puts the server under pressure: idle, with so much of it in swap, or touching its memory, with so little left. After the start
# come a few further events of the application, still under pressure.
#
# All that the server runs is in its memory group: display, application, hog. The applications' files, too: what of them was in
# memory for somebody else is dropped once, and read again by a process of the server, so that their pages are accounted to it.

# Nothing of the user's, no message bus, no screen reader, no volumes, no graphics driver: what makes one start like the next. (The
# display's cookie is in the home of the session, not in that of the application.)
APP_ENVIRONMENT=(XAUTHORITY=/tmp/home/.Xauthority GSETTINGS_BACKEND=memory NO_AT_BRIDGE=1 GTK_A11Y=none GIO_USE_VFS=local
	DBUS_SESSION_BUS_ADDRESS=disabled: GDK_GL=disable SAL_USE_VCLPLUGIN=gen)
# How often a second a hog that keeps touching would touch all of its memory, were it all there. Enough to keep it, little CPU.
TOUCHES_PER_S=2
PIN_EFFECT='so the load slows the watcher'
SWAP='' HOG=''
# By name: what data/applications.tsv says; a list of the files that it maps; its memory at rest, bytes.
declare -A APP_KIND APP_WINDOW APP_PROGRAM APP_PACKAGES APP_COMMAND APP_FILES APP_RSS

exp_check() {
	local item
	if [ "$QUICK" = 1 ] && plan_given cold && ! plan_given warm; then WARM=0; fi
	applications_read
	for item in ${APPS//,/ }; do
		[ -n "${APP_COMMAND[$item]-}" ] || exp_bad "--app $item: there are ${!APP_COMMAND[*]}"
	done
	for item in ${SWAPS//,/ }; do
		[[ $item =~ ^(file|zram|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] ||
			exp_bad "--swap $item: file, zram, or slow:DELAY such as slow:2.5ms"
	done
	[ -n "$SERVER_MEMORY" ] || exp_bad "--server-memory none: there is no pressure on a server that has all of the machine's"
	[ -n "$PROFILES" ] || PROFILES=$(printf '%s,' "$TP_HOME"/data/menus/*.tsv)
	while IFS= read -r item; do
		[ -f "$item" ] || exp_bad "--profile $item: no such file"
		grep -q $'^schema\tapplication\tpath\tcount\tshortcut$' "$item" ||
			exp_bad "--profile $item: no table of schema menu/1 (columns schema application path count shortcut)"
	done < <(tr , '\n' <<<"${PROFILES%,}")
	SWAP=${SWAPS%%,*}	# the first; lab_swap exchanges it
}

# The profiles and the times of the models are kept with the run: a report is of what they were.
exp_settings() {
	local file
	{
		table_json "$TP_HOME/data/think.tsv"
		while IFS= read -r file; do
			table_json "$file" | jq -c --arg class "$(basename "$file" .tsv)" \
				'{$class, events: map({application, path, count: (.count | tonumber), shortcut: (.shortcut // "")})}'
		done < <(tr , '\n' <<<"${PROFILES%,}")
	} | jq -cs --argjson tolerance "$TOLERANCE" --argjson beta "$BETA" '{model: {classes: .[1:], tolerance_s: $tolerance, $beta,
		times_s: (.[0] | map({key: .name, value: (.value_s | tonumber)}) | from_entries)}}'
}
table_json() {
	jq -cRn '[inputs | select(test("^#") | not) | split("\t")] | .[0] as $head
		| .[1:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries)' "$@"
}

# Cells ---------------------------------------------------------------------------------------------------------------

applications_read() {
	local name kind window program packages command
	while IFS=$'\t' read -r name kind window program packages command; do
		[[ $name != \#* && $name != name ]] || continue
		APP_KIND[$name]=$kind APP_WINDOW[$name]=$window APP_PROGRAM[$name]=$program APP_PACKAGES[$name]=$packages
		APP_COMMAND[$name]=$command
	done <"$TP_HOME/data/applications.tsv"
}

# Applications that are not installed have no cells.
exp_choose() {
	local name word here=''
	for name in ${APPS//,/ }; do
		read -r word _ <<<"${APP_COMMAND[$name]}"
		if lab_has server "$word"; then here+=,$name; else ABSENT+=("$name: $word is missing; thinprobe setup --app $name"); fi
	done
	[ -n "$here" ] || die "-$EXIT_MISSING" "none of the applications is here: ${ABSENT[0]#*: }"
	APPS=${here#,}
}

some_of() {	# some_of LIST: STEPS of them, evenly spread, the first and the last among them
	local all=() i
	IFS=, read -ra all <<<"$1"
	[ -n "$STEPS" ] && [ "$STEPS" -lt "${#all[@]}" ] || { echo "${all[*]}"; return; }
	[ "$STEPS" -gt 1 ] || { echo "${all[-1]}"; return; }
	for ((i = 0; i < STEPS; i++)); do printf '%s ' "${all[i * (${#all[@]} - 1) / (STEPS - 1)]}"; done
}

exp_cells() {
	local app start axis swap step
	for app in ${APPS//,/ }; do
		for start in warm cold; do
			case $COLD$WARM$start in 10warm | 01cold) continue ;; esac
			printf '%s\t%s\tnone\tnone\t0\n' "$app" "$start"
			# Where neither is asked for, cold starts are there for comparison.
			[ "$COLD$WARM$start" != 00cold ] || continue
			for axis in ${KINDS//,/ }; do
				for swap in ${SWAPS//,/ }; do
					for step in $(some_of "$([ "$axis" = used ] && echo "$USED" || echo "$LEFT")"); do
						printf '%s\t%s\t%s\t%s\t%s\n' "$app" "$start" "$axis" "$swap" "$step"
					done
				done
			done
		done
	done
}

exp_words() {
	case ${P[axis]} in
	none) echo "${P[app]}, ${P[start]}, no pressure" ;;
	used) echo "${P[app]}, ${P[start]}, ${P[step]} MB in swap (${P[swap]})" ;;
	left) echo "${P[app]}, ${P[start]}, ${P[step]} % of its memory left (${P[swap]})" ;;
	esac
}

# Before the first cell -----------------------------------------------------------------------------------------------

exp_begin() {
	[ -n "$LAB_MEMORY_GROUP" ] || die "-$EXIT_MISSING" "the server cannot be given a memory of its own; see: thinprobe doctor"
	lab_switch delayacct 1 || ABSENT+=("delay accounting: $LAB_WHY")
	LAB_LOG=$RUN/log protocol_start startup
}

# Each application once: its home has its settings from then on, and its files are accounted to the server.
exp_before_cells() {
	local app COLD_LEFT LAB_LOG=$RUN/log
	devices_measure
	for app in ${APPS//,/ }; do
		exp_step "$app for the first time"
		application_first "$app" || die "$app did not start: $LAB_WHY; see $LAB_LOG/first-$app.err"
	done
	for app in ${APPS//,/ }; do
		files_drop "$app"
		files_read "$app"
	done
	[ ! -t 1 ] || printf '\r\033[K'
}

# What the swap devices are by themselves: an O_DIRECT write of 16 MiB in one go, as a file is written; reads of 4 KiB.
devices_measure() {
	local swap write read
	run_set '.devices = []'
	for swap in ${SWAPS//,/ }; do
		[ "$LAB_SWAP_KIND" = "$swap" ] || lab_swap "$swap" || die "swap on $swap: $LAB_WHY"
		[ -n "$LAB_SWAP_SCRATCH" ] || continue
		write=$(dd_us if=/dev/zero of="$LAB_SWAP_SCRATCH" bs=1M count=16 oflag=direct conv=notrunc)
		read=$(dd_us if="$LAB_SWAP_SCRATCH" of=/dev/null bs=4K count=64 iflag=direct)
		run_set '.devices += [{$swap, $backing, write_bytes_per_s: (if $write > 0 then 16777216e6 / $write | round else null end),
			read_4k_ms: ($read / 64000)}]' --arg swap "$swap" --arg backing "$LAB_SWAP_BACKING" --argjson write "$write" \
			--argjson read "$read"
	done
}
dd_us() {
	local begun=${EPOCHREALTIME/[.,]/}
	lab_exec -R server dd status=none "$@" </dev/null 2>/dev/null || { echo 0; return; }
	echo $((${EPOCHREALTIME/[.,]/} - begun))
}

files_read() { lab_exec server xargs -d '\n' -a "${APP_FILES[$1]}" cat >/dev/null 2>&1; }	# files_read APP

# Out of memory, but for what another process has mapped: COLD_LEFT, bytes.
files_drop() {	# files_drop APP
	local file
	while IFS= read -r file; do dd if="$file" iflag=nocache count=0 2>/dev/null; done <"${APP_FILES[$1]}"
	COLD_LEFT=$(xargs -d '\n' -a "${APP_FILES[$1]}" fincore --bytes --noheadings --output RES 2>/dev/null | total)
}
total() { LC_ALL=C awk '{ s += $1 } END { printf "%.0f\n", s }'; }

# Starts it, waits until its window is there and its CPU time at rest, and looks at it. 1: LAB_WHY.
application_first() {
	local app=$1 list=$RUN/log/files-$1 words=() pids was='' now i
	read -ra words <<<"${APP_COMMAND[$app]}"
	LAB_WHY="no window of class ${APP_WINDOW[$app]} came"
	lab_exec server mkdir -p "/tmp/home/$app"
	lab_start server "first-$app" env "${APP_ENVIRONMENT[@]}" HOME="/tmp/home/$app" DISPLAY="$PROTOCOL_DISPLAY" "${words[@]}"
	# shellcheck disable=SC2016
	lab_exec server env DISPLAY="$PROTOCOL_DISPLAY" timeout 60 sh -c \
		'until xdotool search --onlyvisible --class "$1"; do sleep 0.1; done' sh "${APP_WINDOW[$app]}" >/dev/null 2>&1 || {
		lab_stop "$LAB_PID"
		return 1
	}
	for ((i = 0; i < 20; i++)); do
		nap 0.5
		mapfile -t pids < <(descendants "$LAB_PID")
		now=$(of_each stat "${pids[@]}" | sed 's/.*) //' | awk '{ t += $12 + $13 } END { print int(t / 5) }')
		[ "$now" != "$was" ] || break
		was=$now
	done
	of_each maps "${pids[@]}" | sed -n 's|^[^/]*\(/.*\)|\1|p' | sort -u |
		while IFS= read -r now; do [ ! -f "$now" ] || printf '%s\n' "$now"; done >"$list"
	APP_FILES[$app]=$list
	application_facts "$app" "$list" "$(of_each smaps_rollup "${pids[@]}" | LC_ALL=C awk '{ kb[$1] += $2 } END {
		printf "%.0f %.0f %.0f", kb["Rss:"] * 1024, kb["Pss:"] * 1024, (kb["Anonymous:"] + kb["Swap:"]) * 1024 }')"
	lab_stop "$LAB_PID"
}

descendants() {	# descendants LAB_PID: the command behind it and all below, as seen here
	local LAB_CHILD more
	lab_child "$1"
	more=$LAB_CHILD
	while [ -n "$more" ]; do
		tr -s " " "\n" <<<"${more% }"
		# shellcheck disable=SC2046,SC2086 # words
		more=$(cat $(printf '/proc/%s/task/*/children ' $more) 2>/dev/null)
	done
}
of_each() { cat "${@/*/\/proc\/&\/$1}" 2>/dev/null; }	# of_each FILE PID...

application_facts() {	# application_facts APP LIST "RSS PSS ANONYMOUS"
	local package
	APP_RSS[$1]=${3%% *}
	read -r package _ <<<"${APP_PACKAGES[$1]}"
	run_set '($memory | split(" ") | map(tonumber)) as [$rss, $pss, $anonymous] | .applications[$app] = {$kind, $program,
		program_bytes: $size, $files, files_bytes: $bytes, rss_bytes: $rss, pss_bytes: $pss, anonymous_bytes: $anonymous, $version}' \
		--arg app "$1" --arg memory "$3" --arg kind "${APP_KIND[$1]}" --arg program "${APP_PROGRAM[$1]}" \
		--arg version "$(dpkg-query -W -f='${Version}' "$package" 2>/dev/null)" --argjson files "$(wc -l <"$2")" \
		--argjson size "$(stat -L -c %s "${APP_PROGRAM[$1]}" 2>/dev/null || echo null)" \
		--argjson bytes "$(xargs -d '\n' -a "$2" stat -c %s 2>/dev/null | total)"
}

# Pressure ------------------------------------------------------------------------------------------------------------

exp_session() { [ "${P[swap]}" = none ] || [ "$LAB_SWAP_KIND" = "${P[swap]}" ] || lab_swap "${P[swap]}"; }

# What of the server's memory is in use and cannot just be dropped: "anonymous file", bytes. cgroup v1: rss, shmem and the
# kernel's; v2 the same under other names.
memory_now() {
	local kernel=0
	[ ! -r "$LAB_MEMORY_GROUP/memory.kmem.usage_in_bytes" ] || kernel=$(<"$LAB_MEMORY_GROUP/memory.kmem.usage_in_bytes")
	LC_ALL=C awk -v kernel="$kernel" '
		$1 == "total_rss" || $1 == "anon" { anonymous += $2 }
		$1 == "shmem" || $1 == "total_shmem" { shmem = $2 }
		$1 == "total_cache" || $1 == "file" { file = $2 }
		$1 == "kernel" { kernel = $2 }
		$1 == "slab_reclaimable" { drop = $2 }
		END { printf "%.0f %.0f\n", anonymous + shmem + kernel - drop, file - shmem }' "$LAB_MEMORY_GROUP/memory.stat"
}

memory_json() {
	local anonymous file swap
	read -r anonymous file < <(memory_now)
	swap=$(awk -v device="${LAB_SWAP_DEVICE:-none}" '$1 == device { used = $4 } END { printf "%.0f", used * 1024 }' /proc/swaps)
	jq -cn --argjson limit "$LAB_MEMORY_BYTES" --argjson anonymous "$anonymous" --argjson file "$file" --argjson swap "$swap" \
		'{limit_bytes: $limit, anonymous_bytes: $anonymous, file_bytes: $file, swap_used_bytes: $swap, left_bytes: ($limit - $anonymous)}'
}

# The hog, where there is one, is as it should be. 1: LAB_WHY. A step is MB of the hog in swap, or what it leaves, in percent of the
# application's memory at rest.
pressure_begin() {	# pressure_begin FOLDER
	local size left anonymous words=()
	HOG=''
	case ${P[axis]} in
	none) return 0 ;;
	used) words=(-s "$((LAB_MEMORY_BYTES + (P[step] << 20)))" --until-swap "${P[step]}M" --touch none) ;;
	left)
		read -r anonymous _ < <(memory_now)
		left=$((APP_RSS[${P[app]}] * P[step] / 100))
		size=$((LAB_MEMORY_BYTES - anonymous - left))
		LAB_WHY="$((LAB_MEMORY_BYTES - anonymous >> 20)) MiB are left without a hog, $((left >> 20)) MiB are to be:"
		LAB_WHY+=" a larger --server-memory has room for the step"
		[ "$size" -ge $((1 << 20)) ] || return
		words=(-s "$size" --touch keep --pattern random --write --rate "$((size * TOUCHES_PER_S))/s")
		;;
	esac
	lab_start -o "$1/memhog.json" server hog "$TP_BIN/memhog" "${words[@]}" --format json -o "$1/memhog.json"
	HOG=$LAB_PID
	# It may have to swap first: who is told to stop does not wait for that.
	wait_until 60 hog_settled
	! grep -qsx ready "$LAB_LOG/hog.err" || return 0
	LAB_WHY=$(tail -n 1 "$LAB_LOG/hog.err")
	: "${LAB_WHY:=the hog is not ready}"
	return 1
}
hog_settled() { grep -qsx ready "$LAB_LOG/hog.err" || lab_gone "$HOG" || stopped; }

# 1, LAB_WHY: the hog had not lived until now.
pressure_end() {
	local lost=0
	[ -n "$HOG" ] || return 0
	! lab_gone "$HOG" || lost=1
	lab_stop "$HOG"
	HOG='' LAB_WHY="the hog was ended before the start was measured: $(grep -vx ready "$LAB_LOG/hog.err" | tail -n 1)"
	return "$lost"
}

# A cell --------------------------------------------------------------------------------------------------------------

exp_measure() {	# exp_measure CELL REPEAT FOLDER
	local reason='' before='' after='' shares flags='' MEMORY=null COLD_LEFT=null LAB_LOG=$3/log options=()
	mkdir -p "$LAB_LOG"
	session_lives || reason="the session did not come up: $LAB_WHY"
	if [ -z "$reason" ]; then
		files_read "${P[app]}"
		# What the events open and write is fresh for each start, on the server's own /tmp.
		lab_exec server sh -c 'cp "$1"/document.* /tmp' sh "$TP_HOME/data/startup"
		pressure_begin "$3" || reason="no pressure: $LAB_WHY"
		[ "${P[start]}" = warm ] || files_drop "${P[app]}"
		! with_events || options=(--then "$TP_HOME/data/startup/${P[app]}.tsv")
	fi
	! stopped || reason=interrupted
	if [ -z "$reason" ]; then
		MEMORY=$(memory_json)
		before=$(lab_cpu server)
		if [ "${P[axis]}" = none ]; then base_measure "$3"; else start_measure "$3/startup.json" ${options[@]+"${options[@]}"}; fi ||
			reason=$LAB_WHY
		after=$(lab_cpu server)
	fi
	pressure_end || [ -n "$reason" ] || reason=$LAB_WHY
	! stopped || reason=interrupted
	shares='null null null'
	if [ -z "$reason" ]; then
		shares=$(exp_shares "$before" "$after" "$LAB_NCPU_server")
		# shellcheck disable=SC2086 # words
		flags=$(exp_disturbed $shares)
		rm -rf "$LAB_LOG"
	fi
	cell_write "$3" "$2" "$reason" "$flags" "$(jq -cn --argjson memory "$MEMORY" --argjson cold "$COLD_LEFT" \
		--argjson shares "[${shares// /,}]" '{$memory, cold_left_bytes: $cold, foreign_percent: $shares[0], steal_percent: $shares[1],
		server_busy_percent: $shares[2]}')"
}

session_lives() {
	! lab_gone "${PROTOCOL_PIDS%% *}" || {
		protocol_stop
		LAB_WHY='the display did not start'
		LAB_LOG=$RUN/log protocol_start startup
	}
}

# Further events take longer than the start: without pressure, and, on the last device, with most in swap and with just the memory
# left that the application has at rest.
with_events() {
	local all=() last
	[ "$EVENTS" = 1 ] && [ "${P[start]}" = warm ] || return
	case ${P[axis]} in
	none) return 0 ;;
	used) read -ra all < <(some_of "$USED") ;;
	left) read -ra all < <(some_of "$LEFT") ;;
	esac
	last=${all[-1]}
	[ "${P[axis]}" = used ] || [[ " ${all[*]} " != *" 100 "* ]] || last=100
	[ "${P[swap]}" = "${SWAPS##*,}" ] && [ "${P[step]}" = "$last" ]
}

# Without pressure what others have left in swap must not count: a start that is none of the run brings it back. Then a cold one, or
# two of which the second is followed by the events.
base_measure() {	# base_measure FOLDER
	local more=$1/more.json
	start_measure "$more" || return
	[ "${P[start]}" = warm ] || files_drop "${P[app]}"
	start_measure "$1/startup.json" || return
	if [ "${P[start]}" = warm ]; then
		start_measure "$more" ${options[@]+"${options[@]}"} || return
		jq -s '.[0].result.runs += .[1].result.runs | .[0] | .result |= {runs}' "$1/startup.json" "$more" | put_json "$1/startup.json"
	fi
	rm -f "$more"
}

# 0, and the report; 1: LAB_WHY. A start that had not come to rest by the ceiling is a measurement.
start_measure() {	# start_measure REPORT OPTION...
	local app=${P[app]} report=$1 status=0 swap=() words=()
	shift
	[ -z "$LAB_SWAP_DEVICE" ] || swap=(--swap-device "$LAB_SWAP_DEVICE" --scratch "$LAB_SWAP_SCRATCH")
	read -ra words <<<"${APP_COMMAND[$app]}"
	lab_start -R -o "$report" server startup env "${APP_ENVIRONMENT[@]}" HOME="/tmp/home/$app" "$TP_BIN/startup" \
		--display "$PROTOCOL_DISPLAY" --window "${APP_WINDOW[$app]}" --quiet-for 1s --watch-on 500ms --close-for 300ms \
		--ceiling "${CEILING}s" --cgroup "$LAB_MEMORY_GROUP" ${swap[@]+"${swap[@]}"} "$@" --format json -o "$report" -- "${words[@]}"
	lab_wait "$LAB_PID" || status=$?
	LAB_WHY=interrupted
	[ "$status" != 130 ] || return
	! jq -e '.result.runs | length > 0' "$report" >/dev/null 2>&1 || return 0
	LAB_WHY=$(grep -vx ready "$LAB_LOG/startup.err" | tail -n 1)
	: "${LAB_WHY:=startup left no report}"
	return 1
}
