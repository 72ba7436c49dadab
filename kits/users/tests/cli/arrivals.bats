#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# arrivals: the same requests in every kind of log give the same figures; warm-up and cool-down; coarse clocks; captures by
# prototap's rows.

bats_require_minimum_version 1.5.0
load ../../../../tests/cli/helpers

setup() {
	begin_test
	ARRIVALS=$BIN/arrivals
}

# Exponential or constant gaps by python3's own generator: ns from 1.7e18 on, one a line.
make_times() {	# exponential|constant|users N gaps mean_ms
	need python3
	python3 - "$@" <<'END'
import random, sys
kind, n, mean = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]) * 1e6
random.seed(2003)
t = 1700000000 * 10**9
for _ in range(n + 1):
    print(int(t))
    t += random.expovariate(1 / mean) if kind == 'exponential' else mean
END
}

judge() {	# words...: $result in out.json
	"$ARRIVALS" "$@" --format json -o out.json
	jq -c .result out.json
}

is() { jq -e ".result | $1" out.json >/dev/null; }

@test "arrivals: figures are those that awk computes, and the verdicts are right" {
	need jq
	for kind in exponential constant; do
		{ echo start_ns; make_times $kind 500 10; } >$kind.tsv
		judge $kind.tsv
		awk 'NR > 2 { g = ($1 - last) / 1e6; n++; s += g; v[n] = g } NR > 1 { last = $1 }
			END { m = s / n; for (i = 1; i <= n; i++) q += (v[i] - m)^2; print n, m, sqrt(q / (n - 1)) }' $kind.tsv >awk.out
		read -r n mean sd <awk.out
		jq -e --argjson n "$n" --argjson m "$mean" --argjson s "$sd" '.result | .n == $n
			and (.mean_ms - $m | fabs) < 1e-3 and (.sd_ms - $s | fabs) < 2e-3' out.json
	done
	is '.poisson == false and .cov < 0.01 and (.verdict | test("too regular"))'
	judge exponential.tsv
	is '.poisson and .cov > 0.9 and .cov < 1.1 and .cov_low < 1 and .cov_high > 1 and .tests == 5
		and .rejected_by == [] and (.verdict | test("as a Poisson process"))'
}

@test "arrivals: times in steps of 10 ms: random arrivals are not rejected for the clock, regular ones are" {
	need jq
	for kind in exponential constant; do
		{ echo start_ns; make_times $kind 500 20 | sed 's/.......$/0000000/'; } >$kind.tsv
	done
	judge exponential.tsv
	is '.poisson == null and .rejected_by == [] and (.verdict | test("10 ms"))'
	judge exponential.tsv --tick 10ms
	is '.poisson'
	judge exponential.tsv --tick 1ms
	is '.poisson == false'
	judge constant.tsv
	is '.poisson == false'
}

@test "arrivals: JTL, Combined Log Format and a table of the same requests give the same figures" {
	need jq
	make_times exponential 800 3000 >times	# a third of a request a second
	{ echo start_ns; cat times; } >a.tsv
	{
		echo 'timeStamp,elapsed,label,responseCode,threadName'
		awk '{ print substr($1, 1, 13) ",17,\"Home, jpg\",200,Traffic 1-" NR % 7 }' times
	} >a.jtl
	sed 's/^\(.\{10\}\).*/@\1/' times | LC_ALL=C TZ=UTC+7 date -f - '+%d/%b/%Y:%H:%M:%S -0700' |
		awk '{ printf "10.0.0.%d - frank [%s] \"GET /a HTTP/1.1\" 200 2326 \"http://x/[y]\" \"Mozilla (X11)\"\n", NR % 5, $0 }' >a.log
	head -n 2 a.log
	judge a.tsv
	cp out.json tsv.json
	is '.tick_ms == 1e-6 and .ties == 0'
	judge a.jtl --sources threadName
	is '.tick_ms == 1 and .sources == 7 and .by_sources[-1].sources == 7 and .gaps_told and .poisson'
	jq -se '.[0].result as $a | .[1].result as $b | $a.n == $b.n and ($a.cov - $b.cov | fabs) < 0.001
		and ($a.mean_ms - $b.mean_ms | fabs) < 0.01' tsv.json out.json
	judge a.log
	is '.tick_ms == 1000 and .gaps_told and .ties > 100 and .poisson'
	jq -se '.[0].result as $a | .[1].result as $b | $a.n == $b.n and ($a.cov - $b.cov | fabs) < 0.05
		and ($a.mean_ms - $b.mean_ms | fabs) < 1' tsv.json out.json
	jq -e '.settings.input_format == "clf"' out.json
}

