# findings.jq - the findings of slowreplay, numbered, for a terminal.
include "replays/findings";

replays_findings
