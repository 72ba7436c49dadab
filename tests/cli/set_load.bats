#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The load of a server with --on attach: options, the user's command, and the person at the terminal. Whole runs:
# tests/lab/attach.bats.

bats_require_minimum_version 1.5.0
load ../engine

setup() {
	export TOP=${BATS_TEST_DIRNAME%/tests/cli}
	export RUN=$BATS_TEST_TMPDIR
	cd "$BATS_TEST_TMPDIR" || return 1
	mkdir log
	{
		printf '%s\n' '. "$TOP/lab/lib.sh"' '. "$TOP/lab/jobs.sh"' '. "$TOP/experiments/families/set_load.sh"'
		printf '%s\n' "LAB_STOP_ENDS='' SET_LOAD=\${SET_LOAD-} SET_LOAD_TIMEOUT=\${SET_LOAD_TIMEOUT-}"
	} >lib
}

ended() { ! kill -0 "$1" 2>/dev/null || grep -q '^State:.*Z' "/proc/$1/status"; }

@test "--on attach: several loads need --set-load or a terminal; contradictory options are refused in one line" {
	refused_each stalls <<-'END'
		--set-load 'ssh HOST set-load %d'	--on attach::0,x --loads 0,5
		--set-load x: lacks %d	--on attach::0,x --loads 0,5 --set-load x
		--set-load needs --loads	--on attach::0,x --set-load 'x %d'
		--set-load-timeout needs --set-load	--on attach::0,x --loads 0 --set-load-timeout 3
		--set-load works only with --on attach	--loads 0,5 --set-load 'x %d'
	END
	accepted stalls <<-'END'
		--on attach::0,x --loads 0,5,10 --set-load 'x %d' --set-load-timeout 2s
		--on attach::0,x --loads 20
	END
	command -v script >/dev/null || skip "script is not installed"
	run timeout 20 script -qec "'$TOP/experiments/engine/run.sh' stalls --options-only --on attach::0,x --loads 0,5" /dev/null \
		</dev/null
	[ "$status" = 0 ]
}

@test "--set-load: runs once for each load, and with 0 at the end; a failure is reported with its last line" {
	cat >driver <<'END'
. ./lib
load_set 5 && load_set 5 && load_set 7 && echo "now $LOAD_NOW"
load_away
load_away
SET_LOAD='echo first; echo "no luck with %d" >&2; exit 3'
load_set 2 || echo "$LAB_WHY"
load_set 2 || echo again
SET_LOAD='printf bye >&2; [ %d = 7 ]'
load_set 7
SET_LOAD='exit %d'
load_set 2 || echo "$LAB_WHY"
SET_LOAD='echo %d >>said'
load_set 2 && load_away
END
	SET_LOAD='echo "load %d of %d" >>said' run --separate-stderr bash ./driver
	echo "$output $stderr"
	[ "${lines[0]}" = "now 7" ]
	[[ ${lines[1]} == "cannot set the load to 2: echo first; "*" ended with status 3: no luck with 2" ]]
	[ "${lines[2]}" = again ]
	# the reason comes from its own output only
	[ "${lines[3]}" = "cannot set the load to 2: exit 2 ended with status 2" ]
	# the outputs of all are kept, each under its load
	[ "$(grep -c '^# load [0-9]*: ' log/set-load.out)" = 9 ]
	[ "$(grep -A 2 '^# load 2: echo first' log/set-load.out | sed 1d | head -n 2 | paste -sd ,)" = "first,no luck with 2" ]
	[ "$(paste -sd ' ' said)" = "load 5 of 5 load 7 of 7 load 0 of 0 2 0" ]
	[ -z "$stderr" ]
}

@test "--set-load: a command that does not end is killed with its children; processes left by an ended command stay" {
	cat >driver <<'END'
. ./lib
load_set 5 || echo "$LAB_WHY"
SET_LOAD_TIMEOUT=60
SET_LOAD='sleep 50 & echo $! >load; # %d'
load_set 6 && echo "there"
SET_LOAD='[ %d != 0 ]'
load_away
END
	SET_LOAD='sleep 60 & echo $! >child; echo $$ >shell; sleep 60; : %d' SET_LOAD_TIMEOUT=5 run --separate-stderr bash ./driver
	echo "$output $stderr"
	[[ ${lines[0]} == "cannot set the load to 5: "*" took longer than 5 s (--set-load-timeout)" ]]
	[ "${lines[1]}" = there ]
	for _ in $(seq 200); do if ended "$(cat child)" && ended "$(cat shell)"; then break; fi; sleep 0.05; done
	ended "$(cat child)"
	ended "$(cat shell)"
	if ended "$(cat load)"; then return 1; fi
	kill "$(cat load)"
	# a load that cannot be removed gives one line
	[ "${#stderr_lines[@]}" = 1 ]
	[[ $stderr == *"set the load to 0: [ 0 != 0 ] ended with status 1; "* ]]
}

@test "load_ask: each question gets one line of the terminal, none after Ctrl-C or end of file; the driver's status is kept" {
	command -v script >/dev/null || skip "script is not installed"
	cat >driver <<'END'
. ./lib
for n in 1 2; do load_ask "set the load to $n, then press Enter" && echo "got $n" || echo "none $n"; done
load_ask third && echo "got 3" || echo "none 3"
stopped && echo stopped
exit 7
END
	# started from a shell, as by a user; the status is read there, since script(1) may change it
	printf '#!/bin/bash\n%s\n' 'trap : INT' '"$TOP/experiments/engine/keep.sh" ./driver' 'echo $? >ended' >shell
	chmod +x shell
	# (a job in the background ignores Ctrl-C, which timeout of coreutils 9.10 hands on)
	asks() { timeout 20 env --default-signal=INT script -qec ./shell /dev/null; }
	mkfifo keys
	exec {keys}<>keys
	asks <keys >out &
	until_said() { for _ in $(seq 200); do ! grep -aq "$1" out || return 0; sleep 0.05; done; return 1; }
	until_said 'load to 1'
	sleep 0.5
	run -1 grep -aq 'got 1' out
	echo >&"$keys"
	until_said 'load to 2'
	echo >&"$keys"
	until_said third
	printf '\003' >&"$keys"
	wait $! || echo "script: $?"
	exec {keys}>&-
	cat out ended
	[ "$(cat ended)" = 7 ]
	grep -aq 'got 1' out
	grep -aq 'got 2' out
	grep -aq 'none 3' out
	grep -aq stopped out
	# lines typed in advance count as answers; a closed terminal gives none
	run bash -c 'printf "\n\n" | timeout 20 script -qec "\"$TOP/experiments/engine/keep.sh\" ./driver" /dev/null'
	[[ $output == *"got 1"*"got 2"*"none 3"* && $status = 7 ]]
}
