# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# place_guest.sh - a guest (lab/guest.sh) as the place of favour.sh: display, applications, job, vamp and the
# probe are all in it; one guest serves the whole run. Keys and pixels go by the display itself, not over a link. Its neighbour is a
# small guest with CPU hogs, in a group of the same weight.
. "$TP_HOME/lab/guest.sh"

PLACE_GROUP='' PLACE_JOBS=0 PLACE_DISPLAY='' PLACE_PORT='' PLACE_PATIENCE=200
PLACE_NOBODY=/sys/fs/cgroup/nobody

place_find() {
	local cpus=$LAB_CPUS_server,$LAB_CPUS_client inside=() LAB_LOG=$RUN/log root=app
	[[ ! ${APPS-} =~ ^xterm(-sync)?$ ]] || root=term
	exp_step "booting a guest"
	if [ "$NEIGHBOUR" -gt 0 ]; then
		lab_group guest shares=1024 && lab_group neighbour shares=1024 || return
		inside=(-G "${LAB_GROUPS[guest]}") PLACE_PORT=/dev/virtio-ports/org.thinprobe.agent
	fi
	guest_up place "$root" -c "$SERVER_CPUS" -m 1G -C "$cpus" "${inside[@]}" -s "$RUN"
	if [ "$NEIGHBOUR" -gt 0 ]; then
		exp_step "booting its neighbour"
		guest_up neighbour small -c "$SERVER_CPUS" -m 256M -C "$cpus" -G "${LAB_GROUPS[neighbour]}"
		guest_start neighbour hogs "$TP_BIN/sink" -n "$NEIGHBOUR"
		LAB_WHY="the CPU hogs of the neighbour did not start"
		wait_until 120 grep -qsx ready "$(guest_job neighbour hogs).err" || return
	fi
	PLACE_CPUS=$(guest_exec place nproc </dev/null | whole_numbers)
	# The disk interrupts a virtual CPU that isolation gives to the background, until vamp moves its interrupts.
	guest_exec place sh -c 'echo $(($(nproc) - 1)) >/proc/irq/$(cat /sys/class/block/vda/device/../irq)/smp_affinity_list' </dev/null
	# What runs on the server's CPU is QEMU, which is not the lab's: it is no disturbance.
	# shellcheck disable=SC2317 # cells call them
	cpu_begin() { :; }
	# shellcheck disable=SC2317
	cpu_end() { :; }
}

place_down() {
	guest_down neighbour
	guest_down place
	find "$RUN/cells" -path '*/log/*' -type l -delete	# an interrupted sample's links to its logs in the guest
}

place_host() {	# place_host REPORT OPTION...: vamp on the host of the guest, as FAVOUR_HOST; it reports to REPORT.host
	outside_start vamp-host "$TP_BIN/vamp" vm --qmp "$(guest_qmp place)" --agent "$(guest_agent place)" \
		--group "${LAB_GROUPS[guest]}" \
		"${@:2}" --format json -o "$1.host"
	FAVOUR_HOST=$LAB_PID
	is_ready vamp-host 20 "vamp did not start on the host"
}

place_has() { guest_exec place sh -c 'command -v "$1"' sh "$1" </dev/null >/dev/null; }

place_begin() {	# place_begin group|-
	PLACE_GROUP=''
	[ "$1" != group ] || PLACE_GROUP=/sys/fs/cgroup/session
	# Processes live in a leaf of it, as systemd's do: only so can vamp have a group beside them.
	guest_exec place sh -c 'mkdir -p "$1/leaf" "$2" /tmp/home && echo +cpu >"$1/cgroup.subtree_control"' sh /sys/fs/cgroup/session \
		"$PLACE_NOBODY" \
		</dev/null || { LAB_WHY="no cpu group in the guest"; return 1; }
	PROTOCOL_DISPLAY=:1 PROTOCOL_TARGET=x11::1 PROTOCOL_OPTIONS=()
	LAB_LOG=$RUN/log place_start display Xvnc :1 -geometry 1024x768 -depth 24 -SecurityTypes None -ac -noreset -nolisten tcp
	PLACE_DISPLAY=$LAB_PID
	guest_exec place timeout "$PLACE_PATIENCE" sh -c 'until DISPLAY=:1 xset q; do sleep 0.1; done >/dev/null 2>&1' </dev/null && return
	LAB_WHY="the display in the guest did not start: $(LAB_LOG=$RUN/log last_word display)"
	return 1
}

place_end() {
	lab_stop "$PLACE_DISPLAY"
	guest_exec place sh -c 'for pid in $(find /sys/fs/cgroup/session -name cgroup.procs -exec cat {} +); do kill -KILL $pid; done' \
		</dev/null 2>/dev/null
	PLACE_GROUP=''
}

