#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# report.sh, table.sh, findings.sh on made-up runs: the words follow the figures, the page stands alone.

setup() {
	HOME_DIR=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	REPORT=$HOME_DIR/report
	SUMMARIZE=$HOME_DIR/bin/summarize
	MAKE_RUN=$BATS_TEST_DIRNAME/../golden/make_run.sh
	cd "$BATS_TEST_TMPDIR" || return 1
}

need() {
	command -v "$1" >/dev/null || skip "$1 is not installed"
}

# Findings of a run with these settings, into the file findings.
findings() {	# [NAME=value …]
	rm -rf run
	env "$@" "$MAKE_RUN" run
	"$SUMMARIZE" run >out || [ $? = 3 ]	# 3: a repeat was cut short, as asked
	"$REPORT/findings.sh" run >findings
	cat findings
}

says() {	# WORDS: in this order in one line
	grep -qF -- "$1" findings || { echo "nowhere: $1"; return 1; }
}

@test "the demo's run: three findings, and how much they are worth" {
	findings
	says "1. vim's echo stays under 100 ms for every key at every load tried (0 to 20 sinks): slowest 12.0 ms"
	says "at most 1.0 % late"
	says "This scheduler protects who needs little CPU."
	says "2. An application that needs 10 ms of CPU per redraw is late for every key beside 20 sinks. As fair sharing predicts, an update every 214 ms"
	says "against 10 ms x 21 = 210 ms. That is arithmetic."
	says "3. Without load the server's frame timer explains most of an echo: half a frame would be 8.3 of 10.0 ms (p50); the link adds 0.05 ms by its rate."
	says "indicative: three repeats"
	[ "$(wc -l <findings)" -eq 4 ]
	# two lines of a terminal each
	[ -z "$(awk 'length > 220' findings)" ]
}

