#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The front door: help by question, lists, names that were nearly right.

bats_require_minimum_version 1.5.0

setup() {
	export TOP=${BATS_TEST_DIRNAME%/tests/cli}
	TOOLS=$(TP_HOME=$TOP; . "$TOP/lab/trees.sh"; program_names | xargs)
	EXPERIMENTS=$(TP_HOME=$TOP; . "$TOP/lab/trees.sh"; experiments)
	cd "$BATS_TEST_TMPDIR" || return 1
}

thinprobe() { "$TOP/thinprobe" "$@"; }

narrow() { [ -z "$(awk 'length > 80' <<<"$output")" ]; }	# what `run` caught fits a terminal

@test "thinprobe: the first screen fits a terminal, and the experiments on it accept their options" {
	run -0 thinprobe --help
	narrow
	[ "${#lines[@]}" -le 24 ]
	n=0
	while read -r words; do
		# shellcheck disable=SC2086 # words
		"$TOP/experiments/engine/run.sh" $words --options-only
		n=$((n + 1))
	done < <(grep -oE 'thinprobe run .*' <<<"$output" | sed 's/thinprobe run //')
	[ "$n" -ge 3 ]
	for word in demo doctor list tools help; do grep -q "thinprobe $word" <<<"$output"; done
	run -2 thinprobe
	run -0 thinprobe help
}

@test "thinprobe: every command has --help, and help NAME prints the same" {
	local command
	thinprobe --help >front
	for command in setup check doctor run report calibrate list tools new lab; do
		run -0 thinprobe "$command" --help
		[[ ${lines[0]} == "usage: thinprobe $command"* ]]
		[ "$command" != run ] || continue	# its manual
		thinprobe help "$command" >help
		[ "$output" = "$(cat help)" ]
		run -1 cmp -s front help
	done
	run -0 thinprobe help attach
	[ "$output" = "$(cat "$TOP/docs/attach.md")" ]
	run -0 thinprobe help stalls
	[[ ${lines[0]} == "usage: thinprobe run stalls"* ]]
	for command in "demo --help" "help demo"; do
		run -0 thinprobe $command
		[[ ${lines[0]} == "usage: thinprobe demo"* ]]
		[ "${#lines[@]}" -lt 20 ]
	done
	narrow
}

@test "thinprobe: lists and the help of experiments are as narrow as the terminal" {
	local words
	for words in list "list --protocols" "list --papers" tools "doctor stalls" "run stalls --help"; do
		script -qc "stty cols 60; $TOP/thinprobe $words" typescript >seen </dev/null || [ $? = 4 ]
		tr -d '\r' <seen | awk -v words="$words" 'length > 60 { print words ": " $0; wide = 1 } END { exit wide || NR < 5 }'
	done
}

@test "thinprobe: --help of commands, programs, their commands and experiments fits a terminal" {
	local words n=0
	cd "$TOP" || return 1
	while read -r words; do
		# shellcheck disable=SC2086 # words
		run -0 $words --help
		awk -v of="$words" 'length > 80 { print of ": " $0 }' <<<"$output"
		narrow
		n=$((n + 1))
	done < <(
		printf 'thinprobe %s\n' setup check doctor demo run watch sweep cell report calibrate list tools new lab root completion \
			help sink
		printf 'thinprobe run %s\n' $EXPERIMENTS
		for words in $TOOLS; do
			echo "bin/$words"
			"bin/$words" --help | sed -nE "/^usage:.* COMMAND/,\$ s,^  ([a-z]+) .*,bin/$words \1,p"
		done
	)
	[ "$n" -gt 50 ]
}

