#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-3.0-or-later
# host.sh - process 1 of one host of the local lab: makes the host's private folders, then waits for the end.
#
# host.sh ROLE UP_FD PATH...: says "ROLE up" or "ROLE STATUS MESSAGE" on UP_FD. Standard input is a pipe whose
# writer is the holder: at its end, process 1 ends, and with it everything in the host.
set -u
trap '' TERM INT HUP
role=$1 up_fd=$2 uid=${LAB_UID-}
[ "$role" = server ] || uid=${LAB_UID_client-}
# (Our own programs on the client are root, and see its folders.)
covers=$uid
[ "$role" = server ] || [ "$uid" = "${LAB_UID-}" ] || covers=''
shift 2
fail() {
	printf '%s %s %s\n' "$role" 1 "$*" >&"$up_fd"
	exit 1
}

# X servers put sockets and locks below /tmp, programs put segments into /dev/shm: both are the host's own and
# vanish with it. What the run needs (the checkout, the results) may lie below /tmp and stays visible: held open before the
# mount, bound back after it.
# A folder that the host's user may not enter, such as /root, is covered, too.
declare -A keep=() shut=()
# Folders in which everybody may write, where the host's user owns nothing; and without root, when that user is the caller, those in
# which he has keys and sockets. (A disk of the lab's is in such a folder, for a server that is root.)
open=(/tmp /dev/shm) homes=()
if [ -n "$uid" ]; then
	mapfile -t -d '' -O 2 open < <(find /run /var -maxdepth 3 -xdev -type d -perm -0002 -print0 2>/dev/null)
elif [ "${LAB_ROOTLESS-}" = 1 ]; then
	read -r _ path _ </proc/self/uid_map
	for path in "${HOME-}" "/run/user/$path" "${XDG_RUNTIME_DIR-}"; do
		path=$(realpath -e -- "$path" 2>/dev/null) && [[ $path == /?* && $TP_HOME != "$path" && $path != /@(usr|etc)?(/*) ]] &&
			homes+=("$path")	# (a system login's home may be a folder of programs)
	done
	open+=("${homes[@]}")
fi
may_enter() { setpriv --reuid "$uid" --regid "$uid" --clear-groups test -x "$1"; }
covered() {	# covered PATH: by a file system of ours
	local on='' rest=${1#/} folder
	for folder in "${open[@]}"; do [[ $1 != "$folder"/?* ]] || return 0; done
	[ -n "$covers" ] && [ "$(realpath -- "$1")" = "$1" ] && ! may_enter "${1%/*}/" || return 1
	while on+=/${rest%%/*} rest=${rest#*/}; may_enter "$on"; do :; done
	shut[$on]=1
}
for path in "$@"; do
	[ -z "${keep[$path]-}" ] && covered "$path" || continue
	{ exec {fd}<"$path"; } 2>/dev/null || fail "cannot open $path"
	keep[$path]=$fd
done
# Copies of others' slow disks: unmounted there, they would live on here.
mapfile -t mounts </proc/self/mounts
for line in "${mounts[@]}"; do
	[[ $line != "slowdisk "* ]] || { line=${line#* } && umount -l -- "$(printf %b "${line%% *}")" 2>/dev/null; }
done
for path in "${open[@]}"; do
	[[ $path != /tmp/* && -d $path ]] || continue
	mount -t tmpfs -o mode=1777,nosuid,nodev thinprobe "$path" || fail "cannot mount a private $path"
done
for path in "${!shut[@]}"; do mount -t tmpfs -o mode=755,nosuid,nodev thinprobe "$path" || fail "cannot mount a private $path"; done
# Where X servers keep their compiled keyboard map for a moment; of one that is killed just then it would stay.
[[ ! -d /var/lib/xkb || " ${open[*]} " == *" /var/lib/xkb "* ]] ||
	mount -t tmpfs -o mode=1777,nosuid,nodev thinprobe /var/lib/xkb ||
	fail "cannot mount a private /var/lib/xkb"
bind() { # PATH FD
	if [ -d "/proc/self/fd/$2" ]; then
		mkdir -p -- "$1"
	else
		mkdir -p -- "${1%/*}" && [ -e "$1" ] || : >"$1"
	fi && mount -c --bind "/proc/self/fd/$2" "$1" || return
	[ "${#homes[@]}" = 0 ] || [[ $1/ == "$LAB_RUN"/* || $1/ == "$LAB_LOG"/* || $role$1 == client$PWD ]] || read_only "$1"
}
# What is the caller's own stays as it is. (A namespace may not drop the flags that a mount had outside.)
read_only() {
	local flags
	for flags in '' ,nosuid,nodev ,nosuid ,nodev ,nosuid,nodev,noexec; do
		! mount -c -o "remount,bind,ro$flags" "$1" 2>/dev/null || return 0
	done
	return 1
}
# Shorter paths first, or a parent would hide what was bound below it.
while IFS= read -r path; do
	[ -n "$path" ] || continue
	# (One that the host's user may not enter would hide what is kept below it.)
	if [[ -n $covers && $'\n'$(printf '%s\n' "${!keep[@]}") == *$'\n'"$path/"* ]] && ! may_enter "/proc/self/fd/${keep[$path]}/"; then
		mkdir -p -- "$path"
	else
		bind "$path" "${keep[$path]}"
	fi || fail "cannot keep $path visible"
	fd=${keep[$path]}
	exec {fd}<&-
done < <(printf '%s\n' "${!keep[@]}" | LC_ALL=C sort)
{ mkdir -m 1777 /tmp/.X11-unix /tmp/.ICE-unix &&
	mkdir -m 700 /tmp/{home,runtime,.run,.probe} /tmp/.probe/{home,runtime,tmp}; } &&
	{ [ -z "$uid" ] || chown "$uid:$uid" /tmp/home /tmp/runtime /tmp/.run; } || fail "cannot make /tmp/.X11-unix"
# A server of another release has usr and etc of its root; all else is this machine's.
if [ "$role" = server ] && [ -n "${LAB_SERVER_ROOT-}" ]; then
	[ -L /bin ] || fail "no other release can run on this machine, whose /bin is not a link to usr/bin"
	for path in "$TP_HOME" "$TP_BIN"; do
		[[ $path == /usr/* ]] || continue
		mkdir -p -- "$LAB_SERVER_ROOT$path" && mount --bind -- "$path" "$LAB_SERVER_ROOT$path" ||
			fail "cannot make $path visible in $LAB_SERVER_ROOT"
	done
	mount --bind -- "$LAB_SERVER_ROOT/etc" /etc && mount --rbind -- "$LAB_SERVER_ROOT/usr" /usr ||
		fail "cannot use $LAB_SERVER_ROOT as the server's root file system"
fi
# No router solicitations or duplicate-address probes between the keys.
echo 1 2>/dev/null >/proc/sys/net/ipv6/conf/all/disable_ipv6
echo 1 2>/dev/null >/proc/sys/net/ipv6/conf/default/disable_ipv6
printf '%s up\n' "$role" >&"$up_fd"
exec {up_fd}>&-
# Blocks until the holder is gone; bash reaps the orphans meanwhile.
while read -r _; do :; done
