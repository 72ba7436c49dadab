# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# kept.sh - kept runs (thinprobe gallery): run.json, report.md, some figures, and samples.tar.zst with what cannot be made again.
# All else is made of that, in a copy where the samples are unpacked; figures of a kept run are small, and its page links to them.
# report.sh and gallery.sh read this file.

# kept_unpack KEPT FOLDER: FOLDER becomes the run with its samples, and tables that lie beside them. 1: UNPACK_WHY.
kept_unpack() {
	local file
	[ ! -f "$1/samples.tar.zst" ] || need zstd zstd
	UNPACK_WHY='a copy of the run cannot be made; is the disk full?'
	{ mkdir -p -- "$2" && cp -- "$1/run.json" "$2/"; } 2>/dev/null || return
	[ ! -f "$1/samples.tar.zst" ] || unpack "$1/samples.tar.zst" "$2" || return
	UNPACK_WHY='a copy of the run cannot be made; is the disk full?'
	for file in "$1"/*.tsv; do
		[ ! -f "$file" ] || [ -e "$2/${file##*/}" ] || cp -- "$file" "$2/" 2>/dev/null || return
	done
}

# kept_unfold KEPT FOLDER: the same, with all tables: where samples were left out they are packed, else they are made.
kept_unfold() {
	kept_unpack "$1" "$2" || return
	[ "$(jq '.kept.left_out_bytes // 0' "$2/run.json")" = 0 ] && [ -d "$2/cells" ] || return 0
	UNPACK_WHY=$("$TP_BIN/summarize" --format json -o "$2/summary.json" "$2" 2>&1 >/dev/null) || [ $? = 3 ] ||
		{ UNPACK_WHY="no tables can be made of it: ${UNPACK_WHY%%$'\n'*}"; return 1; }
}

KEPT=''	# the folder of the kept run, while RUN is the copy

kept_open() {	# in the folder RUN
	KEPT=$RUN
	work_folder
	KEPT_COPY=$work
	trap 'rm -rf -- "$KEPT_COPY"' EXIT	# (report.sh sets `work` anew)
	RUN=$KEPT_COPY/${KEPT##*/}	# the tables name the folder
	kept_unfold "$KEPT" "$RUN" && cd -- "$RUN" || die 1 "$KEPT/samples.tar.zst: $UNPACK_WHY"
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
	for file in "$KEPT"/figures/*.svg; do [ -f "figures/${file##*/}" ] || rm -f -- "$file"; done	# not drawn any more
	cp -- *.tsv findings.json report.md report.html "$KEPT/" || die 1 "cannot write to $KEPT"
}
