#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# Makes a run folder of the experiment stalls (but for the list of its cells), from formulas: no clock, no random numbers, so
# that the expected figures can be worked out elsewhere. usage: [NAME=value …] make_run.sh FOLDER
#
#   LOADS="0 5 10 20" REPEATS=3 KEYS=100 (of which 5 skipped) APPS="light heavy" COST=10 (ms)
#   SERIES=1|2      2: a periodic "stall" train beside each jittered one
#   LIGHT=quick|ranged|open|late|noisy   ranged: beside sinks every fourth answer is a range of 30 ms, as wire-only pairing
#                    gives them; open: of 200 ms; late: every tenth key takes 200 ms more; noisy: in repeat 1 every second does
#   GROUP=4          the session's autogroup; the sinks are in 4
#   STRETCH=1        the heavy application's redraws take that times as long as fair sharing says
#   OVERLOADED="20"  loads at which the heavy application is overloaded
#   CENSORED=n       the last n keys of each heavy train have no echo
#   STATE=complete|interrupted   interrupted: the last repeat of the highest load has no cell.json, the one before failed
#   SHARED=false    server and client share CPUs
#   MARKED=0|1      the trains of one cell and repeat with foreign CPU time 4.2 %;  STEAL=0.0  and stolen, there
#   FOREIGN=known|null   null: no train knows its foreign CPU time
#   MERGE=0|1       1: beside 10 sinks more updates at a merge gap of 5 ms than at 10
#   APPS=own PROTOCOL=null|vnc:refecho COST=n|null   a protocol that answers keys itself, at no cost or at one
#   PAIRING=caret   how the light application's keys were paired: "updates" where LIGHT is ranged or open
#
# Latency of key k (from 6 on, the first five are warm-up) in repeat r:
#   light: 9 ms + 20 us * ((37 k + 11 r) mod 100) + 50 us * sinks
#   heavy: the application takes all keys that wait, needs COST (sinks + 1) STRETCH ms [+ 1 % per r], and they are shown 8 ms later
set -eu
out=$1
: "${LOADS:=0 5 10 20}" "${REPEATS:=3}" "${KEYS:=100}" "${APPS:=light heavy}" "${COST:=10}" "${SERIES:=1}" "${LIGHT:=quick}"
: "${OVERLOADED:=}" "${CENSORED:=0}" "${STATE:=complete}" "${SHARED:=false}" "${MARKED:=0}"
: "${FLOOR:=8.333}" "${STRETCH:=1}" "${GROUP:=4}"
: "${LINK:=100Mbit}" "${STEAL:=0.0}" "${FOREIGN:=known}" "${MERGE:=0}" "${PROTOCOL:=vnc}" "${PAIRING:=caret}"
case $LIGHT in ranged | open) PAIRING=updates ;; esac
plain() {	# plain APP: needs little CPU
	[ "$1" = light ] || { [ "$1" = own ] && [ "$COST" = null ]; }
}

