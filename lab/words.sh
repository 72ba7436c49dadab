# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# words.sh - the words of a command of the front door, whose name is in COMMAND and which has `usage`; and the name that was
# probably meant by one.

# nearest WORD ELSE NAME...: prints "; did you mean NAME?" of the name that WORD begins, or that is at most two letters off (one of
# a short word, never all; two that are swapped count as one); ELSE where none is.
nearest() {
	LC_ALL=C awk 'BEGIN {
		word = ARGV[1]; least = length(word) < 4 ? 2 : 3
		for (n = 3; n < ARGC; n++) {
			name = ARGV[n]; rows = length(word); columns = length(name)
			for (i = 0; i <= rows; i++) d[i, 0] = i
			for (j = 0; j <= columns; j++) d[0, j] = j
			for (i = 1; i <= rows; i++) for (j = 1; j <= columns; j++) {
				a = substr(word, i, 1); b = substr(name, j, 1)
				m = d[i - 1, j - 1] + (a != b)
				if (d[i - 1, j] + 1 < m) m = d[i - 1, j] + 1
				if (d[i, j - 1] + 1 < m) m = d[i, j - 1] + 1
				if (i > 1 && j > 1 && a == substr(name, j - 1, 1) && b == substr(word, i - 1, 1) && d[i - 2, j - 2] + 1 < m)
					m = d[i - 2, j - 2] + 1
				d[i, j] = m
			}
			m = d[rows, columns]
			if (rows > 2 && index(name, word) == 1) m = m > 2 ? 2.5 : m - 0.5
			if (m < least && m < columns && m < rows) { least = m; found = name }
		}
		if (found != "") printf "; did you mean %s?", found; else printf "%s", ARGV[2]
	}' "$@"
}

# visible: text without characters that have no picture, and hide or turn what stands beside them (Unicode's property
# Default_Ignorable_Code_Point), and without control characters that UTF-8 has two bytes for. Bytes, for any locale.
VISIBLE='\xc2[\x80-\x9f\xad]|\xcd\x8f|\xd8\x9c|\xe1(\x85[\x9f\xa0]|\x9e[\xb4\xb5]|\xa0[\x8b-\x8f])'
VISIBLE+='|\xe2(\x80[\x8b-\x8f\xaa-\xae]|\x81[\xa0-\xaf])|\xe3\x85\xa4|\xef(\xb8[\x80-\x8f]|\xbb\xbf|\xbe\xa0|\xbf[\xb0-\xb8])'
VISIBLE+='|\xf0(\x9b\xb2[\xa0-\xa3]|\x9d\x85[\xb3-\xba])|\xf3\xa0[\x80-\xbf]{2}'
visible() { LC_ALL=C sed -E "s/$VISIBLE/?/g"; }

# printable: visible text for a terminal or the log of a CI job, in which neither a control character nor a command of its
# service is left (##vso[ and ##teamcity[ anywhere; :: also behind blanks that are not ASCII).
printable() { LC_ALL=C.UTF-8 sed -E 's/[[:cntrl:]]/?/g; s/##([A-Za-z]*)\[/##\1_/g; s/^([^!-~]*)::/\1_:/' | visible; }

# bad WORDS: wrong usage. (A command whose errors have another form defines its own, behind this.)
bad() { die -2 "$COMMAND: $* (see thinprobe $COMMAND --help)"; }

# read_words "FLAG..." "OPTION..." WORD...: of o:output-dir, --output-dir DIR or -o DIR sets output_dir; a flag sets its own to 1.
# All other words go into `words`. An option that is given twice is refused.
read_words() {
	local flags=$1 options=${2//?:/} letters=" $2 " name said given='' joined
	shift 2
	words=()
	while [ $# -gt 0 ]; do
		said=${1%%=*} joined=''
		case $1 in
		-h | --help) usage; exit 0 ;;
		--) bad "unexpected --" ;;
		--*=*) set -- "${1%%=*}" "${1#*=}" "${@:2}"; joined=1 ;;
		-?) [[ $letters != *" ${1#-}:"* ]] || { name=${letters#*" ${1#-}:"}; set -- "--${name%% *}" "${@:2}"; } ;;
		-*) ;;
		*) words+=("$1"); shift; continue ;;
		esac
		name=${1#--}
		[[ " $given " != *" $name "* ]] || bad "$said is given twice"
		given+=" $name"
		if [[ " $flags " == *" $name "* ]]; then
			[ -z "$joined" ] || bad "$said takes no value"
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
