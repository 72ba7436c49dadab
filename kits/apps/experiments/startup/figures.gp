# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - start-up against pressure (start-used, start-left: a panel for each application, a curve for each swap device;
# start-loads, start-reads: CPU hogs, and other readers of the disk), what memory pressure adds beside its input and output
# alone (file-time), e, and the menus as trees. Starts with files in memory, those from a disk that others read from apart; without
# any, those from disk.

apps = kinds = swaps = nones = steps_used = steps_left = steps_loads = steps_reads = ""
with_e = with_io = 0
measured = 'column("repeats") > 0 && filled("startup_ms")'
eval look("summary.tsv", measured . ' ? (apps = add(apps, strcol("app")), ' \
	. 'kinds = strcol("axis") eq "reads" ? kinds : add(kinds, strcol("start")), 0) : 0')
start = place(kinds, "warm") || !words(kinds) ? "warm" : word(kinds, 1)
start_of(axis) = axis eq "reads" ? "cold" : start
of(axis) = column("repeats") > 0 && filled("startup_ms") && strcol("start") eq start_of(axis) && strcol("axis") eq axis
eval look("summary.tsv", 'of("used") || of("left") ? (swaps = add(swaps, strcol("swap")), ' \
	. 'with_io = filled("t_io_ms") ? 1 : with_io, with_e = filled("e") ? 1 : with_e, 0) : 0, ' \
	. 'steps_used = of("used") ? add(steps_used, strcol("step")) : steps_used, ' \
	. 'steps_left = of("left") ? add(steps_left, strcol("step")) : steps_left, ' \
	. 'steps_loads = of("loads") ? add(steps_loads, strcol("step")) : steps_loads, ' \
	. 'steps_reads = of("reads") ? add(steps_reads, strcol("step")) : steps_reads')
steps_of(axis) = value("steps_" . axis)
eval look("summary.tsv", 'of("loads") || of("reads") ? (nones = add(nones, strcol("swap")), 0) : 0')
series_of(axis) = axis eq "used" || axis eq "left" ? swaps : nones	# a curve for each
device(s) = s eq "file" ? "fast file" : s[1:5] eq "slow:" ? s[6:] . " a read" : s
swap_words(s) = device(bare(s)) . of_run(s)
says(s) = bare(word(series, s)) eq "none" ? "start-up" . of_run(word(series, s)) : "swap: " . swap_words(word(series, s))
strip(series) = words(series) > 2 ? 56 + 16 * words(series) : 80	# height of a legend with them
axis_words(axis) = axis eq "used" ? "MB of the idle hog in swap" : axis eq "left" ? "memory left, % of the application's at rest" \
	: axis eq "loads" ? "CPU hogs" : "other reads from the disk, 1/s"
axis_title(axis) = axis eq "used" ? "swap in use" : axis eq "left" ? "memory left" : axis eq "loads" ? "CPU load" : "disk load"
# Memory left by doublings, less to the right; all else from 0 on.
least_of(list) = words(list) == 1 ? real(list) : less(real(word(list, 1)), least_of(list[strlen(word(list, 1)) + 2:]))
most_of(list) = words(list) == 1 ? real(list) : more(real(word(list, 1)), most_of(list[strlen(word(list, 1)) + 2:]))
steps_axis(axis, steps) = (axis eq "left" \
	? sprintf('set logscale x; set xrange [%g:%g]; ', most_of(steps) * 1.15, least_of(steps) / 1.15) \
	: sprintf('set xrange [0:%g]; ', most_of(steps) * 1.05 + 0.01)) . tics_at("x", steps)
seconds = 'set logscale y; set ytics ("2 ms" 2, "5 ms" 5, "10 ms" 10, "20 ms" 20, "50 ms" 50, "0.1 s" 100, "0.2 s" 200, ' \
	. '"0.5 s" 500, "1 s" 1000, "2 s" 2000, "5 s" 5000, "10 s" 10000, "20 s" 20000, "50 s" 50000, "100 s" 100000)'
lowest = 'set xlabel (i + panel_across > words(here) ? axis_words(axis) : ""); set ylabel "" '
at(s) = of(axis) && strcol("app") eq word(here, i) && strcol("swap") eq word(series, s) ? column("step") : NaN

