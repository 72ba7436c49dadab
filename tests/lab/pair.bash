# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# pair.bash - experiments on two machines made of namespaces, with an sshd each (sshpair.sh). `load` it: tests are skipped where
# such machines cannot be made, and have TOP and W, their own folder below /tmp, which is removed. They call
#
#   pair_cell EXPERIMENT OPTION...
#                       runs it there, into $RUN, and checks that it is complete, that run.json has the hosts, and that nothing
#                       is left at either end. As root the machines are separate: neither sees the files and processes of the
#                       driver or of the other. PAIR_ON: another --on; PAIR_APART (empty): they share the driver's files and
#                       processes; PAIR_LISTENER=1: with a third machine that listens. Skips if the run names something missing.
#   pair_keys FOLDER    prints how many keys were due in that cell
bats_require_minimum_version 1.5.0
load "$(dirname "${BASH_SOURCE[0]}")/../cli/helpers"

setup() {
	local tool
	TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
	PATH=$PATH:/usr/sbin:/sbin
	for tool in sshd ssh ssh-keygen setpriv unshare nsenter ip tc jq; do
		command -v "$tool" >/dev/null || skip "$tool is not installed"
	done
	unshare --net --mount true 2>/dev/null || unshare --user --map-root-user --net --mount true 2>/dev/null ||
		skip "this system forbids namespaces"
	getent passwd "$(id -u)" >/dev/null || skip "sshd lets in only users with a name"
	W=$(mktemp -d /tmp/pair-bats.XXXXXX)
	chmod 755 "$W"
	RUN="$W/a run"
}
teardown() { [ -z "${W-}" ] || rm -rf -- "$W"; }

# shellcheck disable=SC2016 # another shell's
PAIR_SCRIPT='
	thinprobe=$1 run=$2
	shift 2
	status=0
	"$thinprobe" run "$@" -o "$run" || status=$?
	for _ in {1..100}; do
		left=$(find "$SSHPAIR"/{server,client} -mindepth 1 -maxdepth 1 -name "thinprobe*"
			grep -lsaF "LAB_REMOTE=$SSHPAIR/" /proc/[0-9]*/environ)
		[ -n "$left" ] || break
		sleep 0.2
	done
	echo "left: ${left:-nothing}"
	exit "$status"'

pair_cell() {
	local experiment=$1
	shift
	busy_begin
	run env TMPDIR="$W" THINPROBE_STATE="$W/state" SSHPAIR_APART="${PAIR_APART-$TOP}" SSHPAIR_LISTENER="${PAIR_LISTENER-}" \
		timeout -k 10 900 bash "$TOP/tests/lab/sshpair.sh" run bash -c "$PAIR_SCRIPT" sh "$TOP/thinprobe" "$RUN" "$experiment" \
		--on "${PAIR_ON:-ssh:tp-server,tp-client}" "$@"
	echo "$output"
	[ "$status" != 4 ] || skip "$(grep '^thinprobe: ' <<<"$output" | tail -n 1)"
	[[ $output != *"mirrors no packets"* ]] || skip "this kernel mirrors no packets"
	busy_end "$RUN"
	run_complete "$RUN"
	[ "$(jq -r .lab.server "$RUN/run.json")" = tp-server ]
	[ "$(jq '.cells | length > 0' "$RUN/run.json")" = true ]
	[ -s "$RUN/report.html" ]
	[[ $output == *"left: nothing"* ]]
}

pair_keys() { awk 'NR > 1' "$1/samples.tsv" | wc -l; }
