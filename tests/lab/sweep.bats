#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Sweeps on two pairs of hosts, one of which is lost in the middle: by GNU parallel, by Slurm. All cells are there in the end, each
# measured once.
# bats file_tags=all

bats_require_minimum_version 1.5.0
load ../not_here

setup() {
	TOP=${BATS_TEST_DIRNAME%/tests/lab}
	PATH=$PATH:/usr/sbin:/sbin
	[ "$(id -u)" = 0 ] || skip "only root can make hosts of namespaces that Slurm runs on"
	for tool in sshd ssh ssh-keygen setpriv unshare ip jq parallel Xvnc Xvfb; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	unshare --net --mount --pid --fork true 2>/dev/null || skip "this system forbids namespaces"
	export TOP AT=$BATS_TEST_TMPDIR
	printf '%s\n' 'experiment stalls' 'app light' 'loads 0 1' 'repeat 2' 'time 2' 'idle 2' quick >"$AT/file"
}

# cluster OPTION... <SCRIPT: runs the script on tp0, beside four hosts; it finds these functions.
cluster() {
	{
		cat <<'END'
there() { find "$AT/dir"/stalls/cells -name cell.json 2>/dev/null | wc -l; }
until_true() {	# until_true SECONDS COMMAND...
	local n
	for ((n = 0; n < $1 * 5; n++)); do
		if "${@:2}"; then return 0; fi
		sleep 0.2
	done
	echo "not in $1 s: ${*:2}"
	return 1
}
END
		cat
	} >"$AT/script"
	run env TMPDIR="$AT" THINPROBE_STATE="$AT/state" timeout -k 10 "$((600 * ${TEST_PATIENCE:-1}))" \
		bash "$TOP/tests/lab/cluster.sh" "$@" "$AT" 4 bash -eu "$AT/script"
	echo "$output"
	tail -n 5 "$AT/dir"/log/* || true
	[ "$status" = 0 ]
	[ ! -e "$AT/cluster" ]
}

# All cells are there, each once (beside what was measured again because others disturbed it), and the report has all of them.
complete() {
	jq -e '.state == "complete" and .counts.complete == 4 and .sweep.parts == 4' "$AT/dir/stalls/run.json"
	[ "$(find "$AT/dir/stalls/cells" -name cell.json -not -path '*~/*' | wc -l)" = 4 ]
	[ "$(find "$AT/dir/stalls/cells" -mindepth 2 -maxdepth 2 -not -name '*~' | wc -l)" = 4 ]
	[ "$(awk -F'\t' 'NR > 1 && $2 == "there" { print $1 }' "$AT/dir/cells.tsv" | sort -u | wc -l)" = 4 ]
	[ -z "$(ls -A "$AT/dir/.parts")" ]
	[ -s "$AT/dir/stalls/report.html" ]
}

@test "sweep, parallel: if the link of one pair is cut during a cell, the other pair measures the cell" {
	cluster <<'END'
printf '%s\n' 'tp1 tp2' 'tp3 tp4' >"$AT/pairs"
"$TOP/thinprobe" sweep "$AT/file" --pairs "$AT/pairs" -o "$AT/dir" &
measures() { grep -qs '^stalls  0 of' "$(grep -ls 'tp3' "$AT/dir"/log/stalls_* | head -n 1)"; }
until_true 120 measures
echo "there when it is cut: $(there)"
ip link set to-3 down
wait $!
END
	complete
	[ "$(awk -F'\t' '$3 == "ssh:tp1,tp2"' "$AT/dir/cells.tsv" | wc -l)" -ge 3 ]
	# the cut pair's cell was tried at least twice
	[ "$(wc -l <"$AT/dir/joblog")" = 5 ]
}

@test "sweep, Slurm: killed and resumed, with a held task and a dead node, it completes; only one job array at a time" {
	for tool in slurmctld slurmd munged; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	cluster --slurm <<'END'
unset THINPROBE_SSH_OPTIONS
"$TOP/thinprobe" sweep "$AT/file" --engine slurm -o "$AT/dir" &
first=$!
runs() { squeue --noheader --states=running --format=%N | grep -q .; }
until_true 60 runs
job=$(squeue --noheader --format=%F | sort -n | tail -n 1)
kill -9 "$first"
"$TOP/thinprobe" sweep --resume "$AT/dir" &
second=$!
another() { squeue --noheader --states=running --format='%F %N' | awk -v job="$job" '$1 > job' | grep -q .; }
until_true 120 another
squeue --noheader --states=pending,running --format=%F | awk -v job="$job" '$1 <= job { left = 1 } END { exit left }'
measures() { grep -qs '^stalls  0 of' "$AT/dir"/log/stalls_*; }
until_true 120 measures
held=$(squeue --noheader --states=running --format=%A | head -n 1)
scontrol requeuehold "$held"
cancelled() { ! squeue --noheader --states=pending --format=%A | grep -qx "$held"; }
holds() { ! cancelled; }
until_true 60 holds
until_true 60 cancelled
until_true 60 runs
node=$(scontrol show hostnames "$(squeue --noheader --states=running --format=%N | head -n 1)" | head -n 1)
echo "there when $node dies: $(there)"
kill -9 "$(cat "$CLUSTER/${node#tp}.pid")"
wait "$second"
scontrol show node "$node" | grep -E 'State=[A-Z*+]*DOWN'
[ -z "$(squeue --noheader --states=pending,running)" ]
END
	complete
	[ -z "$(grep -l '"tp0"' "$AT/dir"/stalls/cells/*/*/cell.json)" ]
}
