# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=bash
# foreign.sh - what a stranger wrote is data (SECURITY.md): the borders that a run folder, a bundle and the text in them pass before
# they are read, drawn or printed. command.sh reads this file.

# cleaned: a table, or JSON, visible and without control characters but tabs and ends of lines.
cleaned() { LC_ALL=C tr '\000-\010\013-\037\177' '[?*]' | visible; }

# printable: visible text for a terminal or the log of a CI job, in which neither a control character nor a command of its
# service is left (##vso[ and ##teamcity[ anywhere; :: also behind blanks that are not ASCII).
printable() { LC_ALL=C.UTF-8 sed -E 's/[[:cntrl:]]/?/g; s/##([A-Za-z]*)\[/##\1_/g; s/^([^!-~]*)::/\1_:/' | visible; }

# drawable: text for gnuplot and for the scripts of an SVG: without a character that ends or begins anything there.
drawable() { LC_ALL=C tr '`"\\$'"'"'\000-\010\013-\037\177' '[_*]'; }

# plain_folder FOLDER: prints what in it is no file or folder (a link would be read and written through), is called what is two
# lines of a list of files, is a folder in the place of a file (which would be put into it), or is a table with headings that are no
# names; nothing if there is no such thing. Logs of the engine, also those of both runs of a comparison, are not read.
plain_folder() {
	local file head
	(cd -- "$1/" && LC_ALL=C find . -mindepth 1 \( -path ./log -o -path './[ab]/log' \) -type d -prune -o \
		! -type f ! -type d -printf '%P is no file or folder\n' -quit \
		-o -name '*[[:cntrl:]]*' -printf 'a name in it has a control character\n' -quit \
		-o -type d ! -path '*/cells/*' -regex '.*[.]\(tsv\|json\|md\|html\|svg\)' -printf '%P is a folder\n' -quit) |
		printable | grep . && return
	for file in "$1"/*.tsv; do
		# (a last line may have no end)
		[ -f "$file" ] && { IFS= read -r head <"$file" || [ -n "$head" ]; } || continue
		[[ $head =~ ^[A-Za-z][A-Za-z0-9_]*($'\t'[A-Za-z][A-Za-z0-9_]*)*$ ]] || {
			echo "${file##*/} has no headings" | printable
			break
		}
	done
}

# unpack ARCHIVE FOLDER [run]: files and folders of a .tar.zst, without owners and modes. With `run`, only where all of it lies in
# one folder with a run.json, which must not be in FOLDER yet; UNPACKED is its name, which
# is printed. Else no file of FOLDER is replaced, and all of it is as plain as that of a run. 1: UNPACK_WHY.
UNPACK_GIB=2 UNPACK_FILES=200000	# (the largest of the kept runs has 10 MB in 1,200 files)
unpack() {
	local names new=$2 run=${3-}
	UNPACK_WHY="is damaged or cut short, or no .tar.zst; copy it again"
	names=$(set -o pipefail
		tar --force-local --zstd --numeric-owner -tvf "$1" 2>/dev/null |
		LC_ALL=C awk -v gib="$UNPACK_GIB" -v most="$UNPACK_FILES" '
		!/^[-d]/ { print "it holds something other than files and folders"; exit }
		(bytes += $3) > gib * 2 ^ 30 || NR > most {
			print "it has over " gib " GiB or " most " files; if you trust it, unpack it with tar"; exit
		}') || [ -n "$names" ] || return
	UNPACK_WHY=$names
	[ -z "$names" ] || return
	UNPACKED=$(tar --force-local --zstd -tf "$1" 2>/dev/null | LC_ALL=C awk -F/ -v run="$run" '
		NR == 1 { first = $1 }
		/^\// || /(^|\/)\.\.(\/|$)/ || run != "" && ($1 != first || first ~ /^$|^[-.]|\\|##/) { wrong = 1 }
		$0 == first "/run.json" { there = 1 }
		END { if (NR && !wrong && (there || run == "")) print first }')
	UNPACK_WHY="no bundle of a run"
	[ -n "$UNPACKED" ] || return
	UNPACK_WHY="$2/$UNPACKED is there already; choose another folder with -o"
	[ -z "$run" ] || { [ ! -e "$2/$UNPACKED" ] && [ ! -L "$2/$UNPACKED" ]; } || return
	UNPACK_WHY="cannot be unpacked into $2"
	mkdir -p -- "$2" || return
	[ -z "$run" ] || new=$(mktemp -d "$2/.unpack.XXXXXX" 2>/dev/null) || return
	UNPACKING=${run:+$new}	# for who ends on a signal
	tar --force-local --zstd -kxf "$1" -C "$new" --no-same-owner --no-same-permissions 2>/dev/null &&
		chmod -R =rw,+X -- "$new" && [ -z "$(find "$new" ! -type f ! -type d -print -quit)" ] &&
		if [ -n "$run" ]; then mv -T -- "$new/$UNPACKED" "$2/$UNPACKED"
		else names=$(plain_folder "$new"); UNPACK_WHY=${names:-$UNPACK_WHY}; [ -z "$names" ]; fi
	set -- "$?" "$2"
	[ "$1" = 0 ] || UNPACK_WHY=$(name_full_disk "$2" || echo "$UNPACK_WHY")
	[ -z "$run" ] || rm -rf -- "$new"
	return "$1"
}