@test "thinprobe: on a full or closed standard output status 1 and one line" {
	local command program
	cp -r "$TOP/results/reference/rtt" one
	tar --zstd -xf one/samples.tar.zst -C one
	rm one/samples.tar.zst
	jq 'del(.kept) | .cells |= .[:2]' one/run.json >new
	mv new one/run.json
	"$TOP/bin/summarize" -q -o summed one
	cp -r one two
	for command in "" --help "help run" list tools "run wan --help" "doctor --json" "compare one two --json" \
		"gate one --baseline two" "report one --table"; do
		run -1 bash -c '"$0" '"$command"' >/dev/full' "$TOP/thinprobe"
		[ "${#lines[@]}" = 1 ]
		[[ $output == *"standard output"* ]]
		run -1 bash -c '"$0" '"$command"' >&-' "$TOP/thinprobe"	# closed
		[ "${#lines[@]}" = 1 ]
		[[ $output == *"thinprobe: cannot write to standard output"* ]]
	done
	for program in sink prototap; do
		for command in --help --version; do
			run -1 bash -c '"$@" >/dev/full' - "$TOP/bin/$program" "$command"
			[ "$output" = "$program: cannot write to standard output: No space left on device" ]
		done
	done
	run -5 bash -c '"$0" "$@" >out' "$TOP/thinprobe" report one --fail-if 'load>=0'	# its own status stays
	[ -s out ]
}

@test "lab: a number of the environment that is none is refused, and not evaluated" {
	LAB_CPU_WAIT='a[$(touch ran)]' run -2 thinprobe lab clean
	THINPROBE_SSH_SESSIONS=0 run -2 thinprobe lab clean
	[ ! -e ran ]
}

@test "thinprobe help PROGRAM shows its manual" {
	command -v man >/dev/null || skip "man is not installed"
	MANPAGER=cat run -0 thinprobe help sink
	[[ $output == *"THINPROBE-SINK(1)"* ]]
	MANPAGER=cat run -0 thinprobe help thinprobe
	[[ $output == *"THINPROBE(1)"* ]]
	MANPAGER=cat run -0 thinprobe help run
	[[ $output == *"THINPROBE-RUN(7)"* ]]
	MANPAGER=cat run -0 thinprobe help formats
	[[ $output == *"THINPROBE-FORMATS(5)"* ]]
	run -2 thinprobe help "*"
}

@test "thinprobe list has every experiment once, with its question; tools has every program; both fit a terminal" {
	local name
	run -0 thinprobe list
	narrow
	for name in $EXPERIMENTS; do [ "$(grep -cE "^  $name +[0-9]+  [A-Z].*[?]$" <<<"$output")" = 1 ]; done
	run -0 thinprobe tools
	narrow
	for name in $TOOLS; do [ "$(grep -c "^  $name  *[a-z]" <<<"$output")" = 1 ]; done
	run -0 thinprobe list --json
	for name in $EXPERIMENTS; do
		jq -e --arg name "$name" 'map(select(.name == $name and (.question | endswith("?")) and .minutes > 0)) | length == 1' \
			<<<"$output"
	done
}

meant() {	# meant NAME WORD...: exit 2, one line that asks for NAME
	local name=$1
	shift
	run --separate-stderr -2 thinprobe "$@"
	echo "$* -> $output $stderr"
	[ "${#stderr_lines[@]}" = 1 ]
	[ -z "$output" ]
	[[ $stderr == *"did you mean $name?"* ]]
}

@test "thinprobe: for a misspelled name it asks whether the nearest name was meant" {
	meant run rnu
	meant sink snik
	meant "run stalls" stalls
	meant "run stalls" stall
	meant "run wan" wann
	meant --load sink --lod 3
	meant stalls run stall
	meant schedulers run schedul
	meant stalls help stals
	meant vnc setup --protocol vmc
	meant --protocol setup --protocl vnc
	meant desktop setup --app dekstop
	meant --papers list --paper
	meant --repeat run stalls --repaet 3
	meant spice run wan --protocol spcie
	meant cpu-idle run schedulers --settings cpu-idel
	meant stalls help stal
	meant dsl run wan --link dslr
	meant crisp run stalls --threshold crips
	meant attach help atach
}

@test "thinprobe: for a name unlike any other it suggests nothing" {
	local words
	for words in "bogus" "run nothinglike" "help nothinglike" "q" "sink --colour" \
		"run stalls --colour-of-the-sky" "setup --protocol telepathy"; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr -2 thinprobe $words
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr != *"did you mean"* ]]
	done
}

completed() {	# completed WORD...: what bash would offer for the last of these
	COMP_WORDS=(thinprobe "$@") COMP_CWORD=$# COMPREPLY=()
	_thinprobe
	printf '%s\n' "${COMPREPLY[@]}" | sort >got
}

