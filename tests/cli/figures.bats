#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# The rules of drawing: rows that report/drawn.jq makes of a figure, and what plots/draw.gp draws of them.

bats_require_minimum_version 1.5.0

setup() {
	TOP=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	cd "$BATS_TEST_TMPDIR" || return 1
	command -v jq >/dev/null || skip "jq is not installed"
}

# rows PANELS [MORE [DOCUMENT]]: of a figure of these panels, in jq
rows() {
	jq -r -n "$(cat "$TOP"/report/{words,series}.jq)
		def figures: {name: \"made\", title: \"Made\", panels: [$1]} + {${2-}};
		$(grep -v '^include' "$TOP/report/drawn.jq") ${3-null} | drawn" >rows
}
of() { awk -F'\t' -v table="$1" '$1 == table' rows; }	# of TABLE
draw_rows() {	# figures/made.svg, and for phones figures/narrow/made.svg
	command -v gnuplot >/dev/null || skip "gnuplot is not installed"
	mkdir -p figures/narrow
	. "$TOP/report/foreign.sh"
	. "$TOP/report/draw.sh"
	tables_in tables <rows
	for layout in wide narrow; do (cd tables && gnuplot -e "layout='$layout'" "$TOP/plots/draw.gp"); done
}

@test "an interval that goes on beyond the axis ends at its edge, with an arrow; others have none" {
	rows '{y: {from: 0, to: 10}, curves: [{draw: "bars", rows: [{x: 1, y: 5, low: 4, high: 30}, {x: 2, y: 5, low: 4, high: 6}]}]}'
	[ "$(of curve-1-1 | cut -f 2-5)" = $'1\t5\t4\t10\n2\t5\t4\t6' ]
	[ "$(of curve-1-2 | awk '{ printf "%g %g %g %g", $2, $3, $4, $5 }')" = "1 9.4 1 10" ]
}

@test "an axis from 0 is for the values: it cuts an interval of over two and a half times as much, and no shorter one" {
	rows '{y: {from: 0}, curves: [{draw: "bars", rows: [{x: 1, y: 4, low: 3, high: 100}]}]}'
	[ "$(of panels | awk -F'\t' '$2 == "wide" && $4 == 1 { print $20 }')" = 10 ]
	rows '{y: {from: 0}, curves: [{draw: "bars", rows: [{x: 1, y: 4, low: 3, high: 9}]}]}'
	[ "$(of panels | awk -F'\t' '$2 == "wide" && $4 == 1 { print $20 }')" = 9 ]
}

@test "what a paper reports is drawn in grey in its panels alone, and an axis with given ends reaches as far" {
	rows '("a", "b") | {title: ., x: {words: ["l", "m"]}, y: {log: true, from: 0.1, to: 1}, curves: [
		{draw: "line", rows: [{x: 1, y: 0.5}]}]}' '' '{papers: [{figure: "made", panel: "a", title: "then", x: "m", y: "20"},
		{figure: "made", panel: "a", title: "limit", x: null, y: "0.01"}, {figure: "other", title: "unseen", y: "5"}]}'
	[ "$(of panels | awk -F'\t' '$2 == "wide" && $4 < 3 { print $5, $19, $20 }' | paste -sd ' ')" = "a 0.008 21 b 0.1 1" ]
	[ "$(of curve-1-3 | cut -f 2,3)" = $'2\t20' ]
	[ "$(of curves | awk -F'\t' '$4 == "#999999" { print $3, $9 }' | head -n 2 | paste -sd ' ')" = "2 0.01 3 1" ]
	run -1 grep -q unseen rows
}

@test "a legend names each curve that is drawn once, and none without rows" {
	rows '{curves: [{draw: "line", title: "a", rows: [{x: 1, y: 1}]}, {draw: "line", title: "b", rows: []}]},
		{curves: [{draw: "line", title: "a", rows: [{x: 1, y: 1}]}]}'
	[ "$(awk -F'\t' '$8 == "a"' rows | wc -l)" = 2 ]	# wide and narrow
	run -1 awk -F'\t' '$8 == "b" { found = 1 } END { exit !found }' rows
}

