# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# numbers - jq 1.7 prints a number as it was read, 85.00, and jq 1.6 prints 85, which the tests expect: so does this `jq`. A line of
# raw output that has letters is text ("6.00 ms"), and stays.
if [ "$(command jq -c . 2>/dev/null <<<'[85.00]')" = '[85.00]' ]; then
	jq() {
		local word text='(?!)'

		for word; do [[ ! $word =~ ^-([a-zA-Z]*r|-raw-output) ]] || text='[[:alpha:]]'; done
		command jq "$@" | TEXT=$text perl -pe '/$ENV{TEXT}/ or
			s/("(?:[^"\\]|\\.)*")|(?<![\w.])(-?\d+)\.(\d*?)0+(?![\w.])/$1 \/\/ (length $3 ? "$2.$3" : $2)/ge'
		return "${PIPESTATUS[0]}"
	}
fi
