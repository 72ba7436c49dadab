# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - over-time: what the blocks of a session measured; of several sessions each has its dashes.

data = "blocks.tsv"
sessions = kinds = ""
longest = 0
session(d) = strcol("protocol") . sprintf(",%g", column("repeat"))
eval look(data, 'sessions = add(sessions, session(0)), kinds = add(kinds, strcol("figure")), longest = more(longest, y("time_h"))')
n = words(sessions)
by = longest > 2 ? 1.0 : longest > 0.05 ? 60.0 : 3600.0
time_words = (by == 1 ? "hours" : by == 60 ? "minutes" : "seconds") . " from the begin of the session"
warm = exists("warmup_h") ? by * warmup_h : 0
at(i, kind) = session(0) eq word(sessions, i) && strcol("figure") eq kind ? by * column("time_h") : NaN

array title_of[6] = ["response time", "late keys", "TCP round trip", "packets sent again", "memory", "open descriptors"]
array unit_of[6] = ["ms", "percent", "ms", "in each block", "MB", "number"]
array kinds_of[6] = ["floor_ms median_ms", "late_percent", "viewer_round_trip_ms server_round_trip_ms", \
	"viewer_sent_again server_sent_again", "viewer_memory_mb server_memory_mb", "viewer_descriptors server_descriptors"]
colour_of(p, k) = p <= 2 ? (k == 1 && p == 1 ? light_colour : mark_colour) : (k == 1 ? heavy_colour : colour(3))
here = ""
do for [p = 1:6] { do for [kind in kinds_of[p]] { if (place(kinds, kind)) { here = add(here, sprintf("%d", p)) } } }
m = words(here)
down_m = narrow ? m : down(m, 2)
eval panels("over-time", 104 + 235 * down_m, narrow ? 1 : across(m, 2), down_m, 64, "A session over time")
set datafile missing NaN
do for [i = 1:m] {
	p = int(word(here, i))
	of_panel = kinds_of[p]
	array since[2] = [NaN, NaN]
	eval look("figures.tsv", 'k_ = place(of_panel, strcol("figure")), ' \
		. 'k_ >= 1 && filled("since_h") && session(0) eq word(sessions, 1) ? (since[k_] = by * y("since_h")) : 0')
	set xrange [0:*]
	set yrange [0:*]
	set xlabel (panel_row(i) + 1 == panel_down || narrow ? time_words : "") offset 0, 0.4
	set ylabel unit_of[p] offset 1, 0
	eval panel(i, title_of[p])
	set object 1 rectangle from 0, graph 0 to warm, graph 1 behind fillcolor rgb "#f0f0f0" fillstyle solid noborder
	do for [k = 1:2] { if (known(since[k])) { eval upright(since[k], 1, colour_of(p, k), 2) } }
	plot for [k = 1:2] for [s = 1:n] data using (at(s, word(of_panel, k))):(y("value")) with lines linewidth 1.2 dashtype s \
		linecolor rgb colour_of(p, k) notitle
}
eval legend_strip(3)
plot NaN with lines linestyle light linewidth 2 title "floor", \
	NaN with lines linecolor rgb mark_colour linewidth 2 title "median, late keys", \
	NaN with lines linecolor rgb heavy_colour linewidth 2 title "viewer", \
	NaN with lines linecolor rgb colour(3) linewidth 2 title "server", \
	NaN with lines dashtype 2 linecolor rgb line_colour title "grows since", \
	NaN with boxes fillstyle solid noborder linecolor rgb "#e4e4e4" title "warm-up"
