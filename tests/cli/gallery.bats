#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# thinprobe gallery: its runs, how they are kept, its page; on a made-up tree, whose runs and reports are short scripts.
# bats file_tags=waits:gallery

bats_require_minimum_version 1.5.0
load ../undrawn
load gallery

@test "gallery: says the time, measures each run, keeps it without the folder in its command, and writes the page" {
	made_tree
	mkdir "a folder" && cd "a folder"
	run -0 "$gallery" -o out
	# two shows a figure in 30 minutes, one in 45
	[[ ${lines[1]} == *one*"45 min  figures: 1 "*"thinprobe run made --n 1" && ${lines[2]} == "Runs: 2,"*" about 1 h 15 min "* ]]
	printf '%s\n' "made -o $PWD/out/runs/two" "made --n 1 -o $PWD/out/runs/one" | cmp - ../called
	# what is made again is not kept, nor a figure that no page shows
	[ "$(ls out/one | paste -sd ' ')" = "figures report.md run.json samples.tar.zst" ]
	[ "$(ls out/one/figures)" = stall.svg ]
	[ "$(tar --zstd -tf out/one/samples.tar.zst | grep -v '/$' | sort | paste -sd ' ')" = \
		"$(printf 'cells/a/1/%s ' cell.json long.tsv schema.tsv summary.tsv)more.json" ]
	jq -e '.command == "thinprobe run made --n 1" and .lab.server_root == "old"' out/one/run.json
	jq -e '.kept | .left_out_bytes == 0 and .samples_bytes > 0 and .figures == ["stall"]' out/one/run.json
	# what the paper says, a value with its interval by the conditions, the largest; what is missing is said
	grep -qxF '| 3 s \| 5 hogs *(read off the figure)* | vim, 5 hogs | 10.5 ms | 9.3 to 11.8 ms |' out/gallery.md
	grep -qxF '| 9 s, most hogs |  | 163 ms |  |' out/gallery.md
	grep -xF -A 1 '| 2 s | vim … CPUs | 1 |  |' out/gallery.md | grep -qxF '|  | vim … CPUs | 2 |  |'	# not where it is empty
	grep -qxF '| 1 s | not in this run |  |  |' out/gallery.md
	grep -xF -A 1 '| 8 s | hogs | 3 |  |' out/gallery.md | grep -qxF '|  | hogs | 5 |  |'
	grep -qxF '| 4 s |  | no column gone_ms |  |' out/gallery.md
	grep -q 'Kernels changed.$' out/gallery.md
	grep -qx 'Not whole: half of it.' out/gallery.md
	grep -q '^<a href="one/figures/stall.svg"><img src="one/figures/stall.svg" width="[0-9]*" alt="Fig. 1: stalls"></a>' out/gallery.md
	# of the paper: what it showed, both numbers beside it; those shown whole
	grep -qF 'It showed: hogs stall. Here, today: by 10.5 ms (9.3 to 11.8 ms); 5 of them.' out/gallery.md
	grep -qF '**3** are shown whole' out/gallery.md
	# 620 s
	grep -qF ' | 2026-01-01 | 10 min | ' out/gallery.md
}

@test "gallery: a number and its interval have one unit; one without a unit has as many digits as the run's own tables" {
	local unit value low high words
	made_tree
	"$gallery" -o out one
	jq '.kept.left_out_bytes = 5' out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/
	while IFS='|' read -r unit value low high words; do
		sed -i "2s/.*/made\/1\t5\t$value\t$low\t$high\tvim\t1/" out/one/summary.tsv
		sed -i "/\tstall_ms\t/s/[^\t]*$/$unit/" out/one/schema.tsv
		"$gallery" --page -o out
		grep 'vim, 5 hogs' out/gallery.md
		grep -qxF "| 3 s \| 5 hogs *(read off the figure)* | vim, 5 hogs | $words |" out/gallery.md
	done <<-'END'
		ms|9857.2|7089|13705|9.9 s | 7.1 to 13.7 s
		ms|9857.2|9712|9901|9857 ms | 9712 to 9901 ms
		-|1.013|0.954|1.066|1.01 | 0.95 to 1.07
		-|12.34|9.57|15.1|12.3 | 9.6 to 15.1
	END
}

