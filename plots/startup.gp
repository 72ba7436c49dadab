# SPDX-License-Identifier: GPL-3.0-or-later
# startup.gp - the figures of experiments/startup.sh.
#
# gnuplot -c plots/startup.gp RUN
#   reads RUN/summary.tsv and, where it is there, RUN/write.tsv (swap, bytes a second); writes RUN/figures/start-used.svg and start-left.svg
#   (start-up against pressure, one panel an application, one curve a swap device), file-time.svg (what pressure adds, beside its input and
#   output alone) and e.svg. Only starts with files in memory are drawn (of a run that has none, those from disk).

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
set datafile separator "\t"
set key autotitle columnheader

place(list, word_) = sum [i = 1:words(list)] (word(list, i) eq word_ ? i : 0)
add(list, w) = place(list, w) ? list : strlen(list) ? list . " " . w : w
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
measured(x) = column("repeats") > 0 && filled("startup_ms")
apps = ""
kinds = ""
swaps = ""
used = ""
left = ""
with_e = 0
with_io = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (measured(0) ? (apps = add(apps, strcol("app")), kinds = add(kinds, strcol("start")), 0) : 0):(0), 0
start = place(kinds, "warm") ? "warm" : word(kinds, 1)
mine(axis) = measured(0) && strcol("start") eq start && strcol("axis") eq axis
plot summary using (mine("used") || mine("left") ? (swaps = add(swaps, strcol("swap")), with_io = filled("t_io_ms") ? 1 : with_io, with_e = filled("e") ? 1 : with_e, \
		used = strcol("axis") eq "used" ? add(used, strcol("step")) : used, left = strcol("axis") eq "left" ? add(left, strcol("step")) : left) : 0, 0):(0), 0
unset table
set autoscale
n_apps = words(apps)
n_swaps = words(swaps)

# Devices have colours, and so do applications where one figure holds them all.
swap_colours = light_colour . " " . heavy_colour . " #009E73 #CC79A7"
swap_colour(i) = word(swap_colours, 1 + (i - 1) % 4)
swap_shape(i) = int(word("7 5 9 13", 1 + (i - 1) % 4))
swap_dash(i) = i > 1 ? 2 : 1
app_colours = "#0072B2 #D55E00 #009E73 #CC79A7 #E69F00 #56B4E9 #000000"
app_colour(i) = word(app_colours, 1 + (i - 1) % 7)
swap_name(s) = s eq "file" ? "swap on a fast file" : s[1:5] eq "slow:" ? "swap that takes " . s[6:] . " a read" : "swap on " . s
short_name(s) = s eq "file" ? "fast file" : s[1:5] eq "slow:" ? s[6:] . " a read" : s

# Each figure begins with the common looks.
fresh = 'reset; load here . "/style.gp"; set datafile separator "\t"; set key autotitle columnheader'

cols = n_apps > 1 ? 2 : 1
rows_ = int((n_apps + cols - 1) / cols)
panel_high = 262.0
head = 18.0
foot = 62.0
high = head + foot + panel_high * rows_
col(i) = (i - 1) % cols
row(i) = int((i - 1) / cols)
left_of(i) = cols == 1 ? 0.085 : 0.085 + 0.495 * col(i)
right_of(i) = cols == 1 ? 0.975 : left_of(i) + 0.40
top_of(i) = 1 - (head + 26 + panel_high * row(i)) / high
bottom_of(i) = 1 - (head + panel_high * (row(i) + 1) - 46) / high
seconds_tics = 'set ytics ("1 ms" 1, "2 ms" 2, "5 ms" 5, "10 ms" 10, "20 ms" 20, "50 ms" 50, "0.1 s" 100, "0.2 s" 200, "0.5 s" 500, "1 s" 1000, "2 s" 2000, "5 s" 5000, "10 s" 10000, "20 s" 20000, "50 s" 50000, "100 s" 100000)'
above(s) = strcol("swap") eq s
of(app, axis, s) = mine(axis) && strcol("app") eq app && strcol("swap") eq s
low(c) = filled(c . "_low") ? column(c . "_low") : y(c)
top(c) = filled(c . "_high") ? column(c . "_high") : y(c)
# T0, and the largest time, of an application
t0 = NaN
most = 0
least = NaN
# An interval of three repeats may reach far: the panel shows what was measured, and cuts it.
bounds = 'unset logscale; set table $unused; set xrange [-1:1]; set yrange [-1:1]; t0 = NaN; most = 0; least = NaN; \
	plot summary using (strcol("app") eq app && measured(0) && strcol("start") eq start && (strcol("axis") eq axis || strcol("axis") eq "none") ? \
	(t0 = filled("t0_ms") ? column("t0_ms") : t0, most = column("startup_ms_max") > most ? column("startup_ms_max") : most, \
	least = least == least && least < column("startup_ms_min") ? least : column("startup_ms_min")) : 0, 0):(0), 0; unset table; set autoscale'

