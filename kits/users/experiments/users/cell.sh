# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - users. Web: two lighttpd behind a haproxy serve the paper's 15 objects in 9 pages over a link of 100 Mbit/s; 200
# users with uniform think times, shorter from cell to cell, as the paper's seven runs. Servers and balancer have a share of the
# CPU each. Pages and open: other users of the same servers. VNC: each user types into a refecho of its own, which burns CPU time
# for each key, on one CPU for all of them.
. "$TP_HOME/kits/users/experiments/families/crowds.sh"
WEB_PORT=8080 VNC_PORT=6001
WORKLOAD=$TP_HOME/kits/users/data/users/webgov.tsv
LAB_OWN_UID=0	# root and the server's programs share files (lab/local.sh)

exp_check() {
	[[ $LINK != *,* ]] || exp_bad "--link $LINK: must be a rate only, such as 10Mbit"
	SHARE_BUSY=${SHARE_BUSY:-0}	# a run from before there were shares, which is resumed
	[ "$FULL$QUICK" != 11 ] || exp_bad "--quick with --full: they set the same options; choose one"
	[ "$FULL" = 0 ] || {
		plan_given time || SECONDS_EACH=1200
		plan_given repeat || REPEATS=1
	}
	crowd_check
}

exp_choose() {
	[ "$PARTS" != vnc ] || return 0
	if [ "$WEB_SERVERS" -gt 1 ] && ! lab_has server haproxy; then
		ABSENT+=("the load balancer: haproxy is not installed${LAB_AT_server-} (thinprobe setup --app web), so there is one web server")
		WEB_SERVERS=1
	fi
	! lab_has server lighttpd || return 0
	ABSENT+=("the web server: lighttpd is not installed${LAB_AT_server-} (thinprobe setup --app web)")
	[[ ,$PARTS, == *,vnc,* ]] || die "-$EXIT_MISSING" "lighttpd is not installed${LAB_AT_server-}; thinprobe setup --app web"
	PARTS=vnc
}

web_ratio() {	# prints how many pages consist of how many objects
	awk -F'\t' '!/^#/ && NF >= 4 { objects += $2; if ($1 != page) pages += $2; page = $1 } END { print pages, objects }' "$WORKLOAD"
}

# Users of pages think longer, so that all parts ask for objects at the same rates.
exp_cells() {
	local part z pages objects
	read -r pages objects < <(web_ratio)
	for part in web pages open; do
		[[ ,$PARTS, == *,$part,* ]] || continue
		for z in $(tr , '\n' <<<"$WEB_THINK" | sort -rg); do
			[ "$part" != pages ] || z=$(crowd_times "$z * $objects / $pages")
			printf '%s\t%s\t%s\n' "$part" "$WEB_USERS" "$z"
		done
	done
	[[ ,$PARTS, != *,vnc,* ]] || tr , '\n' <<<"$VNC_THINK" | sort -rg | sed "s/^/vnc\t$VNC_USERS\t/"
}

exp_words() {
	case ${P[part]} in
	web) echo "${P[users]} users of the web server who think for ${P[think_s]} s" ;;
	pages) echo "${P[users]} users of whole pages who think for ${P[think_s]} s" ;;
	open) echo "$(LC_ALL=C awk "BEGIN { printf \"%.3g\", ${P[users]} / ${P[think_s]} }") requests a second in an open loop" ;;
	vnc) echo "${P[users]} users of VNC who think for ${P[think_s]} s" ;;
	esac
}

WEB_PIDS=()
web_program() {	# web_program NAME PORT COMMAND...
	local group=()
	! lab_listens server "$2" || die "port $2${LAB_AT_server-} is taken; end the program that listens there (ss -ltnp)"
	[ "$SHARE_BUSY" = 0 ] || { lab_group "$1" shares=8192 && group=(-G "$1"); } || die "cannot make a cpu group: $LAB_WHY"
	WEB_PIDS+=("$LAB_LOG/$1.pid")
	lab_put server "$LAB_LOG/$1.conf" "$LAB_LOG/$1.conf"
	lab_start "${group[@]}" server "$1" sh -c 'echo $$ >"$0" && exec "$@"' "$LAB_LOG/$1.pid" "${@:3}"
	lab_comes 10 "$LAB_PID" lab_listens server "$2" ||
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
server.max-connections = $WEB_CONNECTIONS
server.max-fds = $((2 * WEB_CONNECTIONS + 1000))
server.max-keep-alive-requests = 60000
server.max-keep-alive-idle = 600
mimetype.assign = ( ".html" => "text/html", ".jpg" => "image/jpeg" )
$([ "$SHARE_BUSY" = 0 ] || cat <<'MORE'
server.modules = ( "mod_setenv", "mod_deflate" )
setenv.add-request-header = ( "Accept-Encoding" => "gzip" )
deflate.allowed-encodings = ( "gzip" )
deflate.mimetypes = ( "text/html" )
MORE
)
END
	web_program "$1" "$3" lighttpd -D -f "$LAB_LOG/$1.conf"
}

