# SPDX-License-Identifier: GPL-3.0-or-later
# users.gp - the figures of experiments/users.sh.
#
# gnuplot -c plots/users.gp RUN
#   reads RUN/summary.tsv, points.tsv and curve.tsv; writes into RUN/figures (the folder must be there):
#   response.svg  response time over the rate of requests, a panel for the web and for VNC
#   load.svg      how busy the server's CPU and the link were, over the rate
#   fit.svg       measured rows beside the model that was fitted to them, and to the first of them: response over rate, and load lines
#   cov.svg       coefficient of variation of the times between requests as one user after the other is counted in

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
points = run . "/points.tsv"
curve = run . "/curve.tsv"
is_there(f) = int(system("test -s '" . f . "' && echo 1 || echo 0"))
set datafile separator "\t"
set datafile missing NaN
set key autotitle columnheader
place(list, w) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)

of(p) = column("repeats") > 0 && strcol("part") eq p
rate(p) = of(p) ? column("lambda_per_s") : NaN
filled(c) = strlen(strcol(c)) > 0
edge(c, end) = filled(c . end) ? column(c . end) : column(c)
says(p) = p eq "web" ? "web: objects of lighttpd" : "VNC: keys of refecho"

parts = ""
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (column("repeats") > 0 ? (parts = place(parts, strcol("part")) ? parts : parts . " " . strcol("part")) : 0, 0):(0) with points
unset table
set autoscale
unset key
n = words(parts)
left_of(i) = 0.09 + (i - 1) * 0.9 / n
right_of(i) = 0.09 + i * 0.9 / n - 0.07
set grid xtics ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1
set title offset 0, -0.3
legend = "at screen 0.09, 0.2 left top Left reverse vertical maxcols 1 samplen 2.5 spacing 1.2 noautotitle"
set terminal svg size 900,460
set tmargin at screen 0.9
set bmargin at screen 0.33
set xlabel "requests a second"
set xrange [0:*]

set output run . "/figures/response.svg"
set multiplot
do for [i = 1:n] {
	p = word(parts, i)
	set lmargin at screen left_of(i)
	set rmargin at screen right_of(i)
	set title says(p)
	unset logscale y
	fastest = 1e9
	set xrange [-1:1]
	set yrange [-1:1]
	set table $unused
	plot summary using (of(p) && filled("response_ms") && column("response_ms") < fastest ? (fastest = column("response_ms"), 0) : 0):(0) with points
	unset table
	set autoscale
	set xrange [0:*]
	set logscale y
	set yrange [10**floor(log10(fastest / 2)) : *]
	if (i == 1) { set ylabel "response time, ms"; set key @legend } else { unset ylabel; unset key }
	plot summary using (rate(p)):(column("response_ms")):(edge("response_ms", "_low")):(edge("response_ms", "_high")) with yerrorlines linecolor rgb light_colour pointtype 7 title "mean", \
		summary using (rate(p)):(column("p95_ms")) with linespoints linecolor rgb heavy_colour pointtype 5 title "95 % are faster", \
		summary using (of(p) ? column("model_lambda_per_s") : NaN):(column("model_response_s") * 1000) with lines linecolor rgb line_colour dashtype 2 title "mean of one queue, not fitted: the link (web), the CPU (VNC)"
}
unset multiplot
unset logscale y
set autoscale y

set output run . "/figures/load.svg"
set multiplot
do for [i = 1:n] {
	p = word(parts, i)
	set lmargin at screen left_of(i)
	set rmargin at screen right_of(i)
	set title says(p)
	set yrange [0:100]
	if (i == 1) { set ylabel "busy, %"; set key @legend } else { unset ylabel; unset key }
	plot summary using (rate(p)):(column("server_busy_percent")) with linespoints linecolor rgb light_colour pointtype 7 title "CPU of the server", \
		summary using (rate(p)):(filled("link_percent") ? column("link_percent") : NaN) with linespoints linecolor rgb heavy_colour pointtype 5 title "link, from server to users"
}
unset multiplot
set autoscale y

