# SPDX-License-Identifier: GPL-3.0-or-later
# series.jq - figures as data: the words in which experiments/STEM/figures.jq describes figures, with their colours and shapes.
# drawn.jq makes rows of tables of them, which plots/draw.gp draws.
#
# figures.jq defines `figures` (input: the document of report.sh), a stream of
#   figure  {name, title, panels; across: panels side by side (3); high: pixels of a panel; stacked: one x axis below all of them;
#            legend: curves that it names before those that are drawn}
#   panel   {title, x, y: axes; curves, marks; grid: axes with lines at their tics ("y"); frame: false for none}
#   axis    {label; from, to: ends, by the data where there is none; log, unit: of a logarithmic axis, "ms"; words: names from 1 on;
#            tics: numbers or [{at, text}]; step: between tics}
#   mark    {x or y; to: a strip up to there; text above it; colour, dash (0: no line)}
#   curve   {title: in the legend; draw: words of `kinds`; colour, shape, dash, width, size;
#            rows: [{x, y, low, high, x2, y2, text}]}

# ---- looks: colours that every kind of colour vision tells apart (Okabe & Ito), and for loads a scale from light to dark ----
def light_colour: "#0072B2";
def heavy_colour: "#D55E00";
def line_colour: "#555555";
def mark_colour: "#999999";
def pale_colour: "#dddddd";
def colour($i): [light_colour, heavy_colour, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8c564b"][$i % 8];
def shape($i): [7, 5, 9, 13, 11, 6, 4, 8, 12, 10][$i % 10];
def look($i): {colour: colour($i), shape: shape($i)};	# of the curve number i, from 0 on
def load_look($i; $n): {colour: ["#a8c957", "#5ab56f", "#2a9b82", "#2a7f8e", "#33608d", "#443a83", "#440154"]
	[if $n > 1 then 6 * $i / ($n - 1) + 0.5 | floor else 6 end], dash: (if $n > 7 and $i % 2 == 1 then 4 else 1 end)};
def dashed: {colour: line_colour, dash: 2};
def dotted: {colour: mark_colour, dash: 3};
def bare: split("/")[0];	# of several runs in one report: a value without the name of its run, and that name
def of_run: split("/")[1] | if . == null then "" else ", \(.)" end;

# ---- curves ----
def digits($n): if . == null then "?" elif . == 0 then "0" else (fabs | log10 | floor) as $e | fixed([0, $n - 1 - $e] | max)
	| if contains(".") then sub("\\.?0+$"; "") else . end end;
def short: digits(4);	# as the pointer shows a number
# The figure of a row in a column, as a place of a curve called so.
def place(x; $c; $name): {x: x, y: .[$c], low: .["\($c)_low"], high: .["\($c)_high"], from: .["\($c)_from"], to: .["\($c)_to"],
		both: (.["\($c)_both"] // "" | split(" ") | map(tonumber)), above: (.["\($c)_above"] == 1)}
	| select(.x != null and (.y != null or .from != null))
	| .text = "\($name): " + if .y == null then "\(.from | short) to \(.to | short)" else (.y | short)
		+ if .low != null then " (\(.low | short) to \(.high | short))"
			elif .both != [] then " (two repeats: \(.both | map(short) | join(" ")))" else "" end end;
# A column of rows over x: points in the order of x, their intervals, both values of two repeats as circles, what is only known as a
# range as a thick bar, and an arrow where the value is a lower bound.
def curve($rows; x; $c; $look): ([$rows[] | place(x; $c; $look | .name // .title // $c)] | sort_by(.x)) as $all
	| {draw: "line bars hover"} + $look + {rows: [$all[] | select(.y != null)]},
	  ({draw: "points", colour: $look.colour, shape: 6, size: 0.5, rows: [$all[] | .x as $x | .both[] | {x: $x, y: .}]}),
	  ({draw: "segment hover", colour: $look.colour, shape: 0, width: 4,
		title: "thick bar: the figure is only known as a range",
		rows: [$all[] | select(.y == null) | {x, y: .from, x2: .x, y2: .to, text}]}),
	  ({draw: "bound", colour: $look.colour, title: "later than that", rows: [$all[] | select(.above and .y != null)]});
def curves_of(x; $c): .rows as $rows | del(.rows) as $look | curve($rows; x; $c;
	$look);	# input: its look, with rows of the table
def dots($rows; x; $c; $look): curve($rows; x; $c; {draw: "bars hover"} + $look);
# Bars that stand on 0, with their intervals in front.
def bars($rows; x; $c; $wide; $look): [$rows[] | place(x; $c; $look | .name // .title // $c)] as $all
	| {draw: "box"} + $look + {rows: [$all[] | {x: (.x - $wide / 2), x2: (.x + $wide / 2), y: 0, y2: .y}]},
	  {draw: "stems hover", colour: "#222222", shape: 0, rows: $all};	# (an error bar has a gap around its value)
# Boxes of one row each that follow each other closer than $gap are one.
def touching($gap): [foreach (.[], null) as $b ({}; if .box and $b and .box.y == $b.y and $b.x - .box.x2 < $gap
	then .box.x2 = ([.box.x2, $b.x2] | max) | .out = null else .out = .box | .box = $b end; .out | values)];
def level($y; $look): dashed + $look + {draw: "level", at: $y, rows: [{}]};
def threshold_line: level(threshold; dotted + {title: "\(threshold | plain) ms"});
def place_of($word; $list): $list | index([$word]) | if . == null then null else . + 1 end;	# on an axis of words
def row_of($word; $list): place_of($word; $list) | if . == null then null else ($list | length) + 1 - . end;	# from the top
def rows_axis($list): {words: ($list | reverse)};
def stripes($list): [range(2; $list | length + 1; 2) | {y: (. - 0.5), to: (. + 0.5),
	colour: "#f5f5f5"}];	# behind every second row
def figures: empty;	# of an experiment without figures.jq
