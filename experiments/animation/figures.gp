# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - bytes of a frame, new and again (frame-bytes), and bandwidth as time goes by (bandwidth: a panel for each condition).

load engine . "/animations.gp"
systems = ""
least = 1.0
most = 1.0
last = 1.0
eval look("summary.tsv", 'column("repeats") > 0 ? (systems = add(systems, named(0))) : ""')
eval look("bandwidth.tsv", 'v = y("mbit_per_s"), least = v > 0 ? less(least, v) : least, most = more(most, v), ' \
	. 'last = more(last, y("time_s"))')
n = words(systems)

# ---- bytes of a frame ----
eval figure("frame-bytes", 110 + 26 * n, "Bytes on the wire for a frame of the loop, and for a new frame", 1)
eval rows_of(systems)
set lmargin at screen 0.2
set logscale x
set format x "10^{%T}"
set ytics noenhanced
set xlabel "bytes on the wire per frame seen"
set key maxcols 2 maxrows 1 width 0
frame(c, name, looks) = sprintf('data using (y("%s")):(row_of(named(0))):(hover_ends("%s", "%s")) ', c, c, name) \
	. sprintf('with labels hypertext point %s title "%s"', looks, name)
eval "plot " . frame("new_frame_wire_bytes", "a new frame", "pointtype 7 pointsize 1.5 linecolor rgb heavy_colour") \
	. ', data using (y("frame_wire_bytes")):(row_of(named(0))):(low("frame_wire_bytes")):(high("frame_wire_bytes")) ' \
	. 'with xerrorbars pointtype 0 linecolor rgb light_colour notitle, ' \
	. frame("frame_wire_bytes", "a frame of the loop", "pointtype 5 pointsize 0.8 linecolor rgb light_colour")

# ---- bandwidth as time goes by ----
if (n > 0) {
	eval condition_panels("bandwidth", 200, "Bandwidth over time")
	set logscale y
	set xrange [0:last]
	every = last > 8 ? 5 : 1
	set xtics every
	of(step) = named(0) eq word(systems, i) && strcol("step") eq step && y("mbit_per_s") > 0 ? y("mbit_per_s") : NaN
	do for [i = 1:n] {
		eval condition_panel(i, "seconds")
		plot "bandwidth.tsv" using "time_s":(of("fresh")) with lines linestyle heavy linewidth 1.6 notitle, \
			"bandwidth.tsv" using "time_s":(of("loop")) with lines linestyle light linewidth 1.6 notitle
	}
	eval legend_strip(2)
	plot NaN with lines linestyle heavy linewidth 1.6 title "new frames", \
		NaN with lines linestyle light linewidth 1.6 title "the loop"
}
