# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - offset: measured minus injected time over the injected delay, one panel for each path.

paths = delays = ""
wire = 0
flat(s) = system("printf %s '" . s . "' | tr ' ' _")	# a word of a list has no blank
spaced(s) = system("printf %s '" . s . "' | tr _ ' '")
eval look("summary.tsv", 'strcol("delay") eq "all" ? 0 : (paths = add(paths, strcol("path")), delays = add(delays, ' \
	. 'flat(strcol("delay"))), wire = wire || strcol("probe") eq "wire")')
mine(probe) = strcol("path") eq word(paths, i) && strcol("probe") eq probe && strcol("delay") ne "all" && filled("offset_ms")
at(probe, by) = mine(probe) ? place(delays, flat(strcol("delay"))) + by * wire : NaN
of(probe, c) = mine(probe) ? y(c) : NaN	# NaN in every column, or the axis would make room for other panels' values
top(probe) = of(probe, "offset_ms") + (filled("tail_ms") ? y("tail_ms") : 0)

eval panels("offset", 460, words(paths) > 0 ? words(paths) : 1, 1, 90, "Offset of the probe: measured minus injected time")
set xrange [0.4:words(delays) + 0.6]
set xtics rotate by 40 right
set xtics ()
do for [i = 1:words(delays)] { set xtics add (spaced(word(delays, i)) i) }
set yrange [*<0:*]
offset(probe, by) = sprintf('data using (at("%s", %g)):(of("%s", "offset_ms"))', probe, by, probe)
ends_of(probe, by) = offset(probe, by) . sprintf(':(of("%s", "offset_min_ms")):(top("%s")) with yerrorbars ', probe, probe)
hover_of(probe, by) = offset(probe, by) . ':(hover("offset_ms", strcol("delay"))) with labels hypertext point '
patch = 'linestyle light notitle, '
on_wire = 'linestyle heavy notitle, '
do for [i = 1:words(paths)] {
	set ylabel "ms"
	eval panel(i, word(paths, i) eq "vnc-refecho" ? "vnc:refecho" : word(paths, i))
	eval "plot " . ends_of("patch", -0.12) . patch . ends_of("wire", 0.12) . on_wire . hover_of("patch", -0.12) . patch \
		. hover_of("wire", 0.12) . on_wire \
			. 'data using (at("patch", 0)):(y("floor_ms") > 0 ? of("patch", "floor_ms") : NaN) ' \
		. 'with lines linecolor rgb line_colour dashtype 3 notitle'
}
eval legend_strip(3)
plot NaN with points linestyle light title "from pixels", \
	NaN with points linestyle heavy title (wire ? "on the wire" : ""), \
	NaN with lines dashtype 3 linecolor rgb line_colour title "server's least wait"
