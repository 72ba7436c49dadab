# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the driver, lib.sh and the lab
# pressure.sh - a server under memory pressure, and the session in which applications start: for experiments/startup.sh, which holds CELLS and the
# tables of applications.
#
# All that the server runs is in its memory group: display, application, hog. The applications' files, too: what of them was in memory for somebody
# else is dropped once, and read again by a process of the server, so that their pages are accounted to it.

# Nothing of the user's, no message bus, no screen reader, no volumes, no graphics driver: what makes one start like the next. (The display's
# cookie is in the home of the session, not in that of the application.)
APP_ENVIRONMENT=(XAUTHORITY=/tmp/home/.Xauthority GSETTINGS_BACKEND=memory NO_AT_BRIDGE=1 GTK_A11Y=none GIO_USE_VFS=local DBUS_SESSION_BUS_ADDRESS=disabled: GDK_GL=disable SAL_USE_VCLPLUGIN=gen)
# How often a second a hog that keeps touching would touch all of its memory, were it all there. Enough to keep it, little CPU.
TOUCHES_PER_S=2

SESSION_SWAP='' HOG=''
declare -A APP_FILES APP_RSS	# by name: a list of the files that it maps; its memory at rest, bytes

session_begin() {
	[ -z "${PROTOCOL_PIDS-}" ] || lab_gone "${PROTOCOL_PIDS%% *}" || return 0
	protocol_stop
	LAB_WHY='the display did not start'
	LAB_LOG=$RUN/log protocol_start startup
}

swap_begin() {	# swap_begin KIND: this device. 1: LAB_WHY
	[ "$LAB_SWAP_KIND" != "$1" ] || return 0
	lab_swap "$1"
}

# Documents that the events open and write: fresh for each start, on the server's own /tmp.
documents_fresh() {
	# shellcheck disable=SC2016
	lab_exec server sh -c 'cd /tmp && seq -f "%g a line of a plain text that is there to be read" 60 >document.txt &&
		{ echo "<h1>A page</h1><pre>"; cat document.txt; } >document.html && cat >document.pdf' < <(pdf_of_lines 3)
}

# A document of so many pages in a font that every viewer has.
pdf_of_lines() {
	LC_ALL=C awk -v pages="$1" '
		function put(s) { printf "%s", s; at += length(s) }
		function object(n, s) { offset[n] = at; put(n " 0 obj\n" s "\nendobj\n") }
		BEGIN {
			put("%PDF-1.4\n")
			for (p = 1; p <= pages; p++) kids = kids (3 + 2 * p) " 0 R "
			object(1, "<< /Type /Catalog /Pages 2 0 R >>")
			object(2, "<< /Type /Pages /Kids [ " kids "] /Count " pages " >>")
			object(3, "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>")
			object(4, "<< /Producer (thinprobe) >>")
			for (p = 1; p <= pages; p++) {
				text = "BT /F1 11 Tf 14 TL 60 780 Td"
				for (i = 1; i <= 50; i++) text = text " (page " p ", line " i ", of a document that is there to be read) Tj T*"
				text = text " ET"
				object(3 + 2 * p, "<< /Type /Page /Parent 2 0 R /MediaBox [ 0 0 595 842 ] /Contents " (4 + 2 * p) " 0 R /Resources << /Font << /F1 3 0 R >> >> >>")
				object(4 + 2 * p, "<< /Length " length(text) " >>\nstream\n" text "\nendstream")
			}
			last = 4 + 2 * pages
			start = at
			put("xref\n0 " (last + 1) "\n0000000000 65535 f \n")
			for (n = 1; n <= last; n++) put(sprintf("%010d 00000 n \n", offset[n]))
			put("trailer\n<< /Size " (last + 1) " /Root 1 0 R /Info 4 0 R >>\nstartxref\n" start "\n%%EOF\n")
		}'
}

# Applications before the first cell ------------------------------------------------------------------------------

