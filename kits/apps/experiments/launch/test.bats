#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# launch: options and cells; figures of a run made by hand, whose ratios follow from a rule; and a short run.

load ../families/favour

cells() {	# cells VARIABLE=VALUE...: as exp_cells prints them
	functions "APPS=xpdf,writer KEYS=1 SCHEMES=alone,baseline,L JOBS=parallel,quanta $*; exp_cells" | tr '\t' ' '
}
# Three repeats, 1 % up and down; writer takes twice as long. Ratios to the baseline are made by exp_summed.
made_up() { once starts run made; }
made() {
	made_run "app scheme job" 3 '{settings: {apps: ["xpdf", "writer"], jobs: ["parallel"], threads: 2, repeats: 3, cost_ms: 10,
		seed: 1}}' '{foreign_percent: 0, launch: {launch_ms: ($v[0] * (1 + ($repeat - 2) / 100)), mapped_ms: 10, paint_ms: 20,
			key_ns: 8990e6}} + (if $p.job == "none" then {} else {job: {seconds: 1, bytes: $v[1], bytes_per_s: $v[1]}} end)' <<-END
		xpdf alone none 1000 0
		writer alone none 2000 0
		xpdf baseline parallel 4000 10e6
		writer baseline parallel 8000 10e6
		xpdf autogroup parallel 2000 9e6
		writer autogroup parallel 4000 9e6
		xpdf nice parallel 1250 8e6
		writer nice parallel 2500 8e6
		xpdf L parallel 1600 9e6
		writer L parallel 3200 9e6
		xpdf M parallel 1250 8e6
		writer M parallel 2500 8e6
	END
	echo '{"result": {"episodes": [{"started_ns": 5e9, "decided_us": 3000, "background": [{"comm": "xz"}]},
		{"started_ns": 9e9, "decided_us": 5000, "background": [{"comm": "vi"}]},
		{"started_ns": 99e9, "decided_us": 4000, "background": [{"comm": "xz"}, {"comm": "cat"}]}],
		"daemon_cpu_percent": 0.5}}' >run/vamp/L-parallel-1.json
	echo '{"result": {"episodes": [], "daemon_cpu_percent": 0.1}}' >run/vamp/vmL+iso-irq-parallel-2-again.json
	functions 'JOBS=parallel; exp_summed'
}

@test "launch: --scheme list names the schemes of data/favour.tsv" {
	[ "$("$TOP/thinprobe" run launch --scheme list | awk '{ print $1 }' | paste -sd ' ')" = \
		"$(awk -F'\t' '!/^#/ && $1 != "scheme" { print $1 }' "$TOP/kits/apps/data/favour.tsv" | paste -sd ' ')" ]
}

@test "launch: cells: every application, and keys, under every scheme beside every job; each alone once" {
	cells >all
	[ "$(wc -l <all)" = $((3 * (1 + 2 * 2))) ]
	[ "$(grep -c ' alone none$' all)" = 3 ]
	[ "$(grep -c '^keys ' all)" = 5 ]
	[ "$(cells KEYS=0 APPS=xpdf SCHEMES=baseline JOBS=quanta)" = "xpdf baseline quanta" ]
}

@test "launch: a launch counts whose watcher stood still with its guest; elsewhere it does not, nor without a reason" {
	watched() { functions "has_ended() { STATUS=$2; [ \$STATUS = 0 ]; }; PLACE=$1; favour_watched $3"; }
	echo '{"result": {"held_up_ms": 700}}' >held.json
	echo '{"result": {"held_up_ms": 0}}' >lossy.json
	watched group 0 held.json
	watched guest 3 held.json
	! watched group 3 held.json || return 1
	! watched guest 3 lossy.json || return 1
	! watched guest 1 held.json || return 1
}

