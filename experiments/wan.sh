#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# figure: latency of a key against the round trip time and the loss of a long link, per protocol: which wait for round trips
# minutes: 40 (with --quick 4, for vnc and x11)
# needs: two CPUs, a display protocol; netem in the kernel, or TAP devices (/dev/net/tun)
# wrong if: the latency of a key grows by less than one round trip per round trip, or grows where only the rate of the link changes
#
# One session per protocol stays up and connected for the whole run, while the link under it changes (lab_link): round trips without loss,
# then losses at one round trip. Every key stands alone: the next one is due two round trips and a quarter of a second later, so that none waits
# for another's echo, however many round trips (up to two) a protocol takes; the rest of what is later than that is shown by its place (the
# caret), not guessed. The round trip is what ping finds in the cell, not what was asked for. At the longest round trip keys are also typed as a
# person types: a protocol that waits for a round trip between two updates then answers several keys at once, late.
# shellcheck disable=SC2034,SC2154 # variables shared with lib.sh, train.sh and the lab
set -u

. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/home.sh" || exit 1

EXPERIMENT=wan
EXPERIMENT_SAYS="How late is the echo of a key over a long link: which protocols wait for round trips, and what does loss do?"
THRESHOLD_MS=100 FOREIGN_LIMIT=3 RATE=1 PERIOD_MS=1000
. "$TP_HOME/experiments/lib.sh"
. "$TP_HOME/experiments/train.sh"
EXP_PROTOCOLS='vnc x11 rdp nx spice ssh xpra'
PROTOCOL_LIST='' RTTS=0,20,50,100,200,300 LOSSES=0.5,1,2 LOSS_RTT=50 TYPING=10 KEYS=20 LOSS_KEYS='' APP=light REPEATS=5 IDLE_SECONDS=3 COST_MS=0 EXP_AGAIN_PART=9
EXP_MEMORY=0	# memory is not the question
TRAIN_SKIP=3	# the first ones also teach TCP the new round trip
LINKS=()	# "RTT LOSS TYPING", in the order of the table; TYPING: keys a second, 0: alone
ABSENT=()

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P,...] [--rtt MS,...] [--loss PERCENT,...] [--loss-rtt MS] [--typing N] [--app light|heavy]
         [--keys N] [--loss-keys N] [--repeat R] [--quick] [--idle S] [--seed N] [--link RATE] [--queue TIME]
         [--keep-captures] [--resume RUN] [-o DIR]
