# SPDX-License-Identifier: GPL-3.0-or-later
# page.jq - report.md of a session replayed on a disk that is all but stopped.
include "replays/page";

replays_page("A session replayed on a disk that is all but stopped";
	"What changes is the time that the session's disk takes for each read and write: none, and so much that the session takes about \(.run.settings.factor) times as long (what it reads and writes is counted in the plain replay).";
	"A replay that waits for the screen for more than \(.run.settings.timeout_s) s is given up; it would be a failure here.")
