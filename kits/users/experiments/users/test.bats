#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# users: service demands fitted to made-up rows that follow from a closed form; the paper's own rows; a short run. Columns that it
# shares with principle-a are tested there.

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers
load ../../tests/cli/crowds
load ../../../../tests/figures
load ../../../../tests/warm

setup() {
	begin_test
	SETTINGS='{"parts": ["web", "vnc"], "link": "100Mbit", "cost_ms": 10}'
	undrawn
}

fit() {	# fit PART [COMMAND...]: the experiment's last step, when all cells are there; COMMAND makes the report
	local report=("${@:2}")
	[ $# -gt 1 ] || report=(report_findings)
	TP_HOME=$TOP TP_BIN=$BIN RUN=run PARTS=$1 REPEATS=1 bash -c '. "$TP_HOME/kits/users/experiments/users/cell.sh"; exp_summed'
	"${report[@]}" run
	cat run/slope.tsv run/compare.tsv
	cat run/findings.json
}
need_of() { field run/slope.tsv "$3" fitted="$1" name="$2"; }	# need_of FITTED RESOURCE COLUMN

@test "users: fitted service demands are those that the rows were made with; a fit to the first rows predicts the others" {
	local z x r u name
	# 20 users of a station of 10 ms and a pure delay of 2 ms: the closed form of the machine repairman model
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
	# a row with a wrong value, disturbed by other processes, is excluded
	edit_json run/cells/vnc-0.1/1/cell.json '.server_own_percent = 5 | .foreign_percent = 40 | .marked = "foreign CPU time"'
	fit vnc drawn warm report
	near "$(need_of all cpu demand_ms)" 10 0.005
	[ "$(need_of all cpu rows)/$(need_of all cpu disturbed)" = 5/0 ]
	near "$(need_of all delay demand_ms)" 2 0.005
	near "$(need_of first cpu demand_ms)" 10 0.005
	[ "$(need_of first cpu rows)/$(need_of first cpu of_rows)" = 3/5 ]
	[ "$(awk -F'\t' '$3 == "first" && $5 == 0 { n++; if ($10 > 0.1 || $10 < -0.1) far++ } END { print n, far + 0 }' \
		run/compare.tsv)" = "2 0" ]
	# each row has a measured point and a fitted one; the fit to the lowest rates excludes two rows
	[ "$(awk -F'\t' '{ n[$3 $4]++ } END { print n["allmeasured"], n["allfit"], n["firstmeasured"], n["firstlater"], n["firstfit"] }' \
		run/curve.tsv)" = "5 5 3 2 5" ]
	[ -s run/figures/fit.svg ]
	near "$(finding run demand-vnc)" 10 0.005
	near "$(finding run forecast-vnc)" 0 0.1
	[ "$(finding run forecast-vnc verdict)" = good ]
	# if all rows are disturbed, they are used, and the table counts them
	for name in run/cells/vnc-*/1/cell.json; do edit_json "$name" '.marked = "foreign CPU time"'; done
	fit vnc
	[ "$(need_of all cpu rows)/$(need_of all cpu disturbed)" = 6/1 ]
	# one row allows no fit: no row in the table, no finding
	rm -r run/cells/vnc-2 run/cells/vnc-1 run/cells/vnc-0.5 run/cells/vnc-0.3 run/cells/vnc-0.2
	fit vnc || :
	[ "$(wc -l <run/slope.tsv)" = 1 ]
	[ -z "$(finding run demand-vnc)" ]
	# a broken fit is named
	echo '{' >run/fit/vnc-all.json
	run -1 --separate-stderr warm summarize run
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"fit/vnc-all.json"* ]]
}

