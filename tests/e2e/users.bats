#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Many users on the emulated hosts, small: both ends count the same requests, the model stands
# beside what was measured, nothing is left.

bats_require_minimum_version 1.5.0
load left
load ../not_here

setup_file() {
	export TOP=${BATS_TEST_DIRNAME%/tests/e2e}
	export A="$BATS_FILE_TMPDIR/principle a" U="$BATS_FILE_TMPDIR/the users"
	export THINPROBE_STATE=$BATS_FILE_TMPDIR/state
	local parts=web,vnc
	command -v lighttpd >/dev/null || parts=vnc
	cd /
	groups >"$BATS_FILE_TMPDIR/groups.before"
	status=0
	"$TOP/thinprobe" run principle-a --users 50 --think 0.2 --nz 200 --cov-users 20 --seconds 1 \
		--repeat 1 -o "$A" >"$BATS_FILE_TMPDIR/a.out" 2>"$BATS_FILE_TMPDIR/a.err" 3>&- || status=$?
	echo "$status" >"$BATS_FILE_TMPDIR/a.status"
	if [ "$status" = 4 ]; then not_here "$(tail -n 1 "$BATS_FILE_TMPDIR/a.err")"; return 0; fi
	status=0
	"$TOP/thinprobe" run users --parts "$parts" --users 20 --think 0.4 --vnc-users 3 --vnc-think 0.2,0.1 \
		--cost 5ms --seconds 2 --repeat 1 -o "$U" >"$BATS_FILE_TMPDIR/u.out" 2>"$BATS_FILE_TMPDIR/u.err" 3>&- || status=$?
	echo "$status" >"$BATS_FILE_TMPDIR/u.status"
	groups >"$BATS_FILE_TMPDIR/groups.after"
}

@test "principle-a: the run is complete, with table, findings and figures" {
	cat "$BATS_FILE_TMPDIR/a.err" "$BATS_FILE_TMPDIR/a.out"
	[ "$(cat "$BATS_FILE_TMPDIR/a.status")" = 0 ]
	[ "$(jq -r .state "$A/run.json")" = complete ]
	for f in summary.tsv report.html figures/rate.svg figures/queue.svg figures/response.svg figures/cov.svg; do [ -s "$A/$f" ]; done
	grep -q '^ Think time held  *50 ' "$BATS_FILE_TMPDIR/a.out"
}

@test "principle-a: the server has answered what the users asked, and the model is that of its stations" {
	local cell="$A/cells/held-think-50/1"
	jq -c .result "$cell/vusers.json" "$cell/serve.json" "$cell/model.json"
	# every row of the log is a request that the server counted
	[ "$(awk 'NR > 1' "$cell/samples.tsv" | wc -l)" = "$(jq .result.requests "$cell/serve.json")" ]
	[ "$(jq '.result.rate_per_s > 0' "$cell/vusers.json")" = true ]
	[ "$(jq '.result.rows[0] | .n == 50 and .lambda < 200 and .lambda > 150' "$cell/model.json")" = true ]
	[ "$(jq '.parameters.part == "held-think" and .parameters.users == 50' "$cell/cell.json")" = true ]
}

@test "users: the run is complete; what was sent and what came stand in it" {
	cat "$BATS_FILE_TMPDIR/u.err" "$BATS_FILE_TMPDIR/u.out"
	[ "$(cat "$BATS_FILE_TMPDIR/u.status")" = 0 ]
	for f in summary.tsv points.tsv report.html figures/response.svg figures/load.svg figures/cov.svg; do [ -s "$U/$f" ]; done
	[ "$(jq '.result | .errors == 0 and .requests > 2' "$U/cells/vnc-0.2/1/vusers.json")" = true ]
	# exact echoes of 5 ms of CPU time each
	[ "$(jq '.result.from_sent_ms.min >= 5' "$U/cells/vnc-0.2/1/vusers.json")" = true ]
	# two rows of VNC are fitted: the CPU time of a key is what it was told to burn, and what the server needs besides
	cat "$U/slope.tsv"
	[ -s "$U/figures/fit.svg" ]
	[ "$(awk -F'\t' '$2 == "vnc" && $3 == "all" && $4 == "cpu" { print ($6 > 4 && $6 < 15) }' "$U/slope.tsv")" = 1 ]
	[ -d "$U/cells/web-0.4" ] || skip "lighttpd is not installed"
	jq -c .result "$U/cells/web-0.4/1/vusers.json"
	# objects of 30 to 100 kB, with their heads
	[ "$(jq '.result | .errors == 0 and .connections == 20
		and (.received_kbyte_per_s * .seconds / .requests | . > 29 and . < 101)' "$U/cells/web-0.4/1/vusers.json")" = true ]
	[ "$(jq '.link_percent > 0' "$U/cells/web-0.4/1/cell.json")" = true ]
	[ ! -e "$U/log/www" ]
}

@test "users, principle-a: nothing is left" {
	if groups_left; then return 1; fi
	[ -z "$(find "$A" "$U" -type p -o -name '*.new')" ]
	[ -z "$(pgrep -f "lighttpd -D -f $U" || true)" ]
}
