# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# cell.sh - browse: a session under a scheme, with a job in the background that runs throughout; in it a browser is started, and
# visits one page after the other. A cell is one such series: every page once, in an order that all schemes of a repeat share.
#
# A visit is an event of bin/startup: the address and Return, all keys at once, as soon as nothing has changed for the time between
# two visits. What was on the screen then must be the page as it was when nothing else ran: a visit that rested at another picture
# has no time.
. "$TP_HOME/kits/apps/experiments/families/starts.sh"
. "$TP_HOME/kits/apps/experiments/families/favour.sh"
. "$TP_HOME/kits/apps/experiments/browse/pages.sh"
PICTURES='{}' START=''	# of each page at rest, by its name; of the browser without a page

exp_check() {
	APPS=netsurf
	favour_check
}
exp_choose() { need convert imagemagick; }
app_has() { place_has "$1"; }
exp_find() {
	PLACE_PAGES=$LAB_TMP/browse
	favour_find
	apps_choose
}
exp_cells() { favour_pairs; }
exp_words() { echo "${P[scheme]}$([ "${P[job]}" = none ] || echo ", job ${P[job]}")"; }

# The pages, and how each looks when it is there.
exp_before_cells() {
	local LAB_LOG=$RUN/log LAB_WHY=''
	exp_step "makes the test pages"
	pages_make "$RUN/log/pages" || die "$LAB_WHY"
	exp_step "loads each page once, before the measurement"
	place_begin group || die "no session: $LAB_WHY"
	# In a guest the first start of all, on an empty cache, looks different.
	[ "$PLACE" != guest ] || visits_measure "$RUN/log" 0 || die "the browser cannot load the test pages: $LAB_WHY"
	visits_measure "$RUN/log" 0 || die "the browser cannot load the test pages: $LAB_WHY"
	place_end
	PICTURES=$(jq -c '.visits | map_values(.picture)' "$RUN/log/visits.json") START=$(jq -r .start "$RUN/log/visits.json")
	[ "$(jq '[.visits[] | select(.ms == null)] | length' "$RUN/log/visits.json")" = 0 ] ||
		die "the screen keeps changing after a page has loaded; see $RUN/log"
	rm -f "$RUN/log"/visits.json "$RUN/log"/startup.*
	[ ! -t 1 ] || printf '\r\033[K'
}
exp_end_lab() {
	rm -rf "$RUN/log/pages"
	place_down
}

# Now and then the browser lays its tool bar out in another way, and no picture can be compared: then it is started anew.
exp_run() {	# exp_run FOLDER REPEAT
	local try
	for try in 1 2 3; do
		favour_lives || return
		favour_job_begin
		cpu_begin
		visits_measure "$1" "$2" || return
		cpu_end
		favour_job_end
		CELL_MORE=$(jq -c '.tries = $n' --argjson n "$try" <<<"$CELL_MORE")
		[ "$(jq -r .start "$1/visits.json")" != "$START" ] || break
	done
	CELL_MORE=$(jq -c '. + $visits[0] + {held_up_ms: $report[0].result.held_up_ms}' --slurpfile visits "$1/visits.json" \
		--slurpfile report "$1/startup.json" <<<"$CELL_MORE")
	rm -f "$1/visits.json"
}

# Visits --------------------------------------------------------------------------------------------------------------

# A series in a new browser with a new home: FOLDER/visits.json, and the log of all changes. 1: LAB_WHY.
visits_measure() {	# visits_measure FOLDER REPEAT
	application netsurf
	LAB_WHY="the pages could not be copied to the session"
	tar -C "$RUN/log/pages" -cf - . | place_exec -R -i sh -c "$BROWSER_HOME" sh "$PLACE_PAGES" || return
	visits_script "$2" | place_exec -R -i tee "$PLACE_PAGES/visits.tsv" >/dev/null || return
	place_start -R -o "$1/startup.json" -o "$1/startup.tsv" startup env "${APP_ENVIRONMENT[@]}" HOME="$PLACE_PAGES/home" \
		"$TP_BIN/startup" --display "$PROTOCOL_DISPLAY" --window "$APP_WINDOW" --settle "${THINK}s" --watch-after 0 \
			--close-for 300ms \
		--ceiling "${CEILING}s" --then "$PLACE_PAGES/visits.tsv" --log "$1/startup.tsv" --format json -o "$1/startup.json" \
		-- "${APP_COMMAND[@]}"
	favour_watched "$1/startup.json" || return
	visits_read "$1/startup.tsv" >"$1/visits.json"
	LAB_WHY="the screen kept changing after a page had loaded"
	jq -e '.visits != {}' "$1/visits.json" >/dev/null
}

