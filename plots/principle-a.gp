# SPDX-License-Identifier: GPL-3.0-or-later
# principle-a.gp - the figures of experiments/principle-a.sh.
#
# gnuplot -c plots/principle-a.gp RUN
#   reads RUN/summary.tsv; writes into RUN/figures (the folder must be there):
#   rate.svg      requests a second over the number of users, measured and by mean value analysis
#   queue.svg     requests under way, likewise
#   response.svg  response time, likewise, with its asymptotes
#   cov.svg       coefficient of variation of the times between requests over the number of users

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
set datafile separator "\t"
set datafile missing NaN
set key autotitle columnheader

parts = "held-think held-ratio cov-think cov-ratio"
of(p) = column("repeats") > 0 && strcol("part") eq p
users(p) = of(p) ? column("users") : NaN
filled(c) = strlen(strcol(c)) > 0
edge(c, end) = filled(c . end) ? column(c . end) : column(c)
known(p, c) = of(p) && filled(c) ? column(c) : NaN

n_held = 0
n_cov = 0
least = 1e9
most = 1
most_held = 1
least_queue = 1e9
highest = 1
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (n_held = n_held + of("held-think"), (of("held-think") || of("held-ratio")) && column("users") > most_held ? (most_held = column("users")) : 0, \
	(of("held-think") || of("held-ratio")) && column("concurrency") > 0 && column("concurrency") < least_queue ? (least_queue = column("concurrency")) : 0, \
	(of("cov-ratio") || of("cov-think")) && filled("cov") && column("cov") > highest ? (highest = column("cov")) : 0, n_cov = n_cov + of("cov-ratio"), \
	(of("cov-ratio") || of("cov-think") ? (least = column("users") < least ? column("users") : least, most = column("users") > most ? column("users") : most) : 0), 0):(0) with points
unset table
set autoscale
unset key

set grid xtics ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1
legend = "at screen 0.1, 0.24 left top Left reverse vertical maxcols 1 samplen 2.5 spacing 1.2 noautotitle"
set xlabel "users"
set terminal svg size 760,550
set bmargin at screen 0.36
think_colour = heavy_colour
ratio_colour = light_colour

# Of each of the two ways: dots with their intervals over repeats, exact mean value analysis dashed.
array what[3] = ["lambda_per_s", "concurrency", "response_ms"]
array model[3] = ["model_lambda_per_s", "model_concurrency", "model_response_s"]
array bound[3] = ["model_lambda_most_per_s", "", "model_response_least_s"]
array file[3] = ["rate", "queue", "response"]
array says[3] = ["requests a second", "requests under way at the server", "response time, s"]
measured(k, p) = known(p, what[k]) / (k == 3 ? 1000.0 : 1)
# (an interval that ends at 0 has no end on a logarithmic axis: it goes down to its foot)
end_of(k, p, end) = of(p) ? (e = edge(what[k], end) / (k == 3 ? 1000.0 : 1), k == 2 && e <= 0 ? 1e-6 : e) : NaN

if (n_held > 0) {
	do for [k = 1:3] {
		set output run . "/figures/" . file[k] . ".svg"
		set ylabel says[k]
		set xrange [0:most_held * 1.03]
		set yrange [0:*]
		set offsets 0, 0, graph 0.1, 0
		if (k == 2) { unset offsets; set logscale y; set yrange [10**floor(log10(least_queue * 0.99)):*] }
		set key @legend
		parts = "plot summary using (users(\"held-think\")):(known(\"held-think\", model[k])) with lines linecolor rgb think_colour dashtype 2 title \"think time held: computed (exact mean value analysis)\", " . \
			"summary using (users(\"held-think\")):(measured(k, \"held-think\")):(end_of(k, \"held-think\", \"_low\")):(end_of(k, \"held-think\", \"_high\")) with yerrorbars linecolor rgb think_colour pointtype 7 title \"think time held: measured\", " . \
			"summary using (users(\"held-ratio\")):(known(\"held-ratio\", model[k])) with lines linecolor rgb ratio_colour dashtype 2 title \"users by think time held: computed\", " . \
			"summary using (users(\"held-ratio\")):(measured(k, \"held-ratio\")):(end_of(k, \"held-ratio\", \"_low\")):(end_of(k, \"held-ratio\", \"_high\")) with yerrorbars linecolor rgb ratio_colour pointtype 5 title \"users by think time held: measured\""
		if (k != 2) { parts = parts . ", summary using (users(\"held-think\")):(known(\"held-think\", bound[k])) with lines linecolor rgb line_colour dashtype 3 title (k == 1 ? \"the most that think time or the slowest station allow\" : \"the least: an empty server's, or what the slowest station makes of it\")" }
		eval parts
		unset logscale y
		unset offsets
	}
}

# The band belongs to 1: so far from it the CoV of as many requests at random may lie.
if (n_cov > 0) {
	set output run . "/figures/cov.svg"
	set ylabel "CoV of the times between requests"
	set xrange [least:most * 1.05]
	# (what of the bars of few repeats goes beyond is cut off)
	set yrange [0:highest + 0.3]
	set logscale x
	set key @legend
	set style fill transparent solid 0.25 noborder
	plot summary using (users("cov-ratio")):(1 - known("cov-ratio", "cov_band")):(1 + known("cov-ratio", "cov_band")) with filledcurves linecolor rgb mark_colour title "1 ± 1.96/√n: where 95 of 100 such cells would lie if requests came at random (a Poisson process)", \
		1 with lines linecolor rgb mark_colour dashtype 3 notitle, \
		summary using (users("cov-ratio")):(known("cov-ratio", "cov_independent")) with lines linecolor rgb light_colour dashtype 2 title "by theory: so many users who know nothing of each other", \
		summary using (users("cov-ratio")):(known("cov-ratio", "cov")):(edge("cov", "_low")):(edge("cov", "_high")) with yerrorlines linecolor rgb light_colour pointtype 5 title "users by think time held: measured", \
		summary using (users("cov-think")):(known("cov-think", "cov")):(edge("cov", "_low")):(edge("cov", "_high")) with yerrorlines linecolor rgb heavy_colour pointtype 7 title "think time held: measured"
}