# Swap in use from 0 on; memory left by doublings, less to the right.
smallest(list) = words(list) == 1 ? real(word(list, 1)) : (real(word(list, 1)) < smallest(list[strlen(word(list, 1)) + 2:]) ? real(word(list, 1)) : smallest(list[strlen(word(list, 1)) + 2:]))
largest(list) = words(list) == 1 ? real(word(list, 1)) : (real(word(list, 1)) > largest(list[strlen(word(list, 1)) + 2:]) ? real(word(list, 1)) : largest(list[strlen(word(list, 1)) + 2:]))
x_range = 'if (axis eq "left") { set logscale x; set xrange [largest(left) * 1.15:smallest(left) / 1.15] } else { unset logscale x; set xrange [0:largest(used) * 1.05] }'
do for [figure = 1:2] {
	axis = figure == 1 ? "used" : "left"
	steps = figure == 1 ? used : left
	if (words(steps) > 0) {
		set output run . "/figures/start-" . axis . ".svg"
		set terminal svg size 860,int(high)
		set multiplot
		do for [i = 1:n_apps] {
			app = word(apps, i)
			eval bounds
			set lmargin at screen left_of(i)
			set rmargin at screen right_of(i)
			set tmargin at screen top_of(i)
			set bmargin at screen bottom_of(i)
			set title app noenhanced offset 0, -0.6
			set logscale y
			eval seconds_tics
			set yrange [least * 0.7:most * 1.5]
			set xtics ()
			do for [k = 1:words(steps)] { set xtics add (word(steps, k) real(word(steps, k))) }
			eval x_range
			set xlabel (row(i) == rows_ - 1 || i + cols > n_apps ? (figure == 1 ? "MB of the hog in swap" : "memory left, % of the application's at rest") : "")
			set ylabel (col(i) == 0 ? "start-up" : "") offset 1.5, 0
			unset key
			plot t0 with lines dashtype 2 linecolor rgb line_colour notitle, \
				for [s = 1:n_swaps] summary using (of(app, axis, word(swaps, s)) ? column("step") : NaN):(y("startup_ms")):(low("startup_ms")):(top("startup_ms")) \
					with yerrorbars pointtype swap_shape(s) linecolor rgb swap_colour(s) notitle, \
				for [s = 1:n_swaps] summary using (of(app, axis, word(swaps, s)) ? column("step") : NaN):(y("startup_ms")) with lines linecolor rgb swap_colour(s) notitle, \
				for [s = 1:n_swaps] summary using (of(app, axis, word(swaps, s)) && column("startup_ms_above") > 0 ? column("step") : NaN):(y("startup_ms") * 1.25) \
					with points pointtype 8 linecolor rgb swap_colour(s) notitle
		}
		unset logscale
		unset title
		unset xlabel
		unset ylabel
		unset border
		unset tics
		unset grid
		set xrange [0:1]
		set yrange [0:1]
		set lmargin at screen 0.02
		set rmargin at screen 0.98
		set tmargin at screen foot / high
		set bmargin at screen 0.0
		set key at screen 0.5, (foot - 24) / high center top Left reverse horizontal maxrows 1 maxcols 9 samplen 2
		plot for [s = 1:n_swaps] NaN with linespoints pointtype swap_shape(s) linecolor rgb swap_colour(s) title swap_name(word(swaps, s)), \
			NaN with lines dashtype 2 linecolor rgb line_colour title "without pressure (T0)", \
			NaN with points pointtype 8 linecolor rgb line_colour title "later than that"
		unset multiplot
		unset output
		eval fresh
	}
}

