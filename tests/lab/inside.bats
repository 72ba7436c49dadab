#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-3.0-or-later
# What a measured program has: nothing of the driver's, of the caller's or of root's, whichever program it is and however it is
# started. A program in its place (inside.py) looks from inside, with a terminal, a key, a secret and a descriptor to be found.

load world

setup() {
	world setpriv unshare nsenter ip tc ethtool jq python3
	may_have_hosts
	export EVIL
	EVIL=$(mktemp -d "$TOP/build/inside.XXXXXX")	# not in /tmp: the hosts have their own
	mkdir "$EVIL/notes"
	chmod 755 "$EVIL"
	chmod 1777 "$EVIL/notes"
	cp "$TESTS/inside.py" "$EVIL"
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 12345 --regid 12345 --clear-groups test -x "$EVIL/inside.py" || skip "an ordinary user cannot read $TOP"
	fi
	export LAB_SHARED_CPUS=1 LAB_LOCKS=$W/locks XDG_RUNTIME_DIR=$W TMPDIR=$W THINPROBE_STATE=$W/state
}

teardown() {
	if [ -d "$W" ] && [ -d "$W/thinprobe-lab-$(id -u)" ]; then "$TOP/thinprobe" lab down || true; fi
	rm -rf -- "${EVIL:?}"
	world_end
}

# evil NAME...: programs of that name, for a PATH. evil_root: tests as root only.
evil() { for name; do ln "$EVIL/inside.py" "$EVIL/$name"; done; }
evil_root() { [ "$(id -u)" = 0 ] || skip "it takes root to be two users"; }

# with_all COMMAND...: with what a caller may have: a terminal, a key in the keyring of the session, a secret, an open descriptor.
with_all() {
	INSIDE_SECRET=s3cret python3 - "$@" <<-'END' >"$W/said" 2>&1
		import ctypes, os, platform, pty, sys
		join, add = {"x86_64": (250, 248), "aarch64": (219, 217)}.get(platform.machine(), (0, 0))
		call = ctypes.CDLL(None).syscall
		if join:
		    call(join, 1, None)
		    if call(add, b"user", b"thinprobe-inside", b"secret", 6, ctypes.c_int(-3)) < 0:
		        print("no key can be added here")
		os.set_inheritable(os.open("/etc/passwd", os.O_RDONLY), True)
		show = 'stat -Lc "0x%t 0x%T" /proc/self/fd/0 | { read -r a b; echo $((a)) $((b)); } >"$0"; exec "$@"'
		sys.exit(os.waitstatus_to_exitcode(pty.spawn(["sh", "-c", show, os.environ["EVIL"] + "/terminal", *sys.argv[1:]])))
	END
}

