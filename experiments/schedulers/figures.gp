# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - settings: a row for each setting with response times of both applications, coalesced keys, the load's CPU share;
# length: response time over the CPU time of the operation. From say.jq: settings (all, in order), cost_ms (of settings.svg).

systems = ""
eval look("summary.tsv", 'systems = add(systems, strcol("protocol"))')
several = words(systems) > 1
# several protocols have a row and a curve each
setting(d) = several ? strcol("protocol") . "/" . strcol("setting") : strcol("setting")
names = curves = loads = lengths = ""
hogs = 0
eval look("summary.tsv", 'y("repeats") > 0 ? (strcol("part") eq "table" ? (names = add(names, setting(0)), ' \
	. 'loads = add(loads, strcol("sinks"))) : ' \
	. '(curves = add(curves, setting(0)), lengths = add(lengths, strcol("cost_ms")), hogs = y("sinks"))) : 0')
systems_n = several ? words(systems) : 1
named(i) = (several ? word(systems, (i - 1) % systems_n + 1) . "/" : "") . word(settings, 1 + (i - 1) / systems_n)
in_order(list) = (ordered = "", sum [i = 1:words(settings) * systems_n] (place(list, named(i)) ? \
	(ordered = ordered . " " . named(i), 1) : 0), ordered)
names = in_order(names)
curves = in_order(curves)
n = words(names)
n_loads = words(loads)

if (n > 0) {
	eval panels("settings", 186 + 26 * n, 1, 1, 60, "")
	eval rows_of(names)
	set border 1
	do for [i = 2:n:2] { eval band(i, n + 1 - i) }	# shades every second row
	this(app) = strcol("part") eq "table" && y("repeats") > 0 && strcol("app") eq app && (app eq "light" || y("cost_ms") == cost_ms)
	apart(l) = n_loads > 1 ? 0.34 * (0.5 - (place(loads, l) - 1.0) / (n_loads - 1)) : 0
	row(app, l) = this(app) && strcol("sinks") eq l ? row_of(setting(0)) + apart(l) : NaN
	slowest(d) = filled("latency_high_max_ms") ? y("latency_high_max_ms") : y("latency_max_ms")
	set logscale x
	set xtics ("10" 10, "100" 100, "1 s" 1000, "10 s" 10000)
	set xrange [*<5:200<*]
	set xlabel "response time, ms"
	do for [p = 1:4] {
		app = p == 1 ? "light" : "heavy"
		eval inside(number_of(several ? "0.25 0.50 0.75 0.88" : "0.16 0.44 0.73 0.87", p), \
			number_of(several ? "0.48 0.73 0.855 0.985" : "0.41 0.70 0.84 0.985", p), 1 - 50.0 / figure_height, \
			128.0 / figure_height)
		set title (p == 1 ? app_light : p == 2 ? app_heavy : p == 3 ? "coalesced" : "load kept") font ",12"
		c = word("latency_p50_ms latency_p50_ms coalesced_percent load_share_percent", p)
		unset arrow
		if (p < 3) { eval upright(threshold_ms, 1, line_colour, 2) } else {
			unset logscale
			set xtics 0, 50, 100
			set xrange [-4:104]
			set xlabel "%"
		}
		if (p == 2) { unset ytics }
		plot NaN notitle, \
			for [i = 1:n_loads * (p < 3)] data using (y(c)):(row(app, word(loads, i))):(slowest(0) - y(c)):(0) \
				with vectors nohead linewidth 0.8 linecolor rgb colour(i) notitle, \
			for [i = 1:n_loads] data using (low(c)):(row(app, word(loads, i))):(high(c) - low(c)):(0) \
				with vectors nohead linewidth 3 linecolor rgb colour(i) notitle, \
			for [i = 1:n_loads] data using (y(c)):(row(app, word(loads, i))):(hover_ends(c, setting(0))) \
				with labels hypertext point pointtype shape(i) linecolor rgb colour(i) notitle
	}
	eval legend_strip(3)
	plot for [i = 1:n_loads] NaN with points pointtype shape(i) linecolor rgb colour(i) \
		title sprintf("with %s CPU hogs", word(loads, i)), \
		NaN with lines linewidth 3 linecolor rgb line_colour title "95 % interval", \
		NaN with lines linewidth 0.8 linecolor rgb line_colour title "to the slowest key"
}

if (words(curves) > 0) {
	n = words(curves)
	shortest = 1e9
	longest = 0
	do for [i = 1:words(lengths)] { shortest = less(shortest, number_of(lengths, i)); longest = more(longest, \
		number_of(lengths, i)) }
	eval figure("length", 580, sprintf("Response time by length of the operation, with %d CPU hogs", hogs), 2)
	set bmargin at screen 0.29
	set key at screen 0.085, 0.18 left top Left reverse vertical maxrows 4 maxcols 4 samplen 2.5 width 2
	set logscale xy
	eval x_axis("shortest / 1.25:longest * 1.25", "CPU time of the operation, ms")
	set ylabel "response time, ms"
	eval tics_at("x", lengths)
	set ytics ("1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, "1 s" 1000, "2 s" 2000, \
		"5 s" 5000, "10 s" 10000)
	beside(i) = n > 1 ? 1 + 0.09 * ((i - 1.0) / (n - 1) - 0.5) : 1	# moves dots of the same length apart
	at(i) = strcol("part") eq "length" && setting(0) eq word(curves, i) ? column("cost_ms") * beside(i) : NaN
	tone(i) = word("#000000 #0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9", 1 + (i - 1) % 7)
	command = 'plot NaN notitle, [shortest:longest] x + floor_ms with lines dashtype 3 linecolor rgb line_colour ' \
		. 'title "its own CPU time" ' \
		. '. (floor_ms > 0 ? " and " . floor_word : ""), ' \
		. '[shortest:longest] x * (hogs + 1) + floor_ms with lines linestyle dashed ' \
		. 'title sprintf("fair sharing: × %d", hogs + 1), ' \
		. 'for [i = 1:n] "cdf.tsv" using (at(i)):(y("latency_ms")) with points pointtype 7 pointsize 0.25 linecolor rgb tone(i) notitle'
	eval command . ', for [i = 1:n] data using (at(i)):(y("latency_p50_ms")) smooth unique with linespoints pointtype shape(i) ' \
		. 'linecolor rgb tone(i) title word(curves, i), for [i = 1:n] data using (x_ = at(i)):(there("latency_p50_ms")):' \
		. '(hover("latency_p50_ms", setting(0))) with labels hypertext point pointtype shape(i) linecolor rgb tone(i) notitle'
}
