# findings.jq - the findings of iosched, numbered, for a terminal.
include "replays/findings";

replays_findings
