# SPDX-License-Identifier: GPL-3.0-or-later
# schedulers.gp - the figures of experiments/schedulers.sh.
#
# gnuplot -c plots/schedulers.gp RUN [LIGHT [HEAVY [HALF_FRAME_MS [THRESHOLD_MS]]]]
#   reads RUN/summary.tsv, RUN/cdf.tsv and the list of settings in data/schedulers.tsv; writes RUN/figures/settings.svg (one line a
#   setting: echo of both applications, coalesced echoes, what the load kept) and RUN/figures/length.svg (echo by length of the operation)

run = ARG1
half_frame_ms = ARGC > 3 ? real(ARG4) : 0
threshold_ms = ARGC > 4 ? real(ARG5) : 100

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
cdf = run . "/cdf.tsv"
set datafile separator "\t"
set key autotitle columnheader

# The settings in the order of the list, as far as they were measured; loads; the cost that is in the figure: the one beside most loads.
order = system("sed '/^#/d; /^setting\t/d; s/\t.*//' '" . here . "/../data/schedulers.tsv' | tr '\\n' ' '")
place(list, word_) = sum [i = 1:words(list)] (word(list, i) eq word_ ? i : 0)
add(list, w) = place(list, w) ? list : list . " " . w
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
table = ""
lengthy = ""
loads = ""
costs = ""
lengths = ""
sinks = 0
heavy_rows = ""
mine(part) = strcol("part") eq part && column("repeats") > 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (mine("table") ? (table = add(table, strcol("setting")), loads = add(loads, strcol("sinks")), \
		heavy_rows = strcol("app") eq "heavy" ? heavy_rows . " " . strcol("cost_ms") : heavy_rows, \
		costs = strcol("app") eq "heavy" ? add(costs, strcol("cost_ms")) : costs, 0) : \
	mine("length") ? (lengthy = add(lengthy, strcol("setting")), lengths = add(lengths, strcol("cost_ms")), sinks = column("sinks"), 0) : 0):(0), 0
unset table
set autoscale
names = ""
do for [i = 1:words(order)] { if (place(table, word(order, i))) { names = names . " " . word(order, i) } }
curves = ""
do for [i = 1:words(order)] { if (place(lengthy, word(order, i))) { curves = curves . " " . word(order, i) } }
cost = ""
most = 0
do for [i = 1:words(costs)] {
	n = sum [k = 1:words(heavy_rows)] (word(heavy_rows, k) eq word(costs, i) ? 1 : 0)
	if (n > most) { most = n; cost = word(costs, i) }
}
n_names = words(names)
n_loads = words(loads)

# ---- every setting ----
if (n_names > 0) {
rows_high = 26.0
top = 50
bottom = 112
height = top + bottom + int(rows_high * n_names)
set terminal svg size 980,height
set output run . "/figures/settings.svg"
row(s) = n_names + 1 - place(names, s)
apart(l) = n_loads > 1 ? 0.34 * (0.5 - (place(loads, l) - 1.0) / (n_loads - 1)) : 0
at = 0
this(app) = mine("table") && strcol("app") eq app && (app eq "light" || strcol("cost_ms") eq cost)
here_row(app, l) = this(app) && strcol("sinks") eq l ? row(strcol("setting")) + apart(l) : NaN
late(c) = filled("latency_high_" . c . "_ms") ? column("latency_high_" . c . "_ms") : y("latency_" . c . "_ms")
end(c, e) = filled("latency_" . c . "_ms_" . e) ? column("latency_" . c . "_ms_" . e) : y("latency_" . c . "_ms")
end_share(c, e) = filled(c . "_" . e) ? column(c . "_" . e) : y(c)
colour(i) = i == 1 ? light_colour : i == 2 ? heavy_colour : i == 3 ? "#009E73" : "#CC79A7"
shape(i) = i == 1 ? 7 : i == 2 ? 5 : i == 3 ? 9 : 13
set multiplot
set tmargin at screen 1 - top * 1.0 / height
set bmargin at screen bottom * 1.0 / height
set yrange [0.4:n_names + 0.6]
set grid xtics noytics
set grid linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set border 1
unset key
set ytics scale 0
set ytics ()
do for [i = 1:n_names] { set ytics add (word(names, i) n_names + 1 - i) }
# a band behind every second row, so that the eye keeps its line
do for [i = 1:n_names] {
	if (i % 2 == 0) { set object i rectangle from graph 0, first n_names + 0.5 - i to graph 1, first n_names + 1.5 - i fillcolor rgb "#f5f5f5" fillstyle solid noborder behind }
}
set logscale x
set xtics ("3" 3, "10" 10, "30" 30, "100" 100, "300" 300, "1 s" 1000, "3 s" 3000, "10 s" 10000)
set xrange [5:200<*]
set xlabel "echo, ms after the key was due"
left_of(p) = p == 1 ? 0.135 : p == 2 ? 0.42 : p == 3 ? 0.715 : 0.86
right_of(p) = p == 1 ? 0.39 : p == 2 ? 0.69 : p == 3 ? 0.83 : 0.985
do for [p = 1:2] {
	app = p == 1 ? "light" : "heavy"
	set lmargin at screen left_of(p)
	set rmargin at screen right_of(p)
	set title (p == 1 ? "vim" : sprintf("an application that needs %g ms a key", real(cost eq "" ? "0" : cost)))
	if (p > 1) { unset ytics }
	set arrow 1 from threshold_ms, graph 0 to threshold_ms, graph 1 nohead dashtype 2 linecolor rgb line_colour back
	plot NaN notitle, \
		for [i = 1:n_loads] summary using (y("latency_p50_ms")):(here_row(app, word(loads, i))):(late("max") - y("latency_p50_ms")):(0) with vectors nohead linewidth 0.8 linecolor rgb colour(i) notitle, \
		for [i = 1:n_loads] summary using (end("p50", "low")):(here_row(app, word(loads, i))):(end("p50", "high") - end("p50", "low")):(0) with vectors nohead linewidth 3 linecolor rgb colour(i) notitle, \
		for [i = 1:n_loads] summary using (y("latency_p50_ms")):(here_row(app, word(loads, i))) with points pointtype shape(i) linecolor rgb colour(i) notitle
}
unset arrow
unset logscale
set xtics autofreq
set xtics 0, 50, 100
set xrange [-4:104]
do for [p = 3:4] {
	set lmargin at screen left_of(p)
	set rmargin at screen right_of(p)
	set title (p == 3 ? "keys coalesced" : "CPU the load kept")
	set xlabel "%"
	what = p == 3 ? "coalesced_percent" : "load_share_percent"
	plot NaN notitle, \
		for [i = 1:n_loads] summary using (end_share(what, "low")):(here_row("heavy", word(loads, i))):(end_share(what, "high") - end_share(what, "low")):(0) with vectors nohead linewidth 3 linecolor rgb colour(i) notitle, \
		for [i = 1:n_loads] summary using (y(what)):(here_row("heavy", word(loads, i))) with points pointtype shape(i) linecolor rgb colour(i) notitle
}
# The legend: a plot of its own with nothing in it.
unset title
unset xlabel
unset border
unset tics
unset grid
do for [i = 1:n_names] { unset object i }
set xrange [0:1]
set lmargin at screen 0.02
set rmargin at screen 0.98
set tmargin at screen 44.0 / height
set bmargin at screen 2.0 / height
set key at screen 0.5, 42.0 / height center top Left reverse horizontal maxrows 2 maxcols 99 samplen 1.5
plot for [i = 1:n_loads] NaN with points pointtype shape(i) linecolor rgb colour(i) title sprintf("beside %s sinks", word(loads, i)), \
	NaN with lines linewidth 3 linecolor rgb line_colour title "95 % of the median", \
	NaN with lines linewidth 0.8 linecolor rgb line_colour title "to the slowest key", \
	NaN with lines dashtype 2 linecolor rgb line_colour title sprintf("%g ms", threshold_ms)
unset multiplot
unset output
}

