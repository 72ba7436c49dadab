# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - NAME: median response time of each application.
include "series";

def figures: (.summary | distinct(.app)) as $apps | labels.value.app as $words
	| {name: "median", title: "Response time of a key", panels: [{
		x: {words: [$apps[] | $words[.] // .]}, y: {label: "median response time, ms", from: 0},
		curves: [dots(.summary; place_of(.app; $apps); "p50_ms"; look(0) + {title: "median, with its 95 % interval"}),
			threshold_line]}]};
