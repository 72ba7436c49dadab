# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a session by the speed of its CPU.
include "replays/page";

replays_page("A session on a slower CPU";
	"What changes is the speed of the CPU for all that the session runs: display server, window manager and application.";
	if .run.settings.by == "frequency" then "A speed is the CPU's own frequency, at most so much of its highest."
	else "A speed is a quota of the CPU's time in every period of 5 ms (CFS bandwidth; 1 ms is the least quota, so below 20 % the period is longer: 6.7 ms at 15 %). Within a period the CPU is as fast as ever: what needs less than its quota is not slower." end)