# Each once: what it maps, how much memory it takes; its home has its settings from then on. Then its files are accounted to the server: what of
# them was in memory for somebody else is dropped (but what others have mapped) and read again by a process of the server.
prepare_applications() {
	local app COLD_LEFT LAB_LOG=$RUN/log
	session_begin || die "no session: $LAB_WHY"
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

files_read() {	# files_read APP
	lab_exec server xargs -d '\n' -a "${APP_FILES[$1]}" cat >/dev/null 2>&1
}

# Out of memory, but for what another process has mapped: COLD_LEFT, bytes.
files_drop() {	# files_drop APP
	local file
	while IFS= read -r file; do dd if="$file" iflag=nocache count=0 2>/dev/null; done <"${APP_FILES[$1]}"
	COLD_LEFT=$(xargs -d '\n' -a "${APP_FILES[$1]}" fincore --bytes --noheadings --output RES 2>/dev/null | awk '{ s += $1 } END { printf "%.0f", s }')
}

# Starts it, waits until its window is there and its CPU time at rest, and looks at it. 1: LAB_WHY.
application_first() {
	local app=$1 list=$RUN/log/files-$1 words=() pids was='' now i
	read -ra words <<<"${APP_COMMAND[$app]}"
	LAB_WHY="no window of class ${APP_WINDOW[$app]} came"
	lab_exec server mkdir -p "/tmp/home/$app"
	lab_start server "first-$app" env "${APP_ENVIRONMENT[@]}" HOME="/tmp/home/$app" DISPLAY="$PROTOCOL_DISPLAY" "${words[@]}"
	# shellcheck disable=SC2016
	lab_exec server env DISPLAY="$PROTOCOL_DISPLAY" timeout 60 sh -c 'until xdotool search --onlyvisible --class "$1"; do sleep 0.1; done' sh "${APP_WINDOW[$app]}" >/dev/null 2>&1 || {
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
	of_each maps "${pids[@]}" | sed -n 's|^[^/]*\(/.*\)|\1|p' | sort -u | while IFS= read -r now; do [ ! -f "$now" ] || printf '%s\n' "$now"; done >"$list"
	APP_FILES[$app]=$list
	of_each smaps_rollup "${pids[@]}" | awk '{ of[$1] += $2 } END { printf "%.0f %.0f %.0f\n", of["Rss:"] * 1024, of["Pss:"] * 1024, (of["Anonymous:"] + of["Swap:"]) * 1024 }' >"$list.memory"
	application_facts "$app" "$list"
	lab_stop "$LAB_PID"
}

descendants() {	# descendants LAB_PID: the command behind it and all below, as seen here
	local LAB_CHILD pid more
	lab_child "$1"
	more=$LAB_CHILD
	while [ -n "$more" ]; do
		tr -s " " "\n" <<<"${more% }"
		# shellcheck disable=SC2046,SC2086 # words
		more=$(cat $(printf '/proc/%s/task/*/children ' $more) 2>/dev/null)
	done
}
of_each() {	# of_each FILE PID...
	cat "${@/*/\/proc\/&\/$1}" 2>/dev/null
}

application_facts() {	# application_facts APP LIST
	local rss pss anonymous bytes package
	read -r rss pss anonymous <"$2.memory"
	APP_RSS[$1]=${rss:-0}
	bytes=$(xargs -d '\n' -a "$2" stat -c %s 2>/dev/null | awk '{ s += $1 } END { printf "%.0f", s }')
	read -r package _ <<<"${APP_PACKAGES[$1]}"
	run_set '.applications[$app] = {kind: $kind, program: $program, program_bytes: $size, files: $files, files_bytes: $bytes, rss_bytes: $rss, pss_bytes: $pss, anonymous_bytes: $anonymous, version: $version}' \
		--arg app "$1" --arg kind "${APP_KIND[$1]}" --arg program "${APP_PROGRAM[$1]}" --argjson size "$(stat -L -c %s "${APP_PROGRAM[$1]}" 2>/dev/null || echo null)" \
		--argjson files "$(wc -l <"$2")" --argjson bytes "${bytes:-0}" --argjson rss "${rss:-0}" --argjson pss "${pss:-0}" --argjson anonymous "${anonymous:-0}" \
		--arg version "$(dpkg-query -W -f='${Version}' "$package" 2>/dev/null)"
}

# What the swap devices are by themselves: an O_DIRECT write of 16 MiB in one go, as a file is written; reads of 4 KiB.
devices_measure() {
	local swap write read
	for swap in ${SWAPS//,/ }; do
		swap_begin "$swap" || die "swap on $swap: $LAB_WHY"
		[ -n "$LAB_SWAP_SCRATCH" ] || continue
		write=$(dd_seconds if=/dev/zero of="$LAB_SWAP_SCRATCH" bs=1M count=16 oflag=direct conv=notrunc)
		read=$(dd_seconds if="$LAB_SWAP_SCRATCH" of=/dev/null bs=4K count=64 iflag=direct)
		run_set '.devices[$swap] = {write_bytes_per_s: (if $write > 0 then 16777216 / $write | round else null end), read_4k_ms: ($read * 1000 / 64), backing: $backing}' \
			--arg swap "$swap" --argjson write "${write:-0}" --argjson read "${read:-0}" --arg backing "$LAB_SWAP_BACKING"
	done
}
dd_seconds() {
	local begun=${EPOCHREALTIME/[.,]/}
	lab_exec -R server dd status=none "$@" </dev/null 2>/dev/null || { echo 0; return; }
	awk -v us=$((${EPOCHREALTIME/[.,]/} - begun)) 'BEGIN { printf "%.6f", us / 1e6 }'
}

# Pressure --------------------------------------------------------------------------------------------------------

# What of the server's memory is in use and cannot just be dropped: "anonymous file", bytes. cgroup v1: rss, shmem and the kernel's; v2 the same
# under other names.
memory_now() {
	local kernel=0
	[ ! -r "$LAB_MEMORY_GROUP/memory.kmem.usage_in_bytes" ] || kernel=$(<"$LAB_MEMORY_GROUP/memory.kmem.usage_in_bytes")
	awk -v kernel="$kernel" '
		$1 == "total_rss" || $1 == "anon" { anonymous += $2 }
		$1 == "shmem" || $1 == "total_shmem" { shmem = $2 }
		$1 == "total_cache" || $1 == "file" { file = $2 }
		$1 == "kernel" { kernel = $2 }
		$1 == "slab_reclaimable" { drop = $2 }
		END { printf "%.0f %.0f\n", anonymous + shmem + kernel - drop, file - shmem }' "$LAB_MEMORY_GROUP/memory.stat"
}
swap_now() { awk -v device="${LAB_SWAP_DEVICE:-none}" '$1 == device { used = $4 } END { printf "%.0f\n", used * 1024 }' /proc/swaps; }

memory_json() {
	local anonymous file
	read -r anonymous file < <(memory_now)
	jq -cn --argjson limit "$LAB_MEMORY_BYTES" --argjson anonymous "$anonymous" --argjson file "$file" --argjson swap "$(swap_now)" \
		'{limit_bytes: $limit, anonymous_bytes: $anonymous, file_bytes: $file, swap_used_bytes: $swap, left_bytes: ($limit - $anonymous)}'
}

# pressure_begin AXIS STEP APP: the hog, where there is one, is as it should be. 1: LAB_WHY. STEP: MB of the hog in swap, or what it leaves, in
# percent of the application's memory at rest.
pressure_begin() {
	local size left anonymous words=()
	HOG=''
	case $1 in
	none) return 0 ;;
	used) words=(-s "$((LAB_MEMORY_BYTES + ($2 << 20)))" --until-swap "$2M" --touch none) ;;
	left)
		read -r anonymous _ < <(memory_now)
		left=$((APP_RSS[$3] * $2 / 100))
		size=$((LAB_MEMORY_BYTES - anonymous - left))
		LAB_WHY="$((LAB_MEMORY_BYTES - anonymous >> 20)) MiB are left without a hog, $((left >> 20)) MiB are to be: a larger --server-memory has room for the step"
		[ "$size" -ge $((1 << 20)) ] || return
		words=(-s "$size" --touch keep --pattern random --write --rate "$((size * TOUCHES_PER_S))/s")
		;;
	esac
	lab_start -o "$folder/memhog.json" server hog "$TP_BIN/memhog" "${words[@]}" --format json -o "$folder/memhog.json"
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
