# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - rtt: for every cell the link gets its rate and its queue, netload puts a load on it (a share of the link's rate, counted
# in whole frames), and then pings or keys are sent through the same link. The figures' axis is the load that was actually sent.
. "$TP_HOME/experiments/families/trains.sh"
COST_MS=0 ECHOES=0 LOAD_PORT=5210
QUIET_LOADS=90	# other queues than the first are measured without load and at loads from this percentage on

exp_check() {
	local item
	plan_no_link queue queues link-by
	if [ "$ON" != lab ]; then	# a real link: its rate is given with --links, or asked of its cards later
		plan_given links || [ -n "$RESUME" ] || LINKS=''
		[[ $LINKS != *,* ]] || exp_bad "--links $LINKS with --on $ON: give one rate, that of the real link"
	fi
	LINKS=$(plan_rate "$LINKS")
	for item in ${LINKS//,/ }; do
		plan_bits_or_bytes --links "$item"
		[[ $item =~ ^[0-9]+(\.[0-9]+)?[KMG]bit$ && $item == *[1-9]* ]] || exp_bad "--links $item: must be a rate such as 10Mbit"
	done
	[ "$ON" != lab ] || LINK=${LINKS%%,*}	# the lab starts with this link
	[ "${BY:-tbf}" = tbf ] || export LAB_DELAY_BY=wire
}

exp_choose() { [[ ,$PROBES, != *,ping,* ]] || must lab_need client ping iputils-ping; }

# One cell without load for all transports. UDP with at least the link's rate only shows how full the queue is: only with --loads.
wanted() {	# wanted QUEUE TRANSPORT LOAD
	local first=${QUEUES_HERE-}	# of those that this kernel has
	first=${first# } first=${first:-${QUEUES//,/ }}
	[ "$1" = "${first%% *}" ] || [ "$1" = real ] || [ "$3" = 0 ] || [ "$3" -ge "$QUIET_LOADS" ] || plan_given loads || return 1
	if [ "$3" = 0 ]; then [ "$2" = "${TRANSPORTS%%,*}" ]; else [[ $2 != @(udp|random) ]] || [ "$3" -lt 100 ] || plan_given loads; fi
}

exp_cells() {
	local link queue transport load probe ways=''
	[[ ,$PROBES, != *,ping,* ]] || ways=ping
	[[ ,$PROBES, != *,keys,* ]] || ways+=" ${PROTOCOLS//,/ }"
	for link in ${LINKS//,/ }; do for queue in $QUEUES_HERE; do for probe in $ways; do
		for transport in ${TRANSPORTS//,/ }; do for load in $(tr , '\n' <<<"$LOADS" | sort -n); do
			wanted "$queue" "$transport" "$load" || continue
			printf '%s\t%s\t%s\t%s\t%s\n' "$link" "$queue" "$([ "$load" = 0 ] && echo none ||
				echo "$transport")" "$load" "$probe"
		done; done
	done; done; done
}

exp_words() {
	local load="no load" probe="keys over ${P[probe]}"
	[ "${P[load]}" = 0 ] || load="${P[load]} % by ${P[transport]/random/random udp}"
	[ "${P[probe]}" != ping ] || probe=pings
	echo "${P[link]}, ${P[queue]}, $load, $probe"
}

# The link and its queue ------------------------------------------------------------------------------------------

# Sets the queueing discipline inside of the shaper, at both ends. fifo is the shaper's own queue of LIMIT bytes.
set_queue() {	# set_queue KIND LIMIT-BYTES; 1: LAB_WHY
	local role end words=("$1")
	case $1 in
	fifo) words=(bfifo limit "$2") ;;
	pfifo) words=(pfifo limit $((($2 + 1513) / 1514))) ;;
	red) words=(red limit "$2" avpkt 1000 bandwidth 10Mbit) ;;
	esac
	for role in server client; do
		end=LAB_IF_$role
		LAB_WHY=$(lab_exec -R "$role" tc qdisc replace dev "${!end}" parent 10:1 handle 20: "${words[@]}" 2>&1) && continue
		LAB_WHY="this kernel has no $1 (${LAB_WHY##*$'\n'})"
		return 1
	done
}

# Prints the size of the shaper's token bucket in bytes; nothing for the delay line, which has none.
bucket_bytes() {
	lab_exec -R server tc qdisc show dev "$LAB_IF_server" 2>/dev/null |
		sed -n 's/^qdisc tbf .* burst \([0-9]*\)\([KM]*\)b.*/\1\2/p' | head -n 1 | numfmt --from=iec
}

LINK_NOW=''
set_link() {	# set_link RATE QUEUE; 1: LAB_WHY
	[ "$LINK_NOW" != "$1 $2" ] && [ "$ON" = lab ] || return 0
	LINK_NOW=''
	lab_link "$1" "$QUEUE" - - - || return
	[ "$LAB_LINK" = wire ] || set_queue "$2" "$(limit_bytes)" || return
	LINK_NOW="$1 $2"
}

