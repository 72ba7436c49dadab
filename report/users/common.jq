# SPDX-License-Identifier: GPL-3.0-or-later
# common.jq - what the reports of runs with many users share: rows by part, numbers, what the machine did to a cell.
include "lib";

def ms: if . == null then "" elif . >= 99.95 then fixed(0) elif . >= 9.995 then fixed(1) else fixed(2) end;
def time_words: if . == null then "" elif . < 0.9995 then "\(. * 1000 | number) ms" else "\(. | number) s" end;
def part($p): [.rows[] | select(.part == $p)];
def there: map(select(.repeats > 0));
def with_ends($name; format): (.[$name] | format) + (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] | format)–\(.[$name + "_high"] | format))" end);
def cov_words: if .cov == null then "" else (.cov | fixed(2)) + (if .cov_low == null then "" else " (\(.cov_low | fixed(2))–\(.cov_high | fixed(2)))" end) end;
# So far from 1 may it be by chance, of a Poisson process (one cell by itself; 1.96 by the root of the number of gaps).
def band_words: if .cov_band == null then "" else "1 ± \(.cov_band | fixed(2))" end;
def cov_above: .cov > 1 + .cov_band;
def cov_below: .cov < 1 - .cov_band;
def cov_random: (cov_above or cov_below) | not;
# By itself: in so many of its repeats; and of all cells of the run, by Holm.
def random_words: if .judged == 0 then "" elif .poisson == .judged then "yes" elif .poisson == 0 then "no" else "\(.poisson) of \(.judged)" end;
def among_words: if .arrivals_p_of_all == null then "" elif .arrivals_p_of_all < 0.05 then "no" else "yes" end;
def failed_requests: (.errors // 0) + (.timeouts // 0) + (.unanswered // 0);
def mark: if .marked > 0 then " *" else "" end;

def invalid_words: [.rows[] | select(.invalid > 0)] as $i | if $i == [] then null else
	"In \($i | length) of \(plural(.rows | length; "cell"; "cells")) the users' own program was in the way, or some users were not there (marked): these figures are not the server's alone." end;
def disturbed_by: (.foreign_percent_max // 0) + (.steal_percent_max // 0);
def marked_cells_words: [.rows[] | select(.marked > 0 and disturbed_by > 3)] as $m | if $m == [] then null else
	"\($m | length) of \(plural(.rows | length; "cell"; "cells")) \(if ($m | length) == 1 then "was" else "were" end) disturbed: others, or the hypervisor, had up to \([$m[] | disturbed_by] | max | number) % of the server's CPU." end;
def indicative: .run.settings as $s | if ($s.repeats // 1) < 5 then "indicative: \(plural($s.repeats // 1; "repeat"; "repeats"))" else null end;
def signed: if . == null then "" else (if . >= 0.05 then "+" else "" end) + fixed(1) end;
def finding_together: [.rows[] | select(.arrivals_p_of_all != null)] | if length < 2 then empty else
	[.[] | select(.poisson < .judged)] as $alone | [.[] | select(.arrivals_p_of_all < 0.05)] as $together
	| if $alone == [] then "Requests pass as random in each of \(length) cells." else
	"Of \(length) cells \($alone | length) \(if ($alone | length) == 1 then "is" else "are" end) not random, each judged by itself; held against all of them together (Holm) "
	+ (if $together == [] then "none is that far off" else "\($together | length) still \(if ($together | length) == 1 then "is" else "are" end) not" end)
	+ ". (Of cells that are random, one in twenty is not called so by itself.)" end end;
def about: if . < 0.1 then "less than 0.1" else number end;
def lost_words: [.rows[] | select(.repeats > 0 and failed_requests > 0)] | if . == [] then empty else "Requests failed or were not answered in \(plural(length; "cell"; "cells")): \(map("\(.cell) (\(failed_requests) of \(.requests + failed_requests))") | join(", "))." end;

# What the columns on when requests come mean, as items of a list.
def random_items: "CoV: standard deviation of the times between requests (sd) by their mean (gap). 0: like a clock; 1: at random.",
	"If random: where the CoV of 95 of 100 such cells lies if requests come at random (1 ± 1.96/√n of n gaps). It is the band of one cell, not corrected for the number of cells.",
	"Random: whether five tests together (CoV, Kolmogorov and Smirnov, dispersion of counts, correlation, periodogram; Holm) leave it at that, for this cell by itself, at 5 %; of several repeats, in how many.",
	"Among all: the same, corrected for all cells of this run (Holm), the least p of a cell's repeats times their number.";
def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def terminal($words):	# rows of texts as lines; the first $words columns stand left
	. as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
	| $all[] | [to_entries[] | .key as $c | .value // "" | if $c < $words then left($width[$c]) else right($width[$c]) end] | " " + join("  ");
