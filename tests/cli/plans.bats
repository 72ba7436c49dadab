#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Plans: what the engine reads from them (options, checks, settings, cells and their order), and that every plan in the tree is
# complete.

bats_require_minimum_version 1.5.0
load ../engine

setup() {
	export TOP=${BATS_TEST_DIRNAME%/tests/cli}
	TP_HOME=$TOP
	. "$TOP/lab/trees.sh"
	mapfile -t every_plan < <(in_trees 'experiments/*/plan')
	cd "$BATS_TEST_TMPDIR" || return 1
	# a made-up experiment, trial, beside those of the core
	mkdir -p home/experiments
	ln -s "$TOP"/{bin,lab,data} home/
	ln -s "$TOP"/experiments/{engine,families} home/experiments/
	ln -s "$PWD" home/experiments/trial
	echo "exp_settings() { echo '{\"more\": 1}'; }" >cell.sh
	cat >plan <<'END_PLAN'
# SPDX-License-Identifier: GPL-3.0-or-later
says      What does a plan say?
axis      app sinks=loads depth
option    loads    int-list:0..9        0,1,5  quick=0,5 demo=2  "numbers of
          sinks"
use       app      light,heavy
option    depth    real:0.5..2          1      unit=m key=depth_m
option    most     int:1..9|none        none
option    extra    int-list:1..9|none   4
option    pause    ms:0..5000           20ms   var=PAUSE_MS
option    think    s-list:0.001..100    1.5,2  key=think_s
option    what     word:a|b             a
option    times    text-list:twice      5,5
option    note     text                 -
option    bare     flag                 0
use       time     3                    quick=1
use       repeat   2
use       seed
use       link
use       queue
setting   rate     20
setting   apps_of  ["x", "y"]
END_PLAN
}

plan() {	# plan OPTION...: what DO prints after them
	TP_HOME=$PWD/home run --separate-stderr in_engine trial 'options "$@" && cells_choose && eval "$DO"' "$@"
	echo "$* -> $status $output $stderr"
}

# refused WORDS OPTION...: the options must be refused with status 2, in one line that has these words. It only notes them down;
# refused_now checks all that were noted since it last ran.
refused() { printf '%s\t%s\n' "$1" "$(printf ' %q' "${@:2}")" >>refused; }
refused_now() { TP_HOME=$PWD/home refused_each trial <refused && rm refused; }

@test "options become settings of their types; options without a value are null, [] or left out" {
	export DO='plan_settings; echo "$EXP_COMMAND"'
	plan
	[ "$status" = 0 ]
	jq -e --argjson it "${lines[0]}" -n '$it == {on: "lab", loads: [0, 1, 5], apps: ["light", "heavy"], depth_m: 1, pause: 20,
		think_s: [1.5, 2], what: "a", most: null, extra: [4], times: ["5", "5"], bare: false,
		seconds: 3, repeats: 2, seed: 1, link: "100Mbit", quick: false,
		rate: 20,
		apps_of: ["x", "y"], more: 1}'
	plan --extra=none --most 3 --pause 1.5s --think 500ms,2s --bare --note 'two words' --time=4s --queue 20ms
	jq -e --argjson it "${lines[0]}" -n '$it | .extra == [] and .most == 3 and .pause == 1500 and .think_s == [0.5, 2]
		and .bare and .note == "two words" and .seconds == 4 and .queue == "20ms"'
	[[ ${lines[1]} == "thinprobe run trial --extra=none --most 3 "*" --bare --note two\\ words --time=4s --queue 20ms" ]]
}

@test "an option's letter stands for it, in usage and on the command line" {
	local words
	printf '%s\n' 'option most-keys int:1..9 3 letter=k' >>plan
	export DO=plan_settings
	for words in '--most-keys 4 --time 7' '-k 4 -t 7'; do
		# shellcheck disable=SC2086 # words
		plan $words
		jq -e '.most_keys == 4 and .seconds == 7' <<<"$output"
	done
	refused '--time is given twice' -t 5 --time 6
	for words in -x -most-keys -time; do refused "unexpected $words" $words 4; done
	DO='' plan --help
	[[ $output == *"  -k, --most-keys N"* ]]
	refused_now
}

@test "abbreviated options and values right after a letter are accepted; an ambiguous abbreviation names its candidates" {
	sed -i '/^use *repeat/s/$/ letter=r/' plan
	for words in '--bar --rep 4 --time 7 --wh b' '--bar --rep=4 -t7 --wha=b' '-r4 -t 7 --what b --bare'; do
		# shellcheck disable=SC2086 # words
		DO=plan_settings plan $words
		[ "$status" = 0 ]
		jq -e '.repeats == 4 and .seconds == 7 and .bare and .what == "b"' <<<"$output"
	done
	refused 'is given twice' --ex 5 --extra 4
	refused ': which? --queue or --quick' --qu
	refused ': which? --times or --time' --tim 7
	refused 'takes no value' --bar=1
	refused 'unexpected --dem' --dem
	refused 'unexpected ' ''
	DO='' plan --hel
	[ "$status" = 0 ]
	[[ ${lines[0]} == usage:* ]]
	refused_now
}

@test "--quick and --demo have their own defaults; options that are given override them" {
	export DO='echo "$LOADS $SECONDS_EACH $QUICK"'
	plan --quick
	[ "$output" = "0,5 1 1" ]
	plan --time 2 --quick
	[ "$output" = "0,5 2 1" ]
	plan --demo
	[ "$output" = "2 3 0" ]
	refused '--quick with --demo' --demo --quick
	refused_now
}