@test "users: the paper's rows give its Table 4, and the finding on Little's law; points.tsv has the arrivals of each user" {
	# rows 2 and 7 of Table 3: rate, response, CoV; 0.6 pages an object
	make_run users 1 "$SETTINGS" web-6.25/web/200/6.25 web-1/web/200/1 vnc-1/vnc/20/1
	cell web-6.25 1 31.73 52.74 1.00 true 31.9 1
	cell web-1 1 159.16 253.38 1.17 false 160 40
	cell vnc-1 1 19.7 15 0.97 true 19.8 0.3
	{
		printf 'schema\tkind\tx\ty\texpected\tlow\thigh\narrivals/1\tarrival\t0\t\t\t\t\n'
		printf 'arrivals/1\tcount\t2\t0.3\t0.27\t\t\n'
		for n in 1 2 5; do printf 'arrivals/1\tsources\t%d\t0.%d\t\t0.1\t1.2\n' "$n" "$n"; done
	} >run/cells/web-1/1/arrivals.tsv
	fit web drawn warm report
	for f in report.html figures/response.svg figures/load.svg figures/cov.svg; do [ -s "run/$f" ]; done
	[ "$(tail -n +2 run/points.tsv | cut -f2-8 | paste -sd ' ' |
		tr '\t' ' ')" = "web 1.000000 1 1 0.100000 0.100000 1.200000 web\
 1.000000 1 2 0.200000 0.100000 1.200000 web 1.000000 1 5 0.500000 0.100000 1.200000" ]
	[ "$(tail -n +2 run/marks.tsv | cut -f2- | sed 's/\t*$//' | paste -sd ' ' |
		tr '\t' ' ')" = "web 1.000000 arrival 0.000000 web\
 1.000000 count 2.000000 0.300000 0.270000" ]
	# Table 4, runs 1830 and 2100, to the last digit: Q, N, pages a second and their Q, users with think times of 10 to 50 s
	awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ printf "%s %.2f %.2f %.4f %.2f", $at["cell"], $at["q"], $at["n_calculated"], $at["pages_per_s"], $at["q_pages"]
			for (z = 10; z <= 50; z += 10) printf " %.2f", $at["users_" z "s"]; print "" }' run/world.tsv >got
	diff - got <<-'END'
		web-6.25 1.67 199.99 19.0380 1.00 191.38 381.76 572.14 762.52 952.90
		web-1 40.33 199.49 95.4960 24.20 979.16 1934.12 2889.08 3844.04 4799.00
	END
	grep -q 'Q, pages' run/report.md
	near "$(finding run world)" 2889.08 0.1
	# N = 199.49 from lambda (R + Z)
	near "$(finding run little)" 0.26 0.01
	[ "$(finding run little verdict)" = good ]
	[[ $(finding run little text) == *"holds within"* ]]
	near "$(finding run growth-web)" 253.38 0.001
	# with half the rate Little's law does not hold
	edit_json run/cells/web-1/1/vusers.json '.result.rate_per_s /= 2'
	report_findings run
	near "$(finding run little)" 50 0.5
	[[ $(finding run little text) == *"does not hold"* ]]
}

@test "users: a think time that is written with an exponent (1e-05) is drawn, too" {
	make_run users 1 "$SETTINGS" web-1/web/200/1 web-0/web/200/0.00001
	cell web-1 1 159.16 253.38 1.17 false
	cell web-0 1 200 253.38 1.17 false
	printf 'schema\tkind\tx\ty\texpected\tlow\thigh\narrivals/1\tsources\t1\t0.5\t\t0.1\t1.2\n' |
		tee run/cells/web-0/1/arrivals.tsv >run/cells/web-1/1/arrivals.tsv
	drawn warm report run
	[ -s run/figures/cov.svg ]
}

