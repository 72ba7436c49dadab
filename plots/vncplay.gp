# SPDX-License-Identifier: GPL-3.0-or-later
# vncplay.gp - the figures of vncplay cdf, ratio, percentiles and table.
#
# gnuplot -c plots/vncplay.gp FIGURE TABLE OUT.svg
#   TABLE is what the command hands over (src/vncplay/figures.c):
#   cdf          name; latency in ms, share up to there; two empty lines between settings
#   ratio        name of A, name of B, width of a bin; two empty lines; middle of a bin, inputs in it
#   percentiles, table   name, total running time in s, 25th, 50th, 75th percentile in ms

figure = ARG1
table = ARG2
load ARG0[1:strlen(ARG0) - strlen("vncplay.gp")] . "style.gp"
set datafile separator "\t"
set datafile missing "nan"
set output ARG3

if (figure eq "cdf") {
	stats table using 1:2 nooutput
	n = STATS_blocks
	h = 440 + 20 * n
	set terminal svg size 760,h
	set bmargin at screen (90.0 + 20 * n) / h
	set key at screen 0.1, (30.0 + 20 * n) / h
	set xlabel "response time, ms"
	set ylabel "share of inputs answered within it"
	set yrange [0:1]
	set logscale x
	plot for [i = 0:n - 1] table index i using 1:2 with steps linecolor rgb load_colour(i, n) dashtype load_dash(i, n) \
		linewidth 1.5 title columnhead(1) noenhanced
}

if (figure eq "ratio") {
	stats table index 0 using (a = strcol(1), b = strcol(2), width = column(3), 0) nooutput
	set xlabel sprintf("response time of %s, as a multiple of that of %s", a, b) noenhanced
	set ylabel "inputs"
	set yrange [0:*]
	set xrange [0:*]
	set bmargin at screen 0.18
	unset key
	set boxwidth width * 0.9
	set style fill solid 0.8 noborder
	plot table index 1 using 1:2 with boxes linecolor rgb light_colour
}

if (figure eq "percentiles") {
	set ylabel "response time, ms"
	set yrange [0:*]
	set xtics rotate by -30 noenhanced
	set xrange [-0.5:*]
	set offsets 0, 0.5, 0, 0
	plot table using 0:5:xticlabels(1) with linespoints pointtype 7 linecolor rgb heavy_colour title "75th percentile", \
		table using 0:4 with linespoints pointtype 7 linecolor rgb line_colour title "median", \
		table using 0:3 with linespoints pointtype 7 linecolor rgb light_colour title "25th percentile"
}

if (figure eq "table") {
	set terminal svg size 900,460
	set multiplot layout 1, 2
	unset key
	set yrange [0:*]
	set xtics rotate by -30 noenhanced
	set xrange [-0.7:*]
	set offsets 0, 0.7, 0, 0
	set boxwidth 0.6
	set style fill solid 0.8 noborder
	set bmargin at screen 0.26
	set title "total running time, s"
	plot table using 0:2:xticlabels(1) with boxes linecolor rgb mark_colour
	set title "response time, ms: median, 25th to 75th percentile"
	plot table using 0:4:xticlabels(1) with boxes linecolor rgb light_colour, \
		table using 0:4:3:5 with yerrorbars pointtype 0 linecolor rgb line_colour
	unset multiplot
}
