#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# outputs - what the programs print, from short real runs (2 minutes; as root also those that need it).
# usage: tests/outputs.sh [PROGRAM...]     those alone
# tests/cli/text.bats runs the same rows.
set -u
OUTPUTS_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
outputs_pids=()

# outputs_rows_KIT, outputs_need_NAME of kits.
while IFS= read -r outputs_part; do . "$outputs_part"; done < <(
	TP_HOME=$OUTPUTS_TOP
	. "$TP_HOME/lab/trees.sh"
	in_trees tests/outputs_rows.sh)

outputs_rows() { local part; for part in $(compgen -A function outputs_rows_); do "$part"; done; }

# A row a run, three columns: program; what must be there first (a function outputs_need_NAME, or -); command. $OPTIONS is where
# tests put more options. It runs in an empty folder.
outputs_rows_core() {
	cat <<'END'
keyrepeat	-	thinprobe keyrepeat null: -t 500ms $OPTIONS
keyrepeat	refecho	thinprobe keyrepeat vnc:127.0.0.1:$PORT -t 1s $OPTIONS
keyrepeat	refecho	thinprobe keyrepeat vnc:127.0.0.1:$PORT --watch none -t 300ms $OPTIONS
refecho	keys	thinprobe refecho --vnc $PORT $OPTIONS
pagein	window	thinprobe pagein --pid ${outputs_pids[-1]} x11:$DISPLAY -e none -n 2 --settle 50ms --pause 50ms $OPTIONS
sink	-	thinprobe sink -n 2 -l 5 -t 500ms $OPTIONS
sink	-	thinprobe sink --burst every:50ms,len:2ms -t 500ms $OPTIONS
memhog	-	thinprobe memhog -s 16M --rate 20M/s -t 500ms $OPTIONS
idleprofile	idle	thinprobe idleprofile --cpus 1 -t 500ms $OPTIONS
sessmem	-	thinprobe sessmem --session $$ $OPTIONS
netload	netload	thinprobe netload send 127.0.0.1:$PORT --rate 2Mbit -t 1200ms $OPTIONS
delayline	networks	unshare -rn thinprobe delayline --end a0 --end b0 --rate 10Mbit --delay 20ms -t 300ms $OPTIONS
animate	display	thinprobe animate --rate 20 -t 1s $OPTIONS
animate	animation	thinprobe animate count --frames 10 -t 500ms $OPTIONS
slowdisk	mounts	thinprobe slowdisk mnt disk.img --read-delay 2ms $OPTIONS
prototap	capture	thinprobe prototap read session.pcap --port 5900 $OPTIONS
score	latencies	thinprobe score samples.tsv $OPTIONS
judge	blocks	thinprobe judge blocks.tsv $OPTIONS
summarize	run	thinprobe summarize run $OPTIONS
END
}

# --- what runs need: 0, or 1 where it cannot be had here -----------------------------------------------------------

# outputs_start NAME COMMAND...: in the background; returns when it says "ready" (1: it ended before).
outputs_start() {
	local name=$1
	shift
	: >"$name.err"	# not that of a run before
	"$@" >/dev/null 2>"$name.err" 3>&- &
	outputs_pids+=($!)
	until grep -q '^ready' "$name.err"; do
		kill -0 "${outputs_pids[-1]}" 2>/dev/null || return 1
		sleep 0.05
	done
}

