# SPDX-License-Identifier: GPL-3.0-or-later
# safe.jq - text of a run, an experiment or a limits file in Markdown and XML: nothing in it is markup there.

# (Also without the characters that `visible` of words.sh takes away.)
def hidden: "\u007f-\u009f\\p{Default_Ignorable_Code_Point}\ufffe\uffff";
def printable: tostring | gsub("[\n\r\t\f]"; " ") | gsub("[\u0000-\u001f\(hidden)]"; "?");
def all_printable: if tojson | test("\\\\[ubfnrt]|[\(hidden)]") | not then . else
	walk(if type == "object" then with_entries(.key |= printable) elif type == "string" then printable else . end) end;
def xml: printable | gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;") | gsub("\""; "&quot;");
# Markdown with values in it: nothing there is HTML, or the start of a link. Between single backticks all is as it is.
def escaped: gsub("&"; "&amp;") | gsub("<"; "&lt;") | gsub(">"; "&gt;") | gsub("\\["; "&#91;");
def safe: gsub("[\r\n\f]"; " ") | if test("``|\\\\`") then escaped else
	split("`") | length as $n
	| [to_entries[] | if .key % 2 == 1 and .key < $n - 1 then .value else .value | escaped end] | join("`") end;
def cell_safe: tostring | if test("[\\\\|*`<&\\[\r\n\f]") then gsub("[\r\n\f]"; " ")
	| gsub("(?<c>[\\\\|*`\\[]|[<&](?=[A-Za-z/!?#]))"; "\\\(.c)") else . end;