# ---- start-up against pressure ----
# An interval of three repeats may reach far: a panel shows what was measured, and cuts it.
bounds = 't0 = NaN; most = NaN; least = NaN; unset logscale; ' . look("summary.tsv", \
	'strcol("app") eq word(here, i) && (of(axis) || axis ne "reads" && of("none")) ? (t0 = filled("t0_ms") ? column("t0_ms") : t0, ' \
	. 'most = more(most, column("startup_ms_max")), least = less(least, column("startup_ms_min")), ' \
	. 'later = later || column("startup_ms_above") > 0, 0) : 0')
do for [axis in "used left loads reads"] {
	steps = steps_of(axis)
	series = series_of(axis)
	if (words(steps) > 0) {
		here = ""
		eval look("summary.tsv", 'of(axis) ? (here = add(here, strcol("app")), 0) : 0')
		n = words(here)
		later = 0
		eval panels("start-" . axis, 50 + strip(series) + 250 * down(n, 2), across(n, 2), down(n, 2), strip(series), "Start-up by " \
			. axis_title(axis))
		do for [i = 1:n] {
			eval bounds
			eval seconds
			eval steps_axis(axis, steps)
			set yrange [least * 0.7:most * 1.5]
			eval lowest
			eval panel(i, word(here, i))
			eval 'plot ' . (joined ? 'for [s = 1:words(series)] data using (at(s)):(y("t0_ms")) with lines dashtype 2 ' \
				. 'linecolor rgb colour(s) notitle' : 't0 with lines linestyle dashed notitle') . curves(words(series), "startup_ms") \
				. ', for [s = 1:words(series)] data using (at(s)):(column("startup_ms_above") > 0 ? y("startup_ms") * 1.25 : NaN) ' \
				. 'with points pointtype 8 linecolor rgb colour(s) notitle' . threshold_across
		}
		eval legend_strip(3)
		plot for [s = 1:words(series)] NaN with linespoints pointtype shape(s) linecolor rgb colour(s) title says(s), \
			NaN with lines linestyle dashed title "without pressure (T0)", \
			NaN with lines linestyle dotted title sprintf("%g ms", threshold_ms), \
			NaN with points pointtype 8 linecolor rgb line_colour title (later ? "later than that" : "")
	}
}

# ---- what pressure adds, beside its input and output alone ----
here = apps
n = words(apps)
axis = words(steps_used) > 0 ? "used" : "left"
steps = steps_of(axis)
series = swaps
if (words(steps) > 0 && with_io) {
	eval panels("file-time", 50 + strip(swaps) + 250 * down(n, 2), across(n, 2), down(n, 2), strip(swaps), \
		"What pressure adds to start-up, beside its input and output alone")
	shown(c) = y(c) >= 2 ? y(c) : NaN
	later = 0
	eval look("summary.tsv", 'of(axis) && column("added_ms_above") > 0 ? (later = 1, 0) : 0')
	do for [i = 1:n] {
		eval seconds
		eval steps_axis(axis, steps)
		set yrange [2:*]
		eval lowest
		eval panel(i, word(apps, i))
		plot 20 with lines linecolor rgb "#ffffff" linewidth 0.1 notitle, \
			for [s = 1:words(swaps)] data using (at(s)):(shown("file_ms")):(low("file_ms")):(high("file_ms")) \
				with yerrorbars pointtype 0 linewidth 0.7 linecolor rgb colour(s) notitle, \
			for [s = 1:words(swaps)] data using (x_ = at(s)):(shown("added_ms")) with linespoints pointtype shape(s) \
				linecolor rgb colour(s) notitle, \
			for [s = 1:words(swaps)] data using (at(s)):(column("added_ms_above") > 0 ? shown("added_ms") * 1.25 \
				: NaN) \
				with points pointtype 8 linecolor rgb colour(s) notitle, \
			for [s = 1:words(swaps)] data using (at(s)):(shown("t_io_ms")) with linespoints pointtype shape(s) pointsize 0.5 \
				dashtype 3 linecolor rgb colour(s) notitle, \
			for [s = 1:words(swaps)] data using (at(s)):(shown("file_ms")) with linespoints pointtype shape(s) pointsize 0.4 \
				linewidth 0.7 linecolor rgb colour(s) notitle
	}
	eval legend_strip(3)
	plot for [s = 1:words(swaps)] NaN with points pointtype shape(s) linecolor rgb colour(s) title says(s), \
		NaN with lines linecolor rgb line_colour title "added by pressure", \
		NaN with points pointtype 8 linecolor rgb line_colour title (later ? "later than that" : ""), \
		NaN with lines dashtype 3 linecolor rgb line_colour title "T_{IO}", \
		NaN with lines linewidth 0.7 linecolor rgb line_colour title (axis eq "used" ? "to write a file of that size" : "")
}

