# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - response and load over the rate of requests, fit (measured rows beside a model), cov of arrivals, a panel a part;
# what each web server does (servers); the arrivals of one cell (arrivals).

parts = ""
eval look("summary.tsv", 'y("repeats") > 0 ? (parts = add(parts, strcol("part"))) : 0')
n = words(parts)
short(p) = p eq "vnc" ? "VNC" : p
says(p) = p eq "web" ? "web: objects of lighttpd" : p eq "pages" ? "pages: their objects in parallel" \
	: p eq "open" ? "open loop: objects of lighttpd" : "VNC: keys of refecho"
of(p) = y("repeats") > 0 && strcol("part") eq p
rate(p) = of(p) ? y("lambda_per_s") : NaN
grid = 'set datafile missing NaN; set grid xtics; set xrange [0:*]; set yrange [0:*]'

if (n > 0) {
	eval panels("response", 152 + 330 * down(n, 2), across(n, 2), down(n, 2), 112, "Response time by rate of requests")
	eval grid
	over(i) = (i + panel_across > n) ? "requests a second" : ""
	do for [i = 1:n] {
		p = word(parts, i)
		set xlabel over(i)
		fastest = 1e9
		unset logscale
		eval look("summary.tsv", 'of(p) && filled("response_ms") ? (fastest = less(fastest, y("response_ms"))) : 0')
		set logscale y
		set xrange [0:*]
		least_drawn = 10**floor(log10(fastest / 2))
		set yrange [least_drawn:*]
		eval panel(i, says(p))
		set ylabel panel_column(i) == 0 ? "ms" : "" offset 1.5, 0
		eval "plot " . curve_of('rate(p)', "response_ms", 1, light_colour, "mean") . ", " \
			. line_of('rate(p)', "p95_ms", 2, heavy_colour, "95 % are faster") \
			. ', data using (of(p) ? y("model_lambda_per_s") : NaN):(y("model_response_s") * 1000) with lines linestyle dashed notitle' \
			. threshold_across
	}
	eval legend_strip(1)
	plot NaN with linespoints linestyle light title "mean", NaN with linespoints linestyle heavy title "95 % are faster", \
		NaN with lines linestyle dotted title sprintf("%g ms", threshold_ms), \
		NaN with lines linestyle dashed title "mean of one queue, not fitted: the link (web), the CPU (VNC)"

	eval panels("load", 100 + 320 * down(n, 2), across(n, 2), down(n, 2), 60, "How busy CPU and link are")
	eval grid
	do for [i = 1:n] {
		p = word(parts, i)
		eval x_axis("0:*", over(i))
		set yrange [0:100]
		set ylabel "busy, %"
		eval panel(i, says(p))
		eval "plot " . line_of('rate(p)', "server_busy_percent", 1, light_colour, "CPU") . ", " \
			. line_of('rate(p)', "link_percent", 2, heavy_colour, "link")
	}
	eval legend_strip(2)
	plot NaN with linespoints linestyle light title "CPU of the server", \
		NaN with linespoints linestyle heavy title "link, from server to users"
}

# ---- web servers behind a balancer ----
balanced = shared = most_moved = 0
eval look("summary.tsv", 'of("web") && filled("web1_cpu_percent") ? (balanced = balanced + 1, ' \
	. 'shared = shared + filled("web2_of_share_percent"), ' \
	. 'most_moved = more(most_moved, more(y("received_kbyte_per_s"), y("frames_out_kbyte_per_s")))) : 0')
