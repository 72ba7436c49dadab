# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# join.sh - several runs of one experiment as one run folder, which report.sh then reports as any other: their tables one below
# the other. A run is one more system: its name stands behind the values of one axis (vnc/alpha; `joined` of run.json names it),
# and in the column `run_name` (in long.tsv: `run`).
# An experiment whose figures are not those of single runs has a join.sh of its own: join_check, and join_samples, which makes the
# tables from the samples of all runs.
# report.sh reads this file.

# Names of the runs: those of --label, or the first property that differs between all of them: label, host or date.
join_names='def plain: tostring | gsub("[^A-Za-z0-9:_-]+"; "-");
	[.[] | (.started // "") as $at
		| (if (.settings.on // "lab") | startswith("attach:") then .protocol.title else .lab.server // .host.hostname end) as $host
		| {label: (.settings.label | if type == "array" then join("-") else . end), host: $host, day: $at[:10],
			host_day: (if $host == null then null else "\($host):\($at[:10])" end), minute: $at[:16],
			folder: .folder}] as $all
	| first(("label", "host", "day", "host_day", "minute", "folder") as $by | $all | map(.[$by]) | select(all(. != null and . != ""))
		| map(plain) | select((unique | length) == length)) // [range(length) + 1 | tostring]'

# Of a run: whether it is several; the axis whose values the runs' names stand behind (without one of these, figures have no room
# for several runs); and what it must have in common with the others.
join_facts='(.runs != null), (.axes as $axes | first(("protocol", "system", "swap", "queue") | select(IN($axes[]?))) // ""),
	(.settings // {} | .threshold_ms // 100, (.on // "" | startswith("attach:")),
		if .works then "\(.works | join(",")) quick=\(.quick // false)" else "" end)'

# Settings that all runs share are those of the joined run. Differing ones are listed, except protocols (the cells show these),
# settings without effect on figures, and fields that another version does not have.
join_runs='def alike(values): [values] | if (unique | length) == 1 then .[0] else null end;
	def of_run($name): "\(.)/\($name)";
	def of_run_axis($name): if $axis == "system" then . / "." | .[0] |= of_run($name) | join(".") else of_run($name) end;
	def displays: .protocols // if .protocol == null then {} else
		{(.cells[0].parameters.protocol // .settings.protocol): .protocol} end;
	. as $runs
	| ([$runs[].settings // {} | keys[]] | unique) as $keys
	| ($keys | map(. as $key | {key: $key, value: alike($runs[].settings[$key])}) | from_entries) as $settings
	| def by_run(value): [$runs[] | {key: .name, value: value}] | from_entries;
	def differing($of; $key): [$runs[] | .name as $name | getpath($of / ".") // {} | select(has($key)) | {key: $name, value: .[$key]}]
		| select(map(.value) | unique | length > 1) | {$key, value: from_entries};
	def cpu_count: if . == null then null else [splits(",") | split("-") | map(tonumber) | .[-1] - .[0] + 1] | add end;
	([$keys[] | select(IN("seed", "on", "port", "quick", "protocol", "protocols", "idle_seconds", "threshold") | not) | . as $key
			| differing("settings"; $key)]
		+ [by_run(.settings.on // "lab" | startswith("attach:")) as $attached
			| {key: "load", value: (if $runs[0].axes | index("sinks") then $attached else {} end
				| map_values(if . then "set by others" else "CPU hogs of the run" end))},
			{key: "keys go to", value: ($attached | map_values(if . then "what a user put into the window" else
				"an application of the run" end))},
			{key: "link", value: by_run(if (.settings.on // "lab") == "lab" then .settings.link else "as it is" end)}
			| select([.value[]] | unique | length > 1)]
		+ [("server_system", "shared_cpus", "rootless", "memory") as $key | differing("lab"; $key),
			(("governor", "turbo") as $key | differing("host.cpu"; $key)), differing("host.scheduler"; "autogroup"),
			(("xterm", "vim.tiny") as $key | differing("host.tools"; $key))]
		+ [{key: "version", value: by_run(.version)}, {key: "kernel", value: by_run(.host.kernel)},
			{key: "cpu", value: by_run(.host.cpu.model)}, {key: "CPUs", value: by_run(.host.cpu.count)},
			{key: "CPUs of the server", value: by_run(.lab.cpus_server // null | cpu_count? // null)},
			([$runs[] | displays | keys[]] | unique[] | . as $display | {key: ., value: ([$runs[] | select(displays[$display])
				| {key: .name, value: (displays[$display] | [.version, "\(.frame_rate_per_s // empty)/s", .geometry] | map(values)
					| join(", "))}] | from_entries)}) | select([.value[]] | unique | length > 1)]
		| from_entries) as $differs
	| [$runs[] | .name as $name | displays | to_entries[] | .key |= of_run($name)] as $protocols
	| [$runs[] | .name as $name | .cells[]? | .name |= of_run($name) | .parameters[$axis] |= of_run_axis($name)] as $cells
	| {schema: "thinprobe.run/1", experiment: $runs[0].experiment, version: (alike($runs[].version) // "several"),
		command: $command, started: ([$runs[].started] | min), ended: ([$runs[].ended] | max),
		state: ([$runs[].state | select(. != "complete")] | first // "complete"),
		settings: ($settings + {repeats: ([$runs[].settings.repeats | values] | min), protocols: (
			reduce ($cells[].parameters.protocol | values) as $protocol ([]; if index([$protocol]) then . else . + [$protocol] end))}
			| del(.protocol)),
		axes: $runs[0].axes, joined: $axis, cells: $cells,
		counts: (["total", "complete", "missing", "marked"] | map({key: ., value: (. as $key | [$runs[].counts[$key] // 0] | add)})
			| from_entries),
		protocol: null, protocols: ($protocols | from_entries),
		lab: {shared_cpus: any($runs[].lab.shared_cpus; . == true), cpus_server: alike($runs[].lab.cpus_server),
			cpus_client: alike($runs[].lab.cpus_client), missing: [$runs[] | .name as $name | .lab.missing[]? | "\($name): \(.)"]},
		runs: [$runs[] | {name, host: (.lab.server // .host.hostname // null), started, state, repeats: .settings.repeats,
			kernel: .host.kernel, cpu: .host.cpu.model, on: (.settings.on // "lab"), folder: .path}
			+ if $axis == "protocol" then {} else {run: del(.name, .path, .folder)} end], $differs}
	+ ([$runs[].rows | values] | if . == [] then {} else {rows: .[0]} end)'

# One table of all runs, from pairs FILE NAME. Columns in the order in which they come; empty where a run has none.
join_table() {	# join_table AXIS FILE NAME...
	awk -F'\t' -v OFS='\t' -v axis="$1" '
		function value(c) { return c == "" || !(c in at) ? "" : $at[c] }
		BEGIN {
			for (i = 1; i < ARGC; i += 2) {
				file[++files] = ARGV[i]; name[files] = ARGV[i + 1]
				if ((getline line < ARGV[i]) > 0) {
					n = split(line, head, "\t")
					for (j = 1; j <= n; j++) if (!(head[j] in known)) { known[head[j]] = 1; column[++columns] = head[j] }
				}
				close(ARGV[i])
			}
			run = file[1] ~ /long\.tsv$/ ? "run" : "run_name"
			if (!(run in known)) column[++columns] = run
			for (j = 1; j <= columns; j++) printf "%s%s", column[j], j < columns ? OFS : "\n"
			for (i = 1; i <= files; i++) {
				delete at
				if ((getline < file[i]) > 0) for (j = 1; j <= NF; j++) at[$j] = j
				while ((getline < file[i]) > 0)
					for (j = 1; j <= columns; j++) {
						v = value(column[j])
						if (column[j] == run) v = name[i]
						else if (v != "" && column[j] == "system") { dot = index(v ".", "."); v = substr(v, 1, dot - 1) "/" name[i] substr(v, dot) }
						else if (v != "" && (column[j] == axis || column[j] ~ /^(protocol|cell)$/)) v = v "/" name[i]
						printf "%s%s", v, j < columns ? OFS : "\n"
					}
				close(file[i])
			}
		}' "${@:2}"
}

# join RUN...: joins them in the folder RUN, which it sets (JOINED, or a folder beside the first). Names of the runs are in `label`,
# or made up.
join() {
	local run at works='' stem='' threshold='' axis names=()
	local all=() own='' i
	for run; do
		at=$(cd -- "$run" 2>/dev/null && pwd -P) || die 1 "$run: no folder that can be entered"
		run=$at
		for i in "${all[@]}"; do [ "$i" != "$run" ] || die 2 "$run: is given twice"; done
		all+=("$run")
		read_run "$run"
		[ "$IS_JOINED" = false ] || die 2 "$run: is a report of several runs; give those runs instead"
		[ -z "$stem" ] || [ "$STEM" = "$stem" ] ||
			die 2 "$run: a run of $STEM, but ${all[0]} is one of $stem; give runs of one experiment"
		[ -z "$threshold" ] || [ "$THRESHOLD" = "$threshold" ] || die 2 "$run: its threshold for late keys is" \
			"$THRESHOLD ms, but $threshold ms in ${all[0]}; report each by itself"
		[ "$IN_WINDOW" = false ] || WORK=$works	# in front of a window no work is done
		[ "${works:-$WORK}" = "$WORK" ] || die 2 "$run: its work is" \
			"$WORK, but $works in ${all[0]}; report each by itself"
		stem=$STEM threshold=$THRESHOLD works=$WORK axis=$AXIS
		own=$(in_trees "experiments/$stem/join.sh")
		[ -n "$axis$own" ] ||
			die 2 "$run: $stem compares no protocols or systems, so several runs do not fit in a figure; report each by itself"
		[ -z "$own" ] || { . "$own" && join_check "${all[0]}" "$run"; }
		[ "$IS_KEPT" = false ] || [ -f "$run/schema.tsv" ] ||
			die 1 "$run: it has no tables; make its report again: thinprobe report $run"
		(cd "$run" && RUN=$run && if [ -w . ] || [ ! -f schema.tsv ]; then summarize; fi) || exit 1
	done
	RUN=${JOINED:-$(dirname -- "${all[0]}")/$(printf '%s\n' "${all[@]##*/}" | paste -sd +)}
	[ ! -f "$RUN/run.json" ] || jq -e .runs "$RUN/run.json" >/dev/null 2>&1 ||
		die 2 "$RUN: contains a run; choose another folder with -o"
	[ -f "$RUN/run.json" ] || [ -z "$(ls -A -- "$RUN" 2>/dev/null)" ] ||
		die 2 "$RUN: is not empty; choose another folder with -o"
	mkdir -p -- "$RUN" 2>/dev/null && [ -w "$RUN" ] || die 1 "cannot write to $RUN; choose a writable folder with -o"
	RUN=$(cd -- "$RUN" && pwd)
	[ ! -L "$RUN/figures" ] || die 1 "$RUN/figures is no folder; choose another folder with -o"
	rm -f -- "$RUN"/*.tsv "$RUN"/figures/*.svg "$RUN"/run.json.new
	if [ -n "$label" ]; then
		IFS=, read -r -a names <<<"$label"
	else
		mapfile -t names < <(join_each "${all[@]}" | jq -r -s "$join_names | .[]")
	fi
	join_each "${all[@]}" | jq -s --args \
		--arg axis "$axis" --arg command "thinprobe report$(printf ' %q' "${all[@]}")${label:+ --label $label}" \
		'[., $ARGS.positional] | transpose | map(.[0] + {name: .[1]}) | '"$join_runs" "${names[@]}" |
		(set -C && cat >"$RUN/run.json.new") &&	# (in another login's folder, a link may be there again)
		[ -s "$RUN/run.json.new" ] && mv "$RUN/run.json.new" "$RUN/run.json" || die 1 "cannot write $RUN/run.json"
	if [ -n "$own" ]; then join_samples; else join_tables; fi
}

# The tables of the runs `all`, called `names`, one below the other.
join_tables() {
	local table run first=1 files missing i
	while read -r table; do
		files=() missing=''
		for ((i = 0; i < ${#all[@]}; i++)); do
			[ -f "${all[i]}/$table" ] || continue
			files+=("${all[i]}/$table" "${names[i]}")
			[ "$axis" != protocol ] || head -n 1 "${all[i]}/$table" | tr '\t' '\n' | grep -xE 'protocol|system|cell' >/dev/null ||
				missing=${all[i]}
		done
		# without such a column, figures could not distinguish rows of different runs
		[ -n "$missing" ] || join_table "$axis" "${files[@]}" >"$RUN/$table" || die 1 "cannot write $RUN/$table"
		[ "$missing$table" != "${missing}summary.tsv" ] || [ -z "$missing" ] ||
			die 1 "$missing/summary.tsv has no column protocol: an older version made this run"
	done < <(for run in "${all[@]}"; do (cd "$run" && printf '%s\n' *.tsv); done | grep -vx schema.tsv | sort -u)
	for run in "${all[@]}"; do tail -n "+$first" "$run/schema.tsv"; first=2; done | awk -F'\t' -v OFS='\t' '
		!seen[$2, $3]++
		NR > 1 && !tables[$2]++ { added[++n] = $2 }
		END { for (i = 1; i <= n; i++) if (!seen[added[i], "run_name"]++)
			print "schema/1", added[i], "run_name", "text", "", "", "", "Run" }' \
		>"$RUN/schema.tsv" || die 1 "cannot write $RUN/schema.tsv"
}

join_each() {	# join_each RUN...: their run.json
	jq -c '(input_filename | rtrimstr("/run.json")) as $path | . + {$path, folder: ($path | split("/") | last)}' "${@/%//run.json}"
}
