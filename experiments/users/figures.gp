# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - response and load over the rate of requests, fit (measured rows beside a model), cov of arrivals; a panel a part.

parts = ""
eval look("summary.tsv", 'y("repeats") > 0 ? (parts = add(parts, strcol("part"))) : 0')
n = words(parts)
short(p) = p eq "web" ? "web" : "VNC"
says(p) = p eq "web" ? "web: objects of lighttpd" : "VNC: keys of refecho"
of(p) = y("repeats") > 0 && strcol("part") eq p
rate(p) = of(p) ? y("lambda_per_s") : NaN
grid = 'set datafile missing NaN; set grid xtics ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1'

if (n > 0) {
	eval figure("response", 460, "")
	eval panels(n, 1, 90, "Response time by rate of requests")
	eval grid
	set xlabel "requests a second"
	set xrange [0:*]
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
			. ', data using (of(p) ? y("model_lambda_per_s") : NaN):(y("model_response_s") * 1000) with lines ' \
			. 'linecolor rgb line_colour dashtype 2 notitle'
	}
	eval legend_strip(1)
	plot NaN with linespoints pointtype 7 linecolor rgb light_colour title "mean", NaN \
		with linespoints pointtype 5 linecolor rgb heavy_colour title "95 % are faster", \
		NaN with lines linecolor rgb line_colour dashtype 2 title "mean of one queue, not fitted: the link (web), the CPU (VNC)"

	eval figure("load", 420, "")
	eval panels(n, 1, 60, "How busy CPU and link are")
	eval grid
	set xlabel "requests a second"
	set xrange [0:*]
	set yrange [0:100]
	do for [i = 1:n] {
		p = word(parts, i)
		set ylabel "busy, %"
		eval panel(i, says(p))
		eval "plot " . line_of('rate(p)', "server_busy_percent", 1, light_colour, "CPU") . ", " \
			. line_of('rate(p)', "link_percent", 2, heavy_colour, "link")
	}
	eval legend_strip(2)
	plot NaN with linespoints pointtype 7 linecolor rgb light_colour title "CPU of the server", \
		NaN with linespoints pointtype 5 linecolor rgb heavy_colour title "link, from server to users"
}

# ---- the fitted model: response over rate; and the load lines of users who think: a row lies where line and server meet ----
fits = ""
foretold = 0
if (has_table("curve.tsv")) { eval look("curve.tsv", \
	'foretold = foretold + (strcol("kind") eq "later"), fits = add(fits, strcol("part"))') }
m = words(fits)
fitted(p, w, k) = strcol("part") eq p && strcol("fitted") eq w && strcol("kind") eq k
if (m > 0) {
	eval figure("fit", 180 + 330 * m, "")
	eval panels(2, m, 136, "Measured rows beside a fitted model")
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
			? 0 : NaN):(y("n") / y("z_s")):(most_q * 1.1):(-most_q * 1.1 / y("z_s")) \
				with vectors nohead linecolor rgb mark_colour dashtype 3 notitle, \
			"curve.tsv" using (over("all", "fit")):(is(0)) with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour notitle, \
			"curve.tsv" using (over("first", "fit")):(is(0)) \
				with linespoints pointtype 8 pointsize 0.5 dashtype 2 linecolor rgb line_colour notitle, \
			"curve.tsv" using (over(w, "measured")):(is(0)) with points pointtype 7 linecolor rgb heavy_colour notitle, \
			"curve.tsv" using (over(w, "later")):(is(0)) with points pointtype 9 pointsize 1.1 linecolor rgb heavy_colour notitle
	}
	eval legend_strip(2)
	plot NaN with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour title "model, fitted to all rows", \
		NaN with linespoints pointtype 8 pointsize 0.5 dashtype 2 linecolor rgb line_colour \
			title (foretold ? "fitted to the lowest rates" : ""), \
		NaN with points pointtype 7 linecolor rgb heavy_colour title "measured", \
		NaN with points pointtype 9 pointsize 1.1 linecolor rgb heavy_colour \
			title (foretold ? "measured, not known to the dashed line" : ""), \
		NaN with lines linecolor rgb mark_colour dashtype 3 title "load lines: (users − under way) / think time"
}

# ---- when requests come, as one user after the other is counted in ----
counted = ""
if (has_table("points.tsv")) { eval look("points.tsv", 'counted = add(counted, strcol("part"))') }
if (words(counted) > 0) {
	eval figure("cov", 480, "")
	eval panels(words(counted), 1, 100, "Coefficient of variation of the times between requests")
	eval grid
	set xlabel "users counted in"
	set xrange [0:*]
	set yrange [0:*]
	set style fill transparent solid 0.2 noborder
	half(d) = (y("cov_high") - y("cov_low")) / 2
	thinks = ""
	do for [i = 1:words(counted)] {
		p = word(counted, i)
		shortest = 1e9
		longest = 0
		eval look("points.tsv", 'strcol("part") eq p ? (shortest = less(shortest, y("think_s")), longest = more(longest, ' \
			. 'y("think_s"))) : 0')
		set xrange [0:*]
		set yrange [0:*]
		thinks = thinks . sprintf("%s%g and %g s (%s)", i > 1 ? ", " : "", longest, shortest, short(p))
		at(z) = strcol("part") eq p && y("think_s") == z ? y("users") : NaN
		eval panel(i, says(p))
		plot for [z in sprintf("%.9g %.9g", longest, shortest)] "points.tsv" using (at(real(z))):(1 - half(0)):(1 + half(0)) \
				with filledcurves linecolor rgb (real(z) == longest ? light_colour : heavy_colour) notitle, \
			1 with lines linecolor rgb mark_colour dashtype 3 notitle, \
			"points.tsv" using (at(longest)):(y("cov")) with lines linecolor rgb light_colour notitle, \
			"points.tsv" using (at(shortest)):(y("cov")) with lines linecolor rgb heavy_colour notitle
	}
	eval legend_strip(1)
	plot NaN with lines linecolor rgb light_colour title "the longest think time; below, the shortest: " . thinks, \
		NaN with lines linecolor rgb heavy_colour title "the shortest think time", \
		NaN with lines linecolor rgb mark_colour dashtype 3 \
			title "requests at random (a Poisson process); shaded: where 95 in 100 of such would lie"
}
if (figure_panels) { unset multiplot }
unset output
