# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a session by the load of its disk.
include "replays/page";

replays_page("A session on a disk that others read from";
	"What changes is how many reads a second others make from the session's disk (fio: 32 KB at random places, past the page cache, arriving at random, from the client's CPU).";
	if .run.settings.disk == "file" then "The disk is that of this machine."
	else "The disk takes \(.run.settings.disk | sub("^slow:"; "")) for each read and each write while a replay lasts. Without that a disk of today hides the load: --disk file shows this machine's." end)