# ---- longer operations ----
if (words(curves) > 0) {
reset
load here . "/style.gp"
set datafile separator "\t"
set key autotitle columnheader
set terminal svg size 860,560
set output run . "/figures/length.svg"
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
curve_colours = "#000000 #0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9"
curve_colour(i) = word(curve_colours, 1 + (i - 1) % 7)
shape(i) = int(word("7 5 9 13 11 15 6", 1 + (i - 1) % 7))
n = words(curves)
shortest = 1e9
longest = 0
do for [i = 1:words(lengths)] {
	l = real(word(lengths, i))
	shortest = l < shortest ? l : shortest
	longest = l > longest ? l : longest
}
set title sprintf("Echo by length of the operation, beside %d sinks; keys slow enough for fair sharing to be done", sinks)
set logscale xy
set xlabel "CPU time of the operation, ms"
set ylabel "echo, ms after the key was due"
set xrange [shortest / 1.25:longest * 1.25]
set yrange [*:*]
set xtics ()
do for [i = 1:words(lengths)] { set xtics add (sprintf("%g", real(word(lengths, i))) real(word(lengths, i))) }
set ytics ("1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, "1 s" 1000, "2 s" 2000, "5 s" 5000, "10 s" 10000)
set lmargin at screen 0.085
set rmargin at screen 0.975
set bmargin at screen 0.28
set key at screen 0.085, 0.155 left top Left reverse horizontal maxcols 4 samplen 2.5 width 2
beside(i) = n > 1 ? 1 + 0.09 * ((i - 1.0) / (n - 1) - 0.5) : 1	# dots of one length stand beside each other
of(i) = strcol("part") eq "length" && strcol("setting") eq word(curves, i)
set samples 50
bare(x) = x + half_frame_ms
fair(x) = x * (sinks + 1) + half_frame_ms
plot NaN notitle, \
	[shortest:longest] bare(x) with lines dashtype 3 linecolor rgb line_colour title (half_frame_ms > 0 ? "its own CPU time and half a frame" : "its own CPU time"), \
	[shortest:longest] fair(x) with lines dashtype 2 linecolor rgb line_colour title sprintf("fair sharing: × %d", sinks + 1), \
	for [i = 1:n] cdf using (of(i) ? column("cost_ms") * beside(i) : NaN):(y("latency_ms")) with points pointtype 7 pointsize 0.25 linecolor rgb curve_colour(i) notitle, \
	for [i = 1:n] "< (head -n 1 '" . summary . "'; awk -F'\t' 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at[\"part\"] == \"length\"' '" . summary . "')" \
		using (of(i) ? column("cost_ms") * beside(i) : NaN):(y("latency_p50_ms")) with linespoints pointtype shape(i) linecolor rgb curve_colour(i) title word(curves, i)
unset output
}
