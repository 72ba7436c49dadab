# SPDX-License-Identifier: GPL-3.0-or-later
# gallery_papers.jq - docs/gallery.md: figures and tables of docs/papers.md ($papers), beside ours (gallery.jq, read before it).

# ---- docs/papers.md: [{title, about, figures: [{name, title, command, picture}]}] ----
def bullet($name): [split("\n- ")[1:][] | select(startswith($name + ":")) | .[$name | length + 1:]] | first // "";
def figures_of: split("\n### ")[1:] | map((split("\n")[0] | capture("^(?<name>[^:]*): (?<title>.*)$")) + {
	command: bullet("Command") | trimmed, picture: (bullet("File and column") | capture("`figures/(?<p>[a-z-]+)\\.svg`").p // null)});
def papers_of: split("\n## ")[1:] | map({title: split("\n")[0], about: (split("\n\n")[1] | trimmed), figures: figures_of});
# The paper of a fact, "Wong & Seltzer 2000", by the first author and the year in the words about it.
def is_of($about): (split(" ")[0] | gsub("[^A-Za-z]"; "")) as $name | .[-4:] as $year
	| $about | test("\\b\($name)\\b") and contains($year);

# Whether a fact is about the figure (input) of the paper.
def of_figure($fact; $paper): ($fact.paper | is_of($paper.about)) and .name == $fact.figure;

# What a program computed, and what a run measured.
def pictures_of($figure; $kept): [first($kept[] | .picture | values), first($kept[] | select($figure.picture != null)
	| select(any(.figures[]?; endswith("/\($figure.picture).svg"))) | "\(.folder)/figures/\($figure.picture).svg")];

def figure_part:
	"### \(.name): \(.title)", "",
	if .images == [] then empty else . as $f
		| (.images | map("<a href=\"\(.)\"><img src=\"\(.)\" width=\"300\" alt=\"\($f.name): \($f.title)\"></a>") | join(" "))
		+ "<br>" end,
	"\(.verdict | bold_verdict)\(.verdict.rules | if . == [] then "" else ", by \(.[0] | rule_words)"
		+ (.[1:] | length | if . > 0 then " and \(.) more" else "" end) end)\(.verdict.awaits | if . == [] then "" else
			"; \(map("`\(.)`") | and_list) \(if length == 1 then "is" else "are" end) still to be run" end)."
		+ if .shown and .since != "" then " \(.since)" else "" end, "",
	"<details><summary>\(if .shown then "Both in numbers, " else "The paper; " end)how to make it\(
		if .partial == "" and .lacks == [] then "" else "; <b>not whole</b>" end)</summary>", "",
	if .numbers == [] then empty
	elif .shown | not then "| the paper |", "|---|", (.numbers | map(.says) | distinct(.)[] | "| \(.) |"), ""
	else "| the paper | here, today | | 95 % |", "|---|---|---:|---|",
		(foreach .numbers[] as $n ({}; {says: $n.says, first: ($n.says != .says)};
			"| \(if .first then .says else "" end) | \($n.label) | \($n.value // "") | \($n.interval // "") |")), "" end,
	([.partial, (.lacks[] | lacking_words) | select(. != "") | sub("[.]$"; "")] | select(. != [])
		| "Not whole: \(join("; ")).", ""),
	(.verdict.rules[1:] | select(. != []) | "Also by \(map(rule_words) | join(", ")).", ""),
	if .shown | not then "**Not run yet**: \(.command)"
	else .command as $command
		| ([.kept[] | select(.run) | .run.command as $its | report_link + short_note + doubt_note
			+ if ($command | contains("`\($its)`")) or .run.settings.quick == true then "" else ", by `\($its)`" end]) as $runs
		| ([.kept[] | select(.run | not) | "`\(.command)`" | select(. as $its | $command | contains($its) | not)]) as $programs
		| $command + if $runs == [] then "" else ". Kept: \($runs | join(", "))" end
			+ if $programs == [] then "" else ". Computed by \($programs | join(", "))" end + "." end,
	"", "</details>", "";

def with_facts($figure; $all; $judged): . as $facts
	| def words_about($what): [$facts[] | select(.what == $what).text] | first // "";
	[$facts[] | select(.what | IN("since", "partial", "verdict", "thumbnail", "needs") | not)
		| . as $f | (first($all[] | select(.name == $f.run)) // null) as $k
		| (if .run == "" then [{label: .ours}] elif $k then .ours | cells_of($k; $f.table; $f.where) else null end) as $cells
		| {run, says: ((.text | safe) + if .what == "figure" then " *(read off the figure)*" else "" end), known: ($cells != null)}
			+ ($cells // [{label: (if $k.run.analysis_unsure then "`\(.run)`: response times are not to be relied on"
				elif $k.planned then "not in this run" else
				"`\(.run)` is \(if $k then "to be run again" else "not run yet" end)" end)}] | .[] | map_values(safe))]
	as $numbers | ([$numbers[] | select(.known and .label != "").run] | unique) as $runs
	| [$all[] | select(.name | IN($runs[]))] as $kept
	| $figure + {$kept, $numbers, images: pictures_of($figure; $kept), since: sentences($all; $judged),
		partial: words_about("partial"), lacks: ($facts | lacks($all)), shown: ($runs != []),
		verdict: ($facts | rules | verdict($all; $judged; $facts | lacks($all); $kept))};

