#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# summarize: columns by COLUMNS of the experiment's analysis.py, long.tsv, schema.tsv, and errors in one line.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir -p own run
	cat >columns <<-'END'
		table summary cells schema=own/1
		app     App     -  param                      -        text -
		load    Load    -  param                      -        0    -
		state   State   -  count:state                -        text -
		rate    Rate    /s load.json:result.rate    mean+ci  2    higher
		foreign Foreign %  */cell.json:foreign        max      1    lower
		good    Good    -  load.json:result.good    true     0    -
	END
	jq -n '{schema: "thinprobe.run/1", experiment: "own", settings: {repeats: 2, seed: 1}, axes: ["app", "load"],
		cells: [{name: "a-0", parameters: {app: "a", load: 0}}, {name: "a-5", parameters: {app: "a", load: 5}}]}' >run/run.json
	cell a-0 1 99 true
	cell a-0 2 101 false
	cell a-5 1 50 true
	mkdir run/cells/a-0/1/stall
	echo '{"state": "complete", "foreign": 7.5}' >run/cells/a-0/1/stall/cell.json
}

cell() {	# NAME REPEAT RATE GOOD
	mkdir -p "run/cells/$1/$2"
	echo '{"state": "complete", "foreign": 1, "marked": ""}' >"run/cells/$1/$2/cell.json"
	jq -n --argjson x "$3" --argjson g "$4" '{result: {rate: $x, good: $g}}' >"run/cells/$1/$2/load.json"
}

column() {	# column LOAD NAME
	awk -F'\t' -v l="$1" -v n="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["load"] == l { print $at[n] }' run/summary.tsv
}

declared() { { echo "COLUMNS = '''"; cat columns; echo "'''"; } >own/analysis.py; }

summarize() {
	declared
	"$TOP/bin/summarize" run --experiment own "$@"
}

