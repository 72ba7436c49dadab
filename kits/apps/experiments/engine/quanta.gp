# SPDX-License-Identifier: GPL-3.0-or-later
# quanta.gp - the distribution of the times for which tasks run (quanta.tsv): a curve for each job, and one for what is not the job
# (other_says).
if (has_table("quanta.tsv")) {
	kinds = ""
	eval look("quanta.tsv", 'kinds = add(kinds, strcol("kind"))')
	eval figure("quanta", 420, "Time for which a task runs until another one does, under the baseline", words(kinds))
	set logscale x
	set xrange [0.001:*]
	set xlabel "ms"
	eval y_axis("0:1", "share of all that are no longer")
	plot for [k = 1:words(kinds)] "quanta.tsv" using (strcol("kind") eq word(kinds, k) ? y("ms") : NaN):(y("share")) \
		with lines linewidth 2 linecolor rgb colour(k) title word(kinds, k) eq "other" ? other_says : "job: " \
			. word(kinds, k)
}
