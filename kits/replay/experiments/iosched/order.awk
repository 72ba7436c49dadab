# SPDX-License-Identifier: GPL-3.0-or-later
# order.awk - in which order a disk served waiting requests: perf script -F comm,time,event,trace of the events block_bio_queue,
# block_rq_issue and block_rq_complete | awk -v job=COMM -f order.awk. Writes JSON; waits are in ms.
# Status 1, and nothing, where an event's time cannot be read or is before that of the event before, and where over 5000 later
# requests pass one that waits (bfq lets hundreds pass), over 1000 wait, or one has waited for 10 s at the end: then the kernel lost
# events of requests that had been issued.
#
# A request arrives when it is handed to the block layer, waits there (for room in the device, or in a scheduler), and is issued
# when the device takes it. Of any two requests that waited together, one is issued first: the older one (order kept) or the younger
# one (overtaken). Merged requests count as one, as old as the oldest of them; a split request counts when its first piece is
# issued. The kernel loses a few events without notice: a completed request no longer waits, and a request in the device that twice
# as many later requests have passed as are in the device counts as gone. Where more than one in ten is gone, or a thousand are in
# the device, its driver does not report completions (virtio reports one in twenty): then in_device is empty.
#
# Requests are numbered as they come; queue[1..queued] are those that wait, place_of[1..held] those in the device, oldest first. No
# element is deleted, and no loop goes over an array's keys: with those, mawk 1.3.4 crashes after some ten thousand requests.

function on_queue(   k, n) {
	for (k = 1; k <= queued; k++) n += !begun[queue[k]] && loads[queue[k]]
	from[++last] = sector; to[last] = sector + sectors; came[last] = time; begun[last] = 0
	reads[last] = words[2] ~ /^F?R/	# a flush that precedes the request is named first
	match(text, /\[.*\]$/)
	loads[last] = reads[last] && substr(text, RSTART + 1, RLENGTH - 2) == job
	ahead[last] = n + 0
	queue[++queued] = last
}

# The request waiting for sectors from `at` on, before `end`, that begins first, and of those the oldest; 0: none.
function find(at, end,   k, i, start, best, found) {
	for (k = 1; k <= queued; k++) {
		i = queue[k]
		start = from[i] > at ? from[i] : at
		if (to[i] <= at || from[i] >= end || found && start >= best) continue
		best = start
		found = i
	}
	return found
}

# Takes those out of the queue that have no sector outside low..high; of none, those that have no sector left.
function forget(low, high,   k, i, n) {
	for (k = 1; k <= queued; k++) {
		i = queue[k]
		if (from[i] < to[i] && !(from[i] >= low && to[i] <= high)) queue[++n] = i
	}
	queued = n + 0
}

function on_issue(   at, i, k, oldest, first, n, older, passed, wait) {
	place_of[++held] = sector; size_of[held] = sectors; overtaken_by[held] = 0
	in_device[++issued] = held
	if (held > 1000) { unended = 1; held = 0 }
	at = sector
	while (at < sector + sectors && (i = find(at, sector + sectors))) {
		if (!oldest || came[i] < came[oldest]) { oldest = i; first = !begun[i] }
		begun[i] = 1
		# the kernel splits requests from the front: sectors before an issued middle piece are issued with it
		at = from[i] = to[i] < sector + sectors ? to[i] : sector + sectors
	}
	if (first) {
		n = 1
		for (k = 1; k <= queued; k++) if (!begun[queue[k]]) {
			n++
			older += came[queue[k]] < came[oldest]
			passed += came[queue[k]] < came[oldest] && loads[queue[k]]
			if (came[queue[k]] < came[oldest] && ++passes[queue[k]] > 5000) untold = 1
		}
		requests++; waiting += n; overtaken += older; kept += n - 1 - older
		overtaken_requests += came[oldest] < youngest
		youngest = came[oldest] > youngest ? came[oldest] : youngest
		wait = sprintf("%.6f", 1000 * (time - came[oldest]))
		if (loads[oldest]) load_wait[++load_waits] = wait
		else if (reads[oldest]) { others_wait[++others_waits] = wait; all_ahead += ahead[oldest]; all_passed += passed }
	}
	forget(1, 0)
}

# Takes a request out of the device, and those before it that too many others have passed.
function leave(done,   k, n) {
	for (k = 1; k <= held; k++) {
		if (k == done) continue
		if (k < done && ++overtaken_by[k] > 2 * held) { lost++; continue }
		n++
		place_of[n] = place_of[k]; size_of[n] = size_of[k]; overtaken_by[n] = overtaken_by[k]
	}
	held = n + 0
}

function on_complete(   k) {
	for (k = 1; k <= held; k++) if (place_of[k] == sector && size_of[k] == sectors) { leave(k); return }
	forget(sector, sector + sectors)
}

function ratio(a, b) { return b > 0 ? sprintf("%.4f", a / b) : "null" }
function print_list(name, list, n,   k) {
	printf ",\"%s\":[", name
	for (k = 1; k <= n; k++) printf "%s%s", (k > 1 ? "," : ""), list[k]
	printf "]"
}

match($0, / [0-9]+\.[0-9]+: +block:block_[a-z_]+: /) {
	text = substr($0, RSTART + RLENGTH)
	split(substr($0, RSTART, RLENGTH), words, " ")	# names of events are aligned at their ends, after blanks
	event = words[2]
	if (words[1] + 0 < time) { untold = 1; exit }
	time = words[1] + 0
	split(text, words, / /)
	if (!match(text, / [0-9]+ \+ [0-9]+ /)) next
	split(substr(text, RSTART + 1), place, / /)
	sector = place[1] + 0; sectors = place[3] + 0
	if (sectors <= 0) next	# a flush has no sector by which its completion could be recognized
	if (event == "block:block_bio_queue:") on_queue()
	else if (event == "block:block_rq_issue:") on_issue()
	else if (event == "block:block_rq_complete:") on_complete()
	if (untold || queued > 1000) { untold = 1; exit }
	next
}
/ block:block_/ { untold = 1; exit }

END {
	for (k = 1; k <= queued; k++) if (time - came[queue[k]] > 10) untold = 1
	if (untold) exit 1
	printf "{\"requests\":%d,\"waiting_mean\":%s,\"tau\":%s,\"overtaken_percent\":%s,\"passed_percent\":%s", requests,
		ratio(waiting, requests), ratio(kept - overtaken, kept + overtaken),
		ratio(100 * overtaken_requests, requests), ratio(100 * all_passed, all_ahead)
	print_list("in_device", in_device, unended || 10 * lost > issued ? 0 : issued)
	print_list("load_wait_ms", load_wait, load_waits)
	print_list("session_wait_ms", others_wait, others_waits)
	print "}"
}
