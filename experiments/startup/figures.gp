# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - start-up against pressure (start-used, start-left: a panel for each application, a curve for each swap device), what
# pressure adds beside its input and output alone (file-time), and e. Starts with files in memory; without any, those from disk.

apps = ""
kinds = ""
swaps = ""
used = ""
left = ""
with_e = 0
with_io = 0
measured = 'column("repeats") > 0 && filled("startup_ms")'
eval look("summary.tsv", measured . ' ? (apps = add(apps, strcol("app")), kinds = add(kinds, strcol("start")), 0) : 0')
start = place(kinds, "warm") ? "warm" : word(kinds, 1)
of(axis) = column("repeats") > 0 && filled("startup_ms") && strcol("start") eq start && strcol("axis") eq axis
eval look("summary.tsv", 'of("used") || of("left") ? (swaps = add(swaps, strcol("swap")), ' \
	. 'with_io = filled("t_io_ms") ? 1 : with_io, with_e = filled("e") ? 1 : with_e, ' \
	. 'used = of("used") ? add(used, strcol("step")) : used, left = of("left") ? add(left, strcol("step")) : left, 0) : 0')
n = words(apps)
swap_words(s) = s eq "file" ? "fast file" : s[1:5] eq "slow:" ? s[6:] . " a read" : s
axis_words(axis) = axis eq "used" ? "MB of the idle hog in swap" : "memory left, % of the application's at rest"
# Swap in use from 0 on; memory left by doublings, less to the right.
least_of(list) = words(list) == 1 ? real(list) : less(real(word(list, 1)), least_of(list[strlen(word(list, 1)) + 2:]))
most_of(list) = words(list) == 1 ? real(list) : more(real(word(list, 1)), most_of(list[strlen(word(list, 1)) + 2:]))
steps_axis(axis, steps) = (axis eq "left" \
	? sprintf('set logscale x; set xrange [%g:%g]; ', most_of(steps) * 1.15, least_of(steps) / 1.15) \
	: sprintf('set xrange [0:%g]; ', most_of(steps) * 1.05)) . tics_at("x", steps)
seconds = 'set logscale y; set ytics ("2 ms" 2, "5 ms" 5, "10 ms" 10, "20 ms" 20, "50 ms" 50, "0.1 s" 100, "0.2 s" 200, ' \
	. '"0.5 s" 500, "1 s" 1000, "2 s" 2000, "5 s" 5000, "10 s" 10000, "20 s" 20000, "50 s" 50000, "100 s" 100000)'
lowest = 'set xlabel (i + panel_across > n ? axis_words(axis) : ""); set ylabel "" '
says(s) = swap_words(word(swaps, s))
at(s) = of(axis) && strcol("app") eq word(apps, i) && strcol("swap") eq word(swaps, s) ? column("step") : NaN

# ---- start-up against pressure ----
# An interval of three repeats may reach far: a panel shows what was measured, and cuts it.
bounds = 't0 = NaN; most = NaN; least = NaN; unset logscale; ' . look("summary.tsv", \
	'strcol("app") eq word(apps, i) && (of(axis) || of("none")) ? (t0 = filled("t0_ms") ? column("t0_ms") : t0, ' \
	. 'most = more(most, column("startup_ms_max")), least = less(least, column("startup_ms_min")), 0) : 0')
do for [axis in "used left"] {
	steps = axis eq "used" ? used : left
	if (words(steps) > 0) {
		eval panels("start-" . axis, 130 + 250 * down(n, 2), across(n, 2), down(n, 2), 80, \
			"Start-up by " . (axis eq "used" ? "swap in use" : "memory left"))
		do for [i = 1:n] {
			eval bounds
			eval seconds
			eval steps_axis(axis, steps)
			set yrange [least * 0.7:most * 1.5]
			eval lowest
			eval panel(i, word(apps, i))
			eval 'plot t0 with lines linestyle dashed notitle' . curves(words(swaps), "startup_ms") \
				. ', for [s = 1:words(swaps)] data using (at(s)):(column("startup_ms_above") > 0 ? y("startup_ms") * 1.25 : NaN) ' \
				. 'with points pointtype 8 linecolor rgb colour(s) notitle' . threshold_across
		}
		eval legend_strip(3)
		plot for [s = 1:words(swaps)] NaN with linespoints pointtype shape(s) linecolor rgb colour(s) title "swap: " . says(s), \
			NaN with lines linestyle dashed title "without pressure (T0)", \
			NaN with lines linestyle dotted title sprintf("%g ms", threshold_ms), \
			NaN with points pointtype 8 linecolor rgb line_colour title "later than that"
	}
}

# ---- what pressure adds, beside its input and output alone ----
axis = words(used) > 0 ? "used" : "left"
steps = words(used) > 0 ? used : left
if (words(steps) > 0 && with_io) {
	eval panels("file-time", 130 + 250 * down(n, 2), across(n, 2), down(n, 2), 80, \
		"What pressure adds to start-up, beside its input and output alone")
	shown(c) = y(c) >= 2 ? y(c) : NaN
	do for [i = 1:n] {
		eval seconds
		eval steps_axis(axis, steps)
		set yrange [2:*]
		eval lowest
		eval panel(i, word(apps, i))
		plot 20 with lines linecolor rgb "#ffffff" linewidth 0.1 notitle, \
			for [s = 1:words(swaps)] data using (x_ = at(s)):(shown("added_ms")) with linespoints pointtype shape(s) \
				linecolor rgb colour(s) notitle, \
			for [s = 1:words(swaps)] data using (at(s)):(shown("t_io_ms")) with linespoints pointtype shape(s) pointsize 0.5 \
				dashtype 3 linecolor rgb colour(s) notitle, \
			for [s = 1:words(swaps)] data using (at(s)):(shown("file_ms")) with lines linewidth 0.7 linecolor rgb colour(s) notitle
	}
	eval legend_strip(3)
	plot for [s = 1:words(swaps)] NaN with points pointtype shape(s) linecolor rgb colour(s) title "swap: " . says(s), \
		NaN with lines linecolor rgb line_colour title "added by pressure", \
		NaN with lines dashtype 3 linecolor rgb line_colour title "T_{IO}", \
		NaN with lines linewidth 0.7 linecolor rgb line_colour title (axis eq "used" ? "to write a file of that size" : "")
}

# ---- e; beside a hog that goes on there is none ----
if (with_e) {
	axis = "used"
	eval panels("e", 430, 1, 1, 80, "e: what of the added time the device by itself does not explain")
	eval steps_axis(axis, used)
	set yrange [-2.1:1.05]
	set ytics 0.5
	set xlabel axis_words(axis)
	set ylabel "e (below -2 at the edge)" offset 1.2, 0
	eval panel(1, "")
	cut(v) = v < -2 ? -2.03 : v
	dash(s) = s > 1 ? 2 : 1
	plot 0 with lines linecolor rgb line_colour linewidth 0.8 notitle, \
		for [i = 1:n] for [s = 1:words(swaps)] data using (at(s)):(cut(y("e"))) \
			with linespoints pointtype shape(s) dashtype dash(s) linecolor rgb colour(i) notitle
	eval legend_strip(4)
	plot for [i = 1:n] NaN with lines linewidth 2 linecolor rgb colour(i) title word(apps, i), \
		for [s = 1:words(swaps)] NaN with linespoints pointtype shape(s) dashtype dash(s) linecolor rgb line_colour title says(s)
}
