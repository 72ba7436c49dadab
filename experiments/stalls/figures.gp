# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - response times of keys beside CPU hogs: late-share, median, mean-stall, jitter, latency-cdf, stages.
# From say.jq: app_light and app_heavy (names, "" where not measured), load_word ("CPU hogs"), load_axis; held and packets: 1 where
# the stalls of a key held down, and those of packets, are drawn, too; held_alone: 1 where all keys were held down.

# A figure that is a range has no value, but NAME_from and NAME_to (empty if the late end is unknown); it is drawn as a thick bar,
# a narrow one at least as high as wide.
least_of(c) = y(c . "_from")
range_hover(c, name) = name . sprintf(": %.4g to ", least_of(c)) . (filled(c . "_to") ? sprintf("%.4g", y(c . "_to")) : "?")
range_bars(n, c, top) = sprintf(', for [i = 1:%d] data using (known(least_of("%s")) ? at(i) : NaN):', n, c) \
	. sprintf('(least_of("%s")):(0):', c) \
	. sprintf('(more((filled("%s_to") ? y("%s_to") : %g) - least_of("%s"), %g)) with vectors nohead linewidth 4 ', \
		c, c, top, c, 0.01 * top) \
	. 'linecolor rgb colour(i) notitle' \
	. sprintf(', for [i = 1:%d] data using (known(least_of("%s")) ? at(i) : NaN):(least_of("%s")):(range_hover("%s", says(i))) ', \
		n, c, c, c) . 'with labels hypertext point pointtype 0 linecolor rgb colour(i) notitle'
range_words = "thick bar: the figure is only known as a range"
# (In the strip below several panels, long words would take the place of protocols.)
range_key = ', NaN with lines linewidth 4 linecolor rgb line_colour title several ? "only a range known" : range_words'

loads = systems = costly = costs = ""
most = schedule_jitter = ranges = median_ranges = overloads = lowest = 0
period = 50
highest = median_most = median_high = 1
eval look("summary.tsv", 'loads = add(loads, sprintf("%d", y("sinks"))), systems = add(systems, strcol("protocol")), ' \
	. 'costly = strcol("app") eq "own" && filled("cost_ms") ? add(costly, strcol("protocol")) : costly, ' \
	. 'most = more(most, y("sinks")), costs = filled("cost_ms") ? add(costs, strcol("cost_ms")) : costs, ' \
	. 'period = filled("period_ms") ? y("period_ms") : period, schedule_jitter = more(schedule_jitter, y("schedule_jitter_ms")), ' \
	. 'ranges = ranges || filled("late_share_percent_from"), median_ranges = median_ranges || filled("latency_p50_ms_from"), ' \
	. 'overloads = overloads || y("overloaded") > 0, lowest = less(lowest, low("mean_stall_ms")), ' \
	. 'highest = more(more(highest, upmost("mean_stall_ms")), y("fair_stall_ms")), ' \
	. 'median_most = more(more(median_most, y("latency_p50_ms")), least_of("latency_p50_ms")), ' \
	. 'median_high = more(more(median_high, upmost("latency_p50_ms")), y("latency_p50_ms_to"))')
n = words(loads)
cost = words(costs) == 1 ? number_of(costs, 1) : NaN	# runs with different costs have no common prediction
most = most > 0 ? most : 20

# Two roles: 1 needs little CPU, 2 has a cost. The protocol's own application has role 2 if it has a cost, else 1.
role_says(i) = i == 1 ? app_light : app_heavy
role_of(d) = strcol("app") eq "heavy" || (strcol("app") eq "own" && place(costly, strcol("protocol"))) ? 2 : 1
roles = (strlen(app_light) ? "1 " : "") . (strlen(app_heavy) ? "2" : "")

