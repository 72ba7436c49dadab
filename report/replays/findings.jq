# SPDX-License-Identifier: GPL-3.0-or-later
# findings.jq - the findings of a run that replays a session, numbered, for a terminal.
include "lib";
include "replays/say";

def replays_findings:
	(findings | to_entries[] | "\(.key + 1). \(.value)"),
	(if .run.state != "complete" then "This run is \(.run.state): what is missing may change what it says." else empty end),
	(analysis_words | values),
	(shared_words | values),
	(disturbed_words | values),
	(if .run.settings.repeats < 5 then "indicative: \(plural(.run.settings.repeats; "repeat"; "repeats"))" else empty end);
