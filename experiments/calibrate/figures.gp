# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - offset: measured minus injected time by injected delay, one panel a path.

paths = ""
delays = ""
wire = 0
flat(s) = system("printf %s '" . s . "' | tr ' ' _")	# a word of a list has no blank
spaced(s) = system("printf %s '" . s . "' | tr _ ' '")
eval look("summary.tsv", 'strcol("delay") eq "all" ? 0 : (paths = add(paths, strcol("path")), delays = add(delays, flat(strcol("delay"))), ' \
	. 'wire = wire || strcol("probe") eq "wire")')
n = words(paths) > 0 ? words(paths) : 1
mine(i, probe) = strcol("path") eq word(paths, i) && strcol("probe") eq probe && strcol("delay") ne "all" && filled("offset_ms")
at(i, probe) = mine(i, probe) ? place(delays, flat(strcol("delay"))) + (!wire ? 0 : probe eq "patch" ? -0.12 : 0.12) : NaN
of(i, probe, c) = mine(i, probe) ? y(c) : NaN	# all of a row, or the axis would make room for other panels' values
top(i, probe) = of(i, probe, "offset_ms") + (filled("tail_ms") ? y("tail_ms") : 0)

eval figure("offset", 460, "")
eval panels(n, 1, 90, "Offset of the probe: measured minus injected time")
set xrange [0.4:words(delays) + 0.6]
set xtics rotate by 40 right
set xtics ()
do for [i = 1:words(delays)] { set xtics add (spaced(word(delays, i)) i) }
set yrange [*<0:*]
do for [i = 1:words(paths)] {
	set ylabel "ms"
	eval panel(i, word(paths, i) eq "vnc-refecho" ? "vnc:refecho" : word(paths, i))
	plot for [p in "patch wire"] data using (at(i, p)):(of(i, p, "offset_ms")):(of(i, p, "offset_min_ms")):(top(i, p)) \
		with yerrorbars \
			linecolor rgb (p eq "patch" ? light_colour : heavy_colour) pointtype (p eq "patch" ? 7 : 5) notitle, \
		for [p in "patch wire"] data using (at(i, p)):(of(i, p, "offset_ms")):(hover("offset_ms", strcol("delay"))) \
			with labels hypertext \
			point linecolor rgb (p eq "patch" ? light_colour : heavy_colour) pointtype (p eq "patch" ? 7 : 5) notitle, \
		data using (mine(i, "patch") ? place(delays, flat(strcol("delay"))) : NaN):(mine(i, "patch") && y("floor_ms") > 0 \
			? y("floor_ms") : NaN) \
			with lines linecolor rgb line_colour dashtype 3 notitle
}
eval legend_strip(3)
plot NaN with points pointtype 7 linecolor rgb light_colour title "from pixels", \
	NaN with points pointtype 5 linecolor rgb heavy_colour title (wire ? "on the wire" : ""), \
	NaN with lines dashtype 3 linecolor rgb line_colour title "server's least wait"
unset multiplot
unset output