# Prints the capacity of the queue in bytes, at least two frames.
limit_bytes() {
	LC_ALL=C awk -v b="$(rate_bits "${P[link]}")" -v q="$QUEUE" 'BEGIN {
		n = b / 8 * q * (q ~ /us/ ? 1e-6 : q ~ /ms/ ? 1e-3 : 1); printf "%.0f", n < 3028 ? 3028 : n }'
}

# Finds the rate of a real link, if --links does not give it: that of the slower card at its ends.
real_link_find() {
	local role link speed least=''
	QUEUES_HERE=real
	[ -z "$LINKS" ] || return 0
	for role in server client; do
		link=LAB_IF_$role
		speed=$(lab_query "$role" cat "/sys/class/net/${!link}/speed" 2>/dev/null)
		[[ $speed =~ ^[1-9][0-9]*$ ]] ||
			die "-$EXIT_USAGE" "the rate of the link is unknown (${!link} of the $role does not report it); set it with --links 100Mbit"
		[ -n "$least" ] && [ "$least" -le "$speed" ] || least=$speed
	done
	LINKS=${least}Mbit
	run_set '.settings.links = [$rate]' --arg rate "$LINKS"
}

QUEUES_HERE=''
exp_find() {
	local kind
	[ "$ON" = lab ] || { real_link_find; return; }
	lab_can server shape || die "-$EXIT_MISSING" \
		"this kernel does not shape a link (no tbf), and a link without a rate cannot be loaded to a share of it; load sch_tbf"
	LAB_WHY="the delay line has one queue, first come, first served"
	for kind in ${QUEUES//,/ }; do
		if if [ "$LAB_LINK" = wire ]; then [ "$kind" = fifo ]; else set_queue "$kind" 100000; fi; then
			QUEUES_HERE+=" $kind"
		else
			ABSENT+=("queue $kind: $LAB_WHY")
		fi
	done
}

# Sessions and the load's receivers: one of each, for the whole run -----------------------------------------------

exp_begin() {
	local role address protocol queue="its own queue"
	if [ "$ON" = lab ]; then
		queue="a queue of $QUEUE"
	else
		ABSENT+=("rate and queue of the link: as they are; loads are shares of $LINKS")
	fi
	RUN_SAYS=", links of ${LINKS//,/, } with $queue; ${#CELLS[@]} cells of $SECONDS_EACH s"
	for role in client server; do
		address=LAB_ADDR_$role
		lab_start "$role" "netload-at-$role" "$TP_BIN/netload" serve --bind "${!address}" --port "$LOAD_PORT" --format json
		is_ready "netload-at-$role" 10 "the receiver of the load does not start" || die "$LAB_WHY"
	done
	[[ ,$PROBES, == *,keys,* ]] || return 0
	# the reference application, without CPU cost
	for protocol in ${PROTOCOLS//,/ }; do must session_start "keys-${protocol/:/-}" "$protocol" heavy; done
}

load_start() {	# load_start SEED: sets LOAD_PID; 1: LAB_WHY
	# whole frames, as the shaper and the delay line count them
	local from=server to=client options=() root=() size=1448
	[ "${P[load]}" -gt 0 ] || return 0
	[ "$DIRECTION" != input ] || from=client to=server
	[ "$DIRECTION" != both ] || options+=(--both)
	case ${P[transport]} in
	reno) options+=(--congestion reno) ;;
	udp) options+=(--udp) size=1472 ;;
	random) options+=(--udp --spacing random) size=1472 ;;
	esac
	# With real-time priority: a load that waits for the CPU would come in bursts. It takes a few percent of the CPU, which the
	# cell notes.
	[ "$LAB_ROOTLESS" = 1 ] || { root=(-R); options+=(--priority 10); }
	lab_start "${root[@]}" "$from" netload "$TP_BIN/netload" send "$(lab_url "$to"):$LOAD_PORT" --streams "$STREAMS" --catch-up 50ms \
		--rate "$(LC_ALL=C awk -v b="$(rate_bits "${P[link]}")" -v p="${P[load]}" \
			'BEGIN { printf "%.0f", b * p / 100 }')bit" \
		--frame-size "$size" "${options[@]}" --seed "$1" --format json
	LOAD_PID=$LAB_PID
	is_ready netload 15 "the load did not start" && nap 1	# TCP needs a while to find the link's rate
}

# Pings and keys ------------------------------------------------------------------------------------------------------

