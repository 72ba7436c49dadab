#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# thinprobe gallery: verdicts and sentences, by rules that the data have; on a made-up tree.
# bats file_tags=waits:verdicts

bats_require_minimum_version 1.5.0
load ../undrawn
load gallery

@test "gallery: a number of a figure that docs/papers.md lacks, or of a run that is not planned, is refused by name" {
	made_tree
	for words in "Author & Second 2002|Fig. 1|one/summary|no Fig. 1 of Author & Second 2002" \
		"Author & Second 2001|Fig. 5|one/summary|no Fig. 5" "Author & Second 2001|Fig. 1|none/summary|no run none"; do
		IFS='|' read -r paper figure table why <<<"$words"
		cp tree/data/papers.tsv kept
		printf '%s\t%s\ttext\tx\t%s\t\t{stall_ms}\n' "$paper" "$figure" "$table" >>tree/data/papers.tsv
		run -1 --separate-stderr "$gallery" --page -o out
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "thinprobe: data/papers.tsv:$(wc -l <tree/data/papers.tsv): "*"$why"* ]]
		[ ! -e out/gallery.md ]
		mv kept tree/data/papers.tsv
	done
}

@test "gallery: a verdict flips with the interval of a run, from as then over cannot tell to no longer" {
	local low high word
	made_tree
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 9 and sinks > 4'
	rule 1 'no longer' one/summary 'app=vim sinks=5' 'stall_ms < 9'
	run -0 "$gallery" -o out
	jq '.kept.left_out_bytes = 5 | .settings.repeats = 3' out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/
	while read -r low high word; do
		sed -i "2s/.*/made\/1\t5\t10.5\t$low\t$high\tvim\t1/" out/one/summary.tsv
		run -0 "$gallery" --page -o out
		echo "$low to $high: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$word** (preliminary)" ]
		grep -qF "$word **1**" out/gallery.md
		grep -q '^| [[]A.*[[]Fig. 1[]](#fig-1-stalls)ᵖ' out/gallery.md
	done <<-'END'
		9.25 11.75 as then
		8.75 11.75 cannot tell
		6.25 8.75 no longer
	END
	[ "$(verdict_of 2)" = "**nothing to compare**" ]
	grep -qF '**no longer** (preliminary), by `one/summary app=vim sinks=5: stall_ms < 9`.' out/gallery.md
}

@test "gallery: conditions of a verdict: in each row or some, against another column or row, in a range" {
	local condition word mark
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r word mark condition; do
		cp kept tree/data/papers.tsv
		rule 3 'as then' sum/rows '' "$condition"
		rule 3 'as then, smaller' sum/rows '' 'sum > 0'
		"$gallery" --page -o out
		echo "$condition: $(verdict_of 3)"
		[ "$(verdict_of 3)" = "**$word**$mark" ]
	done <<-'END'
		as then| (computed)|sum > 2.5 a
		as then but smaller or in part| (computed)|sum > 2.6 a
		as then| (computed)|sum = 5.1..5.2
		as then but smaller or in part| (computed)|sum = 5.2..5.3
		as then| (computed)|a < 1 sum a=2
		as then||a < 0.5 sinks one/summary app=vim
		as then but smaller or in part| (computed)|a < 0.3 sinks one/summary app=vim
		as then||some a < 0.3 sinks one/summary app=vim
		as then||a < 1 stall_ms one/summary sinks=5
		as then but smaller or in part| (computed)|a < 1 stall_ms one/summary sinks=20
		as then| (computed)|a = 1..3 and sum > 5
		as then but smaller or in part| (computed)|a = 1..3 and sum > 6
	END
}

@test "gallery: of sentences with rules of the same rows the first is shown that holds, with the range of its rows" {
	local where rule words
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r where rule words; do
		sed "/\tsince\t/{s/Kernels changed[^\t]*.*/Never.\tone\/summary\t$where\tstall_ms > 999/; p
			s/Never[.]\(.*\)\t[^\t]*$/Now {stall_ms} beside {sinks}.\1\t$rule/; p
			s/Now [^\t]*\(.*\)\t[^\t]*$/Always.\1\tsinks > 0/}" kept >tree/data/papers.tsv
		"$gallery" --page -o out
		grep -nE '(Never|Now|Always|Kernels changed)' out/gallery.md
		[ "$(grep -oE '(Never|Now [0-9].*|Always)[.]' out/gallery.md)" = "$words" ]
	done <<-'END'
		sinks=5|stall_ms > 9|Now 10.5 ms (9.3 to 11.8 ms) beside 5.
		app=vim|sinks > 4|Now 10.5 to 163 ms beside 5 to 20.
		app=vim|stall_ms > 99|Always.
	END
	sed -i 's/stall_ms > 999/gone > 1/' tree/data/papers.tsv
	run -1 --separate-stderr "$gallery" --page -o out
	[[ $stderr == *"no column gone"* ]]
}