@test "users: the verdict names failed requests, and excludes conditions with mostly failed requests or a disturbed generator" {
	make_run users 1 "$SETTINGS" web-1/web/200/1 web-6/web/200/6.25
	cell web-6 1 31.73 52.74 1.00 true
	cell web-1 1 159.16 253.38 1.17 false
	edit_json run/cells/web-1/1/vusers.json '.result.errors = 7'
	report_findings run
	[[ $(verdict run) == *"a second 253 ms (without 7 failed requests)"* ]]
	# nine of ten requests failed: the response time of the others is not reported
	edit_json run/cells/web-1/1/vusers.json '.result.timeouts = 8993'
	report_findings run
	verdict run
	[[ $(verdict run) == *"a second unknown: 9,000 of 10,000 requests failed."* ]]
	[ "$(finding run growth-web)/$(finding run growth-web verdict)/$(finding run world)" = null/bad/ ]
	# such a condition fails --fail-if on latency and on late share, even if all answered requests were fast
	run -5 warm fail judge run 'p95>2s,late>90%'
	[ "$(grep -c '^FAILED .*9,000 of 10,000 requests failed' <<<"$output")" = 2 ]
	run -0 warm fail judge run 'late_p99_ms_max>1s'
	run -0 warm report --table run
	grep -E ' 7 +8993 ' <<<"$output"
	jq -r '.verdict, (.findings[] | select(.id == "growth-web") | .text)' run/findings.json >said
	[ "$(grep -c . said)" = 2 ]
	run -1 grep '253 ms' said
	edit_json run/cells/web-1/1/vusers.json '.result.valid = false'
	report_findings run
	verdict run
	[[ $(verdict run) != *"253 ms"* ]]
	# a disturbed generator: limits on the server's figures are UNKNOWN, limits on the generator's own are judged
	run -3 warm fail judge run 'lambda>1000,p95>2s'
	[ "$(grep -c '^UNKNOWN .* 1 of 2 conditions have no such figure: .*not valid' <<<"$output")" = 2 ]
	run -3 warm fail judge run 'response>1ms'	# of one repeat
	run -5 warm fail judge run 'invalid>0'
	run -0 warm fail judge run 'invalid>1,late_p99_ms_max>1s'
	edit_json run/cells/web-6/1/vusers.json '.result.valid = false'
	report_findings run
	[[ $(verdict run) == "No condition is valid"* ]]
	run -3 warm fail judge run 'response>1ms'
}

@test "users: two servers behind a balancer: their CPU shares are compared, and bytes sent with bytes received" {
	make_run users 3 "$SETTINGS" web-6.25/web/200/6.25 web-1/web/200/1
	# the paper's run 2100: 71 % of each server's CPU, 9,538 KB/s sent, 9,552 received
	for repeat in 1 2 3; do
		cell web-6.25 "$repeat" 31.73 52.74 1.00 true
		cell web-1 "$repeat" 159.16 253.38 1.17 false
		edit_json "run/cells/web-6.25/$repeat/cell.json" '.programs = [{cpu_percent: 14, written_kbyte_per_s: 950},
			{cpu_percent: 15, written_kbyte_per_s: 953}, {cpu_percent: 3, written_kbyte_per_s: 1903}]'
		edit_json "run/cells/web-1/$repeat/cell.json" '.programs = [{cpu_percent: 71, written_kbyte_per_s: 4770},
			{cpu_percent: (70 - $r), written_kbyte_per_s: 4768}, {cpu_percent: 15, written_kbyte_per_s: 9538}]
			| .sent_kbyte_per_s = 9990 | .received_kbyte_per_s = 120' --argjson r "$repeat"
		edit_json "run/cells/web-1/$repeat/vusers.json" '.result.received_kbyte_per_s = 9552'
	done
	drawn warm report run
	cat run/findings.json
	[ -s run/figures/servers.svg ]
	# 68 / 71 - 1
	near "$(finding run balance)" -4.23 0.01
	[ "$(finding run balance verdict)" = good ]
	[[ $(finding run balance text) == *"71 %"*"68 %"*"15 %"*"9,538 KB/s"*"9,552"* ]]
	[ "$(column web-1 frames_out_kbyte_per_s)/$(column web-1 frames_in_kbyte_per_s)" = 9990.00/120.00 ]
	# two repeats: Student's t of 69 and 68 reaches to 62.1, over a tenth below 71
	rm -r run/cells/web-1/3
	report_findings run
	[ "$(finding run balance verdict)" = unsure ]
	# a server with twice the work of the other is no balance
	for repeat in 1 2; do edit_json "run/cells/web-1/$repeat/cell.json" '.programs[1].cpu_percent = 35'; done
	report_findings run
	[ "$(finding run balance verdict)" = bad ]
	# one server, no balancer
	for repeat in 1 2; do edit_json "run/cells/web-1/$repeat/cell.json" '.programs |= .[:1]'; done
	report_findings run
	[ -z "$(finding run balance)" ]
	# shares of the CPU: the straight line through three rows is told, and what is none
	make_run users 1 "$SETTINGS" web-4/web/200/4 web-2/web/200/2 web-1/web/200/1
	line() {	# line PERCENT: of server 2's share in the second row
		local x
		for x in 40 80 160; do
			cell "web-$((160 / x))" 1 "$x" 50 1 true
			edit_json "run/cells/web-$((160 / x))/1/cell.json" '.programs = [{of_share_percent: ($x * 0.45)},
				{of_share_percent: (if $x == 80 then $bent else $x * 0.45 end)}, {of_share_percent: 60}]
				| .programs[] += {cpu_percent: 7, written_kbyte_per_s: $x}' --argjson x "$x" --argjson bent "$1"
		done
		report_findings run
	}
	line 36
	[[ $(finding run balance text) == *"one is busy for 72 % of its share, the other for 72 % of its share"*\
"all rates that is a straight line (R² 1.000, at most 0.0 points off)"* ]]
	# (40, 18), (80, 66), (160, 72): R² is 2960^2 / (7466.67 * 1752); the second row lies 14 + 13.333 * 2960 / 7466.67 off.
	# Three points may scatter as well as bend
	line 66
	[[ $(finding run balance text) == *"may be a straight line (R² 0.670, at most 19.3 points off)"* ]]
	drawn warm report run
	grep -q 'CPU, % of its share; R² 0.670' run/figures/servers.svg
}

