#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# export.sh RUN... --as FORMAT - figures and samples of a run in the formats of other tools.
set -u -o pipefail
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
. "$here/../lab/home.sh" || exit 1
. "$here/command.sh"
. "$here/kept.sh"
COMMAND='export'

usage='usage: thinprobe export RUN --as FORMAT [--cells PATTERN] [-o FILE]
Prints the figures of a run, or its samples, for other tools:
  csv          figures: long.tsv with commas (spreadsheets)
  samples      every key of complete repeats with the parameters of its
               condition (csv)
  sqlite       a database: figures, samples, settings, facts; needs -o
  github       github-action-benchmark, customSmallerIsBetter
  bencher      Bencher Metric Format
  otava        a line for each of several runs, for change-point detection
  openmetrics  gauges, for Prometheus
  junit        a test case for each condition: complete, or why not; skipped
               if the run is not usable
  hgrm         latencies of one condition (--cells), as HdrHistogram prints them
  perfetto     keys and packets on a time line (ui.perfetto.dev); a key known
               as a range lasts to its late end, and is marked
  pcapng       a kept capture of one condition, its packets with the numbers
               of the keys that they carry (--keep-captures); needs -o
  --cells PATTERN  only conditions with these names, with * and ?
                   (not for csv and junit, which print all)
  -o, --output FILE
Exit status: 0 printed, 1 the run has no such figures, 2 wrong usage, 4 a
program is missing.'

formats='csv samples sqlite github bencher otava openmetrics junit hgrm perfetto pcapng'

as='' cells='*' output=''
read_words '' 'as cells o:output' "$@"
format=$as out=$output runs=("${words[@]%/}")
[ "${#runs[@]}" -gt 0 ] || bad "needs a run folder"
# shellcheck disable=SC2086 # words
[[ -n $format && " $formats " == *" $format "* ]] ||
	die 2 "--as ${format:-FORMAT}: one of ${formats// /, }$(nearest "${format:-}" "" $formats)"
[ "${#runs[@]}" = 1 ] || [ "$format" = otava ] || die 2 "one run at a time; only otava takes several"
[[ $format != @(sqlite|pcapng) || -n $out ]] || die 2 "--as $format needs -o FILE"
for run in "${runs[@]}"; do is_run "$run"; done
work_folder

# use RUN: sets RUN to its folder, or that of its unpacked samples where it is a kept run, and run_json.
use() {
	RUN=$(cd -- "$1" && pwd) run_json=$RUN/run.json
	[ -d "$RUN/cells" ] || [ ! -f "$RUN/samples.tar.zst" ] || {
		kept_unfold "$RUN" "$work/kept" || die 1 "$1/samples.tar.zst: $UNPACK_WHY"
		RUN=$work/kept
	}
	[ -f "$RUN/long.tsv" ] || die 1 "$1: it has no long.tsv; make its report again: thinprobe report $1"
	[ -z "$(find "$RUN/cells" -name samples.tsv -exec awk '/[^A-Za-z0-9_\t]/; { nextfile }' {} + 2>/dev/null)" ] ||
		die 1 "$1: a heading of its samples.tsv is no name"
}

asked() {	# of the names on standard input those that --cells is for
	local name
	while read -r name; do
		# shellcheck disable=SC2053 # a pattern
		[[ $name != $cells ]] || printf '%s\n' "$name"
	done
}

# The cells that are asked for: names, one a line.
cell_names() {
	jq -r '.cells[].name' "$run_json" | asked | grep . ||
		die 1 "--cells $cells: the run has no such condition; it has $(jq -r '[.cells[].name] | join(", ")' "$run_json")"
}

