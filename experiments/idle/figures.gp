# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - CPU time that idle sessions take: utilisation, ticks, lost-time, per-session.

# The systems that were measured, in the order of the table, as NAME=SESSIONS.
systems = ""
longest = 1
busiest = 0
id(x_) = strcol("system") . "=" . sprintf("%d", column("sessions"))
eval look("summary.tsv", 'column("repeats") > 0 ? (systems = add(systems, id(0)), longest = more(longest, y("longest_ms"))) : 0')
eval look("utilisation.tsv", 'busiest = more(busiest, y("all_percent"))')
n = words(systems)
cut(s) = strstrt(s, "=")
name(i) = (s = word(systems, i), s[1:cut(s) - 1])
sessions(i) = (s = word(systems, i), real(s[cut(s) + 1:*]))
said(s) = bare(s) eq "none" ? "no session" : bare(s) eq "desktop" ? "a desktop (xfce4)" : ""
label(i) = (strlen(said(name(i))) ? said(name(i)) : sessions(i) == 1 ? "one idle session, " . bare(name(i)) \
	: sprintf("%d idle sessions, %s", sessions(i), bare(name(i)))) . of_run(name(i))
mine(i) = strcol("system") eq name(i) && column("sessions") == sessions(i)

# Colours: grey for the machine alone, the scale of loads for the numbers of sessions of a protocol, one each for other systems.
# Each of several runs has its dashes.
several = alone = runs = ""
same(i) = sum [k = 1:n] (name(k) eq name(i) ? 1 : 0)
kind(i) = bare(name(i)) . sprintf("=%d", sessions(i))
do for [i = 1:n] {
	runs = add(runs, run_of(name(i)) . "/")
	if (same(i) > 1) { several = add(several, kind(i)) }
	if (same(i) == 1 && bare(name(i)) ne "none") { alone = add(alone, kind(i)) }
}
colour_of(i) = bare(name(i)) eq "none" ? mark_colour : place(several, kind(i)) \
	? load_colour(place(several, kind(i)) - 1, words(several)) : colour(1 + place(alone, kind(i)))
dash_of(i) = place(runs, run_of(name(i)) . "/")
if (words(runs) > 1) {	# the same of all runs stands together
	kinds = ""
	do for [i = 1:n] { kinds = add(kinds, kind(i)) }
	all = systems
	systems = ""
	do for [k in kinds] { do for [s in all] { if (bare(s[1:cut(s) - 1]) . s[cut(s):*] eq k) { systems = add(systems, s) } } }
}

# A panel for each system: what was lost in each bin, one above the other: ticks, the lab's and the kernel's, everything else.
with_ticks = has_table("ticks.tsv")	# kept tables of an older version have none
tick(d) = with_ticks && filled("tick_percent") ? column("tick_percent") : 0
timeline(name, title) = panels(name, 120 * n + 164, 1, n > 0 ? n : 1, 74, title)
timeline_panel(i, unit) = panel(i, label(i)) . inside(panel_left(1), panel_left(1) + panel_wide(0), \
	1 - (70.0 + (i - 1) * 120) / figure_height, 1 - (32.0 + i * 120) / figure_height) \
	. sprintf('set format x "%s"; set xlabel "%s"', i == n ? "%g" : "", i == n ? unit : "")
half_pixel = 0
seen(percent) = percent < half_pixel ? NaN : percent	# (thousands of bins with next to nothing)
layer(table, scale, c, colour) = sprintf('"%s.tsv" using (mine(i) ? y("time_ms") / %g : NaN):(seen(%s + tick(0))) ', table, \
	scale, c) . sprintf('with impulses linewidth line_wide linecolor rgb "%s" notitle, ', colour)
layers(table, scale) = layer(table, scale, 'y("all_percent")', "#bbbbbb") . layer(table, scale, 'y("lost_percent")', light_colour) \
	. layer(table, scale, "0", heavy_colour) . "NaN notitle"
layers_legend = 'eval legend_strip(1); ' \
	. 'plot NaN with lines linestyle light linewidth 5 title "lab''s processes, kernel, interrupts", ' \
	. 'NaN with lines linewidth 5 linecolor rgb "#bbbbbb" title "everything else", ' \
	. 'NaN with lines linestyle heavy linewidth 5 title (with_ticks ? "timer ticks" : "")'