@test "arrivals: warm-up, cool-down and unselected rows are excluded" {
	need jq
	# 100 s
	{
		printf 'sent_ms\tuser\twhat\n'
		awk 'BEGIN { for (i = 0; i <= 1000; i++) printf "%d\t%s\t%s\n", 1000 + i * 100, i % 4, i % 2 ? "odd" : "even" }'
	} >a.tsv
	judge a.tsv --column sent_ms --warmup 20s,30s
	is '.arrivals == 501 and .span_s > 49.9 and .span_s < 50.1'
	judge a.tsv --column sent_ms --warmup 1m
	is '.arrivals == 401'
	judge a.tsv --column sent_ms --where what=odd --where user=1
	is '.arrivals == 250 and .passed_over == 751 and (.mean_ms - 400 | fabs) < 0.01'
	# in any order
	{ head -n 1 a.tsv; tail -n +2 a.tsv | shuf --random-source=<(yes); } >b.tsv
	judge b.tsv --column sent_ms --tick 1ns
	is '.cov == 0 and .mean_ms == 100'
}

@test "arrivals --rows: shares add up to 1, and the plot is drawn" {
	need jq gnuplot
	{ printf 'start_ns\tuser\n'; make_times exponential 2000 10 | awk '{ print $1 "\t" NR % 20 }'; } >"a b.tsv"
	judge "a b.tsv" --sources user --rows rows.tsv
	awk -F'\t' '$2 == "gap" { g += $4; e += $5 } $2 == "count" { c += $4; p += $5 } $2 == "sources" { s++ } $2 == "arrival" { a++ }
		END { print g, e, c, p, s, a; exit !(g > 0.98 && g <= 1 && e > 0.99 && e < 1 && c > 0.999 &&
			c < 1.001 && p > 0.98 && p <= 1 && s >= 8 && a == 200) }' rows.tsv
	gnuplot -c "$BATS_TEST_DIRNAME/../../plots/arrivals.gp" rows.tsv out.svg
	grep -q '</svg>' out.svg
	grep -q 'arrivals in 96.9 ms' out.svg	# ten of them on average, of 2,000 in 19.4 s
	# whole seconds of twenty requests each have no gaps to show, three arrivals no intervals
	{ echo time_s; make_times exponential 2000 50 | awk '{ print substr($1, 1, 10) }'; } >seconds.tsv
	printf 'time_s\n1\n2\n5\n' >few.tsv
	for log in seconds few; do
		"$ARRIVALS" $log.tsv --rows $log.rows -o report
		gnuplot -c "$BATS_TEST_DIRNAME/../../plots/arrivals.gp" $log.rows $log.svg 2>err
		cat err
		run grep -iE 'undefined|invalid|empty|error' err
		[ "$status" -eq 1 ]
	done
	grep -q 'too long to tell' seconds.svg
	grep -q 'too few intervals' few.svg
}

@test "arrivals --sample: 200 marks, the same for the same seed; python's counts and distances agree" {
	need jq gnuplot python3
	judge --sample 200 --seed 3 --interval 10ms --rows ruler.tsv
	is '.arrivals == 200 and .n == 199 and .span_s > 0.9 and .span_s < 1 and .poisson'
	python3 - <<'END'
import csv, json, statistics
rows = list(csv.DictReader(open("ruler.tsv"), delimiter="\t"))
result = json.load(open("out.json"))["result"]
mark = [float(r["x"]) for r in rows if r["kind"] == "arrival"]
assert len(mark) == 200 and mark == sorted(mark) and mark[0] == 0, mark[:5]
gap = [b - a for a, b in zip(mark, mark[1:])]
assert abs(statistics.mean(gap) - result["mean_ms"]) < 1e-4 and abs(statistics.stdev(gap) - result["sd_ms"]) < 1e-4
# thrown evenly: so far from the diagonal comes one sample in a hundred (Kolmogorov)
assert max(abs(m / mark[-1] - i / 199) for i, m in enumerate(mark)) < 1.63 / 200 ** 0.5
# marks in each centimetre, but for the first and the last one, which bound them
counts = [sum(1 for m in mark[1:-1] if 10 * i <= m < 10 * (i + 1)) for i in range(int(mark[-1] / 10))]
assert [int(r["y"]) for r in rows if r["kind"] == "tally"] == counts
share = {float(r["x"]): float(r["y"]) for r in rows if r["kind"] == "count"}
assert all(abs(share[c] - counts.count(c) / len(counts)) < 1e-6 for c in range(max(counts) + 1)), share
assert abs(statistics.variance(counts) / statistics.mean(counts) - result["dispersion"]) < 0.02, result
END
	gnuplot -c "$BATS_TEST_DIRNAME/../../plots/arrivals.gp" ruler.tsv out.svg
	grep -q 'arrivals in 10 ms' out.svg
	"$ARRIVALS" --sample 200 --seed 3 --interval 10ms --rows again.tsv -o report
	cmp ruler.tsv again.tsv
	"$ARRIVALS" --sample 200 --seed 4 --interval 10ms --rows other.tsv -o report
	run -1 cmp -s ruler.tsv other.tsv
}