# figures: the rows of long.tsv of these cells as JSON, each {cell, metric, unit, better, value, low, high, parameters}; what is no
# number is left out, and named on standard error. A condition without a repeat has no figure.
figures() {
	jq -cRn --argjson axes "$(jq -c '.axes // []' "$run_json")" '(input / "\t") as $head
		| ($head | index("experiment")) as $first | ($head | index("metric")) as $metric
		| inputs / "\t" | . as $row
		| ([range($first + 1; $metric)] | map(select($row[.] != "") | {key: $head[.], value: $row[.]}) | from_entries) as $parameters
		| ([$parameters[]] | join("-") | gsub("[/: ]"; "-")) as $cell
		| ([$axes[] | $parameters[.] | values] | join("-") | gsub("[/: ]"; "-")) as $of
		| ([$head, $row] | transpose | map({key: .[0], value: .[1]}) | from_entries) as $r
		| select($r.table == "summary")
		| {$cell, of: (if $of == "" then $cell else $of end), $parameters, metric: $r.metric, unit: $r.unit, better: $r.better,
			value: (if $r.above == "1" or $r.repeats == "0" then null else $r.value | tonumber? // null end),
			why: (if $r.above == "1" then "lower bound" else $r.why end),
			low: ($r.low | tonumber? // null), high: ($r.high | tonumber? // null), n: ($r.n | tonumber? // null)}' \
		"$RUN/long.tsv" >"$work/figures"
	jq -r '.cell, .of' "$work/figures" | uniq | asked | sort -u >"$work/names"
	[ -s "$work/names" ] || cell_names >/dev/null || exit
	jq -r -L "$here" 'include "words"; {run: .} | unusable | values | "thinprobe: export: NOT USABLE: \(.)"' "$run_json" >&2
	jq -L "$here" -sc --rawfile names "$work/names" 'include "words"; ($names | split("\n")) as $names
		| map(select([.cell, .of] | any(IN($names[])))) | group_by(.cell)[] | (map({key: .metric, value}) | from_entries) as $of
		| .[] | .metric as $name | if .value != null and ($of | is_of_answered($name))
			then . + {value: null, low: null, high: null, why: "of answered keys or requests alone"} else . end' \
		"$work/figures" >"$work/all"
	jq -rs 'map(select(.value == null and .better != "" and (.why | IN("", "too few") | not))) | group_by([.cell, .why])
		| map("\(.[0].cell) (\(length) \(.[0].why))")
		| select(. != []) | "thinprobe: export: left out, without a number: \(join(", "))"' "$work/all" >&2
	jq -c 'select(.value != null)' "$work/all" >"$work/figures"
	[ -s "$work/figures" ] || die 1 "$RUN: it has no figure of these conditions"
	cat "$work/figures"
}

# csv_of_tsv [FORMULA]: a table on standard input, with commas. A text that a spreadsheet would take for a formula gets FORMULA
# before it, also behind a semicolon, at which those of many countries begin a cell.
csv_of_tsv() {
	local before=${1-}
	# (the full-width ones as well, of which some programs make the others)
	cleaned | LC_ALL=C awk -F'\t' -v OFS=, -v before="$before" '
		BEGIN { signs = split("- + = @ \357\274\215 \357\274\213 \357\274\235 \357\274\240", sign, " ") }
		{
		for (i = 1; i <= NF; i++) {
			if (before != "" && $i ~ /^\357\274[\215\213\235\240]/) $i = before $i
			if (before != "" && $i ~ /^[-+=@]./ && $i !~ /^[-+]?([0-9]+[.]?[0-9]*|[.][0-9]+)(e[-+]?[0-9]+)?$/) $i = before $i
			if (before != "" && $i ~ /;/) for (c = 1; c <= signs; c++)
				gsub(";" (c > 4 ? sign[c] : "[" sign[c] "]"), ";" before sign[c], $i)
			if (gsub(/"/, "\"\"", $i) || $i ~ /,/) $i = "\"" $i "\""
		}
		$1 = $1
		print
	}'
}

# samples: every key of these cells: parameters, cell, repeat, series, then the columns of samples.tsv.
samples() {
	local name file axes series repeat head='' columns lacking='' why=''
	[ "$RUN" != "$work/kept" ] || why=', as the kept run has those of some conditions only'
	mapfile -t axes < <(jq -r '.axes[]' "$run_json")
	[ -d "$RUN/cells" ] || die 1 "the run has no samples.tsv"
	cell_names >"$work/names" || exit
	# of all files; one that is called as an axis gets another name
	columns=$(find -L "$RUN/cells" -name '*~' -prune -o -name samples.tsv -print | sort -V | xargs -rd '\n' awk '{ print; nextfile }' |
		awk -F'\t' '{ for (i = 1; i <= NF; i++) if (!seen[$i]++) line = line (n++ ? "\t" : "") $i } END { print line }')
	while read -r name; do
		[ -d "$RUN/cells/$name" ] || { lacking+=", $name"; continue; }
		while read -r file; do
			series=${file#"$RUN/cells/$name/"} repeat=${series%%/*} series=${series#*/}
			series=${series%samples.tsv} series=${series%/}
			jq -er --argjson axes "$(jq -c .axes "$run_json")" 'select(.state == "complete")
				| [.parameters as $p | $axes[] | $p[.] // ""] | map(tostring) | @tsv' \
				"$RUN/cells/$name/$repeat/cell.json" >"$work/parameters" 2>/dev/null || {
				echo "thinprobe: export: left out, not complete: $name, repeat $repeat" >&2
				continue
			}
			[ -n "$head" ] || {
				head=$(printf '%s\t' "${axes[@]}" cell repeat series)
				printf '%s%s\n' "$head" "$(awk -F'\t' -v OFS='\t' -v taken="\t$head" '{
					for (i = 1; i <= NF; i++) if (index(taken, "\t" $i "\t")) $i = "sample_" $i
					print }' <<<"$columns")"
			}
			# (in -v, \n of a name would begin a row)
			before="$(<"$work/parameters")	$name	$repeat	${series:-latency}" columns=$columns awk -F'\t' '
				NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; n = split(ENVIRON["columns"], column, "\t"); next }
				{
					line = ENVIRON["before"]
					for (i = 1; i <= n; i++) line = line "\t" (column[i] in at ? $at[column[i]] : "")
					print line
				}' "$file"
		done < <(find -L "$RUN/cells/$name" -name '*~' -prune -o -name samples.tsv -print | sort -V)
	done <"$work/names"
	lacking=${lacking#, }
	[ -n "$head" ] || die 1 "${lacking:-the run} has no samples.tsv${lacking:+$why}"
	[ -z "$lacking" ] || echo "thinprobe: export: left out, without samples: $lacking$why" >&2
}

as_csv() { csv_of_tsv "'" <"$RUN/long.tsv"; }
as_samples() { samples | csv_of_tsv "'"; }

as_sqlite() {
	local name
	need sqlite3 sqlite3
	csv_of_tsv <"$RUN/long.tsv" >"$work/figures.csv"
	[ -z "$(find -L "$RUN/cells" -name samples.tsv -print -quit 2>/dev/null)" ] || samples | csv_of_tsv >"$work/samples.csv"
	jq -r '.settings | to_entries[] | [.key, (.value | if type == "string" then . else tojson end)] | @csv' "$run_json" \
		>"$work/settings.csv"
	jq -r 'del(.settings, .cells) | [paths(scalars) as $p | {key: ($p | map(tostring) | join(".")), value: getpath($p)}][]
		| [.key, (.value | tostring)] | @csv' "$run_json" >"$work/facts.csv"
	{
		printf '.bail on\n.mode csv\n'
		printf 'create table %s(name text primary key, value text);\n' settings facts
		printf '.import "%s" %s\n' "$work/settings.csv" settings "$work/facts.csv" facts
		for name in figures samples; do
			[ -s "$work/$name.csv" ] || continue
			# numbers compare as such, and an average leaves out what is not there
			head -n 1 "$work/$name.csv" | jq -rR --arg name "$name" --arg file "$work/$name.csv" '[(. / ",")[] | tojson] |
				"create table \($name)(\(map(. + " numeric") | join(", ")));", ".import --skip 1 \"\($file)\" \($name)",
				"update \($name) set \(map("\(.) = nullif(\(.), \("\u0027\u0027"))") | join(", "));"'
		done
	} | sqlite3 -batch "$work/out" 2>"$work/log" && [ ! -s "$work/log" ] ||
		die 1 "sqlite3 could not read the tables: $(sed 's,^.*/,,; q' "$work/log" | printable)"
	cat "$work/out"
}

# Metrics with a direction only: what a change-point or a benchmark service is asked about.
as_github() {
	figures | jq -s 'map(select(.better == "lower") | {name: "\(.cell) \(.metric)", unit, value}
		+ if .low == null then {} else {range: "\(.low) to \(.high)"} end)'
}
as_bencher() {
	figures | jq -s 'def measure: {value} + if .low == null then {} else {lower_value: .low, upper_value: .high} end;
		map(select(.better != "" and .better != "-")) | group_by(.cell)
		| map({key: .[0].cell, value: (map({key: .metric, value: measure}) | from_entries)}) | from_entries'
}

as_otava() {	# a row for each run
	for run in "${runs[@]}"; do
		use "$run"
		figures | jq -sc --slurpfile run "$run_json" 'map(select(.better != "" and .better != "-") | {key: "\(.cell).\(.metric)", value})
			| from_entries | {time: $run[0].started, version: $run[0].version} + .' >>"$work/rows"
		rm -rf "$work/kept"
	done
	jq -rs '(map(keys_unsorted) | add | reduce .[] as $k ([]; if index([$k]) then . else . + [$k] end)) as $head
		| $head, (.[] | . as $row | $head | map($row[.]))
		| map(. // ""
			| if type == "string" and test("^[-+=@\uff0b\uff0d\uff1d\uff20].") then "\u0027" + . else . end) | @csv' "$work/rows" | cleaned
}

as_openmetrics() {
	figures | jq -rs --slurpfile run "$run_json" '
		def escaped: tostring | gsub("\\\\"; "\\\\") | gsub("\""; "\\\"") | gsub("\n"; " ");
		{us: ["seconds", 1e-6], ms: ["seconds", 1e-3], s: ["seconds", 1], "%": ["ratio", 0.01], byte: ["bytes", 1]} as $units
		| group_by(.metric)[] | .[0].unit as $unit | ($units[$unit] // ["", 1]) as [$word, $by]
		| ("thinprobe_" + (.[0].metric | gsub("[^A-Za-z0-9_]"; "_") | sub("_(us|ms|percent)$|(?<!_per)_s$"; ""))
			+ if $word == "" or (.[0].metric | endswith($word)) then "" else "_" + $word end) as $name
		| "# TYPE \($name) gauge", (if $word == "" then empty else "# UNIT \($name) \($word)" end),
		(.[] | (.parameters | to_entries | map("\(.key)=\"\(.value | escaped)\"") | join(",")) as $labels
			| "\($name){experiment=\"\($run[0].experiment | escaped)\",\($labels)} \(.value * $by)")'
	echo '# EOF'
}

as_junit() {	# nothing is decided by a run that is not usable: its complete conditions are skipped
	jq -r -L "$here" 'include "words"; include "safe";
		def skipped($why): $why != null and .state == "complete";
		.experiment as $e | ({run: .} | unusable) as $why | [.cells[]] as $all
		| ($all | map(select(.state != "complete")) | length) as $failures
		| "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites>",
		"<testsuite name=\"thinprobe \($e | xml)\" tests=\"\($all | length)\" failures=\"\($failures)\""
			+ " skipped=\"\($all | map(select(skipped($why))) | length)\">",
		($all[] | "<testcase classname=\"\($e | xml)\" name=\"\(.name | xml)\">" + (if skipped($why) then
			"<skipped message=\"not usable: \($why | xml)\"/>" elif .state == "complete" then "" else
			"<failure message=\"\(.state | xml): \(.complete) repeats\"/>" end)
			+ (if .flags == [] then "" else "<system-out>\(.flags | join("; ") | xml)</system-out>" end) + "</testcase>"),
		"</testsuite>", "</testsuites>"' "$run_json"
}

# The percentile lines of HdrHistogram: the values themselves, sorted, at each halving of the distance to 100 %.
as_hgrm() {
	[ "$(cell_names | wc -l)" = 1 ] || die 2 "--as hgrm is of one condition; name it with --cells: $(cell_names | paste -sd ' ')"
	(figures >/dev/null 2>&1) || :
	! jq -se 'any(.[]; (.metric | IN("latency_p50_ms", "p50_ms")) and .why == "overloaded")' "$work/all" >/dev/null 2>&1 ||
		die 1 "$(cell_names) was overloaded: it has no latencies, these would be those of a longer and longer queue"
	samples >"$work/keys"
	awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; if (!("answer_ns" in at)) exit; next }
		$at["series"] != "latency" || $at["skipped"] == 1 { next }
		$at["answer_ns"] == "" || $at["answer_ns"] != $at["answer_high_ns"] { unknown++; next }
		{ printf "%.6f\n", ($at["answer_ns"] - $at["due_ns"]) / 1e6 }
		END { if (unknown) printf "thinprobe: export: %d keys have no exact latency and are left out\n", unknown >"/dev/stderr" }' \
		"$work/keys" | sort -g >"$work/sorted"
	[ -s "$work/sorted" ] || die 1 "the condition has no key with an exact latency"
	awk '
			{ v[NR] = $1; sum += $1; squares += $1 * $1 }
			function line(p,   k) {
				k = int(p * NR + 0.5); if (k < 1) k = 1	# as HdrHistogram counts
				printf "%12.3f %2.12f %10d", v[k], p, k
				if (p < 1) printf " %14.2f", 1 / (1 - p)
				printf "\n"
			}
			END {
				printf "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)"
				line(0)
				for (half = 1; half > 1 / NR; half /= 2)
					for (i = 1; i <= 5; i++) line(1 - half + i * half / 10)
				line(1)
				mean = sum / NR; sd = squares / NR - mean * mean; sd = sd > 0 ? sqrt(sd) : 0
				printf "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean, sd
				printf "#[Max     = %12.3f, Total count    = %12d]\n", v[NR], NR
				printf "#[Buckets = %12d, SubBuckets     = %12d]\n", 0, 0
			}' "$work/sorted"
}

# Chrome's JSON trace, which Perfetto reads: a process for each repeat, a thread for packets (wire.tsv), and as many for keys as
# waited at the same time, since it drops an event that overlaps another one of its thread.
as_perfetto() {
	local name repeat folder pid=0
	cell_names >"$work/names" || exit
	{
		while read -r name; do
			for folder in "$RUN/cells/$name"/*/; do
				[[ $folder != *~/ && -f $folder/samples.tsv ]] || continue
				folder=${folder%/} repeat=${folder##*/} pid=$((pid + 1))
				jq -cn --arg name "$name, repeat $repeat" --argjson pid "$pid" '
					{name: "process_name", ph: "M", $pid, args: {$name}},
					({"1": "sent", "2": "packets"} | to_entries[]
						| {name: "thread_name", ph: "M", $pid, tid: (.key | tonumber), args: {name: .value}})'
				drawable <"$folder/samples.tsv" | awk -F'\t' -v pid="$pid" '
					NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; if (!("answer_ns" in at)) exit; next }
					function event(name, ph, tid, ts, more) {
						printf "{\"name\":\"%s\",\"ph\":\"%s\",\"pid\":%d,\"tid\":%d,\"ts\":%.3f%s}\n", \
							name, ph, pid, tid, ts / 1000, more
					}
					$at["answer_ns"] != "" {
						for (lane = 3; end[lane] > $at["due_ns"] + 0; lane++) { }
						if (!(end[lane]))
							printf "{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":%d,\"tid\":%d,\"args\":{\"name\":\"%s\"}}\n", \
								pid, lane, "keys" (lane > 3 ? ", waiting with " lane - 3 " more" : "")
						end[lane] = ($at["answer_high_ns"] != "" ? $at["answer_high_ns"] : $at["censored_ns"]) + 0
						if (end[lane] < $at["answer_ns"] + 0) end[lane] = $at["answer_ns"] + 0
						range = $at["answer_high_ns"] != $at["answer_ns"]
						duration = sprintf(",\"dur\":%.3f", (end[lane] - $at["due_ns"]) / 1000)
						if (range) duration = duration sprintf(",\"args\":{\"earliest_ms\":%.3f}", ($at["answer_ns"] - $at["due_ns"]) / 1e6)
						event("key " $at["key"] (range ? ", at the latest" : ""), "X", lane, $at["due_ns"], duration)
					}
					$at["answer_ns"] == "" { event("key " $at["key"] " unanswered", "i", 1, $at["due_ns"], ",\"s\":\"t\"") }
					$at["sent_ns"] != "" { event("key " $at["key"] " sent", "i", 1, $at["sent_ns"], ",\"s\":\"t\"") }
				'
				[ ! -f "$folder/wire.tsv" ] || drawable <"$folder/wire.tsv" | awk -F'\t' -v pid="$pid" '
					NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
					$at["time_ns"] != "" {
						printf "{\"name\":\"%s %s\",\"ph\":\"i\",\"s\":\"t\",\"pid\":%d,\"tid\":2,\"ts\":%.3f,\"args\":{\"bytes\":\"%s\"}}\n", \
							$at["kind"], $at["n"], pid, $at["time_ns"] / 1000, $at["bytes"]
					}'
			done
		done <"$work/names"
	} >"$work/events"
	grep -q '"ph":"[Xi]"' "$work/events" || die 1 "the run has no keys with times (or their samples are left out)"
	jq -cs '{traceEvents: ., displayTimeUnit: "ms"}' "$work/events"
}

as_pcapng() {
	local name capture folder comments=() number frame
	need editcap wireshark-common
	[ "$(cell_names | wc -l)" = 1 ] || die 2 "--as pcapng is of one condition; name it with --cells: $(cell_names | paste -sd ' ')"
	name=$(cell_names)
	capture=$(find -L "$RUN/cells/$name" -name '*~' -prune -o -name 'capture.pcap*' -print | sort -V | sed -n 1p)
	[ -n "$capture" ] || die 1 "$name has no capture; measure with --keep-captures"
	folder=${capture%/*}
	[ -f "$folder/wire.tsv" ] || die 1 "$name has no wire.tsv, which tells the packets of keys"
	# the packet of a key is the first at or after its time on the wire; both clocks are of one machine
	join_frames "$capture" "$folder/wire.tsv" "$folder/samples.tsv" >"$work/frames"
	while read -r frame number; do comments+=(-a "$frame:key $number"); done <"$work/frames"
	[ "${#comments[@]}" -gt 0 ] || die 1 "no packet carries a key"
	editcap -F pcapng "${comments[@]}" "$capture" "$work/out" >/dev/null || die 1 "editcap could not write the capture"
	cat "$work/out"
}
join_frames() {	# join_frames CAPTURE WIRE SAMPLES: lines "FRAME KEY[, KEY...]"
	need tshark tshark
	awk -F'\t' 'FNR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; file++; next }
		file == 1 && !offset { offset = $at["realtime_offset_ns"]; next }
		file == 2 && $at["kind"] == "key" { printf "%.0f %s\n", ($at["time_ns"] + offset) / 1000, $at["key"] }' "$3" "$2" >"$work/keys"
	{ tshark -r "$1" -T fields -e frame.number -e frame.time_epoch 2>/dev/null || :; } |	# (of a capture cut short what is there)
		awk 'FNR == NR { time[++n] = $1; key[n] = $2; next } BEGIN { k = 1 }
			{
				split($2, t, "."); us = t[1] * 1e6 + substr(t[2] "000000", 1, 6)
				carries = ""
				while (k <= n && us >= time[k] - 1) carries = carries (carries == "" ? "" : ", ") key[k++]
				if (carries != "") print $1, carries
			}' "$work/keys" -
}

# The output is printed when all of it is made. The first step that fails ends it (set -e, so no format may be left of || or &&):
# the rest would be of half the data. die adds 100 to its status, which tells it from that of a program.
said=$(
	exec 2>&1 >"$work/result"
	die() { printf 'thinprobe: %s: %s\n' "$COMMAND" "${*:2}" >&2; exit $(($1 + 100)); }
	set -e
	[ "$format" = otava ] || { use "${runs[0]}"; cell_names >"$work/names"; }
	"as_$format"
)
status=$?
case $status in
0) ;;
102 | 104) printf '%s\n' "$said" | printable >&2; exit $((status - 100)) ;;
*) said=${said##*$'\n'} && die 1 "${said#"thinprobe: $COMMAND: "}" ;;
esac
[ -z "$said" ] || printf '%s\n' "$said" | printable >&2
if [ -z "$out" ]; then cat "$work/result" || exit 1; else put_file "$out" <"$work/result"; fi
