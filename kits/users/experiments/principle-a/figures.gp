# SPDX-License-Identifier: GPL-3.0-or-later
# figures.gp - convergence and loadlines: the rate near the ratio of users to think time that is held, and over the requests under
# way.

folder = layout eq "narrow" ? "../figures/narrow/" : "../figures/"
if (strlen(system("test -s model-held-ratio.tsv && sed -n 2p model-held-ratio.tsv"))) {
	call families . "/../../plots/queue.gp" "model-held-ratio.tsv" (folder . "convergence.svg") "principle" \
		"Fixed users to think time: the rate approaches that ratio"
	call families . "/../../plots/queue.gp" "model-held-ratio.tsv" (folder . "loadlines.svg") "line" \
		"Load lines of more and more users: what is under way slows them less and less"
}
