# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run of NAME found.
include "words";

def title: "Response time of a key: \(.run.settings.protocol)";
def labels: {value: {app: {light: "vim", heavy: "refecho"}}};

def slowest: [measured_rows("summary")[] | select(.p50_ms != null)] | max_by(.p50_ms);
def verdict: threshold as $limit | slowest
	| if . == null then nothing_measured
	  elif surely_above("p50_ms"; $limit) then "Half of the keys take longer than \($limit | plain) ms in the slowest application."
	  elif surely_below("p50_ms"; $limit) then "The median response stays at \(.p50_ms_high // .p50_ms | with_unit("ms")) or less."
	  else "This run cannot tell whether half of the keys take longer than \($limit | plain) ms in the slowest application." end;

def findings: threshold as $limit | [measured_rows("summary")[] | select(.p50_ms != null)
	| finding("median-\(.app)"; "**\(labels.value.app[.app] // .app)**: the median response time is \(level("p50_ms")).";
		figure("p50_ms") + {verdict: (if surely_above("p50_ms"; $limit) then "bad"
			elif surely_below("p50_ms"; $limit) then "good" else "unsure" end), figure: "median"})][:5];

def views:
	view("main"; "summary"; "Response time by application"; {by: "protocol"}; "app p50_ms p90_ms max_ms late_percent keys");