@test "arrivals: sources are added in the order of their names, with digits as numbers" {
	need jq
	{
		printf 'time_s\tuser\n0.5\tu 10\n0.6\tu 10\n'
		printf '%d\tu 9\n' 1 2 3 4 5
		printf '5.5\tu 10\n9\tv 1\n'
	} >a.tsv
	"$ARRIVALS" a.tsv --sources user --format json -o out.json
	is '.sources == 3 and .by_sources[0].sources == 1 and .by_sources[0].n == 4 and .by_sources[0].cov < 0.1
		and .by_sources[1].n == 7 and .by_sources[2].n == 8'
	run -0 "$ARRIVALS" a.tsv --sources user
	grep -Eq '^ +3 +[0-9.]+/s +[0-9.]+ +0\.31 to 1\.69$' <<<"$output"	# 1 ± 1.96/√8
}

@test "arrivals: Common Log Format with brackets, quotes, answers without a size, and time zones" {
	need jq
	cat >access.log <<-'END'
		::1 - - [10/Oct/2000:13:55:36 -0700] "GET /\"a b\" HTTP/1.0" 200 -
		[::1]:80 - - [10/Oct/2000:13:55:37 -0700] "GET / HTTP/1.0" 200
		::1 - fr[an]k [10/Oct/2000:23:55:38 +0300] "GET [ ]" 200 1
		10.0.0.1 - - [11/Oct/2000:02:25:46 +0530] "GET /[11/Oct/2000:02:25:39 +0530]" 304 -
	END
	"$ARRIVALS" access.log --format json -o out.json
	jq -c .result out.json
	# whole seconds, each spread within its own: 10 s from the first to the last, give or take one
	[ "$(jq '.result | .arrivals == 4 and .span_s > 9 and .span_s < 11' out.json)" = true ]
	# a line of nothing before the header
	printf '\nstart_ns\n5\n900\n' >empty.tsv
	"$ARRIVALS" empty.tsv --format json | jq -e '.result.arrivals == 2'
}

refused() {	# status words...
	local wanted=$1

	shift
	run -"$wanted" "$ARRIVALS" "$@"
	[ "${#lines[@]}" -eq 1 ]
	[[ $output == "arrivals: "* ]]
}

@test "arrivals: with equal times or few arrivals no rate, no coefficient of variation, no verdict on Poisson" {
	need jq
	local unit
	for unit in s ns; do	# in steps of a second too, in which random places would make a span
		{ echo time_$unit; for _ in {1..60}; do echo 1700000000; done; } >equal.tsv
		"$ARRIVALS" equal.tsv --format json -o out.json
		is '.arrivals == 60 and .ties == 59 and .span_s == null and .rate_per_s == null and .cov == null and .poisson == null'
		run -0 "$ARRIVALS" equal.tsv
		[[ $output != *CoV* && $output != *Poisson* && $output != *inf* && $output != *nan* ]]
	done
	printf 'time_s\tuser\n1.5\ta\n1.5\ta\n1.5\ta\n' >sources.tsv
	"$ARRIVALS" sources.tsv --tick 1ns --sources user --format json | jq -e '.result.by_sources
		| all(.cov == null and .cov_low == null)'
	printf 'time_s\n1.5\n2.25\n' >two.tsv
	"$ARRIVALS" two.tsv --tick 1ns --format json -o out.json
	is '.arrivals == 2 and .span_s == 0.75 and .cov == null and .poisson == null and (.verdict | test("no verdict"))'
	run -0 "$ARRIVALS" two.tsv
	[[ $output == *"no verdict"* && $output != *CoV* && $output != *Poisson* ]]
}

