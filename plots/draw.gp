# SPDX-License-Identifier: GPL-3.0-or-later
# draw.gp - draws figures/NAME.svg of each figure that an experiment describes (analysis/draw.py), from the tables of this folder:
# figures, panels, tics, marks, curves, and curve-F-N with the places of curve N of figure F. Nothing of a table is executed: it is
# text or a number.
# Variable: layout, "wide" or "narrow".

if (!exists("layout")) { layout = "wide" }
set encoding utf8
set datafile separator "\t"
set datafile columnheaders
set style line 1 linecolor rgb "#666666" linewidth 0.8
set title font ",13"
set bars 0.6
set samples 2
set clip one
set clip two
unset key

# What the curves of a panel are drawn as: a list of their numbers for each kind, and their looks by number.
# (Of an empty list gnuplot draws nothing, but reads one all the same: curve-0-1. A point of type 0 with a text is not drawn by
# gnuplot 6.)
id(list, i) = i > words(list) ? 1 : int(word(list, i))
places(list, i) = sprintf("curve-%d-%d", i > words(list) ? 0 : f, id(list, i))
lines(t) = (lines_ = "", sum [i_ = 1:strlen(t)] (lines_ = lines_ . (t[i_:i_] eq "|" ? "\n" : t[i_:i_]), 0), lines_)
by(c) = column(c . "2") - column(c)
known(v) = v == v
in_figure(d) = strcol("layout") eq layout && column("figure") == f
in_panel(d) = in_figure(0) && column("panel") == p

stats "figures" using "figure" nooutput
figures = int(STATS_max)
stats "curves" using "curve" nooutput
array colour[int(STATS_max)]
array shape[int(STATS_max)]
array dash[int(STATS_max)]
array wide[int(STATS_max)]
array size[int(STATS_max)]
array level[int(STATS_max)]
# (id() names curve 1 also where a list is empty, as in a first figure without a curve)
colour[1] = "#000000"; shape[1] = 0; dash[1] = 1; wide[1] = 1; size[1] = 1; level[1] = NaN
array tic_axis[1000]
array tic_at[1000]
array tic_text[1000]
array mark_x[1000]
array mark_y[1000]
array mark_to[1000]
array mark_text[1000]
array mark_colour[1000]
array mark_dash[1000]

