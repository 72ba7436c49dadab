# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - round-trip and variance of pings, and response times of keys, over the load of a link; a panel for each link.

links = probes = queues = transports = ""
most = 100
full = 0
eval look("summary.tsv", 'y("repeats") > 0 ? (links = add(links, strcol("link")), probes = add(probes, strcol("probe")), ' \
	. 'queues = add(queues, strcol("queue")), ' \
	. 'transports = strcol("transport") eq "none" ? transports : add(transports, strcol("transport")), most = more(most, ' \
	. 'y("load_percent"))) : 0')
n = words(links)
kinds = "udp random tcp"
kind_says(t) = t eq "" ? "no load" : t eq "udp" ? "UDP at regular intervals" \
	: t eq "random" ? "UDP at random intervals" : "TCP"
kind_colour(t) = word("#0072B2 #009E73 #D55E00", more(1, place(kinds, t)))
bare_queues = ""
runs = ""	# each with a slash in front of it
do for [q in queues] { bare_queues = add(bare_queues, bare(q)); runs = add(runs, q[strlen(bare(q)) + 1:*]) }
m = joined ? words(runs) : 1
first_queues = joined ? queues : word(queues, 1)
queue_says(q) = (words(bare_queues) > 1 ? ", " . bare(q) : "") . of_run(q)
dash(q) = place(queues, q) == 1 ? 1 : 1 + place(queues, q)
spaced(l) = (n_ = strstrt(l, "bit"), l[1:n_ - 2] . " " . l[n_ - 1:*] . "/s")
of(l, q, p, t) = y("repeats") > 0 && strcol("link") eq l && strcol("queue") eq q && strcol("probe") eq p \
	&& (strcol("transport") eq t || strcol("transport") eq "none")
at(q, t) = of(l, q, p, t) ? y("load_percent") : NaN
every = 'for [q in queues] for [t in transports] data using (x_ = at(q, t)):'
series(c, mark) = 'plot ' . every . sprintf('(there("%s")):(there_low("%s")):(there_high("%s")) ', c, c, c) \
	. sprintf('with yerrorbars linecolor rgb kind_colour(t) pointtype %d notitle, ', mark) . every . sprintf('(there("%s")) ', \
		c) \
	. 'with lines linecolor rgb kind_colour(t) dashtype dash(q) notitle, '
# A curve has its own rows and the row without load, which comes before them in the table; other rows do not break the line.
axes = 'set datafile missing NaN; set format y "%g"; set grid xtics ytics ' \
	. 'linecolor rgb "#dddddd" linewidth 0.6 linetype 1; set logscale y; ' \
	. 'set yrange [*:*]; set xrange [0:most * 1.02]; set xlabel "load, % of the link (bits of whole frames)"'
rows = words(transports) * words(queues)

do for [k = 1:2 * (place(probes, "ping") > 0)] {
	what = k == 1 ? "mean_ms" : "variance_ms2"
	eval panels(k == 1 ? "round-trip" : "variance", 410 + 22 * (rows + 2), n, 1, 22.0 * (rows + 2) + 12, \
		"Round trip of a ping beside a load, " . (k == 1 ? "mean" : "variance"))
	eval axes
	array base[m]
	array full[m]
	do for [i = 1:n] {
		do for [r = 1:m] { base[r] = NaN; full[r] = NaN }
		set table $unused
		plot for [r = 1:m] data using (of(word(links, i), bare(word(queues, 1)) . slash_run(0), "ping", "none") \
			&& (!joined || slash_run(0) eq word(runs, r)) ? (base[r] = y(what), full[r] = y("queue_ms"), 1) : 1):(1)
		unset table
		set ylabel k == 1 ? "ms" : "ms^2"
		eval panel(i, spaced(word(links, i)))
		l = word(links, i)
		p = "ping"
		eval series(what, 0) . every . '(there(what)):(hover(what, kind_says(t))) with labels hypertext point pointtype 7 ' \
			. 'linecolor rgb kind_colour(t) notitle, for [r = 1:m] "curve.tsv" using ' \
			. '(strcol("link") eq l && (!joined || slash_run(0) eq word(runs, r)) ? y("load_percent") : NaN):' \
			. '(base[r] + y(k == 1 ? "wait_ms" : "variance_ms2")) with lines linestyle dashed notitle, ' \
			. 'for [r = 1:m] [0:most] (k == 1 ? base[r] + full[r] : NaN) with lines linestyle dotted notitle'
	}
	eval legend_strip(1)
	plot for [q in queues] for [t in transports] NaN with linespoints linecolor rgb kind_colour(t) dashtype dash(q) pointtype 7 \
			title kind_says(t) . queue_says(q) noenhanced, \
		NaN with lines linestyle dashed title "for orientation, not fitted: M/D/1 beyond the bucket", \
		NaN with lines linestyle dotted title k == 1 ? "no load, and a queue that is full" : ""
}

others = ""
do for [p in probes] { if (p ne "ping") { others = add(others, p) } }
if (words(others) > 0) {
	down_n = words(others)
	eval panels("keys", 80 + 310 * down_n + 22 * (rows + 2), n, down_n, 22.0 * (rows + 2) + 12, "Response time of a key beside a load")
	eval axes
	do for [r = 1:down_n] {
		do for [i = 1:n] {
			l = word(links, i)
			p = word(others, r)
			set ylabel "ms after the key was due"
			eval panel((r - 1) * n + i, (down_n > 1 ? p . ", " : "") . spaced(l))
			eval series("mean_ms", 7) . 'for [q in first_queues] for [t in transports] data using (at(q, t)):(y("max_ms")) with points ' \
				. 'linecolor rgb kind_colour(t) pointtype 2 notitle' . threshold_across
		}
	}
	eval legend_strip(1)
	plot for [q in queues] for [t in transports] NaN with linespoints linecolor rgb kind_colour(t) dashtype dash(q) pointtype 7 \
			title "mean beside " . kind_says(t) . queue_says(q) noenhanced, \
				NaN with points linecolor rgb line_colour pointtype 2 \
				title "the slowest key", NaN with lines linestyle dotted title sprintf("%g ms", threshold_ms)
}
