#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# sweep and cell: which cells a file asks for, and words that they refuse. (tests/e2e/sweep.bats measures some.)

bats_require_minimum_version 1.5.0

setup() {
	TOP=${BATS_TEST_DIRNAME%/tests/cli}
	engine=$TOP/experiments/engine commands=$TOP/experiments/commands
	cd "$BATS_TEST_TMPDIR" || return 1
}

# refused STATUS WORDS COMMAND...: in one line that has these words; nothing is left of it here
refused() {
	local want=$1 words=$2
	run --separate-stderr "${@:3}"
	[ "$status" = "$want" ] && [ -z "$output" ] && [ "${#stderr_lines[@]}" = 1 ] && [[ $stderr == *"$words"* ]] &&
		[ ! -e out ] ||
		{ echo "${*:3} -> $status $output $stderr" >&2; return 1; }
}

sweep() { printf '%s\n' "${@:2}" >file; "$commands/sweep.sh" file --list | cut -f1 | sort | paste -sd ' '; }

@test "sweep: axes are crossed within a run; other settings make a run for each value; repeats come last" {
	[ "$(sweep file 'experiment stalls' 'app light' 'loads 0 3' 'repeat 1 2')" = \
		"stalls/vnc-light-0.1 stalls/vnc-light-0.2 stalls/vnc-light-3.1 stalls/vnc-light-3.2" ]
	[ "$(sweep file 'experiment stalls' '# what' 'app: light' 'loads 5' 'repeat 1' 'link none dsl' 'time 2')" = \
		"stalls,link=dsl/vnc-light-5.1 stalls,link=none/vnc-light-5.1" ]
	[ "$(sweep file 'experiment stalls' 'protocol vnc x11' 'app heavy' 'loads 0' 'repeat 1' 'time 2 3' | wc -w)" = 4 ]
}

@test "sweep: a file may lack the last line end, and may have CRLF line ends" {
	printf 'experiment stalls\napp light\nrepeat 1\nloads 0' >file
	[ "$("$commands/sweep.sh" file --list | cut -f1)" = stalls/vnc-light-0.1 ]
	printf '%s\r\n' 'experiment stalls' 'app light' 'repeat 1' 'loads 0' quick >file
	[ "$("$commands/sweep.sh" file --list | cut -f1)" = stalls/vnc-light-0.1 ]
}

@test "sweep: cells of one run and repeat are measured together, at most eight, several turns a pair; cell takes no others" {
	groups() {
		printf '%s\n' "${@:2}" | bash -c "$(sed -n '/^sweep_groups()/,/^}/p' "$commands/sweep.sh"); sweep_groups $1" | paste -sd '|'
	}
	[ "$(groups 4 r/a.1 r/b.1 r/a.2 r/b.2)" = "r/a.1|r/b.1|r/a.2|r/b.2" ]
	[ "$(groups 2 r/a.1 r/b.1 r/c.1 r/a.2 r/b.2 r/c.2)" = "r/a.1 r/b.1 r/c.1|r/a.2 r/b.2 r/c.2" ]
	[ "$(groups 2 r/a.1 r/b.1 s/a.1)" = "r/a.1 r/b.1|s/a.1" ]
	[ "$(groups 1 r/{1..9}.1)" = "r/1.1 r/2.1 r/3.1 r/4.1 r/5.1|r/6.1 r/7.1 r/8.1 r/9.1" ]
	[ "$(groups 8 r/{a,b,c,d}.1 r/{a,b,c,d}.2 r/{a,b,c,d}.3 r/{a,b,c,d}.4 r/{a,b,c,d}.5 | tr '|' '\n' | sort -u | wc -l)" = 5 ]
	mkdir sweep
	touch sweep/sweep
	mkdir sweep/r
	echo '{"settings": {"repeats": 2}, "cells": [{"name": "a"}, {"name": "b"}]}' >sweep/r/run.json
	refused 2 "no cell of this sweep" "$commands/sweep_cell.sh" r/a.01 --sweep sweep
	refused 2 "another run or repeat" "$commands/sweep_cell.sh" r/a.1 r/b.2 --sweep sweep
	refused 2 "no cell of this sweep" "$commands/sweep_cell.sh" "r/a.1 r/c.1" --sweep sweep
}

@test "sweep --list makes no files" {
	sweep file 'experiment stalls' 'loads 0' 'repeat 1'
	[ "$(ls)" = file ]
}

