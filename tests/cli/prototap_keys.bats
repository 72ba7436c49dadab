#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# prototap with keys: which update answers which key, as rows and as latency, from hand-made captures (tests/golden/make_keys.py).
# Keys are 50 ms apart, due 1 ms before they were sent; every figure below is worked out from the times given there.

load captures

setup_file() { begin_captures keys; }

# Each key's range in ms from when it was sent, "low-high", "+" after an exact one, "-" for what is not known.
ranges() {	# NAME [options]
	"$BIN/prototap" read "$MADE/$1.pcap" --keys "$MADE/$1.tsv" --rows rows.tsv -o /dev/null "${@:2}" || return
	awk -F'\t' 'function ms(ns) { return ns == "" ? "-" : (ns - sent[key]) / 1e6 }
		NR == FNR { sent[$2] = $4; next }
		$2 == "key" { key = $8; line = line (line ? " " : "") ms($9) "-" ms($10) ($11 ? "+" : "") }
		END { print line }' "$MADE/$1.tsv" rows.tsv
}

keys() {	# NAME JQ [options]
	"$BIN/prototap" read "$MADE/$1.pcap" --keys "$MADE/$1.tsv" --format json -o report.json "${@:3}" &&
		jq -rc ".result.keys | $2" report.json
}

@test "prototap --keys: a block with as many updates as keys is paired one to one; else each key has a range" {
	[ "$(ranges two)" = "10-10+ 12-12+ 14-14+ 16-16+ 30-30 120-120 70-70 20-20" ]
	# two updates more than keys: a key's range goes from the next update to the third next
	[ "$(ranges surplus)" = "10-62 12-64 14-40 16-16" ]
	# nothing is known about a key after the last update
	[ "$(ranges unanswered)" = "10-10 12-12 14-14 ---" ]
}

@test "prototap --keys: counts, and latency from the due time, over all keys" {
	[ "$(keys two '[.exact, .ranged, .unanswered, .updates, .blocks, .blocks_drained, .typed, .on_the_wire]')" = "[4,4,0,6,2,2,8,8]" ]
	# 11 13 15 17 31 121 71 21
	[ "$(keys two '.latency_low_ms | [.n, .min, .p50, .mean, .max]')" = "[8,11,19,37.5,121]" ]
	[ "$(keys two '.latency_high_ms | [.n, .min, .p50, .mean, .max]')" = "[8,11,19,37.5,121]" ]
	[ "$(keys two '.latency_from_sent_low_ms | [.min, .max]')" = "[10,120]" ]
	[[ "$(keys two '.says[0]')" == "wire-only latency is a range at this load; use refecho" ]]
	[ "$(keys surplus '.latency_low_ms.max, .latency_high_ms.max')" = "$(printf '17\n65')" ]
	[ "$(keys x11 '.says | length')" = 1 ]	# the only note: --idle was not given
	"$BIN/prototap" read "$MADE/x11.pcap" --keys "$MADE/x11.tsv" | grep '^keys: .*--idle'
	"$BIN/prototap" read "$MADE/x11.pcap" --keys "$MADE/x11.tsv" --idle 0/60s | grep '^keys: ' | grep -v -e --idle
}

@test "prototap --keys: keys not typed in blocks, or without a rest between blocks, are refused, with the cure" {
	for name in long undrained; do
		run "$BIN/prototap" read "$MADE/$name.pcap" --keys "$MADE/$name.tsv" -o report
		echo "$name: $status $output"
		[ "$status" = 1 ]
		[ "${#lines[@]}" = 1 ]
		[[ "$output" == *"which update answers which key"*"keyrepeat --schedule blocks"* ]]
		[ ! -e report ]
	done
	[[ "$output" == *"rested"* ]]
	"$BIN/prototap" read "$MADE/long.pcap" --keys "$MADE/long.tsv" --pairing none --format json >report.json
	[ "$(jq -c '.result.keys | [.pairing, .on_the_wire, .exact]' report.json)" = '["none",25,null]' ]
}

@test "prototap --keys: a log of keys without a usable clock offset is refused" {
	refused() {	# KEYS CAPTURE WORDS
		run "$BIN/prototap" read "$MADE/$2.pcap" --keys "$1"
		echo "$1 $2: $status $output"
		[ "$status" = 1 ]
		[ "${#lines[@]}" = 1 ]
		[[ "$output" == *"$3"* ]]
	}
	refused "$MADE/old.tsv" two "no offset of the wall clock"
	refused "$MADE/step.tsv" step "the wall clock was set while these keys were typed (by 5.000 ms"
	refused "$MADE/behind.tsv" behind "crossed before they were sent"
	refused none.tsv two "cannot read none.tsv"
	sed 's/\t1001/\t2001/g; s/\t1002/\t2002/g; s/\t1000/\t2000/g' "$MADE/two.tsv" >later.tsv
	refused later.tsv two "none of the keys"
	awk -F'\t' -v OFS='\t' 'NR > 1 { $4 = "" } 1' "$MADE/two.tsv" >unsent.tsv
	refused unsent.tsv two "no key in it was sent"
	head -n 1 "$MADE/two.tsv" >empty.tsv
	refused empty.tsv two "no key in it was sent"
	: >nothing.tsv
	refused nothing.tsv two "not what keyrepeat --log writes"
	sed '3s/\t1000/\t999/' "$MADE/two.tsv" >back.tsv
	refused back.tsv two "line 3"
	sed '4s/$/\t1/' "$MADE/two.tsv" >wide.tsv
	refused wide.tsv two "line 4"
	printf 'schema\tkey\n' >short.tsv
	refused short.tsv two "line 1"
	"$BIN/prototap" read "$MADE/two.pcap" --port 5901 --keys "$MADE/two.tsv" 2>err && false
	grep -q "another port" err
}

