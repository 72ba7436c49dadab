# SPDX-License-Identifier: GPL-3.0-or-later
# curves.awk - splits cdf.tsv into a file for each curve, curve-ROLE-PROTOCOL-LOAD-BOUND: gnuplot reads the whole of a file for each
# curve that it draws. Prints the shortest and longest response, and whether any curve is a bound.
# -v costly: protocols (between blanks) whose own application has role 2. A few hundred points are enough for a curve, and its ends
# are among them.

BEGIN { FS = OFS = "\t" }
NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
{ latency = $at["latency_ms"]; share = $at["share"]; bound = $at["bound"] }
latency == "" { next }
longest == "" || latency + 0 > longest + 0 { longest = latency }
latency > 0 && (shortest == "" || latency + 0 < shortest + 0) { shortest = latency }
bound == "low" { bounds = 1 }
{
	role = $at["app"] == "heavy" || $at["app"] == "own" && index(" " costly " ", " " $at["protocol"] " ") ? 2 : 1
	protocol = $at["protocol"]
	gsub("/", "+", protocol)	# (the name of its run follows in a report of several)
	file = "curve-" role "-" protocol "-" $at["sinks"] "-" (bound == "low")
	if (file != now) {
		if (now != "") close(now)
		if (!(file in known)) print "latency_ms", "share" >file
		known[file] = now = file
		last = -1
	}
	if (share < last || share - last >= 0.004 || share < 0.01 || share > 0.99) { last = share; print latency, share >>file }
}
END { print shortest == "" ? "none" : shortest, longest == "" ? 0 : longest, bounds + 0 }