outputs_stop() {
	local i

	for ((i = ${#outputs_pids[@]} - 1; i >= 0; i--)); do	# what runs on a display before the display
		kill "${outputs_pids[i]}" 2>/dev/null || true
		wait "${outputs_pids[i]}" 2>/dev/null || true
	done
	outputs_pids=()
	if mountpoint -q mnt 2>/dev/null; then umount -l mnt; fi	# a disk that had to be killed
	unset DISPLAY
}

# outputs_start_port NAME COMMAND...: the same, with PORT in the words replaced by a free one, which is in $PORT then.
outputs_start_port() {
	local name=$1
	shift
	for _ in 1 2 3 4 5; do
		PORT=$((20000 + RANDOM % 12000))
		outputs_start "$name" "${@//PORT/$PORT}" && return 0
	done
	return 1
}

outputs_need_netload() { outputs_start_port netload thinprobe netload serve --port PORT; }
# The hand-made captures and replays of the tests.
outputs_need_capture() {
	python3 "$OUTPUTS_TOP/tests/golden/make_captures.py" made && cp made/long_message.pcap session.pcap
}
outputs_need_latencies() {
	awk 'BEGIN { print "latency_ms\tusers"; for (i = 0; i < 200; i++) print 20 + i % 13 + i * i / 80 "\t" i / 10 }' >samples.tsv
}
# Ten starts of two variants; the latency of B is 12 ms shorter.
outputs_need_blocks() {
	awk -v OFS='\t' 'BEGIN {
		print "schema", "start", "pair", "variant", "cell", "metric", "unit", "better", "value", "disturbed"
		for (pair = 1; pair <= 20; pair++)
			for (b = 0; b < 2; b++) {
				start = int((pair + 1) / 2)
				noise = (7 * pair + 3 * b) % 5 / 10
				print "blocks/1", start, pair, b ? "b" : "a", "vnc", "latency_p50_ms", "ms", "lower", 32 - 12 * b + noise, 0
				print "blocks/1", start, pair, b ? "b" : "a", "vnc", "updates_per_s", "1/s", "higher", 19 + noise, 0
			}
	}' >blocks.tsv
}
outputs_need_run() {
	rm -rf run && "$OUTPUTS_TOP/tests/golden/make_run.py" run &&
		bash -c "source '$OUTPUTS_TOP/tests/cli/helpers.bash' && run_cells run"
}
outputs_need_refecho() { outputs_start_port refecho thinprobe refecho --vnc PORT; }

# Each time: types, then ends it, as Ctrl-C does.
outputs_need_keys() {
	PORT=$((20000 + RANDOM % 12000))
	while sleep 0.1; do
		thinprobe keyrepeat "vnc:127.0.0.1:$PORT" -t 500ms && kill -INT "$(pgrep -f "/refecho --vnc $PORT")"
	done >/dev/null 2>&1 3>&- &
	outputs_pids+=($!)
}

outputs_need_window() { outputs_need_display && outputs_start window thinprobe refecho --display "$DISPLAY"; }
outputs_idle_ticks() { awk '$1 == "cpu1" { print $5 + $6 }' /proc/stat; }
# CPU 1 idles for half of half a second, within 30 s: a profile that does not get the CPU ends with 1.
outputs_need_idle() {
	local i before
	for ((i = 0; i < 60; i++)); do
		before=$(outputs_idle_ticks)
		sleep 0.5
		[ $((($(outputs_idle_ticks) - before) * 4)) -lt "$(getconf CLK_TCK)" ] || return 0
	done
	return 1
}
outputs_need_networks() { unshare -rn true 2>/dev/null; }

outputs_need_display() {
	command -v Xvfb >/dev/null || return 1
	: >display
	Xvfb -displayfd 4 -screen 0 800x600x24 -noreset -nolisten tcp 4>display 3>&- >xvfb.err 2>&1 &
	outputs_pids+=($!)
	until [ -s display ]; do
		kill -0 "${outputs_pids[-1]}" 2>/dev/null || return 1
		sleep 0.05
	done
	DISPLAY=:$(cat display)
	export DISPLAY
}

outputs_need_animation() { outputs_need_display && outputs_start animation thinprobe animate --rate 20; }

# outputs_reads FILE: a process that reads 64 KiB of it.
outputs_reads() {
	dd if="$1" of=/dev/null bs=4k count=16 iflag=direct
}

# Each time: reads from it, then ends it.
outputs_need_mounts() {
	[ -w /dev/fuse ] && [ "$(id -u)" = 0 ] && mkdir -p mnt && truncate -s 64K disk.img || return 1
	while sleep 0.02; do
		[ -e mnt/disk ] || continue
		outputs_reads mnt/disk
		while [ -e mnt/disk ] && ! umount mnt; do sleep 0.1; done
	done >/dev/null 2>&1 3>&- &
	outputs_pids+=($!)
}

# --- what is printed --------------------------------------------------------------------------------------------------

# outputs_run COMMAND: with $OPTIONS of the caller.
outputs_run() {
	eval "$1"
}

outputs_one() {	# program need command
	[ "$2" = - ] || "outputs_need_$2" || { outputs_stop; echo "outputs.sh: $1: no $2 here, left out" >&2; return; }
	echo
	echo '```'
	# shellcheck disable=SC2016,SC2001 # the words as they stand
	echo "\$ $(sed 's/ \$OPTIONS//g' <<<"$3")"
	outputs_run "$3" 2>/dev/null
	echo '```'
	outputs_stop
}

outputs_all() {	# [program...]: rows are on standard input
	local program need command before=

	while IFS=$'\t' read -r program need command; do
		[ $# = 0 ] || [[ " $* " == *" $program "* ]] || continue
		[ "$program" = "$before" ] || printf '\n## %s\n' "$program"
		before=$program
		outputs_one "$program" "$need" "$command" </dev/null
	done
}

outputs_main() {
	local work OPTIONS='' PORT=''

	export PATH=$OUTPUTS_TOP:$PATH
	unset DISPLAY
	work=$(mktemp -d)
	# shellcheck disable=SC2064 # the folder of now
	trap "outputs_stop; rm -rf '$work'" EXIT
	cd "$work" || exit 1
	outputs_all "$@" < <(outputs_rows)
}

[ "${BASH_SOURCE[0]}" != "$0" ] || outputs_main "$@"
