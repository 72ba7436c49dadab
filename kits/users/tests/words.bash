# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# words - reports of tables and findings alone, for tests that look at nothing else: pages and pictures take most of the time.

# report_words [--draw] RUN...: as report.sh, but cmark-gfm makes nothing, nor does jq where it would make a page, nor, without
# --draw, gnuplot
report_words() {
	local idle='*"| page" | *"| figure_variables"'

	rm -rf undrawn
	mkdir undrawn
	if [ "$1" = --draw ]; then
		shift
		idle='*"| page"'
	else
		printf '#!/bin/sh\n' >undrawn/gnuplot
	fi
	printf '#!/bin/sh\ncat\n' >undrawn/cmark-gfm
	# shellcheck disable=SC2016 # the script's own
	printf '#!/bin/bash\ncase ${*: -1} in %s) ;; *) exec %s "$@" ;; esac\n' "$idle" "$(command -v jq)" >undrawn/jq
	chmod +x undrawn/*
	PATH=$PWD/undrawn:$PATH "$TOP/report/report.sh" "$@"
}