# One protocol: a curve for each role. Several: a panel for each role, with a curve for each protocol.
several = words(systems) > 1
curves_n = several ? words(systems) : 2
said = several ? words(systems) : words(roles)
role = 0
of(d) = several ? (role_of(0) == role ? place(systems, strcol("protocol")) : 0) : role_of(0)
apart(i) = said > 1 ? (i - 0.5 * (curves_n + 1)) * 0.0084 * most * (curves_n > 4 ? 4.0 / curves_n : 1) : 0
at(i) = of(0) == i ? column("sinks") + apart(i) : NaN
says(i) = several ? word(systems, i) : role_says(i)
strip = 36 + 22 * int((said + 3) / 4 + 1)
over_load(name, title, lines) = several ? panels(name, 330 + strip, words(roles), 1, strip, title) \
	: figure(name, 440, title, said + lines)
each_role(i, words) = several ? sprintf('role = %s; set ylabel "%s"; eval panel(%d, role_says(role))', word(roles, i), words, i) \
	: sprintf('set ylabel "%s"', words)
in_panel(title) = several ? "" : title	# with several panels the strip below them has the title
axis = 'set xlabel load_axis; set xrange [-0.03 * most:1.03 * most]; if (n > 0 && n < 12) { eval tics_at("x", loads) }'
if (several || narrow) { load_axis = load_word }
legend = several ? 'eval legend_strip(4); plot for [i = 1:curves_n] NaN with linespoints ' \
	. 'pointtype (kinds_n ? 0 : shape(i)) linecolor rgb colour(i) title says(i) noenhanced' : 'role = 0'
kinds_n = 0
panels_n = several ? words(roles) : 1

eval over_load("late-share", sprintf("Late keys: no response within %g ms", threshold_ms), ranges + overloads)
eval axis
do for [p = 1:panels_n] {
	set yrange [-2:104]
	eval each_role(p, "late keys, %")
	eval 'plot for [i = 1:curves_n] data using (x_ = at(i)):(there("late_share_percent")):(there_low("late_share_percent")):' \
			. '(there_high("late_share_percent")) with yerrorbars pointtype 0 linecolor rgb colour(i) notitle, ' \
		. 'for [i = 1:curves_n] data using (at(i)):(y("late_share_percent")) with linespoints pointtype shape(i) ' \
			. 'linecolor rgb colour(i) title in_panel(says(i)), ' \
		. 'for [i = 1:curves_n] data using (at(i)):(y("late_share_percent")):(hover_ends("late_share_percent", says(i))) ' \
			. 'with labels hypertext point pointtype shape(i) linecolor rgb colour(i) notitle, ' \
		. 'data using (y("overloaded") > 0 && of(0) ? at(of(0)) : NaN):(y("late_share_percent")) ' \
			. 'with points pointtype 6 pointsize 1.8 linecolor rgb "black" ' \
			. 'title in_panel(overloads ? "overloaded: falls further and further behind" : "")' \
		. (ranges ? range_bars(curves_n, "late_share_percent", 100) . (several ? "" : range_key) : "")
}
overloaded = overloads ? ', NaN with points pointtype 6 pointsize 1.8 linecolor rgb "black" title "overloaded"' : ''
eval legend . (several ? overloaded . (ranges ? range_key : "") : "")

# Intervals of two repeats, many times as long as the value, are cut off at the figure's edge.
median_top = 1.08 * less(median_high, 2.5 * more(median_most, threshold_ms / 2.0))
eval over_load("median", "Median response time", 1 + median_ranges)
eval axis
do for [p = 1:panels_n] {
	set yrange [0:median_top]
	eval each_role(p, "median response time, ms")
	eval 'plot 0 linecolor rgb "#dddddd" linewidth 0.6 notitle' . threshold_across . curves(curves_n, "latency_p50_ms") \
		. ', NaN with lines dashtype 3 linecolor rgb mark_colour title in_panel(sprintf("%g ms", threshold_ms))' \
		. (median_ranges ? range_bars(curves_n, "latency_p50_ms", 2 * median_top) . (several ? "" : range_key) : "")
}
eval legend . (several && median_ranges ? range_key : "")

