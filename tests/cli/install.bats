#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# make install, into a place with a space in its name, and what was installed at work.

bats_require_minimum_version 1.5.0

setup_file() {
	export HOME_OF_SOURCE
	HOME_OF_SOURCE=$(cd "$BATS_TEST_DIRNAME/../.." && pwd)
	export PLACE="$BATS_FILE_TMPDIR/a place"
	cd "$HOME_OF_SOURCE" || return 1
	missing=""
	for part in thinprobe packages docs/thinprobe.1 lab experiments plots analysis data; do
		[ -e "$part" ] || missing+=" $part"
	done
	export missing
	if [ -z "$missing" ]; then
		mkdir -p "$PLACE/usr/share/thinprobe/experiments/older"	# of an older release
		touch "$PLACE/usr/share/thinprobe/experiments/older/plan"
		env -u MAKEFLAGS -u MAKELEVEL make -s install DESTDIR="$PLACE" PREFIX=/usr >"$BATS_FILE_TMPDIR/log" 2>&1 || {
			cat "$BATS_FILE_TMPDIR/log"
			return 1
		}
	fi
}

setup() {
	[ -z "$missing" ] || skip "not there yet:$missing"
	TP_HOME=$HOME_OF_SOURCE
	. "$TP_HOME/lab/trees.sh"
	TOOLS=$(program_names | xargs)
	cd / || return 1
}

@test "install: programs, scripts, data and manuals are in their folders" {
	local tool part

	[ -x "$PLACE/usr/bin/thinprobe" ]
	for tool in $TOOLS; do
		[ -x "$PLACE/usr/libexec/thinprobe/$tool" ]
		[ -f "$PLACE/usr/share/man/man1/thinprobe-$tool.1" ]
	done
	[ -f "$PLACE/usr/share/man/man1/thinprobe.1" ]
	for part in "$HOME_OF_SOURCE"/src/*/*.5; do	# pages of file formats
		[ ! -f "$part" ] || [ -f "$PLACE/usr/share/man/man5/thinprobe-${part##*/}" ]
	done
	[ -f "$PLACE/usr/share/man/man5/thinprobe-formats.5" ]
	[ -f "$PLACE/usr/share/man/man7/thinprobe-run.7" ]
	for part in packages lab experiments plots analysis data; do
		[ -e "$PLACE/usr/share/thinprobe/$part" ]
	done
	grep -q '^complete .* thinprobe' "$PLACE/usr/share/bash-completion/completions/thinprobe"
	for part in README.md LICENSE docs/method.md; do
		[ -f "$PLACE/usr/share/doc/thinprobe/$part" ]
	done
}

@test "nothing of an older release stays" {
	[ ! -e "$PLACE/usr/share/thinprobe/experiments/older" ]
}

@test "nothing is installed outside PREFIX" {
	[ "$(ls "$PLACE")" = usr ]
	[ "$(ls "$PLACE/usr" | sort | xargs)" = "bin libexec share" ]
}

@test "every user may read and run it, whoever installed it" {
	[ -z "$(find "$PLACE/usr" ! -perm -o=r)" ]
	[ -z "$(find "$PLACE/usr" -type d ! -perm -o=x)" ]
}

@test "the installed front door finds the installed programs" {
	local tool

	for tool in $TOOLS; do
		run "$PLACE/usr/bin/thinprobe" "$tool" --version
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == "$tool (thinprobe) "* ]]
	done
}

@test "install: thinprobe tools has the programs of the checkout, and no other" {
	run --separate-stderr "$PLACE/usr/bin/thinprobe" tools
	[ "$status" = 0 ]
	[ -z "$stderr" ]
	[ "$output" = "$("$HOME_OF_SOURCE/thinprobe" tools)" ]
}

@test "every relative link of an installed document has a target" {
	local file link n=0 wrong=0

	cd "$PLACE/usr/share/doc/thinprobe" || return 1
	while IFS= read -r file; do
		while IFS= read -r link; do
			n=$((n + 1))
			case $link in http*:* | mailto:* | '#'*) continue ;; esac
			[ -e "$(dirname "$file")/${link%%#*}" ] || { echo "$file: no $link"; wrong=1; }
		done < <(grep -oE '\]\([^)]+\)' "$file" | sed 's/^..//; s/)$//')
	done < <(find . -name '*.md')
	[ $wrong -eq 0 ]
	[ $n -ge 100 ]
}

@test "install: thinprobe works through a link on the PATH" {
	ln -s "$PLACE/usr/bin/thinprobe" "$BATS_TEST_TMPDIR/thinprobe"
	PATH=$BATS_TEST_TMPDIR:$PATH run thinprobe sink --version
	[ "$status" -eq 0 ]
	[[ $output == "sink (thinprobe) "* ]]
}

@test "install: thinprobe passes on arguments and exit status unchanged" {
	run "$PLACE/usr/bin/thinprobe" sink --no-such-option
	[ "$status" -eq 2 ]
	run "$PLACE/usr/bin/thinprobe" sink "two words"
	[ "$status" -eq 2 ]
	[[ $output == *"two words"* ]]
}

