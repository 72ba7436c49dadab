# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # option variables are for the experiments
# plan.sh - reads an experiment's plan: its options, and from these the usage, the command line, checks, and settings in run.json.

# PLAN[says] is a line of the plan; OPT[rtt.type] an option's type, default, quick, demo, var, key, unit, meta, help, given.
declare -A PLAN OPT
OPTIONS=() AXES=() GROUP=() PLAN_SETTINGS=()

# plan_words LINE: its words in WORDS, the text between double quotes in TEXT.
plan_words() {
	local rest=$1
	TEXT=''
	if [[ $rest =~ ^([^\"]*)\"([^\"]*)\" ]]; then rest=${BASH_REMATCH[1]} TEXT=${BASH_REMATCH[2]}; fi
	read -ra WORDS <<<"${rest%%[[:space:]]#*}"
}

# plan_lines FILE: its lines; one that begins with a blank goes on with the line before. No comments.
plan_lines() {
	awk '/^(#|$)/ { next } /^[ \t]/ { sub(/^[ \t]+/, ""); line = line " " $0; next } { if (line != "") print line; line = $0 }
		END { print line }' "$1"
}

# plan_read FOLDER: sets PLAN, OPT, OPTIONS, AXES, GROUP, PLAN_SETTINGS.
plan_read() {
	local line first rest name more
	local -A engine
	while IFS= read -r line; do
		read -r first name _ <<<"$line"
		[ "$first" != option ] || engine[$name]=$line
	done < <(plan_lines "$TP_HOME/experiments/engine/options")
	while read -r first rest; do
		case $first in
		option) plan_option "$rest" '' ;;
		use)
			read -r name more <<<"$rest"
			[ -n "${engine[$name]-}" ] || die "$1/plan: no option $name in experiments/engine/options"
			plan_option "${engine[$name]#option }" "$more"
			;;
		axis) read -ra AXES <<<"$rest" ;;
		group) read -ra GROUP <<<"$rest" ;;
		setting) PLAN_SETTINGS+=("$rest") ;;
		*) PLAN[$first]=$rest ;;
		esac
	done < <(plan_lines "$1/plan")
	for name in quick demo resume o options-only; do
		[ -n "${OPT[$name.type]-}" ] || plan_option "${engine[$name]#option }" ''
	done
}