@test "prototap --keys: keys typed after the capture are counted as missed, with status 3" {
	run --separate-stderr "$BIN/prototap" read "$MADE/half.pcap" --keys "$MADE/half.tsv" --format json
	[ "$status" = 3 ]
	[[ $stderr == *"4 keys"* ]]
	[ "$(jq -c '.result.keys | [.exact, .missed, .blocks, .blocks_missed, .latency_low_ms.n]' <<<"$output")" = "[4,4,2,1,4]" ]
}

@test "prototap --keys: a drift of the wall clock is corrected" {
	# a drift of 0.4 ms a second: corrected at each key, to within 0.01 ms
	[ "$(keys drift '[.exact, .ranged, (.realtime_step_us | round)]')" = "[4,4,400]" ]
	keys drift '.latency_low_ms.mean - 37.5 | fabs < 0.01' | grep -qx true
}

@test "prototap --idle: rate of noise with its upper bound; blocks in which a noise update is likely are not paired exactly" {
	# none in 60 s: bound 2.9957/60 (-ln 0.05); 3 in 72 s: bound 7.754/72 (Garwood)
	[ "$(keys two '[.unsolicited_per_s, .unsolicited_per_s_high, .blocks_marked, .exact]' --idle 0/60s)" = "[0,0.0499,0,4]" ]
	[ "$(keys two '[.unsolicited_per_s, .unsolicited_per_s_high, .unsolicited_window_s]' --idle 1/12s --idle 2/60s)" \
		= "[0.0417,0.1077,72]" ]
	# blocks of 2.0 and 1.2 s: at 0.04/s the probability of a noise update is 7.7 % and 4.6 %
	[ "$(keys two '[.blocks_marked, .blocks_drained, .exact, .ranged]' --idle 4/100s)" = "[1,2,0,8]" ]
	[ "$(keys two '[.blocks_marked, .exact]' --idle 2/100s)" = "[0,4]" ]
	[[ "$(keys two '.says | join(" ")' --idle 4/100s)" == *"likelier than 5 %"* ]]
	[ "$(keys two '.unsolicited_per_s, .unsolicited_per_s_high' | paste -sd' ')" = "null null" ]
	[[ "$(keys two '.says | join(" ")')" == *"--idle"* ]]
}

@test "prototap --assume NAME: the ranges follow the assumption, and the report names it" {
	[ "$(ranges coalesced)" = "310-310 260-280 210-250 160-220 110-190 60-140 10-90" ]
	[ "$(ranges coalesced --assume coalescing)" = "310-350 260-300 210-250 160-200 110-150 60-100 10-50" ]
	[ "$(keys coalesced '.assumes')" = nothing ]
	[ "$(keys coalesced '.assumes' --assume coalescing)" = coalescing ]
	[[ "$(keys coalesced '.says | join(" ")' --assume coalescing)" == *"the application coalesces keys"* ]]
	# exact pairs stay exact
	[ "$(ranges x11 --assume coalescing)" = "10-10+ 12-12+ 14-14+ 16-16+" ]
}

@test "prototap --keys, X11: the display has the server's port, and keys come from it" {
	[ "$(ranges x11)" = "10-10+ 12-12+ 14-14+ 16-16+" ]
	[ "$(ranges x11 --port 6001)" = "10-10+ 12-12+ 14-14+ 16-16+" ]
	[ "$(keys x11 '.on_the_wire' --port x11:6001)" = 4 ]
}

@test "prototap --keys, UDP: each datagram is a message, and paired like one" {
	[ "$(ranges datagrams)" = "$(ranges two)" ]
	[ "$(keys datagrams '[.exact, .ranged, .updates, .on_the_wire]')" = "[4,4,6,8]" ]
}