# What a paper showed, beside ours. Input: the facts.
def claims($paper; $all): [.[] | select(.what == "claim") | . as $f | select($f.paper | is_of($paper.about))
	| {text, ours: first(($all[] | select(.name == $f.run) | . as $k
		| $f.ours | words_of($k; $f.table; $f.where) | values | . + ([$k] | doubts | bracketed)), null)}]
	| if any(.[]; .ours) then map(select(.ours)) else . end
	| {says: (map(.text) | unique | join("; ") | safe), ours: (map(.ours | values) | join("; ") | safe)};
# How all figures came out: a column for each word, a row for each paper, links in it. The doubts are marks.
def words_of_all: verdict_words + ["cannot tell", "nothing to compare"]
	+ if any(.[]; .verdict.word == "not run yet") then ["not run yet"] else [] end;
def figure_link: "[\(.name | sub("^Table in "; "T. "))](#\("\(.name): \(.title)" | slug))"
	+ (.verdict.doubts | map({computed: "ᶜ", preliminary: "ᵖ", flagged: "ᶠ", "not usable": "ⁿ"}[.]) | add // "");
def paper_row($words; $short): . as $figures | "| [\($short)](#\($figures[0].heading | slug)) "
	+ ($words | map(. as $word | "| \([$figures[] | select(.verdict.word == $word) | figure_link] | join(", ")) ") | add) + "|";
# A picture at the head, by a fact: TABLE is RUN/PICTURE, or NAME/rows where a program draws it.
def thumbnail($all; $figures): . as $fact | first($all[] | select(.name == $fact.run))
	| (if .run then "\(.folder)/figures/\($fact.table).svg" else .picture end) as $image
	| (first($figures[] | select(.name == $fact.figure and .short == $fact.paper) | "#" + ("\(.name): \(.title)" | slug))
		// "\(.folder)/report.md") as $link
	| "[<img src=\"\($image)\" width=\"230\" alt=\"\($fact.text)\">](\($link))";

def kept_words: map(.run.kept | if .left_out_bytes == 0 then "all of their samples" elif .conditions > 0 then "some of them"
		else "tables alone" end) | group_by(.) | map("\(length) with \(.[0])") | join(", ");
def kib: "\(. / 1024 | fixed(0)) KiB";
def folded($title; rows): "<details><summary>\($title)</summary>", "", rows, "", "</details>", "";
def run_row: "| \(report_link) | `\(.run.command)` | \(.run.ended[:10]) | \(.run.measured_s / 60 | round | minutes_words) "
	+ "| \(.run.kept.samples_bytes | kib)" + (.run | if .kept.left_out_bytes > 0 then
		", of \(.kept.conditions) of \(.cells | length | plural("condition"))" else "" end) + " |";

($papers | papers_of) as $sources
| [inputs] | read_lines(.facts[] | select(.figure != "") | . as $fact
	| select(any($sources[] | . as $paper | .figures[] | of_figure($fact; $paper); .) | not)
	| "\(.at): docs/papers.md has no \(.figure) of \(.paper)") as $all
| [$sources[] | . as $paper | .figures |= map(. as $figure | .facts = [$all.facts[] | . as $fact
		| select($figure | of_figure($fact; $paper))])] as $sources
| ($all.kept) as $runs | $all.judged as $judged
| if $judged == null then $sources[].figures[].facts
	| (lacks($runs) == []) as $whole | (rules | rule_claims($runs; $whole)), sentence_claims($runs)
else [$sources | to_entries[] | .value + {heading: "\(.key + 1). \(.value.title)"} | . as $paper
	| .short = (first($all.facts[].paper | select(is_of($paper.about))) // .title)
	| .claim = ($all.facts | claims($paper; $runs)) | .short as $short | .heading as $heading
	| .figures |= map(.facts as $facts | del(.facts) | . as $figure | $facts | with_facts($figure; $runs; $judged)
		+ {$short, $heading})] as $shown
| [$shown[].figures[]] as $figures
| [$runs[] | select(.run)] as $kept
| ($figures | words_of_all) as $words
| def count(f): [$figures[] | select(f)] | length;
  "# Five papers, measured again", "",
"<!-- Written by `thinprobe gallery` from docs/papers.md, data/{papers,gallery}.tsv, those of the kits, and the kept runs. -->", "",
"Of \($figures | length) figures and tables of five papers: "
	+ ($words | map(. as $word | "\(said_verdict) **\(count(.verdict.word == $word))**"
		+ (count(.verdict.word == $word and (.verdict.doubts | contains(["computed"])))
			| if . > 0 then " (\(.) of them computed)" else "" end)) | join(", "))
	+ ". **\(count(.shown and .partial == "" and .lacks == []))** are shown whole.", "",
"| | \($words | map(said_verdict) | join(" | ")) |", "|---\($words | map("|---") | add)|",
($shown[] | .short as $short | .figures | paper_row($words; $short)), "",
"ᶜ computed by a program, not measured; ᵖ preliminary, ᶠ flagged\(
	if any($figures[].verdict.doubts[]; . == "not usable") then ", ⁿ not usable" else "" end): "
	+ "as on the page of a run shown there. [How the words are found](#the-words).", "",
([$all.facts[] | select(.what == "thumbnail" and (.run | IN($runs[].name))) | thumbnail($runs; $figures)]
	| if . == [] then empty else .[], "" end),
($shown[] | "## \(.heading)", "", "\(.about)\(if .claim.says == "" then "" else " It showed: \(.claim.says). Here, today: \(
	.claim.ours | if . == "" then "not run yet" else . end)." end)", "", (.figures[] | figure_part)),
([$kept[] | select(.name | IN($figures[].kept[].name) | not)] | select(. != []) | "## Beyond the papers", "",
	(.[] | "- \(report_link): \(.verdict)\(short_note)"), ""),
"## The words", "",
"Verdicts are computed by rules, of which those of the word stand beside it; rules for runs that are still to be made "
	+ "are left out, and a condition of "
	+ "which each repeat was disturbed decides nothing. *As then*: a run, or a program that computes, shows "
	+ "what the paper found, in direction and size (at least as large, or within the range that the paper states), for all "
	+ "values within its 95 % intervals, or for the value itself where it has none; where one of several values is enough "
	+ "(`some`), they share the 5 %. "
	+ "*As then but smaller or in part*: it shows the direction, but not the size, or not "
	+ "under all conditions. *No longer*: it shows the contrary. *Cannot tell*: none of these is sure. *Nothing to compare*: what "
	+ "the paper compared does not exist here, or the paper gives only parameters or a picture. "
	+ "*Whole*: the kept runs have the axis, conditions and statistic of the paper, and its series or what stands for them; "
	+ "what they lack is named.", "",
"Each figure has a command that makes it again, on Linux of today; what differs is in [papers](\(doc("papers.md"))). "
	+ "The papers' numbers are from their texts, tables and captions. Where a curve has none, words say how it runs. "
	+ "Ours are read from the tables of \($kept | length) runs, which are kept in this repository (\($kept | kept_words)), or "
	+ "computed by a program while this page is written. Of the runs "
	+ "\([$kept[] | select(has_few_repeats)] | length) are preliminary, with fewer than five repeats, and "
	+ "\([$kept[] | select(flagged > 0)] | length) had disturbed conditions; of "
	+ "\([$kept[] | select(is_unwatched)] | length) it was not watched what other programs took: "
	+ "each link to them under a figure says so.", "",
"## The runs", "",
"`thinprobe gallery` makes \($all.plan | length) runs, one after the other, in about "
	+ "\([$all.plan[][1] | tonumber] | add | minutes_words). "
	+ "Those kept here are \($kept | length), and took \([$kept[].run.measured_s / 60] | add // 0 | round | minutes_words). "
	+ "Of each, this repository has the report and as many samples as said there. "
	+ "`thinprobe report FOLDER` makes the tables, the other figures "
	+ "and `report.html` from them; that page has each figure for phones, too, and is light or dark as the browser is. "
	+ "If the samples take more than 300 KiB, only those of the first conditions stay, as many as fit, "
	+ "with the tables that were made of all samples.", "",
if $kept == [] then empty else folded("\($kept | length | plural("kept run"))";
	"| kept | command | on | took | samples |", "|---|---|---|---:|---:|", ($kept[] | run_row)) end,
([$all.plan[] | . as [$name, $_, $command] | select([$kept[] | select(.name == $name) | .run.command] != [$command])]
	| select(. != []) | folded("\(length | plural("run")) to make, for the first time or anew";
		"| to run | command | about |", "|---|---|---:|",
		(.[] | "| \(.[0]) | `\(command_words)` | \(.[1] | tonumber | minutes_words) |"))) end
