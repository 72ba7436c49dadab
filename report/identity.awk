# SPDX-License-Identifier: GPL-3.0-or-later
# identity.awk - what in the files of a run names people and machines; for bundle.sh. A file is JSON (*.json), or else a table.
#
# Prints lines "KIND VALUE PLACE", with tabs between; RUN of the environment is the run's folder. Where WORDS is a table of lines
# "VALUE WORD ANYWHERE", it writes each FILE to OUT/FILE instead, with WORD for VALUE: as a whole word in all texts if ANYWHERE is 1
# (2: also in other letter case), else only where the key says what the text is. RUN and VALUE are as text stands in JSON.

BEGIN {
	FS = OFS = "\t"
	words = ENVIRON["WORDS"]
	while (words != "" && (getline <words) > 0) {
		if ($3 == "") { named[$1] = $2; continue }
		word[$1] = $2
		if ($3 == 2 && tolower($1) != toupper($1)) low[$1] = tolower($1)
	}
	run = ENVIRON["RUN"]
}
FNR == 1 {
	if (to != "") close(to)
	to = ENVIRON["OUT"] "/" FILENAME
	file = substr(FILENAME, 3)	# without ./
	depth = 0
}
{
	text = file ~ /\.json$/ ? in_json($0) : in_text($0, "", "")
	if (words != "") print text >to
}

