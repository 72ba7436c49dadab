#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# users: the fit of a model to made-up rows, and findings; the columns of a row are tested with principle-a.

bats_require_minimum_version 1.5.0
load ../../tests/cli/helpers
load ../../tests/cli/crowds

setup() { begin_test; }

fit() { RUN=run TP_BIN=$BIN TP_HOME=$TOP bash -c '. "$TP_HOME/experiments/engine/crowds.sh"; crowd_fit vnc'; }
slope() { field run/slope.tsv "$3" fitted="$1" name="$2"; }	# slope FITTED NAME COLUMN

@test "demands fitted to a run's rows are those that made them, and the first rows foretell the others" {
	local z x r u name
	need gnuplot cmark
	# 20 users of one station of 10 ms and a delay of 2 ms that nobody waits for: the machine repairman's closed form
	make_run users 1 '{"parts": ["vnc"], "link": "none", "cost_ms": 10}' vnc-2/vnc/20/2 vnc-1/vnc/20/1 vnc-0.5/vnc/20/0.5 \
		vnc-0.3/vnc/20/0.3 vnc-0.2/vnc/20/0.2 vnc-0.1/vnc/20/0.1
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
	fit
	cat run/slope.tsv run/compare.tsv
	[ "$(printf %.2f "$(slope all cpu demand_ms)")/$(slope all cpu rows)/$(slope all cpu disturbed)" = 10.00/5/0 ]
	[ "$(printf %.2f "$(slope all delay demand_ms)")" = 2.00 ]
	[ "$(printf %.2f "$(slope first cpu demand_ms)")/$(slope first cpu rows)/$(slope first cpu of_rows)" = 10.00/3/5 ]
	[ "$(awk -F'\t' '$3 == "first" && $5 == 0 && $10 < 0.1 && $10 > -0.1' run/compare.tsv | wc -l)" = 2 ]
	"$TOP/report/report.sh" run
	jq -c '.findings[]' run/findings.json
	[ -s run/figures/fit.svg ]
	[ "$(finding run demand-vnc)/$(finding run demand-vnc unit)" = 10/ms ]
	[ "$(finding run forecast-vnc)/$(finding run forecast-vnc verdict)" = 0.01/good ]
	[[ $(finding run forecast-vnc text) == *"39.2 ms at 83.6 a second (was 39.2 ms)"* ]]
	# disturbed rows are fitted to where there are no others; a fit that cannot be has no finding
	for name in run/cells/vnc-*/1/cell.json; do edit_json "$name" '.marked = "foreign CPU time"'; done
	fit
	[ "$(slope all cpu rows)/$(slope all cpu disturbed)" = 6/1 ]
	rm -r run/cells/vnc-2 run/cells/vnc-1 run/cells/vnc-0.5 run/cells/vnc-0.3 run/cells/vnc-0.2
	fit
	[ "$(wc -l <run/slope.tsv)" = 1 ]
	"$TOP/report/report.sh" run
	run ! jq -e '.findings[] | select(.id == "demand-vnc" or .id == "forecast-vnc")' run/findings.json
}

@test "findings: growth of the response, Little's law, users of the world" {
	need gnuplot cmark
	# the paper's own rows 2 and 7: rate, response, CoV; 0.6 pages an object
	make_run users 1 '{"parts": ["web", "vnc"], "link": "100Mbit", "cost_ms": 10}' web-6.25/web/200/6.25 web-1/web/200/1 \
		vnc-1/vnc/20/1
	cell web-6.25 1 31.73 52.74 1.00 true 31.9 1
	cell web-1 1 159.16 253.38 1.17 false 160 40
	cell vnc-1 1 19.7 15 0.97 true 19.8 0.3
	{
		printf 'schema\tpart\tthink_s\tusers\tcov\tcov_low\tcov_high\n'
		printf 'points/1\t%s\t1\t%d\t0.%d\t0.1\t1.2\n' web 1 1 web 2 2 web 5 5 web 10 1 vnc 1 1 vnc 2 2 vnc 5 5 vnc 10 1
	} >run/points.tsv
	"$TOP/report/report.sh" run
	jq -c '.findings[]' run/findings.json
	for f in report.html figures/response.svg figures/load.svg figures/cov.svg; do [ -s "run/$f" ]; done
	[ "$(finding run growth-web)" = 253.38 ]
	# 159.16 x 0.6 x (0.253 + 30); Brady & Gunther 2016, Table 4, run 2100, has 2889.08
	[ "$(finding run world | cut -d. -f1)" = 2889 ]
	# N = 199.49 from lambda (R + Z)
	[ "$(finding run little)/$(finding run little verdict)" = 0.256/good ]
	# the same by the program (objects, and nine pages of fifteen)
	[ "$("$BIN/queue" users --rate 159.16 --response 253.38ms --think 10s:50s:10s --pages 9:15 --format json |
		jq -r '[.result.rows[0].web[].users * 100 | round / 100] | join(" ")')" = "979.16 1934.12 2889.08 3844.04 4799" ]
}
