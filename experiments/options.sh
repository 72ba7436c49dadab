# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# shellcheck disable=SC2034 # the settings are for who sources this
# options.sh - what an experiment may be asked for: from the command line, from a run that is resumed, and back into run.json. How words are
# read, for all drivers; and, where a driver has no others of its own, which.

# Defaults that a driver may change before exp_options.
PROTOCOL=vnc APPS=light,heavy LOADS=0,1,2,5,10,15,20 SECONDS_EACH=10 REPEATS=5 COST_MS=10 COST_PER=redraw IDLE_SECONDS=''
SERVER_MEMORY='' SWAP='' SWAP_SIZE=''
QUICK=0 WIRE=0 SEED=1 LINK=100Mbit QUEUE='' KEEP=0 RESUME='' OUT='' REGIME=session DEMO=0 ON=lab ATTACH_PORT=''
EXP_PROTOCOLS='vnc x11'	# of drivers that take several: where none is asked for, these; all there are would take hours
EXP_MEMORY=1	# the options on the server's memory are there
EXP_AGAIN_PART=4	# of all cells at most one part in so many is measured again (0: none)

exp_usage() {
	cat <<END
usage: thinprobe run $EXPERIMENT [--protocol P] [--app A,...] [--loads L,...] [--seconds S] [--repeat R] [--quick]
         [--wire] [--idle S] [--seed N] [--link RATE[,DELAY[,JITTER[,LOSS%]]]] [--queue TIME]
         [--keep-captures] [--resume RUN] [-o DIR]
         [--on lab | ssh:SERVER,CLIENT | attach:DISPLAY,WINDOW[,WxH+X+Y]] [--port P]
$EXPERIMENT_SAYS
  --protocol P      display protocol, NAME or NAME:VARIANT ($PROTOCOL)
  --app A,...       applications: light (vim in xterm), heavy (refecho, 10 ms of CPU a redraw) ($APPS)
  --loads L,...     numbers of sinks beside the session ($LOADS)
  --seconds S       length of each train of keys ($SECONDS_EACH)
  --repeat R        repeats of every cell, interleaved in random order ($REPEATS)
  --cost TIME       CPU cost of a redraw of the heavy application (${COST_MS}ms)
  --cost-per WHAT   redraw, or key: an application that does not coalesce ($COST_PER)
  --regime R        session: sinks share the session's scheduling group; login: they are another login's ($REGIME)
  --quick           one train a cell, jittered, that serves latency and stalls
  --wire            one more train a cell, of keys in drained blocks: what latency the wire alone would tell, held against the pixels
  --idle S          length of the key-free window for idle noise (60; with --quick 12)
  --seed N          of the random order and of the jitter ($SEED)
$(exp_usage_link)
$(exp_usage_memory)
  --keep-captures   keep every capture (capture.pcap in each cell)
  --resume RUN      redo only what RUN lacks, with its settings
  -o DIR            put the run folder here (results/$EXPERIMENT/<time>)
  --on WHERE        where the two hosts come from ($ON): lab, emulated on this machine; ssh:SERVER,CLIENT, two machines; or
                    attach:DISPLAY,WINDOW[,WxH+X+Y], a client window of a server that is not ours: WINDOW is a number, a part of
                    its title, or pick; --loads N is then only the label of a load that you have put there
  --port P          with attach: the server's TCP port, where the window's connection does not tell it
END
}

exp_usage_link() {
	cat <<END
  --link RATE[,DELAY[,JITTER[,LOSS%]]]
                    the emulated link, each way: its rate, or none; how long it takes, give or take; how much it loses ($LINK),
                    such as 10Mbit,40ms,5ms,0.5%
  --queue TIME      how long a packet may wait for the link's rate before it is dropped (${QUEUE:-50ms, or 64 packets})
END
}