@test "install: thinprobe works without the source tree" {
	run -1 grep -rF -- "$HOME_OF_SOURCE" "$PLACE/usr/bin" "$PLACE/usr/share"
}

@test "an installation lists its experiments" {
	run "$PLACE/usr/bin/thinprobe" list
	echo "$output"
	[ "$status" -eq 0 ]
	[[ $output == *stalls* ]]
}

@test "manual pages that a package has compressed are found" {
	local plain page

	cp -R "$PLACE" "$BATS_TEST_TMPDIR/a place"
	cd "$BATS_TEST_TMPDIR/a place/usr" || return 1
	plain=$(bin/thinprobe tools)
	[[ $plain == *keyrepeat*[a-z]*summarize* ]]
	gzip share/man/man*/*
	[ "$(bin/thinprobe tools 2>&1)" = "$plain" ]
	mkdir programs
	printf '#!/bin/sh\nfor page; do :; done; echo "$page"\n' >programs/man
	chmod +x programs/man
	for page in thinprobe thinprobe-keyrepeat; do
		PATH=$PWD/programs:$PATH run bin/thinprobe help "${page#*-}"
		echo "$output"
		[ "$status" -eq 0 ]
		[[ $output == */$page.1.gz ]]
	done
}

@test "install: installing again over an installation works" {
	cd "$HOME_OF_SOURCE" || return 1
	run env -u MAKEFLAGS -u MAKELEVEL make -s install DESTDIR="$PLACE" PREFIX=/usr
	[ "$status" -eq 0 ]
	[ ! -e "$PLACE/usr/share/thinprobe/lab/lab" ]
}

@test "uninstall removes exactly the files that install has made" {
	cp -R "$PLACE" "$BATS_TEST_TMPDIR/a place"
	touch "$BATS_TEST_TMPDIR/a place/usr/bin/other" "$BATS_TEST_TMPDIR/a place/usr/share/man/man1/thinprobe-other.1"
	cd "$HOME_OF_SOURCE" || return 1
	run env -u MAKEFLAGS -u MAKELEVEL make -s uninstall DESTDIR="$BATS_TEST_TMPDIR/a place" PREFIX=/usr
	echo "$output"
	[ "$status" -eq 0 ]
	cd "$BATS_TEST_TMPDIR/a place"
	[ "$(find . ! -type d | sort | xargs)" = "./usr/bin/other ./usr/share/man/man1/thinprobe-other.1" ]
}

@test "a checkout whose path holds a space builds" {
	mkdir -p "$BATS_TEST_TMPDIR/a checkout/build/src"
	cp -a "$HOME_OF_SOURCE/Makefile" "$HOME_OF_SOURCE/src" "$BATS_TEST_TMPDIR/a checkout/"
	cp -a "$HOME_OF_SOURCE/build/src/lib" "$BATS_TEST_TMPDIR/a checkout/build/src/"	# one room compiles, the other is there
	cd "$BATS_TEST_TMPDIR/a checkout" || return 1
	run env -u MAKEFLAGS -u MAKELEVEL make -s bin/sink
	echo "$output"
	[ "$status" -eq 0 ]
	bin/sink --version
}

# parts PART: as `make deb` divides what is installed
parts() { (cd "$BATS_TEST_TMPDIR/tree" && debian/parts "$1" | sort); }

# linked PROGRAM: the libraries of an installed one, in the file linked
linked() {
	ldd "$PLACE/$1" >"$BATS_TEST_TMPDIR/linked"
	grep -q 'libc\.' "$BATS_TEST_TMPDIR/linked"
}

@test "packages: each installed file is in one; watch needs libpcap alone, the programs no library of X or of the lab's" {
	local part program

	mkdir -p "$BATS_TEST_TMPDIR/tree/debian"
	cp "$HOME_OF_SOURCE/debian/parts" "$BATS_TEST_TMPDIR/tree/debian/"
	ln -s "$PLACE" "$BATS_TEST_TMPDIR/tree/debian/tmp"
	ln -s "$HOME_OF_SOURCE/kits" "$BATS_TEST_TMPDIR/tree/"
	for part in watch programs lab kits; do
		parts $part >"$BATS_TEST_TMPDIR/$part"
		[ -s "$BATS_TEST_TMPDIR/$part" ]
	done
	(cd "$PLACE" && find usr ! -type d ! -path 'usr/share/doc/*' | sort) >"$BATS_TEST_TMPDIR/all"
	sort "$BATS_TEST_TMPDIR"/{watch,programs,lab,kits} | diff "$BATS_TEST_TMPDIR/all" -
	[ "$(grep -E 'libexec|\.py$' "$BATS_TEST_TMPDIR/watch")" = usr/libexec/thinprobe/prototap ]
	grep -qx usr/libexec/thinprobe/keyrepeat "$BATS_TEST_TMPDIR/programs"
	for program in $(grep libexec "$BATS_TEST_TMPDIR/programs" | grep -v '\.so$'); do	# (a plug-in works where its libraries are)
		if head -n 1 "$PLACE/$program" | grep -q '^#!/usr/bin/python3 -IBSXutf8$'; then continue; fi
		linked "$program"
		run -1 grep -E 'fuse|vncserver|wayland|libX|xkbcommon' "$BATS_TEST_TMPDIR/linked"
	done
	grep -qx usr/libexec/thinprobe/keyrepeat_x11.so "$BATS_TEST_TMPDIR/programs"
	linked usr/libexec/thinprobe/prototap
	run -1 grep -E 'X11|jansson' "$BATS_TEST_TMPDIR/linked"
}

