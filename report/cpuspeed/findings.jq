# findings.jq - the findings of cpuspeed, numbered, for a terminal.
include "replays/findings";

replays_findings