@test "arrivals: the range of a coefficient of variation does not begin below 0" {
	need jq
	# two gaps of 1 and 3 s: CoV sqrt(2) / 2, and 1.96 / sqrt(2) is 1.3859
	printf 'time_s\tuser\n1\ta\n2\ta\n5\ta\n' >few.tsv
	"$ARRIVALS" few.tsv --tick 1ns --sources user --format json | jq -e '.result | [., .by_sources[0]]
		| all((.cov - 0.707107 | fabs) < 2e-6 and .cov_low == 0 and (.cov_high - 2.093036 | fabs) < 2e-5)'
	run -0 "$ARRIVALS" few.tsv --tick 1ns --sources user
	[[ $output == *" 0.00 to 2.39"* ]]
}

@test "arrivals: a row without a time is reported; a column name that occurs twice is refused" {
	need jq
	printf 'time_s\tuser\tuser\n1\ta\tb\n\ta\tb\n3\ta\tb\n' >a.tsv
	run -0 --separate-stderr "$ARRIVALS" a.tsv --format json -o out.json
	[[ $stderr == *"1 row "* ]]
	is '.arrivals == 2 and .passed_over == 1'
	refused 1 a.tsv --sources user
	[[ $output == *"named user"* ]]
	refused 1 a.tsv --where user=a
}

@test "arrivals: an unreadable file is refused in one line" {
	refused 2
	refused 1 missing.log
	printf 'start_ns\n5\n' >one.tsv
	refused 1 one.tsv
	printf 'start_ns\n5\n900\nx\n' >bad.tsv
	refused 1 bad.tsv
	[[ $output == *"line 4"* ]]
	printf 'when\n5\n900\n' >bad.tsv
	refused 1 bad.tsv
	refused 1 bad.tsv --column when
	refused 1 bad.tsv --column when --unit s --where a=b
	refused 2 bad.tsv --warmup 2x
	refused 2 bad.tsv --where ab
	refused 2 bad.tsv --sample 200
	refused 2 --sample 1
	refused 2 --sample 200 --where a=b
	[[ $output == *--where* ]]
	run -0 "$ARRIVALS" bad.tsv --column when --unit s
	refused 1 bad.tsv --column when --unit s --warmup 1d
}

same() {	# WORD...: of this log the figures are those in `wanted`
	judge "$@"
	jq -c '.result | [.n, .mean_ms, .cov, .p]' out.json >got
	diff wanted got
}

@test "arrivals: JMeter's separators, dates and transactions, the W3C's log; JSON and words are refused with a command" {
	need jq
	make_times exponential 400 500 | sed 's/^\(.\{13\}\).*/\1/' >ms
	local head=timeStamp,elapsed,responseMessage,threadName transaction='Number of samples in transaction : 1, number of failing'
	{ echo $head; sed 's/$/,5,OK,t/' ms; } >plain.jtl
	judge plain.jtl
	jq -c '.result | [.n, .mean_ms, .cov, .p]' out.json >wanted
	for separator in '|' ';' $'\t'; do
		tr , "$separator" <plain.jtl >other.jtl
		same other.jtl
	done
	sed 's/\(...\)$/.\1/; s/^/@/' ms | TZ=UTC date -f - '+%Y-%m-%d %H:%M:%S.%3N' >dates
	same dates
	{ echo $head; sed 's,-,/,g; s/$/,5,OK,t/' dates; } >dates.jtl
	same dates.jtl
	sed "p; 1d; s/OK/\"$transaction samples : 0\"/" plain.jtl >transactions.jtl
	same transactions.jtl
	is '.transactions == 401 and .passed_over == 401'
	# "Generate parent sample": no other rows
	sed "s/OK/\"${transaction/ 1,/ 3,} samples : 0\"/" plain.jtl >parents.jtl
	same parents.jtl
	is '.transactions == 0'
	sed 's,^,@,; s,...$,.&,' ms | LC_ALL=C TZ=UTC date -f - '+h - - [%d/%b/%Y:%H:%M:%S.%3N +0000] "GET /" 200 1' >ms.log
	same ms.log
	{
		printf '#Version: 1.0\r\n#Fields: date time c-ip\r\n'
		sed 's/$/ h\r/; 200a #Fields: date time x c-ip\r' dates | sed '202,$s/ h/ x h/'
	} >w3c.log
	same w3c.log --where c-ip=h
	is '.tick_ms == 1'
	sed 's/.*/{"msec": &, "a": "b"}/' ms >web.json
	refused 1 web.json
	[[ $output == *"jq -r .TIME FILE"* ]]
	sed 's/ /T/; s/^/https /; s/$/Z app "GET, x"/' dates >balancer.log
	refused 1 balancer.log
	[[ $output == *"awk "* ]]
	sed 's/$/ INFO x, y/' dates >words.log
	refused 1 words.log
	[[ $output == *"awk "* ]]
}