of_cell() {	# of_cell COMMAND: with the experiment's functions, options as by default
	local words="local WEB_USERS=200 VNC_USERS=20 VNC_THINK=1 PARTS=web,pages,open,vnc LINK=100Mbit COST_MS=10 CLIENTS=''"
	words+=" ON_BACKEND=local SHARE_BUSY=70"
	TP_HOME=$TOP bash -c 'set -u; . "$TP_HOME/lab/lib.sh"; . "$TP_HOME/kits/users/experiments/users/cell.sh"; declare -A P
		f() { '"$words; $1"'; }; f'
}

@test "users: pages and open loop ask for objects at the rates of web; --full measures for 20 minutes, once" {
	# nine pages are fifteen objects of 60 kB on average
	[ "$(of_cell 'WEB_THINK=1,12.5; exp_cells' | paste -sd ' ' | tr '\t' /)" = "web/200/12.5 web/200/1 pages/200/20.8333333\
 pages/200/1.66666667 open/200/12.5 open/200/1 vnc/20/1" ]
	# (60000 + 250) bytes * 1514 / 1448 * 8 bits / 100 Mbit/s; a page: 100000 bytes and 15/9 heads
	run -0 of_cell 'rate_bits() { echo 100000000; }; for part in web pages open vnc; do P[part]=$part; part_demand; echo; done'
	[ "${lines[*]}" = "5.039696ms 8.399494ms 5.039696ms 10ms" ]
	full() {
		of_cell "plan_given() { [ \$1 = '$1' ]; }; QUICK=0 FULL=1 SECONDS_EACH=40 REPEATS=5; exp_check
			echo \$SECONDS_EACH \$REPEATS"
	}
	[ "$(full '')/$(full time)/$(full repeat)" = "1200 1/40 1/1200 5" ]
	run -2 --separate-stderr "$TOP/thinprobe" run users --full --quick --options-only
	[[ $stderr == *"--quick with --full"* ]]
}

@test "users: the open loop and whole pages beside users of objects; Little's law counts no users of an open loop" {
	make_run users 1 "$SETTINGS" web-6/web/200/6.25 web-1/web/200/1 open-6/open/200/6.25 open-1/open/200/1 pages-2/pages/200/1.6667
	edit_json run/run.json '.settings.parts = ["web", "pages", "open"]'
	cell web-6 1 31.73 52.74 1.00 true
	cell web-1 1 159.16 253.38 1.17 false
	cell open-6 1 32 53 1.00 true
	cell open-1 1 200 5000 1.00 true
	cell pages-2 1 95.5 427.55 1.00 true
	fit web,pages,open drawn warm report
	[[ $(finding run open-loop text) == *"Asked for 200 objects a second, an open loop waits 5000 ms, users who think 253 ms"* ]]
	[[ $(finding run pages text) == *"takes 428 ms"*"57.3 pages a second"*"253 ms at 95.5"* ]]
	for f in loadlines response load; do [ -s "run/figures/$f.svg" ]; done
	# Table 4 of pages: nothing is converted. 95.5 * (0.42755 + 10)
	near "$(field run/world.tsv users_10s part=pages)" 995.83 0.01
	edit_json run/run.json '.settings.parts = ["web"]'
	rm -r run/cells/pages-2
	report_findings run
	[ "$(finding run little verdict)" = good ]
}

