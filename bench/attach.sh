#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# attach.sh - does watching a rectangle of a client's window tell the same latency as the patch
# does? Both watchers in turn, on one session: refecho in Xvnc (60 frames/s), shown by vncviewer on
# an Xvfb of the client's host.
#
# usage: bench/attach.sh [--quick] [--rounds N]     (8 pairs of 5 s each, at most 30; quick: 3 pairs of 2 s)
# Printed: p50 and mean of each train, then the least and the most that the paired difference
# (rectangle - patch) can be with its 95 % interval (Student t over the pairs), and whether the
# interval lies within 2 ms. The rectangle is the one that keyrepeat finds by typing.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../lab/lib.sh" || exit 1
. "$TP_HOME/bench/lib.sh" || exit 1

bench_begin attach "$@"
seconds=5
[ "$BENCH_QUICK" = 0 ] || seconds=2
pairs=$(rounds 8 3)
[ "$pairs" -ge 3 ] && [ "$pairs" -le 30 ] || die "-$EXIT_USAGE" "--rounds $pairs: 3 to 30 pairs"
need vncviewer tigervnc-viewer
need Xvfb xvfb
need xdotool xdotool
need jq jq
export LAB_RUN=$BENCH_WORK LAB_LOG=$BENCH_WORK LAB_RATE=100Mbit
lab_use local
protocol_use vnc
app_use refecho
APP_COST=1ms
lab_up
must protocol_start bench
must app_start "$PROTOCOL_DISPLAY"
lab_start client xvfb Xvfb :90 -screen 0 1280x1024x24 -ac -noreset -nolisten tcp
lab_exec client timeout 20 sh -c 'until DISPLAY=:90 timeout 5 xset q; do sleep 0.05; done' >/dev/null 2>&1 ||
	die "Xvfb does not start: $(tail -n 1 "$LAB_LOG/xvfb.err")"
# no greeting that comes and goes; RemoteResize would change the session
lab_start client viewer env DISPLAY=:90 vncviewer -Shared -RemoteResize=0 "$(vnc_no_greeting)" \
	-SecurityTypes=None "$LAB_ADDR_server::$PROTOCOL_PORT"
window=$(lab_exec client timeout 20 sh -c '
	until w=$(DISPLAY=:90 xdotool search --onlyvisible --name TigerVNC | head -n 1) && [ -n "$w" ]; do sleep 0.05; done
	echo "$w"') ||
	die "vncviewer shows no window: $(tail -n 1 "$LAB_LOG/viewer.err")"

train() {	# train NAME OPTION...: leaves NAME.json
	local name=$1
	shift
	lab_exec -R client "$TP_BIN/keyrepeat" x11::90 --window "$window" -t "${seconds}s" --schedule jittered --priority 20 "$@" \
		--format json >"$LAB_RUN/$name.json" 2>"$LAB_RUN/$name.err" || die "$name: $(tail -n 1 "$LAB_RUN/$name.err")"
}

seed=0
train find --rate 5 --watch update --region auto
region=$(jq -r .settings.region "$LAB_RUN/find.json")
printf 'rectangle %s of the window, %s\n' "$region" "$(jq -r '.settings.server' "$LAB_RUN/find.json")"
printf '%4s %18s %18s %18s %18s  %s\n' pair patch_p50 rect_p50 patch_mean rect_mean 'rectangle paired by'
for ((i = 1; i <= pairs; i++)); do
	# Each watcher is first in half of the pairs, and both get the same keys. But where answers are slow, the rectangle's keys
	# come further apart while those of the patch queue: that compares nothing.
	seed=$((seed + 1))
	order=(patch rectangle)
	[ $((i % 2)) = 1 ] || order=(rectangle patch)
	for who in "${order[@]}"; do
		if [ "$who" = patch ]; then
			train patch --seed "$seed" --watch patch
		else
			train rectangle --seed "$seed" --watch update --region "$region"
		fi
	done
	# both ends of each figure: a late end that is not known is "-"
	jq -rn --slurpfile p "$LAB_RUN/patch.json" --slurpfile r "$LAB_RUN/rectangle.json" --arg i "$i" '
		def ends($name): .result.latency_from_due_ms | .[$name] as $one
			| ($one // .range[$name].from // .above[$name] // "-"), ($one // .range[$name].to // "-");
		[$i, ($p[0], $r[0] | ends("p50")), ($p[0], $r[0] | ends("mean")), ($r[0].result | .pairing
		+ (if .keys_exact < .latency_from_due_ms.n then ", \(.keys_exact) of \(.latency_from_due_ms.n) exact" else "" end)
		+ (if .keys_held > 0 then ", \(.keys_held) waited" else "" end)
		+ (if .key_period_ms > $r[0].settings.period_ms then ", a key each \(.key_period_ms) ms" else "" end)),
		if $r[0].result.key_period_ms > $r[0].settings.period_ms then 1 else 0 end] | @tsv' |
		tee -a "$LAB_RUN/rows" | awk -F'\t' 'function ends(i) { return $i == $(i + 1) ? $i : $i " to " $(i + 1) }
			{ printf "%4s %18s %18s %18s %18s  %s\n", $1, ends(2), ends(4), ends(6), ends(8), $10 }'
done
awk -F'\t' '
	BEGIN {
		split("12.706 4.303 3.182 2.776 2.571 2.447 2.365 2.306 2.262 2.228 " \
			"2.201 2.179 2.160 2.145 2.131 2.120 2.110 2.101 2.093 2.086 " \
			"2.080 2.074 2.069 2.064 2.060 2.056 2.052 2.048 2.045", t, " ")
	}
	# the least and the most that the difference can be
	{ for (k = 1; k <= 2; k++) {
		open[k] += $11 || $(4 * k - 1) == "-" || $(4 * k + 1) == "-"
		d[k, 1, NR] = $(4 * k) - $(4 * k - 1); d[k, 2, NR] = $(4 * k + 1) - $(4 * k - 2)
	} }
	END {
		for (k = 1; k <= 2; k++) {
			name = k == 1 ? "p50 " : "mean"
			if (open[k]) {
				printf "%s: cannot tell: other keys, or an end not known, in %d of %d pairs\n", name, open[k], NR
				bad++
				continue
			}
			for (end = 1; end <= 2; end++) {
				sum = 0; for (i = 1; i <= NR; i++) sum += d[k, end, i]; mean[end] = sum / NR
				q = 0; for (i = 1; i <= NR; i++) q += (d[k, end, i] - mean[end]) ^ 2
				half[end] = t[NR - 1] * sqrt(q / (NR - 1) / NR)
			}
			low = mean[1] - half[1]; high = mean[2] + half[2]
			within = low > -2 && high < 2
			printf "%s: rectangle - patch = %+.3f to %+.3f ms (95 %%: %+.3f to %+.3f, %d pairs): %s\n", name,
				mean[1], mean[2], low, high, NR,
				within ? "within 2 ms" : (low < 2 && high > -2) ? "cannot tell" : "NOT within 2 ms"
			bad += !within
		}
		exit bad > 0
	}' "$LAB_RUN/rows"
BENCH_STATUS=$?
lab_down
bench_end
