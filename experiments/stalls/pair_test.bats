#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# Short cells on machines that ssh reaches: server and client; a server alone; server, client and a listener.
# bats file_tags=all

load ../../tests/lab/pair

quick=(--app heavy --cost 2ms --loads 0,2 --quick --time 3 --repeat 1 --idle 1)
keys_are() {	# of each cell: 60 keys in 3 s, of which all but the first five count
	for cell in "$RUN"/cells/*/1; do
		[ "$(pair_keys "$cell")" = 60 ]
		[ "$(jq .result.keys_sent "$cell/keyrepeat.json")" = 55 ]
	done
}

# Gives this machine a calibration record, and the clients, which have its name, another.
calibrated() {
	mkdir "$W/state"
	(. "$TOP/lab/calibration.sh" && jq -n --arg machine "$(calibration_machine)" '{schema: "thinprobe.calibration/1", $machine,
		started: "2020-01-02T00:00:00Z", paths: [{path: "vnc-refecho", probe: "patch", error_ms: 0.5}]}' \
			>"$W/state/calibration.json"
	jq '.paths[0].error_ms = 0.7' "$W/state/calibration.json" >"$W/state/calibration-$(calibration_machine).json")
}

@test "stalls: --on two hosts over ssh: the run is complete, and uses the client's calibration, not this machine's" {
	need Xvnc xdotool
	calibrated
	pair_cell stalls "${quick[@]}"
	keys_are
	[ "$(jq '.calibration.paths[0].error_ms' "$RUN/run.json")" = 0.7 ]
	[ "$(jq -r '.lab.client' "$RUN/run.json")" = tp-client ]
}

@test "stalls: several protocols over ssh are in one table and one figure" {
	need Xvnc xdotool xrdp xfreerdp spicy openssl
	pair_cell stalls "${quick[@]/0,2/0}" --protocol rdp,spice,vnc
	keys_are
	[ "$(sed 1d "$RUN/summary.tsv" | cut -f 2 | sort | paste -sd ' ')" = "rdp spice vnc" ]
	for name in rdp spice vnc; do grep -q ">$name<" "$RUN/figures/mean-stall.svg"; done
	# Packets show the answers, too, over as many connections as a protocol has.
	for cell in "$RUN"/cells/*/1; do [ "$(jq '.result.channels.display.packets >= 55' "$cell/prototap.json")" = true ]; done
}

@test "stalls: over ssh, VNC sessions come up again after those of x11" {
	need Xvnc xdotool xauth
	pair_cell stalls --app heavy --cost 2ms --loads 0 --quick --time 3 --idle 1 --protocol vnc,x11 --repeat 3
	[ "$(jq -r .state "$RUN"/cells/*/[123]/cell.json | sort | uniq -c | tr -s ' ')" = " 6 complete" ]
}

@test "stalls: --on SERVER: the client is this machine, and the report uses its calibration" {
	need Xvnc xdotool
	calibrated
	PAIR_ON=tp-server pair_cell stalls "${quick[@]}"
	keys_are
	[ "$(jq '.calibration.paths[0].error_ms' "$RUN/run.json")" = 0.5 ]
	[[ $output == *2020-01-02* ]]
	[ "$(jq -r '.lab.client' "$RUN/run.json")" = "$(uname -n)" ]
}

@test "stalls: a listener at a mirror port captures a packet for each press, and one for each measured key's response" {
	need Xvnc xdotool
	[ "$(id -u)" = 0 ] || skip "the listener needs root"
	PAIR_LISTENER=1 PAIR_ON=ssh:tp-server,tp-client,tp-listener pair_cell stalls "${quick[@]}"
	keys_are
	[ "$(jq -r '.lab.capture' "$RUN/run.json")" = "at the listener, eth1" ]
	[ "$(jq '[.lab.missing[] | select(contains("one clock"))] | length' "$RUN/run.json")" = 1 ]
	for cell in "$RUN"/cells/*/1; do
		# a message for each press and each release
		[ "$(jq '.result.channels.input.packets >= 60' "$cell/prototap.json")" = true ]
		[ "$(jq '.result.channels.display.packets >= 55' "$cell/prototap.json")" = true ]
	done
}
