# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# join.sh - replay: several runs of one session as one run (report/join.sh reads this). What an input's response is shows in what
# replays have in common, so those of all runs are analyzed together. A cell has the name of its run; where a run has several,
# RUN.LABEL.

join_check() {	# join_check FIRST RUN: ends the program if the two cannot be one run
	compgen -G "$2/cells/*/*/replay.rfb" >/dev/null ||
		die 1 "$2: its replays (cells/*/*/replay.rfb) are not there; report it by itself"
	cmp -s "$1/session.trace" "$2/session.trace" ||
		die 2 "$2: its session (session.trace) is not that of $1; report each by itself"
}

# Makes the tables of RUN from the samples of the runs `all`, called `names`; run.json is there.
join_samples() {
	local folder setting file files=() labels='' words cells
	cells=$(join_each "${all[@]}" | jq -c -s --args '[., $ARGS.positional] | transpose[] | .[0] as $run | .[1] as $name | $run.cells[]
		| .name as $old | (first($run.settings.rows[]? | select(.setting == $old).says) // $old) as $says
		| (if $run.cells[1] then "\($name).\($old)" else $name end) as $setting
		| {folder: "\($run.path)/cells/\($old)", row: {$setting, value: null,
			says: (if $setting == $old then $says else "\($says) in \($name)" end)},
			cell: (. + {name: $setting, parameters: {$setting}})}' "${names[@]}")
	# how replays are analyzed is no property of them: as the first run's
	jq -s --slurpfile first "${all[0]}/run.json" '.[0] as $run | .[1:] as $all | $first[0].settings as $first | $run | del(.joined)
		| .cells = [$all[].cell] | .inputs = $inputs | .differs |= del(.rows, .base, .label, .trace)
		| .settings += ($first | with_entries(select(.key
			| IN("trace", "seed", "method", "scale", "differ_percent", "join_ms", "confidence"))))
			+ {rows: [$all[].row], base: $all[0].cell.name, label: [$all[].cell.name]}' \
		--argjson inputs "$(jq -c '.inputs // {}' "${all[0]}/run.json")" "$RUN/run.json" /dev/stdin <<<"$cells" >"$RUN/run.json.new" &&
		mv "$RUN/run.json.new" "$RUN/run.json" && rm -rf "$RUN/cells" && mkdir "$RUN/cells" || die 1 "cannot write to $RUN"
	while IFS=$'\t' read -r setting folder; do
		ln -s "$folder" "$RUN/cells/$setting" || die 1 "cannot write to $RUN"
	done < <(jq -r '[.row.setting, .folder] | @tsv' <<<"$cells")
	while read -r file; do
		jq -e '.state == "complete"' "$RUN/${file%/*}/cell.json" >/dev/null || continue
		files+=("$file") setting=${file#cells/}
		labels+=,${setting%%/*}
	done < <(cd "$RUN" && printf '%s\n' cells/*/*[0-9]/replay.rfb | sort -t / -k 3,3n -k 2,2)
	words=$(jq -r '.settings | "--method", .method // "tiles", if .method != "paper" then empty else
		"--scale", .scale, "--differ", .differ_percent, "--join", "\(.join_ms)ms" end' "$RUN/run.json")
	# shellcheck disable=SC2086 # words
	(cd "$RUN" && "$TP_BIN/vncplay" analyze $words --labels "${labels#,}" --format json -o analysis.json "${files[@]}" >/dev/null) ||
		[ "$?" = 3 ] || die 1 "cannot analyze the replays of ${all[*]} together"
	# summarize reads so many repeats; the report speaks of the fewest
	joined_repeats max && (cd "$RUN" && summarize) && joined_repeats min || exit 1
	rm -r "$RUN/cells"
}
joined_repeats() {	# joined_repeats max|min
	jq ".settings.repeats = ([.runs[].repeats | values] | $1)" "$RUN/run.json" >"$RUN/run.json.new" &&
		mv "$RUN/run.json.new" "$RUN/run.json" || die 1 "cannot write to $RUN"
}
