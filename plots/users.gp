# users.gp - the figures of experiments/users.sh.
#
# gnuplot -c plots/users.gp RUN
#   reads RUN/summary.tsv and points.tsv; writes into RUN/figures (the folder must be there):
#   response.svg  response time over the rate of requests, a panel for the web and for VNC
#   load.svg      the server's CPU, and what was received, over the rate
#   cov.svg       coefficient of variation of the times between requests as one user after the other is counted in

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
points = run . "/points.tsv"
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
	set logscale y
	if (i == 1) { set ylabel "response time, ms"; set key @legend } else { unset ylabel; unset key }
	plot summary using (rate(p)):(column("response_ms")):(edge("response_ms", "_low")):(edge("response_ms", "_high")) with yerrorlines linecolor rgb light_colour pointtype 7 title "mean", \
		summary using (rate(p)):(column("p95_ms")) with linespoints linecolor rgb heavy_colour pointtype 5 title "95 % are faster", \
		summary using (of(p) ? column("model_lambda_per_s") : NaN):(column("model_response_s") * 1000) with lines linecolor rgb line_colour dashtype 2 title "mean of one queue, not fitted: the link (web), the CPU (VNC)"
}
unset multiplot
unset logscale y

set output run . "/figures/load.svg"
set multiplot
set y2tics
set ytics nomirror
do for [i = 1:n] {
	p = word(parts, i)
	set lmargin at screen left_of(i) + (i > 1 ? 0.01 : 0)
	set rmargin at screen right_of(i) - 0.03
	set title says(p)
	set yrange [0:100]
	set y2range [0:*]
	if (i == 1) { set ylabel "CPU of the server busy, %"; set key @legend } else { unset ylabel; unset key }
	if (i == n) { set y2label "received, kB/s" } else { unset y2label }
	plot summary using (rate(p)):(column("server_busy_percent")) with linespoints linecolor rgb light_colour pointtype 7 title "CPU of the server (left)", \
		summary using (rate(p)):(column("received_kbyte_per_s")) axes x1y2 with linespoints linecolor rgb heavy_colour pointtype 5 title "received (right)"
}
unset multiplot
unset y2tics
unset y2label
set autoscale y

thinks = ""
stats points using 4 nooutput
if (exists("STATS_records") && STATS_records > 0) {
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
		plot 1 with lines linecolor rgb mark_colour dashtype 3 title "requests at random (a Poisson process)", \
			points using (strcol("part") eq p && column("think_s") == high ? column("users") : NaN):(column("cov")) with lines linecolor rgb light_colour title "the longest think time", \
			points using (strcol("part") eq p && column("think_s") == low ? column("users") : NaN):(column("cov")) with lines linecolor rgb heavy_colour title "the shortest"
	}
	unset multiplot
}
