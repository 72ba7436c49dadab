#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# bundle: what goes in, what is told, and what --anonymous leaves of the names of people and machines. (Of kept runs, what goes in:
# tests/analysis/bundle_test.py.)

bats_require_minimum_version 1.5.0
load helpers
load ../not_here

setup_file() {
	local top=${BATS_TEST_DIRNAME%/tests/cli}
	command -v zstd >/dev/null || { not_here "zstd is not installed"; return 0; }
	export GOOD=$BATS_FILE_TMPDIR/good
	cp -r "$top/results/reference/stalls" "$GOOD"
	tar --zstd -xf "$GOOD/samples.tar.zst" -C "$GOOD" --wildcards 'cells/vnc-light-[02]'
	rm -rf "$GOOD"/{samples.tar.zst,figures,report.*,findings.json} "$GOOD"/cells/*/*~
	jq 'del(.kept) | .cells |= map(select(.name | IN("vnc-light-0", "vnc-light-2")))' "$GOOD/run.json" >"$BATS_FILE_TMPDIR/new"
	mv "$BATS_FILE_TMPDIR/new" "$GOOD/run.json"
	"$top/bin/summarize" --format json -o /dev/null "$GOOD"
}
setup() {
	skip_not_here
	begin_test
	cp -r "$GOOD" run
}

bundle() { run -0 "$TOP/thinprobe" bundle run -o b.tar.zst "$@"; }
changed() { jq "$@" run/run.json >new && mv new run/run.json; }
# unpacked: the files of the bundle, in there
unpacked() { rm -rf there && mkdir there && tar --zstd -xf b.tar.zst -C there; }
# small: of the run one repeat of one condition, without samples
small() {
	rm -rf run/cells/vnc-light-2 run/cells/vnc-light-0/[!1]* run/{long,summary,stages}.tsv
	find run -name '*.tsv' ! -name schema.tsv -delete
	changed '.cells |= .[:1]'
}
numbers() { (cd "$1" && find . -name '*.json' -o -name '*.tsv' | LC_ALL=C sort | xargs sed -E 's/"([^"\\]|\\.)*"/S/g'); }

# Names of people and machines: HOST, USER, TITLE.
named() {
	changed --arg h "$1" --arg u "$2" --arg t "$3" '.host.hostname = $h | .lab.server = "\($u)@\($h)" | .lab.client = "10.9.8.7"
		| .lab.link = "10.9.8.7 enx02427a00c1d2 - enp9s0f1 2001:db8:77::5" | .settings.on = "ssh:\($u)@\($h),10.9.8.7"
		| .command = "thinprobe run stalls --on ssh:\($u)@\($h),10.9.8.7 -o /home/\($u)/secret plan"
		| .protocol.title = $t | .protocol.says = "window \"\($t)\" of a server that is not ours"
		| .reason = "ssh: \($h): no route to 10.9.8.70\nasked by \($u), at 2001:db8:77::5; see /srv/acme/wages.log"'
	find run -name prototap.json -o -name keyrepeat.json | while read -r file; do
		sed -i "s|\"host\": \"[^\"]*\"|\"host\": \"$1\"|; s|\"settings\": {|&\n\"trace\": \"/home/$2/my plan/x\",|" "$file"
	done
}

@test "a kept run: report makes of its bundle what it makes of the run, also where samples were left out" {
	local kept
	for kept in results/reference/{session-memory-x11,cache}; do
		run -0 "$TOP/thinprobe" bundle "$TOP/$kept" --with-typed -o named
		"$TOP/thinprobe" report "$TOP/$kept" --json >json
		rm -rf there
		"$TOP/thinprobe" report named -o there
		"$TOP/thinprobe" report there/* --json >from-bundle
		diff json from-bundle
	done
}

@test "files that no run has, captures and logs are left out, which a line says" {
	mkdir -p run/log run/cells/vnc-light-0/1~ run/cells/vnc-light-0/1/more/deep
	for file in notes.txt log/x.err cells/vnc-light-0/1/capture.pcap cells/vnc-light-0/1/own.tsv cells/vnc-light-0/1~/samples.tsv \
		cells/vnc-light-0/1/more/deep/samples.tsv; do echo x >"run/$file"; done
	ln -s packed b.tar.zst
	bundle
	[ -L b.tar.zst ]
	[[ $output == *"left out"*" 6"* ]]
	[[ $output == *capture.pcap* ]]
	unpacked
	[ -z "$(find there -name '*.pcap' -o -name 'notes.txt' -o -name 'own.tsv' -o -name '*~' -o -name deep -o -name '*.err')" ]
	[ -s there/run/cells/vnc-light-2/1/samples.tsv ]
	run -0 "$TOP/thinprobe" report b.tar.zst -o made --verdict
	"$BIN/summarize" -q -o /dev/null made/run	# (else these are the tables that were packed)
	cmp run/summary.tsv made/run/summary.tsv
	cmp run/stages.tsv made/run/stages.tsv
}

@test "what was typed is in it only where it is asked for, in run.json too" {
	echo "keydown 0x71 q" | tee run/session.trace run/session.script run/cells/vnc-light-0/1/replay.rfb
	echo '{"findings": ["qwert"]}' >run/findings.json
	changed '.inputs = {"1": "qwert"}'
	bundle
	unpacked
	run -1 grep -rE 'qwert|keydown' there
	[ "$(jq -S . there/run/run.json)" = "$(jq -S 'del(.inputs)' run/run.json)" ]
	bundle --with-typed
	unpacked
	[ "$(grep -rlE 'qwert|keydown' there | wc -l)" = 5 ]
	run -2 "$TOP/thinprobe" bundle run --with-typed --anonymous
}

@test "before it is written, it shows what names people and machines, eight at most" {
	named build7.corp.example annabel 'Wages 2026 - annabel'
	bundle
	[ "$(grep -c '^  .*(.*: .*)$' <<<"$output")" = 8 ]
	for value in build7.corp.example annabel "Wages 2026"; do [[ $output == *"$value"* ]]; done
	[[ $output == *"run.json: settings.on"* ]]
	bundle --all
	for value in 10.9.8.7 2001:db8:77::5 enp9s0f1 /srv/acme/wages.log; do [[ $output == *"$value"* ]]; done
	unpacked
	cmp run/run.json there/run/run.json
}

@test "--anonymous: no name is left, one word stands for one name, and numbers and tables stay" {
	named build7.corp.example annabel 'Wages \ "2026" (annabel)'
	mv run/cells/vnc-light-2 run/cells/vnc-light-2-build7
	sed -i 's/"name": "vnc-light-2"/"name": "vnc-light-2-build7"/' run/run.json
	bundle --anonymous
	unpacked
	run -1 grep -rE 'build7|corp[.]example|annabel|Wages|10[.]9[.]8|2001:db8:77|/srv/acme|secret|my plan|enx02|enp9' there
	[ -z "$(find there -name '*build7*')" ]
	[ "$(numbers run)" = "$(numbers there/run)" ]
	[ "$(jq -r .host.hostname there/run/run.json)" = "$(jq -r '.lab.server | split("@")[1]' there/run/run.json)" ]
	[ "$(jq -r .host.hostname there/run/run.json)" = "$(jq -r .host there/run/cells/vnc-light-0/1/prototap.json)" ]
	[[ $(jq -r .lab.client there/run/run.json) == 192.0.2.* ]]
	run -0 "$TOP/thinprobe" report b.tar.zst -o made --verdict
	"$BIN/summarize" -q -o /dev/null made/run	# (else these are the tables that were packed)
	cmp run/summary.tsv made/run/summary.tsv
	run -0 "$TOP/thinprobe" compare run made/run --metrics p50 --json
	run -0 "$TOP/thinprobe" export made/run --as samples
}

@test "--anonymous: a host, user or title that is a word of thinprobe is renamed where it is such, and no other word is" {
	local host user title
	for words in "run a 1" "1 vnc stalls"; do
		read -r host user title <<<"$words"
		rm -rf run && cp -r "$GOOD" run
		named "$host" "$user" "$title"
		bundle --anonymous
		unpacked
		jq -e --arg h "$host" --arg u "$user" --arg t "$title" '.host.hostname != $h and .lab.server != "\($u)@\($h)"
			and (.lab.server | endswith("@\($h)") | not) and .protocol.title != $t and (.settings.on | startswith("ssh:"))
			and .experiment == "stalls" and (.cells[0] | .name == "vnc-light-0" and .parameters.protocol == "vnc")' there/run/run.json
		[ "$(numbers run)" = "$(numbers there/run)" ]
		run -0 "$TOP/thinprobe" report b.tar.zst -o made --verdict
		"$BIN/summarize" -q -o /dev/null made/run	# (else these are the tables that were packed)
	cmp run/summary.tsv made/run/summary.tsv
		rm -rf made
	done
}

@test "--anonymous: a name in another letter case is the same name, unless that is a word of thinprobe" {
	named Build7 Annabel WAN
	changed '.reason = "BUILD7 and build7: no answer to annabel; a wan of 1, no WAN"'
	bundle --anonymous
	unpacked
	[[ $(jq -r .reason there/run/run.json) == "host-1 and host-1: no answer to user-1; a wan of 1, no title-"* ]]
}

@test "--anonymous: a run's folder is renamed whole, also with blanks, and where it was before it was moved" {
	local dir="$PWD/my run login" file
	for file in run/cells/vnc-light-0/1/{prototap,wire}.json; do
		sed -i "0,/{/s||&\"written_to\": \"$dir/cells/vnc-light-0/1/wire.tsv\",|" "$file"
	done
	sed -i "0,/{/s||&\"hog\": \"env /opt/tree/enter.sh $dir/log/cpu.times /opt/tree memhog\",|" run/cells/vnc-light-0/2/prototap.json
	sed -i "0,/{/s||&\"written_to\": \"/srv/acme/first of may/cells/vnc-light-0/3/x\",|" run/cells/vnc-light-0/3/prototap.json
	mv run "$dir"
	"$BIN/summarize" -q -o /dev/null "$dir"
	grep -q 'my run login' "$dir/long.tsv"
	run -0 "$TOP/thinprobe" bundle "my run login" --anonymous --all
	[[ $output == *"  path      $dir -> "*"  folder    my run login -> folder-"* ]]
	rm -rf "$dir" there && mkdir there
	file=$(find . -maxdepth 1 -name '*.tar.zst')
	[[ $file == ./folder-[12].tar.zst ]]
	tar --zstd -xf "$file" -C there
	run -1 grep -rE 'my run|run login|first of|of may|acme' there
	[ -z "$(find there -name '*login*')" ]
	[[ $(jq -r .written_to there/*/cells/vnc-light-0/1/wire.json) == /*path-*/cells/vnc-light-0/1/wire.tsv ]]
	[[ $(jq -r .hog there/*/cells/vnc-light-0/2/prototap.json) == "env /"*path-*"/log/cpu.times /path-"*" memhog" ]]
}

@test "--anonymous: versions, shares and times are no addresses or folders, and parts of longer words stay" {
	named ann eve 'an editor'
	changed '.protocol.version = "3.5.99.26" | .reason = "Anna, annual, eves: 3.5.99.26 at 08:06:59, 10/20 and 1.2.3.4.5; eve"'
	bundle --anonymous
	unpacked
	[[ $(jq -r .reason there/run/run.json) == "Anna, annual, eves: 3.5.99.26 at 08:06:59, 10/20 and 1.2.3.4.5; user-1" ]]
	[ "$(jq -r .protocol.version there/run/run.json)" = 3.5.99.26 ]
}

@test "--anonymous: all names are renamed, also where nobody reads which" {
	changed '.reason = ([range(20) as $a | range(200) | "10.9.\($a).\(.)"] | join(" "))'
	"$TOP/thinprobe" bundle run -o b.tar.zst --anonymous --all | head -n 1 || :
	if [ -e b.tar.zst ]; then
		unpacked
		run -1 grep -rE '10[.]9[.]' there
	fi
	"$TOP/thinprobe" bundle run -o b.tar.zst --anonymous --all >/dev/null
	unpacked
	run -1 grep -rE '10[.]9[.]' there
	run -1 bash -c '"$1/thinprobe" bundle run -o c.tar.zst --anonymous --all >/dev/full' sh "$TOP"
	[ ! -e c.tar.zst ]
}

@test "what is printed has no control characters, whatever the file is called" {
	run -0 "$TOP/thinprobe" bundle run -o $'b\e[31m'.zst
	[ -f $'b\e[31m'.zst ]
	[[ $output != *$'\e'* ]]
	# nor is a bundle unpacked whose folder's name is a command of a CI service
	mv run '##vso[x]'
	tar --zstd -cf ci.tar.zst '##vso[x]'
	run -1 "$TOP/thinprobe" report ci.tar.zst -o there
	[ ! -e there ]
}

@test "a folder whose name report takes for no run's is packed under one that it takes" {
	local name
	small
	for name in '##vso[x]' .hidden -o 'back\slash' 'a##b'; do
		rm -rf there packed
		cp -r run "./$name"
		(cd -- "./$name" && "$TOP/thinprobe" bundle . -o ../packed)
		"$TOP/thinprobe" report packed -o there --verdict || true	# (it has no table)
		[ -f there/*/run.json ]
	done
}

@test "without -o, a bundle replaces no bundle of another run" {
	local n
	small
	for n in 1 2; do
		mkdir -p "$n"
		cp -r run "$n/names of $n"
		jq --arg at "2026-01-0${n}T00:00:00Z" '.started = $at' run/run.json >"$n/names of $n/run.json"
		cp -r "$n/names of $n" "$n/run"
	done
	for n in 1 2 1; do run -0 "$TOP/thinprobe" bundle "$n/names of $n" --anonymous; done
	[ "$(ls -- *.tar.zst | wc -l)" -eq 2 ]
	for n in *.tar.zst; do tar --zstd -xOf "$n" --wildcards '*/run.json' | jq -r .started; done | sort >started
	printf '2026-01-0%sT00:00:00Z\n' 1 2 | cmp - started
	rm -- *.tar.zst
	for n in 1 2 2; do run -0 "$TOP/thinprobe" bundle "$n/run"; done
	[ "$(ls -- *.tar.zst | paste -sd ' ')" = "run-2.tar.zst run.tar.zst" ]
}

@test "--anonymous: hosts, users and commands in settings are renamed, and what is no word of thinprobe is" {
	local cell=run/cells/vnc-light-0/1
	small
	changed '.settings += {own_display: "xfreerdp /v:corp-srv.example.com /u:alice /from-stdin:force", clients: "login-node7,carol@n8",
			link_measured: {hosts: "srv-three,dave@cli-three", rtt_ms: 5}, label: ["Erin-desk", "heavy"], trace: "our wages.trace",
			target: "ssh://bob@build9", queue: "50ms", criteria: ["p95:150ms", "apdex:0.85"], later_option: "frank on zeta"}
		| .sweep = {on: "ssh:srv-two,grace@cli-two", from: "login-node8"}
		| .protocol.server = "RFB 3.8, 800x600 \"heidi@corp-box\", security type 2, offers 2"
		| .reason = "the client (xfreerdp /v:corp-srv.example.com /u:alice /from-stdin:force) ended; asked login-node8 and bob"'
	jq '.settings.server = "RFB 3.8, 800x600 \"srv:1 (alice.smith)\", security type 1, offers 1, 2"' $cell/keyrepeat.json >new
	mv new $cell/keyrepeat.json
	jq '.sweep = {on: "ssh:srv-two,grace@cli-two", from: "login-node7"}' $cell/cell.json >new
	mv new $cell/cell.json
	bundle --anonymous --all
	unpacked
	run -1 grep -rEi 'corp-srv|alice|login-node|carol|n8|srv-three|dave|cli-three|erin|wages|bob|build9|frank|zeta' there
	run -1 grep -rEi 'srv-two|grace|cli-two|heidi|corp-box|smith' there
	jq -e '.settings | (.target | test("^ssh://user-[0-9]+@host-[0-9]+$")) and .queue == "50ms"
		and .criteria == ["p95:150ms", "apdex:0.85"] and .label[1] == "heavy" and .apps == ["light", "heavy"]
		and .link_measured.rtt_ms == 5' there/run/run.json
	jq -e '.settings.server | test("^RFB 3.8, 800x600 .title-[0-9]+., security type 1, offers 1, 2$")' there/$cell/keyrepeat.json
	jq -e '.sweep | .on | test("^ssh:host-[0-9]+,user-[0-9]+@host-[0-9]+$")' there/$cell/cell.json
	[ "$(numbers run)" = "$(numbers there/run)" ]
}

