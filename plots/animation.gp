# SPDX-License-Identifier: GPL-3.0-or-later
# animation.gp - the figure of experiments/animation.sh.
#
# gnuplot -c plots/animation.gp RUN [LIGHT [HEAVY [FLOOR_MS [THRESHOLD_MS]]]]
#   reads RUN/summary.tsv and bandwidth.tsv; writes into RUN/figures:
#   bandwidth.svg   a panel for each protocol: bandwidth over time of frames that are new and of the loop

run = ARG1
here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
bandwidth = run . "/bandwidth.tsv"
set datafile separator "\t"
set key autotitle columnheader

# The cells in the order of the table, their names, and the ranges.
cells = ""
names = ""
least = 1.0
most = 1.0
first = 0.0
last = 1.0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (column("repeats") > 0 ? (cells = cells . " " . strcol("cell"), names = names . (strlen(names) ? "|" : "") . strcol("protocol") . (strcol("draw") eq "pixmap" ? " (pixmaps)" : "")) : "", 0):(0) with points
plot bandwidth using (v = column("mbit_per_s"), least = v > 0 && v < least ? v : least, most = v > most ? v : most, first = column("time_s") < first ? column("time_s") : first, \
	last = column("time_s") > last ? column("time_s") : last, 0):(0) with points
unset table
set autoscale
n = words(cells)
name_at(i) = system("printf %s '" . names . "' | cut -d'|' -f" . i)

columns = n < 3 ? (n < 1 ? 1 : n) : 3
rows = n < 1 ? 1 : int((n + columns - 1) / columns)
height = 204 * rows + 90
width = n < 3 ? 320 * columns + 80 : 900
set terminal svg size width,height
set output run . "/figures/bandwidth.svg"
unset key
set logscale y
set xrange [first:last]
set yrange [least / 2:most * 2]
set format y "%g"
set ytics ("0.0001" 0.0001, "0.001" 0.001, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)
set multiplot
left_of(c) = (70.0 + c * (width - 90.0) / columns) / width
right_of(c) = (70.0 + (c + 1) * (width - 90.0) / columns - 46) / width
high(r) = 1 - (30.0 + r * 204) / height
low(r) = 1 - (30.0 + r * 204 + 134) / height
of(i, step) = strcol("cell") eq word(cells, i) && strcol("step") eq step && column("mbit_per_s") > 0 ? column("mbit_per_s") : NaN
do for [i = 1:n] {
	c = (i - 1) % columns
	r = int((i - 1) / columns)
	set lmargin at screen left_of(c)
	set rmargin at screen right_of(c)
	set tmargin at screen high(r)
	set bmargin at screen low(r)
	set title name_at(i) offset 0, -0.4
	if (c == 0) { set ylabel "Mbit/s" } else { unset ylabel }
	if (i + columns > n) { set xlabel "seconds" offset 0, 0.5 } else { unset xlabel }
	plot bandwidth using "time_s":(of(i, "fresh")) with lines linewidth 1.6 linecolor rgb heavy_colour notitle, \
		bandwidth using "time_s":(of(i, "loop")) with lines linewidth 1.6 linecolor rgb light_colour notitle
}
# The legend: a plot of its own with nothing in it.
unset title
unset xlabel
unset ylabel
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.02
set rmargin at screen 0.98
set tmargin at screen 40.0 / height
set bmargin at screen 2.0 / height
set key at screen 0.06, 30.0 / height left top Left reverse vertical maxrows 1 maxcols 99 samplen 2
plot NaN with lines linewidth 1.6 linecolor rgb heavy_colour title "frames that are new", NaN with lines linewidth 1.6 linecolor rgb light_colour title "the loop"
unset multiplot
unset output
