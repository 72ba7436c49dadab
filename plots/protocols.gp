# SPDX-License-Identifier: GPL-3.0-or-later
# protocols.gp - the figures of experiments/protocols.sh.
#
# gnuplot -c plots/protocols.gp RUN
#   reads RUN/summary.tsv; writes into RUN/figures (the folder must be there):
#   work.svg   bytes on the wire for each piece of work, input and display, one bar a protocol
#   key.svg    bytes on the wire of a key and its echo, payload and headers

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
set datafile separator "\t"
set key autotitle columnheader
input_colour = heavy_colour
display_colour = light_colour

# Protocols and pieces of work in the order of the table; of work what was measured somewhere.
place(list, w) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)
protocols = ""
works = ""
keyed = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
is_work(w) = w eq "text" || w eq "draw" || w eq "browse"
there(s) = s eq "complete" || s eq "different"
plot summary using (place(protocols, strcol("protocol")) ? 0 : (protocols = protocols . " " . strcol("protocol"), 0), \
	is_work(strcol("what")) && there(strcol("state")) && !place(works, strcol("what")) ? (works = works . " " . strcol("what"), 0) : 0, \
	strcol("what") eq "key" && there(strcol("state")) ? (keyed = 1) : 0, 0):(0) with points
unset table
set autoscale
n = words(protocols)
panels = words(works)
title_of(w) = w eq "text" ? "editing a text" : w eq "draw" ? "drawing" : "looking at pages"

row(p) = n + 1 - place(protocols, p)
bar(what, state, c) = strcol("what") eq what && strcol("state") eq state ? column(c) : NaN
set style fill solid noborder
set border 3
set grid xtics noytics
set ytics scale 0
set ytics ()
do for [i = 1:n] { set ytics add (word(protocols, i) n + 1 - i) }
set yrange [0.4:n + 0.6]
unset key

# ---- bytes for each piece of work ----
row_high = 20.0
head = 34.0
foot = 34.0
legend = 34.0
panel = head + foot + n * row_high
if (panels > 0) {
height = int(legend + panels * panel)
set terminal svg size 760,height
set output run . "/figures/work.svg"
set multiplot
set lmargin at screen 0.17
set rmargin at screen 0.9	# room for the figure behind a bar that fills its panel
do for [k = 1:panels] {
	w = word(works, k)
	set tmargin at screen 1 - ((k - 1) * panel + head) / height
	set bmargin at screen 1 - (k * panel - foot) / height
	set xrange [0:*]
	set label 1 title_of(w) . ", MB on the wire" at graph 0, 1 left offset 0, 0.7 font ",13"
	plot summary using (0):(row(strcol("protocol"))):(0):(bar(w, "complete", "input_wire_bytes") / 1e6):(row(strcol("protocol")) - 0.36):(row(strcol("protocol")) + 0.36) with boxxyerror linecolor rgb input_colour notitle, \
		summary using (bar(w, "complete", "input_wire_bytes") / 1e6):(row(strcol("protocol"))):(bar(w, "complete", "input_wire_bytes") / 1e6):(bar(w, "complete", "total_wire_bytes") / 1e6):(row(strcol("protocol")) - 0.36):(row(strcol("protocol")) + 0.36) \
			with boxxyerror linecolor rgb display_colour notitle, \
		summary using (0):(row(strcol("protocol"))):(0):(bar(w, "different", "total_wire_bytes") / 1e6):(row(strcol("protocol")) - 0.36):(row(strcol("protocol")) + 0.36) with boxxyerror linecolor rgb "#dddddd" notitle, \
		summary using (bar(w, "complete", "total_wire_bytes") / 1e6):(row(strcol("protocol"))):(sprintf("%.3g", bar(w, "complete", "total_wire_bytes") / 1e6)) with labels left offset 0.4, 0 font ",11" textcolor rgb "#333333" notitle
}
# The legend: a plot of its own with nothing in it.
unset label
unset border
unset tics
unset grid
set xrange [0:1]
set yrange [0:1]
set tmargin at screen legend / height
set bmargin at screen 0
set key at screen 0.17, (legend - 8) / height left top Left reverse vertical maxrows 1 maxcols 3 samplen 1.5 width -4
plot NaN with boxes linecolor rgb input_colour title "input (client to server)", NaN with boxes linecolor rgb display_colour title "display (server to client)", \
	NaN with boxes linecolor rgb "#dddddd" title "not the same work"
unset multiplot
unset output
}

# ---- a key ----
if (keyed) {
reset
load here . "/style.gp"
set datafile separator "\t"
set key autotitle columnheader
height = int(56 + n * row_high * 1.6 + 64)
set terminal svg size 760,height
set output run . "/figures/key.svg"
set lmargin at screen 0.17
set rmargin at screen 0.96
set tmargin at screen 1 - 14.0 / height
set bmargin at screen 96.0 / height
set style fill solid noborder
set grid xtics noytics
set ytics scale 0
set ytics ()
do for [i = 1:n] { set ytics add (word(protocols, i) n + 1 - i) }
set yrange [0.4:n + 0.6]
set xrange [0:*]
set xlabel "bytes on the wire for a key and its echo"
set key at screen 0.17, 34.0 / height left top Left reverse vertical maxrows 1 maxcols 4 samplen 1.5 width -3
of(c) = strcol("what") eq "key" && strcol("state") eq "complete" ? column(c) : NaN
y(d) = row(strcol("protocol")) + d
plot summary using (0):(y(0.2)):(0):(of("input_payload_bytes")):(y(0.02)):(y(0.38)) with boxxyerror linecolor rgb input_colour title "input: payload", \
	summary using (0):(y(0.2)):(of("input_payload_bytes")):(of("input_wire_bytes")):(y(0.02)):(y(0.38)) with boxxyerror linecolor rgb "#f0b890" title "its headers", \
	summary using (0):(y(-0.2)):(0):(of("display_payload_bytes")):(y(-0.38)):(y(-0.02)) with boxxyerror linecolor rgb display_colour title "display: payload", \
	summary using (0):(y(-0.2)):(of("display_payload_bytes")):(of("display_wire_bytes")):(y(-0.38)):(y(-0.02)) with boxxyerror linecolor rgb "#99c7e4" title "its headers"
unset output
}