@test "gallery: a run with few repeats, disturbed conditions or samples left out is so named" {
	made_tree
	run -0 "$gallery" -o out
	grep -qF '2 runs, which are kept in this repository (2 with all of their samples)' out/gallery.md
	grep -qF 'Of the runs 0 are preliminary, with fewer than five repeats, and 0 had disturbed' out/gallery.md
	run -1 grep -q '(preliminary' out/gallery.md
	jq '.settings.repeats = 3 | .cells[1].flags = ["foreign CPU time 9 %"] | .kept.left_out_bytes = 5 | .kept.conditions = 0' \
		out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/	# tables of left out samples are kept
	run -0 "$gallery" --page -o out
	grep -qF '(1 with all of their samples, 1 with tables alone)' out/gallery.md
	grep -qF 'Of the runs 1 are preliminary, with fewer than five repeats, and 1 had disturbed' out/gallery.md
	grep -qF '[one](one/report.md) (preliminary: 3 repeats; 1 of the conditions flagged)' out/gallery.md
	# a word that no rule decides, and what the paper's head says, have the marks of the run, too
	[ "$(verdict_of 1)" = "**nothing to compare** (preliminary, flagged)" ]
	grep -qF 'by 10.5 ms (9.3 to 11.8 ms) (preliminary, flagged); 5 of them (preliminary, flagged).' out/gallery.md
	jq '.settings.repeats = 5 | .cells[1].flags = [] | .unwatched = true' out/one/run.json >x
	mv x out/one/run.json
	"$gallery" --page -o out
	[ "$(verdict_of 1)" = "**nothing to compare** (preliminary)" ]
	grep -qF '[one](one/report.md) (preliminary: interference unknown)' out/gallery.md
}

@test "gallery: runs that are kept come after the others, unless named" {
	made_tree
	"$gallery" -o out two
	run -0 "$gallery" --list -o out
	[[ ${lines[0]} == *" one "* && ${lines[1]} == *" two "*" kept "* ]]
	run -0 "$gallery" --list -o out two one
	[[ ${lines[0]} == *" two "* && ${lines[1]} == *" one "* ]]
	# figures are those that it has numbers of
	printf 'Author & Second 2001\tFig. %s\tx\ttwo/summary\t\t%s\n' '1\tneeds' '{sinks}' '4\tsince' 'sinks > 1' |
		sed 's/\\t/\t/' >>tree/data/papers.tsv
	run -0 "$gallery" --list -o out two
	[[ ${lines[0]} == *"figures: 1 "* ]]
}

@test "gallery: figures without a kept run are listed as not run yet, with the command; what a program computes needs none" {
	made_tree
	run -0 "$gallery" --page -o out
	[ ! -e called ]
	[ "$output" = "$PWD/out/gallery.md" ]
	grep -qxF '**Not run yet**: `thinprobe run made --n 1`' out/gallery.md
	run -1 grep -q 'Kernels changed' out/gallery.md
	grep -qF '| one | `thinprobe run made --n 1` | 45 min |' out/gallery.md
	grep -qF 'It showed: hogs stall. Here, today: not run yet.' out/gallery.md
	grep -qF '**2** are shown whole' out/gallery.md
	grep -qxF '| 5.13 | adds up to | 5.13 |  |' out/gallery.md
	grep -qxF '| here | a default |  |  |' out/gallery.md
	grep -qxF '`thinprobe adder`. Computed by `thinprobe adder 2 3`.' out/gallery.md
	grep -qF '<img src="gallery/sum.svg"' out/gallery.md
	grep -q '</svg>' out/gallery/sum.svg
}

