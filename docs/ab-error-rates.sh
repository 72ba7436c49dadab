#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ab-error-rates.sh [DIR...] - writes docs/ab-error-rates.md: how often `thinprobe ab` is wrong, by simulation, and by resampling
# the starts of real comparisons of a variant with itself (DIR: of each, as ab makes it). Without DIR it keeps that part of the
# page.
set -eu
cd "$(dirname "$0")/.."
make -s build/bench/ab_rates
page=docs/ab-error-rates.md
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

			Starts of real comparisons of a variant with itself, drawn again at random, each with a random sign, with the same looks.
			To find is a median that is 10 % longer.

		END
		for dir; do
			jq -r '(.a.options | if . == "" then "as it is" else . end) as $a
				| "`\(.experiment) \(.both)`, A \($a), \(.settings.pairs) pairs a start:"' "$dir/ab.json"
			build/bench/ab_rates "$dir/blocks.tsv" "$(jq '.measured_s / .starts / 60' "$dir/ab.json")"
			echo
		done
	else
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