# The texts of a line one by one, with their path. (What is measured is no text, and stays as it is.)
function in_json(line,   done, token, i, path, key) {
	while (match(line, /[]["{}]/)) {
		done = done substr(line, 1, RSTART - 1)
		line = substr(line, RSTART)
		if (!match(line, /^"([^"\\]|\\.)*"/)) RLENGTH = 1
		token = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
		if (token ~ /^[[{]/) name[++depth] = ""
		else if (token ~ /^[]}]/) depth -= (depth > 0)
		else {
			token = substr(token, 2, length(token) - 2)
			path = key = ""
			if (line ~ /^[ \t]*:/) name[depth] = token
			else for (i = 1; i <= depth; i++) if (name[i] != "") path = path (path == "" ? "" : ".") (key = name[i])
			token = "\"" in_text(token, path, key) "\""
		}
		done = done token
	}
	return done line
}

function in_text(text, path, key,   kind, value) {
	kind = kind_of(path, key)
	if (words == "") {
		place = file (path == "" ? "" : ": " path)
		identify(kind, text, path)
		if (run != "" && index(text, run)) folder(run "/cells/")
		by_shape(text, path, key)
		return ""
	}
	if (kind == "command" && text in named) return named[text]
	text = renamed(text)
	if (kind != "") for (value in named) text = renamed_there(text, value, named[value], kind)
	return text
}

function kind_of(path, key) {
	if (key ~ /^(.*_)?host(name)?$/ || path ~ /^lab\.(server|client|listener)$/) return "host"
	if (key == "hosts" || path ~ /(^|\.)settings\.clients$|^sweep\.from$/) return "hosts"
	if (path ~ /(^|\.)settings\.(on|to|server|target|listen|bind)$|^protocol\.server$|^sweep\.on$/) return "on"
	if (key ~ /^(user|login)(name|_name)?$/) return "user"
	if (path == "command" || path ~ /(^|\.)settings\.(set_load|before|hog|own_display)$/) return "command"
	if (key == "interface" || path ~ /^lab\.(link|capture)$/) return "interface"
	if (key ~ /^(.*_)?title$/) return "title"
	if (key ~ /^(machine|says)$/) return key
	return file == "run.json" && path ~ /^settings\./ ? "text" : ""
}

function add(kind, value) {
	if (value !~ /^(|-|lo|localhost)$/ && (kind != "user" || value != "root")) print kind, value, place
}

function identify(kind, text, path,   part, n, i, attach) {
	if (kind == "host") add_host(text)
	else if (kind ~ /^(user|title|machine|command)$/) add(kind, text)
	else if (kind == "interface") {
		n = split(text, part, " ")
		if (path == "lab.link") { add(kind, part[2]); add(kind, part[4]) }
		else if (path != "lab.capture" || text ~ /listener, /) add(kind, part[n])
	} else if (kind == "hosts") {
		n = split(text, part, ",")
		for (i = 1; i <= n; i++) if (part[i] !~ /^[0-9]+$/) add_host(part[i])
	} else if (kind == "on" && text ~ /\\".*\\"/) {	# of VNC: version, size, and the desktop's name
		sub(/^[^"]*\\"/, "", text)
		sub(/\\"[^"]*$/, "", text)
		add("title", text)
		if (text ~ /^[^ ]+@[^ ]+$/) add_host(text)
		if (text ~ /^[^ ]+:[0-9]+ \([^ ]+\)$/) {	# HOST:N (USER)
			add_host(text)
			sub(/^[^(]*\(/, "", text)
			add("user", substr(text, 1, length(text) - 1))
		}
	} else if (kind == "on" && (text ~ /[:@]/ || path ~ /\.on$/ && text != "lab")) {
		attach = sub(/^attach:/, "", text)
		n = split(text, part, ",")
		for (i = 1; i <= n; i++) {
			if (sub(/^(ssh|vnc|rdp|x11):(\/\/)?/, "", part[i]) || !attach || i == 1) add_host(part[i])
			else if (i == 2 && part[i] !~ /^(0x[0-9A-Fa-f]+|[0-9]+|pick)$/) add("title", part[i])
		}
	} else if (kind == "text" && text ~ /[^A-Za-z0-9_.,:%+=-]/) add("text", text)
	else if (kind == "text") {	# (bundle.sh leaves out words that are thinprobe's)
		n = split(text, part, /[,:=+]/)
		for (i = 1; i <= n; i++) if (part[i] ~ /[A-Za-z]/ && part[i] !~ /^[0-9.]+[A-Za-z]*$/) add("text", part[i])
	}
}

function add_host(text,   user) {	# [USER@]HOST[:PORT]
	user = text
	if (sub(/@.*/, "", user)) sub(/^[^@]*@/, "", text); else user = ""
	add("user", user)
	if (text ~ /^[0-9]+\.[0-9]+\.[0-9.]+|^[0-9A-Fa-f]*:[0-9A-Fa-f]+:/) return	# an address
	if (text !~ /^[A-Za-z0-9_][A-Za-z0-9_.-]*([:%][^ ]*)?$/) return
	sub(/[:%].*/, "", text)
	add("host", text)
	if (sub(/\..*/, "", text)) add("host", text)
}

# Addresses and folders.
function by_shape(text, path, key) {
	if (key == "version" || path ~ /\.tools\./) add("version", text)
	seek(text, "[0-9]+[.][0-9]+[.][0-9]+[.][0-9]+")
	seek(text, "[0-9A-Fa-f]*:[0-9A-Fa-f]*:[0-9A-Fa-f:]*")
	if (key ~ /^(file|folder|output|script|trace|traffic)$/ && text ~ /^\/[^\/]+\// || is_in_run(text)) folder(text)
	else seek(text, "/[^][ \t\"'\\\\,:;()<>|*=]+")
}

# A file of a run, and nothing else: its folder may have blanks.
function is_in_run(text) { return text ~ /^\/[^\/]+\/.*\/cells\/[^ ]*$/ && text !~ / \// }

function seek(text, pattern,   found, before) {	# (one alternative each: mawk misses matches where there are several)
	for (before = ""; match(text, pattern); before = substr(found, length(found))) {
		found = substr(text, RSTART, RLENGTH)
		if (RSTART > 1) before = substr(text, RSTART - 1, 1)
		text = substr(text, RSTART + RLENGTH)
		if (before ~ /[A-Za-z0-9_.]/) continue
		if (found ~ /^\//) folder(found)
		else if (text !~ /^([A-Za-z0-9_]|\.[0-9])/) address(found)
	}
}

function address(text,   part, n, i, full) {
	if (text ~ /\./ && text !~ /^(0|127|255)\.|[3-9][0-9][0-9]|[0-9][0-9][0-9][0-9]/) add("address", text)
	if (text ~ /^:[^:]/) text = substr(text, 2)
	n = split(text, part, ":")
	for (i = 1; i <= n; i++) {
		if (length(part[i]) > 4) return
		full += part[i] != ""
	}
	if (n == 8 && full == 8 || n == 6 && text ~ /^(..:)(..:)(..:)(..:)(..:)..$/ ||
		n <= 8 && full > 1 && text ~ /::/ && text !~ /::.*::|:::/) add("address", text)
}

function folder(text,   part, n, of_run) {
	sub(/^\/+/, "/", text)
	if (text !~ /^\/[^\/]+\/./ || text ~ /^\/(usr|lib[0-9]*|bin|sbin|etc|dev|proc|sys)\/|^\/var\/tmp$/) return
	of_run = sub(/\/cells\/.*/, "", text)
	sub(/[.]+$/, "", text)
	n = split(text, part, "/")
	if (of_run) add("folder", part[n])
	if (part[2] ~ /^(home|Users)$/) add("user", part[3])
	add("path", text)
}

function renamed(text,   done, value, first, best, lower, from, at) {
	lower = tolower(text)
	for (value in word) if (value in low ? index(lower, low[value]) : index(text, value)) at[value] = 0
	for (from = 1; ; from = first + length(best)) {
		first = 0
		for (value in at) {
			if (at[value] < from && !(at[value] = next_whole(text, lower, value, from))) { delete at[value]; continue }
			if (!first || at[value] < first || at[value] == first && length(value) > length(best)) {
				first = at[value]
				best = value
			}
		}
		if (!first) return done substr(text, from)
		done = done substr(text, from, first - from) word[best]
	}
}

# Where the value is the next whole word, from there on; 0: nowhere. (is_whole looks at three characters before it, at most.)
function next_whole(text, lower, value, from,   at) {
	at = from - 1
	do at = value in low ? next_index(lower, low[value], at) : next_index(text, value, at)
	while (at && !is_whole(value, substr(text, at > 3 ? at - 3 : 1, at > 3 ? 3 : at - 1), substr(text, at + length(value), 2)))
	return at
}

function next_index(text, value, at,   more) {
	more = index(substr(text, at + 1), value)
	return more ? at + more : 0
}

# Whether neither a letter nor a digit joins it before or behind (\n is none), nor another number those of an address.
function is_whole(value, before, behind) {
	if (value ~ /^[A-Za-z0-9_\200-\377]/ && before ~ /[A-Za-z0-9_\200-\377]$/ && before !~ /(^|[^\\])\\[bfnrt]$/) return 0
	if (value ~ /[A-Za-z0-9_\200-\377]$/ && behind ~ /^[A-Za-z0-9_\200-\377]/) return 0
	return value !~ /^[0-9.]+$/ || before !~ /\.$/ && behind !~ /^\.[0-9]/
}

# The value where a text of this kind has a name: alone, or between the signs that stand beside names.
function renamed_there(text, value, new, kind,   done, at, before, behind, blank) {
	blank = kind == "interface" ? " " : ""
	while ((at = index(text, value)) > 0) {
		done = done substr(text, 1, at - 1)
		before = substr(done, length(done))
		behind = substr(text, at + length(value), 1)
		if ((before == "" ? behind == "" || kind != "on" : index("@:,/=%\"" blank, before)) &&
			(behind == "" || index(":,%/@\\" blank, behind))) done = done new
		else done = done value
		text = substr(text, at + length(value))
	}
	return done text
}
