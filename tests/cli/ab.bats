#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# ab: what is refused before anything is measured.

bats_require_minimum_version 1.5.0
load helpers

outside=()	# folders outside of TMPDIR
teardown() {
	end_started
	cd /
	rm -rf "${outside[@]}"
}

@test "ab: wrong options are refused in one line, and nothing is left" {
	local wanted words

	need jq
	while IFS=$'\t' read -r wanted words; do
		# shellcheck disable=SC2086 # words
		run -2 "$TOP/thinprobe" ab $words -o there
		[[ ${#lines[@]} = 1 && $output == *"$wanted"* ]] || { printf '%s: %s\n' "$words" "$output"; false; }
		[ ! -e there ]
	done <<-'END'
		which experiment? none	--a --quick
		which experiment? nothing	nothing --a --quick
		--effect 10:	stalls --effect 10
		--effect 0%:	stalls --effect 0%
		--alpha 0:	stalls --alpha 0
		--a ':	stalls --protocol vnc:refecho --loads 0 --a '
		different conditions	stalls --protocol vnc:refecho --a --loads=0,1 --b --loads=0,5
		--budget soon:	stalls --budget soon
		--pairs 0:	stalls --pairs 0
		--noise 101:	stalls --noise 101%
		--seed x:	stalls --seed x
		--metrics p50;p90:	stalls --metrics p50;p90
		--metrics nope	stalls --metrics p50,nope
		--repeat belongs	stalls --repeat 3
		--json: verdict.json in the folder of -o	stalls --json
		--a-server /nonexistent:	stalls --a-server /nonexistent
		--a-server is for	stalls --a-server /bin/true --on ssh:server,client
		--b-client /bin:	stalls --b-client /bin
		--a-root /nonexistent:	stalls --a-root /nonexistent
		--b-root /tmp:	stalls --b-root /tmp
		--b-root and --b-server:	stalls --b-root / --b-server /bin/sh
		--nonsense	stalls --nonsense
		--nonsense	stalls --b --nonsense
	END
	run -2 "$TOP/thinprobe" ab --resume "$BATS_TEST_TMPDIR"
	[[ $output == *"no comparison is there"* ]]
	for words in "--effect 5ms" "--b-server /bin/true"; do
		# shellcheck disable=SC2086 # words
		run -2 "$TOP/thinprobe" ab --resume there $words
		[[ $output == *"--resume goes on"* ]]
	done
}

@test "ab: a program that the emulated hosts do not reach is refused" {
	local file wanted

	need jq
	outside=("$(mktemp -d /tmp/ab-test.XXXXXX)" "$(mktemp -d /dev/shm/ab-test.XXXXXX)" "$(mktemp -d /var/tmp/ab-test.XXXXXX)")
	chmod 755 "${outside[@]}"
	mkdir "${outside[2]}/v1:2" held
	ln -s /bin/true "${outside[0]}/Xvnc"	# a link there, or to there
	cp /bin/true "${outside[1]}/Xvnc"
	ln -s "${outside[1]}/Xvnc" "${outside[2]}/Xvnc"
	cp /bin/true "${outside[2]}/v1:2/Xvnc"
	: >held/ab.json	# what is asked later is refused here
	while read -r file wanted; do
		run -2 "$TOP/thinprobe" ab stalls --loads 0 --b-server "$file/Xvnc" -o held
		[[ $output == *"/Xvnc: $wanted"* ]] || { printf '%s: %s\n' "$file" "$output"; false; }
	done <<-END
		${outside[0]} the emulated hosts have a /tmp and a /dev/shm of their own; put it elsewhere
		${outside[1]} the emulated hosts have a /tmp and a /dev/shm of their own; put it elsewhere
		${outside[2]} the emulated hosts have a /tmp and a /dev/shm of their own; put it elsewhere
		${outside[2]}/v1:2 its path has a colon
	END
}

@test "ab: a program that the protocol does not start is refused, with names that it starts and a protocol that starts it" {
	local wanted words name

	need jq
	mkdir bin
	for name in Xvnc x11vnc vncviewer server; do
		printf '#!/bin/sh\n' >bin/$name
		chmod 755 bin/$name
	done
	while IFS=$'\t' read -r wanted words; do
		# shellcheck disable=SC2086 # words
		run -2 "$TOP/thinprobe" ab stalls --loads 0 -o there $words
		[ "${#lines[@]}" = 1 ]
		[[ $output == *"$wanted"* ]] || { printf '%s: %s\n' "$words" "$output"; false; }
		[ ! -e there ]
	done <<-'END'
		vnc starts Xvnc as server, not x11vnc; give --protocol vnc:x11vnc	--b-server bin/x11vnc
		vnc starts Xvnc as server, not x11vnc	--a --protocol=vnc:x11vnc --b-server bin/x11vnc
		starts Xvfb or x11vnc as server, not Xvnc; give --protocol novnc	--protocol vnc:x11vnc --b-server bin/Xvnc
		vnc starts Xvnc as server, not server; make a link	--b-server bin/server
		vnc starts Xvnc as server, not true; make a link	--b-server /bin/true
		and give it, if it is an X server that speaks VNC; a server that draws by itself needs a plug-in	--b-server bin/server
		refecho starts nothing by name as server, not server; a plug-in of yours names it	--protocol vnc:refecho --b-server bin/server
		in protocol_can: lab_needs server:server:PACKAGE (docs	--protocol vnc:refecho --b-server bin/server
		starts nothing by name as client, not vncviewer; give --protocol vnc:viewer	--b-client bin/vncviewer
	END
	mkdir held	# what is asked later is refused here
	: >held/ab.json
	for words in "--b-server bin/Xvnc" "--protocol vnc:x11vnc --b-server bin/x11vnc" \
		"--protocol vnc:viewer --a-client bin/vncviewer"; do
		# shellcheck disable=SC2086 # words
		run -2 "$TOP/thinprobe" ab stalls --loads 0 -o held $words
		# (a /tmp: where this test lies)
		[[ $output == *@("holds a comparison already"|"hosts have a /tmp")* ]] || { printf '%s: %s\n' "$words" "$output"; false; }
	done
	run -2 "$TOP/thinprobe" ab stalls --loads 0 --metrics p50,late,wire_bytes_per_key -o held
	[[ $output == *"holds a comparison already"* ]]
}

# chosen OPTION...: what ab chooses for stalls: conditions of how many, and whether it names an application
chosen() (
	export TP_HOME=$TOP
	# shellcheck source=/dev/null
	. "$TOP/lab/lib.sh" && . "$TOP/experiments/engine/plan.sh" && . "$TOP/experiments/engine/folder.sh"
	# shellcheck disable=SC2034 # choose_blocks reads them
	EXPERIMENT=stalls BOTH=("$@") PAIRS=1 LIMIT=600 METRICS='' engine=$TOP/experiments/engine
	declare -A OWN=([a]='' [b]='')
	eval "$(sed -n '/^words_of() /p; /^choose_blocks() {/,/^}/p' "$TOP/experiments/commands/ab.sh")"
	choose_blocks
	echo "${PLANNED[0]} of ${PLANNED[1]}$([[ " ${ADDED[*]} " != *" --app "* ]] || echo ", --app")"
)

@test "ab: a protocol whose server is the application has one condition for each load" {
	[ "$(chosen --protocol vnc:refecho --loads 0)" = "1 of 1" ]
	[ "$(chosen --protocol vnc --loads 0)" = "2 of 2" ]
	[ "$(chosen --protocol vnc --loads 0,5,10)" = "3 of 6, --app" ]
	[ "$(chosen --protocol vnc:refecho --loads 0,5,10)" = "3 of 3" ]
}

@test "ab: a seed with zeros in front is decimal" {
	EFFECT=10% METRICS='' BUDGET=10m PAIRS=1 ALPHA=5 SEED=0000089 NOISE=''
	eval "$(sed -n '/^check_settings() {/,/^}/p; /^order_of/p' "$TOP/experiments/commands/ab.sh")"
	check_settings
	[ "$SEED" = 89 ]
	[ "$(order_of 1)" = 0 ]
}

@test "ab: options on several lines are read again" {
	need jq
	mkdir -p there/a there/b
	jq -n '{experiment: "nope", a: {options: "--protocol vnc\n--loads 0", server: "", client: ""},
		b: {options: "", server: "", client: ""},
		settings: {effect: "10%", metrics: "", pairs: 1, alpha_percent: 5, seed: 1}, starts: 0, measured_s: 0}' >there/ab.json
	echo '{"settings": {"repeats": 1}}' | tee there/a/run.json >there/b/run.json
	run -1 "$TOP/thinprobe" ab --resume there
	[[ $output == *"ab.json: nope is no experiment"* ]]
}

# made-up repeats of three starts of two pairs; two starts were counted, the third was interrupted when A had a block
@test "ab: what an interrupted start has left is measured anew" {
	local DIR=$PWD STARTS=2 PAIRS=2 FIRST=a
	local -A RUNNING=()

	need jq
	eval "$(sed -n '/^start_variant() {/,/^}/p' "$TOP/experiments/commands/ab.sh")"
	keep() { cat >"$1.new" && mv "$1.new" "$1"; }
	variant_run() { (cd "$1/cells" && echo */*) >"$1.had"; }
	for v in a b; do mkdir -p $v/cells/{x,y}/{1..5} && echo '{"settings": {"repeats": 6}}' >$v/run.json; done
	for v in a b; do start_variant "$v"; done
	wait
	for v in a b; do [ "$(<$v.had)" = "$(echo {x,y}/{1..4})" ]; done
}

@test "ab: a wait for another lab is shown once, and is no time of the comparison" {
	local DIR=$PWD stop='' WAITED=0 NOW_S past=0 shown=''

	eval "$(sed -n '/^comes_up() {/,/^}/p' "$TOP/experiments/commands/ab.sh")"
	alive() { :; }
	warn() { shown+="$*;"; }
	now_s() { NOW_S=$past; }
	nap() {
		past=$((past + 1))	# a second each time
		case $past in
		2) echo "thinprobe: another lab uses the CPUs (run 7): waiting up to 300 s" >>a.log ;;
		7) echo "lab: server on CPU 0" >>a.log ;;
		9) : >.turn-a.waits ;;
		esac
	}
	: >a.log
	comes_up a
	[ "$shown" = "another lab uses the CPUs (run 7): waiting up to 300 s;" ]
	[ "$WAITED" = 5 ]
}

# made-up blocks of 12 starts, with p50 only
@test "ab: metrics that a start does not measure are named once, and the others judged" {
	local DIR=$PWD TP_BIN=$BIN WHY='' STATUS said='' s more

	need jq
	eval "$(sed -n "/^ABSENT=/p; /^decide() {/,/^}/p" "$TOP/experiments/commands/ab.sh")"
	warn() { said+="$*;"; }
	die() { said+="died: $*;"; }
	asks() { jq -n --arg metrics "$1" '{settings: {effect: "10%", alpha_percent: 5, $metrics}}' >ab.json; }	# asks METRICS
	"$BIN/blocks" head >blocks.tsv
	for s in {1..12}; do
		printf 'blocks/1\t%s\t%s\t%s\tx\tlatency_p50_ms\tms\tlower\t%s.%s\t0\n' "$s" "$s" a 20 $((s % 3)) "$s" "$s" b 15 $((s % 4))
	done >>blocks.tsv
	asks p50,wire_latency_p50
	decide
	decide
	[ "$said" = "not measured with these options, so not judged: wire_latency_p50;" ]
	[ "$STATUS$WHY" = 0 ]
	jq -e '.result.verdict == "better" and .result.metrics == 1' verdict.json
	asks wire_latency_p50
	decide
	[[ $said == *";died: --metrics wire_latency_p50: not measured"*"there are latency_p50_ms;" ]]
	# later starts measure it (a metric with the same values would count once)
	asks p50,wire_latency_p50
	said=''
	more=$(awk -F'\t' -v OFS='\t' 'NR > 1 { $6 = "wire_" $6; $9 += $2 / 100; print }' blocks.tsv)
	echo "$more" >>blocks.tsv
	decide
	[ -z "$said" ]
	jq -e '.result.metrics == 2' verdict.json
}

# made-up blocks: of six, others disturbed three (on the server's CPUs, or on the client's); a flag for what was tested is none
@test "ab: beside a noisy neighbour it is too noisy, and the page names the blocks and what others did" {
	local v p marked client

	need jq cmark-gfm gnuplot
	"$BIN/blocks" head >blocks.tsv
	for p in 1 2 3; do
		for v in a b; do
			marked='the load was 3 Mbit/s' client=2
			case $v$p in
			a1 | b3) marked+=$'; foreign CPU time 48.20 %, stolen 0.00 %: over 3 %\e[31m' ;;
			b2) client=57 ;;
			esac
			mkdir -p "$v/cells/x/$p"
			jq -n --arg marked "$marked" --argjson client "$client" '{$marked, client_foreign_percent: $client, client_steal_percent: 1}' \
				>"$v/cells/x/$p/cell.json"
			[ -n "$("$BIN/blocks" why "$v" "$p")" ] && noisy=1 || noisy=0
			printf 'blocks/1\t%s\t%s\t%s\t%s\t%s\n' "$p" "$p" "$v" $'\t\t\t\t' "$noisy" \
				"$p" "$p" "$v" $'x\tlatency_p50_ms\tms\tlower\t1'"$p" "$noisy" >>blocks.tsv
			jq -n --arg v "$v" '{experiment: "stalls", started: "2026-01-01T00:00:00Z", host: {}, settings: {},
				programs: {vnc: "/opt/\($v)/Xvnc"}, lab: {shared_cpus: ($v == "b")}}' >"$v/run.json"
		done
	done
	jq -n '{experiment: "stalls", both: "", a: {options: ""}, b: {options: ""}, starts: 3, measured_s: 60,
		settings: {effect: "10%", pairs: 1, alpha_percent: 5}}' >ab.json
	run -3 "$BIN/judge" blocks.tsv --json -o verdict.json
	jq -e '.result | .verdict == "too noisy" and ([.disturbed[] | "\(.pair)\(.variant)"] == ["1a", "2b", "3b"])' verdict.json
	run -0 "$BIN/ab" page .
	[[ $output == *"3 of 6"*"1A 2B 3B"*"48.20"* ]]
	grep -q '2B.*58 %' report.md
	run -1 grep -q 'Mbit/s' report.md
	run -1 grep -q $'\e' report.md report.html
	grep -qxF '| in B | vnc /opt/b/Xvnc |' report.md
	grep -q 'is left out (here 3)' report.md
	grep -qx '3 starts, 6 blocks in 1 minute, 2026-01-01' report.md
	grep -q 'CPUs were shared with another lab' report.md
}

@test "ab: of a start that failed, the words are those of the variant that ended by itself" {
	local DIR=$PWD BROKEN=(b)

	eval "$(sed -n '/^last_said() /p; /^why_failed() {/,/^}/p' "$TOP/experiments/commands/ab.sh")"
	printf '%s\n' "not on this machine: real-time priority; it is late" >a.log
	printf '%s\n' "a note" "thinprobe: the server did not start: bad; see x" >b.log
	[ "$(why_failed)" = "B: the server did not start: bad; see x" ]
	BROKEN=(a b)
	[ "$(why_failed)" = "A: not on this machine: real-time priority; it is late; B: the server did not start: bad; see x" ]
}

@test "ab: while it is too noisy, it says nothing of further starts" {
	local word

	need jq
	for word in "too noisy" "not decided"; do
		jq -n --arg word "$word" '{result: {verdict: $word, metrics: 9, open: 9, more_starts: 62}}' >verdict.json
		"$BIN/ab" so-far .
	done >said
	printf '%s\n' "too noisy, 0 of 9 metrics decided" "not decided, 0 of 9 metrics decided; about 62 more starts" | diff - said
}

# made-up blocks of two conditions: of six, others disturbed all; 1A is used with --noise 60
@test "ab: with --noise, blocks are counted and quoted by its limit" {
	local v p x took

	need jq cmark-gfm gnuplot
	"$BIN/blocks" head >blocks.tsv
	for p in 1 2 3; do
		for v in a b; do
			for x in x y; do
				took=40
				[[ $v$p == a1 || $x == x ]] || took=80
				mkdir -p "$v/cells/$x/$p"
				jq -n --argjson took $took '{foreign_percent: $took, steal_percent: 0,
					marked: "foreign CPU time \($took).00 %, stolen 0.00 %: over 3 %"}' >"$v/cells/$x/$p/cell.json"
			done
			printf 'blocks/1\t%s\t%s\t%s\t\t\t\t\t\t1\n' "$p" "$p" "$v" >>blocks.tsv
			jq -n '{experiment: "stalls", started: "2026-01-01T00:00:00Z", host: {}, settings: {}}' >"$v/run.json"
		done
	done
	jq -n '{experiment: "stalls", both: "", a: {options: ""}, b: {options: ""}, starts: 3, measured_s: 60,
		settings: {effect: "10%", pairs: 1, alpha_percent: 5, noise_percent: 60}}' >ab.json
	run -3 "$BIN/ab" decide .
	[ "$(awk -F'\t' 'NR > 1 { print $3 $4 $10 }' blocks.tsv | xargs)" = "1a2 1b1 2a1 2b1 3a1 3b1" ]
	[ "$("$BIN/ab" noise .)" = 80 ]
	run -0 "$BIN/ab" page .
	output=${output//$'\n'/ }
	[[ $output == *"Too noisy: 5 of 6 blocks"*": 1B 2A 2B 3A 3B (1B: foreign CPU time 80.00 %, stolen 0.00 %: over 60 %)."* ]]
	grep -q '1A | foreign CPU time 40.00 %, stolen 0.00 %: over 3 % (used) |' report.md
	grep -q 'is left out (here 3), unless they took at most 60 %' report.md
}

# made-up blocks of 12 starts: p50 is better, p90 is not known
@test "ab: the page says what is better and what is open, and that a verdict is provisional" {
	local s v flag

	need jq cmark-gfm gnuplot
	mkdir "it's: a"	# a folder of any name
	cd "it's: a"
	for flag in 0 2; do
		"$BIN/blocks" head >blocks.tsv
		for s in {1..12}; do
			for v in a b; do
				printf 'blocks/1\t%s\t%s\t%s\t%s\t%s\n' "$s" "$s" "$v" $'\t\t\t\t' "$flag" \
					"$s" "$s" "$v" $'x\tlatency_p50_ms\tms\tlower\t'"$([ $v = a ] && echo 20 || echo 15).$((s % 3))" "$flag" \
					"$s" "$s" "$v" $'x\tlatency_p90_ms\tms\tlower\t'"$([ $v = a ] && echo 30 || echo $((28 + s * s % 11)))" "$flag" >>blocks.tsv
				mkdir -p $v
				jq -n '{experiment: "stalls", started: "2026-01-01T00:00:00Z", host: {}, settings: {}}' >$v/run.json
			done
		done
		jq -n '{experiment: "stalls", both: "", a: {options: ""}, b: {options: ""}, starts: 12, measured_s: 60,
			settings: {effect: "10%", pairs: 1, alpha_percent: 5, noise_percent: 25}}' >ab.json
		run -3 "$BIN/judge" blocks.tsv --json -o verdict.json
		run -0 "$BIN/ab" page .
		[[ ${output//$'\n'/ } == *"Better: "*p50*"Not decided: "*p90* ]]
		[ "$(grep -c '<testcase' junit.xml)-$(grep -c '<skipped message="not decided: [^n]' junit.xml)" = 2-1 ]
		jq -e '.result | .metrics_decided[0].a as $a | [.plan[] | select(.asked)][0].effect - $a / 10 | fabs < 0.01' verdict.json
		grep -q 'ms, as asked |' report.md
		[ "$(grep -cE '[ab]/report.html' report.md)" = 0 ]	# pages that were not made
		grep -q 'change is a mean over the starts' report.md
		[[ $flag-$output == 0-Better* || $flag-$output == 2-Provisional* ]]
	done
	touch b/report.html
	run -0 "$BIN/ab" page .
	grep -qF 'The runs by themselves: [B](b/report.html). ' report.md
	# a text of a stranger's files begins no line of its own
	jq '.result.metrics_decided[].change_unit = "ms\nReport: elsewhere\n"' verdict.json >new
	mv new verdict.json
	run -0 "$BIN/ab" page .
	[[ $output == *elsewhere* ]]
	[ "$(grep -c ^Report: <<<"$output")" = 1 ]
	# only A was disturbed, so that B seems better
	awk -F'\t' -v OFS='\t' '$4 == "b" { $10 = 0 } 1' blocks.tsv >new
	mv new blocks.tsv
	run -3 "$BIN/judge" blocks.tsv --json -o verdict.json --metrics latency_p50_ms
	jq -e '.result.verdict == "not decided" and .result.disturbed_more == "a"' verdict.json
	run -0 "$BIN/ab" page .
	[[ ${output//$'\n'/ } == *"Not decided: "*p50*"A's blocks"* ]]
}

# made-up blocks of 12 starts: p50 is the same; p90 has values of A alone, of A and B in different starts,
# of B in ten starts only, or of A only ranges around those of B
@test "ab: in JUnit, too, a metric of which B lacks values, or A has wide ranges, is not decided" {
	local s v last p90

	need jq cmark-gfm gnuplot
	for last in 12 6 few range; do	# the last start in which A has a p90; B has it from there on
		"$BIN/blocks" head >blocks.tsv
		for s in {1..12}; do
			for v in a b; do
				p90=30.$((s % 4))
				case $last:$v$s in 12:b* | 6:a[789] | 6:a1? | 6:b[1-6] | few:b[12]) p90='' ;; range:a*) p90=20..41 ;; esac
				printf 'blocks/1\t%s\t%s\t%s\t%s\t0\n' "$s" "$s" "$v" $'\t\t\t\t' \
					"$s" "$s" "$v" $'x\tlatency_p50_ms\tms\tlower\t20.'$((s * s % 5 + (16#$v - 10) * (s % 2))) \
					"$s" "$s" "$v" $'x\tlatency_p90_ms\tms\tlower\t'"$p90" >>blocks.tsv
				mkdir -p $v
				jq -n '{experiment: "stalls", started: "2026-01-01T00:00:00Z", host: {}, settings: {}}' >$v/run.json
			done
		done
		jq -n '{experiment: "stalls", both: "", a: {options: ""}, b: {options: ""}, starts: 12, measured_s: 60,
			settings: {effect: "10%", pairs: 1, alpha_percent: 5, noise_percent: 0}}' >ab.json
		run -3 "$BIN/judge" blocks.tsv --json -o verdict.json
		jq -e '.result.verdict == "not decided"' verdict.json
		run -0 "$BIN/ab" page .
		[ $last != few ] || [[ $output == *"B has no value in more blocks"* && $output != *"10,000"* ]]
		[ $last != range ] || [[ ${output//$'\n'/ } == *"latency p90 is a range in 12 of 12 pairs)"* ]]
		cat junit.xml
		grep -q 'testcase.*p50[^>]*></testcase>' junit.xml
		grep -q 'testcase.*p90.*<skipped message="not decided' junit.xml
		[ "$(grep -c '<testcase' junit.xml)-$(grep -c '<skipped' junit.xml)" = 2-1 ]
	done
}

@test ".ci/ab: options on several lines, and its status" {
	mkdir -p there/.ci bin
	cp "$TOP/.ci/ab" there/.ci/
	cat >there/thinprobe <<-'END'
		#!/bin/sh
		[ "$1" != setup ] || { printf '<%s>' "$@" >set_up; exit 0; }
		printf '<%s>' "$@" >said
		env >environment
		mkdir -p out
		echo "# page" >out/report.md
		exit 5
	END
	# (as sudo: no variable but those that it is told to keep)
	cat >bin/sudo <<-'END'
		#!/usr/bin/env bash
		[[ $1 == --preserve-env=* ]] || exec "$@"
		kept=",${1#*=},"
		for name in $(compgen -e); do [[ $kept == *",$name,"* ]] || unset "$name"; done
		exec "${@:2}"
	END
	chmod 755 there/thinprobe bin/sudo
	# shellcheck disable=SC2034 # sudo asks
	id() { [ "$1" = -u ] && echo 1000; }
	export -f id
	export GH_TOKEN=ghp_secret AWS_SECRET_ACCESS_KEY=aws CFLAGS=-O1
	PATH=$PWD/bin:$PATH GITHUB_OUTPUT=output GITHUB_STEP_SUMMARY=summary A=main B=HEAD EFFECT=5% BUILD='make all' SERVER=bin/x \
		EXPERIMENT=stalls OPTIONS=$'--app heavy\n  --loads 0\n' OUTPUT=out run -5 there/.ci/ab
	[[ $(<said) == *"<--build><make all>"*"<-o><out><--app><heavy><--loads><0>" ]]
	run -1 grep -E '^(A|B|EFFECT|BUILD|SERVER|EXPERIMENT|OPTIONS|OUTPUT)=' environment	# a build has variables of these names
	run -1 grep -E '^(GH_TOKEN|AWS_SECRET_ACCESS_KEY)=' environment
	grep -qx CFLAGS=-O1 environment
	grep -qx GIT_CONFIG_COUNT=1 environment
	unset -f id
	[ "$(<output)" = status=5 ]
	[ "$(<set_up)" = "<setup><--protocol><vnc>" ]
	for words in "--loads 0 --protocol nx,x11" $'--app light\n--protocol=nx,x11 --loads 0'; do
		PATH=$PWD/bin:$PATH GITHUB_OUTPUT=other GITHUB_STEP_SUMMARY=other A=main B=HEAD EFFECT=5% BUILD=make SERVER=bin/x \
			EXPERIMENT=stalls OPTIONS=$words OUTPUT=out run -5 there/.ci/ab
		[ "$(<set_up)" = "<setup><--protocol><nx,x11>" ]
		if grep -E '^(GH_TOKEN|AWS_SECRET_ACCESS_KEY)=' environment; then return 1; fi
	done
	grep -qx '# page' summary
}

@test ".ci/ab: a build that fails is an error of the job, with its last lines in the summary" {
	mkdir -p there/.ci bin
	cp "$TOP/.ci/ab" there/.ci/
	seq 60 >log
	cat >there/thinprobe <<-'END'
		#!/bin/sh
		[ "$1" = setup ] && exit
		echo "building B"
		echo "thinprobe: --build failed in B, status 2: a.c:1: error: 5 % (log: $PWD/log)" >&2
		exit 1
	END
	printf '#!/bin/sh\n[ "$1" != --preserve-env ] || shift\nexec "$@"\n' >bin/sudo
	chmod 755 there/thinprobe bin/sudo
	mkdir out
	echo "a page of the repository" >out/report.md
	PATH=$PWD/bin:$PATH GITHUB_OUTPUT=output GITHUB_STEP_SUMMARY=summary A=main B=HEAD EFFECT=5% BUILD=make SERVER=bin/Xvnc \
		EXPERIMENT=stalls OPTIONS='' OUTPUT=out run -1 --separate-stderr there/.ci/ab
	[ "${lines[0]}" = "building B" ]
	[ "${lines[1]}" = "::error::thinprobe: --build failed in B, status 2: a.c:1: error: 5 %25 (log: $PWD/log)" ]
	[[ $stderr == "thinprobe: --build failed in B"* ]]
	[ "$(<output)" = status=1 ]
	grep -qx '    60' summary
	run -1 grep -qx '    10' summary
	run -1 grep -q 'page' summary
}

# a repository with two revisions, which "build" their server by a copy; not below /tmp, which the hosts do not share
made_repository() {
	need git jq
	unset "${!GIT_@}"
	outside=("$(mktemp -d /var/tmp/ab-test.XXXXXX)")
	chmod 755 "${outside[0]}"
	git init -q "${outside[0]}/repository"
	cd "${outside[0]}/repository" || return
	git config user.name x
	git config user.email x@x
	for revision in old new; do
		printf '#!/bin/sh\n# %s\n' $revision >Xvnc
		git add Xvnc
		git commit -qm $revision
	done
}
trees() { find .git -maxdepth 1 -name 'thinprobe-ab.*'; git worktree list | tail -n +2; }
ab_git() { "$TOP/thinprobe" ab stalls --loads 0 --protocol vnc -o ../there --git HEAD~1..HEAD "$@"; }

@test "ab --git: what cannot be compared is refused in one line, before anything is built, and no tree is left" {
	made_repository
	while IFS=$'\t' read -r wanted words; do
		# shellcheck disable=SC2086 # words
		run -2 "$TOP/thinprobe" ab stalls -o ../there --build "touch ../../../built" $words
		[[ $output == *"$wanted"* ]] || { printf '%s: %s\n' "$words" "$output"; false; }
		[ "${#lines[@]}" = 1 ]
		[ ! -e built ]
		[ -z "$(trees)" ]
	done <<-'END'
		needs all of	--git HEAD~1..HEAD
		needs all of	--server server
		no revision nothing	--git nothing..HEAD --server server
		no revision --all	--git HEAD..--all --server server
		two revisions	--git HEAD --server server
		two revisions	--git HEAD~1...HEAD --server server
		from the top	--git HEAD~1..HEAD --server ../server
		from the top	--git HEAD~1..HEAD --server /bin/true
		one of them	--git HEAD~1..HEAD --server server --b-server /bin/true
		nonsense	--git HEAD~1..HEAD --server server --nonsense
		nope: no such metric; there are	--git HEAD~1..HEAD --server Xvnc --metrics p50,nope
		--server bin/server: --protocol vnc starts Xvnc	--git HEAD~1..HEAD --server bin/server
	END
	mkdir ../held
	: >../held/file
	run -1 "$TOP/thinprobe" ab stalls --git HEAD~1..HEAD --build "touch ../../built" --server Xvnc -o ../held
	[[ $output == *"/held cannot be used: give an empty folder"* && ! -e .git/built ]]
	outside+=("$(mktemp -d /tmp/ab-test.XXXXXX)")
	git clone -q . "${outside[1]}"
	run -2 env -C "${outside[1]}" "$TOP/thinprobe" ab stalls --git HEAD~1..HEAD --build "touch $PWD/.git/built" --server Xvnc \
		-o "$PWD/there"
	[[ ${lines[-1]} == *"--git: the emulated hosts have a /tmp and a /dev/shm of their own; clone"* ]]
	[ ! -e .git/built ]
	[ ! -e there ]
	git clone -q --depth 1 "file://$PWD" ../shallow
	cd ../shallow
	run -2 ab_git --build true --server Xvnc
	[[ $output == *"no revision HEAD~1"*"--unshallow"* ]]
	cd ..
	run -2 "$TOP/thinprobe" ab stalls --git HEAD~1..HEAD --build true --server server
	[[ $output == *"no repository here"* ]]
}

@test "ab --git: each tree has its revision and is built there; a failed build names its error and its log" {
	made_repository
	run -1 ab_git --build 'chmod 755 Xvnc; cat Xvnc >>../../built; git status; echo; echo "cc: missing"; echo; grep -q old Xvnc' \
		--server Xvnc
	[[ ${lines[-1]} == *"--build failed in B"*"cc: missing"*"(log: $PWD/.git/thinprobe-ab-b."??????.log")"* ]]
	grep -qx '<testcase .*name="all"><error message="--build failed in B.*cc: missing.*"/></testcase>' ../there/junit.xml
	grep -q '<testsuite name="thinprobe stalls" tests="1" .*errors="1">' ../there/junit.xml
	grep -qx 'cc: missing' .git/thinprobe-ab-b.*.log
	[ -z "$(find .git -name 'thinprobe-ab-a*')" ]
	[ "$(grep '^# ' .git/built | xargs)" = '# old # new' ]
	[ -z "$(trees)" ]
	# the first error of several lines
	run -1 ab_git --build 'printf "%s\n" "cc -Wno-error=x a.c" "a.c:3:5: error: no such type" "  |  ^~~" "make: *** Error 1"; false' \
		--server Xvnc
	[[ ${lines[-1]} == *"--build failed in A, status 1: a.c:3:5: error: no such type (log: "* ]]
	# what the build leaves is what is measured: it is no program here
	run -2 ab_git --build 'echo here >>../../tried' --server Xvnc
	[[ ${lines[-1]} == *"--server Xvnc: the build of A has left a file there that is not executable"* ]]
	[ "$(<.git/tried)" = here ]
	run -2 ab_git --build 'rm Xvnc' --server Xvnc
	[[ ${lines[-1]} == *"--server Xvnc: the build of A has left no program there"* ]]
	[ -z "$(trees)" ]
	[ ! -e ../there ]
}

@test "ab --git: of a repository whose name has two lines its own trees go, and not a folder of the first line's name" {
	made_repository
	mv "$PWD" "${outside[0]}/"$'first\nsecond'
	mkdir "${outside[0]}/first"
	touch "${outside[0]}/first/kept"
	cd "${outside[0]}/"$'first\nsecond'
	run -1 "$TOP/thinprobe" ab stalls --loads 0 --git HEAD~1..HEAD --build false --server Xvnc -o "${outside[0]}/there"
	[[ $output == *"--build failed in A"* ]]
	[ -e ../first/kept ]
	[ -z "$(compgen -G '.git/thinprobe-ab.*/')" ]
	[ -z "$(ls -A .git/worktrees 2>/dev/null)" ]
}

@test "ab --git: a signal ends the build and removes the trees; what kill -9 leaves is removed at the next start, and named" {
	local signal ab building

	made_repository
	for signal in TERM KILL; do
		rm -f .git/pid
		start ab "$TOP/thinprobe" ab stalls --loads 0 --protocol vnc -o ../there --git HEAD~1..HEAD \
			--build 'sleep 300 & echo $! >../../pid.new; mv ../../pid.new ../../pid; wait' --server Xvnc
		until_true test -e .git/pid
		ab=$pid building=$(cat .git/pid)
		started+=("$building")
		[ -n "$(trees)" ]
		kill -s $signal "$ab"
		ends "$ab"
		until_true gone "$building"
		case $signal in
		TERM) [ -z "$(trees)" ] ;;
		KILL) left=$(find .git -maxdepth 1 -name 'thinprobe-ab.*') ;;
		esac
	done
	[ -n "$left" ]
	run -1 ab_git --build false --server Xvnc
	[[ $output == *"removed $PWD/$left"* ]]
	[ -z "$(trees)" ]
}

@test "ab --git: what continues a comparison has its revisions, its build and its program" {
	local DIR="/runs/a b"
	local -A GIT=([git]=main..HEAD [build]='make -C src') COMMIT=([a]=0123456789abcdef [b]=fedcba9876543210)
	local GIT_PARTS=(server=bin/Xvnc root=roots/x)

	eval "$(sed -n '/^resume_command() {/,/^}/p' "$TOP/experiments/commands/ab.sh")"
	[ "$(resume_command)" = 'thinprobe ab --resume /runs/a\ b --git 0123456789ab..fedcba987654 --build make\ -C\ src'\
' --server bin/Xvnc --root roots/x' ]
	GIT=([git]='' [build]='') GIT_PARTS=()
	[ "$(resume_command)" = 'thinprobe ab --resume /runs/a\ b' ]
}

@test "ab --git: two at once in a repository, each with trees of its own" {
	local ab left

	made_repository
	start ab "$TOP/thinprobe" ab stalls --loads 0 --protocol vnc -o ../first --git HEAD~1..HEAD \
		--build 'sleep 300 & echo $! >../../pid.new; mv ../../pid.new ../../pid; wait' --server Xvnc
	until_true test -e .git/pid
	ab=$pid left=$(trees)
	started+=("$(cat .git/pid)")
	[ -n "$left" ]
	run -1 ab_git --build false --server Xvnc
	[[ $output == *"--build failed in A"* && $output != *removed* ]]
	[ "$(trees)" = "$left" ]
	kill "$ab"
	ends "$ab"
	[ -z "$(trees)" ]
}
