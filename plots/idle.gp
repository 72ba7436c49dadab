# SPDX-License-Identifier: GPL-3.0-or-later
# idle.gp - the figures of experiments/idle.sh.
#
# gnuplot -c plots/idle.gp RUN
#   reads RUN/summary.tsv, curve.tsv, utilisation.tsv, slope.tsv; writes into RUN/figures (the folder must be there):
#   utilisation.svg   share of the CPU over ten seconds, one panel a system
#   lost-time.svg     time lost to events no longer than x, one curve a system
#   per-session.svg   lost time over the number of sessions of one protocol

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
curve = run . "/curve.tsv"
utilisation = run . "/utilisation.tsv"
slope = run . "/slope.tsv"
set datafile separator "\t"
set key autotitle columnheader

# The systems that were measured, in the order of the table, as NAME=SESSIONS.
systems = ""
filled(c) = strlen(strcol(c)) > 0
id(x_) = strcol("system") . "=" . sprintf("%d", column("sessions"))
place(list, w) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)
longest = 0.01
most = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (strcol("state") eq "measured" ? (systems = systems . " " . id(0), longest = filled("longest_ms") && column("longest_ms") > longest ? column("longest_ms") : longest) : 0, 0):(0) with points
plot utilisation using (filled("all_percent") && column("all_percent") > most ? (most = column("all_percent")) : 0, 0):(0) with points
unset table
set autoscale
unset xrange
unset yrange
n = words(systems)
name(i) = (s = word(systems, i), e = strstrt(s, "="), s[1:e - 1])
sessions(i) = (s = word(systems, i), e = strstrt(s, "="), real(s[e + 1:*]))
label(i) = name(i) eq "none" ? "no session" : name(i) eq "desktop" ? "a desktop (xfce4)" : sessions(i) == 1 ? "one idle session, " . name(i) : sprintf("%d idle sessions, %s", sessions(i), name(i))
mine(i) = strcol("system") eq name(i) && column("sessions") == sessions(i)

# Colours: grey for the machine alone, the scale of loads for numbers of sessions of one protocol, others their own.
others = "#D55E00 #0072B2 #CC79A7 #E69F00 #56B4E9"
several = ""
alone = ""
do for [i = 1:n] {
	if (name(i) ne "none") {
		same = 0
		do for [k = 1:n] { same = same + (name(k) eq name(i)) }
		if (same > 1) { several = several . " " . word(systems, i) } else { alone = alone . " " . word(systems, i) }
	}
}
colour(i) = name(i) eq "none" ? mark_colour : place(several, word(systems, i)) ? load_colour(place(several, word(systems, i)) - 1, words(several)) : word(others, 1 + (place(alone, word(systems, i)) - 1) % 5)

# Utilisation: what was the system's, and grey above it what was not.
set output run . "/figures/utilisation.svg"
panel = 105
set terminal svg size 760,(n > 0 ? n : 1) * panel + 60
unset key
set lmargin 8
set multiplot layout (n > 0 ? n : 1), 1 margins 0.09, 0.98, 48.0 / ((n > 0 ? n : 1) * panel + 60), 1 - 26.0 / ((n > 0 ? n : 1) * panel + 60) spacing 0, 0.45 * panel / ((n > 0 ? n : 1) * panel + 60)
set xrange [0:10]
most = most > 100 ? 100 : most > 0 ? most : 1
set yrange [0:most < 100 ? most * 1.05 : 100]
set ytics most > 10 ? 10 * ceil(most / 25) : most > 1 ? ceil(most / 2.5) : 0.5
set xtics 1
set title offset 0, -0.8
do for [i = 1:n] {
	set title label(i) noenhanced
	if (i == n) { set xlabel "seconds" offset 0, 0.5; set format x "%g" } else { unset xlabel; set format x "" }
	if (i == int((n + 1) / 2.0)) { set ylabel "CPU in use, % of each 10 ms" } else { unset ylabel }
	plot utilisation using (mine(i) ? column("time_ms") / 1000 : NaN):(column("all_percent")) with impulses linewidth 0.7 linecolor rgb "#bbbbbb" notitle, \
		utilisation using (mine(i) ? column("time_ms") / 1000 : NaN):(column("lost_percent")) with impulses linewidth 0.7 linecolor rgb light_colour notitle
}
unset multiplot
unset xlabel
unset xtics
unset ytics
set xtics nomirror out scale 0.6 autofreq
set ytics nomirror out scale 0.6 autofreq
set format x
unset lmargin

