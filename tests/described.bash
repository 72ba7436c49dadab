# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# described.bash - the figures of an experiment as it describes them.

# described STEM DOCUMENT: the curves of its figures, each with the name of the figure, of a document of report.sh.
described() {
	TP_HOME=$TOP
	. "$TOP/report/program.sh"
	. "$TOP/lab/trees.sh"
	jq -c --arg readme '' --arg glossary '' --argjson cells '[]' --argjson html false \
		"$(program $'include "page";\ninclude "figures";\nfigures | .name as $name | .panels[].curves[] | .name = $name' \
			"$(dirname "$(in_trees "experiments/$1/figures.jq")")" "$TOP")" <<<"$2"
}