# looked NAME...: programs of these names have looked, and none has found anything.
looked() {
	local name
	cat "$EVIL"/notes/* | sort | uniq -c
	for name; do
		[[ -n $(find "$EVIL/notes" -name "$name.*" -print -quit) ]] || { echo "$name did not look"; tail -n 5 "$W/said"; return 1; }
	done
	run -1 grep -vh '^looked ' -r "$EVIL/notes"
}

@test "inside: a program that has all of its caller's finds it" {
	run with_all "$EVIL/inside.py"
	cat "$W/said"
	[ "$status" = 0 ]
	cat "$EVIL"/notes/*
	for what in 'variable INSIDE_SECRET' 'descriptor ' 'terminal at 0' 'terminal /dev/tty' 'environment of'; do
		grep -q "$what" "$EVIL"/notes/*
	done
	[[ $(cat "$W/said") == *"no key"* || $(uname -m) != @(x86_64|aarch64) ]] || grep -q 'key in keyring' "$EVIL"/notes/*
}

@test "inside: lab exec, on server and client" {
	"$TOP/thinprobe" lab up
	for role in server client; do run -0 with_all "$TOP/thinprobe" lab exec "$role" "$EVIL/inside.py"; done
	"$TOP/thinprobe" lab down
	if [ "$(id -u)" != 0 ]; then sed -i '/^folder /d' "$EVIL"/notes/*; fi	# (these are the user's)
	looked inside.py
	[ "$(find "$EVIL/notes" -type f | wc -l)" = 2 ]
}

@test "inside: server, application and viewer of a run with a memory group" {
	evil_root
	for tool in Xvnc vncviewer xterm xdotool; do command -v "$tool" >/dev/null || skip "$tool is not installed"; done
	evil Xvnc vncviewer xterm vim.tiny
	export LAB_PATH_server=$EVIL LAB_PATH_client=$EVIL
	cd "$W"
	words=(stalls --quick --loads 0 -t 2s --repeat 1 --protocol vnc:viewer --app light -o "$W/run")
	run with_all "$TOP/thinprobe" run "${words[@]}" --server-memory 1G --swap none
	# (where there are no memory groups)
	if [ "$status" = 4 ]; then run with_all "$TOP/thinprobe" run "${words[@]}"; fi
	tail -n 3 "$W/said"
	[ "$status" = 0 ]
	looked Xvnc vncviewer xterm vim.tiny
}

# on_terminal TYPED COMMAND...: on a terminal of its own, on which that is typed at the first "?"; prints what came, the status, and
# whether the terminal echoes as before.
on_terminal() {
	python3 - "$@" <<-'END'
		import os, pty, select, sys, termios
		typed, words = sys.argv[1].encode().decode("unicode_escape").encode("latin-1"), sys.argv[2:]
		pid, fd = pty.fork()
		if pid == 0:
		    os.execvp("sh", ["sh", "-c", 'trap : INT; "$@"; echo "status $?"; stty -a | grep -o "[-]*echo "; sleep 1; :', "sh", *words])
		got = b""
		while select.select([fd], [], [], 30)[0]:
		    try:
		        part = os.read(fd, 4096)
		    except OSError:
		        break
		    if b"?" in part and b"?" not in got:
		        os.write(fd, typed)
		    got += part
		os.waitpid(pid, 0)
		sys.stdout.buffer.write(got.replace(b"\r", b""))
	END
}

@test "door: what is typed reaches the command, Ctrl-C too, and the terminal is as before" {
	local own='[ "$(tty)" != "$1" ] && echo other; echo "?"; read -r word; printf "got %s\033[7m\n" "$word"; exit 7'
	run on_terminal 'word\n' sh -c 'exec "$1" sh -c "$2" sh "$(tty)"' sh "$TOP/bin/door" "$own"
	[[ $output == *other*"got word"$'\e[7m'*"status 7"*echo* ]]
	[[ $output != *-echo* ]]
	run on_terminal '\003' "$TOP/bin/door" sh -c 'trap "echo caught; exit 3" INT; echo "?"; while :; do sleep 0.1; done'
	[[ $output == *caught*"status 3"*echo* ]]
	# in a run nothing is typed for a measured program, and it has no words for the terminal
	run on_terminal 'word\n' "$TOP/bin/door" -n sh -c \
		'printf "a\033]0;title\007b?\n\302\2332Jc\2332J"; if read -r word; then echo "got $word"; fi'
	[[ $output == *'a?]0;title?b?'*'??2Jc?2J'*"status "* ]]
	[[ $output != *"got word"* ]]
}

@test "door: before a pipe, it leaves the terminal to what is behind it, and passes on lines and their end" {
	run on_terminal '' sh -c '"$1" sleep 1 | { stty -icanon </dev/tty; cat; stty -a </dev/tty | grep -o "[-]*icanon"; }' \
		sh "$TOP/bin/door"
	[[ $output == *-icanon*"status 0"* ]]
	run on_terminal 'word\n\004' sh -c '"$1" sh -c "echo ? >&2; cat" | sed "s/^/got /"' sh "$TOP/bin/door"
	[[ $output == *"got word"*"status 0"* ]]
}

# In clock ticks of 10 ms, for a second.
@test "door: sleeps while a command runs that has closed the terminal" {
	run on_terminal '' "$TOP/bin/door" sh -c 'spent() { cut -d " " -f 14,15 "/proc/$PPID/stat" | tr " " + >>"$0"; }
		exec </dev/null >/dev/null 2>&1; spent; sleep 1; spent' "$W/spent"
	[[ $output == *"status 0"* ]]
	cat "$W/spent"
	{ read -r before; read -r after; } <"$W/spent"
	[ $((after - (before))) -lt 10 ]
}

@test "lab exec: an ordinary user's file in the home is lost, and this is said" {
	as_user
	mkdir -p "$EVIL/home/below"
	[ "$(id -u)" != 0 ] || chown -R 12345:12345 "$EVIL/home"
	AS+=(env "HOME=$EVIL/home")
	cd "$EVIL/home/below"
	"${AS[@]}" "$TOP/thinprobe" lab up
	run -0 --separate-stderr "${AS[@]}" "$TOP/thinprobe" lab exec client sh -c 'echo here >file'
	[[ $stderr != *"$EVIL"* && $(cat file) == here ]]
	cd ..
	run -0 --separate-stderr "${AS[@]}" "$TOP/thinprobe" lab exec client sh -c 'echo there >file'
	[[ $stderr == *"$EVIL/home,"* && ! -e file ]]
	"${AS[@]}" "$TOP/thinprobe" lab down
}

# Into all pipes that it finds, too.
@test "inside: a server's program tells no version but its own" {
	cat >"$EVIL/Xvnc" <<-'END'
		#!/bin/sh
		for out in /proc/[0-9]*/fd/1; do printf 'bash\t6.66\nxterm\t6.66\nvim.tiny\t6.66\n' >"$out"; done 2>/dev/null
		printf 'bash\t6.66\nTigerVNC 6.66\nxterm\t6.66\n'
	END
	chmod 755 "$EVIL/Xvnc"
	export TOP LAB_PATH_server=$EVIL LAB_RUN=$W/run LAB_OWN_UID=1
	run -0 bash -c '. "$TOP/lab/lib.sh"; lab_use local; lab_up; lab_facts | jq -c .tools'
	echo "$output"
	jq -e '[to_entries[] | select((.value // "") | test("6.66")) | .key] == ["Xvnc"]' <<<"${lines[-1]}"
}

