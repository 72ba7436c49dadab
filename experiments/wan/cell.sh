# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - wan: one session per protocol stays up and connected for the whole run, while the link under it changes
# (lab_link): round trips without loss, then losses at one round trip. Single keys: the next one is due two round trips and a
# quarter of a second later, so that none waits for the echo before it; a later echo is recognized by its place (the caret). The
# round trip is measured with ping in the cell, not the one that was asked for. At the longest round trip, keys are also typed at a
# steady rate: a protocol that waits for a round trip between two updates then answers several keys at once, late.
. "$TP_HOME/experiments/families/trains.sh"
TRAIN_SKIP=3	# with the first keys TCP adapts to the new round trip
CHAIN_SECONDS=2 COST_MS=0 TRACES=0 ECHOES=0 EXP_DELAY=0ms SECONDS_EACH=''

exp_check() {
	: "${LOSS_KEYS:=$((3 * KEYS))}" "${TYPING:=0}"
	[ "$ON_BACKEND" != attach ] || APP=own	# what its user put into the window
	wan_one_link
	[ -n "$RESUME" ] || plan_no_link rtt loss loss-rtt
	[ -n "$LOSSES" ] || ! plan_given loss-rtt || exp_bad "--loss-rtt with --loss none: no condition has loss; leave one out"
	# shellcheck disable=SC2317 # the engine calls it
	[ "$ON" = lab ] || exp_find() { wan_real_cells; }
}

# If --link has a delay, all cells have its round trip, and those with loss its loss.
wan_one_link() {
	local delay loss name
	IFS=, read -r _ delay _ loss <<<"$LINK"
	[ -n "$delay" ] || return 0
	for name in rtt loss loss-rtt; do
		! plan_given "$name" || exp_bad "--$name with --link $LINK: both set the round trip time; choose one"
	done
	plan_given keys || [ -n "$RESUME" ] || KEYS=$((2 * KEYS))	# there is time for more
	RTTS=$(LC_ALL=C awk -v text="$delay" 'BEGIN {
		ms = 2 * text * (text ~ /[0-9]us$/ ? 1e-3 : text ~ /ms$/ ? 1 : 1e3); printf "%.6g", ms }')
	LOSSES=${loss%\%} LOSS_RTT=$RTTS
	LC_ALL=C awk -v ms="$RTTS" 'BEGIN { exit ms > 2000 }' || exp_bad "--link $LINK: the round trip time must be at most 2000 ms"
	case $LOSSES in *[1-9]*) ;; *) LOSSES='' ;; esac
}