@test "prototap --rows: every update and every key, on the clock of the keys" {
	"$BIN/prototap" read "$MADE/two.pcap" --keys "$MADE/two.tsv" --rows - -o /dev/null >rows.tsv
	[ "$(head -n 1 rows.tsv)" = \
		"$(printf 'schema\tkind\tn\ttime_ns\tend_ns\tpackets\tbytes\tkey\tlow_ns\thigh_ns\texact\tblock\tcaptured')" ]
	# the first key is sent at 1,000 s + 100 ms, and on the wire 0.1 ms later
	[ "$(sed -n 2p rows.tsv)" = "$(printf 'wire/1\tupdate\t1\t1000110000000\t1000110000000\t1\t100\t\t\t\t\t1\t')" ]
	grep -qx "$(printf 'wire/1\tkey\t1\t1000100100000\t\t\t\t1\t1000110000000\t1000110000000\t1\t1\t1')" rows.tsv
	grep -qx "$(printf 'wire/1\tkey\t6\t1002150100000\t\t\t\t6\t1002270000000\t1002270000000\t0\t2\t1')" rows.tsv
	[ "$(cut -f 2 rows.tsv | sort | uniq -c | awk '{ print $1 $2 }' | paste -sd' ')" = "8key 1kind 6update" ]
	# together with another report, in a file of its own: the same rows
	"$BIN/prototap" read "$MADE/two.pcap" --keys "$MADE/two.tsv" --rows beside.tsv -o report
	cmp rows.tsv beside.tsv
	# without pairing: the keys' own times only
	"$BIN/prototap" read "$MADE/two.pcap" --keys "$MADE/two.tsv" --pairing none --rows none.tsv -o /dev/null
	grep -qx "$(printf 'wire/1\tkey\t6\t1002150100000\t\t\t\t6\t\t\t\t2\t')" none.tsv
	[ "$(wc -l <none.tsv)" = 15 ]
	# without keys: updates, at the times of their packets
	"$BIN/prototap" read "$MADE/two.pcap" --rows packets.tsv -o /dev/null
	[ "$(sed -n 2p packets.tsv)" = "$(printf 'wire/1\tupdate\t1\t1700000000110000000\t1700000000110000000\t1\t100\t\t\t\t\t\t')" ]
	[ "$(wc -l <packets.tsv)" = 7 ]
}

@test "prototap live --rows: rows appear during a session; ranges from the wire hold the times of the application's log" {
	need_namespace
	cat >session <<'END'
set -eu
trap 'kill $(jobs -p) 2>/dev/null || :' EXIT
ip link set lo up
mkfifo go told
exec 7<>go 8<>told
"$BIN/refecho" --vnc 5901 --cost 40ms --log echo.tsv >/dev/null --ready-fd 8 & app=$!
read -r _ <&8
"$BIN/prototap" live -i lo --port 5901 -w session.pcap --rows live.tsv -o live --ready-fd 8 & tap=$!
read -r _ <&8
"$BIN/keyrepeat" vnc:127.0.0.1:5901 -t 2s --schedule blocks --watch patch --log keys.tsv \
	--format json -o keys.json --hold-start --ready-fd 8 <&7 & probe=$!
read -r _ <&8
echo go >&7
# the number of rows while the session lasts: first count, then check that it still lasts
while rows=$(wc -l <live.tsv) && kill -0 "$probe" 2>/dev/null; do
	echo "$rows" >rows_by_then
	sleep 0.05
done
wait "$probe"
kill "$tap" "$app"
wait
END
	in_namespace timeout 60 bash session 3>&-
	[ "$(cat rows_by_then)" -gt 2 ]
	"$BIN/prototap" read session.pcap --port 5901 --keys keys.tsv --rows rows.tsv --format json -o report.json
	[ "$(jq '.result.keys | .exact + .ranged' report.json)" = 35 ]
	[ "$(jq '.result.keys.blocks_drained' report.json)" = 2 ]
	# The true update is the last one that had begun when the answer had left the application, which needs 40 ms of CPU time
	# before it can draw the next one. (Pixels are no witness: a busy machine may delay the client until the next update.)
	awk -F'\t' 'FNR == 1 { file++; next }
		file == 1 { answer[$2] = $5; next }
		file == 2 && $2 == "update" { time[++n] = $4 }
		file == 2 && $2 == "key" && $8 > 5 && $8 in answer { low[$8] = $9; high[$8] = $10 }
		END {
			for (k in low) {
				for (i = 1; i <= n && time[i] <= answer[k]; i++) truth = time[i]
				held += low[k] <= truth && truth <= high[k]
				keys++
			}
			print held " of " keys " keys"
			exit !(keys == 35 && held >= 34)
		}' echo.tsv rows.tsv
}

@test "prototap: wrong options about keys end with status 2 and one line" {
	for words in "--pairing none" "--assume coalescing" "--idle 0/60s" "--keys k --pairing x" \
		"--keys k --idle 60s" "--keys k --idle 0/" \
		     "--keys k --idle -1/60s" "--keys k --idle 1/0s" "--keys k --idle x/60s" "--rows -"; do
		# shellcheck disable=SC2086
		run "$BIN/prototap" read "$MADE/two.pcap" $words
		echo "$words: $status $output"
		[ "$status" = 2 ]
		[ "${#lines[@]}" = 1 ]
	done
	run "$BIN/prototap" live -i lo --port 1 --keys k
	[ "$status" = 2 ]
	[[ "$output" == *"prototap read"* ]]
}
