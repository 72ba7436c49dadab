# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - rate, queue and response over the number of users, measured and by mean value analysis; cov of arrivals.

held = 0
counted = 0
least = 1e9
most = 1
most_held = 1
least_queue = 1e9
highest = 1
of(p) = y("repeats") > 0 && strcol("part") eq p
is_held(d) = of("held-think") || of("held-ratio")
is_cov(d) = of("cov-think") || of("cov-ratio")
eval look("summary.tsv", 'is_held(0) ? (held = held + 1, most_held = more(most_held, y("users")), ' \
	. 'least_queue = y("concurrency") > 0 ? less(least_queue, y("concurrency")) : least_queue) : ' \
	. 'is_cov(0) ? (counted = counted + 1, least = less(least, y("users")), most = more(most, y("users")), ' \
	. 'highest = more(highest, y("cov"))) : 0')
at(p) = of(p) ? y("users") : NaN
known_of(p, c) = of(p) ? y(c) : NaN

array title_of[3] = ["Requests a second", "Requests under way at the server", "Response time"]
array unit_of[3] = ["requests a second", "requests", "s"]
array bound[3] = ["model_lambda_most_per_s", "", "model_response_least_s"]
measured = "lambda_per_s concurrency response_ms"
model = "model_lambda_per_s model_concurrency model_response_s"
scale(k) = k == 3 ? 1000.0 : 1
end_of(k, p, v) = of(p) ? (k == 2 && v <= 0 ? 1e-6 : v / scale(k)) : NaN	# 0 has no place on a logarithmic axis
parts = "held-think held-ratio"
way(p) = p eq "held-think" ? "think time held" : "users by think time held"
tone(p) = p eq "held-think" ? heavy_colour : light_colour
mark(p) = p eq "held-think" ? 7 : 5
do for [k = 1:3 * (held > 0)] {
	eval figure(word("rate queue response", k), 520, title_of[k], 5)
	set grid xtics
	set datafile missing NaN
	eval x_axis("0:most_held * 1.03", "users") . y_axis("0:*", unit_of[k])
	if (k == 2) { set logscale y; set yrange [10**floor(log10(least_queue * 0.99)):*] }
	c = word(measured, k)
	computed = word(model, k)
	bounds = bound[k]
	plot for [p in parts] data using (at(p)):(known_of(p, computed)) with lines dashtype 2 linecolor rgb tone(p) \
			title way(p) . ": computed (exact mean value analysis)", \
		for [p in parts] data using (at(p)):(known_of(p, c) / scale(k)):(end_of(k, p, low(c))):(end_of(k, p, high(c))) \
			with yerrorbars linecolor rgb tone(p) pointtype mark(p) title way(p) . ": measured", \
		for [p in parts] data using (at(p)):(known_of(p, c) / scale(k)):(hover_ends(c, way(p))) with labels hypertext \
			point linecolor rgb tone(p) pointtype mark(p) notitle, \
		data using (k == 2 ? NaN : at("held-think")):(k == 2 ? NaN : y(bounds)) with lines dashtype 3 linecolor rgb line_colour \
			title (k == 1 ? "most that think time or the slowest station allow" : k == 3 \
				? "least: an empty server, or the slowest station" : "")
}

if (counted > 0) {
	eval figure("cov", 500, "When requests come: coefficient of variation of the times between them", 4)
	set grid xtics
	set datafile missing NaN
	set logscale x
	eval x_axis("least:most * 1.05", "users")
	set ylabel "standard deviation by mean"
	set yrange [0:highest + 0.3]	# what of the bars of few repeats goes beyond is cut off
	set style fill transparent solid 0.25 noborder
	eval 'plot data using (at("cov-ratio")):(1 - y("cov_band")):(1 + y("cov_band")) with filledcurves linecolor rgb mark_colour ' \
		. 'title "1 ± 1.96/√n: 95 of 100 such conditions, if requests come at random", 1 with lines ' \
		. 'linestyle dotted notitle, ' \
		. 'data using (at("cov-ratio")):(y("cov_independent")) with lines linestyle light dashtype 2 title "theory: ' \
		. 'independent users", ' \
		. curve_of('at("cov-ratio")', "cov", 2, light_colour, "users by think time held") . ", " \
		. curve_of('at("cov-think")', "cov", 1, heavy_colour, "think time held")
}