@test "a wrong value is refused in one line that names it" {
	refused 'unexpected --nonsense' --nonsense
	for word in LOADS -- -x '*'; do refused "unexpected" "$word"; done
	refused '--quick takes no value' --quick=no
	refused '--time needs a value' --time
	refused '--note needs a value' --note=
	refused '--note needs a value' --note --bare
	refused '-o needs a value' -o --options-only
	refused '--time is given twice' --time 1 --time=2
	refused '--resume is given twice' --resume a --resume b
	refused '--loads 10: must be a whole number from 0 to 9' --loads 1,10
	refused '--loads 1,1: 1 is given twice' --loads 1,1
	refused '--loads 1,,2' --loads 1,,2
	refused '--loads 05' --loads 05
	refused '--depth 3m: must be a number from 0.5 to 2, in m' --depth 3m
	refused '--pause 6s: must be a number from 0 to 5000, in ms' --pause 6s
	refused '--pause x' --pause x
	refused '--think 2,2: 2 is given twice' --think 2s,2
	refused '--think 1,1: 1 is given twice' --think 1,1.0
	refused '--think 0.5,0.5: 0.5 is given twice' --think 0.50,500ms
	refused '--think 0.01,0.01: 0.01 is given twice' --think 1e-02,0.01	# 1e-02 is how jq writes it
	refused '--what c: must be a or b' --what c
	refused '--app fat: must be light or heavy' --app fat
	refused '--link fast: must be RATE' --link fast
	refused '--link 0Mbit: must be RATE' --link 0Mbit
	for word in 1Mbit/0bit 1Mbit/ none/1Mbit 1Mbit/2Mbit/3Mbit 1Mbit/2Mbit,40 no-such-link; do
		refused "--link $word: must be RATE" --link "$word"
	done
	refused '--link measure:SERVER' --link measure
	refused 'must be measure:SERVER[,CLIENT]' --link measure:a,b,c
	refused 'must be measure:SERVER[,CLIENT]' --link measure:-a
	refused '--link measure:a with --on' --link measure:a --on ssh:a,b
	refused '--link none has no rate' --link none --queue 5ms
	refused '--queue 5' --queue 5
	for queue in 0ms 0.0us 61s; do refused "--queue $queue: must be a number from" --queue $queue; done
	refused '--resume /: not a run folder' --resume /
	refused '--resume /: not a run folder' --resume //
	refused_now
}

@test "a time takes any unit; without one it is in seconds, or refused where the option's unit is ms; --resume keeps it" {
	echo 'option waits int-list:0..9000 0,20ms unit=ms' >>plan
	export DO='echo "$PAUSE_MS $SECONDS_EACH $WAITS $THINK"'
	plan
	[ "$output" = "20 3 0,20 1.5,2" ]
	plan --pause 1.5s --time 1.5m --waits 0,2ms,0.5s,1000us --think 2,0.01m
	[ "$output" = "1500 90 0,2,500,1 2,0.6" ]
	refused '--pause 20: which unit? 20ms or 20s' --pause 20
	refused '--waits 20: which unit? 20ms or 20s' --waits 0,20
	refused '--waits 1.5ms: must be a whole number' --waits 1.5ms
	refused '--time 2.5s: must be a whole number' --time 2.5s
	refused '--time 2h: must be a whole number from 1 to 3600, in s' --time 2h
	refused '--depth 1ms' --depth 1ms
	mkdir run
	export DO='jq -n --argjson s "$(plan_settings)" --argjson c "$(cells_json)" "{experiment: \"trial\", settings: \$s} + \$c"'
	plan --pause 30ms --waits 7ms
	echo "$output" >run/run.json
	export DO='echo "$PAUSE_MS $WAITS"'
	plan --resume run
	[ "$output" = "30 7" ]
	refused_now
}

@test "--link takes one rate, or DOWN/UP; every name in data/links.tsv stands for its link" {
	local name
	export DO='. "$TOP/experiments/engine/measure.sh"; echo "$(rate_bits "${LINK%%,*}") $(rate_bits "${LINK%%,*}" up)"'
	plan --link 1500Kbit/0.5Mbit,20ms
	[ "$output" = "1500000 500000" ]
	plan --link 10Mbit
	[ "$output" = "10000000 10000000" ]
	plan --link 10MBIT/384kbit/s
	[ "$output" = "10000000 384000" ]
	for name in 10M 10m,40ms 1Mbit/384k 10Mbps 10MB/s; do refused "--link $name: bits or bytes?" --link "$name"; done
	export DO='plan_settings'
	plan --link 10mbit/s,5ms
	[ "$(jq -r .link <<<"$output")" = 10Mbit,5ms ]
	plan --link dsl-2005	# as Zeldovich & Chandra have it
	[ "$(jq -r .link <<<"$output")" = 1500Kbit/384Kbit,20ms ]
	while IFS=$'\t' read -r _ name _; do
		plan --link "$name"
		[ "$status" = 0 ]
		[ "$(jq -r .link <<<"$output")" != "$name" ]
	done < <(tail -n +2 "$TOP/data/links.tsv")
	refused_now
}

@test "a value may begin with -; an option may be repeated with the same value; numbers are kept in their shortest form" {
	export DO='echo "$NOTE $SECONDS_EACH $DEPTH $THINK $PAUSE_MS"'
	plan --note=--bare --time 2 --time 2 --depth 1.50 --think 10.0,0.010 --pause 20.0ms
	[ "$output" = "--bare 2 1.5 10,0.01 20" ]
	plan --note -x
	[ "$output" = "-x 3 1 1.5,2 20" ]
}

@test "--swap and --swap-size without --server-memory are refused by name; a plan's default for them is dropped" {
	printf '%s\n' 'use server-memory' 'use swap' 'use swap-size 1G' >>plan
	refused '--swap-size needs --server-memory' --swap-size 2G
	refused '--swap needs --server-memory' --swap zram --server-memory none
	for size in 15M 9999999999999999999 99999999999999999999T; do
		refused "--server-memory $size: must be a size from 16M to" --server-memory $size
	done
	export DO='echo "-$SERVER_MEMORY$SWAP$SWAP_SIZE-"'
	plan --server-memory none
	[ "$output" = -- ]
	run --separate-stderr "$TOP/experiments/engine/run.sh" paging --options-only --server-memory none
	[ "$status" = 2 ]
	[[ $stderr == *"--server-memory none: "* ]]
	refused_now
}

@test "--help shows the question and every option with its default, but not options meant for the front door" {
	DO='' plan --help
	[ "$status" = 0 ]
	[ "${lines[0]}" = "usage: thinprobe run trial [options]" ]
	[ "${lines[1]}" = "What does a plan say?" ]
	[[ $output == *"--loads N,...         numbers of sinks (0,1,5; with --quick 0,5)"* ]]
	for option in --app --depth --pause --think --what --note --bare -t --repeat --seed --link --queue --quick -q --resume -o; do
		grep -q -- "^  $option\b" <<<"$output"
	done
	[[ $output != *--options-only* && $output != *--demo* ]]
	[ -z "$(awk 'length > 80' <<<"$output")" ]
}