@test "gallery: a rule that names a column, a row, a word or a sign that is not there is refused with its line" {
	local word where condition why
	made_tree
	"$gallery" -o out
	mkdir -p tree/results/reference
	cp -r out/one out/two tree/results/reference/
	cp tree/data/papers.tsv kept
	while IFS='|' read -r word where condition why; do
		cp kept tree/data/papers.tsv
		rule 1 "$word" one/summary "$where" "$condition"
		rule 2 'as then' two/summary '' 'sinks > 1'
		run -1 --separate-stderr "$gallery" --page
		echo "$stderr"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == "thinprobe: data/papers.tsv:$(($(wc -l <kept) + 1)): "*"$why"* ]]
		[ ! -e tree/docs/gallery.md ]
	done <<-'END'
		as then|sinks=5|gone_ms > 9|gone_ms
		as then|gone=5|stall_ms > 9|gone
		as then|sinks=6|stall_ms > 9|sinks=6
		as then|sinks=5|stall_ms > 1 gone_ms|gone_ms
		as then|sinks=5|stall_ms > 1 stall_ms sinks=7|sinks=7
		as ever|sinks=5|stall_ms > 9|as ever
		as then|sinks=5|stall_ms >= 9|stall_ms >= 9
		as then|sinks=5|stall_ms = 12..9|stall_ms = 12..9
		as then|sinks=5|stall_ms > 9.2.5|stall_ms > 9.2.5
		as then|app=vim sinks<20|stall_ms > 9|sinks<20
		as then|app=vim sinks>4|stall_ms > 9|sinks>4
	END
	cp kept tree/data/papers.tsv
	printf 'Author & Second 2001\tFig. 1\tneeds\tall\tone/summary\tapp=vim\tstall_ms\n' >>tree/data/papers.tsv
	run -1 --separate-stderr "$gallery" --page
	[[ $stderr == "thinprobe: data/papers.tsv:$(($(wc -l <kept) + 1)): "*"{column}"* ]]
	cp kept tree/data/papers.tsv
	rule 1 'as then' one/summary sinks=6 'stall_ms > 9'
	"$gallery" --page -o out	# elsewhere a run may have fewer rows
	[ "$(verdict_of 1)" = "**cannot tell**" ]
}

@test "gallery: a figure is whole only if the kept run has each condition and column that it needs, and then as then" {
	local word whole where columns
	made_tree
	rule 3 'as then' sum/rows '' 'sum > 5'
	rule 1 'no longer' one/summary 'app=vim sinks=5' 'stall_ms > 9'
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r word whole where columns; do
		cp kept tree/data/papers.tsv
		printf 'Author & Second 2001\tFig. 1\tneeds\tboth\tone/summary\t%s\t%s\n' "${where//+/|}" "$columns" >>tree/data/papers.tsv
		"$gallery" --page -o out
		echo "$where, $columns: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$word**" ]
		grep -qF "**$whole** are shown whole" out/gallery.md
	done <<-'END'
		no longer|3|app=vim sinks=5+20|{stall_ms}
		no longer|3|app=vim+other|{stall_ms}
		cannot tell|2|app=vim sinks=5+21|{stall_ms}
		cannot tell|2|app=vim+other|{stall_ms} {cpus}
		cannot tell|2|app=vim sinks=5|{wait_ms}
		cannot tell|2|app=vim hogs=5|{stall_ms}
	END
	grep -qF 'Not whole: both (`one/summary` lacks `app=vim hogs=5`).' out/gallery.md
	sed -i '$d' tree/data/papers.tsv
	printf 'Author & Second 2001\tFig. 3\tneeds\tall\tsum/rows\ta=2|7\t{sum}\n' >>tree/data/papers.tsv
	"$gallery" --page -o out
	[ "$(verdict_of 3)" = "**as then but smaller or in part** (computed)" ]
}

