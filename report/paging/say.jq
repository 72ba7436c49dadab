# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of paging found, in words.
include "lib";

def swap_words: if startswith("slow:") then "a device of \(ltrimstr("slow:") | sub("(?<u>[a-z])"; " \(.u)")) a read" elif . == "file" then "a swap file" else . end;
def method_words: {hog: "a process that fills the memory", busy: "one that goes on touching it", cgroup: "emptying its memory group", madvise: "madvise on its two processes", damon: "DAMON"}[.] // .;
def session_words: {plain: "", private: "private copies", locked: "locked in memory", beside: "in a memory group of its own", low: "under memory.low"}[.] // .;
def protected: IN("locked", "beside", "low");
def cell_name: [.protocol, "swap on \(.swap | sub("slow:(?<n>[0-9.]+)(?<u>[a-z]+)"; "\(.n) \(.u) a read"))", (.session | session_words | select(. != "")), .method] | join(", ");

def measured_cells: [.rows[] | select(.repeats > 0)];
def cell($protocol; $swap; $session; $method): first(.rows[] | select(.protocol == $protocol and .swap == $swap and .session == $session and .method == $method and .repeats > 0)) // null;
def protocols: reduce .rows[].protocol as $p ([]; if index($p) then . else . + [$p] end);
def swaps: reduce .rows[].swap as $p ([]; if index($p) then . else . + [$p] end);
def methods: reduce .rows[].method as $p ([]; if index($p) then . else . + [$p] end);
def slowest: . as $doc | first((swaps | reverse)[] | select(startswith("slow:"))) // (swaps | last);

