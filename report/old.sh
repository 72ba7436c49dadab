#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# report.sh RUN - from the samples of a run to its summary, figures, report.md and report.html. Prints where the report is.
#
# Each step reads files and leaves files, so each can be redone alone: summarize, plots/*.gp, page.jq, this script's HTML.
set -u -o pipefail
# shellcheck disable=SC1091
. "$(dirname -- "${BASH_SOURCE[0]}")/common.sh"

run_folder "Makes summary.tsv, figures/*.svg, report.md and report.html of a run again, from its samples." "$@"
need gnuplot gnuplot-nox
need cmark cmark
cd "$RUN" 2>/dev/null || die 1 "cannot enter $RUN"
RUN=$PWD
[ -w . ] || die 1 "cannot write to $RUN; copy it to a folder of yours"
# Beside this folder in a checkout, in libexec of an installation; who calls may know better.
: "${TP_BIN:=$here/../bin}"
[ -x "$TP_BIN/summarize" ] || [ ! -x "$here/../../../libexec/thinprobe/summarize" ] || TP_BIN=$here/../../../libexec/thinprobe

work=$(mktemp -d "$RUN/.report.XXXXXX") || die 1 "cannot write to $RUN"
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

summarize() {
	# a run kept without its samples
	if [ -f summary.tsv ] && [ -z "$(find cells \( -name samples.tsv -o -name lost.tsv -o -name pagein.json -o -name startup.json -o -name traffic.tsv -o -name keys.json -o -name play.json \) 2>/dev/null | head -n 1)" ]; then return; fi
	[ -x "$TP_BIN/summarize" ] || die 1 "$TP_BIN/summarize is not there; build it with: make"
	"$TP_BIN/summarize" --format json -o summary.json .
	case $? in 0 | 3) ;; *) exit 1 ;; esac	# 3: some repeats failed, and the page says which
}

plot() {	# plot STEM [what it wants to know besides]
	gnuplot -c "$here/../plots/$1.gp" "$work" '' '' "${@:2}" >"$work/gnuplot.log" 2>&1 ||
		die 1 "gnuplot failed: $(grep -v -i -e warning -e '^[[:space:]]*$' "$work/gnuplot.log" | tail -n 1 | grep . || echo "no reason given; see summary.tsv, cdf.tsv and stages.tsv for what it was to draw")"
}

