# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034,SC2154 # variables shared with the engine and the lab
# cell.sh - rtt: for every cell the link gets its rate and its queue, netload puts a load on it (a share of the link in bits
# of whole frames), and when that is there, pings or keys go through beside it. What is on the figures' axis is the load that
# really was sent.
. "$TP_HOME/experiments/engine/trains.sh"
COST_MS=0 ECHOES=0 LOAD_PORT=5210
QUIET_LOADS=90	# queues besides the first are measured from here on, and without load
PIN_EFFECT="so what the load costs is in the probe's times"

exp_check() {
	local item
	for item in ${LINKS//,/ }; do [[ $item =~ ^[0-9]+(\.[0-9]+)?[KMG]bit$ ]] || exp_bad "--links $item: a rate such as 10Mbit"; done
	LINK=${LINKS%%,*}	# the lab comes up with it
	[ "$BY" = tbf ] || export LAB_DELAY_BY=wire
}

exp_choose() { [[ ,$PROBES, != *,ping,* ]] || need ping iputils-ping; }

exp_settings() {
	jq -cn --arg protocol "$PROTOCOL" --argjson asked "$(plan_given loads && echo true || echo false)" '
		{$protocol, loads_asked_for: $asked}'
}

# Without load there is no transport; datagrams over the whole link tell only how full the queue is.
wanted() {	# wanted QUEUE TRANSPORT LOAD
	[ "$1" = "${QUEUES%%,*}" ] || [ "$3" = 0 ] || [ "$3" -ge "$QUIET_LOADS" ] || plan_given loads || return 1
	if [ "$3" = 0 ]; then [ "$2" = "${TRANSPORTS%%,*}" ]; else [ "$2" = tcp ] || [ "$3" -lt 100 ] || plan_given loads; fi
}

exp_cells() {
	local link queue transport load probe ways=() loads
	[[ ,$PROBES, != *,ping,* ]] || ways=(ping)
	[[ ,$PROBES, != *,keys,* ]] || read -ra ways <<<"${ways[*]-} ${PROTOCOLS//,/ }"
	loads=$(tr , '\n' <<<"$LOADS" | sort -n)
	for link in ${LINKS//,/ }; do for queue in $QUEUES_HERE; do for probe in ${ways[@]+"${ways[@]}"}; do
		for transport in ${TRANSPORTS//,/ }; do for load in $loads; do
			wanted "$queue" "$transport" "$load" || continue
			printf '%s\t%s\t%s\t%s\t%s\n' "$link" "$queue" "$([ "$load" = 0 ] && echo none || echo "$transport")" "$load" "$probe"
		done; done
	done; done; done
}

exp_words() {
	local load="no load" probe="keys over ${P[probe]}"
	[ "${P[load]}" = 0 ] || load="${P[load]} % by ${P[transport]/random/random udp}"
	[ "${P[probe]}" != ping ] || probe=pings
	echo "${P[link]}, ${P[queue]}, $load, $probe"
}

exp_says() { echo ", links of ${LINKS//,/, } with a queue of $QUEUE; ${#CELLS[@]} cells of $SECONDS_EACH s"; }

exp_missing() { lab_lacks pin rt; }

# The link and its queue ------------------------------------------------------------------------------------------

bits() { LC_ALL=C awk -v t="$1" 'BEGIN { printf "%.0f", (t + 0) * (t ~ /Kbit/ ? 1e3 : t ~ /Gbit/ ? 1e9 : 1e6) }'; }

# Who waits for whom inside of the shaper, at both ends. fifo is the shaper's own, of so many bytes.
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

# What the shaper lets through at once after a pause, in bytes; the delay line nothing.
bucket_bytes() {
	[ "$LAB_LINK" != wire ] || { echo 0; return; }
	lab_exec -R server tc qdisc show dev "$LAB_IF_server" | awk '/qdisc tbf/ { for (i = 1; i < NF; i++) if ($i == "burst") {
		n = $(i + 1) + 0; print n * ($(i + 1) ~ /Kb/ ? 1024 : $(i + 1) ~ /Mb/ ? 1048576 : 1); exit } }'
}

LINK_NOW='' BUCKET=0
set_link() {	# set_link RATE QUEUE; 1: LAB_WHY
	[ "$LINK_NOW" != "$1 $2" ] || return 0
	LINK_NOW=''
	lab_link "$1" "$QUEUE" - - - || return
	[ "$LAB_LINK" = wire ] || set_queue "$2" "$(limit_bytes "$1")" || return
	BUCKET=$(bucket_bytes)
	LINK_NOW="$1 $2"
}

limit_bytes() {
	LC_ALL=C awk -v b="$(bits "$1")" -v q="$QUEUE" 'BEGIN {
		unit = q; gsub(/[0-9.]/, "", unit)
		n = b / 8 * q * (unit == "us" ? 1e-6 : unit == "ms" ? 1e-3 : 1)
		printf "%.0f", n < 3028 ? 3028 : n }'
}

