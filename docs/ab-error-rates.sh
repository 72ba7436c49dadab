#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ab-error-rates.sh [DIR...] - writes docs/ab-error-rates.md: how often `thinprobe ab` is wrong, by simulation, and by real
# comparisons of a variant with itself (DIR: of each, as ab makes it): their verdicts, and their starts drawn again. Without DIR it
# keeps that part of the page.
#
# ab-error-rates.sh --real N DIR [EXPERIMENT OPTION...] - makes those first: DIR/1 to DIR/N, each with its number as seed. What is
# there stays, and what was interrupted goes on: the same command again resumes. 40 take about three hours:
#	docs/ab-error-rates.sh --real 40 results/ab-itself
set -eu
cd "$(dirname "$0")/.."
real=()
if [ "${1-}" = --real ]; then
	[[ ${2-} =~ ^[1-9][0-9]{0,3}$ && -n ${3-} ]] || { sed -n '3,10s/^# \{0,1\}//p' "$0" >&2; exit 2; }
	n=$2 folder=$3
	shift 3
	[ $# -gt 0 ] || set -- stalls --protocol vnc:refecho --loads 0 --quick --time 6 --idle 1 --budget 5m
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

what_of() {	# what_of DIR: what was compared with itself, as Markdown
	jq -r '"`\(.experiment) \(.both)`, A \(.a.options | if . == "" then "as it is" else . end), \(.settings.pairs) pairs a start"' \
		"$1/ab.json"
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
	awk -F'\t' -v OFS='\t' '
		NR == 1
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

kept=$(sed -n '/^## Real blocks/,/^## How/p' "$page" 2>/dev/null | sed '$d' || true)
{
	cat <<-'END'
		# How often is `thinprobe ab` wrong?

		Made by `docs/ab-error-rates.sh`; the seeds are in `bench/ab_rates.c`, so the same numbers come each time.

		## Simulated starts

		Nothing differs in truth. After each start all metrics are looked at, up to 40 starts, with 5 % asked for and an effect of
		10 %. *Called*: any metric was called better or worse.

	END
	build/bench/ab_rates | sed 's/^A t test/\nA t test/; s/^| spread/\nB is 10 % slower in truth (normal differences):\n\n&/' | cat -s
	echo
	if [ $# -gt 0 ]; then
		cat <<-'END'
			## Real blocks

			Real comparisons of a variant with itself: what they said; and their starts, drawn again at random, each with a random sign,
			with the same looks. To find is a median that is 10 % longer.

		END
		for dir; do printf '%s\t%s\n' "$(what_of "$dir")" "$dir"; done >"$work/all"
		cut -f1 "$work/all" | sort -u | while IFS= read -r what; do
			printf '%s:\n\n' "$what"
			mapfile -t dirs < <(W=$what awk -F'\t' '$1 == ENVIRON["W"] { print $2 }' "$work/all")
			print_real "${dirs[@]}"
			echo
		done
	elif [ -n "$kept" ]; then
		printf '%s\n\n' "$kept"
	fi
	cat <<-'END'
		## How to read it

		- *Called* must not be more than the rate asked for. It is far less where a start's spread is small, since a difference of less
		  than half the effect is not called, however sure it is.
		- Where the spread is three times the effect, nothing is decided in 40 starts, and that is what ab says.
		- In truth a variant that is compared with itself has symmetric differences, whatever the shape of its latencies.
	END
} >"$page.new"
mv "$page.new" "$page"
