# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# facts.sh - facts of the machine as one JSON object, for run.json: taken before and after a run, to show changes.
#
# facts_json prints it. Unknown facts are null. Needs jq on this machine; all other tools are optional.

# facts_raw PACKAGE...: names and what is there, each ended by a zero byte. (A machine that is measured need not have jq.)
facts_raw() {
	local lscpu='' virtualisation
	lscpu=$(LC_ALL=C lscpu 2>/dev/null)
	if command -v systemd-detect-virt >/dev/null 2>&1; then
		virtualisation=$(systemd-detect-virt 2>/dev/null) # "none" comes with status 1
	else
		virtualisation=$(sed -n 's/^Hypervisor vendor: *//p' <<<"$lscpu")
	fi
	fact taken "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
	fact hostname "$(uname -n)"
	fact kernel "$(uname -sr)"
	fact build "$(uname -v)"
	fact architecture "$(uname -m)"
	fact system "$(. /etc/os-release 2>/dev/null && printf %s "${PRETTY_NAME-}")"
	fact model "$(sed -n 's/^Model name: *//p' <<<"$lscpu" | head -n 1)"
	fact online "$(facts_line /sys/devices/system/cpu/online)"
	# what the driver had before it was pinned
	fact allowed "${LAB_DRIVER_CPUS:-$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)}"
	fact threads "$(sed -n 's/^Thread(s) per core: *//p' <<<"$lscpu")"
	fact isolated "$(facts_line /sys/devices/system/cpu/isolated)"
	fact virtualisation "$virtualisation"
	fact clocksource "$(facts_line /sys/devices/system/clocksource/clocksource0/current_clocksource)"
	fact governor "$(facts_line /sys/devices/system/cpu/cpu0/cpufreq/scaling_governor)"
	fact turbo_off "$(facts_line /sys/devices/system/cpu/intel_pstate/no_turbo)"
	fact autogroup "$(facts_line /proc/sys/kernel/sched_autogroup_enabled)"
	fact driver_autogroup "$(facts_line /proc/self/autogroup)"
	fact rt_runtime "$(facts_line /proc/sys/kernel/sched_rt_runtime_us)"
	fact preempt "$(uname -v | grep -o 'PREEMPT[A-Z_]*' | head -n 1)"
	fact cgroup "$(facts_cgroup)"
	fact userns "$(facts_userns)"
	fact load "$(facts_line /proc/loadavg)"
	fact uptime "$(facts_line /proc/uptime)"
	fact stat "$(grep '^cpu' /proc/stat)"
	fact memory "$(grep -E '^(MemTotal|MemAvailable|SwapTotal|SwapFree):' /proc/meminfo)"
	fact root "$EUID"
	fact tools "$(facts_tools "$@")"
}

fact() { printf '%s\0' "$1" "$2"; }

# Packages of applications that sessions run: their versions change what is measured.
facts_packages() {
	packages_listed | sed -nE '/^app:(ansible|export|root|slurm|vm)\t/d; s/^app:[^\t]*\t([^\t]*).*/\1/p' | tr '|' '\n' | sort -u
}