QUEUES_HERE=''
exp_find() {
	local kind
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
	local role address protocol
	for role in client server; do
		address=LAB_ADDR_$role
		lab_start "$role" "netload-at-$role" "$TP_BIN/netload" serve --bind "${!address}" --port "$LOAD_PORT" --format json
		lab_ready "netload-at-$role" 10 ||
			die "the receiver of the load does not start: $(tail -n 1 "$LAB_LOG/netload-at-$role.err")"
	done
	[[ ,$PROBES, == *,keys,* ]] || return 0
	# the reference application, at no cost of its own
	for protocol in ${PROTOCOLS//,/ }; do session_start "keys-${protocol/:/-}" "$protocol" heavy; done
}

load_start() {	# load_start SEED: sets LOAD_PID; 1: LAB_WHY
	local from=server to=$LAB_ADDR_client options=() root=() rate
	LOAD_PID=''
	[ "${P[load]}" -gt 0 ] || return 0
	[ "$DIRECTION" != input ] || from=client to=$LAB_ADDR_server
	[ "$DIRECTION" != both ] || options+=(--both)
	[ "${P[transport]}" = tcp ] || options+=(--udp)
	[ "${P[transport]}" != random ] || options+=(--spacing random)
	# whole frames at every rate, as the shaper and the queueing line have them
	options+=(--size "$([ "${P[transport]}" = tcp ] && echo 1448 || echo 1472)")
	# A load that waits for its turn comes in bursts. It takes a few percent of the CPU, which the cell tells.
	[ "$LAB_ROOTLESS" = 1 ] || { root=(-R); options+=(--priority 10); }
	rate=$(LC_ALL=C awk -v b="$(bits "${P[link]}")" -v p="${P[load]}" 'BEGIN { printf "%.0f", b * p / 100 }')
	lab_start ${root[@]+"${root[@]}"} "$from" netload "$TP_BIN/netload" send "$to:$LOAD_PORT" --rate "${rate}bit" \
		--streams "$STREAMS" --catch-up 50ms "${options[@]}" --seed "$1" --format json
	LOAD_PID=$LAB_PID
	lab_ready netload 15 || { LAB_WHY="the load did not start: $(tail -n 1 "$LAB_LOG/netload.err")"; return 1; }
	nap 1	# TCP needs a while to find what the link gives
}

load_stop() {	# load_stop FOLDER
	[ -n "$LOAD_PID" ] || return 0
	# (not killed: it reports both ends, and what is in the queue comes first)
	lab_stop_within 10 "$LOAD_PID"
	[ -s "$LAB_LOG/netload.out" ] && mv "$LAB_LOG/netload.out" "$1/netload.json"
}

# Pings and keys ------------------------------------------------------------------------------------------------------

# "64 bytes from 10.203.0.1: icmp_seq=1 ttl=64 time=0.045 ms" -> rows; what never came is a row without a time.
ping_rows() {	# ping_rows SENT <what ping said
	LC_ALL=C awk -v sent="$1" '
		BEGIN { print "schema\tnumber\trtt_ns" }
		match($0, /icmp_seq=[0-9]+/) { n = substr($0, RSTART + 9, RLENGTH - 9) + 0 }
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
	[ -n "$sent" ] || { LAB_WHY="ping failed: $(tail -n 1 "$LAB_LOG/ping.err")"; return 1; }
	ping_rows "$sent" <"$LAB_LOG/ping.out" >"$1/samples.tsv"
}

# The probe is connected before the load begins.
keys_ready() {	# keys_ready SESSION REPEAT FOLDER; sets KEYS_PID KEYS_GO; 1: LAB_WHY
	session_use "$1"
	open_pipe KEYS_GO
	lab_start -i "$KEYS_GO" -o "$3/samples.tsv" client keyrepeat "$TP_BIN/keyrepeat" "${SESSION_TARGET[$1]}" --rate "$RATE" \
		-t "${SECONDS_EACH}s" --schedule jittered --seed "$((SEED * 1000 + $2))" --watch "${SESSION_WATCH[$1]}" \
		${PROTOCOL_OPTIONS[@]+"${PROTOCOL_OPTIONS[@]}"} --threshold "${THRESHOLD_MS}ms" --skip 5 --priority 20 --hold-start \
		--log "$3/samples.tsv" --format json
	KEYS_PID=$LAB_PID
	lab_ready keyrepeat 20 || { LAB_WHY="the probe did not connect: $(tail -n 1 "$LAB_LOG/keyrepeat.err")"; return 1; }
}

run_keys() {	# run_keys FOLDER; 1: LAB_WHY
	local status=0
	echo go >&"$KEYS_GO"
	lab_wait "$KEYS_PID" || status=$?
	[ "$status" -le 128 ] || lab_stop "$KEYS_PID"
	[ ! -s "$LAB_LOG/keyrepeat.out" ] || mv "$LAB_LOG/keyrepeat.out" "$1/keyrepeat.json"
	case $status in 0 | 3) ;; *) LAB_WHY=$(tail -n 1 "$LAB_LOG/keyrepeat.err"); return 1 ;; esac
}

