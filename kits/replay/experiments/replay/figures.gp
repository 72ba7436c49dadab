# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - outliers: the screen before the latest responses, and at them, from pictures in the folder of the run. A name in the
# table that leads out of that folder is none of a picture.

set datafile separator "\t"
set datafile columnheaders
late = 0
array before[200]
array after[200]
array wide[200]
array high[200]
array skip[200]
array says[200]
array was[200]
within(name) = strstrt(name, "..") ? "a picture outside of the run" : "../../" . name
if (strlen(system("test -s outliers.tsv && sed -n 2p outliers.tsv"))) {
	stats "outliers.tsv" using (late = int(column(0)) + 1, before[late] = within(strcol("before")), \
		after[late] = within(strcol("after")), wide[late] = int(column("width")), high[late] = int(column("height")), \
		skip[late] = int(column("skip")), was[late] = "Before input " . strcol("input"), \
		says[late] = sprintf("After %.0f ms on %s (usual %.0f ms)", column("latency_ms"), strcol("setting"), \
		column("usual_ms")), 0) nooutput
}
if (late > 0) {
	across = layout eq "narrow" ? 1 : 2
	set terminal svg size 380 * across, 40 + 600 * late / across dynamic noenhanced font "sans-serif,13" \
		background rgb "white"
	set output (layout eq "narrow" ? "../figures/narrow/" : "../figures/") . "outliers.svg"
	set multiplot layout late * 2 / across, across title "The latest responses, compared with their usual time" font ",14"
	set size ratio -1
	unset border
	unset tics
	unset key
	set autoscale fix
	# (no name of draw.gp: gnuplot 6 does not find a variable of a loop again that was one of "plot for")
	do for [n = 1:late] {
		# (gnuplot crashes on a size that is no number)
		if (!(wide[n] > 0 && high[n] > 0 && skip[n] >= 0)) { print "outliers.tsv: the size of a picture is no number"; \
			exit status 1 }
		set title was[n] font ",13"
		plot before[n] binary array=(wide[n], high[n]) skip=skip[n] format="%uchar" flipy using 1:2:3 with rgbimage
		set title says[n] font ",13"
		plot after[n] binary array=(wide[n], high[n]) skip=skip[n] format="%uchar" flipy using 1:2:3 with rgbimage
	}
	unset multiplot
	unset output
}
