#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# new.sh experiment|protocol NAME - makes a folder of experiments, or a file of lab/protocols, from a template that works unchanged.
set -u
. "$(dirname -- "${BASH_SOURCE[0]}")/../../lab/lib.sh" || exit 1
TP_TOOL=thinprobe
template=$TP_HOME/experiments/commands/template what=${1-} name=${2-}
case " $* " in
*" -h "* | *" --help "*)
	echo "usage: thinprobe new experiment NAME | thinprobe new protocol NAME"
	echo "Writes experiments/NAME/ or lab/protocols/NAME.sh from a template that runs"
	echo "as it is. Change it to your needs."
	exit 0
	;;
esac
target=$TP_HOME/experiments/$name form='^[a-z][a-z0-9]*(-[a-z0-9]+)*$'
says="consists of small letters and digits, with - between words"
case $what in
experiment) ;;
protocol)
	target=$TP_HOME/lab/protocols/$name.sh form='^[a-z][a-z0-9]*$'
	says="consists of small letters and digits, and begins with a letter"
	;;
*) die -2 "new ${what:-what}? new experiment NAME, or new protocol NAME" ;;
esac
[ $# = 2 ] || die -2 "new $what: needs one name, such as: thinprobe new $what hello"
[ ${#name} -le 60 ] || die -2 "new $what ${name:0:20}...: a name has at most 60 letters"
[[ $name =~ $form ]] || die -2 "new $what $name: a name $says"
[[ "$what $name" != experiment\ @(engine|families|commands) ]] ||
	die -2 "new experiment $name: the shared code has that name; choose another"
[ "$what" != experiment ] || ! experiment_folder "$name" >/dev/null ||
	die -2 "new experiment $name: exists already; choose another name"
[ ! -e "$target" ] || die -2 "new $what $name: exists already; choose another name"
[ -w "${target%/*}" ] || die "cannot write to ${target%/*}; work in a clone of your own"
work=$(mktemp -d "$target.XXXXXX") || die "cannot make $target"
trap 'rm -rf "$work"' EXIT
cp -rT "$template" "$work" && sed -i "s/\bNAME/$name/g" "$work"/* || die "cannot make $target"
if [ "$what" = protocol ]; then
	mv -T "$work/protocol.sh" "$target" || die "cannot make $target"
	echo "lab/protocols/$name.sh: try it with: thinprobe run EXPERIMENT --protocol $name --quick"
else
	rm "$work/protocol.sh" && chmod 755 "$work" && mv -T "$work" "$target" || die "cannot make $target"
	echo "experiments/$name: try it with: thinprobe run $name --quick; its test: tests/run experiments/$name"
fi
