# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# plan.sh - reads an experiment's plan: its options, and from these the usage, the command line, checks, and settings in run.json.

# PLAN[says] is a line of the plan. OPT[rtt.type] is the type of option rtt; so are default, quick, demo, var, key, unit, meta,
# letter, help, given. LETTERS[-o] is the name of the option with the letter o.
declare -A PLAN OPT LETTERS
OPTIONS=() AXES=() PLAN_SETTINGS=()

# plan_lines [-n] FILE...: prints their lines without comments; a line that begins with a blank continues the line before it. -n:
# each after the name of its file's folder.
plan_lines() {
	local named=''
	[ "$1" != -n ] || { named=1; shift; }
	awk -v named=$named 'function flush() { if (line != "") print name line; line = "" }
		FNR == 1 { flush(); n = split(FILENAME, part, "/"); name = named ? part[n - 1] " " : "" }
		/^(#|$)/ { next } /^[ \t]/ { sub(/^[ \t]+/, ""); line = line " " $0; next } { flush(); line = $0 } END { flush() }' "$@"
}

# plan_read FOLDER: sets PLAN, OPT, OPTIONS, AXES, PLAN_SETTINGS.
plan_read() {
	local first name rest files
	local -A engine
	mapfile -t files < <(in_trees experiments/engine/options experiments/families/options)
	while read -r first name rest; do engine[$name]=$rest; done < <(plan_lines "${files[@]}")
	plan_take "$1/plan" < <(plan_lines "$1/plan"; printf 'use %s\n' on quick quiet demo resume fail-if output-dir options-only)
	read -ra AXES <<<"${PLAN[axis]-}"
}

plan_take() {	# plan_take FILE: takes its lines from standard input; if an option has two lines, the first counts
	local first name rest option
	while read -r first name rest; do
		case $first in
		option) plan_option "$name" "$rest" '' ;;
		use)
			for option in ${name//,/ }; do
				if [[ $option == *.plan ]]; then
					plan_take "$option" < <(plan_lines "$(in_trees "experiments/families/$option")")
				else
					[ -n "${engine[$option]-}" ] || die "$1: experiments/engine/options has no option $option"
					[ -n "${OPT[$option.type]-}" ] || plan_option "$option" "${engine[$option]}" "$rest"
				fi
			done
			;;
		setting) PLAN_SETTINGS+=("$name"$'\037json\037'"$rest") ;;
		*) PLAN[$first]="$name${rest:+ $rest}" ;;
		esac
	done
}

