#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ab-error-rates.sh [DIR...] - writes docs/ab-error-rates.md: how often `thinprobe ab` is wrong, by simulation, and by real
# comparisons (DIR: of each, as ab makes it): of a variant with itself, their verdicts, and their starts drawn again; of two
# variants whose p50 is known to differ, how many were found. A part without a DIR stays as it is on the page.
#
# ab-error-rates.sh --real N DIR [EXPERIMENT] [OPTION...] - makes those first: DIR/1 to DIR/N, each with its number as seed. What is
# there stays, and what was interrupted goes on: the same command again resumes. 40 take an hour on a quiet machine:
#	tests/ab-error-rates.sh --real 40 results/ab-itself
# and with an application that answers after 11.32 ms in place of 10.29, which is 10 % longer:
#	tests/ab-error-rates.sh --real 40 results/ab-longer --a "--cost 10ms" --b "--cost 11.03ms"
set -eu
cd "$(dirname "$0")/.."
real=()
if [ "${1-}" = --real ]; then
	[[ ${2-} =~ ^[1-9][0-9]{0,3}$ && -n ${3-} ]] || { sed -n '3,13s/^# \{0,1\}//p' "$0" >&2; exit 2; }
	n=$2 folder=$3
	shift 3
	[[ ${1--} != -* ]] ||
		set -- stalls --protocol vnc:refecho --loads 0 --quick --time 2 --idle 1 --pairs 1 --metrics p50 --budget 150s "$@"
	for ((k = 1; k <= n; k++)); do
		dir=$folder/$k status=0
		real+=("$dir")
		[ ! -f "$dir/.done" ] || continue
		echo "comparison $k of $n"
		if [ -f "$dir/ab.json" ]; then ./thinprobe ab --resume "$dir" || status=$?
		else ./thinprobe ab "$@" --seed "$k" -o "$dir" || status=$?; fi
		case $status in 0 | 3 | 5) : >"$dir/.done" ;; *) exit "$status" ;; esac
	done
	set -- "${real[@]}"
fi
page=docs/ab-error-rates.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

what_of() {	# what_of DIR: what was compared, as Markdown
	jq -r 'def variant: [.[]] | map(select(. != null and . != "")) | join(" ") | if . == "" then "no other options" else "`\(.)`" end;
		"Experiment: `\(.experiment) \(.both)`. "
		+ (if .a == .b then "A and B have \(.a | variant)" else "A has \(.a | variant), B has \(.b | variant)" end)
		+ ". Verdicts are by \(.settings.metrics | if . == "" then "all metrics" else . end), with "
		+ (.settings.pairs | if tostring == "1" then "1 pair" else "\(.) pairs" end) + " of blocks in each start"' "$1/ab.json"
}

# The verdicts of comparisons whose B has the longer p50.
print_longer() {	# print_longer DIR...
	local n missed
	n=$(for dir; do jq -r .result.verdict "$dir/verdict.json"; done | grep -vxc 'too noisy' || :)
	missed=$((n - $(for dir; do jq -r .result.verdict "$dir/verdict.json"; done | grep -xc worse || :)))
	printf 'Of %s comparisons, %s were too noisy. Of the other %s, %s found B worse.' "$#" "$(($# - n))" "$n" "$((n - missed))"
	[ "$n" = 0 ] ||
		printf ' With 95 %% confidence, at most %s %% miss the difference.' "$(bench/ab_rates.py --bound "$missed" "$n")"
	for dir; do jq -c --slurpfile ab "$dir/ab.json" '{result, ab: $ab[0]}' "$dir/verdict.json"; done | jq -rs '
		def median: sort | if . == [] then null else (.[length / 2 | floor] + .[(length - 1) / 2 | floor]) / 2 end;
		def of(f): map(f) | median | if . == null then "-" else . * 10 | round / 10 end;
		"", "", "| | comparisons | p50 of B longer by, as seen | starts | blocks | minutes |", "|---|---:|---:|---:|---:|---:|",
		(group_by(.result.verdict)[] | "| \(.[0].result.verdict | if . == "worse" then "found" else "not found: \(.)" end) | \(length) | "
			+ "\(of(.result.metrics_decided[] | select(.metric == "latency_p50_ms") | 100 * (.b / .a - 1))) % | \(of(.ab.starts)) | "
			+ "\(of(.result.blocks)) | \(of(.ab.measured_s / 60)) |"),
		"", "Starts, blocks and minutes of measuring are medians."'
}