@test "gallery: a figure of which a kept run has no number is not run yet" {
	made_tree
	sed -i '/Fig. 1\t/s/\t[^\t]*\t\([^\t]*\)$/\tapp=gone\t\1/' tree/data/papers.tsv
	run -0 "$gallery" -o out one
	grep -qxF '**Not run yet**: `thinprobe run made --n 1`' out/gallery.md
	run -1 grep -E 'stall.svg".*Fig. 1|not in this run' out/gallery.md
}

@test "gallery: a program that fails is named, and the page stays" {
	made_tree
	echo 'exit 3' >>tree/bin/adder
	run -1 --separate-stderr "$gallery" --page -o out
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == "thinprobe: adder 2 3 fails"* ]]
	[ -z "$(ls -A out)" ]
}

@test "gallery: of samples above 300 KiB those of the first conditions are kept, with all tables" {
	made_tree big
	run -0 --separate-stderr "$gallery" --quick -o out big
	[[ $stderr == *"samples of"*"are left out; they are in $PWD/out/runs/big"* ]]
	[[ $output == *"2 min"* ]]
	[ "$(tar --zstd -tf out/big/samples.tar.zst | grep -v '/$' | sort | paste -sd ' ')" = \
		"$(printf '%s ' cells/a/1/{cell.json,{long,schema,summary}.tsv} cells/b/1/samples long.tsv more.json schema.tsv)summary.tsv" ]
	jq -e '.kept | .left_out_bytes > 200000 and .samples_bytes < 300000 and .conditions == 2' out/big/run.json
	grep -q -- --quick called
}

@test "gallery: a run whose tables are others when made from what is packed is not kept" {
	made_tree
	echo 'echo more >>summary.tsv' >>tree/report/report.sh
	run -1 --separate-stderr "$gallery" -o out one
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"runs/one: summary.tsv differs"* && "$(ls -A out)" = runs ]]
}

@test "gallery --resume: complete runs are not measured again, failed ones are resumed; without it a folder of runs is refused" {
	made_tree broken
	run -3 --separate-stderr "$gallery" -o out
	[[ $stderr == *"not kept: broken (exit status 3)"*"--resume"* ]]
	[ ! -e out/broken ]
	[ -d out/two ]
	run -2 --separate-stderr "$gallery" -o out two
	[[ $stderr == *"out/runs/two is there already"* ]]
	: >called
	run -0 "$gallery" -o out --resume
	[ "$(cat called)" = "made --resume $PWD/out/runs/broken" ]
	[ -d out/broken ]
}

@test "gallery --resume: goes on in a third session where two were interrupted, and measures no run twice" {
	made_tree slow
	local n
	for n in 1 2; do
		rm -f sleeper
		"$gallery" -o out --resume two slow >said 2>&1 &
		until_true test -s sleeper
		kill $!
		wait $! && false
		[ $? = 130 ]
		kill "$(cat sleeper)"
	done
	[ -d out/two ]
	[ ! -e out/slow ]
	touch quick
	run -0 "$gallery" -o out --resume two slow
	[ -d out/slow ]
	[ "$(grep -c -- "runs/two$" called)" = 1 ]
	[ "$(grep "runs/slow$" called | cut -d' ' -f 2 | paste -sd ' ')" = "--n --resume --resume" ]
}

