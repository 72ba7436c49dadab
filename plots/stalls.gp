# stalls.gp - the figures of experiments/stalls.sh.
#
# gnuplot -c plots/stalls.gp RUN [LIGHT [HEAVY [FLOOR_MS [THRESHOLD_MS]]]]
#   reads RUN/summary.tsv and RUN/cdf.tsv, writes RUN/figures/{late-share,mean-stall,jitter,latency-cdf}.svg (the folder must be there)
#   LIGHT, HEAVY   what the applications are called; FLOOR_MS: half a frame of the server, drawn where it is over 0
#
# An empty cell of the table (overloaded, failed, too few samples) leaves a hole; a figure without any data stays an empty frame.

run = ARG1
light = ARGC > 1 ? ARG2 : "light"
heavy = ARGC > 2 ? ARG3 : "heavy"
floor_ms = ARGC > 3 ? real(ARG4) : 0
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
least_ms = 1e9
most_ms = 0
seen(l) = strstrt(loads . " ", sprintf(" %d ", l)) > 0
note(l) = (loads = seen(l) ? loads : loads . sprintf(" %d", l), most = l > most ? l : most)
known(v) = v == v
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (note(column("sinks")), \
	cost = known(column("cost_ms")) && strlen(strcol("cost_ms")) ? column("cost_ms") : cost, \
	period = strlen(strcol("period_ms")) ? column("period_ms") : period, \
	schedule_jitter = strlen(strcol("schedule_jitter_ms")) && column("schedule_jitter_ms") > schedule_jitter ? column("schedule_jitter_ms") : schedule_jitter, \
	has_range = has_range || (strlen(strcol("late_share_high_percent")) && column("late_share_high_percent") > column("late_share_percent") + 0.5), \
	has_overload = has_overload || column("overloaded") > 0, 0):(0), 0
plot cdf using (least_ms = column("latency_ms") < least_ms ? column("latency_ms") : least_ms, \
	most_ms = column("latency_ms") > most_ms ? column("latency_ms") : most_ms, \
	has_ranges = has_ranges || strcol("bound") eq "low", 0):(0), 0
unset table
n_loads = words(loads)

is(name) = strcol("app") eq name || (name eq "light" && strcol("app") eq "own")
x(name) = is(name) ? column("sinks") : NaN
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN
low(c) = filled(c . "_low") ? column(c . "_low") : y(c)
high(c) = filled(c . "_high") ? column(c . "_high") : y(c)
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
	summary using (x("light")):(y("late_share_percent")) with linespoints pointtype 7 linecolor rgb light_colour title light, \
	summary using (has_range ? x("light") : NaN):(late_end(0)) with lines dashtype 3 linecolor rgb light_colour title (has_range ? light . ", at most" : ""), \
	summary using (x("heavy")):(y("late_share_percent")):(low("late_share_percent")):(late_high(0)) with yerrorbars pointtype 5 linecolor rgb heavy_colour notitle, \
	summary using (x("heavy")):(y("late_share_percent")) with linespoints pointtype 5 linecolor rgb heavy_colour title heavy, \
	summary using (column("overloaded") > 0 ? column("sinks") : NaN):(y("late_share_percent")) with points pointtype 6 pointsize 1.8 linecolor rgb "black" \
		title (has_overload ? "overloaded: falls further and further behind" : "")

# Mean stall: Figure 3.
set output figure("mean-stall")
set title "Mean stall: time between updates beyond the period of the keys"
set ylabel "mean stall, ms"
set yrange [*<0:*]
fair(n) = cost * (n + 1) - period > 0 ? cost * (n + 1) - period : 0
set samples 201
plot 0 linecolor rgb "#dddddd" linewidth 0.6 notitle, \
	[0:(most > 0 ? most : 20)] fair(x) with lines dashtype 2 linecolor rgb line_colour \
		title (known(cost) ? sprintf("fair sharing: %g ms × (sinks + 1) − %g ms", cost, period) : ""), \
	summary using (x("light")):(y("mean_stall_ms")):(low("mean_stall_ms")):(high("mean_stall_ms")) with yerrorbars pointtype 7 linecolor rgb light_colour notitle, \
	summary using (x("light")):(y("mean_stall_ms")) with linespoints pointtype 7 linecolor rgb light_colour title light, \
	summary using (x("heavy")):(y("mean_stall_ms")):(low("mean_stall_ms")):(high("mean_stall_ms")) with yerrorbars pointtype 5 linecolor rgb heavy_colour notitle, \
	summary using (x("heavy")):(y("mean_stall_ms")) with linespoints pointtype 5 linecolor rgb heavy_colour title heavy

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
	summary using (x("light")):(y("jitter_sd_ms")) with linespoints pointtype 7 linecolor rgb light_colour title light, \
	summary using (x("heavy")):(y("jitter_sd_ms")):(low("jitter_sd_ms")):(high("jitter_sd_ms")) with yerrorbars pointtype 5 linecolor rgb heavy_colour notitle, \
	summary using (x("heavy")):(y("jitter_sd_ms")) with linespoints pointtype 5 linecolor rgb heavy_colour title heavy

# Latency of every key: one curve a load, one panel an application.
set terminal svg size 760,480
set output figure("latency-cdf")
set xlabel "echo, ms after the key was due"
set xtics autofreq
set logscale x
first = least_ms < most_ms ? least_ms / 1.4 : 1
last = most_ms > threshold_ms ? most_ms * 1.3 : threshold_ms * 1.6
if (floor_ms > 0 && floor_ms < first) { first = floor_ms / 1.3 }
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
set multiplot layout 1, 2 title "Latency of every key, by number of sinks" font ",14" margins 0.085, 0.985, 0.25, 0.84 spacing 0.075, 0
do for [name in "light heavy"] {
	set title (name eq "light" ? light : heavy) offset 0, -0.4
	unset arrow
	unset label
	set arrow from threshold_ms, 0 to threshold_ms, 1.02 nohead dashtype 2 linecolor rgb line_colour
	set label sprintf(" %g ms", threshold_ms) at threshold_ms, 0.04 textcolor rgb line_colour font ",11"
	if (floor_ms > 0) {
		set arrow from floor_ms, 0 to floor_ms, 1.02 nohead dashtype 3 linecolor rgb mark_colour
		set label "half a frame " at floor_ms, 0.35 rotate by 90 center offset -0.8, 0 textcolor rgb "#777777" font ",11"
	}
	if (name eq "heavy") { unset ylabel; set format y ""; unset key } else {
		set key at screen 0.53, 0.015 center bottom Left reverse horizontal maxrows 2 maxcols 99 samplen 2
	}
	plot NaN notitle, \
		for [i = 1:n_loads] cdf using (curve(name, int(word(loads, i)), 0)):"share" with steps linewidth 1.6 \
			linecolor rgb load_colour(i - 1, n_loads) dashtype load_dash(i - 1, n_loads) title word(loads, i), \
		for [i = 1:(has_ranges ? n_loads : 0)] cdf using (curve(name, int(word(loads, i)), 1)):"share" with steps linewidth 0.8 \
			linecolor rgb load_colour(i - 1, n_loads) dashtype 3 notitle
}
unset multiplot
unset output