@test "users: how full the link is has the interval of its repeats" {
	local r
	make_run users 3 "$SETTINGS" web-1/web/20/1
	for r in 1 2 3; do
		cell web-1 "$r" 100 20 1 true
		edit_json "run/cells/web-1/$r/cell.json" ".link_percent = $((90 + 3 * r))"
	done
	warm summarize run
	# 93, 96 and 99 by t(2) of their logits: the mean is above 95, its interval is not
	near "$(column web-1 link_percent)" 96 0.001
	near "$(column web-1 link_percent_low)" 70.875 0.01
}

@test "users: rates of link, CPU and bytes written, from two readings of the counters" {
	moved() { TP_HOME=$TOP LAB_RATE=$1 bash -c '. "$TP_HOME/experiments/engine/measure.sh"
		. "$TP_HOME/kits/users/experiments/families/crowds.sh"
		crowd_rates "$1" "$2"' moved "$2" "$3"; }
	# in two seconds: 2.5 MB of at most 25 MB sent, 1 MB received; a server busy half of the time, with 4 MB written; another
	# whose bytes are unknown
	moved 100Mbit "1000000000 500 700 10 20 5 null" "3000000000 2500500 1000700 1000000010 4000020 200000005 null" >out
	cat out
	[ "$(jq '. == {link_percent: 10, sent_kbyte_per_s: 1250, received_kbyte_per_s: 500, programs: [
		{cpu_percent: 50, written_kbyte_per_s: 2000}, {cpu_percent: 10, written_kbyte_per_s: null}]}' out)" = true ]
	moved none "1000000000 500 700" "3000000000 2500500 1000700" >out
	[ "$(jq -c '[.link_percent, .programs]' out)" = '[null,[]]' ]
	# counters that cannot be read have none
	TP_HOME=$TOP LAB_RATE=100Mbit bash -c '. "$TP_HOME/experiments/engine/measure.sh"
		. "$TP_HOME/kits/users/experiments/families/crowds.sh"
		lab_exec() { false; }
		CROWD_PIDS=() before=$(crowd_moved)
		crowd_rates "$before" "$(crowd_moved)"' >out
	[ "$(jq -c '[.link_percent, .sent_kbyte_per_s, .received_kbyte_per_s]' out)" = '[null,null,null]' ]
}

# bats test_tags=all
@test "users --clients 3: generators begin at the same time, each with its share of users; their reports are merged" {
	local cell
	short_run users --parts vnc --vnc-users 5 --vnc-think-time 0.1 --cost 1ms --clients 3 --link none --time 2 --repeat 1
	cell=$(cell_of run part=vnc)/1
	jq -c '[.settings.target, .result.users_ready, .result.start_at, .result.requests]' "$cell"/vusers.?.json
	# every user has its own application, so the generators have different ports
	[ "$(jq -rs 'map(.settings | .users, (.target | sub(".*:"; ""))) | join(" ")' "$cell"/vusers.?.json)" = \
		"2 6001-6002 2 6003-6004 1 6005-6005" ]
	[ "$(jq -s 'map(.result.start_at) | unique | length == 1 and .[0] != null' "$cell"/vusers.?.json)" = true ]
	[ "$(jq .result.requests "$cell/vusers.json")" = "$(jq -s 'map(.result.requests) | add' "$cell"/vusers.?.json)" ]
	[ "$(jq '.result | .users_ready == 5 and .requests > 0 and (.generators | length == 3)' "$cell/vusers.json")" = true ]
	[ "$(awk -F'\t' 'NR > 1 { print $2 }' "$cell/samples.tsv" | sort -u | paste -sd ' ')" = "0 1 2 3 4" ]
	[ "$(field run/summary.tsv users part=vnc)" = 5 ]
	[ "$(field run/summary.tsv requests part=vnc)" = "$(jq .result.requests "$cell/vusers.json")" ]
}