@test "gallery --when-quiet: waits until others leave the CPUs alone, and says so; a signal ends the wait" {
	made_tree
	rm tree/lab
	mkdir tree/lab
	ln -s "$TOP"/lab/* tree/lab/
	rm tree/lab/machine.sh
	printf '%s\n' 'sleep() { :; }' 'machine_cpu_list() { echo 0; }' \
		'machine_cpu() { n=$(cat turn); echo $((n + 1)) >turn; sed -n "${n}p" cpu; }' \
		>tree/lab/machine.sh
	printf '%s\n' '0 0 0 0' '5000000000 4000000000 0 0' '10000000000 4050000000 0 0' '15000000000 4050000000 0 0' \
		'20000000000 4050000000 10000000 0' >cpu
	echo 1 >turn
	run -0 "$gallery" --when-quiet -o out
	[ "$(grep -c '^waiting for a quiet machine: 80 %' <<<"$output")" = 1 ]
	[ "$(cat turn)" = 6 ]	# twice taken, once quiet; and before the other run
	[ "$(wc -l <called)" = 2 ]
	: >called
	awk 'BEGIN { for (n = 1; n <= 100000; n++) printf "%.0f %.0f 0 0\n", n * 1e9, n * 9e8 }' >cpu
	echo 1 >turn
	"$gallery" --when-quiet -o busy >said 2>&1 &
	until_true grep -q waiting said
	kill $!
	wait $! && false
	[ $? = 130 ]
	grep -q 'go on with: thinprobe gallery --resume --when-quiet -o' said
	[ ! -s called ]
}

@test "gallery: a signal ends the run under way, with status 130 and the command that goes on; kill -9 ends it, too" {
	made_tree slow
	local signal status
	for signal in TERM KILL; do
		rm -rf sleeper out called
		"$gallery" -o out slow >said 2>&1 &
		until_true test -s sleeper
		status=0
		kill -$signal $!
		wait $! || status=$?
		for _ in {1..600}; do [ "$(tail -n 1 called)" != ended ] || break; sleep 0.05; done
		[ "$(tail -n 1 called)" = ended ]
		kill "$(cat sleeper)"
		[ $signal = KILL ] || [ $status = 130 ]
		[ ! -e out/slow ]
		[ $signal = KILL ] || grep -q "interrupted; go on with: thinprobe gallery --resume -o $PWD/out slow" said
	done
}

@test "gallery: wrong words are refused with one line, before anything is run" {
	made_tree
	touch file
	for words in "2 none|did you mean one" "2 --quikc|--quick" "2 --quick|-o DIR" "2 -o|-o needs a value" "2 --page one|--page" \
		"1 -o file/out|another folder"; do
		run "-${words%% *}" --separate-stderr "$gallery" $(cut -d' ' -f2- <<<"${words%|*}")
		echo "$words: $stderr"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"${words#*|}"* ]]
	done
	[ ! -e called ]
}

# Questions on desktops: in the made-up tables the applications are protocols.
made_questions() {
	made_tree
	sed -i 's/\\tapp\\t/\\tprotocol\\t/; s/app\\ttext/protocol\\ttext/' tree/experiments/engine/run.sh
	sed -i 's/app\(!\?=\)/protocol\1/g; s/{app}/{protocol}/' tree/data/papers.tsv
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' question what text table where ours \
		Speed asks 'Which is first?' '' '' '' Speed column '5 hogs' one/summary sinks=5 '{stall_ms}' \
		Speed column '3 hogs' two/summary sinks=3 '{stall_ms}' Speed picture stalls one/stall '' '' \
		Speed answer 'Slow: {stall_ms}.' one/summary sinks=5 'stall_ms > 9' \
		Speed answer 'Quick.' one/summary sinks=5 'stall_ms < 9' \
		Speed paste './setup it' '' '' '' More asks 'And more?' '' '' '' More partial 'There is none.' '' '' '' >tree/data/desktops.tsv
}

@test "gallery: a question has a row for each protocol, the answer whose rule holds, and what to paste" {
	local low high answer
	made_questions
	run -0 "$gallery" --page -o out
	[ "${lines[1]}" = "$PWD/out/desktops.md" ]
	grep -qxF '| [Which is first?](#speed) | **Not run yet.** |' out/desktops.md
	"$gallery" -o out
	grep -qxF '| [Which is first?](#speed) | Slow: 10.5 ms (9.3 to 11.8 ms). |' out/desktops.md
	grep -qxF '| protocol | 5 hogs | 3 hogs |' out/desktops.md
	grep -qxF '| `vim` | 10.5 ms<br>9.3 to 11.8 ms |  |' out/desktops.md
	grep -qxF '| `other` |  | 7.0 ms |' out/desktops.md
	[ "$(sed -n '/^```$/,/^```$/p' out/desktops.md | paste -sd,)" = \
		'```,./setup it,./thinprobe run made --n 1,./thinprobe run made,```' ]
	grep -qxF '![stalls](one/figures/stall.svg)' out/desktops.md
	[ -s out/one/figures/stall.svg ]
	grep -qF 'Reports of the kept runs: [one](one/report.md), 2026-01-01; [two](two/report.md), 2026-01-01.' out/desktops.md
	grep -qxF 'There is none.' out/desktops.md
	jq '.kept.left_out_bytes = 5' out/one/run.json >x
	mv x out/one/run.json
	cp out/runs/one/{summary,schema}.tsv out/one/
	while read -r low high answer; do
		sed -i "2s/.*/made\/1\t5\t10.5\t$low\t$high\tvim\t1/" out/one/summary.tsv
		"$gallery" --page -o out
		grep -F "[Which is first?]" out/desktops.md
		grep -qF "(#speed) | $answer" out/desktops.md
	done <<-'END'
		8.75 11.75 **Cannot tell**
		6.25 8.75 Quick. |
	END
}

