# SPDX-License-Identifier: GPL-3.0-or-later
# crowds.jq - what reports of runs with many users share.
include "words";

def part($p): [.summary[] | select(.part == $p and .repeats > 0)] | sort_by(.users);
# A mean of what was answered, where requests were not.
def without_failed: if failed_requests == 0 then "" else " (without \(failed_requests | plural("failed request")))" end;
def response_words: if mostly_answered and .response_ms != null then level("response_ms") + without_failed
	else "unknown: \(failed_words)" end;
# Requests at random, as a Poisson process: each condition by itself (its repeats together), and all together (Holm).
def odd_claims: {odd_alone: exceeds({value: 0.05}; {value: .arrivals_p}), odd: exceeds({value: 0.05}; {value: .arrivals_p_of_all})};
def together: [.summary[] | select(.arrivals_p_of_all != null)] | if length < 2 then empty else
	(map(select(.odd_alone == "yes")) | length) as $alone | (map(select(.odd == "yes")) | length) as $holm
	| finding("arrivals";
		"**Nothing speaks against requests at random times (Poisson)** in"
		+ " \(length - $alone) of \(length | plural("condition")), each tested by"
		+ " itself (5 % false alarms); corrected for all tests (Holm), \($holm) "
		+ (if $holm == 1 then "is not random." else "are not random." end);
		{value: $holm, unit: "", figure: "cov"}) end;
# How many requests of a row (the input) are answered late.
def late_words($limit): if .late_percent == null then "" else
	", and \(level("late_percent")) of the" + (if failed_requests > 0 then " answered" else "" end) + 
		" requests take longer than \($limit | plain) ms" end;
def lost_requests: [.summary[] | select(.repeats > 0 and failed_requests > 0)] | select(. != [])
	| finding("lost"; "**Requests failed or were not answered** in \(length | plural("condition")): "
		+ (map("\(failed_requests) of \(.requests + failed_requests) with \(.users | plural("user"))") | join(", ")) + ".";
		{value: (map(failed_requests) | add), unit: "", verdict: "bad"});
def invalid_requests: [.summary[] | select((.invalid // 0) > 0)] | select(. != [])
	| finding("invalid"; "**The load generator interfered**, or some users were missing, in \(length | plural("condition")):"
		+ " these figures do not describe the server alone.";
		{value: length, unit: "", verdict: "unsure"});
