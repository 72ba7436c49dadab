# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - NAME: median response time of each application.

apps = ""
eval look("summary.tsv", 'apps = add(apps, strcol("app"))')
n = words(apps)

eval figure("median", 420, "Response time of a key")
eval legend_lines(1)
set xrange [0.5:n + 0.5]
set yrange [0:*]
set for [i = 1:n] xtics add (word(apps, i) i)
set ylabel "median response time, ms"
eval threshold_across
at(i) = place(apps, strcol("app"))
eval "plot " . curve('at(1)', "p50_ms", 1, "median, with its 95 % interval")
unset output
