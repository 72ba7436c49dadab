# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - users. Web: two lighttpd behind a haproxy serve the paper's 15 objects in 9 pages over a link of 100 Mbit/s; 200
# users with uniform think times, shorter from cell to cell, as the paper's seven runs. VNC: each user types into a refecho of its
# own, which burns CPU time for each key, on one CPU for all of them.
. "$TP_HOME/kits/users/experiments/engine/crowds.sh"
WEB_PORT=8080 VNC_PORT=6001
WORKLOAD=$TP_HOME/kits/users/data/users/webgov.tsv

exp_check() {
	[[ $LINK != *,* ]] || exp_bad "--link $LINK: must be a rate only, such as 10Mbit"
	crowd_check
}

exp_choose() {
	[[ ,$PARTS, == *,web,* ]] || return 0
	if [ "$WEB_SERVERS" -gt 1 ] && ! lab_has server haproxy; then
		ABSENT+=("the load balancer: haproxy is not installed${LAB_AT_server-} (thinprobe setup --app web), so there is one web server")
		WEB_SERVERS=1
	fi
	! lab_has server lighttpd || return 0
	ABSENT+=("the web server: lighttpd is not installed${LAB_AT_server-} (thinprobe setup --app web)")
	[[ ,$PARTS, == *,vnc,* ]] || die "-$EXIT_MISSING" "lighttpd is not installed${LAB_AT_server-}; thinprobe setup --app web"
	PARTS=vnc
}

exp_cells() {
	[[ ,$PARTS, != *,web,* ]] || tr , '\n' <<<"$WEB_THINK" | sort -rg | sed "s/^/web\t$WEB_USERS\t/"
	[[ ,$PARTS, != *,vnc,* ]] || tr , '\n' <<<"$VNC_THINK" | sort -rg | sed "s/^/vnc\t$VNC_USERS\t/"
}

exp_words() {
	echo "${P[users]} users of $([ "${P[part]}" = web ] && echo "the web server" || echo VNC) who think for ${P[think_s]} s"
}

WEB_PIDS=()
web_program() {	# web_program NAME PORT COMMAND...
	WEB_PIDS+=("$LAB_LOG/$1.pid")
	lab_put server "$LAB_LOG/$1.conf" "$LAB_LOG/$1.conf"
	# shellcheck disable=SC2016 # the host's shell
	lab_start server "$1" sh -c 'echo $$ >"$0" && exec "$@"' "$LAB_LOG/$1.pid" "${@:3}"
	wait_until 10 lab_listens server "$2" ||
		die "$1 does not accept connections: $(tail -qn 1 "$LAB_LOG/$1.err" "$LAB_LOG/$1.log" 2>/dev/null | tail -n 1)"
}

web_server() {	# web_server NAME ADDRESS PORT
	local LAB_WORD
	lab_there server "$RUN/log/www"
	cat >"$LAB_LOG/$1.conf" <<END
server.document-root = "$LAB_WORD"
server.bind = "$2"
server.port = $3
server.errorlog = "${LAB_WORD%/*}/$1.log"
server.max-connections = $((WEB_USERS + 100))
server.max-fds = $((2 * WEB_USERS + 1000))
server.max-keep-alive-requests = 60000
server.max-keep-alive-idle = 600
mimetype.assign = ( ".html" => "text/html", ".jpg" => "image/jpeg" )
END
	web_program "$1" "$3" lighttpd -D -f "$LAB_LOG/$1.conf"
}

# Requests go to the servers in turn, whichever connection they come by.
web_balancer() {
	local i
	{
		cat <<END
global
	maxconn $((WEB_USERS + 100))
	nbthread 1
defaults
	mode http
	timeout connect 10s
	timeout client 600s
	timeout server 600s
	timeout http-keep-alive 600s
listen web
	bind $LAB_ADDR_server:$WEB_PORT
	balance roundrobin
END
		for ((i = 1; i <= WEB_SERVERS; i++)); do printf '\tserver web-%d 127.0.0.1:%d\n' "$i" $((WEB_PORT + i)); done
	} >"$LAB_LOG/balancer.conf"
	web_program balancer "$WEB_PORT" haproxy -db -f "$LAB_LOG/balancer.conf"
	run_set '.balancer = $v' --arg v "$(lab_exec server haproxy -v 2>/dev/null </dev/null | head -n 1)"
}

web_start() {
	local www=$RUN/log/www name page weight path bytes i
	mkdir -p "$www"
	while IFS=$'\t' read -r page weight name path bytes; do
		[[ $page != '#'* && -n $bytes ]] || continue
		head -c "$bytes" /dev/urandom >"$www$path" || die "cannot write to $www"
	done <"$WORKLOAD"
	lab_put server "$www" "$www"
	if [ "$WEB_SERVERS" = 1 ]; then
		web_server web-1 "$LAB_ADDR_server" "$WEB_PORT"
	else
		for ((i = 1; i <= WEB_SERVERS; i++)); do web_server "web-$i" 127.0.0.1 $((WEB_PORT + i)); done
		web_balancer
	fi
	run_set '.web = $v' --arg v "$(lab_exec server lighttpd -v 2>/dev/null </dev/null | head -n 1)"
}