@test "--anonymous: of the settings of the kept runs nothing is hidden" {
	local kept
	for kept in "$TOP"/results/reference/{stalls,capacity,schedulers}; do
		rm -rf run there
		mkdir -p run/cells/a/1
		echo '{}' >run/cells/a/1/cell.json
		jq 'del(.kept)' "$kept/run.json" >run/run.json
		bundle --anonymous
		unpacked
		[ "$(jq -S .settings there/run/run.json)" = "$(jq -S .settings run/run.json)" ]
	done
}

@test "it cannot be written: status 1, and nothing is left" {
	run -1 "$TOP/thinprobe" bundle run -o none/b.tar.zst
	run -1 env TMPDIR=/dev/full "$TOP/thinprobe" bundle run -o b.tar.zst
	[ "${#lines[@]}" = 1 ]
	[ ! -e b.tar.zst.new ]
}

@test "a link in the place of a new file is not written through" {
	echo mine >mine
	ln -s mine run.tar.zst
	run -1 "$TOP/thinprobe" bundle run
	[ "$(<mine)" = mine ]
	ln -s mine b.tar.zst.new
	bundle
	ln -s mine run.xml.new
	run -0 "$TOP/thinprobe" export run --as junit -o run.xml
	[ "$(<mine)" = mine ]
	[[ -f b.tar.zst && ! -L b.tar.zst && -s run.xml && ! -L run.xml ]]
	# nor are the figures behind one removed
	mkdir mine.d both
	touch mine.d/a.svg
	ln -s "$PWD/mine.d" both/figures
	jq '.runs = []' run/run.json >both/run.json
	cp -r run other
	run -1 "$TOP/thinprobe" report run other -o both
	[ -f mine.d/a.svg ]
}
