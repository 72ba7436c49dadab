# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# words - reports of tables and findings alone, for tests that look at nothing else: pages and pictures take most of the time.

# report_words RUN...: as report.sh, but gnuplot and cmark-gfm make nothing, and neither does jq where it would make a page
report_words() {
	mkdir -p undrawn
	# shellcheck disable=SC2016 # the script's own
	printf '#!/bin/sh\n[ "${0##*/}" = gnuplot ] || cat\n' | tee undrawn/gnuplot >undrawn/cmark-gfm
	printf '#!/bin/bash\ncase ${*: -1} in *"| page" | *"| figure_variables") ;; *) exec %s "$@" ;; esac\n' \
		"$(command -v jq)" >undrawn/jq
	chmod +x undrawn/*
	PATH=$PWD/undrawn:$PATH "$TOP/report/report.sh" "$@"
}