# The options on the server's memory, of all drivers that don't have EXP_MEMORY=0.
exp_usage_memory() {
	cat <<END
  --server-memory S confine all that runs on the server to that much memory, such as 512M; what does not fit goes to a swap device of
                    its own (${SERVER_MEMORY:-none})
  --swap KIND       of that server: file (on a disk), zram, slow:DELAY (a disk that takes DELAY for each read, such as slow:2.5ms), or
                    none (${SWAP:-file})
  --swap-size SIZE  its size (twice the server's memory, at least 256M)
END
}

exp_bad() {
	echo "thinprobe: $* (see thinprobe ${EXP_CALLED:-run $EXPERIMENT} --help)" >&2
	exit 2
}

exp_protocol() {	# exp_protocol NAME[:VARIANT]: there is such a one
	[[ $1 != */* && -f $TP_HOME/lab/protocols/${1%%:*}.sh ]] || exp_bad "no protocol $1; thinprobe list --protocols names them"
}

# Display protocols with commas between, of drivers that take several: exp_check_protocols [any], of those that were asked for (any: also those in
# whose sessions no applications run, as long as something of them crosses the link); exp_choose_protocols
# [SEPARATOR [1]], when the run begins: those can run here, or, where none was asked for, PROTOCOL_LIST is those of EXP_PROTOCOLS that can (1: only
# the first), and ABSENT has the others with the reason; exp_record_protocols, when the lab is up: their settings go into run.json.
exp_check_protocols() {
	local protocol
	[ -n "$PROTOCOL_LIST" ] || return 0
	exp_list --protocol "$PROTOCOL_LIST"
	for protocol in ${PROTOCOL_LIST//,/ }; do
		exp_protocol "$protocol"
		(protocol_use "$protocol") || exit	# it has said why
		case ${1:-display}/${protocol%%:*} in
		any/null | any/attach) exp_bad "--protocol $protocol: nothing of it crosses the link" ;;
		any/*) ;;
		*) (protocol_use "$protocol" && [ "$(protocol_kind)" = display ]) || exp_bad "--protocol $protocol: no applications run in its sessions" ;;
		esac
	done
}

exp_choose_protocols() {
	local protocol why all='' between=${1:-: } one=${2:-0}
	if [ -n "$PROTOCOL_LIST" ]; then
		for protocol in ${PROTOCOL_LIST//,/ }; do
			protocol_use "$protocol"
			why=$(protocol_can) || die "-$EXIT_MISSING" "$protocol cannot run here: $why"
		done
		return
	fi
	for protocol in $EXP_PROTOCOLS; do
		protocol_use "$protocol"
		why=$(protocol_can) && all+=,$protocol || ABSENT+=("$protocol$between$why")
		[ "$one" = 0 ] || [ -z "$all" ] || break
	done
	PROTOCOL_LIST=${all#,}
	[ -n "$PROTOCOL_LIST" ] || die "-$EXIT_MISSING" "no display protocol can run here (${ABSENT[0]/$'\t'/: }); see: thinprobe list --protocols"
}

exp_record_protocols() {
	local protocol
	for protocol in ${PROTOCOL_LIST//,/ }; do
		protocol_use "$protocol"
		run_set '.protocols[$p] = $settings' --arg p "$protocol" --argjson settings "$(protocol_settings)"
	done
}

exp_number() {	# exp_number OPTION TEXT MIN MAX
	[[ $2 =~ ^(0|[1-9][0-9]{0,9})$ ]] && [ "$2" -ge "$3" ] && [ "$2" -le "$4" ] || exp_bad "$1 $2: not a whole number from $3 to $4"
}

# The link, as it was asked for; and what the lab is told of it.
exp_check_link() {
	local number='[0-9]+(\.[0-9]+)?' time
	time="($number(us|ms|s)|0)"
	[[ $LINK =~ ^(none|${number}[KMGkmg]?bit)(,$time(,$time(,$number%?)?)?)?$ ]] ||
		exp_bad "--link $LINK: a rate such as 10Mbit, or none; with a delay each way, jitter and loss such as 10Mbit,40ms,5ms,0.5%"
	[[ ! $LINK =~ ,([0-9.]+)%?$ || ${BASH_REMATCH[1]} =~ ^0*[0-9]{1,2}(\.|$) ]] || exp_bad "--link $LINK: a loss of less than 100 percent"
	[ -z "$QUEUE" ] || [[ $QUEUE =~ ^${number}(us|ms|s)$ ]] || exp_bad "--queue $QUEUE: a time such as 50ms"
	[ -z "$QUEUE" ] || [[ $LINK != none* ]] || exp_bad "--queue $QUEUE: a link without a rate (--link $LINK) has no queue"
	[ -z "$QUEUE" ] || [ "$ON" = lab ] || exp_bad "--queue with --on $ON: a real link is left as it is"
}

exp_link() {
	IFS=, read -r LAB_RATE LAB_DELAY LAB_JITTER LAB_LOSS <<<"$LINK"
	LAB_LOSS=${LAB_LOSS%\%} LAB_QUEUE=$QUEUE
	export LAB_RATE LAB_QUEUE LAB_DELAY LAB_JITTER LAB_LOSS
}

exp_list() {	# exp_list OPTION LIST: no empty places, nothing twice
	local twice
	[[ $2 =~ ^[^,]+(,[^,]+)*$ ]] || exp_bad "$1 $2: values with commas between"
	twice=$(tr , '\n' <<<"$2" | sort | uniq -d | head -n 1)
	[ -z "$twice" ] || exp_bad "$1 $2: $twice is there twice"
}

# exp_parse FLAGS VALUES WORD...: the command line. FLAGS and VALUES: the options of a driver, each followed by its variable: that becomes 1,
# or the word behind the option. Everywhere: --option=value, --resume, -o, --help, and --options-only (the front door's, before it installs
# anything: EXP_ONLY). Sets EXP_COMMAND too.
EXP_GIVEN=' '	# the settings among the options
exp_parse() {
	local flags=" $1 --options-only EXP_ONLY " values=" ${2//[[:space:]]/ } --resume RESUME -o OUT " into word
	[ "$EXP_MEMORY" = 0 ] || values+="--server-memory SERVER_MEMORY --swap SWAP --swap-size SWAP_SIZE "
	shift 2
	printf -v EXP_COMMAND ' %q' "$@"
	EXP_COMMAND=${EXP_COMMAND//\\,/,}	# a comma needs no backslash
	EXP_COMMAND="thinprobe ${EXP_CALLED:-run $EXPERIMENT}${*:+$EXP_COMMAND}"
	EXP_ONLY=0
	while [ $# -gt 0 ]; do
		case $1 in
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		--help | -h) exp_usage; exit 0 ;;
		esac
		word=$1
		if [[ $word == -* && $flags == *" $word "* ]]; then
			into=${flags#* "$word" }
			printf -v "${into%% *}" 1
		elif [[ $word == -* && $values == *" $word "* ]]; then
			[ $# -gt 1 ] && [ -n "$2" ] || exp_bad "$word needs a value"
			into=${values#* "$word" }
			printf -v "${into%% *}" %s "$2"
			shift
		else
			exp_bad "unexpected $word"
		fi
		shift
		# with --resume, too, these may be said
		case $word in --resume | --keep-captures | --demo | --options-only) ;; *) EXP_GIVEN+="$word " ;; esac
	done
	SECONDS_EACH=${SECONDS_EACH%s} IDLE_SECONDS=${IDLE_SECONDS%s} RESUME=${RESUME%/}
}

exp_given() { [[ $EXP_GIVEN == *" $1 "* ]]; }

# Before the settings are checked: those of the run that goes on, which the driver's exp_read_settings takes from run.json. (Those that all
# drivers have are read and checked here.)
exp_resume() {
	[ -z "$RESUME" ] || exp_resumed
	exp_check_memory
}

exp_resumed() {
	local word
	read -r word _ <<<"$EXP_GIVEN"
	[ -z "$word" ] || exp_bad "$word with --resume: a run goes on with its own settings"
	need jq jq
	[ -f "$RESUME/run.json" ] || exp_bad "--resume $RESUME: no run folder (it has no run.json)"
	jq -e . "$RESUME/run.json" >/dev/null 2>&1 || exp_bad "--resume $RESUME: its run.json cannot be read"
	[ "$(jq -r .experiment "$RESUME/run.json")" = "$EXPERIMENT" ] || exp_bad "--resume $RESUME: not a run of $EXPERIMENT"
	exp_read_settings
	eval "$(jq -r '.settings | @sh "SERVER_MEMORY=\(.server_memory // "") SWAP=\(.swap // "") SWAP_SIZE=\(.swap_size // "") QUEUE=\(.queue // "")"' "$RESUME/run.json")"
}

exp_check_memory() {
	local SIZE
	[ "$SERVER_MEMORY" != none ] || SERVER_MEMORY=''
	if [ -z "$SERVER_MEMORY" ]; then
		! exp_given --swap && ! exp_given --swap-size || exp_bad "--swap is of a server with a size of its own: --server-memory SIZE"
		SWAP='' SWAP_SIZE=''
		return
	fi
	lab_size "$SERVER_MEMORY" && [ "$SIZE" -ge $((16 << 20)) ] || exp_bad "--server-memory $SERVER_MEMORY: a size from 16M on, such as 512M, or none"
	[[ ${SWAP:-file} =~ ^(none|file|zram|slow:[0-9]+(\.[0-9]+)?(us|ms|s))$ ]] || exp_bad "--swap $SWAP: none, file, zram, or slow:DELAY such as slow:2.5ms"
	[ -z "$SWAP_SIZE" ] || { lab_size "$SWAP_SIZE" && [ "$SIZE" -ge $((1 << 20)) ]; } || exp_bad "--swap-size $SWAP_SIZE: a size from 1M on, such as 1G"
	[ "$ON" = lab ] || { ! exp_given --swap && ! exp_given --swap-size; } || exp_bad "--swap with --on $ON: the swap of a real machine is left as it is"
}

# Everything that can be wrong with the settings, whether they come from the command line or from a run to be resumed.
exp_check() {
	local load app
	exp_on
	case $ON_BACKEND in
	attach) exp_check_attach ;;
	*)
		[ -z "$ATTACH_PORT" ] || exp_bad "--port is for --on attach"
		[ "$PROTOCOL" != attach ] || exp_bad "--protocol attach: name the window with --on attach:DISPLAY,WINDOW"
		;;
	esac
	exp_list --loads "$LOADS"
	for load in ${LOADS//,/ }; do exp_number --loads "$load" 0 1000; done
	exp_list --app "$APPS"
	exp_number --seconds "$SECONDS_EACH" 2 3600
	exp_number --repeat "$REPEATS" 1 1000
	exp_number --seed "$SEED" 0 2000000
	exp_number --idle "$IDLE_SECONDS" 1 3600
	[[ $COST_MS =~ ^[0-9]{1,4}(\.[0-9]+)?$ ]] || exp_bad "--cost $COST_MS: give milliseconds, such as 10ms"
	case $COST_PER in redraw | key) ;; *) exp_bad "--cost-per $COST_PER: redraw or key" ;; esac
	case $REGIME in session | login) ;; *) exp_bad "--regime $REGIME: session or login" ;; esac
	exp_check_link
	case $PROTOCOL in *,*) exp_bad "--protocol $PROTOCOL: one protocol a run" ;; esac
	exp_protocol "$PROTOCOL"
	protocol_use "$PROTOCOL"
	# A protocol without a display for applications answers keys itself.
	[ "$(protocol_kind)" = display ] || APPS=own
	for app in ${APPS//,/ }; do
		case $app in light | heavy) ;; own) [ "$(protocol_kind)" != display ] || exp_bad "--app own: light or heavy" ;; *) exp_bad "--app $app: light or heavy" ;; esac
	done
}

# The back-end, and what it is told, from ON.
exp_on() {
	ON_ARGS=${ON#*:}
	case $ON in
	lab) ON_BACKEND=local ON_ARGS='' ;;
	ssh:*)
		ON_BACKEND=ssh
		[[ $ON_ARGS =~ ^[^,-][^,]*,[^,-][^,]*$ ]] || exp_bad "--on $ON: two machines as ssh knows them, such as ssh:server,me@client"
		;;
	attach:?*,?*) ON_BACKEND=attach ;;
	attach*) exp_bad "--on $ON: give attach:DISPLAY,WINDOW[,WxH+X+Y], such as attach::0,0x3a00007" ;;
	*) exp_bad "--on $ON: lab (two hosts emulated on this machine), ssh:SERVER,CLIENT, or attach:DISPLAY,WINDOW" ;;
	esac
}

# Nothing can be started on a server that is not ours, and nothing is emulated.
exp_check_attach() {
	local region
	case $PROTOCOL in vnc | attach) PROTOCOL=attach ;; *) exp_bad "--protocol $PROTOCOL with --on attach: the client in the window decides" ;; esac
	case $LOADS in *,*) exp_bad "--loads $LOADS with --on attach: one number, a label of the load that you have put there; a run for each" ;; esac
	IFS=, read -r _ _ region <<<"$ON_ARGS"
	[[ $region =~ ^(|pick|[0-9]+x[0-9]+\+[0-9]+\+[0-9]+)$ ]] || exp_bad "--on $ON: the place of the echo is WxH+X+Y from the window's corner, or pick"
	[ -z "$ATTACH_PORT" ] || exp_number --port "$ATTACH_PORT" 1 65535
	LINK=none
}

exp_options() {
	[[ " $* " != *" --demo "* ]] || exp_demo	# what follows may change it
	exp_parse "--quick QUICK --wire WIRE --keep-captures KEEP --demo DEMO" "--protocol PROTOCOL --app APPS --loads LOADS --seconds SECONDS_EACH --repeat REPEATS --cost COST_MS
		--cost-per COST_PER --regime REGIME --idle IDLE_SECONDS --seed SEED --link LINK --queue QUEUE --on ON --port ATTACH_PORT" "$@"
	EXP_COMMAND=${EXP_COMMAND/run $EXPERIMENT --demo/demo}
	COST_MS=${COST_MS%ms}
	: "${IDLE_SECONDS:=$([ "$QUICK" = 1 ] && echo 12 || echo 60)}"
	if [ "$ON" != lab ]; then	# no link of ours
		! exp_given --link || exp_bad "--link with --on $ON: a real link is not shaped"
		LINK=none
	fi
	exp_resume
	[[ $ON != attach:* ]] || exp_given --loads || [ -n "$RESUME" ] || LOADS=0
	exp_check
	[ "$EXP_ONLY" = 0 ] || exit 0
}

exp_read_settings() {
	eval "$(jq -r '.settings | @sh "PROTOCOL=\(.protocol | tostring) APPS=\(.apps | join(",")) LOADS=\(.loads | map(tostring) | join(",")) SECONDS_EACH=\(.seconds | tostring)
		REPEATS=\(.repeats | tostring) COST_MS=\(.cost_ms | tostring) COST_PER=\(.cost_per | tostring) SEED=\(.seed | tostring) LINK=\(.link | tostring)
		REGIME=\(.regime | tostring) QUICK=\(if .quick then "1" else "0" end) WIRE=\(if .wire then "1" else "0" end) IDLE_SECONDS=\(.idle_seconds | tostring)
		ON=\(.on // "lab" | tostring) ATTACH_PORT=\(.port // "" | tostring)"' "$RESUME/run.json")"
	# The same window, and the place in it that was found.
	[[ $ON != attach:* ]] || ON=$(jq -r '.protocol as $p | .settings.on | if $p.window then "\(split(",")[0]),\($p.window)" + if $p.region then ",\($p.region)" else "" end else . end' "$RESUME/run.json")
}

# What was asked for, as JSON; a driver of other settings has its own.
exp_settings() {
	jq -cn --arg protocol "$PROTOCOL" --arg apps "$APPS" --argjson loads "[$LOADS]" \
		--argjson repeats "$REPEATS" --argjson seconds "$SECONDS_EACH" --argjson cost "$COST_MS" --arg costper "$COST_PER" --argjson seed "$SEED" \
		--arg link "$LINK" --arg regime "$REGIME" --argjson quick "$QUICK" --argjson wire "$WIRE" --argjson rate "$RATE" --argjson threshold "$THRESHOLD_MS" --argjson idle "$IDLE_SECONDS" --arg on "$ON" --arg port "$ATTACH_PORT" '
		{protocol: $protocol, apps: ($apps | split(",")), loads: $loads, repeats: $repeats, seconds: $seconds, rate_per_s: $rate,
		schedule: (if $quick == 1 then "jittered" else "jittered and periodic" end),
		series: (["latency"] + (if $quick == 1 then [] else ["stall"] end) + (if $wire == 1 then ["wire"] else [] end)), wire: ($wire == 1),
		cost_ms: $cost, cost_per: $costper, regime: $regime, seed: $seed, link: $link, quick: ($quick == 1), threshold_ms: $threshold, idle_seconds: $idle,
		on: $on, port: (if $port == "" then null else ($port | tonumber) end)}'
}
