# principle-a.gp - the figures of experiments/principle-a.sh.
#
# gnuplot -c plots/principle-a.gp RUN
#   reads RUN/summary.tsv; writes into RUN/figures (the folder must be there):
#   rate.svg    requests a second over the number of users, measured and by mean value analysis
#   queue.svg   requests under way, likewise
#   cov.svg     coefficient of variation of the times between requests over the number of users

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
# CoV of one repeat: its own band, 1.96 / sqrt(n)
cov_edge(end) = filled("cov" . end) ? column("cov" . end) : column("cov") + (end eq "_low" ? -1 : 1) * column("cov_band")

n_held = 0
n_cov = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (n_held = n_held + of("held-think"), n_cov = n_cov + of("cov-ratio"), 0):(0) with points
unset table
set autoscale
unset key

set grid xtics ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1
legend = "at screen 0.1, 0.19 left top Left reverse vertical maxcols 1 samplen 2.5 spacing 1.2 noautotitle"
set xlabel "users"
set terminal svg size 760,500
set bmargin at screen 0.31

if (n_held > 0) {
	do for [k = 1:2] {
		what = k == 1 ? "lambda_per_s" : "concurrency"
		set output run . (k == 1 ? "/figures/rate.svg" : "/figures/queue.svg")
		set ylabel k == 1 ? "requests a second" : "requests under way at the server"
		set xrange [0:*]
		set yrange [0:*]
		if (k == 2) { set logscale y; set yrange [*:*] }
		set key @legend
		plot summary using (users("held-think")):(column("model_" . what)) with lines linecolor rgb heavy_colour dashtype 2 title "think time held: exact mean value analysis", \
			summary using (users("held-ratio")):(column("model_" . what)) with lines linecolor rgb light_colour dashtype 2 title "users by think time held: exact mean value analysis", \
			summary using (users("held-think")):(column(what)):(edge(what, "_low")):(edge(what, "_high")) with yerrorbars linecolor rgb heavy_colour pointtype 7 title "measured (dots of both colours)", \
			summary using (users("held-ratio")):(column(what)):(edge(what, "_low")):(edge(what, "_high")) with yerrorbars linecolor rgb light_colour pointtype 7
		unset logscale y
	}
}

if (n_cov > 0) {
	set output run . "/figures/cov.svg"
	set ylabel "CoV of the times between requests"
	set xrange [*:*]
	set yrange [0:*]
	set logscale x
	set key @legend
	plot 1 with lines linecolor rgb mark_colour dashtype 3 title "requests at random (a Poisson process)", \
		summary using (users("cov-think")):(column("cov")):(cov_edge("_low")):(cov_edge("_high")) with yerrorlines linecolor rgb heavy_colour pointtype 7 title "think time held", \
		summary using (users("cov-ratio")):(column("cov")):(cov_edge("_low")):(cov_edge("_high")) with yerrorlines linecolor rgb light_colour pointtype 7 title "users by think time held"
}