# Requests go to the servers in turn, whichever connection they come by.
web_balancer() {
	local i
	{
		cat <<END
global
	maxconn $WEB_CONNECTIONS
	nbthread 1
defaults
	mode http
	timeout connect 10s
	timeout client 600s
	timeout server 600s
	timeout http-keep-alive 600s
listen web
	bind $(lab_url server):$WEB_PORT
	balance roundrobin
END
		for ((i = 1; i <= WEB_SERVERS; i++)); do printf '\tserver web-%d 127.0.0.1:%d\n' "$i" $((WEB_PORT + i)); done
	} >"$LAB_LOG/balancer.conf"
	web_program balancer "$WEB_PORT" haproxy -db -f "$LAB_LOG/balancer.conf"
	run_set '.balancer = $v' --arg v "$(lab_exec server haproxy -v 2>/dev/null </dev/null | head -n 1)"
}

# Servers with a share of the CPU compress HTML (not images), so that objects cost them more CPU time than a copy does.
shares_can() {	# 1: LAB_WHY
	LAB_WHY="lighttpd's mod_deflate is not installed${LAB_AT_server-} (thinprobe setup --app web)"
	lab_exec server sh -c 'ls /usr/lib*/lighttpd/mod_deflate.so' >/dev/null 2>&1 </dev/null && lab_group web-1 quota=50,20ms &&
		lab_ungroup web-1
}

# Sets the shares by what the programs need with the shortest think time. A resumed run keeps those that it had.
shares_set() {
	local CROWD_PIDS=("${WEB_PIDS[@]}") i before report shares names=("${WEB_PIDS[@]##*/}")
	names=("${names[@]%.pid}")
	if ! jq -e .shares "$RUN/run.json" >/dev/null; then
		before=$(crowd_moved)
		report=$(lab_exec client "$TP_BIN/vusers" "http://$(lab_url server):$WEB_PORT/" -n "$WEB_USERS" \
			-z "$(crowd_times "1000 * $(tr , '\n' <<<"$WEB_THINK" | sort -g | head -n 1)")ms" -t 6s --seed "$SEED" \
			--workload "$WORKLOAD" --format json 2>"$LAB_LOG/shares.err" </dev/null)
		[ -n "$report" ] || die "cannot measure what an object costs the web servers: $(last_word shares)"
		run_set '($programs | split(" ")) as $names
			| [[$before, $after | [splits(" +") | tonumber? // 0]] | transpose | .[range(3; 3 + 2 * ($names | length); 2)]
				| (.[1] - .[0]) / 1e5 / $report.result.seconds / $busy] as $needs | ($needs[:$web] | add / $web) as $each
			| .shares = [range($names | length) | {name: $names[.],
				percent: ([(if . < $web then $each else $needs[.] end | round), 1] | max)}]' \
			--arg before "$before" --arg after "$(crowd_moved)" --argjson busy "$SHARE_BUSY" --argjson report "$report" \
			--argjson web "$WEB_SERVERS" --arg programs "${names[*]}" || die "cannot choose the shares of the CPU"
	fi
	mapfile -t shares < <(jq '.shares[].percent | numbers' "$RUN/run.json")
	for i in "${!names[@]}"; do	# in 20 ms; a quota is 1 ms at least
		lab_change regroup "${names[i]}" "quota=${shares[i]},$((shares[i] < 5 ? 100000 / shares[i] + 1 : 20000))us" ||
			die "cannot set the CPU share of ${names[i]}: $LAB_WHY"
	done
}

exp_before_cells() { [ "$PARTS" = vnc ] || [ "$SHARE_BUSY" = 0 ] || shares_set; }

web_start() {
	local www=$RUN/log/www page path bytes i
	mkdir -p "$www"
	WEB_CONNECTIONS=$((WEB_USERS + 100))
	[[ ,$PARTS, != *,pages,* ]] || WEB_CONNECTIONS=$((2 * WEB_USERS + 100))	# a page has two objects at most
	[ "$SHARE_BUSY" = 0 ] || shares_can || {
		ABSENT+=("CPU shares of web servers and balancer: $LAB_WHY")
		SHARE_BUSY=0
	}
	while IFS=$'\t' read -r page _ _ path bytes; do
		[[ $page != '#'* && -n $bytes ]] || continue
		{ head -c "$((bytes - 300))" /dev/urandom && head -c 300 /dev/zero; } >"$www$path" ||	# compresses by a few bytes
			 die "cannot write to $www"
	done <"$WORKLOAD"
	lab_put server "$www" "$www"
	if [ "$WEB_SERVERS" = 1 ]; then
		web_server web-1 "$(lab_url server)" "$WEB_PORT"
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
	[ "$PARTS" = vnc ] || web_start
	[[ ,$PARTS, != *,vnc,* ]] || vnc_start
}

# Nothing is fitted: what the link needs for an object (or page) of average size, with the heads of its frames and its answer; the
# CPU time that a key was told to cost.
part_demand() {
	local pages n
	[ "${P[part]}" != vnc ] || { echo "${COST_MS}ms"; return; }
	[ "$LINK" != none ] || return 0
	read -r pages n < <(web_ratio)
	[ "${P[part]}" != pages ] || n=$pages
	LC_ALL=C awk -F'\t' -v rate="$(rate_bits "$LINK")" -v n="$n" '
		!/^#/ && NF >= 5 { bytes += $2 * (($5 + 250) * 1514 / 1448) }
		END { printf "%.6fms", bytes / n * 8 / rate * 1000 }' "$WORKLOAD"
}

exp_run() {	# exp_run FOLDER REPEAT
	local demand target words=(--workload "$WORKLOAD") CROWD_OPEN='' \
		CROWD_PIDS=("${WEB_PIDS[@]}") CROWD_ARRIVALS=(--sources user --rows "$1/arrivals.tsv") SECONDS_EACH=$SECONDS_EACH
	target=http://$(lab_url server):$WEB_PORT/
	case ${P[part]} in
	pages) words+=(--per page --parallel "$PARALLEL") ;;
	open) CROWD_OPEN=1 CROWD_ARRIVALS=(--rows "$1/arrivals.tsv") ;;
	vnc)
		SECONDS_EACH=$(((SECONDS_EACH + 1) / 2)) words=(--echo patch) CROWD_PIDS=()
		target=vnc:$(lab_url server):$VNC_PORT-
		;;
	esac
	crowd_run "$1" "$((SEED * 1000 + $2))" "$target" "${words[@]}" || return
	[ "$SHARE_BUSY" = 0 ] || MOVED=$(jq -c --slurpfile run "$RUN/run.json" '.programs |= [to_entries[]
		| $run[0].shares[.key].percent as $p | .value | .of_share_percent = (.cpu_percent | if . then . * 100 / $p else . end)]' \
		<<<"$MOVED")
	demand=$(part_demand)
	[ -z "$demand" ] || crowd_model "$1" "$demand"
}

