# SPDX-License-Identifier: GPL-3.0-or-later
# gallery.jq - the page of the gallery. Input: lines {plan: [name, minutes, command]}, {fact: [FILE:LINE, a row of
# data/papers.tsv]} and {kept: {name, folder, run, verdict, figures, tables}}, where a program computed it {kept: {name, command,
# picture, tables}}; $papers is docs/papers.md, $docs the folder of the documents. {judged} is what judge says of the claims behind
# the verdicts; without it the output is these claims. $strict 1: a row that a verdict needs and that a kept run lacks is an error.
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

# ---- numbers of ours: rows of a kept run's table that meet "column=value column!=value ...", in a text with {column} ----
def table_rows($name): .tables[$name] // [] | .[0] as $head
	| .[1:] | map([$head, .] | transpose | map({key: .[0], value: .[1]}) | from_entries);
# (+ 0: jq 1.7 writes a number as it was read.)
def typed: with_entries(.value as $v | .value = if $v == null or $v == "" then null else ($v | (tonumber? + 0) // $v) end);
def meeting($where): reduce ($where / " " | .[] | select(. != "") | capture("^(?<c>[^=!]*)(?<other>!?)=(?<v>.*)$")) as $w (.;
	if $w.v == "max" then (map(.[$w.c] | tonumber? // empty) | max) as $most | map(select((.[$w.c] | tonumber?) == $most))
	else ($w.v | tonumber? // $w.v) as $v
		| map(select((.[$w.c] == $w.v or ((.[$w.c] | tonumber?) // null) == $v) == ($w.other == ""))) end);
def size_words: if . < 10485760 then "\(. / 1024 | fixed(0)) KB" else "\(. / 1048576 | fixed(0)) MB" end;
def value_words($row; $kinds): . as $name | if $row | has($name) | not then "no column \($name)" else
	($kinds[$name].unit // "" | if . == "-" then "" elif . == "1/s" then "/s" elif . == "ms2" then "ms²" else . end) as $unit
	| if $kinds[$name].type == "text" then $row[$name]
	elif $unit == "B" and ($row[$name] | type) == "number" then $row[$name] | size_words
	elif $kinds == {} then $row[$name] | if type == "number" and . != round then fixed(2) else tostring end	# computed
	elif $kinds[$name].type == "int" then ($row[$name] | plain) + if $unit == "" then "" else " \($unit)" end
	else $row | figure($name) | .unit = $unit | figure_words + figure_interval | sub("95 % CI "; "") end end;
# Input: the text; its words for each row that has all of its columns, null if none has.
def words_of($kept; $table; $where): . as $text | [$text | scan("\\{([a-z0-9_]+)\\}")[]] as $columns
	| ($kept | table_rows("schema") | map(select(.table == $table) | {key: .column, value: .}) | from_entries) as $kinds
	| [$kept | table_rows($table) | meeting($where)[] | typed as $row
		| select(all($columns[]; . as $c | [$row[$c, "\($c)_from", "\($c)_why"] | values] != [] or ($row | has($c) | not)))
		| $text | gsub("\\{(?<c>[a-z0-9_]+)\\}"; .c | value_words($row; $kinds))]
	| if . == [] then null else join("<br>") end;

def fact: [., ["at", "paper", "figure", "what", "text", "table", "where", "ours"]] | transpose
	| map({key: .[1], value: (.[0] // "")}) | from_entries
	| .run = ((.table / "/")[0] // "") | .table = ((.table / "/")[1] // "");
def short_note: if .run.settings.quick == true then " (a short run, no result)" else "" end;
def report_link: "[\(.name)](\(.folder)/report.md)";
# What speaks against a kept run: too few repeats, conditions that were disturbed.
def is_preliminary: {run} | preliminary_note != null;
def flagged: {run} | flagged_cells | length;
def doubt_note: [if is_preliminary then "preliminary: \({run} | repeats_words)" else empty end,
		(flagged | select(. > 0) | "\(.) of the conditions flagged")]
	| if . == [] then "" else " (\(join("; ")))" end;
# ---- verdicts: rows `verdict`, of each word what is to hold of the rows that are picked as above; the words in their order ----
# Conditions are joined by " and ": COLUMN < or > NUMBER, or NUMBER times COLUMN of the same row, or of rows picked by TABLE and
# column=value (where {column} is that of the row); COLUMN = FROM..TO. "some" before one: at least one row, not all.
def verdict_words: "as then", "as then, smaller", "no longer";
def condition: capture("^(?<some>some )?(?<column>[a-z0-9_]+) (?<sign>[<>]) (?<by>[0-9.]+)"
		+ "( (?<than>[a-z][a-z0-9_]*)(?<table> [a-z0-9-]+/[a-z]+)?(?<where>( [^ =]+=[^ ]+)*))?$")
	// capture("^(?<some>some )?(?<column>[a-z0-9_]+) = (?<from>[0-9.]+)\\.\\.(?<to>[0-9.]+)$");
def conditions: .ours / " and " | map(condition);
def refused($why): error({$why, at});
# Input: a rule. Of a run that is not kept, or a short one, it decides nothing.
def run_names: [.run, (conditions[].table // "" | trimmed / "/" | .[0] | values | select(. != ""))] | unique;
def is_there($runs): [run_names[] as $name | first($runs[] | select(.name == $name))] as $kept
	| ($kept | length) == (run_names | length) and all($kept[]; .run.settings.quick != true);
def picked($runs; $run; $table; $where; $column): . as $rule | first($runs[] | select(.name == $run)) as $kept
	| ($kept.tables[$table][0] // []) as $head
	| (($column, ($where / " " | .[] | select(. != "") | capture("^(?<c>[^=!]*)").c)) | select(IN($head[]) | not)
		| . as $name | $rule | refused("\($run)/\($table) has no column \($name)")),
	  ([$kept | table_rows($table) | meeting($where)[]] as $rows | if $rows != [] then $rows[] elif $strict == "1"
		then refused("\($run)/\($table) has no row \($where)") else {} end);
# A figure of a table; none where it has an interval, but too few repeats for that.
def sure_figure($column): typed | select((has($column + "_low") and .[$column + "_low"] == null and .[$column + "_both"] == null
	and ($column | test("max") | not)) | not) | figure($column);
def ends($column): first(sure_figure($column), {}) | with_both;
# Of each condition the claims, of which all are to hold, or some.
def asked($runs): . as $rule | [conditions[] as $c | {some: ($c.some != null), claims: [
	$rule | picked($runs; .run; .table; .where; $c.column) as $row | ($row | ends($c.column)) as $a
	| if $c.sign == null then within($a; $c.from | tonumber; $c.to | tonumber) else
		(if $c.than == null then {value: ($c.by | tonumber)} else
			($c.where | gsub("\\{(?<c>[a-z0-9_]+)\\}"; $row[.c] // "")) as $where | ($c.table // "" | trimmed / "/") as [$run, $table]
			| (if $where == "" and $c.table == null and ($row | has($c.than)) then $row
				else $rule | picked($runs; $run // .run; $table // .table; $where; $c.than) end)
			| ends($c.than) | scaled($c.by | tonumber) end) as $b
		| if $c.sign == ">" then exceeds($a; $b) else exceeds($b; $a) end end]}];
def holds_surely($runs; $judged): if is_there($runs) then
	[asked($runs)[] | .some as $some | [.claims[] | $judged[.] | holds] | if $some then any else . != [] and all end] | all
	else false end;
# Input: the rules of a figure.
def verdict($runs; $judged): . as $rules | if . == [] then {word: "nothing to compare", rules: []} else
	first(verdict_words as $word | [$rules[] | select(.text == $word)]
			| select(map(holds_surely($runs; $judged)) | . != [] and all) | {$word, rules: .})
		// {word: (if any(.[]; is_there($runs)) then "cannot tell" else "not run yet" end), rules: []}
	| [$runs[] | select(.run and (.name | IN($rules[] | run_names[])))] as $behind
	| .doubts = [if any($behind[]; is_preliminary) then "preliminary" else empty end,
		if any($behind[]; flagged > 0) then "flagged" else empty end] end;
def bold_verdict: "**\(.word)**" + if (.doubts // []) == [] then "" else " (\(.doubts | join(", ")))" end;
def rule_words: "`\(.run)/\(.table)\(if .where == "" then "" else " " + .where end): \(.ours)`";
def rules_words: (.[:2] | map(rule_words) | join(", ")) + (.[2:] | length | if . == 0 then "" else " and \(.) more" end);

def picture_of($figure; $kept): first($kept[] | . as $k | select($figure.picture != null)
	| select(any(.figures[]?; endswith("/\($figure.picture).svg"))) | "\(.folder)/figures/\($figure.picture).svg")
	// first($kept[] | .picture | values) // null;

def figure_part:
	"### \(.name): \(.title)", "",
	"Verdict: \(.verdict | bold_verdict)\(.verdict.rules | if . == [] then "" else ", by \(rules_words)" end).", "",
	if .numbers == [] then empty
	elif .shown then "| the paper | here, today |", "|---|---|", (.numbers[] | "| \(.says) | \(.ours) |"), ""
	else "| the paper |", "|---|", (.numbers[] | "| \(.says) |"), "" end,
	if .image then "[<img src=\"\(.image)\" width=\"480\" alt=\"\(.name): \(.title)\">](\(.image))", "" else empty end,
	if .shown and .since != "" then .since, "" else empty end,
	if .partial == "" then empty else "Not whole: \(.partial)", "" end,
	if .shown | not then "**Not run yet**: \(.command)"
	else .command as $command
		| ([.kept[] | select(.run) | .run.command as $its | report_link + short_note + doubt_note
			+ if ($command | contains("`\($its)`")) or .run.settings.quick == true then "" else ", by `\($its)`" end]) as $runs
		| ([.kept[] | select(.run | not) | "`\(.command)`" | select(. as $its | $command | contains($its) | not)]) as $programs
		| $command + if $runs == [] then "" else ". Kept: \($runs | join(", "))" end
			+ if $programs == [] then "" else ". Computed by \($programs | join(", "))" end + "." end, "";

# Input: the facts about the figure. It is shown where a kept run or a program has a number of it.
def with_facts($figure; $all; $judged): . as $facts
	| def words_about($what): [$facts[] | select(.what == $what).text] | first // "";
	[$facts[] | select(.what | IN("since", "partial", "verdict", "thumbnail") | not)
		| . as $f | (first($all[] | select(.name == $f.run)) // null) as $k
		| {run, says: ((.text | safe) + if .what == "figure" then " *(read off the figure)*" else "" end), kept: ($k != null),
			ours: (if .run == "" then .ours elif $k then $f.ours | words_of($k; $f.table; $f.where) else "" end // "" | safe)}]
	as $numbers | ([$numbers[] | select(.ours != "").run] | unique) as $runs
	| [$all[] | select(.name | IN($runs[]))] as $kept
	| $figure + {$kept, image: picture_of($figure; $kept), since: words_about("since"), partial: words_about("partial"),
		shown: ($runs != []), verdict: ([$facts[] | select(.what == "verdict")] | verdict($all; $judged)),
		numbers: ($numbers | map(if .ours != "" then . elif .kept then .ours = "not in this run" else .ours = "not run yet" end)
			| reduce .[] as $n ([]; if .[-1].says == $n.says then .[-1].ours += "<br>\($n.ours)" else . + [$n] end))};

# What a paper showed, beside ours. Input: the facts.
def claims($paper; $all): [.[] | select(.what == "claim") | . as $f | select($f.paper | is_of($paper.about))
	| {text, ours: first(($all[] | select(.name == $f.run) | . as $k | $f.ours | words_of($k; $f.table; $f.where) | values), null)}]
	| {says: (map(.text) | unique | join("; ") | safe), ours: (map(.ours | values) | join("; ") | safe)};
def paper_row: "| [\(.short)](#\(.heading | slug)) | \(.claim.says) | \(.claim.ours | if . == "" then "not run yet" else . end) "
	+ "| \(.figures | length) | \([.figures[] | select(.shown)] | length) |";
# A picture at the head, by a fact: TABLE is RUN/PICTURE, or NAME/rows where a program draws it.
def thumbnail($all; $figures): . as $fact | first($all[] | select(.name == $fact.run))
	| (if .run then "\(.folder)/figures/\($fact.table).svg" else .picture end) as $image
	| (first($figures[] | select(.name == $fact.figure and .short == $fact.paper) | "#" + ("\(.name): \(.title)" | slug))
		// "\(.folder)/report.md") as $link
	| "[<img src=\"\($image)\" width=\"230\" alt=\"\($fact.text)\">](\($link))";

def kept_words: map(.run.kept | if .left_out_bytes == 0 then "all of their samples" elif .conditions > 0 then "some of them"
		else "tables alone" end) | group_by(.) | map("\(length) with \(.[0])") | join(", ");
def kib: "\(. / 1024 | fixed(0)) KiB";
def run_row: "| \(report_link) | `\(.run.command)` | \(.run.ended[:10]) | \(.run.measured_s / 60 | ceil | minutes_words) "
	+ "| \(.run.kept.samples_bytes | kib)" + (.run | if .kept.left_out_bytes > 0 then
		", of \(.kept.conditions) of \(.cells | length | plural("condition"))" else "" end) + " |";

[inputs] as $in
| {plan: [$in[].plan | values], kept: [$in[].kept | values], facts: [$in[].fact | values | fact]} as $all
| ($papers | papers_of) as $sources
| first(($all.facts[] | select(.run | . != "" and (IN($all.plan[][0], $all.kept[].name) | not))
		| "\(.at): data/gallery.tsv has no run \(.run)"),
	($all.facts[] | select(.figure != "") | . as $fact
		| select(any($sources[] | . as $paper | .figures[] | of_figure($fact; $paper); .) | not)
		| "\(.at): docs/papers.md has no \(.figure) of \(.paper)"),
	($all.facts[] | select(.what == "verdict") | . as $rule
		| if (.text | IN(verdict_words) | not) then "\(.at): no verdict is called \(.text)"
			elif (.ours / " and " | length) != (conditions | length) then "\(.at): what is \(.ours)?"
			else try (select(is_there($all.kept)) | asked($all.kept) | empty) catch "\(.at): \(.why)" end), null) as $wrong
| if $wrong then "thinprobe: \($wrong)\n" | halt_error(1) else . end
| ([$all.facts[] | select(.what == "verdict" and is_there($all.kept)) | asked($all.kept)[].claims[]] | unique) as $claims
| first(($in[].judged | values), null) as $judged | if $judged == null then $claims[] else ($judged | answers($claims)) as $judged
| [$sources | to_entries[] | .value + {heading: "\(.key + 1). \(.value.title)"} | . as $paper
	| .short = (first($all.facts[].paper | select(is_of($paper.about))) // .title)
	| .claim = ($all.facts | claims($paper; $all.kept)) | .short as $short
	| .figures |= map(. as $figure
		| [$all.facts[] | . as $fact | select($figure | of_figure($fact; $paper))] | with_facts($figure; $all.kept; $judged)
			+ {$short})] as $shown
| [$shown[].figures[]] as $figures
| [$all.kept[] | select(.run)] as $kept
| ([$figures[] | select(.shown)] | length) as $n
| "# Five papers, measured again", "",
"<!-- Written by `thinprobe gallery` from docs/papers.md, data/{papers,gallery,computed}.tsv and the kept runs. -->", "",
"Of \($figures | length) figures and tables of five papers: "
	+ ([verdict_words, "cannot tell", "nothing to compare", "not run yet"] | map(. as $word
		| [$figures[] | select(.verdict.word == $word)] | length as $count | select($count > 0 or $word != "not run yet")
		| "\($word | sub(","; " but")) **\($count)**") | join(", ")) + ".", "",
([$all.facts[] | select(.what == "thumbnail" and (.run | IN($all.kept[].name))) | thumbnail($all.kept; $figures)]
	| if . == [] then empty else .[], "" end),
"| paper | figure | verdict |", "|---|---|---|",
($figures[] | "| \(.short) | [\(.name): \(.title)](#\("\(.name): \(.title)" | slug)) | \(.verdict | bold_verdict) |"), "",
"Verdicts are computed. *As then*: a run shows what the paper found, in direction and stated size, whatever the figures are "
	+ "within their 95 % intervals. *As then, smaller*: the direction, but not that size, or not under all conditions. "
	+ "*No longer*: the run shows the contrary. *Cannot tell*: none of these is sure. *Nothing to compare*: what the paper "
	+ "compared is not there, or it gives parameters or a picture alone. The rule is below each figure. "
	+ "*Preliminary* and *flagged*: as on the pages of the runs behind it.", "",
"| paper | it showed | here, today | its figures and tables | shown below |", "|---|---|---|---:|---:|",
($shown[] | paper_row),
"| **all** | | | **\($figures | length)** | **\($n)** |", "",
"Each figure has a command that makes it again, on Linux of today; what differs is in [papers](\(doc("papers.md"))). "
	+ ([$figures[] | select(.partial != "")] | length as $count | "Of \($count) figures a part is known to be missing: *Not whole*, ")
	+ "below. A kept run may have fewer settings: its command is below each picture. "
	+ "The papers' numbers are from their texts, tables and captions; a number from a curve is marked "
	+ "*read off the figure*, and where there is none, words say how the curve runs. "
	+ "Ours are read from the tables of \($kept | length) runs, which are kept in this repository (\($kept | kept_words)), or "
	+ "computed by a program while this page is written; in brackets are 95 % intervals. Of the runs "
	+ "\([$kept[] | select(is_preliminary)] | length) are preliminary, with fewer than five repeats, and "
	+ "\([$kept[] | select(flagged > 0)] | length) had disturbed conditions: each link to them says so.", "",
($shown[] | "## \(.heading)", "", .about, "", (.figures[] | figure_part)),
([$kept[] | select(.name | IN($figures[].kept[].name) | not)] | select(. != []) | "## Beyond the papers", "",
	(.[] | "- \(report_link): \(.verdict)\(short_note)"), ""),
"## The runs", "",
"`thinprobe gallery` makes \($all.plan | length) runs, one after the other, in about "
	+ "\([$all.plan[][1] | tonumber] | add | minutes_words). "
	+ "Those kept here are \($kept | length), and took \([$kept[].run.measured_s / 60] | add // 0 | ceil | minutes_words). "
	+ "Of each, this repository has what cannot be made again, and its report: `thinprobe report FOLDER` makes tables, other "
	+ "figures and page of it. Samples of more than 300 KiB are thinned: those of the first conditions stay, as many as fit, "
	+ "and with them the tables that were made of all.", "",
if $kept == [] then empty else "| kept | command | on | took | samples |", "|---|---|---|---:|---:|",
	($kept[] | run_row), "" end,
([$all.plan[] | . as [$name, $_, $command] | select([$kept[] | select(.name == $name) | .run.command] != [$command])]
	| select(. != [])
	| "| to run | command | about |", "|---|---|---:|", (.[] | "| \(.[0]) | `\(.[2])` | \(.[1] | tonumber | minutes_words) |")) end
