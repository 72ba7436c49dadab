#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Brady & Gunther 2016, Table 1 and Fig. 9: what more users do to a server with the think time held, and with the ratio of users to think time held; when requests come at random
# minutes: 50 (--quick: 3)
# needs: two CPUs
# wrong if: measured rate or queue far from exact mean value analysis of the same stations; arrivals at random with few users, or not with many whose ratio is held
#
# The server is vusers serve: three stations of known service times, a tenth of the paper's (5, 4 and 3 ms), so that all times are a tenth and all
# rates ten times the paper's. Tables 1a and 1b: exponential service. CoV of arrivals over the number of users: constant service, once with the ratio
# of users to think time held, once with the think time of the first user held, which soon fills the server.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, crowds.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=principle-a
EXPERIMENT_SAYS="How do many users have to think, so that their requests come as those of the whole world?"
RATE=0 THRESHOLD_MS=100 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/crowds.sh"
STATIONS=5ms,4ms,3ms NZ=200 THINK=1 USERS=100,200,400,600,800,1000 COV_USERS=1,2,5,10,20,50,100,200 COV_NZ=160 KIND=vnc SECONDS_EACH=15 REPEATS=5
LINK=none EXP_MEMORY=0
ABSENT=()

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--stations TIME,...] [--users N,...] [--think S] [--nz RATIO] [--cov-users N,...] [--cov-nz RATIO]
         [--kind K] [--spread HOW] [--seconds S] [--repeat R] [--quick] [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --stations T,...  service times of the server's stations ($STATIONS)
  --users N,...     users of the two tables ($USERS)
  --think S         their mean think time, in seconds, where it is held ($THINK)
  --nz RATIO        users by think time, a second, where that is held ($NZ)
  --cov-users N,... users of the figure on when requests come ($COV_USERS)
  --cov-nz RATIO    their ratio; where the think time is held, it is that of the first ($COV_NZ)
  --kind K          vnc: keys and their echoes; http: pages ($KIND)
  --spread HOW      how think times vary: uniform, exp, const, lognormal ($CROWD_THINK)
  --seconds S       length of each cell, after each user has thought about four times ($SECONDS_EACH)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --quick           few cells of 5 s, once: a first idea
  --seed N          of the random order and of all that is random ($SEED)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

principle_options() {
	exp_parse "--quick QUICK" "--stations STATIONS --users USERS --think THINK --nz NZ --cov-users COV_USERS --cov-nz COV_NZ --kind KIND --spread CROWD_THINK --seconds SECONDS_EACH --repeat REPEATS --seed SEED" "$@"
	if [ "$QUICK" = 1 ]; then
		exp_given --users || USERS=100,400,1000
		exp_given --cov-users || COV_USERS=1,10,50,200
		exp_given --seconds || SECONDS_EACH=5
		exp_given --repeat || REPEATS=1
	fi
	exp_resume
	[[ $STATIONS =~ ^[0-9]+(\.[0-9]+)?(us|ms|s)(,[0-9]+(\.[0-9]+)?(us|ms|s)){0,15}$ ]] || exp_bad "--stations $STATIONS: up to 16 times such as 5ms,4ms,3ms"
	crowd_numbers --users "$USERS" 20000
	crowd_numbers --cov-users "$COV_USERS" 20000
	crowd_reals --think "$THINK"
	crowd_reals --nz "$NZ"
	crowd_reals --cov-nz "$COV_NZ"
	case $KIND in vnc | http) ;; *) exp_bad "--kind $KIND: vnc or http" ;; esac
	case $CROWD_THINK in uniform | exp | const | lognormal) ;; *) exp_bad "--spread $CROWD_THINK: uniform, exp, const or lognormal" ;; esac
	exp_number --seconds "$SECONDS_EACH" 1 3600
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	jq -cn --arg stations "$STATIONS" --argjson users "[$USERS]" --argjson think "$THINK" --argjson nz "$NZ" --argjson cov_users "[$COV_USERS]" --argjson cov_nz "$COV_NZ" --arg kind "$KIND" --arg spread "$CROWD_THINK" \
		--argjson seconds "$SECONDS_EACH" --argjson repeats "$REPEATS" --argjson seed "$SEED" --argjson quick "$QUICK" '
		{stations: ($stations | split(",")), users: $users, think_s: $think, nz_per_s: $nz, cov_users: $cov_users, cov_nz_per_s: $cov_nz, kind: $kind, spread: $spread, seconds: $seconds, repeats: $repeats, seed: $seed,
		quick: ($quick == 1), cells: [], on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "STATIONS=\(.stations | join(",")) USERS=\(.users | map(tostring) | join(",")) THINK=\(.think_s | tostring) NZ=\(.nz_per_s | tostring)
		COV_USERS=\(.cov_users | map(tostring) | join(",")) COV_NZ=\(.cov_nz_per_s | tostring) KIND=\(.kind) CROWD_THINK=\(.spread) SECONDS_EACH=\(.seconds | tostring) REPEATS=\(.repeats | tostring)
		SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end)"' "$RESUME/run.json")"
	crowd_read_cells
}

