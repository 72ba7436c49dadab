# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# blocks.sh - runs as tables of blocks for `judge`: each repeat of a run is summed up by itself. Sourced.

POOLED_HEAD=$'schema\tvariant\tcell\tmetric\tfrom\tto\tlow\thigh\trepeats\twhy'
BLOCKS_HEAD=$'schema\tstart\tpair\tvariant\tcell\tmetric\tunit\tbetter\tvalue\tdisturbed'

# block_why RUN [REPEAT]: what others did meanwhile, in words; nothing where the repeat was not disturbed. Only by numbers that the
# tested programs do not make: CPU time of other processes and stolen time, on the server's CPUs (the cell's flag says so) and on
# the client's, where the probe goes before others, over 10 %; the most. Without REPEAT: a line "REPEAT WORDS" of each that was
# disturbed.
block_why() {
	local many
	(cd -- "$1/cells" && for many in 1000 1; do	# (jq ends at a damaged file: then one jq for each)
		find . -mindepth 3 -maxdepth 4 -path "./*/${2:-*}/*" -name cell.json -print0 | xargs -0 -r -n "$many" jq -r --arg one "${2-}" '
			(input_filename / "/")[2] as $repeat | select($one | IN("", $repeat))
			| ((.foreign_percent // 0) + (.steal_percent // 0)) as $server
			| ((.client_foreign_percent // 0) + (.client_steal_percent // 0)) as $client
			| (.marked // "" | match("foreign CPU time[^;]*") | [$server, .string]),
				($client | select(. > 10) | [., "others took \(round) % of the client'\''s CPUs"])
			| if $one == "" then "\($repeat) \(.[1])" else "\(.[0]) \(.[1])" end' && break
	done) 2>/dev/null | if [ -n "${2-}" ]; then LC_ALL=C sort -srn | sed -n '1s/^[^ ]* //p'; else cat; fi
}

# block_open RUN: what is the same for each of its repeats, so that it is read once: names of its cells, run.json up to the number
# of its repeats, which is put last, and which of them were disturbed.
BLOCK_OF=''
block_open() {
	[ "$BLOCK_OF" != "$1" ] || return 0
	BLOCK_OF=$1 BLOCK_DISTURBED=" $(block_why "$1" | cut -d ' ' -f 1 | tr '\n' ' ')"
	{ IFS= read -r BLOCK_RUN; mapfile -t BLOCK_CELLS; } < <(jq -r '(del(.settings)
		+ {settings: (.settings | del(.repeats) + {repeats: 0})} | tojson | rtrimstr("0}}")), .cells[].name' "$1/run.json")
}

# block_varied RUN RUN: the axes in which both have one value, not the same: they are the variants, and no conditions. 1: they have
# different conditions; prints which.
block_varied() {
	jq -rs '[.[] | [.cells[].parameters] as $p | .axes | map({key: ., value: ([. as $axis | $p[][$axis]] | unique)}) | from_entries]
		| .[0] as $a | .[1] as $b | [$a + $b | keys[] | select($a[.] != $b[.])] as $differ
		| first(($differ[] | select([$a[.], $b[.]] | any(length != 1))
			| "\(.): \($a[.] | map(tostring) | join(",")) and \($b[.] | map(tostring) | join(","))\n" | halt_error(1)),
		($differ | join(" ")))' "$1/run.json" "$2/run.json" 2>&1
}

# In awk: whether a column says something of a variant. It has a direction, and is no count, no largest value, and nothing that says
# how well was measured.
BLOCK_JUDGED='function is_judged(column, unit, better) {
	return better ~ /lower|higher/ && unit ~ /^(us|ms|s|%|bytes?|[kK]?B|MB)$|\// && column !~ /_max(_|$)|largest/ &&
		column !~ /^(late_p[0-9]+|lateness|left_late|started_late|load_behind|generator|probe|capture|foreign|steal|disturbed|backlog)_/
}'

# block_rows RUN REPEAT START VARIANT WORK [AXES]: the figures of one repeat in rows of blocks/1, without START of all REPEATs in
# rows of pooled/1: a run folder WORK with only these repeats is summed up. AXES are left out of the names of the cells. 1: the
# repeat is not there, or cannot be summed up.
block_rows() {
	local sums=$5 cell repeat n=0 disturbed=0 there=''
	rm -rf "$sums" && mkdir -p "$sums/cells" || return
	block_open "$1"
	for repeat in $2; do
		n=$((n + 1))
		for cell in "${BLOCK_CELLS[@]}"; do
			[ -f "$1/cells/$cell/$repeat/cell.json" ] || continue
			mkdir -p "$sums/cells/$cell" && ln -s "$1/cells/$cell/$repeat" "$sums/cells/$cell/$n" || return
			there=1
		done
	done
	[ -n "$there" ] || return
	[[ -z $3 || $BLOCK_DISTURBED != *" $2 "* ]] || disturbed=1
	printf '%s%d}}\n' "$BLOCK_RUN" "$n" >"$sums/run.json" &&
		"$TP_BIN/summarize" --format json -o "$sums/summary.json" "$sums" >/dev/null 2>"$sums/err"
	[ -f "$sums/long.tsv" ] || { cat "$sums/err" >&2; return 1; }
	awk -F'\t' -v OFS='\t' -v start="$3" -v pair="$2" -v variant="$4" -v disturbed="$disturbed" -v varied=" ${6-} " "$BLOCK_JUDGED"'
		BEGIN { if (start != "") print "blocks/1", start, pair, variant, "", "", "", "", "", disturbed }
		NR == 1 { for (i = 1; i <= NF; i++) { at[$i] = i; name[i] = " " $i " " } axes = at["metric"] - 1; next }
		$at["table"] != "summary" || $at["estimator"] == "max" || !is_judged($at["metric"], $at["unit"], $at["better"]) { next }
		{
			cell = ""
			for (i = at["experiment"] + 1; i <= axes; i++) if ($i != "" && !index(varied, name[i])) cell = cell (cell == "" ? "" : " ") $i
			value = $at["above"] == 1 ? "" : $at["value"]
			if (start != "" && $at["from"] != "" && $at["to"] != "" && $at["above"] != 1) value = $at["from"] ".." $at["to"]
			if (start != "") print "blocks/1", start, pair, variant, cell, $at["metric"], $at["unit"], $at["better"], value, disturbed
			else print "pooled/1", variant, cell, $at["metric"], $at["value"] $at["from"], value $at["to"], $at["low"], $at["high"],
				$at["n"], $at["why"]
		}' "$sums/long.tsv" || return
	rm -rf "$sums"
}

# block_metrics TABLE NAMES: the names as columns of the table, separated by commas: p50 is latency_p50_ms, late is
# late_share_percent. 1: one is none; prints those that there are.
block_metrics() {
	awk -F'\t' -v asked="$2" '
		NR > 1 && $6 != "" && !seen[$6]++ { name[++n] = $6 }
		END {
			parts = split(asked, part, ",")
			for (k = 1; k <= parts; k++) {
				found = ""
				for (i = 1; i <= n && found == ""; i++) if (name[i] == part[k]) found = name[i]
				for (i = 1; i <= n && found == ""; i++) {
					short = name[i]
					sub(/^latency_/, "", short)
					sub(/_share/, "", short)
					if (short ~ "^" part[k] "_(us|ms|s|percent|per_s|bytes|kb|mb)$") found = name[i]
				}
				if (found == "") {
					printf "%s: no such metric; there are", part[k]
					for (i = 1; i <= n; i++) printf "%s %s", (i > 1 ? "," : ""), name[i]
					exit 1
				}
				all = all (all == "" ? "" : ",") found
			}
			print all
		}' "$1"
}