vnc_start() {
	local i
	for ((i = 0; i < VNC_USERS; i++)); do
		lab_start server "refecho-$i" "$TP_BIN/refecho" --vnc "$((VNC_PORT + i))" --listen "$LAB_ADDR_server" \
			--cost "${COST_MS}ms"
	done
	for ((i = 0; i < VNC_USERS; i++)); do is_ready "refecho-$i" 20 "a VNC server does not start" || die "$LAB_WHY"; done
}

exp_begin() {
	crowd_begin
	RUN_SAYS="; ${#CELLS[@]} cells of $SECONDS_EACH s (VNC: half)"
	[[ ,$PARTS, != *,web,* ]] || web_start
	[[ ,$PARTS, != *,vnc,* ]] || vnc_start
}

# Nothing is fitted: what the link needs for an object of average size, with the heads of its frames and its answer; the CPU
# time that a key was told to cost.
part_demand() {
	[ "${P[part]}" = web ] || { echo "${COST_MS}ms"; return; }
	[ "$LINK" != none ] || return 0
	LC_ALL=C awk -F'\t' -v rate="$(rate_bits "$LINK")" '
		!/^#/ && NF >= 5 { n += $2; bytes += $2 * (($5 + 250) * 1514 / 1448) }
		END { printf "%.6fms", bytes / n * 8 / rate * 1000 }' "$WORKLOAD"
}

exp_run() {	# exp_run FOLDER REPEAT
	local demand target words CROWD_PIDS=() CROWD_ARRIVALS=(--sources user --rows "$1/arrivals.tsv") SECONDS_EACH=$SECONDS_EACH
	if [ "${P[part]}" = web ]; then
		CROWD_PIDS=("${WEB_PIDS[@]}")
		target=http://$LAB_ADDR_server:$WEB_PORT/ words=(--workload "$WORKLOAD")
	else
		SECONDS_EACH=$(((SECONDS_EACH + 1) / 2)) words=(--echo patch)
		target=vnc:$LAB_ADDR_server:$VNC_PORT-
	fi
	crowd_run "$1" "$((SEED * 1000 + $2))" "$target" "${words[@]}" || return
	demand=$(part_demand)
	[ -z "$demand" ] || crowd_model "$1" "$demand"
}

# What a request needs of the CPU and of the link, by the measured rows of each part: fitted to all of them, and to the half
# with the lowest rates, which foretells the others. Flagged cells are left out where three others are there.
users_rows() {	# users_rows PART MOST-FLAGGED: of summary.tsv, in the order of their rates, what queue fit reads
	local rows columns=1-5 n
	rows=$(LC_ALL=C awk -F'\t' -v OFS='\t' -v part="$1" -v most="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		function share(p) { return p == "" ? "" : p > 100 ? 1 : p / 100 }
		$at["part"] == part && $at["response_ms"] > 0 && $at["lambda_per_s"] > 0 && $at["marked"] <= most + 0 {
			print $at["cell"], $at["users"], $at["think_s"], $at["lambda_per_s"], $at["response_ms"],
				share($at["server_own_percent"]), share($at["link_percent"])
		}' "$RUN/summary.tsv" | LC_ALL=C sort -t $'\t' -s -gk4,4)
	# a resource that was never busy is none
	for n in 6 7; do ! cut -f "$n" <<<"$rows" | grep -q '[1-9]' || columns+=,$n; done
	cut -f "$columns" <<<"run	n	z_s	lambda	r_ms	u_cpu	u_link${rows:+$'\n'$rows}"
}

users_fit() {	# users_fit PART FITTED ROWS: leaves fit/PART-FITTED.json, or why not
	local file=$RUN/fit/$1-$2
	"$TP_BIN/queue" fit "$RUN/fit/$1.tsv" --first "$3" --format json -o "$file.json" 2>"$file.err" && rm -f "$file.err"
}

# The number of real users, who think longer between pages, that cause the same rate as each row of the web.
users_world() {
	local pages
	pages=$(awk -F'\t' '!/^#/ && NF >= 4 { objects += $2; if ($1 != page) pages += $2; page = $1 } END { print pages ":" objects }' \
		"$WORKLOAD")
	users_rows web "$REPEATS" >"$RUN/fit/web-users.tsv"
	"$TP_BIN/queue" users "$RUN/fit/web-users.tsv" --think-time 10s:50s:10s --pages "$pages" --format json \
		-o "$RUN/fit/web-users.json" 2>"$RUN/fit/web-users.err" && rm -f "$RUN/fit/web-users.err"
}

exp_summed() {
	local part rows
	rm -rf "$RUN/log/www" "$RUN/fit"
	"$TP_BIN/summarize" "$RUN" --format json -o /dev/null >/dev/null 2>&1
	[ -s "$RUN/summary.tsv" ] && mkdir "$RUN/fit" || return 0
	[[ ,$PARTS, != *,web,* ]] || users_world
	for part in ${PARTS//,/ }; do
		users_rows "$part" 0 >"$RUN/fit/$part.tsv"
		[ "$(wc -l <"$RUN/fit/$part.tsv")" -gt 3 ] || users_rows "$part" "$REPEATS" >"$RUN/fit/$part.tsv"
		rows=$(($(wc -l <"$RUN/fit/$part.tsv") - 1))
		[ "$rows" -lt 2 ] || users_fit "$part" all "$rows"
		[ "$rows" -lt 3 ] || users_fit "$part" first "$(((rows + 1) / 2))"
	done
	return 0
}