def above: if (. // 0) > 0 then ">" else "" end;
def least_mean_most($w): if (.[$w + "_n"] // 0) == 0 then "" else "\(.[$w + "_min_ms"] | number) / \(.[$w + "_above"] | above)\(.[$w + "_mean_ms"] | number) / \(.[$w + "_above"] | above)\(.[$w + "_max_ms"] | number)" end;
def median($w): if (.[$w + "_n"] // 0) == 0 then "" else .[$w + "_p50_ms"] | number end;
def median_span($w): median($w) as $m | if $m == "" or .[$w + "_p50_ms_low"] == null then $m else "\($m) (\(.[$w + "_p50_ms_low"] | number)–\(.[$w + "_p50_ms_high"] | number))" end;
def ms: if . >= 995 then "\(. / 1000 | fixed(if . >= 9950 then 1 else 2 end)) s" else "\(number) ms" end;
def mb: if . == null then "" else . / 1048576 | if . >= 9.95 then fixed(0) else fixed(1) end end;

def range_words: (min) as $low | (max) as $high | if ($low | ms) == ($high | ms) then $low | ms else "\($low | ms) to \($high | ms)" end;

# Each protocol in memory, over all its cells.
def in_memory:
	. as $doc | [protocols[] as $p | [measured_cells[] | select(.protocol == $p and .in_memory_n > 0)] | select(. != [])
		| "\($p) \(map(.in_memory_p50_ms) | range_words)"] as $each
	| if $each == [] then empty else "In memory the first key after the pause is answered after: \($each | join("; ")) (\([measured_cells[] | select(.in_memory_n > 0)] | length | if . == 1 then "the median of one cell" else "medians of \(.) cells" end))." end;

def outcome: "\(.paged_out_p50_ms | ms) (median; \(.paged_out_min_ms | ms) to \(.paged_out_max_ms | ms))";
def in_words: if .method == "hog" and .session == "plain" then "" else [(.session | session_words | select(. != "")), "by \(.method | method_words)"] | " (" + join(", ") + ")" end;

# As in the paper: another process takes the memory, and then the key. Per swap device, and what private copies add.
def hogged:
	. as $doc | protocols[] as $p
	| def told($session; $method): [swaps[] as $s | $doc | cell($p; $s; $session; $method) | select(. != null and .paged_out_n > 0) | "on \($s | swap_words) \(outcome)"] | join("; ");
	[told("plain"; "hog"), (told("private"; "hog") | select(. != "") | "with application and libraries paged out as well (private copies) \(.)"), (told("plain"; "busy") | select(. != "") | "while that process goes on touching all of its memory \(.)")] | map(select(. != ""))
	| if . == [] then empty else "\($p), paged out by another process that fills the server's memory: the first key takes \(join("; "))." end;

# The other ways, beside the hog on the same device.
def ways:
	. as $doc | protocols[] as $p | slowest as $s
	| [methods[] | select(. != "hog" and . != "busy") as $m | $doc | cell($p; $s; "plain"; $m) | select(. != null)] as $c
	| [$c[] | select(.paged_out_n > 0) | "by \(.method | method_words) \(.paged_out_p50_ms | ms)"] as $out
	| [$c[] | select(.paged_out_n == 0) | "\(.method | method_words) never did"] as $not
	| if $out + $not == [] then empty else "\($p), paged out in other ways, on \($s | swap_words): \($out + $not | join("; "))." end;

def second:
	[measured_cells[] | select(.second_paged_out_p50_ms != null and .in_memory_p50_ms != null)] as $c
	| if $c == [] then empty else
		"The second key, when the first has brought the pages back, takes \($c | map(.second_paged_out_p50_ms) | range_words): " +
		(($c | map(select(.second_paged_out_p50_ms > 2 * .in_memory_p50_ms and .second_paged_out_p50_ms > 20)) | length) as $n
		| if $n == 0 then "the delay is paid once." else "in \($n) of \($c | length) cells still more than twice a key in memory (not all of the pages that a key needs are the same)." end) end;

# The answer to it: the same hog, and what it finds.
def locked_mb($protocol): [(.run.locked // {})[$protocol] // [] | .[] | .locked_bytes | values] | if . == [] then null else add | mb end;
def protection:
	. as $doc | protocols[] as $p
	| [measured_cells[] | select(.protocol == $p and (.session | protected))] as $c
	| if $c == [] then empty else
		($doc | cell($p; $c[0].swap; "plain"; $c[0].method)) as $by
		| "\($p), protected, under the same pressure\(if $by != null and $by.paged_out_n > 0 then " that makes an unprotected session take \($by.paged_out_p50_ms | ms)" else "" end): " + ([$c[] | "\(.session | session_words)\(if .session == "locked" then $doc | locked_mb($p) | if . == null then "" else " (\(.) MB)" end else "" end): "
			+ (if .kept_n > 0 then "\(.kept_p50_ms | ms), at most \(.kept_max_ms | ms)" + (if .paged_out_n > 0 then ", but paged out in \(.paged_out_n) of \(.attempts) runs" else "" end)
			   elif .paged_out_n > 0 then "not protected: paged out in \(.paged_out_n) of \(.attempts) runs, \(.paged_out_p50_ms | ms)" else "neither kept nor paged out" end)] | join("; ")) + "." end;

def proof:
	[measured_cells[] | select(.paged_out_n > 0)] as $c
	| if $c == [] then empty else
		"Every run that counts as paged out had at least \($c | map(.evicted_percent_min) | min | fixed(1)) % of the private anonymous memory of editor and terminal in swap before the key, and at least \($c | map(.major_faults_min) | min | fixed(0)) major \(if ($c | map(.major_faults_min) | min) == 1 then "fault" else "faults" end) in each of them after it; of what came back, \($c | map(.read_percent | values) | if . == [] then "?" else min | fixed(0) end) % or more (mean of the runs of a cell) was read from the device. "
		+ "Of their file pages, "
		+ ([("plain", "private") as $s | [$c[] | select(.session == $s and .file_resident_bytes != null)] | select(. != []) | "\(if $s == "plain" then "of programs that others may use too" else "of private copies" end) \([map(.file_resident_bytes) | (min, max) | mb] | if .[0] == .[1] then .[0] else "\(.[0]) to \(.[1])" end) MB stayed"] | join(", ")) + "." end;

def failures:
	[measured_cells[] | select(.not_evicted > 0)] as $c
	| if $c == [] then empty else "Not evicted, and so in no figure: " + ([$c[] | "\(cell_name) in \(.not_evicted) of \(.attempts) runs"] | join("; ")) + "." end;

def absent_words: [.run.lab.missing // [] | .[] | sub(": .*"; "")] | if . == [] then empty else "Not on this machine: \(join(", ")); the report says why." end;

def findings: [in_memory, hogged, ways, protection, second, proof, failures, absent_words] | if . == [] then ["No cell was measured to the end: there is nothing to say yet."] else . end;

def runs_words: (.run.settings.runs // 0) * (.run.settings.repeats // 0);
def marked_cells: [.rows[] | select(.marked > 0)];