# Stalls and jitter of typed and of held keys, in pixels and in packets: a colour for each protocol or application, marks and dashes
# for each of these.
kinds = "1" . (packets ? " 2" : "") . (held ? " 3" : "") . (held && packets ? " 4" : "")
array kind_prefix[4] = ["", "wire_", "hold_", "hold_wire_"]
array kind_says[4] = ["typed, pixels", "typed, packets", "held down, pixels", "held down, packets"]
do for [k = 1:2] { if (held_alone) { kind_says[k] = kind_says[k + 2] } }
kinds_n = words(kinds) > 1 ? words(kinds) : 0
strip = strip + 22 * int((kinds_n + 3) / 4)
kind_looks(i, k) = looks(kinds_n ? k : i, colour(i))
kind_curve(i, k, c) = (x_at = sprintf("at(%d)", i), c_ = kind_prefix[k] . c, bars(x_at, c_, colour(i)) . ", " . values(x_at, c_) \
	. ' smooth unique with linespoints ' . kind_looks(i, k) . sprintf('dashtype %d title "%s" noenhanced, ', k, \
		k == 1 ? says(i) : "") . hovers("hover_ends", x_at, c_, kinds_n ? k : i, colour(i), \
			says(i) . (kinds_n ? ", " . kind_says[k] : "")))
kind_curves(n, c) = (kinds_all = "", sum [i_ = 1:n] sum [k_ = 1:words(kinds)] \
	(kinds_all = kinds_all . ", " . kind_curve(i_, int(word(kinds, k_)), c), 0), kinds_all)
kinds_key = kinds_n == 0 ? "" : ', for [k in kinds] NaN with linespoints pointtype shape(int(k)) dashtype int(k) ' \
	. 'linecolor rgb line_colour title kind_says[int(k)]'
do for [k in kinds] {
	eval look(data, 'lowest = less(lowest, low(kind_prefix[int(k)] . "mean_stall_ms"))')
}

eval over_load("mean-stall", "Mean stall: time between updates beyond the period of the keys", 1 + kinds_n)
eval axis
fair(x) = role == 1 || !known(cost) ? NaN : cost * (x + 1) - period > 0 ? cost * (x + 1) - period : 0
fair_words = known(cost) ? sprintf("fair sharing: %g ms × (%s + 1) − %g ms", cost, load_word, period) : ""
set samples 201
do for [p = 1:panels_n] {
	if (several) { set yrange [*<0:10<*] } else { eval y_axis("lowest < -0.02 * highest ? 1.05 * lowest : -0.02 * highest : *", "") }
	eval each_role(p, "mean stall, ms")
	eval 'plot 0 linecolor rgb "#dddddd" linewidth 0.6 notitle, [0:most] fair(x) with lines linestyle dashed ' \
		. 'title in_panel(fair_words)' . kind_curves(curves_n, "mean_stall_ms") . (several ? "" : kinds_key)
}
eval legend . (several ? kinds_key . (strlen(fair_words) ? ', NaN with lines linestyle dashed title "fair sharing"' : "") : "")

eval over_load("jitter", "Jitter: standard deviation of the time between updates", (schedule_jitter > 0) + kinds_n)
eval axis
set samples 2
schedule_words = schedule_jitter > 0 ? sprintf("in the keys themselves, whose schedule jitters by %.1f ms", schedule_jitter) : ""
do for [p = 1:panels_n] {
	set yrange [0:1<*]
	eval each_role(p, "jitter, ms")
	eval 'plot 0 linecolor rgb "#dddddd" linewidth 0.6 notitle, (schedule_jitter > 0 ? schedule_jitter : NaN) ' \
		. 'with lines linestyle dotted title in_panel(schedule_words)' . kind_curves(curves_n, "jitter_sd_ms") \
		. (several ? "" : kinds_key)
}
schedule_key = strlen(schedule_words) ? ', NaN with lines linestyle dotted title "in the keys themselves"' : ""
eval legend . (several ? kinds_key . schedule_key : "")

# A kept run without samples keeps its earlier figure of every key.
if (!has_table("cdf.tsv") && has_table("stages.tsv")) { load engine . "/stages.gp" }
if (!has_table("cdf.tsv")) { exit }

