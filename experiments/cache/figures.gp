# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - bandwidth of loops by their frames, and where the limit was found (cliff: a panel for each condition); the loop that
# fits and a longer one over time (overtime: share of hits so far, bandwidth, the server's CPU).

load engine . "/animations.gp"
systems = ""
runs = ""	# a colour for each of several, which share the panel of a condition
timed = ""
longer = 0
least = most = 1.0
frames = 100.0
bare_named(d) = (at_ = strstrt(named(d), run_of(strcol("protocol"))), name_ = named(d), joined \
	? name_[1:at_ - 2] . name_[at_ + strlen(run_of(strcol("protocol"))):*] : name_)
run(d) = joined ? run_of(strcol("protocol")) : "-"
eval look("summary.tsv", 'column("repeats") > 0 ? (systems = add(systems, bare_named(0)), runs = add(runs, run(0))) : ""')
eval look("points.tsv", 'v = y("mbit_per_s"), least = v > 0 ? less(least, v) : least, most = more(most, v), ' \
	. 'frames = strcol("order") eq "loop" ? more(frames, y("frames")) : frames')
if (has_table("overtime.tsv")) { eval look("overtime.tsv", 'timed = add(timed, named(0)), ' \
	. 'longer = longer || strcol("part") eq "over"') }
n = words(systems)
m = words(timed)
array limit[n * words(runs) + 1]
slot(d) = (place(systems, bare_named(d)) - 1) * words(runs) + place(runs, run(d))
do for [i = 1:n * words(runs)] { limit[i] = 0 }
eval look("summary.tsv", 'column("repeats") > 0 && filled("frames_high") ' \
	. '? (limit[slot(0)] = (y("frames_low") + y("frames_high")) / 2) : 0')

# ---- bandwidth by frames ----
if (n > 0) {
	legend_rows = int((words(runs) + 4) / 3)
	eval condition_panels("cliff", 210, "Bandwidth over the frames of the loop")
	set logscale xy
	set xrange [2:frames * 1.2]
	set xtics (2, 5, 10, 25, 50, 100, 200, 400, 800)
	of(r, key, value) = bare_named(0) eq word(systems, i) && run(0) eq word(runs, r) && strcol(key) eq value ? y("mbit_per_s") : NaN
	limited = 0
	do for [i = 1:n] {
		eval condition_panel(i, "frames of the loop")
		do for [r = 1:words(runs)] {
			at = limit[(i - 1) * words(runs) + r]
			if (at > 0) { limited = 1; eval upright(at, 1, joined ? colour(r) : line_colour, 2) }
		}
		plot for [r = 1:words(runs)] "points.tsv" using (2):(of(r, "name", "miss")):(frames * 1.2 - 2):(0) with vectors nohead \
				linewidth 1.2 linecolor rgb (joined ? colour(r) : heavy_colour) notitle, \
			for [r = 1:words(runs)] "points.tsv" using "frames":(of(r, "order", "loop")) with points pointtype 7 pointsize 0.5 \
				linecolor rgb colour(r) notitle
	}
	eval legend_strip(3)
	plot for [r = 1:words(runs)] NaN with points pointtype 7 pointsize 0.6 linecolor rgb colour(r) \
			title "a loop" . (joined ? ", " . word(runs, r) : ""), \
		NaN with lines linewidth 1.2 linecolor rgb (joined ? line_colour : heavy_colour) title "new frames", \
		NaN with lines linestyle dashed title (limited ? "the limit" : "")
}

# ---- over time ----
if (m > 0) {
	eval panels("overtime", 90 + 170 * m, 3, m, 36, "The longest loop that fits, and a longer one")
	set datafile missing NaN	# pieces without a reading of the CPU do not break the line
	set xrange [0:*]
	set ytics font ",10"
	over(part, c) = named(0) eq word(timed, i) && strcol("part") eq part ? y(c) : NaN
	do for [k = 1:3 * m] {
		i = int((k + 2) / 3)
		c = (k - 1) % 3
		of = word("hits_percent mbit_per_s cpu_percent", c + 1)
		set yrange [0:*]
		if (c == 0) { set yrange [0:105] }
		set xlabel (panel_row(k) + 1 == panel_down ? "seconds" : "") offset 0, 0.5
		set ylabel word(timed, i) noenhanced offset 1.5, 0
		eval panel(k, i > 1 && !narrow ? "" : c == 0 ? "hits so far, %" : c == 1 ? "display, Mbit/s" : "server CPU, %")
		plot for [p = 1:2] "overtime.tsv" using "time_s":(over(word("fits over", p), \
			of)) with linespoints pointtype 7 pointsize 0.25 \
			linewidth 1.6 linecolor rgb colour(p) notitle
	}
	eval legend_strip(2)
	plot NaN with lines linewidth 1.6 linecolor rgb colour(1) title "the longest loop that fits", \
		NaN with lines linewidth 1.6 linecolor rgb colour(2) title (longer ? "a longer loop" : "")
}