$EXPERIMENT_SAYS
  --protocol P,...  protocols, NAME or NAME:VARIANT (those of: ${EXP_PROTOCOLS// /, }; that can run here)
  --rtt MS,...      round trip times in ms, without loss ($RTTS)
  --loss P,...      losses in percent, each way, or none ($LOSSES)
  --loss-rtt MS     the round trip time of these ($LOSS_RTT)
  --typing N        keys a second that are also typed at the longest round trip, or none ($TYPING)
  --app WHAT        light (vim in xterm), or heavy (refecho, which answers with a readable patch) ($APP)
  --keys N          keys of a train without loss, first ones left out ($KEYS)
  --loss-keys N     keys of a train with loss, or typed (three times as many)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --quick           round trips of 0, 100 and 300 ms, 2 % of loss at 100 ms, 8 keys (20), two repeats: a first idea
  --idle S          length of the key-free window for idle noise, per protocol ($IDLE_SECONDS)
  --seed N          of the random order, the due times and the losses ($SEED)
  --link RATE       rate of the emulated link, or none ($LINK)
  --queue TIME      how long a packet may wait for it before it is dropped (50ms, or 64 packets)
  --keep-captures   keep every capture (capture.pcap in each cell)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
END
}

wan_options() {
	local item
	exp_parse "--quick QUICK --keep-captures KEEP" "--protocol PROTOCOL_LIST --rtt RTTS --loss LOSSES --loss-rtt LOSS_RTT --typing TYPING --app APP --keys KEYS --loss-keys LOSS_KEYS
		--repeat REPEATS --idle IDLE_SECONDS --seed SEED --link LINK --queue QUEUE" "$@"
	if [ "$QUICK" = 1 ]; then
		exp_given --rtt || RTTS=0,100,300
		exp_given --loss || LOSSES=2
		exp_given --loss-rtt || LOSS_RTT=100
		exp_given --keys || KEYS=8
		exp_given --loss-keys || LOSS_KEYS=20
		exp_given --repeat || REPEATS=2
		exp_given --idle || IDLE_SECONDS=2
	fi
	exp_resume
	[ "$QUICK" = 0 ] || EXP_AGAIN_PART=20
	exp_list --rtt "$RTTS"
	for item in ${RTTS//,/ }; do exp_number --rtt "${item%ms}" 0 2000; done
	RTTS=${RTTS//ms/}
	[ "$LOSSES" != none ] || LOSSES=''
	[ -z "$LOSSES" ] || exp_list --loss "$LOSSES"
	LOSSES=${LOSSES//%/}
	for item in ${LOSSES//,/ }; do
		[[ $item =~ ^[0-9]+(\.[0-9]+)?$ ]] && awk -v p="$item" 'BEGIN { exit !(p > 0 && p <= 50) }' || exp_bad "--loss $item: percent, over 0 and up to 50 (a cell without loss is always there)"
	done
	LOSS_RTT=${LOSS_RTT%ms}
	exp_number --loss-rtt "$LOSS_RTT" 0 2000
	[ "$TYPING" != none ] || TYPING=0
	[ "$TYPING" = 0 ] || exp_number --typing "$TYPING" 1 50
	exp_number --keys "$KEYS" 4 100000
	: "${LOSS_KEYS:=$((3 * KEYS))}"
	exp_number --loss-keys "$LOSS_KEYS" 4 100000
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --idle "$IDLE_SECONDS" 1 3600
	exp_number --seed "$SEED" 0 2000000
	case $APP in light | heavy) ;; *) exp_bad "--app $APP: light or heavy" ;; esac
	[[ $LINK != *,* ]] || exp_bad "--link $LINK: only a rate; how long it takes is --rtt"
	exp_check_link
	exp_check_protocols any
	wan_links
	[ "$EXP_ONLY" = 0 ] || exit 0
}

# Losses at a round trip that is measured without any, too.
wan_links() {
	local item most=0
	LINKS=()
	for item in ${RTTS//,/ }; do
		LINKS+=("$item 0 0")
		[ "$item" -le "$most" ] || most=$item
	done
	[ -z "$LOSSES" ] || [[ ,$RTTS, == *,$LOSS_RTT,* ]] || LINKS+=("$LOSS_RTT 0 0")
	for item in ${LOSSES//,/ }; do LINKS+=("$LOSS_RTT $item 0"); done
	[ "$TYPING" = 0 ] || [ "$most" = 0 ] || LINKS+=("$most 0 $TYPING")
	LOADS=$(seq -s , 0 $((${#LINKS[@]} - 1)))
}

exp_settings() {
	printf '%s\n' "${LINKS[@]}" | jq -cRn --arg protocols "$PROTOCOL_LIST" --arg app "$APP" --argjson keys "$KEYS" --argjson losskeys "$LOSS_KEYS" --argjson repeats "$REPEATS" \
		--argjson seed "$SEED" --arg link "$LINK" --argjson quick "$QUICK" --argjson threshold "$THRESHOLD_MS" --argjson idle "$IDLE_SECONDS" --argjson skip "$TRAIN_SKIP" \
		--arg rtts "$RTTS" --arg losses "$LOSSES" --argjson lossrtt "$LOSS_RTT" --argjson typing "$TYPING" '
		{protocols: ($protocols | split(",")), app: $app, links: [inputs | split(" ") | {rtt_ms: (.[0] | tonumber), loss_percent: (.[1] | tonumber), keys_per_s: (.[2] | tonumber)}], typing_per_s: $typing,
		rtts_ms: ($rtts | split(",") | map(tonumber)), losses_percent: ($losses | split(",") | map(tonumber)), loss_rtt_ms: $lossrtt,
		keys: $keys, loss_keys: $losskeys, skip: $skip, repeats: $repeats, schedule: "jittered", seed: $seed, link: $link, quick: ($quick == 1),
		threshold_ms: $threshold, idle_seconds: $idle, on: "lab"}'
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL_LIST=\(.protocols | join(",")) APP=\(.app) RTTS=\(.rtts_ms | map(tostring) | join(",")) LOSSES=\(.losses_percent | map(tostring) | join(","))
		LOSS_RTT=\(.loss_rtt_ms | tostring) TYPING=\(.typing_per_s | tostring) KEYS=\(.keys | tostring) LOSS_KEYS=\(.loss_keys | tostring) REPEATS=\(.repeats | tostring) SEED=\(.seed | tostring) LINK=\(.link)
		QUICK=\(if .quick then "1" else "0" end) IDLE_SECONDS=\(.idle_seconds | tostring)"' "$RESUME/run.json")"
}

# Sessions: one per protocol, by its name with - for :, which is also its place among the cells. -------------------

declare -A WAN_OPTIONS	# more words for the probe, quoted

exp_trains() { printf '%s\n' "$1/cell.json"; }
exp_words() {
	local rtt loss typing
	read -r rtt loss typing <<<"${LINKS[$1]}"
	echo "${2/-/:}, round trip $rtt ms$([ "$loss" = 0 ] || echo ", loss $loss %")$([ "$typing" = 0 ] || echo ", $typing keys/s")"
}

use_app() {	# the plug-ins of a session (train.sh asks by its name)
	PROTOCOL=${1/-/:}
	protocol_use "$PROTOCOL"
	case $APP in light) app_use vim ;; heavy) app_use refecho ;; esac
}

start_app() {
	APP_OPTIONS=() APP_COST=${COST_MS}ms
	use_app "$1"
	app_start "${SESSION_DISPLAY[$1]}"
	SESSION_WATCH[$1]=$(app_watch)
	SESSION_PID[$1]=$APP_PID
}

wan_sessions() {
	local name APP_COST=${COST_MS}ms
	for name in ${APPS//,/ }; do
		use_app "$name"
		PROTOCOL_WATCH=patch PROTOCOL_OPTIONS=()
		start_session "$name"
		WAN_OPTIONS[$name]=${PROTOCOL_OPTIONS[*]+"${PROTOCOL_OPTIONS[*]@Q}"}
		SESSION_COST["$name"]=''
	done
	exp_record_protocols
}

wan_idle() {
	local name all=$APPS
	for name in ${all//,/ }; do
		eval "PROTOCOL_OPTIONS=(${WAN_OPTIONS[$name]})"
		APPS=$name
		measure_idle "$IDLE_SECONDS"
	done
	APPS=$all
}

# Cells -----------------------------------------------------------------------------------------------------------

# Of both ways of the delay line, since the lab came up: packets that came, and of these lost. Nothing where the kernel does it.
wan_counts() {
	[ "$LAB_LINK" = wire ] && link_wire_report && jq -r '.result.ways | "\(map(.packets) | add) \(map(.lost) | add)"' "$LAB_WIRE.json"
}

# What ping finds: the least of four. (Of as many packets a loss may take some.)
wan_ping() {
	lab_exec -R client ping -n -q -c 4 -i 0.2 -W 3 "$LAB_ADDR_server" 2>/dev/null | sed -n 's,^rtt [^=]*= \([0-9.]*\)/.*,\1,p'
}

exp_cell() {	# exp_cell SESSION LINK REPEAT FOLDER
	local rtt loss typing keys=$KEYS ping counts packets lost PROTOCOL PERIOD_MS RATE SECONDS_EACH TRAIN_PARAMETERS
	read -r rtt loss typing <<<"${LINKS[$2]}"
	[ "$loss$typing" = 00 ] || keys=$LOSS_KEYS
	use_app "$1"
	eval "PROTOCOL_OPTIONS=(${WAN_OPTIONS[$1]})"
	LAB_LINK_SEED=$((SEED * 1000 + $3))
	lab_link - - "$(awk -v rtt="$rtt" 'BEGIN { print rtt / 2 "ms" }')" none "$loss" || die "the link cannot be changed: $LAB_WHY"
	ping=$(wan_ping)
	counts=$(wan_counts)
	[ "$typing" = 0 ] && PERIOD_MS=$((2 * rtt + 250)) || PERIOD_MS=$((1000 / typing))
	RATE=$(awk -v period="$PERIOD_MS" 'BEGIN { printf "%.6f", 1000 / period }')
	SECONDS_EACH=$(awk -v period="$PERIOD_MS" -v keys="$((keys + TRAIN_SKIP))" 'BEGIN { printf "%.3f", keys * period / 1000 }')
	TRAIN_PARAMETERS=$(jq -cn --argjson rtt "$rtt" --argjson loss "$loss" --argjson ping "${ping:-null}" --argjson typing "$typing" '{keys_per_s: $typing, rtt_ms: $rtt, loss_percent: $loss, ping_ms: $ping} | . + {app: $app} | del(.sinks)' --arg app "$APP")
	run_train "$1" 0 "$3" "$4" latency || warn "$(exp_words "$2" "$1"), repeat $3: $(jq -r .reason "$4/cell.json")"
	if [ -n "$counts" ] && read -r packets lost < <(wan_counts); then
		jq --argjson packets "$((packets - ${counts% *}))" --argjson lost "$((lost - ${counts#* }))" '.link = {packets: $packets, lost: $lost}' "$4/cell.json" | put_json "$4/cell.json"
	fi
}

say_lab() {
	[ ! -t 1 ] || printf '\r\033[K'
	echo "lab: server on CPU $LAB_CPUS_server, client on CPU $LAB_CPUS_client, link ${LINK/Mbit/ Mbit/s}, delayed by $([ "$LAB_LINK" = wire ] && echo 'the delay line wire (user space)' || echo netem)"
	jq -r '.protocols | to_entries[] | "\(.key): \(.value.says // .value.server // "?")"' "$RUN/run.json"
	jq -r '.lab.missing[] | "not on this machine: " + .' "$RUN/run.json"
}

wan_absent() {
	{
		jq -r '.[]' <<<"$(missing_levers)"
		[ ${#ABSENT[@]} = 0 ] || printf '%s\n' "${ABSENT[@]}"
		command -v ping >/dev/null || echo "ping: the round trip is the one asked for, without the delay line's own (apt-get install --no-install-recommends iputils-ping)"
	} | jq -R . | jq -s .
}

wan_options "$@"
exp_choose_protocols
APPS=${PROTOCOL_LIST//:/-} PROTOCOL=${PROTOCOL_LIST%%,*}
exp_folder
export LAB_RUN=$RUN LAB_LOG=$RUN/log LAB_DELAY=0ms
ON_BACKEND=local TRACES=0 ECHOES=0
lab_use local
exp_step "two hosts and their sessions"
lab_up
LAB_NCPU_server=$(lab_exec server nproc)
wan_sessions
exp_circumstances "$(lab_facts)" null "$(exp_lab "$(wan_absent)")"
say_lab
CHAIN_SECONDS=2
exp_step "what the measuring costs by itself, $CHAIN_SECONDS s"
RATE=20 measure_chain
exp_step "idle noise, $IDLE_SECONDS s each without keys"
wan_idle
exp_cells_run
run_set '.facts_after = $facts' --argjson facts "$(lab_facts)"
for PROTOCOL in ${PROTOCOL_LIST//,/ }; do
	protocol_use "$PROTOCOL"
	protocol_stop
done
lab_down
exp_end
