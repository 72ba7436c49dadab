# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# common.sh - what the three scripts share: where things are, one document from the run's files, errors in one line.

tool=${REPORT_TOOL:-${0##*/}}
here=$(cd "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)

die() {	# die STATUS WORDS
	local status=$1
	shift
	printf '%s: %s\n' "$tool" "$*" >&2
	exit "$status"
}

need() {	# need COMMAND PACKAGE
	command -v "$1" >/dev/null || die 4 "$1 is missing; apt-get install --no-install-recommends $2"
}

# The operand: a run folder. Sets RUN.
run_folder() {	# run_folder WHAT-IT-PRINTS "$@"
	local what=$1
	shift
	case ${1-} in
	--help | -h)
		printf 'usage: %s RUN\n%s\n' "$tool" "$what"
		exit 0 ;;
	--version)
		printf '%s\n' "$tool"
		exit 0 ;;
	-*) die 2 "unknown option $1 (see $tool --help)" ;;
	'') die 2 "which run folder? (see $tool --help)" ;;
	esac
	[ $# = 1 ] || die 2 "unexpected word $2 (see $tool --help)"
	RUN=${1%/}
	[ -f "$RUN/run.json" ] || die 1 "$RUN: not a run folder (it has no run.json)"
	need jq jq
}

# Every row of a TSV with a header line as an object; numbers are numbers, empty cells null.
tsv_json() {
	jq -R -s -c 'split("\n") | map(select(length > 0) | split("\t")) | .[0] as $head | .[1:]
		| map([$head, .] | transpose | map({key: .[0], value: (.[1] as $v | if $v == "" or $v == null then null
			elif (.[0] | IN("protocol", "app", "state", "interval", "late_interval", "reason", "schema", "name", "source", "note", "system", "class", "kind", "culprit", "what", "setting", "part", "verdict", "cell", "swap", "session", "method", "start", "axis", "event", "draw", "order", "policy", "banner_verdict", "says", "caches")) then $v
			else ($v | tonumber? // $v) end)}) | from_entries)' "$1" 2>/dev/null || die 1 "$1: not a table"
}

document() {	# the run as one JSON object, for the filters of this folder
	[ -f "$RUN/summary.tsv" ] || die 1 "$RUN/summary.tsv is missing; make it with: thinprobe report $RUN"
	jq -e .schema "$RUN/run.json" >/dev/null 2>&1 || die 1 "$RUN/run.json: cannot be read"
	local table
	# through a pipe, not as arguments, which are limited to 128 KB each
	{
		cat "$RUN/run.json"
		tsv_json "$RUN/summary.tsv"
		tsv_json "$here/../data/thresholds.tsv"
		for table in stages slope who compare events points; do	# which there are depends on the experiment
			if [ -f "$RUN/$table.tsv" ]; then tsv_json "$RUN/$table.tsv"; else echo '[]'; fi
		done
		if [ -f "$RUN/summary.json" ]; then cat "$RUN/summary.json"; else echo '{}'; fi
	} | jq -s -c '{run: .[0], rows: .[1], thresholds: .[2], stages: .[3], slopes: .[4], who: .[5], compare: .[6], events: .[7], points: .[8], summary: .[9]}'
}

filter() {	# filter NAME [jq arguments]: runs NAME.jq, the experiment's own where it has one, on the document in standard input
	local name=$1 own
	shift
	own=$here/$(jq -r '.experiment // "stalls"' "$RUN/run.json")
	[ -f "$own/$name.jq" ] || own=$here
	jq -r -L "$here" "$@" -f "$own/$name.jq"
}
