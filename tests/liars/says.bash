# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# says - what tests of words on made-up rows share: an experiment's verdict and findings say no more than the rows do.

setup() { TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd); }

# says EXPERIMENT FILTER: the filter's words on the document that standard input is, in jq. There, row() completes a row of three
# repeats, level() makes a figure with its interval; in FILTER, one() is a finding's verdict and text.
says() (
	. "$TOP/report/command.sh"
	. "$TOP/report/program.sh"
	TP_HOME=$TOP TP_BIN=$TOP/bin
	. "$TOP/lab/trees.sh"
	folder=$(experiment_folder "$1")
	words='include "say";
		def row: {repeats: 3, state: "complete"} + .;
		def level($name; $value; $low; $high): {($name): $value, ($name + "_low"): $low, ($name + "_high"): $high};
		def one($id): [findings] | flatten | .[] | select(.id == $id) | "\(.verdict): \(.text)";
		'
	filled='{run: {settings: {repeats: 3}, cells: []}, summary: []} * ('$(cat)')'
	claims=$(jq -nr "$(program "$words$filled | questions(decisions), claims" "$folder" "$TOP")") &&
		judged=$(decided_claims "$claims") &&
		jq -nr --argjson judged "$judged" --arg claims "$claims" "$(program "$words$filled
			| answered(decisions; \$judged | answers(\$claims / \"\n\")) | $2" "$folder" "$TOP")"
)
has() { [[ $output == *"$1"* ]] || { echo "no '$1' in: $output"; return 1; }; }
lacks() { [[ -n $output && $output != *"$1"* ]] || { echo "nothing, or '$1' in: $output"; return 1; }; }
