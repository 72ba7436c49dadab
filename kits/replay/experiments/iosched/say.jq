# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run with several disk schedulers found.
include "words";
include "replays";

def title: "Disk schedulers for a session beside a heavy disk load";

# Two orders differ where the intervals of Kendall's tau lie apart.
def orders: [measured_rows("summary")[] | select(.tau != null)];
def apart: orders | combinations(2) | map(.repeats = null) | differs(.[0]; .[1]; "tau"; 1);
def overfull: .run.settings.takes as $takes | exceeds({value: ([orders[].in_device_p90] | max)}; {value: $takes});
def claims: apart, overfull;
def percents: if . == null then "?" else "\(fixed(0)) %" end;
def order_words: "with \(.says) \(.passed_percent | percents)\(ends("passed_percent"; percents)), tau \(.tau | fixed(2))"
	+ ends("tau"; fixed(2));
def order: . as $doc | .run.settings.takes as $takes | orders as $rows
	| select($rows != []) | any(apart; decided($doc; .) | holds) as $differ | decided($doc; overfull) as $overfull
		| ([$rows[].in_device_p90] | max) as $most
		| finding("order"; (if $rows | length < 2 then "**Order of the requests**"
				elif $differ then "**The schedulers issue the requests in different orders**"
				elif any($rows[]; .tau_low == null) then
					"**Too few repeats to tell whether the orders of the requests differ**"
				else "**No difference between the orders of the requests is shown**" end)
			+ ". Of the load's waiting reads, a read of the session overtakes: \($rows | map(order_words)
				| join("; ")). (Kendall's tau is 1 if requests are served in order of arrival, 0 in random order.)"
			+ (if $most == null then " How many requests the device held is not known"
				else " The device held at most \($most | plain) requests in nine of ten cases" end)
			+ (if $overfull | holds then ", above the configured limit of \($takes) requests" else "" end)
			+ ", and \([$rows[].waiting_mean] | ([min, max] | map(fixed(0)) | unique | join(" to ")))"
			+ " requests waited in the scheduler's queue on average.";
			($rows | max_by(.passed_percent // -1) | figure("passed_percent")) + {figure: "order",
				verdict: (if $overfull | holds then "unsure" elif $differ then "good"
					elif any($rows[]; .tau_low == null) then "unsure" else "none" end)});
def findings: ([order] + replays_findings)[:6];

def views:
	main_view,
	view("order"; "summary"; "Order of the requests"; {};
		"says in_device_p90 waiting_mean tau overtaken_percent passed_percent session_wait_ms load_wait_ms"),
	view("more"; "summary"; "Conditions"; {};
		"says failed? marked? load_reads_per_s load_read_p50_ms waited? server_busy_percent caches");
