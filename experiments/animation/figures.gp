# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - load: network load by protocol and kind of animation; frame-bytes: bytes of a frame, when it is new and when it is
# repeated; bandwidth: over time, a panel for each condition, the page in the panel of its protocol's loop.

load engine . "/animations.gp"
systems = ""	# all conditions
loops = ""	# those with the loop
what = ""
least = most = last = 1.0
low_load = 0.1
high_load = 10.0
eval look("summary.tsv", 'column("repeats") > 0 ? (systems = add(systems, named(0)), what = add(what, strcol("shows")), ' \
	. 'loops = strcol("shows") eq "loop" ? add(loops, named(0)) : loops, v = y("mbit_per_s"), ' \
	. 'low_load = v > 0 ? less(low_load, v) : low_load, high_load = more(high_load, v)) : ""')
eval look("bandwidth.tsv", 'v = y("mbit_per_s"), least = v > 0 ? less(least, v) : least, most = more(most, v), ' \
	. 'last = more(last, y("time_s"))')
n = words(systems)
kinds = "page loop bar caret"
kind_colour(k) = colour(int(word("3 1 5 4", k)))
kind_words(k) = word("a\302\240page\302\240with\302\240animations the\302\240loop a\302\240progress\302\240bar a\302\240caret", k)

# ---- network load by kind of animation ----
eval figure("load", 270 + 26 * n, "Network load of what is shown, for one user", 6)
eval rows_of(systems)
set lmargin at screen 0.2
set logscale x
set xrange [low_load / 2:high_load * 2]
set format x "10^{%T}"
set ytics noenhanced
set xlabel "display data on the wire, Mbit/s"
eval upright(0.08, 1, line_colour, 2)
eval upright(2, 1, line_colour, 3)
least_load(k) = low("mbit_per_s") > 0 ? low("mbit_per_s") : low_load / 2
of_kind(k) = strcol("shows") eq word(kinds, k) && y("mbit_per_s") > 0 ? row_of(named(0)) : NaN
plot for [k = 1:4] data using (y("mbit_per_s")):(of_kind(k)):(least_load(k)):(high("mbit_per_s")) with xerrorbars \
		pointtype 0 linecolor rgb kind_colour(k) notitle, \
	for [k = 1:4] data using (y("mbit_per_s")):(of_kind(k)):(hover_ends("mbit_per_s", kind_words(k))) with labels hypertext \
		point pointtype shape(k) pointsize 1 linecolor rgb kind_colour(k) title place(what, word(kinds, k)) \
			? kind_words(k) : "", \
	NaN with lines linestyle dashed title "10 KB/s", \
	NaN with lines dashtype 3 linecolor rgb line_colour title "five users fill 10 Mbit/s"

# ---- bytes of a frame ----
if (words(loops) > 0) {
	eval figure("frame-bytes", 110 + 26 * words(loops), "Bytes on the wire for a frame of the loop, and for a new frame", 1)
	eval rows_of(loops)
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
}

# ---- bandwidth over time ----
moving = (place(what, "loop") || place(what, "page")) && n > 0
if (moving) {
	eval condition_panels("bandwidth", 200, "Bandwidth over time")
	set logscale y
	set xrange [0:last]
	every = last > 8 ? 5 : 1
	set xtics every
	of(shows, step) = named(0) eq word(systems, \
		i) && strcol("shows") eq shows && strcol("step") eq step && y("mbit_per_s") > 0 ? \
		y("mbit_per_s") : NaN
	do for [i = 1:n] {
		eval condition_panel(i, "seconds")
		plot "bandwidth.tsv" using "time_s":(of("loop", "fresh")) with lines linestyle heavy linewidth 1.6 notitle, \
			"bandwidth.tsv" using "time_s":(of("loop", "loop")) with lines linestyle light linewidth 1.6 notitle, \
			"bandwidth.tsv" using "time_s":(of("page", \
				"loop")) with lines linewidth 1.6 linecolor rgb kind_colour(1) notitle
	}
	eval legend_strip(3)
	plot NaN with lines linestyle heavy linewidth 1.6 title place(what, "loop") ? "new frames" : "", \
		NaN with lines linestyle light linewidth 1.6 title place(what, "loop") ? "the loop" : "", \
		NaN with lines linewidth 1.6 linecolor rgb kind_colour(1) title place(what, "page") ? "the page" : ""
}