eval timeline("utilisation", "CPU in use over ten seconds")
busiest = busiest > 100 ? 100 : busiest > 0 ? busiest : 1
set xrange [0:10]
set yrange [0:busiest < 100 ? busiest * 1.05 : 100]
set xtics 1
half_pixel = busiest / 150.0
step = busiest > 10 ? 10 * ceil(busiest / 25) : busiest > 1 ? ceil(busiest / 2.5) : 0.5
set ytics step
line_wide = 0.7
do for [i = 1:n] {
	set ylabel "% of 10 ms"
	eval timeline_panel(i, "seconds")
	eval "plot " . layers("utilisation", 1000)
}
eval layers_legend

if (with_ticks) {
	eval timeline("ticks", "CPU in use over a tenth of a second")
	set xrange [-0.5:100]
	set logscale y
	set yrange [0.1:100]
	set xtics 10
	set ytics ("0.1" 0.1, "1" 1, "10" 10, "100" 100)
	line_wide = 3
	half_pixel = 0
	do for [i = 1:n] {
		set ylabel "% of 1 ms"
		eval timeline_panel(i, "milliseconds")
		eval "plot " . layers("ticks", 1)
	}
	eval layers_legend
}

eval figure("lost-time", 400 + 22 * n, "Lost CPU time by length of event", n)
eval x_axis("0.005:10 ** ceil(log10(longest * 1.05))", "length of the event, ms")
eval y_axis("0:*", "lost to events no longer than that, ms/min")
set logscale x
plot for [i = 1:n] "curve.tsv" using (mine(i) ? y("upto_ms") : NaN):(y("lost_ms_per_min")) with steps \
	linewidth (bare(name(i)) eq "none" ? 2.5 : 1.5) linecolor rgb colour_of(i) dashtype dash_of(i) title label(i) noenhanced

# One more session: points with their intervals, and the line of the slope through their centre; a colour for each of several runs.
slopes = ""
unset logscale
eval look("slope.tsv", 'strcol("what") eq "system" && filled("slope_ms_per_min") ? (slopes = add(slopes, strcol("system"))) : 0')
m = words(slopes)
if (m > 0) {
	array rate[m]
	array sum_x[m]
	array sum_y[m]
	array points_[m]
	most = 0
	mine(k) = strcol("system") eq word(slopes, k) \
		|| column("sessions") == 0 && run_of(strcol("system")) eq run_of(word(slopes, k))
	of(k) = mine(k) && filled("lost_ms_per_min") ? column("sessions") : NaN
	do for [k = 1:m] {
		rate[k] = NaN; sum_x[k] = 0; sum_y[k] = 0; points_[k] = 0
		eval look("slope.tsv", 'strcol("what") eq "system" && strcol("system") eq word(slopes, k) ' \
			. '? (rate[k] = y("slope_ms_per_min")) : 0')
		eval look("summary.tsv", 'known(of(k)) ? (most = more(most, of(k)), sum_x[k] = sum_x[k] + of(k), ' \
			. 'sum_y[k] = sum_y[k] + y("lost_ms_per_min"), points_[k] = points_[k] + 1) : 0')
	}
	eval figure("per-session", 420 + 30 * (m - 1), "Lost CPU time by number of idle sessions", 3 * m)
	eval x_axis("-0.02 * most:most * 1.04 + 0.1", "idle sessions of " . bare(word(slopes, 1))) . y_axis("0:*", "lost time, ms/min")
	if (most <= 12) { set xtics 1 }	# whole sessions only
	line_at(k, x) = sum_y[k] / points_[k] + rate[k] * (x - sum_x[k] / points_[k])
	points_of(k, c, i, colour, title) = (at_ = sprintf('of(%d)', k), bars(at_, c, colour) \
		. sprintf(', data using (x_ = %s):(there("%s")) with points pointtype %d linecolor rgb "%s" title "%s", ', \
			at_, c, shape(i), colour, title) . hovers("hover_ends", at_, c, i, colour, title) . ", ")
	points_here = ""
	do for [k = 1:m] {
		points_here = points_here . points_of(k, "lost_ms_per_min", 1, colour(k), \
			"lab's processes, kernel and interrupts" . of_run(word(slopes, k))) \
			. points_of(k, "own_ms_per_min", 2, m > 1 ? colour(k) : heavy_colour, \
			"of it the lab's processes" . of_run(word(slopes, k)))
	}
	eval "plot " . points_here . 'for [k = 1:m] line_at(k, x) with lines linecolor rgb (m > 1 ? colour(k) : line_colour) dashtype 3 ' \
		. 'title sprintf("%.3g ms a minute for each session", rate[k]) . of_run(word(slopes, k)) noenhanced'
}
