# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - response and load over the rate of requests, fit (measured rows beside a model), cov of arrivals; a panel a part.

parts = ""
eval look("summary.tsv", 'y("repeats") > 0 ? (parts = add(parts, strcol("part"))) : 0')
n = words(parts)
short(p) = p eq "web" ? "web" : "VNC"
says(p) = p eq "web" ? "web: objects of lighttpd" : "VNC: keys of refecho"
of(p) = y("repeats") > 0 && strcol("part") eq p
rate(p) = of(p) ? y("lambda_per_s") : NaN
grid = 'set datafile missing NaN; set grid xtics; set xrange [0:*]; set yrange [0:*]'

if (n > 0) {
	eval panels("response", 482, n, 1, 112, "Response time by rate of requests")
	eval grid
	set xlabel "requests a second"
	do for [i = 1:n] {
		p = word(parts, i)
		fastest = 1e9
		unset logscale
		eval look("summary.tsv", 'of(p) && filled("response_ms") ? (fastest = less(fastest, y("response_ms"))) : 0')
		set logscale y
		set xrange [0:*]
		least_drawn = 10**floor(log10(fastest / 2))
		set yrange [least_drawn:*]
		eval panel(i, says(p))
		set ylabel (i == 1) ? "ms" : "" offset 1.5, 0
		eval "plot " . curve_of('rate(p)', "response_ms", 1, light_colour, "mean") . ", " \
			. line_of('rate(p)', "p95_ms", 2, heavy_colour, "95 % are faster") \
			. ', data using (of(p) ? y("model_lambda_per_s") : NaN):(y("model_response_s") * 1000) with lines linestyle dashed notitle' \
			. threshold_across
	}
	eval legend_strip(1)
	plot NaN with linespoints linestyle light title "mean", NaN with linespoints linestyle heavy title "95 % are faster", \
		NaN with lines linestyle dotted title sprintf("%g ms", threshold_ms), \
		NaN with lines linestyle dashed title "mean of one queue, not fitted: the link (web), the CPU (VNC)"

	eval panels("load", 420, n, 1, 60, "How busy CPU and link are")
	eval grid
	eval x_axis("0:*", "requests a second")
	set yrange [0:100]
	do for [i = 1:n] {
		p = word(parts, i)
		set ylabel "busy, %"
		eval panel(i, says(p))
		eval "plot " . line_of('rate(p)', "server_busy_percent", 1, light_colour, "CPU") . ", " \
			. line_of('rate(p)', "link_percent", 2, heavy_colour, "link")
	}
	eval legend_strip(2)
	plot NaN with linespoints linestyle light title "CPU of the server", \
		NaN with linespoints linestyle heavy title "link, from server to users"
}

# ---- the fitted model: response over rate; and the load lines of users who think: a row lies where line and server meet ----
fits = ""
foretold = 0
if (has_table("curve.tsv")) { eval look("curve.tsv", \
	'foretold = foretold + (strcol("kind") eq "later"), fits = add(fits, strcol("part"))') }
m = words(fits)
fitted(p, w, k) = strcol("part") eq p && strcol("fitted") eq w && strcol("kind") eq k
if (m > 0) {
	eval panels("fit", 180 + 330 * m, 2, m, 136, "Measured rows beside a fitted model")
	eval grid
	do for [i = 1:2 * m] {
		p = word(fits, (i + 1) / 2)
		later = 0
		most_q = 0
		most_x = 0
		eval look("curve.tsv", 'strcol("part") eq p ? (later = later + (strcol("kind") eq "later"), most_q = more(most_q, y("q")), ' \
			. 'most_x = more(most_x, y("lambda"))) : 0')
		w = later ? "first" : "all"
		side = i % 2
		over(u, k) = fitted(p, u, k) ? y((side == 1) ? "lambda" : "q") : NaN
		is(d) = (side == 1) ? y("r_s") * 1000 : y("lambda")
		set xlabel (i <= 2 * m - 2) ? "" : (side == 1) ? "requests a second" : "requests under way"
		set xrange [0:((side == 1) ? most_x * 1.05 : most_q * 1.1)]
		set yrange [0:*]
		if (side != 1) { set yrange [0:most_x * 1.15] }
		eval panel(i, short(p) . ((side == 1) ? ": mean response, ms" : ": requests a second"))
		plot "curve.tsv" using (side != 1 && fitted(p, "all", "measured") \
			? 0 : NaN):(y("n") / y("z_s")):(most_q * 1.1):(-most_q * 1.1 / y("z_s")) with vectors nohead linestyle dotted notitle, \
			"curve.tsv" using (over("all", "fit")):(is(0)) with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour notitle, \
			"curve.tsv" using (over("first", "fit")):(is(0)) with linespoints linestyle dashed pointtype 8 pointsize 0.5 notitle, \
			"curve.tsv" using (over(w, "measured")):(is(0)) with points pointtype 7 linecolor rgb heavy_colour notitle, \
			"curve.tsv" using (over(w, "later")):(is(0)) with points pointtype 9 pointsize 1.1 linecolor rgb heavy_colour notitle
	}
	eval legend_strip(2)
	plot NaN with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour title "model, fitted to all rows", \
		NaN with linespoints linestyle dashed pointtype 8 pointsize 0.5 title (foretold ? "fitted to the lowest rates" : ""), \
		NaN with points pointtype 7 linecolor rgb heavy_colour title "measured", \
		NaN with points pointtype 9 pointsize 1.1 linecolor rgb heavy_colour \
			title (foretold ? "measured, not known to the dashed line" : ""), \
		NaN with lines linestyle dotted title "load lines: (users − under way) / think time"
}

# ---- when requests come, as one user after the other is counted in ----
counted = ""
if (has_table("points.tsv")) { eval look("points.tsv", 'counted = add(counted, strcol("part"))') }
if (words(counted) > 0) {
	eval panels("cov", 480, words(counted), 1, 100, "Coefficient of variation of the times between requests")
	eval grid
	set xlabel "users counted in"
	set style fill transparent solid 0.2 noborder
	half(d) = (y("cov_high") - y("cov_low")) / 2
	thinks = ""
	do for [i = 1:words(counted)] {
		p = word(counted, i)
		shortest = 1e9
		longest = 0
		eval look("points.tsv", 'strcol("part") eq p ? (shortest = less(shortest, y("think_s")), longest = more(longest, ' \
			. 'y("think_s"))) : 0')
		eval grid
		thinks = thinks . sprintf("%s%g and %g s (%s)", i > 1 ? ", " : "", longest, shortest, short(p))
		at(z) = strcol("part") eq p && y("think_s") == z ? y("users") : NaN
		eval panel(i, says(p))
		# (a number with an exponent is none to real())
		plot for [z in sprintf("%.9f %.9f", longest, shortest)] "points.tsv" using (at(real(z))):(1 - half(0)):(1 + half(0)) \
				with filledcurves linecolor rgb (real(z) == longest ? light_colour : heavy_colour) notitle, \
			1 with lines linestyle dotted notitle, \
			"points.tsv" using (at(longest)):(y("cov")) with lines linestyle light notitle, \
			"points.tsv" using (at(shortest)):(y("cov")) with lines linestyle heavy notitle
	}
	eval legend_strip(1)
	plot NaN with lines linestyle light title "the longest think time; below, the shortest: " . thinks, \
		NaN with lines linestyle heavy title "the shortest think time", \
		NaN with lines linestyle dotted title "requests at random (a Poisson process); shaded: where 95 in 100 of such would lie"
}
