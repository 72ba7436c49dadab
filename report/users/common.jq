# common.jq - what the reports of runs with many users share: rows by part, numbers, what the machine did to a cell.
include "lib";

def ms: if . == null then "" elif . >= 99.95 then fixed(0) elif . >= 9.995 then fixed(1) else fixed(2) end;
def time_words: if . == null then "" elif . < 0.9995 then "\(. * 1000 | number) ms" else "\(. | number) s" end;
def part($p): [.rows[] | select(.part == $p)];
def there: map(select(.repeats > 0));
def with_ends($name; format): (.[$name] | format) + (if .[$name + "_low"] == null then "" else " (\(.[$name + "_low"] | format)–\(.[$name + "_high"] | format))" end);
def cov_words: if .cov == null then "" else (.cov | fixed(2)) + (if .cov_low != null then " (\(.cov_low | fixed(2))–\(.cov_high | fixed(2)))" else " ± \(.cov_band | fixed(2))" end) end;
# Within its own band of 1, whatever the other tests say.
def cov_low: .cov_low // (.cov - .cov_band);
def cov_high: .cov_high // (.cov + .cov_band);
def random_words: if .judged == 0 then "" elif .poisson == .judged then "yes" elif .poisson == 0 then "no" else "\(.poisson) of \(.judged)" end;
def failed_requests: (.errors // 0) + (.timeouts // 0) + (.unanswered // 0);
def mark: if .marked > 0 then " *" else "" end;

def invalid_words: [.rows[] | select(.invalid > 0)] as $i | if $i == [] then null else
	"In \($i | length) of \(plural(.rows | length; "cell"; "cells")) the users' own program was in the way, or some users were not there (marked): these figures are not the server's alone." end;
def marked_cells_words: [.rows[] | select(.marked > 0)] as $m | if $m == [] then null else
	"\($m | length) of \(plural(.rows | length; "cell"; "cells")) \(if ($m | length) == 1 then "was" else "were" end) disturbed (others, or the hypervisor, had up to \([$m[] | (.foreign_percent_max // 0) + (.steal_percent_max // 0)] | max | number) % of the server's CPU\(if any($m[]; .invalid > 0) then "; or the users' own program was late" else "" end))." end;
def indicative: .run.settings as $s | if ($s.repeats // 1) < 3 then "indicative: \(plural($s.repeats // 1; "repeat"; "repeats"))" else null end;
def lost_words: [.rows[] | select(.repeats > 0 and failed_requests > 0)] | if . == [] then empty else "Requests failed or were not answered in \(plural(length; "cell"; "cells")): \(map("\(.cell) (\(failed_requests) of \(.requests + failed_requests))") | join(", "))." end;

def right($n): (" " * ($n - length) // "") + .;
def left($n): . + (" " * ($n - length) // "");
def terminal($words):	# rows of texts as lines; the first $words columns stand left
	. as $all | [range($all[0] | length) as $c | [$all[][$c] // "" | length] | max] as $width
	| $all[] | [to_entries[] | .key as $c | .value // "" | if $c < $words then left($width[$c]) else right($width[$c]) end] | " " + join("  ");
