# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - rate, queue and response over the number of users, measured and by mean value analysis; cov of arrivals; and, where
# N/Z is held, the rate near it (convergence) and over the requests under way (loadlines).

held = counted = longest_think = 0
least = least_queue = 1e9
most = most_held = highest = 1
of(p) = y("repeats") > 0 && strcol("part") eq p
is_held(d) = of("held-think") || of("held-ratio")
is_cov(d) = of("cov-think") || of("cov-ratio")
eval look("summary.tsv", 'is_held(0) ? (held = held + 1, most_held = more(most_held, y("users")), ' \
	. 'longest_think = more(longest_think, of("held-think") ? y("think_s") : 0), ' \
	. 'least_queue = y("concurrency") > 0 ? less(least_queue, y("concurrency")) : least_queue) : ' \
	. 'is_cov(0) ? (counted = counted + 1, least = less(least, y("users")), most = more(most, y("users")), ' \
	. 'highest = more(highest, y("cov"))) : 0')
at(p) = of(p) ? y("users") : NaN
known_of(p, c) = of(p) ? y(c) : NaN

array title_of[3] = ["Requests a second", "Requests under way at the server", "Response time"]
array unit_of[3] = ["requests a second", "requests", "s"]
measured = "lambda_per_s concurrency response_ms"
model = "lambda q r_s"
scale(k) = k == 3 ? 1000.0 : 1
end_of(k, p, v) = of(p) ? (k == 2 && v <= 0 ? 1e-6 : v / scale(k)) : NaN	# 0 has no place on a logarithmic axis
parts = "held-think held-ratio"
way(p) = p eq "held-think" ? "fixed think time" : "fixed users to think time"
tone(p) = p eq "held-think" ? heavy_colour : light_colour
mark(p) = p eq "held-think" ? 7 : 5
curve_of_part(p) = "model-" . p . ".tsv"
curves_of = ""
do for [p in parts] { if (has_table(curve_of_part(p))) { curves_of = add(curves_of, p) } }
computed_at(c) = strcol("kind") eq "model" ? y(c) : NaN
do for [k = 1:3 * (held > 0)] {
	eval figure(word("rate queue response", k), k == 1 ? 544 : 520, title_of[k], k == 1 ? 6 : 5)
	set grid xtics
	set datafile missing NaN
	eval x_axis("0:most_held * 1.03", "users") . y_axis("0:*", unit_of[k])
	if (k == 2) { set logscale y; set yrange [10**floor(log10(least_queue * 0.99)):*] }
	if (k == 3) { set yrange [-1.1 * longest_think:*]; set xzeroaxis linecolor rgb line_colour }
	c = word(measured, k)
	computed = word(model, k)
	plot for [p in curves_of] curve_of_part(p) using (computed_at("n")):(computed_at(computed)) with lines dashtype 2 \
			linecolor rgb tone(p) title way(p) . ": computed (exact mean value analysis)", \
		for [p in parts] data using (at(p)):(known_of(p, c) / scale(k)):(end_of(k, p, low(c))):(end_of(k, p, high(c))) \
			with yerrorbars linecolor rgb tone(p) pointtype mark(p) title way(p) . ": measured", \
		for [p in parts] data using (at(p)):(known_of(p, c) / scale(k)):(hover_ends(c, way(p) . (k == 3 ? ", ms" : ""))) \
			with labels hypertext \
			point linecolor rgb tone(p) pointtype mark(p) notitle, \
		for [p in curves_of] curve_of_part(p) using (k == 1 && p eq "held-think" ? computed_at("n") \
			: NaN):(y("x_bound")) with lines \
			dashtype 3 linecolor rgb line_colour \
			title (k == 1 && p eq "held-think" ? "most that think time or the slowest station allow" : ""), \
		(k == 1 ? nz_per_s : NaN) with lines dashtype 4 linecolor rgb light_colour \
			title (k == 1 ? sprintf("users / think time: %g per second", nz_per_s) : ""), \
		data using (k == 3 && of("held-think") ? 0 \
			: NaN):(-y("think_s")):(y("users")):(y("users") * slowest_s) with vectors nohead \
			dashtype 3 linecolor rgb line_colour title (k == 3 ? "asymptote: users × slowest station − think time" : "")
	unset xzeroaxis
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
		. curve_of('at("cov-ratio")', "cov", 2, light_colour, "fixed users to think time") . ", " \
		. curve_of('at("cov-think")', "cov", 1, heavy_colour, "fixed think time")
}

if (has_table("model-held-ratio.tsv")) {
	call engine . "/../../plots/queue.gp" "model-held-ratio.tsv" "figures/convergence.svg" "principle" \
		"Fixed users to think time: the rate approaches that ratio"
	call engine . "/../../plots/queue.gp" "model-held-ratio.tsv" "figures/loadlines.svg" "line" \
		"Load lines of more and more users: what is under way slows them less and less"
}
