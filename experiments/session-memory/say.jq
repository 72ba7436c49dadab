# SPDX-License-Identifier: GPL-3.0-or-later
# say.jq - memory of logins. KB and MB are 1,024 and 1,048,576 bytes.
include "words";

def title: "Server memory that each login takes";
def labels: {value: {
	what: {private: "private", private_clean: "private clean", pss: "proportional share (PSS)", page_tables: "page tables",
		group: "charged", server: "server in use"},
	class: {display: "display server", terminal: "terminal", services: "services", desktop: "desktop"}}};

def rows: measured_rows("summary");
def system_words: (. / ".") as $w | "\($w[-1]) login over \($w[:-1] | join("."))";
def mb($name): figure($name) | .unit = "MB";
def amount($name): mb($name) | figure_words + if .low == null and .both == null then " (no interval)"
	elif .low != null and (.low | number) == (.high | number) then "" else figure_interval end;
# The slope must be significant: an interval that includes 0 gives no finding. costs_more: of a desktop, than the terminal surely.
def light_of($all): .what as $what | (.system // "" | sub("typical$"; "light")) as $system
	| first($all[] | select(.what == $what and .system == $system)) // {};
def decisions: (.slope // []) as $all | .slope[]? |= (light_of($all) as $light
	| ask({grows: above("slope_mb"; 0), costs_more: exceeds(figure("slope_mb"); $light | figure("slope_mb"))}));
def told: .grows == "yes";
def slopes($what): [(.slope // [])[] | select(.what == $what and .slope_mb != null)];
def bent: [(.slope // [])[] | select(.what == "private" and .slope_mb == null) | .system | system_words];
def slope_of($system; $what): first(slopes($what)[] | select(.system == $system)) // null;

def verdict: slopes("private") as $s | bent as $bent | [rows[] | select(.logins > 0 and .private_mb != null)] as $rows
	| if $s == [] and $rows == [] then nothing_measured
	elif $s + $bent == [] then "The cost of one more user takes two numbers of logins. Measured: "
		+ ($rows | map("\(amount("private_mb")) of private memory with \(.logins | plural("login")) (\(.system | system_words))")
			| join("; ")) + "."
	else
	[$s[] | select(told)] as $known | [$s[] | select(told | not) | .system | system_words] as $untold
	| ([if $known == [] then empty else "One more user costs " + ($known | sort_by(-.slope_mb)
			| map("\(amount("slope_mb")) of private memory (\(.system | system_words))") | and_list) + "." end,
		if $untold == [] then empty else "This run cannot tell what one more user costs: \($untold | and_list)." end,
		if $bent == [] then empty else "What one more user costs is no single number, as memory grows along no straight line:"
			+ " \($bent | and_list)." end]
			| join(" ")) end;

def cost: slopes("private") | map(select(told)) | select(. != []) | sort_by(-.slope_mb) as $all
	| finding("cost"; "**One more login costs**, in private memory (slope from \($all[0].logins_min) to"
		+ " \($all[0].logins_max) logins), " + ($all | map("\(amount("slope_mb")) for a \(.system | system_words)")
			| join("; ")) + "."
		+ ([$all[] | select(.costs_more == "yes" and (.system | endswith(".typical"))) | . as $t
			| light_of($all) as $l | select($l.slope_mb > 0)
			| "\($t.slope_mb - $l.slope_mb | with_unit("MB")) more (\($t.slope_mb / $l.slope_mb | number) times as much) over"
				+ " \($t.system | sub("[.]typical$"; ""))"]
			| if . == [] then "" else " A desktop instead of a terminal costs \(and_list)." end);
		($all[0] | mb("slope_mb")) + {figure: "logins"});

# The process with most of a login's memory, and where the display server is.
def largest: . as $doc | [(.who // [])[] | select(.count > 0)] as $who | ($who | map(.logins) | min) as $n
	| [$who | map(select(.logins == $n)) | group_by(.system)[] | (map(.private_bytes) | add) as $sum | select($sum > 0)
		| max_by(.private_bytes) | {name, system, kb: .private_kb, percent: (100 * .private_bytes / $sum)}]
			| sort_by(-.percent)
	| select(. != []) | finding("largest"; "**The largest process**: "
		+ (map("\(.name) has \(.percent | percent) % of a \(.system | system_words) (\(.kb / 1024 | with_unit("MB")))")
			| join("; ")) + "."
		+ ([$doc.run.protocols // {} | to_entries[] | select(.value.display_at == "client") | .key as $p
			| [$who[] | select(.logins == $n and (.system | startswith("\($p).") or startswith("\($p)/")))] | select(. != [])
			| map(select(.class == "display")) | " Over \($p) the display server runs on the client"
				+ if . == [] then " and takes no memory of the server." else
					"; the protocol's processes on the server: \(map(.name) | unique | and_list) (at most"
					+ " \([group_by(.system)[] | map(.private_kb) | add] | max / 1024 | with_unit("MB")) of a login)." end]
			| join(""));
		{value: .[0].percent, unit: "%", figure: "processes"});

# The kernel's own account beside the sum over processes.
def charged: . as $doc | [slopes("group")[] | . as $g
		| ($doc | slope_of($g.system; "private")) as $p | select($p != null)
		| . + {more: (.slope_mb - $p.slope_mb), of: $p.slope_mb, kernel: ([$doc | rows[]
			| select(.system == $g.system and .logins == $g.logins_max).group_kernel_bytes | values / 1048576 / $g.logins_max][0])}]
	| select(. != []) | (map(select(.more < -0.02 * .of or .more > 0.25 * .of))) as $odd | map(select(told)) as $told
	| finding("charged";
		"**The kernel charges the cgroup of a login** " + (map("\(amount("slope_mb")) for a \(.system | system_words)"
			+ " (\(if .more < 0 then "" else "+" end)\(.more | number) MB)") | join("; "))
		+ ". Charged but not private are page tables, kernel stacks, sockets and memory shared within the login."
		+ (map(select(.kernel != null and .more > .kernel)) | if . == [] then "" else " The kernel's own memory is "
			+ (map("\(.kernel | with_unit("MB")) of a \(.system | system_words)") | join("; "))
			+ "; what else was charged was not measured." end)
		+ (if $told == [] then "" else " By these charges, 1 GB (1,024 MB) holds "
			+ ($told | map("\(1024 / (.slope_mb_high // .slope_mb) | floor | thousands) of the \(.system | system_words)") | and_list)
			+ " while idle (by the upper end of the interval, where there is one)." end)
		+ (if $odd == [] then "" else " Unexplained, because below private memory or over 25 % above it:"
			+ " \($odd | map(.system | system_words) | and_list)." end);
		(max_by(.slope_mb) | mb("slope_mb"))
			+ {figure: "logins", verdict: (if $odd == [] and length == ($told | length) then "good"
				else "unsure" end)});

def shared: rows as $rows | [slopes("pss")[] | . as $s
		| first($rows[] | select(.system == $s.system and .logins == $s.logins_max)) as $all
		| first($rows[] | select(.system == $s.system and .logins == $s.logins_min)) as $one
		| {system, logins_max, each: ($all.pss_mb / .logins_max), one: ($one.pss_mb / .logins_min), logins_min}]
	| select(. != [])
	| finding("shared"; "**Shared pages count once**: the proportional share (PSS) of each of \(.[0].logins_max) logins is "
		+ (map("\(.each | with_unit("MB")) (\(.system | system_words); \(.one | with_unit("MB"))"
			+ " \(if .logins_min == 1 then "alone" else "at \(.logins_min)" end))") | join("; "))
		+ ". Other processes on this machine that run the same programs share these pages, too.";
		{value: .[0].each, unit: "MB", figure: "logins"});

# The machine's memory without logins differs from cell to cell: a range, no statistic.
def mb_range($name): map(.[$name] | values / 1048576) | if length == 0 then "?"
	elif (min | number) == (max | number) then min | with_unit("MB") else range_words(min; max; "MB") end;
def here: [rows[] | select(.logins == 0 and .machine_bytes != null)];
def fewest: [rows[] | select(.logins > 0 and .server_bytes != null)] | (map(.logins) | min) as $n | map(select(.logins == $n));
def here_words($few): "\(mb_range("server_bytes")) are in use without any login"
	+ " (of \(.[0].machine_total_bytes / 1073741824 | fixed(1)) GB, without file cache):"
	+ " \(mb_range("machine_processes_bytes")) by processes,"
	+ " \(mb_range("machine_kernel_bytes")) by kernel tables and stacks,"
		+ " including everything else that runs on this machine"
	+ if $few == [] then "." else
		", so this figure varies (with \($few[0].logins | plural("login")): \($few | mb_range("server_bytes")))." end;
def empty_words: "(a virtual machine, \(if .accel == "kvm" then "KVM" else "emulated" end), Linux \(.kernel), one process): the"
	+ " kernel reserves \(.reserved_bytes / 1048576 | with_unit("MB")) at boot,"
	+ " \(.used_bytes / 1048576 | with_unit("MB")) are in use (\(.processes_bytes / 1048576 | with_unit("MB")) by processes),"
	+ " the rest is the kernel's reserve. Wong & Seltzer (2000): 17 MB for Linux, 19 MB for TSE, login services included.";
def idle: .run.empty_server as $empty | here as $here | fewest as $few | if $empty != null then
		($empty.unavailable_bytes / 1048576) as $mb
		| finding("idle"; "**Compulsory memory: \($mb | with_unit("MB"))** of \($empty.memory_bytes / 1048576) MB are unavailable"
			+ " to applications on a server without any login \($empty | empty_words)"
			+ if $here == [] then "" else " On this machine \($here | here_words($few))" end; {value: $mb, unit: "MB"})
	elif $here == [] then empty else
		finding("idle"; "**Compulsory memory** of an empty server was not measured; on this machine \($here | here_words($few))";
			{value: ($here | map(.server_bytes / 1048576) | max), unit: "MB"}) end;

def findings: if rows == [] then [] else [cost, largest, charged, shared, idle] end;

def views:
	view("slopes"; "slope"; "Memory of one more login"; {by: "system"}; "what slope_mb"),
	view("processes"; "who"; "Processes of a login"; {by: "system"}; "logins name class count private_kb"),
	view("all"; "summary"; "All logins together"; {by: "system"};
		"logins processes private_mb each_mb private_clean_mb pss_mb group_mb server_mb");