@test "packages: a command whose programs are in another package names it" {
	local command=$BATS_TEST_TMPDIR/place/usr/bin/thinprobe

	cp -R "$PLACE" "$BATS_TEST_TMPDIR/place"
	rm "$BATS_TEST_TMPDIR/place/usr/libexec/thinprobe/refecho"
	run "$command" run stalls --quick
	[ "$status" = 4 ]
	[[ $output == *"package thinprobe-lab"*" ./thinprobe-lab_*.deb"* ]]
	run "$command" try
	[ "$status" = 2 ]
	rm "$BATS_TEST_TMPDIR/place/usr/libexec/thinprobe/keyrepeat"
	run "$command" try
	[ "$status" = 4 ]
	[[ $output == *"package thinprobe:"* ]]
	run "$command" watch --nonsense
	[ "$status" = 2 ]
}

@test "make deb: from a path with a blank, in a folder without one, which goes" {
	mkdir -p "$BATS_TEST_TMPDIR/a checkout" "$BATS_TEST_TMPDIR/programs" "$BATS_TEST_TMPDIR/t t"
	cd "$BATS_TEST_TMPDIR/a checkout" || return 1
	unset "${!GIT_@}"
	cp "$HOME_OF_SOURCE/Makefile" "$HOME_OF_SOURCE/thinprobe" .
	git init -q
	git add .
	git -c user.name=x -c user.email=x@x commit -qm x
	printf '#!/bin/sh\npwd >"$SAID"; touch ../thinprobe_1.deb\n' >../programs/dpkg-buildpackage
	printf '#!/bin/sh\n' >../programs/dpkg-checkbuilddeps
	chmod +x ../programs/*
	export SAID=$BATS_TEST_TMPDIR/said
	TMPDIR="$BATS_TEST_TMPDIR/t t" PATH=$BATS_TEST_TMPDIR/programs:$PATH run env -u MAKEFLAGS -u MAKELEVEL make -s deb
	echo "$output"
	[ "$status" = 0 ]
	[ -e build/deb/thinprobe_1.deb ]
	[[ $(cat "$SAID") == /*/thinprobe-[0-9]* ]]
	[[ $(cat "$SAID") != *\ * ]]
	[ ! -e "$(cat "$SAID")" ]
}

@test "make static: prototap alone in an empty root reads as the other does, and captures in its sandbox" {
	local root=$BATS_TEST_TMPDIR/root state='' tries=0

	[ "$(id -u)" = 0 ] || skip "needs root"
	mkdir "$root"
	cd "$HOME_OF_SOURCE" || return 1
	env -u MAKEFLAGS -u MAKELEVEL make -s static 2>/dev/null
	python3 tests/golden/make_captures.py "$BATS_TEST_TMPDIR/captures"
	cp build/static/prototap "$BATS_TEST_TMPDIR/captures/plain_ns.pcap" "$root/"
	cd "$root" || return 1
	chroot . /prototap read plain_ns.pcap >said
	diff said <("$PLACE/usr/libexec/thinprobe/prototap" read plain_ns.pcap)
	chroot . /prototap live -i lo --port 1 -t 60s -o captured 3>&- &
	# from outside, since there is no /proc inside
	while [ "$state" != $'NoNewPrivs:\t1 Seccomp:\t2' ] && [ $((tries += 1)) -lt 300 ]; do
		sleep 0.1
		state=$(grep -E '^(NoNewPrivs|Seccomp):' "/proc/$!/status" | paste -sd ' ')
	done
	kill $!
	wait $! && false
	[ $? = 130 ]
	[ "$state" = $'NoNewPrivs:\t1 Seccomp:\t2' ]
	[ -s captured ]
}

@test "whatever debian/control needs for a build, setup --deb installs" {
	local needs

	cd "$HOME_OF_SOURCE"
	needs=$(sed -n '/^Build-Depends:/,/^$/{s/^ //p}' debian/control | tr -d ' ,' | sed 's/^debhelper-compat(.*/debhelper/')
	[ "$(wc -l <<<"$needs")" -gt 20 ]
	run comm -13 <(cat packages kits/*/packages | sed -nE 's/^(build|deb)(:[^\t]*)?\t([^\t]*).*/\3/p' | tr '|' '\n' | sort -u) \
		<(tr '|' '\n' <<<"$needs"$'\nbuild-essential' | sort -u)
	[ -z "$output" ]
}
