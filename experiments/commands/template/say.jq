# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of NAME found.
include "words";

def title: "Response time of a key: \(.run.settings.protocol)";
def labels: {value: {app: {light: "vim", heavy: "refecho"}}};

# What judge decides of each row: "yes", "no", or null, which is: cannot tell.
def decisions: threshold as $limit | .summary[]? |= ask({is_late: above("p50_ms"; $limit)});
def slowest: [measured_rows("summary")[] | select(.p50_ms != null)] | max_by(.p50_ms);
def verdict: threshold as $limit | slowest
	| if . == null then nothing_measured
	  elif .is_late == null then
		"This run cannot tell whether half of the keys take longer than \($limit | plain) ms in the slowest application."
	  elif .is_late == "yes" then "Half of the keys take longer than \($limit | plain) ms in the slowest application."
	  else "The median response stays at \(.p50_ms_high // .p50_ms | with_unit("ms")) or less." end;

def findings: [measured_rows("summary")[] | select(.p50_ms != null)
	| finding("median-\(.app)"; "**\(labels.value.app[.app] // .app)**: the median response time is \(level("p50_ms")).";
		figure("p50_ms") + {verdict: sure_verdict(.is_late), figure: "median"})][:5];

def views:
	view("main"; "summary"; "Response time by application"; {by: "protocol"}; "app p50_ms p90_ms max_ms late_percent keys");
