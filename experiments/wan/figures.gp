# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - latency of a key over a long link: rtt (with each protocol's line) and loss (a panel for each protocol).

protocols = ""
rtt_most = top = 1
loss_most = loss_rtt = 0
eval look("summary.tsv", 'column("repeats") > 0 ? (protocols = add(protocols, strcol("protocol")), ' \
	. 'rtt_most = more(rtt_most, more(y("rtt_ms"), y("ping_ms"))), ' \
	. 'loss_most = more(loss_most, y("loss_percent")), loss_rtt = y("loss_percent") > 0 ? y("rtt_ms") : loss_rtt, ' \
	. 'top = y("loss_percent") > 0 && filled("max_ms") ? more(top, y("max_ms")) : top) : 0')
n = words(protocols)
array rate[n + 1]
array start[n + 1]
array ends_of[n + 1]
do for [i = 1:n + 1] { rate[i] = NaN; start[i] = NaN; ends_of[i] = "" }
eval look("slope.tsv", 's = place(protocols, strcol("protocol")), ' \
	. 's >= 1 && filled("slope") && y("slope_low") > 0 ? (rate[s] = y("slope"), start[s] = y("start_ms"), ' \
	. 'ends_of[s] = sprintf("%.2f to %.2f", y("slope_low"), y("slope_high"))) : 0')

# ---- median over the round trip, with each protocol's line ----
eval figure("rtt", 410 + 24 * (n + 1), "Response time of a key over the round trip time of the link", n + 1)
eval x_axis("0:rtt_most * 1.04", "round trip time by ping, ms") . y_axis("0:*", "median response time, ms")
ping(d) = filled("ping_ms") ? y("ping_ms") : y("rtt_ms")
at(i) = strcol("protocol") eq word(protocols, i) && column("loss_percent") == 0 && column("keys_per_s") == 0 ? ping(0) : NaN
says(i) = known(rate[i]) ? sprintf("%s: %.2f (%s) round trips a key, from %.3g ms on", word(protocols, i), rate[i], \
	ends_of[i], start[i]) : word(protocols, i)
label(i) = word(protocols, i)
eval 'plot x with lines linestyle dashed title "one round trip and nothing else", for [i = 1:n] ' \
	. 'start[i] + rate[i] * x with lines linecolor rgb colour(i) notitle' . dots(n, "p50_ms", "shape(i)") . threshold_across

# ---- median, 90 % and largest over loss ----
if (loss_most > 0) {
	eval panels("loss", 90 + 250 * down(n, 3), across(n, 3), down(n, 3), 36, \
		sprintf("Response time of a key over packet loss, round trip %g ms", loss_rtt))
	set datafile missing NaN
	set logscale y
	set xrange [-0.06 * loss_most:loss_most * 1.06]
	set yrange [10:top * 1.4]
	least_drawn = 10
	set ytics ("10" 10, "30" 30, "100" 100, "300" 300, "1 s" 1000, "3 s" 3000, "10 s" 10000, "30 s" 30000)
	set xlabel "loss each way, %" offset 0, 0.5
	at(i) = strcol("protocol") eq word(protocols, i) && column("rtt_ms") == loss_rtt && column("keys_per_s") == 0 \
		? column("loss_percent") : NaN
	do for [i = 1:n] {
		set ylabel "response time, ms"
		eval panel(i, word(protocols, i))
		eval "plot " . line_of('at(i)', "max_ms", 3, mark_colour, "largest") . ", " \
			. line_of('at(i)', "p90_ms", 2, heavy_colour, "90 %") . ", " . curve_of('at(i)', "p50_ms", 1, \
				light_colour, "median")
	}
	eval legend_strip(3)
	plot NaN with linespoints linestyle light title "median", \
		NaN with linespoints linestyle heavy title "90 %", \
		NaN with linespoints linecolor rgb mark_colour pointtype 9 title "largest"
}
