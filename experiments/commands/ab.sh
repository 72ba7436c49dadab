#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# ab.sh EXPERIMENT --a "OPTIONS" --b "OPTIONS" [OPTION...] - two variants of an experiment, measured in turns until it is known
# which is better.
#
# Each variant is a run folder (DIR/a, DIR/b), whose repeats are the blocks. In a start both runs have their hosts and sessions
# up at once, and take turns (EXP_TURN, cells.sh): A B B A, and in the next start B A A B; the first by the seed. Then both end, so
# that what differs from start to start counts. After each start `judge` decides (analysis/sequential.py) whether more are needed.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
. "$TP_HOME/experiments/engine/plan.sh"
. "$TP_HOME/experiments/engine/folder.sh"
. "$TP_HOME/experiments/commands/ab_git.sh"
TP_TOOL=thinprobe COMMAND=ab
engine=$TP_HOME/experiments/engine

usage() {
	cat <<'END'
usage: thinprobe ab EXPERIMENT --a "OPTIONS" --b "OPTIONS" [options of both]
       thinprobe ab EXPERIMENT --git BASE..HEAD --build CMD --server PATH ...
       thinprobe ab --resume DIR
Is B better than A? Measures both in turns, and stops when it can decide.
  --a, --b "OPTIONS"    options of the experiment for each variant ("")
  --a-server PATH, --a-client PATH, --b-server PATH, --b-client PATH
                        a program of this variant, such as another Xvnc
  --a-root DIR, --b-root DIR
                        root file system of this variant's server and
                        applications (thinprobe root make)
  --git BASE..HEAD      two revisions of the repository in the current folder
  --build CMD           shell command that builds a revision, run in its tree
  --server PATH, --client PATH, --root DIR
                        result of the build: path from the top of the tree
  --effect SIZE         smallest difference of interest (10%), or 5ms
  --metrics NAME,...    only these, such as p50,p90 (times, shares and rates)
  --budget TIME         stop after this time, decided or not (10m); options
                        that you do not give are chosen to fit
  --pairs N             blocks (measurements) of each variant before both are
                        started anew (1)
  --noise PERCENT       also use blocks in which other programs took up to this
                        share of the CPUs, such as 25%, for a provisional
                        verdict
  --alpha PERCENT       chance of any false alarm (5)
  --seed N              seed of the order (1)
  -o, --output-dir DIR  folder for runs and report, new or empty
  --resume DIR          continue with the same settings
  -q, --quiet           print only the verdict
Exit status: 0 better or no difference of that size, 5 worse, 3 not decided
or too noisy, 1 not run, 2 wrong usage, 4 something is missing, 130 interrupted.
examples (the first needs: thinprobe setup --protocol vnc,x11):
    thinprobe ab stalls --loads 0 --a "--protocol vnc" --b "--protocol x11"
    thinprobe ab stalls --loads 5 --b-server /opt/new/bin/Xvnc --effect 5ms
    thinprobe ab stalls --git main..HEAD --build make --server bin/Xvnc
    thinprobe ab stalls --loads 0 --a-root roots/bookworm --b-root roots/trixie
END
}

