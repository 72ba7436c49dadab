# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - what a run with slower CPUs found.
include "words";
include "replays";

def title: "A session on a slower CPU";

def views:
	main_view,
	view("more"; "summary"; "Conditions"; {}; "says failed? marked? throttled_s waited? server_busy_percent caches");