@test "gallery: columns of two units are not compared, and a run that is not usable by its own page decides nothing" {
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 1 cpus'
	"$gallery" --page -o out
	[ "$(verdict_of 1)" = "**as then**" ]
	jq '.kept.left_out_bytes = 5' out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/
	sed -i '/\tcpus\t/s/$/s/' out/one/schema.tsv
	run -1 --separate-stderr "$gallery" --page -o out
	[[ $stderr == *"papers.tsv:$(wc -l <tree/data/papers.tsv): stall_ms and cpus have different units"* ]]
	cp kept tree/data/papers.tsv
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 9'
	for cells in 1:flagged 2:'not usable'; do
		jq --argjson n "${cells%:*}" '.cells |= map(.flags = []) | .cells[:$n][].flags = ["foreign CPU time 9 %"]' out/one/run.json >x
		mv x out/one/run.json
		"$gallery" --page -o out
		echo "$cells: $(verdict_of 1)"
		[[ $(verdict_of 1) == *" (${cells#*:})" ]]
	done
	[ "$(verdict_of 1)" = "**cannot tell** (not usable)" ]
}

@test "gallery: a condition of which each repeat was disturbed decides nothing, neither alone nor beside another one" {
	local repeats where condition word
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r repeats where condition word; do
		jq --argjson complete "$repeats" '.cells = [({app: "vim", sinks: 5}, {app: "vim", sinks: 20}, {app: "other", sinks: 3})
			| {name: "\(.app)-\(.sinks)", parameters: ., $complete, flags: []}]
			| .cells[0].flags = ["foreign CPU time 9 %"]' out/one/run.json >x
		mv x out/one/run.json
		cp kept tree/data/papers.tsv
		rule 1 'as then' one/summary "$where" "$condition"
		"$gallery" --page -o out
		echo "1 of $repeats, $where, $condition: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$word** (flagged)" ]
	done <<-'END'
		2|app=vim sinks=5|stall_ms > 9|as then
		1|app=vim sinks=5|stall_ms > 9|cannot tell
		1|app=vim sinks=20|cpus > 1|as then
		1|app=vim sinks=20|cpus > 1 cpus app=vim sinks=5|cannot tell
		2|app=vim sinks=20|cpus > 1 cpus app=vim sinks=5|as then
	END
}

# stall_ms is 9.25 to 11.75 in both runs.
@test "gallery: rules of a run that is not kept lower no word, and the page names the run; kept, they count" {
	local kept without with same contrary
	made_tree
	"$gallery" -o out one
	cp tree/data/papers.tsv kept
	for kept in one two; do
		[ $kept = one ] || "$gallery" -o out two
		while IFS='|' read -r without with same contrary; do
			cp kept tree/data/papers.tsv
			rule 1 'as then' one/summary 'app=vim sinks=5' "$same"
			rule 1 'as then' two/summary 'app=vim sinks=5' 'stall_ms > 99'
			rule 1 'as then, smaller' one/summary 'app=vim sinks=5' "$same"
			rule 1 'no longer' one/summary 'app=vim sinks=5' "$contrary"
			printf 'Author & Second 2001\tFig. 1\tneeds\tmore\ttwo/summary\tapp=vim\t{stall_ms}\n' >>tree/data/papers.tsv
			"$gallery" --page -o out
			echo "up to $kept, $same: $(verdict_of 1)"
			[ $kept = two ] || [ "$(verdict_of 1)" = "**$without**" ]
			[ $kept = one ] || [ "$(verdict_of 1)" = "**$with**" ]
			[ "$(verdict_of 1)" != '**as then**' ] || grep -q '; `two` is still to be run[.]' out/gallery.md
		done <<-'END'
			as then|as then but smaller or in part|stall_ms > 9|stall_ms < 9
			cannot tell|no longer|stall_ms > 99|stall_ms < 12
		END
	done
}

@test "gallery: runs whose display servers had different frame clocks are not compared" {
	local clock
	made_tree
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 0.5 stall_ms two/summary app=vim sinks=5'
	"$gallery" -o out
	for clock in null 60 1000; do
		jq --argjson clock "$clock" '.protocol.frame_rate_per_s = $clock' out/one/run.json >x
		mv x out/one/run.json
		jq '.protocol.frame_rate_per_s = 60' out/two/run.json >x
		mv x out/two/run.json
		"$gallery" --page -o out
		[ $clock = 1000 ] || [ "$(verdict_of 1)" = '**as then**' ]
	done
	[ "$(verdict_of 1)" = '**cannot tell**' ]
}