do for [f = 1:figures] {
	set autoscale
	unset logscale
	stats "figures" using (in_figure(0) ? (name = strcol("name"), width = column("width"), height = column("height"), \
		title = lines(strcol("title")), panels = column("panels"), 0) : 0) nooutput
	stats "curves" using (column("figure") == f ? (c_ = int(column("curve")), colour[c_] = strcol("colour"), \
		shape[c_] = int(column("shape")), dash[c_] = int(column("dash")), wide[c_] = column("width"), \
		size[c_] = column("size"), level[c_] = column("at"), 0) : 0) nooutput
	set terminal svg size width, height dynamic noenhanced font "sans-serif,13" linewidth 1.2 background rgb "white"
	set output (layout eq "narrow" ? "../figures/narrow/" : "../figures/") . name . ".svg"
	set multiplot title title font ",14"
	do for [p = 1:panels] {
		set autoscale
		unset logscale
		tics = marks = above = 0
		stats "panels" using (in_panel(0) ? (title = strcol("title"), x_label = strcol("x_label"), \
			y_label = strcol("y_label"), grid = strcol("grid"), frame = int(column("frame")), \
			left = column("left"), right = column("right"), top = column("top"), bottom = column("bottom"), \
			x_from = column("x_from"), x_to = column("x_to"), x_log = column("x_log"), x_step = column("x_step"), \
			y_from = column("y_from"), y_to = column("y_to"), y_log = column("y_log"), y_step = column("y_step"), \
			x_tics = strcol("x_tics"), y_tics = strcol("y_tics"), label_at = column("label_at"), 0) : 0) nooutput
		stats "panels" using (in_panel(0) ? (bands = strcol("band"), boxes = strcol("box"), \
			segments = strcol("segment"), runs = strcol("line"), steps = strcol("steps"), \
			impulses = strcol("impulse"), levels = strcol("level"), bars = strcol("bars"), \
			stems = strcol("stems"), spans = strcol("spans"), arrows = strcol("arrow"), bounds = strcol("bound"), \
			points = strcol("points"), hovers = strcol("hover"), labels = strcol("label"), \
			besides = strcol("beside"), entries = strcol("entry"), 0) : 0) nooutput
		stats "tics" using (in_panel(0) ? (tics = tics + 1, tic_axis[tics] = strcol("axis"), \
			tic_at[tics] = column("at"), tic_text[tics] = lines(strcol("text")), 0) : 0) nooutput
		stats "marks" using (in_panel(0) ? (marks = marks + 1, mark_x[marks] = column("x"), \
			mark_y[marks] = column("y"), mark_to[marks] = column("to"), mark_text[marks] = strcol("text"), \
			above = above || strlen(mark_text[marks]), mark_colour[marks] = strcol("colour"), \
			mark_dash[marks] = int(column("dash")), 0) : 0) nooutput

		unset label; unset arrow; unset object; unset grid; unset border
		set lmargin at screen left; set rmargin at screen right; set tmargin at screen top; set bmargin at screen bottom
		set title title offset 0, above ? 0.7 : -0.3
		set xlabel x_label textcolor rgb "#222222" offset 0, 0.3
		# (an axis label of gnuplot's own is left out where it would begin beyond the edge)
		if (strlen(y_label)) {
			set label y_label at screen label_at, screen (top + bottom) / 2 center rotate textcolor rgb "#222222"
		}
		if (frame) { set border frame linestyle 1 }
		set xtics autofreq nomirror out scale 0.6 norotate textcolor rgb "#333333"
		set ytics autofreq nomirror out scale 0.6 textcolor rgb "#333333"
		if (known(x_step)) { set xtics x_step }
		if (known(y_step)) { set ytics y_step }
		if (x_tics eq "list") { set xtics () }
		if (x_tics eq "turned") { set xtics () rotate by 40 right }
		if (y_tics eq "list") { set ytics () }
		if (x_tics eq "none") { unset xtics }
		if (y_tics eq "none") { unset ytics }
		if (x_tics eq "hidden") { set format x "" } else { set format x }
		do for [t = 1:tics] {
			if (tic_axis[t] eq "x") { set xtics add (tic_text[t] tic_at[t]) }
			if (tic_axis[t] eq "y") { set ytics add (tic_text[t] tic_at[t]) }
		}
		if (strstrt(grid, "x")) { set grid xtics linecolor rgb "#dddddd" linewidth 0.6 linetype 1 }
		if (strstrt(grid, "y")) { set grid ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1 }
		set xrange [x_from:x_to]
		set yrange [y_from:y_to]
		if (x_log) { set logscale x }
		if (y_log) { set logscale y }
		do for [m = 1:marks] {
			if (known(mark_x[m]) && known(mark_to[m])) {
				set object rectangle from mark_x[m], graph 0 to mark_to[m], graph 1 behind \
					fillcolor rgb mark_colour[m] fillstyle solid noborder
			}
			if (known(mark_y[m]) && known(mark_to[m])) {
				set object rectangle from graph 0, first mark_y[m] to graph 1, first mark_to[m] behind \
					fillcolor rgb mark_colour[m] fillstyle solid noborder
			}
			if (known(mark_x[m]) && !known(mark_to[m])) {
				# (lines that differ in their dashes alone would all have those of the first: one path of the SVG)
				if (mark_dash[m]) {
					set arrow from mark_x[m], graph 0 to mark_x[m], graph 1 nohead dashtype mark_dash[m] \
						linewidth 1 + 0.001 * mark_dash[m] linecolor rgb mark_colour[m]
				}
				if (x_tics eq "turned") {
					set label mark_text[m] at mark_x[m], graph 1 left rotate by 40 offset 0, 0.4 font ",11" \
						textcolor rgb mark_colour[m]
				} else {
					set label mark_text[m] at mark_x[m], graph 1 center offset 0, 0.6 font ",11" \
						textcolor rgb mark_colour[m]
				}
			}
		}

		plot NaN, \
			for [i = 1:words(bands)] places(bands, i) using "x":"low":"high" with filledcurves \
				fillstyle transparent solid 0.25 noborder linecolor rgb colour[id(bands, i)], \
			for [i = 1:words(boxes)] places(boxes, i) using "x":"y":"x":"x2":"y":"y2" with boxxyerror \
				fillstyle solid noborder linecolor rgb colour[id(boxes, i)], \
			for [i = 1:words(impulses)] places(impulses, i) using "x":"y" with impulses \
				linewidth wide[id(impulses, i)] linecolor rgb colour[id(impulses, i)], \
			for [i = 1:words(levels)] level[id(levels, i)] with lines noautoscale dashtype dash[id(levels, i)] \
				linewidth wide[id(levels, i)] linecolor rgb colour[id(levels, i)], \
			for [i = 1:words(segments)] places(segments, i) using "x":"y":(by("x")):(by("y")) with vectors nohead \
				dashtype dash[id(segments, i)] linewidth wide[id(segments, i)] \
				linecolor rgb colour[id(segments, i)], \
			for [i = 1:words(steps)] places(steps, i) using "x":"y" with steps dashtype dash[id(steps, i)] \
				linewidth wide[id(steps, i)] linecolor rgb colour[id(steps, i)], \
			for [i = 1:words(runs)] places(runs, i) using "x":"y" with lines dashtype dash[id(runs, i)] \
				linewidth wide[id(runs, i)] linecolor rgb colour[id(runs, i)], \
			for [i = 1:words(bars)] places(bars, i) using "x":"y":"low":"high" with yerrorbars \
				pointtype 0 linecolor rgb colour[id(bars, i)], \
			for [i = 1:words(stems)] places(stems, i) using "x":"low":(0):(column("high") - column("low")) \
				with vectors nohead linecolor rgb colour[id(stems, i)], \
			for [i = 1:words(spans)] places(spans, i) using "x":"y":"low":"high" with xerrorbars \
				pointtype 0 linecolor rgb colour[id(spans, i)], \
			for [i = 1:words(arrows)] places(arrows, i) using "x":"y":(by("x")):(by("y")) with vectors \
				filled head size screen 0.008, 25 linecolor rgb colour[id(arrows, i)], \
			for [i = 1:words(points)] places(points, i) using "x":"y" with points pointtype shape[id(points, i)] \
				pointsize size[id(points, i)] linecolor rgb colour[id(points, i)], \
			for [i = 1:words(hovers)] places(hovers, i) using "x":"y":"text" with labels hypertext point \
				pointtype shape[id(hovers, i)] ? shape[id(hovers, i)] : 7 \
				pointsize shape[id(hovers, i)] ? size[id(hovers, i)] : 0.1 \
				linecolor rgb colour[id(hovers, i)], \
			for [i = 1:words(bounds)] places(bounds, i) using "x":"y":("↑") with labels offset 0, 0.9 \
				textcolor rgb colour[id(bounds, i)], \
			for [i = 1:words(labels)] places(labels, i) using "x":"y":"text" with labels \
				offset 0, 0.7 font ",11" textcolor rgb "#333333", \
			for [i = 1:words(besides)] places(besides, i) using "x":"y":"text" with labels \
				left offset 0.5, 0 font ",11" textcolor rgb "#333333", \
			for [i = 1:words(entries)] places(entries, i) using "x":"y":"text" with labels \
				left textcolor rgb "#222222"
	}
	unset multiplot
	unset output
}