@test "thinprobe check: a pattern without a test is refused in one line, before anything is installed" {
	local words
	for words in nosuchjob "cli/front nosuchjob" "--list nosuchjob"; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr thinprobe check $words
		[ "${#stderr_lines[@]}" = 1 ]
		[ -z "$output" ]
		[[ $stderr == *nosuchjob*unit/*experiments/*bats/cli/*asan/* ]]
	done
	run -0 thinprobe check --list front
	[ "$output" = bats/cli/front ]
}

@test "thinprobe check: GNOME's packages, which are for one test of --all, are installed for that alone" {
	mkdir bin
	printf '#!/bin/sh\nexit 1\n' | tee bin/dpkg-query >bin/apt-cache
	chmod 755 bin/*
	PATH=$PWD/bin:$PATH run -4 thinprobe check --no-install front
	[[ $output == *" weston "* && $output != *" mutter "* ]]
	PATH=$PWD/bin:$PATH run -4 thinprobe check --no-install --all front
	[[ $output == *" weston "* && $output == *" mutter "* ]]
}

@test "thinprobe protocols: says of each whether it can run here, and fits a terminal" {
	local name
	run -0 thinprobe list --protocols
	narrow
	for name in "$TOP"/lab/protocols/*.sh; do
		[ "$(grep -cE "^$(basename -s .sh "$name") +(yes|no)  " <<<"$output")" = 1 ]
	done
}

@test "thinprobe setup and demo accept an abbreviated --protocol" {
	run -2 --separate-stderr thinprobe setup --proto nosuch --no-install
	[[ $stderr == *"no protocol nosuch"* ]]
	run -2 --separate-stderr thinprobe setup --protocol= --no-install
	[[ $stderr == *"--protocol"* ]]
	run -2 --separate-stderr thinprobe setup --protocol vnc:nosuch --no-install
	[[ ${#stderr_lines[@]} = 1 && $stderr == *"no variant 'nosuch' of vnc"* ]]
	run -2 --separate-stderr thinprobe demo --proto=nosuch
	[[ $stderr == *"no protocol nosuch"* ]]
}

@test "thinprobe: a command refuses an option that is given twice, before anything else" {
	local words
	while read -r words; do
		# shellcheck disable=SC2086 # words
		run -2 --separate-stderr thinprobe $words
		echo "$words: $stderr"
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *twice* ]]
	done <<-'END'
		doctor --json --json
		list --papers --papers
		check --all --all
		setup --no-install --no-install
		setup --protocol vnc --prot=x11
		demo --protocol vnc --protocol x11
		run stalls --loads 1 --loads=5
		ab stalls --effect 5% --effect 6%
		ab stalls -o a --output-dir b
		compare a b --alpha 1 --alpha 2
		gallery -o a -o b
		sweep file --pairs a --pairs b
		watch --port 1 --port 2
		root make trixie --protocol vnc --protocol rdp
		lab up --swap none --swap file
		soak -t 1m --time 2m
	END
}

@test "completion: every option of --help, of programs and experiments, commands, names and values" {
	local name
	thinprobe completion >completion
	. ./completion
	completed ""
	for name in run doctor $TOOLS; do grep -qx "$name" got; done
	completed run ""
	[ "$(cat got)" = "$(tr ' ' '\n' <<<"$EXPERIMENTS" | sort)" ]
	for name in $TOOLS; do
		completed "$name" --
		"$TOP/bin/$name" --help | sed -nE 's/^ {2,6}(-[A-Za-z0-9], )?(--[a-z0-9-]+).*/\2/p' | sort -u >wanted
		[ -s wanted ]
		comm -23 wanted got >left_out
		[ ! -s left_out ]
	done
	for name in try sweep bundle root; do
		completed "$name" --
		# its own, not those of other commands that the text names
		thinprobe "$name" --help | sed -nE 's/^  (-[a-z], )?(--[a-z-]+).*/\2/p' | sort -u >wanted
		[ -s wanted ]
		comm -23 wanted got >left_out
		[ ! -s left_out ]
	done
	run -1 grep -E -- '--(a-root|b-root|app)' got
	for name in stalls wan; do
		completed run "$name" --
		thinprobe run "$name" --help | sed -nE 's/^  (-[a-z], )?(--[a-z0-9-]+).*/\2/p' | sort -u >wanted
		[ -s wanted ]
		comm -23 wanted got >left_out
		[ ! -s left_out ]
	done
	completed run stalls --ti
	[ "$(cat got)" = --time ]
	completed setup --no
	[ "$(cat got)" = --no-install ]
	completed demo --
	grep -qx -- --repeat got
}

@test "completion: values of options, also in lists, after = and partly typed; words that follow a command" {
	local words want
	thinprobe completion >completion
	. ./completion
	mkdir -p results/stalls/day results/wan/day results/stalls/other
	touch results/stalls/day/run.json results/wan/day/run.json
	while IFS='|' read -r words want; do
		# shellcheck disable=SC2086 # words, as readline takes them apart
		completed $words
		echo "$words: $(paste -sd ' ' got)"
		[ "$(paste -sd ' ' got)" = "$want" ]
	done <<-'END'
		run stalls --app h|heavy
		run wan --protocol x|x11 xpra
		run stalls --protocol vnc,x|vnc,x11 vnc,xpra
		run stalls --protocol = xp|xpra
		run stalls --protocol=xp|--protocol=xpra
		run stalls --protocol vnc : v|viewer
		run stalls --protocol = x11,vnc : v|viewer
		calibrate --protocol v|vnc vnc:refecho
		demo --threshold t|typing
		run wan --link d|dial-up dsl dsl-2005
		keyrepeat --watch n|none
		keyrepeat --format = j|json
		memhog --page 2|2M
		pagein -e h|hog
		refecho --answer-delay u|uniform:
		setup --app work,te|work,terminal
		lab u|up
		new e|experiment
		netload se|send serve
		help fo|formats
		sweep --engine p|parallel
		sweep --resume s|
		report results/s|results/stalls/day
		report results/stalls/day results/w|results/wan/day
		report results/stalls/day --fa|--fail-if
		compare results/stalls/day results/w|results/wan/day
		gate results/s --ba|--baseline
		gate results/stalls/day --baseline results/w|results/wan/day
		bundle results/w|results/wan/day
		export results/stalls/day --as h|hgrm
		export h|
		watch -i l|lo
		prototap live -i l|lo
		gallery no|
		gallery stalls|stalls stalls-protocols
		ab wa|wan
		run soak --ev|--every
		demo --no-i|--no-install
		run stalls --resume results/|results/stalls/day results/wan/day
		run stalls --resume=results/s|--resume=results/stalls/day
	END
}

@test "thinprobe: what builds for the first time says so, what is built does not" {
	mkdir -p new/src new/bin made
	cp -r "$TOP"/{thinprobe,lab} new/
	printf '#!/bin/sh\n' >made/make
	cp made/make new/bin/summarize
	chmod +x made/make
	cp made/make new/bin/gate
	touch new/Makefile
	PATH=$PWD/made:$PATH run -0 new/thinprobe gate
	[[ $output == *building* ]]
	export XDG_RUNTIME_DIR=$PWD
	PATH=$PWD/made:$PATH run new/thinprobe lab down
	[[ $output != *building* ]]
	PATH=$PWD/made:$PATH run -4 new/thinprobe lab up
	[[ $output == *building* ]]
	chmod +x new/bin/summarize
	PATH=$PWD/made:$PATH run -0 new/thinprobe gate
	[[ $output != *building* ]]
}

@test "setup: on a system whose C library is too old nothing is installed, and the oldest is named" {
	mkdir old
	printf '#!/bin/sh\necho glibc 2.35\n' >old/getconf
	printf '#!/bin/sh\ntouch %q/installed\n' "$PWD" >old/apt-get
	chmod +x old/*
	PATH=$PWD/old:$PATH run -4 thinprobe setup
	[[ ${#lines[@]} = 1 && $output == *2.35*2.36* && ! -e installed ]]
}

@test "doctor EXPERIMENT checks what its plan needs, also as JSON; for a misspelled name it suggests the nearest" {
	run thinprobe doctor stalls
	[ "$status" = 0 ] || [ "$status" = 4 ]
	narrow
	grep -q '^[a-z]*  *protocol vnc' <<<"$output"
	run -1 grep -q 'slow disk' <<<"$output"
	run thinprobe doctor --json stalls
	[ "$status" = 0 ] || [ "$status" = 4 ]
	jq -e --arg status "$status" '.schema == "thinprobe.doctor/1" and .experiment == "stalls" and (.rows | length) > 5
		and all(.rows[]; (.state | IN("yes", "part", "no")) and .what != "" and .why != "")
		and .can_measure == ($status == "0")' <<<"$output"
	meant stalls doctor stals
	meant --json doctor --jsn
}

@test "doctor EXPERIMENT: without root, what needs it cannot run, and what needs it for some settings can" {
	mkdir user
	printf '#!/bin/sh\necho 1000\n' >user/id
	chmod +x user/id
	for each in paging:no schedulers:part; do
		PATH=$PWD/user:$PATH thinprobe doctor --json "${each%:*}" >said || [ $? = 4 ]
		jq -e --arg state "${each#*:}" '.rows[] | select(.what == "root") | .state == $state' said
	done
}

@test "help says nothing of a reader that has enough" {
	exec {gone}> >(:)
	wait $!
	"$TOP/thinprobe" --help >&"$gone" 2>said || [ $? = 141 ]
	[ ! -s said ]
}

@test "list --protocols: setup is named as the cure only where it may be one" {
	local release why
	# shellcheck source=/dev/null
	release=$(. /etc/os-release && echo "${NAME%% *} $VERSION_ID")
	mkdir home
	cp -r "$TOP/lab" "$TOP/experiments" "$TOP/data" home/
	ln -s "$TOP/bin" home/bin
	printf 'protocol:none\tno-such-package\tno-such-program\n' >home/packages
	for why in "is missing:1" "is missing; another has it, $release has not:0" "is old: thinprobe root make trixie:0" \
		"is missing; Plan 9 has not:1"; do
		printf 'protocol_about() { echo x; }\nprotocol_can() { echo "%s"; return 1; }\n' "${why%:*}" >home/lab/protocols/none.sh
		TP_HOME=$PWD/home home/experiments/commands/list.sh --protocols >said
		tr -s ' \n' ' ' <said >joined
		grep -q "x: ${why%:*}" joined
		[ "$(grep -c "setup --protocol none)" joined)" = "${why##*:}" ]
	done
}

@test "doctor: where there is no display, a client's window has its cure" {
	env -u DISPLAY -u WAYLAND_DISPLAY "$TOP/thinprobe" doctor --json >said || [ $? = 4 ]
	jq -e '.rows[] | select(.what | startswith("a client")) | .state == "part" and (.why | test("no X display"))
		and (.cure | startswith("--own-display COMMAND "))' said
}

@test "doctor: a missing program gives 'no', a cure and exit status 4; a protocol that cannot run is counted once" {
	mkdir home
	cp -r "$TOP/lab" "$TOP/experiments" "$TOP/data" home/
	ln -s "$TOP/bin" home/bin
	printf 'run\tno-such-package\tno-such-program\n' >home/packages
	TP_HOME=$PWD/home TP_CHECKOUT=0 run -4 home/lab/doctor.sh stalls
	[[ $output == *"no-such-program (package no-such-package)"* && $output == *"cure: thinprobe setup"* ]]
	TP_HOME=$PWD/home TP_CHECKOUT=0 run -4 home/lab/doctor.sh --json stalls
	jq -e '.can_measure == false and any(.rows[]; .state == "no" and .cure == "thinprobe setup")' <<<"$output"
	printf "app:slurm\tno-such-package\tno-such-program\n" >home/packages
	mkdir cluster
	printf '#!/bin/sh\n' >cluster/sinfo	# one answers, whatever is installed here
	chmod +x cluster/sinfo
	PATH=$PWD/cluster:$PATH TP_HOME=$PWD/home TP_CHECKOUT=0 home/lab/doctor.sh --json >all || [ $? = 4 ]
	jq -e 'any(.rows[]; .state == "part" and .cure == "thinprobe setup --app slurm")' all
	absent=$(thinprobe list --protocols | awk 'NR > 1 && !/^ / && $2 == "no" { print $1 }' | paste -sd ' ')
	[ -z "$absent" ] || jq -e --arg absent "$absent" 'any(.rows[]; .what == "other display protocols" and .why == $absent)' all
}
