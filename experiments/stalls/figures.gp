# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - response times of keys beside CPU hogs: late-share, latency-cdf, stages, mean-stall, jitter.
# From say.jq: app_light and app_heavy (names, "" where not measured), load_word ("CPU hogs"), load_axis.

loads = ""
most = 0
cost = NaN
period = 50
schedule_jitter = 0
ranges = 0
overloads = 0
lowest = 0
highest = 1
eval look("summary.tsv", 'loads = add(loads, sprintf("%d", y("sinks"))), most = more(most, y("sinks")), ' \
	. 'cost = filled("cost_ms") ? y("cost_ms") : cost, ' \
	. 'period = filled("period_ms") ? y("period_ms") : period, schedule_jitter = more(schedule_jitter, y("schedule_jitter_ms")), ' \
	. 'ranges = ranges || (filled("late_share_high_percent") && y("late_share_high_percent") > y("late_share_percent") + 0.5), ' \
	. 'overloads = overloads || y("overloaded") > 0, lowest = less(lowest, low("mean_stall_ms")), ' \
	. 'highest = more(more(highest, high("mean_stall_ms")), y("fair_stall_ms"))')
n = words(loads)
most = most > 0 ? most : 20

# Two roles: 1 needs little CPU, 2 has a cost. The protocol's own application has the role that its cost gives it.
says(i) = i == 1 ? app_light : app_heavy
role_of(app) = app eq "light" ? 1 : app eq "heavy" || known(cost) ? 2 : 1
both = strlen(app_light) && strlen(app_heavy)
at(i) = role_of(strcol("app")) == i ? column("sinks") + (both ? (2 * i - 3) * 0.0042 * most : 0) : NaN	# a little apart

axis = 'set xlabel load_axis; set xrange [-0.03 * most:1.03 * most]; if (n > 0 && n < 12) { eval tics_at("x", loads) }'

eval figure("late-share", 440, sprintf("Keys without a response after %g ms", threshold_ms), \
	both + 1 + ranges * (both + 1) + overloads)
eval axis
eval y_axis("-2:104", "late keys, % of all keys")
late_end(d) = filled("late_share_high_percent") ? y("late_share_high_percent") : y("late_share_percent")
late_high(d) = filled("late_share_high_percent_high") ? y("late_share_high_percent_high") : high("late_share_percent")
plot for [i = 1:2] data using (x_ = at(i)):(there("late_share_percent")):(there_low("late_share_percent")): \
		(known(x_) ? late_high(0) : NaN) with yerrorbars pointtype 0 linecolor rgb colour(i) notitle, \
	for [i = 1:2] data using (at(i)):(y("late_share_percent")) with linespoints pointtype shape(i) linecolor rgb colour(i) \
		title says(i), \
	for [i = 1:2] data using (ranges ? at(i) : NaN):(late_end(0)) with lines dashtype 3 linecolor rgb colour(i) \
		title (ranges && strlen(says(i)) ? says(i) . ", at most" : ""), \
	for [i = 1:2] data using (at(i)):(y("late_share_percent")):(hover_ends("late_share_percent", says(i))) with labels hypertext \
		point pointtype shape(i) linecolor rgb colour(i) notitle, \
	data using (y("overloaded") > 0 ? at(role_of(strcol("app"))) : NaN):(y("late_share_percent")) \
		with points pointtype 6 pointsize 1.8 linecolor rgb "black" \
		title (overloads ? "overloaded: falls further and further behind" : "")

eval figure("mean-stall", 440, "Mean stall: time between updates beyond the period of the keys", both + 2)
eval axis
eval y_axis("lowest < -0.02 * highest ? 1.05 * lowest : -0.02 * highest : *", "mean stall, ms")
fair(x) = !known(cost) ? NaN : cost * (x + 1) - period > 0 ? cost * (x + 1) - period : 0
set samples 201
eval 'plot 0 linecolor rgb "#dddddd" linewidth 0.6 notitle, [0:most] fair(x) with lines linestyle dashed ' \
	. 'title (known(cost) ? sprintf("fair sharing: %g ms × (%s + 1) − %g ms", cost, load_word, period) : "")' \
	. curves(2, "mean_stall_ms")