# plan_option NAME "TYPE DEFAULT ... HELP" MORE: MORE are attributes with which a plan changes an option of the engine.
plan_option() {
	local name=${1//-/_} list='' type
	OPTIONS+=("$1") OPT[$1.help]=''
	plan_attributes "$1" "type=$2"
	type=${OPT[$1.type]}
	plan_attributes "$1" "$3"
	# A list of values where the engine has a single one: the name of the option gets an s.
	if [ -n "$3" ] && [[ ${OPT[$1.type]} == *-list* || ${OPT[$1.type]} == list || ${OPT[$1.default]} == *,* ]]; then
		list=s
		[ "${OPT[$1.type]}" = list ] || type=${OPT[$1.type]}
		[[ $type == *-list* ]] || type=${type%%:*}-list${type#"${type%%:*}"}
		OPT[$1.type]=$type
	fi
	name+=$list
	: "${OPT[$1.key]:=$name}" "${OPT[$1.var]:=${name^^}}"
	[ -z "${OPT[$1.letter]-}" ] || LETTERS[-${OPT[$1.letter]}]=$1
}

plan_attributes() {	# plan_attributes NAME TEXT: words like quick=V, the help in double quotes, the default (- for none)
	local rest=$2 word
	while [[ $rest =~ ^[[:space:]]*(\"[^\"]*\"|[^[:space:]\"]+)(.*)$ ]]; do
		word=${BASH_REMATCH[1]} rest=${BASH_REMATCH[2]}
		case $word in
		\"*) OPT[$1.help]=${word:1:-1} ;;
		type=* | var=* | key=* | unit=* | quick=* | demo=* | meta=* | letter=*) OPT[$1.${word%%=*}]=${word#*=} ;;
		*) OPT[$1.default]=${word#-} ;;
		esac
	done
}

plan_given() { [ -n "${OPT[$1.given]-}" ]; }	# plan_given NAME: the option is on the command line

plan_set() { printf -v "${OPT[$1.var]}" %s "$2"; }	# plan_set NAME VALUE

# Usage and errors ----------------------------------------------------------------------------------------------

exp_called() { echo "thinprobe ${PLAN[called]:-run $EXPERIMENT}"; }

exp_bad() {
	printf 'thinprobe: %s\n' "${*//[[:cntrl:]]/?} (see $(exp_called) --help)" >&2
	exit 2
}

# plan_meta NAME: the placeholder for its value in the usage.
declare -A META=([int]=N [real]=X [time]=TIME)
plan_meta() {
	local kind=${OPT[$1.type]%%:*} words=${OPT[$1.type]#*:} list='' name=${1//-/_}
	[[ $kind != *-list ]] || list=,...
	kind=${kind%-list}
	[[ ! ${OPT[$1.unit]-$kind} =~ ^m?s$ ]] || kind="time"
	case $kind in
	flag) return ;;
	word) [ ${#words} -le 20 ] && [ -z "$list" ] || words=WORD ;;
	*) words=${META[$kind]-${name^^}} ;;
	esac
	echo " ${OPT[$1.meta]-$words}$list"
}

exp_usage() {
	local name head default quick
	{ echo "usage: $(exp_called) [options]"; echo "${PLAN[says]}"; } | fold -s -w "$LINE_WIDTH" | sed 's/ *$//'
	for name in "${OPTIONS[@]}"; do
		[[ $name != options-only && $name != demo ]] || continue
		head="  ${OPT[$name.letter]:+-${OPT[$name.letter]}, }--$name$(plan_meta "$name")"
		default=${OPT[$name.default]} quick=${OPT[$name.quick]-}
		[ "${OPT[$name.type]}" != flag ] || default=''
		default+=${quick:+${default:+; }with --quick $quick}
		[ ${#head} -lt 24 ] || { echo "$head"; head=''; }
		printf '%-24s' "$head"
		fold -s -w $((LINE_WIDTH - 24)) <<<"${OPT[$name.help]}${default:+ ($default)}" | sed "1!s/^/$(printf '%24s' '')/; s/ *\$//"
	done
	fold -s -w "$LINE_WIDTH" <<<"Times: 30s 500ms 2m. If the default has no unit, it is in seconds." | sed 's/ *$//'
}

# The command line ------------------------------------------------------------------------------------------------

# plan_parse WORD...: sets the options' variables: the given value, else the default of --demo or --quick, else the plain default.
# Sets EXP_COMMAND.
plan_parse() {
	local name value
	printf -v EXP_COMMAND ' %q' "$@"
	EXP_COMMAND=${EXP_COMMAND//\\,/,}	# a comma needs no backslash
	EXP_COMMAND=$(exp_called)${*:+$EXP_COMMAND}
	EXP_COMMAND=${EXP_COMMAND/run $EXPERIMENT --demo/demo}
	for name in "${OPTIONS[@]}"; do plan_set "$name" "${OPT[$name.default]}"; done
	while [ $# -gt 0 ]; do
		value=''
		case $1 in
		--*=*) value=joined && set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		-[a-z]?*) [ -n "${OPT[${1#-}.type]-}" ] || { value=joined && set -- "${1:0:2}" "${1:2}" "${@:2}"; } ;;
		esac
		plan_option_name "$1"
		if [ "$name" = help ]; then exp_usage; exit 0; fi
		if [ "${OPT[$name.type]}" = flag ]; then
			[ -z "$value" ] || exp_bad "$1 takes no value"
			plan_set "$name" 1
		else
			[ $# -gt 1 ] && [ -n "$2" ] && [[ $value == joined || $2 != --* ]] || exp_bad "$1 needs a value"
			if plan_given "$name" && [[ ${OPT[$name.type]} == *-list:twice ]]; then
				set -- "$1" "${!OPT[$name.var]},$2" "${@:3}"
			fi
			! plan_given "$name" || [ "${!OPT[$name.var]}" = "$2" ] || [[ ${OPT[$name.type]} == *-list:twice ]] ||
				exp_bad "$1 is given twice"
			plan_set "$name" "$2"
			shift
		fi
		OPT[$name.given]=1
		shift
	done
	! plan_given quick || ! plan_given demo || exp_bad "--quick with --demo: they set the same options; choose one"
	[ "$RESUME" = / ] || RESUME=${RESUME%/}
	if [ -n "$RESUME" ]; then plan_resume; return; fi
	[ "$DEMO" = 0 ] || plan_instead demo
	[ "$QUICK" = 0 ] || plan_instead quick
}

# plan_option_name WORD: sets `name` to the option WORD, or to the only option that WORD abbreviates. Options that the usage does
# not show cannot be abbreviated.
plan_option_name() {
	local word long=("${OPTIONS[@]/#/--}") hits=()
	name=''
	case $1 in
	-h | --help) name=help ;;
	--?*) [ -z "${OPT[${1#--}.type]-}" ] || name=${1#--} ;;
	esac
	[ -n "$name" ] || [[ $1 != -* ]] || name=${LETTERS[$1]-}
	[ -z "$name" ] || return 0
	if [[ $1 == --?* ]]; then
		for word in "${long[@]}" --help; do
			# (--q to --qui are --quick)
			[[ $word != "$1"* || $word == @(--demo|--options-only) || $word$1 == --quiet@(--|--q|--qu|--qui) ]] || hits+=("$word")
		done
	fi
	[ "${#hits[@]}" -le 1 ] || exp_bad "$1: which? $(sed 's/ /, /g; s/, \([^ ]*\)$/ or \1/' <<<"${hits[*]}")"
	name=${hits[0]-} name=${name#--}
	[ -n "$name" ] || exp_bad "unexpected $1$(nearest "$1" "" "${long[@]}" "${!LETTERS[@]}" --help)"
}

plan_instead() {	# plan_instead quick|demo: sets its values for options that were not given
	local name
	for name in "${OPTIONS[@]}"; do
		[ -n "${OPT[$name.$1]-}" ] && ! plan_given "$name" || continue
		plan_set "$name" "${OPT[$name.$1]#-}"
		[ "$1" != demo ] || OPT[$name.given]=demo
	done
}

# The settings of the run that is resumed.
plan_resume() {
	local name key value why root
	local -A settings
	for name in "${OPTIONS[@]}"; do
		! plan_given "$name" || [ "${OPT[$name.key]}" = - ] ||
			exp_bad "--$name with --resume: a resumed run keeps its settings; omit it"
	done
	! plan_given output-dir || exp_bad "-o with --resume: a resumed run keeps its folder; omit -o"
	need jq jq
	[ -f "$RESUME/run.json" ] || exp_bad "--resume $RESUME: not a run folder (it has no run.json)"
	why=$("$TP_BIN/fail" folder "$RESUME") || exp_bad "--resume $RESUME: ${why:-cannot be checked}"
	why=$(jq -r --arg experiment "$EXPERIMENT" --arg axes "${AXES[*]%%=*}" '
		def plain: type != "object" and (tostring | test("^[\\p{L}\\p{N} ._,:+%@=~/-]*\\z"));	# what no shell evaluates
		def fits: (.axes | join(" ")) == $axes and all(.cells[]; (.name | plain and test("^[^/ .][^/ ]*\\z"))
			and all(.parameters[]; plain) and (.parameters | keys) == ($axes | split(" ") | sort))
			and ([.cells[].name] | length == (unique | length));
		if .experiment != $experiment then "not a run of \($experiment)"
		elif .axes == null then "an older version made it; start a new run"
		elif try fits catch false then empty else "its conditions do not have the axes \($axes); start a new run" end' \
		"$RESUME/run.json" 2>/dev/null) || why="its run.json cannot be read"
	[ -z "$why" ] || exp_bad "--resume $RESUME: $why"
	root=$(jq -r 'if .lab == null then "-" else .lab.server_root // "" end | strings' "$RESUME/run.json" 2>/dev/null)
	[[ ${EXP_SWEEP-} == sum || $root == - || $root == "${LAB_SERVER_ROOT-}" || $root -ef ${LAB_SERVER_ROOT-} ]] ||
		exp_bad "--resume $RESUME: its server ran $([ -z "$root" ] && echo 'without LAB_SERVER_ROOT: unset it' ||
			printf 'in a root file system: set LAB_SERVER_ROOT=%q' "$root")"
	while IFS=$'\037' read -r -d '' key value; do	# (a command may have lines)
		settings[$key]=$value
	done < <(jq -j '.settings | to_entries[] | "\(.key)\u001f\(.value
		| if type == "array" then map(tostring) | join(",") elif type == "boolean" then (if . then 1 else 0 end)
			else . // "" end)\u0000"' \
		"$RESUME/run.json")
	for name in "${OPTIONS[@]}"; do
		[ "${OPT[$name.key]}" = - ] || plan_set "$name" "${settings[${OPT[$name.key]}]-}"
	done
	# The same window, of a client that we do not start, and the region in it that was found.
	[[ ${ON-} != attach:* ]] || ON=$(jq -r '.protocol as $p | .settings.on | split(",") as $on | if $p.window then
		[$on[0], if $on[0] == "attach:own" then $on[1] else $p.window end, ($p.region | strings)] | join(",") else . end' \
		"$RESUME/run.json")
}

# Checks ----------------------------------------------------------------------------------------------------------

THRESHOLD=''	# the name of the threshold, where it was not a number
# plan_check: checks that every option's value is of its type. (Combinations of options: below for the engine's, else exp_check.)
plan_check() {
	local name item type kind args values text ITEM rows
	local -A seen
	for name in "${OPTIONS[@]}"; do
		type=${OPT[$name.type]} text=${!OPT[$name.var]}
		kind=${type%%:*} args=''
		[[ $type != *:* ]] || args=${type#*:}
		if [[ $kind != word && "|$args|" == *'|none|'* && $text == none ]]; then text=''; fi
		[[ $kind != row* ]] || rows=$(plan_rows "$args" | cut -f1)
		if [ "$kind" = row-list ]; then
			[ "$text" != list ] || { plan_rows "$args" | awk -F'\t' '{ printf "%-16s %s\n", $1, $2 }'; exit 0; }
			[ -n "$text" ] || text=${rows//$'\n'/,}
			[[ $args != *+* || ,$text, == *",${args#*+},"* ]] || text=${args#*+},$text
		fi
		[ "$kind" != protocol-list ] || text=$(plan_expand_protocols "$text")
		[ "$kind" != flag ] || [[ $text == @(|0|1) ]] || exp_bad "--resume $RESUME: its setting $name is neither true nor false"
		if [ -n "$text" ] && [ "$kind" != flag ]; then
			values=("$text")
			if [[ $kind == *-list ]]; then
				[[ $text =~ ^[^,]+(,[^,]+)*$ ]] || exp_bad "--$name $text: must be values separated by commas"
				IFS=, read -ra values <<<"$text"
			fi
			[ "$kind" != threshold ] || [[ $text == [0-9]* ]] || THRESHOLD=$text
			text=''
			for item in "${values[@]}"; do
				plan_item "--$name" "${kind%-list}" "$args" "$item" "${OPT[$name.unit]-}"
				text+=${text:+,}$ITEM
			done
			seen=() values=()
			[[ $kind != *-list || $args == twice ]] || IFS=, read -ra values <<<"$text"
			for item in "${values[@]}"; do
				[ -z "${seen[$item]-}" ] || exp_bad "--$name $text: $item is given twice"
				seen[$item]=1
			done
		fi
		plan_set "$name" "$text"
	done
	[ -z "$FAIL_IF" ] || "$TP_BIN/fail" check "$EXPERIMENT" "$FAIL_IF" || exit
	plan_check_on
	[ -z "${OPT[link.type]-}" ] || plan_check_link
	[ -z "${OPT[queue.type]-}" ] || plan_check_queue
	[ -z "${OPT[server-memory.type]-}" ] || plan_check_memory
	[ -z "${UNTIL_SURE-}" ] || plan_check_sure
}

# plan_rows FILE[+NAME]: prints the first two columns of each row of data/FILE.tsv: name and words.
plan_rows() { awk -F'\t' '/^(#|$)/ { next } head++ { print $1 "\t" $2 }' "$(in_trees "data/${1%+*}.tsv")"; }

# plan_item OPTION KIND ARGUMENTS TEXT UNIT: sets ITEM to the text as a number in UNIT. A time may have any unit of time; it needs
# one unless UNIT is s. Values from run.json have no unit. The names of rows are in `rows` of the caller.
plan_item() {
	local option=$1 kind=$2 range=${3%|none} text=$4 unit=$5 low high whole='' SIZE least=0
	low=${range%..*} high=${range#*..} ITEM=$text
	# shellcheck disable=SC2046,SC2086 # words
	case $kind in
	int | real | ms | s)
		[[ $kind != @(ms|s) ]] || unit=$kind
		[ "$kind" != int ] || whole='whole '
		# most values are whole numbers, and need no awk
		[[ $unit == ms || ! $text =~ ^(0|[1-9][0-9]{0,8})$ || ! $range =~ ^[0-9]+[.][.][0-9]+$ ]] ||
			((text < low || text > high)) || return 0
		ITEM=$(LC_ALL=C awk -v text="$text" -v unit="$unit" -v whole="$whole" -v low="$low" -v high="$high" \
			-v kept="$RESUME" 'BEGIN {
			split("us 1 ms 1e3 s 1e6 m 6e7 min 6e7 h 3.6e9", words, " "); for (i = 1; i in words; i += 2) us[words[i]] = words[i + 1]
			match(text, /^[0-9.]+(e-[0-9]+)?/); number = substr(text, 1, RLENGTH); said = substr(text, RLENGTH + 1)
			time = unit == "ms" || unit == "s"; by = 1
			if (number !~ /^(0|[1-9][0-9]*)([.][0-9]+)?(e-[0-9]+)?$/ || length(number) > 20) exit 1
			if (said == "" && unit == "ms" && number + 0 && kept == "") exit 2
			if (said != "" && said != unit) by = time && said in us ? us[said] / us[unit] : 0
			if (!by || number * by < low + 0 || number * by > high + 0) exit 1
			if (by != 1) number = sprintf("%.9g", number * by)
			if (number ~ /e/) number = sprintf("%.15f", number)
			if (whole != "" && number ~ /[.]/ && (by == 1 || number != int(number))) exit 1
			if (number ~ /[.]/) sub(/[.]?0+$/, "", number)	# 0.50 and 0.5 are one value
			print number }') || {
			[ $? != 2 ] || exp_bad "$option $text: which unit? ${text}ms or ${text}s"
			[[ $text != *..* ]] || exp_bad "$option $text: a list is written with commas, such as 5,7,10"
			exp_bad "$option $text: must be a ${whole}number from $low to $high${unit:+, in $unit}"
		}
		;;
	word)
		[[ (-n $RESUME && $text =~ ^[A-Za-z0-9:._-]+$) || "|$3|" == *"|$text|"* ]] ||
			exp_bad "$option $text: must be $(sed 's/|\([^|]*\)$/ or \1/; s/|/, /g' <<<"$3")"
		;;
	row) [[ $'\n'$rows$'\n' == *$'\n'"$text"$'\n'* ]] ||
		exp_bad "$option $text: data/${3%+*}.tsv has no such row$(nearest "$text" "; list names them" $rows)" ;;
	size)
		lab_size "$range" && least=$SIZE
		lab_size "$text" && [ "$SIZE" -ge "$least" ] ||
			exp_bad "$option $text: must be a size from $range to 1000000T, such as 512M$([ "$range" = "$3" ] ||
				echo ', or none')"
		;;
	protocol) plan_protocol "$text" ;;
	threshold) plan_threshold "$option " "$range" "$text" ;;
	text) ;;
	*) die "$EXP_DIR/plan: $option has no type that is known: $kind" ;;
	esac
}

# Prints name and ms of each threshold that is a time.
plan_thresholds() { awk -F'\t' '$1 == "thresholds/1" && $4 == "ms" { print $2, $3 }' "$TP_HOME/data/thresholds.tsv"; }

# plan_threshold "OPTION " RANGE TEXT: sets ITEM to the threshold in ms; TEXT is a time, or a name in data/thresholds.tsv.
plan_threshold() {
	local name ms text='' known=''
	[[ $3 != [0-9]* ]] || text=$3
	while read -r name ms; do
		[ "$3" != "$name" ] || text=${ms}ms
		known+=", $name ($ms ms)"
	done < <(plan_thresholds)
	# shellcheck disable=SC2046 # words
	[ -n "$text" ] || exp_bad "$1$3: must be a time such as 150ms, or one of: ${known#, }$(
		nearest "$3" "" $(plan_thresholds | cut -d' ' -f1))"
	plan_item "${1% }" ms "$2" "$text" ''
}

plan_file() {	# plan_file OPTION FILE: checks that it is a regular file, which can be read several times
	[ -e "$2" ] || exp_bad "$1 $2: no such file"
	[ -f "$2" ] || exp_bad "$1 $2: not a regular file; save its contents in one first"
	[ -r "$2" ] || exp_bad "$1 $2: no permission to read it; chmod it, or name another"
}

# plan_protocol NAME[:VARIANT]: checks that the protocol exists and has the properties that the plan asks for. ITEM is its name; the
# first variant, which is the default, is written without :VARIANT.
declare -A WITHOUT=([display]='its sessions cannot run applications' [link]='it sends nothing over the network'
	[view]='it has no client that shows a session')
plan_protocol() {
	local have property name=${1%%:*} first
	# shellcheck disable=SC2046 # words
	plugin_file protocols "$name" >/dev/null ||
		exp_bad "no protocol $1$(nearest "$1" "; thinprobe list --protocols names them" $(plugins protocols))"
	have=$(protocol_use "$1" && protocol_properties) || exit	# protocol_use has printed the reason
	for property in ${PLAN[protocols]-}; do
		[[ $1 == attach || " $have " == *" $property "* ]] ||
			exp_bad "--protocol $1: ${WITHOUT[$property]-it lacks the property '$property'}"
	done
	[[ -z $RESUME && $1 == *:* ]] || return 0
	first=$(protocol_use "$name" && protocol_variants)
	[ -n "${1#*:}" ] && [ "${1#*:}" != "${first%% *}" ] || ITEM=$name
}

# plan_expand_protocols TEXT: prints the list with `each[:PROPERTY]` replaced by the first variant of each protocol that sends over
# the link and has the plan's properties (and PROPERTY), and `all` replaced by every such variant.
plan_expand_protocols() {
	local word property name variant variants
	for word in ${1//,/ }; do
		case $word in
		all | each) property='' ;;
		each:*) property=${word#each:} ;;
		*) echo "$word" && continue ;;
		esac
		for name in $(plugins protocols); do
			protocol_use "$name"
			read -ra variants <<<"$(protocol_variants)"
			variants=("${variants[@]:1}")
			for variant in "$name" "${variants[@]/#/$name:}"; do
				# shellcheck disable=SC2086 # words
				plan_has_properties "$variant" link ${PLAN[protocols]-} "$property" || continue
				echo "$variant"
				[ "$word" = all ] || break
			done
		done
	done | awk '!seen[$0]++' | paste -sd ,
}
plan_has_properties() {	# plan_has_properties PROTOCOL PROPERTY...
	local have property
	have=$(protocol_use "$1" && protocol_properties)
	for property in "${@:2}"; do [[ -z $property || " $have " == *" $property "* ]] || return; done
}

# plan_rate TEXT: prints it with rates in one spelling, Kbit, Mbit or Gbit, for 10mbit, 10MBIT, 10Mbit/s.
plan_rate() { sed -E 's,([0-9][kmg]?)bit(/s)?,\U\1\Ebit,gI' <<<"$1"; }

# plan_bits_or_bytes OPTION TEXT: refuses a rate whose unit has two meanings: M is bits to iperf3, bytes to others; tc reads Mbps as
# bytes.
plan_bits_or_bytes() {
	shopt -s nocasematch
	[[ ! $2 =~ (^|/)[0-9.]+[kmg](b|bps|b/s)?($|[,/]) ]] || exp_bad "$1 $2: bits or bytes? write bit/s, as in 10Mbit"
	shopt -u nocasematch
}

# plan_link OPTION TEXT: checks it; sets LINK_SAID to the link as run.json has it, with a name of data/links.tsv replaced.
plan_link() {
	local number='[0-9]+(\.[0-9]+)?' time rate delay jitter ITEM
	LINK_SAID=$(awk -F'\t' -v name="$2" '$2 == name { print $3 }' "$TP_HOME/data/links.tsv")
	LINK_SAID=$(plan_rate "${LINK_SAID:-$2}")
	rate="${number}[KMG]?bit"
	time="($number(us|ms|s)|0)"
	plan_bits_or_bytes "$1" "$LINK_SAID"
	[[ $LINK_SAID =~ ^(none|$rate(/$rate)?)(,$time(,$time(,$number%?)?)?)?$ && ! /$LINK_SAID =~ /[0.]*[KMG]?bit ]] ||
		exp_bad "$1 $2: must be RATE[,DELAY[,JITTER[,LOSS]]] (each way), such as 10Mbit,40ms,5ms,0.5%;" \
			"RATE may be DOWN/UP such as 1500Kbit/384Kbit, or none; or a name in data/links.tsv$(
				# shellcheck disable=SC2046 # words
				nearest "$2" ", such as dsl" $(awk '$1 == "links/1" { print $2 }' "$TP_HOME/data/links.tsv"))"
	IFS=, read -r _ delay jitter _ <<<"$LINK_SAID"
	plan_item "$1" ms 0..10000 "${delay:-0}" ms
	plan_item "$1" ms 0..10000 "${jitter:-0}" ms
}

