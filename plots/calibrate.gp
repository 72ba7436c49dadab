# SPDX-License-Identifier: GPL-3.0-or-later
# calibrate.gp - the figure of experiments/calibrate.sh.
#
# gnuplot -c plots/calibrate.gp RUN
#   reads RUN/summary.tsv, writes RUN/figures/offset.svg (the folder must be there): offset by injected delay, one panel a path

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
set datafile separator "\t"
set key autotitle columnheader

# Which paths and delays there are, in the order of the table.
paths = ""
delays = ""
has_wire = 0
rows = 0
place(list, word_) = sum [i = 1:words(list)] (word(list, i) eq word_ ? i : 0)
flat(s) = system("printf %s '" . s . "' | tr ' ' _")
add(list, w) = place(list, w) ? list : list . " " . w
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (strcol("delay") eq "all" ? 0 : (paths = add(paths, strcol("path")), delays = add(delays, flat(strcol("delay"))), \
	has_wire = has_wire || strcol("probe") eq "wire", rows = rows + 1)):(0) with points
unset table
set autoscale
unset xrange
unset yrange

filled(c) = strlen(strcol(c)) > 0
mine(p, probe) = strcol("path") eq p && strcol("probe") eq probe && strcol("delay") ne "all" && filled("offset_ms")
x(shift) = place(delays, flat(strcol("delay"))) + shift
of(p, probe, c) = mine(p, probe) ? column(c) : NaN	# all of a row, or the axis would make room for other panels' values
high(p, probe) = of(p, probe, "offset_ms") + (filled("tail_ms") ? column("tail_ms") : 0)

set output run . "/figures/offset.svg"
n = words(paths) > 0 ? words(paths) : 1
set terminal svg size 760,420
set title offset 0, 0
unset key
set multiplot layout 1, n margins 0.09, 0.98, 0.28, 0.90 spacing 0.09, 0
set xrange [0.4:words(delays) + 0.6]
set xtics rotate by 40 right
set xtics ()
do for [i = 1:words(delays)] {
	label = word(delays, i)
	spaced = ""
	do for [c = 1:strlen(label)] { spaced = spaced . (label[c:c] eq "_" ? " " : label[c:c]) }
	set xtics add (spaced i)
}
do for [i = 1:words(paths)] {
	p = word(paths, i)
	set title (p eq "vnc-refecho" ? "vnc:refecho" : p) noenhanced
	if (i == 1) { set ylabel "measured − injected, ms" } else { unset ylabel }
	if (i == n && has_wire) { set key at graph 1, 1.0 right top Right noreverse vertical maxcols 1 }
	set yrange [*<0:*]
	plot summary using (mine(p, "patch") ? x(has_wire ? -0.12 : 0) : NaN):(of(p, "patch", "offset_ms")):(of(p, "patch", "offset_min_ms")):(high(p, "patch")) \
			with yerrorbars linecolor rgb light_colour pointtype 7 title "from pixels", \
		summary using (mine(p, "wire") ? x(0.12) : NaN):(of(p, "wire", "offset_ms")):(of(p, "wire", "offset_min_ms")):(high(p, "wire")) \
			with yerrorbars linecolor rgb heavy_colour pointtype 5 title (has_wire ? "on the wire" : ""), \
		summary using (mine(p, "patch") ? x(0) : NaN):(mine(p, "patch") && filled("floor_ms") && column("floor_ms") > 0 ? column("floor_ms") : NaN) \
			with lines linecolor rgb line_colour dashtype 3 title ""
}
unset multiplot
