#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# replay: a trace on two servers whose delays are known; options that are refused. (Figures: ../cpuspeed/test.bats.)

bats_require_minimum_version 1.5.0
load ../families/replays

lines_of() {	# lines_of CLICKS: a script of the scripted desktop
	local at
	for ((k = 0; k < $1; k++)); do
		at="$((42 + 60 * k)) 20"
		printf '%s\n' "move $at" "wait 200" "shot click $at" "press $at" "wait 60" "release $at" "wait 250"
	done
}

# What the servers' logs say of a run, each log one replay: p50 of the first server, longest answer of the second, median ratio.
by_logs() {
	python3 - "$@" <<-'END'
		import math, re, statistics, sys
		def answers(path):
		    press, late = [], {}
		    for line in open(path):
		        t, what, words = line.split(" ", 2)
		        if what == "press": press.append(int(t))
		        elif what == "sent":
		            for k in re.findall(r"answer-(\d+)/", words): late[int(k)] = (int(t) - press[int(k) - 1]) / 1e6
		    return [late[k] for k in sorted(late)]
		fast, slow = [[answers(f) for f in sorted(sys.argv[1:]) if f.startswith(label)] for label in ("fast", "slow")]
		ratio = [statistics.median(b / a for a, b in zip(*pair)) for pair in zip(fast, slow)]
		print(statistics.mean(map(statistics.median, fast)), max(map(max, slow)), math.prod(ratio) ** (1 / len(ratio)))
	END
}