@test "users: a short run: a key's CPU demand, objects of 30 to 100 kB, two servers with similar load" {
	local cell parts=web,pages,open,vnc
	command -v lighttpd >/dev/null || parts=vnc
	# long enough that a reading of the server up to 2 s late keeps the ratios below
	short_run users --parts "$parts" --users 20 --think-time 0.4 --vnc-users 3 --vnc-think-time 0.2,0.1 --cost 5ms --time 10 \
		--repeat 1
	for f in summary.tsv points.tsv report.html figures/{response,load,cov,arrivals}.svg; do [ -s "run/$f" ]; done
	cell=$(cell_of run part=vnc think_s=0.2)/1
	[ "$(jq '.result | .errors == 0 and .requests > 2 and .from_sent_ms.min >= 5' "$cell/vusers.json")" = true ]
	[ ! -e run/log/www ]
	usable run
	# the CPU demand of a key: its --cost and what the server needs besides
	cat run/slope.tsv
	demand() { field run/slope.tsv "$1" part=vnc fitted=all name=cpu; }
	awk -v low="$(demand low_ms)" -v high="$(demand high_ms)" 'BEGIN { exit !(high > 4 && low < 15) }'
	[ -s run/figures/fit.svg ]
	[ "$parts" != vnc ] || skip "lighttpd is not installed"
	# 0.6 pages an object, of up to two objects each, over two connections; the open loop asks for 20 / 0.4 s
	cell=$(cell_of run part=pages)/1
	jq -c .result "$cell/vusers.json"
	[ "$(jq '.result | .errors == 0 and .connections > 20 and (.received_kbyte_per_s * .seconds / .requests | . > 44 and . < 131)' \
		"$cell/vusers.json")" = true ]
	cell=$(cell_of run part=open)/1
	[ "$(jq '.result.due_per_s | . > 38 and . < 62' "$cell/vusers.json")" = true ]
	cell=$(cell_of run part=web)/1
	jq -c .result "$cell/vusers.json"
	# objects of 30 to 100 kB, with their heads
	[ "$(jq '.result | .errors == 0 and .connections == 20
		and (.received_kbyte_per_s * .seconds / .requests | . > 29 and . < 101)' "$cell/vusers.json")" = true ]
	[ "$(jq '.link_percent > 0' "$cell/cell.json")" = true ]
	[ -s run/figures/servers.svg ]
	[ -s run/world.tsv ]
	jq -c '[.programs, .sent_kbyte_per_s, .received_kbyte_per_s]' "$cell/cell.json"
	# what is in percent of a share is what was measured, and not more than the quota gives
	[ "$(jq -s '.[0].shares as $shares | [.[1].programs | to_entries[] | $shares[.key] as $s | .value | ($s == null)
		or (.cpu_percent * 100 / $s.percent - .of_share_percent | fabs < 0.01) and .of_share_percent < 110] | all' \
		run/run.json "$cell/cell.json")" = true ]
	command -v haproxy >/dev/null || skip "haproxy is not installed"
	# round robin: both servers send about the same, and together what users received, except that the two time windows differ;
	# frames on the link add their headers
	[ "$(jq --argjson got "$(jq .result.received_kbyte_per_s "$cell/vusers.json")" '.programs as $p | ($p | length) == 3
		and ($p[0].written_kbyte_per_s / $p[1].written_kbyte_per_s | . > 0.6 and . < 1.67)
		and (($p[0].written_kbyte_per_s + $p[1].written_kbyte_per_s) / $got | . > 0.75 and . < 1.33)
		and .sent_kbyte_per_s > 0.9 * $p[2].written_kbyte_per_s and .received_kbyte_per_s > 0' "$cell/cell.json")" = true ]
}

@test "users: a server that answers fewer requests with more load: the response time is reported as rising" {
	make_run users 1 "$SETTINGS" vnc-2/vnc/20/2 vnc-1/vnc/20/1 vnc-0.1/vnc/20/0.1
	cell vnc-2 1 9.9 12 1 true
	cell vnc-1 1 19 53 1 true
	cell vnc-0.1 1 5.1 3800 1 true
	report_findings run
	cat run/findings.json
	[ "$(finding run growth-vnc)" = 3800 ]
	[[ $(finding run growth-vnc text) == *"from 12.0 ms to 3800 ms"* ]]
}
