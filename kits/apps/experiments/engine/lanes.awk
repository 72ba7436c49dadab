# SPDX-License-Identifier: GPL-3.0-or-later
# lanes.awk - of trace.tsv the slices as they are drawn: those of one kind on one CPU are one where less than `gap` ms, part of a
# pixel, lies between them.

BEGIN { FS = OFS = "\t" }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
{
	lane = $at["app"] FS $at["scheme"] FS $at["job"] FS $at["cpu"] FS $at["kind"]
	if (lane in row && $at["from_ms"] - end[lane] < gap) {
		if ($at["to_ms"] > end[lane]) end[lane] = $at["to_ms"]
	} else {
		if (lane in row) put(lane); else order[lanes++] = lane
		row[lane] = $0
		end[lane] = $at["to_ms"]
	}
}
END { for (i = 0; i < lanes; i++) put(order[i]) }
function put(lane,   cell, n, k) {
	n = split(row[lane], cell, FS)
	cell[at["to_ms"]] = end[lane]
	for (k = 1; k <= n; k++) printf "%s%s", cell[k], k < n ? OFS : "\n"
}