@test "--resume keeps settings and cells; a folder without a run of this experiment is refused" {
	mkdir run
	export DO='jq -n --argjson s "$(plan_settings)" --argjson c "$(cells_json)" "{experiment: \"trial\", settings: \$s} + \$c"'
	plan --loads 3 --depth 2 --think 7 --bare
	echo "$output" >run/run.json
	export DO='plan_settings; printf "%s\n" "${CELLS[@]}"'
	plan --resume run/
	jq -e --argjson it "${lines[0]}" -n --slurpfile run run/run.json '$it == $run[0].settings'
	[ "${lines[*]:1}" = "light-3-2 heavy-3-2" ]
	cp run/run.json kept
	jq '.cells[0] |= (.name = "old-name" | .parameters.depth = 0.7)' kept >run/run.json
	DO='cell_use 0; echo "${CELLS[*]} ${P[app]} ${P[sinks]} ${P[depth]}"' plan --resume run
	[ "$output" = "old-name heavy-3-2 light 3 0.7" ]
	for other in '.axes = ["app", "depth"]' 'del(.cells[1].parameters.depth)' '.cells[1].name = "../.."' \
		'.cells[1].name = .cells[0].name'; do
		jq "$other" kept >run/run.json
		refused 'the axes app sinks depth' --resume run
		refused_now
	done
	cp kept run/run.json
	refused '--depth with --resume' --resume run --depth 1
	refused '-o with --resume' --resume run -o x
	refused 'it has no run.json' --resume nowhere
	refused_now
	jq '.experiment = "other"' run/run.json >new
	mv new run/run.json
	refused 'not a run of trial' --resume run
	refused_now
	jq '.experiment = "trial" | del(.axes)' run/run.json >new
	mv new run/run.json
	refused 'an older version' --resume run
	refused_now
	echo 'no json' >run/run.json
	refused 'cannot be read' --resume run
	refused_now
}

@test "cells are the product of the axes; each repeat measures each once, in an order that the seed determines" {
	export DO='printf "%s\n" "${CELLS[@]}"; cells_json | jq -c ".cells[1]"; cells_order'
	plan --loads 1,5 --depth 0.5
	[ "${lines[*]:0:4}" = "light-1-0.5 light-5-0.5 heavy-1-0.5 heavy-5-0.5" ]
	jq -e --argjson it "${lines[4]}" -n '$it | .name == "light-5-0.5"
		and .parameters == {app: "light", sinks: 5, depth: 0.5} and .state == "missing"'
	[ "$(printf '%s\n' "${lines[@]:5}" | sort)" = "$(for n in 0 1 2 3; do printf "$n %s -\n" 1 2; done)" ]
	once=$output
	plan --loads 1,5 --depth 0.5
	[ "$output" = "$once" ]
	plan --loads 1,5 --depth 0.5 --seed 2
	[ "$output" != "$once" ]
}

@test "order of cells: that of Park and Miller's generator, whatever awk is here" {
	local n x i
	export DO='cells_order_of 2 2 | cut -d" " -f1'
	plan --loads 0,1,2,3,4,5,6,7,8,9 --depth 1 --seed 3
	x=$((3 * 1000 + 2 + 1))
	for i in 1 2 3 4 5 6 7 8; do x=$((x * 16807 % 2147483647)); done
	for n in {0..19}; do
		x=$((x * 16807 % 2147483647))
		echo "$x $n"
	done | sort -n | cut -d' ' -f2 >order
	diff <(echo "$output") order
}

@test "order of cells: those of a group stay together; the plan's 'first' cells come first in their group" {
	printf '%s\n' 'group     app' 'first     sinks=5' >>plan
	export DO='cells_order | while read -r n repeat session; do echo "${CELLS[n]} $repeat $session"; done'
	for seed in 1 2 3 4; do
		plan --loads 0,1,2,3,5 --depth 1 --seed "$seed"
		for first in 0 5 10 15; do
			[[ ${lines[first]} == *-5-1\ * ]]
			[ "$(printf '%s\n' "${lines[@]:first:5}" | cut -d' ' -f2- | uniq | wc -l)" = 1 ]
		done
	done
}

@test "order of cells: with 'together repeats' a group keeps all its repeats together, one after the other" {
	printf '%s\n' 'group     sinks' 'together  repeats' >>plan
	export DO='cells_order | while read -r n repeat session; do echo "$session ${CELLS[n]} $repeat"; done'
	for seed in 1 2 3 4 5 6; do
		plan --loads 0,3,5 --depth 1 --repeat 3 --seed "$seed"
		[ "${#lines[@]}" = 18 ]
		[ "$(printf '%s\n' "${lines[@]}" | sort -u | wc -l)" = 18 ]
		# three groups, the repeats in order within each
		printf '%s\n' "${lines[@]}" | cut -d' ' -f1 | uniq >groups
		[ "$(sort groups | paste -sd ' ')" = "|0 |3 |5" ]
		paste -sd ' ' groups >>orders
		for first in 0 6 12; do
			[ "$(printf '%s\n' "${lines[@]:first:6}" | cut -d' ' -f3 | paste -sd ' ')" = "1 1 2 2 3 3" ]
		done
	done
	[ "$(sort -u orders | wc -l)" -gt 1 ]
}

@test "run.json has states and counts from the start and after every cell, so also after kill -9" {
	mkdir run
	export DO='RUN=$PWD/run
		run_set() { jq "${@:2}" "$1" run/run.json >new && mv new run/run.json; }
		now_s() { NOW_S=$SECONDS; }
		lab_lost() { return 1; }
		stopped() { return 1; }
		exp_measure() {
			[ "$(ls -d run/cells/*/* | wc -l)" -lt 4 ] || kill -9 $$
			SECONDS=$((SECONDS + 1000))
			echo "{\"state\": \"complete\", \"marked\": \"$MARK\"}" >"$3/cell.json"
		}
		cells_sum
		jq "$ADD" <<<"$CELLS_JSON" >run/run.json
		cp run/run.json first
		cells_run'
	ADD='.measured_s = 5000' MARK='' plan --loads 1,5 --depth 1
	[ "$status" = 137 ]
	jq -e '.counts == {total: 8, complete: 0, missing: 8, marked: 0} and all(.cells[]; .state == "missing")' first
	jq -e '.counts == {total: 8, complete: 3, missing: 5, marked: 0} and ([.cells[].complete] | add) == 3
		and ([.cells[].name] | length) == 4 and any(.cells[]; .state == "partial")
		and .measured_s >= 8000 and .measured_s < 9000' run/run.json
	rm -r run/cells
	printf '%s\n' 'again 0' >>plan
	ADD=. MARK=noisy plan --loads 1 --depth 1 --app light	# a run.json of a version without measured_s
	[ "$status" = 0 ]
	jq -e '.counts == {total: 2, complete: 2, missing: 0, marked: 2} and .cells[0].state == "complete"
		and .cells[0].flags == ["noisy"] and (has("measured_s") | not)' run/run.json
}