choose_cells() {
	local n first
	[ "${#CELLS[@]}" = 0 ] || return 0
	for n in $(tr , '\n' <<<"$USERS" | sort -n); do CELLS+=("held-think-$n held-think $n $THINK"); done
	for n in $(tr , '\n' <<<"$USERS" | sort -n); do CELLS+=("held-ratio-$n held-ratio $n $(crowd_times "$n / $NZ")"); done
	first=$(tr , '\n' <<<"$COV_USERS" | sort -n | head -n 1)
	for n in $(tr , '\n' <<<"$COV_USERS" | sort -n); do CELLS+=("cov-ratio-$n cov-ratio $n $(crowd_times "$n / $COV_NZ")"); done
	for n in $(tr , '\n' <<<"$COV_USERS" | sort -n); do CELLS+=("cov-think-$n cov-think $n $(crowd_times "$first / $COV_NZ")"); done
}

exp_words() {	# exp_words 0 CELL
	local part users think
	find_cell "$2"
	[ "$users" != 1 ] || { echo "1 user who thinks for $think s"; return; }
	echo "$users users who think for $think s"
}

PORT=5999
exp_cell() {	# exp_cell CELL 0 REPEAT FOLDER
	local part users think reason='' LAB_LOG=$4/log service=exp target=vnc:$LAB_ADDR_server:$PORT SERVER
	find_cell "$1"
	mkdir -p "$LAB_LOG"
	[[ $part != cov-* ]] || service=const
	[ "$KIND" = vnc ] || target=http://$LAB_ADDR_server:$PORT/
	lab_start server serve "$TP_BIN/vusers" serve "$target" --stations "$STATIONS" --service "$service" --width 32 --seed "$((SEED * 1000 + $3))" --format json
	SERVER=$LAB_PID
	if lab_ready serve 10; then
		crowd_run "$4" "$((SEED * 1000 + $3))" "$target" || reason=$LAB_WHY
	else
		reason="the server did not start: $(tail -n 1 "$LAB_LOG/serve.err")"
	fi
	lab_stop_within 5 "$SERVER"
	[ ! -s "$LAB_LOG/serve.out" ] || mv "$LAB_LOG/serve.out" "$4/serve.json"
	# (constant service has no such closed form)
	[ -n "$reason" ] || [ "$service" = const ] || crowd_model "$4" "$STATIONS"
	crowd_write "$4" "$3" "$reason"
	if [ -n "$reason" ]; then warn "$(exp_words 0 "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

principle_options "$@"
choose_cells
exp_folder
crowd_cells
export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_RATE=none LAB_DELAY=''
ON_BACKEND=local
lab_use local
exp_step "two hosts"
lab_up
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(crowd_missing)")"
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, users on CPU $LAB_CPUS_client; stations of ${STATIONS//,/, }; ${#CELLS[@]} cells of $SECONDS_EACH s"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
