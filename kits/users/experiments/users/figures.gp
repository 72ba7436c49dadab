# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - arrivals: the requests of one cell, of the web where there is one, with the think time nearest to that of the paper.

set datafile separator "\t"
set datafile columnheaders
p = ""
near = 1e9
nearer(a, b) = abs(a - 6.25) < abs(b - 6.25) ? a : b
if (strlen(system("test -s marks.tsv && sed -n 2p marks.tsv"))) {
	stats "marks.tsv" using (p = strcol("part") eq "web" || p eq "" ? strcol("part") : p, 0) nooutput
	stats "marks.tsv" using (near = strcol("part") eq p ? nearer(column("think_s"), near) : near, 0) nooutput
	folder = layout eq "narrow" ? "../figures/narrow/" : "../figures/"
	call families . "/../../plots/arrivals.gp" "marks.tsv" (folder . "arrivals.svg") \
		(p eq "open" ? "Requests of an open loop" : \
		sprintf("Requests of users of %s who think for %g s", p eq "vnc" ? "VNC" : "the web server", near)) p \
		sprintf("%.9f", near)
}
