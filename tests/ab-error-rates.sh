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
make -s build/bench/ab_rates
page=docs/ab-error-rates.md
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

what_of() {	# what_of DIR: what was compared, as Markdown
	jq -r 'def variant: [.[]] | map(select(. != null and . != "")) | join(" ") | if . == "" then "as it is" else "`\(.)`" end;
		"`\(.experiment) \(.both)`, A \(.a | variant)\(if .a == .b then "" else ", B \(.b | variant)" end), "
		+ "\(.settings.metrics | if . == "" then "all metrics" else . end), pairs in a start: \(.settings.pairs)"' "$1/ab.json"
}

# The verdicts of comparisons whose B has the longer p50.
print_longer() {	# print_longer DIR...
	local n missed
	n=$(for dir; do jq -r .result.verdict "$dir/verdict.json"; done | grep -vxc 'too noisy' || :)
	missed=$((n - $(for dir; do jq -r .result.verdict "$dir/verdict.json"; done | grep -xc worse || :)))
	printf '%s comparisons, of which %s were not too noisy. Found (worse): %s of %s.' "$#" "$n" "$((n - missed))" "$n"
	[ "$n" = 0 ] || printf ' Not found: at most %s %% with 95 %% confidence.' "$(build/bench/ab_rates --bound "$missed" "$n")"
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
	printf '%s comparisons: %s.' "$#" "$(paste -sd , <<<"$verdicts" | sed 's/,/, /g')"
	[ "$known" = 0 ] || printf ' Called: %s of %s, so at most %s %% with 95 %% confidence.' "$called" "$known" \
		"$(build/bench/ab_rates --bound "$called" "$known")"
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
	build/bench/ab_rates "$work/blocks.tsv" \
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
		printf '%s:\n\n' "$what"
		mapfile -t dirs < <(W=$what awk -F'\t' '$1 == ENVIRON["W"] { print $2 }' "$work/all")
		"$2" "${dirs[@]}"
		echo
	done
}
{
	cat <<-'END'
		# How often is `thinprobe ab` wrong?

		Made by `tests/ab-error-rates.sh`; the seeds are in `bench/ab_rates.c`, so the same numbers come each time.

		## Simulated starts

		A *start* is one start of both sessions, A and B. They are then measured in turns, in *blocks*, which gives one difference
		between A and B for each metric. A comparison is judged after each start until a metric is called better or worse, 40 starts
		at most, with a false alarm rate of 5 % and an effect (the smallest difference of interest) of 10 %. *Called*: the share of
		1,000 comparisons. A and B are identical; in the last six rows only their *means* are equal, and the distribution is uneven:
		rare starts are much slower, most a little faster. A row that begins with a number has the law of the row above it, with other
		numbers.

	END
	build/bench/ab_rates | sed 's/^| B is/\nB is 10 % slower in truth. *Found*, and after how many starts (median):\n\n&/' | cat -s
	echo
	print_section '## Real blocks' print_real ${same[@]+"${same[@]}"} <<-'END'
		First: the verdicts of real comparisons of a variant with itself. Then 1,000 comparisons are made up from their starts: starts
		are drawn at random, the sign of each difference is chosen at random, and the result is judged in the same way. This is done
		once as it is, and once with 10 % added to the median of B; this difference should be found. To make 40 comparisons in about
		an hour, blocks are short (40 keys), a start has one pair of blocks, one metric is judged, and a comparison ends after 150 s,
		decided or not.
	END
	print_section '## A true shift' print_longer ${longer[@]+"${longer[@]}"} <<-'END'
		Real comparisons in which B's application takes longer by a known time. The right verdict is *worse*.
	END
	cat <<-'END'
		## How to read it

		- *Called* must not exceed the false alarm rate. It is far below it where starts scatter little, since a difference of less
		  than half the effect is never called.
		- Where the spread is three times the effect, almost nothing is decided in 40 starts, and ab says so.
		- If a variant is compared with itself, its differences are symmetric, whatever the shape of its latencies. For such
		  differences the rule is proved; they need not be normal. If the order has an effect, such as a slower first block, the proof
		  covers one part of the rule only, that for pairs of starts of opposite order. That the whole rule holds then is shown by the
		  table.
		- No rule can hold for uneven distributions whose rare large values have not occurred yet. If such starts scatter by as much
		  as the effect or more, variants of equal mean are called too often. (They do differ: in most starts.)
		- *Provisional* verdicts (`--noise`: disturbed blocks count, too) are wrong no more often, but find less. Nothing is decided
		  against a variant whose blocks were disturbed more often than the other's.
	END
} >"$page.new"
mv "$page.new" "$page"
