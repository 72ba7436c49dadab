# findings.jq - the findings of diskload, numbered, for a terminal.
include "replays/findings";

replays_findings