# The servers delay the answer to each click by these ms, the second one twice as long; each replay has a new server.
@test "replay: a server with twice the delays has a ratio of 2; a password opens it; its latest response is a picture" {
	local server=$TOP/kits/replay/tests/lab/scripted_rfb.py port=$((20000 + RANDOM % 10000))
	command -v python3 >/dev/null || skip "python3 is not installed"
	lines_of 5 >script
	python3 "$server" --log trace.log --trace script "my trace"
	echo secret >password
	cat >fresh <<-END
		port=\${VNCPLAY_SERVER##*:} factor=1
		[ "\$VNCPLAY_LABEL" = fast ] || factor=2
		[ ! -f \$port.pid ] || { kill \$(cat \$port.pid); tail --pid \$(cat \$port.pid) -f /dev/null; mv \$port.log \$VNCPLAY_LABEL-1; }
		python3 "$server" --log \$port.log --port \$port --password secret --factor \$factor \
			--delays 60,35,120,40,200 >/dev/null 2>&1 &
		echo \$! >\$port.pid
		for n in \$(seq 600); do
			if grep -q ' listens ' \$port.log; then exit; fi
			kill -0 \$! || exit
			sleep 0.05
		done
		exit 1
	END
	real_run "$RUN" "$TOP/thinprobe" run replay --trace "my trace" --to "vnc:127.0.0.1::$port" --label fast \
		--to "vnc:127.0.0.1::$((port + 1))" --label slow --password-file password \
		--before 'sh fresh' --repeat 2 -o "$RUN" 3>&-
	# shellcheck disable=SC2046 # pids
	kill $(cat [0-9]*.pid)
	run_complete "$RUN"
	[ "$(finding delivered)" = "15 good" ] || { cat "$RUN/findings.json"; false; }
	mv "$port.log" fast-2
	mv "$((port + 1)).log" slow-2
	# a busy machine keeps the servers' answers, too: their logs say for how long
	read -r p50 longest ratio < <(by_logs fast-[12] slow-[12])
	near() { awk -v a="$1" -v b="$2" -v most="$3" 'BEGIN { print a, b; exit !(a - b <= most && b - a <= most) }'; }
	[ "$(head -c 15 "$RUN/pictures/1-after.ppm")" = $'P6\n640 480\n255' ]
	[ "$(wc -c <"$RUN/pictures/1-before.ppm")" = $((15 + 640 * 480 * 3)) ]
	awk -F'\t' 'NR == 2 { ok = $1 == "slow" && $4 == "click" && $5 > 390 } END { exit !ok }' "$RUN/outliers.tsv"
	grep -q '<image' "$RUN/figures/outliers.svg"
	usable "$RUN"
	near "$(column slow ratio)" "$ratio" 0.1
	near "$(column fast p50_ms)" "$p50" 10
	near "$(column slow max_ms)" "$longest" 10
	# a server that --before has left behind does not hold the run folder
	run "$TOP/thinprobe" run replay --resume "$RUN"
	[[ $status = 0 && $output == *"nothing is missing"* ]]
}

@test "replay: two runs join: ratio, percentiles and CDF are those of their answers; what was not alike is above the figures" {
	local run n=0 r
	python3 -c '' || skip "python3 is not installed"
	# of the second run's answers each takes twice as long, as the maker of the logs writes them
	warm "$TOP/kits/replay/tests/golden/make_vncplay.py" make logs factors=1,1,1,2,2,2 clicks=12 width=240 height=180 tail=1
	for run in old new; do
		RUN=$run REPEATS=3 made replay "$run" "$run:0:1:$((40 + 4 * (n / 3)))"
		echo "a session" >"$run/session.trace"
		for r in 1 2 3; do
			cp "logs/run$n.rfb" "$run/cells/$run/$r/replay.rfb"
			cp "logs/run$n.rfb.aux" "$run/cells/$run/$r/replay.rfb.aux"
			n=$((n + 1))
		done
		jq '.settings += {on: "attach:vnc:a:1", label: [.settings.base]} | .host.kernel = .settings.base' "$run/run.json" >x
		mv x "$run/run.json"
	done
	drawn warm report old new -o both
	RUN=both
	near() { awk -v a="$1" -v b="$2" 'BEGIN { print a, b; exit !(a > 0.97 * b && a < 1.03 * b) }'; }
	near "$(column new ratio)" 2
	near "$(column new total_ratio)" 1.1
	near "$(column new p50_ms)" "$(($(column old p50_ms | cut -d. -f1) * 2))"
	[ "$(column new points)" = 12 ]
	[ "$(column new pairs)" = 3 ]
	[ "$(awk -F'\t' 'NR > 1 { n[$2]++ } END { print n["old"], n["new"] }' both/cdf.tsv)" = "36 36" ]
	for n in total cdf percentiles ratio; do [ -s "both/figures/$n.svg" ]; done
	near "$(finding shown | cut -d' ' -f1)" 2
	awk '/^> .*Not alike.*kernel old \(old\) and new \(new\)/ { said = NR } /!\[/ { exit } END { exit !said }' both/report.md
	# a third one has another session; and one whose replays were deleted
	cp -r new other
	echo "another session" >other/session.trace
	run -2 warm report old other -o never
	[[ ${#lines[@]} = 1 && $output == *"other: its session"* ]]
	rm new/cells/new/*/replay.rfb
	run -1 warm report old new -o never
	[[ ${#lines[@]} = 1 && $output == *"new: its replays"* && ! -e never ]]
}

@test "replay: --quick plays a session often enough that the responses of one server are told" {
	local n
	python3 -c '' || skip "python3 is not installed"
	n=$(sed -n 's/^use *repeat .* quick=\([0-9]*\) .*/\1/p' "$TOP/kits/replay/experiments/replay/plan")
	answered() {	# answered REPLAYS: inputs with a response, of 12 that the server answers
		warm "$TOP/kits/replay/tests/golden/make_vncplay.py" make logs "factors=$(yes 1 | head -n "$1" | paste -sd ,)" clicks=12 \
			width=240 height=180 tail=1
		"$TOP/bin/vncplay" analyze --format json logs/run*.rfb | jq '[.result.responses[] | select(.confidence >= 0.5)] | length'
		rm -r logs
	}
	[ "$(answered 1)" = 0 ]	# else once would do
	[ "$(answered "$n")" = 12 ]
}

@test "replay: a server whose updates come at a frame's pace is told so, where that is much of the response time" {
	python3 -c '' || skip "python3 is not installed"
	frame() {	# frame SETTING...: what is seen of a server that paints each answer in five strips
		rm -rf logs
		warm "$TOP/kits/replay/tests/golden/make_vncplay.py" make logs factors=1,1,1 clicks=12 strips=5 width=240 height=180 \
			tail=1 "$@"
		"$TOP/bin/vncplay" analyze --format json logs/run*.rfb | jq -c '[.result.runs[].frame_ms] | unique'
	}
	[ "$(frame strip_ms=17) $(frame strip_ms=33)" = "[17] [33]" ]
	[ "$(frame strip_ms=120)" = "[null]" ]	# nothing follows at once
	for frame in 17 35; do	# the median response is 20 ms
		made replay a a:0:1:40
		jq "del(.protocol) | .frame_ms = $frame" "$RUN/run.json" >x
		mv x "$RUN/run.json"
		reported
		finding floor >>floors
	done
	[ "$(cat floors)" = "17.5 unsure" ]
}

@test "replay: a trace, servers, names and passwords that do not fit are refused in one line" {
	local words
	: >trace
	while IFS='|' read -r words why; do
		# shellcheck disable=SC2086 # words
		run --separate-stderr "$TOP/experiments/engine/run.sh" replay $words -o never/run
		echo "$words: $status $stderr"
		[ ! -e never ]
		[ "$status" = 2 ]
		[ "${#stderr_lines[@]}" = 1 ]
		[[ $stderr == *"$why"* ]]
	done <<-END
		--to vnc:a:1|--trace is missing
		--trace trace|--to is missing
		--trace trace --to a|must be vnc:HOST:DISPLAY
		--trace trace --to vnc:a:1 --to b:1 --label x|as many names as there are servers
		--trace trace --to vnc:a:1 --label 5|not a number
		--trace trace --to vnc:a:1,vnc:a:1|two servers are called a-1
		--trace trace --to vnc:a:1 --password-file no-file|no-file
		--trace trace --to vnc:a:1 --on ssh:a,b|needs the emulated hosts
		--trace trace --to vnc:a:1 --join 5ms|needs --method paper
	END
}

@test "outliers: sizes of its figure are numbers, and a picture lies in the run's folder" {
	local row
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	mkdir -p a/figures a/b
	head -c 3 /dev/zero >pixel
	cd a/b || return 1
	for row in 'pixel pixel 1 1 0' 'pixel pixel system(seen) 1 0' '../pixel pixel 1 1 0'; do
		printf 'before\tafter\twidth\theight\tskip\tinput\tsetting\tlatency_ms\tusual_ms\n' >outliers.tsv
		printf '%s\ti\tx\t1\t1\n' "${row// /$'\t'}" >>outliers.tsv
		[[ $row == pixel*1\ 1\ 0 ]] || tail -n 1 outliers.tsv | sed "s/^[^\t]*/touch ran/" >>outliers.tsv
		run gnuplot -e "layout='wide'" "$TOP/kits/replay/experiments/replay/figures.gp"
		echo "$row ($status): $output"
		[ ! -e ran ]
		if [[ $row == pixel*1\ 1\ 0 ]]; then [ "$status" = 0 ]; else [ "$status" != 0 ]; fi
	done
}
