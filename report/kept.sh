# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# kept.sh - the report of a kept run (thinprobe gallery), whose samples and large tables are packed in samples.tar.zst: it is made
# in a copy where all of them are, and what the kept run has is put back. Its figures are small, and its page links to them.
# report.sh reads this file.

KEPT=''	# the folder of the kept run, while RUN is the copy
kept_remove() { rm -rf -- "$KEPT_COPY"; }

kept_open() {	# in the folder RUN
	need zstd zstd
	KEPT=$RUN
	work=$(mktemp -d 2>/dev/null) || die 1 "cannot make a folder in ${TMPDIR:-/tmp}"
	KEPT_COPY=$work
	trap kept_remove EXIT
	trap 'exit 130' INT TERM
	RUN=$KEPT_COPY/${KEPT##*/}	# the tables name the folder
	cp -r -- "$KEPT" "$RUN" 2>/dev/null && cd -- "$RUN" || die 1 "cannot copy $KEPT to ${TMPDIR:-/tmp}"
	[ ! -f samples.tar.zst ] || unpack samples.tar.zst . || die 1 "$KEPT/samples.tar.zst: $UNPACK_WHY"
}

# The figure FILE to a fifth of a pixel: with H and V for lines along the axes, without points that are not used, empty groups,
# defaults of SVG, and texts that only show where a page holds the drawing.
slim() {
	awk '
		function spot(number) { return sprintf("%.0f", 5 * number) / 5 }
		function step(word,   to, x, y, by) {
			by = substr(word, 1, 1)
			split(substr(word, 2), to, ",")
			x = spot(to[1]); y = spot(to[2])
			if (by == "M") word = "M" x "," y
			else if (x == at_x) word = y == at_y ? "" : "V" y
			else word = y == at_y ? "H" x : "L" x "," y
			at_x = x; at_y = y
			return word
		}
		function path(line,   out) {
			while (match(line, /[ML]-?[0-9.]+,-?[0-9.]+ */)) {
				out = out substr(line, 1, RSTART - 1) step(substr(line, RSTART, RLENGTH))
				line = substr(line, RSTART + RLENGTH)
			}
			return out line
		}
		function see(line) {	# the points that it uses, and those that these are made of
			while (match(line, /#gp[A-Za-z0-9]+/)) {
				point = substr(line, RSTART + 1, RLENGTH - 1)
				line = substr(line, RSTART + RLENGTH)
				if (!used[point]++) see(made[point])
			}
		}
		NR == FNR && match($0, / id=.gp[A-Za-z0-9]+/) { made[substr($0, RSTART + 5, RLENGTH - 5)] = $0; next }
		NR == FNR { see($0); next }
		match($0, / id=.gp[A-Za-z0-9]+/) && !used[substr($0, RSTART + 5, RLENGTH - 5)] { next }
		/<\/defs>/ { drawn = 1 }
		group != "" && $0 == "</g>" { group = ""; next }
		group != "" { print group; group = "" }
		drawn {
			gsub(/ stroke-linecap="butt"| stroke-linejoin="miter"| onmouse[a-z]*="[^"]*"|<title>[^<]*<\/title>/, "")
			gsub(/<tspan font-family="sans-serif" >/, "<tspan>")
		}
		/^<g fill="none"[^>]*>$/ { group = $0; next }
		drawn && (/ d=.M/ || /^\t*[ML]/) { $0 = path($0); sub(/^\t+/, "") }
		/[^ \t]/' "$1" "$1"
}

kept_put_back() {
	local file
	mkdir -p "$KEPT/figures" || die 1 "cannot write to $KEPT"
	for file in figures/*.svg; do
		[ ! -f "$file" ] || slim "$file" >"$KEPT/$file" || die 1 "cannot write to $KEPT"
	done
	for file in *.tsv findings.json report.md report.html; do
		[[ $file == *.tsv && ! -e $KEPT/$file ]] || cp -- "$file" "$KEPT/" || die 1 "cannot write to $KEPT"
	done
}
