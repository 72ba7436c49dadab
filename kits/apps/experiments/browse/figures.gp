# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - time of a visit by page and scheme, to that of the baseline, whose own time stands above its bar; a figure for each
# job.

jobs = schemes = pages = ""
top = 1.0
alones = 0
all_pages = "plain text table icons photo album boxes styles form news"
eval look("summary.tsv", 'column("repeats") > 0 ? (jobs = strcol("job") eq "none" ? jobs : add(jobs, strcol("job")), ' \
	. 'schemes = strcol("scheme") eq "alone" ? schemes : add(schemes, strcol("scheme")), ' \
	. 'alones = alones || strcol("scheme") eq "alone", top = more(top, high("all_rel")), ' \
	. 'sum [p = 1:words(all_pages)] (pages = filled(word(all_pages, p) . "_ms") ? add(pages, word(all_pages, p)) : pages, ' \
	. 'top = more(top, high(word(all_pages, p) . "_rel")), 0)) : 0')
pages = pages . " all"
n = words(schemes)
m = words(pages)
width = 0.84 / more(n, 1)
# An interval of few repeats may reach far: it is cut.
top = less(top * 1.12, 2.0)
of(job) = column("repeats") > 0 && strcol("job") eq job
spot(p, s) = p + (s - 0.5 * (n + 1)) * width
at(p, s) = of(job) && strcol("scheme") eq word(schemes, s) ? spot(p, s) : NaN
rel(p) = word(pages, p) . "_rel"
base_words(p) = y(word(pages, p) . "_ms") >= 995 ? sprintf("%.1f s", y(word(pages, p) . "_ms") / 1000) \
	: sprintf("%.0f ms", y(word(pages, p) . "_ms"))
says(s) = s eq "baseline" ? "nothing done" : s eq "autogroup" ? "autogroups" : s eq "nice" ? "nice 19" : "vamp " . s
alone(p) = column("repeats") > 0 && strcol("scheme") eq "alone" ? p : NaN

do for [job in jobs] {
	eval figure("visits-" . job, 460, "Time of a visit beside the job " . job . ", to the baseline's", (n + 2) / 2)
	set key horizontal maxcols 2 maxrows auto
	set xrange [0.45:m + 0.55]
	set xtics () scale 0
	do for [p = 1:m] { set xtics add (word(pages, p) p) }
	eval y_axis("0:1.09 * top", "time of a visit, times the baseline's")
	set style fill solid 0.75 noborder
	set errorbars front 0.4 linecolor rgb line_colour linewidth 1
	plot for [s = 1:n] for [p = 1:m] data \
			using (x_ = at(p, s)):(there(rel(p))):(there_low(rel(p))):(less(there_high(rel(p)), \
				top)):(0.92 * width) with boxerrorbars \
			linecolor rgb colour(s) title p == 1 ? says(word(schemes, s)) : "", \
		for [s = 1:n] for [p = 1:m] data using (x_ = at(p, s)):(there(rel(p))):(hover_ends(rel(p), says(word(schemes, \
			s)))) \
			with labels hypertext point pointtype 0 linecolor rgb colour(s) notitle, \
		for [p = 1:m - 1] data \
			using (x_ = of(job) && strcol("scheme") eq "baseline" ? p : NaN):(known(x_) ? 1.05 * top \
				: NaN):(base_words(p)) \
			with labels font ",11" textcolor rgb "#333333" notitle, \
		for [p = 1:m] data using (alone(p) - 0.44):(y(rel(p))):(0.88):(0) with vectors nohead linewidth 1.4 \
			linecolor rgb "#000000" dashtype 3 title p == 1 && alones ? "alone, without the job" : ""
}
