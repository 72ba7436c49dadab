# SPDX-License-Identifier: GPL-3.0-or-later
# gallery.jq - the page of the gallery. Input: lines {plan: [name, minutes, command]}, {fact: a row of data/papers.tsv} and
# {kept: {name, folder, run, verdict, figures, tables}}; $papers is docs/papers.md, $docs the folder of the documents.
include "words";
def trimmed: gsub("^\\s+|\\s+$"; "") | gsub("\\s+"; " ");
def safe: gsub("\\|"; "\\|");
def slug: ascii_downcase | gsub("[^a-z0-9 _-]"; "") | gsub(" "; "-");
def doc($name): if $docs == "." then $name else "\($docs)/\($name)" end;
def minutes_words: if . < 60 then "\(. | fixed(0)) min" else "\(. / 60 | floor) h \(. % 60) min" end;

# ---- docs/papers.md: [{title, about, figures: [{name, title, command, picture}]}] ----
def bullet($name): [split("\n- ")[1:][] | select(startswith($name + ":")) | .[$name | length + 1:]] | first // "";
def figures_of: split("\n### ")[1:] | map((split("\n")[0] | capture("^(?<name>[^:]*): (?<title>.*)$")) + {
	command: bullet("Command") | trimmed, picture: (bullet("File and column") | capture("`figures/(?<p>[a-z-]+)\\.svg`").p // null)});
def papers_of: split("\n## ")[1:] | map({title: split("\n")[0], about: (split("\n\n")[1] | trimmed), figures: figures_of});
# The paper of a fact, "Wong & Seltzer 2000", by the first author and the year in the words about it.
def is_of($about): (split(" ")[0] | gsub("[^A-Za-z]"; "")) as $name | .[-4:] as $year
	| $about | test("\\b\($name)\\b") and contains($year);

# Whether a fact is about the figure (input) of the paper. One of several figures of a name is called "NAME: WORDS".
def of_figure($fact; $paper): ($fact.paper | is_of($paper.about)) and (.name == $fact.figure
	or (($fact.figure | contains(":")) and ("\(.name): \(.title)" | startswith($fact.figure))));

# ---- numbers of ours: rows of a kept run's table that meet "column=value ...", in a text with {column} ----
def table_rows($name): .tables[$name] // [] | .[0] as $head
	| .[1:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries);
def typed: with_entries(.value as $v | .value = if $v == null or $v == "" then null else ($v | tonumber? // $v) end);
def meeting($where): reduce ($where / " " | .[] | select(. != "") | capture("^(?<c>[^=]*)=(?<v>.*)$")) as $w (.;
	if $w.v == "max" then (map(.[$w.c] | tonumber? // empty) | max) as $most | map(select((.[$w.c] | tonumber?) == $most))
	else ($w.v | tonumber? // $w.v) as $v | map(select(.[$w.c] == $w.v or (.[$w.c] | tonumber?) == $v)) end);
def value_words($row; $kinds): . as $name | if $row | has($name) | not then "no column \($name)" else
	($kinds[$name].unit // "" | if . == "-" then "" elif . == "1/s" then "/s" else . end) as $unit
	| if $kinds[$name].type == "text" then $row[$name]
	elif $kinds[$name].type == "int" then ($row[$name] | plain) + if $unit == "" then "" else " \($unit)" end
	else $row | figure($name) | .unit = $unit | figure_words + figure_interval | sub("95 % CI "; "") end end;
# Input: the text; its words for each row that has all of its columns.
def words_of($kept; $table; $where): . as $text | [$text | scan("\\{([a-z0-9_]+)\\}")[]] as $columns
	| ($kept | table_rows("schema") | map(select(.table == $table) | {key: .column, value: .}) | from_entries) as $kinds
	| [$kept | table_rows($table) | meeting($where)[] | typed as $row
		| select(all($columns[]; . as $c | [$row[$c, "\($c)_from", "\($c)_why"] | values] != [] or ($row | has($c) | not)))
		| $text | gsub("\\{(?<c>[a-z0-9_]+)\\}"; .c | value_words($row; $kinds))]
	| if . == [] then "not in this run" else join("; ") end;

def fact: [., ["paper", "figure", "what", "text", "table", "where", "ours"]] | transpose
	| map({key: .[1], value: (.[0] // "")}) | from_entries
	| .run = ((.table / "/")[0] // "") | .table = ((.table / "/")[1] // "");
def short_note: if .run.settings.quick == true then " (a short run, no result)" else "" end;
def report_link: "[\(.name)](\(.folder)/report.md)";
def picture_of($figure; $kept): first($kept[] | . as $k | select($figure.picture != null)
	| select(any(.figures[]; endswith("/\($figure.picture).svg"))) | "\(.folder)/figures/\($figure.picture).svg") // null;

def figure_part:
	"### \(.name): \(.title)", "",
	if .numbers == [] then empty elif .kept == [] then "| the paper |", "|---|", (.numbers[] | "| \(.says) |"), ""
	else "| the paper | here, today |", "|---|---|", (.numbers[] | "| \(.says) | \(.ours) |"), "" end,
	if .image then "![\(.name): \(.title)](\(.image))", "" else empty end,
	if .kept != [] and .since != "" then .since, "" else empty end,
	if .partial == "" then empty else "Not whole: \(.partial)", "" end,
	if .kept == [] then "\(if .runs == [] and .numbers != [] then "**A program alone**" else "**Not run yet**" end): \(.command)"
	else .command as $command | "\($command). Kept: \([.kept[] | .run.command as $its | report_link + short_note
		+ if ($command | contains("`\($its)`")) or .run.settings.quick == true then "" else ", by `\($its)`" end]
		| join(", "))." end, "";

# Input: the facts about the figure.
def with_facts($figure; $all): . as $facts | def words_about($what): [$facts[] | select(.what == $what).text] | first // "";
	[$all[] | select(.name | IN($facts[].run))] as $kept | $figure + {$kept, runs: [$facts[].run | select(. != "")],
		image: picture_of($figure; $kept), since: words_about("since"), partial: words_about("partial"),
		numbers: [$facts[] | select(.what | IN("since", "partial") | not) | . as $f
			| {says: ((.text | safe) + if .what == "figure" then " *(read off the figure)*" else "" end),
				ours: ([$kept[] | select(.name == $f.run) as $k | $f.ours | words_of($k; $f.table; $f.where)] | first // "" | safe)}]};

def paper_row: "| [\(.title)](#\(.heading | slug)) | \(.about) | \(.figures | length) "
	+ "| \([.figures[] | select(.partial == "")] | length) | \([.figures[] | select(.kept != [])] | length) "
	+ "| \([.figures[].kept[].name] | unique | length) |";

def kib: "\(. / 1024 | fixed(0)) KiB";
def run_row: "| \(report_link) | `\(.run.command)` | \(.run.ended[:10]) | \(.run.measured_s / 60 | ceil | minutes_words) "
	+ "| \(.run.kept | if .left_out_bytes > 0 then "left out (\(.left_out_bytes | kib))" else .samples_bytes | kib end) |";

[inputs] as $in
| {plan: [$in[].plan | values], kept: [$in[].kept | values], facts: [$in[].fact | values | fact]} as $all
| ($papers | papers_of) as $sources
| first(($all.facts[] | select(.run | . != "" and (IN($all.plan[][0]) | not)) | "data/gallery.tsv has no run \(.run)"),
	($all.facts[] | . as $fact | select(any($sources[] | . as $paper | .figures[] | of_figure($fact; $paper); .) | not)
		| "docs/papers.md has no \(.figure) of \(.paper)"), null) as $wrong
| if $wrong then "thinprobe: data/papers.tsv: \($wrong)\n" | halt_error(1) else . end
| [$sources | to_entries[] | .value + {heading: "\(.key + 1). \(.value.title)"} | . as $paper
	| .figures |= map(. as $figure
		| [$all.facts[] | . as $fact | select($figure | of_figure($fact; $paper))] | with_facts($figure; $all.kept))] as $shown
| [$shown[].figures[]] as $figures
| "# Five papers, reproduced", "",
"<!-- Written by `thinprobe gallery` from docs/papers.md, data/papers.tsv, data/gallery.tsv and the kept runs. -->", "",
"Every figure and table of five papers about waiting in front of a remote computer has a command here that makes it again, on "
	+ "Linux of today. Below, the papers' numbers stand beside those of runs that are kept in this repository with their samples.", "",
"| paper | by | figures and tables | whole | with a kept run | kept runs |", "|---|---|---:|---:|---:|---:|",
($shown[] | paper_row),
"| **all** | | **\($figures | length)** | **\([$figures[] | select(.partial == "")] | length)** "
	+ "| **\([$figures[] | select(.kept != [])] | length)** | **\([$figures[].kept[].name] | unique | length)** |", "",
(reduce ($figures[] | select(.image)) as $f ([]; if any(.[]; .image == $f.image) then . else . + [$f] end) | (.[] |
	"[<img src=\"\(.image)\" width=\"270\" alt=\"\(.name): \(.title)\">](#\("\(.name): \(.title)" | slug))"), ""),
"*Whole*: axes, conditions, series and statistic are the paper's, with systems of today; "
	+ "what differs is in [papers](\(doc("papers.md"))). The papers' numbers are from their texts, tables and captions; "
	+ "a number from a curve is marked *read off the figure*, and where there is none, words say how the curve runs. "
	+ "Ours are read from the tables of the kept runs; in brackets are 95 % intervals.", "",
($shown[] | "## \(.heading)", "", .about, "", (.figures[] | figure_part)),
([$all.kept[] | select(.name | IN($figures[].kept[].name) | not)] | select(. != []) | "## Beyond the papers", "",
	(.[] | "- \(report_link): \(.verdict)\(short_note)"), ""),
"## The runs", "",
"`thinprobe gallery` makes \($all.plan | length) runs, one after the other, in about "
	+ "\([$all.plan[][1] | tonumber] | add | minutes_words). "
	+ "Those kept here are \($all.kept | length), and took \([$all.kept[].run.measured_s / 60] | add // 0 | ceil | minutes_words). "
	+ "`thinprobe report` makes the page of a kept run again from its samples.", "",
if $all.kept == [] then empty else "| kept | command | on | took | samples |", "|---|---|---|---:|---:|",
	($all.kept[] | run_row), "" end,
([$all.plan[] | . as [$name, $_, $command] | select([$all.kept[] | select(.name == $name) | .run.command] != [$command])]
	| select(. != [])
	| "| to run | command | about |", "|---|---|---:|", (.[] | "| \(.[0]) | `\(.[2])` | \(.[1] | tonumber | minutes_words) |"))