# plan_option "NAME TYPE DEFAULT ... HELP" "DEFAULT ... HELP": the second has what a plan changes of an option of the engine.
plan_option() {
	local WORDS TEXT name word list=''
	plan_words "$1"
	name=${WORDS[0]} OPT[${WORDS[0]}.help]=$TEXT OPT[${WORDS[0]}.type]=${WORDS[1]}
	plan_attributes "$name" "${WORDS[@]:2}"
	plan_words "$2"
	[ -z "$TEXT" ] || OPT[$name.help]=$TEXT
	plan_attributes "$name" ${WORDS[@]+"${WORDS[@]}"}
	# An option of the engine that has several values here: its names get an s.
	word=${OPT[$name.type]}
	if [ -n "$2" ] && [[ $word == *-list* || $word == list || ${OPT[$name.default]} == *,* ]]; then
		list=s
		if [[ $word != *-list* ]]; then
			plan_words "$1"
			[ "$word" != list ] || word=${WORDS[1]}
			OPT[$name.type]=${word/%:*/}-list${word#"${word%%:*}"}
		fi
	fi
	: "${OPT[$name.key]:=${name//-/_}$list}"
	word=${name//-/_}$list
	: "${OPT[$name.var]:=${word^^}}"
	OPTIONS+=("$name")
}

plan_attributes() {	# plan_attributes NAME WORD...
	local name=$1 word
	shift
	for word; do
		if [[ $word =~ ^(type|var|key|unit|quick|demo|meta)=(.*)$ ]]; then
			OPT[$name.${BASH_REMATCH[1]}]=${BASH_REMATCH[2]}
		else
			OPT[$name.default]=${word#-}
		fi
	done
}

plan_given() { [ -n "${OPT[$1.given]-}" ]; }	# plan_given NAME: the option was said

plan_set() { printf -v "${OPT[$1.var]}" %s "$2"; }	# plan_set NAME VALUE

# Usage and errors ----------------------------------------------------------------------------------------------

exp_called() { echo "thinprobe ${PLAN[called]:-run $EXPERIMENT}"; }

exp_bad() {
	echo "thinprobe: $* (see $(exp_called) --help)" >&2
	exit 2
}

# plan_meta NAME: what stands for its value in the usage.
plan_meta() {
	local kind=${OPT[$1.type]%%:*} words=${OPT[$1.type]#*:} list=''
	[[ $kind != *-list ]] || list=,...
	case ${OPT[$1.meta]-}/${kind%-list} in
	/flag) return ;;
	/word) [ ${#words} -le 20 ] && [ -z "$list" ] && echo " $words" || echo " WORD$list" ;;
	/int) echo " N$list" ;;
	/real) echo " X$list" ;;
	/ms) echo " MS$list" ;;
	/s) echo " S$list" ;;
	/*) kind=${1//-/_}; echo " ${kind^^}$list" ;;
	*) echo " ${OPT[$1.meta]}$list" ;;
	esac
}

exp_usage() {
	local name head text demo=''
	printf 'usage: %s [options]\n%s\n' "$(exp_called)" "${PLAN[says]}"
	for name in "${OPTIONS[@]}"; do
		case $name in
		options-only | demo) continue ;;
		o) head="  -o$(plan_meta o)" ;;
		*) head="  --$name$(plan_meta "$name")" ;;
		esac
		text=${OPT[$name.help]}
		if [ "${OPT[$name.type]}" != flag ] && [ -n "${OPT[$name.default]}" ]; then
			text+=" (${OPT[$name.default]}${OPT[$name.quick]:+; with --quick ${OPT[$name.quick]}})"
		elif [ -n "${OPT[$name.quick]-}" ]; then
			text+=" (with --quick ${OPT[$name.quick]})"
		fi
		[ ${#head} -lt 24 ] || { echo "$head"; head=''; }
		fold -s -w 76 <<<"$text" | while IFS= read -r text; do
			printf '%-24s%s\n' "$head" "${text%"${text##*[! ]}"}"
			head=''
		done
	done
}

# The command line ------------------------------------------------------------------------------------------------

# plan_parse WORD...: sets the options' variables: what was said, else what --demo, --quick, or nothing asks for. Sets EXP_COMMAND.
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
		--help | -h) exp_usage; exit 0 ;;
		esac
		name=${1#--}
		[ "$1" != -o ] || name=o
		[[ $1 == --[a-z]* || $1 == -o ]] && [ "$1" != --o ] && [ -n "${OPT[$name.type]-}" ] || exp_bad "unexpected $1"
		if [ "${OPT[$name.type]}" = flag ]; then
			[ -z "$value" ] || exp_bad "$1 takes no value"
			plan_set "$name" 1
		else
			[ $# -gt 1 ] && [ -n "$2" ] && [[ $value == joined || $2 != --* ]] || exp_bad "$1 needs a value"
			! plan_given "$name" || [ "${!OPT[$name.var]}" = "$2" ] || exp_bad "$1 is there twice"
			plan_set "$name" "$2"
			shift
		fi
		OPT[$name.given]=1
		shift
	done
	! plan_given quick || ! plan_given demo || exp_bad "--quick with --demo: each has values of its own; choose one"
	RESUME=${RESUME%/}
	if [ -n "$RESUME" ]; then plan_resume; return; fi
	[ "$DEMO" = 0 ] || plan_instead demo
	[ "$QUICK" = 0 ] || plan_instead quick
}

plan_instead() {	# plan_instead quick|demo: its values, of options that were not said
	local name
	for name in "${OPTIONS[@]}"; do
		[ -n "${OPT[$name.$1]-}" ] && ! plan_given "$name" || continue
		plan_set "$name" "${OPT[$name.$1]#-}"
		[ "$1" != demo ] || OPT[$name.given]=demo
	done
}

# The settings of the run that goes on.
plan_resume() {
	local name key value
	local -A settings
	for name in "${OPTIONS[@]}"; do
		! plan_given "$name" || [ "${OPT[$name.key]}" = - ] ||
			exp_bad "--$name with --resume: a run goes on with its own settings"
	done
	! plan_given o || exp_bad "-o with --resume: a run goes on in its own folder"
	need jq jq
	[ -f "$RESUME/run.json" ] || exp_bad "--resume $RESUME: no run folder (it has no run.json)"
	jq -e . "$RESUME/run.json" >/dev/null 2>&1 || exp_bad "--resume $RESUME: its run.json cannot be read"
	[ "$(jq -r .experiment "$RESUME/run.json")" = "$EXPERIMENT" ] || exp_bad "--resume $RESUME: not a run of $EXPERIMENT"
	jq -e .axes "$RESUME/run.json" >/dev/null || exp_bad "--resume $RESUME: an older version made it; start a new run"
	jq -e --arg axes "${AXES[*]%%=*}" '(.axes | join(" ")) == $axes and all(.cells[]; (.name | test("^[^/\\s.][^/\\s]*$"))
		and (.parameters | keys) == ($axes | split(" ") | sort)) and ([.cells[].name] | length == (unique | length))' \
		"$RESUME/run.json" >/dev/null 2>&1 || exp_bad "--resume $RESUME: its cells are not of the axes ${AXES[*]%%=*}; start a new run"
	while IFS=$'\037' read -r key value; do
		settings[$key]=$value
	done < <(jq -r '.settings | to_entries[] | "\(.key)\u001f\(.value
		| if type == "array" then map(tostring) | join(",") elif type == "boolean" then (if . then 1 else 0 end) else . // "" end)"' \
		"$RESUME/run.json")
	for name in "${OPTIONS[@]}"; do
		[ "${OPT[$name.key]}" = - ] || plan_set "$name" "${settings[${OPT[$name.key]}]-}"
	done
	# The same window, and the place in it that was found.
	[[ ${ON-} != attach:* ]] || ON=$(jq -r '.protocol as $p | .settings.on | if $p.window then
		"\(split(",")[0]),\($p.window)" + (if $p.region then ",\($p.region)" else "" end) else . end' "$RESUME/run.json")
}

# Checks ----------------------------------------------------------------------------------------------------------

# plan_check: every option's value is of its type. (What options must mean together: the engine's own below, and exp_check.)
plan_check() {
	local name item type kind args value=() text
	for name in "${OPTIONS[@]}"; do
		type=${OPT[$name.type]} text=${!OPT[$name.var]}
		kind=${type%%:*} args=''
		[[ $type != *:* ]] || args=${type#*:}
		if [[ $kind != word && "|$args|" == *'|none|'* && $text == none ]]; then text=''; fi
		[ "${kind%-list}" = word ] || args=${args%|none}
		if [ -n "$text" ] && [[ $kind == *-list ]]; then
			exp_list "--$name" "$text"
			value=()
			for item in ${text//,/ }; do
				plan_item "--$name" "${kind%-list}" "$args" "$item" "${OPT[$name.unit]-}"
				value+=("$ITEM")
			done
			printf -v text '%s,' "${value[@]}"
			text=${text%,}
			exp_list "--$name" "$text"
		elif [ -n "$text" ] && [ "$kind" != flag ]; then
			plan_item "--$name" "$kind" "$args" "$text" "${OPT[$name.unit]-}"
			text=$ITEM
		fi
		plan_set "$name" "$text"
	done
	plan_check_on
	[ -z "${OPT[link.type]-}" ] || plan_check_link
	[ -z "${OPT[queue.type]-}" ] || plan_check_queue
	[ -z "${OPT[server-memory.type]-}" ] || plan_check_memory
}

exp_list() {	# exp_list OPTION LIST: no empty places, nothing twice
	local twice
	[[ $2 =~ ^[^,]+(,[^,]+)*$ ]] || exp_bad "$1 $2: values with commas between"
	twice=$(tr , '\n' <<<"$2" | sort | uniq -d | head -n 1)
	[ -z "$twice" ] || exp_bad "$1 $2: $twice is there twice"
}

# plan_item OPTION KIND ARGUMENTS TEXT UNIT: ITEM is the text as it is kept: numbers without units.
plan_item() {
	local option=$1 kind=$2 low=${3%..*} high=${3#*..} text=$4 unit=$5 SIZE
	ITEM=$text
	case $kind in
	int)
		ITEM=${text%"$unit"}
		[[ $ITEM =~ ^(0|[1-9][0-9]{0,9})$ ]] && [ "$ITEM" -ge "$low" ] && [ "$ITEM" -le "$high" ] ||
			exp_bad "$option $text: not a whole number from $low to $high${unit:+, in $unit}"
		;;
	real | ms | s)
		[ "$kind" = real ] || unit=$kind
		case $kind/$text in
		ms/*us | s/*ms) ITEM=$(plan_scaled "${text%[um]s}" 0.001) ;;
		ms/*ms | s/*s) ITEM=${text%"$kind"} ;;
		ms/*s) ITEM=$(plan_scaled "${text%s}" 1000) ;;
		real/*) ITEM=${text%"$unit"} ;;
		esac
		[[ $ITEM =~ ^(0|[1-9][0-9]{0,9})(\.[0-9]{1,9})?$ ]] &&
			LC_ALL=C awk -v v="$ITEM" -v low="$low" -v high="$high" 'BEGIN { exit !(v + 0 >= low + 0 && v + 0 <= high + 0) }' ||
			exp_bad "$option $text: not a number from $low to $high${unit:+, in $unit}"
		if [[ $ITEM == *.* ]]; then ITEM=${ITEM%"${ITEM##*[!0]}"} ITEM=${ITEM%.}; fi	# 0.50 and 0.5 are one value
		;;
	word) [[ "|$3|" == *"|$text|"* ]] || exp_bad "$option $text: $(sed 's/|\([^|]*\)$/ or \1/; s/|/, /g' <<<"$3")" ;;
	size) lab_size "$text" || exp_bad "$option $text: a size such as 512M or 1.5G" ;;
	protocol) plan_protocol "$text" ;;
	text) ;;
	*) die "experiments/$EXPERIMENT/plan: $option has no type that is known: $kind" ;;
	esac
}

plan_scaled() { LC_ALL=C awk -v v="$1" -v by="$2" 'BEGIN { if (v !~ /^[0-9]+(\.[0-9]+)?$/) exit; printf "%.9g", v * by }'; }

# plan_protocol NAME[:VARIANT]: there is such a one, and it has the properties that the plan asks for.
plan_protocol() {
	local have property
	[[ $1 != */* && -f $TP_HOME/lab/protocols/${1%%:*}.sh ]] || exp_bad "no protocol $1; thinprobe list --protocols names them"
	have=$(protocol_use "$1" && protocol_properties) || exit	# it has said why
	for property in ${PLAN[protocols]-}; do
		[[ " $have " != *" $property "* ]] || continue
		case $property in
		display) exp_bad "--protocol $1: no applications run in its sessions" ;;
		link) exp_bad "--protocol $1: nothing of it crosses the link" ;;
		view) exp_bad "--protocol $1: no client of its own shows its sessions" ;;
		own-server) exp_bad "--protocol $1: its server is the application, too" ;;
		*) exp_bad "--protocol $1: it has not the property '$property'" ;;
		esac
	done
}