DIR='' RESUME='' EXPERIMENT='' EFFECT=10% METRICS='' BUDGET=10m PAIRS=1 ALPHA=5 SEED=1 NOISE='' QUIET=''
declare -A OWN=([a]='' [b]='' [a-server]='' [a-client]='' [a-root]='' [b-server]='' [b-client]='' [b-root]='')
declare -A GIT=([git]='' [build]='')
GIT_PARTS=() BOTH=()
read_options() {
	while [ $# -gt 0 ]; do
		case $1 in --*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;; esac
		case $1 in
		-h | --help) usage; exit 0 ;;
		-q | --quiet) QUIET=1; shift; continue ;;
		--a | --b | --[ab]-server | --[ab]-client | --[ab]-root | --effect | --metrics | --budget | --pairs | --alpha | \
			--git | --build | --server | --client | --root | --noise | --seed | -o | --output-dir | --resume)
			[ $# -gt 1 ] || bad "$1 needs a value"
			[[ " ${given-} " != *" ${1/#-o/--output-dir} "* ]] || bad "$1 is given twice"
			local given+=" ${1/#-o/--output-dir}"
			case $1 in
			--effect) EFFECT=$2 ;;
			--metrics) METRICS=$2 ;;
			--budget) BUDGET=$2 ;;
			--pairs) PAIRS=$2 ;;
			--alpha) ALPHA=${2%\%} ;;
			--noise) NOISE=${2%\%} ;;
			--seed) SEED=$2 ;;
			--resume) RESUME=${2%/} ;;
			-o | --output-dir) DIR=$2 ;;
			--git | --build) GIT[${1#--}]=$2 ;;
			--server | --client | --root) GIT_PARTS+=("${1#--}=$2") ;;
			*) OWN[${1#--}]=$2 ;;
			esac
			shift 2
			;;
		--json | --tsv) bad "$1: verdict.json in the folder of -o has the verdict" ;;
		--repeat | --fail-if) bad "$1 belongs to a run: ab finds out how many blocks are needed" ;;
		*)
			if [ -z "$EXPERIMENT" ] && [ "${#BOTH[@]}" = 0 ] && [[ $1 != -* ]]; then EXPERIMENT=$1; else BOTH+=("$1"); fi
			shift
			;;
		esac
	done
	check_settings
	check_git
	[[ -z $RESUME || ("${given-} " =~ ^(\ --(resume|budget|noise|git|build|server|client|root))+\ $ &&
		-z $EXPERIMENT && ${#BOTH[@]} = 0) ]] ||
		bad "--resume goes on with the variants and settings that it has: only --budget and --noise may change"
}

check_place() {	# check_place WHAT PATH CURE: refuses a PATH that the hosts do not see
	[[ $2 != @(/tmp|/dev/shm)/* ]] || bad "$1: the emulated hosts have a /tmp and a /dev/shm of their own; $3 elsewhere"
}

check_git() {
	local part
	[ -n "${GIT[git]}${GIT[build]}${GIT_PARTS[*]-}" ] || return 0
	[ -n "${GIT[git]}" ] && [ -n "${GIT[build]}" ] && [ "${#GIT_PARTS[@]}" -gt 0 ] ||
		bad "a comparison of revisions needs all of --git, --build and one of --server, --client, --root"
	for part in "${GIT_PARTS[@]}"; do
		[[ ${part#*=} != /* && "/${part#*=}/" != */../* && -n ${part#*=} ]] || bad "--${part/=/ }: a path from the top of the tree"
		[ -z "${OWN[a-${part%%=*}]}${OWN[b-${part%%=*}]}" ] || bad "--${part%%=*} and --a-${part%%=*} or --b-: one of them"
	done
	git_commits "${GIT[git]}"
	part=$(git_ours rev-parse --path-format=absolute --git-common-dir)
	[[ " ${GIT_PARTS[*]}" != *" "@(server|client)=* ]] || check_place "--git" "$(realpath -- "$part")" "clone the repository"
}

check_settings() {	# those of options, and of a comparison that goes on
	[[ $EFFECT =~ ^[0-9]+(\.[0-9]+)?(%|ms)$ && $EFFECT == *[1-9]* ]] ||
		bad "--effect $EFFECT: a share such as 10%, or a time such as 5ms"
	[[ $BUDGET =~ ^([1-9][0-9]{0,5})(s|m|h)$ ]] || bad "--budget $BUDGET: a time such as 10m"
	case ${BASH_REMATCH[2]} in s) LIMIT=1 ;; m) LIMIT=60 ;; h) LIMIT=3600 ;; esac
	LIMIT=$((LIMIT * BASH_REMATCH[1]))
	[[ $PAIRS =~ ^[1-9][0-9]?$ ]] || bad "--pairs $PAIRS: a whole number from 1 to 99"
	[[ $SEED =~ ^[0-9]{1,7}$ ]] || bad "--seed $SEED: a whole number"
	SEED=$((10#$SEED))	# (with zeros in front it would be octal)
	[[ $ALPHA =~ ^[0-9]+(\.[0-9]+)?$ ]] && awk -v a="$ALPHA" 'BEGIN { exit !(a >= 0.001 && a <= 50) }' ||
		bad "--alpha $ALPHA: a percentage from 0.001 to 50, such as 5"
	[[ $NOISE =~ ^([1-9][0-9]?(\.[0-9]+)?|100)?$ ]] || bad "--noise $NOISE: a share of the CPUs such as 25%"
	[[ $METRICS =~ ^[A-Za-z0-9_,]*$ ]] || bad "--metrics $METRICS: names of columns, separated by commas"
}

# The variants -------------------------------------------------------------------------------------------------------

words_of() { xargs -r printf '%s\n' <<<"$1" 2>/dev/null || bad "--$2 $1: a quote is not closed"; }	# words_of TEXT OPTION

# variant_run VARIANT OPTION...: the engine, for a variant: with its programs in front of others (in their host only), and its root.
variant_run() {
	local side
	for side in server client; do
		[ -z "${OWN[$1-$side]}" ] || export "LAB_PATH_$side=${OWN[$1-$side]%/*}"
		export "EXP_PROGRAM_$side=${OWN[$1-$side]}"	# run.sh asks whether that host reaches it
	done
	[ -z "${OWN[$1-root]}" ] || export LAB_SERVER_ROOT=${OWN[$1-root]}
	exec setpriv --pdeathsig TERM "$engine/run.sh" "$EXPERIMENT" "${@:2}"
}

# programs_of PROTOCOL SIDE: the programs that its plug-in starts there by name, a line each, but for tools. Its own check names
# them: once as if all were installed, once as if none.
# shellcheck disable=SC2317 # the check calls these functions
programs_of() {
	local has side=$2
	for has in 0 1; do
		(
			protocol_use "$1"
			lab_has() { [ "$1" != "$side" ] || echo "$2" >&3; return "$has"; }
			lab_needs() { local need; for need; do need=${need%:*}; lab_has "${need%%:*}" "${need#*:}"; done; true; }
			protocol_asks() { :; }
			lab_exec() { :; }
			protocol_can
		) 3>&1 >/dev/null 2>&1
	done | grep -vxE '.*/.*|x(auth|dotool|prop|set)|openssl|ssh-keygen|gdbus|gsettings|dbus-daemon' | sort -u
}

# protocols_of VARIANT: those that it is measured over, a line each; nothing if the plan has no such option. Fails if the plan
# refuses them (and then says so itself, later).
protocols_of() (
	exec 2>/dev/null
	[ -z "${OWN[$1-root]}" ] || export LAB_SERVER_ROOT=${OWN[$1-root]}
	plan_read "$(experiment_folder "$EXPERIMENT")"
	mapfile -t own < <(words_of "${OWN[$1]}" "$1")
	if [ -n "$RESUME" ]; then plan_parse --resume "$DIR/$1"; else plan_parse "${BOTH[@]}" "${own[@]}"; fi
	name=${OPT[protocol.var]-}
	[ -z "$name" ] || for ITEM in $(plan_expand_protocols "${!name}" | tr , ' '); do
		plan_protocol "$ITEM"	# (without :VARIANT, if it is the first)
		echo "$ITEM"
	done
)

# check_name VARIANT SIDE FILE OPTION: a plug-in of the variant's protocols, or of an application, starts a program of this name.
check_name() {
	local name=${3##*/} each protocols names fit
	protocols=$(protocols_of "$1") || return 0
	: "${protocols:=$(plan_expand_protocols all | tr , '\n')}"
	names=$(for each in $protocols; do programs_of "$each" "$2"; done | sort -u)
	! grep -qxF -e "$name" <<<"$names" || return 0
	[ "$2-$(type -t "$name")" != server-file ] || ! in_trees 'lab/apps/*.sh' lab/xterm.sh data/applications.tsv |
		xargs -d '\n' sed 's/^[[:blank:]]*#.*//' | grep -wF -e "$name" >/dev/null || return 0
	fit=$(for each in $(plan_expand_protocols all | tr , ' '); do
		! programs_of "$each" "$2" | grep -xF -e "$name" >/dev/null || echo "$each"
	done | paste -sd ' ' | sed 's/ / or /g')
	if [ -n "$fit" ]; then fit="; give --protocol $fit"
	elif [ -z "$names" ]; then
		fit="; a plug-in of yours names it in protocol_can: lab_needs $2:$name:PACKAGE (docs/protocol-plugin.md)"
	else
		fit="; make a link of such a name in a folder of its own, not below /tmp or /dev/shm, and give it"
		[[ $2-$names != server-Xvnc ]] || fit+=", if it is an X server that speaks VNC"
		[ "$2" != server ] || fit+="; a server that draws by itself needs a plug-in (docs/protocol-plugin.md)"
	fi
	names=${names:-nothing by name}
	bad "$4: --protocol ${protocols//$'\n'/,} starts ${names//$'\n'/ or } as $2, not $name$fit"
}

check_programs() {
	local key file on
	for key in a-server a-client b-server b-client; do
		file=${OWN[$key]}
		[ -n "$file" ] || continue
		on=" ${BOTH[*]} ${OWN[${key%%-*}]} "
		[[ $on != *" --on"[\ =]* || $on == *" --on"[\ =]"lab "* ]] ||
			bad "--$key is for the emulated hosts: machines of --on run their own programs"
		[ ! -d "$file" ] || bad "--$key $file: is a folder; name the program in it"
		[ -x "$file" ] || bad "--$key $file: no program that can be run"
		check_name "${key%-*}" "${key#*-}" "$file" "--$key $file"
		[ "$EUID${LAB_OWN_UID-1}" != 01 ] || setpriv --reuid 61184 --regid 61184 --clear-groups test -x "$file" ||
			bad "--$key $file: only root can run it, and the ${key#*-}'s programs are another user's; put it elsewhere$(
				! setpriv --bounding-set=-all --inh-caps=-all test -x "$file" || echo ", or set LAB_OWN_UID=0")"
		OWN[$key]=$(realpath -s -- "$file")
		[[ ${OWN[$key]} != *:* ]] || bad "--$key $file: its path has a colon, where PATH would be cut; put it elsewhere"
		check_place "--$key $file" "${OWN[$key]}" "put it"
		check_place "--$key $file" "$(realpath -- "$file")" "put it"
	done
	for key in a-root b-root; do
		file=${OWN[$key]}
		[ -n "$file" ] || continue
		[ -x "$file/usr/bin/setpriv" ] && [ -d "$file/etc" ] ||
			bad "--$key $file: no root file system (etc, usr/bin/setpriv); make one with thinprobe root make"
		[ -z "${OWN[${key%root}server]}" ] ||
			bad "--$key and --${key%root}server: the server is one of the root; leave one out"
		OWN[$key]=$(realpath -- "$file")
	done
}

# What the user does not give is chosen so that the budget has twelve starts, by which ten metrics can be decided: short trains
# (100 keys, if all metrics or p90 are asked for), and of each list that is an axis so many values, from the first to the last.
# Sets ADDED, and PLANNED, what the plan says of a start: conditions, all of them, seconds of a block.
choose_blocks() {
	ADDED=() PLANNED=(1 1 10)
	mapfile -t PLANNED < <(
		exec 2>/dev/null
		keys=1000 most=1 fit='' seconds='' name='' given='' rate=0
		declare -A length=() full=() list=()
		plan_read "$(experiment_folder "$EXPERIMENT")"
		mapfile -t b < <(words_of "${OWN[b]}" b)
		given=" $(plan_parse "${BOTH[@]}" "${b[@]}"
			for name in "${OPTIONS[@]}"; do ! plan_given "$name" || echo "$name"; done | xargs) "
		mapfile -t a < <(words_of "${OWN[a]}" a)
		plan_parse "${BOTH[@]}" "${a[@]}"
		for name in "${AXES[@]#*=}"; do [ -z "${OPT[$name.var]-}" ] || list[$name]=${!OPT[$name.var]}; done
		exp_check() { :; }
		EXP_DIR=$(experiment_folder "$EXPERIMENT") && . "$EXP_DIR/cell.sh"
		plan_check || exit
		EXP_SWEEP=''
		exp_check
		chosen() { [ -n "${OPT[$1.type]-}" ] && ! plan_given "$1" && [[ $given != *" $1 "* ]]; }
		case ,$METRICS, in *p99*) ;; *p95*) keys=200 ;; ,, | *p90*) keys=100 ;; *) keys=60 ;; esac
		for name in "${PLAN_SETTINGS[@]}"; do [[ $name != rate_per_s$'\037'* ]] || rate=${name##*$'\037'}; done
		if chosen time && [ "$rate" -gt 0 ]; then
			plan_set time $((keys / rate + (keys > 60)))
			fit+=" --time ${!OPT[time.var]}"
		fi
		! chosen idle || fit+=" --idle 3"
		seconds=${OPT[time.var]+${!OPT[time.var]}}
		! chosen time || [[ $fit == *--time* ]] || seconds=${OPT[time.quick]-$seconds}
		seconds=${seconds%%.*}
		for name in "${AXES[@]#*=}"; do
			[ -n "${list[$name]-}" ] || continue
			# a protocol may leave fewer values
			[ "$(tr -cd , <<<"${!OPT[$name.var]}" | wc -c)" -ge "$(tr -cd , <<<"${list[$name]}" | wc -c)" ] ||
				list[$name]=${!OPT[$name.var]}
			length[$name]=$(awk -F, '{ print NF }' <<<"${list[$name]}")
			most=$((most * (full[$name] = length[$name])))
		done
		all=$most
		while [ "$most" -gt 1 ] && [ $((most * 2 * PAIRS * (${seconds:-10} + 2) + 10)) -gt $((LIMIT / 12)) ]; do
			v=''
			for name in "${!length[@]}"; do
				! chosen "$name" || [ "${length[$name]}" = 1 ] || [ "${length[$name]}" -lt "${length[$v]-0}" ] || v=$name
			done
			[ -n "$v" ] || break
			most=$((most * (length[$v] - 1) / length[$v]))
			length[$v]=$((length[$v] - 1))
		done
		for name in "${!length[@]}"; do
			[ "${length[$name]}" -lt "${full[$name]}" ] || { chosen "$name" && [ -n "${OPT[$name.quick]-}" ]; } || continue
			fit+=" --$name $(awk -F, -v k="${length[$name]}" '{ for (i = 0; i < k; i++)
				printf "%s%s", i ? "," : "", $(1 + (k > 1 ? int(i * (NF - 1) / (k - 1)) : 0)) }' <<<"${list[$name]}")"
		done
		printf '%s\n' "$most" "$all" "${seconds:-10}" "$fit"
	)
	[ "${#PLANNED[@]}" = 4 ] || { PLANNED=(1 1 10); return 0; }
	read -ra ADDED <<<"${PLANNED[3]}"
	[[ " ${BOTH[*]} ${OWN[a]} ${OWN[b]} " == *" --quick "* ]] || ADDED+=(--quick)
	"$engine/run.sh" "$EXPERIMENT" --options-only "${BOTH[@]}" "${ADDED[@]}" >/dev/null 2>&1 || ADDED=() PLANNED=(1 1 10)
}