@test "a run of 3,000 conditions, each with a flag, is planned and summed up; half of it is left to a resumed run" {
	sed -i 's/int-list:0..9 /int-list:0..9999 /' plan
	trial() { TP_HOME=$PWD/home home/experiments/engine/run.sh trial "$@"; }
	EXP_SWEEP=plan trial --loads "$(seq -s , 0 1499)" --depth 1 --repeat 1 -o 'a rün'	# (some awk count bytes)
	jq -e '.state == "planned" and (.cells | length) == 3000' 'a rün/run.json'
	cd 'a rün/cells'
	mkdir -p {light,heavy}-{0..1499}-1/1
	flag="foreign CPU time 12.34 %, stolen 5.67 %: over 3 %"
	for folder in light-*/1; do printf '{"state": "complete", "marked": "%s"}\n' "$flag" >"$folder/cell.json"; done
	for folder in heavy-*/1; do echo '{"state": "failed", "reason": "out of luck"}' >"$folder/cell.json"; done
	echo '{' >light-7-1/1/cell.json	# damaged
	cd ../..
	ln -s "$PWD/elsewhere" 'a rün/log/server.out'	# log files are written by name
	EXP_SWEEP=sum run -3 trial --resume 'a rün'
	[ ! -L 'a rün/log/server.out' ]
	jq -e --arg flag "$flag" '.counts == {total: 3000, complete: 1499, missing: 1501, marked: 1499} and .reason == "out of luck"
		and ([.cells[] | select(.state == "complete" and .flags == [$flag])] | length) == 1499' 'a rün/run.json'
}

@test "--resume is refused where machine, version, protocol or calibration are others, with the difference" {
	mkdir run
	sed -n '/^run_record() {/,/^}/p' "$TOP/experiments/engine/run.sh" >record.sh
	export DO='. ./record.sh; RUN=$PWD/run RESUME=run PROTOCOLS=vnc PROTOCOL=vnc ABSENT=() FACTS={}
		now() { jq -c "$1 | . as \$it | try ($CHANGE) catch \$it" run/run.json; }
		lab_facts() { now .host; }; run_where() { now .lab; }; calibration_record() { now .calibration; }
		protocol_use() { :; }; protocol_settings() { now .protocols.vnc; }
		run_set() { echo goes on; }; TP_VERSION=$(now .version | jq -r .)
		run_record'
	jq -n '{version: "1.0", calibration: {machine: "m", paths: []}, protocol: {version: "1"}, protocols: {vnc: {version: "1"}},
		host: {hostname: "alpha", kernel: "k", kernel_build: "b", cpu: {model: "A 1", count: 300}, tools: {xterm: null, jq: "1.6"},
			memory: {total_bytes: 8e9}, load: [1], scheduler: {autogroup: true}},
		lab: {rate: "none", shared_cpus: false, rootless: false}}' >run/run.json
	differs() { CHANGE=$1 plan; }	# what jq makes of each fact
	differs 'if .load then .load = [9] | .memory.total_bytes -= 1e6 | .tools.xterm = "3" | .cpu.model = null else . end'
	[ "$output" = "goes on" ]
	while read -r word change; do
		differs "$change"
		[ "$status" = 1 ]
		[[ ${stderr_lines[0]} == *"$word"* ]]
		[[ $output != *goes* ]]
	done <<-'END'
		alpha if .hostname then .hostname = "beta" else . end
		server.cpu.model if .hostname then .cpu.model = "B" else . end
		memory if .hostname then .memory.total_bytes = 16e9 else . end
		version if type == "string" then "2.0" else . end
		vnc.version if .version? then .version = "2" else . end
		calibration if .machine? then .paths = [{}] else . end
		cpu.count if .hostname then .cpu.count = 301 else . end
		rootless if .rootless? != null then .rootless = true else . end
		taken if .rate? then .shared_cpus = true else . end
	END
}

@test "variables of the environment become no settings; services without HOME and POSIX shells are served" {
	local name names settings
	names=$(cd "$TOP" && driver_files | grep -E '/(engine|families)/' | xargs grep -ohE '[$][{#!]*[A-Z][A-Z0-9_]+' |
		tr -d '${#!' | sort -u |
		grep -vE '^(LAB|TP|THINPROBE|EXP|XDG|SWEEP|BASH|SLURM)_|^(HOME|PATH|DISPLAY|WAYLAND_DISPLAY|TMPDIR|XAUTHORITY|P|.*PID|E?UID)$' |
		grep -vxE 'SUDO_[GU]ID|PWD|SECONDS|EPOCH.*|OPTARG|OPTIND|REPLY|IFS|BASH|DO|TOP')
	[ "$(wc -w <<<"$names")" -gt 60 ]
	ln -s "$TOP/kits" home/
	cat >>cell.sh <<-'END'
		exp_check() {
			local name
			for name in $(<../names); do [ "${!name-}" != stranger ] || echo "$name"; done
			plan_settings
			echo "${LINK-none}"
		}
	END
	printf '%s\n' $names EXP_DELAY COST_PER LAB_LINK_SEED LAB_CALIBRATION_OF LAB_MEMORY >names
	trial() { (cd home && TP_HOME=$PWD experiments/engine/run.sh trial --options-only); }
	settings=$(trial)
	[[ $settings == "{"* ]]
	for name in $(<names); do export "$name=stranger"; done
	diff <(trial) - <<<"$settings"
	EXP_KEPT=1 EXP_SWEEP=blind run -0 "$TOP/thinprobe" run stalls --options-only
	# but for those that the pages tell users to set
	# (numbers are checked before anything else)
	find "$TOP/docs" -name 'thinprobe*.[17]' -o -name '*.md' ! -name experiment-hooks.md ! -name protocol-plugin.md |
		xargs -d '\n' grep -ohE '\b(LAB|THINPROBE)_[A-Za-z_]+' | grep -vxE 'LAB_CPU_WAIT|THINPROBE_SSH_SESSIONS' | sort -u >names
	grep -qx LAB_OWN_UID names
	for name in $(<names); do export "$name=stranger"; done
	diff <(trial | grep -xFf names) names
	run env -u HOME POSIXLY_CORRECT=1 TMOUT=1 OMP_NUM_THREADS=4711 SHELLOPTS=noglob:noclobber bash -c '. "$1/lab/home.sh"
		x=a; [ -d "$HOME" ]; echo "$? $(ls "$HOME" -d) $(nproc) ${x/a/&} ${TMOUT-none} $SHELLOPTS"' sh "$TOP"
	[[ $output == "0 "*" & none "* ]]
	[[ $output != *@(posix|noglob|noclobber|4711)* ]]
}