@test "launch: report: ratios to the baseline of the same application, and findings from them" {
	made_up
	drawn warm report run
	near "$(row launch_rel app=writer scheme=baseline)" 1 0.001
	near "$(row launch_rel app=writer scheme=alone)" 0.25 0.001
	near "$(row launch_rel app=xpdf scheme=L)" 0.4 0.001
	near "$(row launch_ms app=writer scheme=L)" 3200 1
	near "$(row job_rel app=xpdf scheme=M)" 1.25 0.001
	[ "$(row job_rel app=xpdf scheme=alone)" = "" ]
	# vamp's best scheme is M with 1.25 s, against 4, 2 and 1.25 s; beside the job a launch takes 4 s instead of 1 s
	near "$(found baseline .value)" 0.3125 0.0001
	[ "$(found baseline .verdict)" = '"good"' ]
	# 4000 and 1000 ms, each repeat 1 % up or down: t(2) 0.01 / sqrt(3) is 2.484 %, for both means
	[[ $(found baseline .text) == *"4.00 times as long (95 % CI 3.81 to 4.20)"* ]]
	near "$(found baseline .low)" 0.2974 0.0002
	near "$(found today .value)" 1 0.0001
	[ "$(found today .verdict)" = '"unsure"' ]
	[[ $(found today .text) == *"0.6"[23]" times as long"*"as with autogroup"*"1.00 times as long"*"as with nice"* ]]
	near "$(found job .value)" 1.25 0.0001
	# vamp found xz in two of three episodes, and took an editor for background in one
	near "$(found vamp .value)" 66.67 0.01
	# the key came at 8.99 s, the decision at 9.005 s
	near "$(row decided_ms app=xpdf scheme=L)" 15 0.001
	[ "$(row decided_ms app=xpdf scheme=M)" = "" ]
	[ "$(jq -c '.vamp[0] | [.episodes, .found, .others]' run/run.json)" = '[3,2,["vi"]]' ]
	[ "$(jq -c '.vamp[1] | [.scheme, .job, .repeat]' run/run.json)" = '["vmL+iso-irq","parallel",2]' ]
	for f in launch job; do [ -s "run/figures/$f.svg" ]; done
	[ ! -e run/figures/keys.svg ]
}

# launched SCHEME:XPDF_MS:WRITER_MS...: sets other launch times in the made-up run; -: failed
launched() {
	local times scheme file ms
	for times; do
		scheme=${times%%:*}
		for file in run/cells/{xpdf,writer}-"$scheme"-parallel/?/cell.json; do
			ms=${times##*:}
			[[ $file != */xpdf-* ]] || ms=${times#*:} ms=${ms%:*}
			jq --arg ms "$ms" '.state = "complete" | if $ms == "-" then .state = "failed"
				else .launch.launch_ms = ($ms | tonumber) * (1 + (.repeat - 2) / 100) end' "$file" >new
			mv new "$file"
		done
	done
	words
	cat run/findings.json
}

@test "launch: findings: the best scheme is chosen by the applications that all schemes started; a missing one is named" {
	made_up
	launched baseline:4000:8000 nice:1500:5000 L:800:4800 M:1200:-
	# with L xpdf takes 0.2 of the baseline's time, with M 0.3; with L both take sqrt(800 / 1500 * 4800 / 5000) of nice's
	[[ $(found today .text) == *"Vamp L (the best of 2"* ]]
	near "$(found today .value)" 0.7155 0.0002
	if found today .text | grep without; then return 1; fi
	# without a common application there is no best
	launched L:-:4800
	[[ $(found today .text) == *"Vamp "*"without "* ]]
	if found today .text | grep 'the best of'; then return 1; fi
	launched M:-:- L:1400:-
	near "$(found today .value)" 0.9333 0.0002
	[[ $(found today .text) == *"sooner than nice 19 (without writer)**"* ]]
	[[ $(verdict run) == *"without writer"* ]]
	launched L:-:-
	[[ $(verdict run) == "No scheme with vamp was measured"* ]]
	launched baseline:-:- L:800:4800
	[[ $(verdict run) == "The baseline was not measured"* ]]
}

@test "launch: findings on keys give the share of late keys, and 'overloaded' if there is no median" {
	local repeat
	made_up
	for repeat in 1 2 3; do
		mkdir -p run/cells/keys-{baseline,nice}-parallel/$repeat
		for scheme in baseline nice; do
			jq --arg scheme $scheme '.parameters.app = "keys" | .parameters.scheme = $scheme | del(.launch)' \
				run/cells/xpdf-nice-parallel/$repeat/cell.json >run/cells/keys-$scheme-parallel/$repeat/cell.json
		done
		echo '{"result": {"latency_from_due_ms": {"n": 20, "p50": 43}, "late_share_percent": 25}}' \
			>run/cells/keys-baseline-parallel/$repeat/keyrepeat.json
		echo '{"result": {"latency_from_due_ms": {"n": 20, "p50": null, "why": "overloaded"}, "overloaded": true,
			"late_share_percent": 100}}' >run/cells/keys-nice-parallel/$repeat/keyrepeat.json
	done
	jq '.cells += (["baseline", "nice"] | map({name: "keys-\(.)-parallel", parameters: {app: "keys", scheme: ., job: "parallel"},
		state: "complete", complete: 3, flags: []}))' run/run.json >new
	mv new run/run.json
	functions 'JOBS=parallel; exp_summed'
	words
	found keys .text | tee keys
	grep -q '43' keys
	grep -q '25 %' keys
	grep -q 'overloaded' keys
}

