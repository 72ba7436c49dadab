#!/usr/bin/env bats
# arrivals: the same requests in every kind of log give the same figures; what is cut off is cut off; ticks are dealt with; captures by prototap's rows.

bats_require_minimum_version 1.5.0
load helpers

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

@test "figures are those that awk works out, and the verdicts are right" {
	need jq
	for kind in exponential constant; do
		{ echo start_ns; make_times $kind 2000 10; } >$kind.tsv
		judge $kind.tsv
		awk 'NR > 2 { g = ($1 - last) / 1e6; n++; s += g; v[n] = g } NR > 1 { last = $1 } END { m = s / n; for (i = 1; i <= n; i++) q += (v[i] - m)^2; print n, m, sqrt(q / (n - 1)) }' $kind.tsv >awk.out
		read -r n mean sd <awk.out
		jq -e --argjson n "$n" --argjson m "$mean" --argjson s "$sd" '.result | .n == $n and (.mean_ms - $m | fabs) < 1e-3 and (.sd_ms - $s | fabs) < 2e-3' out.json
	done
	is '.poisson == false and .cov < 0.01 and (.verdict | test("too regular"))'
	judge exponential.tsv
	is '.poisson and .cov > 0.9 and .cov < 1.1 and .cov_low < 1 and .cov_high > 1 and .tests == 5 and .rejected_by == [] and (.verdict | test("as a Poisson process"))'
}

@test "JTL, Combined Log Format and a table of the same requests" {
	need jq
	make_times exponential 3000 3000 >times	# a third of a request a second
	{ echo start_ns; cat times; } >a.tsv
	{ echo 'timeStamp,elapsed,label,responseCode,threadName'; awk '{ print substr($1, 1, 13) ",17,\"Home, jpg\",200,Traffic 1-" NR % 7 }' times; } >a.jtl
	sed 's/^\(.\{10\}\).*/@\1/' times | LC_ALL=C TZ=UTC+7 date -f - '+%d/%b/%Y:%H:%M:%S -0700' |
		awk '{ printf "10.0.0.%d - frank [%s] \"GET /a HTTP/1.1\" 200 2326 \"http://x/[y]\" \"Mozilla (X11)\"\n", NR % 5, $0 }' >a.log
	head -n 2 a.log
	judge a.tsv
	cp out.json tsv.json
	is '.tick_ms == 1e-6 and .ties == 0'
	judge a.jtl --sources threadName
	is '.tick_ms == 1 and .sources == 7 and .by_sources[-1].sources == 7 and .gaps_told and .poisson'
	jq -se '.[0].result as $a | .[1].result as $b | $a.n == $b.n and ($a.cov - $b.cov | fabs) < 0.001 and ($a.mean_ms - $b.mean_ms | fabs) < 0.01' tsv.json out.json
	judge a.log
	is '.tick_ms == 1000 and .gaps_told and .ties > 400 and .poisson'
	jq -se '.[0].result as $a | .[1].result as $b | $a.n == $b.n and ($a.cov - $b.cov | fabs) < 0.05 and ($a.mean_ms - $b.mean_ms | fabs) < 1' tsv.json out.json
	jq -e '.settings.log == "clf"' out.json
}

@test "whole seconds of twenty requests each: counts alone are told, and a change of the rate still shows" {
	need jq
	{ echo time_s; make_times exponential 20000 50 | awk '{ print substr($1, 1, 10) }'; } >a.tsv
	judge a.tsv
	is '.gaps_told == false and .cov == null and .ks_p == null and .tests == 2 and .poisson and (.verdict | test("counts alone"))'
	# the same, half as dense in every other ten seconds
	awk 'NR == 1 || int($1 / 10) % 2 || NR % 2' a.tsv >b.tsv
	judge b.tsv
	is '.poisson == false and (.verdict | test("too bursty"))'
}

@test "warm-up and cool-down are cut off, and rows that are not asked for" {
	need jq
	{ printf 'sent_ms\tuser\twhat\n'; awk 'BEGIN { for (i = 0; i <= 1000; i++) printf "%d\t%s\t%s\n", 1000 + i * 100, i % 4, i % 2 ? "odd" : "even" }'; } >a.tsv	# 100 s
	judge a.tsv --column sent_ms --skip 20s,30s
	is '.arrivals == 501 and .span_s > 49.9 and .span_s < 50.1'
	judge a.tsv --column sent_ms --skip 1m
	is '.arrivals == 401'
	judge a.tsv --column sent_ms --where what=odd --where user=1
	is '.arrivals == 250 and .passed_over == 751 and (.mean_ms - 400 | fabs) < 0.01'
	# in any order
	{ head -n 1 a.tsv; tail -n +2 a.tsv | shuf --random-source=<(yes); } >b.tsv
	judge b.tsv --column sent_ms --tick 1ns
	is '.cov == 0 and .mean_ms == 100'
}

@test "updates of a capture, by prototap's rows" {
	need jq python3
	# 400 updates of a display at random, a packet each, by a pcap file made here
	python3 - <<'END'
import random, struct
random.seed(5)
t = 1700000000.0
with open('c.pcap', 'wb') as f:
    f.write(struct.pack('<IHHiIII', 0xa1b23c4d, 2, 4, 0, 0, 65535, 1))
    seq = 1
    for i in range(401):
        body = bytes(100)
        tcp = struct.pack('>HHIIBBHHH', 5900, 40000, seq, 1, 0x50, 0x18, 1000, 0, 0)
        seq += len(body)
        ip = struct.pack('>BBHHHBBH4s4s', 0x45, 0, 20 + len(tcp) + len(body), i, 0, 64, 6, 0, bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2]))
        frame = bytes(12) + b'\x08\x00' + ip + tcp + body
        ns = int(t * 1e9)
        f.write(struct.pack('<IIII', ns // 10**9, ns % 10**9, len(frame), len(frame)) + frame)
        t += 0.02 + random.expovariate(2)
END
	"$BIN/prototap" read c.pcap --rows wire.tsv --format json -o tap.json
	judge wire.tsv --where kind=update
	# nearly all are apart by more than what joins two
	is '.n > 380 and .n <= 400 and .mean_ms > 450 and .mean_ms < 600 and .cov > 0.8 and .cov < 1.1'
}

@test "rows for a plot: shares add up, and the plot is drawn" {
	need jq gnuplot
	{ printf 'start_ns\tuser\n'; make_times exponential 2000 10 | awk '{ print $1 "\t" NR % 20 }'; } >"a b.tsv"
	judge "a b.tsv" --sources user --rows rows.tsv
	awk -F'\t' '$2 == "gap" { g += $4; e += $5 } $2 == "count" { c += $4; p += $5 } $2 == "sources" { s++ } $2 == "arrival" { a++ }
		END { print g, e, c, p, s, a; exit !(g > 0.98 && g <= 1 && e > 0.99 && e < 1 && c > 0.999 && c < 1.001 && p > 0.98 && p <= 1 && s >= 8 && a == 150) }' rows.tsv
	gnuplot -c "$BATS_TEST_DIRNAME/../../plots/arrivals.gp" rows.tsv out.svg
	grep -q '</svg>' out.svg
}

@test "Common Log Format: brackets in addresses and names, quotes, answers without a size; zones are taken off" {
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

@test "what cannot be read is refused in one line" {
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
	refused 2 bad.tsv --skip 2x
	refused 2 bad.tsv --where ab
	run -0 "$ARRIVALS" bad.tsv --column when --unit s
	refused 1 bad.tsv --column when --unit s --skip 1d
}