# "64 bytes from 10.203.0.1: icmp_seq=1 ttl=64 time=0.045 ms" -> rows; a lost ping is a row without a time.
ping_rows() {	# ping_rows SENT <OUTPUT-OF-PING
	LC_ALL=C awk -v sent="$1" '
		BEGIN { print "schema\tnumber\trtt_ns" }
		match($0, /icmp_seq=[0-9]+/) {	# it has 16 bits
			n = substr($0, RSTART + 9, RLENGTH - 9) + base
			while (n < last - 32768) { n += 65536; base += 65536 }
			if (last && n > last + 32768) n -= 65536	# one that came late
			if (n > last) last = n
		}
		match($0, /time=[0-9.]+ ms/) && !(n in rtt) { rtt[n] = sprintf("%.0f", 1e6 * substr($0, RSTART + 5, RLENGTH - 8)) }
		END { for (i = 1; i <= sent; i++) printf "ping/1\t%d\t%s\n", i, rtt[i] }'
}

run_pings() {	# run_pings FOLDER; 1: LAB_WHY
	local sent
	lab_start -R client ping ping -n -i "$(LC_ALL=C awk -v ms="$INTERVAL" 'BEGIN { printf "%.3f", ms / 1000 }')" \
		-c "$((SECONDS_EACH * 1000 / INTERVAL))" -W 2 -s 56 "$LAB_ADDR_server"
	lab_wait "$LAB_PID"
	! stopped || lab_stop "$LAB_PID"
	sent=$(sed -n 's/^\([0-9]*\) packets transmitted.*/\1/p' "$LAB_LOG/ping.out")
	[ -n "$sent" ] || { LAB_WHY="ping failed: $(last_word ping)"; return 1; }
	ping_rows "$sent" <"$LAB_LOG/ping.out" >"$1/samples.tsv"
}

# The probe is connected before the load begins.
keys_start() {	# keys_start SESSION FOLDER SEED; sets KEYS_PID KEYS_GO; 1: LAB_WHY
	session_use "$1"
	open_pipe KEYS_GO
	lab_start -i "$KEYS_GO" -o "$2/samples.tsv" client keyrepeat "$TP_BIN/keyrepeat" "${SESSION_TARGET[$1]}" --rate "$RATE" \
		-t "${SECONDS_EACH}s" --schedule jittered --seed "$3" --watch "${SESSION_WATCH[$1]}" "${PROTOCOL_OPTIONS[@]}" \
		--late "${THRESHOLD_MS}ms" --warmup 5 --priority 20 --hold-start --log "$2/samples.tsv" --format json
	KEYS_PID=$LAB_PID
	is_ready keyrepeat 20 "the probe did not connect"
}
run_keys() { echo go >&"$KEYS_GO" && has_ended keyrepeat "$1"; }	# run_keys FOLDER; 1: LAB_WHY

exp_run() {	# exp_run FOLDER REPEAT
	local seed=$((SEED * 1000 + $2)) run=run_keys
	KEYS_PID='' KEYS_GO='' LOAD_PID=''
	set_link "${P[link]}" "${P[queue]}" || { LAB_WHY="the link could not be made so: $LAB_WHY"; return 1; }
	CELL_MORE=$(jq -cn --argjson bits "$(rate_bits "${P[link]}")" --argjson limit "$([ "$ON" = lab ] && limit_bytes ||
		echo null)" \
		--arg bucket "$([ "$ON" != lab ] || bucket_bytes)" \
		'{link_bit_s: $bits, queue_bytes: $limit, bucket_bytes: ($bucket | tonumber? // 0)}')
	if [ "${P[probe]}" = ping ]; then run=run_pings; else keys_start "keys-${P[probe]/:/-}" "$1" "$seed" || return; fi
	load_start "$seed" && ! stopped || return
	cpu_begin
	"$run" "$1" || return
	cpu_end
	LAB_WHY="the load ended early: $(last_word netload)"
	[ -z "$LOAD_PID" ] || ! lab_gone "$LOAD_PID"
}

exp_stop() {	# exp_stop FOLDER
	lab_stop "$KEYS_PID"
	[ -z "$KEYS_GO" ] || exec {KEYS_GO}>&-
	[ -n "$LOAD_PID" ] || return 0
	# stopped, not killed: it reports both ends once the queue is empty; without its report the load is unknown
	lab_stop_within 10 "$LOAD_PID"
	keep_report netload "$1"
	LAB_WHY="the load left no report: $(last_word netload)"
	[ -s "$1/netload.json" ] && LAB_WHY=$(held_up "$1/netload.json") && [ -z "$LAB_WHY" ]
}

exp_ran() {	# exp_ran FOLDER
	local sent
	! awk -v b="$BUSY" 'BEGIN { exit !(b + 0 > 70) }' ||
		CELL_FLAGS="; the server's CPU was busy for $BUSY %: the load may have waited for it"
	sent=$(jq -r 'select(.settings.transport == "udp" and (.result.sent_mbit_s / .result.offered_mbit_s - 1 | fabs) > 0.005)
		| "\(.result.sent_mbit_s * 1000 | round / 1000) of \(.result.offered_mbit_s)"' "$1/netload.json" 2>/dev/null)
	[ -z "$sent" ] || CELL_FLAGS+="; the load was $sent Mbit/s"
}
