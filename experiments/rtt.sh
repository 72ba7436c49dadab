#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: Wong & Seltzer 2000, Figures 8 and 9: round trip of a ping and its variance on a loaded link; and the latency of keys there
# minutes: 110 (--quick: 4)
# needs: two CPUs, tbf in the kernel, ping; VNC for the keys
# wrong if: the round trip grows by more than the queue can hold; a load that was held is not what the interface counted
#
# For every cell the link gets its rate and its queue, netload puts a load on it (a share of the link in bits of whole frames), and when that is
# there, pings or keys go through beside it. What is on the figures' axis is the load that really was sent.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, train.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=rtt
EXPERIMENT_SAYS="How late, and how unevenly, do a ping and the echo of a key come over a link that others load?"
RATE=20 THRESHOLD_MS=100 PERIOD_MS=50 FOREIGN_LIMIT=3
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/train.sh"
LINKS=10Mbit,100Mbit QUEUE=50ms QUEUES=fifo,fq_codel,fq,codel,sfq,cake LOADS=0,20,40,60,80,90,94,96,98,110 TRANSPORTS=udp,random,tcp
declare -A SESSION_TARGET SESSION_WATCH SESSION_WORDS	# SESSION_WORDS: of each protocol, its words for the probe, quoted
PROBES=ping,keys PROTOCOL_LIST='' DIRECTION=display BY=tbf STREAMS=1 SECONDS_EACH=60 INTERVAL=200ms REPEATS=1 COST_MS=0 COST_PER=redraw
QUIET_LOADS=90	# queues besides fifo are measured from here on, and without load
EXP_AGAIN_PART=6
CELLS=() ABSENT=()	# "CELL LINK QUEUE TRANSPORT LOAD PROBE", in the order of the table; "WHAT<tab>WHY"

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--links RATE,...] [--queue TIME] [--queues KIND,...] [--loads PERCENT,...] [--transport T,...]
         [--probes P,...] [--protocol P,...] [--direction WAY] [--streams N] [--link-by WHAT] [--seconds S] [--interval TIME] [--repeat R]
         [--quick] [--seed N] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --links RATE,...  rates of the emulated link ($LINKS)
  --queue TIME      how long a frame may wait for the link before it is dropped ($QUEUE)
  --queues KIND,... who waits for whom ($QUEUES); what the kernel lacks is a row with the reason
  --loads P,...     percent of the link, in bits of whole frames ($LOADS); datagrams below 100 only, unless
                    they are asked for
  --transport T,... of the load: udp, datagrams at even distances; random, at random ones; tcp, which gives way ($TRANSPORTS)
  --probes P,...    ping, keys ($PROBES)
  --protocol P,...  display protocols that the keys take (vnc)
  --direction WAY   display: the load goes from the server to the client, as pictures do; input; or both ($DIRECTION)
  --streams N       over so many streams of its transport ($STREAMS)
  --link-by WHAT    tbf: the kernel's shaper, at the sender itself; wire: the delay line, a queue that is not the sender's ($BY)
  --seconds S       length of each train of pings or keys ($SECONDS_EACH)
  --interval TIME   between pings ($INTERVAL)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --quick           one link, few loads, 5 s each: a first idea
  --seed N          of the random order, the keys' times and the data ($SEED)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

