# SPDX-License-Identifier: GPL-3.0-or-later
# stalls.gp - the figures of experiments/stalls.sh.
#
# gnuplot -c plots/stalls.gp RUN [LIGHT [HEAVY [HALF_FRAME_MS [THRESHOLD_MS]]]]
#   reads RUN/summary.tsv and RUN/cdf.tsv, writes RUN/figures/{late-share,mean-stall,jitter,latency-cdf}.svg (the folder must be there)
#   LIGHT, HEAVY   what the applications are called; an application without a row has neither entry nor panel
#   HALF_FRAME_MS  what an idle server waits before an update, drawn where it is over 0
#
# An empty cell of the table (overloaded, failed, too few samples) leaves a hole; a figure without any data stays an empty frame.

run = ARG1
light = ARGC > 1 ? ARG2 : "light"
heavy = ARGC > 2 ? ARG3 : "heavy"
half_frame_ms = ARGC > 3 ? real(ARG4) : 0
threshold_ms = ARGC > 4 ? real(ARG5) : 100

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
cdf = run . "/cdf.tsv"
figure(name) = run . "/figures/" . name . ".svg"
set datafile separator "\t"
set key autotitle columnheader

# One look at the table: which loads, what costs, does the schedule jitter by itself. A first row beyond all data keeps
# `plot` from giving up on a table without rows.
loads = ""
most = 0
cost = NaN
period = 50
schedule_jitter = 0
has_range = 0
has_ranges = 0
has_overload = 0
has_own = 0
has_light = 0
has_heavy = 0
least_stall = 0
most_stall = 1
least_ms = 1e9
most_ms = 0
seen(l) = strstrt(loads . " ", sprintf(" %d ", l)) > 0
note(l) = (loads = seen(l) ? loads : loads . sprintf(" %d", l), most = l > most ? l : most)
known(v) = v == v
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
low(c) = filled(c . "_low") ? column(c . "_low") : y(c)
high(c) = filled(c . "_high") ? column(c . "_high") : y(c)
less(a, b) = b < a ? b : a
more(a, b) = b > a ? b : a
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (note(column("sinks")), \
	cost = known(column("cost_ms")) && strlen(strcol("cost_ms")) ? column("cost_ms") : cost, \
	period = strlen(strcol("period_ms")) ? column("period_ms") : period, \
	schedule_jitter = strlen(strcol("schedule_jitter_ms")) && column("schedule_jitter_ms") > schedule_jitter ? column("schedule_jitter_ms") : schedule_jitter, \
	has_range = has_range || (strlen(strcol("late_share_high_percent")) && column("late_share_high_percent") > column("late_share_percent") + 0.5), \
	has_overload = has_overload || column("overloaded") > 0, \
	has_own = has_own || strcol("app") eq "own", \
	has_light = has_light || strcol("app") eq "light", \
	has_heavy = has_heavy || strcol("app") eq "heavy", \
	least_stall = less(least_stall, low("mean_stall_ms")), \
	most_stall = more(more(most_stall, high("mean_stall_ms")), y("fair_stall_ms")), 0):(0), 0
plot cdf using (least_ms = column("latency_ms") < least_ms ? column("latency_ms") : least_ms, \
	most_ms = column("latency_ms") > most_ms ? column("latency_ms") : most_ms, \
	has_ranges = has_ranges || strcol("bound") eq "low", 0):(0), 0
unset table
n_loads = words(loads)

# An application of the protocol's own stands with the heavy one where it has a cost, else with the light one.
own = known(cost) ? "heavy" : "light"
if (has_own && own eq "heavy") { has_heavy = 1 }
if (has_own && own eq "light") { has_light = 1 }
if (!has_light && !has_heavy) { has_light = 1 }
is(name) = strcol("app") eq name || (name eq own && strcol("app") eq "own")
# Where both are drawn they stand a little apart, so that neither hides the other's bars.
apart = has_light && has_heavy ? 0.004 * 1.06 * (most > 0 ? most : 20) : 0
x(name) = is(name) ? column("sinks") + (name eq "light" ? -apart : apart) : NaN
# The late end of a range, where the keys of an application could only be paired with a range of updates.
late_end(c) = filled("late_share_high_percent") ? column("late_share_high_percent") : y("late_share_percent")
late_high(c) = filled("late_share_high_percent_high") ? column("late_share_high_percent_high") : high("late_share_percent")