# facts_json [COMMAND...]: COMMAND runs facts_raw on another machine.
facts_json() {
	local link_server='' link_client='' line='' raw=() name value
	# shellcheck disable=SC2046 # names
	while IFS= read -r -d '' name && IFS= read -r -d '' value; do
		raw+=(--arg "$name" "$value")
	done < <("$@" facts_raw $(facts_packages))
	[ ${#raw[@]} -gt 0 ] || return 1
	if [ -n "${LAB_HOLDER-}" ]; then
		link_server=$(facts_link server)
		link_client=$(facts_link client)
		! declare -F link_facts >/dev/null || line=$(link_facts)
	fi
	# shellcheck disable=SC2016
	jq -cn \
		"${raw[@]}" \
		--argjson link_server "${link_server:-null}" --argjson link_client "${link_client:-null}" --argjson line \
			"${line:-null}" '
		def text: if . == "" then null else . end;
		def whole: if test("^-?[0-9]+$") then tonumber else null end;
		def kb($key): [$memory | split("\n")[] | select(startswith($key + ":")) | capture("(?<n>[0-9]+)").n | tonumber * 1024][0];
		{
			taken: $taken, hostname: ($hostname | text),
			kernel: $kernel, kernel_build: $build, architecture: $architecture, system: ($system | text),
			cpu: {
				model: ($model | text), online: ($online | text), allowed: ($allowed | text),
				count: ([$stat | split("\n")[] | select(test("^cpu[0-9]"))] | length),
				threads_per_core: ($threads | whole), isolated: ($isolated | text),
				governor: ($governor | text), turbo: ($turbo_off | whole | if . == null then null else . == 0 end)
			},
			virtualisation: ($virtualisation | text),
			clocksource: ($clocksource | text),
			scheduler: {
				autogroup: ($autogroup | whole | if . == null then null else . == 1 end),
				driver_autogroup: ($driver_autogroup | text),
				rt_runtime_us: ($rt_runtime | whole), preemption: ($preempt | text)
			},
			cgroup: ($cgroup | text),
			user_namespaces: ($userns == "yes"),
			root: ($root == "0"),
			memory: {total_bytes: kb("MemTotal"), available_bytes: kb("MemAvailable"),
				swap_total_bytes: kb("SwapTotal"), swap_free_bytes: kb("SwapFree")},
			load: ($load | split(" ") | .[0:3] | map(tonumber)),
			uptime_s: ($uptime | split(" ")[0] | tonumber),
			cpu_time: ([$stat | split("\n")[] | select(test("^cpu[0-9]")) | [splits(" +")]
				| {key: .[0], value: {busy_s: ((.[1:4] + .[6:8] | map(tonumber) | add) / 100),
					idle_s: ((.[4:6] | map(tonumber) | add) / 100),
					steal_s: (.[8] | tonumber / 100)}}] | from_entries),
			link: (if $link_server == null then null else {server: $link_server, client: $link_client, line: $line} end),
			tools: ([$tools | split("\n")[] | split("\t") | {key: .[0], value: (.[1] | if . == "" then null else . end)}] | from_entries)
		}' 2>/dev/null || { warn "the facts of ${2:-this machine} are not understood; the run has none of its machines"; return 1; }
}

# The first line of a file, or nothing.
facts_line() {
	local line=''
	{ read -r line <"$1"; } 2>/dev/null
	printf %s "$line"
}

facts_cgroup() {
	awk '$3 == "cgroup" && $4 ~ /(^|,)cpu(,|$)/ { v1 = 1 } $3 == "cgroup2" { v2 = 1 }
		END { print v1 ? (v2 ? "v1 (hybrid)" : "v1") : v2 ? "v2" : "" }' /proc/self/mounts
}

# Whether ordinary users may make user namespaces: tried, since distributions have several switches. Root tries as user nobody.
facts_userns() {
	local as=()
	[ "$EUID" != 0 ] || as=(setpriv --reuid 65534 --regid 65534 --clear-groups)
	(cd / && ${as[@]+"${as[@]}"} unshare --user --map-root-user --net --mount true) 2>/dev/null && printf yes || printf no
}

# facts_link ROLE: prints the offloads that change the size of captured packets, and the queue.
facts_link() {
	local link=LAB_IF_$1
	lab_exec -R "$1" sh -c '
		ethtool -k "$1"
		echo "queue: $(tc qdisc show dev "$1" | head -n 2 | tr "\n" ";")"
		echo "mtu: $(cat /sys/class/net/"$1"/mtu 2>/dev/null)"' sh "${!link}" 2>/dev/null |
		jq -cRn --arg rate "${LAB_RATE-}" --arg delay "${LAB_DELAY-}" '
			[inputs | capture("^(?<k>[a-z-]+): (?<v>[^\\[]*)") | {key: .k, value: (.v | sub("\\s+$"; ""))}] | from_entries
			| {rate: $rate, delay: $delay, queue: .queue,
				offloads: ({tso: ."tcp-segmentation-offload", gso: ."generic-segmentation-offload", gro: ."generic-receive-offload",
					tx_checksums: ."tx-checksumming", rx_checksums: ."rx-checksumming"})}'
}

# facts_tools PACKAGE...: name<TAB>version of what takes part in a measurement; a tool that is not there is null, a package is left
# out. Beside emulated hosts, what the server runs is asked there (lab_facts): it may be a stranger's.
FACTS_OF_SERVER='Xvnc xterm vim.tiny'
facts_tools() {
	local tool
	for tool in $FACTS_OF_SERVER gnuplot xdotool ip setpriv bash jq; do
		[ -n "${LAB_HOLD_server-}" ] && [[ " $FACTS_OF_SERVER " == *" $tool "* ]] || printf '%s\t%s\n' "$tool" "$(facts_version "$tool")"
	done
	[ $# = 0 ] || dpkg-query -W -f='${db:Status-Abbrev}\t${Package}\t${Version}\n' "$@" 2>/dev/null | sed -n 's/^.i[^\t]*\t//p'
}

# facts_version TOOL: what it says that its version is, behind these words, when asked by one of these options.
facts_version() {
	local name words command=$1 option options version=''
	while read -r name options words; do [ "$name" != "$1" ] || break; done <<-'END'
		Xvnc -version,-help TigerVNC \([0-9][0-9.]*\)
		xterm -version XTerm(\([0-9]*\))
		vim.tiny --version IMproved \([0-9.]*\)
		gnuplot --version gnuplot \(.*\)
		xdotool --version version \(.*\)
		ip -V iproute2-\([0-9.]*\)
		setpriv --version util-linux \([0-9.]*\)
		bash --version version \([0-9.]*\)
		jq --version jq-\(.*\)
	END
	[ "$1" != vim.tiny ] || for command in vim.tiny vi vim; do ! command -v $command >/dev/null || break; done	# as app_start
	! command -v "$command" >/dev/null 2>&1 || for option in ${options//,/ }; do
		[ -n "$version" ] || version=$(env -u DISPLAY timeout 5 "$command" "$option" 2>&1 </dev/null |
			sed -n "s/.*$words.*/\1/p" | head -n 1)
	done
	printf %s "$version"
}
