# SPDX-License-Identifier: GPL-3.0-or-later
# rtt.gp - the figures of experiments/rtt.sh.
#
# gnuplot -c plots/rtt.gp RUN
#   reads RUN/summary.tsv and curve.tsv; writes into RUN/figures (the folder must be there):
#   round-trip.svg  mean round trip of a ping over the load, one panel a link, one colour for each kind of load
#   variance.svg    its variance
#   keys.svg        latency of keys: mean, and the slowest

run = ARG1

here = "."
do for [i = 1:strlen(ARG0)] { if (ARG0[i:i] eq "/") { here = ARG0[1:i - 1] } }
load here . "/style.gp"

summary = run . "/summary.tsv"
model = run . "/curve.tsv"
orientation = "for orientation, not fitted: frames at random in a queue with one server (M/D/1), beyond the shaper's bucket"
set datafile separator "\t"
set key autotitle columnheader
place(list, w) = sum [i = 1:words(list)] (word(list, i) eq w ? i : 0)

links = ""
probes = ""
queues = ""
transports = ""
most = 0
set xrange [-1:1]
set yrange [-1:1]
set table $unused
plot summary using (column("repeats") > 0 ? (links = place(links, strcol("link")) ? links : links . " " . strcol("link"), probes = place(probes, strcol("probe")) ? probes : probes . " " . strcol("probe"), \
	queues = place(queues, strcol("queue")) ? queues : queues . " " . strcol("queue"), \
	transports = strcol("transport") eq "none" || place(transports, strcol("transport")) ? transports : transports . " " . strcol("transport"), \
	most = column("load_percent") > most ? column("load_percent") : most) : 0, 0):(0) with points
unset table
set autoscale
unset key
most = most < 100 ? 100 : most

kinds = "udp random tcp"
kind_says(t) = t eq "udp" ? "datagrams at even distances" : t eq "random" ? "datagrams at random distances" : "TCP"
kind_colour(t) = word("#0072B2 #009E73 #D55E00", place(kinds, t))
spaced(l) = (n_ = strstrt(l, "bit"), l[1:n_ - 2] . " " . l[n_ - 1:*] . "/s")

# A curve is its own rows and the one without load, which stands before them in the table; what is of another is missing, not a gap.
set datafile missing NaN
filled(c) = strlen(strcol(c)) > 0
of(l, q, p, t) = column("repeats") > 0 && strcol("link") eq l && strcol("queue") eq q && strcol("probe") eq p && (strcol("transport") eq t || strcol("transport") eq "none")
load_of(l, q, p, t) = of(l, q, p, t) ? column("load_percent") : NaN
edge(c, end) = filled(c . end) ? column(c . end) : column(c)

set title offset 0, -0.3
n = words(links)
left_of(i) = 0.1 + (i - 1) * 0.89 / n
right_of(i) = 0.1 + i * 0.89 / n - (i < n ? 0.06 : 0)
# one line of the legend for each curve, then those for orientation
legend_rows = words(transports) * words(queues) + 2
height(rows) = rows * 300 + 90 + 20 * legend_rows

set format y "%g"
set xlabel "load, % of the link (bits of whole frames)"
set xrange [0:most * 1.02]
set grid xtics ytics linecolor rgb "#dddddd" linewidth 0.6 linetype 1

dash(q) = place(queues, q) == 1 ? 1 : 1 + place(queues, q)

do for [k = 1:2] {
	if (place(probes, "ping") == 0) { break }
	h = height(1)
	set terminal svg size 900,h
	set output run . (k == 1 ? "/figures/round-trip.svg" : "/figures/variance.svg")
	set multiplot
	do for [i = 1:n] {
		l = word(links, i)
		what = k == 1 ? "mean_ms" : "variance_ms2"
		base = NaN
		full = NaN
		set table $unused
		set xrange [-1:1]
		set yrange [-1:1]
		unset logscale y
		plot summary using (of(l, word(queues, 1), "ping", "none") ? (base = column(what), full = column("queue_ms"), 0) : 0):(0) with points
		unset table
		set xrange [0:most * 1.02]
		set lmargin at screen left_of(i)
		set rmargin at screen right_of(i)
		set tmargin at screen 1 - 42.0 / h
		set bmargin at screen (60.0 + 20 * legend_rows) / h
		set title spaced(l)
		set logscale y
		set yrange [*:*]
		set ylabel i == 1 ? (k == 1 ? "mean round trip of a ping, ms" : "variance of the round trip, ms^2") : ""
		if (i == 1) { set key at screen 0.1, (8.0 + 20 * legend_rows) / h left top Left reverse vertical maxcols 1 samplen 2.5 spacing 1.2 noautotitle } else { unset key }
		plot for [q in queues] for [t in transports] summary using (load_of(l, q, "ping", t)):(column(what)):(edge(what, "_low")):(edge(what, "_high")) with yerrorlines linecolor rgb kind_colour(t) dashtype dash(q) pointtype 7 \
				title kind_says(t) . (words(queues) > 1 ? ", " . q : "") noenhanced, \
			model using (strcol("link") eq l ? column("load_percent") : NaN):(base + column(k == 1 ? "wait_ms" : "variance_ms2")) with lines linecolor rgb line_colour dashtype 2 title orientation, \
			[0:most] (k == 1 ? base + full : NaN) with lines linecolor rgb mark_colour dashtype 3 title k == 1 ? "no load, and a queue that is full" : ""
	}
	unset multiplot
}

others = ""
do for [p in probes] { if (p ne "ping") { others = others . " " . p } }
m = words(others)
# (macros are filled in when a block is read: before it)
rest = "with yerrorlines linecolor rgb kind_colour(t) dashtype dash(q) pointtype 7 title says(q, t) noenhanced"
says(q, t) = "mean beside " . kind_says(t) . (words(queues) > 1 ? ", " . q : "")
slowest(t) = t eq word(transports, 1) ? "the slowest key" : ""
heading(p, l) = (m > 1 ? p . ", " : "") . spaced(l)
legend = "left top Left reverse vertical maxcols 1 samplen 2.5 spacing 1.2 noautotitle"
if (m > 0) {
	h = height(m)
	legend_rows = legend_rows - 1
	set terminal svg size 900,h
	set output run . "/figures/keys.svg"
	set logscale y
	set yrange [*:*]
	set multiplot
	do for [r = 1:m] {
		set tmargin at screen 1 - ((r - 1) * 300 + 42.0) / h
		set bmargin at screen 1 - (r * 300 - 28.0) / h
		do for [i = 1:n] {
			l = word(links, i)
			p = word(others, r)
			set lmargin at screen left_of(i)
			set rmargin at screen right_of(i)
			set title heading(p, l) noenhanced
			if (r < m) { unset xlabel } else { set xlabel "load, % of the link (bits of whole frames)" }
			if (i == 1) { set ylabel "echo of a key, ms after it was due" } else { unset ylabel }
			if (r == 1 && i == 1) { set key at screen 0.1, (20.0 + 20 * legend_rows) / h @legend } else { unset key }
			plot for [q in queues] for [t in transports] summary using (load_of(l, q, p, t)):(column("mean_ms")):(edge("mean_ms", "_low")):(edge("mean_ms", "_high")) @rest, \
				for [t in transports] summary using (load_of(l, word(queues, 1), p, t)):(column("max_ms")) with points linecolor rgb kind_colour(t) pointtype 2 title slowest(t)
		}
	}
	unset multiplot
}
