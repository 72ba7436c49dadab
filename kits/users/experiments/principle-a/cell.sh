# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - principle-a: the server is vusers serve: three stations of known service times, a tenth of the paper's (5, 4 and
# 3 ms), so that all times are a tenth and all rates ten times the paper's. Tables 1a and 1b: exponential service. CoV of
# arrivals over the number of users: constant service, once with the ratio of users to think time held, once with the think
# time of the first user held, which soon fills the server.
. "$TP_HOME/kits/users/experiments/families/crowds.sh"
PORT=5999

exp_check() {
	[[ $STATIONS =~ ^[0-9]+(\.[0-9]+)?(us|ms|s)(,[0-9]+(\.[0-9]+)?(us|ms|s)){0,15}$ && ! ,$STATIONS =~ ,0+(\.0+)?[a-z] ]] ||
		exp_bad "--stations $STATIONS: must be 1 to 16 service times above 0, as 5ms,4ms,3ms"
}

exp_cells() {
	local n first users cov_users
	users=$(tr , '\n' <<<"$USERS" | sort -n) cov_users=$(tr , '\n' <<<"$COV_USERS" | sort -n)
	first=${cov_users%%[!0-9]*}
	for n in $users; do printf 'held-think\t%s\t%s\n' "$n" "$THINK"; done
	for n in $users; do printf 'held-ratio\t%s\t%s\n' "$n" "$(crowd_times "$n / $NZ")"; done
	for n in $cov_users; do printf 'cov-ratio\t%s\t%s\n' "$n" "$(crowd_times "$n / $COV_NZ")"; done
	for n in $cov_users; do printf 'cov-think\t%s\t%s\n' "$n" "$(crowd_times "$first / $COV_NZ")"; done
}

exp_begin() {
	crowd_begin
	RUN_SAYS="; stations of ${STATIONS//,/, }; ${#CELLS[@]} cells of $SECONDS_EACH s"
}

exp_run() {	# exp_run FOLDER REPEAT
	local service=exp target
	target=vnc:$(lab_url server):$PORT
	[[ ${P[part]} != cov-* ]] || service=const
	[ "$KIND" = vnc ] || target=http://$(lab_url server):$PORT/
	lab_start server serve "$TP_BIN/vusers" serve "$target" --stations "$STATIONS" --service "$service" --width 32 \
		--seed "$((SEED * 1000 + $2))" --format json
	is_ready serve 10 "the server did not start" && crowd_run "$1" "$((SEED * 1000 + $2))" "$target" || return
	# (constant service has no such closed form)
	[ "$service" = const ] || crowd_model "$1" "$STATIONS"
}
# Data of plots/queue.gp for the two tables: mean value analysis between the measured numbers of users, and measured rows.
exp_summed() {
	local part think file most step
	most=$(tr , '\n' <<<"$USERS" | sort -n | tail -n 1) step=$(((most + 99) / 100))
	"$TP_BIN/summarize" "$RUN" --format json -o /dev/null >/dev/null 2>&1
	[ -s "$RUN/summary.tsv" ] || return 0
	for part in held-think held-ratio; do
		file=$RUN/model-$part.tsv think=(-z "$(crowd_times "$THINK * 1000")ms")
		[ "$part" = held-think ] || think=(--users-per-second "$NZ")
		"$TP_BIN/queue" mva --demand "$STATIONS" -n "1,$step:$most:$step,$most" "${think[@]}" --rows "$file.new" \
			-o /dev/null \
			2>"$RUN/log/queue.err" || { warn "cannot compute the curve of the queueing model: $(tail -n 1 \
				"$RUN/log/queue.err")"; continue; }
		LC_ALL=C awk -F'\t' -v OFS='\t' -v part="$part" '
			NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
			$at["part"] == part && $at["response_ms"] > 0 {
				print "queue/1", "measured", $at["users"], $at["think_s"], $at["lambda_per_s"], $at["concurrency"], $at["response_ms"] / 1000,
					"", "" }' "$RUN/summary.tsv" >>"$file.new" && mv "$file.new" "$file"
	done
}
exp_stop() {	# exp_stop FOLDER
	lab_stop_within 5 "${LAB_PID_OF[serve]}"
	keep_report serve "$1"
}