# What a request needs of the CPU and of the link is fitted to the measured rows of each part: to all of them, and to the half with
# the lowest rates, which foretells the others. Flagged cells are left out where three others are there.

# Prints the rows of a part in summary.tsv as queue fit reads them, by rate. Leaves out cells with more than MOST flagged repeats.
users_rows() {	# users_rows PART MOST
	local rows columns=1-5 n
	rows=$(LC_ALL=C awk -F'\t' -v OFS='\t' -v part="$1" -v most="$2" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		function share(p) { return p == "" ? "" : p > 100 ? 1 : p / 100 }
		$at["part"] == part && $at["response_ms"] > 0 && $at["lambda_per_s"] > 0 && $at["marked"] <= most + 0 && $at["invalid"] + 0 == 0 {
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
users_world() {	# users_world PART PAGES:REQUESTS
	local file=$RUN/fit/$1-users
	users_rows "$1" "$REPEATS" >"$file.tsv"
	"$TP_BIN/queue" users "$file.tsv" --think-time 10s:50s:10s --pages "$2" --format json -o "$file.json" 2>"$file.err" &&
		rm -f "$file.err"
}

exp_summed() {
	local part rows
	rm -rf "$RUN/log/www" "$RUN/fit"
	"$TP_BIN/summarize" "$RUN" --format json -o /dev/null >/dev/null 2>&1
	[ -s "$RUN/summary.tsv" ] && mkdir "$RUN/fit" || return 0
	[[ ,$PARTS, != *,web,* ]] || users_world web "$(web_ratio | tr ' ' :)"
	[[ ,$PARTS, != *,pages,* ]] || users_world pages 1:1
	for part in ${PARTS//,/ }; do
		[ "$part" != open ] || continue	# its think times are none
		users_rows "$part" 0 >"$RUN/fit/$part.tsv"
		[ "$(wc -l <"$RUN/fit/$part.tsv")" -gt 3 ] || users_rows "$part" "$REPEATS" >"$RUN/fit/$part.tsv"
		rows=$(($(wc -l <"$RUN/fit/$part.tsv") - 1))
		[ "$rows" -lt 2 ] || users_fit "$part" all "$rows"
		[ "$rows" -lt 3 ] || users_fit "$part" first "$(((rows + 1) / 2))"
	done
	return 0
}
