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
eval figure("frame-bytes", 110 + 26 * n, "Bytes on the wire for a frame of the loop, and for a new frame")
set lmargin at screen 0.2
set logscale x
set format x "10^{%T}"
set grid xtics noytics
set ytics scale 0 ()
do for [i = 1:n] { set ytics add (word(systems, i) n + 1 - i) }
set ytics noenhanced
set yrange [0.4:n + 0.6]
set xlabel "bytes on the wire per frame seen"
eval legend_lines(1)
set key maxcols 2 maxrows 1 width 0
row(x_) = place(systems, named(0)) ? n + 1 - place(systems, named(0)) : NaN
plot data using (y("new_frame_wire_bytes")):(row(0)):(hover_ends("new_frame_wire_bytes", "a new frame")) with labels hypertext \
		point pointtype 7 pointsize 1.5 linecolor rgb heavy_colour title "a new frame", \
	data using (y("frame_wire_bytes")):(row(0)):(low("frame_wire_bytes")):(high("frame_wire_bytes")) with xerrorbars \
		pointtype 0 linecolor rgb light_colour notitle, \
	data using (y("frame_wire_bytes")):(row(0)):(hover_ends("frame_wire_bytes", "a frame of the loop")) with labels hypertext \
		point pointtype 5 pointsize 0.8 linecolor rgb light_colour title "a frame of the loop"

# ---- bandwidth as time goes by ----
if (n > 0) {
	across = n < 3 ? n : 3
	down = int((n + across - 1) / across)
	eval figure("bandwidth", 90 + 200 * down, "")
	eval panels(across, down, 36, "Bandwidth over time")
	unset logscale x
	set format x "%g"
	set logscale y
	set xrange [0:last]
	every = last > 8 ? 5 : 1
	set xtics every
	set yrange [least / 2:most * 2]
	eval mbit_tics
	of(i, step) = named(0) eq word(systems, i) && strcol("step") eq step && y("mbit_per_s") > 0 ? y("mbit_per_s") : NaN
	do for [i = 1:n] {
		set ylabel "Mbit/s" offset 1.5, 0
		if (i + across > n) { set xlabel "seconds" offset 0, 0.5 } else { unset xlabel }
		eval panel(i, word(systems, i))
		plot "bandwidth.tsv" using "time_s":(of(i, "fresh")) with lines linewidth 1.6 linecolor rgb heavy_colour notitle, \
			"bandwidth.tsv" using "time_s":(of(i, "loop")) with lines linewidth 1.6 linecolor rgb light_colour notitle
	}
	eval legend_strip(2)
	plot NaN with lines linewidth 1.6 linecolor rgb heavy_colour title "new frames", \
		NaN with lines linewidth 1.6 linecolor rgb light_colour title "the loop"
	unset multiplot
}
unset output