exp_measure() {
	local probe=${P[probe]} reason='' before='' after='' far='' far_after='' LAB_LOG=$3/log KEYS_PID='' KEYS_GO='' LOAD_PID=''
	mkdir -p "$LAB_LOG"
	set_link "${P[link]}" "${P[queue]}" || reason="the link could not be made so: $LAB_WHY"
	[ -n "$reason" ] || [ "$probe" = ping ] || keys_ready "keys-${probe/:/-}" "$2" "$3" || reason=$LAB_WHY
	[ -n "$reason" ] || load_start "$((SEED * 1000 + $2))" || reason=$LAB_WHY
	! stopped || reason=interrupted
	if [ -z "$reason" ]; then
		before=$(lab_cpu server) far=$(lab_cpu client)
		if [ "$probe" = ping ]; then run_pings "$3" || reason=$LAB_WHY; else run_keys "$3" || reason=$LAB_WHY; fi
		after=$(lab_cpu server) far_after=$(lab_cpu client)
		[ -z "$LOAD_PID" ] || ! lab_gone "$LOAD_PID" || reason="the load ended early: $(tail -n 1 "$LAB_LOG/netload.err")"
	fi
	[ -z "$KEYS_PID" ] || lab_stop "$KEYS_PID"
	[ -z "$KEYS_GO" ] || exec {KEYS_GO}>&-
	load_stop "$3"
	# without its report nobody knows what the load was
	[ -n "$reason" ] || [ "${P[load]}" = 0 ] || [ -s "$3/netload.json" ] ||
		reason="the load left no report: $(tail -n 1 "$LAB_LOG/netload.err")"
	! stopped || reason=interrupted
	write_cell "$3" "$2" "$reason" "$before" "$after" "$far" "$far_after"
	[ -n "$reason" ] || rm -rf "$LAB_LOG"
}

write_cell() {	# write_cell FOLDER REPEAT REASON SERVER-BEFORE AFTER CLIENT-BEFORE AFTER
	local foreign=null steal=null busy=null client=null flags='' sent
	if [ -z "$3" ]; then
		read -r foreign steal busy < <(exp_shares "$4" "$5" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		read -r _ _ client < <(exp_shares "$6" "$7" "$(machine_cpu_list "$LAB_CPUS_client" | wc -w)")
		flags=$(exp_disturbed "$foreign" "$steal")
		! awk -v b="$busy" 'BEGIN { exit !(b > 70) }' || flags+="; the server's CPU was busy for $busy %: the load may have waited for it"
		sent=$(jq -r 'select(.settings.transport == "udp" and (.result.sent_mbit_s / .result.offered_mbit_s - 1 | fabs) > 0.005)
			| "\(.result.sent_mbit_s) of \(.result.offered_mbit_s)"' "$1/netload.json" 2>/dev/null)
		[ -z "$sent" ] || flags+="; the load was $sent Mbit/s"
	fi
	cell_write "$1" "$2" "$3" "$flags" "$(jq -cn --argjson bits "$(bits "${P[link]}")" --argjson limit "$(limit_bytes "${P[link]}")" \
		--argjson bucket "${BUCKET:-0}" --argjson foreign "$foreign" --argjson steal "$steal" --argjson busy "$busy" \
		--argjson client "$client" '{link_bit_s: $bits, queue_bytes: $limit, bucket_bytes: $bucket, foreign_percent: $foreign,
		steal_percent: $steal, server_busy_percent: $busy, client_busy_percent: $client}')"
}
