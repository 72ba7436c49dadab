# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# place_guest.sh - a guest (lab/guest.sh) as the place of favour.sh: display, applications, job, vamp and the
# probe are all in it; one guest serves the whole run. Keys and pixels go by the display itself, not over a link.
. "$TP_HOME/lab/guest.sh"

PLACE_GROUP='' PLACE_JOBS=0 PLACE_DISPLAY='' PLACE_PORT=''

place_find() {
	local cpus=$LAB_CPUS_server,$LAB_CPUS_client inside=() LAB_LOG=$RUN/log
	exp_step "booting a guest"
	if [ "$NEIGHBOUR" -gt 0 ]; then
		lab_group guest shares=1024 && lab_group neighbour shares=1024 || return
		inside=(-G "${LAB_GROUPS[guest]}") PLACE_PORT=/dev/virtio-ports/org.thinprobe.agent
	fi
	guest_up place app -c "$SERVER_CPUS" -m 1G -C "$cpus" "${inside[@]}" -s "$RUN"
	if [ "$NEIGHBOUR" -gt 0 ]; then
		outside_start neighbour sh -c 'echo 0 >"$0/cgroup.procs" && exec "$@"' "${LAB_GROUPS[neighbour]}" \
			taskset -c "$cpus" "$TP_BIN/sink" -n "$NEIGHBOUR"
		is_ready neighbour 20 || return
	fi
	PLACE_CPUS=$(guest_exec place nproc </dev/null)
	# What runs on the server's CPU is QEMU, which is not the lab's: it is no disturbance.
	# shellcheck disable=SC2317 # cells call them
	cpu_begin() { :; }
	# shellcheck disable=SC2317
	cpu_end() { :; }
}

place_down() {
	lab_stop "${LAB_PID_OF[neighbour]-}"
	guest_down place
}

place_host() {	# place_host OPTION...: vamp on the host of the guest, as FAVOUR_HOST
	outside_start vamp-host "$TP_BIN/vamp" vm --qmp "$(guest_qmp place)" --agent "$(guest_agent place)" \
		--group "${LAB_GROUPS[guest]}" \
		"$@" --format json
	FAVOUR_HOST=$LAB_PID
	is_ready vamp-host 20 "vamp did not start on the host"
}

place_has() { guest_exec place sh -c 'command -v "$1"' sh "$1" </dev/null >/dev/null; }

place_begin() {	# place_begin group|-
	PLACE_GROUP=''
	[ "$1" != group ] || PLACE_GROUP=/sys/fs/cgroup/session
	# Processes live in a leaf of it, as systemd's do: only so can vamp have a group beside them.
	guest_exec place sh -c 'mkdir -p "$1/leaf" /tmp/home && echo +cpu >"$1/cgroup.subtree_control"' sh /sys/fs/cgroup/session \
		</dev/null || { LAB_WHY="no cpu group in the guest"; return 1; }
	PROTOCOL_DISPLAY=:1 PROTOCOL_TARGET=x11::1 PROTOCOL_OPTIONS=()
	LAB_LOG=$RUN/log place_start display Xvnc :1 -geometry 1024x768 -depth 24 -SecurityTypes None -ac -noreset -nolisten tcp
	PLACE_DISPLAY=$LAB_PID
	guest_exec place timeout 60 sh -c 'until DISPLAY=:1 xset q; do sleep 0.1; done' </dev/null >/dev/null 2>&1 && return
	LAB_WHY="the display in the guest did not start: $(LAB_LOG=$RUN/log last_word display)"
	return 1
}

place_end() {
	lab_stop "$PLACE_DISPLAY"
	# shellcheck disable=SC2016 # another shell's
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
	# shellcheck disable=SC2016 # another shell's
	[ -z "$group" ] || set -- sh -c 'echo 0 >"$0/leaf/cgroup.procs" && exec "$@"' "$group" "$@"
	guest_start place "$job" "$@"
	for stream in out err; do
		: >>"$(guest_job place "$job").$stream"
		ln -sf "$(guest_job place "$job").$stream" "$LAB_LOG/$name.$stream"
	done
	place_stand "$job" "$LAB_LOG/$name" </dev/null >/dev/null &
	LAB_PID=$!
	LAB_PIDS+=("$LAB_PID")
	LAB_PID_OF["$name"]=$LAB_PID
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

place_trace() { place_start -D slices "$TP_BIN/vamp" trace --log "$1" "${@:2}"; }
place_probe() { place_start -D "$@"; }

place_exec() {
	local OPTIND=1 opt in=/dev/null
	while getopts Ri opt; do [ "$opt" != i ] || in=/dev/stdin; done
	shift $((OPTIND - 1))
	guest_exec place "$@" <"$in"
}