@test "sweep --list: below a folder whose name has two lines it removes its own folder, and not one of the first line's name" {
	printf '%s\n' 'experiment stalls' 'loads 0' 'repeat 1' >file
	mkdir tmp $'tmp\nsecond line'
	touch tmp/kept
	TMPDIR=$PWD/$'tmp\nsecond line' run "$commands/sweep.sh" file --list
	[ -e tmp/kept ]
	[ -z "$(ls -A $'tmp\nsecond line')" ]
}

@test "what is done at the end has its words as they were given, the last first" {
	run bash -c '. "$1/lab/lib.sh"; said() { printf "<%s>" "$@"; }; on_exit said one; on_exit said "2 words" "" "two
lines" "*"; on_exit said; exit 7' sh "$TOP"
	[ "$status" -eq 7 ]
	[ "$output" = $'<><2 words><><two\nlines><*><one>' ]
}

@test "sweep: a file with an unknown option or a wrong value is refused, with the line" {
	local words text
	while IFS='|' read -r words text; do
		printf "$text" >file
		refused 2 "$words" "$commands/sweep.sh" file -o out
	done <<-'END'
		experiment NAME|loads 0
		stalls|experiment stals
		line 2|experiment stalls\nload 0
		loads zero|experiment stalls\nloads zero
		line 3|experiment stalls\nloads 0\nloads 1
		repeat 2|experiment stalls\nrepeat 2 4
		one experiment|experiment stalls\nexperiment wan
		one experiment|experiment stalls wan
		no setting on|experiment stalls\non ssh:a
	END
	[[ $stderr != *'mean on?'* ]]
	refused 2 'no file' "$commands/sweep.sh" gone -o out
	echo 'experiment stalls' >file
	refused 1 'cannot make' "$commands/sweep.sh" file -o file/out
}

@test "sweep -o: a folder that is not empty is refused and stays unchanged" {
	printf '%s\n' 'experiment stalls' 'loads zero' >file
	mkdir -p old/stalls
	echo mine >old/stalls/data
	refused 2 'not empty' "$commands/sweep.sh" file -o old
	[ "$(cat old/stalls/data)" = mine ]
	echo >old/sweep
	refused 2 '--resume' "$commands/sweep.sh" file -o old --list
}

@test "sweep --resume: an edited file is refused; an added comment is not" {
	printf '%s\n' 'experiment stalls' 'app light' 'loads 0' 'repeat 1' >file
	mkdir bin
	printf '%s\n' '#!/bin/sh' 'exit 0' >bin/parallel	# measures nothing
	chmod 755 bin/parallel
	PATH=$PWD/bin:$PATH run "$commands/sweep.sh" file -o out
	[ "$status" = 3 ]
	echo '# why' >>out/sweep
	"$commands/sweep.sh" --resume out --list | grep -q missing
	sed -i 's/loads 0/loads 0 5/' out/sweep
	run "$commands/sweep.sh" --resume out --list
	[ "$status" = 2 ]
	[[ $output == *edited* ]]
}

@test "sweep, cell: unknown words are refused" {
	printf '%s\n' 'experiment stalls' >file
	refused 2 'parallel or slurm' "$commands/sweep.sh" file --engine make -o out
	refused 2 'no folder of a sweep' "$commands/sweep.sh" --resume .
	refused 2 'goes on' "$commands/sweep.sh" file --resume .
	printf '%s\n' 'one two three' >pairs
	refused 2 'SERVER CLIENT' "$commands/sweep.sh" file --pairs pairs -o out
	echo '# none' >pairs
	refused 2 'names no hosts' "$commands/sweep.sh" file --pairs pairs -o out
	refused 2 'no folder of a sweep' "$commands/sweep_cell.sh" stalls/vnc-light-0.1
	refused 2 'which' "$commands/sweep_cell.sh"
}

@test "sweep, Slurm: an experiment whose conditions only the hosts tell is refused" {
	echo 'experiment schedulers' >file
	refused 2 'Slurm chooses them later' "$commands/sweep.sh" file --engine slurm --list
}

