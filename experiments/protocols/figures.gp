# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - work: bytes on the wire of each work, a panel for each, a bar for each protocol; key: bytes of a key.

protocols = works = ""
keyed = 0
eval look("summary.tsv", 'protocols = add(protocols, strcol("protocol")), shown = strcol("state") ne "failed", ' \
	. 'works = shown && place("text draw browse", strcol("what")) ? add(works, strcol("what")) : works, ' \
	. 'keyed = shown && strcol("what") eq "key" ? 1 : keyed')
n = words(protocols)
m = words(works)
title_of(w) = w eq "text" ? "editing a text" : w eq "draw" ? "drawing" : "looking at pages"
row(d) = row_of(strcol("protocol")) + d
of(what, state, c) = strcol("what") eq what && strcol("state") eq state ? y(c) : NaN
bar(low, high, from, to, looks) = sprintf('data using (0):(row(%g)):(%s):(%s):(row(%g)):(row(%g)) with boxxyerror ', \
	(low + high) / 2, from, to, low, high) . looks
set style fill solid noborder

# ---- bytes of each work ----
if (m > 0) {
	eval panels("work", 90 + m * (72 + 20 * n), 1, m, 36, "Bytes on the wire of the same work, MB")
	eval rows_of(protocols)
	set ytics noenhanced
	set xrange [0:*]
	mega(state, c) = of(w, state, c) / 1e6
	do for [k = 1:m] {
		w = word(works, k)
		eval panel(k, title_of(w))
		set lmargin at screen 0.15
		set rmargin at screen 0.9	# room for the number behind a bar that fills its panel
		input = 'mega("complete", "input_wire_bytes")'
		total = 'mega("complete", "total_wire_bytes")'
		eval "plot " . bar(-0.36, 0.36, "0", input, 'linecolor rgb heavy_colour notitle, ') \
			. bar(-0.36, 0.36, input, total, 'linecolor rgb light_colour notitle, ') \
			. bar(-0.36, 0.36, "0", 'mega("different", "total_wire_bytes")', 'linecolor rgb "#dddddd" notitle, ') \
			. sprintf('data using (%s):(row(0)):(sprintf("%%.3g", %s)) ', total, total) \
			. 'with labels left offset 0.4, 0 font ",11" textcolor rgb "#333333" notitle'
	}
	eval legend_strip(3)
	plot NaN with boxes linestyle heavy title "input", \
		NaN with boxes linestyle light title "display", NaN with boxes linecolor rgb "#dddddd" title "other work"
}

# ---- a key ----
if (keyed) {
	eval figure("key", 140 + 32 * n, "Bytes on the wire of a key and its response", 1)
	eval rows_of(protocols)
	set ytics noenhanced
	set lmargin at screen 0.15
	eval x_axis("0:*", "bytes per key")
	set key maxcols 4 maxrows 1 width -3
	part(low, high, from, to, paint, title) = bar(low, high, sprintf('key("%s")', from), sprintf('key("%s")', to), \
		sprintf('linecolor rgb "%s" title "%s"', paint, title))
	key(c) = c eq "0" ? 0 : of("key", "complete", c)
	eval "plot " . part(0.02, 0.38, "0", "input_payload_bytes", heavy_colour, "input: payload") . ", " \
		. part(0.02, 0.38, "input_payload_bytes", "input_wire_bytes", "#f0b890", "its headers") . ", " \
		. part(-0.38, -0.02, "0", "display_payload_bytes", light_colour, "display: payload") . ", " \
		. part(-0.38, -0.02, "display_payload_bytes", "display_wire_bytes", "#99c7e4", "its headers")
}