if (balanced > 0) {
	eval panels("servers", 710, 2, 2, 112, "Web servers over the rate of requests")
	eval grid
	over_rate = 'rate("web")'
	set xrange [0:*]
	eval panel(1, "response time, ms")
	eval "plot " . line(over_rate, "response_ms", 1, "mean") . ", " . line(over_rate, "p95_ms", 2, "95 % are faster")
	set yrange [0:100]
	cpu(name) = name . (shared ? "_of_share_percent" : "_cpu_percent")
	straight = ""
	if (shared > 2) {
		do for [name in "web1 web2"] {
			set autoscale
			eval 'stats data using (' . over_rate . '):(y("' . cpu(name) . '")) name "' . name . '" nooutput'
		}
		set xrange [0:*]
		set yrange [0:100]
		straight = sprintf("; R² %.3f", less(web1_correlation, web2_correlation)**2)
	}
	eval panel(2, (shared ? "CPU, % of its share" : "CPU, % of one") . straight)
	eval "plot " . line(over_rate, cpu("web1"), 3, "server 1") . ", " . line(over_rate, cpu("web2"), 4, "server 2") . ", " \
		. line(over_rate, cpu("balancer"), 5, "balancer") \
		. (straight eq "" ? "" : ", web1_slope * x + web1_intercept with lines linestyle dotted notitle")
	set yrange [0:most_moved * 1.1]
	set xlabel "objects a second"
	eval panel(3, "received by users, KB/s")
	eval "plot " . line(over_rate, "received_kbyte_per_s", 6, "users")
	eval panel(4, "sent, KB/s")
	eval "plot " . line(over_rate, "web1_sent_kbyte_per_s", 3, "server 1") . ", " \
		. line(over_rate, "web2_sent_kbyte_per_s", 4, "server 2") . ", " \
		. 'data using (rate("web")):(y("web1_sent_kbyte_per_s") + y("web2_sent_kbyte_per_s")) smooth unique with linespoints ' \
		. looks(6, colour(6)) . 'notitle, data using (rate("web")):(y("frames_out_kbyte_per_s")) smooth unique with lines ' \
		. 'linestyle dashed notitle'
	eval legend_strip(3)
	entry(i, title) = "NaN with linespoints " . looks(i, colour(i)) . sprintf('title "%s", ', title)
	eval "plot " . entry(1, "mean") . entry(2, "95 % are faster") . entry(3, "server 1") . entry(4, "server 2") \
		. entry(5, "balancer") . entry(6, "users; all servers") \
			. 'NaN with lines linestyle dashed title "frames on the link"'
}

# ---- the open loop beside users who think: what is asked for by how many requests are under way ----
most_q = 0
eval look("summary.tsv", 'of("open") && filled("concurrency") ? (most_q = more(most_q, y("concurrency"))) : 0')
if (most_q > 0) {
	eval look("summary.tsv", 'of("web") && filled("concurrency") ? (most_q = more(most_q, y("concurrency"))) : 0')
	eval figure("loadlines", 480, "Rate of requests by how many are under way", 4)
	set datafile missing NaN
	set xrange [0:most_q * 1.1]
	set yrange [0:*]
	set xlabel "requests under way"
	set ylabel "requests a second"
	asks(p) = of(p) ? y("users") / y("think_s") : NaN
	upto = most_q * 1.1
	slope(p) = p eq "web" ? -upto / y("think_s") : 0
	point(p) = of(p) ? y("concurrency") : NaN
	asked(p) = sprintf('data using (of("%s") ? 0 : NaN):(asks("%s")):(upto):(slope("%s")) ', p, p, p) \
		. sprintf('with vectors nohead linestyle %s notitle, ', p eq "web" ? "dotted" : "dashed")
	had(p, look) = sprintf('data using (point("%s")):(y("lambda_per_s")) with points %s, ', p, look)
	eval "plot " . asked("web") . asked("open") . had("web", 'pointtype 7 linecolor rgb light_colour title "users who think"') \
		. had("open", 'pointtype 9 linecolor rgb heavy_colour title "open loop"') \
		. 'NaN with lines linestyle dotted title "load lines of users: (users − under way) / think time", ' \
		. 'NaN with lines linestyle dashed title "rates of the open loop"'
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
		later = most_q = most_x = 0
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
		measured_n = 'side != 1 && fitted(p, "all", "measured") ? y("n") : NaN'
		row(u, k, looks) = sprintf(', "curve.tsv" using (over("%s", "%s")):(is(0)) with %s notitle', u, k, looks)
		eval "plot " . load_lines("curve.tsv", measured_n, most_q * 1.1) . " notitle" \
			. row("all", "fit", "linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour") \
			. row("first", "fit", "linespoints linestyle dashed pointtype 8 pointsize 0.5") \
			. row(w, "measured", "points pointtype 7 linecolor rgb heavy_colour") \
			. row(w, "later", "points pointtype 9 pointsize 1.1 linecolor rgb heavy_colour")
	}
	eval legend_strip(2)
	plot NaN with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour title "model, fitted to all rows", \
		NaN with linespoints linestyle dashed pointtype 8 pointsize 0.5 title (foretold ? "fitted to the lowest rates" \
			: ""), \
		NaN with points pointtype 7 linecolor rgb heavy_colour title "measured", \
		NaN with points pointtype 9 pointsize 1.1 linecolor rgb heavy_colour \
			title (foretold ? "measured, not known to the dashed line" : ""), \
		NaN with lines linestyle dotted title "load lines: (users − under way) / think time"
}