@test "launch: with one or two repeats findings compare no schemes" {
	local repeats
	for repeats in 2 1; do
		made_up
		compares_nothing "$repeats"
		[ "$(found baseline .verdict)/$(found baseline .value)" = '"unsure"/null' ]
		[ -z "$(found today .id)" ]
		[ "$(found job .verdict)" = '"unsure"' ]
		done
}

# bats test_tags=all
@test "launch: a short run beside a neighbour: a launch and keys beside the job, which makes progress; who had which CPU" {
	short_run xterm --app xterm --scheme baseline,nice,L+iso --job quanta --repeat 1 --neighbour 1 --trace xterm
	jq -e '.launch.launch_ms > 1 and .job.bytes > 1e6 and (.relative.launch - 1 | fabs) < 1e-9' \
		run/cells/xterm-baseline-quanta/1/cell.json
	jq -e '.launch.launch_ms > 1 and .relative.job > 0' run/cells/xterm-nice-quanta/1/cell.json
	usable run
	# two CPUs, of which the neighbour's hog takes what the session leaves, and at most one
	[ "$(nproc)" = 1 ] || {
		[ "$(jq '.launch.decided_ms != null' run/cells/xterm-L+iso-quanta/1/cell.json)" = true ]
		jq -e '.client_percent < 50' run/cells/keys-baseline-quanta/1/cell.json
		[ "$(cut -f 5 run/trace.tsv | sort -u | grep -c '[0-9]')" = 2 ]
		awk -F'\t' '$3 == "baseline" && $8 == "away" { s += $7 - $6 } $3 == "baseline" { if ($7 > end) end = $7 }
			END { exit !(s > 0.05 * end) }' run/trace.tsv
	}
	# refecho takes 10 ms of CPU time for each key, and has the CPU to share
	jq -e '.result.latency_from_due_ms.p50 > 10' run/cells/keys-baseline-quanta/1/keyrepeat.json
}

# bats test_tags=all
@test "launch: in a guest of two virtual CPUs beside another guest: isolation there, weights here; the disk's interrupts follow" {
	[ "$(id -u)" = 0 ] || skip "groups need root"
	if why=$(. "$TOP/lab/lib.sh"; . "$TOP/lab/guest.sh"; guest_missing); then skip "$why"; fi
	short_run "" --place guest --app xterm-sync --scheme baseline,vmL+iso --neighbour 2 --most 120 --ceiling 600 --repeat 1 --no-keys \
		--trace xterm-sync
	usable run
	jq -e '.disk_irqs | .n >= 200 and .first_percent < 50' run/cells/xterm-sync-baseline-parallel/1/cell.json
	jq -e '.disk_irqs | .n >= 200 and .first_percent > 50' run/cells/xterm-sync-vmL+iso-parallel/1/cell.json
	jq -e '[.vamp[] | select(.scheme == "vmL+iso") | .found] | add > 0' run/run.json
	# what times the launch is no background, so the launch beside isolation has a time
	jq -e '[.vamp[].others[] | select(. == "startup")] == []' run/run.json
	jq -e '.launch.launch_ms > 1' run/cells/xterm-sync-vmL+iso-parallel/1/cell.json
	# the neighbour has about half of the CPUs: that much of the trace is blank
	for scheme in baseline vmL+iso; do
		awk -F'\t' -v s="$scheme" '$3 == s && $8 == "away" { away += $7 - $6 } $3 == s && $7 > end { end = $7 }
			END { print s, away / (2 * end); exit !(away > 0.1 * 2 * end && away < 0.95 * 2 * end) }' run/trace.tsv
	done
}