eval figure("jitter", 440, "Jitter: standard deviation of the time between updates", both + 1 + (schedule_jitter > 0))
eval axis
eval y_axis("0:1<*", "standard deviation, ms")
set samples 2
eval 'plot 0 linecolor rgb "#dddddd" linewidth 0.6 notitle, (schedule_jitter > 0 ? schedule_jitter : NaN) ' \
	. 'with lines linestyle dotted ' \
	. 'title (schedule_jitter > 0 ? sprintf("in the keys themselves, whose schedule jitters by %.1f ms", schedule_jitter) : "")' \
	. curves(2, "jitter_sd_ms")

# ---- every key: one curve a load, one panel an application ----
roles = (strlen(app_light) ? "1 " : "") . (strlen(app_heavy) ? "2" : "")
shortest = 1e9
longest = threshold_ms * 1.6
bounds = 0
eval look("cdf.tsv", 'shortest = less(shortest, y("latency_ms")), longest = more(longest, 1.3 * y("latency_ms")), ' \
	. 'bounds = bounds || strcol("bound") eq "low"')
shortest = shortest > longest ? 1 : shortest / 1.4
eval panels("latency-cdf", 480, words(roles), 1, 40, \
	"Response time of every key, by " . (load_word eq "load" ? "load" : "number of " . load_word))
set logscale x
eval x_axis("(floor_ms > 0 && floor_ms < shortest ? floor_ms / 1.3 : shortest):longest", "ms after the key was due")
eval y_axis("0:1.02", "keys answered by then")
set xtics ("0.1" 0.1, "0.2" 0.2, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, "500" 500, \
	"1 s" 1000, "2 s" 2000, "5 s" 5000, "10 s" 10000)
set ytics ("0" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "90 %%" 0.9, "100 %%" 1)
set datafile missing NaN	# left-out points: a few hundred draw a curve, and the ends are among them
last = 0
enough(s) = s < last || s - last >= 0.004 || s < 0.01 || s > 0.99 ? (last = s, 1) : 0
of(i, lower) = role_of(strcol("app")) == int(word(roles, p)) && y("sinks") == number_of(loads, i) \
	&& (strcol("bound") eq "low") == lower && enough(y("share")) ? y("latency_ms") : NaN
do for [p = 1:words(roles)] {
	eval panel(p, says(int(word(roles, p))))
	set title offset 0, 0.7
	set tmargin at screen 0.8	# room for what the lines mean, where no curve runs
	eval upright(threshold_ms, 1, line_colour, 2) . "; " . upright_label(threshold_ms, sprintf("%g ms", threshold_ms), line_colour)
	if (floor_ms > 0) { eval upright(floor_ms, 1, mark_colour, 3) . "; " . upright_label(floor_ms, floor_word, "#777777") }
	plot NaN notitle, \
		for [i = 1:n] "cdf.tsv" using (of(i, 0)):"share" with steps linewidth 1.6 \
			linecolor rgb load_colour(i - 1, n) dashtype load_dash(i - 1, n) notitle, \
		for [i = 1:bounds * n] "cdf.tsv" using (of(i, 1)):"share" with steps linewidth 0.8 \
			linecolor rgb load_colour(i - 1, n) dashtype 3 notitle
}
named(i) = n < 13 || (i - 1) % int(ceil(n / 8.0)) == 0 || i == n	# a long list of names would not fit
eval legend_strip(0)
plot for [i = 1:n] NaN with lines linewidth 1.6 linecolor rgb load_colour(i - 1, n) dashtype load_dash(i - 1, n) \
	title (named(i) ? word(loads, i) : "")
if (has_table("stages.tsv")) { load engine . "/stages.gp" }
