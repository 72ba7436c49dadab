# SPDX-License-Identifier: GPL-3.0-or-later
# figures.jq - families/settings.jq, and order: which requests go first.
include "settings";

def figures: settings_figures("scheduler of the session's disk"; false),
	setting_bars("order"; "Reads of the load that a read of the session goes before";
		{label: "of those that waited when it came, %",
		from: 0, to: 105}; "scheduler of the session's disk"; false; "passed_percent");
