# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# html.sh - the frame of all pages. Sourced.

# page_html TITLE [CLASS [SCRIPT]]: standard input as the text of a page by itself, in which no other script runs and which loads
# nothing from elsewhere.
page_html() {
	local title=${1//</"&lt;"} script=none hex
	if [ -n "${3-}" ]; then
		hex=$(printf '\n' | cat - "$3" | sha256sum)
		# shellcheck disable=SC2001,SC2059 # bytes
		script=sha256-$(printf "$(sed 's/../\\x&/g' <<<"${hex%% *}")" | base64)
	fi
	printf '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
	printf "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
	printf "img-src 'self' data:; script-src '%s'; base-uri 'none'; form-action 'none'\">\n" "$script"
	printf '<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>%s</title>\n<style>\n' "${title//>/"&gt;"}"
	cat "${BASH_SOURCE[0]%/*}/report.css"
	printf '</style>\n</head>\n<body>\n<main%s>\n' "${2:+ class=\"$2\"}"
	cat
	printf '</main>\n'
	[ -z "${3-}" ] || { printf '<script>\n'; cat "$3"; printf '</script>\n'; }
	printf '</body>\n</html>\n'
}

# An image of figures/ becomes the drawing itself, and for phones the narrow one: its stem in front of all names inside, since
# drawings share a page, without its empty groups, and the text of hypertext points in their titles, which browsers show where the
# pointer rests. Tables get a box to scroll in; the interval in a cell is small; a first column with words for several rows is
# also there as rows of their own, for phones.
dressed() {
	awk '
		function inline(file, alt, stem, class,   line, begun, text, group) {
			while ((getline line < file) > 0) {
				if (line ~ /^<svg/) { begun = 1; line = "<svg class=\"" class "\" role=\"img\" aria-label=\"" alt "\"" substr(line, 5) }
				if (!begun || line == "" || line == "<title>Gnuplot</title>") continue
				if (group != "" && line == "</g>") { group = ""; continue }
				if (group != "") { print group; group = "" }
				gsub(/ id=["\047]|href=["\047]#|url\(#/, "&" stem "-", line)
				gsub(/<title>gnuplot_plot_[0-9a-z]*<\/title>/, "", line)
				if (match(line, /showHypertext\(evt,\047.*\047\)" onmouseout/)) {
					text = substr(line, RSTART + 19, RLENGTH - 33)
					sub(/ onmousemove="[^"]*" onmouseout="[^"]*"/, "", line)
					gsub(/&/, "\\\\&", text); sub(/<title>[^<]*/, "<title>" text, line)
				}
				if (line ~ /^<g fill="none"[^>]*>$/) group = line; else print line
			}
			close(file)
			return begun
		}
		function figure(file, alt,   stem, narrow) {
			stem = narrow = file
			gsub(/^.*\/|\.svg$/, "", stem); sub(/figures/, "&/narrow", narrow)
			print "<figure id=\"figure-" stem "\">"
			if (inline(narrow, alt, stem "-narrow", "narrow")) inline(file, alt, stem, "wide"); else inline(file, alt, stem, "")
			print "</figure>"
		}
		function table(   i, cells, grouped, group) {	# the lines of a table
			for (i = 1; i <= count; i++) if (lines[i] ~ /^<td[^>]*><\/td>$/ && lines[i - 1] == "<tr>") grouped = 1
			for (i = 1; i <= count; i++) if (lines[i] ~ /^<th/) cells++
			print "<div class=\"table\">"
			for (i = 1; i <= count; i++) {
				if (i == 1 && grouped) { print "<table class=\"grouped\">"; continue }
				if (grouped && lines[i] == "<tr>" && lines[i + 1] ~ /^<td[^>]*>.+<\/td>$/) {
					group = lines[i + 1]
					sub(/^<td[^>]*/, "<tr class=\"group\"><td colspan=\"" cells "\"", group)
					print group "</tr>"
				}
				print lines[i]
			}
			print "</div>"
			count = 0
		}
		match($0, /<img src="figures\/[a-z0-9-]+\.svg" alt="[^"]*" \/>/) {
			split(substr($0, RSTART, RLENGTH), word, "\""); figure(word[2], word[4]); next
		}
		/^<t[dh]/ && match($0, / \(-?[0-9.]+( to|,) [^()]*\)<\/td>$/) {
			$0 = substr($0, 1, RSTART - 1) "<small>" substr($0, RSTART, RLENGTH - 5) "</small></td>"
		}
		/^<table>$/ { count = 0; within = 1 }
		within { lines[++count] = $0; if (/^<\/table>$/) { within = 0; table() } next }
		{ print }'
}