check_words() {	# OPTION LIST WORD...
	local item option=$1 list=$2
	shift 2
	exp_list "$option" "$list"
	for item in ${list//,/ }; do
		[[ " $* " == *" $item "* ]] || exp_bad "$option $item: one of $*"
	done
}

rtt_options() {
	local item
	EXP_MEMORY=0
	exp_parse "--quick QUICK" "--links LINKS --queue QUEUE --queues QUEUES --loads LOADS --transport TRANSPORTS --probes PROBES --protocol PROTOCOL_LIST --direction DIRECTION --streams STREAMS --link-by BY
		--seconds SECONDS_EACH --interval INTERVAL --repeat REPEATS --seed SEED" "$@"
	if [ "$QUICK" = 1 ]; then
		exp_given --links || LINKS=10Mbit
		exp_given --loads || LOADS=0,50,90,96,110
		exp_given --seconds || SECONDS_EACH=5
		exp_given --interval || INTERVAL=50ms
	fi
	exp_resume
	exp_list --links "$LINKS"
	for item in ${LINKS//,/ }; do [[ $item =~ ^[0-9]+(\.[0-9]+)?[KMG]bit$ ]] || exp_bad "--links $item: a rate such as 10Mbit"; done
	[[ $QUEUE =~ ^[0-9]+(\.[0-9]+)?(us|ms|s)$ ]] || exp_bad "--queue $QUEUE: a time such as 50ms"
	[[ $INTERVAL =~ ^[1-9][0-9]{0,4}ms$ ]] || exp_bad "--interval $INTERVAL: milliseconds, such as 200ms"
	check_words --queues "$QUEUES" fifo pfifo fq_codel fq codel sfq cake pie red
	check_words --transport "$TRANSPORTS" udp random tcp
	check_words --probes "$PROBES" ping keys
	check_words --link-by "$BY" tbf wire
	exp_number --streams "$STREAMS" 1 64
	check_words --direction "$DIRECTION" display input both
	exp_list --loads "$LOADS"
	for item in ${LOADS//,/ }; do exp_number --loads "$item" 0 200; done
	exp_number --seconds "$SECONDS_EACH" 1 3600
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	: "${PROTOCOL_LIST:=vnc}"
	exp_check_protocols any
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_settings() {
	jq -cn --arg links "$LINKS" --arg queue "$QUEUE" --arg queues "$QUEUES" --argjson loads "[$LOADS]" --arg transports "$TRANSPORTS" --arg probes "$PROBES" \
		--arg protocols "$PROTOCOL_LIST" --arg direction "$DIRECTION" --arg by "$BY" --argjson streams "$STREAMS" --argjson seconds "$SECONDS_EACH" --argjson interval "${INTERVAL%ms}" --argjson repeats "$REPEATS" \
		--argjson seed "$SEED" --argjson quick "$QUICK" --argjson rate "$RATE" --argjson threshold "$THRESHOLD_MS" --argjson given "$(exp_given --loads && echo true || echo false)" '
		{links: ($links | split(",")), queue: $queue, queues: ($queues | split(",")), loads: $loads, transports: ($transports | split(",")), probes: ($probes | split(",")),
		protocol: ($protocols | split(",")[0]), protocols: ($protocols | split(",")), direction: $direction, link_by: $by, streams: $streams, seconds: $seconds, interval_ms: $interval, ping_bytes: 64,
		rate_per_s: $rate, threshold_ms: $threshold, loads_asked_for: $given, cells: [], repeats: $repeats, seed: $seed, quick: ($quick == 1), on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "LINKS=\(.links | join(",")) QUEUES=\(.queues | join(",")) LOADS=\(.loads | map(tostring) | join(",")) TRANSPORTS=\(.transports | join(","))
		PROBES=\(.probes | join(",")) PROTOCOL_LIST=\(.protocols | join(",")) DIRECTION=\(.direction) BY=\(.link_by) STREAMS=\(.streams | tostring) SECONDS_EACH=\(.seconds | tostring) INTERVAL=\(.interval_ms | tostring)ms
		REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) QUICK=\(if .quick then "1" else "0" end)"' "$RESUME/run.json")"
	mapfile -t CELLS < <(jq -r '.settings.cells[] | "\(.cell) \(.link) \(.queue) \(.transport) \(.load) \(.probe)"' "$RESUME/run.json")
}

# Cells: LINK.QUEUE.TRANSPORT.LOAD.PROBE --------------------------------------------------------------------------

# Without load there is no transport; datagrams over the whole link tell only how full the queue is.
wanted() {	# wanted QUEUE TRANSPORT LOAD
	[ "$1" = "${QUEUES%%,*}" ] || [ "$3" = 0 ] || [ "$3" -ge "$QUIET_LOADS" ] || exp_given --loads || return 1
	if [ "$3" = 0 ]; then [ "$2" = "${TRANSPORTS%%,*}" ]; else [ "$2" = tcp ] || [ "$3" -lt 100 ] || exp_given --loads; fi
}

choose_cells() {
	local link queue transport load probe with all=() asked=("${ABSENT[@]+"${ABSENT[@]}"}")
	[ "${#CELLS[@]}" = 0 ] || return 0
	[[ ,$PROBES, != *,ping,* ]] || all=(ping)
	[[ ,$PROBES, != *,keys,* ]] || for probe in ${PROTOCOL_LIST//,/ }; do [[ " ${asked[*]-} " == *"keys over $probe	"* ]] || all+=("$probe"); done
	for link in ${LINKS//,/ }; do
		for queue in ${QUEUES//,/ }; do
			[[ " ${asked[*]-} " != *"queue $queue	"* ]] || continue
			for probe in ${all[@]+"${all[@]}"}; do
				for transport in ${TRANSPORTS//,/ }; do
					for load in $(tr , '\n' <<<"$LOADS" | sort -n); do
						wanted "$queue" "$transport" "$load" || continue
						with=$transport
						[ "$load" != 0 ] || with=none
						CELLS+=("$link.$queue.$with.$load.${probe/:/-} $link $queue $with $load $probe")
					done
				done
			done
		done
	done
	[ "${#CELLS[@]}" -gt 0 ] || die "none of what was asked for can be measured here: ${ABSENT[*]//$'\t'/: }"
	run_set '.settings.cells = $cells' --argjson cells "$(printf '%s\n' "${CELLS[@]}" |
		jq -cRn '[inputs | split(" ") | {cell: .[0], link: .[1], queue: .[2], transport: .[3], load: (.[4] | tonumber), probe: .[5]}]')"
}

exp_order() {
	local repeat
	for ((repeat = 1; repeat <= REPEATS; repeat++)); do
		printf "%s\n" ${CELLS[@]+"${CELLS[@]}"} | awk -v r="$repeat" 'NF { print $1, 0, r }' | shuffled "$((SEED * 1000 + repeat))"
	done
}
exp_cell_folder() { printf '%s/cells/%s/%s' "$RUN" "$1" "$3"; }
exp_trains() { printf '%s\n' "$1/cell.json"; }

find_cell() { read -r _ link queue transport load probe < <(printf '%s\n' "${CELLS[@]}" | grep -F -- "$1 "); }

exp_words() {	# exp_words 0 CELL
	local link queue transport load probe
	find_cell "$2"
	echo "$link, $queue, $([ "$load" = 0 ] && echo "no load" || echo "$load % by ${transport/random/random udp}"), $([ "$probe" = ping ] && echo pings || echo "keys over $probe")"
}

# The link and its queue ------------------------------------------------------------------------------------------

bits() { LC_ALL=C awk -v t="$1" 'BEGIN { printf "%.0f", (t + 0) * (t ~ /Kbit/ ? 1e3 : t ~ /Gbit/ ? 1e9 : 1e6) }'; }

# Who waits for whom inside of the shaper, at both ends. fifo is the shaper's own, of so many bytes.
set_queue() {	# set_queue KIND LIMIT-BYTES; 1: LAB_WHY
	local role end words=("$1")
	case $1 in fifo) words=(bfifo limit "$2") ;; pfifo) words=(pfifo limit $((($2 + 1513) / 1514))) ;; red) words=(red limit "$2" avpkt 1000 bandwidth 10Mbit) ;; esac
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
	lab_exec -R server tc qdisc show dev "$LAB_IF_server" | awk '/qdisc tbf/ { for (i = 1; i < NF; i++) if ($i == "burst") { n = $(i + 1) + 0; print n * ($(i + 1) ~ /Kb/ ? 1024 : $(i + 1) ~ /Mb/ ? 1048576 : 1); exit } }'
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

limit_bytes() { LC_ALL=C awk -v b="$(bits "$1")" -v q="$QUEUE" 'BEGIN { v = q; gsub(/[0-9.]/, "", v); n = b / 8 * (q + 0) * (v == "us" ? 1e-6 : v == "ms" ? 1e-3 : 1); if (n < 3028) n = 3028; printf "%.0f", n }'; }

find_queues() {
	local kind
	LAB_WHY="the delay line has one queue, first come, first served"
	for kind in ${QUEUES//,/ }; do
		if [ "$LAB_LINK" = wire ]; then [ "$kind" = fifo ]; else set_queue "$kind" 100000; fi || ABSENT+=("queue $kind	$LAB_WHY")
	done
}

find_protocols() {
	local protocol why
	[[ ,$PROBES, == *,keys,* ]] || return 0
	for protocol in ${PROTOCOL_LIST//,/ }; do
		protocol_use "$protocol"
		why=$(protocol_can) || ABSENT+=("keys over $protocol	$why")
	done
}

absent_json() { printf '%s\n' ${ABSENT[@]+"${ABSENT[@]}"} | jq -cRn '[inputs | select(. != "") | split("\t") | {what: .[0], why: .[1]}]'; }

# The load ----------------------------------------------------------------------------------------------------------

LOAD_PORT=5210
start_receivers() {
	local role address
	for role in client server; do
		address=LAB_ADDR_$role
		lab_start "$role" "netload-at-$role" "$TP_BIN/netload" serve --bind "${!address}" --port "$LOAD_PORT" --format json
		lab_ready "netload-at-$role" 10 || die "the receiver of the load does not start: $(tail -n 1 "$LAB_LOG/netload-at-$role.err")"
	done
}

load_start() {	# load_start LINK TRANSPORT PERCENT SEED: sets LOAD_PID; 1: LAB_WHY
	local from=server to=$LAB_ADDR_client options=() root=()
	LOAD_PID=''
	[ "$3" -gt 0 ] || return 0
	[ "$DIRECTION" != input ] || from=client to=$LAB_ADDR_server
	[ "$DIRECTION" != both ] || options+=(--both)
	[ "$2" = tcp ] || options+=(--udp)
	[ "$2" != random ] || options+=(--spacing random)
	# whole frames at every rate, as the shaper and the queueing line have them
	options+=(--size "$([ "$2" = tcp ] && echo 1448 || echo 1472)")
	# A load that waits for its turn comes in bursts. It takes a few percent of the CPU, which the cell tells.
	[ "$LAB_ROOTLESS" = 1 ] || { root=(-R); options+=(--priority 10); }
	lab_start ${root[@]+"${root[@]}"} "$from" netload "$TP_BIN/netload" send "$to:$LOAD_PORT" --rate "$(LC_ALL=C awk -v b="$(bits "$1")" -v p="$3" 'BEGIN { printf "%.0f", b * p / 100 }')bit" \
		--streams "$STREAMS" --catch-up 50ms ${options[@]+"${options[@]}"} --seed "$4" --format json
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
	local count said sent
	count=$((SECONDS_EACH * 1000 / ${INTERVAL%ms}))
	lab_start -R client ping ping -n -i "$(LC_ALL=C awk -v ms="${INTERVAL%ms}" 'BEGIN { printf "%.3f", ms / 1000 }')" -c "$count" -W 2 -s 56 "$LAB_ADDR_server"
	lab_wait "$LAB_PID"
	! stopped || lab_stop "$LAB_PID"
	sent=$(sed -n 's/^\([0-9]*\) packets transmitted.*/\1/p' "$LAB_LOG/ping.out")
	[ -n "$sent" ] || { LAB_WHY="ping failed: $(tail -n 1 "$LAB_LOG/ping.err")"; return 1; }
	ping_rows "$sent" <"$LAB_LOG/ping.out" >"$1/samples.tsv"
}

# The probe is connected before the load begins.
keys_ready() {	# keys_ready PROTOCOL REPEAT FOLDER; sets KEYS_PID KEYS_GO; 1: LAB_WHY
	local words
	eval "words=(${SESSION_WORDS[$1]})"
	open_pipe KEYS_GO
	lab_start -i "$KEYS_GO" -o "$3/samples.tsv" client keyrepeat "$TP_BIN/keyrepeat" "${SESSION_TARGET[$1]}" --rate "$RATE" -t "${SECONDS_EACH}s" --schedule jittered \
		--seed "$((SEED * 1000 + $2))" --watch "${SESSION_WATCH[$1]}" ${words[@]+"${words[@]}"} --threshold "${THRESHOLD_MS}ms" --skip 5 --priority 20 \
		--hold-start --log "$3/samples.tsv" --format json
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

start_sessions() {	# one for each protocol, with the reference application at no cost of its own
	local protocol
	for protocol in ${PROTOCOL_LIST//,/ }; do
		[[ " ${CELLS[*]} " == *" $protocol "* ]] || continue
		protocol_use "$protocol"
		PROTOCOL_OPTIONS=() PROTOCOL_WATCH=patch
		protocol_start "keys-${protocol/:/-}"
		SESSION_TARGET[$protocol]=$PROTOCOL_TARGET SESSION_WATCH[$protocol]=${PROTOCOL_WATCH:-patch}
		SESSION_WORDS[$protocol]=''
		[ ${#PROTOCOL_OPTIONS[@]} = 0 ] || printf -v "SESSION_WORDS[$protocol]" '%q ' "${PROTOCOL_OPTIONS[@]}"
		run_set '.protocols[$p] = $settings' --arg p "$protocol" --argjson settings "$(protocol_settings)"
		[ -n "$PROTOCOL_DISPLAY" ] || continue
		app_use refecho
		app_start "$PROTOCOL_DISPLAY"
		SESSION_WATCH[$protocol]=$(app_watch)
	done
}

# One cell ------------------------------------------------------------------------------------------------------------

exp_cell() {	# exp_cell CELL 0 REPEAT FOLDER
	local link queue transport load probe reason='' before='' after='' far='' far_after='' LAB_LOG=$4/log KEYS_PID='' KEYS_GO='' LOAD_PID=''
	find_cell "$1"
	mkdir -p "$LAB_LOG"
	set_link "$link" "$queue" || reason="the link could not be made so: $LAB_WHY"
	[ -n "$reason" ] || [ "$probe" = ping ] || keys_ready "$probe" "$3" "$4" || reason=$LAB_WHY
	[ -n "$reason" ] || load_start "$link" "$transport" "$load" "$((SEED * 1000 + $3))" || reason=$LAB_WHY
	! stopped || reason=interrupted
	if [ -z "$reason" ]; then
		before=$(lab_cpu server) far=$(lab_cpu client)
		if [ "$probe" = ping ]; then run_pings "$4" || reason=$LAB_WHY; else run_keys "$4" || reason=$LAB_WHY; fi
		after=$(lab_cpu server) far_after=$(lab_cpu client)
		[ -z "$LOAD_PID" ] || ! lab_gone "$LOAD_PID" || reason="the load ended early: $(tail -n 1 "$LAB_LOG/netload.err")"
	fi
	[ -z "$KEYS_PID" ] || lab_stop "$KEYS_PID"
	[ -z "$KEYS_GO" ] || exec {KEYS_GO}>&-
	load_stop "$4"
	# without its report nobody knows what the load was
	[ -n "$reason" ] || [ "$load" = 0 ] || [ -s "$4/netload.json" ] || reason="the load left no report: $(tail -n 1 "$LAB_LOG/netload.err")"
	! stopped || reason=interrupted
	write_cell "$4" "$3" "$reason" "$before" "$after" "$far" "$far_after"
	if [ -n "$reason" ]; then warn "$(exp_words 0 "$1"), repeat $3: $reason"; else rm -rf "$LAB_LOG"; fi
}

write_cell() {	# write_cell FOLDER REPEAT REASON SERVER-BEFORE AFTER CLIENT-BEFORE AFTER
	local foreign=null steal=null busy=null client=null marked='' sent
	if [ -z "$3" ]; then
		read -r foreign steal busy < <(exp_shares "$4" "$5" "$(machine_cpu_list "$LAB_CPUS_server" | wc -w)")
		read -r _ _ client < <(exp_shares "$6" "$7" "$(machine_cpu_list "$LAB_CPUS_client" | wc -w)")
		marked=$(exp_disturbed "$foreign" "$steal")
		! awk -v b="$busy" 'BEGIN { exit !(b > 70) }' || marked+="${marked:+; }the server's CPU was busy for $busy %: the load may have waited for it"
		sent=$(jq -r 'select(.settings.transport == "udp" and (.result.sent_mbit_s / .result.offered_mbit_s - 1 | fabs) > 0.005) | "\(.result.sent_mbit_s) of \(.result.offered_mbit_s)"' "$1/netload.json" 2>/dev/null)
		[ -z "$sent" ] || marked+="${marked:+; }the load was $sent Mbit/s"
	fi
	jq -n --arg link "$link" --arg queue "$queue" --arg transport "$transport" --argjson load "$load" --arg probe "$probe" --argjson bits "$(bits "$link")" --argjson limit "$(limit_bytes "$link")" --argjson bucket "${BUCKET:-0}" \
		--argjson repeat "$2" --arg reason "$3" --argjson foreign "$foreign" --argjson steal "$steal" --argjson busy "$busy" --argjson client "$client" --arg marked "$marked" '
		{schema: "thinprobe.cell/1", parameters: {link: $link, queue: $queue, transport: $transport, load: $load, probe: $probe}, repeat: $repeat, link_bit_s: $bits, queue_bytes: $limit, bucket_bytes: $bucket,
		state: (if $reason == "" then "complete" else "failed" end), reason: $reason, foreign_percent: $foreign, steal_percent: $steal, server_busy_percent: $busy,
		client_busy_percent: $client, marked: $marked}' | put_json "$1/cell.json"
}

rtt_missing() {
	{
		[ "$LAB_SHARED_CPUS" = 0 ] || exp_not_apart "so what the load costs is in the probe's times"
		lab_can client rt || echo "real-time priority for the keys' probe: not allowed here, so the tails hold its own delays too (as root it is)"
		absent_json | jq -r '.[] | "\(.what): \(.why)"'
	} | jq -R . | jq -s .
}

rtt_options "$@"
[[ ,$PROBES, != *,ping,* ]] || need ping iputils-ping
LINK=${LINKS%%,*}
exp_folder
if [ "$BY" = wire ]; then export LAB_DELAY_BY=wire; fi
export LAB_RUN=$RUN LAB_LOG=$RUN/log
ON_BACKEND=local
lab_use local
exp_step "two hosts"
lab_up
lab_can server shape || die "-$EXIT_MISSING" "this kernel does not shape a link (no tbf), and a link without a rate cannot be loaded to a share of it; load sch_tbf"
find_queues
find_protocols
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(rtt_missing)")"
choose_cells
APP_COST=0ms APP_OPTIONS=()
start_receivers
start_sessions
[ ! -t 1 ] || printf '\r\033[K'
echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client, links of ${LINKS//,/, } with a queue of $QUEUE; ${#CELLS[@]} cells of $SECONDS_EACH s"
jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
lab_down
exp_end