# Cells with loss have a round trip that is also measured without loss.
exp_cells() {
	local protocol rtt loss
	for protocol in ${PROTOCOLS//,/ }; do
		for rtt in ${RTTS//,/ }; do printf '%s\t%s\t0\t0\n' "$protocol" "$rtt"; done
		[ -z "$LOSSES" ] || [[ ,$RTTS, == *,$LOSS_RTT,* ]] || printf '%s\t%s\t0\t0\n' "$protocol" "$LOSS_RTT"
		for loss in ${LOSSES//,/ }; do printf '%s\t%s\t%s\t0\n' "$protocol" "$LOSS_RTT" "$loss"; done
		rtt=$(tr , '\n' <<<"$RTTS" | LC_ALL=C sort -g | tail -n 1)
		[ "$TYPING" = 0 ] || [ "$rtt" = 0 ] || printf '%s\t%s\t0\t%s\n' "$protocol" "$rtt" "$TYPING"
	done
}

# A real link is measured unchanged, with its own loss. (A run that is resumed has its cells.)
wan_real_cells() {
	local ping
	[ "${#CELLS[@]}" = 0 ] || return 0
	[ -n "$LAB_ADDR_server" ] || die "-$EXIT_MISSING" "the link is not known: ${ATTACH_NO_CAPTURE-}"
	wan_real_link
	ping=$(wan_ping)
	[ -n "$ping" ] ||
		die "-$EXIT_MISSING" "the round trip of the link is not known: no ping${LAB_AT_client-}, or the server does not answer it"
	RTTS=$(LC_ALL=C awk -v ms="$ping" 'BEGIN { printf ms < 10 ? "%.2g" : "%.0f", ms }') LOSSES=''
	run_set '.settings.rtts_ms = [$ms]' --argjson ms "$RTTS"
}

# What the link is, for the report: 20 pings, and the least round trip that TCP has seen on a window's connection.
wan_real_link() {
	local tcp=''
	exp_step "measures the link"
	[ "$ON_BACKEND" != attach ] || tcp=$(attach_rtt)
	run_set '.link = $link' --argjson link "$(lab_exec -R client ping -n -q -c 20 -i 0.2 -W 3 "$LAB_ADDR_server" 2>/dev/null |
		jq -cRn --arg address "$LAB_ADDR_server" --arg interface "$LAB_IF_client" --arg tcp "$tcp" '
			[inputs] as $said | def ask($pattern): first($said[] | capture($pattern)) // null;
			ask("= (?<min>[0-9.]+)/(?<mean>[0-9.]+)/(?<max>[0-9.]+)/") as $ping
			| {$address, $interface, pings: 20, ping_ms: (if $ping == null then null else $ping | map_values(tonumber) end),
				ping_lost_percent: (ask("(?<n>[0-9.]+)% packet loss") | if . == null then . else .n | tonumber end),
				tcp_min_ms: ($tcp | tonumber? // null)}')"
}

exp_words() {
	echo "${P[protocol]}, round trip ${P[rtt_ms]} ms$([ "${P[loss_percent]}" = 0 ] || echo ", loss ${P[loss_percent]} %")$(
		[ "${P[keys_per_s]}" = 0 ] || echo ", ${P[keys_per_s]} keys/s")"
}

exp_begin() {
	local protocol
	case $LAB_LINK in
	real) RUN_SAYS=", as long as it is" ;;
	wire) RUN_SAYS=", delayed by the delay line wire (user space)" ;;
	*) RUN_SAYS=", delayed by netem" ;;
	esac
	lab_has client ping || [ "$ON" != lab ] ||
		ABSENT+=("ping: the round trip is the one asked for, without the delay line's own$(
			) (apt-get install --no-install-recommends iputils-ping)")
	for protocol in ${PROTOCOLS//,/ }; do must session_start "${protocol//:/-}" "$protocol" "$APP"; done
}

exp_before_cells() {
	local protocol
	measure_chain
	for protocol in ${PROTOCOLS//,/ }; do measure_idle "$IDLE_SECONDS" "${protocol//:/-}"; done
}

# Prints the packets that entered the delay line in both directions since the lab's start, and how many of them it dropped.
# Prints nothing if the kernel emulates the link.
wan_counts() {
	[ "$LAB_LINK" = wire ] && link_wire_report &&
		jq -r '.result.ways | "\(map(.packets) | add) \(map(.lost) | add)"' "$LAB_WIRE.json"
}

# Measures the round trip with ping: the smallest of four. (Packet loss may take some.) Of a window's server that answers none: the
# least that TCP has seen on its connection.
wan_ping() {
	lab_exec -R client ping -n -q -c 4 -i 0.2 -W 3 "$LAB_ADDR_server" 2>/dev/null |
		sed -n 's,^rtt [^=]*= \([0-9.]*\)/.*,\1,p' | grep . || [ "$ON_BACKEND" != attach ] || attach_rtt
}

exp_measure() {
	local rtt=${P[rtt_ms]} loss=${P[loss_percent]} typing=${P[keys_per_s]} keys=$KEYS ping counts packets lost
	local PERIOD_MS RATE SECONDS_EACH
	PERIOD_MS=$(LC_ALL=C awk -v keys="$typing" -v rtt="$rtt" 'BEGIN { printf "%d", keys ? 1000 / keys : 2 * rtt + 250 }')
	[ "$loss$typing" = 00 ] || keys=$LOSS_KEYS
	LAB_LINK_SEED=$((SEED * 1000 + $2))
	[ "$ON" != lab ] || lab_link - - "$(LC_ALL=C awk -v rtt="$rtt" 'BEGIN { printf "%.6gms", rtt / 2 }')" - "$loss" ||
		die "cannot change the link: $LAB_WHY"
	ping=$(wan_ping)
	counts=$(wan_counts)
	RATE=$(awk -v period="$PERIOD_MS" 'BEGIN { printf "%.6f", 1000 / period }')
	SECONDS_EACH=$(awk -v period="$PERIOD_MS" -v keys="$((keys + TRAIN_SKIP))" 'BEGIN { printf "%.3f", keys * period / 1000 }')
	TRAIN_MORE=$(jq -cn --arg app "$APP" --argjson ping "${ping:-null}" '{app: $app, ping_ms: $ping}')
	train_run "${P[protocol]//:/-}" 0 "$2" "$3" latency
	if [ -n "$counts" ] && read -r packets lost < <(wan_counts); then
		jq --argjson packets "$((packets - ${counts% *}))" --argjson lost "$((lost - ${counts#* }))" \
			'.link = {$packets, $lost}' \
			"$3/cell.json" | put_json "$3/cell.json"
	fi
}
