# SPDX-License-Identifier: GPL-3.0-or-later
# arrivals.gp - how requests arrive, beside a Poisson process of the same rate.
#
# gnuplot -c plots/arrivals.gp ROWS OUT.svg
#   reads what arrivals --rows wrote: the first arrivals as marks, counts in intervals and
#   gaps between arrivals beside what a Poisson process would have, and, where
#   it is there, the coefficient of variation by the number of sources with its band.

rows = ARG1
load ARG0[1:strlen(ARG0) - strlen("arrivals.gp")] . "style.gp"
set datafile separator "\t"
set datafile columnheaders
of(kind, c) = strcol("kind") eq kind ? y(c) : NaN

kinds = ""
last = 1
interval = 0
eval look(rows, 'kinds = add(kinds, strcol("kind")), last = strcol("kind") eq "arrival" ? column("x") : last, ' \
	. 'interval = strcol("kind") eq "interval" ? column("x") : interval')

# panels from the top: marks, two histograms, sources; each with room for its title and for what stands below its axis
figure_height = place(kinds, "sources") ? 800.0 : 540.0
place_at(left, right, top, bottom) = inside(left, right, 1 - top / figure_height, 1 - bottom / figure_height)
set terminal svg size 860,figure_height
set output ARG2
set multiplot
unset key
set title offset 0, -0.4

# marks on a line of time
eval place_at(0.08, 0.97, 36, 96)
set title "the first arrivals"
unset ytics
unset grid
set border 1
set yrange [0:1]
set xrange [0:last / 1000.0]
set xlabel "s" offset 0, 0.4
plot rows using (of("arrival", "x") / 1000):(0):(0):(1) with vectors nohead linestyle light notitle

eval axes_looks
set xrange [0:*]
set yrange [0:*]
set ytics auto nomirror out scale 0.6
set key at graph 0.98, 0.97 right top Right noreverse samplen 2
set style fill solid 0.35 noborder
set boxwidth 0.8 relative
set offsets 0, 0, graph 0.12, 0
histogram(kind, model) = sprintf('plot rows using (of("%s", "x")):(of("%s", "y")) with boxes linestyle light title "measured", ', \
	kind, kind) . sprintf('rows using (of("%s", "x")):(of("%s", "expected")) with linespoints linestyle heavy pointtype 7 ', \
	kind, kind) . sprintf('pointsize 0.5 title "%s"', model)
nothing(why) = sprintf('set label 1 "%s" at graph 0.5, 0.5 center; plot [0:1] [0:1] NaN notitle; unset label 1', why)
eval place_at(0.09, 0.48, 190, 470)
set title interval > 0 ? sprintf("arrivals in %.3g %s", interval < 1000 ? interval : interval / 1000, interval < 1000 \
	? "ms" : "s") : "arrivals in an interval"
set xlabel "arrivals"
set ylabel "share of intervals" offset 0.5
eval place(kinds, "count") ? histogram("count", "Poisson") : nothing("too few intervals")

eval place_at(0.60, 0.97, 190, 470)
set title "time between arrivals"
set xlabel "ms"
set ylabel "share of gaps"
eval place(kinds, "gap") ? histogram("gap", "exponential") : nothing("the log's steps of time are too long to tell")

if (place(kinds, "sources")) {
	set offsets
	eval place_at(0.09, 0.97, 570, 745)
	set title "coefficient of variation of the times between arrivals, as sources join"
	set xlabel "sources"
	set ylabel "CoV"
	set key at graph 0.98, 0.36
	plot 1 with lines linestyle dashed title "Poisson process", \
		rows using (of("sources", "x")):(of("sources", "y")):(of("sources", "low")):(of("sources", "high")) \
			with yerrorbars linestyle light title "measured ± 1.96/√n", \
		rows using (of("sources", "x")):(of("sources", "y")) with lines linestyle light notitle
}