# ---- every key: a curve for each load, a panel for each application and protocol ----
shown = ""
eval look("summary.tsv", 'shown = add(shown, sprintf("%d,%s", role_of(0), strcol("protocol")))')
shown_n = words(shown)
pair(p) = word(shown, p)
role_at(p) = int(substr(pair(p), 1, 1))
system_at(p) = substr(pair(p), 3, strlen(pair(p)))
# above all panels: what they have in common
pair_says(p) = several ? system_at(p) . (words(roles) > 1 ? ": " . role_says(role_at(p)) : "") : role_says(role_at(p))
shared = several && words(roles) == 1 ? ", " . role_says(int(roles)) : ""
points = system(sprintf('awk -v costly="%s" -f "$ENGINE/curves.awk" cdf.tsv', costly))
shortest = word(points, 1) eq "none" ? 1 : number_of(points, 1) / 1.4
longest = more(threshold_ms * 1.6, 1.3 * number_of(points, 2))
bounds = int(word(points, 3))
side = several && words(roles) == 2 ? 2 : 3
eval panels("latency-cdf", several ? 80 + 250 * down(shown_n, side) : 480, across(shown_n, side), down(shown_n, side), 40, \
	"Response time of every key, by " . (load_word eq "load" ? "load" : "number of " . load_word) . shared)
set logscale x
eval x_axis("(floor_ms > 0 && floor_ms < shortest ? floor_ms / 1.3 : shortest):longest", "")
eval y_axis("0:1.02", "keys answered by then")
set ylabel offset 1.5, 0
# Number of labels for which there is room: by the panel's width and the decades that it shows.
crowded = across(shown_n, side) * log10(longest / (floor_ms > 0 && floor_ms < shortest ? floor_ms / 1.3 : shortest))
set xtics ("0.01" 0.01, "0.1" 0.1, "1" 1, "10" 10, "100" 100, "1 s" 1000, "10 s" 10000, "100 s" 100000)
if (crowded < 10) { set xtics add ("0.03" 0.03, "0.3" 0.3, "3" 3, "30" 30, "300" 300, "3 s" 3000, "30 s" 30000) }
if (crowded < 6) {
	set xtics ("0.1" 0.1, "0.2" 0.2, "0.5" 0.5, "1" 1, "2" 2, "5" 5, "10" 10, "20" 20, "50" 50, "100" 100, "200" 200, \
		"500" 500, "1 s" 1000, "2 s" 2000, "5 s" 5000, "10 s" 10000)
}
set ytics ("0" 0, "25 %%" 0.25, "50 %%" 0.5, "75 %%" 0.75, "90 %%" 0.9, "100 %%" 1)
answered(p, i, lower) = sprintf("curve-%d-%s%s-%s-%d", role_at(p), bare(system_at(p)), joined ? "+" . run_of(system_at(p)) : "", \
	word(loads, i), lower)
do for [p = 1:shown_n] {
	set xlabel (panel_row(p) + 1 == panel_down ? "ms after the key was due" : "")
	eval panel(p, pair_says(p))
	if (!several) {
		set title offset 0, 0.7
		set tmargin at screen panel_top(p) - 32.0 / figure_height	# room for the words above the curves
		eval upright_label(threshold_ms, sprintf("%g ms", threshold_ms), line_colour)
		if (floor_ms > 0) { eval upright_label(floor_ms, floor_word, "#777777") }
	}
	eval upright(threshold_ms, 1, line_colour, 2)
	if (floor_ms > 0) { eval upright(floor_ms, 1, mark_colour, 3) }
	plot NaN notitle, \
		for [i = 1:n] answered(p, i, 0) using "latency_ms":"share" with steps linewidth 1.6 \
			linecolor rgb load_colour(i - 1, n) dashtype load_dash(i - 1, n) notitle, \
		for [i = 1:bounds * n] answered(p, i, 1) using "latency_ms":"share" with steps linewidth 0.8 \
			linecolor rgb load_colour(i - 1, n) dashtype 3 notitle
}
named(i) = n < 13 || (i - 1) % int(ceil(n / 8.0)) == 0 || i == n	# of many loads only some are named in the legend
eval legend_strip(0)
plot for [i = 1:n] NaN with lines linewidth 1.6 linecolor rgb load_colour(i - 1, n) dashtype load_dash(i - 1, n) \
	title (named(i) ? word(loads, i) : "")
if (has_table("stages.tsv")) { load engine . "/stages.gp" }