@test "gallery: times of runs on different CPUs are not compared, nor is anything else kept from it" {
	local name unit model
	made_tree
	rule 1 'as then' one/summary 'app=vim' 'stall_ms > 0.5 stall_ms two/summary app=vim'
	"$gallery" -o out
	for unit in ms s/key; do
		for model in one other; do
			for name in one two; do
				printf 'made/1\t5\tvim\t5\t10.5\t9.25\t11.75\n' |
					sed '1ischema\tsinks\tapp\trepeats\tstall_ms\tstall_ms_low\tstall_ms_high' >out/$name/summary.tsv
				printf 's\tsummary\t%b\t\n' 'sinks\tint\t' 'app\ttext\t' "stall_ms\treal\t$unit" |
					sed '1ischema\ttable\tcolumn\ttype\tunit\tbetter' >out/$name/schema.tsv
				jq --arg model "$([ $name = one ] && echo one || echo $model)" '.kept.left_out_bytes = 5 | .host.cpu.model = $model' \
					out/$name/run.json >x
				mv x out/$name/run.json
			done
			"$gallery" --page -o out
			echo "$unit, $model: $(verdict_of 1)"
			[ "$(verdict_of 1)" = "**$([ $unit$model = msother ] && echo 'cannot tell' || echo 'as then')**" ]
		done
	done
}

@test "gallery: runs of several protocols are not compared over one that had different frame clocks in them" {
	local name clock
	made_tree
	"$gallery" -o out
	rule 1 'as then' one/summary 'app=vim protocol=vnc' 'stall_ms > 0.5 stall_ms two/summary app=vim protocol={protocol}'
	for name in one two; do
		printf 'made/1\t5\tvim\t%s\t5\t10.5\t9.25\t11.75\n' vnc rdp |
			sed '1ischema\tsinks\tapp\tprotocol\trepeats\tstall_ms\tstall_ms_low\tstall_ms_high' >out/$name/summary.tsv
		printf 's\tsummary\t%b\t\n' 'sinks\tint\t' 'app\ttext\t' 'protocol\ttext\t' 'stall_ms\treal\tms' |
			sed '1ischema\ttable\tcolumn\ttype\tunit\tbetter' >out/$name/schema.tsv
	done
	for clock in 60 1000; do
		for name in one two; do
			jq --arg name $name --argjson clock "$clock" '.kept.left_out_bytes = 5 | .protocol = null | .protocols =
				{vnc: {frame_rate_per_s: (if $name == "one" then $clock else 60 end)}, rdp: {frame_rate_per_s: $clock}}' \
				out/$name/run.json >x
			mv x out/$name/run.json
		done
		"$gallery" --page -o out
		echo "$clock: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$([ $clock = 60 ] && echo 'as then' || echo 'cannot tell')**" ]
	done
}

@test "gallery: what was measured once, without an interval, decides nothing" {
	local repeats word condition
	made_tree
	"$gallery" -o out
	cp tree/data/papers.tsv kept
	while IFS='|' read -r repeats word condition; do
		cp kept tree/data/papers.tsv
		rule 1 'as then' one/summary 'app=vim sinks=5' "$condition"
		kept_table wait_ms wait_max_ms -- "5 vim $repeats 10.5 12"
		"$gallery" --page -o out
		echo "$repeats, $condition: $(verdict_of 1)"
		[ "$(verdict_of 1)" = "**$word**" ]
	done <<-'END'
		3|as then|wait_ms > 9
		1|cannot tell|wait_ms > 9
		1|cannot tell|wait_max_ms > 1 wait_ms
		1|as then|wait_max_ms > 11
		1|as then|sinks > 4
	END
}