plan_check_link() {
	local number='[0-9]+(\.[0-9]+)?' time
	time="($number(us|ms|s)|0)"
	[[ $LINK =~ ^(none|${number}[KMGkmg]?bit)(,$time(,$time(,$number%?)?)?)?$ ]] ||
		exp_bad "--link $LINK: a rate such as 10Mbit, or none; with a delay each way, jitter and loss such as 10Mbit,40ms,5ms,0.5%"
	[[ ! $LINK =~ ,([0-9.]+)%?$ || ${BASH_REMATCH[1]} =~ ^0*[0-9]{1,2}(\.|$) ]] ||
		exp_bad "--link $LINK: a loss of less than 100 percent"
	if [ "$ON" != lab ]; then
		! plan_given link || exp_bad "--link with --on $ON: a real link is not shaped"
		LINK=none
	fi
}

plan_check_queue() {
	[ -n "${QUEUE-}" ] || return 0
	[[ $QUEUE =~ ^[0-9]+(\.[0-9]+)?(us|ms|s)$ ]] || exp_bad "--queue $QUEUE: a time such as 50ms"
	[ "$ON" = lab ] || exp_bad "--queue with --on $ON: a real link is left as it is"
	[[ ${LINK-} != none* ]] || exp_bad "--queue $QUEUE: a link without a rate (--link $LINK) has no queue"
}

