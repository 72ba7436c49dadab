# SPDX-License-Identifier: GPL-3.0-or-later
# order.awk - in which order a disk served waiting requests: perf script -F comm,time,event,trace of the events block_bio_queue,
# block_rq_issue and block_rq_complete | awk -v load=COMM -f order.awk. Writes JSON; waits are in ms.
#
# A request arrives when it is handed to the block layer, waits there (for room in the device, or in a scheduler), and is issued
# when the device takes it. Of any two requests that waited together, one is issued first: the older one (order kept) or the younger
# one (overtaken). Merged requests count as one, as old as the oldest of them; a split request counts when its first piece is
# issued. The kernel loses a few events without notice: a completed request no longer waits, and a request in the device that twice
# as many later requests have passed as are in the device counts as gone.

function add(list, value) { return list (list == "" ? "" : ",") value }

function on_queue(   i, n) {
	for (i in from) n += !begun[i] && loads[i]
	from[++last] = sector; to[last] = sector + sectors; came[last] = time; begun[last] = 0
	reads[last] = words[2] ~ /^F?R/	# a flush that precedes the request is named first
	match(text, /\[.*\]$/)
	loads[last] = reads[last] && substr(text, RSTART + 1, RLENGTH - 2) == load
	ahead[last] = n + 0
}

# The request waiting for sectors from `at` on, before `end`, that begins first, and of those the oldest; 0: none.
function find(at, end,   i, start, best, found) {
	for (i in from) {
		start = from[i] > at ? from[i] : at
		if (to[i] <= at || from[i] >= end || found && (start > best || start == best && i + 0 > found)) continue
		best = start
		found = i + 0
	}
	return found
}

function forget(i) {
	delete from[i]; delete to[i]; delete came[i]; delete begun[i]; delete reads[i]; delete loads[i]; delete ahead[i]
}

function on_issue(   at, i, oldest, first, n, older, passed, wait) {
	device[++issued] = sector " " sectors; overtaken_by[issued] = 0
	in_device = add(in_device, ++held)
	at = sector
	while (at < sector + sectors && (i = find(at, sector + sectors))) {
		if (!oldest || came[i] < came[oldest]) { oldest = i; first = !begun[i] }
		begun[i] = 1
		# the kernel splits requests from the front: sectors before an issued middle piece are issued with it
		at = from[i] = to[i] < sector + sectors ? to[i] : sector + sectors
	}
	if (first) {
		n = 1
		for (i in from) if (!begun[i]) {
			n++
			older += came[i] < came[oldest]
			passed += came[i] < came[oldest] && loads[i]
		}
		requests++; waiting += n; overtaken += older; kept += n - 1 - older
		overtaken_requests += came[oldest] < youngest
		youngest = came[oldest] > youngest ? came[oldest] : youngest
		wait = sprintf("%.6f", 1000 * (time - came[oldest]))
		if (loads[oldest]) load_wait = add(load_wait, wait)
		else if (reads[oldest]) { others_wait = add(others_wait, wait); all_ahead += ahead[oldest]; all_passed += passed }
	}
	for (i in from) if (from[i] >= to[i]) forget(i)
}

function on_complete(   i, at, n) {
	for (i in device) if (device[i] == sector " " sectors && (!at || i + 0 < at)) at = i + 0
	if (!at) for (i in from) if (from[i] >= sector && to[i] <= sector + sectors) forget(i)
	for (i in device) if (i + 0 == at || i + 0 < at && ++overtaken_by[i] > 2 * held) {
		delete device[i]
		delete overtaken_by[i]
		n++
	}
	held -= n
}

function ratio(a, b) { return b > 0 ? sprintf("%.4f", a / b) : "null" }

match($0, / block:block_[a-z_]*: /) {
	event = substr($0, RSTART + 13, RLENGTH - 15)
	text = substr($0, RSTART + RLENGTH)
	split(substr($0, 1, RSTART - 1), head, /:/)
	n = split(head[1], words, / +/)
	time = words[n] + 0
	split(text, words, / /)
	if (!match(text, / [0-9]+ \+ [0-9]+ /)) next
	split(substr(text, RSTART + 1), place, / /)
	sector = place[1] + 0; sectors = place[3] + 0
	if (sectors <= 0) next	# a flush has no sector by which its completion could be recognized
	if (event == "bio_queue") on_queue()
	else if (event == "rq_issue") on_issue()
	else if (event == "rq_complete") on_complete()
}

END {
	printf "{\"requests\":%d,\"in_device\":[%s],\"waiting_mean\":%s,\"tau\":%s,\"overtaken_percent\":%s," \
		"\"passed_percent\":%s,\"load_wait_ms\":[%s],\"session_wait_ms\":[%s]}\n", requests, in_device,
		ratio(waiting, requests), ratio(kept - overtaken, kept + overtaken),
		ratio(100 * overtaken_requests, requests), ratio(100 * all_passed, all_ahead), load_wait, others_wait
}