@test "summarize: columns have means over repeats, values of other series, and the state of missing repeats" {
	run summarize --format json
	[ "$status" = 3 ]	# the second repeat of a-5 is missing
	[ "$(jq -c '.result | [.cells, .cells_complete, .cells_failed, .summary_rows]' <<<"$output")" = '[2,4,1,2]' ]
	[ "$(column 0 rate)/$(column 0 rate_low)/$(column 0 rate_high)" = 100.00// ]
	[ "$(column 0 rate_both)/$(column 5 rate_both)" = "99.00 101.00/" ]	# two values say more than their interval
	[ "$(column 5 rate)/$(column 5 rate_low)" = 50.00/ ]
	[ "$(column 0 foreign)/$(column 5 foreign)" = 7.5/1.0 ]
	[ "$(column 0 good)" = 1 ]
	[ "$(column 0 state)/$(column 5 state)" = complete/partial ]
	[ "$(cut -f 2-3 run/schema.tsv | sed -n '3p;5p;8p' | tr '\t\n' '/ ')" = "summary/load summary/rate summary/rate_both " ]
	[ "$(awk -F'\t' '$6 == "rate" && $5 == 0 { print $8, $9, $12, $14, $15 }' run/long.tsv)" = "100.00  2 mean+ci higher" ]
}

@test "summarize: a table that the experiment itself writes stays unchanged, and its columns are in schema.tsv" {
	printf 'schema\tname\tn\nx/1\ta\t2\n' | tee before >run/extra.tsv
	printf '%s\n' 'table extra given' 'name Name - - - text -' 'n "How many" - - - 0 -' >>columns
	run summarize --format json
	[ "$status" = 3 ]
	cmp before run/extra.tsv
	[ "$(jq -c '.result | has("extra_rows")' <<<"$output")" = false ]
	[ "$(awk -F'\t' '$2 == "extra" { print $3, $4, $8 }' run/schema.tsv | paste -sd ';')" = "name text Name;n int How many" ]
}

@test "summarize: a JSON value that is a range makes its column a range; an overloaded one leaves it empty" {
	local r
	printf 'p50 Median ms k.json:result.l.p50 range 1 lower\np90 "90 %%" ms k.json:result.l.p90 mean+ci 1 lower\n' >>columns
	cell a-0 3 100 true
	sed -i 's/"repeats": 2/"repeats": 3/' run/run.json
	echo '{"result": {"l": {"p50": 10, "p90": 20}}}' | tee run/cells/a-0/1/k.json >run/cells/a-0/2/k.json
	echo '{"result": {"l": {"p50": null, "p90": null, "range": {"p50": {"from": 13, "to": 100}, "p90": {"from": 1, "to": null}}}}}' \
		>run/cells/a-0/3/k.json
	echo '{"result": {"l": {"p50": null, "p90": null, "why": "overloaded"}}}' >run/cells/a-5/1/k.json
	summarize || [ $? = 3 ]
	# means of 10 10 13 and of 10 10 100
	[ "$(column 0 p50)/$(column 0 p50_from)/$(column 0 p50_to)/$(column 0 p50_why)" = /11.0/40.0/range ]
	[ "$(column 0 p90)" = "" ]
	[ "$(column 5 p50)/$(column 5 p50_why)" = /overloaded ]
	[ "$(awk -F'\t' '$6 == "p90" && $5 == 0 { print $NF }' run/long.tsv)" = range ]
}

@test "summarize: a time below 0, a share of CPUs over 100 % and an interval beside its value are left out, and said" {
	local r
	printf '%s ms k.json:%s %s 1 -\n' 'wait Wait' wait mean+ci 'moved Change' wait change+ci 'less Difference' wait "mean" \
		'paid Cost' paid mean >>columns
	sed -i '/^less/s/ 1 -$/ +-1 -/' columns
	printf 'busy_percent Busy %% k.json:busy mean 1 -\nnot_busy Share %% k.json:busy mean 1 -\n' >>columns
	cell a-0 3 100 true
	sed -i 's/"repeats": 2/"repeats": 3/' run/run.json
	for r in 1 2 3; do echo "{\"wait\": -3$r, \"paid\": $r, \"busy\": 130}" >"run/cells/a-0/$r/k.json"; done
	echo '{"wait": 4, "busy": 100.4}' >run/cells/a-5/1/k.json
	run --separate-stderr summarize
	[ "$status" = 3 ]
	[ "${#stderr_lines[@]}" = 2 ]
	[[ $stderr == *"summary.tsv: wait: -32 "*"summary.tsv: busy_percent: 130 cannot be"* ]]
	[ "$(column 0 wait)/$(column 0 wait_low)/$(column 0 wait_high)" = // ]
	[ "$(column 0 moved)/$(column 0 less)/$(column 0 paid)" = -32.0/-32.0/2.0 ]
	[ "$(column 0 busy_percent)/$(column 0 not_busy)" = /130.0 ]
	[ "$(column 5 wait)/$(column 5 busy_percent)" = 4.0/100.4 ]	# a tick at both ends
	[ "$(awk -F'\t' '$NF == "impossible" { print $6, $5, $8 }' run/long.tsv | paste -sd ';')" = "wait 0 ;busy_percent 0 " ]
}

@test "summarize: an error in the experiment's columns or in a file of the run gives one line, and no table is written" {
	cp columns before
	echo 'x X - keys' >>columns
	run -1 summarize
	[[ ${#lines[@]} = 1 && $output == *"own/analysis.py:9: a column wants"* ]]
	[ ! -e run/summary.tsv ]
	mv before columns
	echo '{' >run/cells/a-0/2/load.json
	run -1 summarize
	[[ ${#lines[@]} = 1 && $output == *"run/cells/a-0/2/load.json: line 2"* ]]
	run -1 "$TOP/bin/summarize" run
	[[ $output == *"experiments/own/analysis.py: No such file"* ]]
	[ ! -e run/summary.tsv ]
}

@test "summarize: reports in every format; unreadable or unwritable files and wrong usage give one line" {
	local repeats
	summarize --format json -o report.json || [ $? = 3 ]
	[ "$(jq -r .schema report.json)" = thinprobe.summarize/1 ]
	[ "$(jq .result.cells report.json)" = 2 ]
	[ "$(find run -maxdepth 1 -type f -printf '%f\n' | sort | tr '\n' ' ')" = 'long.tsv run.json schema.tsv summary.tsv ' ]
	run -1 "$TOP/bin/summarize" nowhere
	[ "$output" = 'summarize: nowhere/run.json: No such file or directory' ]
	rm run/*.tsv
	run -1 summarize -o none/x
	[ ! -e run/summary.tsv ]
	mkdir run/summary.tsv
	run -1 summarize
	[[ $output == 'summarize: run/summary.tsv: '* ]]
	[ -z "$(find run -name 'summary.tsv.*')" ]
	rmdir run/summary.tsv
	for repeats in 9000000000000000000 1001 0 -1; do
		sed -i "s/\"repeats\": [-0-9]*/\"repeats\": $repeats/" run/run.json
		run -1 timeout 10 "$TOP/bin/summarize" run --experiment own
		echo "$output"
		[ "$output" = "summarize: run/run.json: settings.repeats is not 1 to 1000" ]
	done
	run -2 "$TOP/bin/summarize"
	run -2 "$TOP/bin/summarize" a b
	run -2 "$TOP/bin/summarize" --draws 1 a
}

@test "summarize: two cells with one name, and a folder or FIFO in place of a file, are refused in one line" {
	local file
	cp run/run.json whole.json
	jq '.cells[1].name = "a-0"' whole.json >run/run.json
	run -1 summarize
	[ "$output" = 'summarize: run/run.json: two cells of the name a-0' ]
	cp whole.json run/run.json
	printf 'p50 Median ms keys:p50 range 3 lower\n' >>columns
	declared
	for file in cell.json load.json keyrepeat.json samples.tsv; do
		rm -rf run/cells
		cell a-0 1 1 true
		printf 'schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\n' >run/cells/a-0/1/samples.tsv
		rm -f "run/cells/a-0/1/$file"
		mkfifo "run/cells/a-0/1/$file"
		run -1 timeout 10 "$TOP/bin/summarize" run --experiment own
		[ "$output" = "summarize: run/cells/a-0/1/$file: not a regular file" ]
	done
	rm -rf run/cells
	cell a-0 1 1 true
	ln -sf /dev/zero run/cells/a-0/1/cell.json
	run -1 timeout 10 "$TOP/bin/summarize" run --experiment own
	[ "$output" = "summarize: run/cells/a-0/1/cell.json: not a regular file" ]
	[ ! -e run/summary.tsv ]
}

@test "summarize: long.tsv has the number of repeats behind a figure over all keys" {
	local r
	printf 'p50 Median ms keys:p50 range 3 lower\nkeys Keys - keys:keys - 0 -\n' >>columns
	for r in a-0/1 a-0/2 a-5/1; do
		printf 'schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped\n' >"run/cells/$r/samples.tsv"
		[ $r = a-5/1 ] || printf 'keys/1\t1\t1000\t2000\t9000000\t\t\t\n' >>"run/cells/$r/samples.tsv"
	done
	summarize || [ $? = 3 ]
	run awk -F'\t' '$6 == "p50" || $6 == "keys" { print $6, $5, $8, $12 }' run/long.tsv
	[ "${lines[*]}" = 'p50 0 8.999 2 keys 0 2  keys 5 0 ' ]
}

@test "summarize --values: mean, sd and quantiles of each group as numpy has them; what is no number is refused with its line" {
	# numpy.quantile(v, [.1, .5, .9]), mean(v), std(v, ddof=1)
	printf 'a\t%s\n' 3.5 1.25 9 2 2 7.75 >values
	printf 'b\t4\n' >>values
	run -0 "$TOP/bin/summarize" values --values 0.1,0.5,0.9 --above 2 --json
	jq -e '.result.groups[0] | [.n, .p10, .p50, .p90, .mean, .above_percent] == [6, 1.625, 2.75, 8.375, 4.25, 50]' <<<"$output"
	jq -e '.result.groups[0].sd - 3.3015148038438356 | fabs < 1e-6' <<<"$output"
	jq -e '.result.groups[1] | .n == 1 and .sd == null and .p90 == 4' <<<"$output"
	run -0 "$TOP/bin/summarize" /dev/null --values 0.5 --json
	jq -e '.result.groups == []' <<<"$output"
	for bad in 'a 1' 'a\t' 'a\t1x' 'a\tnan' 'a\t1'; do	# (the last has no end of line)
		printf "b\t1\n$bad%s" "$([ "$bad" = 'a\t1' ] || printf '\n.')" >bad
		run -1 --separate-stderr "$TOP/bin/summarize" bad --values 0.5
		[[ $stderr == *"bad, line 2: "* ]]
	done
	for bad in 1.5 0.5, ,0.5 0.5x; do
		run -2 "$TOP/bin/summarize" values --values "$bad"
		[ "${#lines[@]}" = 1 ]
	done
	run -2 "$TOP/bin/summarize" run --above 3
	run -2 "$TOP/bin/summarize" run --schema --values 0.5
}
