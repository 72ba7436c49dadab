#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# copies.sh FOLDER COMMAND... - copies of commands with all that they load, for one session alone.
#
# The file pages of a program leave memory only when nobody maps them, and are accounted to the
# group that read them first: those of the system's own files mostly to somebody else's. What this
# makes is mapped by nobody else, and read first by who runs this: in the session's memory group.
# FOLDER/bin then holds a command for each, to be found before the system's (PATH). Each has a
# loader and libraries of its own; the loader bears its name, which is what the kernel shows of it
# (/proc/PID/comm). Scripts and static programs have no loader: they are refused.
set -u

die() {
	printf 'copies: %s\n' "$*" >&2
	exit 1
}

copy() {	# copy FROM TO: the data are on the disk at once, for a page that still has to be written cannot leave
	cp -L -- "$1" "$2" && sync -- "$2" || die "cannot copy $1 to ${2%/*}: is the disk full?"
}

folder=$1
shift
mkdir -p -- "$folder/bin" || die "cannot make $folder"
folder=$(cd -- "$folder" && pwd -P) || exit 1
for name; do
	program=$(command -v -- "$name") && program=$(realpath -- "$program") || die "$name is not installed"
	list=$(ldd "$program" 2>/dev/null) || die "cannot copy the libraries of $program: ldd cannot list them"
	own=$folder/$name
	mkdir -p -- "$own/lib" "$own/program" || die "cannot make $own"
	loader=''
	while read -r a b c _; do
		case $a:$b in
		/*:*) loader=$a ;;	# the one without =>
		*:=\>) [[ $c == /* ]] && copy "$c" "$own/lib/${a##*/}" || die "$program needs the library $a, which is not installed" ;;
		esac
	done <<<"$list"
	[ -n "$loader" ] || die "$program names no loader"
	copy "$loader" "$own/$name"
	copy "$program" "$own/program/$name"
	# What else is read from a cache of all: --inhibit-cache leaves it out. The first word is the name that tools look for.
	printf '#!/bin/bash\nexec -a %q %q --inhibit-cache --library-path %q --argv0 %q %q "$@"\n' \
		"$name" "$own/$name" "$own/lib" "$name" "$own/program/$name" >"$folder/bin/$name" &&
		chmod 755 "$folder/bin/$name" || die "cannot write $folder/bin/$name"
done