# ---- when requests come, as one user after the other is counted in: with the think time nearest to that of the paper ----
paper_think = 6.25
nearer(a, b) = !known(b) || abs(a - paper_think) < abs(b - paper_think) ? a : b
counted = ""
repeats = 1
if (has_table("points.tsv")) { eval look("points.tsv", \
	'counted = add(counted, strcol("part")), repeats = more(repeats, y("repeat"))') }
if (words(counted) > 0) {
	eval panels("cov", 164 + 336 * down(words(counted), 2), across(words(counted), 2), down(words(counted), 2), 124, \
		"Coefficient of variation of the times between requests")
	eval grid
	set style fill transparent solid 0.2 noborder
	half(d) = (y("cov_high") - y("cov_low")) / 2
	near_ones = shortest_ones = ""
	do for [i = 1:words(counted)] {
		p = word(counted, i)
		set xlabel (i + panel_across > words(counted)) ? "users counted in" : ""
		shortest = 1e9
		near = NaN
		eval look("points.tsv", 'strcol("part") eq p ? (shortest = less(shortest, y("think_s")), near = nearer(y("think_s"), near)) : 0')
		eval grid
		near_ones = near_ones . sprintf("%s%g s (%s)", i > 1 ? ", " : "", near, short(p))
		shortest_ones = shortest_ones . sprintf("%s%g s (%s)", i > 1 ? ", " : "", shortest, short(p))
		at(z, r) = strcol("part") eq p && y("think_s") == z && (r == 0 || y("repeat") == r) ? y("users") : NaN
		# Means only at users that every repeat has: a mean of some repeats would jump.
		near_seen = shortest_seen = ""
		eval look("points.tsv", 'near_seen = known(at(near, 0)) ? near_seen . sprintf(" %d", at(near, 0)) : near_seen, ' \
			. 'shortest_seen = known(at(shortest, 0)) ? shortest_seen . sprintf(" %d", at(shortest, 0)) : shortest_seen, 0')
		eval grid
		times(list, u) = sum [k = 1:words(list)] (word(list, k) eq sprintf("%d", u))
		most_times(list) = words(list) ? (top_ = 0, \
			sum [l = 1:words(list)] (top_ = more(top_, times(list, real(word(list, l)))), 0), top_) : 0
		near_times = most_times(near_seen)
		shortest_times = most_times(shortest_seen)
		mean_at(z) = known(at(z, 0)) && times(z == near ? near_seen : shortest_seen, at(z, 0)) \
			== (z == near ? near_times : shortest_times) ? at(z, 0) : NaN
		eval panel(i, says(p))
		# (a number with an exponent is none to real())
		tone(z) = real(z) == near ? light_colour : heavy_colour
		both = sprintf("%.9f %.9f", near, shortest)
		plot for [z in both] "points.tsv" using (at(real(z), 1)):(1 - half(0)):(1 + half(0)) with filledcurves \
				linecolor rgb tone(z) notitle, \
			1 with lines linestyle dotted notitle, \
			for [r = 1:int(repeats)] for [z in both] "points.tsv" using (at(real(z), r)):(y("cov")) with lines \
				linewidth 0.4 linecolor rgb tone(z) notitle, \
			for [z in both] "points.tsv" using (mean_at(real(z))):(y("cov")) smooth unique with lines \
				linewidth 2 linecolor rgb tone(z) notitle
	}
	eval legend_strip(1)
	plot NaN with lines linewidth 2 linecolor rgb light_colour \
			title sprintf("think time nearest to the paper's %g s, not scaled: ", paper_think) . near_ones, \
		NaN with lines linewidth 2 linecolor rgb heavy_colour title "the shortest think time: " . shortest_ones, \
		NaN with lines linewidth 0.4 linecolor rgb light_colour title "each repeat", \
		NaN with lines linestyle dotted title "requests at random (a Poisson process); shaded: 95 in 100 of such"
}

# ---- the requests of one cell, of the web where there is one ----
if (has_table("marks.tsv")) {
	p = ""
	near = NaN
	eval look("marks.tsv", 'strcol("part") eq "web" || p eq "" ? (p = strcol("part")) : 0')
	eval look("marks.tsv", 'strcol("part") eq p ? (near = nearer(y("think_s"), near)) : 0')
	if (known(near)) { call engine . "/../../plots/arrivals.gp" "marks.tsv" "figures/arrivals.svg" \
		sprintf("Requests of users of %s who think for %g s", p eq "vnc" ? "VNC" : "the web server", \
			near) p sprintf("%.9f", near) }
}
