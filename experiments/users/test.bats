#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# users: demands fitted to made-up rows whose figures follow from a closed form, the paper's own rows, and a short run. Columns that
# it shares with principle-a are tested there.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/cli/crowds
load ../../tests/near

setup() {
	begin_test
	SETTINGS='{"parts": ["web", "vnc"], "link": "100Mbit", "cost_ms": 10}'
}

fit() {	# what the experiment does when all cells are there
	TP_HOME=$TOP TP_BIN=$BIN RUN=run PARTS=$1 REPEATS=1 bash -c '. "$TP_HOME/experiments/users/cell.sh"; exp_summed'
	"$TOP/thinprobe" report run
	cat run/slope.tsv run/compare.tsv
	jq -c '.findings[]' run/findings.json
}
need_of() { field run/slope.tsv "$3" fitted="$1" name="$2"; }	# need_of FITTED RESOURCE COLUMN

@test "demands fitted to a run's rows are those that made them, and the first rows foretell the others" {
	local z x r u name
	need gnuplot cmark
	# 20 users of one station of 10 ms and a delay of 2 ms that nobody waits for: the machine repairman's closed form
	make_run users 1 "$SETTINGS" vnc-2/vnc/20/2 vnc-1/vnc/20/1 vnc-0.5/vnc/20/0.5 vnc-0.3/vnc/20/0.3 vnc-0.2/vnc/20/0.2 \
		vnc-0.1/vnc/20/0.1
	for z in 2 1 0.5 0.3 0.2 0.1; do
		read -r x r u < <(LC_ALL=C awk -v n=20 -v z="$z" -v d=0.010 -v delay=0.002 'BEGIN {
			t = 1; sum = 1
			for (k = 1; k <= n; k++) { t *= (n - k + 1) * d / (z + delay); sum += t }
			x = (1 - 1 / sum) / d; printf "%.9f %.9f %.9f\n", x, (n / x - z) * 1000, 100 * x * d }')
		cell "vnc-$z" 1 "$x" "$r" 1 true
		edit_json "run/cells/vnc-$z/1/cell.json" 'del(.link_percent) | .server_own_percent = $u' --argjson u "$u"
	done
	# one row that others disturbed is left out, wrong as it is
	edit_json run/cells/vnc-0.1/1/cell.json '.server_own_percent = 5 | .foreign_percent = 40 | .marked = "foreign CPU time"'
	fit vnc
	near "$(need_of all cpu demand_ms)" 10 0.005
	[ "$(need_of all cpu rows)/$(need_of all cpu disturbed)" = 5/0 ]
	near "$(need_of all delay demand_ms)" 2 0.005
	near "$(need_of first cpu demand_ms)" 10 0.005
	[ "$(need_of first cpu rows)/$(need_of first cpu of_rows)" = 3/5 ]
	[ "$(awk -F'\t' '$3 == "first" && $5 == 0 { n++; if ($10 > 0.1 || $10 < -0.1) far++ } END { print n, far + 0 }' \
		run/compare.tsv)" = "2 0" ]
	# a point as it was measured, one as the model says, of each row; the lowest rates do not know two of them
	[ "$(awk -F'\t' '{ n[$3 $4]++ } END { print n["allmeasured"], n["allfit"], n["firstmeasured"], n["firstlater"], n["firstfit"] }' \
		run/curve.tsv)" = "5 5 3 2 5" ]
	[ -s run/figures/fit.svg ]
	near "$(finding run demand-vnc)" 10 0.005
	near "$(finding run forecast-vnc)" 0 0.1
	[ "$(finding run forecast-vnc verdict)" = good ]
	# disturbed rows are fitted to where there are no others, and the table says so
	for name in run/cells/vnc-*/1/cell.json; do edit_json "$name" '.marked = "foreign CPU time"'; done
	fit vnc
	[ "$(need_of all cpu rows)/$(need_of all cpu disturbed)" = 6/1 ]
	# no fit of one row: no table of it, and no words
	rm -r run/cells/vnc-2 run/cells/vnc-1 run/cells/vnc-0.5 run/cells/vnc-0.3 run/cells/vnc-0.2
	fit vnc || :
	[ "$(wc -l <run/slope.tsv)" = 1 ]
	[ -z "$(finding run demand-vnc)" ]
	# a broken fit is named
	echo '{' >run/fit/vnc-all.json
	run -1 --separate-stderr "$BIN/summarize" run
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"fit/vnc-all.json"* ]]
}