train() {	# train FOLDER APP SINKS REPEAT SERIES
	local folder=$1 app=$2 sinks=$3 repeat=$4 series=$5 over=false backlog=0.0 gap marked='' cost=null kind=heavy pairing=patch
	local schedule=jittered depends=false foreign steal=0.0 busy=99.8
	local load="autogroup=/autogroup-4 session=4 nice=0 policy=other cpus=0 cgroup=/"
	! plain "$app" || kind=light
	[ "$app" != light ] || pairing=$PAIRING
	case " $OVERLOADED " in *" $sinks "*) [ $kind = light ] || over=true backlog=9.5 ;; esac
	[ $kind = light ] || cost=$COST
	if [ "$MARKED" = 1 ] && [ "$sinks" = 10 ] && [ "$repeat" = 2 ]; then
		marked="foreign CPU time 4.20 %, stolen $STEAL %: over 3 %" steal=$STEAL
	fi
	foreign=${marked:+4.2}
	foreign=${foreign:-0.$sinks}
	[ "$FOREIGN" != null ] || foreign=null
	[ "$series" = latency ] || schedule=periodic
	if [ "$MERGE" = 1 ] && [ "$sinks" = 10 ]; then depends=true; fi
	[ "$sinks" -gt 0 ] || busy=12.5 load=''
	mkdir -p "$folder"
	awk -v app="$kind" -v sinks="$sinks" -v repeat="$repeat" -v series="$series" -v keys="$KEYS" -v cost="$COST" \
		-v stretch="$STRETCH" -v light="$LIGHT" -v censored="$CENSORED" -v over="$over" '
		function out(v) { return v == "" ? "" : sprintf("%.0f", v) }
		BEGIN {
			base = 1000000000000; period = 50000000
			print "schema\tkey\tdue_ns\tsent_ns\tanswer_ns\tanswer_high_ns\tcensored_ns\tskipped"
			for (k = 1; k <= keys; k++) {
				due[k] = base + (k - 1) * period
				if (series == "latency") due[k] += (k * 7919 + repeat * 104729) % 16666 * 1000
				sent[k] = due[k] + 3000 + (k * 13 + repeat) % 40 * 100
			}
			if (app == "light") {
				for (k = 1; k <= keys; k++) {
					l = 9000000 + 20000 * ((37 * k + 11 * repeat) % 100) + 50000 * sinks
					if (light == "late" && sinks > 0 && k % 10 == 0) l += 200000000
					if (light == "noisy" && sinks > 0 && repeat == 1 && k % 2 == 0) l += 200000000
					answer[k] = due[k] + l
					high[k] = answer[k]
					if (light == "ranged" && sinks > 0 && k % 4 == 0) high[k] = answer[k] + 30000000
					if (light == "open" && sinks > 0 && k % 4 == 0) high[k] = answer[k] + 200000000
					if (k > 5) { n++; t[n] = answer[k] }
				}
			} else {
				busy = 0; k = 1
				service = cost * 1000000 * (sinks + 1) * stretch * (1 + repeat / 100)
				while (k <= keys) {
					begin = sent[k] > busy ? sent[k] : busy
					busy = begin + service
					for (first = k; k <= keys && sent[k] <= begin; k++) answer[k] = busy + 8000000
					if (k > 6) { n++; t[n] = busy + 8000000 }
				}
			}
			for (k = 1; k <= keys; k++) {
				if (app == "heavy" && k > keys - censored) { answer[k] = ""; c = base + keys * period + 2000000000 } else c = ""
				printf "keys/1\t%d\t%s\t%s\t%s\t%s\t%s\t%d\n", k, out(due[k]), out(sent[k]), out(answer[k]), \
					app == "light" ? out(high[k]) : "", out(c), k <= 5
			}
			# the definitions of a stall, written down once more
			for (i = 2; i <= n; i++) {
				gap = (t[i] - t[i - 1]) / 1e6; sum += gap; if (gap > most) most = gap
				if (gap > 50) { late++; positive += gap - 50 }
			}
			m = n - 1; mean = sum / m
			for (i = 2; i <= n; i++) { d = (t[i] - t[i - 1]) / 1e6 - mean; squares += d * d }
			printf "%d %d %.6f %.6f %d %.6f %.6f %.6f %.6f\n", n, m, mean - 50, positive / m, late, most - 50, sqrt(squares / (m - 1)), \
				squares / (m - 1), n / (keys - 5) >"/dev/stderr"
			print most >"/dev/stderr"
		}' >"$folder/samples.tsv" 2>"$stats"
	{ read -r updates intervals mean positive count max sd variance per_key && read -r gap; } <"$stats"
	cat >"$folder/keyrepeat.json" <<END
{"schema": "thinprobe.keyrepeat/1", "tool": "keyrepeat", "version": "0.1.0",
 "settings": {"schedule": "$schedule", "rate_per_s": 20},
 "result": {"keys_due": $((KEYS - 5)), "keys_sent": $((KEYS - 5)), "keys_skipped": 5, "updates": $updates,
  "updates_per_key": $per_key, "pairing": "$pairing",
  "overloaded": $over, "backlog_per_s": $backlog, "largest_gap_ms": $gap,
  "stalls": {"period_ms": 50.0, "intervals": $intervals, "count": $count, "mean_ms": $mean, "mean_positive_ms": $positive,
   "max_ms": $max, "jitter_sd_ms": $sd, "jitter_variance_ms2": $variance}, "drain_s": 1.0, "probe_cpu_percent": 1.5}}
END
	cat >"$folder/prototap.json" <<END
{"schema": "thinprobe.prototap/1", "tool": "prototap", "version": "0.1.0", "settings": {},
 "result": {"channels": {"input": {"wire_bytes": $((KEYS * 180))}, "display": {"wire_bytes": $((KEYS * 420))},
  "total": {"wire_bytes": $((KEYS * 600))}},
  "updates": {"count": $updates, "merge_ms": 10.0, "other_merges": [{"merge_ms": 5.0,
   "count": $((updates + (MERGE * (sinks == 10) * 8)))}, {"merge_ms": 20.0, "count": $updates}],
   "depends_on_merge": $depends},
  "stalls": {"period_ms": 50.0, "mean_ms": $mean}, "capture": {"packets": $((KEYS * 6)), "dropped": 0, "truncated": 0,
   "malformed": 0}, "cpu_percent": 0.4}}
