# SPDX-License-Identifier: GPL-3.0-or-later
# arrivals.gp - how requests arrive, beside a Poisson process of the same rate.
#
# gnuplot -c plots/arrivals.gp ROWS OUT.svg
#   reads what arrivals --rows wrote: the first arrivals as marks, counts in intervals and
#   gaps between arrivals beside what a Poisson process would have, and, where
#   it is there, the coefficient of variation by the number of sources with its band.

rows = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

set datafile separator "\t"
set key autotitle columnheader
filled(c) = strlen(strcol(c)) > 0
of(kind, c) = strcol("kind") eq kind && filled(c) ? column(c) : NaN

n_sources = 0
last = 1
interval = 0
n_counts = 0
n_gaps = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot rows using (strcol("kind") eq "sources" ? (n_sources = n_sources + 1) : strcol("kind") eq "arrival" \
	? (last = column("x")) : strcol("kind") eq "interval" ? (interval = column("x")) : \
	strcol("kind") eq "count" ? (n_counts = n_counts + 1) : strcol("kind") eq "gap" ? (n_gaps = n_gaps + 1) : 0, 0):(0)
unset table
set autoscale

# panels from the top: marks, two histograms, sources; each with room for its title and for what stands below its axis
high = n_sources > 0 ? 800.0 : 540.0
at(y) = 1 - y / high
set terminal svg size 860,high
set output ARG2
set multiplot
unset key
set title offset 0, -0.4
set tics nomirror

# marks on a line of time
set lmargin at screen 0.08
set rmargin at screen 0.97
set tmargin at screen at(36)
set bmargin at screen at(96)
set title "the first arrivals"
unset ytics
unset grid
set border 1
set yrange [0:1]
set xrange [0:last / 1000.0]
set xlabel "s" offset 0, 0.4
plot rows using (of("arrival", "x") / 1000):(0):(0):(1) with vectors nohead linecolor rgb light_colour notitle

set border 3
set grid ytics
set xrange [0:*]
set yrange [0:*]
set ytics auto nomirror out scale 0.6
set key at graph 0.98, 0.97 right top Right noreverse samplen 2
set tmargin at screen at(190)
set bmargin at screen at(470)
set lmargin at screen 0.09
set rmargin at screen 0.48
set style fill solid 0.35 noborder
set boxwidth 0.8 relative
set offsets 0, 0, graph 0.12, 0
set title interval > 0 ? sprintf("arrivals in %.3g %s", interval < 1000 ? interval : interval / 1000, interval < 1000 \
	? "ms" : "s") : "arrivals in an interval"
set xlabel "arrivals"
set ylabel "share of intervals" offset 0.5
if (n_counts > 0) {
	plot rows using (of("count", "x")):(of("count", "y")) with boxes linecolor rgb light_colour title "measured", \
		rows using (of("count", "x")):(of("count", "expected")) with linespoints pointtype 7 pointsize 0.5 linecolor rgb heavy_colour \
			title "Poisson"
} else {
	set label 1 "too few intervals" at graph 0.5, 0.5 center
	plot [0:1] [0:1] NaN notitle
	unset label 1
}

set lmargin at screen 0.60
set rmargin at screen 0.97
set title "time between arrivals"
set xlabel "ms"
set ylabel "share of gaps"
if (n_gaps > 0) {
	plot rows using (of("gap", "x")):(of("gap", "y")) with boxes linecolor rgb light_colour title "measured", \
		rows using (of("gap", "x")):(of("gap", "expected")) with linespoints pointtype 7 pointsize 0.5 linecolor rgb heavy_colour \
			title "exponential"
} else {
	set label 1 "the log's steps of time are too long to tell" at graph 0.5, 0.5 center
	plot [0:1] [0:1] NaN notitle
	unset label 1
}

set offsets
if (n_sources > 0) {
	set lmargin at screen 0.09
	set rmargin at screen 0.97
	set tmargin at screen at(570)
	set bmargin at screen at(745)
	set title "coefficient of variation of the times between arrivals, as sources join"
	set xlabel "sources"
	set ylabel "CoV"
	set yrange [0:*]
	set key at graph 0.98, 0.36 right top Right noreverse samplen 2
	plot 1 with lines dashtype 2 linecolor rgb line_colour title "Poisson process", \
		rows using (of("sources", "x")):(of("sources", "y")):(of("sources", "low")):(of("sources", "high")) \
			with yerrorbars pointtype 7 linecolor rgb light_colour title "measured ± 1.96/√n", \
		rows using (of("sources", "x")):(of("sources", "y")) with lines linecolor rgb light_colour notitle
}
unset multiplot