set xlabel "sinks: processes beside the session that want all the CPU they can get"
set xrange [-0.03 * (most > 0 ? most : 20) : 1.03 * (most > 0 ? most : 20)]
if (n_loads > 0 && n_loads < 12) {
	set xtics ()
	do for [i = 1:n_loads] { set xtics add (word(loads, i) int(word(loads, i))) }
}

# Late share: the headline.
set output figure("late-share")
set title sprintf("Keys whose echo comes later than %g ms after they were due", threshold_ms)
set ylabel "late keys, % of all keys due"
set yrange [-2:104]
plot NaN notitle, \
	summary using (x("light")):(y("late_share_percent")):(low("late_share_percent")):(late_high(0)) with yerrorbars pointtype 7 linecolor rgb light_colour notitle, \
	summary using (x("light")):(y("late_share_percent")) with linespoints pointtype 7 linecolor rgb light_colour title (has_light ? light : ""), \
	summary using (has_range ? x("light") : NaN):(late_end(0)) with lines dashtype 3 linecolor rgb light_colour title (has_range && has_light ? light . ", at most" : ""), \
	summary using (x("heavy")):(y("late_share_percent")):(low("late_share_percent")):(late_high(0)) with yerrorbars pointtype 5 linecolor rgb heavy_colour notitle, \
	summary using (x("heavy")):(y("late_share_percent")) with linespoints pointtype 5 linecolor rgb heavy_colour title (has_heavy ? heavy : ""), \
	summary using (column("overloaded") > 0 ? (is("heavy") ? x("heavy") : x("light")) : NaN):(y("late_share_percent")) with points pointtype 6 pointsize 1.8 linecolor rgb "black" \
		title (has_overload ? "overloaded: falls further and further behind" : "")

# Mean stall: Figure 3.
set output figure("mean-stall")
set title "Mean stall: time between updates beyond the period of the keys"
set ylabel "mean stall, ms"
set yrange [least_stall < -0.02 * most_stall ? 1.05 * least_stall : -0.02 * most_stall : *]
fair(n) = cost * (n + 1) - period > 0 ? cost * (n + 1) - period : 0
set samples 201
plot 0 linecolor rgb "#dddddd" linewidth 0.6 notitle, \
	[0:(most > 0 ? most : 20)] fair(x) with lines dashtype 2 linecolor rgb line_colour \
		title (known(cost) ? sprintf("fair sharing: %g ms × (sinks + 1) − %g ms", cost, period) : ""), \
	summary using (x("light")):(y("mean_stall_ms")):(low("mean_stall_ms")):(high("mean_stall_ms")) with yerrorbars pointtype 7 linecolor rgb light_colour notitle, \
	summary using (x("light")):(y("mean_stall_ms")) with linespoints pointtype 7 linecolor rgb light_colour title (has_light ? light : ""), \
	summary using (x("heavy")):(y("mean_stall_ms")):(low("mean_stall_ms")):(high("mean_stall_ms")) with yerrorbars pointtype 5 linecolor rgb heavy_colour notitle, \
	summary using (x("heavy")):(y("mean_stall_ms")) with linespoints pointtype 5 linecolor rgb heavy_colour title (has_heavy ? heavy : "")

# Jitter: Figure 4.
set output figure("jitter")
set title "Jitter: standard deviation of the time between updates"
set ylabel "jitter (standard deviation), ms"
set samples 2
set yrange [0:1<*]
plot (schedule_jitter > 0 ? schedule_jitter : NaN) with lines dashtype 3 linecolor rgb mark_colour \
		title (schedule_jitter > 0 ? sprintf("in the keys themselves: their schedule jitters by %.1f ms", schedule_jitter) : ""), \
	0 linecolor rgb "#dddddd" linewidth 0.6 notitle, \
	summary using (x("light")):(y("jitter_sd_ms")):(low("jitter_sd_ms")):(high("jitter_sd_ms")) with yerrorbars pointtype 7 linecolor rgb light_colour notitle, \
	summary using (x("light")):(y("jitter_sd_ms")) with linespoints pointtype 7 linecolor rgb light_colour title (has_light ? light : ""), \
	summary using (x("heavy")):(y("jitter_sd_ms")):(low("jitter_sd_ms")):(high("jitter_sd_ms")) with yerrorbars pointtype 5 linecolor rgb heavy_colour notitle, \
	summary using (x("heavy")):(y("jitter_sd_ms")) with linespoints pointtype 5 linecolor rgb heavy_colour title (has_heavy ? heavy : "")

