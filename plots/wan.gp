# SPDX-License-Identifier: GPL-3.0-or-later
# wan.gp - the figures of experiments/wan.sh.
#
# gnuplot -c plots/wan.gp RUN [LIGHT [HEAVY [FLOOR_MS [THRESHOLD_MS]]]]
#   reads RUN/summary.tsv, slope.tsv; writes into RUN/figures (the folder must be there):
#   rtt.svg    p50 over the round trip time, one colour a protocol, with the line of its slope
#   loss.svg   p50, p90 and maximum over loss, a panel a protocol (where there is loss)

run = ARG1
threshold_ms = ARGC > 4 ? real(ARG5) : 100

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
slope = run . "/slope.tsv"
set datafile separator "\t"
set key autotitle columnheader
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
place(list, w) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)

protocols = ""
rtt_most = 1
loss_most = 0
top = 1
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (column("repeats") > 0 ? (protocols = place(protocols, strcol("protocol")) ? protocols : protocols . " " . strcol("protocol"), \
	rtt_most = column("rtt_ms") > rtt_most ? column("rtt_ms") : rtt_most, loss_most = column("loss_percent") > loss_most ? column("loss_percent") : loss_most, \
	top = filled("max_ms") && column("loss_percent") > 0 && column("max_ms") > top ? column("max_ms") : top) : 0, 0):(0) with points
n = words(protocols)
array rate[n + 1]
array start[n + 1]
do for [i = 1:n] { rate[i] = NaN; start[i] = NaN }
plot slope using (s = place(protocols, strcol("protocol")), s >= 1 && filled("slope") ? (rate[s] = column("slope"), start[s] = column("start_ms")) : 0, 0):(0) with points
unset table
set autoscale
unset xrange
unset yrange

colours = "#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000 #8c564b"
colour(i) = word(colours, 1 + (i - 1) % words(colours))
shape(i) = 4 + (i - 1) % 10

# ---- over the round trip ----
low = 70.0 + 22 * (n + 1)
height = 380 + low
set terminal svg size 760,height
set output run . "/figures/rtt.svg"
set bmargin at screen low / height
set key at screen 0.1, (low - 58) / height left top Left reverse vertical maxcols 1 width 2
set xrange [0:rtt_most * 1.04]
set yrange [0:*]
set xlabel "round trip time by ping, ms"
set ylabel "latency of a key, p50, ms"
set arrow 1 from 0, threshold_ms to rtt_most * 1.04, threshold_ms nohead dashtype 3 linecolor rgb mark_colour back
ping(d) = filled("ping_ms") ? column("ping_ms") : column("rtt_ms")
mine(i, c) = strcol("protocol") eq word(protocols, i) && column("loss_percent") == 0 && column("keys_per_s") == 0 && filled(c) ? column(c) : NaN
edge(i, e) = filled("p50_ms_" . e) ? mine(i, "p50_ms_" . e) : mine(i, "p50_ms")
title_of(i) = rate[i] == rate[i] ? sprintf("%s: %.2f round trips a key, from %.3g ms on", word(protocols, i), rate[i], start[i]) : word(protocols, i)
plot x with lines dashtype 2 linecolor rgb line_colour title "one round trip and nothing else", \
	for [i = 1:n] start[i] + rate[i] * x with lines linecolor rgb colour(i) notitle, \
	for [i = 1:n] summary using (ping(0)):(mine(i, "p50_ms")):(edge(i, "low")):(edge(i, "high")) with yerrorbars linecolor rgb colour(i) pointtype shape(i) title title_of(i) noenhanced
unset arrow 1
unset output

# ---- over loss ----
if (loss_most > 0) {
	across = n < 3 ? n : 3
	down = int((n + across - 1) / across)
	height = 60 + 250 * down
	set terminal svg size 760,height
	set output run . "/figures/loss.svg"
	set multiplot
	set logscale y
	set xrange [-0.06 * loss_most:loss_most * 1.06]
	set yrange [10:top * 1.4]
	set ytics ("10" 10, "30" 30, "100" 100, "300" 300, "1 s" 1000, "3 s" 3000, "10 s" 10000, "30 s" 30000)
	unset key
	loss_rtt = 0
	set table $unused2
	plot summary using (column("loss_percent") > 0 ? (loss_rtt = column("rtt_ms")) : 0, 0):(10) with points
	unset table
	of(i, c) = strcol("protocol") eq word(protocols, i) && column("rtt_ms") == loss_rtt && column("keys_per_s") == 0 && filled(c) ? column(c) : NaN
	do for [i = 1:n] {
		c = (i - 1) % across
		r = int((i - 1) / across)
		set lmargin at screen 0.09 + c * 0.91 / across
		set rmargin at screen 0.05 + (c + 1) * 0.91 / across
		set tmargin at screen 1 - (34.0 + 250 * r) / height
		set bmargin at screen 1 - (225.0 + 250 * r) / height
		set title word(protocols, i) noenhanced offset 0, -0.4
		if (c == 0) { set ylabel "latency, ms" } else { unset ylabel }
		set xlabel "loss each way, %" offset 0, 0.5
		plot summary using "loss_percent":(of(i, "max_ms")) with linespoints linecolor rgb mark_colour pointtype 9 notitle, \
			summary using "loss_percent":(of(i, "p90_ms")) with linespoints linecolor rgb heavy_colour pointtype 5 notitle, \
			summary using "loss_percent":(of(i, "p50_ms")) with linespoints linecolor rgb light_colour pointtype 7 notitle
	}
	unset title
	unset xlabel
	unset ylabel
	unset border
	unset tics
	unset grid
	unset logscale
	set xrange [0:1]
	set yrange [0:1]
	set lmargin at screen 0.02
	set rmargin at screen 0.98
	set tmargin at screen 30.0 / height
	set bmargin at screen 2.0 / height
	set key at screen 0.06, 24.0 / height left top Left reverse horizontal maxcols 3 samplen 2
	plot NaN with linespoints linecolor rgb light_colour pointtype 7 title "p50", NaN with linespoints linecolor rgb heavy_colour pointtype 5 title "p90", NaN with linespoints linecolor rgb mark_colour pointtype 9 title "maximum"
	unset multiplot
	unset output
}