@test "gallery: what is below the error of a run's probe is no number, as on the run's own page" {
	local value shown interval
	made_tree
	printf 'Author & Second 2001\tFig. 1\ttext\t1 ms\tone/summary\tapp=vim sinks=5\t{latency_p50_ms}\n' >>tree/data/papers.tsv
	"$gallery" -o out
	while IFS='|' read -r value shown interval; do
		kept_table latency_p50_ms latency_p50_ms_low latency_p50_ms_high -- "5 vim 5 $value 0.2 0.9"
		jq '.chain = {latency_p50_ms: 0.5}' out/one/run.json >x
		mv x out/one/run.json
		"$gallery" --page -o out
		grep '^| 1 ms |' out/gallery.md
		grep -qxF "| 1 ms |  | $shown | $interval |" out/gallery.md
	done <<-'END'
		0.4|less than 0.50 ms|
		0.6|0.60 ms|0.20 to 0.90 ms
	END
}

@test "gallery: a sentence has the range of all of its rows, with ranges and lower bounds" {
	made_tree
	"$gallery" -o out
	printf 'Author & Second 2001\tFig. 1\tsince\tNow {wait_ms}.\tone/summary\tapp=vim\twait_ms > 9\n' >>tree/data/papers.tsv
	while IFS='|' read -r second words; do
		kept_table wait_ms wait_ms_from wait_ms_to -- '5 vim 5 10.5 _ _' "20 vim 5 $second"
		"$gallery" --page -o out
		grep -n 'Now ' out/gallery.md
		[ "$(grep -oE 'Now .*ms[.]' out/gallery.md)" = "Now $words." ]
	done <<-'END'
		163 _ _|10.5 to 163 ms
		_ 150 180|10.5 to 180 ms
		_ 150 _|more than 10.5 ms
	END
}

@test "gallery: a sentence with a rule is shown only where it holds" {
	made_tree
	printf 'Author & Second 2001\tFig. 1\tsince\t%s\tone/summary\tapp=vim sinks=5\tstall_ms %s\n' \
		'Slower than 9 ms: {stall_ms}.' '> 9' 'Faster than 9 ms.' '< 9' 'Slower than 10 ms.' '> 10' >>tree/data/papers.tsv
	run -0 "$gallery" -o out
	grep -qF 'Kernels changed. Slower than 9 ms: 10.5 ms (9.3 to 11.8 ms).' out/gallery.md
	run -1 grep -E 'Faster than 9|Slower than 10' out/gallery.md
	sed -i '$s/> 10/>= 10/' tree/data/papers.tsv
	run -1 --separate-stderr "$gallery" --page -o out
	[[ $stderr == *"what is stall_ms >= 10?"* ]]
}

@test "gallery: of a kept run of an older plan a missing row is not run yet, and no error" {
	made_tree
	"$gallery" -o out
	mkdir -p tree/results/reference
	cp -r out/one out/two tree/results/reference/
	rule 1 'as then' one/summary 'app=vim sinks=9' 'stall_ms > 9'
	run -1 "$gallery" --page
	sed -i 's/--n 1/--n 2/' tree/data/gallery.tsv
	"$gallery" --page
	[ "$(verdict_of 1 tree/docs)" = "**not run yet**" ]
	grep -qxF '| 1 s | `one` is to be run again |  |  |' tree/docs/gallery.md
	rule 1 'as then, smaller' one/summary 'app=vim sinks=5' 'stall_ms > 9'
	"$gallery" --page
	[[ $(verdict_of 1 tree/docs) == "**as then but smaller or in part**"* ]]
}

@test "gallery: short runs decide nothing, and pictures at the head are those that the data name" {
	made_tree
	rule 1 'as then' one/summary 'app=vim sinks=5' 'stall_ms > 9'
	printf 'Author & Second 2001\t%s\tthumbnail\t%s\t%s\t\t\n' 'Fig. 1' 'of stalls' one/stall '' 'of others' one/other \
		'Fig. 3' sums sum/rows >>tree/data/papers.tsv
	"$gallery" -o out
	[ "$(verdict_of 1)" = "**as then**" ]
	grep -qxF '[<img src="one/figures/stall.svg" width="230" alt="of stalls">](#fig-1-stalls)' out/gallery.md
	grep -qxF '[<img src="one/figures/other.svg" width="230" alt="of others">](one/report.md)' out/gallery.md
	grep -qxF '[<img src="gallery/sum.svg" width="230" alt="sums">](#fig-3-a-sum)' out/gallery.md
	[ -e out/one/figures/other.svg ]
	jq '.settings.quick = true' out/one/run.json >x
	mv x out/one/run.json
	"$gallery" --page -o out
	[ "$(verdict_of 1)" = "**not run yet**" ]
}
