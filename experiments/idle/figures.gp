# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - CPU time that idle sessions take: utilisation, lost-time, per-session.

# The systems that were measured, in the order of the table, as NAME=SESSIONS.
systems = ""
longest = 1
busiest = 0
id(x_) = strcol("system") . "=" . sprintf("%d", column("sessions"))
eval look("summary.tsv", 'column("repeats") > 0 ? (systems = add(systems, id(0)), longest = more(longest, y("longest_ms"))) : 0')
eval look("utilisation.tsv", 'busiest = more(busiest, y("all_percent"))')
protocol = ""
rate = NaN
eval look("slope.tsv", 'strcol("what") eq "system" ? (protocol = strcol("system"), rate = y("slope_ms_per_min")) : 0')
n = words(systems)
most = 0
sum_x = 0
sum_y = 0
points_ = 0
of(x_) = (strcol("system") eq protocol || column("sessions") == 0) && filled("lost_ms_per_min") ? column("sessions") : NaN
eval look("summary.tsv", 'known(of(0)) ? (most = more(most, of(0)), sum_x = sum_x + of(0), ' \
	. 'sum_y = sum_y + y("lost_ms_per_min"), points_ = points_ + 1) : 0')
cut(s) = strstrt(s, "=")
name(i) = (s = word(systems, i), s[1:cut(s) - 1])
sessions(i) = (s = word(systems, i), real(s[cut(s) + 1:*]))
label(i) = name(i) eq "none" ? "no session" : name(i) eq "desktop" ? "a desktop (xfce4)" \
	: sessions(i) == 1 ? "one idle session, " . name(i) : sprintf("%d idle sessions, %s", sessions(i), name(i))
mine(i) = strcol("system") eq name(i) && column("sessions") == sessions(i)

# Colours: grey for the machine alone, the scale of loads for the numbers of sessions of a protocol, one each for other systems.
several = ""
alone = ""
same(i) = sum [k = 1:n] (name(k) eq name(i) ? 1 : 0)
do for [i = 1:n] {
	if (same(i) > 1) { several = add(several, word(systems, i)) }
	if (same(i) == 1 && name(i) ne "none") { alone = add(alone, word(systems, i)) }
}
colour_of(i) = name(i) eq "none" ? mark_colour : place(several, word(systems, i)) \
	? load_colour(place(several, word(systems, i)) - 1, words(several)) : colour(1 + place(alone, word(systems, i)))

eval panels("utilisation", 120 * n + 140, 1, n > 0 ? n : 1, 50, "CPU in use over ten seconds")
busiest = busiest > 100 ? 100 : busiest > 0 ? busiest : 1
set xrange [0:10]
set yrange [0:busiest < 100 ? busiest * 1.05 : 100]
set xtics 1
step = busiest > 10 ? 10 * ceil(busiest / 25) : busiest > 1 ? ceil(busiest / 2.5) : 0.5
set ytics step
do for [i = 1:n] {
	set ylabel "% of 10 ms"
	eval panel(i, label(i))
	eval inside(panel_left(1), panel_left(1) + panel_wide(0), 1 - (70.0 + (i - 1) * 120) / figure_height, \
		1 - (32.0 + i * 120) / figure_height)
	set format x (i == n ? "%g" : "")
	set xlabel (i == n ? "seconds" : "")
	at(c) = mine(i) ? y(c) : NaN
	plot "utilisation.tsv" using (at("time_ms") / 1000):(at("all_percent")) with impulses linewidth 0.7 \
			linecolor rgb "#bbbbbb" notitle, \
		"utilisation.tsv" using (at("time_ms") / 1000):(at("lost_percent")) with impulses linewidth 0.7 linecolor rgb light_colour notitle
}
eval legend_strip(1)
plot NaN with lines linestyle light linewidth 5 title "lab's processes, kernel, interrupts", \
	NaN with lines linewidth 5 linecolor rgb "#bbbbbb" title "everything else"

eval figure("lost-time", 400 + 22 * n, "Lost CPU time by length of event", n)
eval x_axis("0.005:10 ** ceil(log10(longest * 1.05))", "length of the event, ms")
eval y_axis("0:*", "lost to events no longer than that, ms/min")
set logscale x
plot for [i = 1:n] "curve.tsv" using (mine(i) ? y("upto_ms") : NaN):(y("lost_ms_per_min")) with steps \
	linewidth (name(i) eq "none" ? 2.5 : 1.5) linecolor rgb colour_of(i) title label(i) noenhanced

# One more session: points with their intervals, and the line of the slope through their centre.
if (protocol ne "" && known(rate)) {
	eval figure("per-session", 420, "Lost CPU time by number of idle sessions", 3)
	eval x_axis("-0.02 * most:most * 1.04 + 0.1", "idle sessions of " . protocol) . y_axis("0:*", "lost time, ms/min")
	if (most <= 12) { set xtics 1 }	# whole sessions only
	line_at(x) = sum_y / points_ + rate * (x - sum_x / points_)
	points_of(c, i, colour, title) = bars('of(0)', c, colour) . sprintf(', data using (x_ = of(0)):(there("%s")) with points ' \
		. 'pointtype %d linecolor rgb "%s" title "%s", ', c, shape(i), colour, title) . hovers("hover_ends", 'of(0)', c, \
			i, colour, title)
	eval 'plot line_at(x) with lines linecolor rgb line_colour dashtype 3 title sprintf("%.3g ms a minute for each session", rate), ' \
		. points_of("lost_ms_per_min", 1, light_colour, "lab's processes, kernel and interrupts") . ", " \
		. points_of("own_ms_per_min", 2, heavy_colour, "of it the lab's processes")
}
