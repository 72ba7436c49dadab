# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# words.sh - the words of a command of the front door. Sourced, with nearest.sh; the command has `usage` and `bad WORDS`.

# read_words "FLAG..." "OPTION..." WORD...: of o:output-dir, --output-dir DIR or -o DIR sets output_dir; a flag sets its own to 1.
# All other words go into `words`. An option that is given twice is refused.
read_words() {
	local flags=$1 options=${2//?:/} letters=" $2 " name said given=''
	shift 2
	words=()
	while [ $# -gt 0 ]; do
		said=${1%%=*}
		case $1 in
		-h | --help) usage; exit 0 ;;
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}" ;;
		-?) [[ $letters != *" ${1#-}:"* ]] || { name=${letters#*" ${1#-}:"}; set -- "--${name%% *}" "${@:2}"; } ;;
		-*) ;;
		*) words+=("$1"); shift; continue ;;
		esac
		name=${1#--}
		[[ " $given " != *" $name "* ]] || bad "$said is given twice"
		given+=" $name"
		if [[ " $flags " == *" $name "* ]]; then
			printf -v "${name//-/_}" 1
		elif [[ " $options " == *" $name "* ]]; then
			[ -n "${2-}" ] || bad "$said needs a value"
			printf -v "${name//-/_}" %s "$2"
			shift
		else
			# shellcheck disable=SC2046,SC2086 # names
			bad "unexpected $said$(nearest "$said" "" $(printf -- '--%s ' $flags $options help))"
		fi
		shift
	done
}