check_metrics() {	# that the experiment has them; a start may still lack one
	local said
	[ -z "$METRICS" ] || said=$("$TP_BIN/ab" metrics "$EXPERIMENT" "$METRICS") || bad "--metrics $said"
}

# What the budget can decide, before it begins.
say_plan() {
	local start=$((PLANNED[0] * 2 * PAIRS * (PLANNED[2] + 2) + 10))
	[ "${PLANNED[0]}" = "${PLANNED[1]}" ] || say "conditions: $(jq -r '[.cells[].name] | join(", ")' "$DIR/a/run.json");" \
		"${PLANNED[1]} would need a larger --budget, or name them"
	say "blocks of ${PLANNED[2]} s; a start of both takes about $start s, so of $BUDGET:"
	say "$("$TP_BIN/judge" --starts $((LIMIT > start + 20 ? (LIMIT - 20) / start : 1)) --conditions "${PLANNED[0]}" \
		--effect "$EFFECT" --alpha "$ALPHA")"
}

# Where nothing is compared: junit.xml with the error, in a folder that the user named or that has a comparison; and such a file of
# an earlier one, which has nothing else.
ASKED=''
# shellcheck disable=SC2317 # run_on_exit calls it, with the status
junit_failed() {
	[ "$status" = 1 ] && { [ -n "$ASKED" ] || [ -e "$DIR/ab.json" ]; } || return 0
	"$TP_BIN/ab" failed "$EXPERIMENT" "${DIED:-thinprobe ab failed before a comparison; standard error says why}" |
		put_whole "$DIR/junit.xml"
}
junit_gone() {
	[ -z "$(find "$DIR/" -mindepth 1 ! \( -name .lock -o -name junit.xml \) -print -quit 2>/dev/null)" ] &&
		grep -qs '^<testsuite name="thinprobe ' "$DIR/junit.xml" && grep -q '<error ' "$DIR/junit.xml" && rm -f "$DIR/junit.xml"
	true
}