LINK_MEASURED=null	# result of --link measure:... (lab/measure_link.sh)
plan_check_link() {
	local LINK_SAID
	[[ $LINK != measure* ]] || plan_measure_link
	plan_link --link "$LINK"
	LINK=$LINK_SAID
	[[ ! $LINK =~ ,([0-9.]+)%?$ || ${BASH_REMATCH[1]} =~ ^0*[0-9]{1,2}(\.|$) ]] ||
		exp_bad "--link $LINK: the loss must be below 100 %"
	if [ "$ON" != lab ]; then
		! plan_given link || exp_bad "--link with --on $ON: a real link is left as it is; omit --link"
		LINK=none
	fi
}

# --link measure:SERVER[,CLIENT]: sets LINK to the measured link between these two hosts.
plan_measure_link() {
	local hosts=${LINK#measure} host='[^,:-][^,]*'
	hosts=${hosts#:}
	[ "$ON" = lab ] || exp_bad "--link $LINK with --on $ON: a real link is left as it is;" \
		"without --on, --link measure:SERVER,CLIENT emulates it here"
	[ -n "$hosts" ] || exp_bad "--link measure: needs the hosts between which the link is measured;" \
		"name the server, or server and client: --link measure:SERVER[,CLIENT]"
	[[ $LINK == measure:* && $hosts =~ ^$host(,$host)?$ ]] ||
		exp_bad "--link $LINK: must be measure:SERVER[,CLIENT], each as you write it for ssh"
	LINK=none
	[ "$EXP_ONLY" = 0 ] || return 0
	need jq jq
	[[ $hosts == *,* ]] || hosts+=,.
	exp_step "measures the link between ${hosts/,/ and } (half a minute)"
	LINK_MEASURED=$("$TP_HOME/lab/measure_link.sh" "$hosts") || exit
	[ ! -t 1 ] || printf '\r\033[K'
	read -r LINK < <(jq -r .link <<<"$LINK_MEASURED")
	jq -r '"link measured: \(.link): round trip \(.rtt_ms) ms, \(.down_mbit_s) Mbit/s down and \(.up_mbit_s) up"' \
		<<<"$LINK_MEASURED"
}

# Refuses options that shape an emulated link, if the link is real.
plan_no_link() {	# plan_no_link OPTION...
	local name
	[ "$ON" != lab ] || return 0
	for name; do
		! plan_given "$name" || exp_bad "--$name with --on $ON: a real link is left as it is; omit --$name"
		plan_set "$name" ''
	done
}

plan_check_queue() {
	plan_no_link queue
	[ -n "${QUEUE-}" ] || return 0
	[[ $QUEUE =~ ^[0-9]+(\.[0-9]+)?(us|ms|s)$ ]] || exp_bad "--queue $QUEUE: must be a time such as 50ms"
	plan_item --queue ms 0.001..60000 "$QUEUE" ''
	[[ ${LINK-} != none* ]] || exp_bad "--queue $QUEUE: --link $LINK has no rate, so no queue builds up"
}

plan_check_sure() {	# its parts that are missing get their defaults
	local most
	[[ $UNTIL_SURE =~ ^(p50|p90|p95|p99)(,([0-9]{1,3}(\.[0-9]+)?)%)?(,([1-9][0-9]{0,4}(s|m|h)))?$ ]] ||
		exp_bad "--until-sure $UNTIL_SURE: must be p50, p90, p95 or p99, such as p99 or p99,10%,2h"
	most=${BASH_REMATCH[6]:-30m}
	UNTIL_SURE=${BASH_REMATCH[1]},${BASH_REMATCH[3]:-20}%,$most
	[ -z "${EXP_SWEEP-}" ] || exp_bad "--until-sure is for a run by itself:" \
		"the repeats of a sweep are fixed, and ab has a rule of its own"
}

plan_check_memory() {
	local name
	if [ -z "$SERVER_MEMORY" ]; then
		for name in swap swap-size; do
			! plan_given "$name" || exp_bad "--$name needs --server-memory SIZE"
		done
		SWAP='' SWAP_SIZE=''
		return
	fi
	[[ ${SWAP:-file} =~ ^(none|file|zram|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] ||
		exp_bad "--swap $SWAP: must be none, file, zram or slow:DELAY (slow:2.5ms)"
	[ "$ON_BACKEND" != attach ] || [ -z "$SWAP$SWAP_SIZE" ] ||
		exp_bad "--swap with --on $ON: the lab cannot change the swap of that server"
}

# Sets the lab's back-end and its argument from ON. A single host is the server, and the client is this machine. The plan's `on`
# lists the possible back-ends (lab ssh); `not-ssh` is the reason why ssh is not among them.
plan_check_on() {
	local region where=${PLAN[on]-lab ssh} host='[^,-][^,]*'
	[ -z "${PLAN[not-ssh]-}" ] || where=${where/ ssh/}
	[[ $ON == *[:,]* || $ON == lab || $ON == attach || ! $ON =~ ^[A-Za-z0-9_][A-Za-z0-9_.@-]*$ ]] || ON=ssh:$ON,.
	ON_ARGS=${ON#*:}
	case $ON in
	lab) ON_BACKEND=local ON_ARGS='' ;;
	ssh:*)
		ON_BACKEND=ssh
		[[ $ON_ARGS =~ ^$host,$host(,$host)?$ ]] ||
			exp_bad "--on $ON: must be ssh:SERVER,CLIENT[,LISTENER], such as ssh:server,me@client"
		;;
	attach | attach:?*,?*)
		ON_BACKEND=attach
		[ "$ON" != attach ] || ON=attach:own,.	# whatever its title
		ON_ARGS=${ON#*:}
		[[ $ON_ARGS == own,* && -n ${OWN_DISPLAY-} || $ON_ARGS != own,* && -z ${OWN_DISPLAY-} ]] ||
			exp_bad "--on attach and --on attach:own,TITLE go with --own-display COMMAND, which starts the client"
		IFS=, read -r _ _ region <<<"$ON_ARGS"
		[[ $region =~ ^(|pick|[0-9]+x[0-9]+\+[0-9]+\+[0-9]+)$ ]] ||
			exp_bad "--on $ON: the region to watch must be WxH+X+Y within the window, or pick"
		[[ $ON_ARGS != own,*,pick ]] ||
			exp_bad "--on $ON: nobody sees the display of --own-display, so nobody can pick a region: give WxH+X+Y, or leave it out"
		! plan_given protocol || [[ ${PROTOCOLS-${PROTOCOL-vnc}} == @(vnc|attach) ]] ||
			exp_bad "--protocol ${PROTOCOLS-$PROTOCOL} with --on attach: the client in that window sets it; omit it"
		PROTOCOL=attach PROTOCOLS=${PROTOCOLS+attach}
		;;
	attach*) exp_bad "--on $ON: must be attach:DISPLAY,WINDOW[,WxH+X+Y], such as attach::0,0x3a00007" ;;
	*) exp_bad "--on $ON: must be lab (two hosts emulated here), SERVER, ssh:SERVER,CLIENT or attach:DISPLAY,WINDOW" ;;
	esac
	[ "$ON_BACKEND" != ssh ] || [ -z "${PLAN[not-ssh]-}" ] ||
		exp_bad "--on $ON: $EXPERIMENT needs the emulated hosts: ${PLAN[not-ssh]}"
	[[ $ON == lab || " $where " == *" ${ON%%:*} "* ]] ||
		exp_bad "--on $ON: this experiment allows only --on ${where// /, or }"
	[ "$ON_BACKEND" = attach ] || [ -z "${ATTACH_PORT-}" ] || exp_bad "--port works only with --on attach"
	[ "$ON_BACKEND" = attach ] || [ -z "${OWN_DISPLAY-}" ] || exp_bad "--own-display works only with --on attach"
	[ "$ON_BACKEND" = attach ] || [ -z "${SET_LOAD-}" ] || exp_bad "--set-load works only with --on attach"
	[ -n "${SET_LOAD-}" ] || [ -z "${SET_LOAD_TIMEOUT-}" ] || exp_bad "--set-load-timeout needs --set-load"
	[ -z "${SET_LOAD-}" ] || [[ $SET_LOAD == *%d* ]] || exp_bad "--set-load $SET_LOAD: lacks %d, which stands for the load"
	[ "$ON_BACKEND" = attach ] || [[ ,${PROTOCOLS-${PROTOCOL-}}, != *,attach,* ]] ||
		exp_bad "--protocol attach: needs --on attach:DISPLAY,WINDOW"
}

# Keeps those of PROTOCOLS that can run here; ABSENT gets the reasons of the others. A single protocol that was asked for must run,
# and so must those of a resumed run. The plan's `choose one` keeps only the first default protocol that can run; with `choose any`
# the run goes on even with none.
ABSENT=()
plan_choose_protocols() {
	local protocol why all=''
	for protocol in ${PROTOCOLS//,/ }; do
		protocol_use "$protocol"
		if why=$(protocol_can); then
			all+=,$protocol
			if [ "${PLAN[choose]-}" = one ] && ! plan_given protocol && [ -z "$RESUME" ]; then break; fi
		elif [ "${PLAN[choose]-}" != any ] && { [ -n "$RESUME" ] || { plan_given protocol &&
			[[ $PROTOCOLS != *,* ]]; }; }; then
			die "-$EXIT_MISSING" "$protocol cannot run here: $why"
		else
			ABSENT+=("$protocol: $why")
		fi
	done
	PROTOCOLS=${all#,} PROTOCOL=${all#,}
	PROTOCOL=${PROTOCOL%%,*}
	[ -n "$PROTOCOLS" ] || [ "${PLAN[choose]-}" = any ] ||
		die "-$EXIT_MISSING" "none of these protocols can run here (${ABSENT[0]}); see: thinprobe list --protocols"
}

# Prints the settings as JSON: each option by its type, the plan's constants (`setting`), and the output of exp_settings.
plan_settings() {
	local name
	{
		for name in "${OPTIONS[@]}"; do printf '%s\037%s\037%s\036' "${OPT[$name.key]}" "${OPT[$name.type]%%:*}" \
			"${!OPT[$name.var]}"; done
		printf '%s\036' "${PLAN_SETTINGS[@]}" "threshold"$'\037text\037'"$THRESHOLD"
	} | jq -cRs --argjson more "$(exp_settings)" --argjson measured "$LINK_MEASURED" '
		def kept($kind): if $kind | IN("int", "real", "ms", "s", "threshold") then tonumber? // null else . end;
		[split("\u001e")[] | split("\u001f") | . as [$key, $type, $text] | select($key != "-" and $type != null)
			| ($type | sub("-list$"; "")) as $kind
			| if $kind == "json" then ($text | try fromjson catch $text)
			elif $kind == "flag" then $text == "1"
			elif $kind != $type then (if $text == "" then [] else $text | split(",") | map(kept($kind)) end)
			else $text | kept($kind) end
			| select(. != "") | {key: $key, value: .}] | {on: "lab"} + from_entries + $more
			+ if $measured == null then {} else {link_measured: $measured} end'
}