@test "sweep: what was measured for a pair of hosts is taken while its facts are the same, and stale when they change" {
	# shellcheck disable=SC2034 # measure.sh reads them
	local RUN=$PWD EXP_PAIR=$PWD/pair.json
	warn() { echo "$*" >&2; }
	put_json() { cat >"$1"; }
	. "$engine/measure.sh"
	facts() { jq -n --arg kernel "$1" '{version: "1", lab: {}, protocols: {vnc: {version: 1}, x11: {version: 1}},
		host: {kernel: "a", uptime_s: now, client: {kernel: ($kernel | if . == "" then null else . end), load: [now]}}}' >run.json; }
	facts a
	run ! pair_recall noise vnc
	pair_keep noise vnc '{"updates": 7}'
	pair_keep other vnc 1
	facts a
	[ "$(pair_recall noise vnc)" = '{"updates":7}' ]
	[ "$(pair_recall other vnc)" = 1 ]
	# a fact that could not be found out is not a changed one
	facts ''
	[ "$(pair_recall noise vnc)" = '{"updates":7}' ]
	facts b
	run --separate-stderr pair_recall noise vnc
	[ "$status" = 1 ]
	[ -z "$output" ]
	[[ $stderr == *noise*changed:\ client.kernel ]]
	pair_keep noise vnc '{"updates": 8}'
	[ "$(pair_recall noise vnc)" = '{"updates":8}' ]
	run ! pair_recall other vnc
	jq '.protocols.vnc.version = 2' run.json >new
	mv new run.json
	run --separate-stderr pair_recall noise vnc
	[ "$status" = 1 ]
	[[ $stderr == *changed:\ protocol.version ]]
	unset EXP_PAIR	# an ordinary run keeps nothing
	pair_keep noise vnc 1
	run ! pair_recall noise vnc
	# neither does a damaged file keep a cell from being measured
	EXP_PAIR=$PWD/pair.json
	echo '{' >pair.json
	run ! pair_recall noise vnc
	pair_keep noise vnc 3
	[ "$(pair_recall noise vnc)" = 3 ]
}

@test "sweep: if the engine is not installed, it names the package, and makes no files" {
	mkdir bin
	ln -s -t bin /usr/bin/*
	rm -f bin/sbatch bin/parallel
	printf "%s\n" "experiment stalls" >file
	PATH=$PWD/bin refused 4 slurm-client "$commands/sweep.sh" file --engine slurm -o out
	PATH=$PWD/bin refused 4 "recommends parallel" "$commands/sweep.sh" file -o out
	PATH=$PWD/bin "$commands/sweep.sh" file --engine slurm --list | grep -q missing
	# it is there, but no cluster answers
	printf '%s\n' '#!/bin/sh' 'echo "sbatch: fatal: no controller" >&2' 'exit 1' >bin/sbatch
	chmod 755 bin/sbatch
	PATH=$PWD/bin refused 1 'no controller' "$commands/sweep.sh" file --engine slurm -o out
}

@test "sweep: what a cell waits for is said, once, and not from a log of an earlier cell" {
	mkdir -p bin
	cat >bin/parallel <<-'END'
		#!/bin/sh
		sleep 1
		echo "thinprobe: another lab uses the CPUs (run 7): waiting up to 300 s" >out/log/stalls_vnc.log
		sleep 7
	END
	chmod 755 bin/parallel
	printf '%s\n' 'experiment stalls' 'loads 0' 'repeat 1' >file
	PATH=$PWD/bin:$PATH run -3 "$commands/sweep.sh" file -o out
	[ "$(grep -c '^thinprobe: .*another lab uses the CPUs' <<<"$output")" = 1 ]
	sed -i '/^echo/d' bin/parallel
	PATH=$PWD/bin:$PATH run -3 "$commands/sweep.sh" --resume out
	run -1 grep 'another lab' <<<"$output"
	# cells of the emulated hosts are not those of real ones
	echo 'a b' >pairs
	PATH=$PWD/bin:$PATH run -2 "$commands/sweep.sh" --resume out --pairs pairs
	[[ $output == *"planned for emulated hosts"* ]]
	[ "$(<out/.pairs)" = lab ]
	run -2 "$commands/sweep_cell.sh" stalls/vnc-light-0.1 --sweep out --on ssh:a,b
	[[ $output == *"planned for emulated hosts"* ]]
}

@test "sweep: an Ansible inventory gives pairs of hosts if its two groups have the same size" {
	command -v ansible-inventory >/dev/null || skip "ansible-core is not installed"
	export ANSIBLE_LOCAL_TEMP=$PWD/local ANSIBLE_NOCOLOR=1
	printf '%s\n' 'thinprobe_servers: {hosts: {s1: {ansible_host: 10.0.0.1, ansible_user: bench}, s2: {}}}' \
		'thinprobe_clients: {hosts: {c1: {}}}' >hosts.yml
	printf '%s\n' 'experiment stalls' >file
	run -2 "$TOP/thinprobe" sweep file --pairs hosts.yml --list
	[[ $output == *thinprobe_clients* ]]
	sed -i 's/{c1: {}}/{c1: {}, c2: {}}/' hosts.yml
	"$TOP/thinprobe" sweep file --pairs hosts.yml --list >/dev/null
	echo '{' >hosts.yml
	run -2 "$TOP/thinprobe" sweep file --pairs hosts.yml --list
}