@test "tics of a logarithmic axis are as many as fit, in ms up to a second" {
	rows '{x: {log: true, unit: "ms", from: 1, to: 2000}, curves: [{draw: "line", rows: [{x: 1, y: 1}]}]}'
	[ "$(of tics | awk -F'\t' '$2 == "wide" && $5 == "x" { print $6 }' | paste -sd ' ')" = \
		"1 2 5 10 20 50 100 200 500 1 s 2 s" ]
	[ "$(of tics | awk -F'\t' '$2 == "narrow" && $5 == "x" { print $6 }' | paste -sd ' ')" = "1 3 10 30 100 300 1 s" ]
}

@test "a tic of a logarithmic axis beyond plain numbers is a power of ten, or so many of it" {
	rows '{x: {log: true, from: 1e-5, to: 2e-3}, curves: [{draw: "line", rows: [{x: 1, y: 1}]}]}'
	[ "$(of tics | awk -F'\t' '$2 == "wide" && $5 == "x" { print $6 }' | paste -sd ' ')" = \
		"10⁻⁵ 2·10⁻⁵ 5·10⁻⁵ 10⁻⁴ 2·10⁻⁴ 5·10⁻⁴ 0.001 0.002" ]
	rows '{x: {log: true, from: 1e4, to: 3e6}, curves: [{draw: "line", rows: [{x: 1, y: 1}]}]}'
	of tics | grep -qP '\t3·10⁶\t|\t2·10⁶\t'
}

@test "tics of a logarithmic axis do not touch" {
	rows '{x: {log: true, unit: "ms", from: 1, to: 250000}, curves: [{draw: "line", rows: [{x: 1, y: 1}]}]}'
	[ "$(of tics | awk -F'\t' '$2 == "wide" && $5 == "x" { print $6 }' | paste -sd ' ')" = \
		"1 3 10 30 100 300 1 s 3 s 10 s 30 s 100 s" ]
}

@test "an axis has its label in both drawings, whole, and however long its tics are" {
	rows '{y: {label: "of y", to: 12000}, curves: [{draw: "line", rows: [{x: 1, y: 1}, {x: 2, y: 12000}]}]},
		{y: {label: "of y", log: true, from: 0.001, to: 10}, curves: [{draw: "line", rows: [{x: 1, y: 1}]}]}' 'across: 1'
	draw_rows
	for file in figures/made.svg figures/narrow/made.svg; do
		[ "$(grep -c '>of y<' $file)" = 2 ]
		# letters are up to 10 pixels high over their line
		grep -B 1 '>of y<' $file | awk -F'[(,]' '/translate/ { n++; if ($2 < 10) bad++ } END { exit n != 2 || bad }'
	done
}

@test "marks that differ in their dashes alone are drawn with both" {
	rows '{marks: [{x: 1, dash: 2}, {x: 2, dash: 3}], x: {from: 0, to: 3}, curves: [{draw: "points", rows: [{x: 1, y: 1}]}]}'
	draw_rows
	[ "$(grep -o "stroke-dasharray='[^']*'" figures/made.svg | sort -u | wc -l)" = 2 ]
}

@test "panels stand side by side on a page and one below the other on a phone" {
	rows '{curves: []}, {curves: []}, {curves: []}, {curves: []}' 'across: 2'
	tops() { of panels | awk -F'\t' -v layout="$1" '$2 == layout { print $12 }' | sort -u | wc -l; }
	[ "$(tops wide)" = 2 ]
	[ "$(tops narrow)" = 4 ]
}

@test "a figure is drawn whatever its text says, and nothing of it is executed" {
	rows '{title: "`touch ran` $(touch ran) {/Bold x}_2", x: {words: ["\"; system(\"touch ran\") #", "50 % of"]},
		curves: [{draw: "line bars hover", title: "a|b \\n", rows: [{x: 1, y: 1, low: 0, high: 2, text: "'"'"'"}, {x: 2, y: 3}]}]}'
	draw_rows
	grep -q '</svg>' figures/made.svg
	grep -q '</svg>' figures/narrow/made.svg
	[ -z "$(find . -name ran)" ]
}

@test "a first figure without a curve is drawn" {
	rows '{curves: []}'
	draw_rows
	grep -q '</svg>' figures/made.svg
	grep -q '</svg>' figures/narrow/made.svg
}