# found: whether a program of the folder is found by its name, with and without -R.
found() {
	local flag
	for flag in '' -R; do "$TOP/thinprobe" lab exec $flag client sh -c 'command -v only-here >/dev/null && echo yes || echo no'; done |
		xargs
}

@test "inside: a folder of programs is in the PATH of all that is no more than the caller" {
	local none='echo 0 >/proc/sys/user/max_user_namespaces && exec "$@"'
	ln "$EVIL/inside.py" "$EVIL/only-here"
	export TOP LAB_PATH_client=$EVIL
	"$TOP/thinprobe" lab up
	[ "$(found)" = "yes $([ "$(id -u)" = 0 ] && echo no || echo yes)" ]
	"$TOP/thinprobe" lab down
	# where no user namespaces can be made, what is measured is root, too
	evil_root
	unshare --user --map-root-user sh -c "$none" sh true || skip "no namespace of its own can be made here"
	run -0 unshare --user --map-root-user sh -c "$none" sh bash -c '"$TOP/thinprobe" lab up
		'"$(declare -f found)"'
		found
		"$TOP/thinprobe" lab down'
	[[ $'\n'$output$'\n' == *$'\nyes no\n'* ]]
}

# Each name that the engine starts itself, too.
# bats test_tags=all
@test "inside: ab runs nothing of the folder of --a-server, but in the server" {
	evil_root
	command -v Xvnc || skip "Xvnc is not installed"
	evil Xvnc
	for name in bash sh jq awk sed grep env ip tc cat setpriv nsenter mkdir stat id; do
		printf '#!/bin/sh\necho "%s $(/usr/bin/id -u)" >>"%s/notes/all"\nexec %s "$@"\n' "$name" "$EVIL" "$(type -P "$name")" \
			>"$EVIL/$name"
		chmod 755 "$EVIL/$name"
	done
	: >"$EVIL/notes/all" && chmod 666 "$EVIL/notes/all"
	cd "$W"
	run with_all "$TOP/thinprobe" ab stalls --loads 0 --protocol vnc --app light --a-server "$EVIL/Xvnc" --b-server "$(type -P Xvnc)" \
		--budget 40s -o "$W/ab"
	tail -n 3 "$W/said"
	[[ $status = [035] ]]
	run -1 grep ' 0$' "$EVIL/notes/all"
	rm "$EVIL/notes/all"
	looked Xvnc
}
