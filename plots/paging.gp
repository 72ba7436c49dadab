# SPDX-License-Identifier: GPL-3.0-or-later
# paging.gp - the figures of experiments/paging.sh.
#
# gnuplot -c plots/paging.gp RUN [LIGHT [HEAVY [FLOOR_MS [THRESHOLD_MS]]]]
#   reads RUN/summary.tsv, runs.tsv and, where there is one, timeline.tsv; writes into RUN/figures:
#   first-key.svg   one line a cell: every run a dot, in memory, paged out, and kept in memory under pressure
#   timeline.svg    one run: the group's memory, what editor and terminal have in memory and in swap, their major faults, the key

run = ARG1
threshold_ms = ARGC > 4 ? real(ARG5) : 100

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
runs = run . "/runs.tsv"
timeline = run . "/timeline.tsv"
set datafile separator "\t"
set key autotitle columnheader
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
place(list, w) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)

# Cells in the order of the table, their labels, and the widest range.
session(s) = s eq "plain" ? "" : s eq "private" ? ", private copies" : ", " . s
swap(s) = s[1:5] eq "slow:" ? s[6:*] . " a read" : s eq "file" ? "swap file" : s
label_of(x_) = strcol("protocol") . ", " . swap(strcol("swap")) . session(strcol("session")) . ", " . strcol("method")
cells = ""
labels = ""
least = 1
most = 12000	# the slowest of 1999
kept_there = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (column("repeats") > 0 ? (cells = cells . " " . strcol("cell"), labels = labels . (strlen(labels) ? "|" : "") . label_of(0)) : "", 0):(0) with points
plot runs using (filled("first_key_ms") ? (most = column("first_key_ms") > most ? column("first_key_ms") : most, least = column("first_key_ms") < least ? column("first_key_ms") : least, \
	kept_there = strcol("state") eq "kept" ? 1 : kept_there) : 0, 0):(0) with points
unset table
set autoscale
n = words(cells)
label_at(i) = system("printf %s '" . labels . "' | cut -d'|' -f" . i)

# ---- every run ----
row_high = 24.0
old = 2	# rows of 1999
top = 24
bottom = 108
height = top + bottom + int(row_high * (n + old + 0.6))
set terminal svg size 900,height
set output run . "/figures/first-key.svg"
row(i) = n + old + 1.6 - i
set tmargin at screen 1 - top * 1.0 / height
set bmargin at screen bottom * 1.0 / height
set lmargin at screen 0.29
set rmargin at screen 0.975
set logscale x
set xrange [least < 1 ? 0.1 : 1:most * 1.3]
set yrange [0.3:n + old + 1.2]
set xtics ("0.1" 0.1, "0.3" 0.3, "1" 1, "3" 3, "10" 10, "30" 30, "100" 100, "300" 300, "1 s" 1000, "3 s" 3000, "10 s" 10000, "30 s" 30000)
set xlabel "echo of the first key, ms after it was due"
set border 1
set ytics scale 0
set ytics ()
do for [i = 1:n] { set ytics add (label_at(i) row(i)) }
set ytics add ("Linux, hardware of 1999" 2, "Windows NT TSE, 1999" 1)
do for [i = 1:n] {
	if (i % 2 == 0) { set object i rectangle from graph 0, first row(i) - 0.5 to graph 1, first row(i) + 0.5 fillcolor rgb "#f5f5f5" fillstyle solid noborder behind }
}
set grid xtics noytics
set grid linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set arrow 1 from threshold_ms, graph 0 to threshold_ms, graph 1 nohead dashtype 2 linecolor rgb line_colour back
unset key
set multiplot
kept_colour = "#009E73"
of(state) = strcol("state") eq state && place(cells, strcol("cell")) ? row(place(cells, strcol("cell"))) : NaN
middle(w) = place(cells, strcol("cell")) && filled(w . "_p50_ms") ? row(place(cells, strcol("cell"))) : NaN
bar(w, at) = middle(w) + at - 0.16
old_rows = "< printf 'row\\tleast\\tmean\\tmost\\n2\\t330\\t1170\\t3000\\n1\\t2430\\t4026\\t11850\\n'"
plot NaN notitle, \
	runs using (y("first_key_ms")):(of("in_memory") + 0.2) with points pointtype 7 pointsize 0.4 linecolor rgb light_colour notitle, \
	runs using (y("first_key_ms")):(of("paged_out") - 0.2) with points pointtype 7 pointsize 0.4 linecolor rgb heavy_colour notitle, \
	runs using (y("first_key_ms")):(of("kept") - 0.2) with points pointtype 7 pointsize 0.4 linecolor rgb kept_colour notitle, \
	summary using (y("in_memory_p50_ms")):(bar("in_memory", 0.2)):(0):(0.32) with vectors nohead linewidth 2.5 linecolor rgb light_colour notitle, \
	summary using (y("paged_out_p50_ms")):(bar("paged_out", -0.2)):(0):(0.32) with vectors nohead linewidth 2.5 linecolor rgb heavy_colour notitle, \
	summary using (y("kept_p50_ms")):(bar("kept", -0.2)):(0):(0.32) with vectors nohead linewidth 2.5 linecolor rgb kept_colour notitle, \
	old_rows using 2:1:($4 - $2):(0) with vectors nohead linewidth 1 linecolor rgb mark_colour notitle, \
	old_rows using 3:1 with points pointtype 2 linecolor rgb mark_colour notitle, \
	old_rows using (50):1 with points pointtype 6 linecolor rgb mark_colour notitle