plan_check_memory() {
	local SIZE name
	[ "$SERVER_MEMORY" != none ] || SERVER_MEMORY=''
	if [ -z "$SERVER_MEMORY" ]; then
		for name in swap swap-size; do
			! plan_given "$name" || exp_bad "--$name is of a server with a size of its own: --server-memory SIZE"
		done
		SWAP='' SWAP_SIZE=''
		return
	fi
	lab_size "$SERVER_MEMORY" && [ "$SIZE" -ge $((16 << 20)) ] ||
		exp_bad "--server-memory $SERVER_MEMORY: a size from 16M on, such as 512M, or none"
	[[ ${SWAP:-file} =~ ^(none|file|zram|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] ||
		exp_bad "--swap $SWAP: none, file, zram, or slow:DELAY such as slow:2.5ms"
	[ -z "$SWAP_SIZE" ] || { lab_size "$SWAP_SIZE" && [ "$SIZE" -ge $((1 << 20)) ]; } ||
		exp_bad "--swap-size $SWAP_SIZE: a size from 1M on, such as 1G"
	[ "$ON" = lab ] || [ -z "$SWAP$SWAP_SIZE" ] || exp_bad "--swap with --on $ON: the swap of a real machine is left as it is"
}

# The back-end, and what it is told, from ON.
plan_check_on() {
	local region
	[ -n "${OPT[on.type]-}" ] || ON=lab
	ON_ARGS=${ON#*:}
	case $ON in
	lab) ON_BACKEND=local ON_ARGS='' ;;
	ssh:*)
		ON_BACKEND=ssh
		[[ $ON_ARGS =~ ^[^,-][^,]*,[^,-][^,]*$ ]] || exp_bad "--on $ON: two machines as ssh knows them, such as ssh:server,me@client"
		;;
	attach:?*,?*)
		ON_BACKEND=attach
		IFS=, read -r _ _ region <<<"$ON_ARGS"
		[[ $region =~ ^(|pick|[0-9]+x[0-9]+\+[0-9]+\+[0-9]+)$ ]] ||
			exp_bad "--on $ON: the place of the echo is WxH+X+Y from the window's corner, or pick"
		[ "$PROTOCOL" = vnc ] || [ "$PROTOCOL" = attach ] ||
			exp_bad "--protocol $PROTOCOL with --on attach: the client in the window decides"
		PROTOCOL=attach
		;;
	attach*) exp_bad "--on $ON: give attach:DISPLAY,WINDOW[,WxH+X+Y], such as attach::0,0x3a00007" ;;
	*) exp_bad "--on $ON: lab (two hosts emulated on this machine), ssh:SERVER,CLIENT, or attach:DISPLAY,WINDOW" ;;
	esac
	[[ $ON == lab || " ${PLAN[on]-lab ssh} " == *" ${ON%%:*} "* ]] ||
		exp_bad "--on $ON: this experiment can only have --on ${PLAN[on]// /, or }"
	[ "$ON_BACKEND" = attach ] || [ -z "${ATTACH_PORT-}" ] || exp_bad "--port is for --on attach"
	[ "$ON_BACKEND" = attach ] || [ "${PROTOCOL-}" != attach ] ||
		exp_bad "--protocol attach: name the window with --on attach:DISPLAY,WINDOW"
}