# ---- what pressure adds, beside its input and output alone ----
if (words(used) + words(left) > 0 && with_io) {
	rate_of(s) = real(system("awk -F'\\t' -v s='" . s . "' '$1 == s { print $2 }' '" . run . "/write.tsv' 2>/dev/null") . "0") / 10
	array rates[n_swaps > 0 ? n_swaps : 1]
	do for [s = 1:n_swaps] { rates[s] = rate_of(word(swaps, s)) }
	axis = words(used) > 0 ? "used" : "left"
	steps = words(used) > 0 ? used : left
	set output run . "/figures/file-time.svg"
	set terminal svg size 860,int(high)
	set multiplot
	do for [i = 1:n_apps] {
		app = word(apps, i)
		set lmargin at screen left_of(i)
		set rmargin at screen right_of(i)
		set tmargin at screen top_of(i)
		set bmargin at screen bottom_of(i)
		set title app noenhanced offset 0, -0.6
		unset logscale
		set logscale y
		eval seconds_tics
		set yrange [2:*]
		set xtics ()
		do for [k = 1:words(steps)] { set xtics add (word(steps, k) real(word(steps, k))) }
		eval x_range
		set xlabel (row(i) == rows_ - 1 || i + cols > n_apps ? (axis eq "used" ? "MB of the hog in swap" : "memory left, % of the application's at rest") : "")
		set ylabel ""
		unset key
		positive(v) = v >= 2 ? v : NaN
		plot 20 with lines linecolor rgb "#ffffff" linewidth 0.1 notitle, \
			for [s = 1:n_swaps] summary using (of(app, axis, word(swaps, s)) ? column("step") : NaN):(positive(y("startup_ms") - y("t0_ms"))) \
				with linespoints pointtype swap_shape(s) linecolor rgb swap_colour(s) notitle, \
			for [s = 1:n_swaps] summary using (of(app, axis, word(swaps, s)) ? column("step") : NaN):(positive(y("t_io_ms"))) \
				with linespoints pointtype swap_shape(s) pointsize 0.5 dashtype 3 linecolor rgb swap_colour(s) notitle, \
			for [s = 1:n_swaps] summary using (of(app, axis, word(swaps, s)) && rates[s] > 0 && axis eq "used" ? column("step") : NaN):(column("step") * 1048576000.0 / rates[s]) \
				with lines linewidth 0.7 linecolor rgb swap_colour(s) notitle
	}
		unset logscale
	unset title
	unset xlabel
	unset ylabel
	unset border
	unset tics
	unset grid
	set xrange [0:1]
	set yrange [0:1]
	set lmargin at screen 0.02
	set rmargin at screen 0.98
	set tmargin at screen foot / high
	set bmargin at screen 0.0
	set key at screen 0.5, (foot - 24) / high center top Left reverse horizontal maxrows 2 maxcols 4 samplen 2
	plot for [s = 1:n_swaps] NaN with points pointtype swap_shape(s) linecolor rgb swap_colour(s) title swap_name(word(swaps, s)), \
		NaN with lines linecolor rgb line_colour title "added", NaN with lines dashtype 3 linecolor rgb line_colour title "T_{IO}", \
		NaN with lines linewidth 0.7 linecolor rgb line_colour title (axis eq "used" ? "a file of that size" : "")
	unset multiplot
	unset output
	eval fresh
}

# ---- e ----
if (with_e) {
	set output run . "/figures/e.svg"
	set terminal svg size 860,430
	set multiplot
	unset logscale
	panels = "used"	# beside a hog that goes on there is no e
	do for [p = 1:words(panels)] {
		axis = word(panels, p)
		steps = axis eq "used" ? used : left
		set lmargin at screen words(panels) == 1 ? 0.085 : 0.085 + 0.47 * (p - 1)
		set rmargin at screen words(panels) == 1 ? 0.975 : 0.5 + 0.475 * (p - 1)
		set tmargin at screen 0.95
		set bmargin at screen 0.33
		set xtics ()
		do for [k = 1:words(steps)] { set xtics add (word(steps, k) real(word(steps, k))) }
		set ytics 0.5
		eval x_range
		set yrange [-2.1:1.05]
		set xlabel (axis eq "used" ? "MB of the hog in swap" : "memory left, % of the application's at rest")
		set ylabel (p == 1 ? "e (below -2 at the edge)" : "")
		unset key
		cut(v) = v < -2 ? -2.03 : v
		plot 0 with lines linecolor rgb line_colour linewidth 0.8 notitle, \
			for [i = 1:n_apps] for [s = 1:n_swaps] summary using (of(word(apps, i), axis, word(swaps, s)) && filled("e") ? column("step") : NaN):(cut(y("e"))) \
				with linespoints pointtype swap_shape(s) dashtype swap_dash(s) linecolor rgb app_colour(i) notitle
	}
		unset logscale
	unset xlabel
	unset ylabel
	unset border
	unset tics
	unset grid
	set xrange [0:1]
	set yrange [0:1]
	set lmargin at screen 0.02
	set rmargin at screen 0.98
	set tmargin at screen 0.2
	set bmargin at screen 0.0
	set key at screen 0.5, 0.16 center top Left reverse horizontal maxrows 2 maxcols 6 samplen 2
	plot for [i = 1:n_apps] NaN with lines linewidth 2 linecolor rgb app_colour(i) title word(apps, i), \
		for [s = 1:n_swaps] NaN with linespoints pointtype swap_shape(s) dashtype swap_dash(s) linecolor rgb line_colour title short_name(word(swaps, s))
	unset multiplot
	unset output
}
