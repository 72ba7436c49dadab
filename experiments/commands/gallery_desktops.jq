# SPDX-License-Identifier: GPL-3.0-or-later
# gallery_desktops.jq - docs/desktops.md: a section for each question of data/desktops.tsv, whose first lines say what its rows are
# (gallery.jq is read before it).

# ---- the table of a question (input: its facts): a line for each protocol of its runs, a column for each row `column` ----
def columns: map(select(.what == "column"));
def protocols_of($runs): [columns[] | . as $c | $runs[] | select(.name == $c.run)
	| table_rows($c.table) | meeting($c.where)[].protocol] | distinct(.);
def cell($runs; $protocol): . as $c | first(($runs[] | select(.name == $c.run)), null) as $kept
	| if $kept == null then "not run yet"
		else $c.ours | words_of($kept; $c.table; "\($c.where) protocol=\($protocol)") // ""
			| sub(" \\((?<i>[^()]*)\\)$"; "<br>\(.i)") end;
# What a protocol is, in these runs.
def says($runs): . as $protocol | ["`\($protocol)`", ([$runs[].run.protocols[$protocol]?.says | values | safe] | distinct(.)[])]
	| join("<br>");
def table($runs): columns as $columns | [$columns[].run as $name | $runs[] | select(.name == $name)] as $own
	| protocols_of($runs) | select(. != [])
	| "| protocol | \($columns | map(.text | safe) | join(" | ")) |", "|---\($columns | map("|---:") | add)|",
		(.[] | . as $protocol | "| \(says($own)) | \($columns | map(cell($runs; $protocol)) | join(" | ")) |"), "";

# ---- a question ----
def names: [.[].run | select(. != "")] | distinct(.);
def kept_link: report_link + short_note + doubt_note + ", \(.run.started[:10])"
	+ first((.run.lab.server_system, .run.host.system | values | ", server: \(.)"), "");
def question($all): . as $facts | $all.kept as $runs | names as $names
	| def said($what): [$facts[] | select(.what == $what).text] | join(" ");
	  def picture: $facts[] | select(.what == "picture") | .table as $picture | .text as $words | .run as $run
		| first($runs[] | select(.name == $run and any(.figures[]?; endswith("/\($picture).svg"))))
		| "![\($words)](\(.folder)/figures/\($picture).svg)", "";
	{name: .[0].figure, asks: said("asks"), kept: [$runs[] | select(.name | IN($names[]))],
		answer: (sentences($runs; $all.judged) | if . != "" then . elif any($facts[] | select(is_rule); is_there($runs))
			then "**Cannot tell**: no answer holds within the intervals." else "**Not run yet.**" end)}
	| .row = "| [\(.asks)](#\(.name | slug)) | \(.answer | safe) |"
	| .part = ["## \(.name)", "", .asks, "", .answer, "", ($facts | picture, table($runs)),
		(said("partial") | select(. != "") | ., ""),
		(select($names != []) | "To measure this, paste:", "", "```", ($facts[] | select(.what == "paste").text),
			($names[] as $name | $all.plan[] | select(.[0] == $name) | command_words | sub("thinprobe run"; "./thinprobe run")), "```", ""),
		(.kept | select(. != []) | "Reports of the kept runs: \(map(kept_link) | join("; ")).", "")];

[inputs] | read_lines(.facts[] | select(.what | IN("asks", "answer", "column", "picture", "paste", "partial") | not)
	| "\(.at): no row is called \(.what)") as $all
| if $all.judged == null then $all.facts | sentence_claims($all.kept) else
[$all.facts | distinct(.figure)[] as $name | map(select(.figure == $name)) | question($all)]
| ([.[].kept[].name] | unique | length) as $kept | ([$all.facts | names[]] | length) as $of
| "# Today's desktops beside each other", "",
"<!-- Written by `thinprobe gallery` from data/{desktops,gallery}.tsv and the kept runs. -->", "",
"This page shows how long a user waits for the response to a key over the protocols of today, measured in the emulated lab. "
	+ "Its questions need \($of) runs. Made and kept so far: \($kept).", "",
"| question | answer |", "|---|---|", .[].row, "",
"Times have 95 % intervals, in brackets or below: of one run, so another run can differ by more. A time like \"1 to 2 ms\" is a "
	+ "range: more than one update may be the answer. Late means later than 100 ms. An answer stands here only if `judge` finds that "
	+ "its rule (`data/desktops.tsv`) holds within the intervals. Times of different CPUs are not compared. "
	+ "\"Not run yet\" means that the run is missing: `thinprobe gallery NAME` makes and keeps it. [Method](\(doc("method.md"))) "
	+ "says what each figure means, and [plug-ins](\(doc("../lab/protocols/README.md"))) what each protocol is.", "",
.[].part[] end