# Which of several protocols can run here: those that were asked for must; of the default ones, those that can. The plan's
# `choose one`: only the first of these; `choose any`: it goes on without those that cannot, and without any. ABSENT has
# these with the reason.
ABSENT=()
plan_choose_protocols() {
	local protocol why all=''
	for protocol in ${PROTOCOLS//,/ }; do
		protocol_use "$protocol"
		if why=$(protocol_can); then
			all+=,$protocol
			if [ "${PLAN[choose]-}" = one ] && ! plan_given protocol && [ -z "$RESUME" ]; then break; fi
		elif [ "${PLAN[choose]-}" != any ] && { plan_given protocol || [ -n "$RESUME" ]; }; then
			die "-$EXIT_MISSING" "$protocol cannot run here: $why"
		else
			ABSENT+=("$protocol: $why")
		fi
	done
	PROTOCOLS=${all#,} PROTOCOL=${all#,}
	PROTOCOL=${PROTOCOL%%,*}
	[ -n "$PROTOCOLS" ] || [ "${PLAN[choose]-}" = any ] ||
		die "-$EXIT_MISSING" "no display protocol can run here (${ABSENT[0]}); see: thinprobe list --protocols"
}

# What was asked for, as JSON: each option by its type, the plan's constants (`setting`), and what exp_settings prints.
plan_settings() {
	local name text
	{
		for name in "${OPTIONS[@]}"; do
			[ "${OPT[$name.key]}" = - ] || printf '%s\037%s\037%s\n' "${OPT[$name.key]}" "${OPT[$name.type]%%:*}" "${!OPT[$name.var]}"
		done
		for name in ${PLAN_SETTINGS[@]+"${PLAN_SETTINGS[@]}"}; do
			read -r name text <<<"$name"
			printf '%s\037json\037%s\n' "$name" "$text"
		done
	} | jq -cRn --argjson more "$(exp_settings)" '
		def kept($kind): if $kind == "int" or $kind == "real" or $kind == "ms" or $kind == "s" then tonumber? // null else . end;
		[inputs | split("\u001f") | . as [$key, $type, $text] | ($type | sub("-list$"; "")) as $kind
			| if $kind == "json" then ($text | try fromjson catch $text)
			elif $kind == "flag" then $text == "1"
			elif $kind != $type then (if $text == "" then [] else $text | split(",") | map(kept($kind)) end)
			else $text | kept($kind) end
			| select(. != "") | {key: $key, value: .}] | {on: "lab"} + from_entries + $more'
}