@test "arrivals: reads byte order marks, line ends (also in labels), empty lines, no header line, any order and zone" {
	need jq
	make_times exponential 400 50 >times
	awk '{ print substr($1, 1, 13) }' times >ms
	{ echo timeStamp,elapsed,label,threadName; awk '{ print $1 ",5,a,t" NR % 3 }' ms; } >plain.jtl
	judge plain.jtl
	jq -c '.result | [.n, .mean_ms, .cov, .p]' out.json >wanted
	{ printf '\xef\xbb\xbf'; sed 's/$/\r/' plain.jtl | awk '{ print; if (NR % 50 == 0) print "\r" }'; } >windows.jtl
	same windows.jtl
	{
		echo timeStamp,elapsed,label,threadName
		awk '{ printf "%s,5,\"one, \"\"two\"\"\r\nand 1234567890123,7,x,y\",t\n", $1 }' ms
	} >labels.jtl
	same labels.jtl
	tail -n +2 plain.jtl >headless.jtl
	same headless.jtl
	is '.tick_ms == 1'
	same headless.jtl --sources 4
	is '.sources == 3'
	same headless.jtl --where 2=5
	# the same numbers and nothing else
	same ms --column 1 --unit ms
	refused 1 ms
	[[ $output == *--column* ]]
	refused 1 headless.jtl --sources threadName
	# a log whose zone changes in the middle, with lines in the order in which requests ended
	awk '{ print "@" 1700000000 + 3 * NR }' times >seconds
	LC_ALL=C TZ=UTC-1 date -f seconds '+h - - [%d/%b/%Y:%H:%M:%S +0100] "GET /" 200 1' >summer.log
	LC_ALL=C TZ=UTC date -f seconds '+h - - [%d/%b/%Y:%H:%M:%S +0000] "GET /" 200 1' >winter.log
	"$ARRIVALS" summer.log --format json | jq -c '.result | [.n, .mean_ms, .p]' >wanted
	{ tail -n +201 winter.log; head -n 200 summer.log; } >both.log
	"$ARRIVALS" both.log --format json | jq -c '.result | [.n, .span_s > 1190, .span_s < 1210]' >got
	[ "$(cat got)" = '[400,true,true]' ]
	gzip -k plain.jtl
	refused 1 plain.jtl.gz
	[[ $output == *zcat* ]]
	zcat plain.jtl.gz | "$ARRIVALS" - --format json | jq -e '.result.n == 400'
	printf '<?xml version="1.0"?>\n<testResults>\n' >old.jtl
	refused 1 old.jtl
	[[ $output == *XML* ]]
}

@test "arrivals: reads a capture in one command, with the updates of the golden capture" {
	need jq python3
	local golden=$BATS_TEST_DIRNAME/../../../../tests/golden n mean sd

	python3 "$golden/make_captures.py" "$PWD"
	"$BIN/prototap" read updates.pcap --port 5900 --merge 5ms --rows - -o /dev/null |
		"$ARRIVALS" - --where kind=update --format json -o out.json
	# when they were sent stands in make_captures.py
	echo 100 109.999 119.999 170 175 182 189 196 203 210 217 224 231 300 |
		awk '{ for (i = 2; i <= NF; i++) { g[i] = $i - $(i - 1); s += g[i] }
		m = s / (NF - 1); for (i = 2; i <= NF; i++) q += (g[i] - m)^2; print NF, m, sqrt(q / (NF - 2)) }' >awk.out
	read -r n mean sd <awk.out
	jq -e --argjson n "$n" --argjson m "$mean" --argjson s "$sd" '.result | .arrivals == $n
		and (.mean_ms - $m | fabs) < 1e-3 and (.sd_ms - $s | fabs) < 2e-3' out.json
}

# On a terminal only: a file or a pipe has what another reader makes of it.
@test "arrivals: lines fit a terminal of under 80 columns, by its size or by COLUMNS" {
	need script
	arrivals() { script -qc "$1 '$BIN/arrivals' --sample 300" /dev/null </dev/null | tr -d '\r' >out; }
	widest() { awk 'length > most { most = length } END { print most }' out; }
	unset COLUMNS
	arrivals "stty cols 40;"
	[ "$(widest)" -le 40 ]
	arrivals "stty cols 200;"
	[ "$(widest)" -gt 60 ]
	[ "$(widest)" -le 80 ]
	arrivals "stty cols 200; COLUMNS=50"
	[ "$(widest)" -le 50 ]
	COLUMNS=40 "$BIN/arrivals" --sample 300 >out
	[ "$(widest)" -gt 60 ]
}
