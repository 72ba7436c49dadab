# SPDX-License-Identifier: GPL-3.0-or-later
# drawn.jq - the figures of series.jq as rows of tables, which plots/draw.gp draws: ends of axes, tics, legends, intervals that are
# cut, and where panels stand.
include "series";
include "figures";

# ---- the rows for draw.gp: `drawn` gives lines TABLE, fields ----
def kinds: "band", "box", "segment", "line", "steps", "impulse", "level", "bars", "stems", "spans", "arrow", "bound",
	"points",
	"hover", "label", "beside", "entry";
def has_kind($kind): (.draw | split(" ") | index([$kind]) != null)
	and (($kind | test("bars|stems|spans") | not) or any(.rows[]; .low != null));

# Ends of an axis: those that are given, else what the curves reach, on to the next tic. On an axis from 0 an interval of more than
# twice and a half the values is cut.
def nice: . as $v | pow(10; log10 | floor) as $p | first((0.2, 0.5, 1) as $s | select($v / $p <= 10 * $s) | $s * $p);
def ends($axis; $interval; values): [.curves[].rows[] | values | select(. != null)] as $v
	| [.curves[] | select(.draw | test($interval)) | .rows[] | .low, .high | select(. != null)] as $i
	| if $axis.words then {from: 0.4, to: ($axis.words | length + 0.6)}
	  elif $axis.log then [$v[], $i[] | select(. > 0)] | if . == [] then [1, 10] else . end
		| {from: (min / 1.3), to: (max * 1.3)}
	  else ($v + $i + if $axis.from then [$axis.from] else [] end) as $all
		| ($v | max // 1) as $top | (if $axis.from == 0 and $top > 0 and ($all | max) > 2.5 * $top then 2.5 * $top else $all
			| max // 1 end) as $to
		| ($all | min // 0) as $from | (if $to > $from then $to - $from | nice else 1 end) as $step
		| {from: (if $from > -0.03 * $to and $from <= 0.1 * $to then -0.02 * $to else $from / $step + 1e-9
			| floor * $step end), to: ($to / $step - 1e-9 | ceil * $step)}
		| if .to == .from then .to += 1 else . end end
	| . + ($axis | with_entries(select(.value != null)));
# The part $p of the way from one end of an axis to the other.
def along($axis; $p): if $axis.log then ($axis.from | log) * (1 - $p) + ($axis.to | log) * $p | exp
	else $axis.from * (1 - $p) + $axis.to * $p end;
# Intervals that go on beyond the axis end at its edge, with an arrow.
def cut($y): if .draw | test("bars|stems") | not then . else
	[.rows[] | select(.high != null and .high > $y.to) | {x, y: along($y; 0.94), x2: .x, y2: $y.to}] as $over
	| [.rows[] | select(.low != null and $y.log and .low < $y.from) | {x, y: along($y; 0.06), x2: .x, y2: $y.from}] as $under
	| (.rows[] |= (if .high != null and .high > $y.to then .high = $y.to else . end
		| if .low != null and $y.log and .low < $y.from then .low = $y.from else . end)),
	  {draw: "arrow", colour, rows: ($over + $under)} end;

def tic_words($unit): if $unit == "ms" and . >= 1000 then "\(. / 1000 | plain) s"
	elif . >= 0.001 and . < 100000 then (if . < 0.01 then fixed(3) else plain end)
	else (log10 + 1e-9 | floor) as $power | (. / pow(10; $power) | round) as $times
		| (if $times == 1 then "" else "\($times)·" end) + "10" + ($power | tostring
		| explode | map({"45": 8315, "49": 185, "50": 178, "51": 179}[tostring] // . + 8256) | implode) end;
# Tics of an axis; of a logarithmic one as many as fit.
def tics($axis; fits): if $axis.words then [$axis.words | to_entries[] | {at: (.key + 1), text: .value}]
	elif $axis.tics then [$axis.tics[] | if type == "object" then . else {at: ., text: plain} end]
	elif $axis.log then ([$axis.from, $axis.to] | sort) as [$from, $to]
		| def steps($steps): [range($from | log10 | floor; ($to | log10 | ceil) + 1) as $d | $steps[] * pow(10; $d)
			| select(. >= $from * 0.999 and . <= $to * 1.001) | {at: ., text: tic_words($axis.unit)}];
		  first((steps([1, 2, 5]), steps([1, 3]), steps([1])) | select(fits)) // [steps([1])[]
			| select(.at | log10 | round % 2 == 0)]
	else [] end;
def beside($pixels): (map(.text | split("|") | map(length) | max * 7.2 + 14) | add // 0) <= $pixels;
# The same of a logarithmic axis, on which they are not equally far apart.
def beside($axis; $pixels): [.[] | ((.at / $axis.from | log) / ($axis.to / $axis.from | log) * $pixels) as $x
	| (.text | length * 3.6 + 3) as $half | [$x - $half, $x + $half]]
	| sort | all([.[:-1], .[1:]] | transpose[]; .[0][1] <= .[1][0]);
def longest: map(.text | split("|")[] | length) | max // 0;

def wrapped($most): reduce splits(" ") as $word (["", ""]; if .[1] != "" and (.[1] + $word | length) >= $most
		then [.[0] + .[1] + "|", $word] else .[1] |= if . == "" then $word else . + " " + $word end end) | add;

# Entries of a legend: each title once; in grey where curves of several colours have it.
def entries: reduce .[] as $c ([]; map(.title) as $known | ($known | index([$c.title])) as $at
	| if $at == null then . + [$c] elif .[$at].colour != $c.colour then .[$at].colour = line_colour else . end);
# For phones a long title goes on in the line below.
def in_lines: (.title | wrapped(44) | split("|")) as $lines | .title = $lines[0], ($lines[1:][] | {draw: "", title: .});
def entry_curves($columns; $wide; $high): to_entries
	| def left: 14 + (.key % $columns) * $wide;
	  def middle: $high - 12 - 22 * (.key / $columns | floor);
	  (.[] | left as $x | middle as $y | .value
		| (select(.draw | test("band|box")) | {draw: "box", colour,
			rows: [{x: $x, y: ($y - 6), x2: ($x + 28), y2: ($y + 6)}]}),
		  (select(.draw | test("line|segment|steps|impulse|level|arrow"))
			| {draw: "segment", colour, dash, width, rows: [{x: $x, y: $y, x2: ($x + 28), y2: $y}]}),
		  (select(.draw | test("points|hover")) | select(.shape != 0)
			| {draw: "points", colour, shape, rows: [{x: ($x + 14), y: $y}]}),
		  (select(.draw | test("bound")) | {draw: "bound", colour, rows: [{x: ($x + 14), y: ($y - 10)}]})),
	  {draw: "entry", rows: map({x: (left + 36), y: middle, text: .value.title})};

def numbered($from): [to_entries[] | .value + {id: (.key + $from)}];
# A curve as rows: of its looks, and of its places.
def curve_rows($figure): ["curves", $figure, .id, .colour // line_colour, .shape // 7, .dash // 1, .width // 1, .size // 0.75,
	.at // 1],
	("curve-\($figure)-\(.id)" as $table | .rows[] | [$table, .x, .y, .low, .high, .x2, .y2, .text // " "]);
# A panel as rows: of itself, its tics and marks. Input: a panel with `place`, its place on the page.
def panel_rows($layout; $figure; $number):
	def axis: .from, .to, (if .log then 1 else 0 end), .step, (if .hidden then "hidden" elif .turned then "turned"
		elif .at != [] then "list" elif .words or .tics then "none" else "auto" end);
	[$layout, $figure, $number] as $key
	| ["panels"] + $key + [.title // "", .x.label // "", .y.label // "", .grid // "y", .frame] + .place + [(.x, .y) | axis]
		+ [.label_at] + [. as $panel | kinds as $kind | [$panel.curves[] | select(has_kind($kind)) | .id | tostring] | join(" ")] + ["."],
	  (("x", "y") as $axis | .[$axis] | .turned as $turned | .at[]
		| ["tics"] + $key + [$axis, (.text | gsub("%"; "%%") | if $turned then gsub("\\|"; " ") else . end), .at]),
	  (.marks[]? | ["marks"] + $key + [.x, .y, .to, .text // "", .colour // line_colour, .dash // 1]);
# A figure as rows, on a page of this layout: its panels, and below them its legend as one more.
def figure_rows($layout; $figure): (if $layout == "wide" then {width: 760, left: 80, right: 24, letters: 92}
		else {width: 380, left: 72, right: 22, letters: 46} end) as $page
	| .panels[0] as $first | (.panels | length) as $n | .stacked as $stacked
	| ([$n, .across // 3, if $layout == "wide" then 9 else 1 end] | min) as $across | ($n / $across | ceil) as $down
	| ([.legend[]?, .panels[].curves[]] | map(select(.title // "" != "")) | entries
		| if $layout == "narrow" then map(in_lines) else . end) as $entries
	| ($entries | map(.title | length) | max // 0 | . * 7 + 58) as $entry
		| ([$page.width / $entry | floor, 1] | max) as $columns
	| ($entries | length / $columns | ceil * 22 + (if . > 0 then 14 else 0 end)) as $strip
	| (.title | wrapped($page.letters)) as $title | (26 + 18 * ($title | split("|") | length)) as $head
	| ([.panels[] | if .y.words or .y.tics then (.y | tics(.; true) | longest * 7.2) + (if .y.label then 52 else 18 end)
		else $page.left end]
		| max) as $left
	| (if $first.y.words then 20 else 53 end) as $gap
		| (($page.width - $left - $page.right - $gap * ($across - 1)) / $across) as $wide
	| ([.high // (if $first.y.words then [100 + 26 * ($first.y.words | length), 190] | max elif $n == 1 then 400 else 300 end),
		if $layout == "narrow" and $first.y.words == null then 320 else infinite end] | min) as $high
	# words that do not fit beside each other are turned
	| any(.panels[].x; .words and (tics(.; true) | beside($wide) | not)) as $turned
	| (if $stacked then 24 elif $turned then 50 + 4.8 * ([.panels[].x | tics(.; true) | longest] | max) else 66 end) as $foot
		| ($head + $down * $high + if $stacked then 52 else 0 end) as $below
	| def place($left; $right; $top; $bottom): [$left / $page.width, $right / $page.width, 1 - $top / ($below + $strip),
		1 - $bottom / ($below + $strip)];
	  ["figures", $layout, $figure, .name, $page.width, $below + $strip, $title, $n + (if $strip > 0 then 1 else 0 end)],
	  (.panels as $all | $all[] | .number as $i | (($i - 1) % $across) as $column | (($i - 1) / $across | floor) as $row
		| ($left + $column * ($wide + $gap)) as $x | ($head + $row * $high) as $y | $all[$i - 1 + $across] as $next
		| if $layout == "narrow" and (.x.label // "" | length) > 46 then .x.label |= sub(":.*"; "") else . end
		| .place = place($x; $x + $wide; $y + (if any(.marks[]?; .text) then 42 else 24 end); $y + $high - $foot)
			| .label_at = (if $column == 0 then 10 else $x - 50 end) / $page.width	# left of any tics
			| .frame = (if .y.words then 1 else 3 end)
		| .x as $axis | .x.at = tics($axis; beside($axis; $wide)) | .y.at = tics(.y; length * 20 <= $high - 24 - $foot)
		| .x.turned = $turned
		| if $next and $next.x.label == .x.label then .x.label = "" else . end
		| if $stacked and $next then .x.hidden = true else . end
		| if $column > 0 and $all[$i - 2].y.label == .y.label then .y.label = "" else . end
		| if $column > 0 and .y.words then .y.at = [] else . end
		| panel_rows($layout; $figure; $i)),
	  (select($strip > 0) | ([.panels[].curves[].id] | max) as $last | [$entries | entry_curves($columns; $entry; $strip)]
		| numbered($last + 1 + if $layout == "wide" then 0 else 1 + 3 * ($entries | length) end) as $curves
		| ({$curves, grid: "", frame: 0, place: place(0; $page.width; $below; $below + $strip),
			x: {from: 0, to: $page.width, at: [], tics: []},
			y: {from: 0, to: $strip, at: [], tics: []}} | panel_rows($layout; $figure; $n + 1)),
				($curves[] | curve_rows($figure)));
# What papers report of the figure, in grey: $marks are rows of data/marks.tsv. An axis with given ends reaches as far.
def reach($values): if .log and .from and $values != [] then .from = ([.from, 0.8 * ($values | min)] | min) else . end
	| if .to and $values != [] then .to = ([.to, 1.05 * ($values | max)] | max) else . end;
def with_papers($marks): (.title // "") as $title | .x.words as $words
	| [$marks[] | select(.panel == null or .panel == $title) | .y |= tonumber
		| .x |= if . == null then null elif $words then place_of(.; $words) else tonumber end] as $all
	| .curves += [$all | group_by(.title) | to_entries[] | .key as $i | .value | {colour: mark_colour, title: .[0].title}
		+ if .[0].x == null then {draw: "level", dash: [5, 3, 4][$i % 3], at: .[0].y, rows: [{}]}
			else {draw: "line points", dash: 3, shape: [2, 1, 6][$i % 3], rows: map({x, y})} end]
	| .y |= reach([$all[].y]) | if $words then . else .x |= reach([$all[].x | values]) end;
# Panels without curves, curves without rows, and levels beyond the axis are not drawn, and no legend names them.
def with_curves: .curves |= map(select(.rows != [])) | .x |= (. // {}) | .y |= (. // {})
	| ends(.x; "spans"; .x, .x2) as $x | ends(.y; "bars|stems|band"; .y, .y2) as $y
	| .x = $x | .y = $y | .curves |= [.[] | cut($y) | select(.rows != [] and (.at == null or (.at - $y.from) * (.at - $y.to) <= 0))];
# Each table begins with its heading and a row of no figure: gnuplot ends on a table without rows, and reads an empty last column
# wrongly.
def headings: {figures: ["layout", "figure", "name", "width", "height", "title", "panels"],
	panels: ["layout", "figure", "panel", "title", "x_label", "y_label", "grid", "frame", "left", "right", "top", "bottom",
		(("x", "y") | "\(.)_from", "\(.)_to", "\(.)_log", "\(.)_step", "\(.)_tics"), "label_at", kinds, "end"],
	tics: ["layout", "figure", "panel", "axis", "text", "at"],
	marks: ["layout", "figure", "panel", "x", "y", "to", "text", "colour", "dash"],
	curves: ["figure", "curve", "colour", "shape", "dash", "width", "size", "at"]} | to_entries[]
	| [.key] + .value, [.key] + (.value | map(if . == "curve" then 1 else 0 end));
def drawn: headings, (1, 2 | ["curve-0-1", ., 1, 1, 2, 1, 1, "-"]),
	(. as $doc | [figures | .name as $name | (.marked != false) as $marked
		| .panels |= map(with_papers([$doc.papers[]? | select(.figure == $name and $marked)]) | with_curves) | select(.panels != [])]
		| to_entries[] | (.key + 1) as $figure | .value
		| .panels |= (reduce .[] as $p ({n: 1, all: []}; .n as $n | .all += [$p | .curves |= numbered($n)]
			| .n += ($p.curves | length))
			| [.all | to_entries[] | .value + {number: (.key + 1)}])
		| (.panels[].curves[] | curve_rows($figure)), figure_rows(("wide", "narrow"); $figure))
	| @tsv;
