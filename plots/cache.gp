# SPDX-License-Identifier: GPL-3.0-or-later
# cache.gp - the figures of experiments/cache.sh.
#
# gnuplot -c plots/cache.gp RUN [LIGHT [HEAVY [FLOOR_MS [THRESHOLD_MS]]]]
#   reads RUN/summary.tsv, points.tsv and overtime.tsv; writes into RUN/figures:
#   cliff.svg      a panel for each protocol: bandwidth of loops by their frames, and where the cliff was found
#   overtime.svg   the loop that fits and the one that does not, as time goes by: share of hits so far, bandwidth, the server's CPU

run = ARG1
here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
points = run . "/points.tsv"
overtime = run . "/overtime.tsv"
set datafile separator "\t"
set key autotitle columnheader
filled(c) = strlen(strcol(c)) > 0
name_of(x_) = strcol("protocol") . (strcol("draw") eq "pixmap" ? " (pixmaps)" : "")

# The cells in the order of the table, their names, their cliffs, and the ranges.
cells = ""
names = ""
cliffs = ""
least = 1.0
most = 1.0
frames = 100.0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (column("repeats") > 0 ? (cells = cells . " " . strcol("cell"), names = names . (strlen(names) ? "|" : "") . name_of(0), \
	cliffs = cliffs . " " . (filled("frames_high") ? sprintf("%g", (column("frames_low") + column("frames_high")) / 2) : "0")) : "", 0):(0) with points
plot points using (v = column("mbit_per_s"), least = v > 0 && v < least ? v : least, most = v > most ? v : most, \
	frames = filled("frames") && strcol("order") eq "loop" && column("frames") > frames ? column("frames") : frames, 0):(0) with points
timed = ""
plot overtime using (strstrt(timed . " ", " " . strcol("cell") . " ") ? 0 : (timed = timed . " " . strcol("cell")), 0):(0) with points
unset table
set autoscale
n = words(cells)
name_at(i) = system("printf %s '" . names . "' | cut -d'|' -f" . i)
place(w) = sum [i = 1:words(cells)] (word(cells, i) eq w ? i : 0)

# ---- bandwidth by frames ----
columns = n < 3 ? (n < 1 ? 1 : n) : 3
rows = n < 1 ? 1 : int((n + columns - 1) / columns)
height = 204 * rows + 90
width = n < 2 ? 520 : n < 3 ? 720 : 900
set terminal svg size width,height
set output run . "/figures/cliff.svg"
unset key
set logscale y
set logscale x
set xrange [2:frames * 1.2]
set yrange [least / 2:most * 2]
set xtics (2, 5, 10, 25, 50, 100, 200, 400, 800)
set ytics ("0.0001" 0.0001, "0.001" 0.001, "0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1000" 1000)
set multiplot
left_of(c) = (70.0 + c * (width - 90.0) / columns) / width
right_of(c) = (70.0 + (c + 1) * (width - 90.0) / columns - 46) / width
high(r) = 1 - (30.0 + r * 204) / height
low(r) = 1 - (30.0 + r * 204 + 134) / height
of(i) = strcol("cell") eq word(cells, i) && strcol("order") eq "loop" ? column("mbit_per_s") : NaN
miss(i) = strcol("cell") eq word(cells, i) && strcol("name") eq "miss" ? column("mbit_per_s") : NaN
do for [i = 1:n] {
	c = (i - 1) % columns
	r = int((i - 1) / columns)
	set lmargin at screen left_of(c)
	set rmargin at screen right_of(c)
	set tmargin at screen high(r)
	set bmargin at screen low(r)
	set title name_at(i) offset 0, -0.4
	if (c == 0) { set ylabel "Mbit/s" } else { unset ylabel }
	if (i + columns > n) { set xlabel "frames of the loop" offset 0, 0.5 } else { unset xlabel }
	cliff = real(word(cliffs, i))
	if (cliff > 0) { set arrow 1 from cliff, graph 0 to cliff, graph 1 nohead dashtype 2 linecolor rgb line_colour back } else { unset arrow 1 }
	plot points using (2):(miss(i)):(frames * 1.2 - 2):(0) with vectors nohead linewidth 1.2 linecolor rgb heavy_colour notitle, \
		points using "frames":(of(i)) with points pointtype 7 pointsize 0.45 linecolor rgb light_colour notitle
}
unset title
unset xlabel
unset ylabel
unset border
unset tics
unset grid
unset logscale
unset arrow
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.02
set rmargin at screen 0.98
set tmargin at screen 40.0 / height
set bmargin at screen 2.0 / height
set key at screen 0.06, 30.0 / height left top Left reverse vertical maxrows 1 maxcols 99 samplen 2
plot NaN with points pointtype 7 pointsize 0.6 linecolor rgb light_colour title "a loop", NaN with lines linewidth 1.2 linecolor rgb heavy_colour title "frames that are new", \
	NaN with lines dashtype 2 linecolor rgb line_colour title "the cliff"
unset multiplot
unset output

# ---- over time ----
m = words(timed)
if (m > 0) {
reset
load here . "/style.gp"
set datafile separator "\t"
set key autotitle columnheader
rows = m
height = 150 * rows + 110
set terminal svg size 900,height
set output run . "/figures/overtime.svg"
set datafile missing NaN	# pieces without a look at the CPU do not break the line
unset key
filled(c) = strlen(strcol(c)) > 0
left_of(c) = (95.0 + c * 270.0) / 900
right_of(c) = (95.0 + c * 270.0 + 205) / 900
high(r) = 1 - (34.0 + r * 150) / height
low(r) = 1 - (34.0 + r * 150 + 100) / height
over(i, part, c) = strcol("cell") eq word(timed, i) && strcol("part") eq part && filled(c) ? column(c) : NaN
set multiplot
do for [i = 1:m] {
	do for [c = 0:2] {
		of = c == 0 ? "hits_percent" : c == 1 ? "mbit_per_s" : "cpu_percent"
		set lmargin at screen left_of(c)
		set rmargin at screen right_of(c)
		set tmargin at screen high(i - 1)
		set bmargin at screen low(i - 1)
		set xrange [0:*]
		if (c == 0) { set yrange [0:105] } else { set yrange [0:*] }
		set title (i == 1 ? (c == 0 ? "hits so far, %" : c == 1 ? "display, Mbit/s" : "server CPU, %") : "") offset 0, -0.4
		if (c == 0) { set ylabel name_at(place(word(timed, i))) } else { unset ylabel }
		if (i == m) { set xlabel "seconds" offset 0, 0.5 } else { unset xlabel }
		plot overtime using "time_s":(over(i, "fits", of)) with linespoints pointtype 7 pointsize 0.25 linewidth 1.6 linecolor rgb light_colour notitle, \
			overtime using "time_s":(over(i, "over", of)) with linespoints pointtype 7 pointsize 0.25 linewidth 1.6 linecolor rgb heavy_colour notitle
	}
}
unset title
unset xlabel
unset ylabel
unset border
unset tics
unset grid
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.02
set rmargin at screen 0.98
set tmargin at screen 40.0 / height
set bmargin at screen 2.0 / height
set key at screen 0.06, 30.0 / height left top Left reverse vertical maxrows 1 maxcols 99 samplen 2
plot NaN with lines linewidth 1.6 linecolor rgb light_colour title "the longest loop that fits", NaN with lines linewidth 1.6 linecolor rgb heavy_colour title "one that does not"
unset multiplot
unset output
}