# The legend: a plot of its own with nothing in it.
unset xlabel
unset border
unset tics
unset grid
unset arrow
unset logscale
do for [i = 1:n] { if (i % 2 == 0) { unset object i } }
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.02
set rmargin at screen 0.98
set tmargin at screen 54.0 / height
set bmargin at screen 2.0 / height
set key at screen 0.03, 50.0 / height left top Left reverse vertical maxrows 2 maxcols 99 samplen 1.5 width -9
if (kept_there) {
	plot NaN with points pointtype 7 pointsize 0.6 linecolor rgb light_colour title "in memory", NaN with points pointtype 7 pointsize 0.6 linecolor rgb heavy_colour title "paged out", \
		NaN with points pointtype 7 pointsize 0.6 linecolor rgb kept_colour title "protected, same pressure", NaN with lines linewidth 2.5 linecolor rgb line_colour title "median", \
		NaN with lines dashtype 2 linecolor rgb line_colour title sprintf("%g ms", threshold_ms), NaN with points pointtype 6 linecolor rgb mark_colour title "1999: in memory", \
		NaN with linespoints pointtype 2 linecolor rgb mark_colour title "1999: paged out (range, mean)"
} else {
	plot NaN with points pointtype 7 pointsize 0.6 linecolor rgb light_colour title "in memory", NaN with points pointtype 7 pointsize 0.6 linecolor rgb heavy_colour title "paged out", \
		NaN with lines linewidth 2.5 linecolor rgb line_colour title "median", \
		NaN with lines dashtype 2 linecolor rgb line_colour title sprintf("%g ms", threshold_ms), NaN with points pointtype 6 linecolor rgb mark_colour title "1999: in memory", \
		NaN with linespoints pointtype 2 linecolor rgb mark_colour title "1999: paged out (range, mean)"
}
unset multiplot
unset output

