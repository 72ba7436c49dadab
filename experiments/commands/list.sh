#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# list.sh - lists the experiments by question, or by the papers that they reproduce, from their plans; or the protocols that can
# run here.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
. "$TP_HOME/experiments/engine/plan.sh"
TP_TOOL=thinprobe

# Lines "STEM WORD REST" of all plans, by stem.
list_plans() {
	local plans
	mapfile -t plans < <(in_trees 'experiments/*/plan')
	plan_lines -n "${plans[@]}" | LC_ALL=C sort -s -k 1,1
}

# Prints each experiment with its minutes and its question, by topic; topics that are not in this list come last, under their own
# names.
list_questions() {
	list_plans | awk '
		BEGIN {
			n = split("typing network sizing applications probe", topics, " ")
			split("Typing|Network|Sizing a server|Applications|The probe itself", titles, "|")
			for (i = 1; i <= n; i++) title[topics[i]] = titles[i]
		}
		$1 != last { last = $1; stems[++stem] = $1 }
		{ word = $2; name = $1; sub(/^[^ ]+ +[^ ]+ +/, ""); of[name, word] = $0 }
		END {
			for (i = 1; i <= stem; i++) {
				topic = of[stems[i], "question"]; text = topic; sub(/ .*/, "", topic)
				if (!sub(/^[^ ]+ +/, "", text)) { topic = "other"; text = of[stems[i], "says"] }
				if (!(topic in title)) { title[topic] = topic; topics[++n] = topic }
				lines[topic] = lines[topic] sprintf("  %-14s %4d  %s\n", stems[i], of[stems[i], "minutes"], text)
			}
			print "Questions, and the minutes they take: thinprobe run NAME (far fewer: --quick)"
			for (i = 1; i <= n; i++) if (topics[i] in lines) printf "\n%s\n%s", title[topics[i]], lines[topics[i]]
			print "\nPapers: thinprobe list --papers   Protocols: thinprobe list --protocols"
			print "Needs of one: thinprobe doctor NAME   Options of one: thinprobe run NAME --help"
		}' | fold -s -w "$LINE_WIDTH" | sed 's/ *$//'
}

# list_folded FORMAT COLUMN WORD... TEXT: a row that fits a terminal; further lines of the text, its last word, begin at the column.
list_folded() {
	local text
	text=$(fold -s -w $((LINE_WIDTH - $2)) <<<"${*: -1}" | sed "2,\$s/^/$(printf '%*s' "$2" '')/; s/ *\$//")
	printf "$1%s\n" "${@:3:$#-3}" "$text"
}

list_papers() {
	list_folded '%-14s  %-8s  ' 26 experiment minutes 'what it shows'
	list_plans | awk '
		$1 != last { flush(); last = $1; split("", of) }
		{ word = $2; sub(/^[^ ]+ +[^ ]+ +/, ""); of[word] = $0 }
		END { flush() }
		function flush() {
			if (last != "")
				printf "%s\t%d\t%s%s\n", last, of["minutes"], of["paper"] == "-" ? "" : of["paper"] ": ", of["figure"]
		}' | while IFS=$'\t' read -r name minutes text; do list_folded '%-14s  %-8d  ' 26 "$name" "$minutes" "$text"; done
}

list_json() {
	need jq jq
	list_plans | jq -Rn '[inputs | capture("^(?<name>[^ ]+) +(?<word>[^ ]+) +(?<rest>.*)$")] | group_by(.name) | map(
		(map(select(.word | IN("option", "use", "setting") | not) | {(.word): .rest}) | add) as $plan
		| ($plan.question // "other \($plan.says)" | capture("^(?<topic>[^ ]+) +(?<text>.*)$")) as $question
		| {name: .[0].name, topic: $question.topic, question: $question.text, says: $plan.says, figure: $plan.figure,
			paper: ($plan.paper | if . == "-" then null else . end), minutes: ($plan.minutes | split(" ")[0] | tonumber),
			quick_minutes: ($plan.minutes | capture("quick=(?<n>[0-9]+)").n // null | values // "" | tonumber? // null),
			needs: $plan.needs})'
}

list_protocols() {
	local name variant
	list_folded '%-12s  %-4s  ' 20 protocol here what
	for name in $(plugins protocols); do
		list_protocol "$name"
		# the first variant is the default
		for variant in $(protocol_use "$name" && protocol_variants |
			cut -s -d' ' -f2-); do list_protocol "$name:$variant"; done
	done
}

# In a subshell, since plug-ins define functions of the same names.
list_protocol() (
	local here=yes why
	protocol_use "$1"
	if ! why=$(protocol_can); then
		here=no why=": $why"
		! setup_helps "$1" "$why" || why+=" (thinprobe setup --protocol $1)"
	fi
	list_folded '%-12s  %-4s  ' 20 "$1" "$here" "$(protocol_about)$why"
)

[ $# -le 1 ] || die -2 "list: unexpected $2 (see thinprobe list --help)"
case ${1:-} in
'') list_questions ;;
--papers) list_papers ;;
--protocols) list_protocols ;;
--json) list_json ;;
-h | --help)
	cat <<'END'
usage: thinprobe list [--papers | --protocols | --json]
Lists the experiments by question.
  --papers      by name, with the paper and what each experiment shows
  --protocols   display protocols, whether they can run here, and why not
  --json        experiments as JSON
END
	;;
*) die -2 "list: unexpected $1$(nearest "$1" "" --papers --protocols --json) (see thinprobe list --help)" ;;
esac