# Left the response over the rate, right the load lines: users who think for Z and are N ask at (N - Q) / Z, the server answers where the model says, and a row lies where both meet.
fitted(p, w, k) = strcol("part") eq p && strcol("fitted") eq w && strcol("kind") eq k
c_rate(p, w, k) = fitted(p, w, k) ? column("lambda") : NaN
c_queue(p, w, k) = fitted(p, w, k) ? column("q") : NaN
fits = ""
foretold = 0
if (is_there(curve)) {
	set xrange [-1:1]
	set yrange [-1:1]
	set table $unused
	plot curve using (foretold = foretold + (strcol("kind") eq "later"), fits = strcol("part") eq "part" || place(fits, strcol("part")) ? fits : fits . " " . strcol("part"), 0):(0) with points
	unset table
	set autoscale
}
if (words(fits) > 0) {
	m = words(fits)
	high = 90 + 390 * m
	set terminal svg size 900,high
	set output run . "/figures/fit.svg"
	set multiplot
	do for [i = 1:m] {
		p = word(fits, i)
		set tmargin at screen 1 - (40.0 + 390 * (i - 1)) / high
		set bmargin at screen 1 - (320.0 + 390 * (i - 1)) / high
		# which rows the first fit did not see; where there is none, all were seen
		later = 0
		slow = 0
		most_q = 0
		most_x = 0
		set xrange [-1:1]
		set yrange [-1:1]
		set table $unused
		plot curve using (strcol("part") eq p ? (later = later + (strcol("kind") eq "later"), most_q = column("q") > most_q ? column("q") : most_q, most_x = column("lambda") > most_x ? column("lambda") : most_x) : 0, 0):(0) with points
		unset table
		set autoscale
		w = later ? "first" : "all"
		do for [side = 1:2] {
			set lmargin at screen side == 1 ? 0.09 : 0.58
			set rmargin at screen side == 1 ? 0.48 : 0.97
			set title says(p)
			set yrange [0:*]
			set xrange [0:*]
			unset key
			if (side == 1) {
				set xlabel "requests a second"
				set ylabel "mean response time, ms"
				if (i == 1) { set key at screen 0.09, 90.0 / high left top Left reverse vertical maxrows 3 samplen 2.5 spacing 1.2 noautotitle }
				plot curve using (c_rate(p, "all", "fit")):(column("r_s") * 1000) with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour title "model, fitted to all rows", \
					curve using (c_rate(p, "first", "fit")):(column("r_s") * 1000) with linespoints pointtype 8 pointsize 0.5 dashtype 2 linecolor rgb line_colour title (foretold > 0 ? "model, fitted to the rows of the lowest rates" : ""), \
					curve using (c_rate(p, w, "measured")):(column("r_s") * 1000) with points pointtype 7 linecolor rgb heavy_colour title "measured", \
					curve using (c_rate(p, w, "later")):(column("r_s") * 1000) with points pointtype 9 pointsize 1.1 linecolor rgb heavy_colour title (foretold > 0 ? "measured, and not known to the dashed line" : ""), \
					keyentry with lines linecolor rgb mark_colour dashtype 3 title "load lines: (users - under way) / think time"
			} else {
				set xlabel "requests under way"
				set ylabel "requests a second"
				set xrange [0:most_q * 1.1]
				set yrange [0:most_x * 1.15]
				plot curve using (fitted(p, "all", "measured") ? 0 : NaN):(column("n") / column("z_s")):(most_q * 1.1):(-most_q * 1.1 / column("z_s")) with vectors nohead linecolor rgb mark_colour dashtype 3, \
					curve using (c_queue(p, "all", "fit")):(column("lambda")) with linespoints pointtype 6 pointsize 0.5 linecolor rgb light_colour, \
					curve using (c_queue(p, "first", "fit")):(column("lambda")) with linespoints pointtype 8 pointsize 0.5 dashtype 2 linecolor rgb line_colour, \
					curve using (c_queue(p, w, "measured")):(column("lambda")) with points pointtype 7 linecolor rgb heavy_colour, \
					curve using (c_queue(p, w, "later")):(column("lambda")) with points pointtype 9 pointsize 1.1 linecolor rgb heavy_colour
			}
		}
	}
	unset multiplot
	set terminal svg size 900,460
	set tmargin at screen 0.9
	set bmargin at screen 0.33
	set autoscale
	set xrange [0:*]
}

of_think(p, z) = strcol("part") eq p && column("think_s") == z ? column("users") : NaN
half(x) = (column("cov_high") - column("cov_low")) / 2
with_think(word, list) = "the " . word . " think time: " . list
short_name(p) = p eq "web" ? "web" : "VNC"
longest = ""
shortest = ""
if (is_there(points)) { stats points using 4 nooutput }
if (exists("STATS_records") && STATS_records > 0) {
	do for [i = 1:n] {
		p = word(parts, i)
		low = 1e9
		high = 0
		set xrange [-1:1]
		set yrange [-1:1]
		set table $unused
		plot points using (strcol("part") eq p ? (low = column("think_s") < low ? column("think_s") : low, high = column("think_s") > high ? column("think_s") : high, 0) : 0):(0) with points
		unset table
		set autoscale
		longest = longest . (i > 1 ? ", " : "") . sprintf("%g s (%s)", high, short_name(p))
		shortest = shortest . (i > 1 ? ", " : "") . sprintf("%g s (%s)", low, short_name(p))
	}
	set xrange [0:*]
	set output run . "/figures/cov.svg"
	set multiplot
	do for [i = 1:n] {
		p = word(parts, i)
		set lmargin at screen left_of(i)
		set rmargin at screen right_of(i)
		set title says(p)
		set xlabel "users counted in"
		set yrange [0:*]
		if (i == 1) { set ylabel "CoV of the times between their requests"; set key @legend } else { unset ylabel; unset key }
		low = 1e9
		high = 0
		set table $unused
		plot points using (strcol("part") eq p ? (low = column("think_s") < low ? column("think_s") : low, high = column("think_s") > high ? column("think_s") : high, 0) : 0):(0) with points
		unset table
		set style fill transparent solid 0.2 noborder
		plot points using (of_think(p, high)):(1 - half(0)):(1 + half(0)) with filledcurves linecolor rgb light_colour notitle, \
			points using (of_think(p, low)):(1 - half(0)):(1 + half(0)) with filledcurves linecolor rgb heavy_colour notitle, \
			1 with lines linecolor rgb mark_colour dashtype 3 title "requests at random (a Poisson process); shaded: 1 ± 1.96/√n, where 95 in 100 of such would lie", \
			points using (of_think(p, high)):(column("cov")) with lines linecolor rgb light_colour title (i == 1 ? with_think("longest", longest) : ""), \
			points using (of_think(p, low)):(column("cov")) with lines linecolor rgb heavy_colour title (i == 1 ? with_think("shortest", shortest) : "")
	}
	unset multiplot
}
