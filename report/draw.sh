# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# draw.sh - the drawings of a report: what drawn.jq says becomes tables, and these figures/NAME.svg, and for phones
# figures/narrow/NAME.svg. report.sh and ab.sh read this file.

# Of cdf.tsv, in which the rows of a curve stand together, the ends of each curve and a few hundred points between them.
thinned() {
	awk -F'\t' '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
		{
			share = $at["share"]
			curve = ""
			for (i = 1; i <= NF; i++) if (i != at["share"] && i != at["latency_ms"]) curve = curve FS $i
		}
		curve != last_curve || share - last >= 0.004 || share < 0.01 || share > 0.99 { print; last = share }
		{ last_curve = curve }'
}

# Lines TABLE, fields on standard input become the files TABLE of the folder. To gnuplot, text of a table is only text; all the same
# it is made drawable, with nothing that begins or ends anything in a script or an SVG.
tables_in() {	# tables_in FOLDER
	mkdir -p "$1" && sed "s/'/’/g" | drawable | folder=$1 awk -F'\t' '
		BEGIN { folder = ENVIRON["folder"] }	# (in -v, \ is an escape)
		{
			name = $1
			sub(/^[^\t]*\t/, "")
			file = folder "/" name
			if (file != now) { if (now != "") close(now); now = file }
			if (name ~ /^curve-/ && !(name in known)) print "x\ty\tlow\thigh\tx2\ty2\ttext" >file
			known[name]
			print >>file
		}'
}

# A narrow drawing, cut off below its last words, and as wide as its longest line (letters are 13 pixels high, 7.5 wide).
fitted() {	# fitted FILE
	awk '
		BEGIN { right = 380 }
		NR == FNR && /<g transform="translate\(/ {
			match($0, /<g transform="translate\(/); split(substr($0, RSTART), at, /[(,)]/)
			turned = /rotate/; anchor = /"middle"/ ? 0.5 : /"end"/ ? 1 : 0
			if (at[3] > low) low = at[3]
			if (turned && at[2] - 13 < left) left = at[2] - 13
		}
		NR == FNR && /<text>/ && !turned {
			gsub(/<[^>]*>|^[[:space:]]+/, ""); gsub(/&[a-z]+;/, "x")
			wide = 7.5 * length
			if (at[2] - anchor * wide < left) left = at[2] - anchor * wide
			if (at[2] + (1 - anchor) * wide > right) right = at[2] + (1 - anchor) * wide
		}
		NR != FNR {
			if (FNR < 9) sub(/viewBox="0 0 380 [0-9]+"/, sprintf("viewBox=\"%d 0 %d %d\"", left, right - left, low + 14))
			print
		}' "$1" "$1"
}

# draw [SCRIPT]: draws the figures of the tables on standard input, and those of a script of an experiment's own, which finds the
# tables of the run as NAME.tsv. New figures replace the old ones when all are drawn; the old ones stay if gnuplot fails.
draw() {
	mkdir -p "$work/figures/narrow" figures/narrow || exit 1
	local families=${families-} layout drawing=() failed='' figure table
	tables_in "$work/tables" 2>/dev/null || die 1 "cannot write to $PWD"
	[ $# = 0 ] || for table in *.tsv; do
		drawable <"$table" >"$work/tables/$table" 2>/dev/null || die 1 "cannot write to $PWD"
	done
	for layout in wide narrow; do
		(cd "$work/tables" && exec gnuplot -e "layout='$layout'; families='${families//\'/\'\'}'" \
			"$TP_HOME/plots/draw.gp" "$@") >"$work/$layout.log" 2>&1 &
		drawing[${#layout}]=$!
	done
	# what one says if it fails: its last words, or where all of them are warnings the last one
	for layout in wide narrow; do
		wait "${drawing[${#layout}]}" || failed="$({ grep -i warning "$work/$layout.log"; grep -v -i warning "$work/$layout.log"; } |
			grep '[^[:space:]]' | tail -n 1 | grep . || echo "gnuplot ended without a word")"
	done
	[ -z "$failed" ] || die 1 "gnuplot failed: $failed"
	for figure in "$work"/figures/narrow/*.svg; do
		[ -f "$figure" ] || continue
		fitted "$figure" >"$work/drawn" 2>/dev/null && mv "$work/drawn" "$figure" || die 1 "cannot write to $PWD/figures"
	done
	rm -f figures/*.svg figures/narrow/*.svg	# the page shows all figures there: none of an earlier report
	for figure in "$work"/figures/narrow/*.svg "$work"/figures/*.svg; do
		[ ! -f "$figure" ] || mv "$figure" "figures${figure#"$work/figures"}" || die 1 "cannot write to $PWD/figures"
	done
}
