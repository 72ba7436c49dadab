# SPDX-License-Identifier: GPL-3.0-or-later
# arrivals.gp - how requests arrive, beside a Poisson process of the same rate.
#
# gnuplot -c kits/users/plots/arrivals.gp ROWS OUT.svg [OF [PART THINK_S]]
#   reads what arrivals --rows wrote: the first arrivals as marks, with how many there are in each
#   interval; counts in intervals and gaps between arrivals beside what a Poisson process would have;
#   and, where it is there, the coefficient of variation by the number of sources with its band.
#   OF: name of the source, for the title. PART, THINK_S: use only rows of a run's table with these values.
#
# A figures.gp calls it last, since it resets all settings of gnuplot.

unset multiplot
unset output
reset
rows = ARG1
if (strstrt(rows, "'") || strstrt(rows, "<")) { print "arrivals.gp: a quote in the name of the table: rename it"; exit status 1 }
load ARG0[1:strlen(ARG0) - strlen("arrivals.gp")] . "../../../plots/style.gp"
whose = ARGC > 2 ? ARG3 : ""
asked_part = ARGC > 4 ? ARG4 : ""
asked_think = ARGC > 4 ? real(ARG5) : 0
asked(kind) = strcol("kind") eq kind && (asked_part eq "" || (strcol("part") eq asked_part && y("think_s") == asked_think))
of(kind, c) = asked(kind) ? y(c) : NaN

count(kind) = asked(kind) ? 1 : 0
last = drawn = interval = tallies = counts = gaps = joins = 0
stats rows using (drawn = drawn + count("arrival"), last = asked("arrival") ? column("x") : last, \
	interval = asked("interval") ? column("x") : interval, tallies = tallies + count("tally"), \
		counts = counts + count("count"), \
	gaps = gaps + count("gap"), joins = joins + count("sources"), 0) nooutput
length(ms) = sprintf("%.3g %s", ms < 1000 ? ms : ms / 1000.0, ms < 1000 ? "ms" : "s")
unit = last < 2000 ? 1 : 1000.0

# panels from the top: marks, two histograms (for phones one below the other), sources; each with room for its title and for what
# stands below its axis
below = narrow ? 385.0 : 0.0
head = whose eq "" ? 0 : 30
figure_height = head + below + (joins ? 830.0 : 570.0)
from_top(pixels) = 1 - (head + pixels) / figure_height
set terminal svg size (narrow ? 380 : 860), figure_height dynamic enhanced font "sans-serif,13" linewidth 1.2 background rgb "white"
set output ARG2
if (head) { set multiplot title whose font (narrow ? ",12" : ",14") } else { set multiplot }
unset key
set title offset 0, -0.4

# marks on a line of time; below it, how many there are in each interval
set lmargin at screen 0.03; set rmargin at screen 0.98; set tmargin at screen from_top(36); set bmargin at screen from_top(126)
set title sprintf("the first %d arrivals", drawn) . (tallies ? \
	", and " . (narrow ? "" : "how many there are ") . "in each " . length(interval) : "")
unset ytics
unset grid
set border 1
set yrange [0:1]
set xrange [0:(last > 0 ? last : 1) / unit]
set xlabel unit == 1 ? "ms" : "s" offset 0, 0.4
plot rows using (of("arrival", "x") / unit):(0.4):(0):(0.6) with vectors nohead linestyle light notitle, \
	rows using ((of("tally", "x") + interval / 2) / unit):(0):(0):(1) with vectors nohead linestyle dotted notitle, \
	rows using (of("tally", "x") / unit):(0.18):(sprintf("%d", y("y"))) with labels \
		font (tallies > (narrow ? 16 : 50) ? ",8" : ",11") notitle

set border 3
set grid ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set autoscale x
set yrange [0:*]
set ytics auto nomirror out scale 0.6 textcolor rgb "#333333"
set key at graph 0.98, 0.97 right top Right noreverse samplen 2
set style fill solid 0.35 noborder
set boxwidth 0.8 relative
set xrange [-0.5:*]	# (a box around a count of 0)
set offsets 0, 0, graph 0.12, 0
set lmargin at screen (narrow ? 0.19 : 0.11); set rmargin at screen (narrow ? 0.95 : 0.49)
set tmargin at screen from_top(220); set bmargin at screen from_top(500)
set title interval > 0 ? "arrivals in " . length(interval) : "arrivals in an interval"
set xlabel "arrivals"
set ylabel "share of intervals" offset 0.5
if (counts) {
	plot rows using (of("count", "x")):(of("count", "y")) with boxes linestyle light title "counted", \
		rows using (of("count", "x")):(of("count", \
			"expected")) with linespoints linestyle heavy pointtype 7 pointsize 0.5 title "Poisson"
} else {
	set label 1 "too few intervals" at graph 0.5, 0.5 center
	plot [0:1] [0:1] NaN notitle
	unset label 1
}

set autoscale x
if (!narrow) { set lmargin at screen 0.60; set rmargin at screen 0.97 }
set tmargin at screen from_top(below + 220); set bmargin at screen from_top(below + 500)
set title "time between arrivals"
set xlabel "ms"
set ylabel "share of gaps"
if (gaps) {
	plot rows using (of("gap", "x")):(of("gap", "y")) with boxes linestyle light title "counted", \
		rows using (of("gap", "x")):(of("gap", "expected")) with linespoints linestyle heavy pointtype 7 pointsize 0.5 \
			title "exponential"
} else {
	set label 1 "the log's steps of time are too long to tell" at graph 0.5, 0.5 center
	plot [0:1] [0:1] NaN notitle
	unset label 1
}

if (joins) {
	set offsets
	set lmargin at screen (narrow ? 0.19 : 0.09); set rmargin at screen 0.97
	set tmargin at screen from_top(below + 600); set bmargin at screen from_top(below + 775)
	set title "coefficient of variation of the times between arrivals, as sources join"
	set xlabel "sources"
	set ylabel "CoV"
	set key at graph 0.98, 0.36
	plot 1 with lines linestyle dashed title "Poisson process", \
		rows using (of("sources", "x")):(of("sources", "y")):(of("sources", "low")):(of("sources", "high")) \
			with yerrorbars linestyle light title "measured ± 1.96/√n", \
		rows using (of("sources", "x")):(of("sources", "y")) with lines linestyle light notitle
}
unset multiplot
unset output
