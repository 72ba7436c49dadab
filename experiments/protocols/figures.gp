# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - bytes on the wire of each piece of work (work: a panel for each, a bar for each protocol), and of a key (key).

protocols = ""
works = ""
keyed = 0
eval look("summary.tsv", 'protocols = add(protocols, strcol("protocol")), shown = strcol("state") ne "failed", ' \
	. 'works = shown && place("text draw browse", strcol("what")) ? add(works, strcol("what")) : works, ' \
	. 'keyed = shown && strcol("what") eq "key" ? 1 : keyed')
n = words(protocols)
m = words(works)
title_of(w) = w eq "text" ? "editing a text" : w eq "draw" ? "drawing" : "looking at pages"
row(d) = n + 1 - place(protocols, strcol("protocol")) + d
of(what, state, c) = strcol("what") eq what && strcol("state") eq state ? y(c) : NaN
mega(what, state, c) = of(what, state, c) / 1e6
rows = 'set ytics scale 0 (); do for [i = 1:n] { set ytics add (word(protocols, i) n + 1 - i) }; ' \
	. 'set yrange [0.4:n + 0.6]; set grid xtics noytics'
set style fill solid noborder

# ---- bytes of each piece of work ----
if (m > 0) {
	eval figure("work", 90 + m * (72 + 20 * n), "")
	eval panels(1, m, 36, "Bytes on the wire of the same work, MB")
	eval rows
	set ytics noenhanced
	set xrange [0:*]
	do for [k = 1:m] {
		w = word(works, k)
		eval panel(k, title_of(w))
		set lmargin at screen 0.15
		set rmargin at screen 0.9	# room for the number behind a bar that fills its panel
		plot data using (0):(row(0)):(0):(mega(w, "complete", "input_wire_bytes")):(row(-0.36)):(row(0.36)) \
				with boxxyerror linecolor rgb heavy_colour notitle, \
			data using (0):(row(0)):(mega(w, "complete", "input_wire_bytes")):(mega(w, "complete", "total_wire_bytes")): \
				(row(-0.36)):(row(0.36)) with boxxyerror linecolor rgb light_colour notitle, \
			data using (0):(row(0)):(0):(mega(w, "different", "total_wire_bytes")):(row(-0.36)):(row(0.36)) \
				with boxxyerror linecolor rgb "#dddddd" notitle, \
			data using (mega(w, "complete", "total_wire_bytes")):(row(0)):(sprintf("%.3g", mega(w, "complete", "total_wire_bytes"))) \
				with labels left offset 0.4, 0 font ",11" textcolor rgb "#333333" notitle
	}
	eval legend_strip(3)
	plot NaN with boxes linecolor rgb heavy_colour title "input", \
		NaN with boxes linecolor rgb light_colour title "display", NaN with boxes linecolor rgb "#dddddd" title "other work"
	unset multiplot
}

# ---- a key ----
if (keyed) {
	eval figure("key", 140 + 32 * n, "Bytes on the wire of a key and its response")
	eval legend_lines(1)
	eval rows
	set ytics noenhanced
	set lmargin at screen 0.15
	set xrange [0:*]
	set xlabel "bytes per key"
	set key maxcols 4 maxrows 1 width -3
	part(low, high, from, to, paint, title) = sprintf('data using (0):(row(%g)):(key("%s")):(key("%s")):(row(%g)):(row(%g)) ', \
		(low + high) / 2, from, to, low, high) . sprintf('with boxxyerror linecolor rgb "%s" title "%s"', paint, title)
	key(c) = c eq "0" ? 0 : of("key", "complete", c)
	eval "plot " . part(0.02, 0.38, "0", "input_payload_bytes", heavy_colour, "input: payload") . ", " \
		. part(0.02, 0.38, "input_payload_bytes", "input_wire_bytes", "#f0b890", "its headers") . ", " \
		. part(-0.38, -0.02, "0", "display_payload_bytes", light_colour, "display: payload") . ", " \
		. part(-0.38, -0.02, "display_payload_bytes", "display_wire_bytes", "#99c7e4", "its headers")
}
unset output
