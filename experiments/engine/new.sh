#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# new.sh experiment|protocol NAME - a folder of experiments, or a file of lab/protocols, from a template that runs as it is.
set -u
here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd)
home=$here/../..

die() {
	local status=$1
	shift
	printf 'thinprobe: %s\n' "$*" >&2
	exit "$status"
}

fill() {	# fill TEMPLATE FILE
	sed "s/\bNAME/$name/g" "$1" >"$2" && chmod --reference="$1" "$2" || die 1 "cannot write $2"
}

usage="usage: thinprobe new experiment NAME | thinprobe new protocol NAME
Writes experiments/NAME/ or lab/protocols/NAME.sh from a template that runs as it is: change it to what you need."
what=${1-}
case " $* " in *" -h "* | *" --help "*) echo "$usage"; exit 0 ;; esac
case $what in
experiment | protocol) ;;
*) die 2 "new ${what:-what}? new experiment NAME, or new protocol NAME" ;;
esac
[ $# = 2 ] || die 2 "new $what: give one name, such as: thinprobe new $what hello"
name=$2
[ ${#name} -le 60 ] || die 2 "new $what ${name:0:20}...: a name has at most 60 letters"
if [ "$what" = protocol ]; then
	[[ $name =~ ^[a-z][a-z0-9]*$ ]] || die 2 "new protocol $name: a name is of small letters and digits, and begins with a letter"
	target=$home/lab/protocols/$name.sh
else
	[[ $name =~ ^[a-z][a-z0-9]*(-[a-z0-9]+)*$ ]] || die 2 "new experiment $name: a name is of small letters, digits and - between them"
	[ "$name" != engine ] || die 2 "new experiment engine: this is where what experiments share lives; choose another name"
	target=$home/experiments/$name
fi
[ ! -e "$target" ] && [ ! -e "$target.sh" ] || die 2 "new $what $name: there is one already; choose another name"
[ -w "$(dirname -- "$target")" ] || die 1 "$(dirname -- "$target") cannot be written; work in a clone of your own"
if [ "$what" = protocol ]; then
	fill "$here/template/protocol.sh" "$target"
	echo "lab/protocols/$name.sh: try it with: thinprobe run EXPERIMENT --protocol $name --quick"
else
	work=$(mktemp -d "$target.XXXXXX") || die 1 "cannot make $target"
	trap 'rm -rf "$work"' EXIT
	for file in plan cell.sh table figures.gp say.jq README.md test.bats; do fill "$here/template/$file" "$work/$file"; done
	chmod 755 "$work" && mv -T "$work" "$target" || die 1 "cannot make $target"
	trap - EXIT
	echo "experiments/$name: try it with: thinprobe run $name --quick; its test: tests/run experiments/$name"
fi