# A figure takes its place when it is whole; the old ones stay if gnuplot fails.
draw() {
	local figure table
	mkdir -p "$work/figures"
	for table in curve utilisation slope who runs timeline bandwidth points overtime; do [ ! -f $table.tsv ] || ln -s "$RUN/$table.tsv" "$work/"; done
	ln -s "$RUN/summary.tsv" "$RUN/cdf.tsv" "$work/"
	[ -f cdf.tsv ] || { rm "$work/cdf.tsv"; printf 'schema\tapp\tsinks\tlatency_ms\tshare\tbound\n' >"$work/cdf.tsv"; }
	jq -r '.run.devices // {} | to_entries[] | select(.value.write_bytes_per_s) | [.key, .value.write_bytes_per_s] | @tsv' <<<"$doc" >"$work/write.tsv"
	plot "$stem" "$(jq -r '.run.protocol.floor_ms // 0' <<<"$doc")" "$(jq -r '.run.settings.threshold_ms // 100' <<<"$doc")"
	! jq -e '.run.settings.on // "" | startswith("attach:")' <<<"$doc" >/dev/null ||
		sed -i 's/sinks: processes beside the session that want all the CPU they can get/load, as whoever put it there called it/; s/number of sinks/load/; s/sinks:/load:/' "$work"/figures/*.svg
	mkdir -p figures || exit 1
	for figure in "$work"/figures/*.svg; do
		mv "$figure" figures/ || exit 1
	done
}

# Markdown tables become HTML before cmark, which has none. Numbers are set right, "(low-high)" in grey.
tables() {
	awk '
		function escape(s) { gsub(/&/, "\\&amp;", s); gsub(/</, "\\&lt;", s); gsub(/>/, "\\&gt;", s); return s }
		function cells(line, tag,   n, i, cell, part, class) {
			sub(/^\| /, "", line); sub(/ \|$/, "", line)
			n = split(line, part, / \| /)
			printf "<tr>"
			for (i = 1; i <= n; i++) {
				cell = escape(part[i])
				class = (right[i]) ? " class=\"r\"" : ""
				if (tag == "td") sub(/ \([-0-9>][^)]*\)( \*)?$/, "<small>&</small>", cell)
				printf "<%s%s>%s</%s>", tag, class, cell, tag
			}
			print "</tr>"
		}
		/^\| :--/ { next }
		/^\|/ {
			if (!inside) {
				head = $0
				getline rule
				n = split(rule, mark, "|")
				for (i = 2; i < n; i++) right[i - 1] = mark[i] ~ /-: *$/
				print "<div class=\"table" (n > 11 ? " wide" : "") "\"><table><thead>"
				cells(head, "th")
				print "</thead><tbody>"
				inside = 1
			} else {
				cells($0, "td")
			}
			next
		}
		inside { print "</tbody></table></div>\n"; inside = 0 }
		{ print }
		END { if (inside) print "</tbody></table></div>" }'
}

# <img src="figures/x.svg" alt="..."> becomes the drawing itself. Names inside get its stem in front: several drawings
# share one page.
inline_figures() {
	awk '
		match($0, /<img src="figures\/[a-z-]+\.svg" alt="[^"]*" \/>/) {
			tag = substr($0, RSTART, RLENGTH)
			file = tag; sub(/^<img src="/, "", file); sub(/".*/, "", file)
			alt = tag; sub(/.*alt="/, "", alt); sub(/" \/>$/, "", alt)
			stem = file; sub(/.*\//, "", stem); sub(/\.svg$/, "", stem)
			print "<figure id=\"figure-" stem "\">"
			begun = 0
			while ((getline line < file) > 0) {
				if (line ~ /^<svg/) { begun = 1; line = "<svg role=\"img\" aria-label=\"" alt "\"" substr(line, 5) }
				if (!begun || line ~ /<desc>|<title>Gnuplot<\/title>/) continue
				gsub(/ id="/, "&" stem "-", line)
				gsub(/ id=\047/, "&" stem "-", line)
				gsub(/href=\047#/, "&" stem "-", line)
				gsub(/href="#/, "&" stem "-", line)
				gsub(/url\(#/, "&" stem "-", line)
				print line
			}
			close(file)
			print "</figure>"
			next
		}
		{ print }'
}

page_html() {
	local file
	printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="viewport" content="width=device-width, initial-scale=1">\n'
	printf '<title>%s</title>\n<style>\n' "$(sed -n '1s/^# //p' report.md)"
	cat "$here/old.css"
	printf '</style>\n</head>\n<body>\n<main>\n'
	tables <report.md | cmark --unsafe | inline_figures
	printf '<p class="files">Inside this page:'
	for file in summary.tsv run.json report.md; do
		printf ' <a download="%s" href="data:text/plain;charset=utf-8;base64,%s">%s</a>' "$file" "$(base64 -w 0 "$file")" "$file"
	done
	printf '</p>\n</main>\n</body>\n</html>\n'
}

place() {	# place FILE: standard input becomes FILE, whole
	if ! { cat >"$work/$1" && sync "$work/$1" && mv "$work/$1" "$1"; }; then
		die 1 "cannot write $RUN/$1"
	fi
}

summarize
doc=$(document) || exit
stem=$(jq -r '.run.experiment // "stalls"' <<<"$doc")
[ -f "$here/../plots/$stem.gp" ] || die 1 "$RUN/run.json: no figures for an experiment named $stem"
draw
filter page --arg samples "$(find cells -name samples.tsv 2>/dev/null | head -n 1)" <<<"$doc" | place report.md || exit 1
page_html | place report.html || exit 1
printf '%s\n' "$RUN/report.html"
