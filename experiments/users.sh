#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Brady & Gunther 2016, Table 3, Figs. 9 and 10, Table 4: users of a web server, and of VNC sessions, who think for less and less; the users of the world that these stand for
# minutes: 50 (--quick: 3)
# needs: two CPUs, tbf in the kernel; lighttpd for the web (thinprobe setup --app web)
# wrong if: rate times (response + think time) is not the number of users; the web's response far from that of one queue for its link; fitted demands far from what the link needs for an object, and a key's stated cost
#
# Web: lighttpd serves the paper's 15 objects in 9 pages over a link of 100 Mbit/s; 200 users with uniform think times, shorter from cell to cell, as
# the paper's seven runs. VNC: each user types into a refecho of its own, which burns CPU time for each key, on one CPU for all of them.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, crowds.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=users
EXPERIMENT_SAYS="How does a server bear users who ask more and more often, and how many users of the world are they?"
RATE=0 THRESHOLD_MS=100 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/crowds.sh"
PARTS=web,vnc WEB_USERS=200 WEB_THINK=12.5,6.25,4.2,3.25,2.5,1.563,1 VNC_USERS=20 VNC_THINK=2,1,0.5,0.3,0.25,0.2 COST_MS=10 SECONDS_EACH=40 REPEATS=5 EXP_MEMORY=0
ABSENT=()
WEB_PORT=8080 VNC_PORT=6001
WORKLOAD=$TP_HOME/data/users/webgov.tsv

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--parts web,vnc] [--users N] [--think S,...] [--vnc-users N] [--vnc-think S,...] [--cost TIME] [--spread HOW]
         [--seconds S] [--repeat R] [--quick] [--seed N] [--link RATE] [--queue TIME] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --parts P,...     web: lighttpd and the objects of data/users/webgov.tsv; vnc: refecho, one for each user ($PARTS)
  --users N         users of the web server ($WEB_USERS)
  --think S,...     their mean think times before each object, in seconds ($WEB_THINK)
  --vnc-users N     users of VNC ($VNC_USERS)
  --vnc-think S,... their mean think times before each key ($VNC_THINK)
  --cost TIME       CPU time that each of their keys costs the server (${COST_MS}ms)
  --spread HOW      how think times vary: uniform, exp, const, lognormal ($CROWD_THINK)
  --seconds S       length of each cell, after each user has thought about four times; VNC: half of it ($SECONDS_EACH)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --quick           few cells of 8 s, once: a first idea
  --seed N          of the random order and of all that is random ($SEED)
  --link RATE       rate of the emulated link, or none ($LINK)
  --queue TIME      how long a packet may wait for it before it is dropped (50ms, or 64 packets)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