@test "functions and options of bash that a caller exports change nothing" {
	local option
	cd() { builtin cd "$@" && echo "in $PWD"; }
	jq() { echo stranger; }
	export -f cd jq
	for option in keyword errexit:keyword; do
		run -0 env SHELLOPTS="$option" "$TOP/thinprobe" --version
		[[ $output == "thinprobe "[0-9]* ]]
		run -1 env SHELLOPTS="$option" "$TOP/thinprobe" compare "$TOP/data" "$TOP/data"
		[[ ${#lines[@]} = 1 && $output == *run.json* ]]
	done
}

@test "new results go to no folder in which another login could put something in their place" {
	. "$TOP/lab/home.sh"
	. "$TOP/experiments/engine/folder.sh"
	TP_CHECKOUT=0
	folder=$(results_new toy)
	[ -d "$folder" ]
	chmod 777 thinprobe-results/toy
	run -1 results_new toy
	chmod 1777 thinprobe-results/toy
	results_new toy
	[ "$EUID" = 0 ] || skip "needs root, to make another login's folder"
	chown 65534 thinprobe-results
	run -1 results_new other
	[ ! -e thinprobe-results/other ]
}

@test "a file that two write at once is that of the last one, whole" {
	. "$TOP/lab/home.sh"
	. "$TOP/experiments/engine/folder.sh"
	mkfifo rest
	{ echo first; cat rest; } | { put_whole file; echo "$?" >first; } 3>&- &
	for _ in {1..200}; do compgen -G 'file.new*' && break; sleep 0.05; done
	put_whole file <<<second
	[ "$(cat file)" = second ]
	echo end >rest
	wait "$!"
	[ "$(xargs <file)$(cat first)" = "first end0" ]
	[ -z "$(compgen -G 'file.*')" ]
	run -1 put_whole file </dev/null
	[ "$(xargs <file)" = "first end" ]
}

@test "a run whose standard streams are closed has others; one that may open too few files, or start too few processes, says so" {
	echo 'readlink /proc/$$/fd/[01] >streams' >driver
	"$TOP/experiments/engine/keep.sh" ./driver <&- >&-
	[ "$(xargs <streams)" = "/dev/null /dev/null" ]
	run -1 bash -c 'ulimit -n 20; exec "$@"' sh "$TOP/experiments/engine/run.sh" stalls --options-only
	[ "${#lines[@]}" = 1 ]
	[[ $output == *20* ]]
	[ "$(id -u)" = 0 ] || return 0
	TOP=$TOP run -1 setpriv --reuid 12346 --regid 12346 --clear-groups bash -c 'ulimit -u 12; HOME=/ exec "$TOP/thinprobe" run stalls'
	[ "${#lines[@]}" = 1 ]
	[[ $output == *"Resource temporarily unavailable"* ]]
}

@test "-o: a run that another has begun there while this one waited is left alone; - is a name, one with a line break is refused" {
	mkdir bin other run
	for file in run/run.json sweep/sweep ab/ab.json; do
		# the other ends while we wait for its lock
		printf '#!/bin/sh\n[ -e %s ] || { mkdir -p %s && echo "{}" >%s; }\n' "$file" "${file%/*}" "$file" >bin/flock
		chmod +x bin/flock
		case $file in
		run/*) words=(engine/run.sh stalls) ;;
		sweep/*) words=(commands/sweep.sh plan-of-it) && echo 'experiment stalls' >plan-of-it ;;
		ab/*) words=(commands/ab.sh stalls --b '--quick') ;;
		esac
		PATH=$PWD/bin:$PATH EXP_SWEEP=plan run "$TOP/experiments/${words[0]}" "${words[@]:1}" -o "${file%/*}"
		echo "$output"
		[[ $status == [12] ]]
		[ "${#lines[@]}" = 1 ]
		[ "$(cat "$file")" = "{}" ]
		[ "$(find "${file%/*}" -type f ! -name .lock | wc -l)" = 1 ]
	done
	printf '#!/bin/sh\necho "flock: 10: No locks available" >&2\nexit 71\n' >bin/flock
	PATH=$PWD/bin:$PATH EXP_SWEEP=plan run -1 "$TOP/experiments/engine/run.sh" stalls --loads 0 -o new
	[[ $output == *"No locks available"* ]]
	OLDPWD=$PWD/other EXP_SWEEP=plan "$TOP/experiments/engine/run.sh" stalls --loads 0 -o -
	[ -f ./-/run.json ]
	[ -z "$(ls other)" ]
	EXP_SWEEP=plan run -1 "$TOP/experiments/engine/run.sh" stalls --loads 0 -o $'a\nb'
	[ "${#lines[@]}" = 1 ]
	[ ! -e $'a\nb' ]
}

# --- the plans of the tree ---------------------------------------------------------------------------------------

@test "every plan has question, says, needs, axis and so on, and only keywords that the engine knows" {
	local plan wrong=0 word words
	words='question|ask|was|says|figure|paper|minutes|needs|wrong-if|called|protocols|choose|on|ssh|not-ssh|again|axis|group'
	words+='|first|once|lacks|pin-effect|setting|use|option'
	for plan in "${every_plan[@]}"; do
		for word in question says figure paper minutes needs wrong-if axis; do
			grep -qE "^$word  *[^ ]" "$plan" || { echo "$plan: no $word"; wrong=1; }
		done
		[ -f "${plan%plan}cell.sh" ] || { echo "$plan: no cell.sh beside it"; wrong=1; }
		grep -vE "^(#|\$|[ 	]|($words)  *[^ ])" "$plan" && wrong=1
		awk -v f="$plan" 'length > 132 { print f ": " $0; wrong = 1 } END { exit wrong }' "$plan" || wrong=1
	done
	[ "$wrong" = 0 ]
}

@test "every experiment accepts its defaults, also with --quick, and refuses a wrong value of an option in one line" {
	local plan words name wrong=0
	for plan in "${every_plan[@]}"; do
		plan=${plan%/plan} name=${plan##*/}
		echo >words
		for words in quick demo; do if grep -q "$words" "$plan/plan"; then echo "--$words" >>words; fi; done
		# an experiment that reports late keys must have --threshold
		if grep -qiE 'threshold_ms|late_share' "$plan"/{cell.sh,analysis.py}; then
			echo '--threshold typing' >>words
		fi
		in_engine "$name" "$trying"'while IFS= read -r text; do accepts; done
			declare -A seen=()	# a check without --all tries one option of each type
			for words in "${OPTIONS[@]}"; do
				[ "${TEST_TIER-all}" = all ] || [ -z "${seen[${OPT[$words.type]}]-}" ] || continue
				seen[${OPT[$words.type]}]=1
				case ${OPT[$words.type]} in
				flag | text | text-list*) [[ " link queue on server-memory resume " == *" $words "* ]] || continue ;;
				esac
				text="--$words @@"
				# each of the protocols would be asked
				[[ -z ${OPT[protocol.type]-} || $words == protocol ]] || text+=" --protocol x11"
				refuses
			done
			exit "$failed"' <words || wrong=1
	done
	[ "$wrong" = 0 ]
}

@test "--threshold takes a time or any name in data/thresholds.tsv, also one of a line that was added" {
	echo 'use threshold crisp' >>plan
	export DO='plan_settings | jq -c "[.threshold, .threshold_ms]"'
	plan
	[ "$output" = '["crisp",150]' ]
	plan --threshold 0.2s
	[ "$output" = '[null,200]' ]
	plan --threshold 42.5ms
	[ "$output" = '[null,42.5]' ]
	while read -r name ms; do
		plan --threshold "$name"
		[ "$output" = "[\"$name\",$ms]" ]
	done < <(awk -F'\t' '$4 == "ms" { print $2, $3 }' "$TOP/data/thresholds.tsv")
	for name in perception typing pointer; do grep -q "^thresholds/1	$name	[0-9]*	ms	[A-Z].*	" \
		"$TOP/data/thresholds.tsv"; done
	refused '--threshold mine: must be a time such as 150ms, or one of: perception (100 ms), ' --threshold mine
	# lines of the table that are no time (scores, shares) are no names for it
	refused '--threshold apdex_good: must be a time' --threshold apdex_good
	refused '--threshold 0: must be a number from 1 to 60000, in ms' --threshold 0
	refused '--threshold 61s' --threshold 61s
	refused '--threshold 42.5: which unit? 42.5ms or 42.5s' --threshold 42.5
	refused_now
	rm home/data
	mkdir home/data
	{ cat "$TOP/data/thresholds.tsv"; printf 'thresholds/1\tmine\t77\tms\tours\t\n'; } >home/data/thresholds.tsv
	plan --threshold mine
	[ "$output" = '["mine",77]' ]
}

@test "no plan sets threshold_ms itself: the threshold is always an option" {
	local plans
	mapfile -t plans < <(in_trees 'experiments/*/plan' 'experiments/families/*.plan')
	[ "${#plans[@]}" -gt 10 ]
	run -1 grep -lE '^setting +threshold_ms' "${plans[@]}"
}

@test "list --papers has every experiment, and the paper's figures before its description" {
	run "$TOP/thinprobe" list --papers
	[ "$status" = 0 ]
	for plan in "${every_plan[@]}"; do
		plan=${plan%/plan}
		[ "$(grep -c "^${plan##*/}  *[0-9]" <<<"$output")" = 1 ]
	done
	[ -z "$(awk 'length > 80' <<<"$output")" ]
	[[ $(sed -z 's/\n  */ /g' <<<"$output") == *"Wong & Seltzer 2000, Figs. 3 and 4: echo of a repeated key"* ]]
}

@test "run.sh ends with 130 if its keeper (keep.sh) is gone at the start; without a keeper it starts one" {
	EXP_KEPT=1 run "$TOP/experiments/engine/run.sh" calibrate --help
	[ "$status" = 130 ]
	[ -z "$output" ]
	run env -u EXP_KEPT "$TOP/experiments/engine/run.sh" calibrate --help
	[ "$status" = 0 ]
	[[ $output == *"usage: thinprobe calibrate"* ]]
}

@test "new --help prints the usage; a name of over 60 letters is refused in one line" {
	for words in --help 'experiment --help' 'protocol x -h'; do
		# shellcheck disable=SC2086 # words
		run "$TOP/thinprobe" new $words
		[ "$status" = 0 ]
		[[ $output == "usage: thinprobe new experiment NAME"* ]]
	done
	run "$TOP/thinprobe" new experiment "$(printf 'a%.0s' {1..61})"
	[ "$status" = 2 ]
	[[ ${#lines[@]} = 1 && $output == *"at most 60 letters" ]]
}

@test "the build before a report needs no temporary file, which a signal could leave behind" {
	mkdir run
	echo '{}' >run/run.json
	TMPDIR=$PWD/none run -1 "$TOP/thinprobe" report run
	[[ ${#lines[@]} = 1 && $output == "thinprobe: "*run.json* ]]
	[[ $output != *"temporary file"* && $output != *mktemp* ]]
}

@test "setup --app refuses an unknown application" {
	run "$TOP/thinprobe" setup --app nosuch
	[ "$status" = 2 ]
	[[ $output == "thinprobe: no application nosuch; there are: "*desktop* ]]
	run "$TOP/thinprobe" setup --app
	[ "$status" = 2 ]
}

@test "--protocol refuses a protocol that is given twice, also as the name of its default variant" {
	printf 'is given twice\t--protocol %s\n' vnc,vnc:xvnc vnc:,vnc nx:proxy,nx | refused_each stalls
	accepted stalls <<<'--protocol vnc,vnc:viewer'
}

@test "a protocol plug-in that cannot start sets status and reason; its driver continues, or ends with 4 under must" {
	local name
	for name in nx rdp spice ssh vnc x11 xpra; do
		run -4 bash -c '. "$0/lab/lib.sh"; protocol_use "$1"; plugin=$1
			protocol_can() { echo "no $plugin here"; return 1; }
			protocol_start one || echo "$LAB_STATUS: $LAB_WHY"; must protocol_start one' "$TOP" "$name"
		[ "$output" = $'4: no '"$name"$' here\nlab: no '"$name here" ]
	done
}

# Prints the scripts that run in a driver's shell.
driver_files() {
	TP_HOME=. in_trees 'experiments/*/*.sh' | grep -vE '/(engine/keep|commands/[a-z_]*)\.sh$'
}

@test "docs/experiment-hooks.md lists exactly the hooks that there are" {
	local work=$PWD
	cd "$TOP"
	[ -d kits ] || skip "no kits here"
	driver_files | xargs grep -oE '^[[:space:]]*[a-z]+_[a-z_]+\(\)' | sed -E 's/:[[:space:]]*/ /; s/\(\)//' |
		sort -u >"$work/defined"
	# hooks: functions that the engine calls, and that an experiment or at least two of the engine's files define
	driver_files | grep -E '/(engine|families)/' | xargs grep -ohE '[a-z]+_[a-z_]+' | sort -u >"$work/called"
	awk 'NR == FNR { called[$1] = 1; next } !($2 in called) || $2 == "app_can" { next }
		$1 !~ /\/(engine|families)\// { print $2; next } again[$2]++ { print $2 }' "$work/called" "$work/defined" |
			sort -u >"$work/hooks"
	grep -oE '`[a-z]+_[a-z_]+`' docs/experiment-hooks.md | tr -d '`' | sort -u >"$work/named"
	run -1 grep -vxFf "$work/named" "$work/hooks"
	sed -nE 's/^\| `([a-z_]+)`.*/\1/p' docs/experiment-hooks.md >"$work/rows"
	run -1 grep -vxFf "$work/hooks" "$work/rows"
	for file in hooks rows; do [ "$(wc -l <"$work/$file")" -ge 30 ]; done
}

@test "docs/experiment-hooks.md lists exactly the variables that files of the engine share with other files" {
	local work=$PWD file plans
	cd "$TOP"
	[ -d kits ] || skip "no kits here"
	for file in $(driver_files); do
		sed -E 's/(^|[[:space:]])#.*//' "$file" |
			grep -oE '\$\{?[#!]?[A-Z][A-Z0-9_]+|(^|[[:space:];({])[A-Z][A-Z0-9_]+(\[[^]]*\])?\+?=' |
			grep -oE '[A-Z][A-Z0-9_]+' | sort -u | sed "s,\$, $file,"
	done | awk '{ n[$1]++; shared[$1] += $2 ~ /\/(engine|families)\// } END { for (v in n) if (n[v] > 1 && shared[v]) print v }' \
		>"$work/all"
	# except variables of plans, of the lab, of plug-ins and of the shell
	plans=$(TP_HOME=. in_trees 'experiments/*/plan' 'experiments/families/*.plan' \
		experiments/engine/options 'experiments/families/options')
	sed -nE 's/^(option|use) +([a-z.,-]+).*/\2/p' $plans | tr , '\n' |
		tr 'a-z-' 'A-Z_' |
		sed 'p; s/$/S/' >"$work/options"
	grep -ohE '\bvar=[A-Z_]+' $plans | cut -d= -f2 >>"$work/options"
	grep -vxFf "$work/options" "$work/all" | grep -vE '^(LAB|PROTOCOL|TP|VIEWER|GUEST|ATTACH|EXIT|MACHINE|BASH|EPOCH)[A-Z_]*$' |
		grep -vxE 'P|EUID|SECONDS|OPTARG|OPTIND|PATH|HOME|DISPLAY|PPID|PWD|IFS|LC_ALL|NF|NR|FNR|OFS|REPLY|XAUTHORITY|SAL_USE_VCLPLUGIN' |
		sort -u >"$work/variables"
	sed -nE 's/^\| `([A-Z][A-Z0-9_]+)`.*/\1/p' docs/experiment-hooks.md | sort -u >"$work/named"
	diff "$work/variables" "$work/named"
	[ "$(wc -l <"$work/named")" -lt 100 ]
}

@test "--until-sure repeats until nothing is open; what more keys do not tell, or no time, is told in a line and by the status" {
	local script='
		. "$TOP/experiments/engine/sure.sh"
		stopped() { false; }; run_set() { :; }; cells_run() { :; }; warn() { echo "$*"; }; now_s() { NOW_S=$SECONDS; }
		looks=("$@") EXP_LOST="" UNTIL_SURE=p90,20%,$TIME CELLS=(a b) REPEATS=5 SURE=0
		sure_look() { IFS="|" read -r OPEN WHY UNTOLD <<<"${looks[0]}"; looks=("${looks[@]:1}"); }
		sure_more 0; echo "repeats $REPEATS status $SURE"'
	TOP=$TOP TIME=1h bash -c "$script" sh '2|too few keys|' '1|narrow enough once|' '0||' >known
	TOP=$TOP TIME=1h bash -c "$script" sh '1|too few keys|a range in 1 condition' '0||a range in 2 conditions' >untold
	TOP=$TOP TIME=0s bash -c 'SECONDS=9; '"$script" sh '1|± 30 %|' >late
	cat known untold late
	[ "$(tail -n 1 known)" = "repeats 7 status 0" ]
	[ "$(tail -n 1 untold)" = "repeats 6 status 3" ]
	grep -q 'p90 is a range in 2 conditions' untold
	[ "$(tail -n 1 late)" = "repeats 5 status 3" ]
}

# Lines "EXPERIMENT|OPTIONS|OPTIONS...": each OPTIONS is refused, and the message names its first option.
refusals() {
	cat <<-'END'
		browse|--page nosuch|--page plain,plain|--scheme nosuch|--job nosuch|--think-time 0|--protocol null
		calibrate|--on attach::0,x
		capacity|--criteria p99:80ms|--criteria p95:80|--criteria apdex:1.5
		cpuspeed|--trace nowhere|--scale 2|--tolerance 256
		diskload|--disk fast|--confidence 2
		iosched|--disk slow:4|--takes 3|--takes 4 --disk file --on ssh:a,b
		launch|--app nosuch|--trace nosuch|--scheme nosuch|--scheme L,L|--job sideways|--threads 0|--place nowhere
		paging|--swap disk|--swap slow:2|--swap file,file|--private-copies --sessions plain|--server-memory none|--protocol null
		protocols|--protocol vnc:refecho|--work text --on attach::0,x|--protocol attach
		rtt|--queue 5ms --on ssh:a,b|--queues fifo --on ssh:a,b|--link-by wire --on ssh:a,b|--links 1Mbit,2Mbit --on ssh:a,b
		slowreplay|--over fast|--over dsl --factor 3|--over dial-up|--over 1Mbit,5ms,1ms
		stalls|--loads 1,x|--time 0|--repeat 0|--app word|--protocol smoke|--regime x|--on mars:|--on ssh:a,b,c,d|--nonsense
		stalls|--resume /nowhere|--link 10Mbit,5|--link 10Mbit,5ms,1|--link 10Mbit,5ms,1ms,1,1|--link 10Mbit,5ms,1ms,100%
		stalls|--until-sure p98|--until-sure p99,10|--until-sure p99,10%,1d|--until-sure p99,,5m
		stalls|--queue 5 --link 10Mbit|--queue 5ms --link none|--queue 5ms --on ssh:a,b
		stalls|--server-memory much|--server-memory 1M|--swap floppy --server-memory 64M|--swap slow:fast --server-memory 64M
		stalls|--swap-size 0 --server-memory 64M|--swap zram --server-memory 64M --on attach::0,0x1
		startup|--app nosuch|--app mousepad,mousepad|--axis sideways|--used 16,x|--left 100,0|--swap floppy|--swap slow|--loads 0
		startup|--reads x|--disk floppy|--server-memory none|--profile /nowhere|--profile profile.tsv|--protocol null
		users|--clients 0|--clients host|--clients host,-x --on ssh:a,b
		video|--geometry big|--geometry 12x12|--scheme nosuch|--job nosuch|--time 1|--press 0|--protocol null
		wan|--protocol x11 --on attach::0,x|--rtt 10ms --on attach::0,x
		wan|--rtt 10ms --on ssh:a,b|--loss 1 --on ssh:a,b|--loss-rtt 5ms --on ssh:a,b|--link 10Mbit --on ssh:a,b
	END
}

@test "wrong and contradictory options are refused in one line that names the first; no run folder is made" {
	local experiment wrong=0
	printf 'a\tb\n' >profile.tsv
	for experiment in $(refusals | cut -d'|' -f1 | sort -u); do
		[ -n "$(in_trees "experiments/$experiment/plan")" ] || continue
		refusals | sed -n "s/^$experiment|//p" | tr '|' '\n' | sed 's/^[^ ]*/&\t&/' | refused_each "$experiment" || wrong=1
	done
	[ "$wrong" = 0 ]
	run -2 --separate-stderr "$TOP/experiments/engine/run.sh" stalls --loads 1,x -o run
	[ -z "$output" ]
	[ "${#stderr_lines[@]}" = 1 ]
	[ ! -e run ]
}

@test "--link accepts rate, delay, jitter and loss; capacity --criteria accepts times and scores" {
	local experiment words
	accepted stalls <<-'END'
		--link none
		--link 10Mbit
		--link 2.5Gbit,0
		--link 10Mbit,5ms
		--link none,5ms,200us
		--link 64Kbit,1.5s,5ms,0.5%
		--link 10Mbit,5ms,0,2
		--link 10Mbit --queue 20ms
		--server-memory 1.5G --swap slow:2.5ms --swap-size 3G
	END
	while IFS='|' read -r experiment words; do
		[ -z "$(in_trees "experiments/$experiment/plan")" ] || accepted "$experiment" <<<"$words"
	done <<-'END'
		protocols|--protocol x11,vnc:viewer --work none --keys 20 --keep-captures
		protocols|--on attach::0,x --work none
		wan|--on attach::0,x --port 3389
		stalls|--on attach::0,x --modes hold --loads 0,5 --set-load 'x %d'
		capacity|--on ssh:server,me@client
		capacity|--criteria p95:80ms,apdex:1 --app light,heavy --most 3
	END
}

@test "screen updates without keys that could not be measured are null in run.json" {
	in_engine stalls 'pair_recall() { return 1; }; session_use() { :; }; exp_step() { :; }; lab_start() { LAB_PID_OF[$2]=1; }
		declare -A LAB_PID_OF; lab_wait() { return 1; }; warn() { :; }; pair_keep() { false; }
		run_set() { jq -n "${@:2}" "{} | $1"; }
		RUN=. SESSION_PROTOCOL[light]=vnc SESSION_APP[light]=light SESSION_TARGET[light]=vnc:x::1 SESSION_PORT[light]=""
		PROTOCOL_OPTIONS=(); measure_idle 12 light' >idle.json
	jq -e '.idle.light == {updates: null, seconds: 12}' idle.json
}

@test "--protocol each, all and each:PROPERTY stand for protocols that have the properties of the plan" {
	# shellcheck disable=SC2016 # another shell's
	expanded() { bash -c '. "$TOP/lab/lib.sh"; . "$TOP/experiments/engine/plan.sh"; PLAN[protocols]=$1
		plan_expand_protocols "$2"' expanded "$@" | tr , '\n'; }
	expanded '' all >every
	[ -s every ]
	run -1 grep -xE 'attach|null' every	# they send nothing over the link
	[ "$(expanded display each:view | sed 's/:.*//' | sort | uniq -d)" = "" ]
	expanded display each:view | grep -x vnc:viewer
	expanded display all | grep -x vnc:x11vnc
	run -1 grep -x vnc:refecho <(expanded display all)
	[ "$(expanded '' vnc,each:text,vnc,ssh | paste -sd ,)" = vnc,ssh ]
	# a kit's, too
	mkdir -p home/kits/toys/lab/protocols
	echo 'protocol_properties() { echo link toy; }' >home/kits/toys/lab/protocols/toy.sh
	[ "$(TP_HOME=$PWD/home expanded '' each:toy)" = toy ]
}

# The server's CPU is busy for 0.95 s of a second, and our processes ran for 0.1 s of it: another one has 85 %. What would be
# measured meanwhile is left out.
@test "every experiment asks what others took of the server's CPUs, and flags a busy loop beside it" {
	local plan stem
	# shellcheck disable=SC2016 # the engine's shell's
	local beside='. "$TP_HOME/lab/machine.sh"; LAB_DIED="" RUN=$PWD CELL=a CELL_JSON="{}"
		ON_BACKEND=lab LAB_NCPU_server=1 LAB_CPUS_server=0 LAB_CPUS_client=1 LAB_SHARED_CPUS=0
		asks() { declare -f $(compgen -A function | grep -vxE "asks|cpu_(begin|end)") | grep -qE "^ +cpu_end|lab_cpu server"; }
		asks || echo "does not ask"
		put_json() { cat >"$1"; }
		run_set() { unknown=1; }
		stopped() { return 1; }
		lab_query() { return "${unseen-0}"; }
		lab_cpu() { [ -e asked ] && echo "1000000000 950000000 0 100000000" || echo "0 0 0 0"; }
		cpu_of_client() { :; }
		case $(declare -f exp_measure) in *exp_run*) ;; *) exit ;; esac	# it has its own: asks looks at it
		exp_run() { rm -f asked; [ -z "${served-}" ] || exp_served; cpu_begin; : >asked; cpu_end; }
		if declare -f exp_ran | grep "FOREIGN=null"; then exit; fi
		exp_stop() { :; }
		exp_ran() { :; }
		exp_measure a 1 cell
		jq -r "\"\(.foreign_percent) \(.marked)${unknown+ unknown}\"" cell/cell.json'
	for plan in "${every_plan[@]}"; do
		stem=$(basename "$(dirname "$plan")")
		rm -rf cell
		TP_HOME=$TOP in_engine "$stem" "$beside" >out 2>err || { cat err; false; }
		echo "$stem: $(cat out err)"
		grep -qxE '85 foreign CPU time 85.00 .*' out || [ ! -s out ]
		[ ! -s err ]
	done
	# with swap of the lab's, where the kernel's threads cannot be seen, nothing is flagged, and the run says so
	TP_HOME=$TOP in_engine paging "served=1 unseen=1; $beside" >out
	[ "$(cat out)" = "null  unknown" ]
}
