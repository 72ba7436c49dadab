# SPDX-License-Identifier: GPL-3.0-or-later
# replays.gp - the figures of a session replayed at several settings: what cpuspeed.gp, diskload.gp, iosched.gp and slowreplay.gp load.
#
# They set run, here, axis (words below the settings; by number where numbers say more than names: numeric = 1) and load style.gp. Reads
# RUN/summary.tsv, cdf.tsv, points.tsv; writes into RUN/figures (the folder must be there):
#   total.svg        total time by setting, with its interval
#   percentiles.svg  p25, p50 and p75 of response times by setting
#   cdf.svg          share of responses within a time, a curve a setting
#   ratio.svg        how many responses take how many times as long at the setting that differs most as at the first

summary = run . "/summary.tsv"
cdf = run . "/cdf.tsv"
points = run . "/points.tsv"
set datafile separator "\t"
set key autotitle columnheader
filled(c) = strlen(strcol(c)) > 0
y(c) = filled(c) ? column(c) : NaN

# ---- what there is ----
n = 0
names = ""
says = ""
responses = 0
total_most = 0
p75_most = 0
far = ""
far_says = ""
far_by = 0
base_says = ""
array place[200]
array said[200]
array named[200]
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (column("repeats") > 0 ? (n = n + 1, named[n] = strcol("setting"), said[n] = strcol("says"), place[n] = numeric && filled("value") ? column("value") : n, \
	responses = responses + column("responses"), base_says = n == 1 ? strcol("says") : base_says, \
	total_most = (filled("total_s_high") ? column("total_s_high") : column("total_s")) > total_most ? (filled("total_s_high") ? column("total_s_high") : column("total_s")) : total_most, \
	p75_most = filled("p75_ms") && column("p75_ms") > p75_most ? column("p75_ms") : p75_most, \
	(filled("ratio") && abs(log(column("ratio"))) >= far_by) ? (far_by = abs(log(column("ratio"))), far = strcol("setting"), far_says = strcol("says")) : 0) : 0, 0):(0) with points
unset table
unset xrange
unset yrange
set autoscale
least = n > 0 ? place[1] : 0
most = n > 0 ? place[1] : 1
do for [i = 1:n] { least = place[i] < least ? place[i] : least; most = place[i] > most ? place[i] : most }
pad = most > least ? (most - least) * (n > 2 ? 0.08 : 0.4) : 1
at(d) = sum [i = 1:n] (named[i] eq strcol("setting") ? place[i] : 0)
# rows that were not measured have no place
mine(c) = column("repeats") > 0 && filled(c) ? column(c) : NaN
edge(c, e) = filled(c . "_" . e) ? column(c . "_" . e) : mine(c)

set xtics () nomirror
do for [i = 1:n] { eval sprintf("set xtics add (\"%s\" %.9g)", numeric ? named[i] : said[i], place[i]) }
unset key
set bmargin 4

# ---- total time ----
set output run . "/figures/total.svg"
set terminal svg size 760,340
set xlabel axis
set ylabel "total time of the session, s"
set xrange [least - pad:most + pad]
set yrange [0:total_most * 1.12]
width = n > 1 ? (most - least) / (n - 1) : 1
do for [i = 1:n] { do for [j = 1:n] { if (i != j && abs(place[i] - place[j]) < width) { width = abs(place[i] - place[j]) } } }
plot summary using (column("repeats") > 0 ? at(0) : NaN):(mine("total_s")):(0.5 * width) with boxes fill solid 0.35 noborder linecolor rgb light_colour notitle, \
	summary using (column("repeats") > 0 ? at(0) : NaN):(mine("total_s")):(edge("total_s", "low")):(edge("total_s", "high")) with yerrorbars linecolor rgb light_colour pointtype 7 notitle
unset output

if (responses > 0) {
	# ---- percentiles ----
	set output run . "/figures/percentiles.svg"
	set terminal svg size 760,400
	set bmargin 7.5
	set key at screen 0.1, 0.1 left center Left reverse horizontal maxcols auto maxrows 1
	set ylabel "response time, ms"
	set yrange [0:p75_most * 1.3]
	set style fill transparent solid 0.15 noborder
	plot for [k = 1:3] summary using (column("repeats") > 0 ? at(0) : NaN):(mine(word("p75_ms p50_ms p25_ms", k))):(edge(word("p75_ms p50_ms p25_ms", k), "low")):(edge(word("p75_ms p50_ms p25_ms", k), "high")) \
		with yerrorlines linecolor rgb word("#E69F00 #0072B2 #009E73", k) pointtype (11 - 2 * k) title word("75th 50th 25th", k) . " percentile"
	unset output

	# ---- distribution ----
	low = 70.0 + 20 * n
	height = 330 + low
	set output run . "/figures/cdf.svg"
	set terminal svg size 760,height
	set bmargin at screen low / height
	set key at screen 0.1, (low - 52) / height left top Left reverse vertical maxrows auto maxcols 1
	set logscale x
	set xtics auto
	set xtics ("1 ms" 1, "3" 3, "10 ms" 10, "30" 30, "100 ms" 100, "300" 300, "1 s" 1000, "3 s" 3000, "10 s" 10000, "30 s" 30000, "100 s" 100000)
	set xrange [*:*]
	set yrange [0:1]
	set xlabel "response time"
	set ylabel "share of the responses that are there"
	set format y "%.1f"
	plot for [i = 1:n] cdf using (strcol("setting") eq named[i] ? column("latency_ms") : NaN):"share" with steps linewidth 1.6 linecolor rgb load_colour(i - 1, n) dashtype load_dash(i - 1, n) title said[i] noenhanced
	unset logscale x
	unset output

	# ---- ratio ----
	if (strlen(far) > 0) {
		set output run . "/figures/ratio.svg"
		set terminal svg size 760,360
		set bmargin 4
		unset key
		set format y "%g"
		bin(x) = floor(log(x) / log(2) * 2 + 0.5) / 2.0	# half octaves
		set autoscale
		set xtics auto
		set xtics ("1/8" -3, "1/4" -2, "1/2" -1, "1" 0, "2" 1, "4" 2, "8" 3, "16" 4, "32" 5, "64" 6, "128" 7, "256" 8, "1024" 10)
		set xlabel sprintf("times as long with %s as with %s", far_says, base_says) noenhanced
		set ylabel "responses"
		from = 0
		to = 2
		set table $unused2
		plot points using (strcol("setting") eq far ? (from = bin(column("ratio")) < from ? bin(column("ratio")) : from, to = bin(column("ratio")) > to ? bin(column("ratio")) : to) : 0, 0):(0) with points
		unset table
		set xrange [from - 0.6:to + 0.6]
		set yrange [0:*]
		set arrow 1 from 0, graph 0 to 0, graph 1 nohead dashtype 3 linecolor rgb mark_colour back
		set boxwidth 0.42
		plot points using (strcol("setting") eq far ? bin(column("ratio")) : NaN):(1) smooth frequency with boxes fill solid 0.5 noborder linecolor rgb heavy_colour notitle
		unset output
	}
}