@test "gallery: a row of questions that says nothing, or names a run that is not planned, is refused with its line" {
	local row why
	made_questions
	cp tree/data/desktops.tsv kept
	while IFS='|' read -r row why; do
		{ cat kept && printf '%b\n' "$row"; } >tree/data/desktops.tsv
		run -1 --separate-stderr "$gallery" --page -o out
		[[ $stderr == "thinprobe: data/desktops.tsv:$(wc -l <tree/data/desktops.tsv): $why"* ]]
		[ ! -e out/desktops.md ]
	done <<-'END'
		Speed\tasked\twhat?\t\t\t|no row is called asked
		Speed\tcolumn\tx\tnone/summary\t\t{stall_ms}|data/gallery.tsv has no run none
		Speed\tanswer\tx\tone/summary\tsinks=5\tstall_ms >= 9|what is stall_ms >= 9?
	END
}

@test "gallery: a run that needs another root is not made without, and no other run has it" {
	made_tree
	printf 'three\tmade\t20\t--n 3\tLAB_SERVER_ROOT=/a/root\n' >>tree/data/gallery.tsv
	sed -i '2iecho "${*: -1} ${LAB_SERVER_ROOT-}" >>"$TP_HOME/../roots"' tree/experiments/engine/run.sh
	run -0 "$gallery" --list -o out three
	[[ ${lines[0]} == *" LAB_SERVER_ROOT=/a/root thinprobe run made --n 3" ]]
	run -3 --separate-stderr "$gallery" -o out
	[[ $stderr == *"three needs LAB_SERVER_ROOT (LAB_SERVER_ROOT=/a/root)"*"not kept: three (exit status 4)"* ]]
	[ -d out/one ]
	grep -qF '| three | `LAB_SERVER_ROOT=/a/root thinprobe run made --n 3` |' out/gallery.md
	rm -r out roots
	LAB_SERVER_ROOT=$PWD "$gallery" -o out one three
	[ "$(cat roots)" = "$PWD/out/runs/one "$'\n'"$PWD/out/runs/three $PWD" ]
}

@test "gallery: a root of another release is not measured, and a run of one is not kept" {
	made_tree
	printf 'three\tmade\t20\t--n 3\tLAB_SERVER_ROOT=/a/root\tbookworm\n' >>tree/data/gallery.tsv
	mkdir -p new/etc old/etc
	echo 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"' >new/etc/os-release
	echo 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"' >old/etc/os-release
	sed -i '/state != interrupted/i system=$(sed "s/.*=.//; s/.$//" "$LAB_SERVER_ROOT/etc/os-release")\n\
		jq --arg s "$system" ".lab.server_system = \\$s" "$run/run.json" >x; mv x "$run/run.json"' tree/experiments/engine/run.sh
	LAB_SERVER_ROOT=$PWD/new run -3 --separate-stderr "$gallery" -o out three
	[[ $stderr == *"bookworm"*"trixie"* ]]
	[ ! -e called ]
	LAB_SERVER_ROOT=$PWD/old run -0 "$gallery" -o out three
	[ -f out/three/run.json ]
	# one that was measured before
	rm -r out/three
	sed -i 's/12 (bookworm)/13 (trixie)/' out/runs/three/run.json
	LAB_SERVER_ROOT=$PWD/old run -3 "$gallery" --resume -o out three
	[ ! -e out/three ]
	jq 'del(.lab.server_system)' out/runs/three/run.json >x
	mv x out/runs/three/run.json
	LAB_SERVER_ROOT=$PWD/old run -3 "$gallery" --resume -o out three
	[ ! -e out/three ]
}