@test "a protocol's own wait is called what it is; several updates a redraw are not held against fair sharing" {
	findings FLOOR='5, "floor_of": "waiting for the release"'
	says "3. Without load the protocol's own wait explains most of an echo: waiting for the release takes 5.0 of 10.0 ms (p50); the link adds 0.05 ms by its rate."
	if grep 'frame' findings; then return 1; fi
	for cell in run/cells/heavy-000/*/keyrepeat.json; do
		jq '.result.updates_per_key = 1.9' "$cell" >new && mv new "$cell"
	done
	"$SUMMARIZE" run
	"$REPORT/findings.sh" run >findings
	says "2. An application that needs 10 ms of CPU per redraw is late for every key beside 20 sinks. One redraw is seen as up to 1.9 updates here, so the time between two cannot be held against fair sharing."
}

@test "in another scheduling group than the load nobody is praised" {
	findings GROUP=9
	says "Its own scheduling group may be why; this run cannot tell."
	run grep 'scheduler protects' findings
	[ "$status" -eq 1 ]
	[ -z "$(awk 'length > 220' findings)" ]
}

@test "a protocol that answers keys itself: by its cost, or nothing is said about CPU" {
	findings APPS=own PROTOCOL=null COST=null FLOOR=0 LOADS='0 5'
	says "1. The null target's echo stays under 100 ms for every key at every load tried (0 to 5 sinks)"
	run grep -e 'little CPU' -e protects -e vim -e 'An application' findings
	[ "$status" -eq 1 ]
	"$REPORT/table.sh" run | grep -q '^ sinks | the null target: echo p50'
	findings APPS=own PROTOCOL=vnc:refecho
	says "1. An application that needs 10 ms of CPU per redraw is late for every key beside 20 sinks. As fair sharing predicts"
	"$REPORT/table.sh" run | grep -q "^ sinks | the server's own application (10 ms a redraw): p50 .*updates/key"
	need gnuplot
	need cmark
	"$REPORT/report.sh" run
	grep -q '^- Own: the server is the reference application itself' run/report.md
	run grep -e '^- Heavy:' -e '^- Light:' -e 'not measured' run/report.md
	[ "$status" -eq 1 ]
	[ "$(grep -c '>light' run/figures/late-share.svg)" -eq 0 ]
}

@test "a light application that is late is not praised" {
	findings LIGHT=late
	says "1. vim's echo is late: beside 20 sinks 10.5 % of keys come later than 100 ms (95 %: 7.2 to 14.7 %); without load it is not."
	run grep protects findings
	[ "$status" -eq 1 ]
}

@test "too noisy, and open because of ranges, are said to be so" {
	findings LIGHT=noisy
	says "1. Too noisy to tell"
	says "More repeats would tell"
	findings LIGHT=open
	says "cannot be told: beside 20 sinks between 0 and 25.3 % of keys are late. Latency from updates alone is a range at this load; use refecho"
}

@test "off the line of fair sharing, either way" {
	findings STRETCH=1.5 APPS=heavy
	says "It stalls for longer than fair sharing predicts at 5, 10 and 20 sinks: an update every 321 ms"
	findings STRETCH=0.5 APPS=heavy
	says "It stalls for less than fair sharing predicts at 5, 10 and 20 sinks: an update every 107 ms"
	findings STRETCH=3 APPS=heavy LOADS='0 2'
	says "No load tried fills the CPU"
	says "Below saturation it is late too: 100 % of keys"
}

@test "overloaded: no latency, but the backlog" {
	findings OVERLOADED=20
	says "cannot keep up beside 20 sinks: its backlog grows by 9.5 keys a second"
	"$REPORT/table.sh" run | grep -q '^ *20 .*overloaded  *100 %'
	# what the overloaded load predicts is no second finding; the others are
	says "is late for every key beside 10 sinks. As fair sharing predicts"
	findings OVERLOADED='5 10 20' APPS=heavy
	says "cannot keep up beside 5, 10 and 20 sinks"
	run grep -e 'fair sharing' -e 'Fair sharing' findings
	[ "$status" -eq 1 ]
}

@test "one application, one repeat, one load" {
	findings APPS=light REPEATS=1 LOADS=20
	says "1. vim's echo stays under 100 ms for every key at the one load tried (20 sinks)"
	says "indicative: one repeat"
	run grep -e '95 %' -e 'Without load' findings
	[ "$status" -eq 1 ]
	findings APPS=heavy REPEATS=5
	says "1. An application that needs 10 ms"
	run grep -e vim -e indicative findings
	[ "$status" -eq 1 ]
}

@test "the floor: timer, network, or neither" {
	findings FLOOR=0 APPS=light
	says "Without load an echo takes 10.0 ms (p50); the link adds 0.05 ms by its rate. The link does not explain most of it."
	sed -i 's/"rate": "100Mbit"/"rate": "1Mbit,2ms"/' run/run.json
	"$REPORT/findings.sh" run >findings
	# 600 bytes at 1 Mbit/s and twice 2 ms: 4.8 + 4
	says "the link by its rate and delay explains 8.8 ms of it."
	sed -i 's/"latency_p99_ms": 0.148/"latency_p99_ms": 25/' run/run.json
	"$REPORT/findings.sh" run >findings
	says "less than what keyrepeat by itself may need (25.0 ms)"
}

@test "interrupted, and shared CPUs, are said with the findings and on top of the report" {
	need gnuplot
	need cmark
	findings STATE=interrupted SHARED=true
	says "This run is interrupted"
	says "Other labs were allowed the same CPUs"
	sed -i 's/"cpus_client": *"1"/"cpus_client": "0"/' run/run.json
	"$REPORT/findings.sh" run >findings
	says "Server and client shared CPUs"
	"$REPORT/report.sh" run
	sed -n '1,/^## Findings/p' run/report.md >top
	grep -q 'Server and client shared CPUs' top
	grep -q 'This run is interrupted' top
	grep -q 'Indicative: three repeats' top
	grep -q '^- heavy, 20 sinks: 2 trains left out (interrupted).' run/report.md
}

@test "the table for a terminal" {
	findings
	"$REPORT/table.sh" run >table
	[ "$(wc -l <table)" -eq 5 ]
	sed -n 1p table | grep -qx ' sinks | vim: echo p50 .*p90 .*max  later than 100 ms | heavy (10 ms a redraw): p50 .*p90 .*max .*later  updates/key'
	sed -n 2p table | tr -s ' ' | grep -qxF ' 0 | 10.0 10.8 11.0 0 % | 18.2 18.3 18.3 0 % 1.00'
	sed -n 3p table | tr -s ' ' | grep -qxF ' 5 | 10.2 11.0 11.2 0 % | 100 124 131 50.5 % 0.82'
	# all lines are equally long
	[ "$(awk '{ print length }' table | sort -u | wc -l)" -eq 1 ]
}

@test "a latency below what the probe alone needs is no number; a stall is" {
	findings APPS=light
	sed -i 's/"latency_p99_ms": 0.148/"latency_p99_ms": 10.9/' run/run.json
	"$REPORT/table.sh" run | sed -n 2p | tr -s ' ' | grep -qxF ' 0 | below resolution below resolution 11.0 0 %'
	need gnuplot
	need cmark
	"$REPORT/report.sh" run
	grep -q '^| 0 | -0.01 (-0.26–0.25) |' run/report.md
}

@test "the page stands alone, with findings first, four figures and its data inside" {
	need gnuplot
	need cmark
	"$MAKE_RUN" "a run's [1] folder"
	cd / && run "$REPORT/report.sh" "$BATS_TEST_TMPDIR/a run's [1] folder"
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$output" = "$BATS_TEST_TMPDIR/a run's [1] folder/report.html" ]
	cd "$BATS_TEST_TMPDIR/a run's [1] folder" || return 1
	[ "$(grep -c '<svg' report.html)" -eq 4 ]
	# nothing is fetched
	run grep -noE '(src|href)="?(https?:|//|figures/)[^ >]*|@import|<script|<link' report.html
	[ "$status" -eq 1 ]
	grep -o 'download="summary.tsv" href="data:[^"]*"' report.html | sed 's/.*base64,//; s/"$//' | base64 -d | cmp - summary.tsv
	[ "$(grep -n '<h2>Findings' report.html | cut -d: -f1)" -lt "$(grep -n '<svg' report.html | head -n 1 | cut -d: -f1)" ]
	# every name once, every reference to a name that is there
	[ -z "$(grep -oE " id=['\"][^'\"]*['\"]" report.html | tr -d "'\"" | sort | uniq -d)" ]
	grep -oE "(xlink:)?href='#[^']*'" report.html | sed "s/.*#//; s/'//" | sort -u | while read -r name; do
		grep -qE "id=['\"]${name}['\"]" report.html || { echo "no $name"; return 1; }
	done
	[ "$(find . -maxdepth 1 -name '.report*')" = '' ]
	[ "$(find figures -name '*.svg' | wc -l)" -eq 4 ]
}

@test "the page is HTML whose tags match" {
	need gnuplot
	need cmark
	need python3
	"$MAKE_RUN" LIGHT=ranged run
	env LIGHT=ranged "$MAKE_RUN" run
	"$REPORT/report.sh" run
	python3 - run/report.html <<'END'
import sys
from html.parser import HTMLParser
VOID = {"meta", "br", "hr", "img", "path", "circle", "use"}
class Tags(HTMLParser):
	stack = []
	def handle_starttag(self, tag, attrs):
		if tag not in VOID: self.stack.append(tag)
	def handle_startendtag(self, tag, attrs): pass
	def handle_endtag(self, tag):
		if tag in VOID: return
		assert self.stack and self.stack[-1] == tag, (tag, self.stack[-4:], self.getpos())
		self.stack.pop()
tags = Tags()
tags.feed(open(sys.argv[1], encoding="utf8").read())
assert not tags.stack, tags.stack
END
}

@test "the report names what belongs in every report" {
	need gnuplot
	need cmark
	env MARKED=1 STEAL=2.5 "$MAKE_RUN" run
	"$REPORT/report.sh" run
	grep -q '^vnc: Xvnc 1.12.0, 60 frames/s; a link of 100 Mbit/s; 20 keys a second' run/report.md
	grep -q 'This is keyrepeat alone, a lower bound' run/report.md
	grep -q 'took more than 3 % of the server.s CPUs (up to 6.7 %)' run/report.md
	grep -q '^Merge gaps of 5 and 20 ms give as many updates as 10 ms' run/report.md
	grep -q 'warm up and are left out (120 in all)' run/report.md
	grep -q '^| display server | 0, 5, 10, 20 | 0 | other | 0 | 4 | / |' run/report.md
	grep -q '^| application | 0, 5, 10, 20 | 0 | other | 0 | 4 | / |' run/report.md
	grep -q '^| sinks | 5, 10, 20 | 0 | other | 0 | 4 | / |' run/report.md
	grep -q "vim in an xterm; echoes are exact: by how far the terminal's caret has walked, held against the number of keys" run/report.md
	grep -qx 'Keyboard, USB, compositor and screen of a real client are outside all figures.' run/report.md
	grep -q '0.061 ms (p50), 0.148 ms (p99)' run/report.md
	grep -q 'light: 0 in 12 s, below 0.25/s (95 %); heavy: 2 in 12 s, below 0.52/s (95 %)' run/report.md
	grep -q '^- heavy, 10 sinks: 1 train marked' run/report.md
	grep -q '^- netem: the kernel has no sch_netem' run/report.md
	grep -q 'one scheduling group with the load' run/report.md
	grep -q '^| 5 | 3 | 285 | 50.5 (47.9–53.1) | 100 (98.5–102) | 124 (123–125) |  | 131 | 0 |' run/report.md
}

@test "what is uncertain is said: foreign CPU time, merge gaps, ranges" {
	need gnuplot
	need cmark
	env FOREIGN=null MERGE=1 LIGHT=ranged LINK=none "$MAKE_RUN" run
	"$REPORT/report.sh" run
	grep -q '^- Whether other processes or the hypervisor took CPU time is not known for 8 cells.' run/report.md
	run grep -e 'in none did others' run/report.md
	[ "$status" -eq 1 ]
	grep -q 'a link that is not shaped' run/report.md
	grep -q '^- light, 10 sinks: the number of updates depends on the merge gap in 3 trains (309, 285, 285 updates at 5, 10, 20 ms).' run/report.md
	grep -q '^- light, 20 sinks: 25.3 % of keys have no exact pair: latency from updates alone is a range at this load; use refecho.' run/report.md
	grep -q 'a key that may share an update has a range' run/report.md
	env LOADS='0 5' "$MAKE_RUN" quiet
	"$REPORT/report.sh" quiet
	grep -q '^Nothing: every cell was measured, and in none did others take more than 3 %' quiet/report.md
}

@test "a run kept without its samples gives the same report, but for the samples" {
	need gnuplot
	need cmark
	env LOADS='0 5' "$MAKE_RUN" run
	"$REPORT/report.sh" run
	grep -q '^Data beside this report: .*, cells/ (every key).' run/report.md
	mkdir kept
	cp run/run.json run/summary.tsv run/cdf.tsv kept
	"$REPORT/report.sh" kept
	run diff run/report.md kept/report.md
	# the bound of a rate that is not 0 needs more than 3/W
	[ "$(printf '%s\n' "$output" | grep -c '^>')" -eq 2 ]
	printf '%s\n' "$output" | grep -q '^> Data beside this report: .*the samples of single keys were not kept'
	for figure in late-share mean-stall jitter latency-cdf; do
		cmp "run/figures/$figure.svg" "kept/figures/$figure.svg"
	done
	# samples thrown away, the rest of cells/ there
	find run/cells -name samples.tsv -delete
	"$REPORT/report.sh" run
}

@test "an installation reports as a checkout does" {
	need gnuplot
	need cmark
	mkdir -p away/share/thinprobe away/libexec/thinprobe
	cp -R "$HOME_DIR/report" "$HOME_DIR/plots" "$HOME_DIR/data" away/share/thinprobe
	cp "$SUMMARIZE" away/libexec/thinprobe
	env LOADS='0 5' "$MAKE_RUN" run
	env -u TP_HOME -u TP_BIN away/share/thinprobe/report/report.sh run
	cp run/report.md first
	env TP_HOME="$PWD/away/share/thinprobe" TP_BIN="$PWD/away/libexec/thinprobe" away/share/thinprobe/report/report.sh run
	cmp run/report.md first
}

@test "figures survive an empty table, one load, and a hole" {
	need gnuplot
	need cmark
	env LOADS=0 APPS=light REPEATS=1 "$MAKE_RUN" one
	"$REPORT/report.sh" one
	env LOADS='0 5' OVERLOADED='0 5' APPS=heavy "$MAKE_RUN" over
	"$REPORT/report.sh" over
	env LOADS='0 5 10' "$MAKE_RUN" hole
	rm hole/cells/*-005/*/cell.json
	"$REPORT/report.sh" hole
	grep -q '^| 5 | failed |' hole/report.md
	mv hole/cells kept
	head -n 1 hole/summary.tsv >empty && mv empty hole/summary.tsv
	head -n 1 hole/cdf.tsv >empty && mv empty hole/cdf.tsv
	"$REPORT/report.sh" hole
	grep -q 'there is nothing to say yet' hole/report.md
	[ "$(find one over hole -name '*.svg' -size +0 | wc -l)" -eq 12 ]
}

