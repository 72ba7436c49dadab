#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# long-runs.sh FOLDER [TIME] - runs the programs that may stay up for long side by side, for TIME (60m), and writes
# docs/long-runs.md: does memory or the number of open files grow? FOLDER is made. As root, with Xvnc, xterm, jq and python3;
# display :71, TCP ports 5971 and 5972.
set -eu
cd "$(dirname "$0")/.."
folder=${1-}
time=${2:-60m}
[ -n "$folder" ] || { sed -n '3,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
[ "$(id -u)" = 0 ] || { echo "long-runs.sh: needs root" >&2; exit 4; }
mkdir "$folder"
. lab/machine.sh
declare -A pids=()
others=() names=()

helper() { "$@" >"$folder/helper-${#others[@]}.log" 2>&1 & others+=($!); }	# helper COMMAND: is ended at the end
begin() {	# begin NAME COMMAND
	local name=$1
	shift
	"$@" >"$folder/$name.out" 2>"$folder/$name.err" </dev/null &
	pids[$name]=$!
	names+=("$name")
}
tidy() { kill "${pids[@]}" "${others[@]}" 2>/dev/null || true; wait; }
trap tidy EXIT
trap 'exit 130' INT TERM

# sample: of each program and its children the memory in KiB and the open files.
sample() {
	local name files
	for name in "${names[@]}"; do
		files=$(machine_tree "${pids[$name]}" | sed 's,.*,/proc/&/fd,' | xargs -I FOLDER find FOLDER -mindepth 1 2>/dev/null | wc -l)
		machine_of_tree "${pids[$name]}" status | awk -v OFS='\t' -v now="$EPOCHSECONDS" -v name="$name" -v files="$files" \
			'/^VmRSS/ { kib += $2 } END { if (kib) print now, name, kib, files }'
	done >>"$folder/samples.tsv"
}

printf 'at_s\tprogram\tkib\tfiles\n' >"$folder/samples.tsv"
helper Xvnc :71 -rfbport 5971 -localhost -SecurityTypes None -geometry 800x600
xserver=${others[0]}
for _ in {1..20}; do kill -0 "$xserver" || { cat "$folder/helper-0.log" >&2; exit 1; }; sleep 0.1; done
helper xterm -display :71 -e sh -c 'stty raw echo; cat >/dev/null'
helper runuser -u nobody -- bin/sink -l 60
sleep 3
begin prototap bin/prototap live -i lo --port 5971 --decode rfb -t "$time" --every 1s --intervals "$folder/intervals" \
	--rotate 64K --keep 3 --json
begin watch ./thinprobe watch -i lo --port 5971 -t "$time" --tsv "$folder/watched" --rotate 64K --keep 3
begin keyrepeat bin/keyrepeat vnc:127.0.0.1:5971 --schedule periodic -t "$time" --log "$folder/keys.tsv" --json
begin idleprofile nice -n 19 bin/idleprofile --cpus 1 --who -t "$time" --json
TP_HOME=.
. lab/trees.sh
while IFS= read -r part; do . "$part"; done < <(in_trees tests/long_runs_more.sh)	# programs of kits
all_run() { local pid; for pid in "${pids[@]}"; do kill -0 "$pid" 2>/dev/null || return; done; }
while all_run; do
	sample
	[ -z "${inputs-}" ] || echo >&"$inputs"
	sleep 7
done
for name in "${names[@]}"; do
	status=0
	wait "${pids[$name]}" || status=$?
	printf '%s\t%s\n' "$name" "$status"
done >"$folder/statuses"
pids=()	# (ended; others may have these numbers by then)

# A capture of so many hours, from six hours before midnight on, of a server that draws 6,000 bytes for each of 20 keys a second: in
# twelve hours its bytes pass 2^32, and its sequence numbers wrap.
capture() {	# capture HOURS FILE
	python3 - "$@" <<-'PYTHON'
		import struct, sys
		keys, start = int(sys.argv[1]) * 72000, 1700006400 - 6 * 3600
		out = open(sys.argv[2], "wb", buffering=1 << 20)
		out.write(struct.pack("<IHHiIII", 0xa1b2c3d4, 2, 4, 0, 0, 96, 1))
		sent = {40000: 1, 5900: 1}
		def packet(at_ms, source, target, data, flags=0x18):
		    frame = bytes(12) + b"\x08\0" + struct.pack(">BBHHHBBH4s4s", 0x45, 0, 40 + len(data), 0, 0, 64, 6, 0,
		        b"\x0a\0\0" + bytes([source == 5900]), b"\x0a\0\0" + bytes([target == 5900]))
		    frame += struct.pack(">HHIIBBHHH", source, target, sent[source] & 0xffffffff, sent[target] & 0xffffffff, 0x50, flags,
		        65535, 0, 0) + data[:42]
		    sent[source] += len(data) or 1
		    out.write(struct.pack("<IIII", start + at_ms // 1000, at_ms % 1000 * 1000, len(frame), 54 + len(data)) + frame)
		picture = bytes(6000)
		packet(0, 40000, 5900, b"", 2)
		packet(1, 5900, 40000, b"", 0x12)
		for key in range(keys):
		    packet(key * 50 + 10, 40000, 5900, b"\4\1\0\0\0\0\0a")
		    packet(key * 50 + 17, 5900, 40000, picture)
	PYTHON
}

peak() { python3 -c 'import os, resource, subprocess, sys
subprocess.run(sys.argv[1:], check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)' "$@"; }

for hours in 1 12; do
	capture $hours "$folder/$hours.pcap"
	kib=$(peak bin/prototap read "$folder/$hours.pcap" --port 5900 --every 60s --intervals "$folder/$hours.tsv" --keep 99 --json \
		-o "$folder/$hours.json")
	jq -r --arg hours $hours --arg kib "$kib" --arg rows "$(cat "$folder/$hours.tsv"* | grep -vc '^schema')" '.result |
		($hours | tonumber * 72000) as $keys | "| \($hours) | \(.updates.count) of \($keys) | \(.channels.display.payload_bytes) of " +
		"\($keys * 6000) | \($rows) | \($kib) |"' "$folder/$hours.json"
done >"$folder/captures"
rm -f "$folder"/*.pcap

# What each program did. (Rows of watch: those of the files that are kept.)
did() {
	case $1 in
	prototap) jq -r '"\(.result.channels.total.packets) packets"' ;;
	watch) cat "$folder"/watched* | awk '$1 != "schema" { n++ } END { print n " rows in the files that remain" }' ;;
	keyrepeat) jq -r '.result | "\(.keys_answered) of \(.keys_sent) keys answered"' ;;
	vusers) jq -r '.result | "\(.requests + .watched_requests) requests answered, \(.errors + .timeouts) failed"' ;;
	idleprofile) jq -r '.result | "\([.cpus[].events] | add) times at which the CPU was taken away"' ;;
	vamp) jq -r .summary ;;
	esac <"$folder/$1.out"
}

{
	cat <<-END
		# Do the programs grow?

		Made by \`tests/long-runs.sh\`. The programs below ran side by side for $time, on a machine with $(nproc) CPUs.

		The table has the resident memory and the number of open files of all processes of a program, read every 7 s. \`vusers\`
		keeps 32 bytes for each request, in memory that it reserves before it begins.

		| program | what it did | KiB at 1 min | KiB at half | KiB at end | most KiB | files at 1 min | files at end | exit |
		|---|---|---:|---:|---:|---:|---:|---:|---:|
	END
	while IFS=$'\t' read -r name status; do
		awk -F'\t' -v name="$name" -v did="$(did "$name")" -v status="$status" 'BEGIN { i = n = 0 }
			$2 == name { kib[n] = $3; at[n] = $1; file[n++] = $4
				if ($3 > most) most = $3 }
			END {
				while (i < n - 1 && at[i] < at[0] + 60) i++
				printf "| %s | %s | %d | %d | %d | %d | %d | %d | %d |\n", name, did, kib[i], kib[int(n / 2)], kib[n - 1], most, file[i],
					file[n - 1], status
			}' "$folder/samples.tsv"
	done <"$folder/statuses"
	while IFS=$'\t' read -r name status; do
		[ "$status" = 0 ] || printf '\n- `%s` ended with exit status %s, and printed:\n  "%s"\n' "$name" "$status" \
			"$(jq -r .summary "$folder/$name.out")"
	done <"$folder/statuses"
	cat <<-'END'

		Then `prototap read` was given two made-up captures, of one and of twelve hours. Each begins at 18:00 UTC, and has 20
		keys a second, with answers of 6,000 bytes. In twelve hours, the bytes pass 2^32, the sequence numbers wrap, and a new
		file of rows begins at midnight.

	END
	echo '| hours | updates found, of all | bytes of answers found, of all | rows (minutes) | most KiB |'
	echo '|---:|---:|---:|---:|---:|'
	cat "$folder/captures"
} >docs/long-runs.md