# A process of ours stands for each command, so that it can be waited for and stopped as what lab_start has started.
place_start() {
	local OPTIND=1 opt group=$PLACE_GROUP name job stream
	while getopts SRDo: opt; do [ "$opt" != D ] || group=''; done
	shift $((OPTIND - 1))
	name=$1 job=$1-$((++PLACE_JOBS))
	shift
	[ -z "$group" ] || set -- sh -c 'echo 0 >"$0/leaf/cgroup.procs" && exec "$@"' "$group" "$@"
	guest_start place "$job" "$@"
	for stream in out err; do
		: >>"$(guest_job place "$job").$stream"
		ln -sf "$(guest_job place "$job").$stream" "$LAB_LOG/$name.$stream"
	done
	place_stand "$job" "$LAB_LOG/$name" </dev/null >/dev/null &
	LAB_PID=$!
	LAB_PIDS+=("$LAB_PID")
	LAB_PID_OF["$name"]=$LAB_PID LAB_BRING["$LAB_PID"]=''
}
place_stand() {	# place_stand JOB LOG
	local status stream
	# shellcheck disable=SC2064
	trap "guest_signal place '$1' TERM" TERM
	guest_wait place "$1"
	status=$?
	for stream in out err; do cp --remove-destination "$(guest_job place "$1").$stream" "$2.$stream"; done
	exit "$status"
}

# The guest's tasks; and on the host when its virtual CPUs ran, in FILE.host.
place_trace() {
	outside_start vcpus "$TP_BIN/vamp" trace --log "$1.host" "${@:2}" && is_ready vcpus 10 || return
	place_start -D slices "$TP_BIN/vamp" trace --log "$1" "${@:2}"
}

# What the guest says minus what the host's clock says, in ns, up to some 10 ms: the guest names files after its uptime, the host
# knows when they came.
guest_ahead() {
	local real mono folder=$RUN/log/clock
	mkdir -p "$folder"
	guest_exec place sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do
		for k in 0 1 2; do read -r up _ </proc/uptime; : >"$1/$up"; done; sleep 0.1; done' sh "$folder" </dev/null
	read -r real mono _ < <(machine_clocks)
	stat -c '%.9Y %n' "$folder"/* | LC_ALL=C awk -v real="$real" -v mono="$mono" '
		{ sub(".*/", "", $2); late = $1 - real / 1e9 + mono / 1e9 - $2; if (NR == 1 || late < least) least = late }
		END { printf "%.0f\n", -least * 1e9 }'
	rm -r "$folder"
}

# place_traced FILE: cuts the guest's slices where the host had taken the virtual CPU away, which are rows without a task. Of a
# slice that was cut a row without a CPU has the sum.
place_traced() {
	lab_stop "${LAB_PID_OF[vcpus]}"
	LC_ALL=C awk -F'\t' -v OFS='\t' -v ahead="$(guest_ahead)" -v vcpus="$(guest_vcpus place | paste -sd ' ')" '
		BEGIN { n = split(vcpus, tid, " "); for (i = 1; i <= n; i++) vcpu[tid[i]] = i - 1 }
		FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; if (FNR != NR) print; next }
		FNR == NR && $at["tid"] in vcpu {	# what lies between two slices is away, if the first one wanted more
			c = vcpu[$at["tid"]]; start = $at["start_ns"] + ahead
			if (wants[c] && start > to[c]) { from[c, ++gaps[c]] = to[c]; till[c, gaps[c]] = start }
			to[c] = start + $at["ran_ns"]; wants[c] = $at["wanted_more"]
		}
		FNR == NR { next }
		{
			c = $at["cpu"]; start = $at["start_ns"]; end = start + $at["ran_ns"]; ran = cut = 0
			while (next_gap[c] < gaps[c] && till[c, next_gap[c] + 1] <= start) next_gap[c]++
			for (g = next_gap[c] + 1; g <= gaps[c] && from[c, g] < end; g++) {
				if (from[c, g] > start) { put(start, from[c, g]); ran += from[c, g] - start }
				away(from[c, g], till[c, g])
				start = till[c, g]; cut = 1
			}
			if (!cut) { print; next }
			if (start < end) { put(start, end); ran += end - start }
			$at["cpu"] = ""; $at["ran_ns"] = sprintf("%.0f", ran); print
		}
		function put(a, b) { row(a, b, c, $at["tid"], $at["comm"]) }
		function away(a, b) { if (a > gone[c]) { gone[c] = a; row(a, b, c, "", "") } }
		function row(a, b, cpu, tid, comm) { printf "vamp-trace/1\t%.0f\t%s\t\t%s\t%s\t%.0f\t0\t0\n", a, cpu, tid, comm, b - a }' \
			"$1.host" "$1" >"$1.cut" && mv "$1.cut" "$1"
	rm -f "$1.host"
}
place_probe() { place_start -D "$@"; }

place_exec() {
	local OPTIND=1 opt in=/dev/null
	while getopts Ri opt; do [ "$opt" != i ] || in=/dev/stdin; done
	shift $((OPTIND - 1))
	guest_exec place "$@" <"$in"
}