@test "the paper's own rows: Little's law, the users of the world; when requests come, user by user" {
	need gnuplot cmark
	# rows 2 and 7 of Table 3: rate, response, CoV; 0.6 pages an object
	make_run users 1 "$SETTINGS" web-6.25/web/200/6.25 web-1/web/200/1 vnc-1/vnc/20/1
	cell web-6.25 1 31.73 52.74 1.00 true 31.9 1
	cell web-1 1 159.16 253.38 1.17 false 160 40
	cell vnc-1 1 19.7 15 0.97 true 19.8 0.3
	{
		printf 'schema\tkind\tx\ty\texpected\tlow\thigh\narrivals/1\tarrival\t0\t\t\t\t\n'
		for n in 1 2 5; do printf 'arrivals/1\tsources\t%d\t0.%d\t\t0.1\t1.2\n' "$n" "$n"; done
	} >run/cells/web-1/1/arrivals.tsv
	"$TOP/thinprobe" report run
	jq -c '.findings[]' run/findings.json
	for f in report.html figures/response.svg figures/load.svg figures/cov.svg; do [ -s "run/$f" ]; done
	[ "$(tail -n +2 run/points.tsv | cut -f2-7 | paste -sd ' ' | tr '\t' ' ')" = "web 1.000000 1 0.100000 0.100000 1.200000 web\
 1.000000 2 0.200000 0.100000 1.200000 web 1.000000 5 0.500000 0.100000 1.200000" ]
	# Table 4, run 2100, users who look at each page for 30 s: 2889.08
	near "$(finding run world)" 2889.08 0.1
	# N = 199.49 from lambda (R + Z)
	near "$(finding run little)" 0.26 0.01
	[ "$(finding run little verdict)" = good ]
	near "$(finding run growth-web)" 253.38 0.001
	# the same by the program (objects, and nine pages of fifteen)
	[ "$("$BIN/queue" users --rate 159.16 --response 253.38ms --think 10s:50s:10s --pages 9:15 --format json |
		jq -r '[.result.rows[0].web[].users * 100 | round / 100] | join(" ")')" = "979.16 1934.12 2889.08 3844.04 4799" ]
}

@test "a think time so short that it is written with an exponent is drawn, too" {
	need gnuplot cmark
	make_run users 1 "$SETTINGS" web-1/web/200/1 web-0/web/200/0.00001
	cell web-1 1 159.16 253.38 1.17 false
	cell web-0 1 200 253.38 1.17 false
	printf 'schema\tkind\tx\ty\texpected\tlow\thigh\narrivals/1\tsources\t1\t0.5\t\t0.1\t1.2\n' |
		tee run/cells/web-0/1/arrivals.tsv >run/cells/web-1/1/arrivals.tsv
	"$TOP/thinprobe" report run
	[ -s run/figures/cov.svg ]
}

@test "a short run: echoes of the CPU time that they cost, objects of the size that they have, a fit to two rows" {
	local cell parts=web,vnc
	command -v lighttpd >/dev/null || parts=vnc
	short_run users --parts "$parts" --users 20 --think 0.4 --vnc-users 3 --vnc-think 0.2,0.1 --cost 5ms --seconds 2 --repeat 1
	for f in summary.tsv points.tsv report.html figures/{response,load,cov,fit}.svg; do [ -s "run/$f" ]; done
	cell=$(cell_of run part=vnc think_s=0.2)/1
	[ "$(jq '.result | .errors == 0 and .requests > 2 and .from_sent_ms.min >= 5' "$cell/vusers.json")" = true ]
	# the CPU time of a key is what it was told to burn, and what the server needs besides
	cat run/slope.tsv
	awk -v ms="$(field run/slope.tsv demand_ms part=vnc fitted=all name=cpu)" 'BEGIN { exit !(ms > 4 && ms < 15) }'
	[ ! -e run/log/www ]
	[ "$parts" = web,vnc ] || skip "lighttpd is not installed"
	cell=$(cell_of run part=web)/1
	jq -c .result "$cell/vusers.json"
	# objects of 30 to 100 kB, with their heads
	[ "$(jq '.result | .errors == 0 and .connections == 20
		and (.received_kbyte_per_s * .seconds / .requests | . > 29 and . < 101)' "$cell/vusers.json")" = true ]
	[ "$(jq '.link_percent > 0' "$cell/cell.json")" = true ]
}