END
	cat >"$folder/cell.json" <<END
{"schema": "thinprobe.cell/1", "parameters": {"protocol": "$PROTOCOL", "app": "$app", "sinks": $sinks}, "repeat": $repeat,
 "series": "$series",
 "state": "complete", "reason": "", "foreign_percent": $foreign, "steal_percent": $steal, "server_busy_percent": $busy,
 "marked": "$marked", "probe_cpu_percent": 1.5, "capture_cpu_percent": 0.4, "regime": "session",
 "autogroup": {"session": "autogroup=/autogroup-$GROUP session=17 nice=0 policy=other cpus=0 cgroup=/",
  "app": "autogroup=/autogroup-$GROUP session=$((20 + repeat)) nice=0 policy=other cpus=0 cgroup=/", "sinks": "$load"},
  "cost_ms": $cost, "period_ms": 50}
END
}

mkdir -p "$out/cells"
stats=$out/stats
for app in $APPS; do
	for load in $LOADS; do
		for ((repeat = 1; repeat <= REPEATS; repeat++)); do
			folder=$out/cells/$app-$(printf %03d "$load")/$repeat
			train "$folder" "$app" "$load" "$repeat" latency
			[ "$SERIES" = 1 ] || train "$folder/stall" "$app" "$load" "$repeat" stall
			last=$load
		done
	done
done
rm "$stats"
if [ "$STATE" = interrupted ]; then
	for app in $APPS; do
		folder=$out/cells/$app-$(printf %03d "$last")
		rm "$folder/$REPEATS/cell.json"
		sed -i 's/"state": "complete", "reason": ""/"state": "failed", "reason": "the probe lost its connection"/' \
			"$folder/$((REPEATS - 1))/cell.json"
	done
fi
cat >"$out/run.json" <<END
{"schema": "thinprobe.run/1", "experiment": "stalls", "version": "0.1.0", "started": "2026-01-02T03:04:05Z",
 "ended": "2026-01-02T03:07:05Z",
 "state": "$STATE", "command": "thinprobe demo",
 "settings": {"protocol": "$PROTOCOL", "apps": ["${APPS// /\", \"}"], "loads": [$(echo "$LOADS" | tr ' ' ',')],
  "repeats": $REPEATS, "seconds": $((KEYS / 20)),
  "rate_per_s": 20, "schedule": "$([ "$SERIES" = 1 ] && echo jittered || echo jittered and periodic)",
   "series": ["latency"$([ "$SERIES" = 1 ] || echo ', "stall"')],
  "cost_ms": $COST, "cost_per": "redraw", "regime": "session", "seed": 1, "link": "$LINK",
   "quick": $([ "$SERIES" = 1 ] && echo true || echo false), "threshold_ms": 100},
 "protocol": {"server": "Xvnc", "version": "1.12.0", "says": "VNC (Xvnc 1.12, 60 frames/s)", "frame_rate_per_s": 60,
  "floor_ms": $FLOOR, "encodings": "tight", "encryption": "none"},
 "host": {"kernel": "6.1.0", "taken": "2026-01-02T03:04:06Z", "cpu": {"model": "a made-up machine", "count": 2,
  "governor": null}, "load": [0.5, 0.25, 0.1], "scheduler": {"autogroup": true}, "virtualisation": "kvm",
  "missing": {"netem": "the kernel has no sch_netem"}},
 "lab": {"cpus_server": "0", "cpus_client": "1", "rate": "$LINK", "shared_cpus": $SHARED, "rootless": true},
 "facts_after": {"kernel": "6.1.0", "taken": "2026-01-02T03:07:05Z", "cpu": {"model": "a made-up machine", "count": 2,
  "governor": null}, "load": [9.5, 4.25, 2.1], "scheduler": {"autogroup": false}, "virtualisation": "kvm"},
 "chain": {"latency_p50_ms": 0.061, "latency_p99_ms": 0.148, "latency_max_ms": 0.21, "lateness_p99_us": 31.5,
  "lateness_max_us": 60.2, "probe_cpu_percent": 1.2, "capture_cpu_percent": 0.3},
 "idle": {$([ "$APPS" != own ] || echo '"own": {"updates": 0, "seconds": 12}, ')"light": {"updates": 0, "seconds": 12},
  "heavy": {"updates": 2, "seconds": 12}},
 "cells": {"total": 24, "complete": 24, "failed": 0, "marked": $MARKED}}
END