# The window is larger than the screen, so that its status line, which shows a time, is hidden.
BROWSER_HOME='rm -rf "$1" && mkdir -p "$1/home/.config/netsurf" "$1/home/.config/gtk-3.0" && cd "$1" || exit
	tar -xf - --no-same-owner || exit
	printf "window_%s\n" x:0 y:0 width:1024 height:800 >home/.config/netsurf/Choices
	printf "[Settings]\ngtk-cursor-blink = 0\ngtk-enable-animations = 0\n" >home/.config/gtk-3.0/settings.ini
	chmod -R go+rX "$1"'

visits_script() {	# visits_script REPEAT: for startup --then
	local page
	tr , '\n' <<<"$VISITED" |
		LC_ALL=C awk -v seed="$((SEED * 1000 + $1))" 'BEGIN { srand(seed) } { printf "%.9f\t%s\n", rand(), $0 }' | sort |
		while read -r _ page; do
			printf '%s\tctrl+l type:file://%s/%s.html Return\n' "$page" "$PLACE_PAGES" "$page"
		done
}

# From the log of startup: for each page when it was asked for, the first change, and rest with the picture there. A visit with
# another picture than that of PICTURES, where it has one, is wrong.
visits_read() {	# visits_read LOG
	jq -Rn --argjson pictures "$PICTURES" '
		[inputs / "\t" | {at: .[2], kind: .[3], name: .[4], picture: .[6]} | select(.kind | IN("input", "rest", "change"))
			| .at |= tonumber] as $rows
		| [range($rows | length) as $i | $rows[$i] | select(.kind == "input")
			| . as $input | $rows[$i + 1:] | (first(.[] | select(.kind == "change")) // null) as $first
			| (first(.[] | select(.kind != "change"))? // null) as $rest
			| if $rest.kind == "rest" and $rest.name == $input.name then $rest else null end
			| {page: $input.name, asked_ns: $input.at, rest_ns: (.at // null), picture: (.picture // null), first_ns: $first.at}] as $visits
		| {visits: ($visits | map(.wrong = (.rest_ns == null or ($pictures[.page] // .picture) != .picture)
				| {key: .page, value: {picture, asked_ns, wrong,
				first_ms: (if .first_ns then (.first_ns - .asked_ns) / 1e6 else null end),
				ms: (if .wrong then null else (.rest_ns - .asked_ns) / 1e6 end)}}) | from_entries),
			start: (first($rows[] | select(.kind == "rest") | .picture) // null)}
		| .wrong = ([.visits[] | select(.wrong)] | length)
		| .think_s = ([range(1; $visits | length) as $i | select($visits[$i - 1].rest_ns)
			| ($visits[$i].asked_ns - $visits[$i - 1].rest_ns) / 1e9] | if . == [] then null else add / length end)' \
				"$1"
}

# Against the baseline in the same run: each page by its time there, all of them together (geometric means), and the time of a unit
# of the job's work.
exp_summed() {
	favour_summed
	favour_relate 'group_by(.parameters.job) | map({job: .[0].parameters.job, rate: (map(.job.bytes_per_s) | mean),
			pages: (map(.visits | to_entries[] | select(.value.wrong | not)) | group_by(.key)
				| map({key: .[0].key, value: (map(.value.ms) | geomean)}) | from_entries)})' '
		baseline as $base
		| .relative = (.visits // {} | with_entries(select((.value.wrong | not) and $base.pages[.key])
			| .value = .value.ms / $base.pages[.key]))
		| .relative_all = ([.relative[]] | geomean)
		| .job_relative = (if .job and $base.rate then $base.rate / .job.bytes_per_s else null end)'
}