@test "gallery: --resume keeps no run of another command, and does not go on with one" {
	made_tree
	run -0 "$gallery" --quick -o out one
	rm -r out/one called
	run -3 --separate-stderr "$gallery" --resume -o out one
	[[ $stderr == *"out/runs/one is a run of another command, thinprobe run made --n 1 --quick"* ]]
	[ ! -e out/one ]
	[ ! -e called ]
	run -0 "$gallery" --resume --quick -o out one
	[ -f out/one/run.json ]
	rm -r out/one
	sed -i 's/"complete"/"interrupted"/' out/runs/one/run.json
	run -3 "$gallery" --resume -o out one
	[ ! -e called ]
	run -0 "$gallery" --resume --quick -o out one
	[ -f out/one/run.json ]
}

@test "gallery: a folder that is no kept run stays, and nothing is measured for it" {
	made_tree
	mkdir -p out/one/2026-11-01T10-00-00
	echo '{}' | tee out/one/run.json >out/one/2026-11-01T10-00-00/run.json
	run -2 --separate-stderr "$gallery" -o out one
	[[ $stderr == *"out/one is no kept run"* ]]
	[ "${#stderr_lines[@]}" = 1 ]
	[ ! -e called ]
	run -0 "$gallery" -o out two
	rm -r out/two
	mkdir out/two	# made meanwhile: as kept is what it is, too
	run -2 "$gallery" --resume -o out two
	[ -d out/two ]
	mkdir out/one/figures
	echo 'figures of others' | tee out/one/figures/mine.svg >out/one/report.md
	run -0 "$gallery" --page -o out
	[ -f out/one/2026-11-01T10-00-00/run.json ]
	[ "$(cat out/one/run.json)" = '{}' ]
	[ -f out/one/figures/mine.svg ]
}

@test "gallery: what another gallery of the folder is packing stays" {
	made_tree
	mkdir -p out/.new/two out/.new.abcdef/two
	touch out/.new/two/samples.tar out/.new.abcdef/two/samples.tar
	run -0 "$gallery" -o out one
	[ -e out/.new/two/samples.tar ]
	[ -e out/.new.abcdef/two/samples.tar ]
	rm -r out/.new out/.new.abcdef
	[ -z "$(compgen -G 'out/.new*')" ]
}

@test "gallery: options that would do nothing are refused" {
	local words
	made_tree
	for words in '--list --resume' '--list --when-quiet' '--page --when-quiet' '--page --resume' '--page one' '--list --page'; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr "$gallery" $words -o out
		[ "${#stderr_lines[@]}" = 1 ]
	done
	[ ! -e called ]
}

@test "docs/gallery.md, docs/desktops.md are what the data and the kept runs say (else: thinprobe gallery --page)" {
	[ -d "$TOP/kits" ] || skip "no kits here"
	mkdir -p tree/docs
	ln -s "$TOP"/{bin,lab,data,experiments,plots,report} "$TOP"/*.md tree/
	cp -r "$TOP"/{results,kits} tree/	# (figures that no page shows are removed)
	cp "$TOP/docs/papers.md" tree/docs
	TP_HOME=$PWD/tree "$gallery" --page
	cmp tree/docs/gallery.md "$TOP/docs/gallery.md"
	cmp tree/docs/desktops.md "$TOP/docs/desktops.md"
	diff -r "$TOP/results/reference" tree/results/reference
	run -1 grep -nE 'no column|not in this run' tree/docs/gallery.md
}