users_options() {
	local item
	exp_parse "--quick QUICK" "--parts PARTS --users WEB_USERS --think WEB_THINK --vnc-users VNC_USERS --vnc-think VNC_THINK --cost COST_MS --spread CROWD_THINK --seconds SECONDS_EACH --repeat REPEATS --seed SEED --link LINK --queue QUEUE" "$@"
	COST_MS=${COST_MS%ms}
	if [ "$QUICK" = 1 ]; then
		exp_given --think || WEB_THINK=4.2,1.563,1
		exp_given --vnc-think || VNC_THINK=1,0.5,0.2
		exp_given --seconds || SECONDS_EACH=8
		exp_given --repeat || REPEATS=1
	fi
	exp_resume
	exp_list --parts "$PARTS"
	for item in ${PARTS//,/ }; do case $item in web | vnc) ;; *) exp_bad "--parts $item: web or vnc" ;; esac; done
	exp_number --users "$WEB_USERS" 1 20000
	exp_number --vnc-users "$VNC_USERS" 1 500
	crowd_reals --think "$WEB_THINK"
	crowd_reals --vnc-think "$VNC_THINK"
	[[ $COST_MS =~ ^[0-9]{1,4}(\.[0-9]+)?$ ]] || exp_bad "--cost $COST_MS: give milliseconds, such as 10ms"
	case $CROWD_THINK in uniform | exp | const | lognormal) ;; *) exp_bad "--spread $CROWD_THINK: uniform, exp, const or lognormal" ;; esac
	[[ $LINK != *,* ]] || exp_bad "--link $LINK: only a rate"
	exp_check_link
	exp_number --seconds "$SECONDS_EACH" 1 3600
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	jq -cn --arg parts "$PARTS" --argjson users "$WEB_USERS" --argjson think "[$WEB_THINK]" --argjson vnc_users "$VNC_USERS" --argjson vnc_think "[$VNC_THINK]" --argjson cost "$COST_MS" --arg spread "$CROWD_THINK" \
		--argjson seconds "$SECONDS_EACH" --argjson repeats "$REPEATS" --argjson seed "$SEED" --argjson quick "$QUICK" --arg link "$LINK" '
		{parts: ($parts | split(",")), users: $users, think_s: $think, vnc_users: $vnc_users, vnc_think_s: $vnc_think, cost_ms: $cost, spread: $spread, seconds: $seconds, repeats: $repeats, seed: $seed,
		quick: ($quick == 1), link: $link, cells: [], on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PARTS=\(.parts | join(",")) WEB_USERS=\(.users | tostring) WEB_THINK=\(.think_s | map(tostring) | join(",")) VNC_USERS=\(.vnc_users | tostring)
		VNC_THINK=\(.vnc_think_s | map(tostring) | join(",")) COST_MS=\(.cost_ms | tostring) CROWD_THINK=\(.spread) SECONDS_EACH=\(.seconds | tostring) REPEATS=\(.repeats | tostring)
		SEED=\(.seed | tostring) LINK=\(.link) QUICK=\(if .quick then "1" else "0" end)"' "$RESUME/run.json")"
	crowd_read_cells
}

choose_cells() {
	local item
	[ "${#CELLS[@]}" = 0 ] || return 0
	if [[ ,$PARTS, == *,web,* ]] && ! command -v lighttpd >/dev/null; then
		ABSENT+=("the web server: lighttpd is not installed (thinprobe setup --app web)")
		[[ ,$PARTS, == *,vnc,* ]] || die "-$EXIT_MISSING" "lighttpd is not installed; thinprobe setup --app web"
		PARTS=vnc
	fi
	[[ ,$PARTS, != *,web,* ]] || for item in $(tr , '\n' <<<"$WEB_THINK" | sort -rg); do CELLS+=("web-$item web $WEB_USERS $item"); done
	[[ ,$PARTS, != *,vnc,* ]] || for item in $(tr , '\n' <<<"$VNC_THINK" | sort -rg); do CELLS+=("vnc-$item vnc $VNC_USERS $item"); done
}

exp_words() {	# exp_words 0 CELL
	local part users think
	find_cell "$2"
	echo "$users users of $([ "$part" = web ] && echo "the web server" || echo VNC) who think for $think s"
}

# Servers -----------------------------------------------------------------------------------------------------------

web_start() {
	local www=$RUN/log/www name page weight path bytes
	mkdir -p "$www"
	while IFS=$'\t' read -r page weight name path bytes; do
		[[ $page != '#'* && -n $bytes ]] || continue
		head -c "$bytes" /dev/urandom >"$www$path" || die "cannot write to $www"
	done <"$WORKLOAD"
	cat >"$LAB_LOG/lighttpd.conf" <<END
server.document-root = "$www"
server.bind = "$LAB_ADDR_server"
server.port = $WEB_PORT
server.errorlog = "$LAB_LOG/lighttpd.log"
server.max-connections = $((WEB_USERS + 100))
server.max-fds = $((2 * WEB_USERS + 1000))
server.max-keep-alive-requests = 60000
server.max-keep-alive-idle = 600
mimetype.assign = ( ".html" => "text/html", ".jpg" => "image/jpeg" )
END
	lab_start server lighttpd lighttpd -D -f "$LAB_LOG/lighttpd.conf"
	wait_until 10 lab_listens server "$WEB_PORT" || die "lighttpd does not listen: $(tail -n 1 "$LAB_LOG/lighttpd.err" "$LAB_LOG/lighttpd.log" 2>/dev/null | tail -n 1)"
	run_set '.web = $v' --arg v "$(lighttpd -v 2>/dev/null | head -n 1)"
}