@test "many loads: a table of more than 128 KB, and crowded ticks" {
	need gnuplot
	need cmark
	env LOADS="$(seq -s ' ' 0 39)" REPEATS=1 KEYS=60 "$MAKE_RUN" run
	"$REPORT/report.sh" run
	[ "$("$REPORT/table.sh" run | wc -l)" -eq 41 ]
}

@test "reports are made again from stored files, byte for byte" {
	need gnuplot
	need cmark
	env LOADS='0 5' "$MAKE_RUN" run
	"$REPORT/report.sh" run
	cp run/report.md first
	"$REPORT/report.sh" run
	cmp run/report.md first
}

@test "what is wrong is said in one line" {
	for script in report.sh table.sh findings.sh; do
		run "$REPORT/$script" nowhere
		[ "$status" -eq 1 ]
		[ "$output" = "$script: nowhere: not a run folder (it has no run.json)" ]
		run "$REPORT/$script"
		[ "$status" -eq 2 ]
		run "$REPORT/$script" --help
		[ "$status" -eq 0 ]
	done
	env LOADS=0 "$MAKE_RUN" run
	run "$REPORT/table.sh" run
	[ "$status" -eq 1 ]
	[[ $output == 'table.sh: run/summary.tsv is missing;'* ]]
	echo nonsense >run/run.json
	run "$REPORT/findings.sh" run
	[ "$status" -eq 1 ]
}