# The verdicts of comparisons, and their starts drawn again, all together.
print_real() {	# print_real DIR...
	local verdicts called known
	verdicts=$(for dir; do jq -r .result.verdict "$dir/verdict.json"; done | sort | uniq -c | awk '{ n = $1; $1 = ""; print n $0 }')
	called=$(awk '$2 ~ /^(better|worse)$/ { n += $1 } END { print n + 0 }' <<<"$verdicts")
	known=$(awk '!/too noisy/ { n += $1 } END { print n + 0 }' <<<"$verdicts")
	printf 'The verdicts of %s comparisons are: %s.' "$#" \
		"$(awk '{ n = $1; sub(/^[^ ]* /, ""); printf "%s%s times \"%s\"", sep, n, $0; sep = ", " }' <<<"$verdicts")"
	[ "$known" = 0 ] || printf ' There were %s false alarms in %s comparisons: with\n95 %% confidence, at most %s %% of all such %s' \
		"$called" "$known" "$(bench/ab_rates.py --bound "$called" "$known")" 'comparisons give one.'
	printf '\n\n'
	awk -F'\t' -v OFS='\t' -v names=" $(jq -r '.result.metrics_decided[].metric' "${@/%/\/verdict.json}" | sort -u | xargs) " '
		NR == 1
		FNR > 1 && $6 != "" && !index(names, " " $6 " ") { next }
		FNR == 1 { starts += most; pairs += last; most = last = 0; next }
		{
			if ($2 > most) most = $2
			if ($3 > last) last = $3
			$2 += starts; $3 += pairs
			print
		}' "${@/%/\/blocks.tsv}" >"$work/blocks.tsv"
	bench/ab_rates.py "$work/blocks.tsv" \
		"$(jq -s '([.[].measured_s] | add) / ([.[].starts] | add) / 60' "${@/%/\/ab.json}")" 2>"$work/why" ||
		printf 'Nothing to draw from: %s.\n' "$(sed 's/.*: //' "$work/why")"
}

same=() longer=()
for dir; do
	if jq -e '.a == .b' "$dir/ab.json" >/dev/null; then same+=("$dir"); else longer+=("$dir"); fi
done

# print_section HEADING FUNCTION DIR...: what these are, a group for each command; without DIR as it is on the page.
print_section() {
	local what dirs
	if [ $# = 2 ]; then
		H=$1 awk '/^## / { in_it = $0 == ENVIRON["H"] } in_it' "$page" 2>/dev/null || :
		return
	fi
	printf '%s\n\n%s\n\n' "$1" "$(cat)"
	for dir in "${@:3}"; do printf '%s\t%s\n' "$(what_of "$dir")" "$dir"; done >"$work/all"
	cut -f1 "$work/all" | sort -u | while IFS= read -r what; do
		printf '%s:\n\n' "${what/. Verdicts/.$'\n'Verdicts}"
		mapfile -t dirs < <(W=$what awk -F'\t' '$1 == ENVIRON["W"] { print $2 }' "$work/all")
		"$2" "${dirs[@]}"
		echo
	done
}
{
	cat <<-'END'
		# How often is `thinprobe ab` wrong?

		Made by `tests/ab-error-rates.sh`. The simulation has fixed seeds.

		## Simulated starts

		A [start](compare-builds.md#what-it-does) gives one difference for each metric. A simulated comparison ends when a metric is
		called better or worse, when all metrics are decided, or after 40 starts. The false alarm rate (`--alpha`) is 5 %. The
		effect (`--effect`, the smallest difference of interest) is 10 %.

		- *Called*: the percentage of 1,000 comparisons that call a metric better or worse, although A and B have equal means.
		- *Equal means*: A and B have the same mean, but B is much slower in a few starts, and a little faster in the others.
		- *Spread*: how much the difference varies from start to start. *Scatter*: how much blocks vary within a start.

	END
	bench/ab_rates.py | cat -s |
		sed 's/^| B is/*Found*: the percentage of comparisons that call B worse. *Starts*: their median over all comparisons.\n\n&/'
	echo
	print_section '## Real blocks' print_real ${same[@]+"${same[@]}"} <<-'END'
		In these measured comparisons, A and B are the same variant. To save time, blocks have 40 keys, and a comparison takes
		at most 150 s. The table has 1,000 comparisons made of their starts, which are drawn at random. Each difference gets a
		random sign. The 1,000 are judged twice: as they are, and with the median of B 10 % longer.
	END
	print_section '## A true shift' print_longer ${longer[@]+"${longer[@]}"} <<-'END'
		In these measured comparisons, B's application takes longer by a known time. The right verdict is *worse*.
	END
	cat <<-'END'
		## How to read it

		- *Called* must not exceed 5 %. With a small spread, that percentage is far lower, since a difference of less than half
		  the effect is never called.
		- If the spread is three times the effect, almost no comparison is decided in 40 starts.
		- It is proved (`thinprobe help judge`) that `ab` keeps the false alarm rate if differences have a symmetric
		  distribution, as they have if a variant is compared with itself.
		- If the order of blocks has an effect (such as a slower first block), the proof covers only the part of the rule that
		  pairs a start with A first and a start with B first. For the whole rule, the evidence is the first table.
		- With *equal means*, no rule can keep the false alarm rate before the rare large values have occurred. If the spread
		  is at least as large as the effect, more than 5 % of the comparisons can be called.
		- *Provisional* verdicts also use disturbed blocks (`--noise`). They are not wrong more often, but find fewer
		  differences. The variant whose blocks were disturbed more often is never called worse.
	END
} >"$page.new"
mv "$page.new" "$page"
