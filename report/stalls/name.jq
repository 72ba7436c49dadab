# SPDX-License-Identifier: GPL-3.0-or-later
# name.jq - what an application is called in the figures: light for what needs little CPU, heavy for what has a cost; nothing for
# what was not measured.
include "lib";

if $app == "light" then
	(if any(.rows[]; .app == "light") then "light: vim in an xterm" elif any(.rows[]; .app == "own") and (burns("own") | not) then own_name else "" end)
elif any(.rows[]; .app == "heavy") then "heavy: \(cost_words) of CPU a \(.run.settings.cost_per // "redraw")"
elif burns("own") then "\(own_name): \(cost_words) of CPU a \(.run.settings.cost_per // "redraw")"
else "" end
