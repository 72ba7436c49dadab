#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# A server in a root file system of its own: a root of copies of a few programs, with an Xvnc that only tells its version.

load world

setup() {
	world setpriv unshare nsenter ip tc ethtool jq ldd
	[ -L /bin ] || skip "this system has no /bin that is a link"
	may_have_hosts
	tiny_root bash sh dash cat env head ls sed setpriv taskset tail timeout unshare
}

tiny_root() {	# tiny_root PROGRAM...: W/root
	local name file

	mkdir -p "$W/root/etc" "$W/root/usr/bin"
	printf 'NAME=Tiny\nPRETTY_NAME="Tiny 7"\n' >"$W/root/etc/os-release"
	for name; do
		file=$(command -v "$name")
		[ -x "$file" ] || continue	# a builtin here
		cp -L "$file" "$W/root/usr/bin/$name"
		for file in $(ldd "$file" | grep -oE '/[^ ]+'); do
			file=/usr/${file#/usr/}
			[ -e "$W/root$file" ] || { mkdir -p "$W/root${file%/*}" && cp -L "$file" "$W/root$file"; }
		done
	done
	printf '#!/bin/sh\necho Xvnc TigerVNC 7.7.7 - built today\n' >"$W/root/usr/bin/Xvnc-real"
	ln -s /etc/alternatives/Xvnc "$W/root/usr/bin/Xvnc"	# a link that leads elsewhere from outside
	mkdir "$W/root/etc/alternatives" && ln -s /usr/bin/Xvnc-real "$W/root/etc/alternatives/Xvnc"
	chmod -R a+rX,+x "$W/root"
}

# Runs a driver, from standard input, whose server has that root.
driver() {
	cat >"$W/main.sh" <<END
set -u
export LAB_RUN="$W/run" LAB_LOCKS="$W/locks" TMPDIR="$W/tmp" LAB_SHARED_CPUS=1 LAB_SERVER_ROOT="$W/root"
mkdir -p "\$TMPDIR"
. "$TOP/lab/lib.sh"
lab_use local
protocol_use vnc
END
	cat >>"$W/main.sh"
	[ ${#AS[@]} -eq 0 ] || chown -R 12345:12345 "$W"
	cd /
	run "${AS[@]}" timeout -k 10 120 bash "$W/main.sh"
	echo "$output"
}

mounted() { grep -sl "$W/root" /proc/[0-9]*/mountinfo; }

inside() {
	driver <<'END'
lab_up
echo "server $(lab_exec server sed -n 's/^NAME=//p' /etc/os-release) $(lab_exec server ls /usr/bin | grep -c .)"
echo "client $(lab_exec client sed -n 's/^NAME=//p' /etc/os-release)"
echo "version $(protocol_settings | jq -r .version), fact $(lab_facts | jq -r '.tools | "\(.Xvnc) \(.jq)"')"
lab_exec server sh -c 'echo "$0 writes" >"$1"' server "$LAB_RUN/note" && cat "$LAB_RUN/note"
grep -c "$LAB_SERVER_ROOT" /proc/$$/mountinfo
lab_has server Xvnc && ! lab_has server Xvfb && lab_has client bash && echo "knows what it has"
lab_start server job sh -c 'echo ready >&2; while :; do read -r -t 9 _ || :; done'
lab_ready job 20
kill -9 $$
END
	[ "$status" -eq 137 ]
	[[ $output == *"server Tiny "* && $output == *"version 7.7.7, fact 7.7.7 "[1-9]* && $output == *"server writes"* ]]
	[[ $output != *"client Tiny"* && $output == *$'\n0\n'* && $output == *"knows what it has"* ]]
	for ((i = 0; i < 500; i++)); do mounted >/dev/null || break; sleep 0.1; done
	run mounted
	echo "still mounted: $output"
	[ -z "$output" ]
	[ "$(cat "$W/root/etc/os-release")" = $'NAME=Tiny\nPRETTY_NAME="Tiny 7"' ]
}

@test "lab root: the server is the root's, the client this machine's; nothing is mounted after kill -9 (as started)" { inside; }

@test "lab root: the server is the root's, the client this machine's; nothing is mounted after kill -9 (ordinary user)" {
	[ "$(id -u)" = 0 ] || skip "the test above was it"
	as_user
	inside
}

@test "lab root: a root without the server, and one beside --on, are refused in one line" {
	for tool in cmark-gfm gnuplot; do command -v $tool >/dev/null || skip "$tool is not installed"; done
	cp -r "$W/root" "$W/good"
	: >"$W/good/usr/bin/xset"
	rm "$W/root/usr/bin/Xvnc"
	run -4 "$TOP/thinprobe" ab stalls --protocol vnc --loads 0 --quick --a-root "$W/good" --b-root "$W/root" -o "$W/there"
	echo "$output"
	[[ $output == *"Xvnc is missing in $W/root; "*"thinprobe root make"*vnc ]]
	[ ! -e "$W/there" ]
	run -2 env LAB_SERVER_ROOT="$W/root" "$TOP/thinprobe" run stalls --on ssh:a,b --quick -o "$W/there"
	echo "$output"
	[ "${#lines[@]}" -eq 1 ]
}

# A stand-in for mmdebstrap: it writes the archive of W/root, or fails as that does for an unknown key.
@test "root make: the packages of the protocol are asked for, the root is unpacked; errors have a cure, and leave no root" {
	mkdir "$W/bin"
	cat >"$W/bin/mmdebstrap" <<-END
		#!/bin/sh
		printf '%s\n' "\$@" >$W/asked
		[ ! -e $W/fails ] || { cat $W/fails >&2; exit 25; }
		tar -C $W/root -c .
	END
	chmod +x "$W/bin/mmdebstrap"
	PATH=$W/bin:$PATH
	run -0 "$TOP/thinprobe" root make trixie --protocol vnc:viewer,rdp -o "$W/made" --mirror http://nowhere/
	[ -x "$W/made/usr/bin/setpriv" ]
	[ -s "$W/made/etc/hosts" ]
	[[ $output == *"Tiny 7"* ]]
	for word in trixie http://nowhere/ --include=tigervnc-{standalone-server,viewer} --include=xrdp --include=xterm \
		'--include=?or(?exact-name(freerdp2-x11),?exact-name(freerdp3-x11))'; do
		grep -qxF -- "$word" "$W/asked" || { echo "$word"; return 1; }
	done
	run -1 grep -q gnuplot "$W/asked"
	run -2 "$TOP/thinprobe" root make trixie -o "$W/made"
	[ "${#lines[@]}" -eq 1 ]
	echo 'E: The repository http://nowhere trixie InRelease is not signed.' >"$W/fails"
	run -1 --separate-stderr "$TOP/thinprobe" root make trixie -o "$W/other"
	[[ ${stderr_lines[-1]} == *"not signed"*"debian-archive-keyring"* ]]
	[ "$(compgen -G "$W/other*")" = "$W/other.log" ]
	rm "$W/bin/mmdebstrap"
	local words
	for words in make "make trixie --protocol vmc" "make trixie --protocol vnc:vewer" \
		"make trixie twice" "make trixie --mirror" list ""; do
		# shellcheck disable=SC2086 # words
		run -2 "$TOP/thinprobe" root $words
		[ "${#lines[@]}" -eq 1 ] || { echo "$words: $output"; return 1; }
	done
}