# ---- one run over time ----
if (int(system("wc -l <'" . timeline . "' 2>/dev/null || echo 0")) > 2) {
reset
load here . "/style.gp"
set datafile separator "\t"
set key autotitle columnheader
set terminal svg size 900,560
set output run . "/figures/timeline.svg"
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
first_echo = NaN
second_key = NaN
second_echo = NaN
begin = 0
end = 0
faults = 0
group_faults = 0
set xrange [*:*]
set table $unused
plot timeline using (strcol("event") eq "echo" ? (first_echo = column("time_ms")) : strcol("event") eq "second" ? (second_key = column("time_ms")) : strcol("event") eq "second_echo" ? (second_echo = column("time_ms")) : \
	(begin = column("time_ms") < begin ? column("time_ms") : begin, end = column("time_ms") > end ? column("time_ms") : end, faults = filled("major_faults") && column("time_ms") <= 0 ? column("major_faults") : faults, \
	group_faults = filled("group_major_faults") && column("time_ms") <= 0 ? column("group_major_faults") : group_faults), 0):(0) with points
unset table
around = first_echo == first_echo ? first_echo : 100
MB = 1048576.0
set multiplot
unset key
left_of(p) = p == 1 ? 0.095 : 0.565
right_of(p) = p == 1 ? 0.50 : 0.98
top_of(r) = r == 1 ? 0.90 : r == 2 ? 0.645 : 0.39
low_of(r) = r == 1 ? 0.71 : r == 2 ? 0.455 : 0.20
at(c) = strlen(strcol("event")) ? NaN : y(c) / MB
do for [p = 1:2] {
	scale = p == 1 ? 1000.0 : 1.0
	set lmargin at screen left_of(p)
	set rmargin at screen right_of(p)
	set xrange [p == 1 ? begin / scale : -0.35 * around : p == 1 ? end / scale : 1.6 * around]
	set arrow 1 from 0, graph 0 to 0, graph 1 nohead linecolor rgb line_colour front
	if (first_echo == first_echo) { set arrow 2 from first_echo / scale, graph 0 to first_echo / scale, graph 1 nohead dashtype 2 linecolor rgb line_colour front }
	if (second_key == second_key && (p == 1 || second_key < 1.6 * around)) { set arrow 3 from second_key / scale, graph 0 to second_key / scale, graph 1 nohead linecolor rgb mark_colour front } else { unset arrow 3 }
	do for [r = 1:3] {
		set tmargin at screen top_of(r)
		set bmargin at screen low_of(r)
		set yrange [0:*]
		if (r == 3) { set format x "%g"; set xlabel (p == 1 ? "seconds from the key" : "ms from the key") offset 0, 0.4 } else { set format x ""; unset xlabel }
		set title (r == 1 ? (p == 1 ? "the whole run" : "around the key") : "") offset 0, 0.3
		unset label
		if (r == 1) {
			set label 1 "key" at 0, graph 1.0 center offset 0, 0.5 textcolor rgb line_colour font ",11"
			if (p == 2 && first_echo == first_echo) { set label 2 sprintf("echo, %.3g ms", first_echo) at first_echo, graph 1.0 center offset 0, 0.5 textcolor rgb line_colour font ",11" }
		}
		if (p == 1) { set ylabel (r == 1 ? "server, MB" : r == 2 ? "editor and\nterminal, MB" : "major faults\nfrom the key on") } else { unset ylabel }
		if (r == 1) {
			plot timeline using (column("time_ms") / scale):(at("group_bytes")) with lines linewidth 1.5 linecolor rgb line_colour notitle, \
				timeline using (column("time_ms") / scale):(at("group_swap_bytes")) with lines linewidth 1.5 linecolor rgb heavy_colour notitle
		}
		if (r == 2) {
			plot timeline using (column("time_ms") / scale):(at("resident_bytes")) with lines linewidth 1.5 linecolor rgb light_colour notitle, \
				timeline using (column("time_ms") / scale):(at("swap_bytes")) with lines linewidth 1.5 linecolor rgb heavy_colour notitle
		}
		if (r == 3) {
			set yrange [0:*]
			plot timeline using (column("time_ms") / scale):(strlen(strcol("event")) ? NaN : column("major_faults") < faults ? 0 : column("major_faults") - faults) with steps linewidth 1.5 linecolor rgb "#CC79A7" notitle, \
				timeline using (column("time_ms") / scale):(strlen(strcol("event")) || !filled("group_major_faults") ? NaN : column("group_major_faults") < group_faults ? 0 : column("group_major_faults") - group_faults) with steps linewidth 1 linecolor rgb line_colour notitle
		}
	}
}
# The legend: a plot of its own with nothing in it.
unset title
unset xlabel
unset ylabel
unset border
unset tics
unset grid
unset arrow
unset label
set xrange [0:1]
set yrange [0:1]
set lmargin at screen 0.02
set rmargin at screen 0.98
set tmargin at screen 0.09
set bmargin at screen 0.01
set key at screen 0.06, 0.085 left top Left reverse vertical maxrows 2 maxcols 99 samplen 2
plot NaN with lines linewidth 1.5 linecolor rgb line_colour title "all that the server runs", NaN with lines linewidth 1.5 linecolor rgb light_colour title "editor and terminal in memory", \
	NaN with lines linewidth 1.5 linecolor rgb heavy_colour title "in swap", NaN with lines linewidth 1.5 linecolor rgb "#CC79A7" title "faults of editor and terminal"
unset multiplot
unset output
}
