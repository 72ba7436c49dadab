# SPDX-License-Identifier: GPL-3.0-or-later
# replays.gp - a session replayed at several settings: total (time by setting), percentiles (of response times by setting), cdf
# (a curve for each setting) and ratio (each response by itself at the base, for the setting `far`). Set before: axis_words;
# numeric = 1 where the settings have a place on the axis. From say.jq: far, far_says, base_says.

n = total_most = p75_most = 0
array spot[200]
array said[200]
array named[200]
# (a row that stands there twice is one)
eval look("summary.tsv", 'column("repeats") > 0 && (n == 0 || named[n] ne strcol("setting")) ' \
	. '? (n = n + 1, named[n] = strcol("setting"), said[n] = strcol("says"), ' \
	. 'spot[n] = numeric && filled("value") ? column("value") : n, total_most = more(total_most, high("total_s")), ' \
	. 'p75_most = more(p75_most, y("p75_ms"))) : 0')
least = n ? spot[1] : 0
most = n ? spot[1] : 1
do for [i = 1:n] { least = less(least, spot[i]); most = more(most, spot[i]) }
pad = most > least ? (most - least) * (n > 2 ? 0.1 : 0.4) : 1
width = n > 1 ? (most - least) / (n - 1) : 1
do for [i = 2:n] { do for [j = 1:i - 1] { width = less(width, abs(spot[i] - spot[j])) } }
place_of(s) = sum [i = 1:n] (named[i] eq s ? spot[i] : 0)
x_of_row = 'column("repeats") > 0 ? place_of(strcol("setting")) : NaN'
settings_axis = 'set xrange [least - pad:most + pad]; set xlabel axis_words; set xtics () nomirror; ' \
	. 'do for [i = 1:n] { set xtics add ((numeric ? named[i] : said[i]) spot[i]) }'

eval figure("total", 340, "Total time of the session by setting", 0)
eval settings_axis
eval y_axis("0:more(total_most, 1) * 1.12", "total time, s")
eval sprintf('plot data using (x_ = %s):(there("total_s")):(0.5 * width) with boxes fill solid 0.35 ', x_of_row) \
	. "noborder linecolor rgb light_colour notitle, " . bars(x_of_row, "total_s", light_colour) . ", " \
	. hovers("hover_ends", x_of_row, "total_s", 1, light_colour, "total time, s")

if (p75_most > 0) {
	eval figure("percentiles", 420, "Response times by setting", 3)
	eval settings_axis
	eval y_axis("0:p75_most * 1.3", "response time, ms")
	eval "plot " . curve_of(x_of_row, "p75_ms", 4, colour(5), "75 % of the responses are faster") . ", " \
		. curve_of(x_of_row, "p50_ms", 1, colour(1), "median") . ", " . curve_of(x_of_row, "p25_ms", 2, colour(3), \
			"25 % are faster")

	eval figure("cdf", 400 + 22 * n, "Share of responses within a time", n)
	set logscale x
	set xtics ("1 ms" 1, "3" 3, "10 ms" 10, "30" 30, "100 ms" 100, "300" 300, "1 s" 1000, "3 s" 3000, "10 s" 10000, \
		"30 s" 30000, "100 s" 100000, "300 s" 300000)
	eval y_axis("0:1", "share of the responses")
	set xlabel "response time"
	set format y "%.1f"
	set tmargin 4
	eval upright(threshold_ms, 1, line_colour, 2) . "; " . upright_label(threshold_ms, sprintf("%g ms", threshold_ms), \
		line_colour)
	plot for [i = 1:n] "cdf.tsv" using (strcol("setting") eq named[i] ? column("latency_ms") \
		: NaN):"share" with steps linewidth 1.6 \
		linecolor rgb load_colour(i - 1, n) dashtype load_dash(i - 1, n) title said[i] noenhanced
}

if (p75_most > 0 && strlen(far)) {
	bin(x) = floor(log(x) / log(2) * 2 + 0.5) / 2.0	# half octaves
	from = 0
	to = 2
	eval look("points.tsv", 'strcol("setting") eq far ? (v = bin(column("ratio")), from = less(from, v), to = more(to, v)) : 0')
	eval figure("ratio", 360, "Each response by itself at the base", 0)
	set xtics ("1/16" -4, "1/8" -3, "1/4" -2, "1/2" -1, "1" 0, "2" 1, "4" 2, "8" 3, "16" 4, "32" 5, \
		"64" 6, "128" 7, "256" 8, "1024" 10)
	set xlabel sprintf("times as long with %s as with %s", far_says, base_says) noenhanced
	eval y_axis("0:*", "responses")
	set format y "%g"
	set xrange [from - 0.6:to + 0.6]
	eval upright(0, 1, mark_colour, 3)
	set boxwidth 0.42
	plot "points.tsv" using (strcol("setting") eq far ? bin(column("ratio")) \
		: NaN):(1) smooth frequency with boxes fill solid 0.5 \
		noborder linecolor rgb heavy_colour notitle
}