# ---- e; beside a hog that goes on there is none ----
if (with_e) {
	axis = "used"
	eval panels("e", 430, 1, 1, 80, "e: what of the added time the device by itself does not explain")
	eval steps_axis(axis, steps_used)
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
		for [s = 1:words(swaps)] NaN with linespoints pointtype shape(s) dashtype dash(s) linecolor rgb line_colour \
			title swap_words(word(swaps, s))
}

# ---- the menus: the trees, and how many nodes lie how deep and have how many entries ----
if (has_table("menus.tsv")) {
	walked = ""
	walked_by(d) = strcol("application") . slash_run(0)
	deepest = widest = 0
	eval look("menus.tsv", '(walked = add(walked, walked_by(0)), deepest = more(deepest, column("depth")), ' \
		. 'widest = more(widest, column("children")), 0)')
	n = words(walked)
	mine(v) = walked_by(0) eq word(walked, i) ? v : NaN
	is(kind) = strcol("kind") eq kind ? mine(column("place")) : NaN
	eval panels("menu-tree", 110 + 190 * n, 1, n, 60, "The menus of an application as a tree, after Fig. 1")
	do for [i = 1:n] {
		eval panel(i, word(walked, i))
		set xrange [0:*]
		set yrange [deepest + 0.4:-0.4]
		unset xtics
		set ytics 0, 1, deepest
		set ylabel "depth" offset 1, 0
		plot "menus.tsv" using (mine(y("parent_place"))):(column("depth") - 1):(column("place") - y("parent_place")):(1) \
				with vectors nohead linecolor rgb "#bbbbbb" linewidth 0.5 notitle, \
			"" using (is("application")):"depth" with points pointtype 13 linecolor rgb line_colour notitle, \
			"" using (is("menu")):"depth" with points pointtype 5 pointsize 0.7 linecolor rgb light_colour notitle, \
			"" using (is("event")):(filled("shortcut") ? NaN : column("depth")) with points pointtype 7 pointsize 0.4 \
				linecolor rgb line_colour notitle, \
			"" using (is("event")):(filled("shortcut") ? column("depth") : NaN) with points pointtype 7 pointsize 0.6 \
				linecolor rgb heavy_colour notitle
	}
	eval legend_strip(2)
	plot NaN with points pointtype 13 linecolor rgb line_colour title "application", \
		NaN with points pointtype 5 linecolor rgb light_colour title "menu", \
		NaN with points pointtype 7 pointsize 0.5 linecolor rgb line_colour title "event", \
		NaN with points pointtype 7 linecolor rgb heavy_colour title "event with a shortcut"

	eval panels("menu-shape", 390, 2, 1, 40, "The shape of the menus")
	eval panel(1, "nodes by depth")
	eval x_axis("-0.2:" . sprintf("%g", deepest + 0.2), "depth")
	eval y_axis("0:*", "nodes")
	set xtics 1
	one_of(counted) = counted && walked_by(0) eq word(walked, i) ? 1 : 0
	plot for [i = 1:n] "menus.tsv" using "depth":(one_of(1)) smooth frequency with linespoints pointtype shape(i) \
		linecolor rgb colour(i) notitle
	eval panel(2, "menus by their entries (degree)")
	eval x_axis("0:" . sprintf("%g", widest + 1), "entries of a menu")
	eval y_axis("0:*", "")
	set xtics autofreq
	plot for [i = 1:n] "menus.tsv" using (column("children") + 0.25 * (i - 1)):(one_of(column("children") > 0)) \
		smooth frequency with impulses linewidth 2 linecolor rgb colour(i) notitle
	eval legend_strip(0)
	plot for [i = 1:n] NaN with linespoints pointtype shape(i) linecolor rgb colour(i) title word(walked, i)
}
