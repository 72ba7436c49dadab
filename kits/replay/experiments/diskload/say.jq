# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run with a loaded disk found.
include "words";
include "replays";

def title: "A session on a disk that others read from";

def views:
	main_view,
	view("more"; "summary"; "Conditions"; {};
		"says failed? marked? load_reads_per_s load_read_p50_ms waited? server_busy_percent caches");