# Lost time by length of event.
set output run . "/figures/lost-time.svg"
set terminal svg size 760,380 + 22 * ceil(n / 2.0)
set bmargin at screen (75.0 + 22 * ceil(n / 2.0)) / (380 + 22 * ceil(n / 2.0))
set title "" offset 0, 0.3
set key at screen 0.1, (15.0 + 22 * ceil(n / 2.0)) / (380 + 22 * ceil(n / 2.0)) left top Left reverse vertical maxrows ceil(n / 2.0) width 2
set logscale x
set xrange [0.005:longest > 1 ? 10 ** ceil(log10(longest * 1.05)) : 1]
set yrange [0:*]
set xlabel "length of the event, ms" offset 0, 0.3
set ylabel "lost to events no longer than that, ms a minute"
plot for [i = 1:n] curve using (mine(i) ? column("upto_ms") : NaN):(column("lost_ms_per_min")) with steps linewidth (name(i) eq "none" ? 2.5 : 1.5) linecolor rgb colour(i) title label(i) noenhanced
unset logscale x

# One more session: points with their intervals, and the line of the slope through the machine without one.
protocol = ""
rate = NaN
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot slope using (strcol("what") eq "system" ? (protocol = strcol("system"), rate = column("slope_ms_per_min")) : 0, 0):(0) with points
unset table
if (protocol ne "") {
	set output run . "/figures/per-session.svg"
	set terminal svg size 760,390
	set bmargin at screen 0.28
	set key at screen 0.1, 0.125 left top Left reverse vertical maxrows 2 width 2
	at(c) = (strcol("system") eq protocol || column("sessions") == 0) && filled("lost_ms_per_min") ? column(c) : NaN
	fewest = 0
	top = 0
	mean_x = 0
	mean_y = 0
	points_ = 0
	set table $unused
	plot summary using (at("sessions") == at("sessions") ? (top = at("sessions") > top ? at("sessions") : top, mean_x = mean_x + at("sessions"), mean_y = mean_y + at("lost_ms_per_min"), points_ = points_ + 1) : 0, 0):(0) with points
	unset table
	mean_x = points_ > 0 ? mean_x / points_ : 0
	mean_y = points_ > 0 ? mean_y / points_ : 0
	set xrange [-0.02 * top:top * 1.04 + 0.1]
	set yrange [0:*]
	if (top <= 12) { set xtics 1 }	# there is no half a session
	set xlabel "idle sessions of " . protocol
	set ylabel "lost time, ms a minute"
	plot mean_y + rate * (x - mean_x) with lines linecolor rgb line_colour dashtype 3 title sprintf("%.3g ms a minute for each session", rate), \
		summary using (at("sessions")):(at("lost_ms_per_min")):(filled("lost_ms_per_min_low") ? column("lost_ms_per_min_low") : at("lost_ms_per_min")):(filled("lost_ms_per_min_high") ? column("lost_ms_per_min_high") : at("lost_ms_per_min")) \
			with yerrorbars linecolor rgb light_colour pointtype 7 title "lab's processes, kernel and interrupts", \
		summary using (at("sessions")):(filled("own_ms_per_min") ? at("own_ms_per_min") : NaN) with points linecolor rgb heavy_colour pointtype 5 title "of it the lab's processes"
}
