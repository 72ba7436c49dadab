# SPDX-License-Identifier: GPL-3.0-or-later
# lib.jq - what table, findings and page share: numbers as people read them, rows of summary.tsv, names of applications.
# Every filter expects the document that common.sh makes: {run, rows, summary, thresholds}.

def fixed($d):	# fixed number of decimals, as text
	if . == null then "" else
		(if . < 0 then "-" else "" end) as $sign | (fabs * pow(10; $d) | round | tostring) as $n
		| (if ($n | test("^0+$")) then "" else $sign end) as $sign
		| if $d == 0 then $sign + $n
		  else ("0" * ([$d + 1 - ($n | length), 0] | max) // "") as $pad | ($pad + $n) as $m | $sign + $m[0:-$d] + "." + $m[-$d:] end
	end;

def number:	# as many decimals as make sense to read
	if . == null then "" elif fabs >= 99.95 then fixed(0) elif fabs >= 0.995 or . == 0 then fixed(1) else fixed(2) end;

def plain: if . == (. | round) then fixed(0) else fixed(2) | sub("0+$"; "") end;	# what somebody set: 10, 2.5

def percent:
	if . == null then "" elif . == (. | round) then fixed(0) elif . >= 99.95 then "99.9" elif . < 0.1 then fixed(2) else fixed(1) end;

def link_words:
	if . == null then "a link of unknown rate" elif startswith("none") then "a link that is not shaped"
	else "a link of " + (split(",") | (.[0] | sub("(?<n>[0-9])(?<u>[KMG]?)bit"; "\(.n) \(.u)bit/s"))
		+ (if .[1] then " and \(.[1])\(if .[2] then " ± \(.[2])" else "" end) of delay\(if .[3] then " and \(.[3] | rtrimstr("%")) % of loss" else "" end) each way" else "" end)) end;

def plural($n; $one; $many): "\($n) " + if $n == 1 then $one else $many end;

def join_and: if length < 2 then join("") else (.[:-1] | join(", ")) + " and " + .[-1] end;

def threshold: .run.settings.threshold_ms // 100;
def rate: .run.settings.rate_per_s // 20;

# The probe's own error on the path of this run, as its machine's calibration found it; null: not calibrated. Xvnc holds answers back
# by a frame clock of its own, which is no error of the probe: what reads vnc is calibrated without one.
def calibration_path: .run.settings.protocol // "" | if startswith("vnc") then "vnc-refecho" elif startswith("x11") or startswith("attach") then "x11" else null end;
def calibrated: calibration_path as $path | (.run.calibration // {}) as $record
	| [$record.paths // [] | .[] | select(.path == $path and .probe == "patch" and .error_ms != null) | .started = (.started // $record.started)] | first;
def not_calibrated: if (.run.settings.on // "lab" | . == "lab" or startswith("attach:")) then "not calibrated on this machine (thinprobe calibrate)"
	else "not calibrated: the record of thinprobe calibrate holds for the emulated hosts of its own machine" end;
def calibration_date: .started // "" | .[0:10];
def calibration_marks: (if .disturbed == true then " (from a disturbed calibration)" else "" end) + if .quick == true then " (quick)" else "" end;

# A latency below it is no figure. Without a calibration, what a train to a target inside the probe, which answers at once, still
# measures: a lower bound of the probe's own error.
def resolution: (calibrated | if . == null then null else .error_ms end) // (.run.chain // {} | .latency_p99_ms // .latency_p50_ms // 0);
def resolution_words: if calibrated == null then "what keyrepeat by itself may need" else "the probe's own error" end + " (\(resolution | number) ms)";

# Times between updates know nothing of a constant offset: each is off by what two keys' offsets differ. Their mean telescopes:
# two offsets over the whole train. 0: not calibrated.
def gap_resolution: calibrated | if . == null then 0 else .sd_ms * (2 | sqrt) end;
def mean_gap_resolution($row): calibrated | if . == null or ($row.repeats // 0) == 0 then 0 else 2 * .error_ms / ([$row.keys / $row.repeats, 2] | max) end;
# A stage with a packet time at one end is no surer than these scatter.
def stage_resolution($stage): calibration_path as $path | if $stage == "due_sent" or $stage == "app_drawn" or $stage == "latency" then 0
	else [(.run.calibration // {}).paths // [] | .[] | select(.path == $path and .probe == "wire") | .sd_ms | values] | first // 0 end;
def unless_below($resolution; text): if . != null and fabs < $resolution then "below resolution" else text end;

def rows_of($app): [.rows[] | select(.app == $app)] | sort_by(.sinks);
def measured: map(select(.repeats > 0 and .keys > 0));
def apps: [.rows[].app] | unique | sort_by({"light": 0, "heavy": 1, "own": 2}[.] // 3);

def cost: [.rows[].cost_ms | values] | first;
def cost_words: "\(cost // .run.settings.cost_ms // 0 | plain) ms";
# "own": the protocol answers keys itself. With a cost it is a reference application like the heavy one, without one it may be anything.
def burns($app): $app == "heavy" or ($app == "own" and any(.rows[]; .app == "own" and (.cost_ms // 0) > 0));
# A client window of a server that is not ours: the load, if any, was put there by hand, and its number is a label.
def attached: .run.settings.on // "" | startswith("attach:");
def attached_words($text):
	if attached then $text | gsub("(?<=[^0-9])(?<n>[0-9]+) sinks?"; "the load called \(.n)") | gsub("ithout load"; "ithout a load put there by hand")
		| gsub("^\\| sinks \\|"; "| load |") | gsub("number of sinks"; "load")
	else $text end;
def own_name: if attached then "the attached application" elif .run.settings.protocol // "" | startswith("null") then "the null target" else "the server's own application" end;
def app_name($app):
	(if burns($app) then " (\(cost_words) a \(.run.settings.cost_per // "redraw"))" else "" end) as $cost
	| if $app == "light" then "vim" elif $app == "own" then own_name + $cost else $app + $cost end;

# The late end of a share, which for exact answers is the share.
def late_most: .late_share_high_percent // .late_share_percent;
def late_most_high: .late_share_high_percent_high // .late_share_percent_high // late_most;
def late_least_low: .late_share_percent_low // .late_share_percent;
def late_text: (.late_share_percent | percent) as $low | (late_most | percent) as $high | if $low == $high then $low else "\($low)-\($high)" end;

# One latency as a table shows it: p50, p90, p99 or max.
def latency($which; $resolution):
	. as $r
	| ["latency_\($which)_ms", "latency_high_\($which)_ms"] as [$low, $high]
	| if .overloaded > 0 then "overloaded"
	  elif $r[$low] == null then ""
	  elif ($r[$high] // $r[$low]) < $resolution then "below resolution"
	  else ((if $r[$low + "_above"] == 1 then ">" else "" end) + ($r[$low] | number)) as $from
		| ((if $r[$high + "_above"] == 1 then ">" else "" end) + ($r[$high] | number)) as $to
		| if $r[$high] == null or $from == $to then $from else "\($from)-\($to)" end
	  end;

# What one train lost at most to other processes and the hypervisor together, in percent of the server's CPUs.
def disturbed_most: .disturbed_percent_max // .foreign_percent_max;

# Whose load is in the figures for want of CPUs; null: nobody's.
def shared_words: .run.lab | if .shared_cpus != true then null
	elif .cpus_server == .cpus_client then "Server and client shared CPUs: load on the server slows the probe too, so latencies are upper bounds."
	else "Other labs were allowed the same CPUs (LAB_SHARED_CPUS): what they did is in the figures." end;

# The size that the server's memory was given; null: none.
def memory_words: .run.lab.memory | if . == null or .confined != true then null else
	"the server's programs confined to \(.server_memory_bytes / 1048576 | number) MiB of memory"
	+ (.swap | if .kind == "none" then " without swap" else ", with \(.size_bytes / 1048576 | number) MiB of swap in a \(.backing // .kind)"
		+ (if .delay_ms == null then "" else " that takes \(.delay_ms | number) ms for each read" end) end) end;

# How much of the run others disturbed; null: nothing.
def marked_words:
	[.rows[] | select(.marked > 0 and (disturbed_most // 100) > 3)] as $marked	# or for another reason
	| if $marked == [] then null else
		"\($marked | length) of \(plural(.rows | length; "cell"; "cells")) \(if ($marked | length) == 1 then "was" else "were" end) disturbed: other processes or the hypervisor took more than 3 % of the server's CPUs (up to \($marked | map(disturbed_most // 0) | max | number) %)." end;
