# SPDX-License-Identifier: GPL-3.0-or-later
# stages.gp - where the time of a key goes: one bar a load, one panel an application.
#
# gnuplot -c plots/stages.gp RUN [LIGHT [HEAVY]]
#   reads RUN/stages.tsv, writes RUN/figures/stages.svg (the folder must be there)
#   LIGHT, HEAVY   what the applications are called
#
# Bars are means, because these add up to the mean latency; from_ms and to_ms are where a stage begins and ends.

run = ARG1
light = ARGC > 1 ? ARG2 : "light"
heavy = ARGC > 2 ? ARG3 : "heavy"

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

stages = run . "/stages.tsv"
set datafile separator "\t"
set key autotitle columnheader

names = "due_sent sent_wire wire_app app_drawn drawn_wire wire_wire wire_pixels"
colours = "#bbbbbb #56B4E9 #009E73 #D55E00 #0072B2 #CC79A7 #E69F00"
array says[7] = ["due → sent", "sent → on the wire", "on the wire → in the application", "in the application → drawn", "drawn → reply on the wire", "on the wire → reply on the wire", "reply on the wire → pixels"]

# One look at the table: which applications, loads and stages there are, and how long the longest bar is.
apps = ""
loads = ""
there = ""
listed(list, w) = strstrt(list . " ", " " . w . " ") > 0
note_app(a) = (apps = listed(apps, a) ? apps : apps . " " . a, 0)
note_load(l) = (loads = listed(loads, l) ? loads : loads . " " . l, 0)
note_stage(s) = (there = listed(there, s) ? there : there . " " . s, 0)
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot stages using (note_app(strcol("app")), note_load(strcol("sinks")), note_stage(strcol("stage")), 0):(0), 0
unset table
place(l) = (sum [i = 1:words(loads)] (word(loads, i) eq l ? i : 0))
apps = (listed(apps, "light") ? "light " : "") . (listed(apps, "own") ? "own " : "") . (listed(apps, "heavy") ? "heavy" : "")
titled(a) = a eq "light" ? light : a eq "heavy" ? heavy : strlen(heavy) ? heavy : light

set terminal svg size 760,480
set output run . "/figures/stages.svg"
unset key
set grid noytics xtics
set yrange [words(loads) + 0.6 : 0.4]
set xlabel "ms after the key was due, mean of all keys"
set xrange [0:*]
wide = (0.9 - 0.075 * (words(apps) - 1)) / words(apps)
set style fill solid 1.0 noborder
set multiplot title "Where the time of a key goes" font ",14"
set tmargin at screen 0.8
set bmargin at screen 0.4
set ytics ()
do for [i = 1:words(loads)] { set ytics add (word(loads, i) i) }
set ylabel "sinks"
do for [p = 1:words(apps)] {
	set lmargin at screen 0.085 + (p - 1) * (wide + 0.075)
	set rmargin at screen 0.085 + (p - 1) * (wide + 0.075) + wide
	set title titled(word(apps, p)) offset 0, 0.3
	if (p > 1) { unset ylabel }
	ms(c, s) = strcol("app") eq word(apps, p) && strcol("stage") eq word(names, s) ? column(c) : NaN
	plot for [s = 1:words(names)] stages using (ms("from_ms", s)):(place(strcol("sinks"))):(ms("from_ms", s)):(ms("to_ms", s)):(place(strcol("sinks")) - 0.32):(place(strcol("sinks")) + 0.32) \
		with boxxyerror linecolor rgb word(colours, s) notitle
}
# One legend for all panels: a plot of its own with nothing in it.
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
set tmargin at screen 0.25
set bmargin at screen 0.02
set key at screen 0.1, 0.25 left top Left reverse vertical maxcols 2 samplen 1.5 width 2
plot for [s = 1:words(names)] NaN with boxes linecolor rgb word(colours, s) title (listed(there, word(names, s)) ? says[s] : "")
unset multiplot
unset output