vnc_start() {
	local i
	for ((i = 0; i < VNC_USERS; i++)); do
		lab_start server "refecho-$i" "$TP_BIN/refecho" --vnc "$((VNC_PORT + i))" --listen "$LAB_ADDR_server" --cost "${COST_MS}ms"
	done
	for ((i = 0; i < VNC_USERS; i++)); do lab_ready "refecho-$i" 20 || die "a VNC server does not start: $(tail -n 1 "$LAB_LOG/refecho-$i.err")"; done
}

# Nothing is fitted: what the link needs for an object of average size, with the heads of its frames and its answer; the CPU time that a key was told to cost.
part_demand() {
	[ "$part" = web ] || { echo "${COST_MS}ms"; return; }
	[ "$LINK" != none ] || return 0
	LC_ALL=C awk -F'\t' -v link="$LINK" '
		!/^#/ && NF >= 5 { n += $2; bytes += $2 * (($5 + 250) * 1514 / 1448) }
		END { rate = link * (link ~ /K/ ? 1e3 : link ~ /M/ ? 1e6 : link ~ /G/ ? 1e9 : 1); printf "%.6fms", bytes / n * 8 / rate * 1000 }' "$WORKLOAD"
}

exp_cell() {	# exp_cell CELL 0 REPEAT FOLDER
	local part users think reason='' demand LAB_LOG=$4/log CROWD_ARRIVALS=() full=$SECONDS_EACH SECONDS_EACH target words=()
	find_cell "$1"
	mkdir -p "$LAB_LOG"
	if [ "$part" = web ]; then
		SECONDS_EACH=$full target=http://$LAB_ADDR_server:$WEB_PORT/ words=(--workload "$WORKLOAD")
	else
		SECONDS_EACH=$(((full + 1) / 2)) target=vnc:$LAB_ADDR_server:$VNC_PORT-$((VNC_PORT + VNC_USERS - 1)) words=(--echo patch)
	fi
	CROWD_ARRIVALS=(--sources user --rows "$4/arrivals.tsv")
	crowd_run "$4" "$((SEED * 1000 + $3))" "$target" "${words[@]}" || reason=$LAB_WHY
	demand=$(part_demand)
	[ -n "$reason" ] || [ -z "$demand" ] || crowd_model "$4" "$demand"
	crowd_write "$4" "$3" "$reason"
	if [ -n "$reason" ]; then warn "$(exp_words 0 "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

# How the times between requests become random as one user after the other is counted in, of each part's cells: from the first repeat.
users_points() {
	local file cell
	{
		printf 'schema\tpart\tthink_s\tusers\tcov\tcov_low\tcov_high\n'
		for file in "$RUN"/cells/*/1/arrivals.tsv; do
			[ -s "$file" ] || continue
			cell=${file%/1/*} cell=${cell##*/}
			awk -F'\t' -v part="${cell%%-*}" -v think="${cell#*-}" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["kind"] == "sources" { printf "points/1\t%s\t%s\t%s\t%s\t%s\t%s\n", part, think, $at["x"], $at["y"], $at["low"], $at["high"] }' "$file"
		done
	} >"$RUN/points.tsv"
}

users_options "$@"
choose_cells
exp_folder
crowd_cells
export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_DELAY=''
ON_BACKEND=local
lab_use local
exp_step "two hosts and their servers"
lab_up
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(crowd_missing)")"
[[ " ${CELLS[*]}" != *" web-"* ]] || web_start
[[ " ${CELLS[*]}" != *" vnc-"* ]] || vnc_start
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, users on CPU $LAB_CPUS_client, link ${LINK/Mbit/ Mbit/s}; ${#CELLS[@]} cells of $SECONDS_EACH s (VNC: half)"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
rm -rf "$RUN/log/www"
users_points
crowd_fit "${PARTS//,/ }"
exp_end
