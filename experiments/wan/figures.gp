# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - latency of a key over a long link: rtt (with the line of each slope) and loss (a panel a protocol).

protocols = ""
rtt_most = 1
loss_most = 0
loss_rtt = 0
top = 1
eval look("summary.tsv", 'column("repeats") > 0 ? (protocols = add(protocols, strcol("protocol")), ' \
	. 'rtt_most = more(rtt_most, y("rtt_ms")), ' \
	. 'loss_most = more(loss_most, y("loss_percent")), loss_rtt = y("loss_percent") > 0 ? y("rtt_ms") : loss_rtt, ' \
	. 'top = y("loss_percent") > 0 && filled("max_ms") ? more(top, y("max_ms")) : top) : 0')
n = words(protocols)
array rate[n + 1]
array start[n + 1]
do for [i = 1:n + 1] { rate[i] = NaN; start[i] = NaN }
eval look("slope.tsv", 's = place(protocols, strcol("protocol")), ' \
	. 's >= 1 && filled("slope") ? (rate[s] = y("slope"), start[s] = y("start_ms")) : 0')

# ---- median over the round trip, with each protocol's line ----
eval figure("rtt", 410 + 24 * (n + 1), "Response time of a key over the round trip time of the link")
eval legend_lines(n + 1)
set xrange [0:rtt_most * 1.04]
set yrange [0:*]
set xlabel "round trip time by ping, ms"
set ylabel "median response time, ms"
eval threshold_across
ping(d) = filled("ping_ms") ? y("ping_ms") : y("rtt_ms")
lone(i) = strcol("protocol") eq word(protocols, i) && column("loss_percent") == 0 && column("keys_per_s") == 0 ? ping(0) : NaN
says(i) = known(rate[i]) ? sprintf("%s: %.2f round trips a key, from %.3g ms on", word(protocols, i), rate[i], \
	start[i]) : word(protocols, i)
plot x with lines dashtype 2 linecolor rgb line_colour title "one round trip and nothing else", \
	for [i = 1:n] start[i] + rate[i] * x with lines linecolor rgb colour(i) notitle, \
	for [i = 1:n] data using (x_ = lone(i)):(there("p50_ms")):(there_low("p50_ms")):(there_high("p50_ms")) with yerrorbars \
		linecolor rgb colour(i) pointtype shape(i) title says(i) noenhanced, \
	for [i = 1:n] data using (x_ = lone(i)):(there("p50_ms")):(hover_ends("p50_ms", word(protocols, i))) with labels hypertext \
		point pointtype shape(i) linecolor rgb colour(i) notitle

# ---- median, 90 % and largest over loss ----
if (loss_most > 0) {
	across = n < 3 ? n : 3
	down = int((n + across - 1) / across)
	eval figure("loss", 90 + 250 * down, "")
	eval panels(across, down, 36, sprintf("Response time of a key over packet loss, round trip %g ms", loss_rtt))
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
		eval "plot " . line_of('at(i)', "max_ms", 3, mark_colour, "largest") . ", " . line_of('at(i)', "p90_ms", 2, heavy_colour, \
			"90 %") \
			. ", " . curve_of('at(i)', "p50_ms", 1, light_colour, "median")
	}
	eval legend_strip(3)
	plot NaN with linespoints linecolor rgb light_colour pointtype 7 title "median", \
		NaN with linespoints linecolor rgb heavy_colour pointtype 5 title "90 %", \
		NaN with linespoints linecolor rgb mark_colour pointtype 9 title "largest"
	unset multiplot
}
unset output