# Latency of every key: one curve a load, one panel an application.
set terminal svg size 760,480
set output figure("latency-cdf")
set xlabel "echo, ms after the key was due"
set xtics autofreq
set logscale x
first = least_ms < most_ms ? least_ms / 1.4 : 1
last = most_ms > threshold_ms ? most_ms * 1.3 : threshold_ms * 1.6
if (half_frame_ms > 0 && half_frame_ms < first) { first = half_frame_ms / 1.3 }
set xrange [first:last]
set xtics ("0.1" 0.1, "0.2" 0.2, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, "1 s" 1000, "2 s" 2000, "5 s" 5000, "10 s" 10000)
set yrange [0:1.02]
set ytics ("0" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "90 %%" 0.9, "100 %%" 1)
set ylabel "keys answered by then"
# A few hundred points draw a curve; the ends are always among them. Left-out points are missing, not holes.
set datafile missing NaN
last = 0
enough(s) = s < last || s - last >= 0.004 || s < 0.01 || s > 0.99 ? (last = s, 1) : 0
of(name, l, low) = is(name) && column("sinks") == l && (low ? strcol("bound") eq "low" : strcol("bound") ne "low")
curve(name, l, low) = of(name, l, low) && enough(column("share")) ? column("latency_ms") : NaN
named(i) = n_loads < 13 || (i - 1) % int(ceil(n_loads / 8.0)) == 0 || i == n_loads	# a long list of names would cover the curves
panels = (has_light ? "light " : "") . (has_heavy ? "heavy" : "")
panels = (has_light ? "light " : "") . (has_heavy ? "heavy" : "")
wide = (0.9 - 0.075 * (words(panels) - 1)) / words(panels)
set multiplot title "Latency of every key, by number of sinks" font ",14"
set tmargin at screen 0.8
set bmargin at screen 0.25
unset key
do for [p = 1:words(panels)] {
	name = word(panels, p)
	set lmargin at screen 0.085 + (p - 1) * (wide + 0.075)
	set rmargin at screen 0.085 + (p - 1) * (wide + 0.075) + wide
	set title (name eq "light" ? light : heavy) offset 0, 0.9
	unset arrow
	unset label
	# what a line means stands above the plot, where no curve runs
	set arrow from threshold_ms, 0 to threshold_ms, 1.02 nohead dashtype 2 linecolor rgb line_colour
	set label sprintf("%g ms", threshold_ms) at threshold_ms, 1.02 center offset 0, 0.6 textcolor rgb line_colour font ",11"
	if (half_frame_ms > 0) {
		set arrow from half_frame_ms, 0 to half_frame_ms, 1.02 nohead dashtype 3 linecolor rgb mark_colour
		set label "half a frame" at half_frame_ms, 1.02 center offset 0, 0.6 textcolor rgb "#777777" font ",11"
	}
	if (p > 1) { unset ylabel }
	plot NaN notitle, \
		for [i = 1:n_loads] cdf using (curve(name, int(word(loads, i)), 0)):"share" with steps linewidth 1.6 \
			linecolor rgb load_colour(i - 1, n_loads) dashtype load_dash(i - 1, n_loads) notitle, \
		for [i = 1:(has_ranges ? n_loads : 0)] cdf using (curve(name, int(word(loads, i)), 1)):"share" with steps linewidth 0.8 \
			linecolor rgb load_colour(i - 1, n_loads) dashtype 3 notitle
}
# One legend for all panels: a plot of its own with nothing in it, as wide as the page, since a legend is no wider than its plot.
unset arrow
unset label
unset title
unset xlabel
unset ylabel
unset border
unset tics
unset grid
unset logscale
set xrange [0:1]
set lmargin at screen 0.02
set rmargin at screen 0.98
set tmargin at screen 0.12
set bmargin at screen 0.02
set key at screen 0.5, 0.015 center bottom Left reverse horizontal maxrows 1 maxcols 99 samplen 2 width -2
plot NaN with points pointtype 0 linecolor rgb "white" title "sinks:", \
	for [i = 1:n_loads] NaN with lines linewidth 1.6 linecolor rgb load_colour(i - 1, n_loads) dashtype load_dash(i - 1, n_loads) \
		title (named(i) ? word(loads, i) : "")
unset multiplot
unset output