plan_variants() {
	local v own words part
	[ -n "$EXPERIMENT" ] && experiment_folder "$EXPERIMENT" >/dev/null ||
		bad "which experiment? ${EXPERIMENT:-none} is none$(nearest_experiment "$EXPERIMENT")"
	for v in a b; do words_of "${OWN[$v]}" "$v" >/dev/null; done
	check_metrics
	if [ -n "${GIT[git]}" ]; then
		for v in a b; do	# a wrong word, before anything is built
			mapfile -t own < <(words_of "${OWN[$v]}" "$v")
			"$engine/run.sh" "$EXPERIMENT" --options-only "${BOTH[@]}" "${own[@]}" >/dev/null || exit
			for part in "${GIT_PARTS[@]}"; do
				[[ $part == root=* ]] || check_name "$v" "${part%%=*}" "${part#*=}" "--${part/=/ }"
			done
		done
	fi
	check_programs
	ASKED=$DIR
	[ -n "$DIR" ] || DIR=$(results_new ab) || die "$(folder_refused "$DIR")"
	[ ! -e "$DIR/ab.json" ] || bad "-o $DIR: holds a comparison already; go on with --resume $(printf %q "$DIR")"
	folder_made DIR "$DIR" || die "$(folder_refused "$DIR")"
	junit_gone && folder_empty "$DIR" && lock_ours comparison && folder_empty "$DIR" ||
		die "${DIR//[[:cntrl:]]/?} cannot be used: give an empty folder of yours with -o DIR"
	on_exit folder_gone "$DIR"	# if nothing is compared
	on_exit junit_failed
	if [ -n "${GIT[git]}" ]; then
		git_build "${GIT[build]}" "${GIT_PARTS[@]}"
		check_programs
	fi
	choose_blocks
	for v in a b; do
		mapfile -t own < <(words_of "${OWN[$v]}" "$v")
		(EXP_SWEEP=plan variant_run "$v" "${BOTH[@]}" "${own[@]}" "${ADDED[@]}" --repeat 1 -o "$DIR/$v") || {
			local status=$?
			rm -rf "${DIR:?}/a" "${DIR:?}/b"
			exit "$status"
		}
	done
	[ "${OWN[a]}${OWN[a-server]}${OWN[a-client]}${OWN[a-root]}" != \
		"${OWN[b]}${OWN[b-server]}${OWN[b-client]}${OWN[b-root]}" ] ||
		warn "A and B are the same: a difference that is found is a false alarm"
	words=$("$TP_BIN/blocks" varied "$DIR/a" "$DIR/b") || {
		rm -rf "${DIR:?}/a" "${DIR:?}/b"
		bad "A and B have different conditions, $words: give both the same, or one each"
	}
	keep ab.json < <(jq -n --arg experiment "$EXPERIMENT" --arg both "${BOTH[*]}" --arg chosen "${ADDED[*]}" \
		--argjson noise "${NOISE:-0}" --arg effect "$EFFECT" --arg metrics "$METRICS" \
		--argjson pairs "$PAIRS" --argjson alpha "$ALPHA" --argjson seed "$SEED" \
		--arg a "${OWN[a]}" --arg a_server "${OWN[a-server]}" --arg a_client "${OWN[a-client]}" \
		--arg b "${OWN[b]}" --arg b_server "${OWN[b-server]}" --arg b_client "${OWN[b-client]}" \
		--arg a_root "${OWN[a-root]}" --arg b_root "${OWN[b-root]}" \
		--arg a_commit "${COMMIT[a]}" --arg b_commit "${COMMIT[b]}" '
		{schema: "thinprobe.ab/1", $experiment, $both, $chosen,
		a: {options: $a, server: $a_server, client: $a_client, root: $a_root, commit: $a_commit},
		b: {options: $b, server: $b_server, client: $b_client, root: $b_root, commit: $b_commit},
		settings: {$effect, $metrics, $pairs, alpha_percent: $alpha, $seed, noise_percent: $noise},
		starts: 0, measured_s: 0}')
}

recall() {	# of a comparison that goes on
	local fields why
	[ -f "$RESUME/ab.json" ] || bad "--resume $RESUME: no comparison is there"
	why=$("$TP_BIN/fail" folder "$RESUME") || bad "--resume $RESUME: ${why:-cannot be checked}"
	folder_made DIR "$RESUME" || die "$(folder_refused "$RESUME")"
	lock_ours comparison
	mapfile -t fields < <(jq -r '.experiment, (.a, .b | (.options | gsub("\n"; " ")), .server, .client, .root // ""),
		(.settings | .effect, .metrics, .pairs, .alpha_percent, .seed, .noise_percent // 0), .starts, .measured_s' \
		"$DIR/ab.json" 2>/dev/null) &&
		[[ ${#fields[@]} = 17 && ${fields[15]} =~ ^[0-9]{1,7}$ && ${fields[16]} =~ ^[0-9]{1,7}$ ]] ||
		die "$DIR/ab.json cannot be read"
	for why in a b; do
		jq -e '.settings.repeats | numbers' "$DIR/$why/run.json" >/dev/null 2>&1 || die "$DIR/$why/run.json cannot be read"
	done
	EXPERIMENT=${fields[0]} OWN[a]=${fields[1]} OWN[a-server]=${fields[2]} OWN[a-client]=${fields[3]} OWN[a-root]=${fields[4]} \
		OWN[b]=${fields[5]} OWN[b-server]=${fields[6]} OWN[b-client]=${fields[7]} OWN[b-root]=${fields[8]} \
		EFFECT=${fields[9]} METRICS=${fields[10]} PAIRS=${fields[11]} ALPHA=${fields[12]} SEED=${fields[13]} \
		NOISE=${NOISE:-${fields[14]#0}} STARTS=$((10#${fields[15]})) MEASURED=$((10#${fields[16]}))
	check_settings
	why=$(jq -r '(.a, .b).commit // "" | strings' "$DIR/ab.json" | paste -sd ' ')
	[ "${why:- }" = "${COMMIT[a]} ${COMMIT[b]}" ] || bad "--resume $RESUME: $(
		if [ "${why:- }" = " " ]; then echo "is no comparison of revisions"
		else echo "give --git ${why/ /..} again, with --build and what it leaves"; fi)"
	experiment_folder "$EXPERIMENT" >/dev/null || die "$DIR/ab.json: $EXPERIMENT is no experiment"
	on_exit junit_failed
	[ -z "${GIT[git]}" ] || git_build "${GIT[build]}" "${GIT_PARTS[@]}"
	check_programs
	keep ab.json < <(jq --argjson noise "${NOISE:-0}" '.settings.noise_percent = $noise' "$DIR/ab.json")
	rm -f "$DIR/junit.xml"	# (it would pass for this one's if nothing is measured)
	# without rows of a start that was not counted before the end
	[ ! -s "$DIR/blocks.tsv" ] || keep blocks.tsv < <(awk -F'\t' -v starts="$STARTS" 'NR == 1 || $2 <= starts' "$DIR/blocks.tsv")
}

# A start ------------------------------------------------------------------------------------------------------------

declare -A RUNNING=()
BROKEN=() REFUSED=''

# start_variant VARIANT: begins to bring up its hosts and sessions; SECOND does so meanwhile, on the CPUs that FIRST has taken.
start_variant() {
	local v=$1 k from=$((STARTS * PAIRS + 1)) beside=(LAB_CPUS_TOLD="$DIR/.cpus")
	rm -f "$DIR/.turn-$v".*
	# what this start has left, failed or interrupted, is of other sessions
	for ((k = from; k < from + PAIRS; k++)); do rm -rf "$DIR/$v/cells"/*/"$k"; done
	keep "$v/run.json" < <(jq --argjson n "$((from + PAIRS - 1))" '.settings.repeats = $n' "$DIR/$v/run.json")
	[ "$v" = "$FIRST" ] || beside=(LAB_BESIDE="$DIR/.cpus")
	# shared once, shared in all starts: other CPUs would make it another run
	! jq -es 'any(.[]; .lab.shared_cpus)' "$DIR"/[ab]/run.json >/dev/null || beside+=(LAB_SHARED_CPUS=1)
	{
		export "${beside[@]}"
		EXP_TURN=$DIR/.turn-$v EXP_PAIR=$DIR/$v.pair.json EXP_SWEEP=$from-$((from + PAIRS - 1)) \
			variant_run "$v" --resume "$DIR/$v" </dev/null >>"$DIR/$v.log" 2>&1
	} &
	RUNNING[$v]=$!
}
alive() { kill -0 "${RUNNING[$1]}" 2>/dev/null; }
last_said() { grep -v '^$' "$DIR/$1.log" | tail -n 1; }
await() { until test "${@:2}"; do alive "$1" && [ -z "$stop" ] || return; nap 0.1; done; }	# await VARIANT TEST; 1: it has ended

# comes_up VARIANT: its hosts and sessions are up; 1: it has ended. A wait, such as for CPUs that another lab has, is shown, and is
# no time of the comparison (WAITED, in seconds).
comes_up() {
	local line said='' since
	now_s
	since=$NOW_S
	until [ -e "$DIR/.turn-$1.waits" ]; do
		alive "$1" && [ -z "$stop" ] || return
		nap 0.1
		now_s
		[ "$NOW_S" != "$since" ] || continue
		line=$(tail -n 1 "$DIR/$1.log")
		case $line in
		*": waiting up to "*) WAITED=$((WAITED + NOW_S - since)) ;;
		*": sharing them; "*) ;;
		*) line=$said ;;
		esac
		[ "$line" = "$said" ] || warn "${line#thinprobe: }"
		said=$line since=$NOW_S
	done
}

# turn VARIANT: it measures what it does once a start, or a block. 1: it has ended.
turn() {
	: >"$DIR/.turn-$1.go"
	await "$1" ! -e "$DIR/.turn-$1.go" && await "$1" -e "$DIR/.turn-$1.waits"
}

end_begin() { local v; for v in "${!RUNNING[@]}"; do : >"$DIR/.turn-$v.go"; done; }	# both go on to their ends

# end_variants [stop]: waits for them, or tells them to end. Sets BROKEN, those that have ended by themselves by then, and REFUSED,
# why one of them refused its options or programs.
end_variants() {
	local v last
	BROKEN=()
	[ -z "${1-}" ] || for v in "${!RUNNING[@]}"; do alive "$v" || BROKEN+=("$v"); done
	[ -z "$stop${1-}" ] || kill "${RUNNING[@]}" 2>/dev/null
	for v in "${!RUNNING[@]}"; do
		until wait "${RUNNING[$v]}" 2>/dev/null; last=$?; ! alive "$v"; do :; done
		[ "$last" != 2 ] || REFUSED=$(last_said "$v")
		rm -f "$DIR/.turn-$v".*
	done
	RUNNING=()
}

# One start of both; its blocks are added to blocks.tsv. 1: a variant could not be measured.
one_start() {
	local k pair v varied order=a FIRST=a SECOND=b
	[ "$(order_of "$STARTS")" = 0 ] || { order=b FIRST=b SECOND=a; }
	rm -f "$DIR/.cpus"
	for v in "$FIRST" "$SECOND"; do
		start_variant "$v"
		# two drivers of the same logins or window come one after the other
		jq -e '.settings.on == "lab"' "$DIR/$v/run.json" >/dev/null || comes_up "$v" || break
	done
	for v in "$FIRST" "$SECOND"; do
		comes_up "$v" || { end_variants stop; return 1; }
	done
	for v in "$FIRST" "$SECOND"; do turn "$v" || { end_variants stop; return 1; }; done
	for ((k = 1; k <= PAIRS; k++)); do
		pair=("$order" "$([ "$order" = a ] && echo b || echo a)")
		for v in "${pair[@]}"; do
			turn "$v" || { end_variants stop; return 1; }
		done
		order=${pair[1]}
	done
	end_begin
	varied=$("$TP_BIN/blocks" varied "$DIR/a" "$DIR/b") || { end_variants; die "A and B have different conditions: $varied"; }
	for ((k = 1; k <= PAIRS; k++)); do
		for v in a b; do
			"$TP_BIN/blocks" rows "$DIR/$v" "$((STARTS * PAIRS + k))" "$((STARTS + 1))" "$v" "$varied" ||
				{ end_variants; BROKEN=("$v"); return 1; }
		done
	done >"$DIR/.rows"
	end_variants
	cat "$DIR/blocks.tsv" "$DIR/.rows" | keep blocks.tsv || die "cannot write to $DIR"	# whole or not at all
	rm -f "$DIR/.rows"
}
order_of() { echo $(((SEED + $1) % 2)); }	# in turns, so that an effect of the order cancels

# The last words of each variant that ended by itself (the other was ended: its last words are no reason).
why_failed() {
	local v
	for v in "${BROKEN[@]}"; do printf '%s: %s\n' "${v^^}" "$(last_said "$v" | sed 's/^thinprobe: //')"; done |
		paste -sd ';' | sed 's/;\([AB]: \)/; \1/'
}

ABSENT=''	# which of --metrics were not measured, as said
decide() {	# STATUS is judge's; verdict.json
	local absent
	STATUS=0
	absent=$("$TP_BIN/ab" decide "$DIR" 2>"$DIR/.judge") || STATUS=$?
	[ -z "$absent" ] || [ "$absent" = "$ABSENT" ] || warn "not measured with these options, so not judged: $absent"
	ABSENT=$absent
	[[ $STATUS == [035] ]] || WHY=$(<"$DIR/.judge")
	rm -f "$DIR/.judge"
	[ "$STATUS" != 2 ] || die "${WHY#thinprobe: ab: }"
}

# What continues this comparison, with what --git needs again: prints the command.
resume_command() {
	local part
	printf 'thinprobe ab --resume %q' "$DIR"
	[ -z "${GIT[git]}" ] || printf ' --git %.12s..%.12s --build %q' "${COMMIT[a]}" "${COMMIT[b]}" "${GIT[build]}"
	for part in "${GIT_PARTS[@]}"; do printf ' --%s %q' "${part%%=*}" "${part#*=}"; done
}

say() { [ -n "$QUIET" ] || printf '%s\n' "$*" | printable; }

read_options "$@"
need jq jq cmark-gfm cmark-gfm gnuplot gnuplot-nox
STARTS=0 MEASURED=0 STATUS=3 WHY=''
if [ -n "$RESUME" ]; then
	recall
else
	plan_variants
	"$TP_BIN/blocks" head | keep blocks.tsv
fi
now_s
stop='' begun=$NOW_S last=0
trap 'stop=1' INT TERM HUP
say "$("$TP_BIN/ab" variants "$DIR")"
[ -n "$RESUME" ] || say_plan
failed=0 open=1 why=''
if [ "$STARTS" -gt 0 ]; then	# a comparison that goes on may be decided already, with more noise
	decide
	case $STATUS in 0 | 5) open=0 ;; esac
	WHY=''
fi
while [ "$open" = 1 ] && [ -z "$stop" ] && [ $((NOW_S - begun + last)) -le "$LIMIT" ]; do
	since=$NOW_S WAITED=0
	if ! one_start; then
		[ -z "$stop" ] || break
		[ "$STARTS" != 0 ] || [ -z "$REFUSED" ] || die -2 "${REFUSED#thinprobe: }"
		failed=$((failed + 1))
		# a block without any figure, of start 0, which has no pairs
		for v in "${BROKEN[@]}"; do
			keep blocks.tsv < <(cat "$DIR/blocks.tsv"
				printf 'blocks/1\t0\t%s\t%s\t\t\t\t\t\t0\n' "$(wc -l <"$DIR/blocks.tsv")" "$v")
		done
		was=$why why=$(why_failed)
		if [ "$failed" = 3 ]; then
			[ "$STARTS" = 0 ] || { say "start $((STARTS + 1)) failed 3 times: $why"; break; }
			die "nothing could be measured: $why (failed ${failed} times; log: $DIR/${BROKEN[0]-a}.log)"
		fi
		[ "$why" = "$was" ] || say "start $((STARTS + 1)) failed, and is tried again: $why"
		now_s
		begun=$((begun + WAITED))
		continue
	fi
	now_s
	failed=0 why='' begun=$((begun + WAITED)) since=$((since + WAITED))
	STARTS=$((STARTS + 1)) last=$((NOW_S - since)) MEASURED=$((MEASURED + NOW_S - since))
	keep ab.json < <(jq --argjson starts "$STARTS" --argjson measured "$MEASURED" --argjson noise "${NOISE:-0}" \
		'.starts = $starts | .measured_s = $measured | .settings.noise_percent = $noise' "$DIR/ab.json")
	decide
	[ -z "$WHY" ] || say "start $STARTS: $WHY"
	if [ -z "$WHY" ]; then
		say "start $STARTS, $((NOW_S - begun)) s: $("$TP_BIN/ab" so-far "$DIR")"
		[ "$STATUS" = 3 ] && ! jq -e .result.disturbed_throughout "$DIR/verdict.json" >/dev/null || open=0
	fi
	WHY=''
done
trap '' INT TERM HUP
[ "$STARTS" -gt 0 ] || [ -z "$stop" ] ||
	die -130 "interrupted before the first start was over; go on with: $(resume_command)"
[ "$STARTS" -gt 0 ] || die "nothing was measured; see $DIR/a.log and $DIR/b.log"
decide
[ -z "$WHY" ] || die "$WHY"
rm -rf "$DIR/.rows" "$DIR/.cpus"
for v in a b; do
	keep "$v/run.json" < <(jq --argjson n "$((STARTS * PAIRS))" '.settings.repeats = $n' "$DIR/$v/run.json")
	{
		rm -f "$DIR/$v/report.html"
		EXP_SWEEP=sum "$engine/run.sh" "$EXPERIMENT" --resume "$DIR/$v" >/dev/null 2>>"$DIR/$v.log"
		[ -f "$DIR/$v/report.html" ] || warn "no page of ${v^^}: $(tail -n 1 "$DIR/$v.log")"
	} &
done
wait
"$TP_BIN/ab" page "$DIR" || exit
[ -z "$stop" ] || die -130 "interrupted after start $STARTS; go on with: $(resume_command)"
if jq -e '.result.verdict == "too noisy"' "$DIR/verdict.json" >/dev/null; then
	echo "End the other programs, or use another machine."
	noise=$("$TP_BIN/ab" noise "$DIR")
	[ -z "$noise" ] || echo "Or allow more noise, for a provisional verdict: $(resume_command) --noise $noise%"
fi
exit "$STATUS"
